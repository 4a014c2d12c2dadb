import type { Client } from '../client/client.ts';
import { resolveLookups } from '../client/lookups.ts';
import { readDefaults, readObjects, readObjectsAndOthers } from '../client/read.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { Project } from '../kinds/project.ts';
import { allOf, type ReadRequest } from '../kinds/read-request.ts';
import { questionsOf } from '../lint/index.ts';
import { tool } from '../model/documents.ts';
import { Failure, ifFailure } from '../model/failure.ts';
import type { Plan } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { lookedUpBy } from '../planner/fill-lookups.ts';
import { type Matched, matchAll, movedDefaults, planMatched } from '../planner/index.ts';
import { defaultsFor, nearDefaultsFor, type PlanChoices, type PlanInput } from '../planner/input.ts';
import { findUnsetSecrets } from '../planner/unset-secrets.ts';
import { checkChoices, choicesFrom, type PlanOptions } from './choices.ts';
import { manifestSource, type SharedPast } from './manifest-source.ts';
import { nameReferences } from './names.ts';
import type { PlanSource } from './plan-source.ts';
import { readSettledObjects } from './reading.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';
import { addUndeclared, undeclarability, warnOfLosses } from './undeclarable.ts';

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
  const source = await manifestSource(project, choices, options);
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
