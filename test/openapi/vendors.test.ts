/** Drafts of documents as vendors write them: a folder for each service, prose instead of schemas, bodies of many shapes. */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/model/json.ts';
import { expectEnd } from '../support/world.ts';
import { draftFolder, json, listOf, object, text } from './drafting.ts';

const { draft, write, run, pathTo } = draftFolder();

const thing = object({ id: text, name: text, size: { type: 'integer' }, color: text });
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } };
const offset = { name: 'offset', in: 'query', schema: { type: 'integer' } };
const list = {
  parameters: [limit, offset, { name: 'filters', in: 'query', schema: text, description: '**name**: *eq*' }],
};

/** Drafts things whose calls are these, beside a plain list, POST, GET and DELETE. */
async function things(
  calls: { list?: object; post?: object; put?: object; patch?: object },
  schema: object = thing,
  more: object = {},
) {
  const { list: listed, post = { requestBody: json(schema) }, ...others } = calls;
  const paths = {
    '/things': { get: { ...list, responses: { 200: json(listOf(schema)) }, ...listed }, post },
    '/things/{id}': { get: { responses: { 200: json(schema) } }, ...others, delete: {} },
  };
  write('api.json', { openapi: '3.0.1', paths, ...more });
  const ran = await draft('api.json', '/things');
  return { ...ran, kind: parse(ran.stdout) };
}

const operation = object({ op: text, path: text, value: {} });
const jsonPatch = { requestBody: json(listOf(operation), 'application/json-patch+json') };

describe('a folder for each service, with parameters that all share beside them', () => {
  const service = {
    openapi: '3.0.1',
    paths: {
      '/things': {
        get: {
          parameters: ['limit', 'offset'].map((name) => ({ $ref: `../shared/parameters/${name}.yaml` })),
          responses: { 200: json(listOf({ $ref: 'schemas/thing.yaml' })) },
        },
      },
    },
  };
  beforeEach(() => {
    write('apis/things/openapi.yaml', service);
    write('apis/things/schemas/thing.yaml', { allOf: [{ $ref: '../../shared/schemas/base.yaml' }] });
    write('apis/shared/schemas/base.yaml', thing);
    write('apis/shared/parameters/limit.yaml', limit);
    write('apis/shared/parameters/offset.yaml', offset);
  });

  it('is drafted with them in a repository', async () => {
    write('.git/HEAD', 'ref: refs/heads/main\n');
    const { stdout } = await draft('apis/things/openapi.yaml', '/things');
    expect(parse(stdout)).toMatchObject({ kind: 'Thing', key: 'name', list: { pageSize: 50 } });
    expect(stdout).toContain('# Drafted from openapi.yaml.');
    expect(stdout).not.toContain('was not followed');
  });

  it('is not taken for one without pages where they are not found', async () => {
    const { stdout } = await draft('apis/things/openapi.yaml', '/things');
    expect(stdout).toContain(
      'list: { pageSize: 50, filter: false }  # check: the page size, since no limit is described',
    );
    expect(stdout).toContain('it leads out of the repository or folder of the document');
  });

  it('is not followed out of the repository', async () => {
    write('apis/things/.git/HEAD', 'ref: refs/heads/main\n');
    expect((await draft('apis/things/openapi.yaml', '/things')).stdout).toContain('was not followed');
  });
});

