import { setMaxListeners } from 'node:events';
import type { Call as ApiCall } from '../kinds/http.ts';
import { builtInKinds } from '../kinds/index.ts';
import type { Endpoint, Kinds, RateLimit, Secrets } from '../kinds/project.ts';
import { isRepeatable, type Request } from '../model/documents.ts';
import { attemptOrNull, Failure, messageOf } from '../model/failure.ts';
import { canonicalJson, type Json, writeJson } from '../model/json.ts';
import { literalTexts, renderBody } from '../model/marker.ts';
import { type ApiSettings, type HttpProxies, parseUrl, type TenantName } from '../model/tenant.ts';
import {
  type Answer,
  holdsMessage,
  type Sent,
  type Unsent,
  unsentAnswer,
  unsentWithProblems,
} from './answer.ts';
import { createTokenSources } from './auth.ts';
import { describeAnswer, traceOf, trackingIdOf } from './describe.ts';
import { type Clock, RateLimiter, systemClock } from './rate-limiter.ts';
import { Redactor } from './redactor.ts';
import { defaultRetryLimits, sendWithRetry } from './retry.ts';
import { type Call, createTransport, defaultTransportLimits } from './transport.ts';

export interface Client
  extends Pick<ClientTarget, 'tenant' | 'settings'>,
    Pick<TenantClient, 'send' | 'signIn' | 'close'> {
  /** A text of the tenant without the secrets that were sent to it. Call it before cutting the text for a message. */
  redact(text: string): string;
}

interface SendOptions {
  readonly signal?: AbortSignal;
  /** No attempt starts after this time (milliseconds since 1970): the read that it relies on is too old then. */
  readonly notAfter?: number | null;
  /** Asks the tenant again, even if the answer to an equal request is known. */
  readonly again?: boolean;
}

/** A request in events: without body and headers. */
type RequestName = Pick<Request, 'method' | 'path' | 'query'>;

export type ClientEvent =
  | { readonly type: 'request-started'; readonly request: RequestName; readonly attempt: number }
  | {
      readonly type: 'request-finished';
      readonly request: RequestName;
      readonly attempt: number;
      readonly ms: number;
      /** The status, or the outcome of a request without an answer. */
      readonly result: number | 'lost' | 'unsent';
      readonly detail: string | null;
      readonly trackingId: string | null;
    }
  | { readonly type: 'rate-limit-wait'; readonly version: string; readonly ms: number }
  | {
      readonly type: 'retrying';
      readonly request: RequestName;
      readonly attempt: number;
      readonly ms: number;
      readonly reason: string;
    }
  | { readonly type: 'token-fetched'; readonly tokenUrl: string }
  /** Everything that was sent and answered, for a trace; also of requests for tokens. Described only on demand. */
  | { readonly type: 'exchanged'; describe(): Json };

export interface ClientTarget {
  readonly tenant: TenantName;
  readonly identity: Endpoint | null;
  readonly profiles: Endpoint | null;
  readonly limits: RateLimit;
  readonly settings: ApiSettings;
  /** The kinds to read and write. Left out: the built-in kinds. */
  readonly kinds?: Kinds;
  readonly proxy?: HttpProxies | null;
}

export interface ClientOptions {
  /** Ends all waits and reads when aborted. */
  readonly signal?: AbortSignal;
  onEvent?(event: ClientEvent): void;
  /** Removes secrets from messages of the tenant; it learns every secret and token that is sent. */
  readonly redactor?: Redactor;
  readonly timeouts?: Partial<typeof defaultTransportLimits>;
  readonly retries?: Partial<typeof defaultRetryLimits>;
  /** Bytes of all answers kept. Left out: 512 MB, less with a small heap. */
  readonly answers?: number;
  readonly clock?: Clock;
  /** Shared by the clients of several environments: a tenant counts the requests of one client id together. */
  readonly limiters?: Limiters;
  random?(): number;
}

export type Limiters = Map<string, RateLimiter>;

/** A client for the tenant, as a plain object. Close it when done: its connections keep the process alive. */
export function createClient(target: ClientTarget, secrets: Secrets, options: ClientOptions = {}): Client {
  const { redactor = new Redactor() } = options;
  const client = new TenantClient(target, secrets, redactor, options);
  return {
    tenant: target.tenant,
    settings: target.settings,
    send: client.send.bind(client),
    signIn: client.signIn.bind(client),
    redact: redactor.text.bind(redactor),
    close: client.close.bind(client),
  };
}

class TenantClient {
  readonly #emit: (event: ClientEvent) => void;
  readonly #tools: Parameters<typeof sendWithRetry>[1];
  readonly #redactor: Redactor;
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #limiter: RateLimiter;
  readonly #target: ClientTarget;
  readonly #secrets: Secrets;
  readonly #sourceOf: ReturnType<typeof createTokenSources>;
  /** Bytes of the latest answers, by request: a list that is read again replaces its earlier pages. */
  readonly #kept = new Map<string, number>();
  #room: number;
  /** Numbers of the tenant that a double cannot hold, with their members: they are written back digit by digit. */
  readonly #numbers = new Set<string>();
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;

