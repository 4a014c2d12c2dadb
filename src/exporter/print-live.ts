import { dropNulls } from '../kinds/compare.ts';
import { chooseSynonym, comparable, isUnordered, printedJson } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Field } from '../kinds/kind.ts';
import type { Mapping, Member, Printable } from '../loader/print.ts';
import { unresolved } from '../loader/problems.ts';
import { isRefusedKey } from '../loader/tree.ts';
import { get, isArray, isObject, type Json, type JsonObject, objectFrom, pick } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isConcealed } from '../model/sensitive.ts';

export interface Place {
  readonly at: Pointer;
  readonly field: Field;
  /** Inside JSON, and in what other fields hold, values are JSON. */
  readonly is: Field['is'] | 'record';
  readonly depth: number;
  /** A plan can compare a secret here, but not inside values that it compares as a whole, or inside JSON text. */
  readonly comparable: boolean;
  /** A manifest declares the value as a whole: what it leaves out is removed. So it is inside lists and JSON text. */
  readonly exact: boolean;
}

export function placeOf(name: string, field: Field): Place {
  return {
    at: pointer(name),
    field,
    is: field.is,
    depth: 0,
    comparable: !isUnordered(field),
    exact: field.is !== 'json' || field.declares === 'whole',
  };
}

/** Opens members: gives the place of each, and its value with JSON text parsed; `undefined` if the object does not have it. */
export function membersIn(holder: JsonObject, place: Place) {
  const { field } = place;
  return (key: string): { readonly value: Json | undefined; readonly place: Place } => {
    const value = get(holder, key);
    const isNested = field.is === 'json' && place.depth === 0 && field.nested?.includes(key) === true;
    const read = isNested && value !== undefined ? readJsonText(value) : value;
    return {
      value: read,
      place: {
        ...place,
        at: `${place.at}${pointer(key)}`,
        is: 'json',
        depth: place.depth + 1,
        comparable: place.comparable && field.is === 'json' && read === value,
        exact: place.exact || read !== value,
      },
    };
  };
}

const inList: Readonly<Partial<Record<Place['is'], Place['is']>>> = {
  set: 'value',
  references: 'reference',
  records: 'record',
};

export function itemIn(place: Place, index: number): Place {
  const comparable = place.comparable && place.field.is === 'json';
  const is = get(inList, place.is) ?? 'json';
  return { ...place, at: place.at + pointer(index), is, depth: place.depth + 1, comparable, exact: true };
}

/** The value of a field as manifests show it: without what is not compared, except for the members of `declared`. */
export function printableValue(field: Field, live: Json, declared: Json = null): Json {
  if (field.is === 'json') return printedJson(field, live, declared);
  if (comparable(field, live) === null) return isUnordered(field) ? [] : null;
  const value = chooseSynonym(field, live);
  if (field.is === 'reference') return pickReference(value);
  if (!isArray(value)) return value;
  if (field.is === 'references') return value.map(pickReference);
  return field.is === 'records' ? value.map((item) => (isObject(item) ? dropNulls(item) : item)) : value;
}

function pickReference(value: Json): Json {
  return isObject(value) ? dropNulls(pick(value, ['type', 'name', 'id'])) : value;
}

/** A value that is left out of a manifest, so that it stays as it is in the tenant. */
export interface Omission {
  readonly at: Pointer;
  readonly reason: 'notShown' | 'credential' | 'notWritable' | 'notValid';
  /** The part that the schema does not accept, if it is not the whole value. */
  readonly within?: Pointer;
}

/** The loader refuses nesting deeper than 100, which includes what surrounds the value. */
const maxDepth = 80;

interface PrintContext {
  /** The tenant does not show these. */
  readonly hidden: readonly Pointer[];
  isSecret(at: Pointer): boolean;
  /** True for a place that an existing manifest declares with `!secret`. */
  isDeclaredSecret?(at: Pointer): boolean;
  /** The tags that stand for ids. */
  readonly tags: ReadonlyMap<Pointer, Printable>;
}

interface Walk extends PrintContext {
  /** The `!secret` of each holds its place. */
  readonly secrets: Pointer[];
  readonly omissions: Omission[];
}

/**
 * A field as it is printed, or a value inside it; `undefined` if it is left out. In a field that is declared by member, single
 * members may be left out.
 */
export function printLive(value: Json, place: Place, context: PrintContext) {
  const walk: Walk = { ...context, secrets: [], omissions: [] };
  return { value: printField(value, place, walk), secrets: walk.secrets, omissions: walk.omissions };
}

