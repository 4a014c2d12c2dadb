import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  own,
  pick,
  textOf,
} from '../model/json.ts';
import { isFilledInLater, liveMarker } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { concealedPlaces, maskedAdvice, masksIn } from './credentials.ts';
import type { Descriptor } from './descriptor.ts';
import { wireValue } from './field.ts';
import { type ApiResource, apiRequest, eq, jsonPatchType, mergePatchType, or, resourceAt } from './http.ts';
import { jsonPatch, mergePatch } from './json-patch.ts';
import { readJsonText } from './jsontext.ts';
import type { Facts, Field, Kind, List, Write, WriteInput } from './kind.ts';
import { call, idPlace, mergedFields, type Operation, patchedFields, wholeObject } from './operation.ts';

/** The kind that a descriptor describes. Everything that takes a kind takes it as any other. */
export function kindFrom(descriptor: Descriptor): Kind {
  const { kind: name, summary, key, fields, serverOwned, update } = descriptor;
  const resource = resourceAt(name, descriptor.service, descriptor.path);
  const post: Operation = { method: 'POST', resource, read: wholeObject(...namesOf(descriptor)) };
  const change = changeCall(descriptor, resource);
  const remove: Operation = { method: 'DELETE', resource, below: [idPlace], risk: () => ['delete'] };
  return {
    name,
    summary,
    keyFields: key,
    fields,
    serverOwned,
    pinnable: key.length === 1,
    renamable: key.length === 1 && update !== 'none',
    resource,
    read: {
      how: 'list',
      list: listOf(descriptor, resource),
      one: (id, settings) => apiRequest('GET', resource, settings, { below: [id] }),
    },
    parse: (answer, _settings, id) => parse(descriptor, answer, id),
    operations: {
      create: descriptor.create ? [post] : [],
      update: change ? [change] : [],
      delete: descriptor.delete ? [remove] : [],
    },
    // What a tenant does with a second create is not told.
    secondCreate: 'duplicates',
    create: (input) =>
      descriptor.create
        ? { requests: [call(post, input.settings, { body: newObject(descriptor, input) })] }
        : byHand(descriptor, input, 'create'),
    update: (input) => (change ? updateBy(change, descriptor, input) : byHand(descriptor, input, 'change')),
    remove(input) {
      const { live, settings } = input;
      if (!descriptor.delete || live.id === null) return byHand(descriptor, input, 'delete');
      return { requests: [call(remove, settings, { id: live.id })] };
    },
  };
}

const namesOf = ({ key }: Descriptor): string[] => key.map(({ name }) => name);

function listOf({ key: [first], list: { filter, ...list } }: Descriptor, resource: ApiResource): List {
  if (!filter || !first) return { ...list, resource };
  const firstPart = (keys: readonly (readonly string[])[]) => new Set(keys.map(([part = '']) => part));
  return {
    ...list,
    resource,
    filter: (keys) => or([...firstPart(keys)].map((part) => eq(first.name, part))),
  };
}

function changeCall(descriptor: Descriptor, resource: ApiResource): Operation | null {
  const at = { resource, below: [idPlace] };
  const names = namesOf(descriptor);
  // Only a key of one part can be changed.
  const renaming = names.length === 1 && names[0] !== undefined ? { name: names[0] } : {};
  switch (descriptor.update) {
    case 'json-patch':
      return {
        ...at,
        method: 'PATCH',
        contentType: jsonPatchType,
        read: (body) => patchedFields(body, renaming),
      };
    case 'merge-patch':
      return {
        ...at,
        method: 'PATCH',
        contentType: mergePatchType,
        read: (body) => mergedFields(body, renaming.name),
      };
    case 'put':
      return { ...at, method: 'PUT', read: wholeObject(...names) };
    case 'none':
      return null;
  }
}

/** An id stands in for a key of one part that the tenant leaves empty. Without the member it is no object of the kind. */
function parse(descriptor: Descriptor, answer: JsonObject, requested: string | null): Facts | null {
  const id = idOf(answer) ?? requested;
  const names = namesOf(descriptor);
  if (names.some((name) => !Object.hasOwn(answer, name))) return null;
  const key = names.map((name) => textOf(answer, name) || (names.length === 1 ? id : null));
  if (!key.every((part) => part !== null)) return null;
  const known = mapMembers(pick(answer, Object.keys(descriptor.fields)), (value, name) =>
    descriptor.fields[name]?.is === 'json' ? readJsonText(value) : value,
  );
  // They go back as they are with a PUT.
  const others = descriptor.update === 'put' ? otherMembers(descriptor, answer) : {};
  const fields = { ...others, ...known };
  return { key, id, fields, hidden: concealedPlaces(fields, ''), carried: () => others };
}

function idOf(answer: JsonObject): string | null {
  const id = own(answer, 'id');
  return typeof id === 'number' ? String(id) : textOf(answer, 'id');
}

/** What the descriptor does not tell of an object. */
function otherMembers({ key, fields, serverOwned }: Descriptor, answer: JsonObject): JsonObject {
  const told = new Set(['id', ...key.map(({ name }) => name), ...Object.keys(fields), ...serverOwned]);
  return mapMembers(answer, (value, name) => (told.has(name) ? undefined : value));
}

