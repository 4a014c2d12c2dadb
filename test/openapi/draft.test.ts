import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OpenApi } from '../../src/openapi/document.ts';
import { createTestFolder } from '../support/world.ts';
import { draftFolder, json, listOf, object, text } from './drafting.ts';

const document = fileURLToPath(new URL('api/openapi.yaml', import.meta.url));

const { draft, write, pathTo } = draftFolder();

/** Drafts a kind from a document of these paths. */
function draftFrom(paths: object, more: object = {}, path = '/things') {
  write('api.json', { openapi: '3.1.0', paths, ...more });
  return draft('api.json', path);
}

const answers = (schema: object) => ({ responses: { 200: json(schema) } });

/** A list of objects with these properties, which a POST creates and a PATCH changes. */
const thingsOf = (properties: object) => {
  const thing = object(properties);
  return {
    '/things': { get: answers(listOf(thing)), post: { requestBody: json(thing) } },
    '/things/{id}': { patch: { requestBody: { content: { 'application/json-patch+json': {} } } } },
  };
};

const fieldsOf = async (properties: object) => parse((await draftFrom(thingsOf(properties))).stdout).fields;

it('takes no page for larger than a descriptor may say', async () => {
  const [, one] = Object.entries(thingsOf({ name: text }))[0] ?? [];
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 2147483647, default: 20 } };
  const { stdout } = await draftFrom({ '/things': { ...one, parameters: [limit] } });
  expect(parse(stdout).list).toMatchObject({ pageSize: 20 });
  // A header pages nothing.
  const header = await draftFrom({ '/things': { ...one, parameters: [{ ...limit, in: 'header' }] } });
  expect(header.stdout).toContain('no limit is described');
});

it('requires what every object has to have, and not what one of several forms has', async () => {
  const name = { ...object({ name: text, a: text, b: text, c: text }), required: ['c'] };
  const forms = { oneOf: [{ required: ['a'] }, { required: ['b'] }], allOf: [name] };
  const things = { ...thingsOf({ name: text })['/things'], post: { requestBody: json(forms) } };
  const { stdout } = await draftFrom({ '/things': things });
  expect(parse(stdout).write).toEqual({ required: ['c'] });
});

