import { setMaxListeners } from 'node:events';
import { serviceOf } from '../kinds/http.ts';
import type { TenantName } from '../model/live.ts';
import { literalTexts, renderBody } from '../model/marker.ts';
import type { Request } from '../model/plan.ts';
import type { Auth, Endpoint, RateLimit } from '../model/project.ts';
import type { Secrets } from '../model/secrets.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Answer, Sent, Unsent } from './answer.ts';
import { createTokenSources, type TokenSource } from './auth.ts';
import type { Recognise } from './body.ts';
import { type Clock, systemClock } from './clock.ts';
import { describeAnswer, trackingIdOf } from './describe.ts';
import type { ClientEvent, RequestName } from './event.ts';
import { type Entry, Gate } from './gate.ts';
import { type Attempt, type Outcome, type PersistTools, persist, type Task } from './persist.ts';
import { createRedactor } from './redact.ts';
import { isRepeatable } from './repeatable.ts';
import { defaultRetryLimits, type RetryLimits } from './retry.ts';
import {
  type Call,
  createTransport,
  defaultTransportLimits,
  type Transport,
  type TransportLimits,
} from './transport.ts';
import { type Target, targetOf } from './url.ts';

/** Talks to one tenant. */
export interface Client {
  readonly tenant: TenantName;
  /**
   * Sends a request, with token, rate limit and retries (design, section 6.4). Never rejects: whatever goes wrong is
   * an answer. An interrupted run starts nothing new; a write that is on its way is waited for.
   */
  send(request: Request, options?: SendOptions): Promise<Sent>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Tells answers whose body need not be read, since the caller knows what it holds. */
  readonly recognise?: Recognise | undefined;
  /** Nobody asks for the same again, so that its answer need not be remembered. */
  readonly forget?: boolean | undefined;
}

/** Where the tenant is and how much it may be asked. */
export interface ClientTarget {
  readonly tenant: TenantName;
  readonly identity: Endpoint | null;
  readonly profiles: Endpoint | null;
  readonly limits: RateLimit;
  readonly settings: ApiSettings;
}

export interface ClientOptions {
  /** Ends all waits and reads when aborted. */
  readonly signal?: AbortSignal;
  onEvent?(event: ClientEvent): void;
  readonly timeouts?: Partial<TransportLimits>;
  readonly retries?: Partial<RetryLimits>;
  readonly clock?: Clock;
  random?(): number;
}

/** A client for the tenant; close it when done, or its connections keep the process alive. */
export function createClient(target: ClientTarget, secrets: Secrets, options: ClientOptions = {}): Client {
  return new TenantClient(target, secrets, options);
}

class TenantClient implements Client {
  readonly tenant: TenantName;
  readonly #target: ClientTarget;
  readonly #secrets: Secrets;
  readonly #options: ClientOptions;
  readonly #tools: PersistTools;
  readonly #redactor = createRedactor();
  readonly #transport: Transport;
  readonly #gate: Gate;
  readonly #sourceOf: (auth: Auth) => TokenSource;
  readonly #closed = new AbortController();
  /** Aborted by the user, or by closing: whoever closes waits for no answer any more. */
  readonly #signal: AbortSignal | undefined;

