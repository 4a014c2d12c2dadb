import jsonpatch from 'fast-json-patch';
import { canonicalJson, isArray, isObject, type Json, type JsonObject, mapMembers } from '../model/json.ts';
import { containsMarker, livePlace } from '../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';

/** One operation of a JSON Patch (RFC 6902) that sets or removes one member. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value: Json;
}

/**
 * The smallest JSON Patch from `before` to `after`, as a request body. Objects are patched by member; lists and markers
 * are replaced as a whole: a tenant may have reordered a list, so an index into it is not safe.
 */
export function jsonPatch(before: JsonObject, after: JsonObject): JsonObject[] {
  return patchOperations(before, after).map(({ op, path, value }) =>
    op === 'remove' ? { op, path } : { op, path, value },
  );
}

export function patchOperations(before: JsonObject, after: JsonObject): PatchOperation[] {
  const found = jsonpatch.compare(opaque(dropUnset(before)), opaque(after));
  // Unchanged values need no operation.
  const changing = found.filter(({ path }) => livePlace(valueAt(after, path)) !== path);
  return changing.map(({ op, path }) => {
    if (op === 'remove') return { op, path, value: null };
    if (op === 'add' || op === 'replace') return { op, path, value: valueAt(after, path) ?? null };
    throw new TypeError(`Comparing two values never gives the operation "${op}".`);
  });
}

/**
 * The same changes for tenants that only know `replace`: where a member is new or goes, the nearest parent that exists is
 * replaced. The members of the document itself always exist.
 */
export function replaceOnly(
  operations: readonly PatchOperation[],
  before: JsonObject,
  after: JsonObject,
): PatchOperation[] {
  const places = new Set(
    operations.map(({ op, path }) => (op === 'replace' ? path : parentOf(path, before))),
  );
  const outermost = [...places].filter((place) =>
    [...places].every((other) => other === place || !isWithin(place, other)),
  );
  return outermost.map((path) => ({ op: 'replace', path, value: valueAt(after, path) ?? null }));
}

/** The nearest place above a member that `before` has. */
function parentOf(path: Pointer, before: JsonObject): Pointer {
  const above = segmentsOf(path).slice(0, -1);
  while (above.length > 1 && !isObject(valueAt(before, pointer(...above)) ?? null)) above.pop();
  return above.length === 0 ? path : pointer(...above);
}

/** Unset values count as absent: `add` sets them, where a strict tenant would refuse a `replace`. */
function dropUnset(values: JsonObject): JsonObject {
  const isUnset = (value: Json) => value === null || (isArray(value) && value.length === 0);
  return mapMembers(values, (value) => (isUnset(value) ? undefined : value));
}

/** Lists and markers as text, so that they are compared as a whole. */
function opaque(value: JsonObject): JsonObject {
  return mapMembers(value, (item) => {
    if (isArray(item) || (isObject(item) && isMarker(item))) return canonicalJson(item);
    return isObject(item) ? opaque(item) : item;
  });
}

function isMarker(value: JsonObject): boolean {
  return (
    Object.keys(value).length === 1 &&
    Object.keys(value)[0]?.startsWith('$') === true &&
    containsMarker(value)
  );
}
