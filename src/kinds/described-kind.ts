import { get, isObject, type Json, type JsonObject, mapMembers, objectFrom, pick } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import { concealedPlaces } from './credentials.ts';
import { othersIn, writesOf } from './described-write.ts';
import { type Descriptor, namingOf, type Proof } from './descriptor.ts';
import { type ApiResource, apiRequest, eq, or, resourceAt } from './http.ts';
import { readJsonText } from './jsontext.ts';
import { type Facts, type Field, fieldNamed, type Kind, type List, type Parent, type Read } from './kind.ts';
import { idText } from './operation.ts';
import { aboveIn, joinIds, pathIds } from './parents.ts';

/**
 * The kind that a descriptor describes, in its `resource`. Callers use it like a built-in kind.
 *
 * @param parent the kind of the objects that its objects are below, where it has one
 */
export function kindFrom(
  descriptor: Descriptor,
  {
    resource = resourceOf(descriptor),
    proof,
    parent,
  }: { readonly resource?: ApiResource; readonly proof?: Proof; readonly parent?: Parent } = {},
): Kind {
  const { kind: name, summary, key, single, update, write } = descriptor;
  const { isPinnable, isRenamable } = namingOf(descriptor);
  const above = parent && {
    name: parent.part,
    foldCase: parent.kind.keyFields.some(({ foldCase }) => foldCase),
  };
  return {
    name,
    summary,
    keyFields: [...(above ? [above] : []), ...key],
    fields: fieldsOf(descriptor, parent),
    // Where a manifest may pin the id, it is not among what it may not say.
    serverOwned: descriptor.serverOwned.filter((each) => !(isPinnable && each === 'id')),
    resource,
    ...(parent && { parent }),
    ...(descriptor.id !== 'id' && { idMember: descriptor.id }),
    read: readOf(descriptor, resource, parent),
    parse: (answer, id) => parse(descriptor, answer, { id, parent }),
    can: {
      // A descriptor does not say what the tenant does with a second create. A PUT does the same twice.
      create: descriptor.create && (single ? 'replaces' : 'duplicates'),
      update: update !== 'none',
      delete: descriptor.delete,
      rename: isRenamable,
      pin: isPinnable,
    },
    ...writesOf({ descriptor, resource, parent }),
    described: {
      schema: () => manifestSchemaOf(descriptor),
      ...(write.required && { required: write.required }),
      ...(proof && { digest: proof.digest }),
    },
    ...(proof?.notice && { quirks: { notice: proof.notice } }),
  };
}

/** Its place among the fields makes the parent a reference like any other: resolved, checked, and before it in an apply. */
function fieldsOf({ fields }: Descriptor, parent: Parent | undefined): Readonly<Record<string, Field>> {
  return parent ? { [parent.part]: { is: 'value', to: parent.kind.name }, ...fields } : fields;
}

function readOf(descriptor: Descriptor, resource: ApiResource, parent: Parent | undefined): Read {
  const one = (id: string | null, settings: ApiSettings) => {
    const [above, own] = id === null ? [] : pathIds(parent, id);
    return apiRequest('GET', resource, settings, {
      above: above === undefined ? [] : [above],
      below: own === undefined || descriptor.single ? [] : [own],
    });
  };
  if (!descriptor.single) return { how: 'list', list: listOf(descriptor, resource, parent), one };
  // Elsewhere a 404 says that the path is wrong.
  return { how: 'single', one, isAbsent: ({ status }) => descriptor.create && status === 404 };
}

const resourceOf = ({ kind, service, path }: Descriptor) => resourceAt(kind, service, path);

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
    filter: (keys) =>
      or([...new Set(keys.map((each) => each[at] ?? ''))].map((value) => eq(part.name, value))),
  };
}

interface Context {
  readonly id: string | null;
  readonly parent: Parent | undefined;
}

/** An id stands in for a key of one part that the tenant leaves empty. An answer without the member is another thing. */
function parse(descriptor: Descriptor, answer: JsonObject, { id: requested, parent }: Context): Facts | null {
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
  const named = mapMembers(pick(answer, Object.keys(descriptor.fields)), (value, name) =>
    fieldNamed(descriptor, name)?.is === 'json' ? readJsonText(value) : value,
  );
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

/**
 * The JSON Schema of a described kind's manifests, in the form of those in schemas/: it refers to lifecycle.schema.json.
 *
 * @param descriptor of names that schemas/kind.schema.json allows
 */
export function manifestSchemaOf(descriptor: Descriptor): JsonObject {
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
    // With an id, the key need not be given.
    ...(isAlone ? { anyOf: [{ required: names }, { required: ['id'] }] } : {}),
    properties: {
      kind: { description: 'The kind of object this document declares.', const: kind },
      ...(parent && { [parent.part]: parentSchema(parent.kind) }),
      ...objectFrom(key.map(({ name }) => [name, keySchema(kind, name)])),
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

/** The longest part of a key that the schema of any kind accepts. */
export const longestKeyPart = 1024;

const keySchema = (kind: string, name: string): JsonObject => ({
  description: `The ${name} by which manifests name a ${kind}.`,
  type: 'string',
  minLength: 1,
  maxLength: longestKeyPart,
  pattern: '^\\P{Cs}*$',
});

const parentSchema = (kind: string): JsonObject => ({
  description: `The ${kind} that the object is below: \`!ref ${kind}/…\`.`,
  type: 'string',
});

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
          };
    case 'text':
      return { description: `The text of ${name}.`, type: ['string', 'null'] };
    case 'email':
      return { description: 'An e-mail address; case does not count.', type: ['string', 'null'] };
    case 'set':
      return listSchema(`The values of ${name}; their order does not count.`, itemSchema(field.to));
    case 'json': {
      const omitted = field.declares === 'members' ? ' Members that are left out stay as they are.' : '';
      const types = field.plain ? ['object', 'array', 'null'] : ['object', 'string', 'null'];
      return { description: `The members of ${name}, or its items in their order.${omitted}`, type: types };
    }
    case 'reference':
      return { ...referenceSchema(field), type: ['object', 'string', 'integer', 'null'] };
    case 'references':
      return listSchema(`References to objects of the kind ${field.to}; their order does not count.`, {
        ...referenceSchema(field),
        type: ['object', 'string', 'integer'],
      });
    case 'records':
      throw new TypeError('No descriptor has records.');
  }
}

const listSchema = (description: string, items: Json): JsonObject => ({
  description,
  type: ['array', 'null'],
  items,
});

function itemSchema(to: string | undefined): JsonObject {
  return to === undefined
    ? { description: 'A value', type: ['string', 'number', 'boolean'] }
    : { description: `The id of an object of the kind ${to}`, type: ['string', 'integer'], minLength: 1 };
}

/** A text or number is the id. */
function referenceSchema({ to, type }: { readonly to?: string; readonly type?: string }): JsonObject {
  const target = to === undefined ? 'an object' : `an object of the kind ${to}`;
  return {
    description: `A reference to ${target}: its id, or \`{type, id}\`.`,
    minLength: 1,
    minProperties: 1,
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
