import type { TenantPort } from '../applier/run-context.ts';
import { type Client, createClient } from '../client/client.ts';
import type { ClientEvent } from '../client/event.ts';
import { readOnce, readTenant } from '../client/read.ts';
import type { Endpoint, Environment, Secrets } from '../model/project.ts';
import type { Sandbox } from '../sandbox/index.ts';

/** A tenant whose connections, and embedded server, live until it is closed. */
export interface Tenant {
  readonly environment: Environment;
  readonly client: Client;
  close(): Promise<void>;
}

export interface TenantOptions {
  /** Ends waits and reads; a write that is on its way is waited for. */
  readonly signal?: AbortSignal;
  /** Called for every request, wait and retry. */
  readonly onEvent?: (event: ClientEvent) => void;
}

/** The environment's tenant; an embedded one is started. Nothing is asked yet, so a wrong address shows later. */
export async function openTenant(
  { environment, secrets }: { readonly environment: Environment; readonly secrets: Secrets },
  { signal, onEvent }: TenantOptions = {},
): Promise<Tenant> {
  const { sandbox, identity, profiles } = await endpointsOf(environment);
  const { settings, limits } = environment;
  const { timeout } = limits;
  const client = createClient({ tenant: environment.tenant, identity, profiles, limits, settings }, secrets, {
    ...(signal === undefined ? {} : { signal }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(timeout === null ? {} : { timeouts: { headers: timeout, body: timeout, total: timeout } }),
  });
  return {
    environment,
    client,
    async close() {
      await client.close();
      await sandbox?.close();
    },
  };
}

/** The same tenant for work that only reads: equal requests are sent once. */
export function readOnlyTenant(tenant: Tenant): Tenant {
  return { ...tenant, client: readOnce(tenant.client) };
}

/** The tenant as the applier needs it. */
export function portOf({ client, environment: { settings } }: Tenant): TenantPort {
  return {
    tenant: client.tenant,
    send: (request, options) => client.send(request, options),
    read: (requests) => readTenant(client, requests, settings),
  };
}

interface Endpoints {
  readonly sandbox: Sandbox | null;
  readonly identity: Endpoint | null;
  readonly profiles: Endpoint | null;
}

async function endpointsOf({ connection }: Environment): Promise<Endpoints> {
  if (connection.to === 'tenant') {
    return { sandbox: null, identity: connection.identity, profiles: connection.profiles };
  }
  // Loaded only where it is used.
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
