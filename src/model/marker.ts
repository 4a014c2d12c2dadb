import type { Address } from './address.ts';
import { isArray, isObject, itemsOf, type Json, type JsonObject, mapMembers, own } from './json.ts';
import type { Pointer } from './pointer.ts';

/**
 * Values that are filled in later are marker objects with one key:
 *
 * - `{"$secret": NAME}` in declared fields and request bodies: the text of a secret, known only when sending;
 * - `{"$lookup": {from, where, take}}` in declared fields: a record's field, known once the tenant was read;
 * - `{"$ref": ADDRESS}` in declared fields, differences and request bodies: the id of an object, known once the tenant was
 *   read, or once an apply has created the object;
 * - `{"$live": POINTER}` in declared fields and request bodies: the object's own value, neither shown nor changed, read
 *   just before sending;
 * - `{"$jsonText": value}` in request bodies: `value` as JSON text;
 * - `{"$tag": [tag, argument, offset]}` in documents whose tags are not resolved yet;
 * - `{"$literal": value}` in request bodies: `value` as it is, for foreign data that looks like a marker.
 *
 * A manifest cannot write a marker by hand (the loader refuses these keys), and foreign data is wrapped by
 * {@link literal}, so a tenant cannot make tenantctl send a secret.
 */
export const markerKeys = ['$secret', '$lookup', '$ref', '$live', '$jsonText', '$tag', '$literal'] as const;
type MarkerKey = (typeof markerKeys)[number];

export interface Lookup {
  readonly from: string;
  readonly where: Readonly<Record<string, string>>;
  readonly take: string;
}

export const secretMarker = (name: string): JsonObject => ({ $secret: name });
export const lookupMarker = ({ from, where, take }: Lookup): JsonObject => ({
  $lookup: { from, where: { ...where }, take },
});
export const refMarker = (to: Address): JsonObject => ({ $ref: to });
export const liveMarker = (at: Pointer): JsonObject => ({ $live: at });
export const jsonText = (value: Json): JsonObject => ({ $jsonText: value });

/** `value` from outside, made safe for a request body. */
export function literal(value: Json): Json {
  return containsMarker(value) ? { $literal: value } : value;
}

/** The secret's name in a secret marker; `null` for other values. */
export function secretName(value: Json | undefined): string | null {
  const name = markerContent(value, '$secret');
  return typeof name === 'string' ? name : null;
}

/** The place in a live marker; `null` for other values. */
export function livePlace(value: Json | undefined): Pointer | null {
  const at = markerContent(value, '$live');
  return typeof at === 'string' ? at : null;
}

/** The address in a reference marker; `null` for other values. */
export function refOf(value: Json | undefined): Address | null {
  const to = markerContent(value, '$ref');
  return typeof to === 'string' ? to : null;
}

/** The addresses in the reference markers of a declared value or a request body. */
export function refsIn(value: Json): Address[] {
  if (literalOf(value) !== undefined) return [];
  const to = refOf(value);
  return to === null ? itemsOf(value).flatMap(refsIn) : [to];
}

/** The value with the ids that `idOf` knows in place of its reference markers. Literals stay as they are. */
export function fillRefs(value: Json, idOf: (to: Address) => string | undefined): Json {
  if (literalOf(value) !== undefined) return value;
  const to = refOf(value);
  if (to !== null) return idOf(to) ?? value;
  if (isArray(value)) return value.map((item) => fillRefs(item, idOf));
  return isObject(value) ? mapMembers(value, (item) => fillRefs(item, idOf)) : value;
}

/** The names of the secrets in a declared value or a request body. */
export function secretNamesIn(value: Json): string[] {
  if (literalOf(value) !== undefined) return [];
  const name = secretName(value);
  return name === null ? itemsOf(value).flatMap(secretNamesIn) : [name];
}

/** Whether a declared value is a marker, so that its text is not known yet. */
export function isFilledInLater(value: Json | undefined): boolean {
  return [secretName, livePlace, lookupOf, refOf].some((contentOf) => contentOf(value) !== null);
}

/** The foreign data in a literal; `undefined` for other values. */
export function literalOf(value: Json | undefined): Json | undefined {
  return markerContent(value, '$literal');
}

/** The value that a marker writes as JSON text; `undefined` for other values. */
export function jsonTextOf(value: Json | undefined): Json | undefined {
  return markerContent(value, '$jsonText');
}

/** The lookup in a lookup marker; `null` for other values. */
export function lookupOf(value: Json | undefined): Lookup | null {
  const lookup = markerContent(value, '$lookup');
  if (!isObject(lookup)) return null;
  const { from, where, take } = lookup;
  if (typeof from !== 'string' || typeof take !== 'string' || !isObject(where)) return null;
  const filters = Object.entries(where).map(([field, text]): [string, string] => [field, String(text)]);
  return { from, where: Object.fromEntries(filters), take };
}

/** A lookup as it is written in a manifest, for messages and reports. */
export function lookupWords({ from, where, take }: Lookup): string {
  const fields = Object.entries(where).map(([field, value]) => `${field}: ${value}`);
  return `!lookup { from: ${from}, where: { ${fields.join(', ')} }, take: ${take} }`;
}

/** The short words for the lookup that found a value: `!lookup profiles uid: dept-engineering`. */
export function lookedUpWords({ from, where }: Lookup): string {
  const fields = Object.entries(where).map(([field, value]) => `${field}: ${value}`);
  return `!lookup ${from} ${fields.join(', ')}`;
}

/** Whether a name in a plan is that of a lookup, and not the address of an object. */
export const isLookedUp = (name: string): boolean => name.startsWith('!lookup ');

/** The body with its secret markers replaced by what `reveal` returns for their names. Literals stay as they are. */
export function renderBody(body: Json, reveal: (name: string) => string): Json {
  const verbatim = literalOf(body);
  if (verbatim !== undefined) return verbatim;
  const name = secretName(body);
  if (name !== null) return reveal(name);
  const inner = jsonTextOf(body);
  if (inner !== undefined) return JSON.stringify(renderBody(inner, reveal));
  if (isArray(body)) return body.map((item) => renderBody(item, reveal));
  if (!isObject(body)) return body;
  return mapMembers(body, (item) => renderBody(item, reveal));
}

/** The texts and numbers inside the literals of a request body, as text. */
export function literalTexts(body: Json): string[] {
  const verbatim = literalOf(body);
  return verbatim === undefined ? itemsOf(body).flatMap(literalTexts) : textsIn(verbatim);
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return itemsOf(value).flatMap(textsIn);
}

/**
 * The body with its live markers replaced by what `read` returns for their places, as literals. Throws what `read` throws.
 */
export function fillLive(body: Json, read: (at: Pointer) => Json): Json {
  if (literalOf(body) !== undefined) return body;
  const at = livePlace(body);
  if (at !== null) return { $literal: read(at) };
  if (isArray(body)) return body.map((item) => fillLive(item, read));
  if (!isObject(body)) return body;
  return mapMembers(body, (item) => fillLive(item, read));
}

/** Whether `value` is or contains an object with a marker's key. */
export function containsMarker(value: Json): boolean {
  if (isObject(value) && markerKeys.some((key) => Object.hasOwn(value, key))) return true;
  return itemsOf(value).some(containsMarker);
}

function markerContent(value: Json | undefined, key: MarkerKey): Json | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  return own(value, key);
}
