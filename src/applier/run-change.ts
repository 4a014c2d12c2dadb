import { readableFields } from '../kinds/field.ts';
import { idText } from '../kinds/http.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf, liveObject, shownId } from '../kinds/live-objects.ts';
import { type Above, pathIds, placeBelow } from '../kinds/parents.ts';
import type { Address } from '../model/address.ts';
import { fail, messageOf } from '../model/failure.ts';
import { get, isObject, type Json } from '../model/json.ts';
import { fillLive } from '../model/marker.ts';
import { type Change, isReplacement, type Request, secretsSentBy } from '../model/plan.ts';
import { type Pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import type { SentRequest } from '../model/result.ts';
import type { Pending } from './awaiting.ts';
import { begunResult } from './change-result.ts';
import { fillRequest } from './created.ts';
import { type FoundObjects, type FreshObjects, type KindChange, lookUntil, type Task } from './find.ts';
import { deviationsOf, foreignDifferences, hasEffect } from './observed.ts';
import {
  concludeFrom,
  type Exchange,
  evidenceOf,
  exchange,
  isOutdated,
  lookUpAfter,
} from './request-attempt.ts';
import { type Ending, ending, type Run } from './run.ts';
import { fieldsWritten } from './verify.ts';

/**
 * Makes one change, or several that share their only request. What its answers do not show is left pending. Never
 * rejects: every failure is an ending. Halts the run when it cannot continue, because the journal cannot be written.
 *
 * @param notAfter when the objects of the tasks were read too long ago to rely on; `null`: never
 * @param sent the requests that were sent for them before
 * @returns `null` where that was over before the first request could be sent
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

/** What was sent for a unit, and what came of it. */
interface SentUnit {
  readonly seen: ReadonlyMap<Address, LiveObject | null>;
  readonly last: Exchange | null;
  readonly log: readonly SentRequest[];
}

async function sendAll(
  tasks: readonly Task[],
  notAfter: number | null,
  log: SentRequest[],
  run: Run,
): Promise<readonly (Ending | Pending)[] | null> {
  const [lead] = tasks;
  if (!lead) return [];
  const { address, requests } = lead.change;
  const isLeft = lead.from < requests.length && !run.isStopped();
  if (isLeft) await run.record.start(tasks.map(begunResult));
  let seen = new Map(tasks.map(({ change, live }) => [change.address, live]));
  let last: Exchange | null = null;
  for (const [index, planned] of requests.entries()) {
    if (index < lead.from) continue;
    if (run.isStopped()) return tasks.map((task) => endStopped(task, index, { seen, log }));
    const before = new Map([...seen].map(([name, live]) => [name, live?.fingerprint() ?? null]));
    const live = seen.get(address) ?? null;
    const request = fillFrom(live, lead, planned);
    const isFirst = index === lead.from;
    last = await exchange({ tasks, request, index, before, notAfter: isFirst ? notAfter : null }, log, run);
    if (isFirst && isOutdated(last.answer) && last.replies.get(address)?.is === 'rejected') return null;
    if (index === requests.length - 1) break;

    // A change of several requests is alone: only single requests are shared.
    if (last.replies.get(address)?.is !== 'accepted') break;
    const { answer, until } = last;
    const looked = last.find
      ? { find: last.find }
      : await lookUntil(
          () => lookUpAfter(answer, tasks, run),
          (found) => (isShown(lead, request, found) ? 0 : until - run.clock.now()),
          run,
        );
    if ('failed' in looked) {
      const error = `${sentSoFar(index + 1, requests.length)} ${looked.failed}`;
      return [ending(lead, 'failed', log, { error, live: null })];
    }
    const found = looked.find(lead);
    const changed = whatChanged(lead, index + 1, found.live, run);
    if (changed) return [ending(lead, 'failed', log, changed)];
    seen = new Map([[address, found.live]]);
  }
  return endAll(tasks, { seen, last, log }, run);
}

/**
 * True once the next request can be sent: what takes the place of an object is not made while that is there, and what was
 * created is not changed before the tenant shows it.
 */
function isShown(task: Task, { method }: Request, found: FreshObjects): boolean {
  if ('failed' in found) return true;
  const isThere = found.find(task).live !== null;
  if (isReplacement(task.change)) return isThere === (method !== 'DELETE');
  return isThere || task.change.action !== 'create';
}

/** How the changes ended once the last request was sent, a request was not accepted, or none was left to send. */
async function endAll(
  tasks: readonly Task[],
  { seen, last, log }: SentUnit,
  run: Run,
): Promise<(Ending | Pending)[]> {
  const wasNeverSent = run.signal.aborted && last?.answer.outcome === 'unsent' && log.length <= 1;
  const ends: (Ending | Pending)[] = [];
  for (const task of tasks) {
    const { address } = task.change;
    const { is, remark } = last?.replies.get(address) ?? { is: 'accepted', remark: null };
    const live = last?.find ? last.find(task).live : (seen.get(address) ?? null);
    if (is === 'accepted') ends.push(await checkConvergence(task, last, log, run));
    else if (is === 'open' && last) ends.push(waitForEffect(task, last, log, run));
    // Ctrl-C while the first request was still waiting: the change was never started.
    else if (wasNeverSent && is === 'rejected')
      ends.push(ending(task, 'notAttempted', [], { error: remark, live }));
    else ends.push(ending(task, is === 'rejected' ? 'failed' : 'unknown', log, { error: remark, live }));
  }
  return ends;
}

/** A change whose last request was not answered, and has not shown an effect yet. */
function waitForEffect(task: Task, last: Exchange, log: readonly SentRequest[], run: Run): Pending {
  const { step, answer, until } = last;
  return {
    task,
    log,
    until,
    isUncertain: true,
    isFinal: (found) => evidenceOf(step, task, found, run) !== 'notTaken',
    async end(seen) {
      if ('failed' in seen) {
        return ending(task, 'unknown', log, { error: `${run.describe(answer)} ${seen.failed}` });
      }
      const { is, remark } = await concludeFrom(evidenceOf(step, task, seen, run), task, last, run);
      if (is === 'accepted') return endSeen(task, seen, { remark, log }, run);
      return ending(task, is === 'rejected' ? 'failed' : 'unknown', log, { error: remark, live: seen.live });
    },
  };
}

function endStopped(task: Task, index: number, { seen, log }: Pick<SentUnit, 'seen' | 'log'>): Ending {
  const live = seen.get(task.change.address) ?? null;
  // Requests that an earlier run sent count: the object is half changed, and a rollback has to see that.
  if (index === 0) return ending(task, 'notAttempted', log, { live });
  const error = `${sentSoFar(index, task.change.requests.length)} Then the run was stopped.`;
  return ending(task, 'failed', log, { error, live });
}

/** What somebody did to the object after some of its requests; `null` where nobody did anything. */
function whatChanged(task: Task, sent: number, live: LiveObject | null, run: Run) {
  const { requests } = task.change;
  const isDeleted = isReplacement(task.change) && requests[sent - 1]?.method === 'DELETE';
  if (isDeleted && live === null) return null;
  if (isDeleted) return { error: `${sentSoFar(sent, requests.length)} The object still exists.`, live };
  const changed = (what: string, unmet: readonly Pointer[]) => {
    const begun = `${countSent(sent, requests.length)}. Then somebody changed the object`;
    return { error: `${begun}: ${what}. Make a new plan.`, live, unmet };
  };
  if (!live) return changed('it no longer exists', []);
  // Only what the other requests would overwrite counts: the tenant may have rewritten what those before them wrote.
  const written = fieldsWritten(task, live, run.settings);
  const left = new Set(requests.slice(sent).flatMap((request) => [...written(request)]));
  const foreign = foreignDifferences(task, live, run.secrets);
  const unmet = foreign.filter((path) => left.has(segmentsOf(path)[0] ?? ''));
  return unmet.length === 0 ? null : changed(`${unmet.join(', ')} is different now`, unmet);
}

function sentSoFar(sent: number, count: number): string {
  return `${countSent(sent, count)}; apply the same plan again to finish.`;
}

const countSent = (sent: number, count: number): string => `${sent} of ${count} requests were sent`;

/**
 * The request with the object's own id, and the values that stay as they are. A plan never holds them; they come from the
 * object as it was just read. Throws a Failure for a place that the object does not have: tenantctl makes no such plan.
 */
function fillFrom(live: LiveObject | null, { kind, change }: KindChange, planned: Request): Request {
  const ownId = (to: Address) => (live && to === change.address ? shownId(live) : undefined);
  const request = live ? fillRequest(planned, ownId) : planned;
  const fields = readableFields(kind, live?.fields ?? {});
  const body = fillLive(request.body, (at) => {
    const value = valueAt(fields, at);
    if (value !== undefined) return value;
    throw fail('live-value-missing', `${change.address} has nothing at ${JSON.stringify(at)}.`);
  });
  return { ...request, body };
}

/** Verdicts against the tenant ("ignored", "rewrote", "still exists") wait so long for a better look, in milliseconds. */
const longestDoubt = 15_000;

/**
 * Compares the object of an accepted change with what was asked for: ends the change where the answer shows all of it,
 * else the object has to be read. What the tenant ignored or rewrote becomes a warning; a deleted object that still
 * exists, or a written one that does not, is not a success.
 *
 * @param last the last request of this run; `null` where an earlier run had sent all of them
 */
async function checkConvergence(
  task: Task,
  last: Exchange | null,
  log: readonly SentRequest[],
  run: Run,
): Promise<Ending | Pending> {
  const { change } = task;
  const remark = last ? (last.replies.get(change.address)?.remark ?? null) : remarkOnSecrets(change);
  const sighting = sightingInAnswer(task, last, run);
  if (sighting) return endSeen(task, sighting, { remark, log }, run);
  const { clock, settle, secrets } = run;
  // With a 202, the tenant has said itself that it is not done yet.
  const isDeferred =
    change.action === 'delete' && last?.answer.outcome === 'answered' && last.answer.status === 202;
  return {
    task,
    log,
    until: clock.now() + (isDeferred ? settle : Math.min(longestDoubt, settle)),
    isUncertain: false,
    isFinal: ({ live }) => hasEffect(task, live, secrets),
    end: (seen) => endSeen(task, seen, { remark, log }, run),
  };
}

/** An earlier run sent the secrets as they were then, and nothing that can be read shows whether they are others now. */
function remarkOnSecrets(change: Change): string | null {
  const names = secretsSentBy(change);
  if (names.length === 0) return null;
  const what = `An earlier run of this plan wrote it, with the secrets of that time (${names.join(', ')}).`;
  return `${what} If they have changed, make a new plan with --rotate ${change.address}.`;
}

/** `null` where the object has to be read: the answer does not show it, or shows a difference. */
function sightingInAnswer(task: Task, last: Exchange | null, run: Run): Pick<FoundObjects, 'live'> | null {
  if (!last) return { live: task.live };
  if (last.find) return { live: last.find(task).live };
  const { answer } = last;
  const { requests, action } = task.change;
  if (answer.outcome !== 'answered') return null;
  if (action === 'delete') {
    // A 202 says that the tenant will do it, not that it has; and whatever stands in an answer that should be empty may say
    // something else, or be the words of a gateway.
    const isConfirmed = answer.status !== 202 && answer.body === null && answer.text === null;
    return isConfirmed && requests.at(-1)?.method === 'DELETE' ? { live: null } : null;
  }
  if (requests.length > 1) return null;
  const live = readWritten(task, answer.body);
  // Even where the answer does not show all that was asked for, it has the id.
  if (action === 'create' && live) run.created.learn(task.change.address, live);
  // What refers to a new object needs its id, which some answers leave out. Some kinds have none at all.
  if (run.created.isAwaited(task.change.address)) return null;
  return live && hasEffect(task, live, run.secrets) ? { live } : null;
}

function readWritten({ kind, change }: Task, body: Json): LiveObject | null {
  if (!isObject(body)) return null;
  try {
    const live = liveObject(kind, placeBelow(kind, body, aboveOfChange({ kind, change })), change.id);
    return live?.identity === identityOf(kind, change.key) ? live : null;
  } catch {
    // An answer that the kind cannot read is not a failure: the object is read again.
    return null;
  }
}

/**
 * Ends a change that was carried out, by its object as it was seen. Where that could not be read, the success is enough for
 * a write, but not for a delete whose answer does not confirm it.
 *
 * @param remark how it is known that it was carried out, where no answer said so
 */
async function endSeen(
  task: Task,
  seen: Pick<FoundObjects, 'live'> | { readonly failed: string },
  { remark, log }: { readonly remark: string | null; readonly log: readonly SentRequest[] },
  run: Run,
): Promise<Ending> {
  const { change } = task;
  const remarks = remark === null ? [] : [remark];
  if ('failed' in seen) {
    if (change.action === 'delete')
      return ending(task, 'unknown', log, { error: seen.failed, warnings: remarks });
    const warnings = [...remarks, `Could not verify the result. ${seen.failed}`];
    return ending(task, 'done', log, { live: null, warnings });
  }
  const { live } = seen;
  if (change.action === 'delete' && live !== null) {
    const error = 'The tenant accepted the delete, but the object still exists.';
    return ending(task, 'failed', log, { live, error, warnings: remarks });
  }
  if (change.action !== 'delete' && live === null) {
    const error = 'The tenant accepted the change, but the object does not exist.';
    return ending(task, 'unknown', log, { live, error, warnings: remarks });
  }
  const { unmet, beside, warnings } = live
    ? deviationsOf(task, live, task.live, run.secrets)
    : { unmet: [], beside: [], warnings: [] };
  const after = live?.fingerprint() ?? null;
  await run.journal.settle(change.address, { unmet, after }, run.now());
  return ending(task, 'done', log, { live, warnings: [...remarks, ...warnings], unmet, beside });
}

/** The parent of the object: it was declared, or the id begins with its id. */
function aboveOfChange({ kind: { parent }, change }: KindChange): Above | null {
  if (!parent) return null;
  const declared =
    change.id === null ? get(change.declared ?? {}, parent.part) : pathIds(parent, change.id)[0];
  const id = idText(declared);
  return id === null ? null : { id, part: change.key[0] ?? '' };
}
