import type { Client } from '../client/client.ts';
import { allOrFailure, shortenLine } from '../client/describe.ts';
import { resolveLookups } from '../client/lookups.ts';
import { type PageSource, readRows } from '../client/pages.ts';
import { readObjects } from '../client/read.ts';
import type { Call } from '../kinds/http.ts';
import { allOf, someOf } from '../kinds/live-objects.ts';
import { profileSearch, runRules, runSaved } from '../kinds/profile-search.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Change, DraftPlan, Impact, Moved } from '../model/documents.ts';
import { Failure, fail, isInterruption } from '../model/failure.ts';
import { canonicalJson, get, type JsonObject, mapMembers, objectsIn } from '../model/json.ts';
import { literal } from '../model/marker.ts';
import { isWithin, pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { didYouMean } from '../model/words.ts';
import { completeResources, type PlanInput } from '../planner/input.ts';
import { fillLookups, lookupsIn } from '../planner/references.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

/**
 * Runs a profile search. If a manifest declares it with rules, these rules are run; otherwise the saved search. Throws a
 * Failure for a label that is neither declared nor saved, and when the tenant cannot be read.
 */
export async function runSearch(
  resources: readonly Resource[],
  tenant: Tenant,
  search: {
    readonly label: string;
    readonly limit?: number | undefined;
    readonly order?: string | undefined;
  },
) {
  const { label, limit = Number.POSITIVE_INFINITY, order } = search;
  const searches = resources.filter(({ kind }) => kind === profileSearch);
  const { rules, request } = await findSearch(label, searches, readOnlyTenant(tenant));
  const { client } = tenant;
  const ordered = { ...request, query: order === undefined ? {} : { order } };
  // One more than wanted, to see whether there are more.
  const enough = limit + 1;
  const pageSize = Math.min(largestPage, enough);
  const pages = { ...profilePages(label, ordered, client.settings), pageSize, enough };
  const profiles = await readRows(client, pages);
  return { label, rules, more: profiles.length > limit, profiles: profiles.slice(0, limit) };
}

async function findSearch(
  label: string,
  searches: readonly Resource[],
  tenant: Tenant,
): Promise<{ readonly rules: 'declared' | 'saved'; readonly request: Call }> {
  const { client, environment } = tenant;
  const { settings } = environment;
  const declared = searches.find(
    ({ key, ensure, fields }) =>
      key[0] === label && ensure === 'present' && get(fields, 'rules') !== undefined,
  );
  if (declared) {
    const complete = completeResources([declared], settings);
    const answer = await resolveLookups(client, lookupsIn(complete));
    const { fields } = fillLookups(complete[0] ?? declared, answer);
    return { rules: 'declared', request: runRules(fields, settings) };
  }
  const [saved] = await readObjects(client, [someOf(profileSearch, [[label]])]);
  if (saved?.id === null)
    throw fail('search-without-id', `The tenant shows no id for the search "${label}", so it cannot be run.`);
  if (saved) return { rules: 'saved', request: runSaved(saved.id, settings) };
  const all = await readObjects(client, [allOf(profileSearch)]);
  const present = searches.filter(({ ensure }) => ensure === 'present');
  const labels = [...new Set([...present, ...all].map(({ key }) => key[0] ?? ''))];
  const more = labels.length > mostLabels ? ', …' : '';
  const list = labels.slice(0, mostLabels).map((each) => `"${each}"`);
  const hint =
    didYouMean(label, labels) ??
    (labels.length === 0 ? 'There are no searches.' : `There are: ${list.join(', ')}${more}.`);
  throw fail('unknown-search', `There is no search "${label}", neither declared nor saved.`, { hint });
}

const mostLabels = 20;

/** The most that a page of profiles may hold (seed 002, "Collection endpoints"). */
const largestPage = 500;

function profilePages(label: string, request: Call, { collectionQuery }: ApiSettings): PageSource {
  // The total, which says how many pages follow.
  const counted: Call['query'] = collectionQuery === 'documented' ? { metadata: 'true' } : {};
  const query = { ...counted, ...request.query, limit: String(largestPage) };
  return {
    what: `the search "${label}"`,
    request: { ...request, query },
    pageSize: largestPage,
    member: 'profiles',
  };
}

/** The maximum number of names shown of the profiles that enter or leave. */
const mostNames = 5;
const longestName = 100;

/**
 * Adds to the plan how many profiles each changed search finds before and after the change. Sends at most `requests`
 * requests. A search that fails, or needs more than are left, is marked as not run. Throws a Failure only when interrupted.
 */
export async function addImpact(
  plan: DraftPlan,
  { input, client: unlimited }: { readonly input: PlanInput; readonly client: Client },
  requests: number,
): Promise<DraftPlan> {
  const client = limitRequests(unlimited, requests);
  const changes: Change[] = [];
  // One after the other, so that the same searches run out of requests each time.
  for (const change of plan.changes) {
    const { kind, action, diff } = change;
    const isMadeOrGone = action === 'create' || action === 'delete';
    // With only a new label, it finds the same profiles.
    const findsOthers = isMadeOrGone || diff.some(({ path }) => isWithin(path, pointer('rules')));
    const searches = kind === profileSearch.name && findsOthers ? searchesOf(change, input) : null;
    changes.push(searches ? { ...change, impact: await impactOf(searches, client) } : change);
  }
  return { ...plan, changes };
}

/** The searches before and after the change; `null` for a side that has no search. */
function searchesOf(change: Change, { objects, resources, environment }: PlanInput) {
  const { kind, id, address } = change;
  const live = objects.find(
    (object) => object.kind.name === kind && (id === null ? object.address === address : object.id === id),
  );
  const declared = resources.find((each) => each.address === address && each.ensure === 'present');
  const pages = (fields: JsonObject) =>
    profilePages(change.key[0] ?? '', runRules(fields, environment.settings), environment.settings);
  // Escaped, so that no value in the tenant can be mistaken for a marker.
  const rules = live && objectsIn(get(live.fields, 'rules')).map((rule) => mapMembers(rule, literal));
  return [rules ? pages({ rules }) : null, declared ? pages(declared.fields) : null];
}

async function impactOf(
  searches: readonly (PageSource | null)[],
  client: Pick<Client, 'send'>,
): Promise<Impact> {
  try {
    const found = await allOrFailure(
      searches.map((run) => (run ? readRows(client, run) : Promise.resolve([]))),
    );
    const [old = new Map(), now = new Map()] = found.map(
      (rows) =>
        new Map(
          rows.map((profile) => [String(get(profile, 'id') ?? canonicalJson(profile)), nameOf(profile)]),
        ),
    );
    return { before: old.size, after: now.size, enter: findMoved(now, old), leave: findMoved(old, now) };
  } catch (error) {
    if (!(error instanceof Failure) || isInterruption(error)) throw error;
    return { notRun: error.diagnostics.map(({ message }) => message).join(' ') };
  }
}

function nameOf(profile: JsonObject): string {
  const named = ['name', 'uid', 'id']
    .map((field) => get(profile, field))
    .find((value) => (typeof value === 'string' && value !== '') || typeof value === 'number');
  return shortenLine(String(named ?? 'a profile without a name'), longestName);
}

function findMoved(found: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): Moved {
  const moved = [...found].filter(([id]) => !others.has(id)).map(([, name]) => name);
  return { count: moved.length, first: moved.slice(0, mostNames) };
}

function limitRequests(client: Pick<Client, 'send'>, most: number): Pick<Client, 'send'> {
  let left = most;
  return {
    async send(request, options) {
      if (left === 0)
        throw fail(
          'impact-requests',
          `It takes more requests than are left of ${most}. Raise the number with --impact=N.`,
        );
      left -= 1;
      return client.send(request, options);
    },
  };
}
