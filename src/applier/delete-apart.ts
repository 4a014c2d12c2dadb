import { finderIn, readRequestsFor } from './find.ts';
import type { Task } from './preflight.ts';
import { runChange } from './run-change.ts';
import { type Ending, ending, type RunContext } from './run-context.ts';
import type { Pending } from './settling.ts';

/** No delete relies on a read that is older, in milliseconds. */
const freshFor = 10_000;

type End = Ending | Pending;

/**
 * The ends of a delete in bulk. Some tenants refuse the whole request where one of its objects is already gone (api-notes,
 * "bulk-delete of what is already gone"): then the objects are read again, and those that are left are deleted one by
 * one. A request that was refused although nothing is gone stays refused.
 */
export async function deleteApart(ends: readonly End[], context: RunContext): Promise<readonly End[]> {
  const refused = ends.flatMap((end) => (isRefused(end) ? [end] : []));
  if (refused.length < ends.length || context.isStopped()) return ends;
  const readAt = context.clock.now();
  const find = await readAgain(refused, context);
  if (!find || refused.every(({ task }) => find(task).live !== null)) return ends;
  const results: End[] = [];
  for (const end of refused) {
    const { live } = find(end.task);
    results.push(
      ...(live === null ? [await endGone(end, context)] : await deleteOne({ ...end, live }, readAt, context)),
    );
  }
  return results;
}

function isRefused(end: End): end is Ending {
  if (!('outcome' in end) || end.outcome !== 'failed') return false;
  const { kind, change } = end.task;
  return change.action === 'delete' && kind.removalOf !== undefined && end.requests.at(-1)?.status === 400;
}

async function readAgain(ends: readonly Ending[], { port }: RunContext) {
  try {
    return finderIn(await port.read(readRequestsFor(ends.map(({ task }) => task))));
  } catch {
    // The refusal is told: what the tenant has is not known.
    return null;
  }
}

async function endGone({ task, requests }: Ending, { journal, now }: RunContext): Promise<Ending> {
  const { address } = task.change;
  await journal.conclude(0, { changes: [address], verdict: 'done', status: 400 }, now());
  const warnings = ['It was already gone, so the tenant refused the request.'];
  return ending(task, 'done', requests, { live: null, warnings });
}

async function deleteOne(end: Ending, readAt: number, context: RunContext): Promise<readonly End[]> {
  const request = requestFor(end.task);
  if (!request || context.isStopped()) return [end];
  if (end.live?.fingerprint() !== end.task.change.fingerprint) {
    const error = 'Changed since the plan: somebody changed it meanwhile. It was not deleted.';
    return [{ ...end, error }];
  }
  const task = { ...end.task, change: { ...end.task.change, requests: [request] } };
  return (await runChange([task], readAt + freshFor, { ...context, log: [...end.requests] })) ?? [end];
}

function requestFor({ kind, change }: Task) {
  const [shared] = change.requests;
  return shared === undefined ? null : (kind.removalOf?.(shared, change.key) ?? null);
}
