/**
 * tenantctl as a library: the engine of the program, without its command line. Whatever stops a function is thrown as a
 * {@link Failure}; nothing is printed. docs/library.md shows all of it at work.
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
export type { ApplyEvent } from './applier/run.ts';
export type { ClientEvent, ClientTarget } from './client/client.ts';
export { type Client, type ClientOptions, createClient } from './client/client.ts';
export { Redactor } from './client/redactor.ts';
export { type ApplyOptions, applyPlan } from './engine/apply.ts';
export type { PlanOptions } from './engine/choices.ts';
export { type DiffOptions, type DiffSource, diffSides, manifestSide, tenantSide } from './engine/diff.ts';
export { type ExportOptions, exportTenant } from './engine/export.ts';
export { planChanges } from './engine/plan.ts';
export { planRollback, type RollbackOptions } from './engine/rollback.ts';
export {
  openTenant,
  readTenant,
  startEmbedded as startSandbox,
  type Tenant,
  type TenantOptions,
} from './engine/tenant.ts';
export type { Export, ExportedFile } from './exporter/files.ts';
export type { Kind, LiveObject } from './kinds/kind.ts';
export type { TenantState } from './kinds/live-objects.ts';
export type { Environment, Kinds, Project, ProjectEnvironment, Secrets } from './kinds/project.ts';
export type { Resource } from './kinds/resource.ts';
export { type LoadOptions, loadEnvironment, loadProject } from './loader/index.ts';
export { type Address, formatAddress, type Key, matchAddresses, parseAddress } from './model/address.ts';
export {
  type Action,
  type Change,
  type ChangeOutcome,
  type ChangeResult,
  type Diff,
  type Difference,
  type DiffObject,
  type DiffSide,
  differs,
  exitCodeOf,
  hasChanges,
  isRefused,
  type Plan,
  type Request,
  type Result,
  type Risk,
  type Scope,
  type SideDifference,
  type Summary,
} from './model/documents.ts';
export {
  type Diagnostic,
  ExitCode,
  Failure,
  hasErrors,
  type Severity,
  type Source,
} from './model/failure.ts';
export type { Json, JsonObject } from './model/json.ts';
export type { TenantName } from './model/tenant.ts';
export type { Document, Format, ReportOptions } from './report/report.ts';
export { renderReport } from './report/writers.ts';
export type { Sandbox, SandboxOptions } from './sandbox/index.ts';
