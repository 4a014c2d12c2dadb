import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { largestSavedFile, readPlanFile, readResultFile } from '../applier/saved-file.ts';
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

/** Reads a plan file or a result file. Throws a Failure (exit 1) for a file that is neither. */
export function readSaved(file: string, io: Io): Document {
  try {
    const text = readText(file, io);
    const value = parseJson(text);
    const isResult = isObject(value) && Object.hasOwn(value, 'planDigest');
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
 * Writes a result into the file of `--result`, and into `folder` if anything was written to the tenant: a rollback needs
 * it. A file that cannot be written is only reported, since the tenant has already changed.
 */
export function saveResult(
  result: Result,
  folder: string,
  args: { readonly result: string | undefined; readonly quiet: boolean },
  io: Io,
): void {
  const { done, failed, unknown } = result.summary;
  const own = join(folder, `${result.startedAt.replaceAll(/[:.]/g, '-')}.json`);
  const files = [
    ...(args.result === undefined ? [] : [args.result]),
    ...(done + failed + unknown === 0 ? [] : [own]),
  ];
  const [first] = files.filter((file) => tryToWrite(file, toText(result), io));
  if (first !== undefined && files.includes(own) && !args.quiet) {
    printNote(`Result file: ${first === own ? relative(io.cwd, own) : first}`, io);
  }
}

/** Returns whether the file could be written. If not, prints why. */
function tryToWrite(file: string, text: string, io: Io): boolean {
  try {
    writeText(file, text, io);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    printNote(`The result is not saved. ${error.message}`, io);
    return false;
  }
}

function toText(value: Plan | Result): string {
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
    throw error instanceof Failure ? error : unreadableFile(file, error);
  }
}
