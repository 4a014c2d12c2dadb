/** Notification templates and the vendor's defaults behind them (issue: the whole API). */
import { afterEach, expect, it } from 'vitest';
import type { Template, TemplateDefault } from '../../src/sandbox/index.ts';
import { createWorld, type World, type WorldOptions } from '../support/world.ts';

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const texts = {
  name: null,
  description: null,
  subject: 'The default subject',
  header: null,
  body: 'The default body',
  footer: null,
  from: null,
  replyTo: null,
  slackTemplate: null,
  teamsTemplate: null,
};
const byDefault = (key: string): TemplateDefault => ({ ...texts, key, medium: 'EMAIL', locale: 'en' });
const customised = (key: string): Template => {
  const time = '2025-01-01T00:00:00.000Z';
  return { ...byDefault(key), subject: 'Mine', id: `id-${key}`, created: time, modified: time };
};
const declared = (key: string, more: object) => ({
  kind: 'NotificationTemplate',
  key,
  medium: 'EMAIL',
  locale: 'en',
  ...more,
});
const gone = (key: string) => declared(key, { ensure: 'absent' });

async function worldOf(
  keys: readonly string[],
  live: readonly string[],
  options: WorldOptions = {},
): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  world.sandbox.state.templateDefaults.push(...keys.map(byDefault));
  world.sandbox.state.templates.push(...live.map(customised));
  return world;
}

it('shows a create against the default that it is laid over', async () => {
  const world = await worldOf(['welcome'], []);
  world.declare([declared('welcome', { subject: 'Mine', body: 'The default body' })]);
  const { changes } = await world.plan();
  expect(changes).toMatchObject([
    {
      action: 'create',
      diff: [{ path: '/subject', op: 'replace', before: 'The default subject', after: 'Mine' }],
    },
  ]);
});

it('shows of a delete what recipients will get instead', async () => {
  const world = await worldOf(['welcome', 'other'], ['welcome', 'other']);
  world.declare([gone('welcome')]);
  const { changes } = await world.plan();
  expect(changes).toMatchObject([
    {
      action: 'delete',
      risk: expect.arrayContaining(['back-to-default']),
      diff: [{ path: '/subject', op: 'replace', before: 'Mine', after: 'The default subject' }],
    },
  ]);
});

it('names the near keys where one has no default', async () => {
  const world = await worldOf(['cloud_manual_work_item_summary', 'welcome'], []);
  world.declare([declared('cloud_manual_workitem_summary', { subject: 'x' })]);
  const { code, stderr } = await world.run('plan');
  expect(code).toBe(1);
  expect(stderr).toContain('Did you mean `cloud_manual_work_item_summary`?');
});

it('deletes many by one request that names key, medium and locale of each, and looks at the outcome', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  const world = await worldOf(keys, keys);
  world.declare(['a', 'b', 'c'].map(gone));
  const { code, stdout } = await world.run('apply', '--yes', '--format', 'json');
  expect({ code, done: JSON.parse(stdout).summary.done }).toEqual({ code: 0, done: 3 });
  expect(world.sandbox.state.templates.map(({ key }) => key)).toEqual(['d']);
  const deletes = world.sandbox.log.filter(({ path }) => path.endsWith('/bulk-delete'));
  expect(deletes.map(({ body }) => body)).toEqual([
    ['a', 'b', 'c'].map((key) => ({ key, medium: 'EMAIL', locale: 'en' })),
  ]);
  const after = world.sandbox.log.slice(
    world.sandbox.log.findIndex(({ path }) => path.endsWith('/bulk-delete')) + 1,
  );
  expect(after.some(({ operation }) => operation === 'list-notification-templates')).toBe(true);
});

it('says to ask support where deleting is not enabled', async () => {
  const world = await worldOf(['a', 'b'], ['a', 'b'], {
    sandbox: { variations: { bulkDelete: 'forbidden' } },
  });
  world.declare([gone('a')]);
  const { code, stdout } = await world.run('apply', '--yes', '--format', 'json');
  expect(code).toBe(3);
  const { error } = JSON.parse(stdout).changes[0];
  expect(error).toContain("ask the vendor's support to enable it");
  // The tenant's own words end without a full stop.
  expect(error).toContain('contact support to enable it. Give the client');
});

it('flags a manifest that equals the default', async () => {
  const world = await worldOf(['welcome'], []);
  world.declare([declared('welcome', { subject: 'The default subject' })]);
  const { stdout } = await world.run('plan', '--format', 'json');
  const { changes, diagnostics } = JSON.parse(stdout);
  expect(changes).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: 'equals-default' }]);
});

it('warns of a locale that has no default, whose undeclared texts stay empty', async () => {
  const world = await worldOf(['welcome'], []);
  world.declare([{ ...declared('welcome', { subject: 'Olá' }), locale: 'pt' }]);
  const { changes } = await world.plan();
  expect(changes[0]?.warnings).toContainEqual(expect.stringContaining('stay empty'));
});
