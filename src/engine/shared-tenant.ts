import { lookup } from 'node:dns/promises';
import { readFirstPage } from '../client/pages.ts';
import { apiRequest, idText, type Service } from '../kinds/http.ts';
import type { Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import type { Address } from '../model/address.ts';
import { groupBy, runConcurrently } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { sha256 } from '../model/digest.ts';
import { hasCode, onFailure } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { endpointOf } from '../model/network.ts';
import type { Plan } from '../model/plan.ts';
import { namesAndMore } from '../model/words.ts';
import { serviceOf } from './reading.ts';
import { type Tenant, type TenantOptions, useTenant } from './tenant.ts';

export interface EnvironmentPlan {
  readonly project: Pick<ProjectEnvironment, 'environment' | 'secrets'>;
  readonly plan: Plan;
}

/** Recognizes a tenant behind different base URLs. */
export interface TenantProbe {
  readonly parallel: number;
  /** Returns the addresses of a host; none if they are not known here, as behind a proxy. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Returns what a tenant has; `null` if it shows nothing that distinguishes it. */
  contentOf(project: EnvironmentPlan['project'], service: Service): Promise<string | null>;
}

/**
 * Finds the plans that must not be applied together, by environment: they change the same object of the same tenant, for example
 * because an environment was copied with its `baseUrl`. Applied together, each would create the object, or overwrite the other's
 * write. The other plans are not named.
 */
export async function findSharedChanges(
  planned: readonly EnvironmentPlan[],
  probe: TenantProbe,
): Promise<ReadonlyMap<string, Diagnostic>> {
  const changed = planned.flatMap(changedObjects);
  const endpointIn = await joinEndpoints(changed, probe);
  const placeOf = ({ endpoint, subject }: ChangedObject) => `${endpointIn(endpoint)} ${subject}`;
  const byPlace = new Map(groupBy(changed, placeOf));
  const shared = changed.flatMap((each) => {
    const others = (byPlace.get(placeOf(each)) ?? []).filter(({ name }) => name !== each.name);
    return others.length > 0 ? [{ ...each, others: others.map(({ name }) => name) }] : [];
  });
  const refusals = groupBy(shared, ({ name }) => name).map(([name, same]): [string, Diagnostic] => {
    const others = new Set(same.flatMap((each) => each.others));
    const [address = '', ...more] = new Set(same.map((each) => each.address));
    const what = namesAndMore([address], more.length);
    return [
      name,
      {
        code: 'shared-tenant',
        severity: 'error',
        message: `${what} would also be changed by ${[...others].join(', ')} in the same tenant.`,
        hint: 'Give each environment the `baseUrl` of its own tenant. If they share it on purpose, apply them one after the other, with `limits.settle` between them.',
      },
    ];
  });
  return new Map(refusals);
}

/** An object has one for its key, and another one for its id. */
interface ChangedObject {
  readonly name: string;
  readonly address: Address;
  /** Its key as the tenant compares it, or its id. */
  readonly subject: string;
  readonly endpoint: string;
  readonly service: Service;
  readonly project: EnvironmentPlan['project'];
}

/** Embedded tenants without a data file are different, though they have one name. */
function changedObjects({ project, plan }: EnvironmentPlan): ChangedObject[] {
  const { name, connection, tenant, kinds } = project.environment;
  if (connection.to === 'sandbox' && connection.sandbox.data === null) return [];
  return plan.changes.flatMap(({ action, address, key, id, kind: kindName }) => {
    const kind = action === 'manual' ? null : kinds.find(kindName);
    if (!kind) return [];
    const service = serviceOf(kind);
    const subjects = [identityOf(kind, key), ...(id === null ? [] : [`${kind.name} with the id ${id}`])];
    const endpoint = endpointOf(tenant[service]);
    return subjects.map((subject) => ({ name, address, subject, endpoint, service, project }));
  });
}

/** Gives one name to all endpoints of one tenant: hosts with one address that answer the same are the same. */
async function joinEndpoints(
  changed: readonly ChangedObject[],
  probe: TenantProbe,
): Promise<(endpoint: string) => string> {
  const joined = new Map<string, string>();
  for (const [, hosts] of groupBy(hostsIn(changed), ({ port, service }) => `${service} ${port}`)) {
    const doubtful = await findDoubtful(hosts, probe);
    const contents = new Map<Host, string | null>();
    await runConcurrently(doubtful, probe.parallel, async (host) => {
      contents.set(host, await probe.contentOf(host.project, host.service));
    });
    for (const [content, [first, ...others]] of groupBy(doubtful, (host) => contents.get(host) ?? null))
      if (content !== null) for (const { endpoint } of others) joined.set(endpoint, first.endpoint);
  }
  return (endpoint) => joined.get(endpoint) ?? endpoint;
}

interface Host extends ChangedObject {
  readonly host: string;
  /** With the path below it. */
  readonly port: string;
}

/** Returns one change for each host on which several environments change the same object. */
function hostsIn(changed: readonly ChangedObject[]): Host[] {
  const common = groupBy(changed, ({ subject }) => subject).flatMap(([, same]) =>
    same.some(({ name }) => name !== same[0].name) ? same : [],
  );
  const byEndpoint = new Map(common.map((each) => [`${each.service} ${each.endpoint}`, each]));
  return [...byEndpoint.values()].flatMap((each) => {
    const [, host, port] = /^(\[[^\]]*\]|[^:/]+)(:\d.*)$/.exec(each.endpoint) ?? [];
    return host === undefined || port === undefined ? [] : [{ ...each, host, port }];
  });
}

