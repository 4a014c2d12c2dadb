import { resolveLookups } from '../client/lookups.ts';
import type { PageCache } from '../client/page-cache.ts';
import { failure } from '../model/failure.ts';
import type { Plan, Scope } from '../model/plan.ts';
import type { Environment, Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import {
  equalTo,
  fillLookups,
  keeperFor,
  looksUp,
  lookupsIn,
  matchUp,
  type PlanChoices,
  type PlanInput,
  planChanges,
  scopeFilter,
  wantedFor,
} from '../planner/index.ts';
import { checkGlobs, unmatchedGlobs } from './check-globs.ts';
import type { PlanArgs } from './command.ts';
import type { Io } from './io.ts';
import { withLint } from './lint-plan.ts';
import { readPlanDefaults } from './plan-defaults.ts';
import { withImpact } from './plan-impact.ts';
import type { Tenant } from './tenant.ts';
import { tool } from './version.ts';

export interface MakePlanChoices extends PlanChoices {
  /** The most requests that may go into running changed searches; without it they are not run. */
  readonly impactRequests?: number | null;
}

/**
 * Reads what the manifests name and compares: the one way a plan is made, whether to be shown, saved or applied.
 *
 * @param pages what earlier plans know of the tenant's lists, for a plan that is only shown
 */
export async function makePlan(
  project: Project,
  tenant: Tenant,
  choices: MakePlanChoices,
  io: Pick<Io, 'env'>,
  pages: PageCache | null = null,
): Promise<Plan> {
  const { environment, resources, secrets, diagnostics } = project;
  const { since } = choices.scope;
  const { rotate, allowDeleteAll } = choices;
  checkGlobs({ ...choices.scope, rotate, allowDeleteAll });
  refusePruneOfNothing(environment, choices.scope);
  // Only --since runs git, for which Node has to load more.
  const previous = since === null ? null : (await import('./revision.ts')).loadRevision(project, since, io);
  const declared = { environment, resources, previous, secrets, choices };
  const reader = tenant.remembered();
  const read = await readAll(declared, reader, pages);
  const { state } = read;
  const input: PlanInput = {
    ...declared,
    ...read,
    tool,
    createdAt: new Date().toISOString(),
    diagnostics: [
      ...unmatchedGlobs({ ...choices.scope, rotate: choices.rotate }, [
        ...resources,
        ...(previous ?? []),
        ...state.objects,
      ]),
      // Information about manifests is for `validate`: a reviewer of changes has enough to read.
      ...diagnostics.filter(({ severity }) => severity !== 'info'),
    ],
  };
  const matched = matchUp(input);
  const defaults = await readPlanDefaults(matched, [], reader);
  const complete = { ...input, state: { ...state, defaults } };
  const plan = planChanges(complete, matched);
  pages?.save(equalTo(state.objects));
  const linted = await withLint(plan, project, reader, complete);
  const { impactRequests = null } = choices;
  return impactRequests === null ? linted : withImpact(linted, reader, complete, impactRequests);
}

/** The state of the tenant, and the declarations with their lookups filled. */
async function readAll(
  declared: Pick<PlanInput, 'environment' | 'resources' | 'previous' | 'secrets' | 'choices'>,
  tenant: Tenant,
  pages: PageCache | null,
): Promise<Pick<PlanInput, 'state' | 'resources' | 'previous'>> {
  const { resources, previous, choices } = declared;
  const inScope = scopeFilter(choices.scope);
  // What is outside the scope is not compared.
  const compared = resources.filter(({ address }) => inScope(address));
  const open = new Set([...compared, ...(previous ?? [])].filter(looksUp));
  const [objects, answer] = await Promise.all([
    tenant.readKept(wantedFor(declared), { pages, keepOf: keeperFor(declared, open) }),
    resolveLookups(tenant.client, lookupsIn([...open])),
  ]);
  const fill = (all: readonly Resource[]) =>
    all.flatMap((each) => (open.has(each) ? fillLookups([each], answer) : [each]));
  const state = { tenant: tenant.tenant, objects, defaults: [] };
  return { state, resources: fill(resources), previous: previous && fill(previous) };
}

function refusePruneOfNothing({ name, policy }: Environment, { prune }: Scope): void {
  if (!prune || policy.prune.kinds.length > 0) return;
  throw failure('prune-kinds', `The environment ${name} does not say which kinds --prune may delete of.`, {
    hint: 'Name them in the project file: `prune: { kinds: [NotificationTemplate] }`.',
  });
}

/** What the options ask for. Throws a Failure for a number of requests that is none, and for globs of nothing. */
export function choicesOf(args: PlanArgs): MakePlanChoices {
  const { impactRequests } = args;
  if (!Number.isSafeInteger(impactRequests) || impactRequests < 1) {
    throw failure('impact-requests-syntax', '--impact-requests takes a whole number of requests, 1 or more.');
  }
  const scope: Scope = { only: args.only, except: args.except, prune: args.prune, since: args.since ?? null };
  return {
    scope,
    rotate: args.rotate,
    maxDeletes: args.maxDeletes ?? null,
    allowDeleteAll: args.allowDeleteAll,
    impactRequests: args.impact ? impactRequests : null,
  };
}
