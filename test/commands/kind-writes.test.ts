/** What a descriptor says of single objects, and under `write`, against a tenant that insists on it. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { createTestWorld, expectEnd, succeed, type World, type WorldOptions } from '../support/world.ts';

const role = {
  kind: 'Role',
  path: '/v2025/roles',
  key: 'name',
  update: 'json-patch',
  create: true,
  delete: true,
  fields: { description: 'text', owner: 'value', enabled: 'value', type: 'value' },
};
const old = { id: 'r1', name: 'Old', owner: 'ann', enabled: true, type: 'A' };

async function roles(
  write: JsonObject,
  declared: readonly JsonObject[],
  more: JsonObject = {},
  onWork: (world: World) => void = () => {},
  options: WorldOptions = {},
): Promise<World> {
  const kind = { ...role, ...more, write };
  const now = () => {
    if (world) onWork(world);
    return Date.now();
  };
  let world: World | undefined;
  world = await createTestWorld({
    sandbox: { clock: { now } },
    ...options,
    seed: JSON.stringify({ kinds: [kind], objects: { Role: [old] } }),
    files: { 'kinds/Role.kind.yaml': JSON.stringify(kind) },
  });
  world.declare(declared.map((each) => ({ kind: 'Role', ...each })));
  return world;
}

const writesSent = ({ sandbox }: World) =>
  sandbox.log
    .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/oauth'))
    .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, 'NEW')}`);
const inTenant = (world: World): readonly JsonObject[] => world.sandbox.state.objects.Role ?? [];
const firstChange = async (world: World) => (await world.plan()).changes[0];
/** Gives these members to the role that is there. */
const setOld = (world: World, members: JsonObject) => void Object.assign(inTenant(world)[0] ?? {}, members);
/** Gives these members to each new role, once. */
function settingOnce(members: JsonObject): (world: World) => void {
  const all: unknown[] = [];
  return (world) => {
    for (const each of inTenant(world))
      if (each.id !== 'r1' && !all.includes(each.id)) all.push(Object.assign(each, members).id);
  };
}

/** Applies, and plans again: nothing is left. */
async function settle(world: World, ...options: string[]): Promise<void> {
  await succeed(world, 'apply', '--yes', ...options);
  expect((await world.plan()).changes).toEqual([]);
}

