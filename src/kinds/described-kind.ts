import { formatAddress, type Key } from '../model/address.ts';
import type { Request } from '../model/documents.ts';
import {
  get,
  getObject,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  pick,
  sameJson,
} from '../model/json.ts';
import { fillLive, isFilledInLater, literal, literalOf, markersIn, renderBody } from '../model/marker.ts';
import { type Pointer, pointer, valueAt } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { concealedPlaces } from './credentials.ts';
import type { Descriptor, proofOf } from './descriptor.ts';
import { alignWithLive, inOneOrder, isDeclaredByMember, sameValue, sentValue, wireValue } from './field.ts';
import { type ApiResource, apiRequest, call, idText, jsonPatchType, keyMembers, resourceAt } from './http.ts';
import { jsonPatch, mergePatch } from './json-patch.ts';
import { readJsonText } from './jsontext.ts';
import {
  type Facts,
  type Field,
  type Kind,
  type Parent,
  pathIds,
  type UpdateInput,
  type Write,
  type WriteInput,
  withoutId,
} from './kind.ts';
import { isKnownById } from './live-objects.ts';

/** A descriptor where its objects are: at a resource, and below those of another kind. */
interface Described extends Omit<Descriptor, 'parent'> {
  readonly resource: ApiResource;
  readonly parent: Parent | undefined;
}

