import type { Sent } from '../client/answer.ts';
import type { Address } from '../model/address.ts';
import type { TenantState } from '../model/live.ts';
import type { Request } from '../model/plan.ts';
import type { SentRequest } from '../model/result.ts';
import { finderIn, readRequestsFor } from './find.ts';
import type { Verdict } from './journal-records.ts';
import type { Task } from './preflight.ts';
import { type Evidence, judgeEffect } from './readiness.ts';
import type { RunContext } from './run-context.ts';

/** One request of a change, or of several changes that share it. */
export interface Step {
  readonly tasks: readonly Task[];
  readonly request: Request;
  /** The number of the request in its change, from 0. */
  readonly index: number;
  /** The fingerprints of the objects just before; `null` for an object that does not exist. */
  readonly before: ReadonlyMap<Address, string | null>;
}

/** The outcome of a request for one of its changes. */
interface Reply {
  readonly is: 'accepted' | 'rejected' | 'unknown';
  /** Why it is not accepted, or how that is known. */
  readonly remark: string | null;
}

export interface Exchange {
  readonly answer: Sent;
  readonly replies: ReadonlyMap<Address, Reply>;
  /** The objects after the request, where they were looked up. */
  readonly state: TenantState | null;
}

/** A request without a clear answer is sent once more at most, and only after its object was looked up. */
const maxSends = 2;

/**
 * Sends a request and determines its outcome: recorded in the journal before and after, and looked up by key where the
 * answer does not show it (design, section 6).
 */
export async function exchange(step: Step, context: RunContext): Promise<Exchange> {
  const { tasks, request, index, before } = step;
  const { journal, log } = context;
  const changes = tasks.map(({ change }) => change.address);
  for (let count = 1; ; count++) {
    await journal.intend(index, before, context.now());
    const answer = await send(request, context);
    const status = statusOf(answer);
    if (answer.attempts > 0) log.push(sentRequest(request, answer));
    const verdict = verdictOf(request, answer, count > 1);
    await journal.conclude(index, { changes, verdict, status }, context.now());
    if (verdict !== 'unclear')
      return { answer, replies: clearReplies(step, verdict, answer, context), state: null };

    const looked = await lookUp(tasks, answer, context);
    if ('failed' in looked) {
      const reply: Reply = { is: 'unknown', remark: `${context.describe(answer)} ${looked.failed}` };
      return { answer, replies: new Map(changes.map((address) => [address, reply])), state: null };
    }
    const evidence = collectEvidence(step, looked.state);
    if (count < maxSends && !context.signal.aborted && mayRepeat(tasks, answer, evidence)) continue;
    await recordEvidence(index, evidence, answer, context);
    const replies = new Map<Address, Reply>();
    for (const [address, found] of evidence) replies.set(address, replyOf(request, answer, found, context));
    return { answer, replies, state: looked.state };
  }
}

/**
 * Reads the objects of these changes again. Never rejects: a failure is returned as text.
 *
 * @param written whether their last write was accepted, so that only its effect is of interest
 */
export async function lookUp(
  tasks: readonly Task[],
  answer: Sent,
  context: RunContext,
  written = false,
): Promise<{ state: TenantState } | { failed: string }> {
  if (context.signal.aborted)
    return { failed: 'The run was interrupted before the object could be looked up.' };
  for (const { change } of tasks) {
    context.onEvent({ type: 'waiting', address: change.address, why: reasonToLookUp(answer) });
  }
  try {
    return { state: await context.port.read(readRequestsFor(tasks, written)) };
  } catch (error) {
    return { failed: `The object could not be looked up: ${messageOf(error)}` };
  }
}

async function send(request: Request, { port, signal }: RunContext): Promise<Sent> {
  try {
    return await port.send(request, { signal });
  } catch (error) {
    const lost = { outcome: 'lost', reason: 'reset', detail: messageOf(error) } as const;
    return { ...lost, attempts: 1, ms: 0, trackingId: null, repeated: false };
  }
}

