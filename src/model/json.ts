export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Read with {@link get}, so that a key such as `constructor` never reaches a prototype. */
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function get<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function getText(object: JsonObject, key: string): string | null {
  const value = get(object, key);
  return typeof value === 'string' ? value : null;
}

/** An object from entries; a `__proto__` key becomes an ordinary own key instead of a prototype. */
export function objectFrom<T>(entries: Iterable<readonly [string, T]>): { readonly [name: string]: T } {
  const object: Record<string, T> = {};
  for (const [name, value] of entries) addMember(object, name, value);
  return object;
}

/** Objects that get one member after the other are made faster than by `Object.fromEntries`. */
function addMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}

export function itemsOf(value: Json): readonly Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** The members or items that are objects or lists themselves. Most of thousands of objects have none. */
export function nestedIn(value: Json): [name: string, inner: Json][] {
  const isNested = (item: Json) => typeof item === 'object' && item !== null;
  if (!itemsOf(value).some(isNested)) return [];
  return Object.entries(value ?? {}).filter(([, item]) => isNested(item));
}

export function objectsIn(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

/** An object with what `change` returns for each member; `undefined` leaves the member out. */
export function mapMembers(
  object: JsonObject,
  change: (value: Json, name: string) => Json | undefined,
): JsonObject {
  const changed: Record<string, Json> = {};
  for (const name of Object.keys(object)) {
    const value = change(object[name] ?? null, name);
    if (value !== undefined) addMember(changed, name, value);
  }
  return changed;
}

export const withoutNulls = (object: JsonObject): JsonObject =>
  mapMembers(object, (value) => value ?? undefined);

/** The members with these names; `null` for those that the object does not have. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return objectFrom(names.map((name) => [name, get(object, name) ?? null]));
}

/** A copy of `value` in which `replace` has replaced all leaves and containers, children first. */
export function mapJson(value: Json, replace: (value: Json) => Json): Json {
  if (isArray(value)) return replace(value.map((item) => mapJson(item, replace)));
  return replace(isObject(value) ? mapMembers(value, (item) => mapJson(item, replace)) : value);
}

/** JSON text with sorted keys and no white space: equal values give equal text. `undefined` members are left out. */
export function canonicalJson(value: unknown, spell?: (text: string) => string): string {
  return JSON.stringify(sortMembers(value, spell)) ?? 'null';
}

/** One text for each object would take twice as long as one for all of a sorted copy. */
function sortMembers(value: unknown, spell?: (text: string) => string): unknown {
  if (typeof value === 'string') return spell ? spell(value) : value;
  if (Array.isArray(value)) return value.map((item) => sortMembers(item, spell));
  if (typeof value !== 'object' || value === null) return value;
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort())
    addMember(sorted, name, sortMembers(Reflect.get(value, name), spell));
  return sorted;
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
 * `undefined` if `text` is not JSON. Numbers that a double cannot hold become texts of their digits, which {@link writeJson}
 * writes back. `onInexact` is told of each, also in texts that hold JSON, with the name of its member or list.
 */
export function parseJson(
  text: string,
  onInexact?: (name: string, digits: string) => void,
): Json | undefined {
  try {
    if (!doubtful.test(text)) return JSON.parse(text);
    const value: Json = JSON.parse(
      text.replace(tokens, (token) => (isInexact(token) ? `"${token}"` : token)),
    );
    if (onInexact) for (const [name, digits] of inexactNumbers(text)) onInexact(name, digits);
    return value;
  } catch {
    return undefined;
  }
}

function* inexactNumbers(text: string): Generator<readonly [name: string, digits: string]> {
  if (!doubtful.test(text)) return;
  const outside: string[] = [];
  let name = '';
  for (const { 0: token, index } of text.matchAll(structure)) {
    const isName = /^\s*:/.test(text.slice(index + token.length, index + token.length + 20));
    if (token === '{' || token === '[') outside.push(name);
    else if (token === '}' || token === ']') name = outside.pop() ?? '';
    else if (isName) name = JSON.parse(token);
    else if (token.startsWith('"')) yield* inexactNumbers(JSON.parse(token));
    else if (isInexact(token)) yield [name, token];
  }
}

/** JSON text in which the texts that `isNumber` knows by their member or list are numbers, digit by digit. */
export function writeJson(
  value: Json,
  isNumber: (name: string, digits: string) => boolean,
  name = '',
): string {
  if (isArray(value)) return `[${value.map((item) => writeJson(item, isNumber, name)).join(',')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}:${writeJson(item, isNumber, key)}`,
    );
    return `{${members.join(',')}}`;
  }
  return typeof value === 'string' && isNumber(name, value) ? value : JSON.stringify(value);
}

/**
 * Matches where a number may not fit into a double: with sixteen digits, or with an exponent of three, outside of ids in quotes. All
 * other texts need no second look.
 */
const doubtful = /[\d.]{16}|\d[eE][+-]?\d{3}(?<=(?:^|[\s:[,])-?\d[\d.]*[eE][+-]?\d{3})/;

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const structure = new RegExp(`${tokens.source}|[{}[\\]]`, 'g');

/** What {@link parseJson} loses of JSON text: the numbers that it keeps as texts, and the first value of a key that stands twice. */
export function lossesIn(text: string) {
  const numbers = doubtful.test(text) ? (text.match(tokens) ?? []).filter(isInexact) : [];
  const json = parseJson(text);
  return { numbers, hasKeyTwice: json !== undefined && keysIn(text) > keysIn(JSON.stringify(json)) };
}

const keysIn = (text: string): number =>
  (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g) ?? []).filter((token) => token.endsWith(':')).length;

function isInexact(token: string): boolean {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(token)) return false;
  const number = Number(token);
  if (/^-?\d+$/.test(token)) return String(number) !== token && token !== '-0';
  return significant(String(number)) !== significant(token);
}

const significant = (number: string): string =>
  number
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');

/** Whether a value is nested deeper than anything in the API: recursion into it could exhaust the stack. */
export function isTooDeep(value: Json, levels = deepestJson): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || itemsOf(value).some((item) => isTooDeep(item, levels - 1));
}

const deepestJson = 100;

export function getObject(value: JsonObject, name: string): JsonObject {
  const member = get(value, name);
  return isObject(member) ? member : {};
}

/** The value of a record's field, which some hosts keep in its `attributes`, or `null`. */
export function recordField(record: JsonObject, name: string): Json {
  return get(record, name) ?? get(getObject(record, 'attributes'), name) ?? null;
}

export function getTexts(value: JsonObject, name: string): string[] {
  const list = get(value, name);
  return isArray(list) ? list.filter((item) => typeof item === 'string') : [];
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

/** Whether a manifest can have a field of that name: some are reserved. */
export function isFieldName(name: string): boolean {
  return isMemberName(name) && !['kind', 'ensure', 'lifecycle', 'id'].includes(name);
}
