import type { TenantPort } from '../applier/port.ts';
import { type Client, createClient } from '../client/client.ts';
import type { ClientEvent } from '../client/event.ts';
import { rememberReads } from '../client/memo.ts';
import { allOrFailure, readKept, readTenant } from '../client/read.ts';
import { readDefaults } from '../client/read-kind.ts';
import type { ReaderFor } from '../client/read-list.ts';
import { kindNamed } from '../kinds/index.ts';
import type { Wanted } from '../kinds/wanted.ts';
import type { LiveName, LiveObject, TenantState } from '../model/live.ts';
import type { Endpoint, Environment } from '../model/project.ts';
import type { Secrets } from '../model/secrets.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress.ts';

/** A tenant that a command talks to. */
export interface Tenant extends TenantPort {
  readonly client: Client;
  readonly environment: Environment;
  /** The objects of these kinds, as the client reads them. */
  readWanted(wanted: readonly Wanted[]): Promise<TenantState>;
  /** The same without defaults: of the objects only what `keepOf` gives is kept, and what `pages` know is not read again. */
  readKept<Kept extends LiveName>(
    wanted: readonly Wanted[],
    options: Pick<ReaderFor<Kept>, 'keepOf' | 'pages'>,
  ): Promise<readonly Kept[]>;
  /** The vendor's defaults of these objects. */
  readDefaults(wanted: readonly Wanted[]): Promise<readonly LiveObject[]>;
  /** The same tenant for work that only reads: what was read once is not asked for again. */
  remembered(): Tenant;
}

/** A tenant whose connections, and embedded server, live until it is closed. */
export interface OpenTenant extends Tenant {
  close(): Promise<void>;
}

export interface TenantOptions {
  /** Ends waits and reads; a write that is on its way is waited for. */
  readonly signal?: AbortSignal;
  /** Told of every request, wait and repetition. */
  readonly onEvent?: (event: ClientEvent) => void;
}

/** The environment's tenant, an embedded one started. Nothing is asked yet, so a wrong address shows later. */
export async function openTenant(
  { environment, secrets }: { readonly environment: Environment; readonly secrets: Secrets },
  { signal, onEvent }: TenantOptions = {},
): Promise<OpenTenant> {
  const { sandbox, identity, profiles } = await endpointsOf(environment);
  const { settings, limits } = environment;
  const { timeout } = limits;
  const client = createClient({ tenant: environment.tenant, identity, profiles, limits, settings }, secrets, {
    ...(signal === undefined ? {} : { signal }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(timeout === null ? {} : { timeouts: { headers: timeout, body: timeout, total: timeout } }),
  });
  return {
    ...tenantOf(client, environment),
    async close() {
      await client.close();
      await sandbox?.close();
    },
  };
}

function tenantOf(client: Client, environment: Environment): Tenant {
  const { settings } = environment;
  const readWanted: Tenant['readWanted'] = (wanted) => readTenant(client, wanted, settings);
  return {
    tenant: client.tenant,
    client,
    environment,
    readWanted,
    readKept: (wanted, options) => readKept({ client, settings, ...options }, wanted),
    readDefaults: async (wanted) =>
      (await allOrFailure(wanted.map((one) => readDefaults({ client, settings, pages: null }, one)))).flat(),
    send: (request, options) => client.send(request, options),
    read: (touched) =>
      readWanted(touched.map(({ kind, ...which }) => ({ kind: kindNamed(kind), ...which, complete: false }))),
    remembered: () => tenantOf(rememberReads(client), environment),
  };
}

/** Runs `use` with the environment's tenant, open for the time it takes. */
export async function withTenant<T>(
  project: { readonly environment: Environment; readonly secrets: Secrets },
  { signal }: Io,
  progress: Progress,
  use: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const tenant = await openTenant(project, { signal, onEvent: progress.onClient });
  try {
    return await use(tenant);
  } finally {
    progress.end();
    await tenant.close();
  }
}

interface Endpoints {
  readonly sandbox: Sandbox | null;
  readonly identity: Endpoint | null;
  readonly profiles: Endpoint | null;
}

async function endpointsOf({ connection }: Environment): Promise<Endpoints> {
  if (connection.to === 'tenant')
    return { sandbox: null, identity: connection.identity, profiles: connection.profiles };
  const { startEmbedded } = await import('./embedded.ts');
  const sandbox = await startEmbedded(connection.sandbox);
  const endpoint: Endpoint = {
    baseUrl: sandbox.url,
    auth: {
      by: 'client-credentials',
      tokenUrl: `${sandbox.url}/oauth/token`,
      clientId: () => sandbox.clientId,
      clientSecret: () => sandbox.clientSecret,
    },
  };
  return { sandbox, identity: endpoint, profiles: endpoint };
}
