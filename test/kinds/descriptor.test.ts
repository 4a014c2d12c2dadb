/** Descriptors: what the schema refuses, the defaults, the schema of the manifests, and when one counts as checked. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Kind as WrittenKind } from '../../src/generated/schemas/kind.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { type Descriptor, mistakesIn, proofOf, targetsIn } from '../../src/kinds/descriptor.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { type Field, isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../src/model/json.ts';
import { descriptorFrom } from '../support/descriptor.ts';

const read = (name: string): JsonObject => {
  const schema = parseJson(readFileSync(`schemas/${name}.schema.json`, 'utf8'));
  if (!isObject(schema)) throw new Error(`schemas/${name}.schema.json is no object.`);
  return schema;
};
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, ownProperties: true });
ajv.addSchema(read('lifecycle'), 'lifecycle.schema.json');
const validate = ajv.compile(read('kind'));

const manifestSchemaOf = (descriptor: Descriptor): JsonObject =>
  kindFrom(descriptor).described?.schema() ?? {};

const least = { kind: 'Role', path: '/v2025/roles', key: 'name' };
const withField = (field: Json) => ({ ...least, fields: { a: field } });
/** As it comes from a file: `__proto__` is a member like others. */
const parsed = (text: string) => parseJson(text) ?? null;

describe('the schema of descriptors', () => {
  it.each<[string, Json]>([
    ['with the least', least],
    ['with a key of several parts', { ...least, key: ['name', { name: 'locale', foldCase: true }] }],
    ['with a list without pages', { ...least, list: { pageSize: null, member: 'items' } }],
    ['with every type of field in short', withField('email')],
    ['with a reference', withField({ is: 'reference', to: 'Identity', type: 'IDENTITY' })],
    ['with references', withField({ is: 'references', to: 'AccessProfile2' })],
    ['with ids', withField({ is: 'set', to: 'Source' })],
    ['with JSON in text', withField({ is: 'json', declares: 'members', text: true })],
  ])('takes one %s', (_, document) => expect(validate(document)).toBe(true));

  it.each<[string, Json]>([
    ['without a path', { kind: 'Role', key: 'name' }],
    ['of a name that is no name of a kind', { ...least, kind: 'role' }],
    ['of a name with a slash', { ...least, kind: 'Role/x' }],
    ['of the name __proto__', { ...least, kind: '__proto__' }],
    ['with another host', { ...least, path: 'https://elsewhere.example/roles' }],
    ['with a host without a scheme', { ...least, path: '//elsewhere.example/roles' }],
    ['with a path that walks up', { ...least, path: '/v2025/../roles' }],
    ['with a query', { ...least, path: '/v2025/roles?limit=1' }],
    ['with a fragment', { ...least, path: '/v2025/roles#a' }],
    ['with encoded segments', { ...least, path: '/v2025/%2e%2e/roles' }],
    ['with a backslash', { ...least, path: '/v2025\\roles' }],
    ['with a line break in its path', { ...least, path: '/v2025/roles\n' }],
    ['with a key of no parts', { ...least, key: [] }],
    ['with the id as its key', { ...least, key: 'id' }],
    ['with the key __proto__', { ...least, key: '__proto__' }],
    ['a field __proto__', parsed('{"kind":"R","path":"/a","key":"name","fields":{"__proto__":"text"}}')],
    ['with the field kind', { ...least, fields: { kind: 'text' } }],
    ['with a field that looks like a marker', { ...least, fields: { $secret: 'text' } }],
    ['with a field of a type that is not there', withField('txt')],
    ['with a text that refers to something', withField({ is: 'text', to: 'Source' })],
    ['with references to nothing', withField({ is: 'references' })],
    ['with references in short', withField('references')],
    ['with a set of types', withField({ is: 'set', type: 'SOURCE' })],
    ['with a type of update that is not there', { ...least, update: 'post' }],
    ['with a page of nothing', { ...least, list: { pageSize: 0 } }],
    ['with what is not known', { ...least, script: 'x' }],
    ['with the server’s __proto__', { ...least, serverOwned: ['__proto__'] }],
  ])('refuses one %s', (_, document) => expect(validate(document)).toBe(false));
});

