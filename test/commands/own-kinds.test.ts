/** Kinds that a project describes in `kinds/`: every command takes them as it takes those that are built in. */
import { rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadProject, openTenant, type Plan, planChanges } from '../../src/index.ts';
import { commitAll } from '../support/repository.ts';
import { createTestWorld, expectEnd, succeed, type World, writesIn } from '../support/world.ts';

const descriptor = `kind: Role
path: /v2025/roles
key: name
list: { pageSize: 2, filter: true }
update: json-patch
create: true
delete: true
fields: { description: text, enabled: value, labels: set, limits: { is: json, declares: whole } }
`;

const manifests = `kind: Role
name: Engineers
description: Those who build
labels: [b, a]
---
kind: Role
name: Guests
enabled: false
`;

/** The kind is called otherwise in another project. */
const called = (text: string, name: string) => text.replaceAll('kind: Role', `kind: ${name}`);

async function project(name = 'Role'): Promise<World> {
  const own = called(descriptor, name);
  const inSeed = own.replaceAll(/^/gm, '    ').trim();
  return createTestWorld({
    seed: `kinds:\n  - ${inSeed}\nobjects: { ${name}: [{ name: Guests, enabled: true, limits: [{ days: 60 }] }] }\n`,
    files: { [`kinds/${name}.kind.yaml`]: own, 'config/all.yaml': called(manifests, name) },
    environment: { prune: { kinds: [name] } },
  });
}

const addresses = ({ changes }: Plan) => changes.map(({ action, address }) => `${action} ${address}`);
const planned = async (world: World, ...options: string[]) => addresses(await world.plan(...options));

/** A project with a kind of tasks, and a tenant with one of them. */
async function taskWorld(kind: object, task: object, others: object = {}): Promise<World> {
  const described = { kind: 'Task', path: '/v2025/tasks', key: 'name', ...kind };
  return createTestWorld({
    seed: JSON.stringify({ kinds: [described], objects: { ...others, Task: [{ name: 'Sync', ...task }] } }),
    files: { 'kinds/Task.kind.yaml': JSON.stringify(described) },
  });
}

