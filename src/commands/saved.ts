import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { isCutResult, largestSavedFile, readPlanFile, readResultFile } from '../applier/saved-file.ts';
import type { SavedResult } from '../engine/results.ts';
import { Failure, failure } from '../model/failure.ts';
import { isObject, parseJson } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { unreadableFile } from '../model/system-error.ts';
import type { Document } from '../report/index.ts';
import type { Io } from './io.ts';
import { printNote, writeText } from './output.ts';

/** Reads a plan file. Throws a Failure (exit 4) for a file that is no plan, or was cut or edited. */
export function readPlan(file: string, io: Io): Plan {
  return readPlanFile(readText(file, io), file);
}

/** Reads a result file. Throws a Failure for a file that is no result. */
export function readResult(file: string, io: Io): Result {
  return readResultFile(readText(file, io), file);
}

/** Reads the result files that paths and globs name. Throws a Failure where one names none, or a file is no result. */
export function readResults(patterns: readonly string[], io: Io): Result[] {
  const files = patterns.flatMap((pattern) => {
    if (existsSync(resolve(io.cwd, pattern))) return [pattern];
    const found = globSync(pattern, { cwd: io.cwd, expandDirectories: false, dot: true });
    if (found.length > 0) return found.toSorted();
    throw failure('no-proof', `${pattern} names no file.`, {
      hint: 'Pass the result that `tenantctl apply --result FILE` wrote in the environment that proves the changes.',
    });
  });
  return files.map((file) => readResult(file, io));
}

/** Reads a plan file or a result file. Throws a Failure (exit 1) for a file that is neither. */
export function readSaved(file: string, io: Io): Document {
  try {
    const text = readText(file, io);
    const value = parseJson(text);
    // The result of a run that was killed may be cut, and then it is no JSON.
    const isResult = isObject(value) ? Object.hasOwn(value, 'planDigest') : isCutResult(text);
    return isResult
      ? { is: 'result', result: readResultFile(text, file) }
      : { is: 'plan', plan: readPlanFile(text, file) };
  } catch (error) {
    // Exit 4 would mean that an apply was refused.
    throw error instanceof Failure ? new Failure(error.diagnostics) : error;
  }
}

/** Whether a file exists and holds a plan, sound or not. */
export function holdsPlan(file: string, io: Io): boolean {
  // Reading a device might never end.
  if (!statSync(resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile()) return false;
  const value = parseJson(readText(file, io));
  return isObject(value) && Object.hasOwn(value, 'digest') && Object.hasOwn(value, 'changes');
}

/** Writes a plan file. Throws a Failure where it cannot be written. */
export function savePlan(plan: Plan, file: string, io: Io): void {
  writeText(file, toText(plan), io);
}

/**
 * Prints where the result of an apply is, and which file could not be written. Returns whether all could: the tenant has
 * already changed, so the run goes on in any case.
 */
export function printSaved(
  files: readonly SavedResult[],
  { quiet }: { readonly quiet: boolean },
  io: Io,
): boolean {
  const saved = files.filter(({ failure }) => failure === null).map(({ file }) => relative(io.cwd, file));
  for (const { failure } of files) {
    if (failure) printNote(`The result is not saved. ${failure.message}`, io);
  }
  const isWhole = saved.length === files.length;
  if (saved[0] !== undefined && (!quiet || !isWhole)) printNote(`Result file: ${saved[0]}`, io);
  return isWhole;
}

function toText(value: Plan): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function readText(file: string, io: Io): string {
  try {
    const path = resolve(io.cwd, file);
    if (statSync(path).size > largestSavedFile) {
      throw failure('file-unreadable', `The file ${file} is larger than any plan or result.`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw error instanceof Failure ? error : unreadableFile(file, error, savedHint);
  }
}

const savedHint = '`plan --out FILE` writes a plan file, and `apply --result FILE` a result file.';
