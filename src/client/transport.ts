import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { SecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import type { Endpoint } from '../kinds/project.ts';
import { tool } from '../model/documents.ts';
import { Failure, fail, messageOf, systemCode } from '../model/failure.ts';
import { isTooDeep, parseJson } from '../model/json.ts';
import type { HttpProxies } from '../model/tenant.ts';
import {
  type Answer,
  type Answered,
  holdsMessage,
  isSuccess,
  lostAnswer,
  type Unsent,
  unsentAnswer,
  unsentWithProblems,
} from './answer.ts';
import { certificateHint } from './describe.ts';
import type { RawCall, Route, RouteOptions } from './route.ts';

export interface Call extends RawCall {
  /** True for a request other than GET that changes nothing in the tenant. */
  readonly isHarmless?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Reserves memory for a response; false when the limit is reached. */
  readonly keep?: ((bytes: number) => boolean) | undefined;
  /** Called for each number of an answer that a double cannot hold, with the name of its member or list. */
  readonly onNumber?: ((name: string, digits: string) => void) | undefined;
  /** A time limit in milliseconds, if shorter than that of every exchange. */
  readonly longest?: number | undefined;
}

/** Time limits in milliseconds; `body` is the longest silence within a body, `total` ends any exchange. */
export const defaultTransportLimits = {
  connect: 10_000,
  headers: 60_000,
  body: 30_000,
  total: 180_000,
  bodyBytes: 64 * 1024 * 1024,
};

type TransportLimits = typeof defaultTransportLimits;

interface TransportOptions {
  readonly proxy?: HttpProxies | null | undefined;
  /** Client certificates, by the origins that ask for them. */
  readonly certificates?: ReadonlyMap<string, NonNullable<Endpoint['tls']>>;
}

/** Sent with every request, even for tokens, so that operators of a host can identify the client. */
const ownHeaders = { 'user-agent': `${tool.name}/${tool.version}`, 'accept-encoding': 'gzip' };

type Head = Pick<Answered, 'status' | 'headers'>;

/** The most bytes of an answer's headers, as in Node itself. */
const largestHeaders = 16_384;

/** The most bytes of a message. Redacting a longer one would hold up all tenants of a run. */
const largestMessage = 256 * 1024;

/**
 * HTTP over kept-alive connections, at most `connections` to an origin, through the proxy if there is one. Returns a function that
 * sends single requests: it never rejects, follows no redirects, repeats nothing. `closing` ends all connections, even those that
 * are still being made: they would keep the process alive until their time limit.
 */
export function createTransport(
  connections: number,
  limits: TransportLimits,
  closing: AbortSignal,
  { proxy = null, certificates = new Map() }: TransportOptions = {},
): (call: Call) => Promise<Answer> {
  // Each connection listens.
  setMaxListeners(0, closing);
  const routes = new Map<string, Promise<Route>>();
  /** Origins that have asked for a client certificate. */
  const asking = new Set<string>();
  /** Origins that have answered. They ask for a certificate before that or never. */
  const reached = new Set<string>();
  const routeTo = (origin: string): Promise<Route> => {
    const tls = certificates.get(origin);
    const name = proxy && !tls ? 'proxy' : origin;
    const existing = routes.get(name);
    if (existing) return existing;
    const secureContext = tls && { secureContext: revealTls(tls) };
    const connect = { timeout: limits.connect, signal: closing, ...secureContext };
    const options = { connections, maxHeaderSize: largestHeaders, connect };
    // undici takes a while to load, and most runs have no proxy.
    const route = proxy
      ? import('./route.ts').then(({ createProxyRoute }) => createProxyRoute(proxy, options))
      : Promise.resolve(createDirectRoute(origin, options, () => asking.add(origin)));
    routes.set(name, route);
    return route;
  };
  return async (call) => {
    const { origin } = call;
    if (closing.aborted) return unsentAnswer('interrupted', 'the run was interrupted');
    try {
      const answer = await exchange(await routeTo(origin), call, limits);
      if (answer.outcome === 'answered') {
        reached.add(origin);
        return answer;
      }
      const [hasAsked, hasAnswered] = [asking.has(origin), reached.has(origin)];
      const hasCertificate = certificates.get(origin)?.cert !== undefined;
      return refusedCertificate(answer, call, { hasAsked, hasAnswered, hasCertificate }) ?? answer;
    } catch (error) {
      if (error instanceof Failure) return unsentWithProblems('untrusted', error.diagnostics);
      throw error;
    }
  };
}

/** A failure before the request is sent is safe to retry; after that, it may have been carried out. */
function exchange(route: Route, call: Call, limits: TransportLimits): Promise<Answer> {
  const { origin, method, path, headers, body, signal } = call;
  return new Promise((resolve) => {
    let isSent = false;
    let head: Head | null = null;
    let settled = false;
    let finished = false;
    let giveUp = () => {};
    let silence: NodeJS.Timeout | undefined;
    let size = 0;
    const chunks: Buffer[] = [];

    const settle = (answer: Answer | Promise<Answer>): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      clearTimeout(silence);
      signal?.removeEventListener('abort', interrupt);
      resolve(answer);
      // An aborted request must not be sent later, and must not keep its connection.
      if (!finished) giveUp();
    };
    const interrupt = (): void =>
      settle(
        isSent
          ? lostAnswer('interrupted', 'the run was interrupted before the response arrived')
          : unsentAnswer('interrupted', 'the run was interrupted'),
      );
    const fail = (error: Error): void => {
      // A 204 ends with its headers (RFC 9110, 15.3.5): some hosts send more, which is ignored.
      if (head?.status === 204) settle({ outcome: 'answered', ...head, body: null, text: null });
      else settle(isSent ? toLostAnswer(error, head !== null) : toUnsentAnswer(error, origin));
    };
    const expire = (): void => fail(codedError('TOTAL_TIMEOUT'));
    const expectWithin = (ms: number): void => {
      clearTimeout(silence);
      if (!settled) silence = setTimeout(expire, ms);
    };
    const deadline = setTimeout(expire, Math.min(limits.total, call.longest ?? limits.total));

    if (signal?.aborted) return interrupt();
    signal?.addEventListener('abort', interrupt);

    const listener: Parameters<Route>[1] = {
      onSent() {
        isSent = true;
        expectWithin(limits.headers);
      },
      onHead(status, raw) {
        const entries = Object.entries(raw).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]);
        head = { status, headers: Object.fromEntries(entries) };
        expectWithin(limits.body);
      },
      onData(chunk) {
        silence?.refresh();
        size += chunk.length;
        if (size > limits.bodyBytes)
          settle(lostAnswer('too-large', 'the response is larger than tenantctl accepts'));
        else chunks.push(chunk);
      },
      onEnd() {
        finished = true;
        if (head) settle(answerOf(head, Buffer.concat(chunks), limits.bodyBytes, call));
      },
      onError(error) {
        finished = true;
        fail(error);
      },
    };
    try {
      giveUp = route({ origin, method, path, headers: { ...ownHeaders, ...headers }, body }, listener);
    } catch (error) {
      settle(toUnsentAnswer(error, origin));
    }
  });
}