describe('a kind that the project describes', () => {
  it('is replaced as a whole also where a manifest has another name beside an id than the tenant', async () => {
    const owner = { is: 'reference', to: 'Identity', type: 'IDENTITY' };
    const ann = { type: 'IDENTITY', id: 'i1', name: 'Ann' };
    const world = await taskWorld(
      { update: 'put', fields: { title: 'text', owner, others: { ...owner, is: 'references' } } },
      { title: 'a', owner: ann, others: [ann] },
      { Identity: [{ id: 'i1', name: 'Ann', alias: 'ann' }] },
    );
    const former = { ...ann, name: 'Anna' };
    world.declare([{ kind: 'Task', name: 'Sync', title: 'b', owner: former, others: [former] }]);
    await succeed(world, 'apply --yes');
    expect(world.sandbox.state.objects.Task).toMatchObject([{ title: 'b', owner: ann, others: [ann] }]);
    expect(await planned(world)).toEqual([]);
  });

  it('is applied where only a manifest says of what type the objects of a list are', async () => {
    const fields = { others: { is: 'references', to: 'Role' } };
    const world = await taskWorld({ update: 'json-patch', fields }, { others: [{ id: 'r1' }, { id: 'r2' }] });
    world.write(
      'config/task.yaml',
      'kind: Task\nname: Sync\nothers: [{ type: ROLE, id: r1 }, { type: GROUP, id: r3 }]\n',
    );
    await succeed(world, 'apply --yes');
    expect(await planned(world)).toEqual([]);
  });

  it('conceals the value of a pair whose name only the tenant has, and is applied', async () => {
    const settings = { a: { key: 'Authorization' }, b: { value: 'Old-4711' } };
    const fields = { settings: { is: 'json', declares: 'members' } };
    const world = await taskWorld({ update: 'json-patch', fields }, { settings });
    const declared = { a: { value: 'New-4711' }, b: { key: 'Authorization' } };
    world.declare([{ kind: 'Task', name: 'Sync', settings: declared }]);
    const shown = await world.run('plan');
    expect(shown.stdout).toContain('+ settings/a/value  (sensitive)');
    const compared = await world.run('diff test --declared');
    const applied = await succeed(world, 'apply --yes');
    for (const { stdout } of [shown, compared, applied]) expect(stdout).not.toContain('4711');
    expect(compared.stdout).toContain('settings/a/value');
    expect(await planned(world)).toEqual([]);
  });

  it('is exported, also into existing manifests, and an export plans empty', async () => {
    const world = await project();
    rmSync(`${world.dir}/config`, { recursive: true });
    await succeed(world, 'export');
    const file = 'config/roles/guests.yaml';
    const guests = 'kind: Role\nname: Guests\n';
    expect(world.read(file)).toContain(guests);
    expect(await planned(world)).toEqual([]);
    world.write(file, `${guests}enabled: false # why\nlimits: [{ days: "60" }]\n`);
    await succeed(world, 'export --merge --kinds Role');
    expect(world.read(file)).toContain('enabled: true # why\nlimits: [{ days: 60 }]\n');
    expect(await planned(world)).toEqual([]);
  });

  it('is pruned, unless all of its objects would go', async () => {
    const world = await project();
    world.declare([{ kind: 'Role', name: 'Guests' }]);
    expect(await planned(world, '--prune')).toEqual([]);
    world.declare([{ kind: 'Role', name: 'Guests', ensure: 'absent' }]);
    await expectEnd(world.run('apply --yes'), 4);
    await succeed(world, 'apply --yes --allow-delete-all Role');
  });

  it('is read by names as long as its schema accepts: a manifest that is passed over would be pruned', async () => {
    const world = await project();
    const roles = world.sandbox.state.objects.Role ?? [];
    const declared = [321, 1024].map((length) => 'x'.repeat(length));
    const documents = declared.map((name) => ({ kind: 'Role', name, enabled: true }));
    roles.push(...declared.map((name, at) => ({ id: `long-${at}`, name, enabled: true })));
    world.declare([{ kind: 'Role', name: 'Guests' }, ...documents]);
    expect(await planned(world, '--prune')).toEqual([]);
    const merged = await world.run('export --merge --all --kinds Role');
    expect(merged.stdout).toContain('Files: 0 changed, 0 new, 0 removed.');
    world.declare([{ kind: 'Role', name: 'x'.repeat(1025) }]);
    expect((await expectEnd(world.run('validate'), 1)).stdout).toContain('[invalid-value]');
  });

  it('has a schema, and is among the names that can be completed', async () => {
    const world = await project();
    expect((await world.run('schema')).stdout).toMatch(/^Role$/m);
    const { json } = await world.run('schema Role');
    expect(json).toMatchObject({ properties: { labels: { type: ['array', 'null'] } } });
    const { json: all } = await world.run('schema manifest');
    expect(all).toMatchObject({ definitions: { Role: { title: 'Role' } } });
    for (const words of ['export --kinds', 'plan --allow-delete-all', 'schema'])
      expect((await world.run(`completion bash -- ${words} Ro`)).stdout).toBe('Role\n');
  });

  it('is not read through a link out of the project', async () => {
    const [world, other] = [await project(), await project('Other')];
    symlinkSync(`${other.dir}/kinds/Other.kind.yaml`, `${world.dir}/kinds/Other.kind.yaml`);
    const { stdout } = await expectEnd(world.run('validate'), 1);
    expect(stdout).toMatch(/^kinds\/Other\.kind\.yaml:1:1 +error .*\[outside-project\]/m);
  });

  it('may be wrong where only the schema of something else is asked for', async () => {
    const world = await project();
    world.write('kinds/Role.kind.yaml', 'kind: Role\n');
    for (const line of ['schema MailFrom', 'schema kind', 'explain MailFrom.identity'])
      await succeed(world, line);
    await expectEnd(world.run('schema Role'), 1, 'The document has no `path`.');
  });

  it('is in the schemas that init gives to editors', async () => {
    const world = await project();
    await world.run('init --pipelines none');
    const schema = JSON.parse(world.read('.tenantctl/schemas/manifest.schema.json'));
    expect(schema.properties.kind.enum).toContain('Role');
    expect(world.read('.vscode/settings.json')).toContain('kinds/*.kind.yaml');
  });

  it('is suggested for a typo', async () => {
    const { run } = await project();
    for (const line of ['plan --only Rle/*', 'plan --allow-delete-all Rle', 'export --kinds Rle'])
      await expectEnd(run(line), 1, 'Did you mean `Role`?');
    const { stderr, stdout } = await expectEnd(run('validate --except Rle/*'), 1);
    expect(`${stderr}${stdout}`).toContain('Did you mean `Role`?');
  });

  it('cannot be changed by a plan file once the project does not have it any more', async () => {
    const world = await project();
    await world.run('plan --out plan.json');
    rmSync(`${world.dir}/kinds`, { recursive: true });
    world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace('"Role"', '"MailFrom"'));
    world.declare([{ kind: 'AuthProfile', name: 'Staff' }]);
    const { stderr, stdout } = await expectEnd(world.run('apply plan.json'), 4);
    const why = 'The plan changes a "Role", which is not a kind of this project.';
    expect(`${stderr}${stdout}`.replaceAll(/\s+/g, ' ')).toContain(why);
    expect(writesIn(world.sandbox.log)).toEqual([]);
  });
});

