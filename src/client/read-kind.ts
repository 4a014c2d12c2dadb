import { apiRequest, type Call, looksLikeHtml } from '../kinds/http.ts';
import type { Kind, List, LiveObject, Read } from '../kinds/kind.ts';
import { identityOf, liveObject } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import { Failure, failure, hasCode } from '../model/failure.ts';
import { isObject, type JsonObject, textOf } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import { isSuccess, isWhole } from './answer.ts';
import type { Client } from './client.ts';
import { badList, isBadRequest, readFailure } from './describe.ts';
import {
  describeDuplicates,
  groupDuplicates,
  hintOnDuplicates,
  nameById,
  refuseDuplicates,
} from './duplicates.ts';
import { type PageSource, readRows, selectRows } from './pages.ts';

/** What is read, and how. */
interface Reader extends ReadRequest {
  readonly client: Client;
  readonly settings: ApiSettings;
}

/** Whether an object that was read is one of those asked for. */
type IsNeeded = (object: LiveObject) => boolean;

type EachDeclared = Extract<Read, { how: 'each-declared' }>;

/** What was read of a kind. */
export interface KindRead {
  /** The objects that were asked for. */
  readonly objects: readonly LiveObject[];
  /** The other objects of its list, where the whole list was read. */
  readonly others: readonly LiveObject[];
}

/** The live objects of a kind that are asked for. Throws a Failure where they cannot be read, or two have one key. */
export async function readKind(
  client: Client,
  request: ReadRequest,
  settings: ApiSettings,
): Promise<KindRead> {
  const { kind, keys, ids, complete } = request;
  if (!complete && keys.length === 0 && ids.length === 0) return { objects: [], others: [] };
  const all = await readAsDescribed({ ...request, client, settings }, kind.read);
  const isNeeded = neededFilter(request);
  const needed = all.filter(isNeeded);
  const objects = kind.pinnable ? nameById(request, needed) : needed;
  return { objects: withoutDuplicates(request, objects), others: all.filter((object) => !isNeeded(object)) };
}

/** The vendor's defaults of a kind: of the keys asked for with their relatives, or all of them. */
export async function readDefaultsOfKind(
  client: Client,
  request: ReadRequest,
  settings: ApiSettings,
): Promise<readonly LiveObject[]> {
  const { kind, keys, complete } = request;
  if (!kind.defaults || (!complete && keys.length === 0)) return [];
  const names = new Set(keys.map(([name]) => name));
  const isNeeded: IsNeeded = ({ key: [name] }) => complete || names.has(name);
  const defaults = await readListed({ ...request, client, settings }, kind.defaults, isNeeded);
  if (!complete) refuseDuplicates(kind, defaults);
  return defaults;
}

/**
 * The objects without those that share a key, where the request leaves these out. Otherwise throws where two have a key that
 * is asked for: duplicates that no manifest names stop nothing.
 */
function withoutDuplicates(
  { kind, keys, allowsDuplicates = [], onUnusable }: ReadRequest,
  objects: readonly LiveObject[],
): readonly LiveObject[] {
  if (!onUnusable) {
    const allowed = new Set(allowsDuplicates.map((key) => identityOf(kind, key)));
    const named = new Set(keys.map((key) => identityOf(kind, key)).filter((name) => !allowed.has(name)));
    refuseDuplicates(
      kind,
      objects.filter(({ identity }) => named.has(identity)),
    );
    return objects;
  }
  const duplicates = groupDuplicates(objects);
  for (const same of duplicates) onUnusable(same[0], `${describeDuplicates(same)} ${hintOnDuplicates(kind)}`);
  const left = new Set(duplicates.flat());
  return objects.filter((object) => !left.has(object));
}

/** The rows of a kind's list as the tenant answers them. Throws a Failure where the list cannot be read. */
export async function readListRows(
  client: Client,
  kind: Kind,
  settings: ApiSettings,
): Promise<readonly JsonObject[]> {
  if (kind.read.how === 'each-declared') return [];
  const rows = await readRows(client, sourceOf({ kind, settings }, kind.read.list, null));
  return rows.filter((row) => !kind.isForeign?.(row));
}

