import { type Dispatcher, Pool } from 'undici';
import type { HttpProxies } from '../model/network.ts';
import { systemCode } from '../model/system-error.ts';

/** Why a proxy makes no connection to a host. The message names the proxy without its credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** What connections have, through a proxy and to it. */
export type ConnectionOptions = Pick<
  Pool.Options,
  'connections' | 'pipelining' | 'headersTimeout' | 'bodyTimeout' | 'maxResponseSize' | 'maxHeaderSize'
> & {
  /** Milliseconds until a connection has to be there. */
  readonly connectTimeout: number;
};

/** Connections through the proxy, except to the hosts that are called directly. */
export async function createProxyDispatcher(
  { http, https, except }: HttpProxies,
  { connectTimeout, ...options }: ConnectionOptions,
): Promise<Dispatcher> {
  // Most runs have no proxy.
  const { EnvHttpProxyAgent } = await import('undici');
  const connect = { timeout: connectTimeout };
  return new EnvHttpProxyAgent({
    ...options,
    connect,
    requestTls: connect,
    httpProxy: http,
    httpsProxy: https,
    noProxy: except,
    clientFactory: (proxy) => new ProxyPool(proxy, { connect, headersTimeout: connectTimeout }),
  });
}

/** The connections to a proxy. What fails is told apart from failures of the host behind it. */
class ProxyPool extends Pool {
  readonly #host: string;

  constructor(proxy: URL, options: Pool.Options) {
    super(proxy.origin, options);
    this.#host = proxy.host;
  }

  override async connect(
    options: Omit<Dispatcher.ConnectOptions, 'origin'>,
  ): Promise<Dispatcher.ConnectData> {
    const data = await super.connect(options).catch((error: unknown) => {
      throw new ProxyError(
        `the proxy ${this.#host} cannot be used (${systemCode(error) ?? 'no code'})`,
        true,
      );
    });
    const { statusCode: status, socket } = data;
    if (status === 200) return data;
    // Nobody listens to this socket any more.
    socket.on('error', () => {}).destroy();
    const what = status === 407 ? 'asks for a user name and a password' : 'refuses to connect to this host';
    throw new ProxyError(`the proxy ${this.#host} ${what} (status ${status})`, status >= 500);
  }
}