describe('a collection that its document describes', () => {
  it('is drafted from several files', async () => {
    const { code, stdout, stderr } = await draft(document, '/v2025/roles');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^[^#\n].*$/gm)?.length).toBeLessThanOrEqual(25);
    expect(stdout).toBe(`\
# Drafted from openapi.yaml. Decide where a comment says "check"; then run \`tenantctl kind check Role\`.
kind: Role
summary: The objects of /v2025/roles.
service: identity
path: /v2025/roles
key: name
list: { pageSize: 50, counts: true, filter: true }
update: json-patch
create: true
delete: true
write: { required: [owner], immutable: [privilegeLevel] }
fields:
  description: text
  owner: { is: reference, to: Identity, type: IDENTITY }
  accessProfiles: { is: references, to: AccessProfile, type: ACCESS_PROFILE }
  membership: { is: json, declares: whole }
  enabled: value
  privilegeLevel: value  # check: not among those that are described as changeable
serverOwned: [id, created, modified]
`);
  });

  it('is found by its path without that of the server too', async () => {
    const long = await draft(document, '/v2025/roles');
    expect(await draft(document, '/roles/')).toEqual(long);
  });

  it('may be changed by merge patch, filter by something else, and have no delete', async () => {
    const { stdout } = await draft(document, '/v2025/access-profiles');
    expect(parse(stdout)).toEqual({
      kind: 'AccessProfile',
      summary: 'A set of entitlements of one source.',
      service: 'identity',
      path: '/v2025/access-profiles',
      key: 'name',
      list: { pageSize: 250, filter: false },
      update: 'merge-patch',
      create: true,
      delete: false,
      fields: {
        description: 'text',
        owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
        source: { is: 'reference', to: 'Source', type: 'SOURCE' },
        parent: { is: 'json', declares: 'whole' },
        segments: { is: 'set', to: 'Segment' },
        sourceId: { is: 'value', to: 'Source' },
      },
      places: {
        'parent/**/owner/id': { is: 'reference', to: 'Identity' },
        'parent/**/source/id': { is: 'reference', to: 'Source' },
        'parent/**/sourceId': { is: 'reference', to: 'Source' },
      },
      serverOwned: ['id'],
    });
    expect(stdout).toContain('sourceId: { is: value, to: Source }  # check: the kind of its ids');
    expect(stdout).toContain('there is no DELETE');
    expect(stdout).toContain('not described as filtering by `name eq`');
  });

  it('may be written whole, and be listed in a member', async () => {
    const { stdout } = await draft(document, '/v2025/transforms');
    expect(parse(stdout)).toMatchObject({
      kind: 'Transform',
      list: { pageSize: 250, member: 'items', filter: true },
      update: 'put',
      fields: { type: 'value', attributes: { is: 'json', declares: 'members' } },
      serverOwned: ['id', 'created', 'modified', 'internal'],
    });
    expect(stdout).toContain('# check: no request is described with internal');
  });

  it('may only be read', async () => {
    const { stdout } = await draft(document, '/v2025/sources');
    expect(parse(stdout)).toEqual({
      kind: 'Source',
      summary: 'A system that identities have accounts in.',
      service: 'identity',
      path: '/v2025/sources',
      key: 'name',
      list: { pageSize: 50, filter: false },
      update: 'none',
      create: false,
      delete: false,
      fields: {},
      serverOwned: ['id'],
    });
    expect(stdout).toContain('For /v2025/sources there is no POST, no PATCH or PUT, no DELETE.');
  });

  it('is the same from JSON', async () => {
    const yaml = await draft(document, '/v2025/transforms');
    write('openapi.yaml', parse(readFileSync(document, 'utf8')));
    expect(await draft('openapi.yaml', '/v2025/transforms')).toEqual(yaml);
  });
});

describe('a field', () => {
  it('has the type that its schema and its name say', async () => {
    const ref = (...types: string[]) =>
      object({ id: text, name: text, type: { ...text, ...(types.length > 0 ? { enum: types } : {}) } });
    expect(
      await fieldsOf({
        name: text,
        short: text,
        long: { ...text, maxLength: 4000 },
        mail: { ...text, format: 'email' },
        count: { type: ['integer', 'null'] },
        tags: listOf(text),
        groupIds: listOf(text),
        reviewer: ref(),
        team: ref(),
        either: ref('IDENTITY', 'TEAM'),
        many: listOf(ref('IDENTITY', 'TEAM')),
        members: listOf(ref('IDENTITY')),
        rules: listOf(object({ op: text })),
        mixed: { type: ['string', 'object'] },
        anything: {},
        allowed: true,
        forbidden: false,
        // Of several types, null counts for none.
        description: { type: ['string', 'null'] },
        labels: { type: ['array', 'null'], items: text },
        sender: { oneOf: [{ type: 'string', format: 'email' }, { type: 'null' }] },
        size: { type: ['integer', 'string', 'null'] },
        width: { oneOf: [text, { type: 'number' }] },
        color: { enum: ['red', 'blue', null] },
        version: { const: 2 },
      }),
    ).toEqual({
      short: 'value',
      long: 'text',
      mail: 'email',
      count: 'value',
      tags: 'set',
      groupIds: { is: 'set', to: 'Group' },
      reviewer: { is: 'reference', to: 'Identity' },
      team: { is: 'reference', to: 'Team' },
      either: { is: 'json', declares: 'whole' },
      many: { is: 'json', declares: 'whole' },
      members: { is: 'references', to: 'Identity', type: 'IDENTITY' },
      rules: { is: 'json', declares: 'whole' },
      mixed: { is: 'json', declares: 'whole' },
      anything: { is: 'json', declares: 'whole' },
      allowed: { is: 'json', declares: 'whole' },
      description: 'text',
      labels: 'set',
      sender: 'email',
      size: 'value',
      width: 'value',
      color: 'value',
      version: 'value',
    });
  });

  it('that refers to objects of several kinds, by schemas of their own, is a question', async () => {
    const refTo = (type: string) => object({ type: { ...text, enum: [type] }, id: text, name: text });
    const both = [refTo('IDENTITY'), refTo('GOVERNANCE_GROUP')];
    const one = { oneOf: both };
    const { stdout } = await draftFrom(
      thingsOf({
        ...{ name: text, one, many: listOf({ anyOf: both }) },
        lists: { anyOf: both.map(listOf) },
        deep: object({ x: one }),
        same: { anyOf: [refTo('IDENTITY'), refTo('IDENTITY')] },
      }),
    );
    const whole = { is: 'json', declares: 'whole' };
    const to = { IDENTITY: 'Identity', GOVERNANCE_GROUP: 'GovernanceGroup' };
    const place = { is: 'reference', by: 'type', to };
    expect(parse(stdout)).toMatchObject({
      fields: {
        ...{ one: whole, many: whole, lists: whole, deep: whole },
        same: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
      },
      places: { 'one/id': place, 'many/*/id': place, 'lists/*/id': place, 'deep/x/id': place },
    });
    expect(stdout.match(/# check: to one of IDENTITY, GOVERNANCE_GROUP/g)).toHaveLength(3);
  });

  it('that may be a secret is marked', async () => {
    const pin = { ...text, writeOnly: true };
    const { stdout } = await draftFrom(thingsOf({ name: text, password: text, pin }));
    expect(stdout.match(/ {2}(password|pin): value {2}# check: a secret\?/g)).toHaveLength(2);
  });

  it('of a name that no manifest can have is left out', async () => {
    const properties = JSON.parse(
      `{"name": {"type": "string"}, "__proto__": {"type": "string"}, "kind": {"type": "string"}, "a: b\\n#": {"type": "string"}, "constructor": {"type": "string"}}`,
    );
    const { stdout } = await draftFrom(thingsOf({ ...properties, fine: text }));
    expect(parse(stdout).fields).toEqual({ fine: 'value' });
    expect(stdout.match(/is left out/g)).toHaveLength(Object.keys(properties).length - 1);
  });
});

it.each([
  ['/v1/access-profiles', 'AccessProfile'],
  ['/v1/policies', 'Policy'],
  ['/v1/from-addresses', 'FromAddress'],
  ['/roles/v1', 'Role'],
  ['/v1/status', 'Status'],
])('the kind at %s is %s', async (path, kind) => {
  const { stdout } = await draftFrom({ [path]: thingsOf({ name: text })['/things'] }, {}, path);
  expect(parse(stdout)).toMatchObject({ kind, path });
});

it('the path of the server is not put before a path that begins with it', async () => {
  const servers = [{ url: 'https://api.example/v1/' }];
  const { '/things': things } = thingsOf({ name: text });
  for (const path of ['/things', '/v1/things']) {
    const { stdout } = await draftFrom({ [path]: things }, { servers }, '/v1/things');
    expect(parse(stdout)).toMatchObject({ path: '/v1/things' });
  }
});

it('a key other than the name is a question', async () => {
  const { stdout } = await draftFrom(thingsOf({ label: text }));
  expect(stdout).toContain('key: label  # check: is it unique?');
  const none = await draftFrom(thingsOf({ size: { type: 'integer' } }));
  expect(none.stdout).toContain('key: name  # check: which field names an object?');
  expect(none.stdout).toContain('No field names an object');
});

it('a document may have many MB, very many paths, and many references', async () => {
  const others = Array.from({ length: 100_000 }, (_, at) => [`/p${at}`, {}] as const);
  const references = others.slice(0, 101).map((_, at) => [`f${at}`, { $ref: `#/paths/~1p${at}` }] as const);
  const paths = {
    ...thingsOf({ name: text, ...Object.fromEntries(references) }),
    ...Object.fromEntries(others),
    '/long': { description: 'x'.repeat(6_000_000) },
  };
  const { code, stdout } = await draftFrom(paths);
  expect(code).toBe(0);
  expect(stdout).not.toContain('was not followed');
});

it('no more than 64 MB are read, in all files together', () => {
  const files: Readonly<Record<string, string>> = {
    'api.json': JSON.stringify({ openapi: '3.1.0', a: { $ref: 'a.json' }, b: { $ref: 'b.json' } }),
    'a.json': `{"x": {}${' '.repeat(64 * 1024 * 1024 - 200)}}`,
    'b.json': `{"x": {}${' '.repeat(200)}}`,
  };
  const openApi = new OpenApi({ glob: () => [], text: (file) => files[file] ?? '' }, 'api.json');
  expect(openApi.at(openApi.root, 'a', 'x')).not.toBeNull();
  expect(openApi.at(openApi.root, 'b', 'x')).toBeNull();
  const reason = 'b.json makes the files of the document larger than 64 MB together';
  expect(openApi.takeUnread()).toEqual([['b.json', reason]]);
});

it('hostile words stay in their comments', async () => {
  const evil = 'x\n!!js/function\u001b[31m\u202e: {';
  const refTo = (...types: string[]) => object({ id: text, name: text, type: { enum: types } });
  const paths = thingsOf({
    name: text,
    size: refTo(evil, `${evil}2`),
    endless: refTo('y'.repeat(5000), 'z'),
  });
  const { stdout } = await draftFrom({ ...paths, description: evil });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
  expect(stdout).not.toMatch(/[\u001b\u202e]/);
  const whole = { is: 'json', declares: 'whole' };
  expect(parse(stdout).fields).toEqual({ size: whole, endless: whole });
  expect(stdout).not.toContain('y'.repeat(101));
  expect(stdout).toContain('  # check: to one of x !!js/function [31m : {');
});

/** A list of things whose schema is a reference to one of `schemas`. */
const draftOf = async (name: string, schemas: object) => {
  const paths = { '/things': { get: answers(listOf({ $ref: `#/components/schemas/${name}` })) } };
  const ran = await draftFrom(paths, { components: { schemas } });
  expect(ran.code).toBe(0);
  return ran;
};

it('cycles of references end', async () => {
  const schemas = {
    // With a word beside them, references lead to another object each time.
    A: { allOf: [{ $ref: '#/components/schemas/B', title: 'B' }], properties: { name: text } },
    B: {
      allOf: [{ $ref: '#/components/schemas/A', title: 'A' }],
      properties: { loop: { $ref: '#/components/schemas/C' } },
    },
    C: { $ref: '#/components/schemas/D' },
    D: { $ref: '#/components/schemas/C' },
  };
  const { stdout } = await draftOf('A', schemas);
  expect(parse(stdout)).toMatchObject({ kind: 'Thing', key: 'name' });
});

it('a long chain of references is not followed to its end', async () => {
  const links = Array.from(
    { length: 20_000 },
    (_, at) => [`s${at}`, { $ref: `#/components/schemas/s${at + 1}` }] as const,
  );
  const { stdout } = await draftOf('s0', Object.fromEntries(links));
  expect(parse(stdout)).toMatchObject({ kind: 'Thing' });
  expect(stdout).toContain('it leads to itself, or by too many others');
});

it('each reference is followed once, also where each needs the one before it twice', async () => {
  const at = (level: number) => `#/components/schemas/s${level}`;
  const levels = Array.from({ length: 26 }, (_, level) => level);
  const twice = levels.map((level) => [`k${level + 1}`, { $ref: at(level) }] as const);
  const first = { properties: { name: text }, ...Object.fromEntries(twice) };
  const links = levels.map((level) => [`s${level + 1}`, { $ref: `${at(level)}/k${level + 1}` }] as const);
  const { stdout } = await draftOf('s26', { s0: first, ...Object.fromEntries(links) });
  expect(parse(stdout)).toMatchObject({ key: 'name' });
});

describe('a reference that leads out of the folder of the document is not followed', () => {
  const secret = '{"properties": {"name": {"type": "string"}, "stolen": {"type": "string"}}}';
  it.each([
    ['to a folder above', '../secret.json', 'it leads out of the repository or folder of the document'],
    ['by an absolute path', '/etc/hostname', 'There is no file etc/hostname'],
    ['over the network', 'http://127.0.0.1:9/secret.json', 'it is not a file beside the document'],
    ['by a file URL', 'file:///etc/hostname', 'it is not a file beside the document'],
    ['by a host alone', '//127.0.0.1:9/secret.json', 'it is not a file beside the document'],
    ['by a path of Windows', '..\\secret.json', 'it is not a file beside the document'],
    ['encoded', '%2e%2e/secret.json', 'it leads out of the repository or folder of the document'],
    ['through a link', 'link.json', 'it leads out of the repository or folder of the document'],
  ])('%s', async (_name, reference, reason) => {
    const { dir: outside } = createTestFolder({ 'secret.json': secret });
    symlinkSync(join(outside, 'secret.json'), pathTo('link.json'));
    const { code, stdout } = await draftFrom(thingsOf({ name: text, more: { $ref: reference } }));
    expect(code).toBe(0);
    expect(stdout).not.toContain('stolen');
    expect(stdout).toMatch(/^ {2}more: .*# check: the document does not say its type$/m);
    expect(stdout).toContain(`The reference ${reference} was not followed: `);
    expect(stdout).toContain(reason);
  });
});

describe('mistakes', () => {
  it.each([
    ['a document that is not there', ['none.yaml', '/things'], 'file-not-found'],
    ['a path that is not there', ['api.json', '/thing'], 'openapi-path'],
    ['the path of single objects', ['api.json', '/things/{id}'], 'openapi-path'],
    ['a path that a kind cannot have', ['api.json', '/a:b'], 'openapi-path'],
    ['no path', ['api.json'], 'usage'],
    ['a path beside all', ['api.json', '/things', '--all', 'kinds'], 'usage'],
    ['an older document', ['old.yaml', '/things'], 'openapi-version'],
    ['broken YAML', ['broken.yaml', '/things'], 'openapi-syntax'],
    ['aliases that grow without end', ['bomb.yaml', '/things'], 'openapi-syntax'],
    ['a file that is not named after a kind', ['api.json', '/things', '--out', 'thing.yaml'], 'kind-name'],
    ['a file that exists', ['api.json', '/things', '--out', 'Thing.kind.yaml'], 'file-exists'],
  ])('%s', async (_name, words, code) => {
    await draftFrom({ ...thingsOf({ name: text }), '/a:b': { get: {} } });
    write('old.yaml', 'swagger: "2.0"\n');
    write('broken.yaml', 'openapi: 3.0.0\npaths: {\n');
    const lines = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`);
    write('bomb.yaml', `a0: &a0 [x]\n${lines.join('\n')}\n`);
    write('Thing.kind.yaml', '');
    const ran = await draft(...words);
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
  });

  it('the nearest path is suggested', async () => {
    expect((await draftFrom(thingsOf({}), {}, '/thing')).stderr).toContain('Did you mean `/things`?');
  });
});

it('--out names the kind, and is written', async () => {
  await draftFrom(thingsOf({ name: text }));
  const { code, stdout } = await draft('api.json', '/things', '--out', 'kinds/Gadget.kind.yaml');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Written: kinds/Gadget.kind.yaml, 4 to check.\n' });
  expect(parse(readFileSync(pathTo('kinds/Gadget.kind.yaml'), 'utf8'))).toMatchObject({ kind: 'Gadget' });
});

it('leaves out a type that is longer than a descriptor can have', async () => {
  const owner = object({ id: text, type: { enum: ['T'.repeat(101)] }, name: text });
  const { stdout } = await draftFrom(thingsOf({ name: text, owner }));
  expect(parse(stdout)).toMatchObject({ fields: { owner: { is: 'reference', to: 'Identity' } } });
});

it('quotes the name of a field that YAML would read as something else', async () => {
  const { stdout } = await draftFrom(thingsOf({ null: text, True: text }));
  expect(stdout).toContain('\n  "null": value\n  "True": value\n');
});

describe('an API of another family', () => {
  const room = object({ name: text, team_id: { type: 'integer' } });
  const [post, put] = [{ post: { requestBody: json(room) } }, { put: { requestBody: json(room) } }];
  const parameters = (...names: string[]) =>
    names.map((name) => ({ name, in: 'query', schema: { type: 'integer' } }));
  const roomsOf = (calls: object, item: object, ...names: string[]) => ({
    '/rooms': {
      get: { parameters: parameters(...names), ...answers(object({ rooms: listOf(room) })) },
      ...calls,
    },
    '/rooms/{id}': item,
  });
  const draftRooms = (paths: object) => draftFrom(paths, {}, '/rooms');

  it('whose PATCH takes ordinary JSON, and whose ids are numbers', async () => {
    const { stdout } = await draftRooms(roomsOf(post, { patch: { requestBody: json(room) } }));
    const fields = { team_id: { is: 'value', to: 'Team' } };
    expect(parse(stdout)).toMatchObject({ update: 'patch', fields });
    expect(stdout).toContain('# check: PATCH takes application/json; does it replace each field as a whole?');
  });

  it('is that of profiles below /api, and filters by what its list is said to compare', async () => {
    const paths = roomsOf({}, {}, 'limit', 'offset');
    const filtered = async (description: string) => {
      const { parameters } = paths['/rooms'].get;
      const filters = { name: 'filters', in: 'query', description };
      const get = { ...paths['/rooms'].get, parameters: [...parameters, filters] };
      const { stdout } = await draftFrom({ '/api/rooms': { get } }, {}, '/api/rooms');
      return parse(stdout);
    };
    const kind = await filtered('**name**: *eq, sw*');
    expect(kind).toMatchObject({ service: 'profiles', list: { filter: true } });
    expect(await filtered('**name**: *co, sw*\n**id**: *eq*')).toMatchObject({ list: { filter: false } });
  });

  it('whose PATCH takes one member alone wraps nothing where its POST does not', async () => {
    const patch = { requestBody: json(object({ settings: { type: 'object' } })) };
    const { stdout } = await draftRooms(roomsOf(post, { patch, delete: {} }));
    expect(parse(stdout)).toMatchObject({ create: true, update: 'patch', delete: true });
  });

  it('whose POST alone wraps objects is read only, and says so', async () => {
    const wrapped = { post: { requestBody: json({ ...object({ room }), required: ['room'] }) } };
    const { stdout } = await draftRooms(roomsOf(wrapped, { ...put, delete: {} }));
    expect(parse(stdout)).toMatchObject({ create: false, update: 'none', delete: false });
    const told = '# check: Requests for /rooms have the object in room, which a descriptor cannot';
    expect(stdout).toContain(told);
  });

  it('that wraps objects in answers alone is drafted without the wrapper', async () => {
    const get = answers(object({ result: room }));
    const { stdout } = await draftRooms(roomsOf(post, { get, ...put }));
    const serverOwned = ['id', 'created', 'modified'];
    expect(parse(stdout)).toMatchObject({ create: true, update: 'put', serverOwned });
  });

  it.each([
    [['page', 'per_page'], 'page, per_page'],
    [['startIndex', 'count'], 'startIndex'],
    [['limit', 'after'], 'after'],
    [['$top', '$skip'], '$top, $skip'],
    [['page[number]', 'page[size]', 'page[cursor]'], 'page[number], page[size], page[cursor]'],
  ])('that pages by %j', async (names, told) => {
    const { stdout } = await draftRooms(roomsOf({}, {}, ...names));
    expect(parse(stdout).list).not.toHaveProperty('counts');
    expect(stdout).toContain(`GET /rooms has no \`offset\`, and pages by ${told}: the whole list can be`);
  });
});