  constructor(target: ClientTarget, secrets: Secrets, redactor: Redactor, options: ClientOptions) {
    const { clock = systemClock, random = Math.random, onEvent = () => {} } = options;
    this.#target = target;
    this.#secrets = secrets;
    this.#emit = onEvent;
    const { heap_size_limit: heap } = process.getBuiltinModule('node:v8').getHeapStatistics();
    // Parsed JSON takes several times the memory of its text.
    this.#room = options.answers ?? Math.min(512 * 2 ** 20, Math.floor(heap / 8));
    this.#redactor = redactor;
    this.#signal = eitherOf(this.#closed.signal, options.signal);
    const limits = { ...defaultTransportLimits, ...options.timeouts };
    // A silent host gets no more time than one that answers.
    const unreachable = Math.min(defaultRetryLimits.unreachable, limits.total);
    const retries = { ...defaultRetryLimits, unreachable, ...options.retries };
    this.#tools = {
      ...{ clock, random, retries },
      onRetry: (request, attempt, ms, answer) =>
        onEvent({ type: 'retrying', request, attempt, ms, reason: describeAnswer(answer).text }),
    };
    this.#transport = createTransport(target.limits.concurrency, limits, this.#closed.signal, {
      proxy: target.proxy,
      certificates: certificatesOf(target),
    });
    this.#limiter = sharedLimiter(target, options.limiters ?? new Map(), {
      limits: target.limits,
      clock,
      longestPause: retries.total,
      onEvent,
    });
    this.#sourceOf = createTokenSources({ clock, redactor, exchange: this.#exchangeForToken, onEvent });
  }

  /**
   * Sends a request, with token, rate limit and retries (design, section 6.4). Never rejects: every failure is an
   * answer. After an interrupt all waits end and nothing new is sent; a write that is on its way is waited for.
   */
  async send(request: ApiCall, { signal: ofCall, notAfter = null }: SendOptions = {}): Promise<Sent> {
    const prepared = this.#prepare(request);
    if ('outcome' in prepared) return neverSent(prepared);
    const { name, source } = prepared;
    const work = { ...prepared, signal: eitherOf(this.#signal, ofCall), notAfter };
    const task = {
      request: name,
      repeatable: isRepeatable(request),
      writes: request.method !== 'GET',
      signal: work.signal,
      attempt: this.#attempt.bind(this, work),
      dropToken: source.drop,
    };
    const sent = await sendWithRetry(task, this.#tools);
    if (sent.outcome !== 'answered' || sent.status !== 401) return sent;
    const advice = source.advise?.(sent);
    return advice ? { ...sent, advice } : sent;
  }

  /** Checks everything that can be checked before a request is sent, and puts the values of secrets into its body. */
  #prepare({ lane, ...request }: ApiCall): PreparedRequest | Unsent {
    const endpoint = this.#target[lane.service];
    if (!endpoint) {
      const hint = `Add \`${lane.service}: { baseUrl: … }\` to the environment in the project file.`;
      return unsentAnswer('no-endpoint', `this environment has no ${lane.service} service`, hint);
    }
    const { method, path, query } = request;
    const to = requestTarget(endpoint.baseUrl, path, query);
    if ('outcome' in to) return to;
    // A plan or project file may have been edited: no header, not even the experimental one, may send a token elsewhere.
    const own = ['accept', 'content-type', this.#target.settings.experimentalHeader.toLowerCase()];
    const foreign = Object.keys(request.headers).find(
      (name) => reservedHeaders.test(name) || !own.includes(name.toLowerCase()),
    );
    if (foreign !== undefined) return unsentAnswer('unsafe', `a request may not set the header "${foreign}"`);
    try {
      const write = (value: Json) =>
        writeJson(value, (name, digits) => this.#numbers.has(`${name} ${digits}`));
      const reveal = (name: string) => {
        const secret = this.#secrets.reveal(name);
        this.#redactor.learn(secret);
        return secret;
      };
      const body = request.body === null ? null : write(renderBody(request.body, reveal, write));
      // A plan does not show literals, so errors must not either.
      const concealed = literalTexts(request.body);
      const source = this.#sourceOf(endpoint.auth);
      return { name: { method, path, query }, request, lane, to, body, concealed, source };
    } catch (error) {
      if (error instanceof Failure) return unsentWithProblems('no-secret', error.diagnostics);
      return unsentAnswer('no-secret', messageOf(error));
    }
  }

  /** Asks for the token before a request needs it, if all services take the same one. The request says what goes wrong. */
  signIn(): void {
    const endpoints = [this.#target.identity, this.#target.profiles].filter((endpoint) => endpoint !== null);
    const sources = attemptOrNull(() => endpoints.map(({ auth }) => this.#sourceOf(auth)));
    const [source, ...others] = new Set(sources);
    if (others.length === 0) void source?.current();
  }

  async close(): Promise<void> {
    this.#closed.abort();
  }

  async #attempt(work: Work, count: number, longest: number) {
    const { lane, source, signal, notAfter } = work;
    const { clock, retries } = this.#tools;
    // Before the limiter, to hold no permit while a token is fetched; after it, since the queue may be long.
    const askedAt = clock.now();
    const before = await source.current();
    if ('outcome' in before) return { answer: before, startedAt: askedAt, failedFetches: before.failures };
    const fetchedIn = clock.now() - askedAt;
    const permit = await this.#limiter.acquire(lane.group, signal, count > 1);
    const startedAt = clock.now() - fetchedIn;
    if ('outcome' in permit) return { answer: permit, startedAt };
    const token = await source.current();
    const failedFetches = before.failures + token.failures;
    if ('outcome' in token) return { answer: token, startedAt, failedFetches, permit };
    if (notAfter !== null && clock.now() > notAfter) {
      permit.withdraw();
      const answer = unsentAnswer('outdated', 'the request had to wait too long, and may no longer be right');
      return { answer, startedAt, failedFetches };
    }
    const left = Math.max(longest - (clock.now() - startedAt), retries.lastAttempt);
    const answer = await this.#exchangeFor(work, token.value, count + failedFetches, left);
    return { answer, startedAt, failedFetches, permit, token: token.value };
  }

  async #exchangeFor(work: Work, token: string, attempt: number, longest: number): Promise<Answer> {
    const { name, request, to, body, concealed, signal } = work;
    this.#emit({ type: 'request-started', request: name, attempt });
    const call = {
      ...to,
      method: request.method,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
      body,
      keep: this.#keep.bind(this, name),
      onNumber: (member: string, digits: string) => this.#numbers.add(`${member} ${digits}`),
      longest,
      // A write on its way is waited for: without its answer the outcome would be unknown.
      signal: request.method === 'GET' ? signal : undefined,
    };
    const { answer, ms } = await this.#exchange(call, concealed);
    this.#emit({
      type: 'request-finished',
      request: name,
      attempt,
      ms,
      result: answer.outcome === 'answered' ? answer.status : answer.outcome,
      detail: answer.outcome === 'answered' ? null : answer.detail,
      trackingId: trackingIdOf(answer),
    });
    return answer;
  }

  readonly #exchangeForToken = (call: Omit<Call, 'signal' | 'longest'>): Promise<Sent> => {
    const { method, path } = call;
    const signal = this.#signal;
    const task = {
      request: { method, path, query: {} },
      // A lost token does no harm: fetching one may be repeated.
      repeatable: true,
      writes: false,
      signal,
      attempt: async (_count: number, longest: number) => {
        const startedAt = this.#tools.clock.now();
        const { answer } = await this.#exchange({ ...call, isHarmless: true, signal, longest });
        return { answer, startedAt };
      },
    };
    return sendWithRetry(task, this.#tools);
  };

  /** Sends a request once. Concealed values may be ordinary words, so they are only removed from the answers to their request. */
  async #exchange(call: Call, concealed: readonly string[] = []) {
    const { clock } = this.#tools;
    const startedAt = clock.now();
    const raw = await this.#transport(call);
    const isMessage = raw.outcome !== 'answered' || holdsMessage(raw);
    const redactor = concealed.length > 0 && isMessage ? this.#redactor.with(concealed) : this.#redactor;
    const answer = redactor.answer(raw);
    const ms = Math.round(clock.now() - startedAt);
    const { kinds = builtInKinds } = this.#target;
    this.#emit({ type: 'exchanged', describe: () => traceOf({ call, answer, ms }, kinds, redactor) });
    return { answer, ms };
  }

  /** False if the answers together exceed the limit: then this one is dropped. */
  #keep({ method, path, query: { limit: _limit, offset, ...query } }: RequestName, bytes: number): boolean {
    const name = canonicalJson([method, path, query]);
    const before = this.#kept.get(name) ?? 0;
    const after = bytes + (offset === undefined ? 0 : before);
    if (this.#room < after - before) return false;
    this.#kept.set(name, after);
    this.#room -= after - before;
    return true;
  }
}

interface PreparedRequest {
  readonly name: RequestName;
  readonly request: Request;
  readonly lane: ApiCall['lane'];
  readonly to: Pick<Call, 'origin' | 'path'>;
  readonly body: string | null;
  /** Values in the body that the plan does not show. */
  readonly concealed: readonly string[];
  readonly source: ReturnType<ReturnType<typeof createTokenSources>>;
}

interface Work extends PreparedRequest {
  readonly signal: AbortSignal;
  readonly notAfter: number | null;
}

function eitherOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  const either = other ? AbortSignal.any([signal, other]) : signal;
  // Hundreds of requests may wait on one signal: that is not a leak.
  setMaxListeners(0, either);
  return either;
}