it('fills in what a descriptor leaves out: it is only read', () =>
  expect(descriptorFrom(least)).toEqual({
    kind: 'Role',
    parent: null,
    single: false,
    id: 'id',
    write: {},
    summary: 'Objects of /v2025/roles.',
    service: 'identity',
    path: '/v2025/roles',
    key: [{ name: 'name' }],
    list: { pageSize: 250 },
    update: 'none',
    create: false,
    delete: false,
    fields: {},
    serverOwned: ['id', 'created', 'modified'],
  }));

it('takes `name` for the key, and no other for a single object, which nobody creates or deletes unless it says so', () => {
  const { key: _, ...keyless } = least;
  expect(descriptorFrom(keyless).key).toEqual([{ name: 'name' }]);
  const single = { single: true, key: [], create: false, delete: false };
  expect(descriptorFrom({ ...keyless, single: true, update: 'put' })).toMatchObject(single);
});

it('takes what a descriptor says', () => {
  const list = { pageSize: null, counts: true };
  const more = { summary: 'What people may do.', service: 'profiles', list };
  expect(descriptorFrom({ ...least, ...more })).toMatchObject(more);
  expect(descriptorFrom({ ...least, service: 'identity' }).service).toBe('identity');
});

it('tells the names that stand for two things', () => {
  const document = {
    ...least,
    key: ['name', 'locale', 'name'],
    fields: { locale: 'text', color: 'value' },
    serverOwned: ['id', 'color', 'name'],
  };
  expect(mistakesIn(descriptorFrom(document)).map(({ at, message }) => `${at}: ${message}`)).toEqual([
    '/key/2: `name` is in the key twice.',
    '/fields/locale: `locale` is a part of the key, so it cannot be a field too.',
    '/serverOwned/1: `color` is a field, so `serverOwned` cannot name it.',
    '/serverOwned/2: `name` is a part of the key, so `serverOwned` cannot name it.',
  ]);
  expect(mistakesIn(descriptorFrom({ ...least, key: ['name', 'locale'] }))).toEqual([]);
});

const source = { is: 'reference', to: 'Source' } as const;
const fields = { a: 'json', since: 'value', note: 'text', tags: 'set', owner: 'reference' } as const;
it.each<[string, NonNullable<WrittenKind['places']>, string[]]>([
  ['secret and plain below it', { a: 'secret', 'a/url': 'plain' }, ['/places/a~1url: `a` decides']],
  ['plain and a secret below it', { a: 'plain', 'a/password': 'secret' }, []],
  [
    'secret and an id below it',
    { 'a/**/x': 'secret', 'a/b/x/id': source },
    ['/places/a~1b~1x~1id: `a/**/x`'],
  ],
  [
    'the server’s and a secret below it',
    { 'a/b': 'serverOwned', 'a/b/c': 'secret' },
    ['/places/a~1b~1c: `a/b`'],
  ],
  ['twice, in other words', { 'a/**/b/*': 'set', 'a/*/**/b/**': 'minted' }, []],
  [
    'twice, in the same words',
    { 'a/**/**/b': 'plain', 'a/**/b': 'secret' },
    ['/places/a~1**~1**~1b: `a/**/b`'],
  ],
  ['some of them another one', { 'a/**/key': 'plain', 'a/api/key': 'secret' }, []],
  ['two kinds', { 'a/*': source, 'a/b': { ...source, to: 'Role' } }, ['/places/a~1b: `a/*` decides']],
  ['two kinds, the narrower first', { 'a/b': { ...source, to: 'Role' }, 'a/*': source }, []],
  ['one kind in other words', { 'a/**/id': source, 'a/b/id': { ...source } }, []],
  ['the server’s and what it makes below it', { 'a/b': 'serverOwned', 'a/b/c': 'minted' }, []],
  ['a set of ids', { 'a/ids': source, 'a/**/ids': 'set' }, []],
  ['all of a field', { 'a/**': 'minted' }, ['/places/a~1**: This is all of `a`']],
  ['no field', { 'b/c': 'set' }, ['/places/b~1c: This place begins with `b`, which is not a field.']],
  ['ids in a field that is not JSON', { 'since/x': source }, ['/places/since~1x: `since` is not JSON']],
  [
    'what has no effect in a field that is not JSON',
    { 'note/x': 'secret', tags: 'set', 'owner/name': 'minted', 'since/*': 'minted' },
    [
      '/places/note~1x: `note` is a field of the type `text`, in which this policy has no effect: remove it.',
      '/places/tags: `tags` is a field of the type `set`, in which',
      '/places/owner~1name: `owner` is a field of the type `reference`, in which',
    ],
  ],
  ['what is shown of one', { 'note/**': 'secret', 'tags/*': 'plain', 'owner/name': 'secret' }, []],
  ['all of some field', { '**/since': 'serverOwned' }, ['/places/**~1since: This is all of `since`']],
])('a place has one policy %s', (_, places, expected) => {
  const mistakes = mistakesIn(descriptorFrom({ ...least, fields, places }), { places });
  const told = mistakes.map(({ at, message }) => `${at}: ${message}`);
  expect(told).toEqual(expected.map((each) => expect.stringContaining(each)));
});

