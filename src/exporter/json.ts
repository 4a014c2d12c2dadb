import { readJsonText } from '../kinds/jsontext.ts';
import type { Field } from '../kinds/kind.ts';
import type { Member, Printable } from '../loader/print.ts';
import { unresolved, unsafeKeys } from '../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import { markerKeys } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isConcealed, looksSecret, namesSecret } from '../model/sensitive.ts';
import type { Omission, Reason } from './omission.ts';

/** The loader refuses deeper nesting than 100; some is needed for what surrounds the value. */
const deepest = 80;

/** What a walk through the JSON of one field needs to know and collects. */
export interface JsonWalk {
  readonly field: Field & { is: 'json' };
  readonly hidden: readonly Pointer[];
  /** Called for each text that is replaced by `!secret`; gives the name. */
  secret(at: Pointer): string;
  readonly omissions: Omission[];
}

/** A place inside a JSON field. */
export interface Where {
  readonly at: Pointer;
  readonly depth: number;
  /** The settings of another system, in which a name may be that of a credential. */
  readonly settings: boolean;
  /** A name on the way here is that of a credential. */
  readonly secret: boolean;
  /** A plan can compare a secret here: not inside lists and JSON text. */
  readonly settles: boolean;
}

/**
 * The value of a JSON field as it is printed; `null` where it is left out altogether. Of a field whose members are
 * declared one by one, single members may be left out.
 */
export function printableJson(name: string, value: Json, walk: JsonWalk): Printable | null {
  const read = readJsonText(value);
  const where = topOf(name, walk.field);
  if (isObject(read)) return printableObject(read, where, walk);
  // Settings that cannot be read may hold anything.
  if (where.settings && typeof read === 'string') return omit(walk, where.at, 'credential');
  // The schemas know objects and text only. A list stays the text it was; nothing in it may count as a marker.
  const items = isArray(read) ? printableValue(read, where, walk) : read;
  return isArray(read) && items !== null ? JSON.stringify(read) : items;
}

/** The field itself, where every walk begins. */
export function topOf(name: string, { pairs }: JsonWalk['field']): Where {
  return { at: pointer(name), depth: 0, settings: pairs === true, secret: false, settles: true };
}

/** The place of a member; `opaque` where it lies inside JSON text. */
export function memberPlace(where: Where, key: string, opaque: boolean): Where {
  return {
    at: `${where.at}${pointer(key)}`,
    depth: where.depth + 1,
    settings: where.settings,
    secret: where.secret || (where.settings && looksSecret(key)),
    settles: where.settles && !opaque,
  };
}

/** The place of a list's item. */
export function itemPlace(where: Where, index: number): Where {
  return { ...where, at: `${where.at}${pointer(index)}`, depth: where.depth + 1, settles: false };
}

function printableObject(value: JsonObject, where: Where, walk: JsonWalk): Printable | null {
  const byMembers = walk.field.declares === 'members';
  const members: Member[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null && byMembers && where.settles) continue;
    const below = isNested(key, where, walk) ? readJsonText(item) : item;
    const next = memberPlace(where, key, below !== item);
    const printed = isWritableKey(key) ? memberOf(below, next, walk) : omit(walk, next.at, 'notWritable');
    if (printed !== null) members.push([key, printed.value]);
    else if (!byMembers || !where.settles) return null;
  }
  return { members };
}

/** Wrapped, since `null` itself may be the value. */
function memberOf(value: Json, where: Where, walk: JsonWalk): { value: Printable } | null {
  if (value === null) return { value };
  const printed = printableValue(value, where, walk);
  return printed === null ? null : { value: printed };
}

/** A value inside a JSON field as it is printed; `null` where it is left out, which is then among the omissions. */
export function printableValue(value: Json, where: Where, walk: JsonWalk): Printable | null {
  if (where.depth > deepest) return omit(walk, where.at, 'notWritable');
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
  const { at, settles } = where;
  if (text === '') return text;
  if (text === unresolved) return omit(walk, at, 'notWritable');
  if (walk.hidden.includes(at)) return settles ? secret(walk, at) : omit(walk, at, 'credential');
  const byName = where.secret || (where.settings && hasCredential(text));
  if (where.settings && isConcealed(text)) return omit(walk, at, 'credential');
  if (!byName) return text;
  return settles ? secret(walk, at) : omit(walk, at, 'credential');
}

function printableScalar(value: number | boolean | null, where: Where, walk: JsonWalk): Printable | null {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return omit(walk, where.at, 'notWritable');
  // A secret is text, so a number cannot become one.
  return where.secret ? omit(walk, where.at, 'credential') : value;
}

function secret(walk: JsonWalk, at: Pointer): Printable {
  return { tag: '!secret', value: walk.secret(at) };
}

function omit(walk: JsonWalk, at: Pointer, reason: Reason): null {
  walk.omissions.push({ at, reason });
  return null;
}

/** Whether a member holds JSON text of its own. */
export function isNested(key: string, { depth }: Where, { field }: Pick<JsonWalk, 'field'>): boolean {
  return depth === 0 && field.nested?.includes(key) === true;
}

/** Whether the loader takes the key. */
export function isWritableKey(key: string): boolean {
  return key !== unresolved && !unsafeKeys.includes(key) && !markerKeys.some((marker) => marker === key);
}

/** Whether text holds a credential, by the name that it goes by in it. */
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
