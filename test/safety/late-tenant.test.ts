import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault, Sandbox } from '../../src/sandbox/index.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { createTestWorld, succeed, type World } from '../support/world.ts';
import { describedGroups, describedWorld, manifestFile } from './described-kinds.ts';

shortenPauses();

const staff = {
  kind: 'ProfileSearch',
  label: 'Staff',
  rules: [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' }],
};
const desk = {
  kind: 'SimIntegration',
  name: 'Desk',
  type: 'ServiceNow Service Desk',
  cluster: 'c1',
  sources: ['s1'],
  attributes: { url: 'u1' },
};
const labels = ({ state }: Sandbox) => state.profileSearches.map(({ label }) => label);
const late = (fault: Fault): Fault => ({ ...fault, method: 'POST', path: '/api/', late: 100 });

/**
 * A world that may take its time, which in the tenant passes with each request: a busy machine is not late for its lag.
 *
 * @param until what late work waits for, in place of its milliseconds
 */
async function lateWorld(settle: string, lag = 0, until?: Promise<unknown>): Promise<World> {
  let time = Date.now();
  const now = () => {
    time = lag === 0 ? Date.now() : time + 30;
    return time;
  };
  const world = await createTestWorld({
    sandbox: { lag, clock: { now, ...(until && { sleep: async () => void (await until) }) } },
    environment: { limits: { settle } },
  });
  world.declare([staff]);
  return world;
}

describe('a search that is created after the gateway gave up', () => {
  it.each<[string, Fault]>([
    ['504', { kind: 'status', status: 504 }],
    ['503', { kind: 'status', status: 503 }],
    ['500', { kind: 'status', status: 500 }],
    ['a reset', { kind: 'reset-before' }],
  ])('with %s is created once', async (_name, fault) => {
    const world = await lateWorld('60s');
    world.sandbox.faults.add(late(fault));
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    await world.sandbox.settle();
    expect(labels(world.sandbox)).toEqual(['Staff']);
    expect((await world.plan()).changes).toEqual([]);
  });

  it('later than the tenant is said to be is created once too, if the next run sees it', async () => {
    const ended = new AbortController();
    const world = await lateWorld('50ms', 0, once(ended.signal, 'abort'));
    world.sandbox.faults.add(late({ kind: 'status', status: 504 }));
    const first = await world.run('apply --yes --format json');
    expect(first).toMatchObject({ code: 3, json: { changes: [{ outcome: 'unknown' }] } });
    ended.abort();
    await world.sandbox.settle();
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    expect(labels(world.sandbox)).toEqual(['Staff']);
  });

  it('and in truth never is, is created by the next run', async () => {
    const world = await lateWorld('1s');
    world.sandbox.faults.add({ kind: 'status', status: 504, method: 'POST', path: '/api/' });
    const first = await world.run('apply --yes --format json');
    expect(first).toMatchObject({ code: 3, json: { summary: { unknown: 1 } } });
    expect(labels(world.sandbox)).toEqual([]);
    // Its result is kept, though nothing is known to be done: there is no other word of what happened.
    const kept = readdirSync(join(world.dir, '.tenantctl/test/results'));
    expect(kept).toHaveLength(1);
    expect(JSON.parse(world.read(`.tenantctl/test/results/${kept[0]}`))).toEqual(first.json);
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    expect(labels(world.sandbox)).toEqual(['Staff']);
  });
});

describe('reads that lag', () => {
  it('make no second search of an apply right after another, and the plan is empty', async () => {
    const world = await lateWorld('60s', 300);
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    const again = await world.run('apply --yes --format json');
    expect(again).toMatchObject({ code: 0, json: { changes: [] } });
    expect(again.stderr).toMatch(/^waiting up to \d.* s for .*ProfileSearch\/Staff$/m);
    expect(labels(world.sandbox)).toEqual(['Staff']);
  });

  it('make none of a saved plan that is applied again either', async () => {
    const world = await lateWorld('60s', 300);
    await world.plan('--out', 'plan.json');
    expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
    const again = await world.run('apply plan.json --format json');
    expect(again).toMatchObject({ code: 4, json: { diagnostics: [{ code: 'plan-stale' }] } });
    expect(labels(world.sandbox)).toEqual(['Staff']);
  });

  it('are read again by a plan, in any case and in one line, unless it is to be quiet', async () => {
    const world = await lateWorld('60s', 300);
    await world.run('apply --yes');
    expect((await succeed(world, 'plan --detailed-exitcode')).stderr.match(/waiting/g)).toHaveLength(1);
    world.declare([{ ...staff, rules: [{ ...staff.rules[0], value: 'Inactive' }] }]);
    await world.run('apply --yes');
    expect(await world.run('plan --detailed-exitcode --quiet')).toMatchObject({ code: 0, stderr: '' });
  });

  it('are read again by an export, which would else bring the manifests back to what they were', async () => {
    const world = await lateWorld('60s', 300);
    await world.run('apply --yes');
    world.declare([{ ...staff, rules: [{ ...staff.rules[0], value: 'Inactive' }] }]);
    await world.run('apply --yes');
    const before = world.read('config/all.yaml');
    const merged = await world.run('export --merge --kinds ProfileSearch');
    expect(merged).toMatchObject({ code: 0, stdout: 'Files: 0 changed, 0 new, 0 removed.\n' });
    expect(world.read('config/all.yaml')).toBe(before);
    world.declare([{ ...staff, label: 'Others' }]);
    await world.run('apply --yes');
    const others = ['--kinds', 'ProfileSearch', '--only', 'ProfileSearch/Others'];
    world.write('config/all.yaml', '');
    const exported = await world.run('export --out config/new', ...others);
    expect(exported.stdout).toBe('Files written to config/new: 1.\n');
  });

  it('are waited for where a place of the object is ignored', async () => {
    const world = await lateWorld('60s', 300);
    world.declare([desk]);
    await world.run('apply --yes');
    world.declare([{ ...desk, description: 'New', lifecycle: { ignore: ['/attributes'] } }]);
    await succeed(world, 'apply --yes');
    expect((await world.plan()).changes).toEqual([]);
  });

  it('lead to no false word about what the tenant did', async () => {
    const world = await lateWorld('60s', 300);
    world.declare([desk]);
    await world.run('apply --yes');
    world.declare([
      { ...desk, description: 'New', beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'Expand' } },
    ]);
    const changed = await world.run('apply --yes --format json');
    expect(changed).toMatchObject({ code: 0, json: { changes: [{ outcome: 'done', warnings: [] }] } });
    world.declare([{ kind: 'SimIntegration', name: 'Desk', ensure: 'absent' }]);
    await succeed(world, 'apply --yes --allow-delete-all SimIntegration');
    expect((await world.plan()).changes).toEqual([]);
  });
});

