import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes a file of the project. It is written beside its place and renamed, so that nobody reads half a file.
 *
 * @param {string} file from the root of the project
 * @param {string} text
 */
export function publish(file, text) {
  const path = `${root}${file}`;
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
