import { isArray, isObject, type Json, objectFrom } from '../model/json.ts';
import type { Variations } from './variations.ts';

/** An answer as the server rewrites it: empty lists as null, lists in another order (api-notes, "server rewrites"). */
export function rewritten(body: Json, { emptyAsNull, shuffleLists }: Variations): Json {
  if (!emptyAsNull && !shuffleLists) return body;
  const list = (items: readonly Json[]): Json => (shuffleLists ? items.toReversed() : items);
  const member = (value: Json): Json => {
    if (isArray(value)) return emptyAsNull && value.length === 0 ? null : list(value.map(item));
    return item(value);
  };
  const item = (value: Json): Json => {
    if (isArray(value)) return list(value.map(item));
    if (!isObject(value)) return value;
    return objectFrom(Object.entries(value).map(([key, inner]) => [key, member(inner)] as const));
  };
  // The outermost list may be a page of a larger one, whose order must hold.
  return isArray(body) ? body.map(item) : item(body);
}
