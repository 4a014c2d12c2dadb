import type { Sent } from '../client/answer.ts';
import { deniesSuccess, isInconclusive } from '../kinds/http.ts';
import type { Address } from '../model/address.ts';
import { messageOf } from '../model/failure.ts';
import type { Request } from '../model/plan.ts';
import type { SentRequest } from '../model/result.ts';
import type { Finder } from './find.ts';
import type { Verdict } from './journal-records.ts';
import { type Looked, lookUntil, lookUp } from './look-until.ts';
import type { Task } from './preflight.ts';
import type { Evidence } from './readiness.ts';
import type { ChangeContext, RunContext } from './run-context.ts';
import { mostReads, untilOf } from './sightings.ts';
import { concludeFrom, evidenceOf, isLast, isSafeTwice, type Reply, type Step, statusOf } from './step.ts';

/** A request that was sent, and its answer. */
interface Answered {
  readonly step: Step;
  readonly answer: Sent;
  /** Until when the tenant may take to show an effect. */
  readonly until: number;
}

/** An answered request, and what it means for each of its changes. */
export interface Exchange extends Answered {
  readonly replies: ReadonlyMap<Address, Reply>;
  /** Finds the objects after the request, where they were looked up. */
  readonly find: Finder | null;
}

/** A request without a clear answer is sent once more at most, and only after its object was looked up. */
const maxSends = 2;

/**
 * Sends a request and determines its outcome: recorded in the journal before and after, and looked up by key where the
 * answer does not show it (design, section 6). A repetition relies on that look.
 */
export async function exchange(step: Step, context: ChangeContext): Promise<Exchange> {
  const { tasks } = step;
  const { clock } = context;
  let { notAfter } = step;
  let sends = 0;
  for (let looks = 1; ; looks++) {
    const { verdict, ...answered } = await sendRecorded({ ...step, notAfter }, sends > 0, context);
    if (verdict !== 'unclear')
      return { ...answered, replies: clearReplies(answered, verdict, context), find: null };

    const { answer, until } = answered;
    if (!isOutdated(answer)) sends += 1;
    const isOpen = isOutdated(answer) || isWithoutAnswer(answer);
    const mayRepeat = sends < maxSends && isOpen && isSafeTwice(step);
    const lookedAt = clock.now();
    const looked = await lookForEffect(step, answer, mayRepeat ? 0 : until, context);
    if ('failed' in looked) {
      // Others write meanwhile, which can disturb the read of a list: it is looked up again when they are done.
      const is = isLast(step) && clock.now() < until ? 'open' : 'unknown';
      const reply: Reply = { is, remark: `${context.describe(answer)} ${looked.failed}` };
      return {
        ...answered,
        replies: new Map(tasks.map(({ change }) => [change.address, reply])),
        find: null,
      };
    }
    const { evidence, find } = looked;
    if (!mayRepeat || context.signal.aborted || !isMissing(evidence))
      return { ...answered, replies: await repliesBy(evidence, answered, context), find };
    const limits = tasks.map((task) => untilOf(task, lookedAt, clock.now()));
    notAfter = looks < mostReads ? Math.min(...limits) : null;
  }
}

/** Sends a request once. The journal has it before and after, and the log where it was sent. */
async function sendRecorded(
  step: Step,
  isRepetition: boolean,
  context: ChangeContext,
): Promise<Answered & { readonly verdict: Verdict }> {
  const { tasks, request, index, before } = step;
  const { journal, log, clock, settle } = context;
  await journal.intend(index, before, context.now());
  const answer = await send(step, context);
  const until = clock.now() + settle;
  if (answer.attempts > 0 && !isOutdated(answer)) log.push(sentRequest(request, answer));
  const verdict = verdictOf(request, answer, isRepetition);
  const changes = tasks.map(({ change }) => change.address);
  await journal.conclude(index, { changes, verdict, status: statusOf(answer) }, context.now());
  return { step, answer, until, verdict };
}

