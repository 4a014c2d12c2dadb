import type { Client } from '../client/client.ts';
import { type LookupAnswers, resolveLookups } from '../client/lookups.ts';
import { readDefaults, readObjects, readObjectsAndOthers } from '../client/read.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import { allOf, type ReadRequest } from '../kinds/read-request.ts';
import type { Resource, UsedLookup } from '../kinds/resource.ts';
import { questionsOf } from '../lint/index.ts';
import { type Address, scopeFilter } from '../model/address.ts';
import { Failure, ifFailure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { tool } from '../model/version.ts';
import {
  answerAsked,
  completeResource,
  fillLookups,
  lookedUpBy,
  lookupsIn,
} from '../planner/fill-lookups.ts';
import { type Matched, matchAll, movedDefaults, planChanges as planMatched } from '../planner/index.ts';
import {
  defaultsFor,
  nearDefaultsFor,
  type PlanChoices,
  type PlanInput,
  readRequestsFor,
} from '../planner/input.ts';
import { refuseLostReferences } from '../planner/lost-references.ts';
import type { MovedDefault } from '../planner/moved-defaults.ts';
import { nameReferences } from '../planner/name-references.ts';
import { type ResolvedReferences, referencesIn, resolveReferences } from '../planner/references.ts';
import { findUnsetSecrets } from '../planner/unset-secrets.ts';
import { checkChoices, choicesFrom, globWarnings, type PlanOptions } from './choices.ts';
import { addImpact } from './impact.ts';
import { lintPlan, type Planned } from './lint.ts';
import { readSettledObjects } from './recent.ts';
import type { PastProjects } from './since.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';
import { addUndeclared, undeclarability, warnOfLosses } from './undeclarable.ts';

/** What `since` declared, where a caller has checked it out for several plans. */
interface SharedPast {
  readonly past?: PastProjects | null;
}

/**
 * Reads the tenant and compares it with the manifests. Returns the plan that `tenantctl plan` makes, with its digest.
 * Writes nothing. A plan that a guard refused is returned too: see `isRefused`. Throws a Failure for options that
 * make no sense, for manifests that the lint refuses, for secrets that are not set, and where the tenant cannot be read.
 *
 * @example
 * const plan = await planChanges(project, tenant, { prune: true, maxDeletes: 3 });
 * if (hasChanges(plan)) console.log(plan.digest, plan.summary);
 */
export async function planChanges(
  project: Project,
  tenant: Tenant,
  options: PlanOptions & SharedPast = {},
): Promise<Plan> {
  const choices = choicesFrom(options);
  checkChoices(choices, project.environment);
  const source = await loadManifests(project, choices, options);
  return makePlan(source, project, tenant, choices);
}

/** Makes a plan from a source: read, match, plan, judge. Plans and rollbacks are both made here. */
export async function makePlan(
  source: PlanSource,
  { root, environment, secrets }: Pick<Project, 'root' | 'environment' | 'secrets'>,
  tenant: Tenant,
  choices: PlanChoices,
): Promise<Plan> {
  const { settings } = environment;
  const reader = readOnlyTenant(tenant);
  const { client } = reader;
  const read = (from: Client) => readObjectsAndOthers(from, source.requests, settings);
  const [{ objects, others }, answer] = await Promise.all([
    readSettledObjects(root, reader, source.requests, read),
    resolveLookups(client, source.lookups),
  ]);
  const near = (kinds: readonly Kind[]) => readNear(client, kinds, settings);
  const { judge, ...desired } = await source.resolve(objects, answer, near);
  const facts: PlanInput = {
    tool,
    createdAt: new Date().toISOString(),
    environment,
    tenant: client.tenant,
    objects,
    secrets,
    // Only --prune asks.
    whyUndeclarable: choices.scope.prune ? await undeclarability(settings) : () => null,
    choices,
    ...desired,
  };
  const matched = matchAll(facts);
  const defaults = await readPlanDefaults(matched, client, settings);
  const earlierDefaults = await source.findEarlier(movedDefaults(matched, defaults));
  const input: PlanInput = { ...facts, earlierDefaults };
  const planned = nameReferences(planMatched(input, matched, defaults), {
    kinds: environment.kinds,
    objects: [...objects, ...others],
    lookedUp: lookedUpBy(source.lookups, answer),
  });
  const plan = await warnOfLosses(planned, input);
  const unset = findUnsetSecrets(matched, plan, secrets);
  if (unset.length > 0) throw new Failure(unset);
  const complete = source.namesAll ? await addUndeclared(plan, { input, matched, others }) : plan;
  return judge(complete, { input, defaults, client });
}

/** The objects of these kinds, as far as they can be read: they are only named in hints. */
function readNear(
  client: Client,
  kinds: readonly Kind[],
  settings: ApiSettings,
): Promise<readonly LiveObject[]> {
  return readObjects(client, kinds.map(allOf), settings).catch(ifFailure(() => []));
}

/** Where the desired state comes from: the manifests, or the result of an apply that is rolled back. */
export interface PlanSource {
  /** The live objects to compare the desired state with. */
  readonly requests: readonly ReadRequest[];
  readonly lookups: readonly UsedLookup[];
  /** Whether an object that it does not name is undeclared. A rollback names only what it undoes. */
  readonly namesAll: boolean;
  /** The defaults that objects were customised from, by their addresses, as far as they are known. */
  findEarlier(moved: readonly MovedDefault[]): Promise<ReadonlyMap<Address, JsonObject>>;
  /**
   * The desired state. Called when objects and lookups have been read.
   *
   * @param near reads what else the tenant has of some kinds, to suggest a name; empty where it cannot be read
   */
  resolve(
    objects: readonly LiveObject[],
    answer: LookupAnswers,
    near: (kinds: readonly Kind[]) => Promise<readonly LiveObject[]>,
  ): DesiredState | Promise<DesiredState>;
}

export interface DesiredState
  extends Pick<PlanInput, 'resources' | 'previous' | 'diagnostics'>,
    Partial<Pick<PlanInput, 'choices'>> {
  /** Adds the warnings about the changes. Throws a Failure where a change must not be made. */
  judge(plan: Plan, planned: Planned): Promise<Plan>;
}

/** The manifests as the source of a plan; with `since`, also those of that revision. */
async function loadManifests(
  project: Project,
  choices: PlanChoices,
  { impactRequests = null, env = process.env, past: shared = null }: PlanOptions & SharedPast,
): Promise<PlanSource> {
  const { environment, diagnostics } = project;
  const complete = (each: Resource) => completeResource(each, environment.settings);
  const resources = project.resources.map(complete);
  const { scope } = choices;
  const past = shared
    ? shared.of(project)
    : await withRevision(project, { since: scope.since, env }, (all) => all?.of(project));
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
export async function withRevision<T>(
  project: Pick<Project, 'root' | 'configFile'>,
  { since = null, env = process.env }: Pick<PlanOptions, 'since' | 'env'>,
  use: (past: PastProjects | null) => T | Promise<T>,
): Promise<T> {
  if (since === null) return use(null);
  // Only --since runs git.
  const { withPast } = await import('./since.ts');
  return withPast(project, { name: since, env }, use);
}

/**
 * Reads the vendor's defaults that a plan is computed from. If there are any, the defaults that the lint needs for
 * updates are read in the same request.
 */
async function readPlanDefaults(
  matched: Matched,
  client: Client,
  settings: ApiSettings,
): Promise<readonly LiveObject[]> {
  const needed = defaultsFor(matched);
  if (needed.length === 0) return [];
  const updated = matched.present.flatMap(({ change, match }) => (change ? [match.resource] : []));
  const linted = questionsOf(updated, []).defaults;
  const defaults = await readDefaults(client, addKeys(needed, linted), settings);
  const near = nearDefaultsFor(matched, defaults);
  return near.length === 0 ? defaults : readDefaults(client, near, settings);
}

/** The requests, each with the keys that `others` has for the same kind. */
function addKeys(requests: readonly ReadRequest[], others: readonly ReadRequest[]): ReadRequest[] {
  return requests.map((request) => {
    const same = others.filter(({ kind }) => kind === request.kind);
    return { ...request, keys: [...request.keys, ...same.flatMap(({ keys }) => keys)] };
  });
}
