/** Every form of a plan names the command that applies what was approved. Here people copy it into their shell. */
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestFleet } from '../support/fleet.ts';
import { commitAll } from '../support/repository.ts';
import {
  createTestFolder,
  createTestWorld,
  expectEnd,
  type Ran,
  runProgram,
  succeed,
  type World,
} from '../support/world.ts';

type Runner = Pick<World, 'run'>;

const sayings = /^To apply exactly this plan: (tenantctl apply .*)$/m;

/** The command that a plan on the terminal ends with; `null` where it names none. */
function commandIn({ stdout }: Pick<Ran, 'stdout'>): string | null {
  const command = sayings.exec(stdout)?.[1] ?? null;
  if (command !== null) expect(stdout.endsWith(`${command}\n`)).toBe(true);
  return command;
}

/** Runs a command as a shell reads it. */
function runIn(world: Runner, command: string | null): Promise<Ran> {
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' });
  const [program, ...argv] = words.split('\0').slice(0, -1);
  expect(program).toBe('tenantctl');
  return world.run(...argv);
}

const sender = (email: string) => ({ kind: 'SenderAddress', email });

describe('the command that a plan ends with', () => {
  let world: World;
  const sendersNow = () => world.sandbox.state.senders.map(({ email }) => email);

  beforeEach(async () => {
    world = await createTestWorld();
    world.declare([sender('a@acme.example'), sender("o'neil@acme.example")]);
  });

  it.each([
    ['the file that the plan was saved in', "plan --out=plans/it's.json", "'plans/it'\\''s.json'", 2],
    ['a file whose name looks like an option', 'plan --out=-plan.json', './-plan.json', 2],
    [
      'a plan that was not saved, made again with its environment, filters and guards',
      "plan -e test -c tenantctl.yaml --only SenderAddress/* --except SenderAddress/o'neil* --max-deletes 3",
      "--env test --only 'SenderAddress/*' --except 'SenderAddress/o'\\''neil*' --max-deletes 3 --config tenantctl.yaml",
      1,
    ],
    [
      'a plan with what lifts a guard or writes a secret again, without what no digest depends on',
      'plan --rotate SimIntegration/* --allow-delete-all SenderAddress --allow-delete-all ProfileSearch --impact',
      "--rotate 'SimIntegration/*' --allow-delete-all SenderAddress --allow-delete-all ProfileSearch",
      2,
    ],
  ])('applies %s', async (_what, line, expected, made) => {
    const command = commandIn(await world.run(line));
    expect(command?.replace(/\w{64}$/, '')).toBe(`tenantctl apply ${expected} --expect sha256:`);
    await expectEnd(runIn(world, command), 0);
    expect(sendersNow()).toHaveLength(made);
  });

  it('applies the file where CI says that it is none', async () => {
    world.env.CI = 'false';
    const command = commandIn(await world.run('plan --out plan.json'));
    expect(command).toMatch(/^tenantctl apply plan\.json --expect sha256:/);
  });

  it('makes the plan of a pipeline again: its file is on another machine, and may be that of a pull request', async () => {
    world.env.CI = 'true';
    const planned = await world.run('plan --out plan.json --report plan.md');
    delete world.env.CI;
    const command = commandIn(planned);
    expect(command).toMatch(/^tenantctl apply --expect sha256:\w{64}$/);
    expect(world.read('plan.md')).toContain(`\`${command}\``);
    expect(await runIn(world, command)).toMatchObject({ code: 0 });
    expect(sendersNow()).toHaveLength(2);
  });

  it('deletes what the plan deletes', async () => {
    await succeed(world, 'apply --yes');
    commitAll(world.dir);
    world.declare([sender('a@acme.example')]);
    const command = commandIn(await world.run('plan --since HEAD'));
    expect(command).toMatch(/^tenantctl apply --since HEAD --expect sha256:\w{64}$/);
    await expectEnd(runIn(world, command), 0);
    expect(sendersNow()).toEqual(['a@acme.example']);
  });

  it('applies nothing else: it is refused when the manifests have changed', async () => {
    const planned = await world.run('plan');
    world.declare([sender('b@acme.example')]);
    await expectEnd(runIn(world, commandIn(planned)), 4, '[digest-mismatch]');
    expect(sendersNow()).toEqual([]);
  });

  it('names the environment and the project file that the shell of another person does not have', async () => {
    Object.assign(world.env, { TENANTCTL_ENV: 'test', TENANTCTL_CONFIG: 'tenantctl.yaml' });
    const command = commandIn(await world.run('plan'));
    expect(command).toContain('tenantctl apply --env test --config tenantctl.yaml --expect');
    delete world.env.TENANTCTL_ENV;
    delete world.env.TENANTCTL_CONFIG;
    expect(await runIn(world, command)).toMatchObject({ code: 0 });
  });

  it('is that of the shown file in `show`, and the same on pages and in comments', async () => {
    await world.run('plan --out saved/plan.json --report a.html --report a.md');
    const shown = await world.run('show saved/plan.json --report b.html --report b.md');
    const command = commandIn(shown);
    expect(command).toMatch(/^tenantctl apply saved\/plan\.json --expect sha256:\w{64}$/);
    for (const file of ['a.html', 'b.html']) expect(world.read(file)).toContain(`data-copy="${command}"`);
    for (const file of ['a.md', 'b.md']) expect(world.read(file)).toContain(`\`${command}\``);
  });

  it('is not there where `show` runs outside of a project', async () => {
    await world.run('plan --out plan.json');
    const elsewhere = createTestFolder();
    elsewhere.write('plan.json', world.read('plan.json'));
    const shown = await runProgram(['show', 'plan.json'], { cwd: elsewhere.dir });
    expect(shown.stdout).toContain('Plan: 2 to create');
    expect(commandIn(shown)).toBeNull();
  });

  it('is in the summary of a GitHub step', async () => {
    world.env.GITHUB_STEP_SUMMARY = `${world.dir}/summary.md`;
    const command = commandIn(await world.run('plan --out plan.json'));
    expect(world.read('summary.md')).toContain(`\`${command}\``);
  });

  it('is not there where nothing would be sent, the plan is refused, or the apply is already running', async () => {
    world.declare([{ kind: 'AuthProfile', name: 'Staff', offNetwork: false }]);
    const steps = await world.run('plan');
    expect(steps.stdout).toContain('1 by hand');
    expect(commandIn(steps)).toBeNull();
    world.declare([sender('a@acme.example')]);
    expect((await world.run('apply --yes')).stderr).not.toMatch(sayings);
    expect(commandIn(await world.run('plan'))).toBeNull();
    world.declare([{ ...sender('a@acme.example'), ensure: 'absent' }]);
    const refused = await expectEnd(world.run('plan --max-deletes 0'), 4);
    expect(commandIn(refused)).toBeNull();
  });

  it('of a rollback needs the file, since manifests do not make that plan', async () => {
    await world.run('apply --yes --result result.json');
    expect(commandIn(await world.run('rollback result.json --max-deletes 5'))).toBeNull();
    const planned = await world.run('rollback result.json --allow-delete-all SenderAddress --out back.json');
    expect(await runIn(world, commandIn(planned))).toMatchObject({ code: 0 });
    expect(sendersNow()).toEqual([]);
  });
});

