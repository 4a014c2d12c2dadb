import { get, isArray, isObject, type Json, type JsonObject, objectFrom } from './json.ts';

/** A JSON pointer (RFC 6901), such as `/attributes/url`; `''` is the whole value. */
export type Pointer = string;

export function pointer(...segments: readonly (string | number)[]): Pointer {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

export function segmentsOf(at: Pointer): string[] {
  return at
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The first name of a pointer: the field, in a pointer into an object's fields. */
export const topName = (at: Pointer): string => segmentsOf(at)[0] ?? '';

/** The value at `at`, or `undefined`. Only own keys are followed. */
export function valueAt(root: Json, at: Pointer): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of segmentsOf(at)) {
    if (isArray(value)) value = /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
    else if (isObject(value)) value = get(value, segment);
    else return undefined;
  }
  return value;
}

/** The items or members of the value at `at`, with their places; none for other values. */
export function placesIn(value: Json, at: Pointer): [Pointer, Json][] {
  if (!isArray(value) && !isObject(value)) return [];
  return Object.entries(value).map(([name, item]) => [`${at}${pointer(name)}`, item]);
}

/** The places of the outermost wanted parts of a value. Most values have none, and need no pointers. */
export function placesOf(value: Json, isWanted: (part: Json, at: Pointer) => boolean, at = ''): Pointer[] {
  if (isWanted(value, at)) return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => placesOf(item, isWanted, at + pointer(name)));
}

/** `*` for each index: a secret in one item is one in all, since the live list may have others. Names of digits count too. */
export const generalizeIndexes = (at: Pointer): Pointer => at.replaceAll(/\/\d+(?=\/|$)/g, '/*');

export const isWithin = (at: Pointer, ancestor: Pointer): boolean =>
  at === ancestor || at.startsWith(`${ancestor}/`);

export function placesAbove(at: Pointer): Pointer[] {
  const segments = segmentsOf(at);
  return segments.map((_, depth) => pointer(...segments.slice(0, depth)));
}

/** The place of the first wanted value that `at` leads into, or `null`. */
export function placeAbove(root: Json, at: Pointer, isWanted: (part: Json) => boolean): Pointer | null {
  const found = placesAbove(at).find((each) => {
    const part = valueAt(root, each);
    return part !== undefined && isWanted(part);
  });
  return found ?? null;
}

/** A copy of `root` with the member at `at` set, or removed if `value` is `undefined`. */
export function withValueAt(root: JsonObject, at: Pointer, value: Json | undefined): JsonObject {
  const [name, ...rest] = segmentsOf(at);
  if (name === undefined) return root;
  const members = new Map(Object.entries(root));
  const below = get(root, name);
  if (rest.length === 0) {
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  } else if (isObject(below)) members.set(name, withValueAt(below, pointer(...rest), value));
  return objectFrom(members);
}

/** A copy of `fields` with `wanted` at a place, and missing parents added; `null` removes the value. */
export function setMember(fields: JsonObject, at: Pointer, wanted: Json): JsonObject {
  const next = setPart(fields, at, wanted);
  return isObject(next) ? next : fields;
}

/** The same for a value that need not be an object, nor stay one. */
export function setPart(value: Json, at: Pointer, wanted: Json): Json {
  const [name, ...rest] = segmentsOf(at);
  if (name === undefined) return wanted;
  const below = pointer(...rest);
  if (isArray(value)) {
    const place = Number(name);
    if (rest.length === 0 && wanted === null) return value.filter((_, index) => index !== place);
    const items = value.map((item, index) => (index === place ? setPart(item, below, wanted) : item));
    return place === value.length ? [...items, setPart(null, below, wanted)] : items;
  }
  const members = new Map(isObject(value) ? Object.entries(value) : []);
  const next = setPart(members.get(name) ?? null, below, wanted);
  if (next === null) members.delete(name);
  else members.set(name, next);
  return objectFrom(members);
}
