import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readResultFile, runUnfinished } from '../applier/saved-file.ts';
import { environmentFolder } from '../loader/paths.ts';
import type { Result } from '../model/documents.ts';
import { Failure, fail, ifExists, unreadableFile } from '../model/failure.ts';
import { readOwnFile } from '../model/files.ts';
import { runningSince } from './lock.ts';

/** A file with the result of an apply, or why it cannot be read. */
type PastApply = { readonly environment: string; readonly startedAt: string; readonly file: string } & (
  | { readonly unreadable: string }
  | { readonly result: Result; readonly outcome: Result['outcome'] | 'running' }
);

/** At most so many applies of these environments that this checkout knows, the newest first, that began later than `since`. */
export async function pastApplies(
  root: string,
  environments: readonly string[],
  { most = Number.POSITIVE_INFINITY, since = '' } = {},
): Promise<PastApply[]> {
  const listed = await Promise.all(
    environments.map(async (environment) => {
      const folder = environmentFolder(root, environment, 'results');
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
    try {
      const bytes = await readOwnFile(join(root, file), file).catch((error: unknown) => {
        throw unreadableFile(file, error);
      });
      const result = readResultFile(bytes.toString(), file);
      const outcome = (await isRunning(root, environment, result)) ? 'running' : result.outcome;
      applies.push({ environment, startedAt: result.startedAt, file, result, outcome });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      applies.push({ environment, startedAt: startOf(name), file, unreadable: error.message });
    }
  }
  return applies;
}

/** True for a result that a run still writes. One that was killed left the lock, or another run has it since. */
async function isRunning(root: string, environment: string, { startedAt, diagnostics = [] }: Result) {
  if (!diagnostics.some(({ code }) => code === runUnfinished.code)) return false;
  const since = await runningSince(root, environment);
  return since !== null && since <= startedAt;
}

/** When a run began, from the name of its file; empty for any other file. */
function startOf(name: string): string {
  const [, day, hour, minute, rest] = /^(\d[\d-]*T)(\d\d)-(\d\d)-([\d-]+Z)-.*\.json$/.exec(name) ?? [];
  return day === undefined ? '' : `${day}${hour}:${minute}:${rest?.replace('-', '.')}`;
}

/** The latest apply to an environment. Throws a Failure if this checkout has none, or its file cannot be read. */
export async function lastApply(root: string, environment: string) {
  const [last] = await pastApplies(root, [environment], { most: 1 });
  if (!last)
    throw fail('no-result', `No apply to the environment ${environment} was made in this checkout.`, {
      hint: 'An apply keeps its result where it ran, in `.tenantctl/ENVIRONMENT/results`: name the file that `apply --result FILE` wrote.',
    });
  if ('result' in last) return last;
  throw fail(
    'no-result',
    `The latest result of the environment ${environment} cannot be read. ${last.unreadable}`,
    { hint: '`tenantctl history` lists the others. Name one of them.' },
  );
}
