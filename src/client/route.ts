import type { SecureContext } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { Request } from '../model/documents.ts';
import { systemCode } from '../model/failure.ts';
import type { HttpProxies } from '../model/tenant.ts';

/** Sends a request, directly or through a proxy, and returns a function that aborts it. Throws if HTTP cannot carry it. */
export type Route = (call: RawCall, listener: RouteListener) => () => void;

export interface RawCall {
  readonly origin: string;
  readonly method: Request['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface RouteListener {
  /** From now on it may be carried out: there is a connection, to which it is written. */
  onSent(): void;
  /** Not called for interim answers. */
  onHead(status: number, headers: Readonly<Record<string, string | readonly string[] | undefined>>): void;
  onData(chunk: Buffer): void;
  /** The answer is complete, and the connection takes another request. */
  onEnd(): void;
  /** `PROXY_UNUSABLE`, `PROXY_REFUSED`: a proxy makes no connection, now or at all. The message names it without its credentials. */
  onError(error: Error): void;
}

export interface RouteOptions {
  readonly connections: number;
  /** The most bytes of an answer's headers. */
  readonly maxHeaderSize: number;
  readonly connect: {
    /** Time limit for connecting, in milliseconds. */
    readonly timeout: number;
    /** Ends all connections, even those still being made. */
    readonly signal: AbortSignal;
    /** The client certificate of a host, and the authorities that it is trusted by. */
    readonly secureContext?: SecureContext;
  };
}

/** The route through the proxy, except to the hosts that are called directly. */
export function createProxyRoute(
  { http, https, except }: HttpProxies,
  { connections, maxHeaderSize, connect }: RouteOptions,
): Route {
  const toProxy = { timeout: connect.timeout, signal: connect.signal };
  const dispatcher = new EnvHttpProxyAgent({
    connect,
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize,
    requestTls: connect,
    httpProxy: http,
    httpsProxy: https,
    // undici reads `*` only alone.
    noProxy: except.split(/[,\s]+/).includes('*') ? '*' : except,
    // The certificate is for the host, not for the proxy.
    clientFactory: (proxy) => new ProxyPool(proxy, { connect: toProxy, headersTimeout: connect.timeout }),
  });
  connect.signal.addEventListener('abort', () => dispatcher.destroy());
  return (...request) => dispatch(dispatcher, ...request);
}

function dispatch(dispatcher: Dispatcher, ...[call, listener]: Parameters<Route>): () => void {
  const givenUp = new Error('given up');
  let isGivenUp = false;
  let started: Dispatcher.DispatchController | null = null;
  dispatcher.dispatch(call, {
    onRequestStart(controller) {
      started = controller;
      if (isGivenUp) controller.abort(givenUp);
      else listener.onSent();
    },
    onResponseStart(_controller, status, headers) {
      // 1xx answers are interim answers.
      if (status >= 200) listener.onHead(status, headers);
    },
    onResponseData: (_controller, chunk) => listener.onData(chunk),
    // The connection takes its next request a turn of the event loop later; before, a new one would be opened.
    onResponseEnd: () => void setImmediate(listener.onEnd),
    onResponseError: (_controller, error) => listener.onError(error),
  });
  return () => {
    isGivenUp = true;
    started?.abort(givenUp);
  };
}

/** The connections to a proxy. Their failures are distinguished from those of the host behind the proxy. */
class ProxyPool extends Pool {
  readonly #host: string;
  readonly #credentials: { readonly 'proxy-authorization'?: string };

  constructor(proxy: URL, options: Pool.Options) {
    super(proxy.origin, options);
    this.#host = proxy.host;
    const { username, password } = proxy;
    const pair = [username, password].map(decodeURIComponent).join(':');
    // undici sends the credentials of a URL only if there are both.
    this.#credentials =
      pair === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
  }

  override async connect(
    options: Omit<Dispatcher.ConnectOptions, 'origin'>,
  ): Promise<Dispatcher.ConnectData> {
    const data = await super
      .connect({ ...options, headers: { ...options.headers, ...this.#credentials } })
      .catch((error: unknown) => {
        const code = systemCode(error) ?? 'no code';
        throw this.#error('PROXY_UNUSABLE', `cannot be used (${code})`);
      });
    const { statusCode: status, socket } = data;
    if (status === 200) return data;
    // Nobody listens to this socket any more.
    socket.on('error', () => {}).destroy();
    const what = status === 407 ? 'asks for a user name and a password' : 'refuses to connect to this host';
    throw this.#error(status >= 500 ? 'PROXY_UNUSABLE' : 'PROXY_REFUSED', `${what} (status ${status})`);
  }

  #error(code: string, what: string): Error {
    return Object.assign(new Error(`the proxy ${this.#host} ${what}`), { code });
  }
}
