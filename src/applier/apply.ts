import type { Sent } from '../client/answer.ts';
import { kinds as allKinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { canonicalJson } from '../model/json.ts';
import type { TenantState } from '../model/live.ts';
import type { Plan, Request } from '../model/plan.ts';
import type { ChangeResult, Result, RunOutcome } from '../model/result.ts';
import type { ApiSettings } from '../model/settings.ts';
import { changeResult, notAttempted, planResult } from './change-result.ts';
import { type KindChange, readRequestsFor } from './find.ts';
import type { Journal } from './journal.ts';
import { checkLive, checkPlan, type Task, withKinds } from './preflight.ts';
import type { ResultRecorder } from './result-file.ts';
import { runChange } from './run-change.ts';
import { type ApplyEvent, type Ending, ending, type TenantPort } from './run-context.ts';

export interface ApplyOptions {
  /** The environment that the plan has to be for. */
  readonly environment: string;
  readonly settings: ApiSettings;
  /** The journal of this plan. The run closes it, and ends it when every change is done. */
  readonly journal: Journal;
  /** Ctrl-C: requests in flight finish, nothing new starts. */
  readonly signal?: AbortSignal;
  /** After a failure nothing new starts. */
  readonly failFast?: boolean;
  /** How many changes run at once. */
  readonly concurrency: number;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly now: () => Date;
  /** Describes an answer that is not a success, safe to print. */
  readonly describe: (sent: Sent) => string;
  readonly kinds?: readonly Kind[];
  /** Where changes are written down as they begin and end. */
  readonly record?: ResultRecorder;
}

/**
 * Applies a plan: checks that it still holds, sends its requests in order, and returns the outcome of every change
 * (design, section 6). A plan that does not hold gives a result `refused`, with nothing written. Later failures of the
 * tenant are in the result. Rejects, with a Failure, only where the tenant cannot be read before the first change.
 */
export async function applyPlan(plan: Plan, port: TenantPort, options: ApplyOptions): Promise<Result> {
  const { kinds = allKinds, failFast = false, onEvent = () => {}, record = nowhere } = options;
  const { signal = new AbortController().signal } = options;
  const now = () => options.now().toISOString();
  try {
    return await applyWith(plan, { ...options, port, kinds, failFast, onEvent, signal, now, record });
  } finally {
    await options.journal.close();
  }
}

const nowhere: ResultRecorder = { async start() {}, finish() {} };

/** The options with their defaults. */
interface Run extends Omit<Required<ApplyOptions>, 'now'> {
  readonly port: TenantPort;
  readonly now: () => string;
}

async function applyWith(plan: Plan, run: Run): Promise<Result> {
  const { environment, settings, journal, kinds, signal, now, onEvent } = run;
  const { tenant } = run.port;
  const startedAt = now();
  const end = (outcome: RunOutcome, changes: readonly ChangeResult[], reasons: readonly Diagnostic[] = []) =>
    planResult(plan, { startedAt, endedAt: now(), outcome, changes }, reasons);
  const endBefore = (outcome: RunOutcome, reasons: readonly Diagnostic[] = []) => {
    const messages = new Map(reasons.map(({ address, message }) => [address, message]));
    const changes = plan.changes.map((change) => notAttempted(change, messages.get(change.address) ?? null));
    return end(outcome, changes, reasons);
  };

  const wrong = checkPlan(plan, { environment, tenant, settings, kinds });
  if (wrong.length > 0) {
    const changes = plan.changes.map((change) => notAttempted(change));
    return end('refused', changes, wrong);
  }

  // A manual change writes nothing, so it cannot be stale.
  const writing = plan.changes.filter(({ action }) => action !== 'manual');
  const entries = withKinds(writing, kinds);
  onEvent({ type: 'checking', objects: entries.length });
  const state = await readUnlessAborted(entries, run);
  if (!state) return endBefore('interrupted');
  const { tasks, stale } = checkLive(entries, state, run);
  if (stale.length > 0) return endBefore('refused', stale);
  onEvent({ type: 'checked', changes: tasks.length, resumed: tasks.filter(({ resumed }) => resumed).length });

  const results = await runAll(tasks, run);
  const changes = plan.changes.map((change) => results.get(change.address) ?? notAttempted(change));
  const outcome = outcomeOf(changes, signal.aborted);
  if (outcome === 'done') await journal.finish(now());
  return end(outcome, changes);
}

async function readUnlessAborted(
  entries: readonly KindChange[],
  { port, signal }: Run,
): Promise<TenantState | null> {
  if (entries.length === 0) return { tenant: port.tenant, objects: [], defaults: [] };
  try {
    const state = signal.aborted ? null : await port.read(readRequestsFor(entries));
    return signal.aborted ? null : state;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

async function runAll(tasks: readonly Task[], run: Run): Promise<ReadonlyMap<Address, ChangeResult>> {
  const { onEvent, signal } = run;
  const results = new Map<Address, ChangeResult>();
  let isHalted = false;
  const halt = () => {
    isHalted = true;
  };
  const isStopped = () => isHalted || signal.aborted;
  const finish = (end: Ending) => {
    const result = changeResult(end);
    results.set(result.address, result);
    run.record.finish(result);
    if (run.failFast && (result.outcome === 'failed' || result.outcome === 'unknown')) halt();
    onEvent({ type: 'finished', result, finished: results.size, total: tasks.length });
  };
  const levels = levelsOf(tasks, run.kinds);
  const isDone = ({ units }: Level) =>
    units.flat().every(({ change }) => results.get(change.address)?.outcome === 'done');
  for (const level of levels) {
    const isHeldBack =
      level.deletes && !isStopped() && levels.some((other) => !other.deletes && !isDone(other));
    await runConcurrently(level.units, run.concurrency, async (unit) => {
      const isLeft = unit.some((task) => task.from < task.change.requests.length);
      if (isHeldBack && isLeft) {
        const error = 'Deletes are made only after every other change has succeeded.';
        for (const task of unit) finish(ending(task, 'skipped', [], { error }));
        return;
      }
      if (isLeft && !isStopped()) {
        for (const { change } of unit) {
          onEvent({ type: 'started', address: change.address, action: change.action });
        }
      }
      for (const end of await runChange(unit, { ...run, isStopped, halt, log: [] })) finish(end);
    });
  }
  return results;
}

function outcomeOf(changes: readonly ChangeResult[], isInterrupted: boolean): RunOutcome {
  const isLeft = changes.some(({ action, outcome }) => action !== 'manual' && outcome !== 'done');
  if (!isLeft) return 'done';
  return isInterrupted ? 'interrupted' : 'partial';
}

/** Changes that may be made at the same time, in units that are sent together. */
interface Level {
  readonly deletes: boolean;
  readonly units: readonly (readonly Task[])[];
}

/** The order of an apply: creates and updates kind by kind in the order of `kinds`, then deletes in reverse. */
function levelsOf(tasks: readonly Task[], kinds: readonly Kind[]): Level[] {
  const level = (deletes: boolean) => (kind: Kind) => ({
    deletes,
    units: unitsOf(
      tasks.filter((task) => task.kind === kind && (task.change.action === 'delete') === deletes),
    ),
  });
  const all = [...kinds.map(level(false)), ...kinds.toReversed().map(level(true))];
  return all.filter(({ units }) => units.length > 0);
}

/** Changes with the same single request are one unit: it is sent once, and they share its answer. */
function unitsOf(tasks: readonly Task[]): Task[][] {
  const units = new Map<string, Task[]>();
  for (const task of tasks) {
    const [request, ...more] = task.change.requests;
    const isShared = request !== undefined && more.length === 0 && task.from === 0;
    const name = isShared ? contentOf(request) : task.change.address;
    units.set(name, [...(units.get(name) ?? []), task]);
  }
  return [...units.values()];
}

function contentOf({ method, path, query, body }: Request): string {
  return canonicalJson([method, path, query, body]);
}

/** Does `work` for every item, at most `limit` at once, and starts them in order. */
async function runConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, worker));
}
