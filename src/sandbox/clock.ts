import { setTimeout as wait } from 'node:timers/promises';

/** Time as the embedded tenant sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}).catch(() => {}),
};

/** Work that is done some time after its request was answered. */
export class LateWork {
  readonly #clock: Clock;
  readonly #pending = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does `work` in `ms` milliseconds, unless the tenant is stopped before. */
  add(ms: number, work: () => void): void {
    const { signal } = this.#stopped;
    const pending = this.#clock.sleep(ms, signal).then(() => {
      this.#pending.delete(pending);
      if (!signal.aborted) work();
    });
    this.#pending.add(pending);
  }

  /** Resolves when all of it is done. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  stop(): void {
    this.#stopped.abort();
  }
}
