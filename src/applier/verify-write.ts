import type { Sent } from '../client/answer.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf, liveObject } from '../kinds/live-objects.ts';
import { idText } from '../kinds/operation.ts';
import { type Above, pathIds, placeBelow } from '../kinds/parents.ts';
import { get, isObject, type Json } from '../model/json.ts';
import { type Change, secretsSentBy } from '../model/plan.ts';
import type { SentRequest } from '../model/result.ts';
import type { Pending } from './awaiting.ts';
import type { FoundObjects, KindChange, Task } from './find.ts';
import { type Deviations, deviationsOf, hasEffect } from './observed.ts';
import type { Exchange } from './request-attempt.ts';
import { type Ending, ending, type Run } from './run.ts';

/** Verdicts against the tenant ("ignored", "rewrote", "still exists") wait so long for a better look, in milliseconds. */
const longestDoubt = 15_000;

/**
 * Compares the object of an accepted change with what was asked for: ends the change where the answer shows all of it,
 * else the object has to be read. What the tenant ignored or rewrote becomes a warning; a deleted object that still
 * exists, or a written one that does not, is not a success.
 *
 * @param last the last request of this run; `null` where an earlier run had sent all of them
 */
export async function checkConvergence(
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
  return {
    task,
    log,
    // After a 202, the tenant has said itself that it is not done yet.
    until: clock.now() + (isDeferred(task, last) ? settle : Math.min(longestDoubt, settle)),
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
  const { requests, action } = task.change;
  if (action === 'delete') {
    return isConfirmed(last.answer) && requests.at(-1)?.method === 'DELETE' ? { live: null } : null;
  }
  if (requests.length > 1 || last.answer.outcome !== 'answered') return null;
  const live = readWritten(task, last.answer.body);
  // Even where the answer does not show all that was asked for, it has the id.
  if (action === 'create' && live) run.created.learn(task.change.address, live);
  // What refers to a new object needs its id, which some answers leave out. Some kinds have none at all.
  if (run.created.isAwaited(task.change.address)) return null;
  return live && hasEffect(task, live, run.secrets) ? { live } : null;
}

/**
 * Whether an accepted delete needs no other look. A 202 says that the tenant will do it, not that it has; and whatever
 * stands in an answer that should be empty may say something else, or be the words of a gateway.
 */
function isConfirmed(answer: Sent): boolean {
  const isEmpty = answer.outcome === 'answered' && answer.body === null && answer.text === null;
  return isEmpty && answer.status !== 202;
}

function isDeferred({ change }: Task, last: Exchange | null): boolean {
  return change.action === 'delete' && last?.answer.outcome === 'answered' && last.answer.status === 202;
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
export async function endSeen(
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
  const { unmet, beside, ...told } = live ? deviations(task, live, run) : nothing;
  const after = live?.fingerprint() ?? null;
  await run.journal.settle(change.address, { unmet, after }, run.now());
  return ending(task, 'done', log, { live, warnings: [...remarks, ...told.warnings], unmet, beside });
}

const nothing: Deviations = { warnings: [], unmet: [], beside: [] };

function deviations(task: Task, live: LiveObject, { secrets }: Run): Deviations {
  const { change, live: before } = task;
  const isAsPlanned = change.action === 'update' && before?.fingerprint() === change.fingerprint;
  return deviationsOf(task, live, isAsPlanned ? before : null, secrets);
}

/** The parent of the object: it was declared, or the id begins with its id. */
function aboveOfChange({ kind: { parent }, change }: KindChange): Above | null {
  if (!parent) return null;
  const declared =
    change.id === null ? get(change.declared ?? {}, parent.part) : pathIds(parent, change.id)[0];
  const id = idText(declared);
  return id === null ? null : { id, part: change.key[0] ?? '' };
}
