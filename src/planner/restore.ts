import { comparableRecord, isDeclaredByMember, readableFields, sameValue } from '../kinds/field.ts';
import { fieldNamed, type Kind, type LiveObject, type RecordsField } from '../kinds/kind.ts';
import { pairRecords } from '../kinds/records.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  own,
  pick,
  sameJson,
} from '../model/json.ts';
import { containsMarker, liveMarker } from '../model/marker.ts';
import {
  isWithin,
  type Pointer,
  placesAbove,
  pointer,
  segmentsOf,
  setMember,
  valueAt,
} from '../model/pointer.ts';
import { changedFields, omitPlaces, type Undo } from './undo.ts';

/** The fields that restore an object as a result recorded it, and the places that were not recorded completely. */
export interface Restored {
  readonly fields: JsonObject;
  readonly lost: readonly Pointer[];
}

/** All recorded fields of a deleted object, without lists of which an item was not recorded completely. */
export function restoreWhole({ kind, record }: Undo): Restored {
  const shown = readableFields(kind, record.before ?? {});
  const withheld = (record.withheld ?? []).map((place) => liftAboveLists(place, [shown]));
  const before = omitPlaces(shown, withheld);
  const { usable, lost } = splitRecorded(before, Object.keys(kind.fields));
  return { fields: pick(before, usable), lost: [...new Set([...withheld, ...lost])] };
}

/** The fields that an update changed, as they were before. A rollback leaves the rest of the object alone. */
export function restoreChanges({ kind, record }: Undo, live: LiveObject): Restored {
  const { after, outcome } = record;
  const shown = readableFields(kind, record.before ?? {});
  const current = readableFields(kind, live.fields);
  const left = (record.withheld ?? []).map((place) => liftAboveLists(place, [shown, current]));
  const known = omitPlaces(shown, left);
  const withheld = left.map((place) => findHollow(place, known, after ?? {}));
  const before = omitPlaces(shown, withheld);
  // After an unclear answer only the tenant tells which fields are as recorded. Those need no restoring, and an id among
  // them would say that the name beside it does not count.
  const isKnown = after !== null && outcome !== 'unknown';
  const names = isKnown ? changedFields(kind, before, after) : fieldsUnlike(kind, before, current);
  const { usable, lost } = splitRecorded(before, names);
  const restored = mapMembers(pick(before, usable), (old, name): Json => {
    const field = fieldNamed(kind, name);
    if (field?.is === 'records') return restoreRecords(field, old, own(current, name));
    const isByMember = isKnown && isDeclaredByMember(field);
    const sides = { old, next: own(after ?? {}, name), now: own(current, name) };
    return isByMember ? restoreMembers(sides, pointer(name), withheld) : old;
  });
  const fields = keepPlaces(kind, restored, current, withheld);
  return { fields, lost: [...new Set([...withheld, ...lost])] };
}

/** The names of the fields that an object does not show as they were recorded. */
function fieldsUnlike(kind: Kind, before: JsonObject, current: JsonObject): string[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const [old, now] = [own(before, name), own(current, name)];
    return old !== undefined && now !== undefined && sameValue(field, old, now) ? [] : [name];
  });
}

/** The fields with markers at the places to keep, so that the plan shows these neither in differences nor in requests. */
function keepPlaces(
  kind: Kind,
  fields: JsonObject,
  current: JsonObject,
  places: readonly Pointer[],
): JsonObject {
  // No part of an unchanged field may be marked alone: what it declares would become the whole field.
  const marked = places.map((place) => (isIn(fields, place) ? place : topOf(place)));
  const kept = [...new Set(marked)].filter((place) => isShown(place, current));
  const opened = mapMembers(fields, (value, name) =>
    isDeclaredByMember(fieldNamed(kind, name))
      ? openCleared(value, own(current, name), pointer(name), kept)
      : value,
  );
  return kept.reduce(markPlace, opened);
}

/** A value with null for each member of what it clears around a kept place: a marker in there alone would keep them all. */
function openCleared(value: Json, now: Json | undefined, at: Pointer, kept: readonly Pointer[]): Json {
  const members = value === null ? now : value;
  if (!isObject(members) || !kept.some((place) => place !== at && isWithin(place, at))) return value;
  return mapMembers(members, (item, name) => {
    const below = isObject(now) ? own(now, name) : undefined;
    return openCleared(value === null ? null : item, below, `${at}${pointer(name)}`, kept);
  });
}