async function readAsDescribed(reader: Reader, read: Read): Promise<LiveObject[]> {
  switch (read.how) {
    case 'list':
      return (
        (await readSingle(reader, read)) ?? readListed(reader, read.list, neededFilter(reader), () => true)
      );
    case 'list-then-each':
      return readListThenEach(reader, read);
    case 'each-declared':
      return readEachDeclared(reader, read);
  }
}

/** `null` where the object's own call is not used or does not return it: then the list is read. */
async function readSingle(
  { client, settings, kind, keys, ids, complete, written = false }: Reader,
  { one }: Extract<Read, { how: 'list' }>,
): Promise<LiveObject[] | null> {
  const [key, id] = [keys[0], ids[0]];
  const isAlone = keys.length === 1 && ids.length === 1 && !complete;
  if (!written || !isAlone || !one || key === undefined || id === undefined) return null;
  const sent = await client.send(one(id, settings));
  if (!isWhole(sent) || !isObject(sent.body)) return null;
  const object = liveObject(kind, sent.body, id);
  return object?.identity === identityOf(kind, key) ? [object] : null;
}

/**
 * Filtered where that saves pages, else the whole list. Rows are checked, since a host may ignore a filter.
 *
 * @param isKept which objects of the whole list are returned, where that is read
 */
async function readListed(
  reader: Reader,
  list: List,
  isNeeded: IsNeeded,
  isKept = isNeeded,
): Promise<LiveObject[]> {
  const { kind } = reader;
  const filter = filterFor(reader, list);
  if (filter === null) return readList(reader, list, null, isKept);
  // A filter may be case-sensitive where the tenant is not: only the whole list shows that an object is absent.
  const foldsCase = kind.keyFields.some(({ foldCase }) => foldCase);
  try {
    const filtered = await readList(reader, list, filter, isNeeded);
    if (!foldsCase || !lacksAny(reader, filtered)) return filtered;
  } catch (error) {
    if (!isBadRequest(error)) throw error;
  }
  return readList(reader, list, null, isKept);
}

function lacksAny({ kind, keys }: Reader, objects: readonly LiveObject[]): boolean {
  const found = new Set(objects.map(({ identity }) => identity));
  return keys.some((key) => !found.has(identityOf(kind, key)));
}

/** The list has the ids; names and fields come from each object's own call. */
async function readListThenEach(
  reader: Reader,
  read: Extract<Read, { how: 'list-then-each' }>,
): Promise<LiveObject[]> {
  const { client, settings, kind, keys, ids, complete } = reader;
  const source = sourceOf(reader, read.list, null);
  const listed = (await readRows(client, source)).map((row) => {
    const id = textOf(row, 'id');
    if (!id) throw badList('bad-answer', kind.name, source.request, 'lists a row without an id');
    return id;
  });
  const needed = complete || keys.length > 0 ? listed : listed.filter((id) => ids.includes(id));
  const objects = await Promise.all(
    needed.map(async (id) => {
      const answer = await readOne(reader, read.each(id, settings));
      return answer && liveObject(kind, answer, id);
    }),
  );
  return objects.filter((object) => object !== null);
}

async function readEachDeclared(reader: Reader, read: EachDeclared): Promise<LiveObject[]> {
  const { kind, keys, onUnusable } = reader;
  const objects = await Promise.all(
    keys.map(async (key) => {
      try {
        return await readDeclared(reader, read, key);
      } catch (error) {
        if (!isUnusable(error)) throw error;
        if (!onUnusable) throw withAdvice(error, formatAddress(kind.name, key));
        onUnusable({ kind, key }, error.diagnostics.map(({ message }) => message).join(' '));
        return null;
      }
    }),
  );
  return objects.filter((object) => object !== null);
}

async function readDeclared(reader: Reader, read: EachDeclared, key: Key): Promise<LiveObject | null> {
  const { kind, settings } = reader;
  const request = read.each(key, settings);
  const answer = await readOne(reader, request, read.isAbsent);
  if (answer === null) return null;
  const object = liveObject(kind, answer, key[0] ?? null);
  if (object?.identity === identityOf(kind, key)) return object;
  const address = formatAddress(kind.name, key);
  const message = `Reading ${address}: ${request.method} ${request.path} answered about another ${kind.name}.`;
  throw failure('other-object', message);
}

