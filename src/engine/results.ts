import { access, constants, mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isRegular, ResultFile, type ResultOrigin, type ResultRecorder } from '../applier/result-file.ts';
import { readResultFile } from '../applier/saved-file.ts';
import { environmentFolder } from '../loader/paths.ts';
import type { Address } from '../model/address.ts';
import { Failure, fail, ifExists, onFailure, unwritableFile } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import type { ChangeResult, Result } from '../model/result.ts';
import type { LaterResult } from '../planner/rollback.ts';

export interface SavedResult {
  readonly file: string;
  /** Why it could not be written; `null` where it was. */
  readonly failure: Failure | null;
}

export interface Results extends ResultRecorder {
  /** Writes the whole result. Returns the files, the one that was asked for first. */
  end(result: Result): Promise<SavedResult[]>;
  /** Lets go of the files of a run that did not end. What was recorded stays. */
  close(): Promise<void>;
}

export function resultsFolder(root: string, environment: string): string {
  return join(environmentFolder(root, environment), 'results');
}

interface ResultsOptions {
  /** The file of `--result`, absolute; `null` without it. */
  readonly asked: string | null;
  readonly now: () => string;
  readonly origin: ResultOrigin;
}

/**
 * Opens the result files of a run: one of the environment, which is kept if anything was sent, and the one that was
 * asked for. Throws a Failure where the folder cannot be written.
 */
export async function openResults(
  folder: string,
  plan: Plan,
  { asked, now, origin }: ResultsOptions,
): Promise<Results> {
  await checkFolder(folder);
  const stamp = now().replaceAll(/[:.]/g, '-');
  const kept = new ResultFile(join(folder, `${stamp}-${plan.environment}.json`), plan, now, origin);
  const other = asked === null ? null : new ResultFile(asked, plan, now, origin);
  // A pipe gets the whole result, once.
  const recorded = other && (await isRegular(other.file)) ? [kept, other] : [kept];
  return {
    async start(changes) {
      for (const file of recorded) await file.start(changes);
    },
    finish(change) {
      for (const file of recorded) file.finish(change);
    },
    async end(result) {
      const { done, failed, unknown } = result.summary;
      const isOfUse = done + failed + unknown > 0;
      if (!isOfUse) await kept.discard();
      const files = [...(other ? [other] : []), ...(isOfUse ? [kept] : [])];
      return Promise.all(files.map((file) => endFile(file, result)));
    },
    async close() {
      for (const file of recorded) await file.close();
    },
  };
}

async function endFile(file: ResultFile, result: Result): Promise<SavedResult> {
  const problem = await file.end(result).then(
    () => null,
    onFailure((error) => error),
  );
  return { file: file.file, failure: problem };
}

async function checkFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw unwritableFile(folder, error);
  }
}

/** A file with the result of an apply, or why it says nothing. */
export type PastApply = { readonly environment: string; readonly startedAt: string } & LaterResult;

/**
 * The applies of these environments that this checkout knows, the newest first.
 *
 * @param most how many of them. Left out: all
 * @param since leaves out those that began then, or earlier
 */
export async function pastApplies(
  root: string,
  environments: readonly string[],
  { most = Number.POSITIVE_INFINITY, since = '' } = {},
): Promise<PastApply[]> {
  const listed = await Promise.all(
    environments.map(async (environment) => {
      const folder = resultsFolder(root, environment);
      const names = (await ifExists(readdir(folder))) ?? [];
      return names.map((name) => ({ environment, name, file: relative(root, join(folder, name)) }));
    }),
  );
  // The name begins with the start of the run, which spares reading the rest.
  const found = listed
    .flat()
    .filter(({ name }) => startOf(name) > since)
    .sort((a, b) => (startOf(a.name) > startOf(b.name) ? -1 : 1))
    .slice(0, most);
  const applies: PastApply[] = [];
  for (const { environment, name, file } of found) {
    const read = await readApply(root, file);
    const startedAt = 'result' in read ? read.result.startedAt : startOf(name);
    applies.push({ environment, startedAt, ...read });
  }
  return applies;
}

/** What the runs of a plan recorded of the changes that they began: of each, what the first of them did. */
export async function recordedBy(
  root: string,
  { environment, digest }: Pick<Plan, 'environment' | 'digest'>,
): Promise<ReadonlyMap<Address, ChangeResult>> {
  const applies = await pastApplies(root, [environment]);
  const changes = applies.flatMap((past) =>
    'result' in past && past.result.planDigest === digest ? past.result.changes : [],
  );
  const begun = changes.filter(({ outcome }) => outcome !== 'notAttempted' && outcome !== 'skipped');
  return new Map(begun.map((change) => [change.address, change]));
}

/** When a run began, from the name of its file; empty for any other file. */
function startOf(name: string): string {
  const [, day, hour, minute, rest] = /^(\d[\d-]*T)(\d\d)-(\d\d)-([\d-]+Z)-.*\.json$/.exec(name) ?? [];
  return day === undefined ? '' : `${day}${hour}:${minute}:${rest?.replace('-', '.')}`;
}

async function readApply(root: string, file: string): Promise<LaterResult> {
  try {
    return { file, result: readResultFile(await readFile(join(root, file), 'utf8'), file) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { file, unreadable: error.message };
  }
}

/** The latest apply to an environment. Throws a Failure where this checkout knows none, or its file cannot be read. */
export async function lastApply(
  root: string,
  environment: string,
): Promise<Extract<PastApply, { result: Result }>> {
  const [last] = await pastApplies(root, [environment], { most: 1 });
  if (!last)
    throw fail('no-result', `No apply to the environment ${environment} was made in this checkout.`, {
      hint: 'An apply keeps its result where it ran, in `.tenantctl/ENVIRONMENT/results`: name the file that `apply --result FILE` wrote.',
    });
  if ('result' in last) return last;
  throw fail(
    'no-result',
    `The latest result of the environment ${environment} cannot be read. ${last.unreadable}`,
    {
      hint: '`tenantctl history` lists the others. Name one of them.',
    },
  );
}

/** The results of an environment that began later than `since`, in their order. */
export async function findLaterResults(
  root: string,
  environment: string,
  since: string,
): Promise<LaterResult[]> {
  return (await pastApplies(root, [environment], { since })).reverse();
}