const tooMuchHint =
  'Read fewer objects (`--only`), or raise `limits.answers` of the environment, and the memory of the process with `NODE_OPTIONS=--max-old-space-size=MB`. If the tenant never ends a list, that is a fault of the tenant.';

/** The first bytes of what is compressed: hosts may not say so. */
const gzip = Buffer.from([0x1f, 0x8b]);

async function answerOf(head: Head, bytes: Buffer, limit: number, { keep, onNumber }: Call): Promise<Answer> {
  const { 'content-type': type = '' } = head.headers;
  const plain = gzip.equals(bytes.subarray(0, 2)) ? await unpack(bytes, limit) : bytes;
  if (!plain) return lostAnswer('too-large', 'the response unpacks to more than tenantctl accepts');
  if (keep?.(plain.length) === false) {
    const detail = 'the responses of this tenant together exceed the limit in memory';
    return lostAnswer('too-much', detail, tooMuchHint);
  }
  // Drops a byte order mark.
  const decoded = new TextDecoder().decode(plain);
  // Goes by content, not by headers. JSON not in UTF-8 is text: its letters would be written back wrong.
  const parsed = isUtf8(plain) ? parseJson(decoded, onNumber) : undefined;
  const isJson = parsed !== undefined && !isTooDeep(parsed);
  const text = isJson || decoded.trim() === '' ? null : decoded;
  const whole: Answered = { outcome: 'answered', ...head, body: isJson ? parsed : null, text };
  const isLong = plain.length > largestMessage && (text !== null || holdsMessage(whole));
  if (isLong && isSuccess(whole) && isJson)
    return lostAnswer('too-large', 'the response is a message that is longer than tenantctl accepts');
  const answer = isLong
    ? { ...whole, body: null, text: new TextDecoder().decode(plain.subarray(0, largestMessage)) }
    : whole;
  const isPacked = gzip.equals(plain.subarray(0, 2));
  if (!isSuccess(answer)) return isPacked ? { ...answer, text: null } : answer;
  if (isPacked) return lostAnswer('cut', 'the response is compressed, and cut off or corrupt');
  if (type.includes('json') && /^\s*[[{]/.test(answer.text ?? ''))
    return lostAnswer('cut', 'the response is JSON that is cut off or invalid');
  return answer;
}

/** A body without its compression. `null` for one that unpacks to more than `limit`. */
async function unpack(bytes: Buffer, limit: number): Promise<Buffer | null> {
  // Loaded only if a host compresses its answers.
  const { gunzip } = process.getBuiltinModule('node:zlib');
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limit });
  } catch (error) {
    return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? null : bytes;
  }
}