/** The certificates of the services, by the origins of their hosts and of those that issue their tokens. */
function certificatesOf({ identity, profiles }: ClientTarget) {
  const entries = [profiles, identity].flatMap((endpoint) => {
    if (!endpoint?.tls) return [];
    const { baseUrl, auth, tls } = endpoint;
    const urls = auth.by === 'token' ? [baseUrl] : [baseUrl, auth.tokenUrl];
    return urls.map((url) => [parseUrl(url)?.origin ?? '', tls] as const);
  });
  return new Map(entries);
}

/** The limiter of a tenant and client id; a separate one if the id cannot be read, which the first request reports. */
function sharedLimiter(
  { identity, profiles }: ClientTarget,
  limiters: Limiters,
  options: ConstructorParameters<typeof RateLimiter>[0],
): RateLimiter {
  const endpoint = identity ?? profiles;
  if (!endpoint) return new RateLimiter(options);
  const { baseUrl, auth } = endpoint;
  const id = attemptOrNull(auth.by === 'token' ? auth.token : auth.clientId);
  const name = `${baseUrl} ${id}`;
  const limiter = (id === null ? undefined : limiters.get(name)) ?? new RateLimiter(options);
  if (id !== null) limiters.set(name, limiter);
  return limiter;
}

/** A path may come from a plan file or a tenant's id. One that leaves the base URL or has a query is refused. */
function requestTarget(baseUrl: string, path: string, query: Readonly<Record<string, string>>) {
  const base = parseUrl(baseUrl);
  if (!base || (base.protocol !== 'https:' && base.protocol !== 'http:'))
    return unsentAnswer('unsafe', `"${baseUrl}" is not an http(s) base URL`);
  const wanted = base.pathname.replace(/\/+$/, '') + path;
  const url = parseUrl(wanted, base.href);
  if (!path.startsWith('/') || !url || url.origin !== base.origin || url.pathname !== wanted)
    return unsentAnswer('unsafe', `the path "${path}" leads out of the base URL`);
  const parameters = Object.entries(query);
  if (!parameters.flat().every((text) => text.isWellFormed()))
    return unsentAnswer('unsafe', `the query of "${path}" holds half a character, which no URL can hold`);
  const pairs = parameters.map((parameter) => parameter.map(encodeURIComponent).join('='));
  return { origin: url.origin, path: pairs.length > 0 ? `${wanted}?${pairs.join('&')}` : wanted };
}

