/** Kinds whose objects are below those of another kind, through every command. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const source = {
  kind: 'Source',
  path: '/v2025/sources',
  key: 'name',
  list: { pageSize: 250, filter: true },
  update: 'json-patch',
  create: true,
  delete: true,
  fields: { description: 'text' },
};

const schema = {
  kind: 'SourceSchema',
  path: '/v2025/sources/{source}/schemas',
  parent: { source: 'Source' },
  key: 'name',
  list: { pageSize: null },
  update: 'put',
  create: true,
  delete: true,
  fields: { nativeObjectType: 'value', attributes: { is: 'json', declares: 'whole' } },
};

const policy = {
  kind: 'ProvisioningPolicy',
  path: '/v2025/sources/{source}/provisioning-policies',
  parent: { source: 'Source' },
  id: 'usageType',
  key: 'usageType',
  list: { pageSize: null },
  update: 'json-patch',
  create: true,
  delete: true,
  fields: { name: 'text', fields: { is: 'json' } },
};

/** A kind below one that is itself below another. */
const attribute = {
  ...schema,
  kind: 'SchemaAttribute',
  path: '/v2025/schemas/{schema}/attributes',
  parent: { schema: 'SourceSchema' },
  fields: { type: 'value', settings: { is: 'json' } },
};

const kinds = [source, schema, policy];
const replaced = { ...source, fields: { type: 'text' }, write: { immutable: ['type'], replace: true } };
const objects = {
  Source: [
    { id: 's1', name: 'HR', description: 'People' },
    { id: 's2', name: 'AD/LDAP' },
  ],
  SourceSchema: [
    { id: 'x1', source: 's1', name: 'account', nativeObjectType: 'User', identityAttribute: 'uid' },
    { id: 'x2', source: 's2', name: 'account', nativeObjectType: 'Person' },
  ],
  ProvisioningPolicy: [{ source: 's2', usageType: 'CREATE', name: 'Account' }],
};

const manifests = `kind: SourceSchema
source: !ref Source/HR
name: account
nativeObjectType: Worker
---
kind: Source
name: Payroll
---
kind: SourceSchema
source: !ref Source/Payroll
name: group
nativeObjectType: Group
---
kind: ProvisioningPolicy
source: !ref Source/AD%2FLDAP
usageType: CREATE
name: Make an account
`;

function project(
  text = manifests,
  described: readonly JsonObject[] = kinds,
  environment: JsonObject = { prune: { kinds: ['Source', 'SourceSchema'] } },
): Promise<World> {
  const files = described.map((kind) => [`kinds/${String(kind.kind)}.kind.yaml`, JSON.stringify(kind)]);
  return createTestWorld({
    seed: JSON.stringify({ kinds: described, objects }),
    files: { ...Object.fromEntries(files), 'config/all.yaml': text },
    environment,
  });
}

/** The same with attributes of schemas, of which the tenant has one. */
async function projectOfThree(
  text: string,
  environment?: JsonObject,
  members: JsonObject = {},
): Promise<World> {
  const world = await project(text, [...kinds, attribute], environment);
  world.sandbox.state.objects.SchemaAttribute = [
    { id: 'a1', schema: 'x1', name: 'uid', type: 'STRING', ...members },
  ];
  return world;
}

const addresses = ({ changes }: Plan) => changes.map(({ action, address }) => `${action} ${address}`);
const planned = async (world: World, ...options: string[]) => addresses(await world.plan(...options));
const inTenant = (world: World, kind: string): readonly JsonObject[] =>
  world.sandbox.state.objects[kind] ?? [];

const deletesSent = ({ sandbox }: World) =>
  sandbox.log.filter(({ method }) => method === 'DELETE').map(({ path }) => path);

const gone = (kind: string, key: string) => `kind: ${kind}\n${key}\nensure: absent\n`;
const goneHr = gone('Source', 'name: HR');

