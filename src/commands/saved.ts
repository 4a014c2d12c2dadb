import { formOfText, readFleetFile, readResultFile } from '../applier/saved-file.ts';
import type { Result } from '../model/result.ts';
import { readNamedFile } from './files.ts';
import type { Io } from './io.ts';

/** In bytes. */
const largestSavedFile = 256 * 1024 * 1024;

/** Reads the text of a plan, result or fleet file. Throws a Failure if it cannot be read. */
export async function readText(file: string, io: Io): Promise<string> {
  const hint = '`plan --out FILE` writes a plan file, and `apply --result FILE` a result file.';
  return (await readNamedFile(file, io, { most: largestSavedFile, hint })).toString();
}

/** Reads results from files, of one environment or several. Throws a Failure for a file without one. */
export async function readResults(files: readonly string[], io: Io): Promise<Result[]> {
  const results: Result[] = [];
  for (const file of files) {
    const text = await readText(file, io);
    const found =
      formOfText(text) === 'fleet'
        ? readFleetFile(text, file).environments.flatMap(({ result }) => result ?? [])
        : [];
    // A Failure says what it is instead.
    results.push(...(found.length > 0 ? found : [readResultFile(text, file)]));
  }
  return results;
}
