import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import type { Difference } from '../../src/model/plan.ts';
import { sidesOf } from '../../src/preview/plan-templates.ts';
import { change, difference } from '../report/fixtures.ts';
import { createWorld, seedFile } from '../support/world.ts';

const address = 'NotificationTemplate/k/EMAIL/en';
const post = (body: Json) => [{ method: 'POST', path: '/x', query: {}, headers: {}, body } as const];
const at = (path: string, op: Difference['op'], before: Json, after: Json): Difference => ({
  ...difference(path, before, after),
  op,
});

describe('a template before and after a planned change', () => {
  it('takes the differences back from what will be sent', () => {
    const requests = post({ key: 'k', subject: 'new', body: 'same', replyTo: 'a@b.example' });
    const diff = [at('/subject', 'replace', 'old', 'new'), at('/replyTo', 'add', null, 'a@b.example')];
    expect(sidesOf(change({ address, action: 'update', requests, diff }))).toEqual({
      before: { key: 'k', subject: 'old', body: 'same' },
      after: { key: 'k', subject: 'new', body: 'same', replyTo: 'a@b.example' },
    });
  });

  it('sees through JSON text, and keeps what only looks like a marker', () => {
    const blocks = { $jsonText: [{ text: 'a' }, { text: 'c' }] };
    const requests = post({
      slackTemplate: { $jsonText: { text: 'x', blocks, odd: { $literal: { $secret: 'N' } } } },
    });
    const diff = [
      at('/slackTemplate/blocks/1', 'add', null, { text: 'c' }),
      at('/slackTemplate/blocks/0/text', 'replace', 'b', 'a'),
    ];
    const sides = sidesOf(change({ address, action: 'update', requests, diff }));
    expect(sides.after).toEqual({
      slackTemplate: { text: 'x', blocks: [{ text: 'a' }, { text: 'c' }], odd: { $secret: 'N' } },
    });
    expect(sides.before).toEqual({
      slackTemplate: { text: 'x', blocks: [{ text: 'b' }], odd: { $secret: 'N' } },
    });
  });

  it('takes differences back inside blocks that are declared as JSON text', () => {
    const blocks = JSON.stringify([{ text: 'new' }, { type: 'divider' }]);
    const requests = post({ slackTemplate: { $jsonText: { text: 'x', blocks } } });
    const diff = [at('/slackTemplate/blocks/0/text', 'replace', 'old', 'new')];
    expect(sidesOf(change({ address, action: 'update', requests, diff })).before).toEqual({
      slackTemplate: { text: 'x', blocks: [{ text: 'old' }, { type: 'divider' }] },
    });
  });

  it('takes away all items that were added to a list, the last of which a plan names first', () => {
    const requests = post({ slackTemplate: { blocks: ['a', 'b', 'c'] } });
    const diff = [
      at('/slackTemplate/blocks/2', 'add', null, 'c'),
      at('/slackTemplate/blocks/1', 'add', null, 'b'),
    ];
    expect(sidesOf(change({ address, action: 'update', requests, diff })).before).toEqual({
      slackTemplate: { blocks: ['a'] },
    });
  });

  it('gives back the items of a list that were taken away', () => {
    const requests = post({ slackTemplate: { blocks: ['a'] } });
    const diff = [
      at('/slackTemplate/blocks/2', 'remove', 'c', null),
      at('/slackTemplate/blocks/1', 'remove', 'b', null),
    ];
    expect(sidesOf(change({ address, action: 'update', requests, diff })).before).toEqual({
      slackTemplate: { blocks: ['a', 'b', 'c'] },
    });
  });

  it('knows a delete by its differences, and shows nothing sensitive', () => {
    const diff = [
      at('/body', 'remove', 'text', null),
      { ...at('/subject', 'remove', null, null), sensitive: true },
    ];
    expect(sidesOf(change({ address, action: 'delete', requests: post([]), diff }))).toEqual({
      before: { body: 'text', subject: '(sensitive)' },
      after: null,
    });
  });

  it('knows what a delete goes back to only from the default', () => {
    const diff = [at('/subject', 'replace', 'ours', 'theirs'), at('/replyTo', 'remove', 'a@b.example', null)];
    const deleted = change({ address, action: 'delete', requests: post([]), diff });
    expect(sidesOf(deleted)).toEqual({ before: null, after: null });
    expect(sidesOf(deleted, { subject: 'theirs', body: 'text', replyTo: null })).toEqual({
      before: { subject: 'ours', body: 'text', replyTo: 'a@b.example' },
      after: { subject: 'theirs', body: 'text', replyTo: null },
    });
  });
});

describe('the report of a plan', () => {
  it('shows every changed template as its recipients see it', async () => {
    const world = await createWorld({ sandbox: { seed: seedFile } });
    try {
      world.declare([
        {
          kind: 'NotificationTemplate',
          key: 'cloud_manual_work_item_summary',
          medium: 'EMAIL',
          locale: 'en',
          subject: 'Your list',
          body: '<p>Dear ${user.name}</p>',
        },
      ]);
      const { code, stderr } = await world.run('plan', '--report', 'plan.html');
      expect([code, stderr.includes('error')]).toEqual([0, false]);
      const page = world.read('plan.html');
      expect(page).toContain('&lt;p&gt;Dear Ann Example&lt;/p&gt;');
      expect(page).toContain('Pending task 1');
      expect(page).toContain('<strong><span class="subject"><ins>Your list</ins></span></strong>');
    } finally {
      await world.close();
    }
  });

  it("shows what recipients get when a template goes back to the vendor's default", async () => {
    const world = await createWorld({ sandbox: { seed: seedFile } });
    try {
      const key = { key: 'access_request_escalation', medium: 'EMAIL', locale: 'en' };
      world.declare([{ kind: 'NotificationTemplate', ...key, ensure: 'absent' }]);
      expect(await world.run('plan', '--out', 'plan.json', '--report', 'plan.html')).toMatchObject({
        code: 0,
      });
      const page = world.read('plan.html');
      expect(page.match(/<span class="subject">(<ins>)?Escalated: access request/g)).toHaveLength(2);
      expect(page.match(/approvals@acme\.example/g)?.length).toBeGreaterThan(1);
      await world.run('show', 'plan.json', '--report', 'shown.html');
      expect(world.read('shown.html')).not.toContain('<iframe');
    } finally {
      await world.close();
    }
  });
});