it('tells which kinds its fields and places refer to', () => {
  const fields = { color: 'value', owner: { is: 'reference', to: 'Identity' } } as const;
  const byType = { is: 'reference', by: 'type', to: { SOURCE: 'Source', ROLE: 'Role' } } as const;
  const places = { tags: 'set', 'form/id': { is: 'reference', to: 'Form' }, 'parts/*/id': byType } as const;
  expect(targetsIn({ ...least, fields, places })).toEqual([
    ['/fields/owner/to', 'Identity'],
    ['/places/form~1id/to', 'Form'],
    ['/places/parts~1*~1id/to/SOURCE', 'Source'],
    ['/places/parts~1*~1id/to/ROLE', 'Role'],
  ]);
});

it('takes no member for the server’s that it names itself, unless it says so', () => {
  const descriptor = descriptorFrom({ ...least, key: ['name', 'modified'], fields: { created: 'value' } });
  expect([descriptor.serverOwned, mistakesIn(descriptor)]).toEqual([['id'], []]);
});

const everyField = {
  description: 'text',
  enabled: 'value',
  cluster: { is: 'value', to: 'Cluster' },
  mail: 'email',
  tags: 'set',
  segments: { is: 'set', to: 'Segment' },
  owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
  profiles: { is: 'references', to: 'AccessProfile' },
  membership: 'json',
  settings: { is: 'json', declares: 'members', text: true },
};

it('tells what a write names that is not there, and what does not go together', () => {
  const messagesOf = (more: JsonObject) =>
    mistakesIn(descriptorFrom({ ...least, ...more })).map(({ at, message }) => `${at}: ${message}`);
  const all = {
    ...{ required: ['a'], immutable: ['b'], first: ['c'], beforeDelete: { d: 1 } },
    alone: [['e'], ['name']],
  };
  const neither = 'is neither a field nor a part of the key.';
  const needsUpdate = '/write/first: `first` needs an `update`, and cannot be combined with `sendId`.';
  const needsBoth = '/write/replace: `replace` needs `create: true` and `delete: true`.';
  const needsFields = '/write/beforeDelete: `beforeDelete` needs an `update` that sets single fields.';
  expect(messagesOf({ write: { ...all, replace: true } })).toEqual([
    needsFields,
    needsUpdate,
    needsBoth,
    ...['required: `a`', 'immutable: `b`', 'first: `c`', 'beforeDelete: `d`', 'alone: `e`'].map(
      (name) => `/write/${name} ${neither}`,
    ),
  ]);
  const fields = { a: 'text' };
  expect(messagesOf({ update: 'put', fields, write: { beforeDelete: { a: 'x' } } })).toEqual([needsFields]);
  expect(messagesOf({ update: 'put', fields, write: { first: ['a'], sendId: true } })).toEqual([needsUpdate]);
  for (const lacking of [{ delete: false }, { create: false }])
    expect(messagesOf({ update: 'put', ...lacking, write: { replace: true } })).toEqual([needsBoth]);
  const write = { beforeDelete: { a: 'x' }, first: ['a'], replace: true };
  expect(messagesOf({ update: 'patch', fields, write })).toEqual([]);
});

