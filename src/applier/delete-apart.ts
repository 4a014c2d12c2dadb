import type { Pending } from './awaiting.ts';
import { type Finder, lookUp } from './find.ts';
import { freshFor } from './freshness.ts';
import { type Ending, ending, type Run } from './run.ts';
import { runChange } from './run-change.ts';
import { removalOf } from './verify.ts';

type End = Ending | Pending;

interface Sight {
  readonly find: Finder;
  readonly readAt: number;
}

/**
 * The ends of a delete in bulk. A tenant may refuse the whole request because of one of its objects: one that is already
 * gone (api-notes, "bulk-delete of what is already gone"), or one that it does not delete. A failed change stops no
 * other one (design, section 6), so the objects are read again, and those that are left are deleted one by one.
 */
export async function deleteApart(ends: readonly End[], run: Run): Promise<readonly End[]> {
  const refused = ends.flatMap((end) => (isRefused(end) ? [end] : []));
  if (refused.length < ends.length || run.isStopped()) return ends;
  let sight = await readAgain(refused, run);
  const isAlone = refused.length === 1;
  if (!sight || (isAlone && refused.every(({ task }) => sight?.find(task).live !== null))) return ends;
  const results: End[] = [];
  for (const [at, end] of refused.entries()) {
    let made = await deleteOne(end, sight, run);
    if (!made) {
      sight = (await readAgain(refused.slice(at), run)) ?? sight;
      made = await deleteOne(end, sight, run);
    }
    results.push(...(made ?? [end]));
  }
  return results;
}

function isRefused(end: End): end is Ending {
  if (!('outcome' in end) || end.outcome !== 'failed') return false;
  const { kind, change } = end.task;
  return (
    change.action === 'delete' &&
    kind.quirks?.sharedDelete !== undefined &&
    end.requests.at(-1)?.status === 400
  );
}

/** `null` where it is not known what the tenant has: then the refusal is reported. */
async function readAgain(ends: readonly Ending[], run: Run): Promise<Sight | null> {
  const readAt = run.clock.now();
  const tasks = ends.map(({ task }) => task);
  const looked = await lookUp(tasks, run);
  return 'failed' in looked ? null : { find: looked.find, readAt };
}

async function endGone({ task, requests }: Ending, { journal, now }: Run): Promise<Ending> {
  const { address } = task.change;
  await journal.conclude(0, { changes: [address], verdict: 'done', status: 400 }, now());
  const warnings = ['It was already gone, so the tenant refused the request.'];
  return ending(task, 'done', requests, { live: null, warnings });
}

/** `null` where the objects were read too long ago. */
async function deleteOne(end: Ending, { find, readAt }: Sight, run: Run): Promise<readonly End[] | null> {
  const { live } = find(end.task);
  if (live === null) return [await endGone(end, run)];
  const { kind, change } = end.task;
  const { requests } = removalOf(kind, change, run.settings);
  if (requests.length === 0 || run.isStopped()) return [end];
  if (live.fingerprint() !== change.fingerprint) {
    const error = 'Changed since the plan: somebody changed it meanwhile. It was not deleted.';
    return [{ ...end, live, error }];
  }
  const task = { ...end.task, live, change: { ...change, requests } };
  return runChange([task], readAt + freshFor, run, end.requests);
}
