import type { RateLimit } from '../kinds/project.ts';

/** One request in a window. The tenant counts it on arrival: some time between its start and its answer. */
export interface Slot {
  arrivedBy: number;
  refused: boolean;
}

/**
 * The longest lag between a request's start and its arrival that is assumed, as a share of the period. It limits how
 * much a slow answer can delay others.
 */
const longestTransit = 0.05;

/** A margin in milliseconds: clocks tick in whole ones and drift a little. */
const guard = 15;

/**
 * The sliding window of one API version: at most `requests` arrive at the tenant in any `per` milliseconds. A slot
 * becomes free one period after the request's latest possible arrival, so that network jitter cannot put more into
 * the tenant's window than it allows. A refusal lowers the limit, at most by half; each period without one raises it
 * by a tenth of the configured limit. Has no clock: every call gets the time.
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

  /** Milliseconds until the pause after a refusal ends; 0 when there is none. */
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

  /** The request of `slot` was not sent. */
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
    return slot.arrivedBy + this.#limit.per + guard;
  }

  #recover(now: number): void {
    const { requests, per } = this.#limit;
    if (this.#allowed >= requests || now - this.#changedAt < per) return;
    this.#allowed = Math.min(requests, this.#allowed + Math.ceil(requests / 10));
    this.#changedAt = now;
  }
}
