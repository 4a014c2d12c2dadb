import type { RecentWrite } from '../applier/journal.ts';
import type { ApplyEvent } from '../applier/run.ts';
import {
  type Client,
  type ClientEvent,
  createClient,
  type Limiters,
  readAgain,
  readOnce,
} from '../client/client.ts';
import { type Clock, systemClock } from '../client/rate-limiter.ts';
import { type ReadAllOptions, readAll, readState } from '../client/read.ts';
import type { Redactor } from '../client/redactor.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { allOf, identityOf, type ReadRequest, type TenantState } from '../kinds/live-objects.ts';
import type { Endpoint, Environment, Project, Secrets } from '../kinds/project.ts';
import { environmentFolder } from '../loader/paths.ts';
import { type Address, formatAddress } from '../model/address.ts';
import { type Diagnostic, Failure, fail } from '../model/failure.ts';
import { allowedHostsVariable, isAllowed } from '../model/tenant.ts';
import { readRequestsFor } from '../planner/input.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/index.ts';
import { choicesFrom, type PlanOptions } from './choices.ts';

/** `settling`: reads do not show these writes of an earlier run yet. */
type TenantEvent = ClientEvent | Extract<ApplyEvent, { type: 'settling' }>;

/** A tenant. Its connections, and its server if it is embedded, stay open until it is closed. */
export interface Tenant {
  readonly environment: Environment;
  readonly client: Client;
  readonly clock: Clock;
  /** Aborts waits and reads. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: TenantEvent) => void;
  /** Its name in remarks. Left out: the tenant. */
  readonly called?: string;
  close(): Promise<void>;
}

export interface TenantOptions {
  /** Aborts waits and reads. A write in flight is finished. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: TenantEvent) => void;
  readonly clock?: Clock;
  /** Learns every secret and token that is sent. Left out: they are only removed from messages of the tenant. */
  readonly redactor?: Redactor;
  /** Shared by several tenants that are open at once. */
  readonly limiters?: Limiters;
}

/**
 * Opens the environment's tenant, and starts it if it is embedded. Sends no request yet, so a wrong base URL shows
 * later. Throws a Failure for hosts that TENANTCTL_ALLOWED_HOSTS does not list, and for a seed or data file of an
 * embedded tenant that cannot be used.
 */
export async function openTenant(
  { environment, secrets }: { readonly environment: Environment; readonly secrets: Secrets },
  {
    signal = new AbortController().signal,
    onEvent = () => {},
    clock = systemClock,
    redactor,
    limiters = new Map(),
  }: TenantOptions = {},
): Promise<Tenant> {
  const { connection } = environment;
  if (connection.to === 'tenant' && connection.network.allowedHosts)
    refuseForeignHosts(connection, connection.network.allowedHosts);
  const { sandbox, ...reached } = await endpointsOf(environment);
  const { tenant, settings, limits, kinds } = environment;
  const { timeout, answers } = limits;
  const client = createClient({ tenant, limits, settings, kinds, ...reached }, secrets, {
    signal,
    onEvent,
    clock,
    limiters,
    ...(redactor === undefined ? {} : { redactor }),
    ...(answers === null ? {} : { answers }),
    ...(timeout === null ? {} : { timeouts: { headers: timeout, body: timeout, total: timeout } }),
  });
  return {
    environment,
    client,
    clock,
    signal,
    onEvent,
    async close() {
      await client.close();
      await sandbox?.close();
    },
  };
}

/** Opens a tenant for `use`, and closes it. Rejects with what `openTenant` and `use` throw. */
export async function useTenant<T>(
  project: Parameters<typeof openTenant>[0],
  options: TenantOptions,
  use: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const tenant = await openTenant(project, options);
  try {
    return await use(tenant);
  } finally {
    await tenant.close();
  }
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
  const choices = choicesFrom(options, environment);
  const requests = readRequestsFor({ environment, resources, previous: null, choices });
  return readState(readOnce(tenant.client), requests);
}

/** For work that only reads: equal requests are sent once. */
export function readOnlyTenant(tenant: Tenant): Tenant {
  return { ...tenant, client: readOnce(tenant.client) };
}

/** Starts the embedded tenant. Throws a Failure for a seed or data file that cannot be used. */
export async function startEmbedded(options: SandboxOptions = {}): Promise<Sandbox> {
  // Most runs have a real tenant and do not need the embedded one.
  const { SandboxFileError, startSandbox } = await import('../sandbox/index.ts');
  try {
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof SandboxFileError)) throw error;
    throw fail('sandbox-file', error.message, {
      hint: 'Correct the file. A broken data file can be removed: the seed is then read again.',
    });
  }
}

async function endpointsOf({ connection }: Environment) {
  if (connection.to === 'tenant') {
    const { identity, profiles, network } = connection;
    return { sandbox: null, identity, profiles, proxy: network.proxies?.() ?? null };
  }
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
  // A tenant in this process is reached directly.
  return { sandbox, identity: endpoint, profiles: endpoint, proxy: null };
}

/**
 * Throws a Failure that names every host of a tenant that TENANTCTL_ALLOWED_HOSTS does not list. Called before anything
 * is sent and before credentials are read, so that a changed address gets neither.
 */
