import jsonpatch from 'fast-json-patch';
import { canonicalJson, isArray, isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { containsMarker, livePlace } from '../model/marker.ts';
import { valueAt } from '../model/pointer.ts';

/** One operation of a JSON Patch (RFC 6902) that sets or removes one member. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value: Json;
}

/**
 * The least JSON Patch that turns `before` into `after`, as a request body. Objects are entered, lists and markers
 * are replaced whole: a tenant may have reordered a list, so an index into it is not safe to write to.
 */
export function jsonPatch(before: JsonObject, after: JsonObject): JsonObject[] {
  return patchOperations(before, after).map(({ op, path, value }) =>
    op === 'remove' ? { op, path } : { op, path, value },
  );
}

export function patchOperations(before: JsonObject, after: JsonObject): PatchOperation[] {
  const found = jsonpatch.compare(opaque(withoutUnset(before)), opaque(after));
  // What stays as it is needs no operation.
  const changing = found.filter(({ path }) => livePlace(valueAt(after, path)) !== path);
  return changing.map((operation) => {
    switch (operation.op) {
      case 'add':
      case 'replace':
        return { op: operation.op, path: operation.path, value: valueAt(after, operation.path) ?? null };
      case 'remove':
        return { op: 'remove', path: operation.path, value: null };
      default:
        throw new TypeError(`Comparing two values never gives the operation "${operation.op}".`);
    }
  });
}

/** What is unset counts as not there: `add` sets it, where a strict tenant refuses to `replace` nothing. */
function withoutUnset(values: JsonObject): JsonObject {
  const isSet = (value: Json) => value !== null && !(isArray(value) && value.length === 0);
  return objectFrom(Object.entries(values).filter(([, value]) => isSet(value)));
}

/** Lists and markers as text, so that a comparison does not look inside them. */
function opaque(value: JsonObject): JsonObject {
  return objectFrom(
    Object.entries(value).map(([key, item]) => {
      if (isArray(item) || (isObject(item) && isMarker(item))) return [key, canonicalJson(item)];
      return [key, isObject(item) ? opaque(item) : item];
    }),
  );
}

function isMarker(value: JsonObject): boolean {
  return (
    Object.keys(value).length === 1 &&
    Object.keys(value)[0]?.startsWith('$') === true &&
    containsMarker(value)
  );
}
