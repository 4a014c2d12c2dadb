import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Json, parseJson } from './json.ts';

/** A larger cache would cost more memory than it saves time. */
const largestCache = 64 * 1024 * 1024;

/**
 * What an earlier run has kept in `file` under the same head; `null` where there is nothing of that kind. What came
 * with the folder, out of a repository or an archive, does not count: whoever wrote it could make a plan say anything.
 */
export function readCache(file: string, head: string): Json {
  try {
    if (statSync(file).size > largestCache) return null;
    const text = readFileSync(file, 'utf8');
    const first = `${head} ${placeOf(file)}\n`;
    return text.startsWith(first) ? (parseJson(text.slice(first.length)) ?? null) : null;
  } catch {
    return null;
  }
}

/**
 * Keeps `content` in `file` for {@link readCache}.
 *
 * @param head says what it is, and all that makes it hold: the version of the tool before all
 */
export function writeCache(file: string, head: string, content: Json): void {
  ifPossible(() => {
    mkdirSync(dirname(file), { recursive: true });
    writeCacheFile(file, Buffer.from(`${head} ${placeOf(file)}\n${JSON.stringify(content)}`));
  });
}

/** What nobody can know of a folder who has not seen it on this machine. */
function placeOf(file: string): string {
  const { dev, ino, birthtimeMs } = statSync(dirname(file));
  return `in ${dev}-${ino}-${birthtimeMs}`;
}

/**
 * Writes a file that only spares work: aside first and then renamed, so that nobody reads half of it, and readable by
 * its owner alone. Where it cannot be written nothing happens: a cache that is missing stops nobody.
 */
export function writeCacheFile(file: string, bytes: Uint8Array): void {
  const aside = `${file}.${process.pid}`;
  ifPossible(() => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(aside, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(aside, file);
  });
  ifPossible(() => rmSync(aside, { force: true }));
}

function ifPossible(work: () => void): void {
  try {
    work();
  } catch {}
}
