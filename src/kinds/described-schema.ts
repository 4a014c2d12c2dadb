import { type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { type Descriptor, namingOf } from './descriptor.ts';
import type { Field } from './kind.ts';

/** The schema of a described kind's manifests. Like those in schemas/, it refers to lifecycle.schema.json. */
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
    ...(isAlone ? { anyOf: [{ required: names }, { required: ['id'] }] } : {}),
    properties: {
      kind: { description: 'The kind of object this document declares.', const: kind },
      ...(parent && {
        [parent.part]: {
          description: `The ${parent.kind} that the object is below: \`!ref ${parent.kind}/…\`.`,
          type: 'string',
        },
      }),
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

export const longestKeyPart = 1024;

const keySchema = (kind: string, name: string): JsonObject => ({
  description: `The ${name} by which manifests name a ${kind}.`,
  type: 'string',
  minLength: 1,
  maxLength: longestKeyPart,
  pattern: '^\\P{Cs}*$',
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

const listSchema = (description: string, items: Json): JsonObject => ({
  description,
  type: ['array', 'null'],
  items,
});

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
