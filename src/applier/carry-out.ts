import type { Address } from '../model/address.ts';
import type { LiveObject } from '../model/live.ts';
import type { SentRequest } from '../model/result.ts';
import { type Ending, ending } from './ending.ts';
import { type Exchange, exchange, lookUp } from './exchange.ts';
import { finderIn } from './find.ts';
import { withLiveValues } from './live-values.ts';
import type { Room } from './room.ts';
import { settle } from './settle.ts';
import type { Task } from './verify.ts';

/**
 * Carries out one change, or several that share their only request. Never rejects: what goes wrong is an ending.
 *
 * @param halt called when the run cannot go on at all, because the journal cannot be written
 */
export async function carryOut(tasks: readonly Task[], room: Room, halt: () => void): Promise<Ending[]> {
  const log: SentRequest[] = [];
  try {
    return await sendAll(tasks, room, log);
  } catch (error) {
    halt();
    const message = error instanceof Error ? error.message : String(error);
    const outcome = log.length > 0 ? 'unknown' : 'failed';
    return tasks.map((task) => ending(task, outcome, log, { error: `The run cannot go on: ${message}` }));
  }
}

async function sendAll(tasks: readonly Task[], room: Room, log: SentRequest[]): Promise<Ending[]> {
  const [lead] = tasks;
  if (!lead) return [];
  let seen = new Map(tasks.map(({ change, live }) => [change.address, live]));
  let last: Exchange | null = null;
  const { requests } = lead.change;
  for (const [index, request] of requests.entries()) {
    if (index < lead.from) continue;
    if (room.isStopped()) return tasks.map((task) => stopped(task, index, seen, log));
    const before = new Map([...seen].map(([address, live]) => [address, live?.fingerprint ?? null]));
    const whole = withLiveValues(lead, request, seen.get(lead.change.address) ?? null);
    last = await exchange(tasks, whole, index, before, room, log);
    const { answer, replies } = last;
    if (index === requests.length - 1) break;

    // A change of several requests is alone: only single requests are shared.
    const reply = replies.get(lead.change.address);
    if (reply?.is !== 'accepted') break;
    const looked = last.state ? { state: last.state } : await lookUp(tasks, answer, room);
    if ('failed' in looked) {
      const error = `${madeSoFar(index + 1, requests.length)} ${looked.failed}`;
      return [ending(lead, 'failed', log, { error, live: null })];
    }
    seen = new Map([[lead.change.address, finderIn(looked.state)(lead).live]]);
  }
  return concluded(tasks, last, seen, room, log);
}

/** Endings once the last request was sent, or one was not accepted, or none was left to send. */
async function concluded(
  tasks: readonly Task[],
  last: Exchange | null,
  seen: ReadonlyMap<Address, LiveObject | null>,
  room: Room,
  log: readonly SentRequest[],
): Promise<Ending[]> {
  const accepted = tasks.filter(({ change }) => !last || last.replies.get(change.address)?.is === 'accepted');
  const settled = await settle(accepted, last, room, log);
  return tasks.map((task) => {
    const { address } = task.change;
    const done = settled.get(address);
    if (done) return done;
    const reply = last?.replies.get(address);
    const outcome =
      reply?.is !== 'rejected'
        ? 'unknown'
        : isUnsentByStop(last, room) && log.length <= 1
          ? 'notAttempted'
          : 'failed';
    const live = last?.state ? finderIn(last.state)(task).live : (seen.get(address) ?? null);
    return ending(task, outcome, outcome === 'notAttempted' ? [] : log, {
      error: reply?.remark ?? null,
      live,
    });
  });
}

/** Ctrl-C while the first request still waited for its turn: the change was never begun. */
function isUnsentByStop(last: Exchange | null, room: Room): boolean {
  return room.signal.aborted && last?.answer.outcome === 'unsent';
}

function stopped(
  task: Task,
  index: number,
  seen: ReadonlyMap<Address, LiveObject | null>,
  log: readonly SentRequest[],
): Ending {
  const live = seen.get(task.change.address) ?? null;
  if (index === task.from) return ending(task, 'notAttempted', log, { live });
  const error = `${madeSoFar(index, task.change.requests.length)} Then the run was stopped.`;
  return ending(task, 'failed', log, { error, live });
}

function madeSoFar(made: number, count: number): string {
  return `${made} of ${count} requests were made; apply the same plan again to finish.`;
}
