import { expect, it } from 'vitest';
import { createTestWorld, expectEnd, filesBelow, succeed } from '../support/world.ts';

/** A secret at a place that `lifecycle.ignore` names is not compared. It is a secret all the same. */

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
  const world = await createTestWorld({ seed: `simIntegrations: [${desk}]\n`, env: { DESK: 'canary-live' } });
  const manifest =
    'kind: SimIntegration\nname: Desk\ndescription: New\nattributes: { password: !secret DESK }\n';
  world.write('config/desk.yaml', manifest);
  const { code, stdout } = await world.run('plan --report plan.md');
  expect([code, stdout]).toEqual([0, expect.stringContaining('It is [secret]')]);
  expect(stdout + world.read('plan.md')).not.toContain('canary-');
});

it.each(['put', 'patch'])(
  'a saved plan does not write (%s) a secret that it shows as unchanged',
  async (simUpdate) => {
    const rows = '{ id: i1, name: Desk, type: T, description: Old, attributes: { url: u, pin: canary-one } }';
    const world = await createTestWorld({
      seed: `simIntegrations: [${rows}]\n`,
      identity: { simUpdate },
      env: { PIN: 'canary-one' },
    });
    const manifest = (value: string) =>
      `kind: SimIntegration\nname: Desk\ndescription: New\nattributes: { url: ${value}, pin: !secret PIN }\n`;
    for (const url of ['u', 'v']) {
      world.write('config/desk.yaml', manifest(url));
      await succeed(world, `plan --out ${url}.json`);
    }
    const before = structuredClone(world.sandbox.state.simIntegrations);
    world.env.PIN = 'canary-two';
    for (const url of ['u', 'v']) {
      const { code, stdout, stderr } = await world.run(`apply ${url}.json`);
      const said = (stdout + stderr).replaceAll(/\s+/g, ' ');
      expect([code, said]).toEqual([
        4,
        expect.stringContaining(
          '/attributes/pin stays as it is in the plan, but the secret PIN has another value',
        ),
      ]);
      expect(said).not.toContain('canary-');
    }
    expect(world.sandbox.state.simIntegrations).toEqual(before);
    world.env.PIN = 'canary-one';
    await succeed(world, 'apply v.json');
  },
);

it.each([
  ['A', 'zz-new'],
  ['A', 'aa-new'],
  ['B', 'zz-new'],
  ['B', 'aa-new'],
])(
  'a saved plan that changes the secret %s of a set to %s does not write the other one',
  async (name, value) => {
    const kind = {
      kind: 'Hook',
      path: '/v2025/hooks',
      key: 'name',
      update: 'json-patch',
      fields: { keys: 'set' },
    };
    const world = await createTestWorld({
      seed: JSON.stringify({
        kinds: [kind],
        objects: { Hook: [{ name: 'One', keys: ['key-of-b', 'key-of-a', 'key-of-c'] }] },
      }),
      files: { 'kinds/Hook.kind.yaml': JSON.stringify(kind) },
      env: { A: 'key-of-a', B: 'key-of-b', C: 'key-of-c' },
    });
    world.write('config/hook.yaml', 'kind: Hook\nname: One\nkeys: [!secret A, !secret B, !secret C]\n');
    world.env[name] = value;
    await succeed(world, 'plan --out plan.json');
    const other = name === 'A' ? 'B' : 'A';
    world.env[other] = 'changed-meanwhile';
    const said = '/keys stays as it is in the plan, but the secret A or B or C has another value';
    const { stdout } = await expectEnd(world.run('apply plan.json'), 4);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(said);
    world.env[other] = `key-of-${other.toLowerCase()}`;
    await succeed(world, 'apply plan.json');
  },
);

/** Secrets that a tenant does not show, written by a run that ended in part, and then corrected. */

const desk = (name: string, secret: string) =>
  `kind: SimIntegration\nname: ${name}\ntype: Desk\nattributes: { url: u, password: !secret ${secret} }\n`;

async function createStage() {
  const world = await createTestWorld({ sandbox: { variations: { simSecrets: 'masked' } } });
  world.write('config/desks.yaml', [desk('One', 'ONE'), desk('Two', 'TWO')].join('---\n'));
  Object.assign(world.env, { ONE: 'first-of-one', TWO: 'first-of-two' });
  await world.run('apply --yes');
  const { state, faults } = world.sandbox;
  const passwords = () =>
    Object.fromEntries(state.simIntegrations.map(({ name, attributes }) => [name, attributes?.password]));
  const refuseSecond = () => faults.add({ kind: 'status', status: 403, method: 'PATCH', nth: 2 });
  const failed = () =>
    Object.keys(passwords()).filter((name) => passwords()[name]?.toString().startsWith('first'));
  return { ...world, passwords, refuseSecond, failed };
}

it('are written by the next apply, though its plan is equal', async () => {
  const world = await createStage();
  Object.assign(world.env, { ONE: 'mistyped-one', TWO: 'mistyped-two' });
  world.refuseSecond();
  await expectEnd(world.run('apply --yes --rotate SimIntegration/*'), 3);
  expect(world.failed()).toHaveLength(1);
  Object.assign(world.env, { ONE: 'second-of-one', TWO: 'second-of-two' });
  await succeed(world, 'apply --yes --rotate SimIntegration/*');
  expect(world.passwords()).toEqual({ One: 'second-of-one', Two: 'second-of-two' });
});

it('are named by an apply that finishes a saved plan, which writes nothing twice', async () => {
  const world = await createStage();
  Object.assign(world.env, { ONE: 'mistyped-one', TWO: 'mistyped-two' });
  await world.run('plan --rotate SimIntegration/* --out plan.json');
  world.refuseSecond();
  await expectEnd(world.run('apply plan.json'), 3);
  const [left = ''] = world.failed();
  const made = left === 'One' ? 'Two' : 'One';
  Object.assign(world.env, { ONE: 'second-of-one', TWO: 'second-of-two' });
  const again = await succeed(world, 'apply plan.json');
  expect(world.passwords()).toEqual({
    [made]: `mistyped-${made.toLowerCase()}`,
    [left]: `second-of-${left.toLowerCase()}`,
  });
  expect(again.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `wrote it, with the secrets of that time (${made.toUpperCase()}). If they have changed, make a new plan with --rotate SimIntegration/${made}.`,
  );
});