describe('the body of a request', () => {
  it.each([
    ['one of several objects', json(object({ things: listOf(thing) }))],
    ['one of a wrapped object', json(object({ thing }))],
  ])('%s makes a kind that is only read', async (_name, requestBody) => {
    const { kind, stdout } = await things({ post: { requestBody } });
    expect(kind).toMatchObject({ create: false, update: 'none', delete: false });
    expect(kind.fields).toEqual({});
    expect(stdout).not.toContain('there is no');
    expect(stdout).toMatch(
      /Requests for \/things have the object in things?, which a descriptor cannot express/,
    );
  });

  it.each([
    ['a bare list', json(listOf(thing)), 'POST /things takes a list of objects'],
    ['a form', json(thing, 'multipart/form-data'), 'POST /things takes multipart/form-data, and no JSON'],
  ])('of a POST that is %s creates nothing', async (_name, requestBody, told) => {
    const { kind, stdout } = await things({ post: { requestBody }, patch: jsonPatch });
    expect(kind).toMatchObject({ create: false, update: 'json-patch', delete: true });
    expect(stdout).toContain(told);
  });

  it.each([
    ['by its members', listOf(operation)],
    ['by its words', listOf({ type: 'object', title: 'A single JSON-Patch step' })],
  ])('of a PATCH is a JSON Patch %s, whatever its content type', async (_name, schema) => {
    const { kind, stdout } = await things({ patch: { requestBody: json(schema) } });
    expect(kind.update).toBe('json-patch');
    expect(stdout).toContain('update: json-patch  # PATCH takes application/json\n');
  });

  it.each([
    ['a JSON Patch in a member', json(object({ operations: listOf(operation) }))],
    ['a form', json(thing, 'multipart/form-data')],
  ])('of a PATCH that is %s is not used', async (_name, requestBody) => {
    const { kind, stdout } = await things({ patch: { requestBody }, put: { requestBody: json(thing) } });
    expect(kind.update).toBe('put');
    expect(stdout).toContain(
      'Not all ways to change an object at /things take JSON that a descriptor can express.',
    );
  });
});

it('a parameter that a call has to have is told, unless it is always sent', async () => {
  const needed = (name: string) => ({ name, in: 'header', required: true, schema: text });
  const parameters = [...list.parameters, needed('X-Service-Experimental'), needed('X-Region')];
  const { stdout } = await things({ list: { parameters } });
  expect(stdout).toContain('# check: GET needs X-Region, which a descriptor cannot express.');
  expect(stdout).not.toContain('Experimental');
});

describe('prose', () => {
  const isFixed =
    /^ {2}(\w+): value {2}# (described as one that cannot|check: (not among those|it cannot be))/gm;

  it.each([
    ['These fields are immutable, so they cannot be changed:\n\n* id\n* size\n\nAttempts fail.', ['size']],
    ['You cannot update these fields:\n- `size`\n- `color`', ['size', 'color']],
    ['These fields are immutable: `id`, `size`', ['size']],
    ['Updates fields other than ["id","color"] of a thing.', ['color']],
    ['The following fields are patchable:\n\n**name**\n\n**size** (with its unit)\n\nOthers: no.', ['color']],
    ['Only the "color" field is mutable. Changing others (ex. "color") fails.', ['size']],
    ['A thing.\n* size\n* color\nThe `size` may be null.', []],
    ['You cannot update some fields. These are all:\n* size', []],
  ])('says what cannot be changed: %j', async (description, fixed) => {
    const { stdout } = await things({ patch: { ...jsonPatch, description } });
    expect([...stdout.matchAll(isFixed)].map(([, name]) => name)).toEqual(fixed);
  });

  it('of a field says that it cannot be changed, or that the server sets it', async () => {
    const properties = {
      name: text,
      size: { ...text, description: 'Its size. Cannot be changed after creation.' },
      color: { ...text, description: 'System-generated color.' },
    };
    const { stdout, kind } = await things({ patch: jsonPatch }, object(properties));
    expect([...stdout.matchAll(isFixed)].map(([, name]) => name)).toEqual(['size']);
    expect(kind.serverOwned).toEqual(['id', 'color']);
    expect((await things({}, object(properties))).kind).not.toHaveProperty('write');
  });

  it('that a PATCH is not for all objects makes the draft use PUT', async () => {
    const description = 'This endpoint can only patch things of type A.';
    const patch = { ...jsonPatch, description };
    const { stdout } = await things({ patch, put: { requestBody: json(thing) } });
    expect(stdout).toContain('update: put  # check: PATCH is described as changing only some objects');
  });
});

it('what a tenant counts or finds out is not declared', async () => {
  const schema = object({ name: text, healthy: {}, memberCount: {}, hasLogo: {}, status: text });
  const { kind, stdout } = await things({ patch: jsonPatch }, schema);
  expect(kind.serverOwned).toEqual(['id', 'healthy', 'memberCount', 'hasLogo', 'status']);
  expect(stdout).toContain(
    '# check: judging by their names, the tenant sets healthy, memberCount, hasLogo, status',
  );
  const description = 'These fields are patchable:\n* status';
  const patchable = await things({ patch: { ...jsonPatch, description } }, schema);
  expect(patchable.kind.fields).toEqual({ status: 'value' });
});

