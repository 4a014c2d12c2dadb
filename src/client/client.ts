import { setMaxListeners } from 'node:events';
import type { Call as ApiCall } from '../kinds/http.ts';
import type { Endpoint, Secrets } from '../kinds/project.ts';
import { Failure } from '../model/failure.ts';
import type { TenantName } from '../model/network.ts';
import type { Request } from '../model/plan.ts';
import { isRepeatable } from '../model/repeatable.ts';
import { type Answer, holdsMessage, neverSent, type Sent, type Unsent, unsentAnswer } from './answer.ts';
import { createTokenSources } from './auth.ts';
import { type Clock, systemClock } from './clock.ts';
import { describeAnswer, trackingIdOf } from './describe.ts';
import type { ClientEvent, RequestName } from './event.ts';
import { type ClientTarget, type Preparation, type PreparedRequest, prepareRequest } from './prepare.ts';
import { type Admission, RateLimiter } from './rate-limiter.ts';
import { Redactor } from './redactor.ts';
import {
  type Attempt,
  defaultRetryLimits,
  type RetryLimits,
  type RetryTools,
  sendWithRetry,
  type Task,
} from './retry.ts';
import {
  type Call,
  createTransport,
  defaultTransportLimits,
  type Transport,
  type TransportLimits,
} from './transport.ts';

/** Talks to one tenant. */
export interface Client {
  readonly tenant: TenantName;
  /**
   * Sends a request, with token, rate limit and retries (design, section 6.4). Never rejects: every failure is an
   * answer. After an interrupt all waits end and nothing new is sent; a write that is on its way is waited for.
   */
  send(call: ApiCall, options?: SendOptions): Promise<Sent>;
  /** A text of the tenant without the secrets that were sent to it. A message has to do so before it cuts the text. */
  redact(text: string): string;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** No attempt starts after this time (milliseconds since 1970): what the request relies on is too old then. */
  readonly notAfter?: number | null;
  /** Asks the tenant again, even where the answer to an equal request is known. */
  readonly again?: boolean;
}

export interface ClientOptions {
  /** Ends all waits and reads when aborted. */
  readonly signal?: AbortSignal;
  onEvent?(event: ClientEvent): void;
  /** Removes secrets from messages of the tenant; it learns every secret and token that is sent. */
  readonly redactor?: Redactor;
  readonly timeouts?: Partial<TransportLimits>;
  readonly retries?: Partial<RetryLimits>;
  readonly clock?: Clock;
  /** Shared by the clients of several environments: a tenant counts the requests of one client id together. */
  readonly limiters?: Limiters;
  random?(): number;
}

/** Rate limiters by the tenant and the client id that they are for. */
export type Limiters = Map<string, RateLimiter>;

/** A client for the tenant. Close it when done: its connections keep the process alive. */
export function createClient(target: ClientTarget, secrets: Secrets, options: ClientOptions = {}): Client {
  return new TenantClient(target, secrets, options);
}

class TenantClient implements Client {
  readonly tenant: TenantName;
  readonly #options: ClientOptions;
  readonly #tools: RetryTools;
  readonly #redactor: Redactor;
  readonly #transport: Transport;
  readonly #limiter: RateLimiter;
  readonly #preparation: Preparation;
  readonly #closed = new AbortController();
  /** Aborted by the user or by `close`. */
  readonly #signal: AbortSignal;

  constructor(target: ClientTarget, secrets: Secrets, options: ClientOptions) {
    const { clock = systemClock, random = Math.random, timeouts, retries } = options;
    this.tenant = target.tenant;
    this.#options = options;
    this.#redactor = options.redactor ?? new Redactor();
    this.#signal = eitherOf(this.#closed.signal, options.signal);
    const limits = { ...defaultTransportLimits, ...timeouts };
    // A host that does not answer at all is not given longer than one that does.
    const unreachable = Math.min(defaultRetryLimits.unreachable, limits.total);
    this.#tools = { clock, random, retries: { ...defaultRetryLimits, unreachable, ...retries } };
    this.#transport = createTransport(target.limits.concurrency, limits, target.proxy);
    const createLimiter = () =>
      new RateLimiter({
        limits: target.limits,
        clock,
        longestPause: this.#tools.retries.total,
        onWait: (version, ms) => this.#emit({ type: 'rate-limit-wait', version, ms: Math.round(ms) }),
      });
    this.#limiter = sharedLimiter(target, options.limiters ?? new Map(), createLimiter);
    const sourceOf = createTokenSources({
      clock,
      redactor: this.#redactor,
      exchange: (call) => this.#exchangeForToken(call),
      onFetched: (tokenUrl) => this.#emit({ type: 'token-fetched', tokenUrl }),
    });
    this.#preparation = { target, secrets, redactor: this.#redactor, sourceOf };
  }

