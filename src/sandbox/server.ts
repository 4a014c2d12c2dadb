import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import {
  isArray,
  isObject,
  isTooDeep,
  type Json,
  mapJson,
  mapMembers,
  parseJson,
  withoutNulls,
} from '../model/json.ts';
import { type Clock, History, LateWork } from './clock.ts';
import { type Fault, FaultList } from './faults.ts';
import { badRequest, type Call, type Operation, type Reply } from './operations.ts';
import { Router } from './routes.ts';
import { ApiError } from './shape.ts';
import { loadState, saveState } from './state.ts';
import { TokenIssuer } from './tokens.ts';
import { contract, presets, type Variations } from './ways.ts';

interface Received {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingMessage['headers'];
  /** Its body; null if it is too large. */
  readonly bytes: Buffer | null;
}

type Route = Exclude<ReturnType<Router['find']>, Error>;

interface RoutedRequest extends Received {
  readonly route: Route;
}

/** Wraps the work of a request: it may change the request, the answer, and the tenant meanwhile. */
type Around = (asked: RoutedRequest, next: (asked: RoutedRequest) => Reply) => Reply;

export interface SandboxOptions {
  /** The absolute path of a YAML seed; without a seed the tenant is empty. */
  readonly seed?: string | null;
  /** The absolute path of a JSON file that stores the tenant after every write. If it exists, the seed is not read. */
  readonly data?: string | null;
  /** The absolute path of a folder with descriptors, `NAME.kind.yaml`: the tenant serves the collections that they describe. */
  readonly kinds?: string | null;
  readonly port?: number;
  readonly faults?: readonly Fault[];
  /** Seconds for which a token is valid (default 3600). */
  readonly tokenLifetime?: number;
  /** The largest and default page of the notification interface's lists (default 250). */
  readonly pageLimit?: number;
  /** The products whose hosts it imitates. */
  readonly presets?: readonly (keyof typeof presets)[];
  readonly variations?: Partial<Variations>;
  /** Milliseconds that reads lag behind writes. The answer to a write shows its effect at once. */
  readonly lag?: number;
  /** Everything that takes time follows this clock: the rate limit, tokens, latency, late effects and lag. */
  readonly clock?: Partial<Clock>;
  readonly clientSecret?: string;
  /** The limit for one client and API version, a sliding window (default 100 requests in 10 s); null: no limit. */
  readonly rateLimit?: { readonly requests: number; readonly per: number } | null;
  /** Milliseconds to wait before the work on a request begins. */
  readonly latency?: number;
  readonly around?: Around;
}

/** Throws `SandboxFileError` for an unusable seed or data file, and `FaultSyntaxError` for an unknown operation. */
function partsOf(options: SandboxOptions) {
  const {
    data = null,
    rateLimit = { requests: 100, per: 10_000 },
    tokenLifetime = 3600,
    clientSecret = randomBytes(24).toString('base64url'),
    around = (asked, next) => next(asked),
  } = options;
  const clock: Clock = {
    now: Date.now,
    sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}).catch(() => {}),
    ...options.clock,
  };
  const { now } = clock;
  const { state, kinds } = loadState(options.seed ?? null, data, options.kinds);
  const products: Partial<Variations>[] = (options.presets ?? []).map((name) => presets[name]);
  const variations: Variations = Object.assign({}, contract, ...products, options.variations);
  const router = new Router(kinds.values(), variations);
  const faults = new FaultList(router.operationNames);
  for (const fault of options.faults ?? []) faults.add(fault);
  let isSaved = true;
  return {
    tenant: {
      state,
      kinds,
      variations,
      pageLimit: options.pageLimit ?? 250,
      now,
      timestamp: () => new Date(now()).toISOString(),
    },
    router,
    faults,
    admit: limitRequests(rateLimit),
    tokens: new TokenIssuer(clientSecret, tokenLifetime, now),
    clock,
    late: new LateWork(clock),
    history: new History(options.lag ?? 0, now),
    around,
    latency: options.latency ?? 0,
    log: new RequestLog(),
    /** Called before each answer. Throws while a write cannot be stored, so that nothing shows what the next run would not find. */
    save: (isChanged: boolean) => {
      isSaved &&= !isChanged;
      if (data === null || isSaved) return;
      saveState(state, data);
      isSaved = true;
    },
  };
}

type Parts = ReturnType<typeof partsOf>;

