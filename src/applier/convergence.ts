import { identityOf, liveObject } from '../kinds/live-objects.ts';
import type { Address } from '../model/address.ts';
import { isObject, type Json } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { isUnchanged, unmetDifferences } from './effect.ts';
import { type Exchange, lookUp } from './exchange.ts';
import { finderIn } from './find.ts';
import type { Task } from './preflight.ts';
import { type Ending, ending, type RunContext } from './run-context.ts';

/** An object after its change, or why it is not known. */
type Sighting = { readonly live: LiveObject | null } | { readonly unknown: string };

/**
 * Compares objects with what the accepted changes asked for: with the answer if it holds the object, else by reading the
 * object again. What the tenant ignored or rewrote becomes a warning; a deleted object that still exists, or a written
 * one that does not, is not a success.
 *
 * @param last the last request of this run; `null` where an earlier run had sent all of them
 */
export async function checkConvergence(
  tasks: readonly Task[],
  last: Exchange | null,
  context: RunContext,
): Promise<ReadonlyMap<Address, Ending>> {
  const endings = new Map<Address, Ending>();
  for (const [task, sighting] of await lookAtAll(tasks, last, context)) {
    const { address } = task.change;
    const remark = last?.replies.get(address)?.remark ?? null;
    const end =
      'unknown' in sighting
        ? endUnseen(task, sighting.unknown, context)
        : await endSeen(task, sighting.live, context);
    endings.set(address, remark === null ? end : { ...end, warnings: [remark, ...end.warnings] });
  }
  return endings;
}

async function lookAtAll(
  tasks: readonly Task[],
  last: Exchange | null,
  context: RunContext,
): Promise<Map<Task, Sighting>> {
  const sightings = tasks.map((task) => [task, sightingInAnswer(task, last, context)] as const);
  const open = sightings.filter(([, sighting]) => sighting === null).map(([task]) => task);
  const written = open.every(({ change }) => change.action !== 'delete');
  const looked = open.length > 0 && last ? await lookUp(open, last.answer, context, written) : null;
  const read = (task: Task): Sighting => {
    if (!looked) return { live: task.live };
    return 'failed' in looked ? { unknown: looked.failed } : { live: finderIn(looked.state)(task).live };
  };
  return new Map(sightings.map(([task, sighting]) => [task, sighting ?? read(task)]));
}

/** `null` where the object has to be read: the answer does not show it, or shows a difference. */
function sightingInAnswer(task: Task, last: Exchange | null, context: RunContext): Sighting | null {
  if (!last) return { live: task.live };
  if (last.state) return { live: finderIn(last.state)(task).live };
  const { requests, action } = task.change;
  if (action === 'delete') return requests.at(-1)?.method === 'DELETE' ? { live: null } : null;
  if (requests.length > 1 || last.answer.outcome !== 'answered') return null;
  const live = objectOf(task, last.answer.body, context);
  return live && unmetDifferences(task.kind, task.change, live).length === 0 ? { live } : null;
}

/** The object in an answer, if it is the one that was written. */
function objectOf({ kind, change }: Task, body: Json, { settings }: RunContext): LiveObject | null {
  if (!isObject(body)) return null;
  try {
    const live = liveObject(kind, body, settings, change.id);
    return live?.identity === identityOf(kind, change.key) ? live : null;
  } catch {
    // An answer that the kind cannot read is not a failure: the object is read again.
    return null;
  }
}

async function endSeen(task: Task, live: LiveObject | null, context: RunContext): Promise<Ending> {
  const { kind, change } = task;
  const { log } = context;
  if (change.action === 'delete' && live !== null) {
    const error = 'The tenant accepted the delete, but the object still exists.';
    return ending(task, 'failed', log, { live, error });
  }
  if (change.action !== 'delete' && live === null) {
    const error = 'The tenant accepted the change, but the object does not exist.';
    return ending(task, 'unknown', log, { live, error });
  }
  const unmet = live ? unmetDifferences(kind, change, live) : [];
  const paths = unmet.map(({ path }) => path);
  await context.journal.settle(change.address, paths, context.now());
  const warnings = unmet.map((difference) =>
    live && isUnchanged(kind, change, difference, live)
      ? `The tenant ignored ${difference.path}: it is unchanged.`
      : `The tenant rewrote ${difference.path}: it differs from what was asked.`,
  );
  return ending(task, 'done', log, { live, warnings });
}

/** A success that could not be checked: enough for a write, but not for a delete whose answer does not confirm it. */
function endUnseen(task: Task, why: string, { log }: RunContext): Ending {
  if (task.change.action === 'delete') return ending(task, 'unknown', log, { error: why });
  return ending(task, 'done', log, { live: null, warnings: [`Not compared with what was asked. ${why}`] });
}