describe('write', () => {
  it('`contentType` is that of an update, and `patchOps: replace` sets whole fields', async () => {
    const world = await roles({ contentType: 'application/json', patchOps: 'replace' }, [
      { name: 'Old', description: 'New here', owner: null },
    ]);
    const body = [
      { op: 'replace', path: '/description', value: 'New here' },
      { op: 'replace', path: '/owner', value: null },
    ];
    expect((await firstChange(world))?.requests).toMatchObject([
      { headers: { 'content-type': 'application/json' }, body },
    ]);
    await settle(world);
  });

  it('`sendId` puts the id into a PUT', async () => {
    const world = await roles({ sendId: true }, [{ name: 'Old', owner: 'ben' }], { update: 'put' });
    await settle(world);
    expect(inTenant(world)).toMatchObject([{ id: 'r1', owner: 'ben' }]);
  });

  it('a PUT of an object that is declared by its id alone leaves its name, or that it has none', async () => {
    for (const name of ['Old', '', null]) {
      const world = await roles({}, [], { update: 'put' });
      setOld(world, { name });
      world.declare([{ kind: 'Role', id: 'r1', owner: 'ben' }]);
      const { changes } = await world.plan();
      expect(changes.map(({ requests: [put] }) => put?.body)).toMatchObject([{ name, owner: 'ben' }]);
    }
  });

  it('`required` is told by `validate`, and is a step by hand where an object is new', async () => {
    const world = await roles({ required: ['owner'] }, [
      { name: 'Old', enabled: false },
      { name: 'New', owner: null },
    ]);
    expect((await succeed(world, 'validate')).stdout).toContain('Role/New can be changed, but not created');
    const { changes } = await world.plan();
    expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'manual Role/New',
      'update Role/Old',
    ]);
    expect(changes[0]?.warnings).toEqual([
      'The API creates no Role without `owner`: declare it, then plan again.',
    ]);
  });

  it('`alone` changes one field after the other, and keeps a new name of the object', async () => {
    const alone = [['owner', 'enabled']];
    const declared = { name: 'New', owner: 'ben', enabled: false, lifecycle: { renamedFrom: 'Old' } };
    for (const update of ['json-patch', 'put', 'patch']) {
      const world = await roles({ alone }, [declared], { update });
      await settle(world);
      expect(writesSent(world), update).toHaveLength(2);
      const { lifecycle: _, ...wanted } = declared;
      expect(inTenant(world), update).toMatchObject([{ id: 'r1', ...wanted }]);
    }
  });

  it('`alone` with PUT leaves what a manifest ignores inside a field, step by step', async () => {
    const more = { update: 'put', fields: { ...role.fields, config: 'json' } };
    const declared = { name: 'Old', owner: 'ben', enabled: false, lifecycle: { ignore: ['/config/mode'] } };
    const world = await roles({ alone: [['owner', 'enabled']] }, [declared], more);
    setOld(world, { config: { mode: 'A', size: 7 } });
    await settle(world);
    expect(inTenant(world)).toMatchObject([{ owner: 'ben', config: { mode: 'A', size: 7 } }]);
  });

  it('`alone` with PUT does not set back what somebody changed between the steps, declared or not', async () => {
    const config = { mode: 'By hand', since: 7 };
    for (const [field, value] of Object.entries({ description: 'By hand', type: 'C', config })) {
      const declared = { name: 'Old', owner: 'ben', enabled: false, type: 'A' };
      const more = {
        update: 'put',
        fields: { ...role.fields, config: 'json' },
        places: { 'config/since': 'serverOwned' },
      };
      const world = await roles({ alone: [['owner', 'enabled']] }, [declared], more, (world) => {
        if (inTenant(world)[0]?.owner === 'ben') setOld(world, { [field]: value });
      });
      setOld(world, { config: { mode: 'A', since: 7 } });
      await succeed(world, 'plan', '--out', 'plan.json');
      const { stdout } = await expectEnd(world.run('apply plan.json'), 3);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`somebody changed the object: /${field} is different`);
      await expectEnd(world.run('apply plan.json'), 4);
      expect(writesSent(world)).toEqual(['PUT /v2025/roles/r1']);
      expect(inTenant(world)).toMatchObject([{ [field]: value }]);
    }
  });

  it('`first` sets the others one after the other where `alone` says so', async () => {
    const declared = [{ name: 'New', owner: 'ben', description: 'x', enabled: true }];
    for (const update of ['json-patch', 'put', 'patch']) {
      const world = await roles({ first: ['type'], alone: [['owner', 'enabled']] }, declared, { update });
      const sets = ((await firstChange(world))?.requests ?? [])
        .slice(1)
        .map(({ body }) => JSON.stringify(body));
      expect(sets, update).toEqual([
        expect.stringContaining('description'),
        expect.stringMatching(update === 'put' ? /owner.*enabled|enabled.*owner/ : /owner|enabled/),
      ]);
      expect(sets[0], update).not.toMatch(/owner.*enabled|enabled.*owner/);
      await settle(world);
    }
  });

  it('`first` with PUT keeps what the tenant set when it created the object', async () => {
    const write = { first: ['type'], alone: [['owner', 'enabled']] };
    const declared = [{ name: 'New', owner: 'ben', enabled: true }];
    const onWork = settingOnce({ segment: 'default', type: 'B' });
    const world = await roles(write, declared, { update: 'put' }, onWork);
    await settle(world);
    expect(writesSent(world)).toEqual(['POST /v2025/roles', 'PUT /v2025/roles/NEW', 'PUT /v2025/roles/NEW']);
    const puts = world.sandbox.log.filter(({ method }) => method === 'PUT');
    const kept = { name: 'New', segment: 'default', type: 'B', description: null };
    expect(puts.map(({ body }) => body)).toEqual([
      { ...kept, owner: 'ben', enabled: null },
      { ...kept, owner: 'ben', enabled: true },
    ]);
  });

  it('`first` sets the others, whatever the tenant sets there when it creates the object', async () => {
    const declared = [{ name: 'New', owner: 'ben', description: 'x' }];
    const world = await roles({ first: ['owner'] }, declared, {}, settingOnce({ description: 'New' }));
    await settle(world);
    expect(writesSent(world)).toEqual(['POST /v2025/roles', 'PATCH /v2025/roles/NEW']);
  });

  it.each(['put', 'json-patch', 'patch', 'merge-patch'])(
    '`first` with %s keeps members that the tenant set inside a field of members',
    async (update) => {
      const fields = { ...role.fields, extra: { is: 'json', declares: 'members' } };
      const declared = [{ name: 'New', extra: { x: 5, deep: { b: 2 } } }];
      const onWork = settingOnce({ extra: { auto: 1, deep: { a: 1 } } });
      const world = await roles({ first: ['type'] }, declared, { update, fields }, onWork);
      await settle(world);
      expect(inTenant(world).at(-1)).toMatchObject({ extra: { auto: 1, x: 5, deep: { a: 1, b: 2 } } });
    },
  );

  it('`first` is finished by one more apply where the run ended between', async () => {
    const world = await roles({ first: ['owner'] }, [{ name: 'New', owner: 'ben', description: 'x' }]);
    await succeed(world, 'plan', '--out', 'plan.json');
    world.sandbox.faults.add({ kind: 'status', status: 400, method: 'PATCH', times: 1 });
    await expectEnd(world.run('apply', 'plan.json'), 3);
    await succeed(world, 'apply', 'plan.json');
    expect((await world.plan()).changes).toEqual([]);
  });

  it('`first` has made the object where no answer to the rest comes, and says so', async () => {
    const world = await roles({ first: ['owner'] }, [{ name: 'New', owner: 'ben', description: 'x' }]);
    world.sandbox.faults.add({ kind: 'reset-before', method: 'PATCH', times: Number.POSITIVE_INFINITY });
    const { stdout } = await expectEnd(world.run('apply --yes'), 3);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('A fresh read shows it unchanged. ');
    expect(stdout).not.toMatch(/did not find|not sent again/);
  });

  it('`first` blames nobody where the tenant does not show the new object in time, and is finished later', async () => {
    let time = Date.now();
    const declared = { name: 'New', owner: 'ben', description: 'x' };
    const world = await roles({ first: ['owner'] }, [declared], {}, undefined, {
      sandbox: { lag: 1, clock: { now: () => time } },
      environment: { limits: { settle: '50ms' } },
    });
    await succeed(world, 'plan', '--out', 'plan.json');
    const { stdout } = await expectEnd(world.run('apply plan.json'), 3);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '1 of 2 requests were sent; apply the same plan again to finish. The tenant does not show the new object yet',
    );
    time += 1;
    await succeed(world, 'apply', 'plan.json');
    expect(inTenant(world)).toMatchObject([old, declared]);
  });

  it('`beforeDelete` is set before the delete, in the operations that the API knows', async () => {
    for (const patchOps of ['all', 'replace']) {
      const write = { beforeDelete: { enabled: false }, patchOps };
      const world = await roles(write, [{ name: 'Old', ensure: 'absent' }]);
      await settle(world, '--allow-delete-all', 'Role');
      expect(writesSent(world)).toEqual(['PATCH /v2025/roles/r1', 'DELETE /v2025/roles/r1']);
    }
  });

  it('`beforeDelete` shows that it was set where its answer was lost', async () => {
    const write = { immutable: ['type'], replace: true, beforeDelete: { enabled: false } };
    for (const declared of [{ ensure: 'absent' }, { type: 'B' }]) {
      const world = await roles(write, [{ name: 'Old', ...declared }]);
      world.sandbox.faults.add({ kind: 'status', status: 500, method: 'PATCH', done: 'after' });
      await settle(world, '--allow-delete-all', 'Role');
      expect(writesSent(world).slice(0, 2)).toEqual(['PATCH /v2025/roles/r1', 'DELETE /v2025/roles/r1']);
    }
  });

  it('`beforeDelete` was sent, and somebody changed the object then: the same plan does not delete it', async () => {
    for (const isChanged of [false, true]) {
      const world = await roles({ beforeDelete: { enabled: false } }, [{ name: 'Old', ensure: 'absent' }]);
      await succeed(world, 'plan', '--out', 'plan.json', '--allow-delete-all', 'Role');
      world.sandbox.faults.add({ kind: 'status', status: 403, method: 'DELETE', times: 1 });
      await world.run('apply', 'plan.json');
      if (isChanged) world.sandbox.state.objects.Role = [{ ...old, enabled: false, owner: 'eve' }];
      const { code, stdout } = await world.run('apply', 'plan.json');
      expect(code).toBe(isChanged ? 4 : 0);
      if (isChanged) expect(stdout).toContain('Role/Old has changed since the plan was made');
      expect(inTenant(world)).toHaveLength(isChanged ? 1 : 0);
    }
  });

  it('`immutable` is a step by hand, and no rename', async () => {
    const world = await roles({ immutable: ['type', 'name'] }, [{ name: 'Old', type: 'B' }]);
    const change = await firstChange(world);
    expect(change).toMatchObject({ action: 'manual', requests: [] });
    expect(change?.warnings[0]).toContain('The API cannot change `type` of Role objects');
  });
});

