import { formatAddress } from '../model/address.ts';
import { get, isObject, type Json, type JsonObject, mapMembers, pick } from '../model/json.ts';
import { liveMarker, livePlacesIn, refMarker } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import { maskedAdvice, masksIn } from './credentials.ts';
import type { Descriptor } from './descriptor.ts';
import { sameValue, sentValue, wireValue } from './field.ts';
import { type ApiResource, jsonPatchType, mergePatchType } from './http.ts';
import { jsonPatch, mergePatch } from './json-patch.ts';
import {
  type Field,
  fieldNamed,
  type Kind,
  type Parent,
  type RemoveInput,
  type UpdateInput,
  type Write,
  type WriteInput,
  withoutId,
} from './kind.ts';
import { call, idPlace, keyMembers, type Operation } from './operation.ts';
import { pathIds } from './parents.ts';

/** What is written, and where. */
interface WriteTarget {
  readonly descriptor: Descriptor;
  readonly resource: ApiResource;
  readonly parent: Parent | undefined;
}

/** How the objects of a descriptor are written. */
export function writesOf(target: WriteTarget): Pick<Kind, 'create' | 'update' | 'remove'> {
  return {
    create: (input) => create(target, input),
    update: (input) => update(target, input),
    remove: (input) => remove(target, input),
  };
}

function create({ descriptor, resource, parent }: WriteTarget, input: WriteInput): Write {
  const { kind, single, write } = descriptor;
  if (!descriptor.create) return manualWrite(descriptor, { ...input, id: '' }, 'create');
  const lacking = (write.required ?? []).filter((name) => (get(input.fields, name) ?? null) === null);
  if (lacking.length > 0) return { manual: lackingAdvice(descriptor, lacking) };
  const above = parent ? { above: [get(input.fields, parent.part) ?? null] } : {};
  const [first, later] = inTwo(descriptor, newObject(descriptor, input));
  const post: Operation = { method: single ? 'PUT' : 'POST', resource };
  const created = call(post, input.settings, { ...above, body: first });
  const change = changeCall(descriptor, resource);
  if (!change || Object.keys(later).length === 0) return { requests: [created] };
  const id = refMarker(formatAddress(kind, input.key));
  const body = descriptor.update === 'put' ? { ...first, ...later } : setBody(descriptor, later);
  return { requests: [created, call(change, input.settings, { ...above, id, body })] };
}

function update(target: WriteTarget, input: UpdateInput): Write {
  const { descriptor, parent } = target;
  const { id } = input.live;
  const change = changeCall(descriptor, target.resource);
  if (!change || isOutOfReach(target, id)) return manualWrite(descriptor, { ...input, id }, 'change');
  const fixed = (descriptor.write.immutable ?? []).filter((name) => input.changed.has(name));
  if (fixed.length > 0) return replace(target, input, fixed);
  const unsafe = masksIn(wholeFields(descriptor, input), input.live);
  if (unsafe.length > 0) return { manual: maskedAdvice(input, unsafe) };
  const bodies = inTurn(descriptor, input).map((each) =>
    descriptor.update === 'put' ? wholeBody(descriptor, each, parent) : patchBody(descriptor, each),
  );
  return { requests: bodies.map((body) => call(change, input.settings, { ...placeOf(target, id), body })) };
}

function remove(target: WriteTarget, input: RemoveInput): Write {
  const { descriptor, resource } = target;
  const { id, settings } = input;
  if (!descriptor.delete || isOutOfReach(target, id)) return manualWrite(descriptor, input, 'delete');
  const place = placeOf(target, id);
  const change = changeCall(descriptor, resource);
  const { beforeDelete } = descriptor.write;
  const before =
    change && beforeDelete
      ? [call(change, settings, { ...place, body: setBody(descriptor, beforeDelete) })]
      : [];
  const removal: Operation = { method: 'DELETE', resource, below: itemBelow(descriptor) };
  return { requests: [...before, call(removal, settings, place)], risk: ['delete'] };
}

/** A change of what no update can change. What a plan may not show cannot be put into a new object. */
function replace(target: WriteTarget, input: UpdateInput, fixed: readonly string[]): Write {
  const { descriptor } = target;
  const { key, live, fields, settings } = input;
  const manual = fixedAdvice(descriptor, fixed);
  if (!descriptor.write.replace) return { manual };
  const [removed, made] = [remove(target, { key, id: live.id, settings }), create(target, input)];
  if ('manual' in removed) return removed;
  if ('manual' in made) return made;
  const unseen = made.requests.flatMap(({ body }) => livePlacesIn(body));
  const lost = [...masksIn({ ...live.fields, ...fields }, live), ...unseen];
  if (lost.length > 0) return { manual: `${manual} A plan cannot do so: it would lose ${lost.join(', ')}.` };
  const requests = [...removed.requests, ...made.requests];
  return { requests, risk: ['replace'], warnings: [replaceWarning(descriptor)] };
}