/** A sliding window for each name: at most `requests` are admitted in any `per` milliseconds. */
function limitRequests(limit: { readonly requests: number; readonly per: number } | null) {
  const admitted = new Map<string, number[]>();
  /** Admits a request at `now` and returns 0, or refuses it and returns the milliseconds to wait. */
  return (name: string, now: number): number => {
    if (limit === null) return 0;
    const recent = (admitted.get(name) ?? []).filter((time) => time > now - limit.per);
    admitted.set(name, recent);
    if (recent.length >= limit.requests) return Math.max(1, (recent[0] ?? now) + limit.per - now);
    recent.push(now);
    return 0;
  };
}

/** The HTTP server of a tenant, which does not listen yet, and its parts. Throws what {@link partsOf} throws. */
export function createSandbox(options: SandboxOptions) {
  const parts = partsOf(options);
  const { log, tenant } = parts;
  const server = createServer((request, response) => {
    log.countOpen(response);
    response.setHeader('date', new Date(tenant.now()).toUTCString());
    if (tenant.variations.supportId)
      response.setHeader('slpt-request-id', `request-${log.metrics.requests + 1}`);
    // Only a closed connection fails here, so nobody is left to answer.
    serve(request, response, parts).catch(() => response.destroy());
  });
  // Longer than a client pauses between commands, so that no request is sent on a connection that is being closed.
  server.keepAliveTimeout = 60_000;
  return { ...parts, server };
}

async function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const { method = '', url = '/', headers } = request;
  const [path = '', ...search] = url.split('?');
  const bytes = await collectBody(request);
  const received: Received = { method, path, search: search.join('?'), headers, bytes };
  const route = parts.router.find(method, path);
  const operation = route instanceof Error ? null : route.operation.name;
  const fault = parts.faults.next({ method, path }, operation);
  const entry = parts.log.add(received, operation, fault);
  if (parts.latency > 0) await parts.clock.sleep(parts.latency);
  const work = () => handle(route, received, parts);
  if (fault === null) {
    const { status, body, headers: own } = work();
    entry.status = status;
    if (body === undefined) return sendText(response, status, '', own);
    return sendText(response, status, JSON.stringify(body), { ...own, 'content-type': 'application/json' });
  }
  const isBefore =
    fault.kind === 'reset-before' || (/hang|status/.test(fault.kind) && fault.done !== 'after');
  const reply = isBefore ? null : work();
  if (fault.late !== undefined) parts.late.add(fault.late, work);
  entry.status = injectFault(fault, reply, response, parts);
}

/** Checks a request and does its work. Every error becomes an answer. */
function handle(route: Route | ApiError, received: Received, parts: Parts): Reply {
  try {
    if (route instanceof ApiError) throw route;
    return parts.around({ ...received, route }, (asked) => answer(asked, parts));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { status, headers } = error instanceof ApiError ? error : new ApiError(500, message);
    const shown = showError(received.path, status, message, parts.tenant.variations);
    return { status, headers, body: shown ?? errorBody(status, message, parts.log.metrics.requests) };
  }
}

function answer({ route, path, headers, search, bytes }: RoutedRequest, parts: Parts): Reply {
  const { tenant, admit, history } = parts;
  const { operation, params } = route;
  const { handler } = operation;
  if (handler === null) return parts.tokens.answer(decodeBody(bytes), headers);
  parts.tokens.verify(headers.authorization);
  const pause = admit(path.split('/')[1] ?? '', tenant.now());
  if (pause > 0)
    throw new ApiError(429, 'Too many requests', { 'retry-after': String(Math.ceil(pause / 1000)) });
  checkHeaders(operation, headers, tenant.variations);
  const call = { path, params, query: parseQuery(search, operation), body: readBody(operation, bytes) };
  const isRead = operation.method === 'GET' || operation.name === 'run-profile-search';
  // A read may show the tenant as it was a while ago.
  const reply = isRead
    ? handler(call, { ...tenant, state: history.visibleState(tenant.state) })
    : history.record(tenant.state, () => handler(call, tenant));
  const { later } = reply;
  parts.save(!isRead);
  if (later)
    parts.late.add(slowWork, () => {
      history.record(tenant.state, later);
      try {
        parts.save(true);
      } catch {
        // The next answer says why.
      }
    });
  const body = showAnswer(operation.path, reply.body, tenant.variations);
  return body === undefined ? reply : { ...reply, body };
}

