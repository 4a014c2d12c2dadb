import type { Request } from '../model/documents.ts';
import { type Answer, type Answered, mayHaveHappened, pauseText, type Sent } from './answer.ts';
import { trackingIdOf } from './describe.ts';
import type { Clock, Permit } from './rate-limiter.ts';

/** Attempts after failures, and times in milliseconds. */
export const defaultRetryLimits = {
  attempts: 5,
  /** Over all attempts and waits. */
  total: 300_000,
  /** The least time for the last attempt, so that a prompt answer is not missed. */
  lastAttempt: 10_000,
  /** When to give up on an unreachable host. */
  unreachable: 10_000,
  /** The first wait; each further one is twice as long, up to `longestWait`. */
  firstWait: 400,
  longestWait: 20_000,
};

type RetryLimits = typeof defaultRetryLimits;

interface RetryTask {
  readonly request: Pick<Request, 'method' | 'path' | 'query'>;
  readonly repeatable: boolean;
  /** True when it changes the tenant: then an attempt that may have been carried out always counts. */
  readonly writes: boolean;
  readonly signal: AbortSignal;
  /** Gives up after `longest` milliseconds; `count` begins with 1. */
  attempt(count: number, longest: number): Promise<Attempt>;
  /** Drops the refused token, so that the next attempt has another one. False if there is no other. */
  readonly dropToken?: (refused: string) => boolean;
}

interface Attempt {
  readonly answer: Answer;
  /** When it began: includes the time for its token, but not in the queue. */
  readonly startedAt: number;
  /** Attempts to fetch a token that failed before: they count as attempts of the request. */
  readonly failedFetches?: number;
  readonly permit?: Permit;
  readonly token?: string;
}

interface RetryTools {
  readonly clock: Clock;
  readonly retries: RetryLimits;
  random(): number;
  onRetry(request: RetryTask['request'], attempt: number, ms: number, answer: Answer): void;
}

/** Sends a request until {@link nextStep} says that its answer is final. */
export async function sendWithRetry(
  task: RetryTask,
  { clock, retries, random, onRetry }: RetryTools,
): Promise<Sent> {
  let startedAt: number | null = null;
  let isRenewed = false;
  let uncertain: Answer | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const left = retries.total - (startedAt === null ? 0 : clock.now() - startedAt);
    const attempted = await task.attempt(attempt, Math.max(left, retries.lastAttempt));
    const { answer, permit, token } = attempted;
    attempt += attempted.failedFetches ?? 0;
    const now = clock.now();
    startedAt ??= attempted.startedAt;
    const elapsed = now - startedAt;
    const isRefused = answer.outcome === 'answered' && answer.status === 401 && token !== undefined;
    const renewable = isRefused && !isRenewed && task.dropToken?.(token) === true;
    const { repeatable } = task;
    const state = { answer, repeatable, attempt, elapsed, renewable, now, random: random() };
    const step = nextStep(state, retries);
    permit?.release(step.do === 'pause' ? step.ms : undefined);
    if (step.do === 'finish' || (step.do === 'pause' && !step.again)) {
      const isTooLong = step.do === 'pause' && step.ms > retries.total && answer.outcome === 'answered';
      const advice = isTooLong && { hint: `Run again later: ${pauseText(step.ms)}.` };
      const final = advice ? { ...answer, advice } : answer;
      const last = uncertain !== null && answer.outcome === 'unsent' ? uncertain : final;
      const ms = Math.round(elapsed);
      return { ...last, attempts: attempt, ms, trackingId: trackingIdOf(last), repeated: uncertain !== null };
    }
    if (task.writes && mayHaveHappened(answer)) uncertain = answer;
    if (step.do === 'renew-token') {
      isRenewed = true;
    } else {
      onRetry(task.request, attempt, step.ms, answer);
      // After a pause, the rate limiter holds back all requests of the version.
      if (step.do === 'wait' || !permit) await clock.sleep(step.ms, task.signal);
    }
  }
}

interface Attempted {
  readonly answer: Answer;
  readonly repeatable: boolean;
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsed: number;
  /** True when there can be a new token, and this request has not asked for one yet. */
  readonly renewable: boolean;
  readonly now: number;
  readonly random: number;
}

type RetryStep =
  | { readonly do: 'finish' }
  | { readonly do: 'renew-token' }
  | { readonly do: 'wait'; readonly ms: number }
  /** A rate limit: all requests of the API version wait; this one is sent `again` afterwards, or given up. */
  | { readonly do: 'pause'; readonly ms: number; readonly again: boolean };

/**
 * Decides what follows an attempt (design, section 6.4). Any request is retried after an answer that says "not carried
 * out" (401, 429, no connection); after a lost answer or 502, 503, 504 only one that may be carried out twice.
 */
function nextStep(
  { answer, repeatable, attempt, elapsed, renewable, now, random }: Attempted,
  limits: RetryLimits,
): RetryStep {
  const status = answer.outcome === 'answered' ? answer.status : null;
  if (status === 401 && renewable) return { do: 'renew-token' };
  const mayPass =
    answer.outcome === 'unsent'
      ? answer.reason === 'unreachable'
      : answer.outcome === 'lost'
        ? repeatable && !['interrupted', 'too-large', 'too-much'].includes(answer.reason)
        : status === 429 || (repeatable && [502, 503, 504].includes(answer.status));
  if (!mayPass) return { do: 'finish' };
  // Doubles with every attempt. The upper half is random, so that clients do not come back together.
  const full = Math.min(limits.firstWait * 2 ** (attempt - 1), limits.longestWait);
  const usual = Math.round(full / 2 + (full / 2) * random);
  const asked = answer.outcome === 'answered' ? askedWait(answer, now) : null;
  if (status === 429) {
    const ms = asked || usual;
    return { do: 'pause', ms, again: elapsed + ms <= limits.total };
  }
  const ms = Math.max(usual, asked ?? 0);
  const total = answer.outcome === 'unsent' ? Math.min(limits.total, limits.unreachable) : limits.total;
  const isSpent = attempt >= limits.attempts || elapsed + ms > total;
  return isSpent ? { do: 'finish' } : { do: 'wait', ms };
}

/** Without the host's own time, a date may be far off because the local clock is: no wait is longer than this. */
const longestGuess = 60_000;

/** The milliseconds of `Retry-After`, which has seconds or a date (RFC 9110, 10.2.3). `null` if it is not there or makes no sense. */
function askedWait({ headers }: Answered, now: number): number | null {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const at = dateOf(value);
  if (at === null) return null;
  // The host's own time counts: local clocks are often wrong.
  const sentAt = dateOf(headers.date);
  return sentAt === null ? Math.min(Math.max(0, at - now), longestGuess) : Math.max(0, at - sentAt);
}

/** The time in an HTTP date, in milliseconds since 1970; `null` for any other text. */
export function dateOf(text: string | undefined): number | null {
  const value = text?.trim() ?? '';
  const at = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
