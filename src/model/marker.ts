import { isArray, isObject, type Json, type JsonObject, mapJson, own } from './json.ts';
import type { Pointer } from './pointer.ts';

/**
 * Values that are filled in later stand as marker objects with one key:
 *
 * - `{"$secret": NAME}` in declared fields and request bodies: the text of a secret, known only when sending;
 * - `{"$lookup": {from, where, take}}` in declared fields: a record's field, known once the tenant was asked;
 * - `{"$live": POINTER}` in declared fields and request bodies: what the object has there, unshown and unchanged, read
 *   just before sending;
 * - `{"$jsonText": value}` in request bodies: `value` as JSON text;
 * - `{"$literal": value}` in request bodies: `value` as it is, for foreign data that looks like a marker.
 *
 * A manifest cannot write a marker by hand (the loader refuses these keys), and foreign data is wrapped by
 * {@link literal}, so a tenant cannot make tenantctl send a secret.
 */
export const markerKeys = ['$secret', '$lookup', '$live', '$jsonText', '$literal'] as const;
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
export const liveMarker = (at: Pointer): JsonObject => ({ $live: at });
export const jsonText = (value: Json): JsonObject => ({ $jsonText: value });

/** `value` from outside, made safe to stand in a request body. */
export function literal(value: Json): Json {
  return containsMarker(value) ? { $literal: value } : value;
}

/** The name of the secret that `value` stands for, or `null`. */
export function secretName(value: Json | undefined): string | null {
  const name = marked(value, '$secret');
  return typeof name === 'string' ? name : null;
}

/** The place in the live object that `value` stands for, or `null`. */
export function livePlace(value: Json | undefined): Pointer | null {
  const at = marked(value, '$live');
  return typeof at === 'string' ? at : null;
}

/** The foreign data that `value` wraps, or `undefined` where it is no literal. */
export function literalOf(value: Json | undefined): Json | undefined {
  return marked(value, '$literal');
}

/** The lookup that `value` stands for, or `null`. */
export function lookupOf(value: Json | undefined): Lookup | null {
  const lookup = marked(value, '$lookup');
  if (!isObject(lookup)) return null;
  const { from, where, take } = lookup;
  if (typeof from !== 'string' || typeof take !== 'string' || !isObject(where)) return null;
  const filters = Object.entries(where).map(([field, text]): [string, string] => [field, String(text)]);
  return { from, where: Object.fromEntries(filters), take };
}

/** `value` with every secret marker replaced by what `reveal` gives for its name. Literals stay untouched. */
export function renderBody(body: Json, reveal: (name: string) => string): Json {
  const verbatim = literalOf(body);
  if (verbatim !== undefined) return verbatim;
  const name = secretName(body);
  if (name !== null) return reveal(name);
  const inner = marked(body, '$jsonText');
  if (inner !== undefined) return JSON.stringify(renderBody(inner, reveal));
  if (isArray(body)) return body.map((item) => renderBody(item, reveal));
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, item]) => [key, renderBody(item, reveal)]));
}

/** Every text inside the literals of a request body. */
export function literalTexts(body: Json): string[] {
  const texts: string[] = [];
  mapJson(body, (item) => {
    const verbatim = literalOf(item);
    if (verbatim !== undefined) {
      mapJson(verbatim, (leaf) => {
        if (typeof leaf === 'string') texts.push(leaf);
        return leaf;
      });
    }
    return item;
  });
  return texts;
}

/**
 * `body` with every live marker replaced by what `read` gives for its place, as a literal. Throws what `read` throws.
 */
export function fillLive(body: Json, read: (at: Pointer) => Json): Json {
  if (literalOf(body) !== undefined) return body;
  const at = livePlace(body);
  if (at !== null) return { $literal: read(at) };
  if (isArray(body)) return body.map((item) => fillLive(item, read));
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, item]) => [key, fillLive(item, read)]));
}

/** Whether `value` is, or has anywhere inside, an object with a marker's key. */
export function containsMarker(value: Json): boolean {
  let found = false;
  mapJson(value, (item) => {
    found ||= isObject(item) && markerKeys.some((key) => Object.hasOwn(item, key));
    return item;
  });
  return found;
}

function marked(value: Json | undefined, key: MarkerKey): Json | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  return own(value, key);
}
