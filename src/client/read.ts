import { type Call as ApiCall, apiRequest, idText, looksLikeHtml } from '../kinds/http.ts';
import {
  type Kind,
  keyBelow,
  type List,
  type LiveObject,
  ownId,
  type Parent,
  parentKey,
  partFor,
  pathIds,
  placeBelow,
  type Read,
} from '../kinds/kind.ts';
import {
  allOf,
  candidateKeys,
  declaredKeys,
  distinctKeys,
  identityOf,
  idsAsNames,
  isKnownById,
  knownAs,
  LiveIndex,
  liveObject,
  type ReadRequest,
  someOf,
  type TenantState,
} from '../kinds/live-objects.ts';
import { keysOf } from '../kinds/resource.ts';
import { formatAddress, type Key } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { Failure, fail, hasCode } from '../model/failure.ts';
import { get, getText, isObject, type JsonObject } from '../model/json.ts';
import { isSuccess, isWhole } from './answer.ts';
import type { Client } from './client.ts';
import { allOrFailure, badList, isRefusedRead, readFailure, shortenLine } from './describe.ts';
import { type PageSource, readFirstPage, readRows, selectRows } from './pages.ts';

export async function readObjects(
  client: Client,
  requests: readonly ReadRequest[],
): Promise<readonly LiveObject[]> {
  return (await readObjectsAndOthers(client, requests)).objects;
}

/**
 * Reads the requested live objects, all kinds concurrently, with as few requests as possible. Includes the other objects of lists
 * that were read whole. Throws a Failure with all problems: a failed or incomplete read never means "absent".
 */
export async function readObjectsAndOthers(client: Client, requests: readonly ReadRequest[]) {
  const read = await allOrFailure(requests.map((request) => readKind(client, request)));
  return { objects: read.flatMap(({ objects }) => objects), others: read.flatMap(({ others }) => others) };
}

/** Reads related ones too: a default in another locale shows that a key exists. Throws as {@link readObjects} does. */
export async function readDefaults(
  client: Client,
  requests: readonly ReadRequest[],
): Promise<readonly LiveObject[]> {
  const read = requests.map(async (request) => {
    const { kind, keys, complete } = request;
    if (!kind.read.defaults || (!complete && keys.length === 0)) return [];
    const names = new Set(keys.map(([name]) => name));
    const isNeeded = ({ key: [name] }: LiveObject) => complete || names.has(name);
    const defaults = await readListed({ ...request, client, isNeeded }, kind.read.defaults, isNeeded);
    return complete ? defaults : withoutDuplicates(request, defaults);
  });
  return (await allOrFailure(read)).flat();
}

/** The requested objects, and the vendor's defaults of keys without a customised object. Throws as both do. */
export async function readState(client: Client, requests: readonly ReadRequest[]): Promise<TenantState> {
  const objects = await readObjects(client, requests);
  const index = new LiveIndex(objects);
  const missing = requests.map(({ kind, keys }) =>
    someOf(
      kind,
      keys.filter((key) => !index.findByKey(kind, key)),
    ),
  );
  return { tenant: client.tenant, objects, defaults: await readDefaults(client, missing) };
}

/**
 * The objects with these ids, and all that share a key with one; `null` if the whole list takes no more requests, or these calls
 * do not find them. `client` sends equal requests once, so the first page, which says how long the list is, costs nothing.
 */
export async function readByIds(
  client: Client,
  kind: Kind,
  ids: readonly string[],
): Promise<readonly LiveObject[] | null> {
  const { read, keyFields } = kind;
  // If case does not count, a filter may find fewer objects than the tenant has.
  if (read.how !== 'list' || kind.parent || !read.list.filter || keyFields.some(({ foldCase }) => foldCase))
    return null;
  const { one } = read;
  const { pageSize } = read.list;
  if (!one || pageSize === null) return null;
  const { total } = await readFirstPage(client, sourceOf({ ...allOf(kind), client }, read.list, null));
  // Compares the remaining pages with a call for each id and one for all keys.
  if (total === null || Math.ceil(total / pageSize) - 1 <= ids.length + 1) return null;
  const named = await Promise.all(
    ids.map(async (id) => {
      const sent = await client.send(one(id, client.settings));
      return isWhole(sent) && isObject(sent.body) ? liveObject(kind, sent.body, id) : null;
    }),
  );
  const keys = named.flatMap((object) => (object ? [object.key] : []));
  if (keys.length < ids.length) return null;
  const objects = await readObjects(client, [{ ...someOf(kind, keys), allowsDuplicates: keys }]);
  const found = new Set(objects.map(({ id }) => id));
  return ids.every((id) => found.has(id)) ? objects : null;
}

