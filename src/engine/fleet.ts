import { appendFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openJournal } from '../applier/journal.ts';
import type { ApplyEvent } from '../applier/run.ts';
import { readResultFile } from '../applier/saved-file.ts';
import type { Limiters } from '../client/client.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import type { OpenedProjects } from '../loader/index.ts';
import { ownFolder, requireOwnFolder } from '../loader/paths.ts';
import { runConcurrently } from '../model/basics.ts';
import { fileStem, withDigest } from '../model/digest.ts';
import {
  ExitCode,
  Failure,
  fail,
  ifExists,
  interruption,
  messageOf,
  systemCode,
  unwritableFile,
} from '../model/failure.ts';
import { type Fleet, type FleetMember, fleetOf, notRun } from '../model/fleet.ts';
import { getText, isObject, parseJson } from '../model/json.ts';
import { isRefused, type Plan } from '../model/plan.ts';
import { readOwnFile } from '../model/regular-file.ts';
import type { Result } from '../model/result.ts';
import {
  type ApplyOptions,
  applyPlan,
  requireApplicable,
  requireApproved,
  requireUncommitted,
} from './apply.ts';
import type { PlanOptions } from './choices.ts';
import { planChanges } from './plan.ts';
import { journalFolder } from './reading.ts';
import { pastApplies } from './results.ts';
import { type EnvironmentPlan, findSharedChanges, tenantProbe } from './shared-tenant.ts';
import { withSince } from './since.ts';
import { type Tenant, type TenantOptions, useTenant } from './tenant.ts';

/** `not run`: an interrupted run starts no further environment. */
type FleetProgressState = 'begun' | 'done' | 'failed' | 'not run';

export interface FleetOptions {
  readonly parallel: number;
  readonly signal: AbortSignal;
  onProgress?(name: string, state: FleetProgressState): void;
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
      const ended = await openJournal(journalFolder(options.root, plan.environment), plan);
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
function environmentPlans(
  { environments }: Fleet,
  { environment }: Pick<FleetCheckOptions, 'environment'>,
): EnvironmentPlan[] {
  return environments.flatMap(({ plan }) => {
    if (!plan || isRefused(plan)) return [];
    try {
      return [{ project: environment(plan.environment), plan }];
    } catch (error) {
      // The apply reports an environment that cannot be read.
      if (error instanceof Failure) return [];
      throw error;
    }
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
        .then(() => mkdir(dirname(file), { recursive: true }))
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
