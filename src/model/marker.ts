import type { Address } from './address.ts';
import {
  canonicalJson,
  get,
  getText,
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
} from './json.ts';
import {
  type Pointer,
  placeAbove,
  placesAbove,
  placesOf,
  pointer,
  segmentsOf,
  valueAt,
  withValueAt,
} from './pointer.ts';

/** Markers that no plan declares: they stand in request bodies, or in manifests that are not resolved yet. */
export const foreignMarkers: readonly string[] = ['$lookup', '$beside', '$jsonText', '$tag', '$literal'];

/**
 * Values that are filled in later are marker objects with one key:
 *
 * - `{"$secret": NAME}` in declared fields and request bodies: the text of a secret, known only when sending;
 * - `{"$lookup": {from, where, take}}` in declared fields: a record's field, known once the tenant was read;
 * - `{"$ref": ADDRESS}` in declared fields, differences and request bodies: the id of an object, known once the tenant was
 *   read, or once an apply has created the object;
 * - `{"$live": POINTER}` in declared fields and request bodies: the object's own value, neither shown nor changed, read
 *   just before sending;
 * - `{"$beside": [POINTER, members, NAME…]}` in request bodies: these members, beside all others that the object has there just
 *   before sending, except those named;
 * - `{"$jsonText": value}` in request bodies: `value` as JSON text;
 * - `{"$tag": [tag, argument, offset]}` in documents whose tags are not resolved yet;
 * - `{"$literal": value}` in request bodies: `value` as it is, for foreign data that looks like a marker.
 *
 * Where an id is the name of a member, `$ref:ADDRESS` is the name.
 *
 * A manifest cannot write a marker by hand (the loader refuses these keys), and foreign data is wrapped by
 * {@link literal}, so a tenant cannot make tenantctl send a secret.
 */
const markerKeys: readonly string[] = ['$secret', '$ref', '$live', ...foreignMarkers];

export interface Lookup {
  readonly from: string;
  readonly where: Readonly<Record<string, string>>;
  readonly take: string;
}

export const lookupMarker = ({ from, where, take }: Lookup): JsonObject => ({
  $lookup: { from, where: { ...where }, take },
});

/** `value` from outside, made safe for a request body. */
export function literal(value: Json): Json {
  return containsMarker(value) ? { $literal: value } : value;
}

/**
 * A copy of `root` with the live value at `at`, and the objects around it. A list that `at` leads into is copied whole. A marker
 * that `at` leads into stays as it is: it stands for all that is inside.
 */
export function withLiveValue(live: JsonObject, root: JsonObject, at: Pointer): JsonObject {
  const place = placeAbove(live, at, isArray) ?? at;
  if (placeAbove(root, place, isFilledInLater) !== null) return root;
  const value = valueAt(live, place);
  if (value === undefined) return withValueAt(root, place, undefined);
  const opened = placesAbove(place).reduce(
    (each, above) => (valueAt(each, above) === undefined ? withValueAt(each, above, {}) : each),
    root,
  );
  return withValueAt(opened, place, containsMarker(value) ? { $live: place } : value);
}

export const secretName = (value: Json | undefined): string | null => getText(markerIn(value), '$secret');
export const livePlace = (value: Json | undefined): Pointer | null => getText(markerIn(value), '$live');
export const refOf = (value: Json | undefined): Address | null => getText(markerIn(value), '$ref');

const namePrefix = '$ref:';

/** The address in the name of a member that is the id of an object; `null` for other names. */
export const refOfName = (name: string): Address | null =>
  name.startsWith(namePrefix) ? name.slice(namePrefix.length) : null;

export function nameFrom(id: Json): string {
  const to = refOf(id);
  return to === null ? String(id) : namePrefix + to;
}

/** Pointers to the secret markers in declared fields, and to the values that they leave as they are. */
export function secretPlaces(value: Json, at: Pointer = ''): Pointer[] {
  return placesOf(value, (part) => secretName(part) !== null || livePlace(part) !== null, at);
}

/**
 * The contents of the markers in a declared value or a request body; for `$ref` also those in the names of members. Literals are
 * foreign: they contain no markers.
 */
export function markersIn(value: Json, key: '$ref' | '$secret' | '$live'): string[] {
  if (typeof value !== 'object' || value === null || literalOf(value) !== undefined) return [];
  const text = getText(markerIn(value), key);
  if (text !== null) return [text];
  const inside = itemsOf(value).flatMap((item) => markersIn(item, key));
  if (key !== '$ref' || !isObject(value)) return inside;
  return [...Object.keys(value).flatMap((name) => refOfName(name) ?? []), ...inside];
}

type IdOf = (to: Address) => Json | undefined;

/** The value with the ids that `idOf` knows in place of its reference markers. Literals stay as they are. */
export function fillRefs(value: Json, idOf: IdOf): Json {
  return fill(
    value,
    (part) => {
      const to = refOf(part);
      return to === null ? undefined : idOf(to);
    },
    (name) => fillName(name, idOf),
  );
}

function fillName(name: string, idOf: IdOf): string {
  const to = refOfName(name);
  return to === null ? name : nameFrom(idOf(to) ?? { $ref: to });
}

export const fillPointer = (at: Pointer, idOf: IdOf): Pointer =>
  pointer(...segmentsOf(at).map((name) => fillName(name, idOf)));

