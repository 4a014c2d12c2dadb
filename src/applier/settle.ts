import { identityOf, liveObject } from '../kinds/live.ts';
import type { Address } from '../model/address.ts';
import { isObject, type Json } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { SentRequest } from '../model/result.ts';
import { type Ending, ending } from './ending.ts';
import { type Exchange, lookUp } from './exchange.ts';
import { finderIn } from './find.ts';
import { isKept, unmetDifferences } from './reached.ts';
import type { Room } from './room.ts';
import type { Task } from './verify.ts';

/** An object after its change, or why it is not known. */
type Sight = { readonly live: LiveObject | null } | { readonly unseen: string };

/**
 * Looks at what accepted changes left: in the answer where it holds the object, else by reading it again. What the
 * tenant ignored or rewrote becomes a warning; a deleted object that is still there, or a written one that is not,
 * is no success.
 *
 * @param last the last request of this run; `null` where an earlier run had sent all of them
 */
export async function settle(
  tasks: readonly Task[],
  last: Exchange | null,
  room: Room,
  log: readonly SentRequest[],
): Promise<ReadonlyMap<Address, Ending>> {
  const sights = await look(tasks, last, room);
  const endings = new Map<Address, Ending>();
  for (const [task, sight] of sights) {
    const { address } = task.change;
    const remark = last?.replies.get(address)?.remark ?? null;
    const end = 'unseen' in sight ? unseen(task, sight.unseen, log) : await seen(task, sight.live, room, log);
    endings.set(address, remark === null ? end : { ...end, warnings: [remark, ...end.warnings] });
  }
  return endings;
}

async function look(tasks: readonly Task[], last: Exchange | null, room: Room): Promise<Map<Task, Sight>> {
  const known = tasks.map((task): [Task, Sight | null] => [task, sightWithoutReading(task, last, room)]);
  const open = known.filter(([, sight]) => sight === null).map(([task]) => task);
  const written = open.every(({ change }) => change.action !== 'delete');
  const looked = open.length > 0 && last ? await lookUp(open, last.answer, room, written) : null;
  const read = (task: Task): Sight => {
    if (!looked) return { live: task.live };
    return 'failed' in looked ? { unseen: looked.failed } : { live: finderIn(looked.state)(task).live };
  };
  return new Map(known.map(([task, sight]) => [task, sight ?? read(task)]));
}

/** `null` where the object has to be read: the answer does not show it, or shows it other than asked. */
function sightWithoutReading(task: Task, last: Exchange | null, room: Room): Sight | null {
  if (!last) return { live: task.live };
  if (last.state) return { live: finderIn(last.state)(task).live };
  const { requests, action } = task.change;
  if (action === 'delete') return requests.at(-1)?.method === 'DELETE' ? { live: null } : null;
  if (requests.length > 1 || last.answer.outcome !== 'answered') return null;
  const live = objectOf(task, last.answer.body, room);
  return live && unmetDifferences(task.kind, task.change, live).length === 0 ? { live } : null;
}

/** The object that an answer shows, when it is the one that was written. */
function objectOf({ kind, change }: Task, body: Json, { settings }: Room): LiveObject | null {
  if (!isObject(body)) return null;
  try {
    const live = liveObject(kind, body, settings, change.id);
    return live && identityOf(kind, live.key) === identityOf(kind, change.key) ? live : null;
  } catch {
    // An answer that the kind cannot read is no reason to fail: the object is read again.
    return null;
  }
}

async function seen(
  task: Task,
  live: LiveObject | null,
  room: Room,
  log: readonly SentRequest[],
): Promise<Ending> {
  const { kind, change } = task;
  if (change.action === 'delete' && live !== null) {
    return ending(task, 'failed', log, {
      live,
      error: 'The tenant accepted the delete, and the object is still there.',
    });
  }
  if (change.action !== 'delete' && live === null) {
    return ending(task, 'unknown', log, {
      live,
      error: 'The tenant accepted the change, and shows no such object.',
    });
  }
  const unmet = live ? unmetDifferences(kind, change, live) : [];
  const paths = unmet.map(({ path }) => path);
  await room.journal.settle(change.address, paths, room.now());
  const warnings = unmet.map((difference) =>
    live && isKept(kind, change, difference, live)
      ? `The tenant ignored ${difference.path}: it is as it was.`
      : `The tenant rewrote ${difference.path}: it is not what was asked.`,
  );
  return ending(task, 'done', log, { live, warnings });
}

/** A success that nobody could check: enough for a write, not for a delete whose answer never says what went. */
function unseen(task: Task, why: string, log: readonly SentRequest[]): Ending {
  if (task.change.action === 'delete') return ending(task, 'unknown', log, { error: why });
  return ending(task, 'done', log, { live: null, warnings: [`Not compared with what was asked. ${why}`] });
}
