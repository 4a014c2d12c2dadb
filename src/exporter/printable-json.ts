import { readJsonText } from '../kinds/jsontext.ts';
import type { Field } from '../kinds/kind.ts';
import type { Member, Printable } from '../loader/print.ts';
import { unresolved, unsafeKeys } from '../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { markerKeys } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isConcealed, looksSecret, namesSecret } from '../model/sensitive.ts';
import type { Omission, Reason } from './omission.ts';

/** The loader refuses nesting deeper than 100, which includes what surrounds the value. */
const maxDepth = 80;

/** What the walk through the JSON of one field needs, and what it collects. */
export interface JsonWalk {
  readonly field: Field & { is: 'json' };
  readonly hidden: readonly Pointer[];
  /** Called for each text that a `!secret` replaces; returns the name. */
  secret(at: Pointer): string;
  readonly omissions: Omission[];
}

/** A place inside a JSON field. */
export interface Where {
  readonly at: Pointer;
  readonly depth: number;
  /** In the settings of another system, where credentials are recognized by their names. */
  readonly settings: boolean;
  /** Below a name that belongs to a credential. */
  readonly secret: boolean;
  /** Whether a plan can compare a secret here. It cannot inside lists and JSON text. */
  readonly comparable: boolean;
}

/**
 * The value of a JSON field as it is printed; `null` where it is left out completely. In a field whose members are
 * declared one by one, single members may be left out.
 */
export function printableJson(name: string, value: Json, walk: JsonWalk): Printable | null {
  const read = readJsonText(value);
  const where = rootOf(name, walk.field);
  if (isObject(read)) return printableObject(read, where, walk);
  // Settings that cannot be parsed may hold a credential.
  if (where.settings && typeof read === 'string') return omit(walk, where.at, 'credential');
  // The schemas accept objects and text only, so a list stays the text it was. Nothing in it can become a marker.
  const items = isArray(read) ? printableValue(read, where, walk) : read;
  return isArray(read) && items !== null ? JSON.stringify(read) : items;
}

/** The place of the field itself. */
export function rootOf(name: string, { pairs }: JsonWalk['field']): Where {
  return { at: pointer(name), depth: 0, settings: pairs === true, secret: false, comparable: true };
}

/** The place of a member; `opaque` where it is inside JSON text. */
export function memberPlace(where: Where, key: string, opaque: boolean): Where {
  return {
    at: `${where.at}${pointer(key)}`,
    depth: where.depth + 1,
    settings: where.settings,
    secret: where.secret || (where.settings && looksSecret(key)),
    comparable: where.comparable && !opaque,
  };
}

/** The place of a list's item. */
export function itemPlace(where: Where, index: number): Where {
  return { ...where, at: `${where.at}${pointer(index)}`, depth: where.depth + 1, comparable: false };
}

function printableObject(value: JsonObject, where: Where, walk: JsonWalk): Printable | null {
  const byMembers = walk.field.declares === 'members';
  const members: Member[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null && byMembers && where.comparable) continue;
    const below = isNested(key, where, walk) ? readJsonText(item) : item;
    const next = memberPlace(where, key, below !== item);
    const printed = isWritableKey(key) ? memberOf(below, next, walk) : omit(walk, next.at, 'notWritable');
    if (printed !== null) members.push([key, printed.value]);
    else if (!byMembers || !where.comparable) return null;
  }
  return { members };
}

/** The value in an object, because `null` itself can be a value; `null` where it is left out. */
function memberOf(value: Json, where: Where, walk: JsonWalk): { value: Printable } | null {
  if (value === null) return { value };
  const printed = printableValue(value, where, walk);
  return printed === null ? null : { value: printed };
}

/** A value inside a JSON field as it is printed; `null` where it is left out, which is added to the omissions. */
export function printableValue(value: Json, where: Where, walk: JsonWalk): Printable | null {
  if (where.depth > maxDepth) return omit(walk, where.at, 'notWritable');
  if (isArray(value)) return printableList(value, where, walk);
  if (isObject(value)) return printableObject(value, where, walk);
  return typeof value === 'string' ? printableText(value, where, walk) : printableScalar(value, where, walk);
}

function printableList(items: readonly Json[], where: Where, walk: JsonWalk): Printable | null {
  const printed: Printable[] = [];
  for (const [index, item] of items.entries()) {
    const next = itemPlace(where, index);
    const member = memberOf(item, next, walk);
    if (member === null) return null;
    printed.push(member.value);
  }
  return printed;
}

function printableText(text: string, where: Where, walk: JsonWalk): Printable | null {
  const { at, comparable } = where;
  if (text === '') return text;
  if (text === unresolved) return omit(walk, at, 'notWritable');
  if (walk.hidden.includes(at)) return comparable ? toSecret(walk, at) : omit(walk, at, 'credential');
  const byName = where.secret || (where.settings && hasCredential(text));
  if (where.settings && isConcealed(text)) return omit(walk, at, 'credential');
  if (!byName) return text;
  return comparable ? toSecret(walk, at) : omit(walk, at, 'credential');
}

function printableScalar(value: number | boolean | null, where: Where, walk: JsonWalk): Printable | null {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return omit(walk, where.at, 'notWritable');
  // Secrets are text, so a number cannot become one.
  return where.secret ? omit(walk, where.at, 'credential') : value;
}

function toSecret(walk: JsonWalk, at: Pointer): Printable {
  return { tag: '!secret', value: walk.secret(at) };
}

function omit(walk: JsonWalk, at: Pointer, reason: Reason): null {
  walk.omissions.push({ at, reason });
  return null;
}

/** Whether the value of a member is JSON text itself. */
export function isNested(key: string, { depth }: Where, { field }: Pick<JsonWalk, 'field'>): boolean {
  return depth === 0 && field.nested?.includes(key) === true;
}

/** Whether the loader accepts the key. */
export function isWritableKey(key: string): boolean {
  return key !== unresolved && !unsafeKeys.includes(key) && !markerKeys.some((marker) => marker === key);
}

/** Whether a text contains a credential, judged by the names in it. */
function hasCredential(text: string): boolean {
  if (namesSecret(text)) return true;
  if (!/^\s*[{[]/.test(text)) return false;
  return namesCredential(readJsonText(text));
}

function namesCredential(value: Json): boolean {
  if (isArray(value)) return value.some(namesCredential);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => (looksSecret(key) && item !== null && item !== '') || namesCredential(item),
  );
}

/** The value as JSON, with a placeholder text for each secret, lookup and side file. */
export function jsonOf(value: Printable): Json {
  if (value === null || typeof value !== 'object') return value;
  if ('tag' in value) return '…';
  return 'members' in value
    ? objectFrom(value.members.map(([name, item]) => [name, jsonOf(item)]))
    : value.map(jsonOf);
}
