import { apiRequest } from '../kinds/http.ts';
import type { Kind, List, Read } from '../kinds/kind.ts';
import { identityOf, identityOfObject, KnownLiveObject, liveObject } from '../kinds/live.ts';
import type { Wanted } from '../kinds/wanted.ts';
import type { Key } from '../model/address.ts';
import { Failure, failure } from '../model/failure.ts';
import { isObject, type JsonObject, textOf } from '../model/json.ts';
import type { LiveName, LiveObject } from '../model/live.ts';
import type { Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { isSuccess } from './answer.ts';
import { inBrief, looksLikeHtml } from './brief.ts';
import type { Client } from './client.ts';
import { type PageCache, type ReadObject, readObject } from './page-cache.ts';
import { type PageSource, readPages, readRows } from './pages.ts';
import { badList, readFailure } from './read-failure.ts';
import type { Page } from './rows.ts';

export interface Reader {
  readonly client: Client;
  readonly settings: ApiSettings;
  /** What earlier runs know of the pages of lists; `null`: every page is read. */
  readonly pages: PageCache | null;
}

/** A reader of objects that need not be kept whole. */
export interface ReaderFor<Kept extends LiveName> extends Reader {
  /** What is kept of an object as soon as it has arrived, so that thousands of them need not be held. */
  readonly keepOf: (object: LiveObject) => Kept;
}

/** Tells the rows that are needed from the rest. */
type IsNeeded = (object: LiveName) => boolean;

/** Longer filter expressions (percent-encoded) do not safely fit into a URL. */
const longestFilter = 4000;

/** The wanted live objects of a kind. */
export async function readKind<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  wanted: Wanted,
): Promise<readonly Kept[]> {
  const { kind, keys, ids, complete } = wanted;
  if (!complete && keys.length === 0 && ids.length === 0) return [];
  const objects = await readObjects(reader, wanted, kind.read);
  byIdentity(kind, objects);
  return objects;
}

/** The vendor's defaults of wanted keys that are not among the objects that were found. */
export async function readMissing(
  reader: Reader,
  { kind, keys }: Wanted,
  found: readonly LiveObject[],
): Promise<readonly LiveObject[]> {
  const missing = missingKeys(kind, keys, byIdentity(kind, found));
  return missing.length === 0 ? [] : readDefaults(reader, { kind, keys: missing, ids: [], complete: false });
}

/**
 * The vendor's defaults of the wanted objects and of their relatives (a default in another locale shows that a key
 * exists), or all of them; none where the kind has no defaults.
 */
export async function readDefaults(reader: Reader, wanted: Wanted): Promise<LiveObject[]> {
  const { kind, keys, complete } = wanted;
  if (!kind.defaults) return [];
  const names = new Set(keys.map(([name]) => name));
  const isNeeded: IsNeeded = ({ key: [name] }) => complete || names.has(name);
  const filter = filterFor(wanted, kind.defaults);
  const whole: ReaderFor<LiveObject> = { ...reader, keepOf: (object) => object };
  const filtered = filter === null ? null : await readFiltered(whole, kind, kind.defaults, filter, isNeeded);
  const defaults = filtered ?? (await readWhole(whole, kind, kind.defaults, isNeeded));
  if (!complete) byIdentity(kind, defaults);
  return defaults;
}

async function readObjects<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  wanted: Wanted,
  read: Read,
): Promise<Kept[]> {
  switch (read.how) {
    case 'list':
      return (await readOnlyOne(reader, wanted, read)) ?? readList(reader, wanted, read.list);
    case 'list-then-each':
      return readListThenEach(reader, wanted, read);
    case 'each-declared':
      return readEachDeclared(reader, wanted, read);
  }
}

/** `null` where the object's own call is not used or does not show it: the list tells whether there is one. */
async function readOnlyOne<Kept extends LiveName>(
  { client, settings, keepOf }: ReaderFor<Kept>,
  { kind, keys, ids, complete, written = false }: Wanted,
  { one }: Extract<Read, { how: 'list' }>,
): Promise<Kept[] | null> {
  const [key, id] = [keys[0], ids[0]];
  const isAlone = keys.length === 1 && ids.length === 1 && !complete;
  if (!written || !isAlone || !one || key === undefined || id === undefined) return null;
  const sent = await client.send(one(id, settings));
  if (!isSuccess(sent) || !isObject(sent.body)) return null;
  const object = liveObject(kind, sent.body, settings, id);
  return object && identityOf(kind, object.key) === identityOf(kind, key) ? [keepOf(object)] : null;
}