  async send(request: ApiCall, { signal: ofCall, notAfter = null }: SendOptions = {}): Promise<Sent> {
    const work = prepareRequest(request, this.#preparation);
    if ('outcome' in work) return neverSent(work);
    const signal = eitherOf(this.#signal, ofCall);
    const task: Task = {
      repeatable: isRepeatable(request),
      writes: request.method !== 'GET',
      signal,
      attempt: (count, longest) => this.#attempt({ ...work, signal, notAfter }, count, longest),
      dropToken: work.source.drop,
      onRetry: this.#tellRetry(nameOf(request)),
    };
    const sent = await sendWithRetry(task, this.#tools);
    if (sent.outcome !== 'answered' || sent.status !== 401) return sent;
    const advice = work.source.advise?.(sent);
    return advice ? { ...sent, advice } : sent;
  }

  redact(text: string): string {
    return this.#redactor.text(text);
  }

  close(): Promise<void> {
    this.#closed.abort();
    return this.#transport.close();
  }

  async #attempt(
    { notAfter, ...work }: Work & { readonly notAfter: number | null },
    count: number,
    longest: number,
  ): Promise<Attempt> {
    const { lane, source, signal } = work;
    const { clock, retries } = this.#tools;
    // Before the limiter, so that no permit is held while a token is fetched; after it, since the queue may be long.
    const askedAt = clock.now();
    const before = await source.current();
    if ('outcome' in before) return { answer: before, startedAt: askedAt, failedFetches: before.failures };
    const fetchedIn = clock.now() - askedAt;
    const entry = await this.#limiter.acquire(lane.group, signal, count > 1);
    const startedAt = clock.now() - fetchedIn;
    if (!entry.granted) return { answer: refusal(entry), startedAt };
    const { permit } = entry;
    const token = await source.current();
    const failedFetches = before.failures + token.failures;
    if ('outcome' in token) return { answer: token, startedAt, failedFetches, permit };
    if (notAfter !== null && clock.now() > notAfter) {
      permit.withdraw();
      const answer = unsentAnswer('outdated', 'the request had to wait, and may no longer be right');
      return { answer, startedAt, failedFetches };
    }
    const left = Math.max(longest - (clock.now() - startedAt), retries.lastAttempt);
    const turn = { attempt: count + failedFetches, longest: left };
    const answer = await this.#exchange(work, token.value, turn);
    return { answer, startedAt, failedFetches, permit, token: token.value };
  }

  async #exchange(work: Work, token: string, { attempt, longest }: Turn): Promise<Answer> {
    const { request, to, body, concealed, signal } = work;
    this.#emit({ type: 'request-started', request: nameOf(request), attempt });
    const { clock } = this.#tools;
    const startedAt = clock.now();
    const raw = await this.#transport.exchange({
      ...to,
      method: request.method,
      headers: { ...ownHeaders, ...request.headers, authorization: `Bearer ${token}` },
      body,
      longest,
      // A write on its way is waited for: without its answer the outcome would be unknown.
      signal: request.method === 'GET' ? signal : undefined,
    });
    // What a request conceals may be ordinary words, so it is only removed from the answers to that request.
    const redactor =
      concealed.length > 0 && (raw.outcome !== 'answered' || holdsMessage(raw))
        ? this.#redactor.with(concealed)
        : this.#redactor;
    const answer = redactor.answer(raw);
    this.#emit({
      type: 'request-finished',
      request: nameOf(request),
      attempt,
      ms: Math.round(clock.now() - startedAt),
      result: answer.outcome === 'answered' ? answer.status : answer.outcome,
      detail: answer.outcome === 'answered' ? null : answer.detail,
      trackingId: trackingIdOf(answer),
    });
    return answer;
  }

  #exchangeForToken(call: Omit<Call, 'signal' | 'longest'>): Promise<Sent> {
    const signal = this.#signal;
    const { method, path } = call;
    const task: Task = {
      // A token that got lost does no harm: fetching one may be repeated.
      repeatable: true,
      writes: false,
      signal,
      attempt: async (_count, longest) => {
        const startedAt = this.#tools.clock.now();
        return { answer: await this.#transport.exchange({ ...call, signal, longest }), startedAt };
      },
      dropToken: null,
      onRetry: this.#tellRetry({ method, path, query: {} }),
    };
    return sendWithRetry(task, this.#tools);
  }

  #tellRetry(request: RequestName): Task['onRetry'] {
    return (attempt, ms, answer) => {
      const reason = describeAnswer(this.#redactor.answer(answer)).text;
      this.#emit({ type: 'retrying', request, attempt, ms, reason });
    };
  }

  #emit(event: ClientEvent): void {
    this.#options.onEvent?.(event);
  }
}

/** A request on its way. */
interface Work extends PreparedRequest {
  readonly signal: AbortSignal;
}

/** One of the attempts of a request, and the milliseconds after which it is given up. */
interface Turn {
  readonly attempt: number;
  readonly longest: number;
}

const ownHeaders = { 'user-agent': 'tenantctl', 'accept-encoding': 'gzip' };

function eitherOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  const either = other ? AbortSignal.any([signal, other]) : signal;
  // Hundreds of requests may wait on one signal: that is not a leak.
  setMaxListeners(0, either);
  return either;
}

/** The limiter of a tenant and client id; one of its own where the id cannot be read, which the first request reports. */
function sharedLimiter(
  { identity, profiles }: ClientTarget,
  limiters: Limiters,
  create: () => RateLimiter,
): RateLimiter {
  const endpoint = identity ?? profiles;
  const name = endpoint && limiterName(endpoint);
  const limiter = (name === null ? undefined : limiters.get(name)) ?? create();
  if (name !== null) limiters.set(name, limiter);
  return limiter;
}

function limiterName({ baseUrl, auth }: Endpoint): string | null {
  try {
    return `${baseUrl} ${auth.by === 'token' ? auth.token() : auth.clientId()}`;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function nameOf({ method, path, query }: Request): RequestName {
  return { method, path, query };
}

function refusal(entry: Extract<Admission, { granted: false }>): Unsent {
  if (entry.why === 'interrupted') return unsentAnswer('interrupted', 'the run was interrupted');
  const seconds = Math.ceil(entry.ms / 1000);
  return unsentAnswer('rate-limited', `the tenant accepts no requests for the next ${seconds} s`);
}
