/**
 * tenantctl as a library: the parts of the program, in the order in which it uses them. Whatever stops a function is
 * thrown as a {@link Failure}; nothing is printed. docs/library.md shows all of it at work.
 *
 * @example
 * const project = loadProject({ configFile: 'tenantctl.yaml', environment: 'sandbox' });
 * const tenant = await openTenant(project);
 * try {
 *   const plan = await planChanges(project, tenant);
 *   console.log(renderReport({ is: 'plan', plan }, 'text', { colour: false, width: 100 }));
 *   const result = await applyPlan(project, tenant, plan);
 *   process.exitCode = exitCodeOf(result);
 * } finally {
 *   await tenant.close();
 * }
 *
 * @module
 */
import { join } from 'node:path';
import { readEverything } from './client/read-everything.ts';
import { type CarryOutOptions, carryOutPlan } from './commands/carry-out.ts';
import { makePlan } from './commands/make-plan.ts';
import { readReferenced } from './commands/read-referenced.ts';
import type { Tenant } from './commands/tenant.ts';
import { type Export, exportTenant as exportObjects } from './exporter/fresh.ts';
import { kindNamed, kinds } from './kinds/index.ts';
import type { TenantState } from './model/live.ts';
import type { Plan, Scope } from './model/plan.ts';
import type { Project } from './model/project.ts';
import type { Result } from './model/result.ts';
import { type PlanChoices, wantedFor } from './planner/index.ts';

export type { ApplyEvent } from './applier/events.ts';
export { type Client, type ClientOptions, type ClientTarget, createClient } from './client/client.ts';
export type { ClientEvent } from './client/event.ts';
export type { CarryOutOptions } from './commands/carry-out.ts';
export { type OpenTenant, openTenant, type Tenant, type TenantOptions } from './commands/tenant.ts';
export type { Export, ExportedFile } from './exporter/fresh.ts';
export {
  type LoadOptions,
  type LoadProjectOptions,
  loadEnvironment,
  loadProject,
  type ProjectEnvironment,
} from './loader/index.ts';
export { type Address, formatAddress, type Key, matchAddresses, parseAddress } from './model/address.ts';
export { type Diagnostic, hasErrors, type Severity, type Source } from './model/diagnostic.ts';
export { ExitCode } from './model/exit.ts';
export { Failure } from './model/failure.ts';
export type { Json, JsonObject } from './model/json.ts';
export type { LiveObject, TenantName, TenantState } from './model/live.ts';
export {
  type Action,
  type Change,
  type Difference,
  hasChanges,
  isRefused,
  type Plan,
  type Request,
  type Risk,
  type Scope,
  type Summary,
} from './model/plan.ts';
export type { Environment, Project } from './model/project.ts';
export type { Resource } from './model/resource.ts';
export { type ChangeOutcome, type ChangeResult, exitCodeOf, type Result } from './model/result.ts';
export type { Secrets } from './model/secrets.ts';
export { type Document, type Format, type ReportOptions, renderReport } from './report/index.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/index.ts';

/** What may be chosen for a plan; left out: as the command without options. */
export interface Choices extends Partial<Scope>, Partial<Omit<PlanChoices, 'scope'>> {
  /** The environment variables under which the manifests of `since` are read; left out: the process's own. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The live objects that the manifests name, with the vendor's defaults of them.
 *
 * @example
 * const { objects } = await readTenant(project, tenant, { only: ['SenderAddress/*'] });
 */
export function readTenant(project: Project, tenant: Tenant, choices: Choices = {}): Promise<TenantState> {
  const { environment, resources } = project;
  return tenant.readWanted(
    wantedFor({ resources, previous: null, environment, choices: choicesFrom(choices) }),
  );
}

/**
 * Reads the tenant and compares it with the manifests: the plan that `tenantctl plan` makes, with its digest. Sends
 * nothing that writes. A plan that a guard refused is returned as well: {@link isRefused}.
 *
 * @example
 * const plan = await planChanges(project, tenant, { prune: true, maxDeletes: 3 });
 * if (hasChanges(plan)) console.log(plan.digest, plan.summary);
 */
export function planChanges(project: Project, tenant: Tenant, choices: Choices = {}): Promise<Plan> {
  return makePlan(project, tenant, choicesFrom(choices), { env: choices.env ?? process.env });
}

/**
 * Carries out a plan, one made just now or one that was saved, under the project's lock and with its journal. A plan
 * that does not hold, or that a guard refused, gives a result `refused`: nothing was written then. What goes wrong with
 * single changes is in the result.
 *
 * @example
 * const result = await applyPlan(project, tenant, plan, { onEvent: (event) => console.error(event.type) });
 * for (const { address, error } of result.changes) if (error) console.error(address, error);
 */
export function applyPlan(
  { root }: Pick<Project, 'root'>,
  tenant: Tenant,
  plan: Plan,
  options: CarryOutOptions = {},
): Promise<Result> {
  return carryOutPlan(plan, tenant, join(root, '.tenantctl'), options);
}

/**
 * The live tenant as manifests and their side files; writing them somewhere is the caller's.
 *
 * @param names the kinds to export; left out: all
 * @example
 * const { files } = await exportTenant(tenant, ['NotificationTemplate']);
 * for (const { path, content } of files) console.log(path, content.length);
 */
export async function exportTenant(tenant: Tenant, names?: readonly string[]): Promise<Export> {
  const { settings } = tenant.environment;
  const wanted = names === undefined ? kinds : names.map(kindNamed);
  const objects = await readEverything(tenant.client, wanted, settings);
  const records = await readReferenced(tenant.client, objects, settings);
  return exportObjects({ objects, records, settings });
}

function choicesFrom(choices: Choices): PlanChoices {
  const { only = [], except = [], prune = false, since = null } = choices;
  const { rotate = [], maxDeletes = null, allowDeleteAll = [] } = choices;
  return { scope: { only, except, prune, since }, rotate, maxDeletes, allowDeleteAll };
}