function printField(value: Json, place: Place, walk: Walk): Printable | undefined {
  const { field, depth } = place;
  if (field.is !== 'json' || depth > 0) return printValue(value, place, walk);
  // Settings that cannot be parsed may hold a credential.
  if (field.settings && typeof value === 'string') return omit(walk, place, 'credential');
  if (!isArray(value) || field.plain) return printValue(value, place, walk);
  // The schemas accept objects and text only, so a list stays the text it was. Nothing in it can become a marker.
  return printValue(value, { ...place, comparable: false }, walk) && JSON.stringify(value);
}

/** A value with a tag in place of each id that has one; `undefined` if it is left out, which is added to the omissions. */
function printValue(value: Json, place: Place, walk: Walk): Printable | undefined {
  const tag = walk.tags.get(place.at);
  if (tag !== undefined) return tag;
  if (value === null) return value;
  if (place.depth > maxDepth) return omit(walk, place, 'notWritable');
  if (walk.isDeclaredSecret?.(place.at)) return printSecret(place, walk);
  if (isArray(value)) return printList(value, place, walk);
  if (isObject(value)) return printObject(value, place, walk);
  if (typeof value === 'string') return printText(value, place, walk);
  // Secrets are text, so a number cannot become one.
  if (walk.isSecret(place.at)) return omit(walk, place, 'credential');
  return typeof value === 'number' && !Number.isFinite(value) ? omit(walk, place, 'notWritable') : value;
}

function printObject(value: JsonObject, place: Place, walk: Walk): Printable | undefined {
  const open = membersIn(value, place);
  const members: Member[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null && !place.exact) continue;
    const below = open(key);
    const printed = isRefusedKey(key)
      ? omit(walk, below.place, 'notWritable')
      : printValue(below.value ?? null, below.place, walk);
    if (printed !== undefined) members.push([key, printed]);
    else if (place.exact) return undefined;
  }
  return { members };
}

function printList(items: readonly Json[], place: Place, walk: Walk): Printable | undefined {
  const printed: Printable[] = [];
  for (const [index, item] of items.entries()) {
    const value = printValue(item, itemIn(place, index), walk);
    if (value === undefined) return undefined;
    printed.push(value);
  }
  return printed;
}

function printText(text: string, place: Place, walk: Walk): Printable | undefined {
  // A secret that is blank counts as not set.
  if (text.trim() === '') return text;
  if (walk.hidden.includes(place.at)) return printSecret(place, walk);
  const { field } = place;
  if (field.is === 'json' && field.settings && isConcealed(text)) return omit(walk, place, 'credential');
  return walk.isSecret(place.at) ? printSecret(place, walk) : text;
}

function printSecret(place: Place, walk: Walk): Printable | undefined {
  if (!place.comparable) return omit(walk, place, 'credential');
  walk.secrets.push(place.at);
  return { tag: '!secret', value: place.at };
}

function omit(walk: Walk, { at }: Place, reason: Omission['reason']): undefined {
  walk.omissions.push({ at, reason });
}

type Tagged = Extract<Printable, { readonly tag: string }>;

export function isTagged(value: Printable | undefined): value is Tagged {
  return typeof value === 'object' && value !== null && 'tag' in value;
}

export function isMapping(value: Printable | undefined): value is Mapping {
  return typeof value === 'object' && value !== null && 'members' in value;
}

export function isList(value: Printable | undefined): value is readonly Printable[] {
  return Array.isArray(value);
}

export function partOf(value: Printable | undefined, step: string | number): Printable | undefined {
  if (isMapping(value)) return value.members.find(([name]) => name === step)?.[1];
  return isList(value) ? value[Number(step)] : undefined;
}

export function sideFileOf(value: Printable | undefined): string | null {
  return isTagged(value) && value.tag === '!file' && typeof value.value === 'string' ? value.value : null;
}

export function mapTags(value: Printable, change: (tag: string, argument: string) => string): Printable {
  if (isList(value)) return value.map((item) => mapTags(item, change));
  if (isMapping(value))
    return { members: value.members.map(([name, item]): Member => [name, mapTags(item, change)]) };
  if (!isTagged(value) || typeof value.value !== 'string') return value;
  return { tag: value.tag, value: change(value.tag, value.value) };
}

export function leavesIn(value: Printable, at: Pointer = pointer()): [Pointer, Printable][] {
  if (isList(value)) return value.flatMap((item, index) => leavesIn(item, at + pointer(index)));
  if (isMapping(value)) return value.members.flatMap(([name, item]) => leavesIn(item, at + pointer(name)));
  return [[at, value]];
}

/** The value as JSON, with `unresolved` for each tag: no schema checks it. */
export function jsonOf(value: Printable): Json {
  if (isList(value)) return value.map(jsonOf);
  if (isMapping(value)) return objectFrom(value.members.map(([name, item]) => [name, jsonOf(item)]));
  return isTagged(value) ? unresolved : value;
}