const keyMembers = (descriptor: Descriptor, key: readonly string[]): JsonObject =>
  objectFrom(namesOf(descriptor).map((name, at) => [name, key[at] ?? null]));

/** A new object has no unset members. */
function newObject(descriptor: Descriptor, { key, fields, settings }: WriteInput): JsonObject {
  const sent = wireFields(descriptor, fields, Object.keys(descriptor.fields), settings);
  return { ...keyMembers(descriptor, key), ...mapMembers(sent, (value) => value ?? undefined) };
}

type Update = Parameters<Kind['update']>[0];

function updateBy(operation: Operation, descriptor: Descriptor, input: Update): Write {
  const { fields, live, changed, settings } = input;
  if (live.id === null) return byHand(descriptor, input, 'change');
  const isWhole = (name: string) => {
    const field = descriptor.fields[name];
    return descriptor.update === 'put' || (changed.has(name) && field?.is === 'json' && !field.plain);
  };
  const written = mapMembers({ ...live.fields, ...fields }, (value, name) =>
    isWhole(name) ? value : undefined,
  );
  const unsafe = masksIn(written, live);
  if (unsafe.length > 0) return { manual: maskedAdvice(input.key.join('/'), unsafe) };
  const body = descriptor.update === 'put' ? wholeBody(descriptor, input) : patchBody(descriptor, input);
  return { requests: [call(operation, settings, { id: live.id, body })] };
}

/** The fields that differ, and the key where it is changed. All but JSON is replaced as a whole. */
function patchBody(descriptor: Descriptor, { key, fields, live, changed, settings }: Update): Json {
  const names = Object.keys(descriptor.fields).filter((name) => changed.has(name));
  const side = (values: JsonObject, part: readonly string[]) => ({
    ...wireFields(descriptor, values, names, settings),
    ...mapMembers(keyMembers(descriptor, part), (value, name) => (changed.has(name) ? value : undefined)),
  });
  const [before, after] = [side(live.fields, live.key), side(fields, key)];
  const isAny = (...types: readonly Field['is'][]) =>
    new Set(names.filter((name) => types.includes(descriptor.fields[name]?.is ?? 'value')));
  // A merge patch of a value has to say which of its members go.
  return descriptor.update === 'merge-patch'
    ? mergePatch(before, after, isAny('reference'))
    : jsonPatch(before, after, isAny('reference', 'value'));
}

/** What the manifest omits goes back as it was; values that the descriptor does not tell are read just before sending. */
function wholeBody(descriptor: Descriptor, { key, fields, live, changed, settings }: Update): JsonObject {
  const isSet = (name: string) =>
    changed.has(name) || Object.hasOwn(live.raw, name) || (own(fields, name) ?? null) !== null;
  const names = Object.keys(descriptor.fields);
  const same = names.filter((name) => isSet(name) && !changed.has(name));
  const [first = ''] = namesOf(descriptor);
  return {
    ...mapMembers(otherMembers(descriptor, live.raw), (_, name) => liveMarker(pointer(name))),
    ...(descriptor.serverOwned.includes('id') ? {} : { id: own(live.raw, 'id') ?? null }),
    ...keyMembers(descriptor, changed.has(first) ? key : live.key),
    ...mapMembers(pick(fields, same), (value, name) => wireOf(descriptor.fields[name], value, settings)),
    ...wireFields(
      descriptor,
      fields,
      names.filter((name) => changed.has(name)),
      settings,
    ),
  };
}

/** Fields that are written, in the form in which the API takes them. */
function wireFields(
  { fields }: Descriptor,
  values: JsonObject,
  names: readonly string[],
  settings: ApiSettings,
): JsonObject {
  return mapMembers(pick(values, names), (value, name) => {
    const field = fields[name];
    if (field?.is === 'reference') return sentReference(value, field.type);
    if (field?.is === 'references' && isArray(value))
      return value.map((item) => sentReference(item, field.type));
    return wireOf(field, value, settings);
  });
}

const wireOf = (field: Field | undefined, value: Json, settings: ApiSettings): Json =>
  field ? wireValue(field, value, settings) : value;

/** A reference without the name that readers see: the tenant looks it up by the id. */
function sentReference(value: Json, usual: string | undefined): Json {
  if (value === null) return null;
  const { id = null, type = usual ?? null } =
    isObject(value) && !isFilledInLater(value) ? value : { id: value };
  if (id === null) return value;
  return type === null ? { id } : { type, id };
}

const steps = {
  create: 'create it',
  change: 'make this change',
  delete: 'delete it',
} as const;

function byHand({ kind }: Descriptor, { key, live }: WriteInput, step: keyof typeof steps): Write {
  const name = key.join('/');
  const why =
    live && live.id === null
      ? `The tenant shows no id for "${name}", so the API cannot ${step} it`
      : `The API cannot ${step} objects of the kind ${kind}`;
  return { manual: `${why}: ${steps[step]} in the admin interface, then plan again.` };
}
