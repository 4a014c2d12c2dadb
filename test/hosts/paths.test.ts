import { describe, expect, test } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { fillHost, hosts, worldOf } from '../support/hosts.ts';
import {
  createTestWorld,
  expectEnd,
  runProgram,
  succeed,
  type World,
  type WorldOptions,
  writesIn,
} from '../support/world.ts';

const [, host = {}] = hosts.find(([name]) => name === 'identityPaths=own') ?? [];
const sender = [{ kind: 'SenderAddress', email: 'new@acme.example' }];

async function open(more: WorldOptions = {}): Promise<World> {
  const options = worldOf(host);
  const world = await createTestWorld({ ...options, ...more });
  fillHost(world.sandbox.state);
  return world;
}

test('every kind of the identity service can have its own path', () => {
  const paths = worldOf(host).identity?.paths ?? {};
  const names = builtInKinds.all.filter(
    ({ resource }) => resource.ownPath !== null && resource.lane(contractSettings).service === 'identity',
  );
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(names.map(({ name }) => name)));
});

describe("a kind of one's own", () => {
  const files = {
    'kinds/Role.kind.yaml':
      'kind: Role\npath: /v2025/roles\nkey: name\nlist: { filter: true }\nupdate: json-patch\ncreate: true\ndelete: true\nfields: { description: text }\n',
  };
  const seed =
    'kinds: [{ kind: Role, path: /v2025/roles, key: name, list: { filter: true }, update: json-patch, create: true, delete: true, fields: { description: text } }]\nobjects: { Role: [{ id: r1, name: Reader, description: Old }] }\n';

  test('is created, changed and deleted under its own path', async () => {
    const options = worldOf(host);
    const identity = { paths: { Role: '/roles/v1' } };
    const world = await createTestWorld({ ...options, identity, files, seed });
    await world.run('export --kinds Role --out config');
    expect((await world.plan()).changes).toEqual([]);
    const writer = { kind: 'Role', name: 'Writer' };
    world.declare([{ kind: 'Role', name: 'Reader', description: 'New' }, writer]);
    await succeed(world, 'apply --yes');
    world.declare([{ ...writer, ensure: 'absent' }]);
    await succeed(world, 'apply --yes');
    expect(world.sandbox.state.objects.Role).toMatchObject([{ name: 'Reader', description: 'New' }]);
  });

  test('that the project does not have is an error at its place', async () => {
    const identity = { paths: { Rolle: '/roles/v1', ProfileSearch: '/searches/v1' } };
    const world = await createTestWorld({ identity, files, seed });
    const { stdout } = await expectEnd(world.run('validate'), 1);
    expect(stdout).toMatch(/tenantctl.yaml:\d+:\d+ +error +There is no kind `Rolle` in the identity service/);
    expect(stdout).toContain('Did you mean `Role`?');
    expect(stdout).toContain('There is no kind `ProfileSearch` in the identity service');
  });
});

describe('where each resource is under its own path', () => {
  test('a saved plan names that path, and is applied as it is', async () => {
    const world = await open();
    world.declare(sender);
    await world.run('plan --out plan.json');
    const plan = JSON.parse(world.read('plan.json'));
    const headers = expect.objectContaining({ 'x-service-experimental': 'true' });
    const sent = { method: 'POST', path: '/verified-from-addresses/v1', query: {}, headers };
    expect(plan.changes[0].requests).toEqual([{ ...sent, body: { email: 'new@acme.example' } }]);
    await succeed(world, 'apply plan.json');
    expect(world.sandbox.state.senders.map(({ email }) => email)).toContain('new@acme.example');
  });

  test('a plan from before the paths were set cannot be checked, and nothing is written', async () => {
    const world = await open();
    world.declare(sender);
    await world.run('plan --out plan.json');
    const project = world.read('tenantctl.yaml');
    world.write('tenantctl.yaml', project.replace('/verified-from-addresses/v1', '/senders/v2'));
    const before = world.sandbox.log.length;
    expect(await world.run('apply plan.json')).toMatchObject({ code: 1 });
    expect(writesIn(world.sandbox.log.slice(before))).toEqual([]);
  });

  test('requests of other resources do not count against its rate limit', async () => {
    const world = await open({ environment: { limits: { requests: 2, per: '10m' } } });
    world.declare([
      ...sender.map((one) => ({ ...one, email: 'iga@acme.example' })),
      { kind: 'VerifiedDomain', domain: 'acme.example' },
      { kind: 'AuthProfile', name: 'Contractors', type: 'MFA' },
    ]);
    // The sign-in profiles take three requests, so that the third has to wait: all others are answered before.
    const controller = new AbortController();
    const running = runProgram(['plan'], { cwd: world.dir, env: world.env, signal: controller.signal });
    const { log } = world.sandbox;
    const read = () => log.filter(({ method }) => method === 'GET').map(({ path }) => path.split('/')[1]);
    const all = ['verified-domains', 'verified-from-addresses', 'auth-profiles'];
    await expect.poll(read).toEqual(expect.arrayContaining(all));
    controller.abort();
    expect(await running).toMatchObject({ code: 130 });
  });
});

describe('a path in the project file', () => {
  test.each([
    [{ SimIntegration: 'sim-integrations/v1' }, /SimIntegration/],
    [{ SimIntegration: '/../other' }, /SimIntegration/],
    [{ SimIntegration: '/x?y=1' }, /SimIntegration/],
    [{ SimIntegrations: '/x/v1' }, /Did you mean `?"?SimIntegration/i],
  ])('that cannot be one is refused: %j', async (paths, message) => {
    const world = await createTestWorld({ identity: { paths } });
    const { stdout } = await expectEnd(world.run('validate'), 1);
    expect(stdout).toMatch(message);
    expect(stdout).toMatch(/tenantctl\.yaml:\d+:\d+/);
  });
});