/** The outcome of a request that failed on its way: it may have been carried out. */
export function toLostAnswer(error: unknown, answerBegan: boolean): Answer {
  const code = systemCode(error) ?? 'no code';
  if (['TOTAL_TIMEOUT', 'ETIMEDOUT'].includes(code))
    return lostAnswer('timeout', 'no complete response arrived within the time limit');
  if (/HEADERS?_OVERFLOW/.test(code))
    return lostAnswer('too-large', 'the headers of the response are larger than tenantctl accepts');
  if (code.startsWith('HPE_')) return lostAnswer('cut', `the response is not valid HTTP/1.1 (${code})`);
  if (answerBegan) return lostAnswer('cut', `the response was cut off (${code})`);
  return lostAnswer('reset', `the connection ended before a response arrived (${code})`);
}

/** The outcome of a request that failed before it was sent: it was not carried out. */
export function toUnsentAnswer(error: unknown, origin: string): Unsent {
  // An error without a code is a fault of the program: its name says at least that.
  const code = systemCode(error) ?? (error instanceof Error ? error.name : 'no code');
  if (code === 'PROXY_UNUSABLE' || code === 'PROXY_REFUSED') {
    const hint = 'Check HTTPS_PROXY and HTTP_PROXY, or list the host in NO_PROXY if it is reached directly.';
    const detail = `the host ${hostOf(origin)} cannot be reached: ${messageOf(error)}`;
    return unsentAnswer(code === 'PROXY_UNUSABLE' ? 'unreachable' : 'refused-by-proxy', detail, hint);
  }
  if (/INVALID_ARG|INVALID_CHAR|UNESCAPED/.test(code))
    return unsentAnswer('unsafe', 'the request cannot be sent over HTTP (header or path)');
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) {
    const hint = untrusted.find(({ codes }) => codes.test(code))?.hint;
    return unsentAnswer('untrusted', `no trusted connection to the host ${hostOf(origin)} (${code})`, hint);
  }
  const hint = 'Check the base URL, the network, and whether the host is up.';
  const what = unreachable[code] ?? 'cannot be reached';
  return unsentAnswer('unreachable', `the host ${hostOf(origin)} ${what} (${code})`, hint);
}

const hostOf = (origin: string): string => new URL(origin).host;

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ENOTFOUND: 'does not exist: its name is unknown',
  EAI_AGAIN: 'cannot be found: its name cannot be resolved now',
  CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  TOTAL_TIMEOUT: 'was not reached within the time limit',
};

const untrusted: readonly { readonly codes: RegExp; readonly hint: string }[] = [
  { codes: /ALTNAME/, hint: 'The certificate is for another host: check the host in the URL.' },
  {
    codes: /EXPIRED|NOT_YET_VALID/,
    hint: 'The certificate is not valid now: check the clock of this machine, or have the certificate renewed.',
  },
  {
    codes: /CERT|SIGNATURE/,
    hint: 'If a company proxy signs the certificate, name its CA in NODE_EXTRA_CA_CERTS.',
  },
  { codes: /./, hint: 'The host offers no TLS 1.2 or later at this port: check the URL and its port.' },
];

