import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
