import { credentialMembers, isCredentialText } from '../kinds/credentials.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { JsonField } from '../kinds/kind.ts';
import { generalizeIndexes } from '../kinds/redact.ts';
import type { Member, Printable } from '../loader/print.ts';
import { refusedKeys, unresolved } from '../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isConcealed } from '../model/sensitive.ts';
import type { Omission, Reason } from './omission.ts';

/** The loader refuses nesting deeper than 100, which includes what surrounds the value. */
const maxDepth = 80;

/** A value of a JSON field as a manifest holds it. */
export interface PrintedJson {
  /** `undefined` where the value is left out completely. */
  readonly value: Printable | undefined;
  /** The places of its secrets. The `!secret` of each holds the place. */
  readonly secrets: readonly Pointer[];
  readonly omissions: readonly Omission[];
}

/** The places of a live object that are not exported as they are. */
export interface Withheld {
  /** What the tenant does not show. */
  readonly hidden: readonly Pointer[];
  /** What existing manifests declare with `!secret`: places with `*` for each index. */
  readonly declaredSecrets: ReadonlySet<Pointer>;
}

/** What the walk through a value needs, and what it collects. */
interface JsonWalk extends Withheld {
  readonly field: JsonField;
  readonly secrets: Pointer[];
  readonly omissions: Omission[];
}

/** A place inside a JSON field. */
export interface Where {
  readonly at: Pointer;
  readonly depth: number;
  /** In the settings of another system, where credentials are recognized. */
  readonly settings: boolean;
  /** Below a name that belongs to a credential. */
  readonly secret: boolean;
  /** Whether a plan can compare a secret here. It cannot inside JSON text. */
  readonly comparable: boolean;
  /** Whether a manifest declares the value as a whole: what it leaves out is removed. So it is inside lists and JSON text. */
  readonly exact: boolean;
}

/**
 * A JSON field, or a value inside it, as it is printed. In a field whose members are declared one by one, single members
 * may be left out.
 */
export function printJson(value: Json, where: Where, field: JsonField, withheld: Withheld): PrintedJson {
  const walk: JsonWalk = { ...withheld, field, secrets: [], omissions: [] };
  const printed = where.depth === 0 ? printWhole(value, where, walk) : printValue(value, where, walk);
  return { value: printed, secrets: walk.secrets, omissions: walk.omissions };
}

function printWhole(value: Json, where: Where, walk: JsonWalk): Printable | undefined {
  const read = readJsonText(value);
  if (isObject(read)) return printObject(read, where, walk);
  // Settings that cannot be parsed may hold a credential.
  if (where.settings && typeof read === 'string') return omit(walk, where.at, 'credential');
  if (!isArray(read)) return read;
  if (walk.field.plain) return printList(read, where, walk);
  // The schemas accept objects and text only, so a list stays the text it was. Nothing in it can become a marker.
  return printValue(read, { ...where, comparable: false }, walk) && JSON.stringify(read);
}

/** The place of the field itself. */
export function rootOf(name: string, { settings, declares }: JsonField): Where {
  return {
    at: pointer(name),
    depth: 0,
    settings: settings === true,
    secret: false,
    comparable: true,
    exact: declares === 'whole',
  };
}

/** A member's place, and its value with JSON text parsed; `undefined` where the object does not have it. */
interface OpenedMember {
  readonly value: Json | undefined;
  readonly where: Where;
}

/** Opens the members of an object by their names. */
export function membersIn(holder: JsonObject, where: Where, field: JsonField): (key: string) => OpenedMember {
  const isCredential = where.settings ? credentialMembers(holder) : () => false;
  return (key) => {
    const value = own(holder, key);
    const isNested = where.depth === 0 && field.nested?.includes(key) === true;
    const read = isNested && value !== undefined ? readJsonText(value) : value;
    return {
      value: read,
      where: {
        ...where,
        at: `${where.at}${pointer(key)}`,
        depth: where.depth + 1,
        secret: where.secret || isCredential(key),
        comparable: where.comparable && read === value,
        exact: where.exact || read !== value,
      },
    };
  };
}

/** The place of a list's item. */
export function itemPlace(where: Where, index: number): Where {
  return { ...where, at: `${where.at}${pointer(index)}`, depth: where.depth + 1, exact: true };
}

function printObject(value: JsonObject, where: Where, walk: JsonWalk): Printable | undefined {
  const byMembers = !where.exact;
  const open = membersIn(value, where, walk.field);
  const members: Member[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null && byMembers) continue;
    const below = open(key);
    const printed = isWritableKey(key)
      ? printValue(below.value ?? null, below.where, walk)
      : omit(walk, below.where.at, 'notWritable');
    if (printed !== undefined) members.push([key, printed]);
    else if (!byMembers) return undefined;
  }
  return { members };
}

/** A value inside a JSON field; `undefined` where it is left out, which is added to the omissions. */
function printValue(value: Json, where: Where, walk: JsonWalk): Printable | undefined {
  if (value === null) return value;
  if (where.depth > maxDepth) return omit(walk, where.at, 'notWritable');
  if (walk.declaredSecrets.has(generalizeIndexes(where.at))) return printSecret(where, walk);
  if (isArray(value)) return printList(value, where, walk);
  if (isObject(value)) return printObject(value, where, walk);
  return typeof value === 'string' ? printText(value, where, walk) : printScalar(value, where, walk);
}

function printList(items: readonly Json[], where: Where, walk: JsonWalk): Printable | undefined {
  const printed: Printable[] = [];
  for (const [index, item] of items.entries()) {
    const value = printValue(item, itemPlace(where, index), walk);
    if (value === undefined) return undefined;
    printed.push(value);
  }
  return printed;
}

function printText(text: string, where: Where, walk: JsonWalk): Printable | undefined {
  const { at, settings } = where;
  // A secret that is blank counts as not set.
  if (text.trim() === '') return text;
  if (text === unresolved) return omit(walk, at, 'notWritable');
  if (!walk.hidden.includes(at)) {
    if (settings && isConcealed(text)) return omit(walk, at, 'credential');
    if (!where.secret && !(settings && isCredentialText(text))) return text;
  }
  return printSecret(where, walk);
}

function printSecret({ at, comparable }: Where, walk: JsonWalk): Printable | undefined {
  if (!comparable) return omit(walk, at, 'credential');
  walk.secrets.push(at);
  return { tag: '!secret', value: at };
}

function printScalar(value: number | boolean, where: Where, walk: JsonWalk): Printable | undefined {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return omit(walk, where.at, 'notWritable');
  // Secrets are text, so a number cannot become one.
  return where.secret ? omit(walk, where.at, 'credential') : value;
}

function omit(walk: JsonWalk, at: Pointer, reason: Reason): undefined {
  walk.omissions.push({ at, reason });
}

/** Whether the loader accepts the key. */
export function isWritableKey(key: string): boolean {
  return key !== unresolved && !refusedKeys.has(key);
}