/** The failure with its object, and what to do where a run needs that. */
function withAdvice({ diagnostics, exitCode }: Failure, address: Address): Failure {
  const hint = 'Nothing was written. Remove its manifest, or leave it out with `--except`.';
  return new Failure(
    diagnostics.map((diagnostic) => ({ ...diagnostic, address, hint: diagnostic.hint ?? hint })),
    exitCode,
  );
}

/** Whether a failure is about one object only. */
function isUnusable(error: unknown): error is Failure {
  return hasCode(error, 'tenant-bad-request', 'other-object');
}

/** The object that a call answers; `null` only where the kind says that the answer means "absent". */
async function readOne(
  { client, kind }: Reader,
  request: Call,
  isAbsent: EachDeclared['isAbsent'] = () => false,
): Promise<JsonObject | null> {
  const sent = await client.send(request);
  if (sent.outcome === 'answered') {
    // A web page comes from a proxy or a wrong base URL, and a 200 with an error from a gateway: they do not mean that the
    // object is absent.
    const isPage = sent.text !== null && looksLikeHtml(sent.text);
    const isFailure = isSuccess(sent) && !isWhole(sent);
    if (!isPage && !isFailure && isAbsent({ status: sent.status, body: sent.body })) return null;
  }
  if (isWhole(sent) && isObject(sent.body)) return sent.body;
  throw readFailure(kind.name, request, sent);
}

function neededFilter({ kind, keys, ids, complete, allowsDuplicates: referred = [] }: ReadRequest): IsNeeded {
  const names = new Set(keys.map((key) => identityOf(kind, key)));
  const pinned = new Set(ids);
  const referredTo = new Set(kind.pinnable ? referred.map((key) => identityOf(kind, key)) : []);
  const isMeant = (id: string) => pinned.has(id) || referredTo.has(identityOf(kind, [id]));
  return ({ identity, id }) => complete || names.has(identity) || (id !== null && isMeant(id));
}

/** The listed objects that are kept. */
function readList(
  reader: Reader,
  list: List,
  filter: string | null,
  isKept: IsNeeded,
): Promise<LiveObject[]> {
  const { client, kind } = reader;
  const source = sourceOf(reader, list, filter);
  return selectRows(client, source, (row) => {
    const object = liveObject(kind, row, null);
    // An object that was skipped would count as absent.
    if (!object && !kind.isForeign?.(row)) {
      throw badList('bad-answer', kind.name, source.request, `lists a row that is not a ${kind.name}`);
    }
    return object && isKept(object) ? object : null;
  });
}

/** The length of a percent-encoded filter expression that safely fits into a URL. */
const longestFilter = 4000;

/** The filter expression for what is asked for; `null` where the whole list has to be read. */
function filterFor({ kind, keys, ids, complete }: Reader, list: List): string | null {
  // An object whose key may differ from the manifest's is found by its id, and no list has a filter for ids.
  const needsIds = ids.length > 0 && (kind.pinnable || kind.renamable);
  if (complete || !list.filter || keys.length === 0 || needsIds) return null;
  const filter = list.filter(keys);
  // A tenant's own key may hold half of a character, which no URL can hold.
  return filter.isWellFormed() && encodeURIComponent(filter).length <= longestFilter ? filter : null;
}

/** The source of a list's pages, whole or filtered. */
export function sourceOf(
  { settings, kind }: Pick<Reader, 'settings' | 'kind'>,
  list: List,
  filter: string | null,
): PageSource {
  const whole = list.counts ? { count: 'true' } : {};
  const query = filter === null ? whole : { filters: filter };
  return {
    what: kind.name,
    request: apiRequest('GET', list.resource, settings, { query }),
    pageSize: list.pageSize,
    undeclaredPaging: list.undeclaredPaging,
    member: list.member,
  };
}
