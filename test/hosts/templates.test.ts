import { describe, expect, test } from 'vitest';
import { type Host, worldOf } from '../support/hosts.ts';
import { createTestWorld, expectEnd, filesBelow, type World } from '../support/world.ts';

const seed = `
templateDefaults:
  - { key: welcome, subject: Welcome }
  - { key: reminder, medium: SLACK }
  - { key: reminder, medium: TEAMS }
templates:
  - key: reminder
    medium: SLACK
    slackTemplate: '{"text":"Do it","more":{"deep":{"a":1}},"blocks":"[{\\"type\\":\\"divider\\"}]"}'
`;
const reminder = { kind: 'NotificationTemplate', key: 'reminder', medium: 'SLACK', locale: 'en' };
const message = { text: 'Do it', more: { deep: { a: 1 } }, blocks: [{ type: 'divider' }] };

const open = (host: Host, more = {}): Promise<World> => createTestWorld({ ...worldOf(host), seed, ...more });

describe.each(['text', 'object'] as const)(
  'a chat template that comes back filled up, as %s',
  (slackTeams) => {
    const host: Host = { chatFilled: true, slackTeams };

    test('equals what is declared without those members, or with them', async () => {
      const world = await open(host);
      const filled = { title: '', isSubscription: false, x: { y: null } };
      for (const more of [{}, filled]) {
        world.declare([{ ...reminder, slackTemplate: { ...message, ...more } }]);
        expect((await world.plan()).changes).toEqual([]);
      }
      world.declare([{ ...reminder, slackTemplate: { ...message, isSubscription: true } }]);
      const [change] = (await world.plan()).changes;
      expect(change?.diff).toMatchObject([{ path: '/slackTemplate/isSubscription', after: true }]);
    });

    test('is exported without them, also into a manifest that has one', async () => {
      const world = await open(host);
      await world.run('export --out config');
      const exported = [...filesBelow(`${world.dir}/config`).values()].join('');
      expect(exported).toContain('Do it');
      expect(exported).not.toMatch(/isSubscription|autoApprovalData|requestId|title|teamsTemplate/);

      world.declare([{ ...reminder, slackTemplate: { ...message, text: 'Old', title: '' } }]);
      await world.run('export --merge --out config');
      expect(world.read('config/all.yaml')).toMatch(/"text":"Do it".*"title":""/);
      expect(world.read('config/all.yaml')).not.toContain('isSubscription');
    });
  },
);

describe('a null', () => {
  const teams = { ...reminder, medium: 'TEAMS', teamsTemplate: { text: 'Do it' } };

  test('that nobody declared is left out of a POST: some hosts refuse it', async () => {
    const world = await open({ chatNullSubject: 'refused' });
    world.declare([teams]);
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    const sent = world.sandbox.log.find(({ operation }) => operation === 'create-notification-template');
    const { kind: _, ...key } = { ...reminder, medium: 'TEAMS' };
    expect(sent?.body).toEqual({ ...key, teamsTemplate: '{"text":"Do it"}' });
  });

  test('that is declared clears the field', async () => {
    const world = await open({});
    world.declare([{ ...reminder, key: 'welcome', medium: 'EMAIL', subject: null }]);
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    expect(world.sandbox.state.templates.find(({ key }) => key === 'welcome')?.subject).toBeNull();
    const sent = world.sandbox.log.find(({ operation }) => operation === 'create-notification-template');
    expect(sent?.body).toMatchObject({ subject: null });
    expect((await world.plan()).changes).toEqual([]);
  });
});

describe('templates that no manifest can declare', () => {
  const prune = { environment: { prune: { kinds: ['NotificationTemplate'] } } };

  test('are left out of an export with a remark, and never pruned', async () => {
    const world = await open({ foreignTemplates: true }, prune);
    const { stderr } = await expectEnd(world.run('export --out config'), 0);
    expect(stderr).toMatch(/no\s+manifest\s+can\s+declare\s+it:\s+locale\s+cannot\s+be\s+"default_for_all"/);
    expect(stderr).toContain('NotificationTemplate/reminder/WHATSAPP/en');
    expect(stderr).toContain('NotificationTemplate/reminder/SLACK/default_for_all');
    const plan = await world.plan('--prune', '--allow-delete-all', 'NotificationTemplate');
    expect(plan.changes).toEqual([]);
    const kept = plan.diagnostics.filter((one) => one.code === 'kept').map((one) => one.address);
    expect(kept).toEqual(expect.arrayContaining(['NotificationTemplate/reminder/WHATSAPP/en']));
  });
});

test('a medium in another case is the same medium, and is deleted as such', async () => {
  const prune = { kinds: ['NotificationTemplate'] };
  const world = await open({ mediumCase: 'lower' }, { environment: { prune } });
  world.declare([{ ...reminder, slackTemplate: message }]);
  expect((await world.plan()).changes).toEqual([]);
  await world.run('export --out again');
  expect([...filesBelow(`${world.dir}/again`).values()].join('')).toContain('medium: SLACK');
  const pruned = await world.plan('--prune', '--allow-delete-all', 'NotificationTemplate');
  expect(pruned).toMatchObject({ changes: [], summary: { undeclared: 0 } });
  world.declare([{ ...reminder, ensure: 'absent' }]);
  const applied = await world.run('apply --yes --allow-delete-all NotificationTemplate');
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  expect(world.sandbox.state.templates).toEqual([]);
});
