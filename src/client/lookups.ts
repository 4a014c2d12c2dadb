import { type Call, pathOf } from '../kinds/http.ts';
import type { UsedLookup } from '../kinds/resource.ts';
import { groupBy } from '../model/basics.ts';
import { type Diagnostic, Failure, hasCode } from '../model/failure.ts';
import { get, getObject, type Json, type JsonObject, recordField } from '../model/json.ts';
import { type Lookup, lookupKey, lookupMarker, lookupWords } from '../model/marker.ts';
import type { Client } from './client.ts';
import { allOrFailure, shortenLine } from './describe.ts';
import { type PageSource, readFirstPage, readRows } from './pages.ts';

/** Parameters of a collection that are not filters (seed 002, "Collection endpoints"). */
const parameters = ['limit', 'offset', 'order', 'metadata'];

/** The filters of these collections on hosts with `collectionQuery: named`. */
const namedFilters: Readonly<Record<string, readonly string[]>> = {
  ne_attributes: ['label', 'name'],
  profile_types: ['name', 'label'],
};

/** From this number of lookups in a collection, reading its first page pays off: it may be the whole collection. */
const manyLookups = 3;

interface LookupOptions {
  /** Called if a host does not filter by the fields of a lookup, and a collection of several pages was read. */
  onReadWhole?(remark: Diagnostic): void;
  /** Whether lookups that do not find one value stay as they are. */
  readonly mayFail?: boolean;
}

/**
 * Finds the record of each lookup, and its field. Exactly one must match, which is checked here, since a host may ignore a filter
 * (api-notes, "Collections"). Throws a Failure with a problem at each place that uses a lookup without an answer. Any lookup that
 * was not asked for stays one. `client` sends equal requests once.
 */
export async function resolveLookups(
  client: Client,
  lookups: readonly UsedLookup[],
  { onReadWhole = () => {}, mayFail = false }: LookupOptions = {},
): Promise<(lookup: Lookup) => Json> {
  // The first of equal lookups has the places of all.
  const distinct = groupBy(lookups, lookupKey).map(([, [first]]) => first);
  const resolved = await allOrFailure(
    groupBy(distinct, ({ from }) => from).map(([from, inCollection]) =>
      resolveIn(client, from, inCollection, onReadWhole),
    ),
  );
  const problems: Diagnostic[] = [];
  const answers = new Map<string, Json>();
  for (const [lookup, result] of resolved.flat()) {
    if ('value' in result) {
      answers.set(lookupKey(lookup), result.value);
      continue;
    }
    const { problem } = result;
    if (mayFail && unanswered.includes(problem.code)) continue;
    const placed = (lookup.uses ?? []).map(({ resource, at }) => {
      return { ...problem, ...resource.point(at), address: resource.address };
    });
    problems.push(...(placed.length > 0 ? placed : [problem]));
  }
  if (problems.length > 0) throw new Failure(problems);
  return (lookup) => answers.get(lookupKey(lookup)) ?? lookupMarker(lookup);
}

/** Codes of lookups for which the tenant has not exactly one record with the field. */
const unanswered = ['lookup-none', 'lookup-ambiguous', 'lookup-no-field'];

type LookupResult = { readonly value: Json } | { readonly problem: Diagnostic };

async function resolveIn(
  client: Client,
  from: string,
  lookups: readonly UsedLookup[],
  onReadWhole: (remark: Diagnostic) => void,
): Promise<[UsedLookup, LookupResult][]> {
  try {
    const source = collectionSource(from, {});
    const first = lookups.length < manyLookups ? null : await readFirstPage(client, source);
    const count = first?.rows.length ?? 0;
    const mayBeWhole = first && (first.total ?? count) <= count && count < source.pageSize;
    // Requests the next page if the number of rows may be the host's own limit.
    const whole = mayBeWhole ? await readRows(client, source) : null;
    return await allOrFailure(
      lookups.map(async (lookup): Promise<[UsedLookup, LookupResult]> => {
        const rows = whole ?? (await readFiltered(client, lookup, onReadWhole));
        return [lookup, resolve(lookup, rows, (text) => client.redact(text))];
      }),
    );
  } catch (error) {
    // The tenant has no such collection.
    const [found] = error instanceof Failure ? error.diagnostics : [];
    if (found?.code !== 'tenant-not-found') throw error;
    const hint =
      'Check `from`: it is a collection of the profile-management interface, such as `ne_attributes` or `profiles`. If it is right, check the base URL of `profiles`.';
    return lookups.map((lookup) => [lookup, { problem: { ...found, hint } }]);
  }
}

