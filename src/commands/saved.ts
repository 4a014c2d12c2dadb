import { formOfText, readFleetFile, readResultFile } from '../applier/saved-file.ts';
import type { Result } from '../model/documents.ts';
import { readNamedFile } from './files.ts';
import type { Io } from './io.ts';

/** In bytes. */
const largestSavedFile = 256 * 1024 * 1024;

/** Reads the text of a plan, result or fleet file. Throws a Failure if it cannot be read. */
export function readText(file: string, io: Io): string {
  const hint = '`plan --out FILE` writes a plan file, and `apply --result FILE` a result file.';
  return readNamedFile(file, io, largestSavedFile, hint).toString();
}

/** Reads results from files, of one environment or several. Throws a Failure for a file without one. */
export function readResults(files: readonly string[], io: Io): Result[] {
  return files.flatMap((file) => {
    const text = readText(file, io);
    const fleet = formOfText(text) === 'fleet' ? readFleetFile(text, file).environments : [];
    const found = fleet.flatMap(({ result }) => result ?? []);
    // A Failure says what it is instead.
    return found.length > 0 ? found : [readResultFile(text, file)];
  });
}
