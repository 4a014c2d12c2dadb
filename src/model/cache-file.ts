import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Json, parseJson } from './json.ts';

/** A larger cache would cost more memory than it saves time. */
const largestCache = 64 * 1024 * 1024;

/** What an earlier run has kept in `file` under the same head; `null` where there is nothing of that kind. */
export function readCache(file: string, head: string): Json {
  try {
    if (statSync(file).size > largestCache) return null;
    const text = readFileSync(file, 'utf8');
    return text.startsWith(`${head}\n`) ? (parseJson(text.slice(head.length)) ?? null) : null;
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
  writeCacheFile(file, Buffer.from(`${head}\n${JSON.stringify(content)}`));
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
