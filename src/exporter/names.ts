import type { LiveObject } from '../kinds/kind.ts';
import { fieldNamed } from '../kinds/kind.ts';
import type { Printable } from '../loader/print.ts';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isList, isMapping } from './printable.ts';
import { type NameSources, recordIdsIn } from './reference-lookups.ts';

/** The names of the ids in an object's fields, by their places, where the tenant shows both. Safe in a comment. */
export function namesOf(object: LiveObject, sources: NameSources): ReadonlyMap<Pointer, string> {
  const shown = namesShown(object);
  const names = new Map<Pointer, string>();
  const add = (at: Pointer, name: string | null | undefined) => {
    const comment = commentOf(name ?? '');
    if (comment !== '') names.set(at, comment);
  };
  for (const [name, field] of Object.entries(object.kind.fields)) {
    const value = own(object.fields, name) ?? null;
    if (field.is === 'value' && typeof value === 'string') add(pointer(name), shown.get(value));
    if (field.is !== 'set' || !isArray(value)) continue;
    for (const [index, item] of value.entries())
      if (typeof item === 'string') add(pointer(name, index), shown.get(item));
  }
  for (const { at, record } of recordIdsIn(object, sources))
    if (record) add(at, textOf(record, 'label') ?? textOf(record, 'name'));
  return names;
}

/** The names that are of use beside the printed fields: a lookup says by itself what it finds. */
export function namesBeside(
  fields: readonly (readonly [name: string, value: Printable])[],
  names: ReadonlyMap<Pointer, string>,
): ReadonlyMap<Pointer, string> {
  const beside = new Map<Pointer, string>();
  const walk = (value: Printable, at: Pointer): void => {
    const name = names.get(at);
    if (typeof value === 'string' && name !== undefined) beside.set(at, name);
    else if (isList(value)) for (const [index, item] of value.entries()) walk(item, at + pointer(index));
    else if (isMapping(value)) for (const [member, item] of value.members) walk(item, at + pointer(member));
  };
  for (const [name, value] of fields) walk(value, pointer(name));
  return beside;
}

/** The names of all records that the tenant's answer shows with their ids, by id. */
export function namesShown({ kind, raw }: Pick<LiveObject, 'kind' | 'raw'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const walk = (value: Json): void => {
    if (isArray(value)) value.forEach(walk);
    else if (isObject(value)) {
      addName(value, names);
      Object.values(value).forEach(walk);
    }
  };
  for (const [name, value] of Object.entries(raw)) {
    // What is inside JSON belongs to other systems, as their settings do.
    if (fieldNamed(kind, name)?.is !== 'json') walk(value);
  }
  return names;
}

function addName(record: JsonObject, names: Map<string, string>): void {
  const [id, name] = [textOf(record, 'id'), textOf(record, 'name')];
  if (id !== null && name !== null && !names.has(id)) names.set(id, name);
}

/** Longer names are cut. */
const longest = 80;

/**
 * A name as a comment. Names come from the tenant: they must not end the comment, reorder the line, or pass for one of
 * the comments that editors and other programs obey, which have a colon or an equals sign.
 */
function commentOf(name: string): string {
  return name
    .slice(0, longest)
    .replaceAll(/[^\p{L}\p{M}\p{N} _.,()/&+'@-]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
}
