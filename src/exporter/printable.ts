import type { Mapping, Member, Printable } from '../loader/print.ts';
import { unresolved } from '../loader/tree.ts';
import { type Json, objectFrom } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';

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

/** The member of a mapping or the item of a list; `undefined` where there is none. */
export function partOf(value: Printable | undefined, step: string | number): Printable | undefined {
  if (isMapping(value)) return value.members.find(([name]) => name === step)?.[1];
  return isList(value) ? value[Number(step)] : undefined;
}

/** The path in a `!file` tag; `null` for any other value. */
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