/** A client certificate, and the authorities that it comes with. Throws a Failure if they cannot be read or do not fit each other. */
function revealTls({ cert, key, ca }: NonNullable<Endpoint['tls']>): SecureContext {
  const { createSecureContext, rootCertificates } = process.getBuiltinModule('node:tls');
  const options = {
    ...(cert && { cert: cert() }),
    ...(key && { key: key() }),
    ...(ca && { ca: [...rootCertificates, ca()] }),
  };
  try {
    return createSecureContext(options);
  } catch (error) {
    const message = `The client certificate cannot be used (${systemCode(error) ?? 'unknown error'}).`;
    const hint =
      'Check `tls` of the environment: `cert`, `key` and `ca` are PEM, and the key belongs to the certificate.';
    throw fail('tls-certificate', message, { hint });
  }
}

/**
 * What to say of a host that refuses the client certificate, or its absence: in a handshake, or by silence after it has asked for
 * one. `null`: it does not.
 */
function refusedCertificate(
  { outcome, reason, detail }: Exclude<Answer, Answered>,
  { origin, method, isHarmless }: Call,
  host: { readonly hasAsked: boolean; readonly hasAnswered: boolean; readonly hasCertificate: boolean },
): Unsent | null {
  // A write may have been carried out, whatever the host asks for.
  const mayBeSilence = outcome === 'lost' && reason === 'reset' && (method === 'GET' || isHarmless);
  const isUndone = (mayBeSilence && !host.hasAnswered) || /HANDSHAKE_FAILURE|EPROTO/.test(detail);
  const alert = /ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN)/;
  if (!alert.test(detail) && !(isUndone && host.hasAsked)) return null;
  const what = host.hasCertificate ? 'does not take the client certificate' : 'asks for a client certificate';
  const hint = host.hasCertificate
    ? 'Check that `tls.cert` of the environment is valid now, and made by an authority that the host trusts.'
    : certificateHint;
  return unsentAnswer('untrusted', `the host ${hostOf(origin)} ${what}`, hint);
}

/** Milliseconds after which an unused connection is closed: many hosts close theirs after five seconds. */
const longestIdle = 4_000;

/** Node's own HTTP client, over connections that are kept. `onAsked`: the host asks for a client certificate. */
function createDirectRoute(
  origin: string,
  { connections, maxHeaderSize, connect }: RouteOptions,
  onAsked: () => void,
): Route {
  const host = new URL(origin);
  const isTls = host.protocol === 'https:';
  // Loaded when a tenant is called.
  const { Agent, request }: Pick<typeof import('node:http'), 'Agent' | 'request'> = isTls
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  const { timeout, signal, ...tls } = connect;
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections, timeout: longestIdle });
  signal.addEventListener('abort', () => agent.destroy());
  // Node reports the request for a certificate in no other way. Only it names the host's signature algorithms.
  agent.on('keylog', (_line: Buffer, socket: TLSSocket) => {
    if (socket.getSharedSigalgs().length > 0) onAsked();
  });
  return ({ method, path, headers, body }, listener) => {
    let answer: IncomingMessage | null = null;
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { agent, method, path, signal, maxHeaderSize };
    const sent = request(host, { ...options, headers: { ...headers, ...length } });
    const write = () => {
      listener.onSent();
      sent.end(body);
    };
    sent.on('socket', (socket) => {
      if (!socket.connecting) return write();
      const timer = setTimeout(() => sent.destroy(codedError('CONNECT_TIMEOUT')), timeout);
      const connected = isTls ? 'secureConnect' : 'connect';
      socket.once(connected, write);
      for (const event of [connected, 'close']) socket.once(event, () => clearTimeout(timer));
    });
    sent.on('response', (response) => {
      answer = response;
      listener.onHead(response.statusCode ?? 0, response.headers);
      response.on('data', listener.onData).on('end', listener.onEnd).on('error', listener.onError);
    });
    // Data after a complete answer is an error of the connection alone.
    sent.on('error', (error) => {
      if (!answer?.complete) listener.onError(error);
    });
    return () => sent.destroy();
  };
}

const codedError = (code: string): Error => Object.assign(new Error(code), { code });
