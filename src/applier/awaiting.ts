import type { Sent } from '../client/answer.ts';
import { idText } from '../kinds/http.ts';
import { type LiveObject, pathIds, placeBelow } from '../kinds/kind.ts';
import { identityOf, liveObject } from '../kinds/live-objects.ts';
import type { SentRequest } from '../model/documents.ts';
import { messageOf } from '../model/failure.ts';
import { get, isObject, type Json } from '../model/json.ts';
import { quote } from '../model/words.ts';
import { type Finder, type FoundObjects, lookUntil, lookUp, type Task } from './find.ts';
import { type Ending, ending, type Run } from './run.ts';
import { deviationsOf, hasEffect } from './verify.ts';

/** A change whose requests were sent. The object in the tenant decides the outcome. */
export interface Pending {
  readonly task: Task;
  readonly log: readonly SentRequest[];
  /** Until when a later read may show something else. */
  readonly until: number;
  /** Whether no answer confirms the request. */
  readonly isUncertain: boolean;
  isFinal(found: FoundObjects): boolean;
  end(seen: FoundObjects | { readonly failed: string }): Promise<Ending>;
}

/**
 * Reads all together, with growing waits, until each is final or its time is over. Never rejects: if the journal cannot be
 * written, the run is halted.
 */
export async function settle(
  pending: readonly Pending[],
  run: Pick<Run, 'port' | 'clock' | 'signal' | 'onEvent' | 'halt'>,
  finish: (end: Ending) => void,
): Promise<void> {
  const { clock, signal, onEvent, halt } = run;
  let open = pending;
  const look = async () => {
    const tasks = open.map(({ task }) => task);
    const areWritten = open.every(({ isUncertain, task }) => !isUncertain && task.change.action !== 'delete');
    const looked = await lookUp(tasks, run, areWritten);
    const left = new Map(open.map((one) => [one, 'failed' in looked ? looked : looked.find(one.task)]));
    const ended = [...left].filter(
      ([{ until, isFinal }, seen]) =>
        'failed' in seen || isFinal(seen) || until <= clock.now() || signal.aborted,
    );
    // Together, so that their records share a write.
    await Promise.all(
      ended.map(async ([one, seen]) => {
        const end = one.end(seen).catch((error: unknown) => {
          halt();
          const why = `The run cannot continue: ${messageOf(error)}`;
          return ending(one.task, 'unknown', one.log, { error: why });
        });
        finish(await end);
      }),
    );
    for (const [one] of ended) left.delete(one);
    open = [...left.keys()];
  };
  const msLeft = () => {
    if (open.length === 0) return 0;
    const ms = Math.max(0, ...open.map(({ until }) => until)) - clock.now();
    onEvent({ type: 'settling', addresses: open.map(({ task }) => task.change.address), ms });
    return Math.max(1, ms);
  };
  // An interrupt ends the waits; open changes then end without another read.
  while (open.length > 0) await lookUntil(look, msLeft, run);
}

/** How long to read again before blaming the tenant ("ignored", "rewrote", "still exists"), in milliseconds. */
const longestDoubt = 15_000;

/** The last request of a change in this run: its answer, and the search for the object after it, if it was looked up. */
interface LastRequest {
  readonly answer: Sent;
  readonly find: Finder | null;
}

/**
 * The requests sent, and the evidence that the change was made if no answer confirms it. `other`: the object that the answer to a
 * create shows, if its key is another one.
 */
interface SentChange {
  readonly other?: LiveObject | null;
  readonly remark: string | null;
  readonly log: readonly SentRequest[];
}

/**
 * Ends an accepted change if the answer shows all of it; else its object has to be read. What still exists after a delete, or
 * does not after a write, is no success. `last` is the last request of this run; `null` if an earlier run had sent all.
 */
export async function checkConvergence(
  task: Task,
  last: LastRequest | null,
  sent: SentChange,
  run: Run,
): Promise<Ending | Pending> {
  const sighting = sightingInAnswer(task, last, run);
  if (sighting) return endSeen(task, sighting, sent, run);
  const { clock, settle, secrets } = run;
  // With a 202, the tenant has said itself that it is not done yet.
  const isDeferred =
    task.change.action === 'delete' && last?.answer.outcome === 'answered' && last.answer.status === 202;
  return {
    task,
    log: sent.log,
    until: clock.now() + (isDeferred ? settle : Math.min(longestDoubt, settle)),
    isUncertain: false,
    isFinal: ({ live }) => hasEffect(task, live, secrets),
    end: (seen) => endSeen(task, seen, { ...sent, other: last && otherMade(task, last.answer) }, run),
  };
}

