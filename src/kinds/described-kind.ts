import { isObject, type Json, type JsonObject, mapMembers, own, pick } from '../model/json.ts';
import { liveMarker } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import { concealedPlaces, maskedAdvice, masksIn } from './credentials.ts';
import { manifestSchemaOf } from './described-schema.ts';
import type { Descriptor, Proof } from './descriptor.ts';
import { sentValue, wireValue } from './field.ts';
import { type ApiResource, apiRequest, eq, jsonPatchType, mergePatchType, or, resourceAt } from './http.ts';
import { jsonPatch, mergePatch } from './json-patch.ts';
import { readJsonText } from './jsontext.ts';
import {
  type Facts,
  type Field,
  fieldNamed,
  type Kind,
  type List,
  type RemoveInput,
  type UpdateInput,
  type Write,
  type WriteInput,
} from './kind.ts';
import { call, idPlace, idText, keyMembers, type Operation } from './operation.ts';

/** The kind that a descriptor describes, in its `resource`. Everything that takes a kind takes it as any other. */
export function kindFrom(
  descriptor: Descriptor,
  {
    resource = resourceOf(descriptor),
    proof,
  }: { readonly resource?: ApiResource; readonly proof?: Proof } = {},
): Kind {
  const { kind: name, summary, key, fields } = descriptor;
  const isPinnable = key.length === 1;
  const one = { resource, below: [idPlace] };
  const post: Operation = { method: 'POST', resource };
  const change = changeCall(descriptor, one);
  const remove: Operation = { ...one, method: 'DELETE' };
  return {
    name,
    summary,
    keyFields: key,
    fields,
    // Where a manifest may pin the id, it is not among what it may not say.
    serverOwned: descriptor.serverOwned.filter((each) => !(isPinnable && each === 'id')),
    resource,
    read: {
      how: 'list',
      list: listOf(descriptor, resource),
      one: (id, settings) => apiRequest('GET', resource, settings, { below: [id] }),
    },
    parse: (answer, id) => parse(descriptor, answer, id),
    can: {
      // A descriptor does not say what the tenant does with a second create.
      create: descriptor.create && 'duplicates',
      update: change !== null,
      delete: descriptor.delete,
      rename: isPinnable && change !== null,
      pin: isPinnable,
    },
    create: (input) =>
      descriptor.create
        ? { requests: [call(post, input.settings, { body: newObject(descriptor, input) })] }
        : manualWrite(descriptor, { ...input, id: '' }, 'create'),
    update(input) {
      const { id } = input.live;
      if (!change || id === null) return manualWrite(descriptor, { ...input, id }, 'change');
      const unsafe = masksIn(wholeFields(descriptor, input), input.live);
      if (unsafe.length > 0) return { manual: maskedAdvice(input, unsafe) };
      const body = descriptor.update === 'put' ? wholeBody(descriptor, input) : patchBody(descriptor, input);
      return { requests: [call(change, input.settings, { id, body })] };
    },
    remove: (input) =>
      descriptor.delete && input.id !== null
        ? { requests: [call(remove, input.settings, { id: input.id })], risk: ['delete'] }
        : manualWrite(descriptor, input, 'delete'),
    described: { schema: () => manifestSchemaOf(descriptor), ...(proof && { digest: proof.digest }) },
    ...(proof?.notice && { quirks: { notice: proof.notice } }),
  };
}

const namesOf = ({ key }: Descriptor): string[] => key.map(({ name }) => name);
const resourceOf = ({ kind, service, path }: Descriptor) => resourceAt(kind, service, path);

export function listOf({ key: [part], list: { filter, ...list } }: Descriptor, resource: ApiResource): List {
  if (!filter || !part) return { ...list, resource };
  return {
    ...list,
    resource,
    filter: (keys) =>
      or([...new Set(keys.map(([first = '']) => first))].map((first) => eq(part.name, first))),
  };
}

function changeCall({ update }: Descriptor, one: Pick<Operation, 'resource' | 'below'>): Operation | null {
  switch (update) {
    case 'json-patch':
      return { ...one, method: 'PATCH', contentType: jsonPatchType };
    case 'merge-patch':
      return { ...one, method: 'PATCH', contentType: mergePatchType };
    case 'patch':
      return { ...one, method: 'PATCH' };
    case 'put':
      return { ...one, method: 'PUT' };
    case 'none':
      return null;
  }
}

