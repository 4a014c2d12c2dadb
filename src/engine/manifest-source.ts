import type { LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { scopeFilter } from '../model/address.ts';
import { answerAsked, completeResource, fillLookups, lookupsIn } from '../planner/fill-lookups.ts';
import { type PlanChoices, readRequestsFor } from '../planner/input.ts';
import { refuseLostReferences } from '../planner/lost-references.ts';
import { type ResolvedReferences, referencesIn, resolveReferences } from '../planner/references.ts';
import { globWarnings, type PlanOptions } from './choices.ts';
import { lintPlan } from './lint.ts';
import type { PlanSource } from './plan-source.ts';
import { addImpact } from './search.ts';
import type { PastProjects } from './since.ts';

/** What `since` declared, where a caller has checked it out for several plans. */
export interface SharedPast {
  readonly past?: PastProjects | null;
}

/** The manifests as the source of a plan; with `since`, also those of that revision. */
export async function manifestSource(
  project: Project,
  choices: PlanChoices,
  { impactRequests = null, env = process.env, past: shared = null }: PlanOptions & SharedPast,
): Promise<PlanSource> {
  const { environment, diagnostics } = project;
  const complete = (each: Resource) => completeResource(each, environment.settings);
  const resources = project.resources.map(complete);
  const { scope } = choices;
  const past = shared
    ? shared.read(project)
    : await withSince(project, { since: scope.since, env }, (all) => all?.read(project));
  const previous = past?.resources.map(complete) ?? null;
  const isInScope = scopeFilter(scope);
  // Resources outside the scope are not compared, so their lookups are not resolved. Lookups that only the revision
  // has are not resolved either: their records may be gone.
  const inScope = resources.filter(({ address }) => isInScope(address));
  const lookups = lookupsIn(inScope);
  const references = referencesIn(inScope, environment.kinds);
  // What was referred to then may be gone: such a reference stays as it is written.
  const resolvePast = (all: readonly Resource[], objects: readonly LiveObject[]) =>
    resolveReferences(referencesIn(all, environment.kinds), {
      resources: addLaterNames(all, resources),
      objects,
      isInScope,
    });
  return {
    requests: readRequestsFor({ resources, previous, environment, choices }),
    lookups,
    namesAll: true,
    async findEarlier(moved) {
      if (moved.length === 0) return new Map();
      // Only this runs git.
      const { findEarlierDefaults } = await import('./earlier-defaults.ts');
      return findEarlierDefaults(moved, project, env);
    },
    async resolve(objects, answer, near) {
      const answerKnown = answerAsked(lookups, answer);
      const resolved = resolveReferences(references, { resources, objects, isInScope });
      if (resolved.missing.length > 0) resolved.requireAll(await near(resolved.missing));
      const fill = (all: readonly Resource[], { fill: fillIn }: ResolvedReferences) =>
        all.map((each) => fillIn(fillLookups(each, answerKnown)));
      return {
        resources: fill(resources, resolved),
        previous: previous && fill(previous, resolvePast(previous, objects)),
        diagnostics: [
          ...globWarnings(choices, { resources, previous, objects }),
          // `validate` shows information about manifests. In a plan it would distract from the changes.
          ...diagnostics.filter(({ severity }) => severity !== 'info'),
          ...(past?.diagnostics ?? []),
        ],
        async judge(plan, planned) {
          refuseLostReferences(references, resources, plan, environment.kinds);
          const linted = await lintPlan(plan, project, planned);
          return impactRequests === null ? linted : addImpact(linted, planned, impactRequests);
        },
      };
    },
  };
}

/** What was declared then, to be found in the tenant also under the name that a manifest of today gives it. */
function addLaterNames(past: readonly Resource[], resources: readonly Resource[]): readonly Resource[] {
  const later = new Map(
    resources.flatMap(({ kind, key, lifecycle: { renamedFrom } }) =>
      renamedFrom ? [[identityOf(kind, renamedFrom), key] as const] : [],
    ),
  );
  return past.map((each) => {
    const key = later.get(identityOf(each.kind, each.key));
    return key ? { ...each, lifecycle: { ...each.lifecycle, renamedFrom: key } } : each;
  });
}

/** Lets `use` read what the manifests declared at the revision that `--since` names; `null` without `--since`. */
export async function withSince<T>(
  project: Pick<Project, 'root' | 'configFile'>,
  { since = null, env = process.env }: Pick<PlanOptions, 'since' | 'env'>,
  use: (past: PastProjects | null) => T | Promise<T>,
): Promise<T> {
  if (since === null) return use(null);
  // Only --since runs git.
  const { withPast } = await import('./since.ts');
  return withPast(project, { name: since, env }, use);
}