describe('objects below another one', () => {
  it.each([
    ['HR', 'HR', ''],
    ['HR under another name', 'People', 'lifecycle: { renamedFrom: HR }, '],
  ])(
    'are not changed in the plan that makes %s anew, which is refused with what to do',
    async (_, name, more) => {
      const own = `{ kind: Source, name: ${name}, ${more}type: B }\n---\n`;
      const other = `---\n${gone('SourceSchema', 'source: !ref Source/HR\nname: gone')}`;
      const text = own + (manifests + other).replaceAll('!ref Source/HR', `!ref Source/${name}`);
      const world = await project(text, [replaced, schema, policy]);
      const below = `below it: SourceSchema/${name}/account.`;
      await expectEnd(
        world.run('apply --yes --allow-delete-all Source'),
        4,
        below,
        `--only 'Source/${name}'`,
      );
      expect(deletesSent(world)).toEqual([]);
      await succeed(world, 'apply', '--yes', '--only', `Source/${name}`);
      expect(deletesSent(world)).toEqual(['/v2025/sources/s1']);
      expect(await planned(world)).toContain(`create SourceSchema/${name}/account`);
      await succeed(world, 'apply', '--yes');
      expect(await planned(world)).toEqual([]);
    },
  );

  it('are planned by the name of their parent, which may be created with them', async () => {
    const world = await project();
    const plan = await world.plan();
    expect(addresses(plan)).toEqual([
      'update ProvisioningPolicy/AD%2FLDAP/CREATE',
      'create Source/Payroll',
      'update SourceSchema/HR/account',
      'create SourceSchema/Payroll/group',
    ]);
    expect(
      plan.changes.flatMap(({ requests }) => requests.map(({ method, path }) => `${method} ${path}`)),
    ).toEqual([
      'PATCH /v2025/sources/s2/provisioning-policies/CREATE',
      'POST /v2025/sources',
      'PUT /v2025/sources/s1/schemas/x1',
      'POST /v2025/sources/{Source/Payroll}/schemas',
    ]);
    await succeed(world, 'apply', '--yes');
    expect(await planned(world)).toEqual([]);
    const payroll = inTenant(world, 'Source').find(({ name }) => name === 'Payroll');
    expect(inTenant(world, 'SourceSchema')).toMatchObject([
      { source: 's1', nativeObjectType: 'Worker', identityAttribute: 'uid' },
      { source: 's2', nativeObjectType: 'Person' },
      { source: payroll?.id, name: 'group' },
    ]);
  });

  it('are finished by a PUT that does not name their parent', async () => {
    const group = 'kind: SourceSchema\nsource: !ref Source/HR\nname: group\nnativeObjectType: Group\n';
    const split = { ...schema, write: { first: ['attributes'] } };
    const world = await project(group, [source, split, policy]);
    await succeed(world, 'apply', '--yes');
    const [put] = world.sandbox.log.filter(({ method }) => method === 'PUT');
    expect(put?.body).toEqual({ name: 'group', nativeObjectType: 'Group', attributes: null });
    expect(await planned(world)).toEqual([]);
  });

  it('are exported with a `!ref` to their parent, and the plan of it is empty', async () => {
    const world = await project('');
    await succeed(world, 'export', '--kinds', 'SourceSchema,ProvisioningPolicy');
    expect(world.read('config/source-schemas/ad-ldap/account.yaml')).toBe(
      'kind: SourceSchema\nsource: !ref Source/AD%2FLDAP\nname: account\nnativeObjectType: Person\n',
    );
    expect(world.read('config/provisioning-policies/ad-ldap/create.yaml')).toContain('usageType: CREATE');
    expect((await world.plan()).changes).toEqual([]);
    expect((await succeed(world, 'export', '--merge', '--all')).stdout).toContain('0 changed');
    // They hold in `kind check`, and are compared between tenants by the names of their parents.
    expect((await succeed(world, 'kind check ProvisioningPolicy')).stdout).toContain('holds');
    const { stdout } = await succeed(world, 'diff config test --kinds SourceSchema');
    expect(stdout).toContain('No differences');
  });

  it('are deleted before their parent, and a rollback makes all of them again', async () => {
    const world = await projectOfThree('');
    await succeed(world, 'export', '--kinds', 'Source,SourceSchema,SchemaAttribute');
    rmSync(`${world.dir}/config/source-schemas/hr`, { recursive: true });
    rmSync(`${world.dir}/config/sources/hr.yaml`);
    const uid = 'config/schema-attributes/hr-account/uid.yaml';
    world.write(uid, world.read(uid).replace('type: STRING', 'ensure: absent'));
    const options = ['--prune', '--allow-delete-all', 'SchemaAttribute', '--result', 'result.json'];
    await succeed(world, 'apply', '--yes', ...options);
    expect(deletesSent(world)).toEqual([
      '/v2025/schemas/x1/attributes/a1',
      '/v2025/sources/s1/schemas/x1',
      '/v2025/sources/s1',
    ]);
    expect(inTenant(world, 'SourceSchema')).toMatchObject([{ id: 'x2' }]);
    await succeed(world, 'rollback', 'result.json', '--out', 'back.json');
    const back: Plan = JSON.parse(world.read('back.json'));
    expect(addresses(back)).toEqual([
      'create Source/HR',
      'create SourceSchema/HR/account',
      'create SchemaAttribute/HR%2Faccount/uid',
    ]);
    await succeed(world, 'apply', 'back.json');
    const hr = inTenant(world, 'Source').find(({ name }) => name === 'HR');
    const [, account] = inTenant(world, 'SourceSchema');
    expect(account).toMatchObject({ source: hr?.id, name: 'account' });
    expect(inTenant(world, 'SchemaAttribute')).toMatchObject([{ schema: account?.id, type: 'STRING' }]);
  });

  it('may be declared absent together with their parent', async () => {
    const world = await project(
      `${goneHr}---\n${gone('SourceSchema', 'source: !ref Source/HR\nname: account')}`,
    );
    await succeed(world, 'validate');
    await succeed(world, 'apply', '--yes');
    expect(inTenant(world, 'SourceSchema')).toMatchObject([{ id: 'x2' }]);
    expect(await planned(world)).toEqual([]);
  });

  it.each([
    ['SourceSchema/hr/*', 'SourceSchema/HR/account'],
    ['SchemaAttribute/**', 'SchemaAttribute/HR%2Faccount/uid'],
  ])(
    'hold back a delete above where %s is protected, whether or not a manifest names it',
    async (glob, name) => {
      const world = await projectOfThree(goneHr, { protect: [glob] });
      const told = `${name} would be deleted with Source/HR, but it is protected by the environment's`;
      await expectEnd(world.run('apply', '--yes'), 4, told);
      world.write('config/all.yaml', `${goneHr}---\n${manifests.slice(manifests.indexOf('kind: Source\n'))}`);
      await expectEnd(world.run('apply', '--yes'), 4);
      expect(deletesSent(world)).toEqual([]);
    },
  );

  const kept =
    'kind: SourceSchema\nsource: !ref Source/HR\nname: account\nlifecycle: { protect: true }\n---\n';
  it.each([
    ['among alternatives of several kinds', ['{SourceSchema/HR/*,Sink/A}'], 'name: HR\nensure: absent\n', ''],
    ['below one that is made anew', ['SourceSchema/**'], 'name: HR\ntype: B\n', ''],
    ['below one with another name', ['SourceSchema/**'], 'name: X\nid: s1\nensure: absent\n', ''],
    ['in a manifest that is out of scope', [], 'name: HR\ntype: B\n', kept],
  ])('hold back the delete of their parent, protected %s', async (_, protect, text, more) => {
    const world = await project(`${more}kind: Source\n${text}`, [replaced, schema, policy], { protect });
    const told = 'account would be deleted with Source/HR, but it is protected';
    await expectEnd(world.run('apply --yes --only Source/*'), 4, told, /SourceSchema\/\w+\/account/);
    expect(deletesSent(world)).toEqual([]);
  });

  it('hold back a saved plan that deletes their parent, though they came after it', async () => {
    const world = await project(goneHr, kinds, { protect: ['SourceSchema/HR/group'] });
    await succeed(world, 'plan', '--out', 'plan.json');
    world.sandbox.state.objects.SourceSchema?.push({ id: 'x3', source: 's1', name: 'group' });
    const { stdout } = await expectEnd(world.run('apply', 'plan.json'), 4);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'SourceSchema/HR/group would be deleted with Source/HR, but it is protected',
    );
    expect(deletesSent(world)).toEqual([]);
  });

  it('are kept with their parent where `prune.keep` names them', async () => {
    const prune = { kinds: ['Source'], keep: ['SourceSchema/HR/*'] };
    const world = await project('kind: Source\nname: AD/LDAP\n', kinds, { prune });
    const { changes, diagnostics } = await world.plan('--prune');
    const message =
      'Source/HR is not declared, but it stays: prune.keep names SourceSchema/HR/account, which is below it.';
    expect([changes, diagnostics.filter(({ code }) => code === 'kept')]).toMatchObject([[], [{ message }]]);
  });

  it('stay what they are where their parent gets another name', async () => {
    const renamed =
      'kind: Source\nname: People\nlifecycle: { renamedFrom: HR }\n---\nkind: SourceSchema\nsource: !ref Source/People\nname: account\n';
    const world = await project(renamed);
    expect(await planned(world)).toEqual(['update Source/People']);
    world.write('config/all.yaml', `${renamed}nativeObjectType: Worker\n`);
    expect(await planned(world)).toEqual(['update Source/People', 'update SourceSchema/People/account']);
    await succeed(world, 'apply', '--yes');
    expect(await planned(world)).toEqual([]);
    expect(inTenant(world, 'SourceSchema')).toMatchObject([
      { id: 'x1', nativeObjectType: 'Worker' },
      { id: 'x2' },
    ]);
  });

  it('are read below the parents that manifests name, and no others', async () => {
    const world = await project(manifests.slice(0, manifests.indexOf('---')));
    await world.plan();
    const read = world.sandbox.log.filter(({ path }) => path.endsWith('/schemas'));
    expect(read.map(({ path }) => path)).toEqual(['/v2025/sources/s1/schemas']);
  });

  it('are refused where the parent is no reference, or is none of the kind', async () => {
    const text = (source: string) => `kind: SourceSchema\nsource: ${source}\nname: group\n`;
    const world = await project(['HR', '!ref Identity/ann', 'Source/HR'].map(text).join('---\n'));
    const { stdout } = await expectEnd(world.run('validate'), 1);
    expect(stdout).toContain('`source` must be a `!ref` of the kind Source.');
    expect(stdout.match(/Write `source: !ref Source\/HR`\./g)).toHaveLength(2);
    expect(stdout).toContain('`source` refers to the kind Source, not to Identity.');
    world.write('config/all.yaml', text('!ref Source/HS'));
    await expectEnd(world.run('plan'), 1, 'Did you mean `HR`?');
  });
});

