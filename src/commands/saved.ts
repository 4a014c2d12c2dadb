import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPlanFile } from '../applier/plan-file.ts';
import { readResultFile } from '../applier/result-file.ts';
import { failure } from '../model/failure.ts';
import { isObject, parseJson } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
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

/** The plan or result in a file, whichever it is. */
export function readSaved(file: string, io: Io): Document {
  const text = readText(file, io);
  const value = parseJson(text);
  const isResult = isObject(value) && Object.hasOwn(value, 'planDigest');
  return isResult
    ? { is: 'result', result: readResultFile(text, file) }
    : { is: 'plan', plan: readPlanFile(text, file) };
}

function readText(file: string, io: Io): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw failure('unreadable-file', `The file ${file} cannot be read (${why}).`);
  }
}
