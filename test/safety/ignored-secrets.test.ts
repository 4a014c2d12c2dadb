/** A secret at a place that `lifecycle.ignore` names is not compared. It is a secret all the same. */
import { expect, it } from 'vitest';
import { createTestWorld, filesBelow } from '../support/world.ts';

it.each(['/attributes/note', '/attributes'])('a secret under ignored %s is in no output', async (ignored) => {
  const attributes = '{ url: u, note: canary-live }';
  const world = await createTestWorld({
    seed: `simIntegrations: [{ id: i1, name: Desk, type: T, description: Old, attributes: ${attributes} }]\n`,
    env: { DESK: 'canary-declared' },
  });
  world.write(
    'config/desk.yaml',
    `kind: SimIntegration\nname: Desk\ndescription: New\nattributes: { url: new, note: !secret DESK }\nlifecycle: { ignore: [${ignored}] }\n`,
  );
  const said: string[] = [];
  const run = async (...argv: string[]) => {
    const { code, stdout, stderr } = await world.run(...argv, '--verbose');
    expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0);
    said.push(stdout, stderr);
  };
  const reports = ['--report', 'plan.md', 'plan.html'];
  for (const format of ['text', 'json', 'markdown', 'html']) await run('plan --format', format);
  await run('plan --out plan.json', ...reports);
  await run('apply plan.json --result result.json');
  await run('rollback result.json --out back.json');
  await run('export --merge');
  said.push(...[...filesBelow(world.dir)].flatMap(([path, text]) => (path === 'seed.yaml' ? [] : text)));
  expect(said.join('\n')).not.toContain('canary-');
  expect(said.join('\n')).toContain('Desk');
});

it('a secret that is only compared is not shown where the tenant has it in another text too', async () => {
  const desk =
    '{ id: i1, name: Desk, type: T, description: It is canary-live, attributes: { password: canary-live } }';
  const world = await createTestWorld({
    seed: `simIntegrations: [${desk}]\n`,
    env: { DESK: 'canary-live' },
  });
  const manifest =
    'kind: SimIntegration\nname: Desk\ndescription: New\nattributes: { password: !secret DESK }\n';
  world.write('config/desk.yaml', manifest);
  const { code, stdout } = await world.run('plan --report plan.md');
  expect([code, stdout]).toEqual([0, expect.stringContaining('It is [secret]')]);
  expect(stdout + world.read('plan.md')).not.toContain('canary-');
});