export interface ReadAllOptions extends Pick<ReadRequest, 'onUnusable' | 'declared'> {
  /** Called for a kind that the tenant refuses to show. Left out, or if it throws: then reading fails. */
  onRefused?(kind: Kind, refusal: Failure): void;
}

/**
 * For a kind without a list, reads the objects that other kinds suggest and those in `declared`. Objects that share a key in
 * `declared` are unusable; others of one key, and those declared by their ids alone, are known by their ids. Throws a Failure
 * like {@link readObjects}.
 */
export async function readAll(
  client: Client,
  kinds: readonly Kind[],
  { declared = [], onUnusable, onRefused }: ReadAllOptions = {},
): Promise<readonly LiveObject[]> {
  const reads = new Map<string, Promise<readonly LiveObject[]>>();
  const readWhole = (kind: Kind): Promise<readonly LiveObject[]> => {
    // Each kind is read once, even if other kinds need its objects.
    const objects =
      reads.get(kind.name) ??
      requestFor(kind).then((request) =>
        readObjects(client, [{ ...request, ...(onUnusable ? { onUnusable } : {}) }]),
      );
    reads.set(kind.name, objects);
    return objects;
  };
  const requestFor = async (kind: Kind): Promise<ReadRequest> => {
    const ofKind = declared.filter((one) => one.kind === kind);
    const own = ofKind.map(({ key }) => key);
    // If objects share a key, a declared key does not say which one it means: none of them takes another name.
    if (kind.read.how !== 'each-declared')
      return { ...allOf(kind), keys: own, idsAsNames: idsAsNames(ofKind), declared };
    const known = await allOrFailure(
      kind.read.candidatesFrom.flatMap((other) => [readWhole(other), readDefaults(client, [allOf(other)])]),
    );
    return someOf(kind, distinctKeys(kind, [...candidateKeys(known.flat()), ...own]));
  };
  const refused: Failure[] = [];
  const found = await allOrFailure(
    kinds.map((kind) =>
      readWhole(kind).catch((error: unknown) => {
        if (!onRefused || !isRefusedRead(error)) throw error;
        onRefused(kind, error);
        refused.push(error);
        return [];
      }),
    ),
  );
  // If nothing can be read, the address or the credentials are wrong.
  if (refused.length > 0 && refused.length === kinds.length)
    await allOrFailure(refused.map((refusal) => Promise.reject(refusal)));
  return found.flat();
}

interface Reader extends ReadRequest {
  readonly client: Client;
  /** Whether an object is asked for: a host may ignore a filter. */
  isNeeded(object: LiveObject): boolean;
  readonly above?: Above;
}

/** The parent of objects, by its own id and the key that manifests give it. */
interface Above {
  readonly live: LiveObject;
  readonly id: string;
  readonly key: Key;
}

type EachDeclared = Extract<Read, { how: 'each-declared' }>;

/** Throws a Failure if the objects cannot be read, or two have one key. */
async function readKind(client: Client, request: ReadRequest) {
  const { kind, keys, ids, complete, allowsDuplicates: referred = [] } = request;
  if (!complete && keys.length === 0 && ids.length === 0) return { objects: [], others: [] };
  const names = new Set(keys.map((key) => identityOf(kind, key)));
  const pinned = new Set(ids);
  const referredTo = new Set(kind.can.pin ? referred.map((key) => identityOf(kind, key)) : []);
  const isNeeded = ({ identity, id }: LiveObject) =>
    complete ||
    names.has(identity) ||
    (id !== null && (pinned.has(id) || referredTo.has(identityOf(kind, [id]))));
  const reader = { ...request, client, isNeeded };
  const all = kind.parent ? await readBelow(reader, kind.parent) : await readAsDescribed(reader, kind.read);
  const needed = all.filter(isNeeded);
  const objects = kind.can.pin ? nameById(request, needed) : needed;
  return { objects: withoutDuplicates(request, objects), others: all.filter((object) => !isNeeded(object)) };
}

