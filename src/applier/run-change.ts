import { readableFields } from '../kinds/field.ts';
import type { Address } from '../model/address.ts';
import { failure } from '../model/failure.ts';
import type { LiveObject } from '../model/live.ts';
import { fillLive } from '../model/marker.ts';
import type { Request } from '../model/plan.ts';
import { valueAt } from '../model/pointer.ts';
import type { SentRequest } from '../model/result.ts';
import { begunResult } from './change-result.ts';
import { checkConvergence } from './convergence.ts';
import { type Exchange, exchange, lookUp } from './exchange.ts';
import { finderIn, type KindChange } from './find.ts';
import type { Task } from './preflight.ts';
import { type Ending, ending, type RunContext } from './run-context.ts';

/**
 * Makes one change, or several that share their only request. Never rejects: every failure is an ending. Halts the run
 * when it cannot continue, because the journal cannot be written.
 */
export async function runChange(tasks: readonly Task[], context: RunContext): Promise<Ending[]> {
  const { log } = context;
  try {
    return await sendAll(tasks, context);
  } catch (error) {
    context.halt();
    const message = error instanceof Error ? error.message : String(error);
    const outcome = log.length > 0 ? 'unknown' : 'failed';
    return tasks.map((task) => ending(task, outcome, log, { error: `The run cannot continue: ${message}` }));
  }
}

/** The objects of a unit as they were last seen. */
type Seen = ReadonlyMap<Address, LiveObject | null>;

async function sendAll(tasks: readonly Task[], context: RunContext): Promise<Ending[]> {
  const { log } = context;
  const [lead] = tasks;
  if (!lead) return [];
  const { address, requests } = lead.change;
  const isLeft = lead.from < requests.length && !context.isStopped();
  if (isLeft) await context.record.start(tasks.map(begunResult));
  let seen = new Map(tasks.map(({ change, live }) => [change.address, live]));
  let last: Exchange | null = null;
  for (const [index, planned] of requests.entries()) {
    if (index < lead.from) continue;
    if (context.isStopped()) return tasks.map((task) => endStopped(task, index, seen, log));
    const before = new Map([...seen].map(([name, live]) => [name, live?.fingerprint ?? null]));
    const request = fillLiveValues(lead, planned, seen.get(address) ?? null);
    last = await exchange({ tasks, request, index, before }, context);
    if (index === requests.length - 1) break;

    // A change of several requests is alone: only single requests are shared.
    if (last.replies.get(address)?.is !== 'accepted') break;
    const looked = last.state ? { state: last.state } : await lookUp(tasks, last.answer, context);
    if ('failed' in looked) {
      const error = `${sentSoFar(index + 1, requests.length)} ${looked.failed}`;
      return [ending(lead, 'failed', log, { error, live: null })];
    }
    seen = new Map([[address, finderIn(looked.state)(lead).live]]);
  }
  return endAll(tasks, seen, last, context);
}

/** The endings once the last request was sent, a request was not accepted, or none was left to send. */
async function endAll(
  tasks: readonly Task[],
  seen: Seen,
  last: Exchange | null,
  context: RunContext,
): Promise<Ending[]> {
  const { log } = context;
  const accepted = tasks.filter(({ change }) => !last || last.replies.get(change.address)?.is === 'accepted');
  const converged = await checkConvergence(accepted, last, context);
  const wasNeverSent = context.signal.aborted && last?.answer.outcome === 'unsent' && log.length <= 1;
  return tasks.map((task) => {
    const { address } = task.change;
    const end = converged.get(address);
    if (end) return end;
    const reply = last?.replies.get(address);
    const live = last?.state ? finderIn(last.state)(task).live : (seen.get(address) ?? null);
    const more = { error: reply?.remark ?? null, live };
    if (reply?.is !== 'rejected') return ending(task, 'unknown', log, more);
    // Ctrl-C while the first request was still waiting: the change was never started.
    return wasNeverSent ? ending(task, 'notAttempted', [], more) : ending(task, 'failed', log, more);
  });
}

function endStopped(task: Task, index: number, seen: Seen, log: readonly SentRequest[]): Ending {
  const live = seen.get(task.change.address) ?? null;
  if (index === task.from) return ending(task, 'notAttempted', log, { live });
  const error = `${sentSoFar(index, task.change.requests.length)} Then the run was stopped.`;
  return ending(task, 'failed', log, { error, live });
}

function sentSoFar(sent: number, count: number): string {
  return `${sent} of ${count} requests were sent; apply the same plan again to finish.`;
}

/**
 * The request with the values that stay as they are. A plan never holds them; they come from the object as it was just
 * read. Throws a Failure for a place that the object does not have: tenantctl makes no such plan.
 */
function fillLiveValues({ kind, change }: KindChange, request: Request, live: LiveObject | null): Request {
  const fields = readableFields(kind, live?.fields ?? {});
  const body = fillLive(request.body, (at) => {
    const value = valueAt(fields, at);
    if (value !== undefined) return value;
    throw failure('live-value-missing', `${change.address} has nothing at ${JSON.stringify(at)}.`);
  });
  return { ...request, body };
}