describe('the schema of the manifests of a kind', () => {
  const descriptor = descriptorFrom({ ...least, update: 'put', fields: everyField });
  const accepts = (manifest: Json) => ajv.compile(manifestSchemaOf(descriptor))(manifest);
  const role = { kind: 'Role', name: 'Engineer' };

  it.each<[string, Json]>([
    ['its key', role],
    ['its id', { kind: 'Role', id: 'r1' }],
    [
      'nothing in its fields',
      { ...role, ...Object.fromEntries(Object.keys(everyField).map((name) => [name, null])) },
    ],
    ['values', { ...role, enabled: [{ a: 1 }], tags: ['a', 1], cluster: 'c1', mail: 'a@b.example' }],
    ['references', { ...role, owner: { id: 'i1' }, profiles: ['p1', { type: 'X', id: 'p2', name: 'Wiki' }] }],
    ['counted ids', { ...role, segments: [1], cluster: 2, owner: 3, profiles: [4, { id: 5 }] }],
    ['objects', { ...role, membership: { a: [] }, settings: '{"a":1}' }],
    ['a former name', { ...role, lifecycle: { renamedFrom: 'Developer', protect: true } }],
    ['that it must not exist', { ...role, ensure: 'absent' }],
    [
      'that what it pins must not exist',
      { kind: 'Role', id: 'r1', ensure: 'absent', lifecycle: { protect: true } },
    ],
    ['that it must exist', { ...role, ensure: 'present', description: 'x' }],
  ])('takes one that says %s', (_, manifest) => expect(accepts(manifest)).toBe(true));

  it.each<[string, Json]>([
    ['no key', { kind: 'Role' }],
    ['another kind', { ...role, kind: 'Rule' }],
    ['no kind', { name: 'Engineer' }],
    ['what nobody knows of its life', { ...role, lifecycle: { forever: true } }],
    ['a field that is not there', { ...role, colour: 'red' }],
    ['what the server owns', { ...role, created: 'now' }],
    ['a number as a text', { ...role, description: 1 }],
    ['a list in a set', { ...role, tags: [[]] }],
    ['a fraction as an id', { ...role, segments: [1.5] }],
    ['a reference with other members', { ...role, owner: { id: 'i1', alias: 'x' } }],
    ['an object where a list is', { ...role, profiles: { id: 'p1' } }],
    ['fields of what must not exist', { ...role, ensure: 'absent', description: 'x' }],
    ['fields of what it pins and has to go', { kind: 'Role', id: 'r1', ensure: 'absent', mail: 'a@b.c' }],
    ['another ensure', { ...role, ensure: 'maybe' }],
    ['an empty name', { ...role, name: '' }],
    ['half of a character', { ...role, name: '\uD800' }],
    ['an empty id', { kind: 'Role', id: '' }],
    ['an id that walks up', { kind: 'Role', id: '..' }],
    ['an id with a slash', { kind: 'Role', id: 'a/b' }],
    ['an empty reference', { ...role, owner: '' }],
    ['a reference without members', { ...role, owner: {} }],
    ['true as a reference', { ...role, owner: true }],
    ['a number as a name in a reference', { ...role, owner: { id: 'i', name: 7 } }],
    ['an empty id in a set', { ...role, segments: [''] }],
    ['null in a set', { ...role, tags: [null] }],
    ['null among references', { ...role, profiles: [null] }],
    ['a text as JSON that is kept as it is', { ...role, membership: '{}' }],
    ['a list as JSON in text', { ...role, settings: [] }],
    ['a number as an e-mail address', { ...role, mail: 7 }],
    ['a fraction as the id of another', { ...role, cluster: 7.5 }],
  ])('refuses one that says %s', (_, manifest) => expect(accepts(manifest)).toBe(false));

  it('has neither pins nor former names where the key has several parts, or nothing can be changed', () => {
    const key = [{ name: 'a' }, { name: 'b' }];
    const several = ajv.compile(manifestSchemaOf({ ...descriptor, kind: 'B', key }));
    const both = { kind: 'B', a: 'x', b: 'y' };
    const pinned = { ...both, id: 'r1' };
    const others = [{ kind: 'B', a: 'x' }, { kind: 'B', id: 'r1' }, pinned];
    for (const other of [...others, { ...both, lifecycle: { renamedFrom: 'z' } }, { a: 'x', b: 'y' }])
      expect(several(other)).toBe(false);
    expect([several(both), several({ ...both, ensure: 'absent' })]).toEqual([true, true]);
    expect(several({ ...pinned, ensure: 'absent' })).toBe(false);
    const fixed = ajv.compile(manifestSchemaOf({ ...descriptor, update: 'none' }));
    expect(fixed({ ...role, lifecycle: { renamedFrom: 'Developer' } })).toBe(false);
  });
});

