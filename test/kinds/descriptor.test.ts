/** Descriptors: what the schema refuses, the defaults, and the schema of the manifests. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { manifestSchemaOf } from '../../src/kinds/described-schema.ts';
import { descriptorFrom, mistakesIn } from '../../src/kinds/descriptor.ts';
import { readOnlyKinds } from '../../src/kinds/read-only.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../src/model/json.ts';

const read = (name: string): JsonObject => {
  const schema = parseJson(readFileSync(`schemas/${name}.schema.json`, 'utf8'));
  if (!isObject(schema)) throw new Error(`schemas/${name}.schema.json is no object.`);
  return schema;
};
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, ownProperties: true });
ajv.addSchema(read('lifecycle'), 'lifecycle.schema.json');
const validate = ajv.compile(read('kind'));

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
  ])('takes one %s', (_, document) => {
    expect(validate(document)).toBe(true);
  });

  it.each<[string, Json]>([
    ['without a path', { kind: 'Role', key: 'name' }],
    ['without a key', { kind: 'Role', path: '/v2025/roles' }],
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
    [
      'with the field __proto__',
      parsed('{"kind":"R","path":"/a","key":"name","fields":{"__proto__":"text"}}'),
    ],
    ['with the field kind', { ...least, fields: { kind: 'text' } }],
    ['with a field that looks like a marker', { ...least, fields: { $secret: 'text' } }],
    ['with a field of a type that is not there', withField('txt')],
    ['with a text that refers to something', withField({ is: 'text', to: 'Source' })],
    ['with references to nothing', withField({ is: 'references' })],
    ['with references in short', withField('references')],
    ['with a set of types', withField({ is: 'set', type: 'SOURCE' })],
    ['with a type of update that is not there', { ...least, update: 'patch' }],
    ['with a page of nothing', { ...least, list: { pageSize: 0 } }],
    ['with what is not known', { ...least, script: 'x' }],
    ['with the server’s __proto__', { ...least, serverOwned: ['__proto__'] }],
  ])('refuses one %s', (_, document) => {
    expect(validate(document)).toBe(false);
  });
});

it('fills in what a descriptor leaves out: it is only read', () => {
  expect(descriptorFrom(least)).toEqual({
    kind: 'Role',
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
  });
});

it('takes what a descriptor says', () => {
  const more = {
    summary: 'What people may do.',
    service: 'profiles',
    list: { pageSize: null, counts: true },
  };
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
    '/key/2: `name` is in the key twice',
    '/fields/locale: `locale` is a part of the key, so it cannot be a field too',
    "/serverOwned/1: `color` is a field, so it cannot be the server's",
    "/serverOwned/2: `name` is a part of the key, so it cannot be the server's",
  ]);
  expect(mistakesIn(descriptorFrom({ ...least, key: ['name', 'locale'] }))).toEqual([]);
});

describe('the schema of the manifests of a kind', () => {
  const fields = {
    description: 'text',
    enabled: 'value',
    mail: 'email',
    tags: 'set',
    segments: { is: 'set', to: 'Segment' },
    cluster: { is: 'value', to: 'Cluster' },
    owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
    profiles: { is: 'references', to: 'AccessProfile' },
    membership: 'json',
    settings: { is: 'json', declares: 'members', text: true },
  };
  const descriptor = descriptorFrom({ ...least, update: 'put', fields });
  const accepts = (manifest: Json) => ajv.compile(manifestSchemaOf(descriptor))(manifest);
  const role = { kind: 'Role', name: 'Engineer' };

  it.each<[string, Json]>([
    ['its key', role],
    ['its id', { kind: 'Role', id: 'r1' }],
    [
      'nothing in its fields',
      { ...role, ...Object.fromEntries(Object.keys(fields).map((name) => [name, null])) },
    ],
    ['values', { ...role, enabled: [{ a: 1 }], tags: ['a', 1], cluster: 'c1', mail: 'a@b.example' }],
    ['references', { ...role, owner: { id: 'i1' }, profiles: ['p1', { type: 'X', id: 'p2', name: 'Wiki' }] }],
    ['objects', { ...role, membership: { a: [] }, settings: '{"a":1}' }],
    ['a former name', { ...role, lifecycle: { renamedFrom: 'Developer', protect: true } }],
    ['that it must not exist', { ...role, ensure: 'absent' }],
    [
      'that what it pins must not exist',
      { kind: 'Role', id: 'r1', ensure: 'absent', lifecycle: { protect: true } },
    ],
    ['that it must exist', { ...role, ensure: 'present', description: 'x' }],
  ])('takes one that says %s', (_, manifest) => {
    expect(accepts(manifest)).toBe(true);
  });

  it.each<[string, Json]>([
    ['no key', { kind: 'Role' }],
    ['another kind', { ...role, kind: 'Rule' }],
    ['no kind', { name: 'Engineer' }],
    ['what nobody knows of its life', { ...role, lifecycle: { forever: true } }],
    ['a field that is not there', { ...role, colour: 'red' }],
    ['what the server owns', { ...role, created: 'now' }],
    ['a number as a text', { ...role, description: 1 }],
    ['a list in a set', { ...role, tags: [[]] }],
    ['a number as an id', { ...role, segments: [1] }],
    ['a reference with other members', { ...role, owner: { id: 'i1', alias: 'x' } }],
    ['an object where a list is', { ...role, profiles: { id: 'p1' } }],
    ['fields of what must not exist', { ...role, ensure: 'absent', description: 'x' }],
  ])('refuses one that says %s', (_, manifest) => {
    expect(accepts(manifest)).toBe(false);
  });

  it('has neither pins nor former names where the key has several parts, or nothing can be changed', () => {
    const several = ajv.compile(
      manifestSchemaOf({ ...descriptor, kind: 'B', key: [{ name: 'a' }, { name: 'b' }] }),
    );
    const both = { a: 'x', b: 'y' };
    expect(
      [
        both,
        { a: 'x' },
        { id: 'r1' },
        { ...both, id: 'r1' },
        { ...both, lifecycle: { renamedFrom: 'z' } },
      ].map((each) => several({ kind: 'B', ...each })),
    ).toEqual([true, false, false, false, false]);
    expect(
      [both, { a: 'x', b: 'y', id: 'r1' }].map((each) => several({ kind: 'B', ensure: 'absent', ...each })),
    ).toEqual([true, false]);
    expect(several(both)).toBe(false);
    const fixed = ajv.compile(manifestSchemaOf({ ...descriptor, update: 'none' }));
    expect(fixed({ ...role, lifecycle: { renamedFrom: 'Developer' } })).toBe(false);
  });
});

it.each(readOnlyKinds.map((descriptor) => [descriptor.kind, descriptor] as const))(
  '%s is only read, and has a schema',
  (_, descriptor) => {
    expect(descriptor).toMatchObject({ create: false, delete: false, update: 'none' });
    expect(mistakesIn(descriptor)).toEqual([]);
    expect(ajv.validateSchema(manifestSchemaOf(descriptor))).toBe(true);
  },
);
