import type { TenantPort } from '../applier/run-context.ts';
import { type Client, createClient } from '../client/client.ts';
import type { ClientEvent } from '../client/event.ts';
import { readTenant as readLive, readOnce } from '../client/read.ts';
import type { Redactor } from '../client/redactor.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure, failure } from '../model/failure.ts';
import type { TenantState } from '../model/live.ts';
import type { Endpoint, Environment, Project, Secrets } from '../model/project.ts';
import { readRequestsFor } from '../planner/input.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/index.ts';
import { choicesFrom, type PlanOptions } from './choices.ts';

/** A tenant. Its connections, and its server if it is embedded, stay open until it is closed. */
export interface Tenant {
  readonly environment: Environment;
  readonly client: Client;
  close(): Promise<void>;
}

export interface TenantOptions {
  /** Aborts waits and reads. A write in flight is finished. */
  readonly signal?: AbortSignal;
  /** Called for every request, wait and retry. */
  readonly onEvent?: (event: ClientEvent) => void;
  /** Learns every secret and token that is sent. Left out: only messages of the tenant are without them. */
  readonly redactor?: Redactor;
}

/**
 * Opens the environment's tenant, and starts it if it is embedded. Sends no request yet, so a wrong base URL shows
 * later. Throws a Failure for credentials that are not set, and for a seed or data file of an embedded tenant that cannot
 * be used.
 */
export async function openTenant(
  { environment, secrets }: { readonly environment: Environment; readonly secrets: Secrets },
  { signal, onEvent, redactor }: TenantOptions = {},
): Promise<Tenant> {
  requireCredentials(environment);
  const { sandbox, identity, profiles } = await endpointsOf(environment);
  const { settings, limits } = environment;
  const { timeout } = limits;
  const client = createClient({ tenant: environment.tenant, identity, profiles, limits, settings }, secrets, {
    ...(signal === undefined ? {} : { signal }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(redactor === undefined ? {} : { redactor }),
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

/**
 * Reads the live objects that the manifests name, and the vendor's defaults of those that are not customised.
 *
 * @example
 * const { objects } = await readTenant(project, tenant, { only: ['SenderAddress/*'] });
 */
export function readTenant(
  { environment, resources }: Project,
  tenant: Tenant,
  options: Pick<PlanOptions, 'only' | 'except' | 'prune'> = {},
): Promise<TenantState> {
  const requests = readRequestsFor({ environment, resources, previous: null, choices: choicesFrom(options) });
  return readLive(readOnce(tenant.client), requests, environment.settings);
}

/** The same tenant for work that only reads: equal requests are sent once. */
export function readOnlyTenant(tenant: Tenant): Tenant {
  return { ...tenant, client: readOnce(tenant.client) };
}

/** The part of a tenant that the applier uses. */
export function portOf({ client, environment: { settings } }: Tenant): TenantPort {
  return {
    tenant: client.tenant,
    send: (request, options) => client.send(request, options),
    read: (requests) => readLive(client, requests, settings),
  };
}

/** Throws one Failure with all credentials that are not set, and their places in the project file. */
function requireCredentials({ connection }: Environment): void {
  if (connection.to !== 'tenant') return;
  const problems = new Map<string, Diagnostic>();
  for (const endpoint of [connection.identity, connection.profiles]) {
    for (const read of endpoint ? credentialsOf(endpoint) : []) {
      try {
        read();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        // Both services may use the same credentials.
        for (const each of error.diagnostics) problems.set(JSON.stringify([each.message, each.source]), each);
      }
    }
  }
  if (problems.size > 0) throw new Failure([...problems.values()]);
}

function credentialsOf({ auth }: Endpoint): (() => string)[] {
  return auth.by === 'token' ? [auth.token] : [auth.clientId, auth.clientSecret];
}

/** Starts the embedded tenant. Throws a Failure for a seed or data file that cannot be used. */
export async function startEmbedded(options: SandboxOptions): Promise<Sandbox> {
  // Most runs have a real tenant and do not need the embedded one.
  const { SandboxFileError, startSandbox } = await import('../sandbox/index.ts');
  try {
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof SandboxFileError)) throw error;
    throw failure('sandbox-file', error.message, {
      hint: 'Correct the file. A broken data file can be removed: the seed is then read again.',
    });
  }
}

/** The base URLs of a tenant, and its server if it is embedded. */
async function endpointsOf({ connection }: Environment) {
  if (connection.to === 'tenant') return { ...connection, sandbox: null };
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