/** By a filter where that saves pages, else the whole list. Rows are checked here: a host may ignore a filter. */
async function readList<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  wanted: Wanted,
  list: List,
): Promise<Kept[]> {
  const { kind, keys } = wanted;
  const isNeeded = isWanted(wanted);
  const filter = filterFor(wanted, list);
  const filtered = filter === null ? null : await readFiltered(reader, kind, list, filter, isNeeded);
  // A filter may mind the case of letters where the tenant does not: only the whole list tells "absent".
  const folds = kind.keyFields.some(({ foldCase }) => foldCase);
  if (filtered && !(folds && missingKeys(kind, keys, byIdentity(kind, filtered)).length > 0)) return filtered;
  return readWhole(reader, kind, list, isNeeded);
}

function readWhole<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  kind: Kind,
  list: List,
  isNeeded: IsNeeded,
): Promise<Kept[]> {
  return readNeeded(reader, kind, sourceOf(reader, kind, list, null), isNeeded);
}

/** Page by page, so that rows which nobody wants do not stay: of a list of thousands few may be declared. */
async function readNeeded<Kept extends LiveName>(
  { client, settings, pages, keepOf }: ReaderFor<Kept>,
  kind: Kind,
  source: PageSource,
  isNeeded: IsNeeded,
): Promise<Kept[]> {
  const objects: Kept[] = [];
  const parse = (row: JsonObject): LiveObject | null => {
    const object = liveObject(kind, row, settings, null);
    if (object || kind.isForeign?.(row)) return object;
    // Left out, it would count as absent.
    throw badList('bad-answer', kind.name, source.request, `lists a row that is no ${kind.name}`);
  };
  const known = pages ? (digest: string) => pages.find(kind.name, digest) : undefined;
  for await (const page of readPages(client, { ...source, known })) {
    const found: (ReadObject | null)[] = [];
    for (const object of objectsOf(kind, page, parse)) {
      if (pages) found.push(object && readObject(object));
      if (object && isNeeded(object)) objects.push(keepOf(object));
    }
    const { digest, totalInBody, names } = page;
    if (digest !== null) pages?.keep(kind.name, digest, { totalInBody, names, objects: found });
  }
  return objects;
}

/** The objects of a page, one by one: those of a page that is known are read when somebody asks for them. */
function* objectsOf(
  kind: Kind,
  page: Page,
  parse: (row: JsonObject) => LiveObject | null,
): Generator<LiveObject | null> {
  if (!page.known) {
    for (const row of page.rows) yield parse(row);
    return;
  }
  for (const [at, { object }] of page.known.rows.entries()) {
    const read = () => {
      const row = page.rows[at];
      const whole = row && parse(row);
      if (!whole) throw new TypeError(`Row ${at} of a known page is no ${kind.name}.`);
      return whole;
    };
    yield object && new KnownLiveObject(kind, object, read);
  }
}

/** `null` where the tenant does not take the filter. */
async function readFiltered<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  kind: Kind,
  list: List,
  filter: string,
  isNeeded: IsNeeded,
): Promise<Kept[] | null> {
  try {
    return await readNeeded(reader, kind, sourceOf(reader, kind, list, filter), isNeeded);
  } catch (error) {
    if (error instanceof Failure && error.diagnostics[0]?.code === 'tenant-bad-request') return null;
    throw error;
  }
}

function filterFor({ kind, keys, ids, complete }: Wanted, list: List): string | null {
  // An object that may have another key than its manifest is found by its id, for which no list has a filter.
  const needsIds = ids.length > 0 && (kind.pinnable || kind.renamable);
  if (complete || !list.filter || keys.length === 0 || needsIds) return null;
  const filter = list.filter(keys);
  return encodeURIComponent(filter).length <= longestFilter ? filter : null;
}

function sourceOf({ settings }: Reader, kind: Kind, list: List, filter: string | null): PageSource {
  const whole = list.counts ? { count: 'true' } : {};
  const query = filter === null ? whole : { filters: filter };
  return {
    what: kind.name,
    request: apiRequest('GET', list.path(settings), settings, { query }),
    pageSize: list.pageSize,
    undeclaredPaging: list.undeclaredPaging,
    forget: !list.shared,
    member: list.member,
  };
}

