import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import {
  formOf,
  formOfText,
  largestSavedFile,
  readFleetFile,
  readPlanFile,
  readResultFile,
} from '../applier/saved-file.ts';
import type { SavedResult } from '../engine/results.ts';
import { ExitCode, Failure, failure, unreadableFile } from '../model/failure.ts';
import { type Fleet, type FleetMember, fleetOf } from '../model/fleet.ts';
import { isArray, isObject, type Json, type JsonObject, own, parseJson } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import type { Document } from '../report/index.ts';
import { writeText } from './files.ts';
import { type Io, printNote } from './io.ts';

/** Reads a plan file. Throws a Failure (exit 4) for a file that is not a plan, or was cut or edited. */
export function readPlan(file: string, io: Io): Plan {
  return readPlanFile(readText(file, io), file);
}

/**
 * Reads the result of one environment from its file, or from that of several. Throws a Failure for a file that is not a
 * result, and where it is not clear which of several is meant.
 *
 * @param environments what --env names
 */
export function readOneResult(file: string, environments: readonly string[], io: Io): Result {
  const text = readText(file, io);
  const all = formOfText(text) === 'fleet' ? readFleetFile(text, file).environments : [];
  const results = all.flatMap(({ result }) => result ?? []);
  if (results.length === 0) return readResultFile(text, file);
  // Whether a single one is for the environment of --env is checked as for any other result.
  const meant =
    environments.length === 0 || results.length === 1
      ? results
      : results.filter(({ environment }) => environments.includes(environment));
  const [first, second] = meant;
  if (first && !second) return first;
  const names = results.map(({ environment }) => environment).join(', ');
  throw failure('several-environments', `${file} holds the results of several environments: ${names}.`, {
    hint: 'Name one of them with --env.',
  });
}

/** The files that paths and globs name. Throws a Failure where one names none. */
export function resultFiles(patterns: readonly string[], io: Io): string[] {
  return patterns.flatMap((pattern) => {
    if (existsSync(resolve(io.cwd, pattern))) return [pattern];
    const found = globSync(pattern, { cwd: io.cwd, expandDirectories: false, dot: true });
    if (found.length > 0) return found.toSorted();
    throw failure('no-proof', `${pattern} names no file.`, {
      hint: 'Pass the result that `tenantctl apply --result FILE` wrote in the environment that proves the changes.',
    });
  });
}

/** The results in files, of one environment or several. Throws a Failure where a file is not a result. */
export function readResults(files: readonly string[], io: Io): Result[] {
  return files.flatMap((file) => {
    const document = readSaved(file, io);
    if (document.is === 'fleet') return document.fleet.environments.flatMap(({ result }) => result ?? []);
    return readResultFile(readText(file, io), file);
  });
}

/** Reads a plan file or a result file. Throws a Failure (exit 1) for a file that is neither. */
export function readSaved(file: string, io: Io): Document {
  try {
    const text = readText(file, io);
    const form = formOfText(text);
    if (form === 'result') return { is: 'result', result: readResultFile(text, file) };
    if (form === 'fleet') return { is: 'fleet', fleet: readFleetFile(text, file) };
    if (form === null) refuseKnown(file, text);
    return { is: 'plan', plan: readPlanFile(text, file) };
  } catch (error) {
    // Exit 4 would mean that an apply was refused.
    throw error instanceof Failure ? new Failure(error.diagnostics) : error;
  }
}

/** Throws a Failure that names what the file is: a diff, or a result that was cut. */
function refuseKnown(file: string, text: string): void {
  const value = parseJson(text);
  if (isObject(value) && Object.hasOwn(value, 'sides'))
    throw failure('plan-unreadable', `${file} is the diff of two sides, not a plan or a result.`, {
      hint: 'Run `tenantctl diff` again with the wanted --format, or with --report FILE.',
    });
  if (value === undefined && /^\s*\{[^{}[\]]{0,1000}"planDigest"/.test(text))
    throw failure('result-unreadable', `${file} begins like a result, and was cut.`, {
      hint: 'The results of an environment are also in `.tenantctl/ENVIRONMENT/results`.',
    });
}

/** Whether a file holds the plans of several environments, sound or not. */
export function holdsFleet(file: string, io: Io): boolean {
  const value = objectIn(file, io);
  return value !== null && formOf(value) === 'fleet';
}

/** Whether a file holds plans that nobody has applied yet: the results of several environments hold plans too. */
export function holdsOpenPlans(file: string, io: Io): boolean {
  const value = objectIn(file, io);
  if (value === null) return false;
  const form = formOf(value);
  if (form !== 'fleet') return form === 'plan';
  const environments = own(value, 'environments');
  const isApplied = (each: Json) => isObject(each) && Object.hasOwn(each, 'result');
  return !(isArray(environments) && environments.some(isApplied));
}

function objectIn(file: string, io: Io): JsonObject | null {
  // Reading a device might never end.
  if (!statSync(resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile()) return null;
  const value = parseJson(readText(file, io));
  return isObject(value) ? value : null;
}

/**
 * Reads the plans of several environments from a file, which may be that of an apply. Throws a Failure (exit 4) for one that is
 * cut or edited, or has results without their plans: `show` joins those, too.
 */
export function readFleet(file: string, io: Io): Fleet {
  const fleet = readFleetFile(readText(file, io), file);
  const done = fleet.environments.find(({ plan, error }) => plan === null && error === null);
  // What an earlier apply made of the plans is not what the next one makes of them.
  const plansOf = ({ name, plan, error }: FleetMember) => ({ name, plan, error: plan ? null : error });
  if (!done) return fleetOf(fleet.environments.map(plansOf));
  throw failure(
    'fleet-inconsistent',
    `${file} has a result of ${JSON.stringify(done.name)} and no plan, so it cannot be applied.`,
    { hint: 'Name the file that `tenantctl plan --out FILE` wrote.' },
    ExitCode.refused,
  );
}

/** Writes a plan, a fleet or a result as a file. Throws a Failure where it cannot be written. */
export function saveFile(value: Plan | Fleet, file: string, io: Io): void {
  writeText(file, `${JSON.stringify(value, null, 2)}\n`, io);
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

function readText(file: string, io: Io): string {
  try {
    const path = resolve(io.cwd, file);
    if (statSync(path).size > largestSavedFile) {
      throw failure('file-unreadable', `The file ${file} is larger than any plan or result.`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadableFile(file, error, savedHint);
  }
}

const savedHint = '`plan --out FILE` writes a plan file, and `apply --result FILE` a result file.';
