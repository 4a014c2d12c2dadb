import type { TenantState } from './state.ts';

/** What the tenant was before its last writes, for reads that lag behind them. */
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

  /** Lets reads show the current state. */
  clear(): void {
    this.#past = [];
  }
}