/** A refusal proves nothing if the same request may have been carried out before it. */
function verdictOf({ method }: Request, answer: Sent, isRepetition: boolean): Verdict {
  const wasSentBefore = isRepetition || answer.repeated;
  switch (answer.outcome) {
    case 'answered':
      if (isSuccess(answer)) return 'done';
      if (answer.status >= 500 || wasSentBefore) return 'unclear';
      return method === 'DELETE' && [404, 410].includes(answer.status) ? 'unclear' : 'refused';
    case 'lost':
      return 'unclear';
    case 'unsent':
      return wasSentBefore ? 'unclear' : 'refused';
  }
}

function collectEvidence({ tasks, index, before }: Step, state: TenantState): Map<Address, Evidence> {
  const find = finderIn(state);
  return new Map(
    tasks.map((task): [Address, Evidence] => {
      const { address } = task.change;
      const { live, others } = find(task);
      const isAmbiguous = others.length > 0;
      return [address, isAmbiguous ? 'unclear' : judgeEffect(task, index, before.get(address) ?? null, live)];
    }),
  );
}

/** Whether to send again: after silence or a server error, if it had no effect, or if it deletes several objects. */
function mayRepeat(tasks: readonly Task[], answer: Sent, evidence: ReadonlyMap<Address, Evidence>): boolean {
  if (answer.outcome === 'unsent' || (answer.outcome === 'answered' && answer.status < 500)) return false;
  const found = [...evidence.values()];
  if (!found.includes('notTaken') || found.includes('unclear')) return false;
  return !found.includes('taken') || tasks.every(({ change }) => change.action === 'delete');
}

async function recordEvidence(
  index: number,
  evidence: ReadonlyMap<Address, Evidence>,
  answer: Sent,
  { journal, now }: RunContext,
): Promise<void> {
  const status = statusOf(answer);
  const record = async (wanted: Evidence, verdict: Verdict) => {
    const changes = [...evidence].filter(([, found]) => found === wanted).map(([address]) => address);
    if (changes.length > 0) await journal.conclude(index, { changes, verdict, status }, now());
  };
  await record('taken', 'done');
  if (answer.outcome === 'answered') await record('notTaken', 'refused');
}

function replyOf(request: Request, answer: Sent, evidence: Evidence, context: RunContext): Reply {
  const description = context.describe(answer);
  switch (evidence) {
    case 'taken': {
      const remark = `${request.method} ${request.path} was not confirmed (${description}); the object was looked up and is as planned.`;
      return { is: 'accepted', remark };
    }
    case 'notTaken':
      if (answer.outcome === 'answered') return { is: 'rejected', remark: description };
      return { is: 'unknown', remark: `${description} The object was looked up and is as before.` };
    case 'unclear': {
      const remark = `${description} The object was looked up and is neither as before nor as planned.`;
      return { is: 'unknown', remark };
    }
  }
}

function clearReplies(
  { tasks, request }: Step,
  verdict: 'done' | 'refused',
  answer: Sent,
  context: RunContext,
): Map<Address, Reply> {
  return new Map(
    tasks.map(({ kind, change }): [Address, Reply] => {
      if (verdict === 'done') return [change.address, { is: 'accepted', remark: null }];
      const advice = kind.refusalAdvice?.(request);
      const remark = [context.describe(answer), ...(advice ? [advice] : [])].join(' ');
      return [change.address, { is: 'rejected', remark }];
    }),
  );
}

function sentRequest({ method, path }: Request, answer: Sent): SentRequest {
  const { attempts, ms, trackingId } = answer;
  return { method, path, status: statusOf(answer), trackingId, attempts, ms };
}

const statusOf = (answer: Sent): number | null => (answer.outcome === 'answered' ? answer.status : null);
const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

function reasonToLookUp(answer: Sent): string {
  switch (answer.outcome) {
    case 'answered':
      return `the tenant answered ${answer.status}`;
    case 'lost':
      return 'the answer was lost';
    case 'unsent':
      return 'an earlier attempt was not answered';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