/** How long a host needs for accepted work (202). Real ones take about a minute, and sometimes less. */
const slowWork = 45_000;

/** Answers as the fault wants. Returns the status for the log, or null if the answer is not complete. */
function injectFault(fault: Fault, reply: Reply | null, response: ServerResponse, parts: Parts) {
  switch (fault.kind) {
    case 'hang':
      return null;
    case 'reset-before':
    case 'reset-after':
      response.req.socket.resetAndDestroy();
      return null;
    case 'cut-body': {
      const text = Buffer.from(JSON.stringify(reply?.body ?? null));
      const { status = 200 } = reply ?? {};
      response.writeHead(status === 204 ? 200 : status, {
        'content-type': 'application/json',
        'content-length': String(text.length),
      });
      response.write(text.subarray(0, Math.floor(text.length / 2)), () => response.destroy());
      return null;
    }
    case 'status':
      return sendFault(response, fault, parts);
  }
}

function sendFault(response: ServerResponse, fault: Fault, parts: Parts): number {
  const { status = 503, retryAfter, body = 'json' } = fault;
  const text = `Fault: ${status}`;
  const json = JSON.stringify(errorBody(status, text, parts.log.metrics.requests));
  const html = `<html><head><title>${text}</title></head><body><h1>${text}</h1></body></html>`;
  sendText(response, status, { json, html, text, 'bad-encoding': json }[body], {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    'content-type': body === 'html' ? 'text/html' : body === 'text' ? 'text/plain' : 'application/json',
    ...(body === 'bad-encoding' && { 'content-encoding': 'gzip' }),
  });
  return status;
}

function sendText(response: ServerResponse, status: number, text: string, headers: Reply['headers']): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...headers, ...length }).end(text);
}

/** A request as it arrived, without credentials. */
interface LoggedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  /** Parsed if it is JSON, else its text; null without a body. */
  readonly body: Json;
  /** null if the request was never answered. */
  status: number | null;
  /** The documented name of the operation; null for an unknown one. */
  readonly operation: string | null;
  readonly fault: Fault['kind'] | null;
}

const maxEntries = 20_000;

/** The last requests in order of arrival, and counts of all of them. */
class RequestLog {
  readonly entries: LoggedRequest[] = [];
  /** The requests, and the largest number that were open at the same time. */
  readonly metrics = { requests: 0, mostAtOnce: 0 };
  #open = 0;

  /** Counts a request as open until its answer is closed. */
  countOpen(response: ServerResponse): void {
    this.#open += 1;
    this.metrics.mostAtOnce = Math.max(this.metrics.mostAtOnce, this.#open);
    response.once('close', () => {
      this.#open -= 1;
    });
  }

  add({ method, path, search, bytes, headers }: Received, operation: string | null, fault: Fault | null) {
    const { authorization: _authorization, ...shown } = headers;
    const text = bytes?.toString('utf8') ?? '';
    const form = new URLSearchParams(text);
    form.delete('client_secret');
    const body = operation === 'issue-token' ? Object.fromEntries(form) : (parseJson(text) ?? text);
    const entry: LoggedRequest = {
      method,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: shown,
      body: text === '' ? null : body,
      status: null,
      operation,
      fault: fault?.kind ?? null,
    };
    this.metrics.requests += 1;
    if (this.entries.length >= maxEntries) this.entries.shift();
    this.entries.push(entry);
    return entry;
  }
}

/** The body of an error (api-notes, "error bodies"). The tracking id depends on `serial` alone: equal runs answer alike. */
function errorBody(status: number, message: string, serial: number): Json {
  if (status === 401) return { error: message };
  if (status === 429) return { message };
  return {
    detailCode: `${status} ${STATUS_CODES[status] ?? 'Error'}`,
    trackingId: createHash('sha256').update(`error ${serial}`).digest('hex').slice(0, 32),
    messages: [{ locale: 'en-US', localeOrigin: 'DEFAULT', text: message }],
    causes: [],
  };
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const maxBytes = 5 * 1024 * 1024;
const maxDepth = 64;

const unnamedHeader = 'Experimental Header is missing or invalid.';

/** Throws a 400 (on some tenants a 403) if the experimental header, Accept or Content-Type is missing or wrong (seeds 000 and 001). */
function checkHeaders(operation: Operation, headers: Headers, host: Variations): void {
  const { path, isExperimental } = operation;
  const isWanted = host.experimentalFor === 'all' ? isExperimental : path.includes('/sim-integrations');
  if (isWanted && headers[host.experimentalHeader.toLowerCase()] !== 'true') {
    const message = `The header ${host.experimentalHeader}: true is required for this experimental operation`;
    if (host.headerMissing === 'forbidden') throw new ApiError(403, message);
    throw badRequest(host.headerMissing === 'unnamed' ? unnamedHeader : message);
  }
  if (isExperimental && headers.accept !== 'application/json')
    throw badRequest('The header Accept must be application/json');
  const sent = headers['content-type'];
  if (operation.contentType === null && sent !== undefined)
    throw badRequest('This operation has no body: Content-Type must not be sent');
  if (operation.contentType !== null && sent !== operation.contentType)
    throw badRequest(`The header Content-Type must be ${operation.contentType}`);
}

/** Parses a query string. Throws a 400 for a parameter that the operation does not have, and for a repeated one. */
function parseQuery(text: string, { query: allowed }: Operation): Call['query'] {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!allowed.includes(name) && !allowed.includes('*'))
      throw badRequest(`Unknown query parameter "${name}"`);
    if (query.has(name)) throw badRequest(`Query parameter "${name}" is given twice`);
    query.set(name, value);
  }
  return query;
}