/** True for an object that no path leads to. */
const isOutOfReach = ({ descriptor: { single }, parent }: WriteTarget, id: string | null): boolean =>
  id === null && (!single || parent !== undefined);

function placeOf(
  { parent }: WriteTarget,
  id: string | null,
): { readonly id: Json; readonly above?: readonly Json[] } {
  const [above, own = null] = id === null ? [] : pathIds(parent, id);
  return above === undefined ? { id: own } : { id: own, above: [above] };
}

const itemBelow = ({ single }: Descriptor): readonly string[] => (single ? [] : [idPlace]);

export const keyNames = ({ key }: Descriptor): string[] => key.map(({ name }) => name);

const usualTypes = {
  'json-patch': jsonPatchType,
  'merge-patch': mergePatchType,
  patch: undefined,
  put: undefined,
};

function changeCall(descriptor: Descriptor, resource: ApiResource): Operation | null {
  const { update: way, write } = descriptor;
  if (way === 'none') return null;
  const contentType = write.contentType ?? usualTypes[way];
  const method = way === 'put' ? 'PUT' : 'PATCH';
  return {
    method,
    resource,
    below: itemBelow(descriptor),
    ...(contentType !== undefined && { contentType }),
  };
}

/** What a PUT sends back although the descriptor does not name it. */
export function othersIn(
  { key, fields, serverOwned, update }: Descriptor,
  answer: JsonObject,
  parent: Parent | undefined,
): JsonObject {
  if (update !== 'put') return {};
  const ofParent = parent ? [parent.part] : [];
  const named = new Set([
    ...['id', ...ofParent, ...serverOwned],
    ...[...key.map(({ name }) => name), ...Object.keys(fields)],
  ]);
  return mapMembers(answer, (value, name) => (named.has(name) ? undefined : value));
}

/** A new object has no unset members. */
function newObject(descriptor: Descriptor, { key, fields, settings }: WriteInput): JsonObject {
  const sent = mapMembers(fields, (value, name) => {
    const field = fieldNamed(descriptor, name);
    return field && (sentValue(field, value, settings) ?? undefined);
  });
  return { ...keyMembers(keyNames(descriptor), ownKey(descriptor, key)), ...sent };
}

/** The key without the part that names the parent. */
const ownKey = ({ key }: Descriptor, all: readonly string[]): readonly string[] =>
  all.slice(all.length - key.length);

/** What a create takes, and what it leaves to an update. */
function inTwo(descriptor: Descriptor, object: JsonObject): readonly [first: JsonObject, later: JsonObject] {
  const { first } = descriptor.write;
  if (!first) return [object, {}];
  const isFirst = (name: string) => first.includes(name) || keyNames(descriptor).includes(name);
  return [
    mapMembers(object, (value, name) => (isFirst(name) ? value : undefined)),
    mapMembers(object, (value, name) => (isFirst(name) ? undefined : value)),
  ];
}

/** The body of an update that sets these members, whatever is there. */
function setBody({ update, write }: Descriptor, members: JsonObject): Json {
  if (update !== 'json-patch') return members;
  const op = write.patchOps === 'replace' ? 'replace' : 'add';
  return Object.entries(members).map(([name, value]) => ({ op, path: pointer(name), value }));
}

/** An update in as many steps as there have to be: fields that may not change together change one after the other. */
function inTurn({ write: { alone = [] } }: Descriptor, input: UpdateInput): UpdateInput[] {
  const steps: Set<string>[] = [];
  const areApart = (one: string, other: string) =>
    alone.some((some) => some.includes(one) && some.includes(other));
  for (const name of input.changed) {
    const step = steps.find((others) => ![...others].some((other) => areApart(name, other)));
    if (step) step.add(name);
    else steps.push(new Set([name]));
  }
  return steps.map((changed, at) => {
    const later = new Set(steps.slice(at + 1).flatMap((each) => [...each]));
    const fields = mapMembers(input.fields, (value, name) => {
      if (!later.has(name)) return value;
      return Object.hasOwn(input.live.fields, name) ? liveMarker(pointer(name)) : undefined;
    });
    return { ...input, changed, fields };
  });
}