describe('an immutable field with `replace`', () => {
  const write = { immutable: ['type'], replace: true, beforeDelete: { enabled: false } };
  const declared = [{ name: 'Old', type: 'B', description: 'x' }];

  it('is changed by a delete and a create in one change, with its risk, and a rollback does so again', async () => {
    const world = await roles(write, declared);
    expect(await firstChange(world)).toMatchObject({ action: 'update', risk: ['replace'] });
    expect((await world.run('plan')).stdout).toMatch(/^ +HIGH +1 delete +Role\/Old/m);
    await settle(world, '--result', 'result.json');
    const [patch, remove] = ['PATCH /v2025/roles/r1', 'DELETE /v2025/roles/r1'];
    expect(writesSent(world)).toEqual([patch, remove, 'POST /v2025/roles']);
    expect(inTenant(world)).toMatchObject([{ name: 'Old', owner: 'ann', enabled: true, type: 'B' }]);
    await succeed(world, 'rollback', 'result.json', '--out', 'back.json');
    await succeed(world, 'apply', 'back.json');
    expect(inTenant(world)).toMatchObject([{ name: 'Old', owner: 'ann', enabled: true, type: 'A' }]);
    expect(inTenant(world)[0]).not.toHaveProperty('description', 'x');
  });

  it('leaves what the tenant owns inside a field to the tenant', async () => {
    const more = { fields: { ...role.fields, config: 'json' }, places: { 'config/since': 'serverOwned' } };
    const world = await roles(write, [{ name: 'Old', type: 'B', config: { a: 1 } }], more);
    setOld(world, { config: { a: 1, since: 7 } });
    const { id: _, ...kept } = old;
    const body = { ...kept, type: 'B', config: { a: 1 } };
    expect((await firstChange(world))?.requests.at(-1)?.body).toEqual(body);
    await settle(world);
  });

  it('is a step by hand where a value would be lost that a plan may not show', async () => {
    const more = { fields: { ...role.fields, config: 'json' } };
    const world = await roles(write, declared, more);
    setOld(world, { config: { a: 1, password: 'pa55-word' } });
    const why =
      'The API cannot change `type` of Role objects: delete the object and create it again, or declare what the tenant has. A plan cannot do so: it would lose /config/password.';
    expect(await firstChange(world)).toMatchObject({ requests: [], warnings: [why] });
  });

  it('is a step by hand where the manifest names the object by its id, which the new one would not have', async () => {
    const world = await roles(write, [{ id: 'r1', type: 'B' }]);
    const warnings = [expect.stringContaining('lose the id by which the manifest names it.')];
    expect((await world.plan()).changes).toMatchObject([{ action: 'manual', warnings }]);
  });

  it('is refused where the object is protected, or no delete is allowed', async () => {
    const world = await roles(write, [{ ...declared[0], lifecycle: { protect: true } }]);
    await expectEnd(world.run('apply', '--yes'), 4, '[protected]');
    world.declare(declared.map((each) => ({ kind: 'Role', ...each })));
    await succeed(world, 'plan', '--out', 'plan.json');
    for (const what of ['--yes', 'plan.json'])
      await expectEnd(world.run('apply', what, '--max-deletes', '0'), 4, '[max-deletes]');
    expect(writesSent(world)).toEqual([]);
  });

  it('is refused where the environment protects the name that the object has in the tenant', async () => {
    for (const how of [{ lifecycle: { renamedFrom: 'Old' } }, { id: 'r1' }]) {
      const world = await roles(write, [{ name: 'New', type: 'B', ...how }]);
      await succeed(world, 'plan', '--out', 'plan.json');
      const project = world.read('tenantctl.yaml');
      world.write('tenantctl.yaml', project.replace('profiles: {', 'protect: [Role/Old],\n    profiles: {'));
      for (const command of ['plan', 'apply --yes', 'apply plan.json']) {
        const { stdout, stderr } = await expectEnd(world.run(command), 4);
        expect(stdout + stderr).toMatch(/protected\s+as\s+Role\/Old\s+by/);
      }
      expect(writesSent(world)).toEqual([]);
    }
  });

  it('is sent with the create, whatever `first` says and the tenant sets in the other fields', async () => {
    for (const set of [{}, { description: 'New' }]) {
      const world = await roles({ ...write, first: ['owner'] }, declared, {}, settingOnce(set));
      await settle(world);
      expect(writesSent(world).slice(2)).toEqual(['POST /v2025/roles', 'PATCH /v2025/roles/NEW']);
      expect(inTenant(world)).toMatchObject([{ name: 'Old', owner: 'ann', type: 'B', description: 'x' }]);
    }
  });

  it('is finished by the same plan where the run ended after the delete, and can be rolled back from there', async () => {
    for (const isUndone of [false, true]) {
      const world = await roles(write, declared);
      await succeed(world, 'plan', '--out', 'plan.json');
      world.sandbox.faults.add({ kind: 'status', status: 400, operation: 'create-role', times: 1 });
      await expectEnd(world.run('apply', 'plan.json', '--result', 'result.json'), 3);
      expect(inTenant(world)).toEqual([]);
      if (isUndone) await succeed(world, 'rollback', 'result.json', '--out', 'plan.json');
      await succeed(world, 'apply', 'plan.json');
      expect(inTenant(world)).toMatchObject([{ owner: 'ann', enabled: true, type: isUndone ? 'A' : 'B' }]);
    }
  });
});

