import { isReferenceField, isUnordered } from '../kinds/field.ts';
import { idText } from '../kinds/http.ts';
import type { Field, LiveObject } from '../kinds/kind.ts';
import { idsIn, recordIdsIn, targetKindOf } from '../kinds/references.ts';
import type { Printable } from '../loader/print.ts';
import { groupBy } from '../model/basics.ts';
import { get, getText, isArray, isObject, type Json, type JsonObject, recordField } from '../model/json.ts';
import type { Lookup } from '../model/marker.ts';
import { type Pointer, placesIn, pointer } from '../model/pointer.ts';

/** The rows of the collections (`/api/<name>`) that lookups may name. */
export type Records = ReadonlyMap<string, readonly JsonObject[]>;

export interface NameSources {
  readonly records: Records;
  /** The `!ref` for the id of an object of a kind; `null` if only the id is known. Left out: no referenced objects are known. */
  readonly nameOf?: ((kind: string, id: string) => string | null) | undefined;
}

type Referring = Pick<LiveObject, 'kind' | 'fields'>;

interface KnownId {
  /** The place of the id, or of the object that holds it. */
  readonly at: Pointer;
  readonly id: string;
  /** Alone, in an object, or inside records or JSON at places that the kind defines. */
  readonly is: 'alone' | 'object' | 'inside';
  /** Ids of one scope belong to one sort of record: those of a field, or of a collection. */
  readonly scope: string;
  /** The name beside it in its object. */
  readonly beside: string | null;
  /** The name that the tenant shows with the id, anywhere in its answer or in the list of the records. */
  readonly shown: string | null;
  /** Its `!ref`; `null` if it has none. */
  readonly ref: string | null;
  /** Finds its record by a name that no other record has, or `null`. */
  readonly lookup: Lookup | null;
}

/** @param raw the answer of the tenant; `null` for a manifest */
export function knownIds(
  { kind, fields, raw }: Referring & { readonly raw: JsonObject | null },
  sources: NameSources,
): KnownId[] {
  const names = raw === null ? new Map<string, string>() : namesShown({ kind, raw });
  const inFields = Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = get(fields, name) ?? null;
    const found = idPlaces(pointer(name), field, value).map((place): KnownId => {
      const { to = targetKindOf(field), ...id } = place;
      const ref = to === null ? null : (sources.nameOf?.(to, id.id) ?? null);
      // JSON may hold ids of several kinds.
      const scope = field.is === 'json' ? `${name} ${to}` : name;
      return { ...id, scope, shown: names.get(id.id) ?? null, ref, lookup: null };
    });
    // One of several synonyms is an id.
    return field.is === 'value' && isArray(value) ? found.filter(({ ref }) => ref !== null) : found;
  });
  return [...inFields, ...idsInside({ kind, fields }, sources)];
}

interface FoundId extends Pick<KnownId, 'at' | 'id' | 'is' | 'beside'> {
  /** Left out: the kind that the field refers to. */
  readonly to?: string;
}

/** Any text, and item of a set, may be an id; a number, and an object around it, only in a field of ids. */
function idPlaces(at: Pointer, field: Field, value: Json): FoundId[] {
  if (field.is === 'text' || field.is === 'email' || field.is === 'records') return [];
  if (field.is === 'json')
    return idsIn(field, value).flatMap(({ at: below, id, to: [to], isName }) =>
      to !== undefined && typeof id === 'string' && !isName
        ? [{ at: at + below, id, is: 'alone', beside: null, to } as const]
        : [],
    );
  const isReference = isReferenceField(field);
  const mayBeAny = isReference || targetKindOf(field) !== null;
  const values = field.is === 'value' && isArray(value) ? value : [value];
  const items = isUnordered(field) ? placesIn(value, at) : values.map((item) => [at, item] as const);
  return items.flatMap(([place, item]): FoundId[] => {
    const id = idText(isObject(item) ? get(item, 'id') : item);
    if (id === null || !(mayBeAny || typeof item === 'string')) return [];
    if (!isObject(item)) return [{ at: place, id, is: 'alone', beside: null }];
    // Elsewhere the object is compared as it is: the id inside is one, not the object around it.
    return isReference
      ? [{ at: place, id, is: 'object', beside: getText(item, 'name') }]
      : [{ at: place + pointer('id'), id, is: 'alone', beside: null }];
  });
}

/** The names of all records that the tenant's answer shows with their ids, by id. */
function namesShown({ kind, raw }: Pick<LiveObject, 'kind' | 'raw'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const walk = (value: Json): void => {
    if (isArray(value)) value.forEach(walk);
    else if (isObject(value)) {
      const [id, name] = [getText(value, 'id'), getText(value, 'name')];
      if (id !== null && name !== null && !names.has(id)) names.set(id, name);
      Object.values(value).forEach(walk);
    }
  };
  for (const [name, value] of Object.entries(raw)) {
    // Values inside JSON belong to other systems, as their settings do.
    if (get(kind.fields, name)?.is !== 'json') walk(value);
  }
  return names;
}

