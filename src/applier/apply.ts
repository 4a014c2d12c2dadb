import { kinds as allKinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { TenantState } from '../model/live.ts';
import type { Change, Plan } from '../model/plan.ts';
import type { ChangeOutcome, ChangeResult, Result, RunOutcome } from '../model/result.ts';
import { changeOutcomes, resultFormat } from '../model/result.ts';
import type { ApiSettings } from '../model/settings.ts';
import { carryOut } from './carry-out.ts';
import { type Ending, ending } from './ending.ts';
import type { ApplyEvent } from './events.ts';
import { keyBefore, touchedBy } from './find.ts';
import type { Journal } from './journal.ts';
import { inParallel, levelsOf } from './levels.ts';
import type { Sent, TenantPort } from './port.ts';
import { fieldsBefore, recordedFields } from './recorded.ts';
import type { Room } from './room.ts';
import { checkLive, checkPlan, type Task, withKinds } from './verify.ts';

export interface ApplyOptions {
  /** The environment that the plan has to be for. */
  readonly environment: string;
  readonly settings: ApiSettings;
  /** The journal of this plan; closed by the run, and ended when everything was done. */
  readonly journal: Journal;
  /** Ctrl-C: requests in flight finish, nothing new starts. */
  readonly signal?: AbortSignal;
  /** After a failure nothing new starts. */
  readonly failFast?: boolean;
  /** How many changes at once. */
  readonly concurrency: number;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly now: () => Date;
  /** An answer without success in words, safe to print. */
  readonly describe: (sent: Sent) => string;
  readonly kinds?: readonly Kind[];
}

/**
 * Carries out a plan: checks that it holds, sends its requests in order, and tells what became of every change
 * (design, section 6). A plan that does not hold gives a result `refused`, and nothing was written. What goes wrong
 * with the tenant afterwards is in the result; only a tenant that cannot be read beforehand rejects, with a Failure.
 */
export async function applyPlan(plan: Plan, port: TenantPort, options: ApplyOptions): Promise<Result> {
  try {
    return await run(plan, port, options);
  } finally {
    await options.journal.close();
  }
}

async function run(plan: Plan, port: TenantPort, options: ApplyOptions): Promise<Result> {
  const { environment, settings, journal, kinds = allKinds, signal, now, onEvent = () => {} } = options;
  const startedAt = now().toISOString();
  const end = (outcome: RunOutcome, changes: readonly ChangeResult[], reasons: readonly Diagnostic[] = []) =>
    resultOf(plan, { startedAt, endedAt: now().toISOString(), outcome, changes, reasons });

  const wrong = checkPlan(plan, { environment, tenant: port.tenant, settings, kinds });
  if (wrong.length > 0)
    return end(
      'refused',
      plan.changes.map((change) => untouched(change)),
      wrong,
    );

  // A manual change writes nothing, so it cannot be stale.
  const entries = withKinds(
    plan.changes.filter(({ action }) => action !== 'manual'),
    kinds,
  );
  onEvent({ type: 'checking', objects: entries.length });
  const state = await readUnlessAborted(entries, port, signal);
  if (!state)
    return end(
      'interrupted',
      plan.changes.map((change) => untouched(change)),
    );
  const { tasks, stale } = checkLive(entries, state, journal);
  if (stale.size > 0) {
    const refused = plan.changes.map((change) =>
      untouched(change, stale.get(change.address)?.message ?? null),
    );
    return end('refused', refused, [...stale.values()]);
  }
  const resumed = tasks.filter((task) => task.resumed).length;
  onEvent({ type: 'checked', changes: tasks.length, resumed });

  const results = await carryOutAll(tasks, port, options);
  const changes = plan.changes.map((change) => results.get(change.address) ?? untouched(change));
  const outcome = outcomeOf(changes, signal?.aborted === true);
  if (outcome === 'done') await journal.finish(now().toISOString());
  return end(outcome, changes);
}

async function readUnlessAborted(
  entries: Parameters<typeof touchedBy>[0],
  port: TenantPort,
  signal: AbortSignal | undefined,
): Promise<TenantState | null> {
  if (entries.length === 0) return { tenant: port.tenant, objects: [], defaults: [] };
  try {
    const state = signal?.aborted ? null : await port.read(touchedBy(entries));
    return signal?.aborted ? null : state;
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
}

async function carryOutAll(
  tasks: readonly Task[],
  port: TenantPort,
  options: ApplyOptions,
): Promise<ReadonlyMap<Address, ChangeResult>> {
  const {
    settings,
    journal,
    describe,
    now,
    failFast = false,
    kinds = allKinds,
    onEvent = () => {},
  } = options;
  const signal = options.signal ?? new AbortController().signal;
  const results = new Map<Address, ChangeResult>();
  let isHalted = false;
  const halt = () => {
    isHalted = true;
  };
  const isStopped = () => isHalted || signal.aborted;
  const room: Room = {
    port,
    journal,
    settings,
    signal,
    describe,
    onEvent,
    now: () => now().toISOString(),
    isStopped,
  };
  const finish = (end: Ending) => {
    const result = changeResult(end);
    results.set(result.address, result);
    if (failFast && isFailure(result.outcome)) halt();
    onEvent({ type: 'finished', result, finished: results.size, total: tasks.length });
  };
  const levels = levelsOf(tasks, kinds);
  for (const level of levels) {
    const wait =
      level.deletes && !isStopped() && levels.some((other) => !other.deletes && !isDone(other, results));
    await inParallel(level.units, options.concurrency, async (unit) => {
      const isLeft = unit.some((task) => task.from < task.change.requests.length);
      if (wait && isLeft) {
        for (const task of unit)
          finish(ending(task, 'skipped', [], { error: 'Deletes wait until all else is done.' }));
        return;
      }
      if (isLeft && !isStopped()) {
        for (const { change } of unit)
          onEvent({ type: 'started', address: change.address, action: change.action });
      }
      for (const end of await carryOut(unit, room, halt)) finish(end);
    });
  }
  return results;
}

function isDone(
  level: { units: readonly (readonly Task[])[] },
  results: ReadonlyMap<Address, ChangeResult>,
): boolean {
  return level.units.flat().every(({ change }) => results.get(change.address)?.outcome === 'done');
}

const isFailure = (outcome: ChangeOutcome): boolean => outcome === 'failed' || outcome === 'unknown';

function changeResult({ task, outcome, live, requests, error, warnings }: Ending): ChangeResult {
  const { kind, change } = task;
  const isAsPlanned = task.live === null || task.live.fingerprint === change.fingerprint;
  const before =
    task.live && isAsPlanned
      ? recordedFields(kind, change, task.live)
      : fieldsBefore(kind, change, task.live);
  const after = live ? recordedFields(kind, change, live) : null;
  const withheld = [...new Set([...(before?.withheld ?? []), ...(after?.withheld ?? [])])];
  const renamedFrom = keyBefore(kind, change);
  return {
    address: change.address,
    ...(renamedFrom ? { renamedFrom } : {}),
    action: change.action,
    outcome,
    before: before?.fields ?? null,
    after: after?.fields ?? null,
    ...(withheld.length > 0 ? { withheld } : {}),
    requests,
    error,
    warnings,
  };
}

/** A change that nothing was done about: a person's step, or one of a run that did not begin. */
function untouched(change: Change, error: string | null = null): ChangeResult {
  const { address, action } = change;
  const warnings = action === 'manual' ? change.warnings : [];
  return {
    address,
    action,
    outcome: 'notAttempted',
    before: null,
    after: null,
    requests: [],
    error,
    warnings,
  };
}

function outcomeOf(changes: readonly ChangeResult[], isInterrupted: boolean): RunOutcome {
  const isLeft = changes.some(({ action, outcome }) => action !== 'manual' && outcome !== 'done');
  if (!isLeft) return 'done';
  return isInterrupted ? 'interrupted' : 'partial';
}

function resultOf(
  plan: Plan,
  run: Pick<Result, 'startedAt' | 'endedAt' | 'outcome' | 'changes'> & { reasons: readonly Diagnostic[] },
): Result {
  const { reasons, ...rest } = run;
  const counts = changeOutcomes.map((outcome): [ChangeOutcome, number] => [
    outcome,
    run.changes.filter((change) => change.outcome === outcome).length,
  ]);
  const count = (wanted: ChangeOutcome) => counts.find(([outcome]) => outcome === wanted)?.[1] ?? 0;
  return {
    formatVersion: resultFormat,
    planDigest: plan.digest,
    environment: plan.environment,
    tenant: plan.tenant,
    ...rest,
    summary: {
      done: count('done'),
      failed: count('failed'),
      skipped: count('skipped'),
      notAttempted: count('notAttempted'),
      unknown: count('unknown'),
    },
    ...(reasons.length > 0 ? { diagnostics: reasons } : {}),
  };
}
