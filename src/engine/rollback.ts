import { ExitCode, failure } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import type { Project } from '../model/project.ts';
import type { Result } from '../model/result.ts';
import { annotateRollback, rollbackRequests, rollbackState } from '../planner/rollback.ts';
import { choicesFrom, type PlanOptions, type PlanSource, planFor } from './plan.ts';
import { checkGlobs } from './scope.ts';
import type { Tenant } from './tenant.ts';

/** What may be chosen for a rollback. */
export type RollbackOptions = Pick<PlanOptions, 'only' | 'except' | 'maxDeletes' | 'allowDeleteAll'>;

/**
 * The plan that takes back what an apply did, as its result recorded it: made by the same comparison as any plan, so
 * what is back already is no change, and every guard holds. What somebody did since then is reported, never skipped.
 * Throws a Failure (exit 4) for a result of another environment or tenant.
 */
export async function planRollback(
  result: Result,
  project: Project,
  tenant: Tenant,
  options: RollbackOptions = {},
): Promise<Plan> {
  refuseForeign(result, project);
  const choices = choicesFrom(options);
  checkGlobs({ ...choices.scope, allowDeleteAll: choices.allowDeleteAll });
  const { environment, resources } = project;
  const input = { result, resources, environment, choices };
  const source: PlanSource = {
    requests: rollbackRequests(input),
    lookups: [],
    resolve(objects) {
      const state = rollbackState(input, objects);
      const judge = async (plan: Plan) => annotateRollback(plan, state);
      return { resources: state.resources, previous: null, diagnostics: state.diagnostics, judge };
    },
  };
  return planFor(source, project, tenant, choices);
}

function refuseForeign(result: Result, { environment: { name, tenant } }: Project): void {
  const isOurs =
    result.environment === name &&
    result.tenant.identity === tenant.identity &&
    result.tenant.profiles === tenant.profiles;
  if (isOurs) return;
  const quoted = (text: string) => JSON.stringify(text.slice(0, 200));
  throw failure(
    'result-tenant',
    `The result is of the environment ${quoted(result.environment)} with the tenant ${quoted(result.tenant.identity)}, not of ${quoted(name)} with ${quoted(tenant.identity)}.`,
    { hint: 'Choose the project file and environment that the apply ran with.' },
    ExitCode.refused,
  );
}