/** The ids inside records and JSON of which the kind says what collection they are from. */
function idsInside({ kind, fields }: Referring, { records }: NameSources): KnownId[] {
  return recordUsesIn({ kind, fields }).flatMap((use) => {
    const from = collectionOf(use, records);
    if (from === null) return [];
    const { at, id } = use;
    const rows = records.get(from) ?? [];
    const [record, ...others] = rowsWith(rows, 'id', id);
    const only = record && others.length === 0 ? record : null;
    return {
      ...({ at, id, is: 'inside', scope: from, beside: null, ref: null } as const),
      shown: only && (getText(only, 'label') ?? getText(only, 'name')),
      lookup: only && lookupFor(only, rows, from),
    };
  });
}

type RecordUse = ReturnType<typeof recordIdsIn>[number];

function recordUsesIn({ kind, fields }: Referring): RecordUse[] {
  return Object.entries(kind.fields).flatMap(([name, field]) =>
    recordIdsIn(field, get(fields, name) ?? null).map((use) => ({ ...use, at: pointer(name) + use.at })),
  );
}

/** The collection that an id is from; `null` if another record does not say that it is an id at all. */
function collectionOf(use: RecordUse, records: Records): string | null {
  if (!('typedBy' in use)) return use.from;
  const { typedBy, from } = use;
  const [row] = rowsWith(records.get(collectionOf(typedBy, records) ?? '') ?? [], 'id', typedBy.id);
  const [type = ''] = recordTypes.flatMap((member) => (row && textIn(row, member)) ?? []);
  return get(from, type) ?? null;
}

/** The members that identify a record of a collection, best first. */
const recordNames: Readonly<Record<string, readonly string[]>> = {
  ne_attributes: ['uid', 'label', 'name'],
  profile_types: ['uid', 'name'],
  profiles: ['uid', 'name'],
  users: ['uid', 'login', 'email'],
};

/** The members that have the type of an attribute: the documents name the types, but not the member. */
const recordTypes: readonly string[] = ['data_type', 'type'];

/** A lookup by the first name of a record that no other has; `null` if it has none. */
function lookupFor(record: JsonObject, rows: readonly JsonObject[], from: string): Lookup | null {
  for (const field of recordNames[from] ?? []) {
    const value = textIn(record, field);
    if (value === null || rowsWith(rows, field, value).length > 1) continue;
    return { from, where: { [field]: value }, take: 'id' };
  }
  return null;
}

type RowsByText = ReadonlyMap<string | null, readonly JsonObject[]>;
const indexes = new WeakMap<readonly JsonObject[], Map<string, RowsByText>>();

/** The rows with this text in a field. Thousands of ids may be looked up in thousands of rows, so these are indexed. */
function rowsWith(rows: readonly JsonObject[], field: string, text: string): readonly JsonObject[] {
  const byField = indexes.get(rows) ?? new Map<string, RowsByText>();
  const byText = byField.get(field) ?? new Map(groupBy(rows, (row) => textIn(row, field)));
  indexes.set(rows, byField.set(field, byText));
  return byText.get(text) ?? [];
}

/** A field as lookups compare it: as text, also inside `attributes`. */
function textIn(row: JsonObject, field: string): string | null {
  const value = recordField(row, field);
  return value === null || typeof value === 'object' || value === '' ? null : String(value);
}

/** The collections to read next for lookups of ids; sorted. What has been read may show that more are needed: call it again. */
export function collectionsFor(objects: readonly Referring[], { records }: NameSources): string[] {
  const names = objects.flatMap(({ kind, fields }) =>
    recordUsesIn({ kind, fields }).flatMap((use) => {
      const typing = 'typedBy' in use ? collectionOf(use.typedBy, records) : null;
      return (typing !== null && !records.has(typing) ? typing : collectionOf(use, records)) ?? [];
    }),
  );
  return [...new Set(names)].filter((name) => !records.has(name)).sort();
}

/**
 * What to write for the ids in an object's fields, by place: a tag, `!lookup` or `!ref`, for each that has a unique name, and the
 * names of bare ids, if the tenant shows both. They are safe in a comment.
 */
export function labelIds(object: LiveObject, sources: NameSources) {
  const [tags, names] = [new Map<Pointer, Printable>(), new Map<Pointer, string>()];
  for (const { at, is, shown, ref, lookup } of knownIds(object, sources)) {
    if (ref !== null) tags.set(at, { tag: '!ref', value: ref });
    else if (lookup !== null) {
      const { from, where, take } = lookup;
      const members = [
        ['from', from],
        ['where', { members: Object.entries(where) }],
        ['take', take],
      ] as const;
      tags.set(at, { tag: '!lookup', value: { members } });
    }
    const comment = commentOf(shown ?? '');
    if (is !== 'object' && comment !== '') names.set(at, comment);
  }
  return { tags, names };
}

/**
 * A name as a comment. Names come from the tenant: they must not end the comment, reorder the line, or pass for one of
 * the comments that editors and other programs obey, which have a colon or an equals sign.
 */
function commentOf(name: string): string {
  return name
    .slice(0, 80)
    .replaceAll(/[^\p{L}\p{M}\p{N} _.,()/&+'@-]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
}
