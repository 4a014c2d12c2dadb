import type { RateLimit } from '../kinds/project.ts';
import { pauseText, type Unsent, unsentAnswer } from './answer.ts';
import type { Clock } from './clock.ts';

export interface Permit {
  release(): void;
  /** Nothing was sent after all. */
  withdraw(): void;
  /** The attempt has ended with a refusal (429): no request of this API version is sent for `ms`. */
  pause(ms: number): void;
}

interface RateLimiterOptions {
  readonly limits: RateLimit;
  readonly clock: Clock;
  readonly longestPause: number;
  /** Called when requests of `version` start to wait, for `ms`. */
  onWait(version: string, ms: number): void;
}

type Admit = (entry: Permit | Unsent) => void;

const interrupted = unsentAnswer('interrupted', 'the run was interrupted');

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
    if (signal?.aborted) return Promise.resolve(interrupted);
    return new Promise((resolve) => {
      const lane = this.#lane(version);
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

  #lane(version: string): LimitedQueue {
    const existing = this.#lanes.get(version);
    if (existing) return existing;
    const lane = {
      window: new SlidingWindow(this.#options.limits),
      queue: [],
      announcedUntil: Number.NEGATIVE_INFINITY,
    };
    this.#lanes.set(version, lane);
    return lane;
  }

  /** Admits requests that may start, the versions in turn, and sets a timer for the next one. */
  #pump(): void {
    const now = this.#options.clock.now();
    let next = Number.POSITIVE_INFINITY;
    let lanes = [...this.#lanes].filter(([, { queue }]) => queue.length > 0);
    while (lanes.length > 0 && this.#running < this.#options.limits.concurrency) {
      const open: typeof lanes = [];
      for (const [version, lane] of lanes) {
        const wait = this.#admitOne(version, lane, now);
        if (wait > 0) next = Math.min(next, wait);
        else if (lane.queue.length > 0) open.push([version, lane]);
      }
      lanes = open;
    }
    this.#wakeIn(next);
  }

  /** Returns how long the first of the lane has to wait; 0 when it was admitted. */
  #admitOne(version: string, lane: LimitedQueue, now: number): number {
    if (this.#running >= this.#options.limits.concurrency) return 0;
    const pause = lane.window.pauseLeft(now);
    if (pause > this.#options.longestPause) {
      for (const admit of lane.queue.splice(0)) admit(unsentAnswer('rate-limited', pauseText(pause)));
      return 0;
    }
    const wait = lane.window.wait(now);
    if (wait > 0) {
      if (now + wait > lane.announcedUntil) {
        lane.announcedUntil = now + wait;
        this.#options.onWait(version, wait);
      }
      return wait;
    }
    const admit = lane.queue.shift();
    admit?.(this.#permit(lane.window, lane.window.start(now)));
    return 0;
  }

  #permit(window: SlidingWindow, slot: Slot): Permit {
    this.#running += 1;
    const end = (): void => {
      window.finish(slot, this.#options.clock.now());
      this.#running -= 1;
    };
    return {
      release: () => {
        end();
        this.#pump();
      },
      withdraw: () => {
        end();
        window.withdraw(slot);
        this.#pump();
      },
      pause: (ms) => {
        end();
        window.refuse(slot, ms, this.#options.clock.now());
        this.#pump();
      },
    };
  }

  #wakeIn(ms: number): void {
    this.#alarm?.abort();
    this.#alarm = null;
    if (ms === Number.POSITIVE_INFINITY) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    void this.#options.clock.sleep(Math.ceil(ms), alarm.signal).then(() => {
      if (!alarm.signal.aborted) this.#pump();
    });
  }
}

/** One request in a window. The tenant counts it on arrival: some time between its start and its answer. */
interface Slot {
  arrivedBy: number;
  refused: boolean;
}

/** The longest assumed time from a request's start to its arrival, as a share of the period. */
const longestTransit = 0.05;

/** A margin in milliseconds: clocks tick in whole ones and drift a little. */
const margin = 15;

/**
 * At most `requests` arrive at the tenant in any `per` milliseconds. A slot becomes free one period after the latest possible
 * arrival, so that jitter cannot put more into the tenant's window. A refusal lowers the limit, at most by half; each period
 * without one raises it by a tenth of the configured limit. Has no clock: every call gets the time.
 */
export class SlidingWindow {
  readonly #limit: Pick<RateLimit, 'requests' | 'per'>;
  #allowed: number;
  #changedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #slots: Slot[] = [];

  constructor(limit: Pick<RateLimit, 'requests' | 'per'>) {
    this.#limit = limit;
    this.#allowed = limit.requests;
  }

  /** Milliseconds until the pause after a refusal ends; 0 without a pause. */
  pauseLeft(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** Milliseconds until a request may start; 0 when one may start now. */
  wait(now: number): number {
    this.#recover(now);
    this.#slots = this.#slots.filter((slot) => this.#freeAt(slot) > now);
    const excess = this.#slots.length - this.#allowed;
    if (excess < 0) return this.pauseLeft(now);
    const frees = this.#slots.map((slot) => this.#freeAt(slot)).sort((a, b) => a - b);
    return Math.max(this.pauseLeft(now), (frees[excess] ?? now) - now);
  }

  start(now: number): Slot {
    const slot = { arrivedBy: now + this.#limit.per * longestTransit, refused: false };
    this.#slots.push(slot);
    return slot;
  }

  finish(slot: Slot, now: number): void {
    slot.arrivedBy = Math.min(slot.arrivedBy, now);
  }

  withdraw(slot: Slot): void {
    this.#slots = this.#slots.filter((other) => other !== slot);
  }

  /** The tenant refused the request of `slot` (429) and asked for a pause of `ms`. */
  refuse(slot: Slot, ms: number, now: number): void {
    slot.refused = true;
    // Later refusals of requests that were already on their way carry no new information.
    if (this.pauseLeft(now) === 0) {
      const taken = this.#slots.filter(({ refused }) => !refused).length;
      this.#allowed = Math.max(1, Math.min(this.#allowed, Math.max(taken, Math.floor(this.#allowed / 2))));
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
    this.#changedAt = this.#pausedUntil;
  }

  #freeAt(slot: Slot): number {
    return slot.arrivedBy + this.#limit.per + margin;
  }

  #recover(now: number): void {
    const { requests, per } = this.#limit;
    if (this.#allowed >= requests || now - this.#changedAt < per) return;
    this.#allowed = Math.min(requests, this.#allowed + Math.ceil(requests / 10));
    this.#changedAt = now;
  }
}
