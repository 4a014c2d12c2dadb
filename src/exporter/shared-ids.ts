import { type Field, fieldNamed, type LiveObject } from '../kinds/kind.ts';
import { idText } from '../kinds/operation.ts';
import { targetOf, withReferences } from '../kinds/references.ts';
import { type Address, parseAddress, referenceText } from '../model/address.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapJson,
  mapMembers,
  own,
  textOf,
} from '../model/json.ts';
import { lookupOf, lookupWords } from '../model/marker.ts';
import { type Pointer, placesIn, pointer } from '../model/pointer.ts';
import { namesShown } from './names.ts';
import { type NameOf, type NameSources, recordIdsIn } from './reference-lookups.ts';

/** What a side says about an object. */
export interface Stated extends Pick<LiveObject, 'kind' | 'fields'> {
  /** The answer of the tenant; `null` for a manifest. */
  readonly raw: JsonObject | null;
  /** What names the ids that the fields hold. */
  readonly sources: NameSources;
  /** The `!ref` for an id, where the object of that id is known. */
  readonly nameOf: NameOf;
}

/**
 * The fields of an object on both sides of a comparison, with the names that ids of records stand for in the place of the
 * ids: records have other ids in another tenant. Ids stay where the other side names none of the same sort, and an id that
 * one side shows without its name stays an id on both.
 */
export function shareIds(sides: readonly [Stated, Stated]): readonly [JsonObject, JsonObject] {
  const write = (side: Stated): Stated =>
    side.raw === null ? { ...side, fields: writeReferences(side) } : side;
  const [one, other] = [write(sides[0]), write(sides[1])];
  const [first, second] = [idsIn(one), idsIn(other)];
  return [nameIds(one, first, second), nameIds(other, second, first)];
}

type Ids = ReadonlyMap<Pointer, RecordId>;

/** The fields of a manifest with references that nothing has answered as they are written: they stand for names. */
export function writeReferences({ kind, fields }: Pick<LiveObject, 'kind' | 'fields'>): JsonObject {
  return mapMembers(fields, (value, name) => {
    const field = fieldNamed(kind, name);
    return field ? withReferences(field, value, writtenAddress) : value;
  });
}

function writtenAddress(to: Address): string {
  const parsed = parseAddress(to);
  return refPrefix + (parsed ? referenceText(parsed.kind, parsed.key) : to);
}

const refPrefix = '!ref ';

/** An id of another record. */
interface RecordId {
  readonly id: string;
  /** Ids of the same scope are ids of the same sort of record. */
  readonly scope: string;
  /** The name as a manifest has it; `null` where it is not known. */
  readonly name: string | null;
  /** The `!ref` that stands for the id; `null` where it is not known. */
  readonly ref: string | null;
}

/** The ids of other records in the fields of an object, by their places. */
function idsIn({ kind, fields, raw, sources, nameOf }: Stated): Ids {
  const shown = raw === null ? new Map<string, string>() : namesShown({ kind, raw });
  const ids = new Map<Pointer, RecordId>();
  for (const [field, description] of Object.entries(kind.fields)) {
    const value = own(fields, field) ?? null;
    const to = targetOf(description);
    for (const [at, { id, name: beside }] of idsOfField(pointer(field), description, value)) {
      const ref = raw === null && id.startsWith(refPrefix) ? id : to && refTo(nameOf(to, id));
      const name = beside ?? shown.get(id) ?? (ref && keyIn(ref));
      ids.set(at, { id, scope: field, name, ref });
    }
    if (description.is !== 'value' || description.nameOf === undefined) continue;
    const at = pointer(description.nameOf);
    const beside = ids.get(at);
    if (beside) ids.set(at, { ...beside, name: textOf(fields, field) });
  }
  for (const { at, id, from, lookup } of recordIdsIn({ kind, fields }, sources))
    ids.set(at, { id, scope: from, name: lookup && lookupWords(lookup), ref: null });
  return ids;
}