describe('what an API asks of those who write', () => {
  const needing = (...required: string[]) => json({ ...thing, required });

  it('is its content type, what a create needs, and what an update cannot change', async () => {
    const requestBody = json(listOf(operation));
    const { kind } = await things({
      post: { requestBody: needing('name', 'size', 'id') },
      patch: { requestBody, description: 'These fields are immutable: `color`' },
    });
    const write = { contentType: 'application/json', required: ['size'], immutable: ['color'] };
    expect(kind.write).toEqual(write);
  });

  it('is the id in a PUT', async () => {
    const { kind } = await things({ put: { requestBody: needing('id', 'name') } });
    expect(kind.write).toEqual({ sendId: true });
  });

  it('is nothing where all is usual', async () => {
    expect((await things({ patch: jsonPatch })).kind).not.toHaveProperty('write');
  });
});

describe('a collection below each object of another', () => {
  const schema = object({ name: text, usage: text });
  const below = {
    '/sources/{sourceId}/schemas': {
      get: { ...list, responses: { 200: json(listOf(schema)) } },
      post: { requestBody: json(schema) },
    },
  };
  const draftBelow = async (more: object, path = '/sources/{sourceId}/schemas') => {
    write('api.json', { openapi: '3.0.1', paths: { ...below, ...more } });
    return draft('api.json', path);
  };

  it('has its parent in the path, and is named after both', async () => {
    const { stdout } = await draftBelow({ '/sources/{sourceId}/schemas/{schemaId}': { delete: {} } });
    expect(parse(stdout)).toMatchObject({
      kind: 'SourceSchema',
      path: '/sources/{source}/schemas',
      parent: { source: 'Source' },
      key: 'name',
      delete: true,
    });
    expect(stdout).toContain(
      '# check: Objects are described without an `id`: which member is in their paths?\n',
    );
  });

  it('may name its objects by another member than an id', async () => {
    const { stdout } = await draftBelow({ '/sources/{sourceId}/schemas/{usage}': { delete: {} } });
    expect(parse(stdout)).toMatchObject({ id: 'usage', key: 'usage', fields: { name: 'value' } });
  });

  it('is drafted with all others', async () => {
    await draftBelow({ '/roles/{id}/schemas/{key}/parts': { get: list, post: {} } });
    const { stdout } = await draft('api.json', '--all', 'kinds');
    expect(stdout.match(/kinds\/\w+/g)).toEqual(['kinds/SourceSchema']);
  });

  it('below another collection cannot be described', async () => {
    const path = '/roles/{id}/schemas/{key}/parts';
    const ran = draftBelow({ [path]: { get: list } }, path);
    await expectEnd(ran, 1, '[openapi-path]', 'below at most one other object.');
  });
});

