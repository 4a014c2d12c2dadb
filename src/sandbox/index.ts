import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, History, LateWork } from './clock.ts';
import { type Fault, FaultList } from './faults.ts';
import { Router } from './routes.ts';
import { createSandboxServer } from './server.ts';
import { loadState, saveState, type TenantState } from './state.ts';
import { TokenIssuer } from './tokens.ts';
import { contract, presets, type Variations } from './ways.ts';

export type { Fault } from './faults.ts';
export { FaultSyntaxError, faultWords, parseFaults } from './faults.ts';
export type { Operation } from './operations.ts';
export { operations } from './routes.ts';
export { referenceName, SandboxFileError, type TenantState } from './state.ts';
export { parseVariations, presets, VariationSyntaxError, type Variations, ways } from './ways.ts';

type ServerOptions = Parameters<typeof createSandboxServer>[0];

export interface SandboxOptions extends Partial<Pick<ServerOptions, 'latency' | 'rateLimit' | 'around'>> {
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
}

type RequestLog = ReturnType<typeof createSandboxServer>['log'];

export interface Sandbox {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  token(): string;
  /** The tenant. Changes to it are like changes that a person makes in the tenant's own interface. */
  readonly state: TenantState;
  readonly log: Readonly<RequestLog['entries']>;
  readonly faults: Pick<FaultList, 'add' | 'clear'>;
  /** Resolves when everything that a fault made late is done. Then reads no longer lag. */
  settle(): Promise<void>;
  readonly metrics: Readonly<RequestLog['metrics']>;
  /** Writes the data file, as every write does. Does nothing without a data file. */
  save(): void;
  close(): Promise<void>;
}

const clientId = 'sandbox-client';

/** Throws `SandboxFileError` for an unusable seed or data file, and `FaultSyntaxError` for an unknown operation. */
function partsOf(options: SandboxOptions, clientSecret: string) {
  const { data = null, rateLimit = { requests: 100, per: 10_000 }, tokenLifetime = 3600 } = options;
  const clock: Clock = {
    now: Date.now,
    sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}).catch(() => {}),
    ...options.clock,
  };
  const { now } = clock;
  const { state, kinds } = loadState(options.seed ?? null, data, options.kinds);
  const products: Partial<Variations>[] = (options.presets ?? []).map((name) => presets[name]);
  const variations: Variations = Object.assign({}, contract, ...products, options.variations);
  const { around = (asked, next) => next(asked) } = options;
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
    rateLimit,
    tokens: new TokenIssuer({ clientId, clientSecret, lifetime: tokenLifetime, now }),
    clock,
    late: new LateWork(clock),
    history: new History(options.lag ?? 0, now),
    around,
    latency: options.latency ?? 0,
    save: (isChanged: boolean) => {
      isSaved &&= !isChanged;
      if (data === null || isSaved) return;
      saveState(state, data);
      isSaved = true;
    },
  };
}

/**
 * Starts the embedded tenant on the loopback address: a server that follows the API documents and refuses what they do
 * not allow. Throws `SandboxFileError` for an unusable seed or data file, `FaultSyntaxError` for a fault of an operation
 * that it does not have, and Node's error for a port that is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clientSecret = randomBytes(24).toString('base64url') } = options;
  const parts = partsOf(options, clientSecret);
  const { tenant, faults, tokens, late, history, save } = parts;
  const { server, log } = createSandboxServer(parts);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    clientId,
    clientSecret,
    token: () => tokens.issue(),
    state: tenant.state,
    log: log.entries,
    faults,
    settle: async () => {
      await late.idle();
      history.clear();
    },
    metrics: log.metrics,
    save: () => save(true),
    close: async () => {
      if (!server.listening) return;
      late.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