it.each(['Identity', 'Source', 'Cluster'])('%s is only read, and has a schema', (name) => {
  const kind = builtInKinds.get(name);
  expect(isOnlyReferredTo(kind)).toBe(true);
  expect(ajv.validateSchema(kind.described?.schema() ?? {})).toBe(true);
});

it.each<[Json, Field | null]>([
  ['text', { is: 'text' }],
  ['email', { is: 'email' }],
  ['value', { is: 'value' }],
  ['set', { is: 'set' }],
  ['reference', { is: 'reference' }],
  ['json', { is: 'json', declares: 'whole', settings: true, plain: true }],
  [{ is: 'text' }, null],
  [{ is: 'value', to: 'Cluster' }, null],
  [{ is: 'set', to: 'Source' }, null],
  [{ is: 'reference', to: 'Identity', type: 'IDENTITY' }, null],
  [{ is: 'references', to: 'Role' }, null],
  [{ is: 'references', to: 'Role', type: 'ROLE' }, null],
  [
    { is: 'json', declares: 'members', text: true },
    { is: 'json', declares: 'members', settings: true, text: true },
  ],
  [
    { is: 'json', text: false },
    { is: 'json', declares: 'whole', settings: true, plain: true },
  ],
])('a descriptor says of a field what %j is', (given, expected) =>
  expect(descriptorFrom(withField(given)).fields).toEqual({ a: expected ?? given }),
);

it.each<[JsonObject, Partial<Descriptor>]>([
  [{ service: 'profiles' }, { service: 'profiles', list: { pageSize: 100 } }],
  [
    { list: { pageSize: 7, member: 'items', filter: true } },
    { list: { pageSize: 7, member: 'items', filter: expect.any(Function) } },
  ],
  [{ list: { counts: false, filter: false } }, { list: { pageSize: 250 } }],
  // The first part is inside a reference, which no filter names.
  [{ key: [{ name: 'source', of: 'name' }, 'name'], list: { filter: true } }, { list: { pageSize: 250 } }],
  [{ list: { pageSize: null } }, { list: { pageSize: null } }],
  [{ update: 'merge-patch' }, { update: 'merge-patch', create: true, delete: true }],
  [
    { update: 'put', create: false, delete: false },
    { update: 'put', create: false, delete: false },
  ],
  [{ create: true }, { update: 'none', create: true, delete: false }],
  [{ update: 'json-patch' }, { update: 'json-patch' }],
  [{ update: 'patch' }, { update: 'patch' }],
  [{ key: { name: 'email', foldCase: true } }, { key: [{ name: 'email', foldCase: true }] }],
  [{ key: ['a', { name: 'b', foldCase: false }] }, { key: [{ name: 'a' }, { name: 'b', foldCase: false }] }],
  [{ serverOwned: ['uid', 'at'] }, { serverOwned: ['uid', 'at'] }],
  [{ serverOwned: [] }, { serverOwned: [] }],
])('a descriptor says of its collection what %j means', (more, expected) => {
  const found = descriptorFrom({ ...least, ...more });
  expect(found).toEqual({ ...found, ...expected });
});

