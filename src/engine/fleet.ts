import { lookup } from 'node:dns/promises';
import { appendFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openJournal } from '../applier/journal.ts';
import type { ApplyEvent } from '../applier/run.ts';
import { readResultFile } from '../applier/saved-file.ts';
import type { Limiters } from '../client/client.ts';
import { readFirstPage } from '../client/pages.ts';
import { apiRequest, idText, type Service } from '../kinds/http.ts';
import type { Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import type { OpenedProjects } from '../loader/index.ts';
import { environmentFolder, ownFolder, requireOwnFolder } from '../loader/paths.ts';
import type { Address } from '../model/address.ts';
import { groupBy, runConcurrently } from '../model/basics.ts';
import { fileStem, sha256 } from '../model/digest.ts';
import {
  type Fleet,
  type FleetMember,
  fleetOf,
  isRefused,
  notRun,
  type Plan,
  type Result,
  withDigest,
} from '../model/documents.ts';
import {
  attemptOrNull,
  type Diagnostic,
  ExitCode,
  Failure,
  fail,
  hasCode,
  ifExists,
  interruption,
  messageOf,
  onFailure,
  systemCode,
  unwritableFile,
} from '../model/failure.ts';
import { makeFolder, readOwnFile } from '../model/files.ts';
import { get, getText, isObject, parseJson } from '../model/json.ts';
import { endpointOf } from '../model/tenant.ts';
import { namesAndMore } from '../model/words.ts';
import {
  type ApplyOptions,
  applyPlan,
  requireApplicable,
  requireApproved,
  requireUncommitted,
} from './apply.ts';
import type { PlanOptions } from './choices.ts';
import { planChanges } from './plan.ts';
import { pastApplies } from './results.ts';
import { withSince } from './since.ts';
import { type Tenant, type TenantOptions, useTenant } from './tenant.ts';

export interface FleetOptions {
  readonly parallel: number;
  readonly signal: AbortSignal;
  /** `not run`: an interrupted run starts no further environment. */
  onProgress?(name: string, state: 'begun' | 'done' | 'failed' | 'not run'): void;
  tenantOptions?(name: string): TenantOptions;
}

/**
 * The plans of several environments of a project. Its manifests are read once, and so are those of `since`. A problem of one
 * environment is recorded there, and stops no other. Rejects with a Failure when `since` cannot be checked out.
 */
export async function planFleet(
  projects: OpenedProjects,
  names: readonly string[],
  { plan = {}, ...options }: FleetOptions & { readonly plan?: PlanOptions },
): Promise<Fleet> {
  const outcomes = await withSince(projects, plan, (past) =>
    forEachEnvironment(names, options, (name, withTenant) => {
      const project = projects.load(name);
      const { environment, secrets } = project;
      return withTenant(project, async (tenant) => ({
        project: { environment, secrets },
        plan: await planChanges(project, tenant, { ...plan, past }),
      }));
    }),
  );
  const made = outcomes.flatMap(({ value }) => value ?? []);
  const refusals = await findSharedChanges(made, tenantProbe(options));
  return fleetOf(
    outcomes.map(({ name, value, error }) => {
      const refusal = refusals.get(name);
      if (!value || !refusal) return { name, plan: value?.plan ?? null, error };
      const diagnostics = [...value.plan.diagnostics, refusal];
      return { name, plan: withDigest({ ...value.plan, diagnostics }), error };
    }),
  );
}

interface FleetCheckOptions extends FleetOptions {
  /** The folder of the project, which records the environments that are done. */
  readonly root: string;
  /** Finds an environment by its name. Throws a Failure for an unknown name. */
  environment(name: string): ProjectEnvironment;
  readonly maxDeletes?: number | undefined;
  /** True when somebody approved the digest of the fleet, and with it those of its plans. */
  readonly isApproved: boolean;
  /** Called before a plan is applied. Throws a Failure when it must not be. */
  checkPlan?(plan: Plan): void;
}

interface FleetApplyOptions extends FleetCheckOptions, Pick<ApplyOptions, 'env' | 'failFast'> {
  onApplyEvent?(environment: string, event: ApplyEvent): void;
  /** Called with the outcome, before it is forgotten which environments are done. */
  onApplied?(applied: Fleet): void | Promise<void>;
}

/**
 * Applies the plans of a fleet. A problem of one environment stops no other. Applying a partly applied fleet again finishes it,
 * and does not touch finished environments.
 */
export async function applyFleet(fleet: Fleet, options: FleetApplyOptions): Promise<Fleet> {
  const journal = await openFleetJournal(options.root, fleet.digest);
  const { signal, failFast = false, env } = options;
  const outcomes = await forEachPlan(
    { fleet, journal },
    options,
    (plan, project, tenant) =>
      applyPlan(project, tenant, plan, {
        signal,
        failFast,
        ...(env && { env }),
        // Kept before the journal of the environment ends.
        onDone: (result) => journal.add(plan, result),
        onEvent: (event) => options.onApplyEvent?.(plan.environment, event),
      }),
    async (plan, result) => {
      // Its run was killed before it could.
      const ended = await openJournal(environmentFolder(options.root, plan.environment, 'journal'), plan);
      await ended.finish(result.endedAt);
      return result;
    },
  );
  const members = new Map(fleet.environments.map((member) => [member.name, member]));
  const applied = fleetOf(
    outcomes.map(({ name, value, error }): FleetMember => {
      const member = members.get(name);
      return { name, plan: member?.plan ?? null, result: value, error: error ?? member?.error ?? null };
    }),
  );
  await options.onApplied?.(applied);
  if (applied.summary.failed === 0) await journal.remove();
  return applied;
}

interface FleetDryRunOptions extends FleetCheckOptions {
  /** True for plans made just now: their tenants need not be read again. */
  readonly isNew: boolean;
}

/** The plans that an apply of the fleet would make, and the fleet with what would stop an environment. */
export async function checkFleet(
  fleet: Fleet,
  options: FleetDryRunOptions,
): Promise<{ readonly checked: Fleet; readonly plans: readonly Plan[] }> {
  const journal = await openFleetJournal(options.root, fleet.digest);
  const outcomes = await forEachPlan<Plan | null>(
    { fleet, journal },
    options,
    async (plan, project, tenant) => {
      if (!options.isNew) await requireApplicable(project, tenant, plan);
      return plan;
    },
    async () => null,
  );
  const errors = new Map(outcomes.map(({ name, error }) => [name, error]));
  const members = fleet.environments.map((member) => ({
    ...member,
    error: errors.get(member.name) ?? member.error,
  }));
  return { checked: fleetOf(members), plans: outcomes.flatMap(({ value }) => value ?? []) };
}

/** Works on the plans of a fleet; `null` for an environment that has none, or a refused one. */
async function forEachPlan<T>(
  { fleet, journal }: { fleet: Fleet; journal: Awaited<ReturnType<typeof openFleetJournal>> },
  options: FleetCheckOptions,
  work: (plan: Plan, project: ProjectEnvironment, tenant: Tenant) => Promise<T>,
  /** For a plan that an earlier run has finished. */
  finish: (plan: Plan, result: Result) => Promise<T>,
): Promise<FleetOutcome<T | null>[]> {
  const plans = new Map(fleet.environments.map(({ name, plan }) => [name, plan]));
  const refusals = await findSharedChanges(environmentPlans(fleet, options), tenantProbe(options));
  return forEachEnvironment([...plans.keys()], options, async (name, withTenant) => {
    const plan = plans.get(name) ?? null;
    if (!plan || isRefused(plan)) return null;
    const refusal = refusals.get(name);
    if (refusal) throw new Failure([refusal], ExitCode.refused);
    const result = journal.resultOf(plan);
    if (result) {
      await refuseChangedLater(options.root, plan, result);
      return finish(plan, result);
    }
    const { environment, isApproved, maxDeletes, checkPlan } = options;
    const project = environment(plan.environment);
    requireApproved(plan, project.environment, { digest: isApproved ? plan.digest : undefined, maxDeletes });
    checkPlan?.(plan);
    return withTenant(project, (tenant) => work(plan, project, tenant));
  });
}

/** Throws a Failure (exit 4) when a later apply, such as a rollback, changed an object of a plan that is done. */
async function refuseChangedLater(root: string, plan: Plan, result: Result): Promise<void> {
  const { startedAt: since, endedAt } = result;
  const planned = new Set(plan.changes.map(({ address }) => address));
  for (const later of await pastApplies(root, [plan.environment], { since })) {
    if (!('result' in later)) continue;
    const again = later.result.changes.find(
      ({ address, outcome }) => planned.has(address) && (outcome === 'done' || outcome === 'unknown'),
    );
    if (!again) continue;
    const { address } = again;
    const message = `This plan was applied at ${endedAt}, and a later apply changed ${address} again: ${later.file}.`;
    throw fail('plan-stale', message, { hint: 'Make a new plan and review it.', address }, ExitCode.refused);
  }
}

/** The plans that may be applied. Parts that were planned apart may have the same tenant. */
function environmentPlans({ environments }: Fleet, { environment }: Pick<FleetCheckOptions, 'environment'>) {
  return environments.flatMap(({ plan }) => {
    if (!plan || isRefused(plan)) return [];
    // The apply reports an environment that cannot be read.
    const project = attemptOrNull(() => environment(plan.environment));
    return project ? [{ project, plan }] : [];
  });
}

type FleetOutcome<T> =
  | { readonly name: string; readonly value: T; readonly error: null }
  | { readonly name: string; readonly value: null; readonly error: NonNullable<FleetMember['error']> };

type WithTenant = <T>(project: ProjectEnvironment, use: (tenant: Tenant) => Promise<T>) => Promise<T>;

/** Works on several environments, some at once, each with its own error; those of one tenant share its rate limit. */
export async function forEachEnvironment<T>(
  names: readonly string[],
  { parallel, signal, onProgress = () => {}, tenantOptions }: FleetOptions,
  work: (name: string, withTenant: WithTenant) => T | Promise<T>,
): Promise<FleetOutcome<T>[]> {
  const limiters: Limiters = new Map();
  const withTenant: WithTenant = (project, use) =>
    useTenant(project, { signal, limiters, ...tenantOptions?.(project.environment.name) }, use);
  const outcomes = new Map<string, FleetOutcome<T>>();
  await runConcurrently(names, parallel, async (name) => {
    if (signal.aborted) return onProgress(name, 'not run');
    onProgress(name, 'begun');
    try {
      outcomes.set(name, { name, value: await work(name, withTenant), error: null });
      onProgress(name, 'done');
    } catch (error) {
      // Even a bug is reported with its environment, and stops no other.
      const bug = fail(systemCode(error) === null ? 'internal' : 'system', messageOf(error));
      const unexpected = signal.aborted ? interruption() : bug;
      const { exitCode, diagnostics } = error instanceof Failure ? error : unexpected;
      outcomes.set(name, { name, value: null, error: { exitCode, diagnostics } });
      onProgress(name, 'failed');
    }
  });
  return names.map((name) => outcomes.get(name) ?? { name, value: null, error: notRun });
}

/**
 * Opens the record of which environments of a fleet are done, by the digest of the fleet: each has a journal of its own, but
 * a run that was killed must know which of them it need not begin again. Throws a Failure when it cannot be read, and when
 * it came with the repository: an environment would then count as done that nobody applied.
 */
async function openFleetJournal(root: string, digest: string) {
  requireOwnFolder(root);
  const file = join(root, ownFolder, 'fleets', `${fileStem(digest)}.jsonl`);
  const text = (await ifExists(readOwnFile(file)))?.toString() ?? '';
  if (text !== '') await requireUncommitted(root, file);
  const records = new Map(
    text.split('\n').flatMap((line) => {
      const record = parseJson(line);
      const name = isObject(record) ? getText(record, 'environment') : null;
      // None is in a line that a crash cut off.
      if (name === null || !isObject(record)) return [];
      const result = readResultFile(JSON.stringify(record.result ?? null), file);
      return [[name, { createdAt: getText(record, 'createdAt'), result }] as const];
    }),
  );
  let written: Promise<void> = Promise.resolve();
  return {
    /** The result of a plan that an earlier run has finished. An equal plan made at another time has read the tenant itself. */
    resultOf({ environment, createdAt }: Plan): Result | undefined {
      const record = records.get(environment);
      return record?.createdAt === createdAt ? record.result : undefined;
    },
    /** Records that a plan is done, in a line of its own, also after one that a crash cut off. */
    add({ environment, createdAt }: Plan, result: Result): Promise<void> {
      // Several environments end at once, and their lines must not mix.
      const line = written
        .then(() => makeFolder(dirname(file)))
        .then(() =>
          appendFile(file, `\n${JSON.stringify({ environment, createdAt, result })}\n`, { flush: true }),
        )
        .catch((error: unknown) => {
          throw unwritableFile(file, error);
        });
      written = line.catch(() => {});
      return line;
    },
    /** Ends the journal of a fleet that is done: applied again, it starts from the beginning. */
    remove: () => rm(file, { force: true }),
  };
}

interface EnvironmentPlan {
  readonly project: Pick<ProjectEnvironment, 'environment' | 'secrets'>;
  readonly plan: Plan;
}

/** Recognizes a tenant behind different base URLs. */
interface TenantProbe {
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
    const service = kind.resource.service;
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

/** A name that takes longer, in milliseconds, is not known here. */
const longestLookup = 10_000;

export function tenantProbe({ parallel, signal, tenantOptions }: FleetOptions): TenantProbe {
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
      const ofService = kinds.all.filter((kind) => kind.resource.service === service);
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