describe('every shape of collection can be described', () => {
  const properties = { name: text, size: { type: 'integer' } };
  const [named, withId] = [object(properties), object({ id: text, ...properties })];
  const answers = (schema: object) => ({ ...list, responses: { 200: json(schema) } });
  const many = (schema: object) => ({ get: answers(listOf(schema)), post: { requestBody: json(schema) } });
  const one = (schema: object) => ({ get: answers(schema), put: { requestBody: json(schema) } });
  const all = { delete: {}, patch: jsonPatch };
  const hasSource = object({ ...properties, source: withId });

  const inMember = { ...many(withId), get: answers({ properties: { items: listOf(withId) } }) };
  const hasLists = one({ properties: { rows: listOf(withId) } });
  const values = { name: 'value', size: 'value' };

  it.each<[string, string, object, string, JsonObject]>([
    ['a list', '/things', many(withId), '/{id}', { key: 'name', update: 'json-patch' }],
    ['a list in a member', '/things', inMember, '/{id}', { list: { member: 'items' } }],
    [
      'one below each object of another',
      '/sources/{id}/parts',
      many(withId),
      '/{partId}',
      { kind: 'SourcePart', parent: { source: 'Source' }, path: '/sources/{source}/parts' },
    ],
    [
      'one whose objects have a member of the name of their parent',
      '/sources/{id}/parts',
      many(hasSource),
      '/{name}',
      { parent: { parentSource: 'Source' }, path: '/sources/{parentSource}/parts', id: 'name' },
    ],
    ['objects named by a member', '/things', many(named), '/{name}', { id: 'name', key: 'name' }],
    ['objects named by how the parameter ends', '/things', many(named), '/{thing-name}', { id: 'name' }],
    ['objects named by nothing that is described', '/things', many(named), '/{slug}', { id: 'name' }],
    [
      'a single object',
      '/org-config',
      one(named),
      '',
      { kind: 'OrgConfig', single: true, update: 'put', create: false, fields: values },
    ],
    [
      'a single object that POST makes',
      '/org-config',
      { ...one(named), post: { requestBody: json(named) } },
      '',
      { single: true, update: 'put', create: false },
    ],
    [
      'a single object with lists in it',
      '/mfa/web/config',
      { ...hasLists, patch: jsonPatch },
      '',
      { kind: 'WebConfig', single: true, update: 'json-patch', fields: { rows: { is: 'json' } } },
    ],
    [
      'a single object below each of another',
      '/sources/{id}/sync-config',
      { ...one(hasSource), delete: {} },
      '',
      {
        ...{ kind: 'SourceSyncConfig', single: true, parent: { parentSource: 'Source' } },
        ...{ delete: true, fields: { source: { is: 'json' } } },
      },
    ],
  ])('%s', async (_name, path, calls, item, expected) => {
    const paths = { [path]: calls, ...(item && { [path + item]: all }) };
    write('api.json', { openapi: '3.0.1', paths });
    const { stdout } = await draft('api.json', path);
    const kind = parse(stdout);
    expect(kind, stdout).toMatchObject(expected);
    expect('key' in kind, stdout).toBe(kind.single !== true);
    write('tenantctl.yaml', 'version: 1\nenvironments: { test: { sandbox: {} } }\n');
    const drafted = await draft('api.json', '--all', 'kinds');
    expect(drafted.stdout).toContain(`kinds/${kind.kind}.kind.yaml`);
    const { stdout: out, stderr } = await run('validate', '--env', 'test');
    expect(out + stderr).not.toContain('error');
  });

  it('asks whether a PUT makes a single object, and by which member paths name others', async () => {
    write('api.json', {
      openapi: '3.0.1',
      paths: { '/org-config': one(named), '/things': many(named), '/things/{slug}': all },
    });
    expect((await draft('api.json', '/org-config')).stdout).toContain(
      'create: false  # check: `true` if the tenant answers 404 until a PUT makes the object\n',
    );
    expect((await draft('api.json', '/things')).stdout).toContain(
      'id: name  # check: objects have no `id`, and paths name them by slug\n',
    );
  });
});

it('ids, secrets and what the server sets are found inside JSON fields', async () => {
  const type = (...types: string[]) => ({ ...text, enum: types });
  const key = object({ sourceId: text, property: text });
  const schema = object({
    name: text,
    membership: object({ key, children: listOf(object({ key, children: listOf(object({ key })) })) }),
    schemes: listOf(object({ approverType: type('MANAGER', 'GOVERNANCE_GROUP'), approverId: text })),
    others: listOf(object({ type: type('IDENTITY', 'GOVERNANCE_GROUP'), id: text, name: text })),
    columns: listOf(object({ type: type('STRING', 'LONG'), id: text, name: text })),
    config: object({ url: text, password: text, lastUpdated: text, seen: { ...text, readOnly: true } }),
    tree: { $ref: '#/components/schemas/tree' },
  });
  const tree = object({ roleId: text, below: listOf({ $ref: '#/components/schemas/tree' }) });
  const { kind, stdout } = await things({ patch: jsonPatch }, schema, { components: { schemas: { tree } } });
  const group = { GOVERNANCE_GROUP: 'GovernanceGroup' };
  expect(kind.places).toEqual({
    'membership/**/sourceId': { is: 'reference', to: 'Source' },
    'schemes/*/approverId': { is: 'reference', by: 'approverType', to: group },
    'others/*/id': { is: 'reference', by: 'type', to: { IDENTITY: 'Identity', ...group } },
    'config/password': 'secret',
    'config/lastUpdated': 'serverOwned',
    'config/seen': 'serverOwned',
    'tree/**/roleId': { is: 'reference', to: 'Role' },
  });
  expect(stdout).toContain(
    '  membership/**/sourceId: { is: reference, to: Source }  # check: the kind of its ids\n',
  );
  expect(stdout).toContain('# check: ids of MANAGER stay as they are\n');
});

