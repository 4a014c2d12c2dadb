import type { Field, LiveObject } from '../kinds/kind.ts';
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
import { type NameSources, namesShown } from './names.ts';
import { referencesIn } from './reference-lookups.ts';

/** What a side says about an object. */
export interface Stated extends Pick<LiveObject, 'kind' | 'fields'> {
  /** The answer of the tenant; `null` for a manifest. */
  readonly raw: JsonObject | null;
  /** What names the ids that the fields hold. */
  readonly sources: NameSources;
}

/**
 * The fields of an object on both sides of a comparison, with the names that ids of records stand for in the place of the
 * ids: records have other ids in another tenant. Ids stay where the other side names none of the same sort, and an id that
 * one side shows without its name stays an id on both.
 */
export function shareIds(sides: readonly [Stated, Stated]): readonly [JsonObject, JsonObject] {
  const [first, second] = [idsIn(sides[0]), idsIn(sides[1])];
  return [nameIds(sides[0], first, second), nameIds(sides[1], second, first)];
}

type Ids = ReadonlyMap<Pointer, RecordId>;

/** An id of another record. */
interface RecordId {
  readonly id: string;
  /** Ids of the same scope are ids of the same sort of record. */
  readonly scope: string;
  /** The name as a manifest has it; `null` where it is not known. */
  readonly name: string | null;
}

/** The ids of other records in the fields of an object, by their places. */
function idsIn({ kind, fields, raw, sources }: Stated): Ids {
  const shown = raw === null ? new Map<string, string>() : namesShown({ kind, raw });
  const ids = new Map<Pointer, RecordId>();
  for (const [field, description] of Object.entries(kind.fields)) {
    const value = own(fields, field) ?? null;
    for (const [at, id] of idsOfField(pointer(field), description, value))
      ids.set(at, { ...id, scope: field, name: id.name ?? shown.get(id.id) ?? null });
    if (description.is !== 'value' || description.nameOf === undefined) continue;
    const at = pointer(description.nameOf);
    const beside = ids.get(at);
    if (beside) ids.set(at, { ...beside, name: textOf(fields, field) });
  }
  const { settings, records } = sources;
  for (const { at, id, from, lookup } of referencesIn({ kind, fields }, settings, records))
    ids.set(at, { id, scope: from, name: lookup && lookupWords(lookup) });
  return ids;
}

type FoundId = readonly [at: Pointer, id: { readonly id: string; readonly name: string | null }];

/** What may be an id in a field: any value, or item of a set, may be one. */
function idsOfField(at: Pointer, field: Field, value: Json): FoundId[] {
  switch (field.is) {
    case 'value':
      return typeof value === 'string' ? [[at, { id: value, name: null }]] : [];
    case 'set':
      return placesIn(value, at).flatMap(([place, item]) => idsOfField(place, { is: 'value' }, item));
    case 'reference': {
      const id = isObject(value) ? textOf(value, 'id') : null;
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
function sharedWith(others: Ids): (id: RecordId) => boolean {
  const all = [...others.values()];
  const unnamed = new Set(all.filter(({ name }) => name === null).map(keyOf));
  const named = new Set(all.filter(({ name }) => name !== null).map(({ scope }) => scope));
  const scopes = new Set(all.map(({ scope }) => scope));
  return (id) => !unnamed.has(keyOf(id)) && (named.has(id.scope) || !scopes.has(id.scope));
}

const keyOf = ({ scope, id }: RecordId): string => JSON.stringify([scope, id]);

function nameIds({ fields, raw }: Stated, ids: Ids, others: Ids): JsonObject {
  const isShared = sharedWith(others);
  const names = new Map(
    [...ids].flatMap(([at, id]) => (id.name !== null && isShared(id) ? [[at, id.name] as const] : [])),
  );
  if (names.size === 0 && raw !== null) return fields;
  const name = (value: Json, at: Pointer): Json => {
    const known = names.get(at);
    if (known !== undefined) return namedValue(value, known);
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
function namedValue(value: Json, name: string): Json {
  if (!isObject(value)) return name;
  const { id: _id, ...rest } = value;
  return rest;
}

/** A lookup that nothing has answered stands for the name that it asks for. */
function writeLookups(value: Json): Json {
  return mapJson(value, (item) => {
    const lookup = lookupOf(item);
    return lookup ? lookupWords(lookup) : item;
  });
}
