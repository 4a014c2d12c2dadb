import { isArray, isObject, type Json, type JsonObject, own } from './json.ts';

/** The object under a name; an empty one where there is none. */
export function objectOf(value: JsonObject, name: string): JsonObject {
  const member = own(value, name);
  return isObject(member) ? member : {};
}

/** The value of a record's field, which some hosts keep in its `attributes`; `null` where there is none. */
export function recordField(record: JsonObject, name: string): Json {
  return own(record, name) ?? own(objectOf(record, 'attributes'), name) ?? null;
}

/** The texts in the list under a name; none where there is no list. */
export function textsOf(value: JsonObject, name: string): string[] {
  const list = own(value, name);
  return isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The number under a name; `null` where there is none. */
export function numberOf(value: JsonObject, name: string): number | null {
  const number = own(value, name);
  return typeof number === 'number' ? number : null;
}

/** Whether a value is a reference as the API writes it: an id, with or without its type and name. */
export function isReference(value: Json): value is JsonObject {
  return (
    isObject(value) &&
    Object.hasOwn(value, 'id') &&
    Object.keys(value).every((name) => ['type', 'id', 'name'].includes(name))
  );
}

/** Keys that could reach the prototype of an object. */
export const unsafeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Whether a descriptor can name a member of an object, as schemas/kind.schema.json says. */
export function isMemberName(name: string): boolean {
  return /^[A-Za-z_][\w-]{0,99}$/.test(name) && !unsafeKeys.includes(name);
}

/** Whether a manifest can have a field of that name: it keeps some for itself. */
export function isFieldName(name: string): boolean {
  return isMemberName(name) && !['kind', 'ensure', 'lifecycle', 'id'].includes(name);
}
