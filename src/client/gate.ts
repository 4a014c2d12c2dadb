import type { RateLimit } from '../model/project.ts';
import type { Clock } from './clock.ts';
import { type Slot, Window } from './window.ts';

/** Leave to send one request. */
export interface Pass {
  /** The attempt is over. */
  leave(): void;
  /** The attempt is over: the tenant refused it and wants no request of this API version for `ms`. */
  refuse(ms: number): void;
}

export type Entry =
  | { readonly granted: true; readonly pass: Pass }
  | { readonly granted: false; readonly why: 'interrupted' }
  /** The tenant asked for a pause longer than anyone waits. */
  | { readonly granted: false; readonly why: 'paused'; readonly ms: number };

export interface GateOptions {
  readonly limits: RateLimit;
  readonly clock: Clock;
  /** A pause longer than this ends a wait. */
  readonly longestPause: number;
  /** Requests of `version` begin to wait for `ms`. */
  onWait(version: string, ms: number): void;
}

interface Waiting {
  readonly admit: (entry: Entry) => void;
}

interface Lane {
  readonly window: Window;
  readonly queue: Waiting[];
  toldUntil: number;
}

/** One door for all requests: a sliding window for each API version, and so many at once over all. */
export class Gate {
  readonly #options: GateOptions;
  readonly #lanes = new Map<string, Lane>();
  #running = 0;
  #alarm: AbortController | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Waits until a request of `version` may be sent.
   *
   * @param ahead whether it was at the front before, and goes there again
   */
  enter(version: string, signal: AbortSignal | undefined, ahead: boolean): Promise<Entry> {
    if (signal?.aborted) return Promise.resolve({ granted: false, why: 'interrupted' });
    return new Promise((resolve) => {
      const lane = this.#lane(version);
      const interrupt = (): void => {
        lane.queue.splice(lane.queue.indexOf(waiting), 1);
        resolve({ granted: false, why: 'interrupted' });
        this.#pump();
      };
      const waiting: Waiting = {
        admit(entry) {
          signal?.removeEventListener('abort', interrupt);
          resolve(entry);
        },
      };
      signal?.addEventListener('abort', interrupt, { once: true });
      if (ahead) lane.queue.unshift(waiting);
      else lane.queue.push(waiting);
      this.#pump();
    });
  }

  #lane(version: string): Lane {
    const known = this.#lanes.get(version);
    if (known) return known;
    const lane = { window: new Window(this.#options.limits), queue: [], toldUntil: Number.NEGATIVE_INFINITY };
    this.#lanes.set(version, lane);
    return lane;
  }

  /** Lets in whoever may go, taking turns between the versions, and sets an alarm for the next one. */
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

  /** Admits the first of the lane; returns how long it has to wait instead, or 0. */
  #admitOne(version: string, lane: Lane, now: number): number {
    if (this.#running >= this.#options.limits.concurrency) return 0;
    const pause = lane.window.pauseLeft(now);
    if (pause > this.#options.longestPause) {
      for (const waiting of lane.queue.splice(0)) waiting.admit({ granted: false, why: 'paused', ms: pause });
      return 0;
    }
    const wait = lane.window.wait(now);
    if (wait > 0) {
      this.#tell(version, lane, wait, now);
      return wait;
    }
    const first = lane.queue.shift();
    if (first) first.admit({ granted: true, pass: this.#pass(lane.window, lane.window.start(now)) });
    return 0;
  }

  #pass(window: Window, slot: Slot): Pass {
    this.#running += 1;
    const end = (): void => {
      window.finish(slot, this.#options.clock.now());
      this.#running -= 1;
    };
    return {
      leave: () => {
        end();
        this.#pump();
      },
      refuse: (ms) => {
        end();
        window.refuse(slot, ms, this.#options.clock.now());
        this.#pump();
      },
    };
  }

  #tell(version: string, lane: Lane, wait: number, now: number): void {
    if (now + wait <= lane.toldUntil) return;
    lane.toldUntil = now + wait;
    this.#options.onWait(version, wait);
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
