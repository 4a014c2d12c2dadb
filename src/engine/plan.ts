import type { Client } from '../client/client.ts';
import { resolveLookups } from '../client/lookups.ts';
import { readDefaults, readObjects, readObjectsAndOthers } from '../client/read.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { LiveIndex } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import { allOf, type ReadRequest } from '../kinds/read-request.ts';
import type { Resource, UsedLookup } from '../kinds/resource.ts';
import { templateQuestions } from '../lint/templates.ts';
import type { LoadedProject } from '../loader/index.ts';
import { scopeFilter } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type DraftPlan, withDigest } from '../model/digest.ts';
import { tool } from '../model/documents.ts';
import { Failure, onFailure } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { Lookup } from '../model/marker.ts';
import type { Plan } from '../model/plan.ts';
import {
  answerAsked,
  completeResource,
  fillLookups,
  lookedUpBy,
  lookupsIn,
} from '../planner/fill-lookups.ts';
import { findUnsetSecrets, planMatched } from '../planner/index.ts';
import {
  defaultsFor,
  nearDefaultsFor,
  type PlanChoices,
  type PlanInput,
  readRequestsFor,
} from '../planner/input.ts';
import { type Matched, matchAll } from '../planner/match.ts';
import { findMovedDefaults, movedDefaultRemark } from '../planner/moved-defaults.ts';
import {
  addFormerParents,
  addLaterNames,
  fillReferences,
  referencesIn,
  refuseLostReferences,
  refuseMissing,
  resolveReferences,
  type UsedReference,
} from '../planner/references.ts';
import { checkChoices, choicesFrom, globWarnings, type PlanOptions } from './choices.ts';
import { lintPlan, type Planned } from './lint.ts';
import { readSettledObjects } from './reading.ts';
import { addUndeclared, nameDifferences, undeclarability, warnOfLosses } from './review.ts';
import type { Past, PastProjects } from './since.ts';
import { findStrayIds } from './stray-ids.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

interface ChangeOptions extends PlanOptions {
  /** The declarations of `since`, if the caller has checked it out for several plans. */
  readonly past?: PastProjects | null;
}

/**
 * Reads the tenant and compares it with the manifests. Returns the plan that `tenantctl plan` makes, with its digest.
 * Writes nothing. A plan that a guard refused is returned too: see `isRefused`. Throws a Failure for options that
 * make no sense, for manifests that the lint refuses, for secrets that are not set, and if the tenant cannot be read.
 *
 * @example
 * const plan = await planChanges(project, tenant, { prune: true, maxDeletes: 3 });
 * if (hasChanges(plan)) console.log(plan.digest, plan.summary);
 */
export async function planChanges(
  project: LoadedProject,
  tenant: Tenant,
  options: ChangeOptions = {},
): Promise<Plan> {
  const { environment } = project;
  const choices = choicesFrom(options);
  checkChoices(choices, environment);
  const reader = readOnlyTenant(tenant);
  const declared = await readDeclared(project, choices, options);
  const requests = readRequestsFor({ ...declared, environment, choices });
  const live = await readTenantFor(requests, declared.lookups, project.root, reader);
  const desired = await resolveDeclared(declared, live, choices, reader);
  const written = (await declared.past?.written()) ?? new Map();
  const draft = await draftPlan({ ...desired, written }, live, project, options.env);
  refuseLostReferences(declared.references, declared.resources, draft.plan, environment.kinds);
  // The rest is for the reviewer. It changes no request.
  const listed = await addUndeclared(draft.plan, draft);
  const named = (await declared.past?.nameCommits(listed, desired)) ?? listed;
  const linted = await lintPlan(named, project, draft);
  const { impactRequests = null } = options;
  if (impactRequests === null) return withDigest(linted);
  const { addImpact } = await import('./search.ts');
  return withDigest(await addImpact(linted, draft, impactRequests));
}