/** What the objects show of a request whose answer is not clear. */
async function repliesBy(
  evidence: ReadonlyMap<Address, Evidence>,
  { step, answer, until }: Answered,
  context: RunContext,
): Promise<Map<Address, Reply>> {
  const replies = new Map<Address, Reply>();
  for (const task of step.tasks) {
    const { address } = task.change;
    const found = evidence.get(address) ?? 'unclear';
    const isOpen = found === 'notTaken' && isLast(step) && context.clock.now() < until;
    const inference = { step, task, answer, evidence: found };
    replies.set(address, isOpen ? { is: 'open', remark: null } : await concludeFrom(inference, context));
  }
  return replies;
}

/**
 * Looks the objects up. Before the next request of a change, it has to be known whether this one was carried out: then
 * they are looked up until it shows.
 */
async function lookForEffect(
  step: Step,
  answer: Sent,
  until: number,
  context: RunContext,
): Promise<{ find: Finder; evidence: Map<Address, Evidence> } | { failed: string }> {
  const look = async () => {
    const looked = await lookUpAfter(answer, step.tasks, context);
    if ('failed' in looked) return looked;
    const { find } = looked;
    const evidence = step.tasks.map(
      (task) => [task.change.address, evidenceOf(step, task, find(task), context)] as const,
    );
    return { find, evidence: new Map(evidence) };
  };
  return lookUntil(
    look,
    (looked) => {
      const isDecided = 'failed' in looked || ![...looked.evidence.values()].includes('notTaken');
      return isDecided || isLast(step) ? 0 : until - context.clock.now();
    },
    context,
  );
}

/** Looks up what an answer does not show, and says so. */
export function lookUpAfter(answer: Sent, tasks: readonly Task[], context: RunContext): Promise<Looked> {
  const why = reasonToLookUp(answer);
  if (!context.signal.aborted) {
    for (const { change } of tasks) context.onEvent({ type: 'waiting', address: change.address, why });
  }
  return lookUp(tasks, context);
}

async function send({ tasks: [task], request, notAfter }: Step, context: RunContext): Promise<Sent> {
  const { port, signal, settings } = context;
  try {
    if (!task) throw new TypeError('A request makes one change at least.');
    return await port.send({ ...request, lane: task.kind.resource.lane(settings) }, { signal, notAfter });
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
      if (isSuccess(answer)) return deniesSuccess(answer) ? 'unclear' : 'done';
      if (isInconclusive(answer) || wasSentBefore) return 'unclear';
      return method === 'DELETE' && [404, 410].includes(answer.status) ? 'unclear' : 'refused';
    case 'lost':
      return 'unclear';
    case 'unsent':
      return wasSentBefore ? 'unclear' : 'refused';
  }
}

/** Whether the tenant neither accepted nor refused the request. */
function isWithoutAnswer(answer: Sent): boolean {
  return answer.outcome === 'lost' || (answer.outcome === 'answered' && isInconclusive(answer));
}

/** Whether the request had to wait until the read that it relies on was too old: it was not sent. */
export function isOutdated(answer: Sent): boolean {
  return answer.outcome === 'unsent' && answer.reason === 'outdated';
}

/** Whether the request had no effect, or deleted only some of its objects: no other request is shared. */
function isMissing(evidence: ReadonlyMap<Address, Evidence>): boolean {
  const found = [...evidence.values()];
  return found.includes('notTaken') && !found.includes('unclear');
}

function clearReplies(
  { step: { tasks }, answer }: Answered,
  verdict: 'done' | 'refused',
  context: RunContext,
): Map<Address, Reply> {
  return new Map(
    tasks.map(({ kind, change }): [Address, Reply] => {
      if (verdict === 'done') return [change.address, { is: 'accepted', remark: null }];
      const advice = change.action === 'delete' && kind.quirks?.sharedDelete?.ifRefused;
      const remark = [context.describe(answer), ...(advice ? [advice] : [])].join(' ');
      return [change.address, { is: 'rejected', remark }];
    }),
  );
}

function sentRequest({ method, path }: Request, answer: Sent): SentRequest {
  const { attempts, ms, trackingId } = answer;
  return { method, path, status: statusOf(answer), trackingId, attempts, ms };
}

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