function refuseForeignHosts(
  connection: Environment['connection'],
  allowedHosts: Parameters<typeof isAllowed>[0],
): void {
  const foreign = calledAddresses(connection).filter(({ url }) => !isAllowed(allowedHosts, url));
  // A token URL may be made from a base URL, and two services may share one.
  const distinct = new Map(
    foreign.map((address) => [`${new URL(address.url).host} ${address.setting?.name}`, address]),
  );
  if (distinct.size === 0) return;
  const listed = allowedHosts.map(({ name, port }) => (port === null ? name : `${name}:${port}`)).join(', ');
  const list = listed === '' ? 'is set and lists no host' : `lists only ${listed}`;
  const problems = [...distinct.values()].map(({ url, setting }): Diagnostic => {
    const name = setting?.name ?? 'an address of the environment';
    return {
      code: 'host-not-allowed',
      severity: 'error',
      message: `\`${name}\` names the host ${new URL(url).host}, which may not be called: ${allowedHostsVariable} ${list}.`,
      hint: `Nothing was sent. If the host is right, add it to ${allowedHostsVariable} where the program runs.`,
      ...(setting && { source: setting.source, excerpt: setting.excerpt }),
    };
  });
  throw new Failure(problems);
}

/** The addresses that get requests or credentials; none for an embedded tenant. */
export function calledAddresses(connection: Environment['connection']) {
  const endpoints = connection.to === 'sandbox' ? [] : [connection.identity, connection.profiles];
  return endpoints.flatMap((endpoint) => {
    if (!endpoint) return [];
    const { baseUrl, setting, auth } = endpoint;
    const base = { url: baseUrl, setting };
    return auth.by === 'token' ? [base] : [base, { url: auth.tokenUrl, setting: auth.setting }];
  });
}

/** The writes of the last runs from this folder that the tenant may not show yet. Throws a Failure for a damaged journal. */
export async function recentWrites(root: string, tenant: Tenant): Promise<readonly RecentWrite[]> {
  const { client, clock, environment } = tenant;
  const { settle } = environment.limits;
  if (settle === 0) return [];
  const { readRecentWrites } = await import('../applier/journal.ts');
  const folder = environmentFolder(root, environment.name, 'journal');
  return readRecentWrites(folder, client.tenant, clock.now() - settle);
}

/** Reads until the tenant shows the writes of the last runs, or has had the time to: `read` gets a client that repeats requests. */
export async function readSettledObjects<T extends { readonly objects: readonly LiveObject[] }>(
  root: string,
  tenant: Tenant,
  requests: readonly ReadRequest[],
  read: (client: Client) => Promise<T>,
): Promise<T> {
  const { client, environment } = tenant;
  const recent = await recentWrites(root, tenant);
  if (recent.length === 0) return read(client);
  const { readSettled } = await import('../applier/find.ts');
  let reader = client;
  return readSettled(
    requests,
    async () => {
      const found = await read(reader);
      reader = readAgain(client);
      return found;
    },
    { ...tenant, recent, settle: environment.limits.settle },
  );
}

/** Reads all objects of these kinds, and those that manifests declare. Waits for the last writes of the project, if any. */
export async function readSettledKinds(
  root: string | undefined,
  tenant: Tenant,
  kinds: readonly Kind[],
  { declared, mayLack }: Pick<ReadAllOptions, 'declared'> & { readonly mayLack: (kind: Kind) => boolean },
) {
  const refused = new Map<string, Diagnostic>();
  // By identity, objects that a tenant does not answer correctly. They are left out with a remark, and never count as absent.
  const unusable = new Map<string, { readonly address: Address; readonly why: string }>();
  const read = async (client: Client) => ({
    objects: await readAll(client, kinds, {
      ...(declared && { declared }),
      onRefused(kind, refusal) {
        if (!mayLack(kind)) throw refusal;
        const why = refusal.diagnostics.map(({ message }) => message).join(' ');
        const hint = refusal.diagnostics.find((each) => each.hint)?.hint;
        const message = `${kind.name} is left out: ${tenant.called ?? 'the tenant'} does not show it. ${why}`;
        refused.set(kind.name, {
          code: 'kind-left-out',
          severity: 'warning',
          message,
          ...(hint && { hint }),
        });
      },
      onUnusable: ({ kind, key }, why) =>
        void unusable.set(identityOf(kind, key), { address: formatAddress(kind.name, key), why }),
    }),
  });
  const found =
    root === undefined
      ? await read(tenant.client)
      : await readSettledObjects(root, tenant, kinds.map(allOf), read);
  return { ...found, unusable, refused };
}

/**
 * The kinds whose service all of these environments have, and a remark on each other one: an environment may have no base URL for
 * one of the two services. If that leaves nothing, all are read: the errors then say what is missing.
 */
export function servedKinds(wanted: readonly Kind[], environments: readonly Environment[]) {
  const served: Kind[] = [];
  const skipped: { readonly kind: Kind; readonly problem: Diagnostic }[] = [];
  for (const kind of wanted) {
    const { service } = kind.resource;
    const where = environments.filter(({ tenant }) => tenant[service] === '').map(({ name }) => name);
    const message = `${kind.name} is left out: the \`${service}\` service is missing in ${where.join(' and ')}.`;
    const hint = `Add \`${service}: { baseUrl: … }\` there to read this kind.`;
    if (where.length === 0) served.push(kind);
    else skipped.push({ kind, problem: { code: 'kind-left-out', severity: 'info', message, hint } });
  }
  return served.length === 0 ? { served: wanted, skipped: [] } : { served, skipped };
}