describe('a prompt tenant', () => {
  it('is read no more often than needed, and never waited for', async () => {
    const world = await lateWorld('60s');
    const lists = () =>
      world.sandbox.log.filter(({ method, path }) => method === 'GET' && path === '/api/advanced_search')
        .length;
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    // The plan, the check of the plan, and the key of the create.
    expect(lists()).toBe(3);
    expect((await world.plan()).changes).toEqual([]);
    expect(lists()).toBe(4);
  });

  it('is not waited for where a person has changed what was just written', async () => {
    const world = await lateWorld('60s');
    await world.run('apply --yes');
    const [search] = world.sandbox.state.profileSearches;
    const [rule] = search?.rules ?? [];
    if (rule) rule.value = 'Terminated';
    expect((await world.plan()).summary).toMatchObject({ update: 1 });
  });
});

it('an object whose create is cut off and shows late is created once, and what refers to it gets its id', async () => {
  const world = await createTestWorld({
    ...describedWorld,
    sandbox: { lag: 100 },
    environment: { limits: { settle: '60s' } },
  });
  world.write('config/all.yaml', manifestFile(describedGroups.slice(0, 1)));
  world.sandbox.faults.add({ kind: 'reset-after', method: 'POST', path: '/v2025/access-profiles' });
  const first = await world.run('apply --yes');
  if (first.code !== 0) expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
  await world.sandbox.settle();
  const { AccessProfile: profiles = [], Role: roles = [] } = world.sandbox.state.objects;
  const written = profiles.filter(({ name }) => name === 'Write');
  expect(written).toHaveLength(1);
  expect(roles.find(({ name }) => name === 'Writer')?.accessProfiles).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: written[0]?.id })]),
  );
  expect((await world.plan()).changes).toEqual([]);
});
