import type { Kind, List, Read } from '../kinds/kind.ts';
import { identityOf, identityOfObject, liveObject } from '../kinds/live.ts';
import type { Wanted } from '../kinds/wanted.ts';
import type { Key } from '../model/address.ts';
import { Failure, failure } from '../model/failure.ts';
import { isObject, type JsonObject, textOf } from '../model/json.ts';
import type { LiveName, LiveObject } from '../model/live.ts';
import type { Request } from '../model/plan.ts';
import { isSuccess } from './answer.ts';
import { inBrief, looksLikeHtml } from './brief.ts';
import { readRows } from './pages.ts';
import { badList, readFailure } from './read-failure.ts';
import {
  filterFor,
  type IsNeeded,
  type Reader,
  type ReaderFor,
  readFiltered,
  readWhole,
  sourceOf,
} from './read-list.ts';

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