/** The fields that an update writes with all that is in them, declared or not. */
function wholeFields(
  { fields, update, write }: Descriptor,
  { fields: values, changed, live }: UpdateInput,
): JsonObject {
  const isWhole = (name: string) => {
    const field = fields[name];
    const isReplaced = update === 'patch' || write.patchOps === 'replace';
    const isOneValue = isReplaced || (field?.is === 'json' && !field.plain);
    return update === 'put' || (changed.has(name) && isOneValue);
  };
  return mapMembers({ ...live.fields, ...values }, (value, name) => (isWhole(name) ? value : undefined));
}

/** The fields that differ, and the key where it is changed. All but JSON is replaced as a whole. */
function patchBody(descriptor: Descriptor, { key, fields, live, changed, settings }: UpdateInput): Json {
  const { update, write } = descriptor;
  const names = [...changed];
  const side = (values: JsonObject, part: readonly string[]) =>
    mapMembers(
      pick({ ...values, ...keyMembers(keyNames(descriptor), ownKey(descriptor, part)) }, names),
      (value, name) => sentValue(fieldNamed(descriptor, name), value, settings),
    );
  const [before, after] = [side(live.fields, live.key), side(fields, key)];
  if (update === 'patch') return after;
  if (update === 'json-patch' && write.patchOps === 'replace') return setBody(descriptor, after);
  const isAny = (...types: readonly Field['is'][]) =>
    new Set(names.filter((name) => types.includes(fieldNamed(descriptor, name)?.is ?? 'text')));
  const withRemoved = (value: Json, name: string) =>
    removeParts(fieldNamed(descriptor, name), get(before, name), value);
  // A merge patch of a value has to name those of its members that go.
  return update === 'merge-patch'
    ? mergePatch(before, mapMembers(after, withRemoved), isAny('reference'))
    : jsonPatch(before, after, isAny('reference', 'value'));
}

/** A reference for a merge patch, with null for each part that goes. A manifest may leave its type out. */
function removeParts(field: Field | undefined, current: Json | undefined, value: Json): Json {
  if (field?.is !== 'reference' || !isObject(current) || !isObject(value)) return value;
  const isLeft = (part: string) => Object.hasOwn(value, part) || (part === 'type' && field.to !== undefined);
  return { ...mapMembers(current, (_, part) => (isLeft(part) ? undefined : null)), ...value };
}

/** What the manifest omits goes back as it was; what the descriptor does not name is read just before sending. */
function wholeBody(
  descriptor: Descriptor,
  { key, fields, live, changed, settings }: UpdateInput,
  parent: Parent | undefined,
): JsonObject {
  const { raw } = live;
  const { id, serverOwned, write } = descriptor;
  const names = keyNames(descriptor);
  const isKeyChanged = names.some((name) => changed.has(name));
  return {
    ...mapMembers(othersIn(descriptor, raw, parent), (_, name) => liveMarker(pointer(name))),
    ...(write.sendId || !serverOwned.includes(id) ? pick(raw, [id]) : {}),
    ...keyMembers(names, ownKey(descriptor, isKeyChanged ? key : live.key)),
    ...mapMembers(pick(fields, Object.keys(descriptor.fields)), (value, name) => {
      const field = fieldNamed(descriptor, name);
      if (changed.has(name)) return sentValue(field, value, settings);
      // What is unset stays as the tenant has it: absent, null or `{}`. Written otherwise, it would count as changed.
      const isUnset = field && [value, get(raw, name)].every((each) => sameValue(field, each, null));
      return isUnset ? get(raw, name) : field && wireValue(field, value, settings);
    }),
  };
}

function manualWrite(
  { kind }: Descriptor,
  { key, id }: Pick<RemoveInput, 'key' | 'id'>,
  step: 'create' | 'change' | 'delete',
): Write {
  if (id === null && step !== 'create') return withoutId(key.join('/'), step);
  const why = `The API has no call to ${step} objects of the kind ${kind}`;
  return { manual: `${why}: do this in the admin interface, then plan again.` };
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function lackingAdvice({ kind }: Descriptor, lacking: readonly string[]): string {
  return `The API creates no ${kind} without ${code(lacking)}: declare it, then plan again.`;
}

function fixedAdvice({ kind }: Descriptor, fixed: readonly string[]): string {
  return `The API cannot change ${code(fixed)} of a ${kind}: delete the object and create it again, or declare what the tenant has.`;
}

function replaceWarning({ kind }: Descriptor): string {
  return `The new ${kind} has another id, and only the fields that the descriptor names. Plan again afterwards, for the objects that refer to it or were below it.`;
}