interface Declared {
  /** All of the project, complete: lookups and references are not resolved. */
  readonly resources: readonly Resource[];
  readonly previous: readonly Resource[] | null;
  readonly past: Past | null;
  /** Those in scope: an object that is not compared is not looked up either. */
  readonly lookups: readonly UsedLookup[];
  readonly references: readonly UsedReference[];
  readonly diagnostics: readonly Diagnostic[];
}

async function readDeclared(
  project: LoadedProject,
  { scope }: PlanChoices,
  options: ChangeOptions,
): Promise<Declared> {
  const { settings, kinds } = project.environment;
  const past = await readPast(project, options);
  const complete = (each: Resource) => completeResource(each, settings);
  const resources = addFormerParents(project.resources.map(complete));
  const isInScope = scopeFilter(scope);
  const inScope = resources.filter(({ address }) => isInScope(address));
  return {
    resources,
    previous: past?.resources.map(complete) ?? null,
    past,
    lookups: lookupsIn(inScope),
    references: referencesIn(inScope, kinds),
    diagnostics: [
      // `validate` shows information about manifests. In a plan it would distract from the changes.
      ...project.diagnostics.filter(({ severity }) => severity !== 'info'),
      ...(past?.diagnostics ?? []),
    ],
  };
}

/** The declarations of `since`; `null` without it, and then nothing that runs git is loaded. */
async function readPast(
  project: LoadedProject,
  { past, since = null, ...options }: ChangeOptions,
): Promise<Past | null> {
  if (past) return past.read(project);
  if (since === null) return null;
  const { withSince } = await import('./since.ts');
  return withSince(project, { ...options, since }, (all) => all?.read(project) ?? null);
}

interface Live {
  readonly client: Client;
  readonly objects: readonly LiveObject[];
  /** Objects that came with the lists, though nothing asked for them. */
  readonly others: readonly LiveObject[];
  readonly lookups: readonly UsedLookup[];
  readonly answer: (lookup: Lookup) => Json;
  readonly remarks: readonly Diagnostic[];
}

/** Reads the objects and the records that lookups name, once the tenant shows the last writes of this project. */
export async function readTenantFor(
  requests: readonly ReadRequest[],
  lookups: readonly UsedLookup[],
  root: string,
  tenant: Tenant,
): Promise<Live> {
  const remarks = new Map<string, Diagnostic>();
  const [read, answer] = await Promise.all([
    readSettledObjects(root, tenant, requests, (client) => readObjectsAndOthers(client, requests)),
    resolveLookups(tenant.client, lookups, (remark) => remarks.set(remark.message, remark)),
  ]);
  // The order of the answers is random, and remarks are part of the digest.
  const inOrder = [...remarks.keys()].sort().flatMap((message) => remarks.get(message) ?? []);
  return { ...read, client: tenant.client, lookups, answer, remarks: inOrder };
}

type Desired = Pick<PlanInput, 'resources' | 'previous' | 'diagnostics' | 'choices' | 'written'>;

/**
 * Resolves references and lookups to ids and records, and remarks on ids that are written out. Throws a Failure for a reference
 * that leads nowhere.
 */