  constructor(target: ClientTarget, secrets: Secrets, options: ClientOptions) {
    const { clock = systemClock, random = Math.random, timeouts, retries } = options;
    this.tenant = target.tenant;
    this.#target = target;
    this.#secrets = secrets;
    this.#options = options;
    this.#signal = anyOf(options.signal, this.#closed.signal);
    this.#tools = { clock, random, retries: { ...defaultRetryLimits, ...retries } };
    this.#transport = createTransport(target.limits.concurrency, { ...defaultTransportLimits, ...timeouts });
    this.#gate = new Gate({
      limits: target.limits,
      clock,
      longestPause: this.#tools.retries.total,
      onWait: (version, ms) => this.#tell({ type: 'rate-limit-wait', version, ms: Math.round(ms) }),
    });
    this.#sourceOf = createTokenSources({
      clock,
      redactor: this.#redactor,
      exchange: (call) => this.#exchangeForToken(call),
      onFetched: (tokenUrl) => this.#tell({ type: 'token-fetched', tokenUrl }),
    });
  }

  async send(request: Request, { signal: ofCall, recognise }: SendOptions = {}): Promise<Sent> {
    const prepared = this.#prepare(request, recognise);
    if ('outcome' in prepared) return sentOf({ answer: prepared, attempts: 0, ms: 0, repeated: false });
    const signal = anyOf(this.#signal, ofCall);
    const { source } = prepared;
    const task: Task = {
      repeatable: isRepeatable(request),
      writes: request.method !== 'GET',
      signal,
      attempt: (count) => this.#attempt(request, prepared, signal, count),
      renewToken: source.renewable ? (stale) => source.renew(stale) : null,
      onRetry: (attempt, ms, answer) => {
        const reason = describeAnswer(answer).text;
        this.#tell({ type: 'retrying', request: nameOf(request), attempt, ms, reason });
      },
    };
    return sentOf(await persist(task, this.#tools));
  }

  close(): Promise<void> {
    this.#closed.abort();
    return this.#transport.close();
  }

  /** All that can be found out before anything is sent. */
  #prepare(request: Request, recognise: Recognise | undefined): Prepared | Unsent {
    const service = serviceOf(request.path);
    const endpoint = this.#target[service];
    if (!endpoint) return noEndpoint(service);
    const to = targetOf(endpoint.baseUrl, request.path, request.query);
    if ('outcome' in to) return to;
    const foreign = Object.keys(request.headers).find((name) => !mayBeSent(name, this.#target.settings));
    if (foreign !== undefined) return unsent('unsafe', `the header "${foreign}" is not for a plan to set`);
    try {
      const reveal = (name: string): string => this.#reveal(name);
      // Literals stand for what a plan does not show, so an error that repeats them is not shown either.
      for (const text of literalTexts(request.body))
        if (text.length >= leastLiteral) this.#redactor.learn(text);
      const body = request.body === null ? null : JSON.stringify(renderBody(request.body, reveal));
      return { to, body, recognise, source: this.#sourceOf(endpoint.auth) };
    } catch (error) {
      return unsent('no-secret', error instanceof Error ? error.message : String(error));
    }
  }

  #reveal(name: string): string {
    const secret = this.#secrets.reveal(name);
    this.#redactor.learn(secret);
    return secret;
  }

  async #attempt(
    request: Request,
    prepared: Prepared,
    signal: AbortSignal | undefined,
    attempt: number,
  ): Promise<Attempt> {
    // Before the gate, so that nobody holds a place while a token is fetched; after it, since the queue may be long.
    const before = await prepared.source.current();
    if ('outcome' in before) return { answer: before, pass: null, token: null };
    const entry = await this.#gate.enter(versionOf(request.path), signal, attempt > 1);
    if (!entry.granted) return { answer: notAdmitted(entry), pass: null, token: null };
    const { pass } = entry;
    const token = await prepared.source.current();
    if ('outcome' in token) return { answer: token, pass, token: null };
    const answer = await this.#exchange(request, prepared, token.value, signal, attempt);
    return { answer, pass, token: token.value };
  }

  async #exchange(
    request: Request,
    { to, body, recognise }: Prepared,
    token: string,
    signal: AbortSignal | undefined,
    attempt: number,
  ): Promise<Answer> {
    this.#tell({ type: 'request-started', request: nameOf(request), attempt });
    const { clock } = this.#tools;
    const startedAt = clock.now();
    const raw = await this.#transport.exchange({
      ...to,
      method: request.method,
      headers: { ...ownHeaders, ...request.headers, authorization: `Bearer ${token}` },
      body,
      recognise,
      // A write on its way is waited for: giving it up would leave it unknown.
      signal: request.method === 'GET' ? signal : undefined,
    });
    const answer = this.#redactor.answer(raw);
    this.#tell({
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

  async #exchangeForToken(call: Omit<Call, 'signal'>): Promise<Answer> {
    const signal = this.#signal;
    const attempt = async (): Promise<Attempt> => ({
      answer: await this.#transport.exchange({ ...call, signal }),
      pass: null,
      token: null,
    });
    // A token that nobody heard of does no harm: fetching one may be repeated.
    const task: Task = { repeatable: true, writes: false, signal, attempt, renewToken: null };
    return (await persist(task, this.#tools)).answer;
  }

  #tell(event: ClientEvent): void {
    this.#options.onEvent?.(event);
  }
}

interface Prepared {
  readonly to: Target;
  readonly body: string | null;
  readonly recognise: Recognise | undefined;
  readonly source: TokenSource;
}

/** Shorter texts are words like any other, and no credentials. */
const leastLiteral = 4;

const ownHeaders = { 'user-agent': 'tenantctl', 'accept-encoding': 'gzip' };

/** A plan file may have been edited: it sets no header that would send the request or its token elsewhere. */
function mayBeSent(header: string, settings: ApiSettings): boolean {
  const name = header.toLowerCase();
  return ['accept', 'content-type', settings.experimentalHeader.toLowerCase()].includes(name);
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  const signal = given.length > 1 ? AbortSignal.any(given) : given[0];
  // Hundreds of requests may wait on one signal: that is no leak.
  if (signal) setMaxListeners(0, signal);
  return signal;
}

function nameOf({ method, path, query }: Request): RequestName {
  return { method, path, query };
}

/** The tenant counts requests for each API version: `v2024`, `v2025`, `api`. */
function versionOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function sentOf({ answer, ...rest }: Outcome): Sent {
  return { ...answer, ...rest, trackingId: trackingIdOf(answer) };
}

function notAdmitted(entry: Extract<Entry, { granted: false }>): Unsent {
  if (entry.why === 'interrupted') return unsent('interrupted', 'the run was interrupted');
  const seconds = Math.ceil(entry.ms / 1000);
  return unsent('rate-limited', `the tenant wants no requests for the next ${seconds} s`);
}

function noEndpoint(service: 'identity' | 'profiles'): Unsent {
  const hint = `Add \`${service}: { baseUrl: … }\` to the environment in the project file.`;
  return { ...unsent('no-endpoint', `this environment has no ${service} service`), hint };
}

function unsent(reason: Unsent['reason'], detail: string): Unsent {
  return { outcome: 'unsent', reason, detail };
}
