/** What a job of a CI system prints, whatever the manifests and the tenant say. */
import { beforeEach, expect, it } from 'vitest';
import { commandsIn } from '../report/hostile.ts';
import { createTestWorld, expectEnd, seedFile, succeed, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
});
/** A text that stands at the beginning of a line, is wrapped, and holds every command. */
const hostile = [
  '::add-mask::x',
  `${'word '.repeat(30)}::set-output name=digest::sha256`,
  'x ##[error]y ##vso[task.complete]',
  'section_start:1:x',
].join('\n');

const key = { key: 'password_expiring', medium: 'EMAIL', locale: 'en' };
const template = (text: string) => ({ kind: 'NotificationTemplate', ...key, subject: text, body: text });

it.each([
  'validate',
  'plan --verbose',
  'plan --format markdown',
  'plan --format html',
  'plan --format json',
  'plan --out -',
  'apply --dry-run',
  'apply --yes --verbose',
  'apply --yes --format jsonl',
])('holds no command from manifests: %s', async (line) => {
  world.declare([template(hostile), { kind: hostile, label: hostile }]);
  const refused = await expectEnd(world.run(line), 1);
  world.declare([
    template(hostile),
    { kind: 'SenderAddress', email: 'a@acme.example' },
    { kind: 'AuthProfile', name: hostile, type: 'MFA' },
  ]);
  const ran = await succeed(world, line);
  for (const { stdout, stderr } of [refused, ran]) expect(commandsIn(stdout + stderr)).toEqual([]);
});

it('holds no command from the tenant, neither in differences nor in its messages', async () => {
  world.declare([template('plain')]);
  await succeed(world, 'apply --yes');
  for (const each of world.sandbox.state.templates) each.subject = hostile;
  for (const line of ['plan', 'plan --format=markdown', 'export --out a', 'apply --dry-run']) {
    const { stdout, stderr } = await succeed(world, line);
    expect(commandsIn(stdout + stderr)).toEqual([]);
  }
});

it.each(['--format=json', '--format json'])('is JSON for %s after a failure too', async (format) => {
  world.write('config/a.yaml', 'kind: SenderAddress\nemial: a@acme.example\n');
  const diagnostics = expect.arrayContaining([expect.objectContaining({ severity: 'error' })]);
  for (const command of ['validate', 'plan', 'apply', 'search x', 'plan --nonsense', 'plan -e nowhere'])
    expect((await expectEnd(world.run(`${command} ${format}`), 1)).json).toMatchObject({ diagnostics });
});

it('ends with 3 where a manifest could not be merged, and merges the others', async () => {
  // The description is an alias of a key that the tenant no longer has.
  const manifest = [
    'kind: SimIntegration',
    'name: Desk',
    'type: ServiceNow',
    'cluster: c1',
    'sources: [s1]',
    'attributes: { url: https://desk.acme.example }',
    'statusMap: { &key closed: Committed, opened: Queued }',
    'description: *key',
    '',
  ].join('\n');
  world.write('config/desk.yaml', manifest);
  world.write('config/senders.yaml', JSON.stringify(template('before')));
  await succeed(world, 'apply --yes');
  for (const each of world.sandbox.state.simIntegrations) {
    if (each.name === 'Desk') each.statusMap = { opened: 'Queued' };
  }
  for (const each of world.sandbox.state.templates) {
    if (each.key === 'password_expiring' && each.locale === 'en') each.subject = 'by hand';
  }
  const merge = world.run('export --merge --kinds SimIntegration NotificationTemplate');
  await expectEnd(merge, 3, '[cannot-edit]');
  expect(world.read('config/desk.yaml')).toBe(manifest);
  expect(world.read('config/senders.yaml')).toContain('by hand');
});
