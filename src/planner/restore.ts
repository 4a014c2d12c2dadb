import { readableFields } from '../kinds/field.ts';
import type { Kind } from '../kinds/kind.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { containsMarker, liveMarker } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { changedFields, type Undo } from './undo.ts';

/** The fields that bring an object back to what a result recorded, and the places of which it did not record enough. */
export interface Restored {
  readonly fields: JsonObject;
  readonly lost: readonly Pointer[];
}

/** Everything that was recorded of a deleted object. */
export function restoredWhole({ kind, record }: Undo): Restored {
  const before = readableFields(kind, record.before ?? {});
  const names = Object.keys(kind.fields).filter((name) => own(before, name) !== undefined);
  const usable = names.filter((name) => !containsMarker(own(before, name) ?? null));
  return {
    fields: objectFrom(usable.map((name) => [name, own(before, name) ?? null])),
    lost: [
      ...(record.withheld ?? []),
      ...names.filter((name) => !usable.includes(name)).map((name) => pointer(name)),
    ],
  };
}

/** What an update changed, as it was before; the rest of the object is none of a rollback's business. */
export function restoredChanges({ kind, record }: Undo, live: LiveObject): Restored {
  const { after, outcome } = record;
  const before = readableFields(kind, record.before ?? {});
  const current = readableFields(kind, live.fields);
  const withheld = (record.withheld ?? []).map((place) => aboveLists(place, [before, current]));
  // What an answer did not tell is not known to be as recorded either.
  const isKnown = after !== null && outcome !== 'unknown';
  const names = isKnown ? changedFields(kind, before, after) : Object.keys(kind.fields);
  const recorded = names.filter((name) => own(before, name) !== undefined);
  const usable = recorded.filter((name) => !containsMarker(own(before, name) ?? null));
  const restored = usable.map((name): [string, Json] => {
    const old = own(before, name) ?? null;
    const isByMember = isKnown && isDeclaredByMember(kind, name);
    return [name, isByMember ? restoredMembers(old, own(after, name), pointer(name), withheld) : old];
  });
  // Named, so that the plan shows them neither in its differences nor in its requests.
  const fields = withheld
    .filter((place) => !isUnset(place, current))
    .reduce((all, place) => kept(all, segmentsOf(place), place, current), objectFrom(restored));
  return {
    fields,
    lost: [
      ...new Set([
        ...withheld,
        ...recorded.filter((name) => !usable.includes(name)).map((name) => pointer(name)),
      ]),
    ],
  };
}

function isDeclaredByMember(kind: Kind, name: string): boolean {
  const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
  return field?.is === 'json' && field.declares === 'members';
}

/** Members of an object that is declared one by one: those that differ, and null for those that were not there. */
function restoredMembers(old: Json, next: Json | undefined, at: Pointer, withheld: readonly Pointer[]): Json {
  if (!isObject(old) || !isObject(next)) return old;
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  const differing = [...names].flatMap((name): [string, Json][] => {
    const [before, after] = [own(old, name), own(next, name)];
    const place = `${at}${pointer(name)}`;
    if (withheld.includes(place) || sameJson(before ?? null, after ?? null)) return [];
    return [[name, before === undefined ? null : restoredMembers(before, after, place, withheld)]];
  });
  return objectFrom(differing);
}

/** Whether the place is a whole field that is not there, or not shown: to leave it as it is, a write goes without it. */
function isUnset(place: Pointer, current: JsonObject): boolean {
  const [name = '', ...below] = segmentsOf(place);
  return below.length === 0 && (own(current, name) ?? null) === null;
}

/** Fields with a marker at a place, which leaves what the object has there; unchanged where it has nothing. */
function kept(
  fields: JsonObject,
  [name, ...below]: readonly string[],
  place: Pointer,
  current: JsonObject,
): JsonObject {
  if (name === undefined || valueAt(current, place) === undefined) return fields;
  const inner = own(fields, name);
  const value =
    below.length === 0 ? liveMarker(place) : kept(isObject(inner) ? inner : {}, below, place, current);
  return objectFrom([...Object.entries(fields).filter(([other]) => other !== name), [name, value]]);
}

/** The place, or the outermost list that it lies in: items of lists have no names to find them by. */
function aboveLists(place: Pointer, sides: readonly JsonObject[]): Pointer {
  const way = segmentsOf(place);
  const depth = way.findIndex((_, at) =>
    sides.some((side) => isArray(valueAt(side, pointer(...way.slice(0, at + 1))))),
  );
  return depth < 0 ? place : pointer(...way.slice(0, depth + 1));
}
