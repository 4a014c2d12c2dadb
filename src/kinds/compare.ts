import deepDiff from 'deep-diff';
import type { Difference } from '../model/documents.ts';
import {
  canonicalJson,
  get,
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  objectsIn,
  sameJson,
} from '../model/json.ts';
import { isFilledInLater, secretName } from '../model/marker.ts';
import { type Pointer, pointer, valueAt } from '../model/pointer.ts';
import {
  anyJson,
  chooseSynonym,
  comparable,
  comparableRecord,
  isUnordered,
  itemsByText,
  itemTextAt,
} from './field.ts';
import { readJsonText } from './jsontext.ts';
import type { Field, JsonField, Kind, RecordsField } from './kind.ts';

export type FieldDifference = Pick<Difference, 'path' | 'op' | 'before' | 'after'> &
  Partial<Pick<Difference, 'origin' | 'base'>>;

export function differences(kind: Kind, declared: JsonObject, live: JsonObject): FieldDifference[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = get(declared, name);
    if (value === undefined || isNameBesideId(field, declared, live)) return [];
    return compareField(name, field, value, get(live, name));
  });
}

/** How two tenants, or two manifests, differ in all fields: the first side is `before`, the second one `after`. */
export function differencesBetween(kind: Kind, first: JsonObject, second: JsonObject): FieldDifference[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    if (isNameBesideId(field, second, first)) return [];
    const [before, after] = [get(first, name) ?? null, get(second, name) ?? null];
    // As if manifests declared all members: one that a side lacks is a difference.
    const whole: Field =
      field.is === 'json' || field.is === 'records' ? { ...field, declares: 'whole' } : field;
    return comparable(whole, after) === null
      ? compareField(name, whole, before, after).map(mirror)
      : compareField(name, whole, after, before);
  });
}

const ops = { add: 'remove', remove: 'add', replace: 'replace' } as const;

export function mirror({ path, op, before, after }: FieldDifference): FieldDifference {
  return { path, op: ops[op], before: after, after: before };
}

/** True for a name beside an id that both sides share: the tenant may answer with another name. */
function isNameBesideId(field: Field, declared: JsonObject, live: JsonObject): boolean {
  if (field.is !== 'value' || field.nameOf === undefined) return false;
  const id = get(declared, field.nameOf) ?? null;
  return id !== null && sameJson(id, get(live, field.nameOf) ?? null);
}

export function compareField(
  name: string,
  field: Field,
  declared: Json,
  live: Json | undefined,
): FieldDifference[] {
  if (declared === live) return [];
  if (field.is === 'records') return compareRecords(name, field, declared, live);
  if (field.is === 'json') return compareJsonField(name, field, declared, live);
  if (field.is === 'value' && field.synonyms) {
    // Either side may have several synonyms, even a recorded one.
    const [ours, theirs] = [declared, live ?? null].map((side) => (isArray(side) ? side : [side]));
    if (ours?.some((value) => theirs?.some((other) => sameJson(value, other)))) return [];
    return [difference([name], chooseSynonym(field, live ?? null), chooseSynonym(field, declared))];
  }
  if (isUnordered(field) && [declared, live ?? null].every((side) => side === null || isArray(side))) {
    const [old, wanted] = [itemsByText(field, live), itemsByText(field, declared)];
    return [
      ...[...old].flatMap(([text, item], at) => (wanted.has(text) ? [] : difference([name, at], item, null))),
      ...[...wanted].flatMap(([text, item], at) => (old.has(text) ? [] : difference([name, at], null, item))),
    ];
  }
  const [before, after] = [comparable(field, live), comparable(field, declared)];
  if (sameJson(before, after)) return [];
  // What the server owns in it is no part of the difference.
  if (field.is === 'value' && field.places) return [difference([name], before, after)];
  // Shows the texts themselves, not their comparable form without line endings and case.
  return [difference([name], before === null ? null : live, after === null ? null : declared)];
}

function compareJsonField(name: string, field: JsonField, declared: Json, live: Json | undefined) {
  const [before, after] = [comparable(field, live), comparable(field, declared)];
  const written = readJsonText(declared);
  // An object without members leaves all of them alone; only null clears.
  const isByMember = field.declares === 'members' && isObject(written);
  const members = isByMember ? (after ?? {}) : after;
  if (isObject(members) && !isFilledInLater(members) && (before === null || isObject(before))) {
    const current = before ?? {};
    return compareJson([name], isByMember ? restrict(current, written) : current, members, field);
  }
  return sameJson(before, after) ? [] : [difference([name], before, after)];
}

function compareRecords(
  name: string,
  field: RecordsField,
  declared: Json | undefined,
  live: Json | undefined,
): FieldDifference[] {
  return pairRecords(declared, live, field).flatMap((pair, at) => {
    if (pair.declared === null || pair.live === null)
      return [difference([name, at], pair.live, pair.declared && dropNulls(pair.declared))];
    const [wanted, has] = [comparableRecord(pair.declared, field), comparableRecord(pair.live, field)];
    if (field.declares === 'whole') return compareJson([name, at], has, wanted, anyJson);
    const named = field.canonical?.(pair.declared) ?? pair.declared;
    return compareJson([name, at], restrict(has, named), wanted, anyJson);
  });
}

