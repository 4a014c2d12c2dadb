import type { Project } from '../kinds/project.ts';
import { type Plan, type Result, withDigest } from '../model/documents.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { isSameTenant } from '../model/tenant.ts';
import { quote } from '../model/words.ts';
import { annotateRollback, rollbackRequests, rollbackState } from '../planner/rollback.ts';
import { choicesFrom, type PlanOptions, unmatchedGlobs } from './choices.ts';
import { draftPlan, readTenantFor } from './plan.ts';
import { pastApplies } from './results.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

export type RollbackOptions = Pick<PlanOptions, 'only' | 'except' | 'maxDeletes' | 'allowDeleteAll'>;

/**
 * The plan that undoes an apply, from what its result recorded. It is made like any plan: an object that was already restored is
 * no change, and all guards hold. Changes that somebody made since then, and later applies, are reported. The environment may have
 * been renamed. Throws a Failure (exit 4) for the result of another tenant.
 */
export async function planRollback(
  result: Result,
  project: Project,
  tenant: Tenant,
  options: RollbackOptions = {},
): Promise<Plan> {
  refuseOtherTenant(result, project);
  const { environment, resources } = project;
  const choices = choicesFrom(options, environment);
  const names = [...new Set([result.environment, environment.name])];
  const later = (await pastApplies(project.root, names, { since: result.startedAt })).reverse();
  const input = { result, later, resources, environment, choices };
  const live = await readTenantFor(rollbackRequests(input), [], project.root, readOnlyTenant(tenant));
  const state = rollbackState(input, live.objects);
  const unmatched = unmatchedGlobs(choices.scope, result.changes, result.changes);
  const desired = {
    resources: state.resources,
    previous: null,
    diagnostics: [...unmatched, ...state.diagnostics],
    choices: { ...choices, rotate: state.rotate },
  };
  const { plan } = await draftPlan(desired, live, project);
  return withDigest(annotateRollback(plan, state, input));
}

function refuseOtherTenant(result: Result, { environment: { name, tenant } }: Project): void {
  if (isSameTenant(result.tenant, tenant)) return;
  throw fail(
    'result-tenant',
    `The result is from the environment ${quote(result.environment)} and the tenant ${quote(result.tenant.identity)}, not from ${quote(name)} and ${quote(tenant.identity)}.`,
    { hint: 'Choose the project file and environment that the apply ran with.' },
    ExitCode.refused,
  );
}
