import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { commandLine } from '../support/program.ts';
import { createTestWorld, expectEnd, runProgram, succeed, type World } from '../support/world.ts';
import { everything, fillTenant, oneAtATime, visible } from './every-kind.ts';

let world: World;
beforeEach(async () => {
  world = await createTestWorld({
    ...oneAtATime,
    environment: { limits: { concurrency: 1, timeout: '60s' } },
  });
  fillTenant(world.sandbox.state);
  world.declare(everything);
});
/** What starts a program among processes of its own, as a container does; needs rights that not every system gives. */
const container = ['unshare', '--pid', '--fork', '--kill-child'];
const [unshare = '', ...separate] = container;
const hasContainers = spawnSync(unshare, [...separate, 'true']).status === 0;

/** A real apply that waits for the answer to its first write. */
async function startStuckApply(before: readonly string[] = []) {
  world.sandbox.faults.add({ kind: 'hang', method: 'POST', path: '/v2025' });
  const [file = '', ...argv] = [...before, ...commandLine, 'apply', '--yes'];
  const child = spawn(file, argv, {
    cwd: world.dir,
    env: { PATH: process.env.PATH, ...world.env },
    stdio: 'ignore',
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const isStuck = () => world.sandbox.log.some(({ fault }) => fault === 'hang');
  await expect.poll(isStuck, { interval: 25, timeout: 30_000 }).toBe(true);
  return { child, closed };
}

it('the second of two applies is refused, and a lock left by a killed one is not in the way', async () => {
  const { child, closed } = await startStuckApply();
  const before = visible(world.sandbox.state);
  const { length } = world.sandbox.log;
  const second = await expectEnd(world.run('apply --yes --format json'), 4);
  expect(JSON.parse(second.stdout).diagnostics).toMatchObject([{ code: 'apply-in-progress' }]);
  expect(second.stderr).toContain(`process ${child.pid}`);
  expect(visible(world.sandbox.state)).toEqual(before);
  const written = world.sandbox.log.slice(length).filter(({ method }) => method !== 'GET');
  expect(written.map(({ operation }) => operation)).toEqual(['issue-token']);

  child.kill('SIGKILL');
  await closed;
  await succeed(world, 'apply --yes');
  expect((await world.plan()).changes.map(({ action }) => action)).toEqual(['manual']);
});

it('plans are made and shown while an apply runs', async () => {
  const { child, closed } = await startStuckApply();
  expect(await world.run('plan')).toMatchObject({ code: 0 });
  child.kill('SIGKILL');
  await closed;
});

it.runIf(hasContainers)('an apply in another container holds the lock as long as it renews it', async () => {
  world.env.XDG_STATE_HOME = join(world.dir, 'state');
  const { child, closed } = await startStuckApply(container);
  const second = await world.run('apply --yes --format json');
  expect(second).toMatchObject({ code: 4, json: { diagnostics: [{ code: 'apply-in-progress' }] } });
  child.kill('SIGKILL');
  await closed;
  // Nobody here can see that it is gone.
  await expectEnd(world.run('apply --yes'), 4);
  const then = Date.now() / 1000 - 61;
  const locks = join(world.dir, 'state/tenantctl/locks');
  for (const lock of [
    ...readdirSync(locks).map((name) => join(locks, name)),
    join(world.dir, '.tenantctl/test/lock'),
  ])
    utimesSync(lock, then, then);
  await succeed(world, 'apply --yes');
});

it('an apply in another checkout of the project is refused, and one to another environment is not', async () => {
  const copy = `${world.dir}-copy`;
  cpSync(world.dir, copy, { recursive: true });
  world.env.XDG_STATE_HOME = join(world.dir, 'state');
  const { child, closed } = await startStuckApply();
  const elsewhere = { cwd: copy, env: world.env };
  expect(await runProgram(['apply', '--yes', '--format', 'json'], elsewhere)).toMatchObject({
    code: 4,
    json: { diagnostics: [{ code: 'apply-in-progress' }] },
  });
  const project = world.read('tenantctl.yaml');
  world.write('tenantctl.yaml', `${project}  other:${project.split('  test:')[1]}`);
  await succeed(world, 'apply --yes --env other --only SenderAddress/new@*');
  child.kill('SIGKILL');
  await closed;
  // The locks of a process that is gone are in nobody's way.
  const plan = ['--only', 'ProfileSearch/Staff'];
  expect(await runProgram(['apply', '--yes', ...plan], elsewhere)).toMatchObject({ code: 0 });
  rmSync(copy, { recursive: true });
});

it('an apply whose lock was removed starts nothing new and says so, though it is not interrupted', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const many = Array.from({ length: 40 }, (_, at) => `s${at}@acme.example`);
  world.declare(many.map((email) => ({ kind: 'SenderAddress', email })));
  await world.plan('--out', 'plan.json');
  const lock = join(world.dir, '.tenantctl/test/lock');
  const made = () => world.sandbox.state.senders.filter(({ email }) => many.includes(email)).length;
  const applied = world.run('apply plan.json --format json');
  await expect.poll(made, { interval: 1 }).toBeGreaterThan(0);
  expect(existsSync(lock)).toBe(true);
  rmSync(lock);
  vi.advanceTimersByTime(60_000);
  const { json, code } = await applied;
  expect({ json, code }).toMatchObject({
    code: 130,
    json: { outcome: 'interrupted', diagnostics: [{ code: 'lock-lost' }] },
  });
  expect(made()).toBeLessThan(many.length);
});
