import type { TenantState } from './state.ts';

/** Time as the embedded tenant sees it; tests bring their own. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

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

  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  stop(): void {
    this.#stopped.abort();
  }
}

/** The tenant before its last writes, for reads that lag behind them. */
export class History {
  readonly #lag: number;
  readonly #now: () => number;
  /** In order of time; each state was the tenant's until `until`. */
  #past: { readonly until: number; readonly state: TenantState }[] = [];

  constructor(lag: number, now: () => number) {
    this.#lag = lag;
    this.#now = now;
  }

  /** Does `write`, and keeps the state before it for as long as reads may show it. */
  record<T>(state: TenantState, write: () => T): T {
    if (this.#lag === 0) return write();
    const before = structuredClone(state);
    const done = write();
    this.#past.push({ until: this.#now(), state: before });
    return done;
  }

  /** The state that a read shows. Changes that were made without a request show at once. */
  visibleState(current: TenantState): TenantState {
    if (this.#lag === 0) return current;
    const then = this.#now() - this.#lag;
    this.#past = this.#past.filter(({ until }) => until > then);
    return this.#past[0]?.state ?? current;
  }

  clear(): void {
    this.#past = [];
  }
}