it.each([
  ['is declared absent', goneHr, ['validate', 'plan']],
  ['would be pruned', 'kind: Source\nname: AD/LDAP\n', ['plan --prune']],
])('an object two levels below one that %s refers to nothing that stays', async (_, above, commands) => {
  const below = 'kind: SchemaAttribute\nschema: !ref SourceSchema/HR/account\nname: uid\n';
  const prune = { kinds: ['Source'] };
  const world = await project(`${above}---\n${below}`, [...kinds, attribute], { prune });
  for (const command of commands) {
    const { stdout, stderr } = await expectEnd(world.run(command), 1);
    expect(stdout + stderr).toMatch(/config\/all\.yaml:\d+:9 .*Source\/HR[\s\S]*\[ref-deleted\]/);
  }
});

describe.each([
  ['whose manifest gives it another name', 'id: s1', 'HR'],
  ['that somebody has renamed in the tenant', 'id: s1', 'Staff'],
  ['that its manifest renames', 'lifecycle: { renamedFrom: HR }', 'HR'],
])('objects at any level below one %s', (_, pin, name) => {
  const text = (more: string) => `kind: Source
name: People
${pin}
---
kind: SourceSchema
source: !ref Source/People
name: account
---
kind: SchemaAttribute
schema: !ref SourceSchema/People/account
name: uid
${more}
`;
  const create = async (more: string) => {
    const world = await projectOfThree(text(more), undefined, { settings: { code: 'sesame' } });
    Object.assign(inTenant(world, 'Source')[0] ?? {}, { name });
    world.env.CODE = 'sesame';
    return world;
  };
  const below = ['--only', 'SourceSchema/**', 'SchemaAttribute/**'];

  it('are the ones that the tenant has, before and after it gets its name', async () => {
    const world = await create('type: INT');
    const address = 'update SchemaAttribute/People%2Faccount/uid';
    expect(await planned(world)).toEqual([address, 'update Source/People']);
    await succeed(world, 'apply', '--yes', ...below);
    expect(inTenant(world, 'SchemaAttribute')).toMatchObject([{ id: 'a1', type: 'INT' }]);
    expect(await planned(world, ...below)).toEqual([]);
    await succeed(world, 'rollback', '--last', '--out', 'back.json');
    await succeed(world, 'apply', 'back.json');
    expect(inTenant(world, 'SchemaAttribute')).toMatchObject([{ id: 'a1', type: 'STRING' }]);
    await succeed(world, 'apply', '--yes');
    expect(await planned(world)).toEqual([]);
  });

  it('are deleted where they are declared absent, and those that are declared are never pruned', async () => {
    const world = await create('ensure: absent');
    const options = ['--prune', '--allow-delete-all', 'SchemaAttribute', ...below];
    const { changes } = await world.plan(...options);
    expect(changes.map(({ action, id }) => `${action} ${id}`)).toEqual(['delete s2/x2', 'delete x1/a1']);
    const shown = changes.flatMap(({ diff }) => diff.filter(({ path }) => path === '/schema'));
    expect(shown).toMatchObject([{ before: 'x1', named: { x1: `SourceSchema/${name}/account` } }]);
    await succeed(world, 'apply', '--yes', ...options);
    expect(inTenant(world, 'SchemaAttribute')).toEqual([]);
    expect(inTenant(world, 'SourceSchema')).toMatchObject([{ id: 'x1' }]);
  });

  it('are still referred to after a merge, which may take over the name', async () => {
    const world = await create('type: STRING');
    await succeed(world, 'export', '--merge');
    const isRename = pin.startsWith('lifecycle');
    expect(world.read('config/all.yaml')).toContain(
      `!ref SourceSchema/${isRename ? 'People' : name}/account`,
    );
    expect(await planned(world)).toEqual(isRename ? ['update Source/People'] : []);
  });

  it('have the secrets that their manifests mark', async () => {
    const world = await create('settings: { code: !secret CODE }');
    const all = world.read('config/all.yaml');
    const shown = [
      (await succeed(world, 'get', 'SchemaAttribute/**')).stdout,
      (await succeed(world, 'diff', 'test', 'test', '--only', 'SchemaAttribute/**')).stdout,
      (await succeed(world, 'export', '--out', 'kept')).stdout,
      world.read(`kept/schema-attributes/${name.toLowerCase()}-account/uid.yaml`),
    ];
    expect(shown.join()).not.toContain('sesame');
    expect(shown[0]).toContain('code: !secret CODE');
    // Nobody declares the object between.
    world.write('config/all.yaml', all.replace(/^kind: SourceSchema[^-]*---\n/m, ''));
    expect((await succeed(world, 'get', 'SchemaAttribute/**')).stdout).toContain('code: !secret CODE');
  });
});

