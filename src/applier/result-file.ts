import { validators } from '../generated/validators.js';
import { ExitCode } from '../model/exit.ts';
import type { Json } from '../model/json.ts';
import { type Result, resultFormat } from '../model/result.ts';
import { readSavedFile, type SavedForm } from './saved-file.ts';

const form: SavedForm<Result> = {
  name: 'result',
  format: resultFormat,
  is: (value): value is Json & Result => validators.result(value),
  errors: () => validators.result.errors ?? [],
  hint: 'A result file is what `tenantctl apply --result FILE` writes.',
  exitCode: ExitCode.couldNotRun,
};

/**
 * The text of a result file as a result. Throws a Failure for a file that is none, was cut, or has the format of
 * another version.
 *
 * @param file the file's name, for messages
 */
export function readResultFile(text: string, file: string): Result {
  return readSavedFile(text, file, form);
}