function compareJson(
  at: readonly (string | number)[],
  before: JsonObject,
  after: JsonObject,
  field: Field,
): FieldDifference[] {
  if (sameJson(before, after)) return [];
  const found = deepDiff.diff<Json, Json>(nameMembers(before, field), nameMembers(after, field)) ?? [];
  // It compares lists from their end.
  return found.toSorted(byItem).map((entry) => {
    const path = namesTo(entry).map((name) => (typeof name === 'string' ? name.slice(1) : name));
    if (String(entry.path?.at(-1)).startsWith(itemSign)) return itemDifference(at, path, before, after);
    const below = pointer(...path);
    const [old, fresh] = [valueAt(before, below), valueAt(after, below)];
    const made = difference([...at, ...path], old, fresh);
    // In a list, null is an item and stays; a null member is removed.
    const isItem = typeof path.at(-1) === 'number' && old !== undefined && fresh !== undefined;
    return isItem ? { ...made, op: 'replace' } : made;
  });
}

type DeepDifference = deepDiff.Diff<Json, Json>;

const namesTo = (entry: DeepDifference): (string | number)[] => [
  ...(entry.path ?? []),
  ...(entry.kind === 'A' ? [entry.index] : []),
];

/** Two differences in one list by their items; others stay as they are. */
function byItem(one: DeepDifference, other: DeepDifference): number {
  const [first, second] = [namesTo(one), namesTo(other)];
  const at = first.findIndex((name, depth) => name !== second[depth]);
  return Number(first[at]) - Number(second[at]) || 0;
}

/** An item of a list without order that only one side has, at its index there. */
function itemDifference(
  at: readonly (string | number)[],
  path: readonly (string | number)[],
  ...sides: readonly [before: JsonObject, after: JsonObject]
): FieldDifference {
  const list = path.slice(0, -1);
  const lists = sides.map((side) => valueAt(side, pointer(...list)) ?? null).map(itemsOf);
  const [was = -1, is = -1] = lists.map((items) =>
    items.findIndex((item) => canonicalJson(item) === path.at(-1)),
  );
  return difference([...at, ...list, Math.max(was, is)], lists[0]?.[was], lists[1]?.[is]);
}

const itemSign = '=';

/**
 * Members have a dot before their names: deep-diff passes over an added one without a name. Markers, and items of sets, are
 * texts.
 */
function nameMembers(value: Json, field: Field, at: Pointer = ''): Json {
  if (isArray(value) && itemTextAt(field, at))
    return objectFrom(value.map((item) => [itemSign + canonicalJson(item), true]));
  if (isArray(value)) return value.map((item, index) => nameMembers(item, field, at + pointer(index)));
  if (!isObject(value)) return value;
  if (isFilledInLater(value)) return canonicalJson(value);
  return objectFrom(
    Object.entries(value).map(([name, item]) => [`.${name}`, nameMembers(item, field, at + pointer(name))]),
  );
}

/** A difference between two values. `undefined` means that there is no value, which inside JSON differs from `null`. */
function difference(
  path: readonly (string | number)[],
  before: Json | undefined,
  after: Json | undefined,
): FieldDifference {
  const [old, fresh] = [before ?? null, after ?? null];
  const written = fresh === null ? 'remove' : 'replace';
  const op = old === null && after !== undefined ? 'add' : written;
  return { path: pointer(...path), op, before: old, after: fresh };
}

/** The live members that are declared, at any depth: without those that a manifest leaves alone. */
export function restrict(live: JsonObject, declared: JsonObject): JsonObject {
  return mapMembers(declared, (value, name) => {
    const item = get(live, name) ?? undefined;
    return isObject(item) && isObject(value) && secretName(value) === null ? restrict(item, value) : item;
  });
}

/** The value without the members that a manifest clears, or that a tenant shows as cleared. */
export function dropNulls(value: JsonObject): JsonObject {
  return mapMembers(value, (item) => {
    if (item === null) return undefined;
    return isObject(item) ? dropNulls(item) : item;
  });
}

/**
 * In the declared order: equal records first, then those that agree in all declared members, then in `alike`. Each live one is
 * used once; but a record that repeats another pairs with the same.
 */
export function pairRecords(
  declared: Json | undefined,
  live: Json | undefined,
  field: RecordsField,
): { readonly declared: JsonObject | null; readonly live: JsonObject | null }[] {
  const wanted = objectsIn(declared);
  const left = new Set(objectsIn(live));
  const partner = new Map<JsonObject, JsonObject>();
  const isSame = (one: JsonObject, other: JsonObject) =>
    sameJson(comparableRecord(one, field), comparableRecord(other, field));
  for (const agree of [
    isSame,
    recordAgrees,
    (one: JsonObject, other: JsonObject) => recordAgrees(one, other, field, field.alike),
  ]) {
    for (const record of wanted) {
      if (partner.has(record)) continue;
      const match = [...left].find((candidate) => agree(record, candidate, field));
      if (!match) continue;
      partner.set(record, match);
      left.delete(match);
    }
  }
  const used = [...partner.values()];
  const unpaired = [...left].filter((record) => !wanted.some((other) => isSame(other, record)));
  return [
    ...wanted.map((record) => {
      const match = partner.get(record) ?? used.find((other) => isSame(record, other)) ?? null;
      return { declared: record, live: match };
    }),
    ...unpaired.map((record) => ({ declared: null, live: record })),
  ];
}

/** Whether `names` have the same values in both records; one declared null is unset in `live`. By default all declared names. */
export function recordAgrees(
  declared: JsonObject,
  live: JsonObject,
  field: RecordsField,
  names?: readonly string[],
): boolean {
  const [wanted, current] = [comparableRecord(declared, field), comparableRecord(live, field)];
  const all =
    field.declares === 'whole' ? { ...wanted, ...current } : (field.canonical?.(declared) ?? declared);
  return (names ?? Object.keys(all)).every((name) =>
    sameJson(get(wanted, name) ?? null, get(current, name) ?? null),
  );
}
