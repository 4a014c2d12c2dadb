/** `--since` inside chat templates, whose members come back as JSON in text. */
import { expect, test } from 'vitest';
import { worldOf } from '../support/hosts.ts';
import { commitAll } from '../support/repository.ts';
import { createTestWorld, succeed } from '../support/world.ts';

const seed = `
templateDefaults:
  - { key: reminder, medium: SLACK }
  - { key: reminder, medium: TEAMS }
`;
const slack = (text: string) => ({ slackTemplate: { text: 'Hi', blocks: [{ type: 'section', text }] } });
const teams = (text: string) => ({ teamsTemplate: { title: 'Hi', messageJSON: { body: [{ text }] } } });

const cases = (['text', 'object'] as const).flatMap((form) => [
  { form, medium: 'SLACK', at: '/slackTemplate/blocks', content: slack },
  { form, medium: 'TEAMS', at: '/teamsTemplate/messageJSON', content: teams },
]);

test.each(cases)('an edit of $at in the repository undoes nothing, as $form', async (each) => {
  const world = await createTestWorld({ ...worldOf({ slackTeams: each.form }), seed });
  const template = { kind: 'NotificationTemplate', key: 'reminder', medium: each.medium, locale: 'en' };
  world.declare([{ ...template, ...each.content('one') }]);
  const made = await succeed(world, 'apply --yes');
  expect(made.stdout).not.toContain('the tenant added');
  commitAll(world.dir);

  world.declare([{ ...template, ...each.content('two') }]);
  const { changes } = await world.plan('--since', 'HEAD');
  expect(changes).toMatchObject([{ diff: [{ origin: 'repo' }], risk: [], warnings: [] }]);
  expect(changes[0]?.diff[0]?.path).toContain(each.at);

  commitAll(world.dir);
  const { changes: undone } = await world.plan('--since', 'HEAD');
  expect(undone).toMatchObject([{ diff: [{ origin: 'tenant' }], risk: ['undoes-tenant-change'] }]);
});
