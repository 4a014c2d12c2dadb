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
  for (const words of [
    '--yes',
    `--expect ${digest}`,
    'plan.json',
    '--dry-run',
    `plan.json --expect ${digest}`,
  ])
    await expectEnd(world.run(`apply ${words}`), 4, '[read-only-environment]');
  expect(world.sandbox.log).toHaveLength(length);
});

it('gets no test notification', async () => {
  const world = await createTestWorld({ environment: { readOnly: true } });
  const test = world.run('send-test NotificationTemplate/welcome/EMAIL/en --yes');
  await expectEnd(test, 4, '[read-only-environment]');
});
