import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Difference } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { sidesOf } from '../../src/preview/templates.ts';
import { change, difference } from '../report/fixtures.ts';
import { createWorld, expectEnd, seedFile, type World } from '../support/world.ts';

const at = (path: string, op: Difference['op'], before: Json, after: Json): Difference => ({
  ...difference(path, before, after),
  op,
});
const planned = (action: 'update' | 'delete', body: Json, diff: readonly Difference[]) => {
  const requests = [{ method: 'POST', path: '/x', query: {}, headers: {}, body } as const];
  return change({ address: 'NotificationTemplate/k/EMAIL/en', action, requests, diff });
};

interface Updated {
  /** What it does, after "a template before and after a planned change". */
  readonly what: string;
  readonly body: Json;
  readonly diff: readonly Difference[];
  readonly before: JsonObject;
  /** Left out: the body. */
  readonly after?: JsonObject;
}

describe('a template before and after a planned change', () => {
  it.each<Updated>([
    {
      what: 'takes the differences back from what will be sent',
      body: { key: 'k', subject: 'new', body: 'same', replyTo: 'a@b.example' },
      diff: [at('/subject', 'replace', 'old', 'new'), at('/replyTo', 'add', null, 'a@b.example')],
      before: { key: 'k', subject: 'old', body: 'same' },
    },
    {
      what: 'sees through JSON text, and keeps what only looks like a marker',
      body: {
        slackTemplate: {
          $jsonText: {
            text: 'x',
            blocks: { $jsonText: [{ text: 'a' }, { text: 'c' }] },
            odd: { $literal: { $secret: 'N' } },
          },
        },
      },
      diff: [
        at('/slackTemplate/blocks/1', 'add', null, { text: 'c' }),
        at('/slackTemplate/blocks/0/text', 'replace', 'b', 'a'),
      ],
      before: { slackTemplate: { text: 'x', blocks: [{ text: 'b' }], odd: { $secret: 'N' } } },
      after: { slackTemplate: { text: 'x', blocks: [{ text: 'a' }, { text: 'c' }], odd: { $secret: 'N' } } },
    },
    {
      what: 'takes differences back inside blocks that are declared as JSON text',
      body: { slackTemplate: { $jsonText: { text: 'x', blocks: '[{"text":"new"},{"type":"divider"}]' } } },
      diff: [at('/slackTemplate/blocks/0/text', 'replace', 'old', 'new')],
      before: { slackTemplate: { text: 'x', blocks: [{ text: 'old' }, { type: 'divider' }] } },
      after: { slackTemplate: { text: 'x', blocks: [{ text: 'new' }, { type: 'divider' }] } },
    },
    {
      what: 'takes away all items that were added to a list, the last of which a plan names first',
      body: { slackTemplate: { blocks: ['a', 'b', 'c'] } },
      diff: ['c', 'b'].map((item, to) => at(`/slackTemplate/blocks/${2 - to}`, 'add', null, item)),
      before: { slackTemplate: { blocks: ['a'] } },
    },
    {
      what: 'gives back the items of a list that were taken away',
      body: { slackTemplate: { blocks: ['a'] } },
      diff: ['c', 'b'].map((item, to) => at(`/slackTemplate/blocks/${2 - to}`, 'remove', item, null)),
      before: { slackTemplate: { blocks: ['a', 'b', 'c'] } },
    },
  ])('$what', ({ body, diff, before, after = body }) => {
    expect(sidesOf(planned('update', body, diff))).toEqual({ before, after });
  });

  it('knows a delete by its differences, and shows nothing sensitive', () => {
    const subject = { ...at('/subject', 'remove', null, null), sensitive: true };
    const deleted = planned('delete', [], [at('/body', 'remove', 'text', null), subject]);
    expect(sidesOf(deleted)).toEqual({ before: { body: 'text', subject: '(sensitive)' }, after: null });
  });

  it('knows what a delete goes back to only from the default', () => {
    const diff = [at('/subject', 'replace', 'ours', 'theirs'), at('/replyTo', 'remove', 'a@b.example', null)];
    const deleted = planned('delete', [], diff);
    expect(sidesOf(deleted)).toEqual({ before: null, after: null });
    expect(sidesOf(deleted, { subject: 'theirs', body: 'text', replyTo: null })).toEqual({
      before: { subject: 'ours', body: 'text', replyTo: 'a@b.example' },
      after: { subject: 'theirs', body: 'text', replyTo: null },
    });
  });
});

describe('the report of a plan', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({ sandbox: { seed: seedFile } });
  });
  afterEach(() => world.close());

  it('shows every changed template as its recipients see it', async () => {
    const key = { key: 'cloud_manual_work_item_summary', medium: 'EMAIL', locale: 'en' };
    const texts = { subject: 'Your list', body: '<p>Dear ${user.name}</p>' };
    world.declare([{ kind: 'NotificationTemplate', ...key, ...texts }]);
    const { code, stderr } = await world.run('plan', '--report', 'plan.html');
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    const page = world.read('plan.html');
    expect(page).toContain('&lt;p&gt;Dear Ann Example&lt;/p&gt;');
    expect(page).toContain('Pending task 1');
    expect(page).toContain('<strong><span class="subject"><ins>Your list</ins></span></strong>');
  });

  it("shows what recipients get when a template goes back to the vendor's default", async () => {
    const key = { key: 'access_request_escalation', medium: 'EMAIL', locale: 'en' };
    world.declare([{ kind: 'NotificationTemplate', ...key, ensure: 'absent' }]);
    await expectEnd(world.run('plan', '--out', 'plan.json', '--report', 'plan.html'), 0);
    const page = world.read('plan.html');
    expect(page.match(/<span class="subject">(<ins>)?Escalated: access request/g)).toHaveLength(2);
    expect(page.match(/approvals@acme\.example/g)?.length).toBeGreaterThan(1);
    await world.run('show', 'plan.json', '--report', 'shown.html');
    expect(world.read('shown.html')).not.toContain('<iframe');
  });
});