async function resolveDeclared(
  { resources, previous, lookups, references, diagnostics }: Declared,
  { objects, others, answer, remarks }: Live,
  choices: PlanChoices,
  reader: Tenant,
): Promise<Desired> {
  const isInScope = scopeFilter(choices.scope);
  const resolved = resolveReferences(references, { resources, objects, isInScope });
  if (resolved.missing.length > 0) {
    // Their names may be similar. If they cannot be read, nothing is suggested.
    const asked = new Set(resolved.missing.map(({ reference }) => reference.kind));
    const near = await readObjects(reader.client, [...asked].map(allOf)).catch(onFailure(() => []));
    refuseMissing(resolved.missing, [...resources, ...objects, ...near]);
  }
  // References and lookups of the revision may lead nowhere now: they stay as written.
  const answerKnown = answerAsked(lookups, answer);
  const then = resolveReferences(referencesIn(previous ?? [], reader.environment.kinds), {
    resources: addLaterNames(previous ?? [], resources),
    objects,
    isInScope,
  });
  const globs = globWarnings(choices, { resources, previous, objects }, others);
  // Foreign ids are those that this tenant does not have. References stand for its own.
  const wanted = resources.filter(({ address, ensure }) => ensure === 'present' && isInScope(address));
  const known = { objects: [...objects, ...others], isForeignOnly: true };
  const foreign = await findStrayIds(reader, wanted, known);
  return {
    choices,
    resources: resources.map((each) => fillReferences(fillLookups(each, answerKnown), resolved)),
    previous: previous?.map((each) => fillReferences(fillLookups(each, answerKnown), then)) ?? null,
    diagnostics: [...globs, ...remarks, ...diagnostics, ...foreign.diagnostics],
  };
}

interface Drafted extends Planned {
  readonly plan: DraftPlan;
  readonly matched: Matched;
  readonly others: readonly LiveObject[];
}

/** Compares what is desired with the tenant. Throws a Failure for secrets that the plan needs and that are not set. */
export async function draftPlan(
  desired: Desired,
  { client, objects, others, lookups, answer }: Live,
  project: Project,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Drafted> {
  const { environment, secrets } = project;
  const { kinds } = environment;
  const input: PlanInput = {
    tool,
    createdAt: new Date().toISOString(),
    environment,
    tenant: client.tenant,
    objects,
    secrets,
    // Only --prune asks.
    whyUndeclarable: desired.choices.scope.prune ? await undeclarability() : () => null,
    ...desired,
  };
  const matched = matchAll(input, others);
  const defaults = await readPlanDefaults(matched, client);
  const plan = planMatched(input, matched, defaults);
  const unset = findUnsetSecrets(matched, plan, secrets);
  if (unset.length > 0) throw new Failure(unset);
  const known = { kinds, objects: [...objects, ...others], lookedUp: lookedUpBy(lookups, answer) };
  const changes = await warnOfLosses(nameDifferences(plan.changes, known), input);
  const diagnostics = [...plan.diagnostics, ...(await remarkOnMoved(matched, defaults, project, env))];
  return { plan: { ...plan, changes, diagnostics }, input, matched, others, defaults, client };
}

/** Remarks on declared objects whose vendor's default has changed since they were customised. */
async function remarkOnMoved(
  { present, missing }: Matched,
  defaults: readonly LiveObject[],
  project: Project,
  env: NodeJS.ProcessEnv,
): Promise<readonly Diagnostic[]> {
  const matches = [...present.map(({ match }) => match), ...missing];
  const moved = findMovedDefaults(matches, new LiveIndex(defaults));
  if (moved.length === 0) return [];
  // Only this runs git.
  const { findEarlierDefaults } = await import('./since.ts');
  const earlier = await findEarlierDefaults(moved, project, env);
  return moved.map((each) => movedDefaultRemark(each, earlier.get(each.match.resource.address) ?? null));
}

/** Reads the vendor's defaults that a plan needs, and in the same request those that the lint needs for updates. */
async function readPlanDefaults(matched: Matched, client: Client): Promise<readonly LiveObject[]> {
  const needed = defaultsFor(matched);
  if (needed.length === 0) return [];
  const updated = matched.present.flatMap(({ change, match }) => (change ? [match.resource] : []));
  const linted = templateQuestions(updated, []).defaults;
  const requests = needed.map((request) => {
    const same = linted.filter(({ kind }) => kind === request.kind);
    return { ...request, keys: [...request.keys, ...same.flatMap(({ keys }) => keys)] };
  });
  const defaults = await readDefaults(client, requests);
  const near = nearDefaultsFor(matched, defaults);
  return near.length === 0 ? defaults : readDefaults(client, near);
}
