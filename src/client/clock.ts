/** Time as the client sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const longestTimer = 2 ** 31 - 1;

/** A clock that never jumps. Node's `performance` has one too, but takes 4 ms to load. */
const startedAt = process.hrtime.bigint();
const origin = Date.now();

export const systemClock: Clock = {
  now: () => origin + Number(process.hrtime.bigint() - startedAt) / 1e6,
  sleep(ms, signal) {
    // Most runs never sleep.
    const { setTimeout: wait } = process.getBuiltinModule('node:timers/promises');
    const whole = Math.min(Math.max(ms, 0), longestTimer);
    return wait(whole, undefined, signal ? { signal } : {}).catch(() => {});
  },
};