/** Returns the hosts that have an address in common, or whose addresses are not known. */
async function findDoubtful(
  hosts: readonly Host[],
  { parallel, addressesOf }: TenantProbe,
): Promise<readonly Host[]> {
  if (hosts.length < 2) return [];
  const known = new Map<Host, readonly string[]>();
  await runConcurrently(hosts, parallel, async (each) => {
    known.set(each, await addressesOf(each.host));
  });
  return hosts.filter((one) =>
    hosts.some((other) => {
      const [here = [], there = []] = [known.get(one), known.get(other)];
      const isUnknown = here.length === 0 || there.length === 0;
      return other !== one && (isUnknown || here.some((address) => there.includes(address)));
    }),
  );
}

interface ProbeOptions {
  readonly parallel: number;
  readonly signal: AbortSignal;
  tenantOptions?(name: string): TenantOptions;
}

/** A name that takes longer, in milliseconds, is not known here. */
const longestLookup = 10_000;

export function tenantProbe({ parallel, signal, tenantOptions }: ProbeOptions): TenantProbe {
  return {
    parallel,
    async addressesOf(host) {
      const end = AbortSignal.any([signal, AbortSignal.timeout(longestLookup)]);
      const ended = new Promise<[]>((resolve) => end.addEventListener('abort', () => resolve([])));
      const lookedUp = lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
      return (await Promise.race([lookedUp, ended])).map(({ address }) => address);
    },
    contentOf(project, service) {
      const { name, kinds } = project.environment;
      const ofService = kinds.all.filter((kind) => serviceOf(kind) === service);
      const content = useTenant(project, { signal, ...tenantOptions?.(name) }, (tenant) =>
        readContent(tenant, ofService),
      );
      return content.catch(onFailure(() => null));
    },
  };
}

/** Returns the digest of the first page that has objects with ids, which another tenant gives to other objects. */
async function readContent({ client, environment }: Tenant, kinds: readonly Kind[]): Promise<string | null> {
  for (const { name, read, parent } of kinds) {
    if (!('list' in read) || parent) continue;
    const request = apiRequest('GET', read.list.resource, environment.settings);
    const { rows } = await readFirstPage(client, { ...read.list, what: name, request }).catch(
      (error: unknown) => {
        if (!hasCode(error, 'tenant-forbidden', 'tenant-not-found')) throw error;
        return { rows: [] };
      },
    );
    if (rows.some((row) => idText(get(row, 'id')) !== null)) return sha256([name, rows]);
  }
  return null;
}