/** Headers that decide where a request goes and as whom. */
const reservedHeaders = /^(host|authorization|proxy-.*|connection|content-length|transfer-encoding)$/i;

/**
 * A client that sends equal GETs once. Once a request gets no answer in all its attempts, all others end: a hanging tenant gets no
 * more of them. Not for use across a write.
 */
export function readOnce(client: Client): Client {
  const answers = new Map<string, Promise<Sent>>();
  const isOver = new AbortController();
  let rest: Sent | null = null;
  const sendGet: Client['send'] = async (request, options) => {
    if (rest) return rest;
    const signal = options?.signal ? AbortSignal.any([isOver.signal, options.signal]) : isOver.signal;
    const sent = await client.send(request, { ...options, signal });
    if (sent.outcome !== 'lost') return sent;
    if (rest) return rest;
    if (sent.reason === 'timeout') {
      const { method, path } = request;
      const message = `The other reads were given up: ${method} ${path} got no response in ${sent.attempts} attempts.`;
      const hint = 'Run again. `limits.timeout` sets how long a response may take.';
      const problem = { code: 'answer-lost', severity: 'error', message, hint } as const;
      rest = neverSent(unsentWithProblems('unreachable', [problem]));
      isOver.abort();
    }
    return sent;
  };
  return withSend(client, (request, options) => {
    if (request.method !== 'GET') return client.send(request, options);
    const { path, query, headers } = request;
    const name = canonicalJson({ path, query, headers });
    const answer = (options?.again ? undefined : answers.get(name)) ?? sendGet(request, options);
    answers.set(name, answer);
    return answer;
  });
}

export function withSend(client: Client, send: Client['send']): Client {
  return { ...client, send };
}

function neverSent(unsent: Unsent): Sent {
  return { ...unsent, attempts: 0, ms: 0, trackingId: null, repeated: false };
}

/** A client for reads that must be current: what `readOnce` remembers is read again. */
export function readAgain(client: Client): Client {
  return withSend(client, (request, options) => client.send(request, { ...options, again: true }));
}
