/** Service-desk integrations, the successor of SimIntegration: a built-in kind that a descriptor describes. */
import { expect, test } from 'vitest';
import { createTestWorld, succeed, writesIn } from '../support/world.ts';

const desk = {
  kind: 'ServiceDeskIntegration',
  name: 'ServiceNow',
  description: 'Tickets',
  type: 'ServiceNow Service Desk',
  clusterRef: { type: 'CLUSTER', id: 'c1' },
  provisioningConfig: {
    managedResourceRefs: [
      { type: 'SOURCE', id: 's1', name: 'HR' },
      { type: 'SOURCE', id: 's2', name: 'Wiki' },
    ],
  },
  attributes: { url: 'https://snow.example.com', statusMap: { closed: 'Committed' } },
};
const seed = 'objects: { Cluster: [{ id: c1, name: va-prod }] }';
const path = '/v2025/service-desk-integrations';
const held = (world: Awaited<ReturnType<typeof createTestWorld>>) =>
  world.sandbox.state.objects.ServiceDeskIntegration ?? [];

test('it is created whole, and changed by `replace` alone, also where a member is new or goes', async () => {
  const world = await createTestWorld({ seed });
  world.declare([desk]);
  await succeed(world, 'apply --yes');
  expect(writesIn(world.sandbox.log)).toMatchObject([{ method: 'POST', path, body: { name: 'ServiceNow' } }]);
  expect((await world.plan()).changes).toEqual([]);
  const [first] = held(world);
  world.declare([
    {
      ...desk,
      description: 'Manual work',
      attributes: { url: 'https://new.example.com', retries: 3, statusMap: null },
      beforeProvisioningRule: { type: 'RULE', id: 'r1' },
    },
  ]);
  await succeed(world, 'apply --yes');
  const change = writesIn(world.sandbox.log).at(-1);
  expect(change).toMatchObject({ method: 'PATCH', path: `${path}/${first?.id}` });
  const steps: unknown = change?.body;
  expect(Array.isArray(steps) && steps.map(({ op }) => op).every((op) => op === 'replace')).toBe(true);
  expect(held(world)).toMatchObject([
    { description: 'Manual work', attributes: { url: 'https://new.example.com', retries: 3 } },
  ]);
  expect((await world.plan()).changes).toEqual([]);
});

test('its sources have no order, and what repeats them is left to the server', async () => {
  const world = await createTestWorld({ seed });
  world.declare([desk]);
  await succeed(world, 'apply --yes');
  const { managedResourceRefs } = desk.provisioningConfig;
  const provisioningConfig = { managedResourceRefs: managedResourceRefs.toReversed() };
  world.declare([{ ...desk, provisioningConfig }]);
  expect((await world.plan()).changes).toEqual([]);
  world.declare([{ ...desk, managedSources: ['s1'] }]);
  expect((await world.run('validate')).stdout).toContain('managedSources');
});

test('it is exported, after which a plan is empty, and deleted with its risk', async () => {
  const world = await createTestWorld({ seed });
  world.declare([desk]);
  await succeed(world, 'apply --yes');
  world.declare([]);
  await succeed(world, 'export --out config --only ServiceDeskIntegration/**');
  expect((await world.plan()).changes).toEqual([]);
  world.declare([{ kind: 'ServiceDeskIntegration', name: 'ServiceNow', ensure: 'absent' }]);
  const { changes } = await world.plan('--allow-delete-all', 'ServiceDeskIntegration');
  expect(changes).toMatchObject([{ action: 'delete', risk: ['delete'] }]);
  await succeed(world, 'apply --yes', '--allow-delete-all', 'ServiceDeskIntegration');
  expect(held(world)).toEqual([]);
});

test('a new one without what the host requires is told, and a step by hand', async () => {
  const world = await createTestWorld({ seed });
  world.declare([{ kind: 'ServiceDeskIntegration', name: 'Bare' }]);
  const { stdout, stderr } = await world.run('validate');
  expect(stdout + stderr).toContain('required-field');
  expect((await world.plan()).changes).toMatchObject([{ action: 'manual', requests: [] }]);
});