/** `null` if the object has to be read: the answer does not show it, or shows a difference. */
function sightingInAnswer(task: Task, last: LastRequest | null, run: Run): Pick<FoundObjects, 'live'> | null {
  if (!last) return { live: task.live };
  if (last.find) return { live: last.find(task).live };
  const { answer } = last;
  const { requests, action } = task.change;
  if (answer.outcome !== 'answered') return null;
  if (action === 'delete') {
    // A 202 says that the tenant will do it, not that it has; and an answer that should be empty may say
    // something else, or come from a gateway.
    const isConfirmed = answer.status !== 202 && answer.body === null && answer.text === null;
    return isConfirmed && requests.at(-1)?.method === 'DELETE' ? { live: null } : null;
  }
  if (requests.length > 1) return null;
  const written = readWritten(task, answer.body);
  const live = written && isNamedAs(task, written) ? written : null;
  // Even an incomplete answer has the id.
  run.created.learn(task.change, live);
  // References to a new object need its id, which some answers leave out. Some kinds have none.
  if (run.created.isAwaited(task.change.address)) return null;
  return live && hasEffect(task, live, run.secrets) ? { live } : null;
}

function readWritten({ kind, change }: Task, body: Json): LiveObject | null {
  if (!isObject(body)) return null;
  try {
    // The parent was declared, or the id begins with its id.
    const declared = get(change.declared ?? {}, kind.parent?.part ?? '');
    const id = idText(change.id === null ? declared : pathIds(kind.parent, change.id)[0]);
    const above = id === null ? null : { id, part: change.key[0] ?? '' };
    return liveObject(kind, placeBelow(kind, body, above), change.id);
  } catch {
    // An answer that the kind cannot read is not a failure: the object is read again.
    return null;
  }
}

const isNamedAs = ({ kind, change }: Task, { identity }: LiveObject) =>
  identity === identityOf(kind, change.key);

function otherMade(task: Task, answer: Sent): LiveObject | null {
  const { change } = task;
  const isCreate = change.requests.at(-1)?.method === 'POST' && task.kind.can.create === 'duplicates';
  if (!isCreate || answer.outcome !== 'answered' || answer.status === 202) return null;
  const made = readWritten(task, answer.body);
  return made && made.id !== null && made.id !== change.id && !isNamedAs(task, made) ? made : null;
}

/** Judges by the object as last read. Without a read, a success is enough for a write, and a confirmation for a delete. */
export async function endSeen(
  task: Task,
  seen: Pick<FoundObjects, 'live'> | { readonly failed: string },
  { remark, log, other = null }: SentChange,
  run: Run,
): Promise<Ending> {
  const { change } = task;
  const remarks = remark === null ? [] : [remark];
  const settled = { type: 'settled', at: run.now(), change: change.address } as const;
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
  if (change.action !== 'delete' && live === null && other?.id) {
    await run.journal.append({ ...settled, unmet: [], after: null, id: other.id });
    const made = `The tenant made it under another name, ${quote(other.key.join('/'))}, with the id ${quote(other.id)}.`;
    const error = `${made} Declare it by that name, or delete it with \`tenantctl rollback\`: a new plan would make another one.`;
    return ending(task, 'failed', log, { live: other, error, warnings: remarks });
  }
  if (change.action !== 'delete' && live === null) {
    const error = 'The tenant accepted the change, but the object does not exist.';
    return ending(task, 'unknown', log, { live, error, warnings: remarks });
  }
  const { unmet, beside, warnings } = live
    ? deviationsOf(task, live, task.live, run.secrets)
    : { unmet: [], beside: [], warnings: [] };
  await run.journal.append({ ...settled, unmet, after: live?.fingerprint() ?? null });
  return ending(task, 'done', log, { live, warnings: [...remarks, ...warnings], unmet, beside });
}
