import type { Mapping, Member, Printable } from '../loader/print.ts';
import { unresolved } from '../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isWritableKey, itemIn, membersIn, type Place, whyWithheld } from './place.ts';
import type { Omission, Reason } from './remarks.ts';

/** The loader refuses nesting deeper than 100, which includes what surrounds the value. */
const maxDepth = 80;

export interface PrintedValue {
  /** `undefined` where the value is left out completely. */
  readonly value: Printable | undefined;
  /** The places of its secrets. The `!secret` of each holds the place. */
  readonly secrets: readonly Pointer[];
  readonly omissions: readonly Omission[];
}

interface PrintContext {
  /** The tenant does not show these. */
  readonly hidden: readonly Pointer[];
  /** True for a place that an existing manifest declares with `!secret`. */
  isDeclaredSecret?(at: Pointer): boolean;
  /** The tags that stand for ids. */
  readonly tags: ReadonlyMap<Pointer, Printable>;
}

interface Walk extends PrintContext {
  readonly secrets: Pointer[];
  readonly omissions: Omission[];
}

/** A field as it is printed, or a value inside it. In a field that is declared by member, single members may be left out. */
export function printLive(value: Json, place: Place, context: PrintContext): PrintedValue {
  const walk: Walk = { ...context, secrets: [], omissions: [] };
  const printed = printField(value, place, walk);
  return { value: printed, secrets: walk.secrets, omissions: walk.omissions };
}

function printField(value: Json, place: Place, walk: Walk): Printable | undefined {
  const { field, depth } = place;
  if (field.is !== 'json' || depth > 0) return printValue(value, place, walk);
  // Settings that cannot be parsed may hold a credential.
  if (place.settings && typeof value === 'string') return omit(walk, place, 'credential');
  if (!isArray(value) || field.plain) return printValue(value, place, walk);
  // The schemas accept objects and text only, so a list stays the text it was. Nothing in it can become a marker.
  return printValue(value, { ...place, comparable: false }, walk) && JSON.stringify(value);
}

/** A value with a tag in place of each id that has one; `undefined` where it is left out, which is added to the omissions. */
function printValue(value: Json, place: Place, walk: Walk): Printable | undefined {
  const tag = walk.tags.get(place.at);
  if (tag !== undefined) return tag;
  if (value === null) return value;
  if (place.depth > maxDepth) return omit(walk, place, 'notWritable');
  if (walk.isDeclaredSecret?.(place.at)) return printSecret(place, walk);
  if (isArray(value)) return printList(value, place, walk);
  if (isObject(value)) return printObject(value, place, walk);
  if (typeof value === 'string') return printText(value, place, walk);
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return omit(walk, place, 'notWritable');
  // Secrets are text, so a number cannot become one.
  return place.secret ? omit(walk, place, 'credential') : value;
}

function printObject(value: JsonObject, place: Place, walk: Walk): Printable | undefined {
  const open = membersIn(value, place);
  const members: Member[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null && !place.exact) continue;
    const below = open(key);
    const printed = isWritableKey(key)
      ? printValue(below.value ?? null, below.place, walk)
      : omit(walk, below.place, 'notWritable');
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
  if (text === unresolved) return omit(walk, place, 'notWritable');
  const why = whyWithheld(text, place, walk.hidden);
  if (why === 'secret') return printSecret(place, walk);
  return why === null ? text : omit(walk, place, why);
}

function printSecret(place: Place, walk: Walk): Printable | undefined {
  if (!place.comparable) return omit(walk, place, 'credential');
  walk.secrets.push(place.at);
  return { tag: '!secret', value: place.at };
}

function omit(walk: Walk, { at }: Place, reason: Reason): undefined {
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
  if (isMapping(value)) {
    return { members: value.members.map(([name, item]): Member => [name, mapTags(item, change)]) };
  }
  if (!isTagged(value) || typeof value.value !== 'string') return value;
  return { tag: value.tag, value: change(value.tag, value.value) };
}

export function tagsIn(value: Printable, at: Pointer = pointer()): [Pointer, Tagged][] {
  if (isList(value)) return value.flatMap((item, index) => tagsIn(item, at + pointer(index)));
  if (isMapping(value)) return value.members.flatMap(([name, item]) => tagsIn(item, at + pointer(name)));
  return isTagged(value) ? [[at, value]] : [];
}

/** The value as JSON, with a placeholder text for each secret, lookup and side file, and `unresolved` for a reference. */
export function jsonOf(value: Printable): Json {
  if (isList(value)) return value.map(jsonOf);
  if (isMapping(value)) return objectFrom(value.members.map(([name, item]) => [name, jsonOf(item)]));
  if (!isTagged(value)) return value;
  return value.tag === '!ref' ? unresolved : '…';
}
