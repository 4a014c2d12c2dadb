import { arrangeChanges } from '../kinds/dependencies.ts';
import type { Kinds } from '../kinds/project.ts';
import type { Address } from '../model/address.ts';
import { groupBy, runConcurrently } from '../model/basics.ts';
import { type ChangeResult, mayHaveFailed, type Plan, type Result } from '../model/documents.ts';
import { type Diagnostic, messageOf } from '../model/failure.ts';
import { canonicalJson } from '../model/json.ts';
import { type Pending, settle } from './awaiting.ts';
import { begunResult, changeResult, notAttempted, planResult } from './change-result.ts';
import type { Task } from './find.ts';
import { keepFresh, mostReads } from './freshness.ts';
import { checkBeforeWrites } from './preflight.ts';
import type { ResultRecorder } from './result-file.ts';
import { type ApplyOptions, type Ending, ending, type Run, startRun, type TenantPort } from './run.ts';
import { goneBefore, runChange } from './run-change.ts';
import { removalOf } from './verify.ts';

/**
 * Applies a plan (design, section 6). If its checks fail, nothing is written and the result is `refused`; later failures are in
 * the result. Rejects, with a Failure, only if the tenant cannot be read before the first change.
 */
export async function applyChanges(plan: Plan, port: TenantPort, options: ApplyOptions): Promise<Result> {
  try {
    const run = startRun(port, options);
    const startedAt = run.now();
    const end = (
      outcome: Result['outcome'],
      changes: readonly ChangeResult[],
      reasons: readonly Diagnostic[] = [],
    ) => planResult(plan, { startedAt, endedAt: run.now(), outcome, changes }, reasons);

    const checked = await checkBeforeWrites(plan, run);
    if (checked.is !== 'sound') {
      const reasons = checked.is === 'refused' ? checked.reasons : [];
      const messages = new Map(reasons.map(({ address, message }) => [address, message]));
      const left = plan.changes.map((change) => notAttempted(change, messages.get(change.address) ?? null));
      return end(checked.is, left, reasons);
    }
    const { tasks, readAt } = checked;
    const resumed = tasks.filter((task) => task.resumed).length;
    run.onEvent({ type: 'checked', changes: tasks.length, resumed });

    const results = await runAll(tasks, readAt, run);
    const changes = plan.changes.map((change) => results.get(change.address) ?? notAttempted(change));
    const isDone = changes.every(({ action, outcome }) => action === 'manual' || outcome === 'done');
    if (isDone) return await endRecords(end('done', changes), run);
    return end(run.signal.aborted ? 'interrupted' : 'partial', changes);
  } finally {
    await options.journal.close();
  }
}

/** Ends the records of a finished run. The run is reported as done even if this cannot be written. */
async function endRecords(result: Result, { onDone, journal, now }: Run): Promise<Result> {
  try {
    await onDone(result);
    await journal.finish(now());
    return result;
  } catch (error) {
    const message = `Every change was made, but the end of this run could not be recorded. ${messageOf(error)}`;
    const hint = 'Nothing is left to do for this plan.';
    return { ...result, diagnostics: [{ code: 'records-open', severity: 'warning', message, hint }] };
  }
}

/** Level by level. Outcomes that no answer shows are settled before the deletes, which depend on them, and at the end. */
async function runAll(tasks: readonly Task[], readAt: number, given: Run) {
  const results = new Map<Address, ChangeResult>();
  const run = { ...given, record: recordEarlier(tasks, results, given.record) };
  const pending: Pending[] = [];
  const finish = (end: Ending) => {
    if (end.outcome === 'done') run.created.learn(end.task.change, end.live);
    const result = changeResult(end);
    results.set(result.address, result);
    run.record.finish(result);
    if (run.failFast && mayHaveFailed(result)) run.halt();
    run.onEvent({ type: 'finished', result, finished: results.size, total: tasks.length });
  };
  const settleAll = () => settle(pending.splice(0), run, finish);

  const levels = levelsOf(tasks, run.kinds);
  const left = levels.flatMap((level) => level.units.flat()).filter(isLeft);
  const sightings = keepFresh(left, readAt, run);
  const writes = levels.filter((level) => !level.deletes).flatMap((level) => level.units.flat());
  for (const level of levels) {
    const waiting = new Set(pending.map(({ task }) => task.change.address));
    const needed = level.units.flat().flatMap((task) => run.created.missingFor(task));
    if (level.deletes || needed.some((to) => waiting.has(to))) await settleAll();
    const isHeldBack =
      level.deletes &&
      !run.stopped.aborted &&
      !writes.every(({ change }) => results.get(change.address)?.outcome === 'done');
    await runConcurrently(level.units, run.concurrency, async (unit) => {
      const error = unit.some(isLeft) ? whySkipped(unit, isHeldBack, run) : null;
      const ends: readonly End[] =
        error === null
          ? await runUnit(unit, sightings, run)
          : unit.map((task) => ending(task, 'skipped', [], { error }));
      for (const end of ends) {
        if ('end' in end) pending.push(end);
        else finish(end);
        if (run.failFast && 'end' in end && end.isUncertain) run.halt();
      }
    });
  }
  await settleAll();
  return results;
}

/** Changes that earlier runs of the plan made or began are recorded too: if this run is killed, a rollback has to undo them all. */
function recordEarlier(
  tasks: readonly Task[],
  results: ReadonlyMap<Address, ChangeResult>,
  record: ResultRecorder,
): ResultRecorder {
  const earlier = tasks.filter(({ resumed }) => resumed);
  return {
    ...record,
    async start(changes) {
      const begun = earlier.splice(0).map(begunResult);
      await record.start([...begun, ...changes]);
      for (const { address } of begun) {
        const ended = results.get(address);
        if (ended) record.finish(ended);
      }
    },
  };
}