const refTo = (address: string | null): string | null => address && refPrefix + address;

const keyIn = (ref: string): string | null =>
  parseAddress(ref.slice(refPrefix.length))?.key.join('/') ?? null;

type FoundId = readonly [at: Pointer, id: { readonly id: string; readonly name: string | null }];

/** What may be an id in a field: any text, or item of a set, may be one, and a number where the field has ids. */
function idsOfField(at: Pointer, field: Field, value: Json): FoundId[] {
  switch (field.is) {
    case 'value': {
      const id = typeof value === 'string' || targetOf(field) !== null ? idText(value) : null;
      return id === null ? [] : [[at, { id, name: null }]];
    }
    case 'set':
      return placesIn(value, at).flatMap(([place, item]) =>
        idsOfField(place, { ...field, is: 'value' }, item),
      );
    case 'reference': {
      const id = isObject(value) ? idText(own(value, 'id')) : null;
      return id !== null && isObject(value) ? [[at, { id, name: textOf(value, 'name') }]] : [];
    }
    case 'references':
      return placesIn(value, at).flatMap(([place, item]) => idsOfField(place, { is: 'reference' }, item));
    case 'text':
    case 'email':
    case 'json':
    case 'records':
      return [];
  }
}

/** Whether an id can be compared by its name with the ids of the other side. */
function sharedFilter(others: Ids): (id: RecordId) => boolean {
  const all = [...others.values()];
  const unnamed = new Set(all.filter(({ name }) => name === null).map(keyOf));
  const named = new Set(all.filter(({ name }) => name !== null).map(({ scope }) => scope));
  const scopes = new Set(all.map(({ scope }) => scope));
  return (id) => !unnamed.has(keyOf(id)) && (named.has(id.scope) || !scopes.has(id.scope));
}

const keyOf = ({ scope, id }: RecordId): string => JSON.stringify([scope, id]);

/** The scopes in which an id has a name and no `!ref` on one of the sides: there, plain names are compared. */
function scopesWithoutRefs(sides: readonly Ids[]): ReadonlySet<string> {
  const all = sides.flatMap((ids) => [...ids.values()]);
  return new Set(all.filter(({ name, ref }) => name !== null && ref === null).map(({ scope }) => scope));
}

function nameIds({ fields, raw }: Stated, ids: Ids, others: Ids): JsonObject {
  const isShared = sharedFilter(others);
  const plain = scopesWithoutRefs([ids, others]);
  const names = new Map(
    [...ids].flatMap(([at, id]) => (id.name !== null && isShared(id) ? [[at, id] as const] : [])),
  );
  if (names.size === 0 && raw !== null) return fields;
  const name = (value: Json, at: Pointer): Json => {
    const known = names.get(at);
    if (known !== undefined) return namedValue(value, known, plain.has(known.scope));
    if (isArray(value)) return value.map((item, index) => name(item, `${at}${pointer(index)}`));
    return isObject(value) ? mapMembers(value, (item, step) => name(item, `${at}${pointer(step)}`)) : value;
  };
  return mapMembers(fields, (value, field) => {
    const named = name(value, pointer(field));
    // What a tenant holds is never a lookup, whatever it looks like.
    return raw === null ? writeLookups(named) : named;
  });
}

/** A reference is compared by its name where it has no id. */
function namedValue(value: Json, { name, ref }: RecordId, isPlain: boolean): Json {
  const words = (isPlain ? null : ref) ?? name;
  if (!isObject(value)) return words;
  if (!isPlain) return { id: words };
  const { id: _id, ...rest } = value;
  return { ...rest, name };
}

/** A lookup that nothing has answered stands for the name that it asks for. */
function writeLookups(value: Json): Json {
  return mapJson(value, (item) => {
    const lookup = lookupOf(item);
    return lookup ? lookupWords(lookup) : item;
  });
}
