import type { Address } from '../model/address.ts';
import type { TenantState } from '../model/live.ts';
import type { Request } from '../model/plan.ts';
import type { SentRequest } from '../model/result.ts';
import { finderIn, touchedBy } from './find.ts';
import type { Verdict } from './journal-records.ts';
import type { Sent } from './port.ts';
import type { Room } from './room.ts';
import { type Evidence, judge } from './standing.ts';
import type { Task } from './verify.ts';

/** What became of one request for one of the changes that it serves. */
interface Reply {
  readonly is: 'accepted' | 'rejected' | 'unknown';
  /** Why it is not accepted, or how it is known to be. */
  readonly remark: string | null;
}

export interface Exchange {
  readonly answer: Sent;
  readonly replies: ReadonlyMap<Address, Reply>;
  /** The objects as they are after the request, where they were looked up. */
  readonly state: TenantState | null;
}

/** A request that no answer confirms is sent once more at most, and only after its object was looked up. */
const maxSends = 2;

/**
 * Sends one request and finds out what became of it: noted in the journal before and after, and looked up by key
 * where the answer does not tell (design, section 6).
 *
 * @param tasks the changes that the request serves
 * @param before the fingerprints of their objects just before
 * @param log every sending is added to it at once, so that it is known even when a later step throws
 */
export async function exchange(
  tasks: readonly Task[],
  request: Request,
  index: number,
  before: ReadonlyMap<Address, string | null>,
  room: Room,
  log: SentRequest[],
): Promise<Exchange> {
  const addresses = tasks.map(({ change }) => change.address);
  for (let count = 1; ; count++) {
    await room.journal.intend(index, before, room.now());
    const answer = await send(request, room);
    if (answer.attempts > 0) log.push(sentRequest(request, answer));
    const verdict = verdictOf(request, answer, count > 1);
    await room.journal.conclude(index, addresses, verdict, statusOf(answer), room.now());
    if (verdict !== 'unclear')
      return { answer, replies: repliesOf(tasks, request, verdict, answer, room), state: null };

    const looked = await lookUp(tasks, answer, room);
    if ('failed' in looked) {
      const remark = `${room.describe(answer)} ${looked.failed}`;
      return {
        answer,
        replies: new Map(addresses.map((address) => [address, { is: 'unknown', remark }])),
        state: null,
      };
    }
    const { state } = looked;
    const evidence = evidenceOf(tasks, index, before, state);
    if (count < maxSends && !room.signal.aborted && mayRepeat(tasks, answer, evidence)) continue;
    await noteEvidence(index, evidence, answer, room);
    const replies = addresses.map((address): [Address, Reply] => [
      address,
      replyOf(request, answer, evidence.get(address) ?? 'unclear', room),
    ]);
    return { answer, replies: new Map(replies), state };
  }
}

/**
 * Reads the objects of these changes again. Never rejects: what stands in the way is told.
 *
 * @param written whether their last write was accepted, so that nothing but its effect is asked for
 */
export async function lookUp(
  tasks: readonly Task[],
  answer: Sent,
  room: Room,
  written = false,
): Promise<{ state: TenantState } | { failed: string }> {
  if (room.signal.aborted) return { failed: 'The run was interrupted before the object could be looked up.' };
  for (const { change } of tasks) {
    room.onEvent({ type: 'waiting', address: change.address, why: whyLookUp(answer) });
  }
  try {
    return { state: await room.port.read(touchedBy(tasks).map((touched) => ({ ...touched, written }))) };
  } catch (error) {
    return { failed: `The object could not be looked up: ${messageOf(error)}` };
  }
}

async function send(request: Request, { port, signal }: Room): Promise<Sent> {
  try {
    return await port.send(request, { signal });
  } catch (error) {
    const detail = messageOf(error);
    return {
      outcome: 'lost',
      reason: 'reset',
      detail,
      attempts: 1,
      ms: 0,
      trackingId: null,
      repeated: false,
    };
  }
}

/** A refusal proves nothing when the same request may have been carried out before it. */
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

function evidenceOf(
  tasks: readonly Task[],
  index: number,
  before: ReadonlyMap<Address, string | null>,
  state: TenantState,
): Map<Address, Evidence> {
  const find = finderIn(state);
  const judged = tasks.map((task): [Address, Evidence] => {
    const { address } = task.change;
    const { live, others } = find(task);
    return [address, others.length > 0 ? 'unclear' : judge(task, index, before.get(address) ?? null, live)];
  });
  return new Map(judged);
}

/** Sending again helps after silence or a server's fault, when it took no effect, or it is a delete for several. */
function mayRepeat(tasks: readonly Task[], answer: Sent, evidence: ReadonlyMap<Address, Evidence>): boolean {
  if (answer.outcome === 'unsent' || (answer.outcome === 'answered' && answer.status < 500)) return false;
  const seen = [...evidence.values()];
  if (!seen.includes('notTaken') || seen.includes('unclear')) return false;
  return !seen.includes('taken') || tasks.every(({ change }) => change.action === 'delete');
}

async function noteEvidence(
  index: number,
  evidence: ReadonlyMap<Address, Evidence>,
  answer: Sent,
  room: Room,
): Promise<void> {
  const of = (wanted: Evidence) =>
    [...evidence].filter(([, seen]) => seen === wanted).map(([address]) => address);
  const taken = of('taken');
  const rejected = answer.outcome === 'answered' ? of('notTaken') : [];
  if (taken.length > 0) await room.journal.conclude(index, taken, 'done', statusOf(answer), room.now());
  if (rejected.length > 0)
    await room.journal.conclude(index, rejected, 'refused', statusOf(answer), room.now());
}

function replyOf(request: Request, answer: Sent, evidence: Evidence, room: Room): Reply {
  const said = room.describe(answer);
  switch (evidence) {
    case 'taken': {
      const remark = `${request.method} ${request.path} was not confirmed (${said}); the object was looked up and is as planned.`;
      return { is: 'accepted', remark };
    }
    case 'notTaken':
      if (answer.outcome === 'answered') return { is: 'rejected', remark: said };
      return { is: 'unknown', remark: `${said} The object was looked up and is as before.` };
    case 'unclear':
      return {
        is: 'unknown',
        remark: `${said} The object was looked up and is neither as before nor as planned.`,
      };
  }
}

function repliesOf(
  tasks: readonly Task[],
  request: Request,
  verdict: 'done' | 'refused',
  answer: Sent,
  room: Room,
): Map<Address, Reply> {
  return new Map(
    tasks.map(({ kind, change }): [Address, Reply] => {
      if (verdict === 'done') return [change.address, { is: 'accepted', remark: null }];
      const advice = kind.refusalAdvice?.(request);
      const remark = [room.describe(answer), ...(advice ? [advice] : [])].join(' ');
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

function whyLookUp(answer: Sent): string {
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
