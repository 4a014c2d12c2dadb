import { type Answer, mayHaveHappened } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Pass } from './gate.ts';
import { nextStep, type RetryLimits } from './retry.ts';

/** Something to be tried until it is answered or there is no hope. */
export interface Task {
  readonly repeatable: boolean;
  /** Whether it changes the tenant: then an attempt that may have been carried out is never forgotten. */
  readonly writes: boolean;
  readonly signal: AbortSignal | undefined;
  /** One attempt, counted from 1. */
  attempt(count: number): Promise<Attempt>;
  /** Gets a token other than the one that was refused; `null` where none can be had. */
  readonly renewToken: ((stale: string) => Promise<unknown>) | null;
  /** Told before each wait. */
  onRetry?(attempt: number, ms: number, answer: Answer): void;
}

export interface Attempt {
  readonly answer: Answer;
  /** The place at the gate, to be given back. */
  readonly pass: Pass | null;
  /** The token it was made with. */
  readonly token: string | null;
}

export interface Outcome {
  readonly answer: Answer;
  readonly attempts: number;
  readonly ms: number;
  /** See {@link Sent}: an earlier attempt may have been carried out. */
  readonly repeated: boolean;
}

export interface PersistTools {
  readonly clock: Clock;
  readonly retries: RetryLimits;
  random(): number;
}

/** Tries until an attempt ends the matter; what to do in between is decided by {@link nextStep}. */
export async function persist(task: Task, { clock, retries, random }: PersistTools): Promise<Outcome> {
  let began: number | null = null;
  let renewed = false;
  let uncertain: Answer | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const { answer, pass, token } = await task.attempt(attempt);
    const now = clock.now();
    began ??= now;
    const step = nextStep(
      {
        answer,
        repeatable: task.repeatable,
        attempt,
        elapsed: now - began,
        renewable: task.renewToken !== null && !renewed,
        now,
        random: random(),
      },
      retries,
    );
    if (step.do === 'pause') pass?.refuse(step.ms);
    else pass?.leave();
    if (step.do === 'finish' || (step.do === 'pause' && !step.again)) {
      const last = uncertain !== null && answer.outcome === 'unsent' ? uncertain : answer;
      return { answer: last, attempts: attempt, ms: Math.round(now - began), repeated: uncertain !== null };
    }
    if (task.writes && mayHaveHappened(answer)) uncertain = answer;
    if (step.do === 'renew-token') {
      renewed = true;
      if (token !== null) await task.renewToken?.(token);
    } else {
      task.onRetry?.(attempt, step.ms, answer);
      // With a pass, the gate holds all requests of the version back.
      if (step.do === 'wait' || pass === null) await clock.sleep(step.ms, task.signal);
    }
  }
}