function levelsOf(tasks: readonly Task[], kinds: Kinds) {
  const byChange = new Map(tasks.map((task) => [task.change, task]));
  const { ranks } = arrangeChanges([...byChange.keys()], kinds);
  return ranks.map(({ deletes, changes }) => {
    // Changes with the same single request are one unit: it is sent once, and they share its answer.
    const units = groupBy(
      changes.flatMap((change) => byChange.get(change) ?? []),
      ({ change, from }) => {
        const [request, ...more] = change.requests;
        const isShared = request !== undefined && more.length === 0 && from === 0;
        return isShared ? canonicalJson(request) : change.address;
      },
    );
    return { deletes, units: units.map(([, unit]) => unit) };
  });
}

const isLeft = ({ from, change }: Task) => from < change.requests.length;

function whySkipped(unit: readonly Task[], isHeldBack: boolean, { created, stopped }: Run): string | null {
  if (isHeldBack) return 'Deletes are made only after every other change has succeeded.';
  const [missing] = unit.filter(isLeft).flatMap((task) => created.missingFor(task));
  if (missing === undefined || stopped.aborted) return null;
  return `It refers to ${missing}, which was not created, or whose id the tenant does not show.`;
}

type End = Ending | Pending;
type Sightings = ReturnType<typeof keepFresh>;

async function runUnit(unit: readonly Task[], sightings: Sightings, run: Run): Promise<readonly End[]> {
  const { created, stopped, onEvent } = run;
  // Without a request, nothing relies on a read.
  const endUnsent = async () => (await runChange(unit, null, run)) ?? [];
  if (stopped.aborted || !unit.some(isLeft)) return endUnsent();
  for (const { change } of unit) onEvent({ type: 'started', address: change.address, action: change.action });
  for (let round = 1; ; round += 1) {
    const checked = await checkUnit(unit, sightings);
    // An interrupt also aborts a read; that says nothing about the objects.
    if (stopped.aborted) return endUnsent();
    const [[other, why] = ['', '']] = checked.reasons;
    if (checked.reasons.size > 0) {
      return unit.map((task) => {
        const own = checked.reasons.get(task.change.address);
        const error = own ?? `One request makes both this change and the one to ${other}. ${why}`;
        return ending(task, 'failed', [], { error: `${error} Nothing was sent.` });
      });
    }
    // With a low rate limit every request waits longer: then the last of several reads must do.
    const notAfter = round < mostReads ? checked.notAfter : null;
    const tasks = checked.tasks.map((task) => created.fill(task));
    const ends = await runChange(tasks, notAfter, run);
    if (!ends) continue;
    const apart = await deleteApart(unit, ends, sightings, run);
    sightings.forget(unit);
    return apart;
  }
}

async function checkUnit(tasks: readonly Task[], sightings: Sightings) {
  try {
    return await sightings.check(tasks);
  } catch (error) {
    const why = `The object could not be read again: ${messageOf(error)}`;
    return { tasks, notAfter: 0, reasons: new Map(tasks.map(({ change }) => [change.address, why])) };
  }
}

/**
 * A tenant may refuse a whole bulk delete because one object is gone (api-notes) or cannot be deleted. A failed change stops no
 * other (design, section 6), so the rest is deleted one by one.
 */
async function deleteApart(unit: readonly Task[], ends: readonly End[], sightings: Sightings, run: Run) {
  const refused = ends.flatMap((end) => {
    if (!('outcome' in end) || end.outcome !== 'failed' || end.requests.at(-1)?.status !== 400) return [];
    const { kind, change } = end.task;
    return change.action === 'delete' && kind.quirks?.sharedDelete !== undefined ? [end] : [];
  });
  if (refused.length < unit.length || run.stopped.aborted) return ends;
  sightings.expire(unit);
  const results: End[] = [];
  for (const [at, end] of refused.entries()) {
    const planned = unit.filter(({ change }) => change.address === end.task.change.address);
    const checked = await sightings.check(planned).catch(() => null);
    // If the state of the tenant is unknown, the refusal is reported.
    if (!checked) return [...results, ...refused.slice(at)];
    const isGone = checked.tasks.some(({ live }) => live === null);
    if (isGone) {
      const known = { changes: [end.task.change.address], verdict: 'done', status: 400 } as const;
      await run.journal.append({ type: 'result', at: run.now(), request: 0, ...known });
      results.push(ending(end.task, 'done', end.requests, { live: null, warnings: [goneBefore] }));
    } else if (refused.length === 1) results.push(end);
    else results.push(...(await deleteAlone(end, planned, sightings, run)));
  }
  return results;
}

async function deleteAlone(end: Ending, planned: readonly Task[], sightings: Sightings, run: Run) {
  for (let round = 1; !run.stopped.aborted; round += 1) {
    const { tasks, notAfter, reasons } = await checkUnit(planned, sightings);
    const [why] = reasons.values();
    if (why !== undefined) return [{ ...end, error: `${why} It was not deleted.` }];
    const alone = tasks.map((task) => {
      const { requests } = removalOf(task.kind, task.change, run.settings);
      return { ...task, change: { ...task.change, requests } };
    });
    const made = await runChange(alone, round < mostReads ? notAfter : null, run, end.requests);
    if (made) return made;
  }
  return [end];
}
