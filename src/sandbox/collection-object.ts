import { isArray, isObject, type Json, type JsonObject, objectFrom, own, textOf } from '../model/json.ts';
import type { CollectionKind, Member } from './collection-kind.ts';
import { Fields, objectReader, type Read, ShapeError } from './fields.ts';
import { uuid } from './ids.ts';
import { seedTime } from './objects.ts';

/** An object of a collection: `id`, and whatever else the tenant keeps of it. Members without a value are left out. */
export interface CollectionObject {
  readonly id: string;
  readonly [member: string]: Json;
}

/** The members that a client may set. */
export const settable = ({ keys, members }: CollectionKind): readonly string[] => [
  ...keys,
  ...members.keys(),
];

/** What the server writes down when it creates an object. */
export function timesOf({ serverOwned }: CollectionKind, time: string): JsonObject {
  return objectFrom(
    ['created', 'modified'].filter((name) => serverOwned.includes(name)).map((name) => [name, time]),
  );
}

/** The parts of an object's key, as one text. */
export function keyOf({ keys }: CollectionKind, object: JsonObject): string {
  return JSON.stringify(keys.map((name) => textOf(object, name)));
}

/**
 * A reader of a collection's objects in a seed. They may have members that the descriptor does not name: a tenant knows
 * more of its objects than one has to say. Throws `ShapeError`.
 */
export function seedReader(kind: CollectionKind): Read<CollectionObject> {
  return (value, at) => {
    const fields = new Fields(value, at);
    const key = kind.keys.map((name) => fields.text(name));
    const id = fields.textOr('id', uuid(kind.name, ...key));
    const given = isObject(value) ? value : {};
    checkForms(kind, given, at);
    return { ...timesOf(kind, seedTime), ...kind.usual?.(given), ...given, id };
  };
}

/** An object as a data file has it. */
export const readSaved = objectReader<CollectionObject>((fields) => ({
  id: fields.text('id'),
  ...fields.rest(),
}));

/** Throws `ShapeError` for a key that is not there, and for members that do not have the form of the descriptor. */
export function checkForms(kind: CollectionKind, object: JsonObject, at: string): void {
  const fields = new Fields(object, at);
  for (const name of kind.keys) fields.text(name);
  for (const [name, member] of kind.members) checkForm(member, own(object, name) ?? null, `${at}.${name}`);
}

function checkForm(member: Member, value: Json, at: string): void {
  if (value === null) return;
  switch (member.is) {
    case 'text':
    case 'email':
      if (typeof value !== 'string') throw new ShapeError(`${at} must be a string`);
      return;
    case 'value':
      if (member.to !== null && typeof value !== 'string') throw new ShapeError(`${at} must be an id`);
      return;
    case 'set':
      for (const item of listFrom(value, at)) {
        if (item === null || typeof item === 'object')
          throw new ShapeError(`${at} must hold strings or numbers`);
      }
      return;
    case 'json':
      if (!isObject(value) && (member.inText || !isArray(value)))
        throw new ShapeError(`${at} must be an object${member.inText ? '' : ' or an array'}`);
      return;
    case 'reference':
      checkReference(member, value, at);
      return;
    case 'references':
      for (const [index, item] of listFrom(value, at).entries())
        checkReference(member, item, `${at}[${index}]`);
      return;
  }
}

function listFrom(value: Json, at: string): readonly Json[] {
  if (!isArray(value)) throw new ShapeError(`${at} must be an array`);
  return value;
}

/** `{type, id, name}`: with the type of the descriptor, where it has one. The name may be left out: it is the server's. */
function checkReference({ type }: Member, value: Json, at: string): void {
  const fields = new Fields(value, at);
  fields.text('id');
  fields.textOrNull('name');
  const given = fields.textOrNull('type');
  if (type !== null && given !== type) throw new ShapeError(`${at}.type must be ${type}`);
  fields.end();
}

/** A place in an object that holds the id of another one. */
export interface Held {
  readonly to: string;
  readonly id: string;
  readonly at: string;
}

/** The ids of other objects that an object holds. */
export function idsHeld({ members }: CollectionKind, object: JsonObject): Held[] {
  return [...members].flatMap(([at, { to }]) => {
    const value = own(object, at) ?? null;
    if (to === null || value === null) return [];
    return (isArray(value) ? value : [value]).flatMap((item) => {
      const id = isObject(item) ? textOf(item, 'id') : item;
      return typeof id === 'string' ? [{ to, id, at }] : [];
    });
  });
}
