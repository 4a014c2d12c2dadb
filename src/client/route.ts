import type { IncomingMessage } from 'node:http';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { Request } from '../model/plan.ts';

/** Sends a request, directly or through a proxy, and returns a function that aborts it. Throws if HTTP cannot carry it. */
export type Route = (call: RawCall, listener: RouteListener) => () => void;

export interface RawCall {
  readonly origin: string;
  readonly method: Request['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface RouteListener {
  /** From now on it may be carried out: there is a connection, to which it is written. */
  onSent(): void;
  /** Not called for interim answers. */
  onHead(status: number, headers: Readonly<Record<string, string | readonly string[] | undefined>>): void;
  onData(chunk: Buffer): void;
  /** The answer is complete, and the connection takes another request. */
  onEnd(): void;
  onError(error: Error): void;
}

export interface RouteOptions {
  readonly connections: number;
  readonly connect: {
    /** Time limit for connecting, in milliseconds. */
    readonly timeout: number;
    /** Ends all connections, even those still being made. */
    readonly signal: AbortSignal;
    /** The client certificate of a host, and the authorities that it is trusted by. */
    readonly secureContext?: SecureContext;
  };
}

/** The most bytes of an answer's headers, as in Node itself. */
export const largestHeaders = 16_384;

export const codedError = (code: string): Error => Object.assign(new Error(code), { code });

/** A proxy makes no connection to a host. The message names it without its credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** Milliseconds after which an unused connection is closed: many hosts close theirs after five seconds. */
const longestIdle = 4_000;

/** Node's own HTTP client, over connections that are kept. `onAsked`: the host asks for a client certificate. */
export function createDirectRoute(
  origin: string,
  { connections, connect }: RouteOptions,
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
    const options = { agent, method, path, signal, maxHeaderSize: largestHeaders };
    const sent = request(host, { ...options, headers: { ...headers, ...length } });
    const write = () => {
      listener.onSent();
      sent.end(body);
    };
    sent.on('socket', (socket) => {
      if (!socket.connecting) return write();
      const giveUp = () => sent.destroy(codedError('CONNECT_TIMEOUT'));
      const timer = setTimeout(giveUp, timeout);
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
