import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer, Sent } from '../../src/client/answer.ts';
import { type Client, type ClientEvent, type ClientOptions, createClient } from '../../src/client/client.ts';
import type { Clock } from '../../src/client/rate-limiter.ts';
import { createTransport, defaultTransportLimits } from '../../src/client/transport.ts';
import { type ApiResource, apiRequest, type Call, identityResource } from '../../src/kinds/http.ts';
import type { Auth, RateLimit } from '../../src/kinds/project.ts';
import type { Request } from '../../src/model/documents.ts';
import { type Diagnostic, Failure } from '../../src/model/failure.ts';
import type { Json } from '../../src/model/json.ts';
import { contractSettings, type HttpProxies } from '../../src/model/tenant.ts';

export const tenant = { identity: 'https://a.example', profiles: 'https://b.example' };

/** A transport that can be closed. */
export function openTransport(
  connections: number,
  limits: Partial<typeof defaultTransportLimits> = {},
  proxy: HttpProxies | null = null,
) {
  const closing = new AbortController();
  const whole = { ...defaultTransportLimits, ...limits };
  const exchange = createTransport(connections, whole, closing.signal, { proxy });
  return { exchange, close: () => closing.abort() };
}

export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (arrival: Arrival, response: ServerResponse, socket: Socket) => void;

/** A loopback server that keeps what arrived; it ends with the test that `using`s it. */
export async function serve(handler: Handler) {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const arrival = { method, url, headers, body };
      arrivals.push(arrival);
      handler(arrival, response, request.socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function reply(
  response: ServerResponse,
  status: number,
  body: Json | undefined = undefined,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

export const fixedToken: Auth = { by: 'token', token: () => 'token-given-by-hand' };

export const credentials = (url: string): Auth => ({
  by: 'client-credentials',
  tokenUrl: `${url}/oauth/token`,
  clientId: () => 'ci',
  clientSecret: () => 'c+li/ent "secret"',
});

export interface Setup {
  readonly auth?: Auth;
  readonly limits?: Partial<RateLimit>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly reveal?: (name: string) => string;
  readonly options?: ClientOptions;
}

/** A client of a loopback server that never really waits, with everything it told. */
export function clientOf(
  url: string,
  { auth = fixedToken, limits, secrets = {}, reveal, options }: Setup = {},
) {
  const events: ClientEvent[] = [];
  const clock = jumpingClock();
  const client = createClient(
    {
      tenant,
      identity: { baseUrl: url, auth },
      profiles: { baseUrl: url, auth },
      limits: { requests: 1000, per: 10_000, concurrency: 8, ...limits },
      settings: contractSettings,
    },
    { reveal: reveal ?? ((name) => secrets[name] ?? ''), matches: () => false, problem: () => null },
    { clock, random: () => 0.5, onEvent: (event) => events.push(event), ...options },
  );
  return { client, events, clock, [Symbol.asyncDispose]: () => client.close() };
}

/** A clock on which every sleep is over at once, and the time has passed. */
export function jumpingClock(): Clock & { readonly slept: number[] } {
  let time = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    sleep: async (ms, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) return;
      slept.push(ms);
      time += ms;
    },
  };
}

/** A clock that a test moves by hand. */
export function handClock() {
  let time = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => time,
    /** How many sleep. */
    get sleeping() {
      return sleepers.size;
    },
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const sleeper = { at: time + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          resolve();
        });
      }),
    /** Moves on to `to`, waking whoever sleeps until then in order. */
    async advance(to: number) {
      for (;;) {
        const next = [...sleepers].sort((a, b) => a.at - b.at)[0];
        if (!next || next.at > to) break;
        sleepers.delete(next);
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
      time = to;
      await settle();
    },
  };
}

/** Lets everything run that waits for nothing but its turn. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Any path of either service, as a resource. */
export function resourceAt(path: string): ApiResource {
  const resource = { ...identityResource('Test', path.split('/')[1] ?? '', ''), path: () => path };
  if (!path.startsWith('/api/')) return resource;
  return { ...resource, lane: () => ({ service: 'profiles', group: 'api' }) };
}

export const get = (path: string, query: Readonly<Record<string, string>> = {}): Call =>
  apiRequest('GET', resourceAt(path), contractSettings, { query });
export const post = (path: string, body: Json): Call =>
  apiRequest('POST', resourceAt(path), contractSettings, { body });
export const put = (path: string, body: Json): Call =>
  apiRequest('PUT', resourceAt(path), contractSettings, { body });
export const patch = (path: string, body: Json): Call =>
  apiRequest('PATCH', resourceAt(path), contractSettings, {
    body,
    contentType: 'application/json-patch+json',
  });

export function answerWith(status: number, body: Json = null, headers: Record<string, string> = {}): Answer {
  return { outcome: 'answered', status, headers, body, text: null };
}

export function sent(answer: Answer): Sent {
  return { ...answer, attempts: 1, ms: 1, trackingId: null, repeated: false };
}

/** The problems of a Failure with which a read has to end. */
export async function problemsOf(work: Promise<unknown>): Promise<readonly Diagnostic[]> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw error ?? new Error('nothing was refused');
  return error.diagnostics;
}

export const codesOf = async (work: Promise<unknown>): Promise<readonly string[]> =>
  (await problemsOf(work)).map(({ code }) => code);

/** A client that answers from a function, and keeps what it was asked. */
export function fakeClient(answer: (request: Request) => Answer): Client & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    tenant,
    settings: contractSettings,
    asked,
    send: async (request) => {
      const query = Object.entries(request.query).map(([name, value]) => `${name}=${value}`);
      asked.push(query.length > 0 ? `${request.path}?${query.join('&')}` : request.path);
      return sent(answer(request));
    },
    signIn() {},
    redact: (text) => text,
    close: async () => {},
  };
}
