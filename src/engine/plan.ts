import type { Client } from '../client/client.ts';
import { readRecords, resolveLookups } from '../client/lookups.ts';
import { readDefaults, readObjects, readObjectsAndOthers } from '../client/read.ts';
import { readTemplateContext, readVariables } from '../client/template-variables.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { allOf, type ReadRequest } from '../kinds/live-objects.ts';
import type { Project } from '../kinds/project.ts';
import { noticesOf, type Resource, type UsedLookup } from '../kinds/resource.ts';
import { type LintKnowledge, lint } from '../lint/index.ts';
import { collectionsFor } from '../lint/searches.ts';
import { findOrphaned, templateQuestions, withOtherVariables } from '../lint/templates.ts';
import type { LoadedProject } from '../loader/index.ts';
import { scopeFilter } from '../model/address.ts';
import { type DraftPlan, type Plan, withDigest } from '../model/documents.ts';
import { type Diagnostic, Failure, hasErrors, isInterruption, onFailure } from '../model/failure.ts';
import { lookedUpWords } from '../model/marker.ts';
import { defaultsFor, planMatched, withoutDefault } from '../planner/index.ts';
import { completeResources, type PlanChoices, type PlanInput, readRequestsFor } from '../planner/input.ts';
import { type Matched, matchAll } from '../planner/match.ts';
import { movedDefaultRemark } from '../planner/moved-defaults.ts';
import {
  addLaterNames,
  fillLookups,
  fillReferences,
  lookedUpBy,
  lookupsIn,
  referencesIn,
  refuseLostReferences,
  refuseMissing,
  resolveReferences,
} from '../planner/references.ts';
import { choicesFrom, globWarnings, type PlanOptions } from './choices.ts';
import {
  addUndeclared,
  nameDifferences,
  readMovedDefaults,
  undeclarability,
  warnOfLosses,
} from './review.ts';
import type { ReadPast } from './since.ts';
import { findStrayIds } from './stray-ids.ts';
import { readOnlyTenant, readSettledObjects, type Tenant } from './tenant.ts';

interface ChangeOptions extends PlanOptions {
  /** The declarations of `since`, if the caller has checked it out for several plans. */
  readonly past?: ReadPast | null;
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
  const { environment, root } = project;
  const choices = choicesFrom(options, environment);
  const reader = readOnlyTenant(tenant);
  const past = choices.scope.since === null ? null : await readPast(project, options);
  const declared = completeDeclared(project, past, choices);
  const previous = declared.previous && addLaterNames(declared.previous, declared.resources);
  const requests = readRequestsFor({ ...declared, previous, environment, choices });
  const live = await readTenantFor(requests, declared.lookups, root, reader);
  const desired = await resolveDeclared(declared, live, choices, reader);
  const written = (await past?.written()) ?? new Map();
  const draft = await draftPlan({ ...desired, written }, live, project, options.env);
  refuseLostReferences(declared.references, declared.resources, draft.plan, environment.kinds);
  // The rest is for the reviewer. It changes no request.
  const listed = await addUndeclared(draft.plan, draft);
  const named = (await past?.nameCommits(listed, desired)) ?? listed;
  const linted = await lintPlan(named, project, draft);
  const { impactRequests = null } = options;
  if (impactRequests === null) return withDigest(linted);
  const { addImpact } = await import('./search.ts');
  return withDigest(await addImpact(linted, draft, impactRequests));
}

/** The declarations of `since`. Only this loads what runs git. */
async function readPast(project: LoadedProject, { past, ...options }: ChangeOptions) {
  if (past) return past(project);
  const { withSince } = await import('./since.ts');
  return withSince(project, options, (read) => read?.(project) ?? null);
}

/** All of the project, complete. Lookups and references are those in scope: what is not compared is not looked up either. */
function completeDeclared(project: LoadedProject, past: ReturnType<ReadPast> | null, { scope }: PlanChoices) {
  const { settings, kinds } = project.environment;
  const resources = completeResources(project.resources, settings);
  const isInScope = scopeFilter(scope);
  const inScope = resources.filter(({ address }) => isInScope(address));
  return {
    resources,
    previous: past && completeResources(past.resources, settings),
    lookups: lookupsIn(inScope),
    references: referencesIn(inScope, kinds),
    diagnostics: [
      // `validate` shows information about manifests. In a plan it would distract from the changes.
      ...[...project.diagnostics, ...noticesOf(inScope)].filter(({ severity }) => severity !== 'info'),
      ...(past?.diagnostics ?? []),
    ],
  };
}

