import type { RateLimit } from '../kinds/project.ts';
import { pauseText, type Unsent, unsentAnswer } from './answer.ts';

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

export interface Permit {
  /** The attempt has ended. `pause`: with a refusal (429), so no request of this API version is sent for so many milliseconds. */
  release(pause?: number): void;
  /** Nothing was sent after all. */
  withdraw(): void;
}

interface RateLimiterOptions {
  readonly limits: RateLimit;
  readonly clock: Clock;
  readonly longestPause: number;
  /** Told when requests of a version start to wait. */
  onEvent(event: { readonly type: 'rate-limit-wait'; readonly version: string; readonly ms: number }): void;
}

type Admit = (entry: Permit | Unsent) => void;

interface LimitedQueue {
  readonly window: SlidingWindow;
  readonly queue: Admit[];
  announcedUntil: number;
}

/** Admits requests: a sliding window for each API version, and a limit of concurrent requests over all of them. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #lanes = new Map<string, LimitedQueue>();
  #running = 0;
  #alarm: AbortController | null = null;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** @param first whether it goes to the front of the queue: a repeated attempt waits for no other request */
  acquire(version: string, signal: AbortSignal | undefined, first: boolean): Promise<Permit | Unsent> {
    const interrupted = unsentAnswer('interrupted', 'the run was interrupted');
    if (signal?.aborted) return Promise.resolve(interrupted);
    const lane = this.#lanes.get(version) ?? {
      window: new SlidingWindow(this.#options.limits),
      queue: [],
      announcedUntil: Number.NEGATIVE_INFINITY,
    };
    this.#lanes.set(version, lane);
    return new Promise((resolve) => {
      const interrupt = (): void => {
        lane.queue.splice(lane.queue.indexOf(admit), 1);
        resolve(interrupted);
        this.#pump();
      };
      const admit: Admit = (entry) => {
        signal?.removeEventListener('abort', interrupt);
        resolve(entry);
      };
      signal?.addEventListener('abort', interrupt, { once: true });
      if (first) lane.queue.unshift(admit);
      else lane.queue.push(admit);
      this.#pump();
    });
  }

  /** Admits requests that may start, the versions in turn, and sets a timer for the next one. */
  #pump(): void {
    const { clock, limits } = this.#options;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (let mayAdmit = true; mayAdmit; ) {
      mayAdmit = false;
      for (const [version, lane] of this.#lanes) {
        if (lane.queue.length === 0 || this.#running >= limits.concurrency) continue;
        const wait = this.#admitOne(version, lane, now);
        if (wait > 0) next = Math.min(next, wait);
        else mayAdmit = true;
      }
    }
    this.#alarm?.abort();
    if (next === Number.POSITIVE_INFINITY) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    void clock.sleep(Math.ceil(next), alarm.signal).then(() => {
      if (!alarm.signal.aborted) this.#pump();
    });
  }

  /** Returns how long the first of the lane has to wait; 0 when it was admitted. */
  #admitOne(version: string, lane: LimitedQueue, now: number): number {
    const { clock, longestPause, onEvent } = this.#options;
    const { window, queue } = lane;
    const wait = window.wait(now);
    if (window.pausedUntil - now > longestPause) {
      const refused = unsentAnswer('rate-limited', pauseText(window.pausedUntil - now));
      for (const admit of queue.splice(0)) admit(refused);
      return 0;
    }
    if (wait > 0) {
      if (now + wait > lane.announcedUntil) {
        lane.announcedUntil = now + wait;
        onEvent({ type: 'rate-limit-wait', version, ms: Math.round(wait) });
      }
      return wait;
    }
    const slot = window.start(now);
    this.#running += 1;
    queue.shift()?.({
      release: (pause) => {
        this.#running -= 1;
        window.finish(slot, clock.now(), pause);
        this.#pump();
      },
      withdraw: () => {
        this.#running -= 1;
        // Its place is free at once.
        window.finish(slot, Number.NEGATIVE_INFINITY);
        this.#pump();
      },
    });
    return 0;
  }
}

interface Slot {
  freeAt: number;
  refused: boolean;
}

/** The longest assumed time from a request's start to its arrival, as a share of the period. */
const longestTransit = 0.05;

/** A margin in milliseconds: clocks tick in whole ones and drift a little. */
const margin = 15;

/**
 * At most `requests` arrive at the tenant in any `per` milliseconds. The tenant counts a request on arrival, some time between its
 * start and its answer. Its slot becomes free one period after the latest possible arrival, so that jitter cannot put more into the
 * tenant's window. A refusal lowers the limit, at most by half; each period without one raises it by a tenth of the configured
 * limit. Has no clock: every call gets the time.
 */
export class SlidingWindow {
  readonly #limit: Pick<RateLimit, 'requests' | 'per'>;
  #allowed: number;
  #changedAt = Number.NEGATIVE_INFINITY;
  #slots: Slot[] = [];
  pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(limit: Pick<RateLimit, 'requests' | 'per'>) {
    this.#limit = limit;
    this.#allowed = limit.requests;
  }

  /** Milliseconds until a request may start; 0 when one may start now. */
  wait(now: number): number {
    const { requests, per } = this.#limit;
    if (this.#allowed < requests && now - this.#changedAt >= per) {
      this.#allowed = Math.min(requests, this.#allowed + Math.ceil(requests / 10));
      this.#changedAt = now;
    }
    this.#slots = this.#slots.filter(({ freeAt }) => freeAt > now);
    const excess = this.#slots.length - this.#allowed;
    const frees = excess < 0 ? [] : this.#slots.map(({ freeAt }) => freeAt).sort((a, b) => a - b);
    return Math.max(0, this.pausedUntil - now, (frees[excess] ?? now) - now);
  }

  start(now: number): Slot {
    const slot = { freeAt: now + this.#limit.per * (1 + longestTransit) + margin, refused: false };
    this.#slots.push(slot);
    return slot;
  }

  /** The request was answered. `pause`: the tenant refused it (429), and asked for a pause of so many milliseconds. */
  finish(slot: Slot, now: number, pause?: number): void {
    slot.freeAt = Math.min(slot.freeAt, now + this.#limit.per + margin);
    if (pause === undefined) return;
    slot.refused = true;
    // Later refusals of requests that were already on their way carry no new information.
    if (this.pausedUntil <= now) {
      const taken = this.#slots.filter(({ refused }) => !refused).length;
      this.#allowed = Math.max(1, Math.min(this.#allowed, Math.max(taken, Math.floor(this.#allowed / 2))));
    }
    this.pausedUntil = Math.max(this.pausedUntil, now + pause);
    this.#changedAt = this.pausedUntil;
  }
}
