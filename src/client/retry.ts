import type { Answer } from './answer.ts';
import { retryAfter } from './retry-after.ts';

/** How long a request is tried: attempts after failures, and milliseconds over all attempts and waits. */
export interface RetryLimits {
  readonly attempts: number;
  readonly total: number;
  /** The first wait; each further one is twice as long, up to `longestWait`. */
  readonly firstWait: number;
  readonly longestWait: number;
}

export const defaultRetryLimits: RetryLimits = {
  attempts: 5,
  total: 300_000,
  firstWait: 400,
  longestWait: 20_000,
};

/** What is known when an attempt has ended. */
export interface Attempted {
  readonly answer: Answer;
  /** Whether carrying the request out twice leaves what once would have left. */
  readonly repeatable: boolean;
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsed: number;
  /** Whether a new token can be had, and none was asked for because of this request. */
  readonly renewable: boolean;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** What to do next: take the answer, or try again at once with a new token, after a wait, or once all may go on. */
export type Step =
  | { readonly do: 'finish' }
  | { readonly do: 'renew-token' }
  | { readonly do: 'wait'; readonly ms: number }
  /** A rate limit: every request of the API version waits, and this one is sent `again` afterwards or given up. */
  | { readonly do: 'pause'; readonly ms: number; readonly again: boolean };

/**
 * Decides after an attempt (design, section 6.4). Refusals that say "not carried out" (401, 429, no connection) allow
 * another attempt of any request; a lost answer or 502, 503, 504 only of one that may be carried out twice.
 */
export function nextStep(attempted: Attempted, limits: RetryLimits): Step {
  const { answer, repeatable } = attempted;
  switch (answer.outcome) {
    case 'answered':
      if (answer.status === 401 && attempted.renewable) return { do: 'renew-token' };
      if (answer.status === 429) return pause(attempted, answer.headers['retry-after'], limits);
      if (!repeatable || ![502, 503, 504].includes(answer.status)) return { do: 'finish' };
      return waitFor(attempted, retryAfter(answer.headers['retry-after'], attempted.now), limits);
    case 'lost':
      if (!repeatable || answer.reason === 'interrupted' || answer.reason === 'too-large') {
        return { do: 'finish' };
      }
      return waitFor(attempted, null, limits);
    case 'unsent':
      return answer.reason === 'unreachable' ? waitFor(attempted, null, limits) : { do: 'finish' };
  }
}

function pause(attempted: Attempted, header: string | undefined, limits: RetryLimits): Step {
  const asked = retryAfter(header, attempted.now);
  const ms = asked === null || asked === 0 ? backoff(attempted, limits) : asked;
  return { do: 'pause', ms, again: attempted.elapsed + ms <= limits.total };
}

function waitFor(attempted: Attempted, atLeast: number | null, limits: RetryLimits): Step {
  const ms = Math.max(backoff(attempted, limits), atLeast ?? 0);
  const spent = attempted.attempt >= limits.attempts || attempted.elapsed + ms > limits.total;
  return spent ? { do: 'finish' } : { do: 'wait', ms };
}

/** Doubles with every attempt; the upper half is left to chance, so that clients do not come back together. */
function backoff({ attempt, random }: Attempted, { firstWait, longestWait }: RetryLimits): number {
  const full = Math.min(firstWait * 2 ** (attempt - 1), longestWait);
  return Math.round(full / 2 + (full / 2) * random);
}
