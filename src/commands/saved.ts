import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { formOf, formOfText, readFleetFile, readPlanFile, readResultFile } from '../applier/saved-file.ts';
import { ExitCode, Failure, fail } from '../model/failure.ts';
import { type FleetMember, fleetOf } from '../model/fleet.ts';
import { get, isArray, isObject, type Json, parseJson } from '../model/json.ts';
import type { Result } from '../model/result.ts';
import type { Document } from '../report/report.ts';
import { readNamedFile } from './files.ts';
import type { Io } from './io.ts';

/** In bytes. */
const largestSavedFile = 256 * 1024 * 1024;

async function readText(file: string, io: Io): Promise<string> {
  const hint = '`plan --out FILE` writes a plan file, and `apply --result FILE` a result file.';
  return (await readNamedFile(file, io, { most: largestSavedFile, hint })).toString();
}

/** Reads a plan, result or fleet file. Throws a Failure (exit 1) for any other file. */
export async function readSaved(file: string, io: Io): Promise<Document> {
  const text = await readText(file, io);
  try {
    switch (formOfText(text)) {
      case 'result':
        return { is: 'result', result: readResultFile(text, file) };
      case 'fleet':
        return { is: 'fleet', fleet: readFleetFile(text, file) };
      case 'plan':
        return { is: 'plan', plan: readPlanFile(text, file) };
      case null:
        refuseKnown(file, text);
        return { is: 'plan', plan: readPlanFile(text, file) };
    }
  } catch (error) {
    // Exit 4 would mean that an apply was refused.
    throw error instanceof Failure ? new Failure(error.diagnostics) : error;
  }
}

/** Throws a Failure that names what the file is: a diff, or a result that was cut. */
function refuseKnown(file: string, text: string): void {
  const value = parseJson(text);
  if (isObject(value) && Object.hasOwn(value, 'sides'))
    throw fail('plan-unreadable', `${file} is the diff of two sides, not a plan or a result.`, {
      hint: 'Run `tenantctl diff` again with the wanted --format, or with --report FILE.',
    });
  if (value === undefined && /^\s*\{[^{}[\]]{0,1000}"planDigest"/.test(text))
    throw fail('result-unreadable', `${file} is a result that was cut off.`, {
      hint: 'The results of an environment are also in `.tenantctl/ENVIRONMENT/results`.',
    });
}

/**
 * Reads the plan to apply, or the plans of several environments. Throws a Failure (exit 4) for a file that is cut or edited, or
 * has results without their plans: `show` joins those, too.
 */
export async function readPlans(file: string, io: Io): Promise<Extract<Document, { is: 'plan' | 'fleet' }>> {
  const text = await readText(file, io);
  if (formOfText(text) !== 'fleet') return { is: 'plan', plan: readPlanFile(text, file) };
  const { environments } = readFleetFile(text, file);
  const done = environments.find(({ plan, error }) => plan === null && error === null);
  // What an earlier apply made of the plans is not what the next one makes of them.
  const plansOf = ({ name, plan, error }: FleetMember) => ({ name, plan, error: plan ? null : error });
  if (!done) return { is: 'fleet', fleet: fleetOf(environments.map(plansOf)) };
  throw fail(
    'fleet-inconsistent',
    `${file} has a result of ${JSON.stringify(done.name)} but no plan, so it cannot be applied.`,
    { hint: 'Name the file that `tenantctl plan --out FILE` wrote.' },
    ExitCode.refused,
  );
}

/** True when a file holds plans that nobody has applied yet: the results of several environments hold plans too. */
export async function holdsOpenPlans(file: string, io: Io): Promise<boolean> {
  if (!isFile(resolve(io.cwd, file))) return false;
  const value = parseJson(await readText(file, io));
  if (!isObject(value)) return false;
  const form = formOf(value);
  if (form !== 'fleet') return form === 'plan';
  const environments = get(value, 'environments');
  const isApplied = (each: Json) => isObject(each) && Object.hasOwn(each, 'result');
  return !(isArray(environments) && environments.some(isApplied));
}

/** False for a text that is no path, such as a glob that is longer than any name. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/**
 * Reads the result of one environment from its file, or from a file of several. Throws a Failure where it is not clear which of
 * several is meant.
 *
 * @param environments what --env names
 */
export async function readOneResult(file: string, environments: readonly string[], io: Io): Promise<Result> {
  const results = await readResults([file], io);
  // Whether a single one is for the environment of --env is checked as for any other result.
  const meant =
    environments.length === 0 || results.length === 1
      ? results
      : results.filter(({ environment }) => environments.includes(environment));
  const [first, second] = meant;
  if (first && !second) return first;
  const names = results.map(({ environment }) => environment).join(', ');
  throw fail('several-environments', `${file} holds the results of several environments: ${names}.`, {
    hint: 'Name one of them with --env.',
  });
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

/** The files that paths and globs name. Throws a Failure where one names none. */
export function resultFiles(patterns: readonly string[], io: Io): string[] {
  return patterns.flatMap((pattern) => {
    if (existsSync(resolve(io.cwd, pattern))) return [pattern];
    const found = globSync(pattern, { cwd: io.cwd, expandDirectories: false, dot: true });
    if (found.length > 0) return found.toSorted();
    throw fail('no-proof', `${pattern} names no file.`, {
      hint: 'Pass the result that `tenantctl apply --result FILE` wrote in the environment that proves the changes.',
    });
  });
}
