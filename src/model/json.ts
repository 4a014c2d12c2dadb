/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Read with {@link own}, so that a key such as `constructor` never reaches a prototype. */
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The object's own value under `key`; `undefined` where it has none. */
export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The own value under `key` if it is text, else `null`. */
export function textOf(object: JsonObject, key: string): string | null {
  const value = own(object, key);
  return typeof value === 'string' ? value : null;
}

/** An object from entries; a `__proto__` key becomes an ordinary own key instead of a prototype. */
export function objectFrom(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** The items of a list or the values of an object's members; none for other values. */
export function itemsOf(value: Json): readonly Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** The objects in a list; none where the value is not a list. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

/** An object with what `change` returns for each member; `undefined` leaves the member out. */
export function mapMembers(
  object: JsonObject,
  change: (value: Json, name: string) => Json | undefined,
): JsonObject {
  const members: [string, Json][] = [];
  for (const [name, value] of Object.entries(object)) {
    const changed = change(value, name);
    if (changed !== undefined) members.push([name, changed]);
  }
  return objectFrom(members);
}

/** The members that have a value. */
export function withoutNulls(object: JsonObject): JsonObject {
  return mapMembers(object, (value) => value ?? undefined);
}

/** The members with these names; `null` for those that the object does not have. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return objectFrom(names.map((name) => [name, own(object, name) ?? null]));
}

/** A copy of `value` in which `replace` has replaced all leaves and containers, children first. */
export function mapJson(value: Json, replace: (value: Json) => Json): Json {
  if (isArray(value)) return replace(value.map((item) => mapJson(item, replace)));
  return replace(isObject(value) ? mapMembers(value, (item) => mapJson(item, replace)) : value);
}

/** JSON text with sorted keys and no white space: equal values give equal text. `undefined` members are left out. */
export function canonicalJson(value: unknown): string {
  return spelledJson(value, (text) => text);
}

/** The same, with another spelling of each text in the value. */
export function spelledJson(value: unknown, spell: (text: string) => string): string {
  if (typeof value === 'string') return JSON.stringify(spell(value));
  if (Array.isArray(value)) return `[${value.map((item) => spelledJson(item, spell)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  // Every declared object is digested: sorting the names alone takes two thirds of the time of sorting the members.
  for (const key of Object.keys(value).sort()) {
    const item: unknown = Reflect.get(value, key);
    if (item !== undefined) members.push(`${JSON.stringify(key)}:${spelledJson(item, spell)}`);
  }
  return `{${members.join(',')}}`;
}

/** Deep equality; the order of an object's keys does not count. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (isArray(a))
    return isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at] ?? null));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(a[name] ?? null, b[name] ?? null));
}

/**
 * `text` parsed as JSON, or `undefined` where it is not JSON. Whole numbers of too many digits, and numbers that are too large,
 * become texts of their digits: a number in their place would be written back as another one, or as null.
 */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(
      hasLongNumber(text) || largeExponent.test(text) ? text.replace(tokens, keepDigits) : text,
    );
  } catch {
    return undefined;
  }
}

/**
 * Whether a text has sixteen digits in a row: fewer are kept by a number. Every page of a tenant is searched, so only every
 * sixteenth character is looked at.
 */
function hasLongNumber(text: string): boolean {
  const isDigit = (at: number) => text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57;
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(at)) continue;
    let [first, last] = [at, at];
    while (isDigit(first - 1)) first -= 1;
    while (isDigit(last + 1)) last += 1;
    if (last - first >= 15) return true;
  }
  return false;
}

/** Numbers without so large an exponent are finite, unless they have many digits. */
const largeExponent = /\d[eE]\+?\d{3}/;

/** The texts and numbers of JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

function keepDigits(token: string): string {
  const isWhole = /^-?[1-9]\d*$/.test(token);
  const isNumber = isWhole || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]\+?\d+)?$/.test(token);
  const isKept = isWhole ? String(Number(token)) === token : Number.isFinite(Number(token));
  return isNumber && !isKept ? `"${token}"` : token;
}

/** Whether a value is nested deeper than anything in the API: recursion into it could exhaust the stack. */
export function isTooDeep(value: Json, levels = deepestJson): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || itemsOf(value).some((item) => isTooDeep(item, levels - 1));
}

const deepestJson = 100;