/** Leaves out objects that share a key, or throws if one is requested: duplicates that no manifest names stop nothing. */
function withoutDuplicates(
  { kind, keys, allowsDuplicates = [], onUnusable }: ReadRequest,
  objects: readonly LiveObject[],
): readonly LiveObject[] {
  const groups = groupBy(objects, ({ identity }) => identity).map(([, group]) => group);
  const duplicates = groups.filter(({ length }) => length > 1);
  if (!onUnusable) {
    const allowed = new Set(allowsDuplicates.map((key) => identityOf(kind, key)));
    const named = new Set(keys.map((key) => identityOf(kind, key)).filter((name) => !allowed.has(name)));
    // A manifest could mean either (design, section 5).
    const problems = duplicates.filter(([first]) => named.has(first.identity)).map(problemOfDuplicates);
    if (problems.length > 0) throw new Failure(problems);
    return objects;
  }
  for (const same of duplicates) {
    const { message, hint } = problemOfDuplicates(same);
    onUnusable(same[0], `${message} ${hint}`);
  }
  const left = new Set(duplicates.flat());
  return objects.filter((object) => !left.has(object));
}

/**
 * Objects that a manifest means by the id alone, or that share a name, are known by their ids, as those without a name. A
 * reference may name an object by its id too, unless one has it as its name, or the object is asked for by its own.
 */
function nameById(
  { kind, keys, idsAsNames = [], allowsDuplicates: referred = [] }: ReadRequest,
  objects: readonly LiveObject[],
): LiveObject[] {
  const identitiesOf = (all: readonly Key[]) => new Set(all.map((key) => identityOf(kind, key)));
  const [meant, referredTo, alone] = [identitiesOf(keys), identitiesOf(referred), new Set(idsAsNames)];
  const sharing = new Map(groupBy(objects, ({ identity }) => identity));
  return objects.map((object) => {
    const { id, identity } = object;
    if (id === null) return object;
    const own = identityOf(kind, [id]);
    const isReferredTo = referredTo.has(own) && !sharing.has(own) && !meant.has(identity);
    const isDuplicate = (sharing.get(identity)?.length ?? 0) > 1 && !meant.has(identity);
    if (own === identity || !(isDuplicate || isReferredTo || alone.has(id))) return object;
    return knownAs(object, [id]);
  });
}

function problemOfDuplicates(same: readonly [LiveObject, ...LiveObject[]]) {
  const [{ kind, key, address }] = same;
  const ids = same.map(({ id }) => shortenLine(id ?? 'no id', 100)).join(', ');
  const name = shortenLine(key.join('/'), 200);
  const message = `The tenant has ${same.length} objects of kind ${kind.name} with the key "${name}": ids ${ids}.`;
  const pin = kind.can.pin ? ' Or declare each by its `id` alone, without the name.' : '';
  const hint = `Rename or delete all but one of them in the tenant.${pin}`;
  return { code: 'duplicate-live-key', severity: 'error', message, hint, address } as const;
}

/** The rows of a kind's list as the tenant answers them. Throws a Failure if the list cannot be read. */
export async function readListRows(
  client: Client,
  kind: Kind,
  { firstPage = false } = {},
): Promise<readonly JsonObject[]> {
  if (!('list' in kind.read) || kind.parent) return [];
  const { list } = kind.read;
  const source = sourceOf({ ...allOf(kind), client }, list, null);
  const rows = firstPage ? (await readFirstPage(client, source)).rows : await readRows(client, source);
  return rows.filter((row) => !list.isForeign?.(row));
}

/** The objects below each requested parent. Below a missing parent, nothing exists. */
async function readBelow(reader: Reader, parent: Parent): Promise<LiveObject[]> {
  const { client, keys, ids, complete, declared = [] } = reader;
  const { kind } = parent;
  const nameOf = (key: Key) => identityOf(kind, parentKey(parent, key));
  const names = new Set(keys.map(nameOf));
  const isAsked = (key: Key) => names.has(identityOf(kind, key));
  const meant = declared.filter((each) => each.kind === kind && (complete || isAsked(each.key)));
  const asked = [...keys.map((key) => parentKey(parent, key)), ...meant.flatMap(keysOf)];
  const request = complete ? allOf(kind) : someOf(kind, distinctKeys(kind, asked));
  const pinned = meant.flatMap(({ id }) => id ?? []);
  const named = (await readKind(client, { ...request, ids: pinned, declared })).objects;
  const known = new Set(named.map(({ id }) => id && ownId(kind, id)));
  // A parent that is renamed is found by its id.
  const left = ids.flatMap((id) => pathIds(parent, id)[0] ?? []).filter((id) => !known.has(id));
  const parents = [...named, ...(await readByOwnIds(client, kind, left))];
  const keyOf = declaredKeys(parents, meant, isAsked);
  const read = parents.map(async (live) => {
    if (live.id === null) return [];
    const above = { live, id: ownId(kind, live.id), key: keyOf(live) };
    const below = keys.filter((key) => nameOf(key) === identityOf(kind, above.key));
    return readAsDescribed({ ...reader, above, keys: below }, reader.kind.read);
  });
  return (await allOrFailure(read)).flat();
}

