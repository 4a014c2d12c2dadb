import { formatAddress, type Key } from '../model/address.ts';
import { get, isObject, type Json, type JsonObject, mapMembers, pick } from '../model/json.ts';
import { jsonText, liveMarker, livePlacesIn, refMarker } from '../model/marker.ts';
import type { Request } from '../model/plan.ts';
import { pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { concealedPlaces } from './credentials.ts';
import { manifestSchemaOf } from './described-schema.ts';
import { type Descriptor, namingOf, type Proof } from './descriptor.ts';
import { alignWithLive, inOneOrder, sameValue, sentValue, wireValue } from './field.ts';
import {
  type ApiResource,
  apiRequest,
  call,
  idText,
  isOneOf,
  jsonPatchType,
  keyMembers,
  mergePatchType,
  resourceAt,
} from './http.ts';
import { jsonPatch, mergePatch } from './json-patch.ts';
import { readJsonText } from './jsontext.ts';
import {
  type Facts,
  type Field,
  fieldNamed,
  type Kind,
  type List,
  type Parent,
  type Read,
  type RemoveInput,
  type UpdateInput,
  type Write,
  type WriteInput,
  withoutId,
} from './kind.ts';
import { aboveIn, joinIds, pathIds } from './parents.ts';

export function kindFrom(
  descriptor: Descriptor,
  {
    resource = resourceAt(descriptor.kind, descriptor.service, descriptor.path),
    proof,
    parent,
  }: { readonly resource?: ApiResource; readonly proof?: Proof; readonly parent?: Parent } = {},
): Kind {
  const { kind: name, summary, key, single, write } = descriptor;
  const { isPinnable, isRenamable } = namingOf(descriptor);
  const target: Target = { descriptor, resource, parent };
  const above = parent && {
    name: parent.part,
    foldCase: parent.kind.keyFields.some(({ foldCase }) => foldCase),
  };
  return {
    name,
    summary,
    keyFields: [...(above ? [above] : []), ...key],
    // Among the fields, the parent is a reference like any other: resolved, checked, and before it in an apply.
    fields: {
      ...(parent && { [parent.part]: { is: 'value', to: parent.kind.name } as const }),
      ...descriptor.fields,
    },
    // A manifest that may pin the id may also have one.
    serverOwned: descriptor.serverOwned.filter((each) => !(isPinnable && each === 'id')),
    resource,
    ...(parent && { parent }),
    ...(descriptor.id !== 'id' && { idMember: descriptor.id }),
    read: readOf(target),
    parse: (answer, id) => parse(target, answer, id),
    can: {
      // A descriptor does not define a second create. A PUT has the same effect twice.
      create: descriptor.create && (single ? 'replaces' : 'duplicates'),
      update: descriptor.update !== 'none',
      delete: descriptor.delete,
      rename: isRenamable,
      pin: isPinnable,
    },
    write: {
      create: (input) => create(target, input),
      update: (input) => update(target, input),
      remove: (input) => remove(target, input),
    },
    described: {
      schema: () => manifestSchemaOf(descriptor),
      ...(write.required && { required: write.required }),
      ...(write.beforeDelete && { beforeDelete: write.beforeDelete }),
      ...(proof && { digest: proof.digest }),
    },
    ...(proof?.notice && { quirks: { notice: proof.notice } }),
  };
}

interface Target {
  readonly descriptor: Descriptor;
  readonly resource: ApiResource;
  readonly parent: Parent | undefined;
}

function readOf(target: Target): Read {
  const { descriptor, resource, parent } = target;
  const one = (id: string | null, settings: ApiSettings) =>
    apiRequest('GET', resource, settings, placeOf(target, id));
  if (!descriptor.single) return { how: 'list', list: listOf(descriptor, resource, parent), one };
  // Elsewhere a 404 says that the path is wrong.
  return { how: 'single', one, isAbsent: ({ status }) => descriptor.create && status === 404 };
}

export function listOf(
  { key, list: { filterPart = -1, ...list } }: Descriptor,
  resource: ApiResource,
  parent?: Parent,
): List {
  const part = key[filterPart];
  if (!part) return { ...list, resource };
  // The parent is in front of the other parts of a key.
  const at = filterPart + (parent ? 1 : 0);
  return {
    ...list,
    resource,
    filter: (keys) => isOneOf(part.name, [...new Set(keys.map((each) => each[at] ?? ''))]),
  };
}

/** An id stands in for a key of one part that the tenant leaves empty. An answer without the member is a different case. */
function parse({ descriptor, parent }: Target, answer: JsonObject, requested: string | null): Facts | null {
  const above = parent ? aboveIn(parent, answer) : null;
  if (parent && !above) return null;
  const shown =
    idText(get(answer, descriptor.id)) ?? (requested === null ? null : pathIds(parent, requested)[1]);
  const id = descriptor.single ? null : (shown ?? null);
  const parts = descriptor.key.map(({ name, of }) => {
    const member = get(answer, name);
    return of !== undefined && isObject(member) ? get(member, of) : member;
  });
  const key = parts.map((part) =>
    parts.length === 1 && (part === null || part === '') ? id : (part ?? null),
  );
  if (!key.every((part) => typeof part === 'string')) return null;
  const named = mapMembers(pick(answer, Object.keys(descriptor.fields)), (value, name) => {
    const field = fieldNamed(descriptor, name);
    return field && inOneOrder(field, field.is === 'json' ? readJsonText(value) : value);
  });
  const others = othersIn(descriptor, answer, parent);
  const fields = { ...others, ...named };
  const facts = { fields, hidden: concealedPlaces(fields, ''), extraMembers: () => others };
  if (!parent || !above) return { ...facts, key, id };
  return {
    ...facts,
    key: [above.part, ...key],
    id: descriptor.single ? joinIds(above.id) : id === null ? null : joinIds(above.id, id),
    fields: { [parent.part]: above.id, ...fields },
  };
}

function create(target: Target, input: WriteInput): Write {
  const { descriptor, resource, parent } = target;
  const { kind, single, write } = descriptor;
  if (!descriptor.create) return manualWrite(descriptor, { ...input, id: '' }, 'create');
  const lacking = (write.required ?? []).filter((name) => (get(input.fields, name) ?? null) === null);
  if (lacking.length > 0) {
    return { manual: `The API creates no ${kind} without ${code(lacking)}: declare it, then plan again.` };
  }
  const above = parent ? [get(input.fields, parent.part) ?? null] : [];
  const sent = mapMembers(input.fields, (value, name) => {
    const field = fieldNamed(descriptor, name);
    return field && (sentValue(field, value, input.settings) ?? undefined);
  });
  const [first, later] = inTwo(descriptor, { ...keyOf(descriptor, input.key), ...sent });
  const created = call(single ? 'PUT' : 'POST', resource, input.settings, { above, body: first });
  if (descriptor.update === 'none' || Object.keys(later).length === 0) return { requests: [created] };
  const place = { above, below: single ? [] : [refMarker(formatAddress(kind, input.key))] };
  const steps = stepsOf(descriptor, Object.keys(later));
  const changes = steps.map((step, at) => {
    const isPut = descriptor.update === 'put';
    const names = isPut ? steps.slice(0, at + 1).flatMap((each) => [...each]) : [...step];
    const body = isPut ? { ...first, ...pick(later, names) } : setBody(descriptor, pick(later, names));
    return changeCall(target, input.settings, place, body);
  });
  return { requests: [created, ...changes] };
}

function update(target: Target, input: UpdateInput): Write {
  const { descriptor, parent } = target;
  const { id } = input.live;
  if (descriptor.update === 'none' || isOutOfReach(target, id))
    return manualWrite(descriptor, { ...input, id }, 'change');
  const fixed = (descriptor.write.immutable ?? []).filter((name) => input.changed.has(name));
  if (fixed.length > 0) return replace(target, input, fixed);
  const bodies = inTurn(descriptor, input).map((each) =>
    descriptor.update === 'put' ? wholeBody(descriptor, each, parent) : patchBody(descriptor, each),
  );
  const place = placeOf(target, id);
  return { requests: bodies.map((body) => changeCall(target, input.settings, place, body)) };
}

function remove(target: Target, input: RemoveInput): Write {
  const { descriptor, resource } = target;
  const { id, settings } = input;
  if (!descriptor.delete || isOutOfReach(target, id)) return manualWrite(descriptor, input, 'delete');
  const place = placeOf(target, id);
  const { beforeDelete } = descriptor.write;
  const before =
    beforeDelete && descriptor.update !== 'none'
      ? [changeCall(target, settings, place, setBody(descriptor, beforeDelete))]
      : [];
  return { requests: [...before, call('DELETE', resource, settings, place)], risk: ['delete'] };
}

/** A change that no update can make. Values that a plan may not show cannot be written into a new object. */
function replace(target: Target, input: UpdateInput, fixed: readonly string[]): Write {
  const { kind, write } = target.descriptor;
  const { key, live, settings } = input;
  const manual = `The API cannot change ${code(fixed)} of a ${kind}: delete the object and create it again, or declare what the tenant has.`;
  if (!write.replace) return { manual };
  const [removed, made] = [remove(target, { key, id: live.id, settings }), create(target, input)];
  if ('manual' in removed) return removed;
  if ('manual' in made) return made;
  const lost = made.requests.flatMap(({ body }) => livePlacesIn(body));
  if (lost.length > 0) return { manual: `${manual} A plan cannot do so: it would lose ${lost.join(', ')}.` };
  const requests = [...removed.requests, ...made.requests];
  const warning = `The new ${kind} has another id, and only the fields that the descriptor names. Plan again afterwards, for the objects that refer to it or were below it.`;
  return { requests, risk: ['replace'], warnings: [warning] };
}

const isOutOfReach = ({ descriptor: { single }, parent }: Target, id: string | null): boolean =>
  id === null && (!single || parent !== undefined);

function placeOf({ descriptor: { single }, parent }: Target, id: string | null) {
  const [above, own = ''] = id === null ? [] : pathIds(parent, id);
  return { above: above === undefined ? [] : [above], below: single ? [] : [own] };
}

const usualTypes: Readonly<Partial<Record<Descriptor['update'], string>>> = {
  'json-patch': jsonPatchType,
  'merge-patch': mergePatchType,
};

function changeCall(
  { descriptor: { update, write }, resource }: Target,
  settings: ApiSettings,
  place: { readonly above: readonly Json[]; readonly below: readonly Json[] },
  body: Json,
): Request {
  const contentType = write.contentType ?? usualTypes[update];
  return call(update === 'put' ? 'PUT' : 'PATCH', resource, settings, { ...place, body, contentType });
}

/** The members that a PUT sends back although the descriptor does not name them. */
function othersIn(
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

function keyOf({ key }: Descriptor, all: Key): JsonObject {
  const names = key.map(({ name }) => name);
  return keyMembers(names, all.slice(all.length - key.length));
}

function inTwo(descriptor: Descriptor, object: JsonObject): readonly [first: JsonObject, later: JsonObject] {
  const { first } = descriptor.write;
  if (!first) return [object, {}];
  const isFirst = (name: string) => first.includes(name) || descriptor.key.some((part) => part.name === name);
  return [
    mapMembers(object, (value, name) => (isFirst(name) ? value : undefined)),
    mapMembers(object, (value, name) => (isFirst(name) ? undefined : value)),
  ];
}

function setBody({ update, write }: Descriptor, members: JsonObject): Json {
  if (update !== 'json-patch') return members;
  const op = write.patchOps === 'replace' ? 'replace' : 'add';
  return Object.entries(members).map(([name, value]) => ({ op, path: pointer(name), value }));
}

/** Splits fields into steps: those that may not change together change one after the other. */
function stepsOf({ write: { alone = [] } }: Descriptor, names: Iterable<string>): Set<string>[] {
  const steps: Set<string>[] = [];
  for (const name of names) {
    const apart = alone.filter((some) => some.includes(name)).flat();
    const step = steps.find((others) => !apart.some((other) => others.has(other)));
    if (step) step.add(name);
    else steps.push(new Set([name]));
  }
  return steps;
}

function inTurn(descriptor: Descriptor, input: UpdateInput): UpdateInput[] {
  const steps = stepsOf(descriptor, input.changed);
  return steps.map((changed, at) => {
    const later = new Set(steps.slice(at + 1).flatMap((each) => [...each]));
    const fields = mapMembers(input.fields, (value, name) => {
      if (!later.has(name)) return value;
      return Object.hasOwn(input.live.fields, name) ? liveMarker(pointer(name)) : undefined;
    });
    return { ...input, changed, fields };
  });
}

function patchBody(descriptor: Descriptor, { key, fields, live, changed, settings }: UpdateInput): Json {
  const { update, write } = descriptor;
  const names = [...changed];
  const side = (values: JsonObject, part: Key) =>
    mapMembers(pick({ ...values, ...keyOf(descriptor, part) }, names), (value, name) =>
      sentValue(fieldNamed(descriptor, name), value, settings),
    );
  const [before, after] = [side(live.fields, live.key), side(fields, key)];
  if (update === 'patch') return after;
  if (update === 'json-patch' && write.patchOps === 'replace') return setBody(descriptor, after);
  const isAny = (...types: readonly Field['is'][]) =>
    new Set(names.filter((name) => types.includes(fieldNamed(descriptor, name)?.is ?? 'text')));
  if (update === 'json-patch') return jsonPatch(before, after, isAny('reference', 'value'));
  // A merge patch of a value has to name those of its members that go.
  const wanted = mapMembers(after, (value, name) =>
    removeParts(fieldNamed(descriptor, name), get(before, name), value),
  );
  return mergePatch(before, wanted, isAny('reference'));
}

/** A reference for a merge patch, with null for each part that goes. A manifest may leave its type out. */
function removeParts(field: Field | undefined, current: Json | undefined, value: Json): Json {
  if (field?.is !== 'reference' || !isObject(current) || !isObject(value)) return value;
  const removed = mapMembers(current, (_, part) =>
    part === 'type' && field.to !== undefined ? undefined : null,
  );
  return { ...removed, ...value };
}

/** Omitted fields are sent back unchanged; members that the descriptor does not name are read just before sending. */
function wholeBody(
  descriptor: Descriptor,
  { key, fields, live, changed, settings }: UpdateInput,
  parent: Parent | undefined,
): JsonObject {
  const { raw } = live;
  const { id, serverOwned, write } = descriptor;
  const isKeyChanged = descriptor.key.some(({ name }) => changed.has(name));
  return {
    ...mapMembers(othersIn(descriptor, raw, parent), (_, name) => liveMarker(pointer(name))),
    ...(write.sendId || !serverOwned.includes(id) ? pick(raw, [id]) : {}),
    ...keyOf(descriptor, isKeyChanged ? key : live.key),
    ...mapMembers(pick(fields, Object.keys(descriptor.fields)), (value, name) => {
      const field = fieldNamed(descriptor, name);
      if (changed.has(name)) return sentValue(field, value, settings);
      // Unset members keep the tenant's form: absent, null or `{}`. Another form would count as a change.
      const shown = get(raw, name);
      const isUnset = field && [value, shown].every((each) => sameValue(field, each, null));
      if (!isUnset) return field && wireValue(field, value, settings);
      const owned = alignWithLive(field, readJsonText(shown ?? null), shown, pointer(name));
      if (livePlacesIn(owned).length === 0) return shown;
      return typeof shown === 'string' ? jsonText(owned) : owned;
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