it('objects below those whose name is their id are exported with a reference to them', async () => {
  const group = { ...source, kind: 'Group', path: '/v2025/groups', id: 'name', list: { pageSize: null } };
  const member = {
    ...schema,
    kind: 'Member',
    path: '/v2025/groups/{group}/members',
    parent: { group: 'Group' },
  };
  const world = await project('', [...kinds, group, member]);
  world.sandbox.state.objects.Group = [{ id: 'Admins', name: 'Admins', description: 'All' }];
  world.sandbox.state.objects.Member = [{ id: 'm1', group: 'Admins', name: 'ann', nativeObjectType: 'User' }];
  await succeed(world, 'export', '--kinds', 'Group,Member');
  expect(world.read('config/members/admins/ann.yaml')).toContain('group: !ref Group/Admins');
  expect(await planned(world)).toEqual([]);
});

it('a reference to what is below a nested object says how its parts are written', async () => {
  const written = (parts: string) => `kind: SchemaAttribute
schema: !ref SourceSchema/HR/account
name: uid
settings: { manager: !ref SchemaAttribute/${parts} }
`;
  const world = await project('', [...kinds, attribute]);
  for (const parts of ['100%25/mail', 'HR/mail', 'HR%2Faccount%2Fmail/mail']) {
    world.write('config/all.yaml', written(parts));
    const { stdout } = await expectEnd(world.run('validate'), 1);
    expect(stdout).toContain('config/all.yaml:4:');
    expect(stdout).toContain('A reference to this kind is `!ref SchemaAttribute/SOURCE%2FNAME/NAME`.');
    await expectEnd(world.run('plan'), 1, 'invalid-ref');
  }
  world.write('config/all.yaml', written('HR%2Faccount/mail'));
  await succeed(world, 'validate');
  await expectEnd(world.run('get', 'SchemaAttribute/100%25/mail'), 1, 'SchemaAttribute/100%25/mail');
});

