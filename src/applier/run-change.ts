import type { Sent } from '../client/answer.ts';
import type { Conclusion } from '../generated/schemas/journalRecord.ts';
import { readableFields } from '../kinds/field.ts';
import { deniesSuccess, isInconclusive } from '../kinds/http.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { fieldSays } from '../kinds/places.ts';
import type { Address } from '../model/address.ts';
import { isRepeatable, type Request, type SentRequest, secretsSentBy } from '../model/documents.ts';
import { messageOf } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { markersIn } from '../model/marker.ts';
import { type Pointer, topName, valueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { checkConvergence, endSeen, type Pending } from './awaiting.ts';
import { begunResult } from './change-result.ts';
import { type Finder, type KindChange, lookUntil, lookUp, type Task } from './find.ts';
import { mostReads, untilOf } from './freshness.ts';
import { type Ending, ending, fillFrom, type Run } from './run.ts';
import { foreignDifferences, judgeEffect, setBackBy } from './verify.ts';

/**
 * Makes one change, or several that share their only request. Outcomes that no answer shows stay pending. Never rejects; halts
 * the run when the journal cannot be written. `notAfter`: when the objects were read too long ago (`null`: never); the result
 * is `null` if that was before the first request. `sent`: what was sent for them before.
 */
export async function runChange(
  tasks: readonly Task[],
  notAfter: number | null,
  run: Run,
  sent: readonly SentRequest[] = [],
): Promise<readonly (Ending | Pending)[] | null> {
  const log = [...sent];
  try {
    return await sendAll(tasks, notAfter, log, run);
  } catch (error) {
    run.halt();
    const why = `The run cannot continue: ${messageOf(error)}`;
    return tasks.map((task) => ending(task, log.length > 0 ? 'unknown' : 'failed', log, { error: why }));
  }
}

async function sendAll(
  tasks: readonly Task[],
  notAfter: number | null,
  log: SentRequest[],
  run: Run,
): Promise<readonly (Ending | Pending)[] | null> {
  const [lead] = tasks;
  if (!lead) return [];
  const { requests } = lead.change;
  if (lead.from < requests.length && !run.stopped.aborted) await run.record.start(tasks.map(begunResult));
  // A change of several requests is alone: only single requests are shared.
  let live = lead.live;
  const seen = (task: Task) => (task === lead ? live : task.live);
  let last: Exchange | null = null;
  for (const [index, planned] of requests.entries()) {
    if (index < lead.from) continue;
    if (run.stopped.aborted) return tasks.map((task) => endStopped(task, index, seen(task), log));
    const before = new Map(tasks.map((task) => [task.change.address, seen(task)?.fingerprint() ?? null]));
    const request = fillFrom(live, lead, planned);
    const isFirst = index === lead.from;
    last = await exchange({ tasks, request, index, before, notAfter: isFirst ? notAfter : null }, log, run);
    const [reply] = last.replies;
    if (isFirst && isOutdated(last.answer) && reply?.is === 'rejected') return null;
    if (index === requests.length - 1 || reply?.is !== 'accepted') break;
    const looked = await lookUntilShown(lead, last, run);
    if ('failed' in looked) {
      const error = `${sentSoFar(index + 1, requests.length)} ${looked.failed}`;
      return [ending(lead, 'failed', log, { error, live: null })];
    }
    live = looked.find(lead).live;
    const changed = whatChanged(lead, index + 1, live, run);
    if (changed) return [ending(lead, 'failed', log, changed)];
  }
  // An earlier run may have sent all of them.
  const replies = last?.replies ?? tasks.map(sentBefore);
  const ends = replies.map((reply) => {
    const shown = last?.find ? last.find(reply.task).live : seen(reply.task);
    return endReply(reply, last, { live: shown, log }, run);
  });
  return Promise.all(ends);
}

/** Looks until a replacement's old object is gone, or a new object is there: the next request needs that. */
async function lookUntilShown(task: Task, { find, answer, until, step }: Exchange, run: Run) {
  if (find) return { find };
  const isDelete = step.request.method === 'DELETE';
  return lookUntil(
    () => lookUpAfter(answer, [task], run),
    (found) => {
      const isThere = 'find' in found && found.find(task).live !== null;
      const isShown = task.change.risk.includes('replace')
        ? isThere !== isDelete
        : isThere || task.change.action !== 'create';
      return 'failed' in found || isShown ? 0 : until - run.clock.now();
    },
    run,
  );
}

async function endReply(
  { task, is, remark }: Reply,
  last: Exchange | null,
  { live, log }: Pick<Ending, 'live'> & Pick<Pending, 'log'>,
  run: Run,
): Promise<Ending | Pending> {
  if (is === 'accepted') return checkConvergence(task, last, { remark, log }, run);
  if (is === 'open' && last) return waitForEffect(task, last, log, run);
  // Ctrl-C while the first request was still waiting: the change was never started.
  const wasNeverSent = run.signal.aborted && last?.answer.outcome === 'unsent' && log.length <= 1;
  if (wasNeverSent && is === 'rejected') return ending(task, 'notAttempted', [], { error: remark, live });
  return ending(task, is === 'rejected' ? 'failed' : 'unknown', log, { error: remark, live });
}

function endStopped(task: Task, index: number, live: LiveObject | null, log: readonly SentRequest[]): Ending {
  // Requests that an earlier run sent count: the object is half changed, and a rollback has to see that.
  if (index === 0) return ending(task, 'notAttempted', log, { live });
  const error = `${sentSoFar(index, task.change.requests.length)} Then the run was stopped.`;
  return ending(task, 'failed', log, { error, live });
}

/** Edits by others after some of its requests; `null` if there were none. */
function whatChanged(task: Task, sent: number, live: LiveObject | null, run: Run) {
  const { action, requests, risk } = task.change;
  const isReplaced = risk.includes('replace');
  const stopped = (why: string) => ({ error: `${sentSoFar(sent, requests.length)} ${why}`, live });
  if (isReplaced && requests[sent - 1]?.method === 'DELETE')
    return live && stopped('The object still exists.');
  if (!live && (isReplaced || action === 'create'))
    return stopped(
      'The tenant does not show the new object yet: if it often takes so long, raise `limits.settle`.',
    );
  const changed = (what: string, unmet: readonly Pointer[]) => {
    const begun = `${sent} of ${requests.length} requests were sent. Then somebody changed the object`;
    return { error: `${begun}: ${what}. Make a new plan.`, live, unmet };
  };
  if (!live) return changed('it no longer exists', []);
  // Only values that the remaining requests would overwrite count: the tenant may have rewritten earlier ones.
  const open = requests.slice(sent);
  const left = fieldsWritten(open, task, live, run.settings);
  const foreign = foreignDifferences(task, live, run.secrets).filter((path) => left.has(topName(path)));
  const fields = readableFields(task.kind, live.fields);
  // What only the tenant sets is also the tenant's to remove.
  const isKept = (at: Pointer) => {
    const field = get(task.kind.fields, topName(at));
    return field !== undefined && !fieldSays(field, at, 'serverOwned', 'minted');
  };
  const kept = open.flatMap(({ body }) => markersIn(body, '$live').filter(isKept));
  const gone = kept.filter((at) => valueAt(fields, at) === undefined);
  const unmet = [...new Set([...foreign, ...gone, ...setBackBy(open, task, live)])];
  return unmet.length === 0 ? null : changed(`${unmet.join(', ')} is different now`, unmet);
}

/** The fields that these requests of an update write: those for which the kind makes one of the same calls. */
function fieldsWritten(
  requests: readonly Request[],
  { kind, change: { key, declared, diff } }: KindChange,
  live: LiveObject,
  settings: ApiSettings,
): ReadonlySet<string> {
  const fields = { ...readableFields(kind, live.fields), ...(declared ?? {}) };
  const names = [...new Set(diff.map(({ path }) => topName(path)))];
  const written = names.filter((name) => {
    const write = kind.write.update({ key, fields, changed: new Set([name]), live, settings });
    const calls = 'requests' in write ? write.requests : [];
    return calls.some((call) =>
      requests.some(({ method, path }) => call.method === method && call.path === path),
    );
  });
  return new Set(written);
}

function sentSoFar(sent: number, count: number): string {
  return `${sent} of ${count} requests were sent; apply the same plan again to finish.`;
}

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
interface Reply {
  readonly task: Task;
  readonly is: 'accepted' | 'rejected' | 'unknown' | 'open';
  readonly remark: string | null;
}

interface Exchange {
  readonly step: Step;
  readonly answer: Sent;
  /** Until when the tenant may take to show an effect. */
  readonly until: number;
  readonly replies: readonly Reply[];
  readonly find: Finder | null;
}

/** A request without a clear answer is sent once more at most, and only after its object was looked up. */
const maxSends = 2;

/**
 * Records the request before and after, and looks its objects up if the answer does not show the outcome (design, section 6).
 * `log` receives every request at once, so that it is known even if a later step throws.
 */
async function exchange(step: Step, log: SentRequest[], run: Run): Promise<Exchange> {
  const { tasks } = step;
  const { clock } = run;
  let { notAfter } = step;
  let sends = 0;
  for (let looks = 1; ; looks++) {
    const { verdict, ...sent } = await sendRecorded({ ...step, notAfter }, sends > 0, log, run);
    const { answer, until } = sent;
    const allAre = (is: Reply['is'], remarkOn: (task: Task) => string | null) => {
      return { ...sent, replies: tasks.map((task) => ({ task, is, remark: remarkOn(task) })), find: null };
    };
    if (verdict === 'done') return allAre('accepted', () => null);
    if (verdict === 'refused') return allAre('rejected', (task) => refusal(task, answer, run));

    if (!isOutdated(answer)) sends += 1;
    const isOpen =
      isOutdated(answer) ||
      answer.outcome === 'lost' ||
      (answer.outcome === 'answered' && isInconclusive(answer));
    const mayRepeat = sends < maxSends && isOpen && isSafeTwice(step);
    const lookedAt = clock.now();
    const looked = await lookForEffect(step, answer, mayRepeat ? 0 : until, run);
    const mayShowLater = () => isLast(step) && clock.now() < until;
    if ('failed' in looked) {
      // Concurrent writes can disturb the read of a list: the object is looked up again when they are done.
      const remark = `${run.describe(answer)} ${looked.failed}`;
      return allAre(mayShowLater() ? 'open' : 'unknown', () => remark);
    }
    const evidence = looked.found.map((each) => each.evidence);
    // A shared delete may have deleted only some of its objects.
    const isMissing = evidence.includes('notTaken') && !evidence.includes('unclear');
    if (!mayRepeat || run.signal.aborted || !isMissing) {
      const replies = looked.found.map(({ task, evidence: found }): Reply | Promise<Reply> => {
        if (found === 'notTaken' && mayShowLater()) return { task, is: 'open', remark: null };
        return concludeFrom(found, task, sent, run);
      });
      return { ...sent, replies: await Promise.all(replies), find: looked.find };
    }
    const limits = tasks.map((task) => untilOf(task, lookedAt, clock.now()));
    notAfter = looks < mostReads ? Math.min(...limits) : null;
  }
}

async function sendRecorded(step: Step, isRepetition: boolean, log: SentRequest[], run: Run) {
  const { tasks, request, index, before, notAfter } = step;
  const { method, path } = request;
  const { journal, port, clock, settle, settings, signal } = run;
  const [lane] = tasks.map(({ kind }) => kind.resource.lane(settings));
  if (!lane) throw new TypeError('A request makes at least one change.');
  await journal.append({ type: 'intent', at: run.now(), request: index, before: [...before] });
  const answer = await port.send({ ...request, lane }, { signal, notAfter }).catch((error): Sent => {
    const lost = { outcome: 'lost', reason: 'reset', detail: messageOf(error) } as const;
    return { ...lost, attempts: 1, ms: 0, trackingId: null, repeated: false };
  });
  const until = clock.now() + settle;
  const { attempts, ms, trackingId } = answer;
  const status = statusOf(answer);
  if (attempts > 0 && !isOutdated(answer)) log.push({ method, path, status, trackingId, attempts, ms });
  const verdict = verdictOf(request, answer, isRepetition);
  const changes = tasks.map(({ change }) => change.address);
  await journal.append({ type: 'result', at: run.now(), request: index, changes, verdict, status });
  return { step, answer, until, verdict };
}

/** Looks the objects up until the effect shows, if the change has another request to send. */
async function lookForEffect(step: Step, answer: Sent, until: number, run: Run) {
  return lookUntil(
    async () => {
      const looked = await lookUpAfter(answer, step.tasks, run);
      if ('failed' in looked) return looked;
      const { find } = looked;
      return {
        find,
        found: step.tasks.map((task) => ({
          task,
          evidence: judgeEffect(task, step, find(task), run.secrets),
        })),
      };
    },
    (looked) => {
      const isDecided = 'failed' in looked || looked.found.every(({ evidence }) => evidence !== 'notTaken');
      return isDecided || isLast(step) ? 0 : until - run.clock.now();
    },
    run,
  );
}

function lookUpAfter(answer: Sent, tasks: readonly Task[], run: Run) {
  const reasons = {
    answered: `the tenant answered ${statusOf(answer)}`,
    lost: 'the response was lost',
    unsent: 'an earlier attempt was not answered',
  };
  const why = reasons[answer.outcome];
  if (!run.signal.aborted) {
    for (const { change } of tasks) run.onEvent({ type: 'waiting', address: change.address, why });
  }
  return lookUp(tasks, run);
}

/** A refusal proves nothing if an earlier attempt may have been carried out. */
function verdictOf({ method }: Request, answer: Sent, isRepetition: boolean): Conclusion['verdict'] {
  const wasSentBefore = isRepetition || answer.repeated;
  switch (answer.outcome) {
    case 'answered':
      if (answer.status >= 200 && answer.status < 300) return deniesSuccess(answer) ? 'unclear' : 'done';
      if (isInconclusive(answer) || wasSentBefore) return 'unclear';
      return method === 'DELETE' && isGone(answer) ? 'unclear' : 'refused';
    case 'lost':
      return 'unclear';
    case 'unsent':
      return wasSentBefore ? 'unclear' : 'refused';
  }
}

const isGone = (answer: Sent) => [404, 410].includes(statusOf(answer) ?? 0);

/** Said of a delete, in place of a hint that the base URL may be wrong. */
export const goneBefore = 'It was already gone, so the tenant refused the request.';

function isOutdated(answer: Sent): boolean {
  return answer.outcome === 'unsent' && answer.reason === 'outdated';
}

function refusal({ kind, change }: Task, answer: Sent, { describe }: Run): string {
  const advice = change.action === 'delete' && kind.quirks?.sharedDelete?.ifRefused;
  return advice ? `${describe(answer)} ${advice}` : describe(answer);
}

const isLast = ({ tasks, index }: Step) => tasks.every(({ change }) => index >= change.requests.length - 1);

/** Whether the tenant may carry the request out twice, and show its effect later. A second create would often stay. */
function isSafeTwice(step: Step): boolean {
  const { tasks, request } = step;
  return tasks.every(({ kind, change }) => {
    if (isMaking(step, change)) return kind.can.create !== 'duplicates';
    const isReplacing = request.method === 'POST' && kind.can.create === 'replaces';
    return change.action === 'delete' || isRepeatable(request) || isReplacing;
  });
}

/** Further requests of a create change the object that the first one made. */
const isMaking = ({ before }: Step, { action, address }: Task['change']) =>
  action === 'create' && (before.get(address) ?? null) === null;

async function concludeFrom(
  evidence: ReturnType<typeof judgeEffect>,
  task: Task,
  { step, answer }: Pick<Exchange, 'step' | 'answer'>,
  { journal, now, describe }: Run,
): Promise<Reply> {
  const { method, path } = step.request;
  const description = describe(answer);
  if (evidence === 'taken') {
    const known = { changes: [task.change.address], verdict: 'done', status: statusOf(answer) } as const;
    await journal.append({ type: 'result', at: now(), request: step.index, ...known });
    const isDelete = task.change.action === 'delete';
    const shown = isDelete ? 'that the object is gone' : 'the object as planned';
    const proof = `${method} ${path} was not confirmed. ${description} A fresh read shows ${shown}.`;
    return { task, is: 'accepted', remark: isDelete && isGone(answer) ? goneBefore : proof };
  }
  if (evidence === 'unclear') {
    const remark = `${description} A fresh read shows neither the previous nor the planned state.`;
    return { task, is: 'unknown', remark };
  }
  if (answer.outcome === 'answered' && isSafeTwice(step))
    return { task, is: 'rejected', remark: description };
  const advice = isSafeTwice(step) ? '' : ' The request was not sent again: it could take effect twice.';
  const seen = isMaking(step, task.change) ? 'did not find the object' : 'shows it unchanged';
  return { task, is: 'unknown', remark: `${description} A fresh read ${seen}.${advice}` };
}

const statusOf = (answer: Sent): number | null => (answer.outcome === 'answered' ? answer.status : null);

/** A change whose last request was not answered, and has not shown an effect yet. */
function waitForEffect(task: Task, last: Exchange, log: readonly SentRequest[], run: Run): Pending {
  const { step, answer, until } = last;
  return {
    task,
    log,
    until,
    isUncertain: true,
    isFinal: (found) => judgeEffect(task, step, found, run.secrets) !== 'notTaken',
    async end(seen) {
      if ('failed' in seen)
        return ending(task, 'unknown', log, { error: `${run.describe(answer)} ${seen.failed}` });
      const evidence = judgeEffect(task, step, seen, run.secrets);
      const { is, remark } = await concludeFrom(evidence, task, last, run);
      if (is === 'accepted') return endSeen(task, seen, { remark, log }, run);
      return ending(task, is === 'rejected' ? 'failed' : 'unknown', log, { error: remark, live: seen.live });
    },
  };
}

/** An earlier run sent the secrets of that time, and no read shows whether they have changed. */
function sentBefore(task: Task): Reply {
  const names = secretsSentBy(task.change);
  if (names.length === 0) return { task, is: 'accepted', remark: null };
  const what = `An earlier run of this plan wrote it, with the secrets of that time (${names.join(', ')}).`;
  const remark = `${what} If they have changed, make a new plan with --rotate ${task.change.address}.`;
  return { task, is: 'accepted', remark };
}