/** Objects by the ids that paths have. Whether one is below an object is only known once all of those are read. */
async function readByOwnIds(client: Client, kind: Kind, ids: readonly string[]): Promise<LiveObject[]> {
  if (ids.length === 0) return [];
  const request = kind.parent ? allOf(kind) : { ...someOf(kind, []), ids };
  const { objects } = await readKind(client, request);
  return objects.filter(({ id }) => id !== null && ids.includes(ownId(kind, id)));
}

/** An answer as an object, with its parent. */
function objectIn({ kind, above }: Pick<Reader, 'kind' | 'above'>, answer: JsonObject, id: string | null) {
  if (!above) return liveObject(kind, answer, id);
  const { live } = above;
  const part = partFor(isKnownById(live) ? live.key : live.shownKey);
  const object = liveObject(kind, placeBelow(kind, answer, { id: above.id, part }), id);
  return object && { ...knownAs(object, keyBelow(above.key, object.key)), above: live };
}

async function readAsDescribed(reader: Reader, read: Read): Promise<LiveObject[]> {
  switch (read.how) {
    case 'list': {
      const written = reader.written ? await readWritten(reader, read) : null;
      return written ?? readListed(reader, read.list);
    }
    case 'single': {
      const { above = null, client } = reader;
      const id = above && encodeURIComponent(above.id);
      const answer = await readOne(reader, read.one(id, client.settings), read.isAbsent);
      const object = answer && objectIn(reader, answer, id);
      return object ? [object] : [];
    }
    case 'list-then-each':
      return readListThenEach(reader, read);
    case 'each-declared':
      return readEachDeclared(reader, read);
  }
}

/** `null` if the object's own call is not used or does not return it: then the list is read. */
async function readWritten(reader: Reader, { one }: Extract<Read, { how: 'list' }>) {
  const { client, kind, keys, ids, complete } = reader;
  const [key, id] = [keys[0], ids[0]];
  const isAlone = keys.length === 1 && ids.length === 1 && !complete;
  if (!isAlone || !one || key === undefined || id === undefined) return null;
  const sent = await client.send(one(id, client.settings));
  if (!isWhole(sent) || !isObject(sent.body)) return null;
  const object = objectIn(reader, sent.body, id);
  return object?.identity === identityOf(kind, key) ? [object] : null;
}

/** Safely fits into a URL, percent-encoded. */
const longestFilter = 4000;

/** Filtered if that saves pages, else the whole list. `isKept`: which of its rows are returned; `null`: all. */
async function readListed(reader: Reader, list: List, isKept: Reader['isNeeded'] | null = null) {
  const { kind, keys, ids, complete, isNeeded } = reader;
  // An object whose key may differ from the manifest's is found by its id, and no list has a filter for ids.
  const needsIds = ids.length > 0 && (kind.can.pin || kind.can.rename);
  const mayFilter = !complete && keys.length > 0 && !needsIds;
  const filter = (mayFilter && list.filter?.(keys)) || null;
  // A tenant's own key may hold half of a character, which no URL can hold.
  if (filter?.isWellFormed() && encodeURIComponent(filter).length <= longestFilter) {
    try {
      const filtered = await readList(reader, list, filter, isNeeded);
      const found = new Set(filtered.map(({ identity }) => identity));
      // A filter may be case-sensitive even if the tenant is not: only the whole list shows that an object is absent.
      const foldsCase = kind.keyFields.some(({ foldCase }) => foldCase);
      if (!foldsCase || keys.every((key) => found.has(identityOf(kind, key)))) return filtered;
    } catch (error) {
      if (!hasCode(error, 'tenant-bad-request')) throw error;
    }
  }
  return readList(reader, list, null, isKept);
}

