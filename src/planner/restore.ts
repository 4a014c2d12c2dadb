import { readableFields } from '../kinds/field.ts';
import type { Kind } from '../kinds/kind.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { containsMarker, liveMarker } from '../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { changedFields, type Undo } from './undo.ts';

/** The fields that bring an object back to what a result recorded, and the places of which it did not record enough. */
export interface Restored {
  readonly fields: JsonObject;
  readonly lost: readonly Pointer[];
}

/** Everything that was recorded of a deleted object. */
export function restoredWhole({ kind, record }: Undo): Restored {
  const before = record.before ?? {};
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
  const { before, after, outcome, withheld = [] } = record;
  if (!before) return { fields: {}, lost: withheld };
  // What an answer did not tell is not known to be as recorded either.
  const isKnown = after !== null && outcome !== 'unknown';
  const names = isKnown ? changedFields(kind, before, after) : Object.keys(kind.fields);
  const current = readableFields(kind, live.fields);
  const restored = names.flatMap((name): [string, Json | undefined][] => {
    const old = own(before, name);
    if (old === undefined) return [];
    return [
      [
        name,
        restoredField(kind, name, { old, next: isKnown ? own(after, name) : undefined, current, withheld }),
      ],
    ];
  });
  return {
    fields: objectFrom(
      restored.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ),
    lost: [...withheld, ...restored.flatMap(([name, value]) => (value === undefined ? [pointer(name)] : []))],
  };
}

interface Side {
  readonly old: Json;
  readonly next: Json | undefined;
  /** The object's fields as they are, JSON in text taken apart. */
  readonly current: JsonObject;
  readonly withheld: readonly Pointer[];
}

/** `undefined` where what was left out of the record cannot be kept apart from what is restored. */
function restoredField(kind: Kind, name: string, side: Side): Json | undefined {
  const at = pointer(name);
  const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
  const inside = side.withheld.filter((place) => isWithin(place, at));
  if (containsMarker(side.old) || inside.some((place) => isInList(side, place))) return undefined;
  const members = field?.is === 'json' && field.declares === 'members';
  const value = members ? restoredMembers(side.old, side.next, at, inside) : side.old;
  // Named, so that the plan shows them neither in its differences nor in its requests.
  return inside.reduce((whole, place) => kept(whole, segmentsOf(place).slice(1), place, side.current), value);
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

/** `value` with a marker at `way` that leaves what the object has there; unchanged where it has nothing. */
function kept(value: Json, way: readonly string[], place: Pointer, current: JsonObject): Json {
  if (valueAt(current, place) === undefined) return value;
  const [name, ...below] = way;
  if (name === undefined) return liveMarker(place);
  const members = new Map(isObject(value) ? Object.entries(value) : []);
  members.set(name, kept(members.get(name) ?? {}, below, place, current));
  return objectFrom(members);
}

/** Whether a place lies in a list, whose items have no names to find them by. */
function isInList({ old, current }: Side, place: Pointer): boolean {
  const [name = '', ...way] = segmentsOf(place);
  return [old, own(current, name)].some((value) =>
    way.some((_, depth) => isArray(valueAt({ it: value ?? null }, pointer('it', ...way.slice(0, depth))))),
  );
}