describe('a single object', () => {
  const org = {
    kind: 'OrgConfig',
    path: '/v2025/org-config',
    single: true,
    update: 'json-patch',
    fields: { timeZone: 'value', name: 'text' },
  };
  const correlation = {
    kind: 'CorrelationConfig',
    path: '/v2025/sources/{source}/correlation-config',
    parent: { source: 'Source' },
    single: true,
    create: true,
    update: 'put',
    fields: { name: 'text', rules: 'json' },
  };
  const project = (files: Record<string, string> = {}) =>
    createTestWorld({
      seed: JSON.stringify({
        kinds: [org, correlation],
        objects: {
          Source: [
            { id: 's1', name: 'HR' },
            { id: 's2', name: 'AD' },
          ],
          OrgConfig: [{ timeZone: 'UTC', name: 'acme' }],
          CorrelationConfig: [{ source: 's1', name: 'Default', other: 1 }],
        },
      }),
      files: {
        'kinds/OrgConfig.kind.yaml': JSON.stringify(org),
        'kinds/CorrelationConfig.kind.yaml': JSON.stringify(correlation),
        ...files,
      },
    });

  it('has its kind as its address, and is changed at its path', async () => {
    const world = await project({ 'config/org.yaml': 'kind: OrgConfig\ntimeZone: Europe/Berlin\n' });
    const [change] = (await world.plan('--only', 'OrgConfig')).changes;
    const requests = [{ method: 'PATCH', path: '/v2025/org-config' }];
    expect(change).toMatchObject({ address: 'OrgConfig', key: [], id: null, requests });
    await settle(world, '--result', 'result.json');
    await succeed(world, 'rollback', 'result.json', '--out', 'back.json');
    await succeed(world, 'apply', 'back.json');
    expect(world.sandbox.state.objects.OrgConfig).toMatchObject([{ timeZone: 'UTC', name: 'acme' }]);
    world.write('config/org.yaml', 'kind: OrgConfig\nensure: absent\n');
    expect((await firstChange(world))?.warnings).toEqual([
      'The API has no call to delete objects of the kind OrgConfig: do this in the admin interface, then plan again.',
    ]);
  });

  it('is below each parent, and is made by PUT where there is none', async () => {
    const text = (source: string) => `kind: CorrelationConfig\nsource: !ref Source/${source}\nname: Mine\n`;
    const world = await project({ 'config/a.yaml': text('HR'), 'config/b.yaml': text('AD') });
    const { changes } = await world.plan();
    expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'create CorrelationConfig/AD',
      'update CorrelationConfig/HR',
    ]);
    await settle(world);
    expect(world.sandbox.state.objects.CorrelationConfig).toMatchObject([
      { source: 's1', name: 'Mine', other: 1 },
      { source: 's2', name: 'Mine' },
    ]);
  });

  it('is exported to a file named as the kind, and holds in `kind check`', async () => {
    const world = await project();
    await succeed(world, 'export', '--kinds', 'OrgConfig,CorrelationConfig');
    expect(world.read('config/org-configs/org-config.yaml')).toBe(
      'kind: OrgConfig\ntimeZone: UTC\nname: acme\n',
    );
    expect(world.read('config/correlation-configs/hr.yaml')).toContain('source: !ref Source/HR');
    expect((await world.plan()).changes).toEqual([]);
    for (const kind of ['OrgConfig', 'CorrelationConfig'])
      expect((await succeed(world, 'kind', 'check', kind)).stdout).toContain('holds');
  });

  it('that a tenant does not have at its path stops the run, unless it can be made', async () => {
    const world = await project({ 'config/org.yaml': 'kind: OrgConfig\ntimeZone: UTC\n' });
    world.sandbox.state.objects.OrgConfig = [];
    await expectEnd(world.run('plan'), 1, 'tenant-not-found');
  });
});