describe('--since', () => {
  it('reads the kinds of the revision, and deletes what was removed since, by the kind of today', async () => {
    const world = await project();
    commitAll(world.dir);
    world.write('kinds/Role.kind.yaml', descriptor.replace('enabled: value, ', 'active: value, '));
    world.write('config/all.yaml', 'kind: Role\nname: Engineers\nactive: true\n');
    const options = ['--since', 'HEAD', '--allow-delete-all', 'Role'];
    expect(await planned(world, ...options)).toEqual(['create Role/Engineers', 'delete Role/Guests']);
    // Here only the revision names the kind.
    world.declare([{ kind: 'SenderAddress', email: 'a@a.example' }]);
    expect(await planned(world, ...options)).toContain('delete Role/Guests');
  });

  it.each([
    ['is not described any more', () => null],
    ['has another key', () => descriptor.replace('key: name', 'key: label')],
    ['is in another collection', () => descriptor.replace('/v2025/roles', '/v2025/other-roles')],
  ])('deletes nothing of a kind that %s, and says so', async (_, now) => {
    const world = await project();
    commitAll(world.dir);
    const text = now();
    if (text === null) rmSync(`${world.dir}/kinds/Role.kind.yaml`);
    else world.write('kinds/Role.kind.yaml', text);
    world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace('"Role"', '"MailFrom"'));
    world.declare([{ kind: 'SenderAddress', email: 'a@a.example' }]);
    const plan = await world.plan('--since', 'HEAD');
    expect(addresses(plan)).toEqual(['create SenderAddress/a%40a.example']);
    const [lost] = plan.diagnostics.filter(({ code }) => code === 'kind-lost');
    expect(lost?.message).toContain('2 objects of the kind Role, which it no longer describes');
  });

  it('deletes nothing below another collection, and reads that of another version of the API', async () => {
    const world = await project();
    const below = 'path: /v2025/roles/{role}/schemas\nparent: { role: Role }\nkey: name\nupdate: put\n';
    world.write('kinds/Schema.kind.yaml', `kind: Schema\n${below}`);
    world.write('config/one.yaml', 'kind: Schema\nrole: !ref Role/Guests\nname: account\n');
    commitAll(world.dir);
    rmSync(`${world.dir}/config/one.yaml`);
    world.declare([{ kind: 'SenderAddress', email: 'a@a.example' }]);
    world.write('kinds/Role.kind.yaml', descriptor.replace('/v2025/roles', '/v2025/other-roles'));
    const { diagnostics } = await world.plan('--since', 'HEAD');
    expect(diagnostics.map(({ code, message }) => [code, message.match(/the kind \w+/)?.[0]])).toEqual([
      ['kind-lost', 'the kind Role'],
      ['kind-lost', 'the kind Schema'],
    ]);
    world.write('kinds/Role.kind.yaml', descriptor.replace('/v2025/roles', '/v2026/roles'));
    await expectEnd(world.run('plan --since HEAD'), 1, '/v2026/roles');
  });
});

it('two projects in one process have each their own kinds', async () => {
  const worlds = [await project('Role'), await project('Duty')];
  const projects = worlds.map(({ dir, env }) => loadProject({ configFile: `${dir}/tenantctl.yaml`, env }));
  const planned = projects.map(async (each) => {
    const tenant = await openTenant(each);
    const plan = await planChanges(each, tenant);
    await tenant.close();
    return addresses(plan);
  });
  expect(await Promise.all(planned)).toEqual([
    ['create Role/Engineers', 'update Role/Guests'],
    ['create Duty/Engineers', 'update Duty/Guests'],
  ]);
  const names = projects.map(({ environment }) => environment.kinds.find('Role')?.name);
  expect(names).toEqual(['Role', undefined]);
});
