import { resolveLookups } from '../client/lookups.ts';
import { readObjects, readOnce } from '../client/read.ts';
import type { ReadRequest } from '../kinds/kind.ts';
import { scopeFilter } from '../model/address.ts';
import { failure } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Lookup } from '../model/marker.ts';
import type { Plan, Scope } from '../model/plan.ts';
import type { Environment, Project } from '../model/project.ts';
import type { Resource, UsedLookup } from '../model/resource.ts';
import { tool } from '../model/version.ts';
import { fillLookups, lookupsIn } from '../planner/fill-lookups.ts';
import { matchAll, planChanges as planMatched } from '../planner/index.ts';
import { type PlanChoices, type PlanInput, readRequestsFor } from '../planner/input.ts';
import { readPlanDefaults } from './defaults.ts';
import { addImpact } from './impact.ts';
import { lintPlan, type Planned } from './lint.ts';
import { checkGlobs, unmatchedGlobs } from './scope.ts';
import type { Tenant } from './tenant.ts';

/** What may be chosen for a plan; what is left out is as in the command without options. */
export interface PlanOptions extends Partial<Scope>, Partial<Omit<PlanChoices, 'scope'>> {
  /** The most requests that may go into running changed searches; left out or `null`: they are not run. */
  readonly impactRequests?: number | null;
  /** The environment variables under which the manifests of `since` are read; left out: the process's own. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Reads the tenant and compares it with the manifests: the plan that `tenantctl plan` makes, with its digest. Sends
 * nothing that writes. A plan that a guard refused is returned as well: see `isRefused`.
 *
 * @example
 * const plan = await planChanges(project, tenant, { prune: true, maxDeletes: 3 });
 * if (hasChanges(plan)) console.log(plan.digest, plan.summary);
 */
export async function planChanges(
  project: Project,
  tenant: Tenant,
  options: PlanOptions = {},
): Promise<Plan> {
  const choices = choicesFrom(options);
  checkChoices(choices, project.environment);
  const source = await manifestSource(project, choices, options);
  return planFor(source, project, tenant, choices);
}

/** Where the desired state comes from: the manifests, or the result of an apply that is rolled back. */
export interface PlanSource {
  /** The live objects that the desired state is compared with. */
  readonly requests: readonly ReadRequest[];
  readonly lookups: readonly UsedLookup[];
  /** The desired state, once the tenant was read. */
  resolve(objects: readonly LiveObject[], answer: (lookup: Lookup) => Json): DesiredState;
}

export interface DesiredState extends Pick<PlanInput, 'resources' | 'previous' | 'diagnostics'> {
  /** The finished plan, with the remarks on its changes. */
  judge(plan: Plan, planned: Planned): Promise<Plan>;
}

/** Read, match, plan, judge: the one way in which a plan is made. */
export async function planFor(
  source: PlanSource,
  { environment, secrets }: Pick<Project, 'environment' | 'secrets'>,
  tenant: Tenant,
  choices: PlanChoices,
): Promise<Plan> {
  const { settings } = environment;
  const client = readOnce(tenant.client);
  const [objects, answer] = await Promise.all([
    readObjects(client, source.requests, settings),
    resolveLookups(client, source.lookups),
  ]);
  const { judge, ...desired } = source.resolve(objects, answer);
  const input: PlanInput = {
    tool,
    createdAt: new Date().toISOString(),
    environment,
    tenant: client.tenant,
    objects,
    secrets,
    choices,
    ...desired,
  };
  const matched = matchAll(input);
  const defaults = await readPlanDefaults(matched, client, settings);
  const plan = planMatched(input, matched, defaults);
  return judge(plan, { input, defaults, client });
}

/** The manifests as the source of a plan. */
async function manifestSource(
  project: Project,
  choices: PlanChoices,
  { impactRequests = null, env = process.env }: PlanOptions,
): Promise<PlanSource> {
  const { environment, resources, diagnostics } = project;
  const { scope, rotate } = choices;
  const previous = scope.since === null ? null : await loadRevision(project, scope.since, env);
  const isInScope = scopeFilter(scope);
  // What is outside the scope is not compared, so nothing is looked up for it.
  const open = new Set([...resources.filter(({ address }) => isInScope(address)), ...(previous ?? [])]);
  return {
    requests: readRequestsFor({ resources, previous, environment, choices }),
    lookups: lookupsIn([...open]),
    resolve(objects, answer) {
      const fill = (all: readonly Resource[]) =>
        all.map((resource) => (open.has(resource) ? fillLookups(resource, answer) : resource));
      return {
        resources: fill(resources),
        previous: previous && fill(previous),
        diagnostics: [
          ...unmatchedGlobs({ ...scope, rotate }, [...resources, ...(previous ?? []), ...objects]),
          // Information about manifests is for `validate`: a reviewer of changes has enough to read.
          ...diagnostics.filter(({ severity }) => severity !== 'info'),
        ],
        async judge(plan, planned) {
          const linted = await lintPlan(plan, project, planned);
          return impactRequests === null ? linted : addImpact(linted, planned, impactRequests);
        },
      };
    },
  };
}

async function loadRevision(project: Project, revision: string, env: NodeJS.ProcessEnv) {
  // Only --since runs git.
  const { resourcesAt } = await import('./revision.ts');
  return resourcesAt(project, revision, env);
}

/** Throws a Failure for choices that cannot be meant: globs of nothing, a prune of no kind. */
function checkChoices({ scope, rotate, allowDeleteAll }: PlanChoices, { name, policy }: Environment): void {
  checkGlobs({ ...scope, rotate, allowDeleteAll });
  if (!scope.prune || policy.prune.kinds.length > 0) return;
  throw failure('prune-kinds', `The environment ${name} does not say which kinds --prune may delete.`, {
    hint: 'Name them in the project file: `prune: { kinds: [NotificationTemplate] }`.',
  });
}

/** The choices with what is left out filled in. */
export function choicesFrom(options: PlanOptions): PlanChoices {
  const { only = [], except = [], prune = false, since = null } = options;
  const { rotate = [], maxDeletes = null, allowDeleteAll = [] } = options;
  return { scope: { only, except, prune, since }, rotate, maxDeletes, allowDeleteAll };
}
