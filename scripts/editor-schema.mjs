// Makes of the kinds' schemas the one that editors use: a single file, since editors fetch no neighbours, that takes a
// tag wherever a value may stand.

/** What a tag looks like to an editor: the text or mapping after it. */
const tags = {
  name: {
    title: 'Tag',
    description: 'The name after `!var`, `!env` or `!secret`, or the text after `!format`.',
    type: 'string',
    pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$|%\\{',
  },
  reference: {
    title: 'Reference',
    description: 'After `!ref`: the kind and key of the object that the id belongs to.',
    type: 'string',
    pattern: '^[A-Z][A-Za-z0-9]*/.',
    examples: ['Source/HR'],
  },
  lookup: {
    title: 'Lookup',
    description:
      'After `!lookup`: the record of a collection that matches, exactly one, and the field to take of it.',
    type: 'object',
    additionalProperties: false,
    required: ['from', 'where', 'take'],
    properties: {
      from: {
        description: 'The collection.',
        type: 'string',
        examples: ['ne_attributes', 'profile_types', 'profiles', 'users'],
      },
      where: {
        description: 'Fields and the values they must have.',
        type: 'object',
        minProperties: 1,
        examples: [{ uid: 'department' }],
      },
      take: { description: 'The field whose value is taken.', type: 'string', examples: ['id'] },
    },
  },
};

/** Fields that say which object this is, or what becomes of it: tags have no business there. */
const fixed = ['kind', 'ensure', 'lifecycle'];

/**
 * @param {ReadonlyMap<string, object>} schemas of the kinds, by name
 * @param {object} lifecycle the schema that all kinds share
 * @returns {object} the schema of one document of a manifest file, of any kind
 */
export function editorSchema(schemas, lifecycle) {
  const names = [...schemas.keys()];
  const kindIs = (name) => ({ properties: { kind: { const: name } }, required: ['kind'] });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'tenantctl manifest',
    description: 'One document of a manifest file, of any kind.',
    type: 'object',
    required: ['kind'],
    properties: { kind: { description: 'The kind of object this document declares.', enum: names } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    allOf: names.map((name) => ({ if: kindIs(name), then: { $ref: `#/definitions/${name}` } })),
    definitions: {
      ...Object.fromEntries(names.flatMap((name) => definitionsOf(name, schemas.get(name)))),
      ...Object.fromEntries(lifecycleDefinitions(lifecycle)),
      tag: tags.name,
      reference: tags.reference,
      lookup: tags.lookup,
    },
  };
}

/** The kind's own definition, and those it refers to. */
function definitionsOf(name, { $schema, $defs = {}, ...schema }) {
  const properties = Object.entries(schema.properties).map(([field, value]) => [
    field,
    fixed.includes(field) ? value : taggable(value, $defs),
  ]);
  const own = { ...schema, properties: Object.fromEntries(properties) };
  const parts = Object.entries($defs).map(([part, value]) => [`${name}.${part}`, inside(value, $defs)]);
  return [[name, own], ...parts].map(([key, value]) => [key, withRefs(value, name)]);
}

/**
 * A value, or a tag in its place. A value out of a list stays as it is: an editor cannot tell a tag's name from a wrong
 * word, and wrong words are more frequent there.
 */
function taggable(schema, $defs) {
  const { title, description, default: preset, examples, ...rest } = inside(schema, $defs);
  if (rest.enum !== undefined || rest.const !== undefined) return schema;
  const types = [rest.type ?? []].flat();
  // What has an id besides other members is a reference to an object.
  const isReference = rest.properties?.id !== undefined && !types.includes('string');
  const alternatives = [
    ...(isReference ? [{ $ref: '#/definitions/reference' }] : []),
    ...(types.includes('string') && rest.pattern === undefined ? [] : [{ $ref: '#/definitions/tag' }]),
    ...(types.includes('object') && rest.properties === undefined ? [] : [{ $ref: '#/definitions/lookup' }]),
  ];
  const told = { title, description, default: preset, examples };
  return omitUndefined({
    ...told,
    ...(alternatives.length === 0 ? rest : { anyOf: [rest, ...alternatives] }),
  });
}

function omitUndefined(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The same inside of what holds values. */
function inside(schema, $defs) {
  const copy = { ...schema };
  if (schema.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([field, value]) => [field, taggable(value, $defs)]),
    );
  }
  if (schema.items && !schema.items.$ref) copy.items = taggable(schema.items, $defs);
  return copy;
}

/** The lifecycle and its parts, in which tags have no place. */
function lifecycleDefinitions({ $schema, $defs, ...schema }) {
  const parts = Object.entries($defs).map(([part, value]) => [`lifecycle.${part}`, value]);
  return [['lifecycle', schema], ...parts].map(([key, value]) => [key, withRefs(value, 'lifecycle')]);
}

function withRefs(schema, name) {
  const text = JSON.stringify(schema)
    .replaceAll('"#/$defs/', `"#/definitions/${name}.`)
    .replaceAll('"lifecycle.schema.json#/$defs/', '"#/definitions/lifecycle.')
    .replaceAll('"lifecycle.schema.json"', '"#/definitions/lifecycle"');
  return JSON.parse(text);
}

/**
 * @param {object} project the schema of the project file
 * @returns {object} the schema of a file that contains one of its environments
 */
export function environmentSchema({ $schema, $defs }) {
  return {
    $schema,
    title: 'tenantctl environment',
    description: 'A file environments/NAME.yaml: one environment of the project.',
    $ref: '#/$defs/environment',
    $defs,
  };
}