/** The names of the recorded fields whose values can be written again, and the places of the others. */
function splitRecorded(before: JsonObject, names: readonly string[]) {
  const recorded = names.filter((name) => own(before, name) !== undefined);
  const isUsable = (name: string) => !containsMarker(own(before, name) ?? null);
  return {
    usable: recorded.filter(isUsable),
    lost: recorded.filter((name) => !isUsable(name)).map((name) => pointer(name)),
  };
}

/** The recorded records, with null for the members that they did not have: a record is restored member for member. */
function restoreRecords(field: RecordsField, old: Json, current: Json | undefined): Json {
  if (!isArray(old)) return old;
  const added = new Map<Json, JsonObject>();
  for (const { declared, live } of pairRecords(old, current, field)) {
    if (declared === null || live === null) continue;
    const had = comparableRecord(declared, field);
    const isAdded = (name: string) => own(had, name) === undefined;
    const now = comparableRecord(live, field);
    added.set(
      declared,
      mapMembers(now, (_, name) => (isAdded(name) ? null : undefined)),
    );
  }
  return old.map((record) => (isObject(record) ? { ...record, ...added.get(record) } : record));
}

/** A value before the apply, after it, and in the tenant now. */
interface Sides {
  readonly old: Json | undefined;
  readonly next: Json | undefined;
  readonly now: Json | undefined;
}

/**
 * The members of an object that differ, and null for those that did not exist: they are declared one by one. So are those of
 * an object that did not exist, where it has others now: somebody added them, or the result left them out.
 */
function restoreMembers({ old, next, now }: Sides, at: Pointer, withheld: readonly Pointer[]): Json {
  const isNew = (old ?? null) === null && isObject(next) && hasOthers(now, next);
  const before = isNew ? {} : old;
  if (!isObject(before) || !isObject(next)) return old ?? null;
  const names = new Set([...Object.keys(before), ...Object.keys(next)]);
  const current = isObject(now) ? now : {};
  const differing = [...names].flatMap((name): [string, Json][] => {
    const sides = { old: own(before, name), next: own(next, name), now: own(current, name) };
    const place = `${at}${pointer(name)}`;
    if (withheld.includes(place) || sameJson(sides.old ?? null, sides.next ?? null)) return [];
    return [[name, restoreMembers(sides, place, withheld)]];
  });
  return objectFrom(differing);
}

/** Whether an object has other members than those that a result shows, at any depth. */
function hasOthers(now: Json | undefined, shown: JsonObject): boolean {
  if (!isObject(now)) return false;
  return Object.entries(now).some(([name, value]) => {
    const known = own(shown, name);
    return known === undefined || (isObject(known) && hasOthers(value, known));
  });
}

/** The object around a place, where the apply replaced it and the result recorded nothing of it. */
function findHollow(place: Pointer, before: JsonObject, after: JsonObject): Pointer {
  const [, , ...insideField] = placesAbove(place);
  return insideField.find((at) => isHollow(valueAt(before, at)) && !isObject(valueAt(after, at))) ?? place;
}

const isHollow = (value: Json | undefined): boolean =>
  isObject(value) && Object.values(value).every((item) => isHollow(item));

const topOf = (place: Pointer): Pointer => pointer(segmentsOf(place)[0] ?? '');
const isIn = (fields: JsonObject, place: Pointer): boolean => valueAt(fields, topOf(place)) !== undefined;

/** Whether the object shows a value at the place. A field that is unset or not shown stays so in a write without it. */
function isShown(place: Pointer, current: JsonObject): boolean {
  return (valueAt(current, topOf(place)) ?? null) !== null && valueAt(current, place) !== undefined;
}

/** Fields with a marker at a place, which keeps the object's value there. */
export function markPlace(fields: JsonObject, place: Pointer): JsonObject {
  const marked = setMember(fields, segmentsOf(place), liveMarker(place));
  return isObject(marked) ? marked : fields;
}

/** The place, or the outermost list around it: items of a list have no names to find them by. */
export function liftAboveLists(place: Pointer, sides: readonly JsonObject[]): Pointer {
  return placesAbove(place).find((at) => sides.some((side) => isArray(valueAt(side, at)))) ?? place;
}
