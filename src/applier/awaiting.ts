import { messageOf } from '../model/failure.ts';
import type { SentRequest } from '../model/result.ts';
import { type FoundObjects, lookUntil, lookUp, type Task } from './find.ts';
import { type Ending, ending, type Run } from './run.ts';

/** A change whose requests were sent. What the tenant shows of its object decides how it ended. */
export interface Pending {
  readonly task: Task;
  readonly log: readonly SentRequest[];
  /** Until when a later look may show something else. */
  readonly until: number;
  /** Whether no answer shows that the request was carried out. */
  readonly isUncertain: boolean;
  isFinal(found: FoundObjects): boolean;
  /** Ends the change with what was seen last, or with the reason why its object could not be read. */
  end(seen: LastSeen): Promise<Ending>;
}

type LastSeen = FoundObjects | { readonly failed: string };

/**
 * Ends changes by what the tenant shows: all objects are read together, with growing waits, until each is final or its
 * time is over. `finish` is called for each as soon as it has ended. Never rejects: where the journal cannot be written,
 * the run is halted.
 */
export async function settle(
  pending: readonly Pending[],
  run: Pick<Run, 'port' | 'clock' | 'signal' | 'onEvent' | 'halt'>,
  finish: (end: Ending) => void,
): Promise<void> {
  const { clock, signal, onEvent } = run;
  let open = pending;
  const endAll = async (ended: readonly Pending[], seen: (one: Pending) => LastSeen) => {
    // Together: their records share a write.
    const end = async (one: Pending) => finish(await endOne(one, seen(one), run));
    await Promise.all(ended.map(end));
    const isEnded = new Set(ended);
    open = open.filter((one) => !isEnded.has(one));
  };
  const look = async () => {
    const tasks = open.map(({ task }) => task);
    const looked = await lookUp(tasks, run, open.every(isWritten));
    if ('failed' in looked) {
      await endAll(open, () => looked);
      return;
    }
    const { find } = looked;
    const isOver = ({ until }: Pending) => until <= clock.now() || signal.aborted;
    await endAll(
      open.filter((one) => one.isFinal(find(one.task)) || isOver(one)),
      ({ task }) => find(task),
    );
  };
  const announceWait = () => {
    const ms = Math.max(0, ...open.map(({ until }) => until)) - clock.now();
    if (open.length === 0) return 0;
    onEvent({ type: 'settling', addresses: open.map(({ task }) => task.change.address), ms });
    return Math.max(1, ms);
  };
  // An interrupt ends the waits; what is open then is ended without a look.
  while (open.length > 0) await lookUntil(look, announceWait, run);
}

/** Whether an answer has shown that the object is there. */
const isWritten = ({ isUncertain, task }: Pending): boolean =>
  !isUncertain && task.change.action !== 'delete';

async function endOne(one: Pending, seen: LastSeen, { halt }: Pick<Run, 'halt'>): Promise<Ending> {
  try {
    return await one.end(seen);
  } catch (error) {
    halt();
    const why = `The run cannot continue: ${messageOf(error)}`;
    return ending(one.task, 'unknown', one.log, { error: why });
  }
}