describe('a whole document', () => {
  const collection = (name: string, tag: string, properties: object) => {
    const schema = object({ id: text, name: text, ...properties });
    const get = { ...list, tags: [tag], responses: { 200: json(listOf(schema)) } };
    return {
      [`/v2025/${name}`]: { get, post: { requestBody: json(schema) } },
      [`/v2025/${name}/{id}`]: { patch: jsonPatch },
    };
  };
  const reference = (type: string) => object({ id: text, name: text, type: { ...text, enum: [type] } });
  const paths = {
    ...collection('workgroups', 'Governance Groups', {}),
    ...collection('roles', 'Roles', {
      owner: reference('IDENTITY'),
      approver: reference('GOVERNANCE_GROUP'),
      parent: reference('ROLE'),
      space: reference('PLANET'),
      rules: object({ governanceGroupId: text, planetId: text }),
    }),
    ...collection('sim-integrations', 'Integrations', {}),
    '/v2025/role-events': { get: list },
    '/v2025/old': { get: { ...list, deprecated: true }, post: {} },
  };
  const all = async (more = {}) => {
    write('api.json', { openapi: '3.0.1', paths: { ...paths, ...more } });
    write('kinds/readme.md', '');
    return draft('api.json', '--all', 'kinds');
  };

  it('is drafted into a folder, and each path that is left out is named with the reason', async () => {
    const values = { responses: { 200: json(listOf(text)) } };
    const listed = { get: { responses: { 200: json(listOf(thing)) } }, post: {} };
    const { code, stdout, stderr } = await all({
      ...collection('beta/roles', 'Roles', {}),
      '/v2025/context': { get: values, patch: jsonPatch },
      '/v2025/icons/{type}/{name}': { put: {} },
      '/v2025/instructions': { post: {} },
      '/v2025/instructions/{page}': { get: {}, delete: {} },
      '/v2025/role members': listed,
      '/v2025/roles/{role}/parts/{part}/tags': listed,
      '/v2025/roles/{id}/activate': { post: {} },
      '/v3/workgroups': listed,
    });
    expect(code).toBe(0);
    const files = ['BetaRole.kind.yaml', 'Role.kind.yaml', 'Workgroup.kind.yaml', 'readme.md'];
    expect(readdirSync(pathTo('kinds'))).toEqual(files);
    expect(stdout).toMatch(/^Written: kinds\/Role\.kind\.yaml, \d to check\.$/m);
    expect(stderr).toBe(`Left out:
- /v2025/context: its GET gives neither one object nor a list whose objects have paths
- /v2025/icons/{type}/{name}: it ends with a parameter, and no list gives its values
- /v2025/instructions: it has no GET
- /v2025/old: its GET is deprecated
- /v2025/role members: no kind can have a path of this form
- /v2025/roles/{role}/parts/{part}/tags: its objects are below more than one other object
- /v3/workgroups: Workgroup is drafted from /v2025/workgroups
- /v2025/sim-integrations: the built-in kind SimIntegration has it
`);
    const second = await all();
    expect(second.stdout).toBe('');
    expect(second.stderr).toContain('- /v2025/workgroups: kinds/Workgroup.kind.yaml already exists\n');
  });

  it('refers to kinds as they are drafted from it', async () => {
    await all();
    const role = readFileSync(pathTo('kinds/Role.kind.yaml'), 'utf8');
    expect(parse(role).fields).toEqual({
      owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
      approver: { is: 'reference', to: 'Workgroup', type: 'GOVERNANCE_GROUP' },
      parent: { is: 'reference', to: 'Role', type: 'ROLE' },
      space: { is: 'reference', to: 'Planet', type: 'PLANET' },
      rules: { is: 'json', declares: 'whole' },
    });
    expect(parse(role).places).toEqual({
      'rules/governanceGroupId': { is: 'reference', to: 'Workgroup' },
      'rules/planetId': { is: 'reference', to: 'Planet' },
    });
    const unknown = 'check: no kind Planet is described';
    expect(role.match(/check: no kind \w+ is described/g)).toEqual([unknown, unknown]);
  });

  it('without a collection is an error', async () => {
    write('api.json', { openapi: '3.0.1', paths: { '/v2025/status': { get: {} } } });
    await expectEnd(draft('api.json', '--all', 'kinds'), 1, 'api.json describes no collection.');
  });
});
