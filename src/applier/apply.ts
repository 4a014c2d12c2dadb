import type { TenantState } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { messageOf } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import type { ChangeResult, Result, RunOutcome } from '../model/result.ts';
import { notAttempted, planResult } from './change-result.ts';
import { readRequestsWith, shownNames, wrongNames } from './check-references.ts';
import type { Task } from './find.ts';
import { checkLive, checkPlan, withKinds } from './preflight.ts';
import { type ApplyOptions, type Run, startRun, type TenantPort } from './run.ts';
import { readNow, runAll } from './run-all.ts';

/**
 * Applies a plan: checks that it still holds, sends its requests in order, and returns the outcome of every change
 * (design, section 6). A plan that does not hold gives a result `refused`, with nothing written. Later failures of the
 * tenant are in the result. Rejects, with a Failure, only where the tenant cannot be read before the first change.
 */
export async function applyChanges(plan: Plan, port: TenantPort, options: ApplyOptions): Promise<Result> {
  try {
    return await applyWith(plan, startRun(port, options));
  } finally {
    await options.journal.close();
  }
}

/**
 * The reasons for which the plan would be refused now, as `applyChanges` finds them; empty where there are none. Reads the
 * tenant, and writes nothing. Rejects, with a Failure, where the tenant cannot be read.
 */
export async function findPlanRefusals(
  plan: Plan,
  port: TenantPort,
  options: ApplyOptions,
): Promise<readonly Diagnostic[]> {
  try {
    const checked = await check(plan, startRun(port, options));
    return checked.is === 'refused' ? checked.reasons : [];
  } finally {
    await options.journal.close();
  }
}

async function applyWith(plan: Plan, run: Run): Promise<Result> {
  const { signal, now, onEvent } = run;
  const startedAt = now();
  const end = (outcome: RunOutcome, changes: readonly ChangeResult[], reasons: readonly Diagnostic[] = []) =>
    planResult(plan, { startedAt, endedAt: now(), outcome, changes }, reasons);

  const checked = await check(plan, run);
  if (checked.is !== 'sound') {
    const reasons = checked.is === 'refused' ? checked.reasons : [];
    const messages = new Map(reasons.map(({ address, message }) => [address, message]));
    const changes = plan.changes.map((change) => notAttempted(change, messages.get(change.address) ?? null));
    return end(checked.is, changes, reasons);
  }
  const { tasks, readAt } = checked;
  onEvent({ type: 'checked', changes: tasks.length, resumed: tasks.filter(({ resumed }) => resumed).length });

  const results = await runAll(tasks, readAt, run);
  const changes = plan.changes.map((change) => results.get(change.address) ?? notAttempted(change));
  const outcome = outcomeOf(changes, signal.aborted);
  const result = end(outcome, changes);
  return outcome === 'done' ? endRecords(result, run) : result;
}

/** Ends what is kept of a run that is done. That it is done has to be reported, also where this cannot be written. */
async function endRecords(result: Result, { onDone, journal, now }: Run): Promise<Result> {
  try {
    await onDone(result);
    await journal.finish(now());
    return result;
  } catch (error) {
    return { ...result, diagnostics: [recordsOpen(messageOf(error))] };
  }
}

const recordsOpen = (why: string): Diagnostic => ({
  code: 'records-open',
  severity: 'warning',
  message: `Every change was made, but the end of this run could not be recorded. ${why}`,
  hint: 'Nothing is left to do for this plan.',
});

/** A plan before its first request: what there is to do, or why nothing is done. */
type PlanCheck =
  | { readonly is: 'sound'; readonly tasks: readonly Task[]; readonly readAt: number }
  | { readonly is: 'refused'; readonly reasons: readonly Diagnostic[] }
  | { readonly is: 'interrupted' };

async function check(plan: Plan, run: Run): Promise<PlanCheck> {
  const { kinds, clock, onEvent } = run;
  const wrong = checkPlan(plan, run);
  if (wrong.length > 0) return { is: 'refused', reasons: wrong };
  // A manual change writes nothing, so it cannot be stale.
  const writing = plan.changes.filter(({ action }) => action !== 'manual');
  const entries = withKinds(writing, kinds);
  onEvent({ type: 'checking', objects: entries.length });
  const names = shownNames(entries, kinds, run.journal);
  const readAt = clock.now();
  const state = await readUnlessAborted(readRequestsWith(entries, names), run);
  if (!state) return { is: 'interrupted' };
  const { tasks, stale } = checkLive(entries, state, plan, run);
  const reasons = [...stale, ...wrongNames(names, entries, state.objects)];
  return reasons.length > 0 ? { is: 'refused', reasons } : { is: 'sound', tasks, readAt };
}

async function readUnlessAborted(requests: readonly ReadRequest[], run: Run): Promise<TenantState | null> {
  const { port, signal } = run;
  if (requests.length === 0) return { tenant: port.tenant, objects: [], defaults: [] };
  try {
    const state = signal.aborted ? null : await readNow(requests, run);
    return signal.aborted ? null : state;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function outcomeOf(changes: readonly ChangeResult[], isInterrupted: boolean): RunOutcome {
  const isLeft = changes.some(({ action, outcome }) => action !== 'manual' && outcome !== 'done');
  if (!isLeft) return 'done';
  return isInterrupted ? 'interrupted' : 'partial';
}
