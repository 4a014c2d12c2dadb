import { readTenant as readLive, readOnce } from '../client/read.ts';
import type { TenantState } from '../model/live.ts';
import type { Project } from '../model/project.ts';
import { readRequestsFor } from '../planner/input.ts';
import { choicesFrom, type PlanOptions } from './plan.ts';
import type { Tenant } from './tenant.ts';

/**
 * The live objects that the manifests name, with the vendor's defaults of those that are not customised.
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
