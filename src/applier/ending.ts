import type { LiveObject } from '../model/live.ts';
import type { ChangeOutcome, SentRequest } from '../model/result.ts';
import type { Task } from './verify.ts';

/** How a change ended. */
export interface Ending {
  readonly task: Task;
  readonly outcome: ChangeOutcome;
  /** The object as it was last seen. */
  readonly live: LiveObject | null;
  readonly requests: readonly SentRequest[];
  readonly error: string | null;
  readonly warnings: readonly string[];
}

export function ending(
  task: Task,
  outcome: ChangeOutcome,
  requests: readonly SentRequest[],
  more: Partial<Pick<Ending, 'live' | 'error' | 'warnings'>> = {},
): Ending {
  return { task, outcome, requests, live: task.live, error: null, warnings: [], ...more };
}
