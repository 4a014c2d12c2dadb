import { resolveLookups } from '../client/lookups.ts';
import type { PageCache } from '../client/page-cache.ts';
import { failure } from '../model/failure.ts';
import type { Plan, Scope } from '../model/plan.ts';
import type { Environment, Project } from '../model/project.ts';
import { equalTo } from '../planner/equal.ts';
import {
  defaultsFor,
  fillLookups,
  lookupsIn,
  matchUp,
  type PlanChoices,
  type PlanInput,
  planChanges,
  wantedFor,
} from '../planner/index.ts';
import { checkGlobs, unmatchedGlobs } from './check-globs.ts';
import type { PlanArgs } from './command.ts';
import type { Io } from './io.ts';
import { withLint } from './lint-plan.ts';
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
  const wanted = wantedFor({ resources, previous, environment, choices });
  const reader = tenant.remembered();
  const [state, answer] = await Promise.all([
    reader.readWanted(wanted, pages),
    resolveLookups(reader.client, [...lookupsIn(resources), ...lookupsIn(previous ?? [])]),
  ]);
  const input: PlanInput = {
    tool,
    createdAt: new Date().toISOString(),
    environment,
    resources: fillLookups(resources, answer),
    previous: previous && fillLookups(previous, answer),
    state,
    secrets,
    choices,
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
  const more = await reader.readDefaults(defaultsFor(input, matched));
  const complete = { ...input, state: { ...state, defaults: [...state.defaults, ...more] } };
  const plan = planChanges(complete, matched);
  pages?.save(equalTo(matched, plan));
  const linted = await withLint(plan, project, reader, complete);
  const { impactRequests = null } = choices;
  return impactRequests === null ? linted : withImpact(linted, reader, complete, impactRequests);
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