/** The list says which there are; what they are, and what they are called, only each one's own call does. */
async function readListThenEach<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  wanted: Wanted,
  read: Extract<Read, { how: 'list-then-each' }>,
): Promise<Kept[]> {
  const { kind, keys, ids, complete } = wanted;
  const source = sourceOf(reader, kind, read.list, null);
  const listed = (await readRows(reader.client, source)).map((row) => {
    const id = textOf(row, 'id');
    if (!id) throw badList('bad-answer', kind.name, source.request, 'lists a row without an id');
    return id;
  });
  const needed = complete || keys.length > 0 ? listed : listed.filter((id) => ids.includes(id));
  const isNeeded = isWanted(wanted);
  const objects = await Promise.all(
    needed.map(async (id) => {
      const request = read.each(id, reader.settings);
      const object = liveObject(kind, await readOne(reader, kind, request), reader.settings, id);
      return object && isNeeded(object) ? reader.keepOf(object) : null;
    }),
  );
  return objects.filter((object) => object !== null);
}

async function readEachDeclared<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  { kind, keys }: Wanted,
  read: Extract<Read, { how: 'each-declared' }>,
): Promise<Kept[]> {
  const objects = await Promise.all(
    keys.map(async (key) => {
      const request = read.each(key, reader.settings);
      const answer = await readOne(reader, kind, request, read);
      if (answer === null) return null;
      const object = liveObject(kind, answer, reader.settings, key[0] ?? null);
      if (object && identityOf(kind, object.key) === identityOf(kind, key)) return reader.keepOf(object);
      throw badList('bad-answer', kind.name, request, `answered about another ${kind.name}`);
    }),
  );
  return objects.filter((object) => object !== null);
}

/** The object that one call answers; `null` only where the kind itself says that the answer means "absent". */
async function readOne(reader: Reader, kind: Kind, request: Request): Promise<JsonObject>;
async function readOne(
  reader: Reader,
  kind: Kind,
  request: Request,
  read: Extract<Read, { how: 'each-declared' }>,
): Promise<JsonObject | null>;
async function readOne(
  reader: Reader,
  kind: Kind,
  request: Request,
  read?: Extract<Read, { how: 'each-declared' }>,
): Promise<JsonObject | null> {
  const sent = await reader.client.send(request, { forget: true });
  if (sent.outcome === 'answered') {
    // A web page comes from a proxy or a wrong base URL, and says nothing about the object.
    const fromTenant = sent.text === null || !looksLikeHtml(sent.text);
    if (fromTenant && read?.isAbsent({ status: sent.status, body: sent.body })) return null;
  }
  if (isSuccess(sent) && isObject(sent.body)) return sent.body;
  throw readFailure(kind.name, request, sent);
}

function isWanted({ kind, keys, ids, complete }: Wanted): IsNeeded {
  const names = new Set(keys.map((key) => identityOf(kind, key)));
  const pinned = new Set(ids);
  return (object) =>
    complete || names.has(identityOfObject(kind, object)) || (object.id !== null && pinned.has(object.id));
}

function missingKeys(kind: Kind, keys: readonly Key[], found: ReadonlyMap<string, LiveName>): Key[] {
  return keys.filter((key) => !found.has(identityOf(kind, key)));
}

/** Throws where two live objects have one key, which leaves open which one a manifest means (design, section 5). */
function byIdentity(kind: Kind, objects: readonly LiveName[]): ReadonlyMap<string, LiveName> {
  const index = new Map(objects.map((object) => [identityOfObject(kind, object), object]));
  if (index.size < objects.length) throw duplicates(kind, objects);
  return index;
}

function duplicates(kind: Kind, objects: readonly LiveName[]): Failure {
  const groups = new Map<string, LiveName[]>();
  for (const object of objects) {
    const name = identityOfObject(kind, object);
    groups.set(name, [...(groups.get(name) ?? []), object]);
  }
  const problems = [...groups.values()].filter((same) => same.length > 1);
  return new Failure(problems.flatMap((same) => duplicateFailure(kind, same).diagnostics));
}

function duplicateFailure(kind: Kind, same: readonly LiveName[]): Failure {
  const ids = same.map(({ id }) => inBrief(id ?? 'no id', 100)).join(', ');
  const key = inBrief(same[0]?.key.join('/') ?? '', 200);
  return failure(
    'duplicate-live-key',
    `The tenant has ${same.length} objects of kind ${kind.name} with the key "${key}": ids ${ids}.`,
    { hint: 'Rename or delete all but one of them in the tenant.', address: same[0]?.address ?? kind.name },
  );
}
