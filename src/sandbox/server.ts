import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { rewritten } from './answer-shape.ts';
import { ApiError, errorBody } from './api-error.ts';
import { bodyText, checkHeaders, collectBody, readBody } from './checks.ts';
import type { Fault, FaultList } from './faults.ts';
import { handlers } from './handlers/index.ts';
import { verifyBearer } from './jwt.ts';
import type { RateLimiter } from './limiter.ts';
import { type LoggedRequest, loggedBody, loggedHeaders, type RequestLog } from './log.ts';
import { parseQuery } from './query.ts';
import type { Route, Router } from './router.ts';
import { ShapeError } from './shape.ts';
import type { Reply, Tenant } from './tenant.ts';
import type { TokenEndpoint } from './token-endpoint.ts';

/** Everything that one server works with. */
export interface Parts {
  readonly tenant: Tenant;
  readonly router: Router;
  readonly faults: FaultList;
  readonly limiter: RateLimiter;
  readonly tokens: TokenEndpoint;
  readonly key: Buffer;
  readonly log: RequestLog;
  /** Milliseconds before the work on a request begins. */
  readonly latency: number;
  /** Called after a write, before it is answered. */
  readonly save: () => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly search: string;
  readonly bytes: Buffer | null;
}

/** The HTTP server; it does not listen yet. */
export function createSandboxServer(parts: Parts): Server {
  return createServer((request, response) => {
    parts.log.opened();
    response.once('close', () => parts.log.closed());
    // What fails here is a connection that has gone: there is nobody left to answer.
    serve(request, response, parts).catch(() => response.destroy());
  });
}

async function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const url = request.url ?? '/';
  const cut = url.indexOf('?');
  const [path, search] = cut < 0 ? [url, ''] : [url.slice(0, cut), url.slice(cut + 1)];
  const bytes = await collectBody(request);
  const exchange: Exchange = { request, response, path, search, bytes };
  const route = attempt(() => parts.router.find(request.method ?? '', path));
  const operation = route instanceof Error ? null : route.operation.name;
  const fault = parts.faults.strike({ method: request.method ?? '', path, operation });
  const entry = logged(exchange, operation, fault);
  parts.log.add(entry);
  if (parts.latency > 0) await wait(parts.latency);
  if (fault !== null && isBefore(fault)) return misbehave(fault, null, entry, exchange, parts);
  const reply = work(route, exchange, parts);
  if (fault !== null) return misbehave(fault, reply, entry, exchange, parts);
  parts.log.answered(entry, reply.status);
  send(response, reply);
}

function logged(
  { request, path, search, bytes }: Exchange,
  operation: string | null,
  fault: Fault | null,
): LoggedRequest {
  return {
    method: request.method ?? '',
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: loggedHeaders(request.headers),
    body: loggedBody(bytes, operation),
    status: null,
    operation,
    fault: fault?.kind ?? null,
  };
}

/** Checks a request and does its work; every refusal becomes an answer. */
function work(route: Route | Error, exchange: Exchange, parts: Parts): Reply {
  const reply = attempt(() => {
    if (route instanceof Error) throw route;
    return answer(route, exchange, parts);
  });
  if (!(reply instanceof Error)) return reply;
  const { status, headers } = refusal(reply);
  return { status, headers, body: errorBody(status, reply.message, parts.log.metrics().requests) };
}

function answer(route: Route, { request, path, search, bytes }: Exchange, parts: Parts): Reply {
  const { tenant } = parts;
  const { operation, params } = route;
  const { headers } = request;
  if (operation.name === 'issue-token') return parts.tokens.answer(bodyText(bytes), headers);
  const { clientId } = verifyBearer(headers.authorization, tenant.now() / 1000, parts.key);
  admit(`${clientId} ${path.split('/')[1]}`, parts);
  checkHeaders(operation, headers, tenant.variations.experimentalHeader);
  const query = parseQuery(search, operation);
  const reply = handlers[operation.name]({ params, query, body: readBody(operation, bytes) }, tenant);
  if (reply.changed) parts.save();
  return reply.body === undefined ? reply : { ...reply, body: rewritten(reply.body, tenant.variations) };
}

/** Throws a 429 for a client that has used up its limit for an API version. */
function admit(name: string, { limiter, tenant }: Parts): void {
  const pause = limiter.admit(name, tenant.now());
  if (pause === 0) return;
  const seconds = Math.ceil(pause / 1000);
  // A date has whole seconds: without the extra one it could lie before the moment meant.
  const date = new Date(tenant.now() + (seconds + 1) * 1000).toUTCString();
  const retryAfter = tenant.variations.retryAfter === 'date' ? date : String(seconds);
  throw new ApiError(429, 'Too many requests', { 'retry-after': retryAfter });
}

function refusal(error: Error): { status: number; headers: Readonly<Record<string, string>> } {
  if (error instanceof ApiError) return error;
  return { status: error instanceof ShapeError ? 400 : 500, headers: {} };
}

function isBefore(fault: Fault): boolean {
  if (fault.kind === 'reset-before') return true;
  return (fault.kind === 'hang' || fault.kind === 'status') && fault.done !== 'after';
}

function misbehave(
  fault: Fault,
  reply: Reply | null,
  entry: LoggedRequest,
  exchange: Exchange,
  parts: Parts,
): void {
  const { response } = exchange;
  switch (fault.kind) {
    case 'hang':
      return;
    case 'reset-before':
    case 'reset-after':
      exchange.request.socket.resetAndDestroy();
      return;
    case 'cut-body':
      cutBody(response, reply);
      return;
    case 'status': {
      const status = fault.status ?? 503;
      parts.log.answered(entry, status);
      sendFault(response, fault, status, parts);
    }
  }
}

function cutBody(response: ServerResponse, reply: Reply | null): void {
  const text = JSON.stringify(reply?.body ?? null);
  response.writeHead(reply?.status === 204 ? 200 : (reply?.status ?? 200), {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  });
  response.write(Buffer.from(text).subarray(0, Math.floor(text.length / 2)), () => response.destroy());
}

function sendFault(response: ServerResponse, fault: Fault, status: number, parts: Parts): void {
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
  const text = `Fault: ${status}`;
  const html = `<html><head><title>${text}</title></head><body><h1>${text}</h1></body></html>`;
  const json = JSON.stringify(errorBody(status, text, parts.log.metrics().requests));
  switch (fault.body ?? 'json') {
    case 'json':
      sendText(response, status, json, { ...headers, 'content-type': 'application/json' });
      return;
    case 'html':
      sendText(response, status, html, { ...headers, 'content-type': 'text/html' });
      return;
    case 'text':
      sendText(response, status, text, { ...headers, 'content-type': 'text/plain' });
      return;
    case 'bad-encoding':
      sendText(response, status, json, {
        ...headers,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      });
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  if (body === undefined) sendText(response, status, '', headers);
  else sendText(response, status, JSON.stringify(body), { ...headers, 'content-type': 'application/json' });
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...headers, ...length }).end(text);
}

function attempt<T>(action: () => T): T | Error {
  try {
    return action();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
