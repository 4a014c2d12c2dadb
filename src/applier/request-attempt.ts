import type { Sent } from '../client/answer.ts';
import { deniesSuccess, isInconclusive } from '../kinds/http.ts';
import type { Address } from '../model/address.ts';
import { messageOf } from '../model/failure.ts';
import { isRepeatable, type Request } from '../model/plan.ts';
import type { SentRequest } from '../model/result.ts';
import { type Finder, type FoundObjects, type FreshObjects, lookUntil, lookUp, type Task } from './find.ts';
import { mostReads, untilOf } from './freshness.ts';
import type { Verdict } from './journal.ts';
import { type Evidence, judgeEffect } from './observed.ts';
import type { Run } from './run.ts';

/** One request of a change, or of several changes that share it. */
interface Step {
  readonly tasks: readonly Task[];
  readonly request: Request;
  /** The number of the request in its change, from 0. */
  readonly index: number;
  /** The fingerprints of the objects just before; `null` for an object that does not exist. */
  readonly before: ReadonlyMap<Address, string | null>;
  /** When the objects were read too long ago to rely on; `null`: never. In milliseconds since 1970. */
  readonly notAfter: number | null;
}

/** The outcome of a request for one of its changes. `open`: it may still show. */
interface StepOutcome {
  readonly is: 'accepted' | 'rejected' | 'unknown' | 'open';
  /** Why it is not accepted, or how that is known. */
  readonly remark: string | null;
}

interface AnsweredStep {
  readonly step: Step;
  readonly answer: Sent;
  /** Until when the tenant may take to show an effect. */
  readonly until: number;
}

/** An answered request, and what it means for each of its changes. */
export interface Exchange extends AnsweredStep {
  readonly replies: ReadonlyMap<Address, StepOutcome>;
  /** Finds the objects after the request, where they were looked up. */
  readonly find: Finder | null;
}

/** A request without a clear answer is sent once more at most, and only after its object was looked up. */
const maxSends = 2;

/**
 * Sends a request and determines its outcome: recorded in the journal before and after, and looked up by key where the
 * answer does not show it (design, section 6). A repetition relies on that look.
 *
 * @param log receives every request at once, so that it is known even if a later step throws
 */
export async function exchange(step: Step, log: SentRequest[], run: Run): Promise<Exchange> {
  const { tasks } = step;
  const { clock } = run;
  let { notAfter } = step;
  let sends = 0;
  for (let looks = 1; ; looks++) {
    const { verdict, ...answered } = await sendRecorded({ ...step, notAfter }, sends > 0, log, run);
    if (verdict !== 'unclear')
      return { ...answered, replies: clearReplies(answered, verdict, run), find: null };

    const { answer, until } = answered;
    if (!isOutdated(answer)) sends += 1;
    const isOpen =
      isOutdated(answer) ||
      answer.outcome === 'lost' ||
      (answer.outcome === 'answered' && isInconclusive(answer));
    const mayRepeat = sends < maxSends && isOpen && isSafeTwice(step);
    const lookedAt = clock.now();
    const looked = await lookForEffect(step, answer, mayRepeat ? 0 : until, run);
    if ('failed' in looked) {
      // Others write meanwhile, which can disturb the read of a list: it is looked up again when they are done.
      const is = isLast(step) && clock.now() < until ? 'open' : 'unknown';
      const reply: StepOutcome = { is, remark: `${run.describe(answer)} ${looked.failed}` };
      return {
        ...answered,
        replies: new Map(tasks.map(({ change }) => [change.address, reply])),
        find: null,
      };
    }
    const { evidence, find } = looked;
    if (!mayRepeat || run.signal.aborted || !isMissing(evidence))
      return { ...answered, replies: await repliesBy(evidence, answered, run), find };
    const limits = tasks.map((task) => untilOf(task, lookedAt, clock.now()));
    notAfter = looks < mostReads ? Math.min(...limits) : null;
  }
}

async function sendRecorded(
  step: Step,
  isRepetition: boolean,
  log: SentRequest[],
  run: Run,
): Promise<AnsweredStep & { readonly verdict: Verdict }> {
  const { tasks, request, index, before } = step;
  const { method, path } = request;
  const { journal, clock, settle } = run;
  await journal.intend(index, before, run.now());
  const answer = await send(step, run);
  const until = clock.now() + settle;
  const { attempts, ms, trackingId } = answer;
  const status = statusOf(answer);
  if (attempts > 0 && !isOutdated(answer)) log.push({ method, path, status, trackingId, attempts, ms });
  const verdict = verdictOf(request, answer, isRepetition);
  const changes = tasks.map(({ change }) => change.address);
  await journal.conclude(index, { changes, verdict, status }, run.now());
  return { step, answer, until, verdict };
}