/** The rows that the host finds; all rows, page by page, if it filters by none of the fields. */
async function readFiltered(
  client: Client,
  lookup: Lookup,
  onReadWhole: (remark: Diagnostic) => void,
): Promise<readonly JsonObject[]> {
  const { from, where } = lookup;
  const known = client.settings.collectionQuery === 'documented' ? undefined : get(namedFilters, from);
  const filters = Object.entries(where).filter(
    ([field]) => !parameters.includes(field) && (known?.includes(field) ?? true),
  );
  if (filters.length > 0) {
    try {
      return await readRows(client, collectionSource(from, Object.fromEntries(filters)));
    } catch (error) {
      if (!hasCode(error, 'tenant-bad-request')) throw error;
    }
  }
  const source = collectionSource(from, {});
  const rows = await readRows(client, source);
  if (rows.length > source.pageSize) {
    const fields = Object.keys(where).map((field) => `\`${field}\``);
    const message = `All ${rows.length} records of \`${from}\` were read: this host does not filter them by ${fields.join(' and ')}.`;
    const named = (get(namedFilters, from) ?? ['name']).map((field) => `\`${field}\``);
    const hint = `Look records up by ${named.join(' or ')}, which takes one request.`;
    onReadWhole({ code: 'lookup-read-whole', severity: 'info', message, hint });
  }
  return rows;
}

function collectionSource(
  from: string,
  filters: Readonly<Record<string, string>>,
): PageSource & { readonly pageSize: number } {
  const request: Call = {
    method: 'GET',
    path: pathOf('/api', from),
    // The metadata has the total, which marks the end of the list.
    query: { ...filters, metadata: 'true' },
    headers: { accept: 'application/json' },
    body: null,
    lane: { service: 'profiles', group: 'api' },
  };
  // Defaults and limits of a page: seed 002, "Limits".
  return { what: `the collection ${from}`, request, pageSize: from === 'profiles' ? 500 : 100, member: from };
}

type Redact = Client['redact'];

function resolve(lookup: Lookup, rows: readonly JsonObject[], redact: Redact): LookupResult {
  // Compares as text, since hosts show numbers and texts alike; also looks into `attributes`.
  const matching = rows.filter((record) =>
    Object.entries(lookup.where).every(([field, wanted]) => {
      const value = recordField(record, field);
      return canBeTaken(value) && String(value) === wanted;
    }),
  );
  const [row, ...others] = matching;
  if (!row) {
    const hint = 'Check the fields under `where`; the comparison is exact, upper and lower case included.';
    return problem(lookup, 'lookup-none', 'matches no record', hint);
  }
  if (others.length > 0) {
    const shown = matching
      .slice(0, 5)
      .map((each) => nameRecord(each, redact))
      .join('; ');
    const more = matching.length > 5 ? '; …' : '';
    const hint = 'Add fields to `where` until exactly one record matches.';
    return problem(lookup, 'lookup-ambiguous', `matches ${matching.length} records: ${shown}${more}`, hint);
  }
  const value = recordField(row, lookup.take);
  if (canBeTaken(value)) return { value };
  const names = Object.keys({ ...row, ...getObject(row, 'attributes') });
  const fields = names.filter((name) => canBeTaken(recordField(row, name)));
  const hint = `It has: ${fields
    .slice(0, 30)
    .map((name) => shortenLine(redact(name), 60))
    .join(', ')}.`;
  const what = `finds a record without text, a number, true or false in the field to take (${nameRecord(row, redact)})`;
  return problem(lookup, 'lookup-no-field', what, hint);
}

/** No field of a manifest takes a list or an object, and a hostile one could look like a marker of tenantctl. */
const canBeTaken = (value: Json): boolean => value !== null && typeof value !== 'object';

function problem(lookup: Lookup, code: string, what: string, hint: string): LookupResult {
  return { problem: { code, severity: 'error', message: `${lookupWords(lookup)} ${what}.`, hint } };
}

function nameRecord(row: JsonObject, redact: Redact): string {
  return ['id', 'uid', 'name', 'label']
    .map((field) => [field, recordField(row, field)] as const)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([field, value]) => `${field} ${shortenLine(redact(String(value)), 80)}`)
    .join(', ');
}

/** All records of some collections of the profile-management interface, by the collection's name. */
export async function readRecords(
  client: Client,
  collections: readonly string[],
): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const rows = await allOrFailure(collections.map((name) => readRows(client, collectionSource(name, {}))));
  return new Map(collections.map((name, at) => [name, rows[at] ?? []]));
}