/**
 * Reads the objects and the records that lookups name, once the tenant shows the last writes of this project. `others` came with
 * the lists, though nothing asked for them.
 */
export async function readTenantFor(
  requests: readonly ReadRequest[],
  lookups: readonly UsedLookup[],
  root: string,
  tenant: Tenant,
) {
  const remarks = new Map<string, Diagnostic>();
  const [read, answer] = await Promise.all([
    readSettledObjects(root, tenant, requests, (client) => readObjectsAndOthers(client, requests)),
    resolveLookups(tenant.client, lookups, {
      onReadWhole: (remark) => void remarks.set(remark.message, remark),
    }),
  ]);
  // The order of the answers is random, and remarks are part of the digest.
  const inOrder = [...remarks.keys()].sort().flatMap((message) => remarks.get(message) ?? []);
  return { ...read, client: tenant.client, lookups, answer, remarks: inOrder };
}

type Live = Awaited<ReturnType<typeof readTenantFor>>;
type Desired = Pick<PlanInput, 'resources' | 'previous' | 'diagnostics' | 'choices' | 'written'>;

/**
 * Resolves references and lookups to ids and records, and remarks on ids that are written out. Throws a Failure for a reference
 * that leads nowhere.
 */
async function resolveDeclared(
  { resources, references, diagnostics, ...declared }: ReturnType<typeof completeDeclared>,
  { objects, others, answer, remarks }: Live,
  choices: PlanChoices,
  reader: Tenant,
): Promise<Desired> {
  const isInScope = scopeFilter(choices.scope);
  const now = resolveReferences(references, { resources, objects, isInScope });
  if (now.missing.length > 0) {
    // Their names may be similar. If they cannot be read, nothing is suggested.
    const asked = new Set(now.missing.map(({ reference }) => reference.kind));
    const near = await readObjects(reader.client, [...asked].map(allOf)).catch(onFailure(() => []));
    refuseMissing(now.missing, [...resources, ...objects, ...near]);
  }
  // References and lookups of the revision may lead nowhere now: they stay as written.
  const previous = declared.previous && addLaterNames(declared.previous, resources, objects);
  const known = { resources: previous ?? [], objects, isInScope };
  const then = previous && resolveReferences(referencesIn(previous, reader.environment.kinds), known);
  const globs = globWarnings(choices, { resources, previous, objects }, others);
  // Foreign ids are those that this tenant does not have. References stand for its own.
  const wanted = resources.filter(({ address, ensure }) => ensure === 'present' && isInScope(address));
  const foreign = await findStrayIds(reader, wanted, [...objects, ...others], { isForeignOnly: true });
  return {
    choices,
    resources: resources.map((each) => fillReferences(fillLookups(each, answer), now)),
    previous: then && previous.map((each) => fillReferences(fillLookups(each, answer), then)),
    diagnostics: [...globs, ...remarks, ...diagnostics, ...foreign.diagnostics],
  };
}

