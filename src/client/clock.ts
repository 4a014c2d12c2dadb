import { setTimeout as wait } from 'node:timers/promises';

/** Time as the client sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) =>
    wait(Math.min(Math.max(ms, 0), longestTimer), undefined, signal ? { signal } : {}).catch(() => {}),
};