/** Live markers become what `read` returns for their places, if anything, as literals; `others` are the members at a place. */
export function fillLive(
  body: Json,
  read: (at: Pointer) => Json | undefined,
  others: (at: Pointer) => JsonObject = () => ({}),
): Json {
  const there = withoutLive(body, (at) => read(at) === undefined);
  return fill(there, (part) => {
    const place = livePlace(part);
    if (place !== null) return { $literal: read(place) ?? null };
    const { at, members, names } = besideIn(part) ?? {};
    if (at === undefined) return undefined;
    const more = mapMembers(others(at), (item, name) => (names?.includes(name) ? undefined : literal(item)));
    return mapMembers({ ...more, ...members }, (item) => fillLive(item, read, others));
  });
}

export function besideIn(value: Json | undefined) {
  const beside = get(markerIn(value), '$beside');
  const [at, members = null, ...names] = isArray(beside) ? beside : [];
  return typeof at === 'string' && isObject(members) ? { at, members, names } : null;
}

/** A body without the live values for which `isLeftOut`. */
function withoutLive(body: Json, isLeftOut: (at: Pointer) => boolean): Json {
  const isKept = (item: Json) => {
    const at = livePlace(jsonTextOf(item) ?? item);
    return at === null || !isLeftOut(at);
  };
  if (isArray(body)) return body.filter(isKept).map((item) => withoutLive(item, isLeftOut));
  if (!isObject(body) || literalOf(body) !== undefined) return body;
  return mapMembers(body, (item) => (isKept(item) ? withoutLive(item, isLeftOut) : undefined));
}

/**
 * Secret markers become what `reveal` returns, literals what they hold, and `write` makes the text of JSON in text. A text in its
 * place is sent as it is: a secret or a template that is JSON itself.
 */
export function renderBody(
  body: Json,
  reveal: (name: string) => string,
  write: (value: Json) => string = JSON.stringify,
): Json {
  return fill(body, (part) => {
    const verbatim = literalOf(part);
    if (verbatim !== undefined) return verbatim;
    const name = secretName(part);
    if (name !== null) return reveal(name);
    const inner = jsonTextOf(part);
    if (inner === undefined) return undefined;
    const rendered = renderBody(inner, reveal, write);
    return typeof rendered === 'string' ? rendered : write(rendered);
  });
}

/** The value with parts replaced by `replace`, outermost first. With `undefined`, a part stays. */
function fill(
  value: Json,
  replace: (part: Json) => Json | undefined,
  rename: (name: string) => string = (name) => name,
): Json {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (isArray(value)) return value.map((item) => fill(item, replace, rename));
  if (!isObject(value) || literalOf(value) !== undefined) return value;
  return objectFrom(
    Object.entries(value).map(([name, item]) => [rename(name), fill(item, replace, rename)] as const),
  );
}

/** Whether a declared value is a marker, so that its text is not known yet. */
export function isFilledInLater(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const text = secretName(value) ?? livePlace(value) ?? refOf(value);
  return text !== null || lookupOf(value) !== null;
}

export const literalOf = (value: Json | undefined): Json | undefined => get(markerIn(value), '$literal');
export const jsonTextOf = (value: Json | undefined): Json | undefined => get(markerIn(value), '$jsonText');

export function lookupOf(value: Json | undefined): Lookup | null {
  const lookup = get(markerIn(value), '$lookup');
  if (!isObject(lookup)) return null;
  const { from, where, take } = lookup;
  if (typeof from !== 'string' || typeof take !== 'string' || !isObject(where)) return null;
  const filters = Object.entries(where).map(([field, text]): [string, string] => [field, String(text)]);
  return { from, where: Object.fromEntries(filters), take };
}

export const lookupKey = (lookup: Lookup): string => canonicalJson(lookupMarker(lookup));

export function lookupWords({ from, where, take }: Lookup): string {
  return `!lookup { from: ${from}, where: { ${conditionWords(where)} }, take: ${take} }`;
}

/** The short words for the lookup that found a value: `!lookup profiles uid: dept-engineering`. */
export function lookedUpWords({ from, where }: Lookup): string {
  return `!lookup ${from} ${conditionWords(where)}`;
}

function conditionWords(where: Lookup['where']): string {
  return Object.entries(where)
    .map(([field, value]) => `${field}: ${value}`)
    .join(', ');
}

export const isLookedUp = (name: string): boolean => name.startsWith('!lookup ');

export function literalTexts(body: Json, isForeign = false): string[] {
  const verbatim = isForeign ? undefined : literalOf(body);
  if (verbatim !== undefined) return literalTexts(verbatim, true);
  if (typeof body === 'object') return itemsOf(body).flatMap((item) => literalTexts(item, isForeign));
  return isForeign && typeof body !== 'boolean' ? [String(body)] : [];
}

/** Whether a member of this name would make its object a marker, or is one itself. */
export const isMarkerKey = (name: string): boolean =>
  name.startsWith('$') && (markerKeys.includes(name) || refOfName(name) !== null);

export function containsMarker(value: Json): boolean {
  if (isObject(value) && Object.keys(value).some(isMarkerKey)) return true;
  return itemsOf(value).some(containsMarker);
}

/** The value if it may be a marker: an object with one member. An empty object for any other. */
function markerIn(value: Json | undefined): JsonObject {
  return isObject(value) && Object.keys(value).length === 1 ? value : noMarker;
}

const noMarker: JsonObject = {};
