import {
  canonicalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectFrom,
  own,
} from '../model/json.ts';
import { readJsonText } from './jsontext.ts';
import type { Field } from './kind.ts';

/**
 * The value as it is compared: two values of a field are the same exactly when their comparable forms are.
 * What is unset (absent, null, an empty text or list) is `null`.
 */
export function comparable(field: Field, value: Json | undefined): Json {
  if (value === undefined || value === null) return null;
  switch (field.is) {
    case 'value':
      return value;
    case 'text':
      return typeof value === 'string' ? value.replaceAll(/\r\n?/g, '\n') || null : value;
    case 'email':
      return typeof value === 'string' ? value.toLowerCase() || null : value;
    case 'set':
      return isArray(value) ? comparableSet(value) : value;
    case 'json':
      return comparableJsonText(readJsonText(value), field.nested ?? []);
    case 'reference':
      return isObject(value) ? comparableReference(value) : value;
    case 'records':
      return isArray(value) && value.length === 0 ? null : value;
  }
}

/** Sorted, each once; `null` when empty. */
function comparableSet(items: readonly Json[]): Json {
  const byText = new Map(items.map((item) => [canonicalJson(item), item]));
  const sorted = [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  return sorted.length > 0 ? sorted : null;
}

function comparableJsonText(value: Json, nested: readonly string[]): Json {
  if (!isObject(value)) return value === '' ? null : value;
  return objectFrom(
    Object.entries(value).map(([key, item]) => [key, nested.includes(key) ? readJsonText(item) : item]),
  );
}

/** A reference with an id is that id; the server may answer with another name for it. */
function comparableReference(value: JsonObject): Json {
  const id = own(value, 'id') ?? null;
  const type = own(value, 'type') ?? null;
  if (id !== null) return { type, id };
  const name = own(value, 'name') ?? null;
  return name === null ? null : { type, name };
}
