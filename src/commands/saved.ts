import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { largestSavedFile, readPlanFile, readResultFile } from '../applier/saved-file.ts';
import { Failure, failure } from '../model/failure.ts';
import { isObject, parseJson } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { unreadableFile } from '../model/system-error.ts';
import type { Document } from '../report/index.ts';
import type { Io } from './io.ts';

/** The plan in a file. Throws a Failure (exit 4) for a file that is none, or was cut or edited. */
export function readPlan(file: string, io: Io): Plan {
  return readPlanFile(readText(file, io), file);
}

/** The result in a file. Throws a Failure for a file that is none. */
export function readResult(file: string, io: Io): Result {
  return readResultFile(readText(file, io), file);
}

/** Whether there is a file that holds a plan, whole or not. */
export function holdsPlan(file: string, io: Io): boolean {
  // A device may have no end.
  if (!statSync(resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile()) return false;
  const value = parseJson(readText(file, io));
  return isObject(value) && Object.hasOwn(value, 'digest') && Object.hasOwn(value, 'changes');
}

/** The plan or result in a file, whichever it is. Throws a Failure (exit 1) for a file that is neither. */
export function readSaved(file: string, io: Io): Document {
  try {
    return documentIn(file, io);
  } catch (error) {
    // Nothing was going to be applied, so nothing is refused.
    throw error instanceof Failure ? new Failure(error.diagnostics) : error;
  }
}

function documentIn(file: string, io: Io): Document {
  const text = readText(file, io);
  const value = parseJson(text);
  const isResult = isObject(value) && Object.hasOwn(value, 'planDigest');
  return isResult
    ? { is: 'result', result: readResultFile(text, file) }
    : { is: 'plan', plan: readPlanFile(text, file) };
}

function readText(file: string, io: Io): string {
  try {
    const path = resolve(io.cwd, file);
    if (statSync(path).size > largestSavedFile) throw tooLarge(file);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadableFile(file, error);
  }
}

function tooLarge(file: string): Failure {
  return failure('file-unreadable', `The file ${file} is larger than any plan or result.`);
}