describe('the command of the plans of several environments', () => {
  const names = ['eu-1', 'eu-2', 'us-1'];

  it('applies all of them, saved or made again, in parts too', async () => {
    const fleet = await createTestFleet({ names, groups: { all: ['*'] } });
    fleet.declare([sender('a@acme.example')]);
    const planned = await fleet.run('plan -e @all');
    expect(commandIn(planned)).toMatch(/^tenantctl apply --env @all --expect sha256:/);
    const part = await fleet.run('plan -e @all --shard 1/2');
    expect(commandIn(part)).toContain('tenantctl apply --env @all --shard 1/2 --expect');
    expect(await runIn(fleet, commandIn(part))).toMatchObject({ code: 0 });
    expect(await runIn(fleet, commandIn(planned))).toMatchObject({ code: 4 });
    const saved = await fleet.run('plan -e eu-*,us-1 --out fleet.json --report fleet.md');
    expect(commandIn(saved)).toMatch(/^tenantctl apply fleet\.json --expect sha256:/);
    expect(fleet.read('fleet.md')).toContain(`\`${commandIn(saved)}\``);
    expect(await runIn(fleet, commandIn(saved))).toMatchObject({ code: 0 });
    for (const name of names) expect(fleet.sandboxOf(name).state.senders).toHaveLength(1);
  });

  it('is not there where one failed, and for parts that are only shown together', async () => {
    const fleet = await createTestFleet({ names });
    fleet.declare([sender('a@acme.example')]);
    for (const part of ['1', '2']) {
      await succeed(fleet, 'plan -e * --shard', `${part}/2`, '--out', `${part}.json`);
    }
    expect(commandIn(await fleet.run('show 1.json'))).toContain('tenantctl apply 1.json --expect');
    expect(commandIn(await fleet.run('show 1.json 2.json'))).toBeNull();
    fleet.sandboxOf('us-1').faults.add({ kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });
    expect(commandIn(await fleet.run('plan -e *'))).toBeNull();
  });
});
