/** Notification templates and the vendor's defaults behind them (issue: the whole API). */
import { expect, it } from 'vitest';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, succeed, type World, type WorldOptions } from '../support/world.ts';

const byDefault = (key: string) => ({ key, subject: 'The default subject', body: 'The default body' });
const english = { kind: 'NotificationTemplate', medium: 'EMAIL', locale: 'en' };
const declared = (key: string, more: object) => ({ ...english, key, ...more });
const gone = (key: string) => declared(key, { ensure: 'absent' });

async function worldOf(
  keys: readonly string[],
  live: readonly string[],
  options: WorldOptions = {},
): Promise<World> {
  const world = await createTestWorld(options);
  addObjects(world.sandbox.state, {
    templateDefaults: keys.map(byDefault),
    templates: live.map((key) => ({ key, subject: 'Mine' })),
  });
  return world;
}

it('shows a create against the default that it is laid over', async () => {
  const world = await worldOf(['welcome'], []);
  world.declare([declared('welcome', { subject: 'Mine', body: 'The default body' })]);
  const { changes } = await world.plan();
  const diff = [{ path: '/subject', op: 'replace', before: 'The default subject', after: 'Mine' }];
  expect(changes).toMatchObject([{ action: 'create', diff }]);
});

it('names the near keys where one has no default', async () => {
  const world = await worldOf(['cloud_manual_work_item_summary', 'welcome'], []);
  world.declare([declared('cloud_manual_workitem_summary', { subject: 'x' })]);
  await expectEnd(world.run('plan'), 1, 'Did you mean `cloud_manual_work_item_summary`?');
});

it('deletes many by one request that names key, medium and locale of each, and looks at the outcome', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  const world = await worldOf(keys, keys);
  world.declare(['a', 'b', 'c'].map(gone));
  const { json } = await succeed(world, 'apply --yes --format json');
  expect(json).toMatchObject({ summary: { done: 3 } });
  expect(world.sandbox.state.templates.map(({ key }) => key)).toEqual(['d']);
  const deletes = world.sandbox.log.filter(({ path }) => path.endsWith('/bulk-delete'));
  expect(deletes.map(({ body }) => body)).toEqual([
    ['a', 'b', 'c'].map((key) => ({ key, medium: 'EMAIL', locale: 'en' })),
  ]);
  const operations = world.sandbox.log.map(({ operation }) => operation);
  const after = operations.slice(operations.findIndex((name) => name?.includes('bulk-delete')) + 1);
  expect(after).toContain('list-notification-templates');
});

it('promises no default where the vendor has none, and a rollback of the rest goes on', async () => {
  const world = await worldOf(['a'], ['a', 'b']);
  world.declare([declared('a', { subject: 'New' }), gone('b')]);
  const { changes } = await world.plan();
  expect(changes.map(({ key: [key], risk }) => [key, risk])).toEqual([
    ['a', []],
    ['b', ['delete']],
  ]);
  await succeed(world, 'apply --yes');
  const { stdout } = await succeed(world, 'rollback --last --format json');
  expect(JSON.parse(stdout).changes).toMatchObject([
    { action: 'update', key: ['a', 'EMAIL', 'en'] },
    {
      action: 'create',
      key: ['b', 'EMAIL', 'en'],
      warnings: expect.arrayContaining([expect.stringContaining('no default')]),
    },
  ]);
});

it('says to ask support where deleting is not enabled', async () => {
  const sandbox = { variations: { bulkDelete: 'forbidden' } } as const;
  const world = await worldOf(['a', 'b'], ['a', 'b'], { sandbox });
  world.declare([gone('a')]);
  const { stdout } = await expectEnd(world.run('apply --yes --format json'), 3);
  const { error } = JSON.parse(stdout).changes[0];
  expect(error).toContain("ask the vendor's support to enable it");
  // The tenant's own words end without a full stop.
  expect(error).toContain('contact support to enable it. Give the client');
});

it('warns of a locale that has no default, whose undeclared texts stay empty', async () => {
  const world = await worldOf(['welcome'], []);
  world.declare([{ ...declared('welcome', { subject: 'Olá' }), locale: 'pt' }]);
  const { changes } = await world.plan();
  expect(changes[0]?.warnings).toContainEqual(expect.stringContaining('stay empty'));
});
