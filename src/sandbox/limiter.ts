export interface RateLimit {
  readonly requests: number;
  /** Milliseconds. */
  readonly per: number;
}

/** A sliding window for each name: at most `requests` admitted in any `per` milliseconds. */
export class RateLimiter {
  readonly #limit: RateLimit | null;
  readonly #admitted = new Map<string, number[]>();

  constructor(limit: RateLimit | null) {
    this.#limit = limit;
  }

  /** Admits a request at `now` and returns 0, or refuses it and returns the milliseconds to wait. */
  admit(name: string, now: number): number {
    if (this.#limit === null) return 0;
    const { requests, per } = this.#limit;
    const recent = (this.#admitted.get(name) ?? []).filter((time) => time > now - per);
    this.#admitted.set(name, recent);
    if (recent.length < requests) {
      recent.push(now);
      return 0;
    }
    return Math.max(1, (recent[0] ?? now) + per - now);
  }
}
