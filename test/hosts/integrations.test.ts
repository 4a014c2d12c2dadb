import { describe, expect, test } from 'vitest';
import { get, isObject } from '../../src/model/json.ts';
import { type Host, hosts, worldOf } from '../support/hosts.ts';
import { createTestWorld, succeed, type World } from '../support/world.ts';

const seed = `
references:
  - { id: c1, type: CLUSTER, name: Cluster one }
  - { id: c2, type: CLUSTER, name: Cluster two }
simIntegrations:
  - name: Desk
    type: Jira
    description: Old
    cluster: c1
    sources: [s1, s2]
    attributes: { url: https://jira.acme.example, proxy: { host: proxy.acme.example } }
    statusMap: { closed: Committed, open: Pending }
`;

const open = (host: Host, identity = {}): Promise<World> => {
  const options = worldOf(host);
  return createTestWorld({ ...options, seed, identity: { ...options.identity, ...identity } });
};

const desk = (fields: object) => [{ kind: 'SimIntegration', name: 'Desk', ...fields }];

async function apply(world: World, fields: object) {
  world.declare(desk(fields));
  await succeed(world, 'apply --yes');
  expect((await world.plan()).changes).toEqual([]);
}

function bodyOf({ sandbox }: World, method: string) {
  const sent = sandbox.log.filter(({ path }) => path.includes('sim-integrations'));
  return sent.find((each) => each.method === method)?.body ?? null;
}

describe('sources', () => {
  const places = ['managedSources', 'managedResourceRefs', 'sources'] as const;

  test.each(places)('are read from %s, and a PUT of another field sends them back', async (simSources) => {
    const world = await open({ simSources }, { simUpdate: 'put' });
    world.declare(desk({ sources: ['s2', 's1'] }));
    expect((await world.plan()).changes).toEqual([]);
    await apply(world, { description: 'New' });
    expect(bodyOf(world, 'PUT')).toMatchObject({ sources: ['s1', 's2'] });
    expect(world.sandbox.state.simIntegrations[0]?.sources).toEqual(['s1', 's2']);
  });

  test('that the tenant does not show are not comparable, and no PUT clears them', async () => {
    const world = await open({ simSources: 'hidden' }, { simUpdate: 'put' });
    world.declare(desk({ sources: ['s1', 's2'], description: 'Old' }));
    const compared = await world.plan();
    expect(compared.changes).toEqual([]);
    expect(JSON.stringify(compared.diagnostics)).toContain('/sources');

    world.declare(desk({ description: 'New' }));
    const [change] = (await world.plan()).changes;
    expect(change).toMatchObject({ action: 'manual', requests: [] });
    expect(change?.warnings[0]).toMatch(/does not show the sources of "Desk".*Declare the `sources`/);

    await apply(world, { description: 'New', sources: ['s1', 's2'] });
    const [now] = world.sandbox.state.simIntegrations;
    expect(now).toMatchObject({ description: 'New', sources: ['s1', 's2'] });
  });

  test('that are declared as none are not cleared either', async () => {
    const world = await open({ simSources: 'hidden' }, { simUpdate: 'put' });
    world.declare(desk({ description: 'New', sources: [] }));
    const [change] = (await world.plan()).changes;
    expect(change).toMatchObject({ action: 'manual', requests: [] });
    const advice = /does not show the sources of "Desk".*make this change in the tenant/;
    expect(change?.warnings[0]).toMatch(advice);
  });

  test('that are none are left out of a PUT, unless a manifest clears them', async () => {
    const world = await open({}, { simUpdate: 'put' });
    await apply(world, { sources: [] });
    expect(bodyOf(world, 'PUT')).toMatchObject({ sources: [] });
    await apply(world, { description: 'New' });
    const last = world.sandbox.log.findLast(({ method }) => method === 'PUT')?.body ?? null;
    expect(isObject(last) && get(last, 'sources')).toBeUndefined();
  });
});

describe('the cluster', () => {
  const ways = hosts.filter(([name]) => name.startsWith('simCluster'));

  test.each(ways)('is what is declared, by id or by name, with %s', async (_, host) => {
    for (const cluster of ['c1', 'Cluster one']) {
      const world = await open(host);
      world.declare(desk({ cluster }));
      expect((await world.plan()).changes).toEqual([]);
      await succeed(world, 'export --merge --out config');
      expect(world.read('config/all.yaml')).toContain(`"cluster":"${cluster}"`);
    }
  });

  test.each(ways)('that is another one is a difference with %s, shown as one value', async (_, host) => {
    const world = await open(host);
    world.declare(desk({ cluster: 'c2' }));
    const before = host.simCluster === 'nameInCluster' ? 'Cluster one' : 'c1';
    expect((await world.plan()).changes[0]?.diff).toMatchObject([{ path: '/cluster', before, after: 'c2' }]);
    await apply(world, { cluster: 'c2' });
    expect(world.sandbox.state.simIntegrations[0]?.cluster).toBe('c2');
  });

  test('that no manifest declares stays as it is', async () => {
    const world = await open({ simCluster: 'nameInReference' }, { simUpdate: 'put' });
    await apply(world, { description: 'New' });
    expect(world.sandbox.state.simIntegrations[0]?.cluster).toBe('c1');
  });
});

describe('a patch that may only replace', () => {
  const host: Host = { jsonText: 'object', simPatchOps: 'replace' };

  test('replaces the nearest parent that exists, where a member is new or goes', async () => {
    const world = await open(host);
    await apply(world, {
      attributes: { proxy: { port: '1' }, retry: { after: { first: '2' } } },
      statusMap: { closed: 'Committed' },
    });
    expect(bodyOf(world, 'PATCH')).toEqual({
      operations: expect.arrayContaining([
        expect.objectContaining({ op: 'replace', path: '/attributes' }),
        { op: 'replace', path: '/statusMap', value: { closed: 'Committed' } },
      ]),
    });
    expect(world.sandbox.state.simIntegrations[0]).toMatchObject({
      attributes: {
        url: 'https://jira.acme.example',
        proxy: { host: 'proxy.acme.example', port: '1' },
        retry: { after: { first: '2' } },
      },
      statusMap: { closed: 'Committed' },
    });
  });

  test('writes no mask where it would replace a parent that holds one', async () => {
    const world = await open({ ...host, simSecrets: 'masked' });
    const [integration] = world.sandbox.state.simIntegrations;
    if (integration) integration.attributes = { url: 'https://jira.acme.example', password: 'canary-4711' };
    world.declare(desk({ attributes: { retry: '2' } }));
    expect((await world.plan()).changes).toMatchObject([{ action: 'manual', requests: [] }]);
  });

  test('replaces a member that exists alone', async () => {
    const world = await open(host);
    await apply(world, { attributes: { proxy: { host: 'other.acme.example' } } });
    expect(bodyOf(world, 'PATCH')).toEqual({
      operations: [{ op: 'replace', path: '/attributes/proxy/host', value: 'other.acme.example' }],
    });
  });
});
