import jsonpatch from 'fast-json-patch';
import {
  canonicalJson,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  sameJson,
} from '../model/json.ts';
import { isMarkerKey, livePlace, refOfName } from '../model/marker.ts';
import { isWithin, type Pointer, placesIn, pointer, segmentsOf, valueAt } from '../model/pointer.ts';

/**
 * The smallest JSON Patch (RFC 6902). Lists, markers and the members in `whole` are replaced: a tenant may have reordered a
 * list.
 */
export function jsonPatch(
  before: JsonObject,
  after: JsonObject,
  whole: ReadonlySet<string> = new Set(),
): JsonObject[] {
  return changesBetween(before, after, whole).map(({ op, path }) =>
    op === 'remove' ? { op, path } : { op, path, value: valueAt(after, path) ?? null },
  );
}

/** The same for tenants that only know `replace`, even if a member of an inner object is added or removed. */
export function replacingPatch(before: JsonObject, after: JsonObject): JsonObject[] {
  const changed = changesBetween(before, after, new Set()).map(({ op, path }) => {
    // Both sides have the object that gets or loses a member. A member of the document itself is replaced alone.
    const above = segmentsOf(path).slice(0, -1);
    return op === 'replace' || above.length === 0 ? path : pointer(...above);
  });
  const places = [...new Set(changed)];
  const outermost = places.filter((place) =>
    places.every((other) => other === place || !isWithin(place, other)),
  );
  return outermost.map((path) => ({ op: 'replace', path, value: valueAt(after, path) ?? null }));
}

function changesBetween(before: JsonObject, after: JsonObject, whole: ReadonlySet<string>) {
  // Unset values count as absent: `add` sets them; a strict tenant would refuse a `replace`.
  const current = mapMembers(before, (value) => {
    const isUnset = value === null || (isArray(value) && value.length === 0);
    return isUnset ? undefined : value;
  });
  const found = jsonpatch.compare(opaque(current, whole), opaque(after, whole));
  return found.filter(({ path }) => !isKept(valueAt(after, path), valueAt(before, path), path));
}

/** JSON text for what is compared as a whole, which includes objects with an id for a name that is not known yet. */
function opaque(value: JsonObject, whole: ReadonlySet<string>): JsonObject {
  return mapMembers(value, (item, name) => {
    const isOpen = isObject(item) && !whole.has(name) && !isMarker(item);
    return isOpen && Object.keys(item).every((member) => refOfName(member) === null)
      ? opaque(item, new Set())
      : canonicalJson(item);
  });
}

function isMarker(value: JsonObject): boolean {
  const [name = '', ...others] = Object.keys(value);
  return others.length === 0 && isMarkerKey(name) && refOfName(name) === null;
}

/** The smallest JSON Merge Patch (RFC 7396). Lists, markers and the members in `whole` are replaced as a whole. */
export function mergePatch(
  before: JsonObject,
  after: JsonObject,
  whole: ReadonlySet<string> = new Set(),
  at: Pointer = '',
): JsonObject {
  const removed = mapMembers(before, (_, name) => (Object.hasOwn(after, name) ? undefined : null));
  const written = mapMembers(after, (value, name) => {
    const current = get(before, name) ?? null;
    const place = `${at}${pointer(name)}`;
    if (isKept(value, current, place)) return undefined;
    if (whole.has(name) || !isObject(value) || !isObject(current) || isMarker(value)) return value;
    const inner = mergePatch(current, value, new Set(), place);
    return Object.keys(inner).length === 0 ? undefined : inner;
  });
  return { ...removed, ...written };
}

/** Whether a value equals the one at its place, as far as known: parts that no plan shows are markers for themselves. */
export function isKept(value: Json | undefined, current: Json | undefined, place: Pointer): boolean {
  if (value === undefined || current === undefined) return false;
  if (livePlace(value) === place || sameJson(value, current)) return true;
  const [parts, others] = [placesIn(value, place), new Map(placesIn(current, place))];
  const isAlike = isArray(value) === isArray(current) && parts.length > 0 && parts.length === others.size;
  return isAlike && parts.every(([at, part]) => isKept(part, others.get(at), at));
}

/** A marker in the patch is a single value. With `isMapping`, the patch merges into the value instead of replacing it. */
export function applyMergePatch(
  value: Json,
  patch: Json,
  isMapping: (part: Json) => part is JsonObject = isObject,
): Json {
  if (!isObject(patch) || isMarker(patch)) return patch;
  const members = new Map(isMapping(value) ? Object.entries(value) : []);
  for (const [name, item] of Object.entries(patch)) {
    if (item === null) members.delete(name);
    else members.set(name, applyMergePatch(members.get(name) ?? null, item, isMapping));
  }
  return objectFrom(members);
}
