import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Fault, FaultList } from './faults.ts';
import { type RateLimit, RateLimiter } from './limiter.ts';
import { type LoggedRequest, type Metrics, RequestLog } from './log.ts';
import { Router } from './router.ts';
import { createSandboxServer } from './server.ts';
import type { TenantState } from './state.ts';
import { loadState, saveState } from './state-file.ts';
import { TokenEndpoint } from './token-endpoint.ts';
import { contract, type Variations } from './variations.ts';

export type { Fault } from './faults.ts';
export { FaultSyntaxError, parseFault } from './faults.ts';
export type { RateLimit } from './limiter.ts';
export type { LoggedRequest, Metrics } from './log.ts';
export { type Operation, operations } from './operations.ts';
export type * from './state.ts';
export { SandboxFileError } from './state-file.ts';
export type { Variations } from './variations.ts';

export interface SandboxOptions {
  /** The absolute path of a YAML seed; without one the tenant is empty. */
  readonly seed?: string | null;
  /** The absolute path of a JSON file that keeps the tenant after every write; where it exists, the seed is not read. */
  readonly data?: string | null;
  /** A port of the loopback address; 0 takes a free one. */
  readonly port?: number;
  /** Milliseconds before the work on a request begins. */
  readonly latency?: number;
  readonly faults?: readonly Fault[];
  /** Seconds for which a token is valid (default 3600). */
  readonly tokenLifetime?: number;
  /** Requests of one client and API version in a sliding window (default 100 in 10 s); null: no limit. */
  readonly rateLimit?: RateLimit | null;
  /** The largest and default page of the notification interface's lists (default 250). */
  readonly pageLimit?: number;
  /** Departures from the contract; what is left out is the contract. */
  readonly variations?: Partial<Variations>;
  /** Milliseconds since 1970; also moves the rate limit and the life of tokens. */
  readonly now?: () => number;
  /** The secret of the client `sandbox`; a random one where it is not given. */
  readonly clientSecret?: string;
}

/** A running embedded tenant. */
export interface Sandbox {
  /** The origin under which /v2024, /v2025, /api and /oauth are served. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A fresh JWT. */
  token(): string;
  /** The tenant; whoever changes it plays a person who changes the tenant by hand. */
  readonly state: TenantState;
  /** The last requests, in order of arrival. */
  readonly log: readonly LoggedRequest[];
  readonly faults: { add(fault: Fault): void; clear(): void };
  readonly metrics: Metrics;
  /** Writes the data file, as every write does; without a data file nothing happens. */
  save(): void;
  /** Ends the server and its connections. */
  close(): Promise<void>;
}

const clientId = 'sandbox';

/**
 * Starts the embedded tenant on the loopback address: a server that is written from the API documents and refuses what
 * they do not allow. Throws `SandboxFileError` for an unusable seed or data file, and Node's error for a taken port.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { data = null, now = Date.now, clientSecret = randomBytes(24).toString('base64url') } = options;
  const variations: Variations = { ...contract, ...options.variations };
  const state = loadState(options.seed ?? null, data);
  const key = randomBytes(32);
  const log = new RequestLog();
  const faults = new FaultList();
  for (const fault of options.faults ?? []) faults.add(fault);
  const tokens = new TokenEndpoint(
    { id: clientId, secret: clientSecret },
    options.tokenLifetime ?? 3600,
    key,
    now,
  );
  const save = (): void => {
    if (data !== null) saveState(state, data);
  };
  const server = createSandboxServer({
    tenant: { state, variations, pageLimit: options.pageLimit ?? 250, now, timestamp: () => iso(now()) },
    router: new Router(
      variations.profileSearchPath,
      variations.profileSearchDelete ? [] : ['delete-profile-search'],
    ),
    faults,
    limiter: new RateLimiter(
      options.rateLimit === undefined ? { requests: 100, per: 10_000 } : options.rateLimit,
    ),
    tokens,
    key,
    log,
    latency: options.latency ?? 0,
    save,
  });
  // Longer than a client rests between commands, so that no request meets a connection that is being closed.
  server.keepAliveTimeout = 60_000;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    clientId,
    clientSecret,
    token: () => tokens.issue(),
    state,
    log: log.entries,
    faults: { add: (fault) => faults.add(fault), clear: () => faults.clear() },
    get metrics() {
      return log.metrics();
    },
    save,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