export function kindFrom(
  descriptor: Descriptor,
  {
    resource = resourceAt(descriptor.kind, descriptor.service, descriptor.path),
    proof,
    parent,
  }: {
    readonly resource?: ApiResource;
    readonly proof?: ReturnType<typeof proofOf>;
    readonly parent?: Parent;
  } = {},
): Kind {
  const { kind: name, summary, key, single, write, list } = descriptor;
  const { isPinnable, isRenamable } = namingOf(descriptor);
  const target: Described = { ...descriptor, resource, parent };
  const above = parent && {
    name: parent.part,
    foldCase: parent.kind.keyFields.some(({ foldCase }) => foldCase),
  };
  const one = (id: string | null, settings: ApiSettings) =>
    apiRequest('GET', resource, settings, placeOf(target, id) ?? {});
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
    // Elsewhere a 404 says that the path is wrong.
    read: single
      ? { how: 'single', one, isAbsent: ({ status }) => descriptor.create && status === 404 }
      : { how: 'list', list: { ...list, resource }, one },
    parse: (answer, id) => parse(target, answer, id),
    can: {
      // A descriptor does not define a second create. A PUT has the same effect twice.
      create: descriptor.create && (single ? 'replaces' : 'duplicates'),
      update: descriptor.update !== 'none',
      delete: descriptor.delete,
      ...(write.replace && { replace: true }),
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

/** Whether manifests may pin objects by their ids, and rename them: those whose only name is a member of their own. */
function namingOf({ key: [part, ...others], parent, id, update, write }: Descriptor) {
  const isPinnable = part !== undefined && others.length === 0 && !parent && part.name !== id;
  const isRenamable = isPinnable && update !== 'none' && !write.immutable?.includes(part.name);
  return { isPinnable, isRenamable };
}

/** An id stands in for a key of one part that the tenant leaves empty. An answer without the member is a different case. */
function parse(target: Described, answer: JsonObject, requested: string | null): Facts | null {
  const { parent, single } = target;
  const shown = idText(get(answer, target.id)) ?? (requested === null ? null : pathIds(parent, requested)[1]);
  const id = single ? null : (shown ?? null);
  const key = target.key.map(({ name, of }, _, { length }) => {
    const member = get(answer, name);
    const part = of !== undefined && isObject(member) ? get(member, of) : member;
    return length === 1 && (part === null || part === '') ? id : (part ?? null);
  });
  if (!key.every((part) => typeof part === 'string')) return null;
  const named = mapMembers(pick(answer, Object.keys(target.fields)), (value, name) => {
    const field = get(target.fields, name);
    return field && inOneOrder(field, field.is === 'json' ? readJsonText(value) : value);
  });
  const others = othersIn(target, answer);
  const fields = { ...others, ...named };
  const facts = { fields, hidden: concealedPlaces(fields, ''), extraMembers: others };
  if (!parent) return { ...facts, key, id };
  const above = getObject(answer, parent.part);
  const [aboveId, part] = [getText(above, 'id'), getText(above, 'part')];
  if (aboveId === null || part === null) return null;
  return {
    ...facts,
    key: [part, ...key],
    id: id === null && !single ? null : [aboveId, id ?? []].flat().map(encodeURIComponent).join('/'),
    fields: { [parent.part]: aboveId, ...fields },
  };
}

function create(target: Described, input: WriteInput): Write {
  const { kind, key, single, write, parent, resource } = target;
  if (!target.create) return withoutCall(target, 'create');
  const lacking = (write.required ?? []).filter((name) => (get(input.fields, name) ?? null) === null);
  if (lacking.length > 0)
    return { manual: `The API creates no ${kind} without ${code(lacking)}: declare it, then plan again.` };
  // No update could set what is immutable.
  const early = [...key.map(({ name }) => name), ...(write.immutable ?? []), ...(write.first ?? [])];
  const isLater = (name: string) => write.first !== undefined && !early.includes(name);
  const sent = mapMembers(input.fields, (value, name) => {
    const field = get(target.fields, name);
    const isMerged = isLater(name) && isDeclaredByMember(field);
    const own = isMerged ? besideOthers(value, pointer(name)) : value;
    return field && (sentValue(field, own, input.settings) ?? undefined);
  });
  const whole = { ...keyOf(target, input.key), ...sent };
  let body = mapMembers(whole, (value, name) => (isLater(name) ? undefined : value));
  const above = parent ? [get(input.fields, parent.part) ?? null] : [];
  const requests = [call(single ? 'PUT' : 'POST', resource, input.settings, { above, body })];
  const place = { above, below: single ? [] : [{ $ref: formatAddress(kind, input.key) }] };
  for (const step of stepsOf(target, Object.keys(whole).filter(isLater))) {
    const members = pick(whole, [...step]);
    body = { ...body, ...members };
    const change = target.update === 'put' ? { $beside: ['', body] } : setBody(target, members);
    requests.push(changeCall(target, input.settings, place, change));
  }
  return { requests };
}

/** A tenant may set members itself with the request before: they stay. Of what it had until then (`shown`), only `value` stays. */
function besideOthers(value: Json, at: Pointer, shown?: Json): Json {
  if (isArray(value)) {
    const filled = fillLive(value, (place) => valueAt(shown ?? null, place.slice(at.length)) ?? null);
    if (sameJson(renderBody(filled, String), shown ?? null)) return { $live: at };
  }
  if (!isObject(value) || isFilledInLater(value) || literalOf(value) !== undefined) return value;
  const had = isObject(shown) ? shown : {};
  const members = mapMembers(value, (item, name) => besideOthers(item, at + pointer(name), get(had, name)));
  return { $beside: [at, members, ...Object.keys(had)] };
}

function update(target: Described, input: UpdateInput): Write {
  const { id } = input.live;
  const place = placeOf(target, id);
  if (target.update === 'none') return withoutCall(target, 'change');
  if (!place) return withoutId(input.key.join('/'), 'change');
  const fixed = (target.write.immutable ?? []).filter((name) => input.changed.has(name));
  if (fixed.length > 0) return replace(target, input, fixed);
  const isPut = target.update === 'put';
  const bodyOf = isPut ? wholeBody : patchBody;
  const isWhole = isPut || target.update === 'patch' || target.write.patchOps === 'replace';
  const steps = stepsOf(target, input.changed);
  const requests = steps.map((step, at) => {
    const soFar = new Set(steps.slice(0, at + 1).flatMap((each) => [...each]));
    const fields = mapMembers(input.fields, (value, name) => {
      if (input.changed.has(name) && !soFar.has(name))
        return Object.hasOwn(input.live.raw, name) ? { $live: pointer(name) } : undefined;
      const isMerged = isWhole && at > 0 && isDeclaredByMember(get(target.fields, name));
      return isMerged ? besideOthers(value, pointer(name), get(input.live.fields, name)) : value;
    });
    // A PUT without what the ones before it changed would undo that.
    const changed = isPut ? soFar : step;
    const body = bodyOf(target, { ...input, changed, fields });
    return changeCall(target, input.settings, place, isPut && at > 0 ? { $beside: ['', body] } : body);
  });
  return { requests };
}

function remove(target: Described, input: Parameters<Kind['write']['remove']>[0]): Write {
  const { key, id, settings } = input;
  const place = placeOf(target, id);
  if (!target.delete) return withoutCall(target, 'delete');
  if (!place) return withoutId(key.join('/'), 'delete');
  const { beforeDelete } = target.write;
  const before = beforeDelete ? [changeCall(target, settings, place, setBody(target, beforeDelete))] : [];
  return { requests: [...before, call('DELETE', target.resource, settings, place)], risk: ['delete'] };
}

/** A change that no update can make. Values that a plan may not show cannot be written into a new object. */
function replace(target: Described, input: UpdateInput, fixed: readonly string[]): Write {
  const { kind, write } = target;
  const { key, live, settings } = input;
  const manual = `The API cannot change ${code(fixed)} of ${kind} objects: delete the object and create it again, or declare what the tenant has.`;
  if (!write.replace) return { manual };
  // The tenant makes what it owns anew.
  const fields = mapMembers(input.fields, (value, name) =>
    alignWithLive(get(target.fields, name) ?? { is: 'text' }, value, undefined, ''),
  );
  const [removed, made] = [
    remove(target, { key, id: live.id, settings }),
    create(target, { ...input, fields }),
  ];
  if ('manual' in removed) return removed;
  if ('manual' in made) return made;
  const isNamed = !isKnownById(live) || sameJson(shownName(target, live.raw), keyOf(target, live.key));
  const lost = [
    ...(isNamed ? [] : ['the id by which the manifest names it']),
    ...made.requests.flatMap(({ body }) => markersIn(body, '$live')),
  ];
  if (lost.length > 0) return { manual: `${manual} A plan cannot do so: it would lose ${lost.join(', ')}.` };
  const requests = [...removed.requests, ...made.requests];
  const warning = `The new ${kind} has another id, and only the fields that the descriptor names. Plan again afterwards, for the objects that refer to it or were below it.`;
  return { requests, risk: ['replace'], warnings: [warning] };
}

/** The ids in the path of an object; `null` if it has none although its path needs one. */
function placeOf({ single, parent }: Described, id: string | null) {
  if (id === null) return single && !parent ? { above: [], below: [] } : null;
  const [above, own = ''] = pathIds(parent, id);
  return { above: above === undefined ? [] : [above], below: single ? [] : [own] };
}

function changeCall(
  { update, write, resource }: Described,
  settings: ApiSettings,
  place: { readonly above: readonly Json[]; readonly below: readonly Json[] },
  body: Json,
): Request {
  const usual = { 'json-patch': jsonPatchType, 'merge-patch': 'application/merge-patch+json' };
  const contentType = write.contentType ?? getText(usual, update) ?? undefined;
  return call(update === 'put' ? 'PUT' : 'PATCH', resource, settings, { ...place, body, contentType });
}

/** The members that a PUT sends back although the descriptor does not name them. */
function othersIn({ key, fields, serverOwned, update, parent }: Described, answer: JsonObject): JsonObject {
  if (update !== 'put') return {};
  const keyNames = [...(parent ? [parent.part] : []), ...key.map(({ name }) => name)];
  const named = new Set(['id', ...keyNames, ...serverOwned, ...Object.keys(fields)]);
  return mapMembers(answer, (value, name) => (named.has(name) ? undefined : value));
}

function keyOf({ key }: Described, all: Key): JsonObject {
  return keyMembers(
    key.map(({ name }) => name),
    all.slice(all.length - key.length),
  );
}

/** The members of the key as the tenant shows them: in the key, an id may stand in for them. */
function shownName({ key }: Described, raw: JsonObject): JsonObject {
  const names = key.map(({ name }) => name);
  return mapMembers(pick(raw, names), literal);
}

function setBody({ update, write }: Described, members: JsonObject): Json {
  if (update !== 'json-patch') return members;
  const op = write.patchOps === 'replace' ? 'replace' : 'add';
  return Object.entries(members).map(([name, value]) => ({ op, path: pointer(name), value }));
}

/** Splits fields into steps: those that may not change together change one after the other. */
function stepsOf({ write: { alone = [] } }: Described, names: Iterable<string>): Set<string>[] {
  const steps: Set<string>[] = [];
  for (const name of names) {
    const apart = alone.filter((some) => some.includes(name)).flat();
    const step = steps.find((others) => !apart.some((other) => others.has(other)));
    if (step) step.add(name);
    else steps.push(new Set([name]));
  }
  return steps;
}

function patchBody(target: Described, { key, fields, live, changed, settings }: UpdateInput): Json {
  const { update, write } = target;
  const names = [...changed];
  const side = (values: JsonObject, part: Key) =>
    mapMembers(pick({ ...values, ...keyOf(target, part) }, names), (value, name) =>
      sentValue(get(target.fields, name), value, settings),
    );
  const [before, after] = [side(live.fields, live.key), side(fields, key)];
  if (update === 'patch') return after;
  if (update === 'json-patch' && write.patchOps === 'replace') return setBody(target, after);
  const isAny = (...types: readonly Field['is'][]) =>
    new Set(names.filter((name) => types.includes(get(target.fields, name)?.is ?? 'text')));
  if (update === 'json-patch') return jsonPatch(before, after, isAny('reference', 'value'));
  // A merge patch of a reference has to name those of its parts that go. A manifest may leave its type out.
  const wanted = mapMembers(after, (value, name) => {
    const [field, current] = [get(target.fields, name), get(before, name)];
    if (field?.is !== 'reference' || !isObject(current) || !isObject(value)) return value;
    const isTyped = field.to !== undefined;
    const removed = mapMembers(current, (_, part) => (isTyped && part === 'type' ? undefined : null));
    return { ...removed, ...value };
  });
  return mergePatch(before, wanted, isAny('reference'));
}

/** Omitted fields are sent back unchanged; members that the descriptor does not name are read just before sending. */
function wholeBody(target: Described, { key, fields, live, changed, settings }: UpdateInput): JsonObject {
  const { raw } = live;
  const { id, serverOwned, write } = target;
  const isKeyChanged = target.key.some(({ name }) => changed.has(name));
  return {
    ...mapMembers(othersIn(target, raw), (_, name) => ({ $live: pointer(name) })),
    ...(write.sendId || !serverOwned.includes(id) ? pick(raw, [id]) : {}),
    ...(isKeyChanged ? keyOf(target, key) : shownName(target, raw)),
    ...mapMembers(pick(fields, Object.keys(target.fields)), (value, name) => {
      const field = get(target.fields, name);
      if (changed.has(name)) return sentValue(field, value, settings);
      // Unset members keep the tenant's form: absent, null or `{}`. Another form would count as a change.
      const shown = get(raw, name);
      const isUnset = field && [value, shown].every((each) => sameValue(field, each, null));
      if (!isUnset) return field && wireValue(field, value, settings);
      const owned = alignWithLive(field, readJsonText(shown ?? null), shown, pointer(name));
      if (markersIn(owned, '$live').length === 0) return shown && literal(shown);
      return typeof shown === 'string' ? { $jsonText: owned } : owned;
    }),
  };
}

function withoutCall({ kind }: Described, step: 'create' | 'change' | 'delete'): Write {
  const why = `The API has no call to ${step} objects of the kind ${kind}`;
  return { manual: `${why}: do this in the admin interface, then plan again.` };
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The schema of a described kind's manifests. Like those in schemas/, it refers to lifecycle.schema.json. */
function manifestSchemaOf(descriptor: Descriptor): JsonObject {
  const { kind, summary, key, parent, fields } = descriptor;
  const { isPinnable: isAlone, isRenamable } = namingOf(descriptor);
  const names = [...(parent ? [parent.part] : []), ...key.map(({ name }) => name)];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: kind,
    description: summary,
    type: 'object',
    additionalProperties: false,
    required: isAlone ? ['kind'] : ['kind', ...names],
    ...(isAlone ? { anyOf: [{ required: names }, { required: ['id'] }] } : {}),
    properties: {
      kind: { description: 'The kind of object this document declares.', const: kind },
      ...(parent && {
        [parent.part]: {
          description: `The ${parent.kind} that the object is below: \`!ref ${parent.kind}/…\`.`,
          type: 'string',
          ...refersTo(parent.kind),
        },
      }),
      ...objectFrom(
        key.map(({ name }) => {
          return [name, { description: `The ${name}, by which manifests name the object.`, ...keySchema }];
        }),
      ),
      ...(isAlone ? { id: idSchema } : {}),
      ensure: ensureSchema,
      ...objectFrom(Object.entries(fields).map(([name, field]) => [name, fieldSchema(name, field)])),
      lifecycle: { $ref: `lifecycle.schema.json${isRenamable ? '#/$defs/renamable' : ''}` },
    },
    allOf: [
      {
        if: { properties: { ensure: { const: 'absent' } }, required: ['ensure'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {
          propertyNames: { enum: ['kind', ...names, ...(isAlone ? ['id'] : []), 'ensure', 'lifecycle'] },
        },
      },
    ],
  };
}

export const longestKeyPart = 1024;

const keySchema = { type: 'string', minLength: 1, maxLength: longestKeyPart, pattern: '^\\P{Cs}*$' };

const idSchema: JsonObject = {
  description:
    "The server's id of the object. It pins the object, so that its key may change, or replaces a key that the tenant does not show",
  type: 'string',
  pattern: '^(?!\\.{1,2}$)[^\\s/?#\\p{Cs}]+$',
  maxLength: 256,
};

const ensureSchema: JsonObject = {
  description: '`absent` declares that the object must not exist; then only its key may be given.',
  enum: ['present', 'absent'],
  default: 'present',
};

function fieldSchema(name: string, field: Field): JsonObject {
  switch (field.is) {
    case 'value':
      return field.to === undefined
        ? { description: `The value of ${name}.` }
        : {
            description: `The id of an object of the kind ${field.to}.`,
            type: ['string', 'integer', 'null'],
            ...refersTo(field.to),
          };
    case 'text':
      return { description: `The text of ${name}.`, type: ['string', 'null'] };
    case 'email':
      return { description: 'An e-mail address; case is ignored.', type: ['string', 'null'] };
    case 'set':
      return listSchema(
        `The values of ${name}; order does not matter.`,
        field.to === undefined
          ? { description: 'A value', type: ['string', 'number', 'boolean'] }
          : {
              description: `The id of an object of the kind ${field.to}`,
              type: ['string', 'integer'],
              minLength: 1,
              ...refersTo(field.to),
            },
      );
    case 'json': {
      const omitted = field.declares === 'members' ? ' Omitted members keep their values.' : '';
      const types = field.plain ? ['object', 'array', 'null'] : ['object', 'string', 'null'];
      return { description: `The members of ${name}, or its items in their order.${omitted}`, type: types };
    }
    case 'reference':
      return { ...referenceSchema(field), type: ['object', 'string', 'integer', 'null'] };
    case 'references':
      return listSchema(`References to objects of the kind ${field.to}; order does not matter.`, {
        ...referenceSchema(field),
        type: ['object', 'string', 'integer'],
      });
    case 'records':
      throw new TypeError('No descriptor has records.');
  }
}

const refersTo = (kind: string) => ({ examples: [`!ref ${kind}/name`] });

const listSchema = (description: string, items: Json): JsonObject => ({
  description,
  type: ['array', 'null'],
  items,
});

function referenceSchema({ to, type }: { readonly to?: string; readonly type?: string }): JsonObject {
  const target = to === undefined ? 'an object' : `an object of the kind ${to}`;
  return {
    description: `A reference to ${target}: its id, or \`{type, id}\`.`,
    ...(to === undefined ? {} : refersTo(to)),
    minLength: 1,
    anyOf: [{ required: ['id'] }, { required: ['name'] }],
    additionalProperties: false,
    properties: {
      type: {
        description: 'What the API calls the kind of the object.',
        type: 'string',
        ...(type === undefined ? {} : { default: type }),
      },
      id: {
        description: 'The id of the object. With an id, the name is only for readers.',
        type: ['string', 'integer'],
      },
      name: { description: 'The name of the object.', type: ['string', 'null'] },
    },
  };
}
