/** `readOnly: true`: an environment is planned and read, and nothing on a command line makes it be written to. */
import { expect, it } from 'vitest';
import { createTestWorld, expectEnd, succeed } from '../support/world.ts';

const sender = { kind: 'SenderAddress', email: 'a@acme.example' };

it('is planned, exported and compared, and never applied to', async () => {
  const world = await createTestWorld({ environment: { readOnly: true } });
  world.declare([sender]);
  const planned = await succeed(world, 'plan', '--out', 'plan.json');
  expect(planned.stdout).not.toContain('To apply');
  await succeed(world, 'export', '--out', 'exported', '--kinds', 'NotificationTemplate');
  await succeed(world, 'diff', '--declared', 'test');
  const { digest } = await world.plan();
  const { length } = world.sandbox.log;
  const tries = [
    ['--yes'],
    ['--expect', digest],
    ['plan.json'],
    ['--dry-run'],
    ['plan.json', '--expect', digest],
  ];
  for (const words of tries) {
    const ran = await world.run('apply', ...words);
    expect([words, ran.code, ran.stderr]).toEqual([
      words,
      4,
      expect.stringContaining('[read-only-environment]'),
    ]);
  }
  expect(world.sandbox.log).toHaveLength(length);
});

it('gets no test notification', async () => {
  const world = await createTestWorld({ environment: { readOnly: true } });
  await expectEnd(
    world.run('send-test', 'NotificationTemplate/welcome/EMAIL/en', '--yes'),
    4,
    '[read-only-environment]',
  );
});
