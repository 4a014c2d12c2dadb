import { resolveLookups } from '../client/lookups.ts';
import { type PageSource, readRows } from '../client/pages.ts';
import { readObjects } from '../client/read.ts';
import type { Call } from '../kinds/http.ts';
import { profileSearch, runRules, runSaved } from '../kinds/profile-search.ts';
import { allOf, type ReadRequest, someOf } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Failure, failure } from '../model/failure.ts';
import { own } from '../model/json.ts';
import type { FoundProfiles } from '../model/search.ts';
import { didYouMean } from '../model/suggest.ts';
import { completeResource, fillLookups, lookupsIn } from '../planner/fill-lookups.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

/** Which search to run, and how many of its profiles to read. */
export interface SearchOptions {
  readonly label: string;
  /** The maximum number of profiles. Left out: all. */
  readonly limit?: number | undefined;
  /** The attribute to sort by, in ascending order. */
  readonly order?: string | undefined;
}

interface Search extends Pick<FoundProfiles, 'label' | 'rules'> {
  readonly request: Call;
}

/**
 * Runs a profile search. If a manifest declares it with rules, these rules are run; otherwise the saved search. Throws a
 * Failure for a label that is neither declared nor saved, and where the tenant cannot be read.
 */
export async function runSearch(
  resources: readonly Resource[],
  tenant: Tenant,
  options: SearchOptions,
): Promise<FoundProfiles> {
  const searches = resources.filter(({ kind }) => kind === profileSearch);
  const search = await findSearch(options.label, searches, readOnlyTenant(tenant));
  return readFoundProfiles(search, options, tenant);
}

async function findSearch(label: string, searches: readonly Resource[], tenant: Tenant): Promise<Search> {
  const { settings } = tenant.environment;
  const declared = searches
    .filter(
      ({ key, ensure, fields }) =>
        key[0] === label && ensure === 'present' && own(fields, 'rules') !== undefined,
    )
    .map((each) => completeResource(each, settings));
  const answer = await resolveLookups(tenant.client, lookupsIn(declared));
  const [resource] = declared;
  if (resource) {
    const { fields } = fillLookups(resource, answer);
    return { label, rules: 'declared', request: runRules(fields, settings) };
  }
  const [saved] = await read(tenant, someOf(profileSearch, [[label]]));
  if (!saved) throw await unknownLabel(label, searches, tenant);
  if (saved.id !== null) return { label, rules: 'saved', request: runSaved(saved.id, settings) };
  throw failure(
    'search-without-id',
    `The tenant shows no id for the search "${label}", so it cannot be run.`,
  );
}

function read({ client, environment }: Tenant, request: ReadRequest) {
  return readObjects(client, [request], environment.settings);
}

/** A hint with more labels than this would be too long. */
const mostLabels = 20;

async function unknownLabel(label: string, searches: readonly Resource[], tenant: Tenant): Promise<Failure> {
  const saved = await read(tenant, allOf(profileSearch));
  const present = searches.filter(({ ensure }) => ensure === 'present');
  const labels = [...new Set([...present, ...saved].map(({ key }) => key[0] ?? ''))];
  const more = labels.length > mostLabels ? ', …' : '';
  const list = labels.slice(0, mostLabels).map((each) => `"${each}"`);
  const hint =
    didYouMean(label, labels) ??
    (labels.length === 0 ? 'There are no searches.' : `There are: ${list.join(', ')}${more}.`);
  return failure('unknown-search', `There is no search "${label}", neither declared nor saved.`, { hint });
}

/** The most that a page of profiles may hold (seed 002, "Collection endpoints"). */
const largestPage = 500;

/** The list of the profiles that a search finds, in the largest pages. */
export function profilePages(label: string, request: Call): PageSource {
  const query = { metadata: 'true', ...request.query, limit: String(largestPage) };
  return {
    what: `the search "${label}"`,
    request: { ...request, query },
    pageSize: largestPage,
    member: 'profiles',
  };
}

async function readFoundProfiles(
  { label, rules, request }: Search,
  { limit = Number.POSITIVE_INFINITY, order }: SearchOptions,
  { client }: Tenant,
): Promise<FoundProfiles> {
  const ordered = { ...request, query: order === undefined ? {} : { order } };
  // One more than wanted, to see whether there are more.
  const enough = limit + 1;
  const pageSize = Math.min(largestPage, enough);
  const profiles = await readRows(client, { ...profilePages(label, ordered), pageSize, enough });
  return { label, rules, more: profiles.length > limit, profiles: profiles.slice(0, limit) };
}