/** Compares what is desired with the tenant. Throws a Failure for secrets that the plan needs and that are not set. */
export async function draftPlan(
  desired: Desired,
  { client, objects, others, lookups, answer }: Live,
  project: Project,
  env: NodeJS.ProcessEnv = process.env,
) {
  const { environment, secrets } = project;
  const input: PlanInput = {
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
  const lookedUp = lookedUpBy(lookups, answer);
  const known = { kinds: environment.kinds, objects: [...objects, ...others], lookedUp };
  const changes = await warnOfLosses(nameDifferences(plan.changes, known), input);
  const matches = [...matched.present.map(({ match }) => match), ...matched.missing];
  const moved = await readMovedDefaults(matches, defaults, project, env);
  const diagnostics = [...plan.diagnostics, ...moved.map(movedDefaultRemark)];
  // Apply asks them again.
  const words = new Set(
    changes.flatMap(({ diff }) => diff.flatMap(({ named = {} }) => Object.values(named))),
  );
  const shown = lookups
    .filter((lookup) => words.has(lookedUpWords(lookup)))
    .map(({ from, where, take }) => ({ from, where, take }));
  const drafted = { ...plan, changes, diagnostics, ...(shown.length > 0 && { lookups: shown }) };
  return { plan: drafted, input, others, defaults, client };
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
  // Where a key has none, the error suggests one of all.
  const kinds = new Set(withoutDefault(matched.missing, defaults).map(({ kind }) => kind));
  return kinds.size === 0 ? defaults : readDefaults(client, [...kinds].map(allOf));
}

interface Planned {
  readonly input: PlanInput;
  readonly defaults: readonly LiveObject[];
  readonly client: Client;
}

/**
 * Adds to the plan what the lint finds in the objects that it writes. Reads from the tenant only what the lint needs for
 * them, so a plan without changes sends no request. Throws a Failure when a finding is an error.
 */
async function lintPlan(plan: DraftPlan, project: Project, planned: Planned): Promise<DraftPlan> {
  const { input, defaults } = planned;
  const writes = plan.changes.filter(({ action }) => action === 'create' || action === 'update');
  // Templates with a sender that the plan deletes are checked too, though they do not change, in scope or not.
  const { deleted, orphaned } = findOrphaned(plan.changes, project.resources);
  const affected = new Set([...writes, ...orphaned].map(({ address }) => address));
  // A declared template that equals its default, and is not customised, is not a change. Its findings are shown too.
  const live = new Set(input.objects.map(({ address }) => address));
  const isInScope = scopeFilter(plan.scope);
  const standard = defaults.filter(({ address }) => !live.has(address) && isInScope(address));
  const about = new Set([...affected, ...standard.map(({ address }) => address)]);
  if (about.size === 0) return plan;
  const asked = project.resources.filter(({ address }) => affected.has(address));
  const { known, problems } = await readKnowledge(asked, project.resources, planned);
  const findings = lint({
    resources: input.resources,
    known: { ...known, customised: live, deleted },
    levels: project.lint,
    about,
  });
  if (hasErrors(findings)) throw new Failure([...findings, ...problems]);
  const shown = [...findings, ...problems].filter(({ severity }) => severity !== 'info');
  return { ...plan, diagnostics: [...plan.diagnostics, ...shown] };
}

/** `problems`: why parts could not be read. Their checks are skipped: a plan does not fail because the lint cannot run. */
async function readKnowledge(changed: readonly Resource[], declared: readonly Resource[], planned: Planned) {
  const { client } = planned;
  const problems: Diagnostic[] = [];
  const skip: Skip = onFailure((failure): undefined => {
    if (isInterruption(failure)) throw failure;
    for (const { message, hint } of failure.diagnostics) {
      // It is new in each answer, and would change the digest of the plan.
      const reason = message.replace(/ \(tracking id [^)]*\)/, '');
      const told = `Some checks of the changes were skipped. ${reason}`;
      problems.push({ code: 'lint-not-asked', severity: 'warning', message: told, ...(hint && { hint }) });
    }
  });
  const asked = templateQuestions(changed, declared);
  const [texts, senders, ...collections] = await Promise.all([
    readTexts(changed, asked.defaults, planned, skip),
    asked.senders.length > 0 ? readObjects(client, asked.senders).catch(skip) : undefined,
    ...collectionsFor(changed).map((name) => readRecords(client, [name]).catch(skip)),
  ]);
  const records = new Map(collections.flatMap((read) => [...(read ?? [])]));
  return {
    known: { ...texts, ...(senders && { senders }), records },
    // The order of the answers is random, and the problems are part of the digest.
    problems: problems.toSorted((one, other) => (one.message < other.message ? -1 : 1)),
  };
}

type Skip = (error: unknown) => undefined;

async function readTexts(
  changed: readonly Resource[],
  asked: readonly ReadRequest[],
  { defaults, client }: Planned,
  skip: Skip,
): Promise<LintKnowledge> {
  // The defaults of a key are read for all media and locales.
  const read = new Set(defaults.map(({ key: [name] }) => name));
  const missing = asked
    .map((request) => ({ ...request, keys: request.keys.filter(([name]) => !read.has(name ?? '')) }))
    .filter(({ keys }) => keys.length > 0);
  // The context is likely to be needed as well. Equal requests of a plan are sent once, so it costs no wait below.
  const [more = []] = await Promise.all([
    readDefaults(client, missing).catch(skip),
    missing.length > 0 && readTemplateContext(client).catch(onFailure(() => null)),
  ]);
  const all = [...defaults, ...more];
  // Most variables occur in the defaults. Then the context is not needed.
  const others = withOtherVariables(changed, all).map(({ key }) => key);
  if (others.length === 0) return { defaults: all };
  const [attributes, listed] = await Promise.all([
    readTemplateContext(client).catch(skip),
    readVariables(client, others).catch(skip),
  ]);
  return {
    defaults: all,
    ...(attributes && { context: Object.keys(attributes) }),
    ...(listed && { listed }),
  };
}