it.each<[JsonObject, string[], string]>([
  [{ list: { filter: true } }, ['Admin'], 'name eq "Admin"'],
  [{ key: ['name', 'locale'], list: { filter: ['locale'] } }, ['Admin', 'en'], 'locale eq "en"'],
  [{ parent: { source: 'Source' }, list: { filter: true } }, ['HR', 'Admin'], 'name eq "Admin"'],
])('the filter of %j asks for the part of the key that it names', (more, key, filter) =>
  expect(descriptorFrom({ ...least, ...more }).list.filter?.([key])).toBe(filter),
);

it('the schema of a kind tells an editor what its key and each of its fields are', () => {
  const fields = { ...everyField, any: 'reference' };
  const described = descriptorFrom({ ...least, summary: 'What people may do.', update: 'put', fields });
  const { $schema, properties, title, description, required } = manifestSchemaOf(described);
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect([title, description, required]).toEqual(['Role', 'What people may do.', ['kind']]);
  const about = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { description: words = null, type = null } = isObject(schema) ? schema : {};
    return `${name}: ${words} ${type}`;
  });
  expect(about).toEqual([
    'kind: The kind of object this document declares. null',
    'name: The name, by which manifests name the object. string',
    "id: The server's id of the object. It pins the object, so that its key may change, or replaces a key that the tenant does not show string",
    'ensure: `absent` declares that the object must not exist; then only its key may be given. null',
    'description: The text of description. string,null',
    'enabled: The value of enabled. null',
    'cluster: The id of an object of the kind Cluster. string,integer,null',
    'mail: An e-mail address; case is ignored. string,null',
    'tags: The values of tags; order does not matter. array,null',
    'segments: The values of segments; order does not matter. array,null',
    'owner: A reference to an object of the kind Identity: its id, or `{type, id}`. object,string,integer,null',
    'profiles: References to objects of the kind AccessProfile; order does not matter. array,null',
    'membership: The members of membership, or its items in their order. object,array,null',
    'settings: The members of settings, or its items in their order. Omitted members keep their values. object,string,null',
    'any: A reference to an object: its id, or `{type, id}`. object,string,integer,null',
    'lifecycle: null null',
  ]);
  expect(properties).toMatchObject({
    name: { minLength: 1, maxLength: 1024 },
    id: { maxLength: 256 },
    ensure: { default: 'present' },
    tags: { items: { description: 'A value', type: ['string', 'number', 'boolean'] } },
    segments: { items: { description: 'The id of an object of the kind Segment', minLength: 1 } },
    owner: {
      properties: {
        type: { description: 'What the API calls the kind of the object.', default: 'IDENTITY' },
        id: { description: 'The id of the object. With an id, the name is only for readers.' },
        name: { description: 'The name of the object.' },
      },
    },
    lifecycle: { $ref: 'lifecycle.schema.json#/$defs/renamable' },
  });
  expect(properties).not.toHaveProperty('any.properties.type.default');
});

const written = { ...least, summary: 'Roles.' };
const proven = (document = written) => ({ ...document, proven: proofOf('Role', document).digest });
const noticeOf = (document: Parameters<typeof proofOf>[1]) => proofOf('Role', document).notice;

describe('a descriptor', () => {
  it('that was checked is proven, whatever words it has for people', () => {
    expect(noticeOf(proven())).toBeUndefined();
    expect(noticeOf({ ...proven(), summary: 'Other words.' })).toBeUndefined();
  });

  it('that was never checked is not, and the notice says how to check it', () =>
    expect(noticeOf(written)).toEqual({
      code: 'kind-unproven',
      severity: 'warning',
      message: 'Role is unproven.',
      hint: 'Run `tenantctl kind check Role --write`, which only reads the tenant.',
    }));

  it.each([
    { path: '/v2025/other' },
    { update: 'put' },
    { proven: 'sha256:0' },
    { proven: 'sha256:0', key: 'alias' },
  ])('that has changed since to %j is not any more', (more) =>
    expect(noticeOf({ ...proven(), ...more })).toMatchObject({
      message: 'Role is unproven: its descriptor has changed since it was checked.',
    }),
  );
});