async function repliesBy(
  evidence: ReadonlyMap<Address, Evidence>,
  answered: AnsweredStep,
  run: Run,
): Promise<Map<Address, StepOutcome>> {
  const { step, until } = answered;
  const replies = new Map<Address, StepOutcome>();
  for (const task of step.tasks) {
    const { address } = task.change;
    const found = evidence.get(address) ?? 'unclear';
    const isOpen = found === 'notTaken' && isLast(step) && run.clock.now() < until;
    const reply: StepOutcome = isOpen
      ? { is: 'open', remark: null }
      : await concludeFrom(found, task, answered, run);
    replies.set(address, reply);
  }
  return replies;
}

/** Looks the objects up until the effect shows, where the change has another request to send. */
async function lookForEffect(
  step: Step,
  answer: Sent,
  until: number,
  run: Run,
): Promise<{ find: Finder; evidence: Map<Address, Evidence> } | { failed: string }> {
  const look = async () => {
    const looked = await lookUpAfter(answer, step.tasks, run);
    if ('failed' in looked) return looked;
    const { find } = looked;
    const evidence = step.tasks.map(
      (task) => [task.change.address, evidenceOf(step, task, find(task), run)] as const,
    );
    return { find, evidence: new Map(evidence) };
  };
  return lookUntil(
    look,
    (looked) => {
      const isDecided = 'failed' in looked || ![...looked.evidence.values()].includes('notTaken');
      return isDecided || isLast(step) ? 0 : until - run.clock.now();
    },
    run,
  );
}

export function lookUpAfter(answer: Sent, tasks: readonly Task[], run: Run): Promise<FreshObjects> {
  const reasons = {
    answered: `the tenant answered ${statusOf(answer)}`,
    lost: 'the answer was lost',
    unsent: 'an earlier attempt was not answered',
  };
  const why = reasons[answer.outcome];
  if (!run.signal.aborted) {
    for (const { change } of tasks) run.onEvent({ type: 'waiting', address: change.address, why });
  }
  return lookUp(tasks, run);
}

async function send({ tasks: [task], request, notAfter }: Step, run: Run): Promise<Sent> {
  const { port, signal, settings } = run;
  try {
    if (!task) throw new TypeError('A request makes at least one change.');
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
  { step: { tasks }, answer }: AnsweredStep,
  verdict: 'done' | 'refused',
  run: Run,
): Map<Address, StepOutcome> {
  return new Map(
    tasks.map(({ kind, change }): [Address, StepOutcome] => {
      if (verdict === 'done') return [change.address, { is: 'accepted', remark: null }];
      const advice = change.action === 'delete' && kind.quirks?.sharedDelete?.ifRefused;
      const remark = [run.describe(answer), ...(advice ? [advice] : [])].join(' ');
      return [change.address, { is: 'rejected', remark }];
    }),
  );
}

const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

const isLast = ({ tasks, index }: Step) => tasks.every(({ change }) => index >= change.requests.length - 1);

/** Whether the tenant may carry the request out twice, and show its effect later. A second create would often stay. */
function isSafeTwice({ tasks, request }: Step): boolean {
  return tasks.every(({ kind, change }) => {
    if (change.action === 'create') return kind.can.create !== 'duplicates';
    const isReplacing = request.method === 'POST' && kind.can.create === 'replaces';
    return change.action !== 'update' || isRepeatable(request) || isReplacing;
  });
}

export function evidenceOf(
  { index, before }: Step,
  task: Task,
  { live, others }: FoundObjects,
  { secrets }: Pick<Run, 'secrets'>,
): Evidence {
  if (others.length > 0) return 'unclear';
  return judgeEffect(task, index, { before: before.get(task.change.address) ?? null, live }, secrets);
}

export async function concludeFrom(
  evidence: Evidence,
  task: Task,
  { step, answer }: AnsweredStep,
  { journal, now, describe }: Run,
): Promise<StepOutcome> {
  const { method, path } = step.request;
  const changes = [task.change.address];
  const record = (verdict: Verdict) =>
    journal.conclude(step.index, { changes, verdict, status: statusOf(answer) }, now());
  const description = describe(answer);
  if (evidence === 'taken') {
    await record('done');
    const remark = `${method} ${path} was not confirmed. ${description} The object, read again, is as planned.`;
    return { is: 'accepted', remark };
  }
  if (evidence === 'unclear') {
    const remark = `${description} The object, read again, is neither as before nor as planned.`;
    return { is: 'unknown', remark };
  }
  if (answer.outcome === 'answered' && isSafeTwice(step)) {
    await record('refused');
    return { is: 'rejected', remark: description };
  }
  const advice = isSafeTwice(step) ? '' : ' The request was not sent again: it could take effect twice.';
  return { is: 'unknown', remark: `${description} The object, read again, is unchanged.${advice}` };
}

const statusOf = (answer: Sent): number | null => (answer.outcome === 'answered' ? answer.status : null);
