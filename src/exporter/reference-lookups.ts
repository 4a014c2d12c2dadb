import type { Field, LiveObject, RecordReference } from '../kinds/kind.ts';
import { idsIn, targetOf } from '../kinds/references.ts';
import type { Printable } from '../loader/print.ts';
import { groupBy } from '../model/basics.ts';
import { type Json, type JsonObject, own, recordField } from '../model/json.ts';
import type { Lookup } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';

/** The rows of the collections (`/api/<name>`) that lookups may name. */
export type Records = ReadonlyMap<string, readonly JsonObject[]>;

export interface NameSources {
  readonly records: Records;
}

type Referring = Pick<LiveObject, 'kind' | 'fields'>;

/**
 * The collections that have to be read next, so that ids in these objects can be written as lookups; sorted. What has
 * been read may show that further collections are needed, so call it again with all `records` until it returns none.
 */
export function collectionsFor(objects: readonly Referring[], { records }: NameSources): string[] {
  const names = objects.flatMap(({ kind, fields }) =>
    (kind.quirks?.references?.(fields) ?? []).flatMap((reference) => {
      const { from, when } = reference;
      if (when && !records.has(when.from)) return [when.from];
      return isId(reference, records) ? [from] : [];
    }),
  );
  return [...new Set(names)].filter((name) => !records.has(name)).sort();
}

/** True where the value is an id at all: of some, another record says that. */
function isId({ when }: RecordReference, records: Records): boolean {
  if (!when) return true;
  const [row] = rowsWith(records.get(when.from) ?? [], 'id', when.id);
  if (!row) return false;
  const [shown] = when.fields.flatMap((field) => textIn(row, field) ?? []);
  return shown !== undefined && when.values.includes(shown);
}

interface ReferredRecord extends Pick<RecordReference, 'at' | 'id' | 'from'> {
  /** `null` where no record has the id, or several do. */
  readonly record: JsonObject | null;
  /** Finds the record by a name that no other record has; `null` where there is none. */
  readonly lookup: Lookup | null;
}

/** The ids of records in the fields of an object. */
export function recordIdsIn({ kind, fields }: Referring, { records }: NameSources): ReferredRecord[] {
  const references = kind.quirks?.references?.(fields) ?? [];
  return references
    .filter((reference) => isId(reference, records))
    .map(({ at, id, from, by }) => {
      const rows = records.get(from) ?? [];
      const record = recordWithId(rows, id);
      return { at, id, from, record, lookup: record && lookupFor(record, rows, { from, by }) };
    });
}

/** A tag for each id in an object that has a unique name, by the place that the tag takes: `!lookup` or `!ref`. */
export function tagsFor(
  object: Referring,
  { nameOf, ...sources }: NameSources & { readonly nameOf?: NameOf | undefined },
): ReadonlyMap<Pointer, Printable> {
  const lookups = recordIdsIn(object, sources).flatMap(({ at, lookup }): [Pointer, Printable][] =>
    lookup ? [[at, printLookup(lookup)]] : [],
  );
  const refs = Object.entries(object.kind.fields).flatMap(([name, field]) =>
    refsFor(name, field, own(object.fields, name) ?? null, nameOf),
  );
  return new Map([...lookups, ...refs]);
}

function recordWithId(rows: readonly JsonObject[], id: string): JsonObject | null {
  const [record, ...others] = rowsWith(rows, 'id', id);
  return record && others.length === 0 ? record : null;
}

/** A lookup by the first of the reference's fields that is unique to its record; `null` where none is. */
function lookupFor(
  record: JsonObject,
  rows: readonly JsonObject[],
  { from, by }: Pick<RecordReference, 'from' | 'by'>,
): Lookup | null {
  for (const field of by) {
    const value = textIn(record, field);
    if (value === null || rowsWith(rows, field, value).length > 1) continue;
    return { from, where: { [field]: value }, take: 'id' };
  }
  return null;
}

function printLookup({ from, where, take }: Lookup): Printable {
  const members = [
    ['from', from],
    ['where', { members: Object.entries(where) }],
    ['take', take],
  ] as const;
  return { tag: '!lookup', value: { members } };
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

/** What a `!ref` says for the id of an object of a kind; `null` where only the id is known. */
export type NameOf = (kind: string, id: string) => string | null;

/** A `!ref` takes the place of an id alone, or of the object with it. */
function refsFor(
  name: string,
  field: Field,
  shown: Json,
  nameOf: NameOf | undefined,
): [Pointer, Printable][] {
  const target = targetOf(field);
  if (target === null || !nameOf) return [];
  return idsIn(field, shown).flatMap(({ at, id }): [Pointer, Printable][] => {
    const text = typeof id === 'string' ? nameOf(target, id) : null;
    if (text === null) return [];
    // Of several values that mean the same, one is written.
    const place = field.is === 'value' ? '' : at.replace(/\/id$/, '');
    return [[pointer(name) + place, { tag: '!ref', value: text }]];
  });
}