/** The JSON body of a request, or null. Throws a 413 above 5 MB, and a 400 for what is unexpected or broken. */
function readBody(operation: Operation, bytes: Buffer | null): Json {
  const text = decodeBody(bytes);
  if (operation.contentType === null) {
    if (text !== '') throw badRequest('This operation has no body');
    return null;
  }
  const body = parseJson(text);
  if (body === undefined) throw badRequest('The body is not JSON');
  if (isTooDeep(body, maxDepth)) throw badRequest('The body is nested too deep');
  return body;
}

/** Decodes a body from {@link collectBody}. Throws a 413 if it is too large, and a 400 if it is not UTF-8. */
function decodeBody(bytes: Buffer | null): string {
  if (bytes === null) throw new ApiError(413, `The body is larger than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not UTF-8');
  }
}

/** Null if it is larger than 5 MB: then the rest is read and discarded. */
async function collectBody(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= maxBytes) parts.push(chunk);
  }
  return size > maxBytes ? null : Buffer.concat(parts);
}

// How the variations of hosts change all operations. Changes to one resource are in its handler.

/** The body of an error if it is not as documented; else null. */
function showError(path: string, status: number, message: string, { profileErrors }: Variations) {
  if (message === unnamedHeader) return { error: message };
  if (profileErrors === 'documented' || status === 401 || !path.startsWith('/api/')) return null;
  const [, field = 'base', text = message] = /^"?(?:\S*\.)?(\w+)(?:\[\d+\])?"?:? (.+)$/s.exec(message) ?? [];
  return { error: message, errors: { [field]: text } };
}

/** The members of each resource that may be null, on hosts that define this. */
const nullable: readonly (readonly [path: string, names: readonly string[]])[] = [
  ['/v2024/auth-profiles', ['applicationId', 'applicationName']],
  ['/v2024/sim-integrations', ['cluster']],
  ['/v2025/notification-templates', ['header', 'footer', 'slackTemplate', 'teamsTemplate']],
  [
    '/v2025/notification-template-defaults',
    ['subject', 'header', 'footer', 'from', 'replyTo', 'description', 'slackTemplate', 'teamsTemplate'],
  ],
  ['/v2025/verified-from-addresses', ['id', 'region']],
  ['/v2025/verified-domains', []],
];

/** An answer without the nulls that a host does not have. */
function showAnswer(path: string, body: Json | undefined, { nulls, profileWords }: Variations) {
  if (body === undefined) return body;
  if (path.startsWith('/api/')) {
    if (profileWords === 'documented') return body;
    return mapJson(body, (item) => (isObject(item) ? withoutNulls(item) : item));
  }
  const [, names] = nullable.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [];
  if (nulls === 'all' || !names) return body;
  const rows = (isArray(body) ? body : [body]).map((row) => {
    if (!isObject(row)) return row;
    return mapMembers(row, (value, name) => (value === null && !names.includes(name) ? undefined : value));
  });
  return isArray(body) ? rows : rows[0];
}