it.each([
  ['of a place without a parent', { parent: undefined }, '`path` has `{source}`, but `parent` does not say'],
  ['of a parent without a place', { path: '/v2025/schemas' }, '`path` must have `{source}` once'],
  [
    'below itself',
    { parent: { source: 'SourceSchema' } },
    'cannot be below those of the kind `SourceSchema`.',
  ],
  ['below nothing', { parent: { source: 'Nowhere' } }, 'Describe it in kinds/Nowhere.kind.yaml.'],
  ['below a kind with a typo', { parent: { source: 'Sourcs' } }, 'Did you mean `Source`?'],
  ['single, with a key', { single: true }, 'A single object needs no `key`'],
  ['with a field that is the parent', { fields: { source: 'value' } }, '`source` is a part of the key'],
])('a descriptor %s is refused', async (_, change, message) => {
  const world = await createTestWorld({
    files: { 'kinds/SourceSchema.kind.yaml': JSON.stringify({ ...schema, ...change }) },
  });
  expect((await expectEnd(world.run('validate'), 1)).stdout).toContain(message);
});

it('a path of an environment has the places of the documented one', async () => {
  const files = { 'kinds/SourceSchema.kind.yaml': JSON.stringify(schema) };
  const at = (path: string) => createTestWorld({ files, identity: { paths: { SourceSchema: path } } });
  await succeed(await at('/sources/v1/{source}/schemas'), 'validate');
  const { stdout } = await expectEnd((await at('/schemas/v1')).run('validate'), 1);
  expect(stdout).toContain('The path of SourceSchema must have the same parts in braces as');
});