/** An id stands in for a key of one part that the tenant leaves empty. An answer without the member is another thing. */
function parse(descriptor: Descriptor, answer: JsonObject, requested: string | null): Facts | null {
  const id = idText(own(answer, 'id')) ?? requested;
  const parts = namesOf(descriptor).map((name) => own(answer, name));
  const key = parts.map((part) =>
    parts.length === 1 && (part === null || part === '') ? id : (part ?? null),
  );
  if (!key.every((part) => typeof part === 'string')) return null;
  const named = mapMembers(pick(answer, Object.keys(descriptor.fields)), (value, name) =>
    fieldNamed(descriptor, name)?.is === 'json' ? readJsonText(value) : value,
  );
  const others = othersIn(descriptor, answer);
  const fields = { ...others, ...named };
  return { key, id, fields, hidden: concealedPlaces(fields, ''), extraMembers: () => others };
}

/** What a PUT sends back although the descriptor does not name it. */
function othersIn({ key, fields, serverOwned, update }: Descriptor, answer: JsonObject): JsonObject {
  if (update !== 'put') return {};
  const named = new Set(['id', ...key.map(({ name }) => name), ...Object.keys(fields), ...serverOwned]);
  return mapMembers(answer, (value, name) => (named.has(name) ? undefined : value));
}

/** A new object has no unset members. */
function newObject(descriptor: Descriptor, { key, fields, settings }: WriteInput): JsonObject {
  const sent = mapMembers(
    fields,
    (value, name) => sentValue(fieldNamed(descriptor, name), value, settings) ?? undefined,
  );
  return { ...keyMembers(namesOf(descriptor), key), ...sent };
}

/** The fields that an update writes with all that is in them, declared or not. */
function wholeFields(
  { fields, update }: Descriptor,
  { fields: values, changed, live }: UpdateInput,
): JsonObject {
  const isWhole = (name: string) => {
    const field = fields[name];
    const isOneValue = update === 'patch' || (field?.is === 'json' && !field.plain);
    return update === 'put' || (changed.has(name) && isOneValue);
  };
  return mapMembers({ ...live.fields, ...values }, (value, name) => (isWhole(name) ? value : undefined));
}

/** The fields that differ, and the key where it is changed. All but JSON is replaced as a whole. */
function patchBody(descriptor: Descriptor, { key, fields, live, changed, settings }: UpdateInput): Json {
  const names = [...changed];
  const side = (values: JsonObject, part: readonly string[]) =>
    mapMembers(pick({ ...values, ...keyMembers(namesOf(descriptor), part) }, names), (value, name) =>
      sentValue(fieldNamed(descriptor, name), value, settings),
    );
  const [before, after] = [side(live.fields, live.key), side(fields, key)];
  if (descriptor.update === 'patch') return after;
  const isAny = (...types: readonly Field['is'][]) =>
    new Set(names.filter((name) => types.includes(fieldNamed(descriptor, name)?.is ?? 'text')));
  const withRemoved = (value: Json, name: string) =>
    removeParts(fieldNamed(descriptor, name), own(before, name), value);
  // A merge patch of a value has to name those of its members that go.
  return descriptor.update === 'merge-patch'
    ? mergePatch(before, mapMembers(after, withRemoved), isAny('reference'))
    : jsonPatch(before, after, isAny('reference', 'value'));
}

/**
 * A reference for a merge patch, with null for each part that goes. Its type stays where the field says the kind, since a
 * manifest may leave it out.
 */
function removeParts(field: Field | undefined, current: Json | undefined, value: Json): Json {
  if (field?.is !== 'reference' || !isObject(current) || !isObject(value)) return value;
  const isLeft = (part: string) => Object.hasOwn(value, part) || (part === 'type' && field.to !== undefined);
  return { ...mapMembers(current, (_, part) => (isLeft(part) ? undefined : null)), ...value };
}

/** What the manifest omits goes back as it was; what the descriptor does not name is read just before sending. */
function wholeBody(
  descriptor: Descriptor,
  { key, fields, live, changed, settings }: UpdateInput,
): JsonObject {
  const { raw } = live;
  const names = namesOf(descriptor);
  return {
    ...mapMembers(othersIn(descriptor, raw), (_, name) => liveMarker(pointer(name))),
    ...(descriptor.serverOwned.includes('id') ? {} : pick(raw, ['id'])),
    ...keyMembers(names, names.some((name) => changed.has(name)) ? key : live.key),
    ...mapMembers(pick(fields, Object.keys(descriptor.fields)), (value, name) => {
      const field = fieldNamed(descriptor, name);
      if (changed.has(name)) return sentValue(field, value, settings);
      return value === null && !Object.hasOwn(raw, name)
        ? undefined
        : field && wireValue(field, value, settings);
    }),
  };
}

function manualWrite(
  { kind }: Descriptor,
  { key, id }: Pick<RemoveInput, 'key' | 'id'>,
  step: 'create' | 'change' | 'delete',
): Write {
  const why =
    id === null
      ? `The tenant shows no id for "${key.join('/')}", so the API cannot ${step} it`
      : `The API has no call to ${step} objects of the kind ${kind}`;
  return { manual: `${why}: do this in the admin interface, then plan again.` };
}