/** The list has the ids; names and fields come from each object's own call. */
async function readListThenEach(reader: Reader, read: Extract<Read, { how: 'list-then-each' }>) {
  const { client, kind, keys, ids, complete } = reader;
  const source = sourceOf(reader, read.list, null);
  const listed = (await readRows(client, source)).map((row) => {
    const id = idText(get(row, 'id'));
    if (!id) throw badList('bad-answer', source, 'lists a row without an id');
    return id;
  });
  const needed = complete || keys.length > 0 ? listed : listed.filter((id) => ids.includes(id));
  const objects = await Promise.all(
    needed.map(async (id) => {
      const answer = await readOne(reader, read.each(id, client.settings));
      return answer && liveObject(kind, answer, id);
    }),
  );
  return objects.filter((object) => object !== null);
}

async function readEachDeclared(reader: Reader, read: EachDeclared): Promise<LiveObject[]> {
  const { kind, keys, onUnusable } = reader;
  const objects = await Promise.all(
    keys.map(async (key) => {
      const address = formatAddress(kind.name, key);
      try {
        const request = read.each(key, reader.client.settings);
        const answer = await readOne(reader, request, read.isAbsent);
        const object = answer && liveObject(kind, answer, key[0] ?? null);
        if (answer === null || object?.identity === identityOf(kind, key)) return object;
        const message = `Reading ${address}: ${request.method} ${request.path} returned another ${kind.name}.`;
        throw fail('other-object', message);
      } catch (error) {
        // Any other failure is not about this object alone.
        if (!hasCode(error, 'tenant-bad-request', 'other-object')) throw error;
        const { diagnostics } = error;
        if (!onUnusable) {
          const hint = 'Nothing was written. Remove its manifest, or leave it out with `--except`.';
          const problems = diagnostics.map((each) => ({ ...each, address, hint: each.hint ?? hint }));
          throw new Failure(problems);
        }
        onUnusable({ kind, key }, diagnostics.map(({ message }) => message).join(' '));
        return null;
      }
    }),
  );
  return objects.filter((object) => object !== null);
}

/** The object that a call answers; `null` only if the kind says that the answer means "absent". */
async function readOne(
  { client, kind }: Reader,
  request: ApiCall,
  isAbsent: EachDeclared['isAbsent'] = () => false,
): Promise<JsonObject | null> {
  const sent = await client.send(request);
  if (sent.outcome === 'answered') {
    // A page of a proxy or a wrong base URL, and a gateway's 200 with an error, do not mean that the object is absent.
    const isPage = sent.text !== null && looksLikeHtml(sent.text);
    const isFailure = isSuccess(sent) && !isWhole(sent);
    if (!isPage && !isFailure && isAbsent({ status: sent.status, body: sent.body })) return null;
  }
  if (isWhole(sent) && isObject(sent.body)) return sent.body;
  throw readFailure(kind.name, request, sent);
}

function readList(reader: Reader, list: List, filter: string | null, isKept: Reader['isNeeded'] | null) {
  const { client, kind } = reader;
  const source = sourceOf(reader, list, filter);
  return selectRows(client, source, (row) => {
    const object = objectIn(reader, row, null);
    if (object) return (isKept?.(object) ?? true) ? object : null;
    if (list.isForeign?.(row)) return null;
    // An object that was skipped would count as absent.
    const lacking = kind.keyFields.find(({ name }) => getText(row, name) === null)?.name;
    if (lacking === undefined) throw badList('bad-answer', source, `lists a row that is not a ${kind.name}`);
    const id = idText(get(row, 'id'));
    const what = `lists a row without a text in \`${lacking}\`${id === null ? '' : ` (id ${id})`}`;
    // A descriptor may name another member than the tenant has.
    const advice =
      'In a kind of your own, `key` in the descriptor names the member that tells objects apart.';
    throw badList('bad-answer', source, what, advice);
  });
}

function sourceOf(
  { client, kind, keys, ids, idsAsNames = [], above }: Omit<Reader, 'isNeeded'>,
  list: List,
  filter: string | null,
): PageSource {
  const whole = list.counts ? { count: 'true' } : {};
  const query = filter === null ? whole : { filters: filter };
  return {
    ...list,
    what: kind.name,
    request: apiRequest('GET', list.resource, client.settings, { query, above: above ? [above.id] : [] }),
    isDescribed: kind.described?.digest !== undefined,
    // A tenant most likely has what manifests declare. A list that states its length needs no estimate.
    expected: list.counts ? 0 : keys.length + ids.length - idsAsNames.length,
  };
}
