import { type Field, fieldNamed, type LiveObject } from '../kinds/kind.ts';
import { idText } from '../kinds/operation.ts';
import { targetOf } from '../kinds/references.ts';
import type { Printable } from '../loader/print.ts';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import { type Pointer, placesIn, pointer } from '../model/pointer.ts';
import { isList, isMapping } from './printable.ts';
import { type NameSources, recordIdsIn } from './reference-lookups.ts';

/** What may be the id of another object in a field. */
export interface FieldId {
  readonly at: Pointer;
  readonly id: string;
  readonly field: string;
  readonly is: Field['is'];
  /** The kind that the id belongs to, if the field tells. */
  readonly to: string | null;
  /** The name beside the id. */
  readonly beside: string | null;
  /** The name that the tenant shows with the id anywhere in its answer. */
  readonly shown: string | null;
}

/** Finds the ids in the fields of an object. `raw` is the answer of the tenant; `null` for a manifest. */
export function fieldIds({
  kind,
  fields,
  raw,
}: Pick<LiveObject, 'kind' | 'fields'> & { readonly raw: JsonObject | null }): FieldId[] {
  const names = raw === null ? new Map<string, string>() : namesShown({ kind, raw });
  return Object.entries(kind.fields).flatMap(([field, description]) => {
    const to = targetOf(description);
    return idPlaces(pointer(field), description, own(fields, field) ?? null).map((place) => {
      return { ...place, field, is: description.is, to, shown: names.get(place.id) ?? null };
    });
  });
}

/** Any text, and item of a set, may be an id; a number only in a field of ids. */
function idPlaces(at: Pointer, field: Field, value: Json): Pick<FieldId, 'at' | 'id' | 'beside'>[] {
  switch (field.is) {
    case 'value': {
      const id = typeof value === 'string' || targetOf(field) !== null ? idText(value) : null;
      return id === null ? [] : [{ at, id, beside: null }];
    }
    case 'reference': {
      const id = isObject(value) ? idText(own(value, 'id')) : null;
      return id !== null && isObject(value) ? [{ at, id, beside: textOf(value, 'name') }] : [];
    }
    case 'set':
      return placesIn(value, at).flatMap(([place, item]) => idPlaces(place, { ...field, is: 'value' }, item));
    case 'references':
      return placesIn(value, at).flatMap(([place, item]) => idPlaces(place, { is: 'reference' }, item));
    case 'text':
    case 'email':
    case 'json':
    case 'records':
      return [];
  }
}

/** The names of all records that the tenant's answer shows with their ids, by id. */
function namesShown({ kind, raw }: Pick<LiveObject, 'kind' | 'raw'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const walk = (value: Json): void => {
    if (isArray(value)) value.forEach(walk);
    else if (isObject(value)) {
      const [id, name] = [textOf(value, 'id'), textOf(value, 'name')];
      if (id !== null && name !== null && !names.has(id)) names.set(id, name);
      Object.values(value).forEach(walk);
    }
  };
  for (const [name, value] of Object.entries(raw)) {
    // What is inside JSON belongs to other systems, as their settings do.
    if (fieldNamed(kind, name)?.is !== 'json') walk(value);
  }
  return names;
}

/** The names of the bare ids in an object's fields, by place, if the tenant shows both. Safe in a comment. */
export function namesOf(object: LiveObject, sources: NameSources): ReadonlyMap<Pointer, string> {
  const bare = fieldIds(object).filter(({ is }) => is === 'value' || is === 'set');
  const records = recordIdsIn(object, sources).map(({ at, record }) => {
    return { at, shown: record && (textOf(record, 'label') ?? textOf(record, 'name')) };
  });
  return new Map(
    [...bare, ...records]
      .map(({ at, shown }) => [at, commentOf(shown ?? '')] as const)
      .filter(([, comment]) => comment !== ''),
  );
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
