/** Runs of the real program that are killed or told to end, and what is left of them. */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/model/documents.ts';
import type { Fault } from '../../src/sandbox/index.ts';
import { commandLine, startProgram } from '../support/program.ts';
import { createTestWorld, succeed, type World, writesIn } from '../support/world.ts';
import { describedWorld, manifestFile } from './described-kinds.ts';
import { everything, fillTenant, oneAtATime, visible } from './every-kind.ts';

/** Each refers to the one before it. */
const inEachOther = [
  'kind: AccessProfile\nname: Last\nsettings: { ttl: 1 }\nrole: !ref Role/Middle\n',
  'kind: Role\nname: Middle\naccessProfiles: [!ref AccessProfile/First]\n',
  'kind: AccessProfile\nname: First\nsource: !ref Origin/HR\n',
];

/** What only people can undo is left out. */
const byHand = ['VerifiedDomain', 'MailFrom', 'NotificationPreference'];
const documents = everything.filter(({ kind }) => !byHand.includes(String(kind)));

/** A world with a plan file. */
async function createStage(onWork: () => void = () => {}): Promise<World> {
  const now = () => {
    onWork();
    return Date.now();
  };
  const world = await createTestWorld({ ...oneAtATime, sandbox: { ...oneAtATime.sandbox, clock: { now } } });
  fillTenant(world.sandbox.state);
  world.declare(documents);
  await world.plan('--out', 'plan.json');
  return world;
}

function resultsOf({ dir }: World): string[] {
  return readdirSync(join(dir, '.tenantctl/test/results')).map((name) =>
    join('.tenantctl/test/results', name),
  );
}

/** Kills an apply while one of its requests hangs, carried out or not. */
async function killAt(world: World, request: Omit<Fault, 'kind'>): Promise<void> {
  const { faults, log } = world.sandbox;
  faults.clear();
  faults.add({ kind: 'hang', ...request });
  const from = log.length;
  const { child, ended } = startProgram(world, 'apply', 'plan.json', '--result', 'result.json');
  const isStuck = () => log.slice(from).some(({ fault }) => fault === 'hang');
  await expect.poll(isStuck, { interval: 25, timeout: 20_000 }).toBe(true);
  child.kill('SIGKILL');
  await ended;
  faults.clear();
}

describe('a run that was killed', () => {
  it('is rolled back by the result that it had begun', async () => {
    const world = await createStage();
    const { state, log } = world.sandbox;
    const before = structuredClone(state);
    const from = log.length;
    await world.run('apply plan.json');
    const sent = log.slice(from);
    const writes = writesIn(sent).map((request) => sent.indexOf(request) + 1);
    expect(writes.length).toBeGreaterThan(10);
    for (const [at, nth] of writes.entries()) {
      if (at % 5 !== 0) continue;
      Object.assign(state, structuredClone(before));
      rmSync(join(world.dir, '.tenantctl'), { recursive: true, force: true });
      await killAt(world, { nth, done: at % 2 === 0 ? 'after' : 'before' });

      const [file = '', ...others] = resultsOf(world);
      expect(others).toEqual([]);
      const result: Result = JSON.parse(world.read(file));
      expect(result).toMatchObject({ outcome: 'interrupted', diagnostics: [{ code: 'run-unfinished' }] });
      expect(JSON.parse(world.read('result.json')).changes).toEqual(result.changes);
      const { notAttempted, ...begun } = result.summary;
      // The change whose request was sent, and those whose effect had not been read yet.
      expect(begun.unknown).toBeGreaterThan(0);
      expect(Object.values(begun).reduce((sum, count) => sum + count)).toBe(result.changes.length);
      expect(notAttempted + result.changes.length).toBe(documents.length);
      const shown = await world.run('show', file);
      expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/interrupted/i) });

      await succeed(world, 'rollback', file, '--out', 'back.json');
      await succeed(world, 'apply back.json');
      // The tombstone of the old desk declares none of its settings, so the result does not hold them.
      const desk = state.simIntegrations.find(({ name }) => name === 'Old desk');
      Object.assign(desk ?? {}, { attributes: { url: 'u2' } });
      expect(visible(state), `killed at request ${nth}`).toEqual(visible(before));
    }
  });

  it('is finished by the same command where it was killed between objects that refer to each other', async () => {
    const world = await createTestWorld({
      ...describedWorld,
      environment: { limits: { concurrency: 1, settle: '600ms' } },
    });
    const { state } = world.sandbox;
    world.write('config/all.yaml', manifestFile([inEachOther]));
    await world.plan('--out', 'plan.json');
    const before = structuredClone(state);
    for (const nth of [2, 3]) {
      Object.assign(state, structuredClone(before));
      rmSync(join(world.dir, '.tenantctl'), { recursive: true, force: true });
      await killAt(world, { method: 'POST', path: '/v2025/', nth, done: nth === 2 ? 'before' : 'after' });
      await succeed(world, 'apply plan.json');
      const named = (kind: string, name: string) =>
        state.objects[kind]?.filter((object) => object.name === name) ?? [];
      const [[first, ...again], [role, ...others]] = [
        named('AccessProfile', 'First'),
        named('Role', 'Middle'),
      ];
      expect([again, others]).toEqual([[], []]);
      expect(role?.accessProfiles).toMatchObject([{ id: first?.id }]);
      expect(named('AccessProfile', 'Last')).toMatchObject([{ settings: { ttl: 1 }, role: role?.id }]);
      expect((await world.plan()).changes).toEqual([]);
    }
  });

  it('is read as far as its result goes where the last write was cut', async () => {
    const world = await createStage();
    await killAt(world, { method: 'POST', path: '/api/advanced_search' });
    const [file = ''] = resultsOf(world);
    const whole: Result = JSON.parse(world.read(file));
    const text = world.read(file);
    expect(whole.changes.length).toBeGreaterThan(2);
    truncateSync(join(world.dir, file), text.indexOf('"endedAt"') - 8);
    expect((await world.run('show', file, '--format', 'json')).json).toMatchObject({
      outcome: 'interrupted',
      changes: whole.changes.slice(0, -1),
    });
    expect(await world.run('rollback', file)).toMatchObject({ code: 0 });
  });
});

it('a run whose result has no room in the end is rolled back by what it had recorded', async () => {
  const world = await createStage();
  const { dir, env, sandbox } = world;
  const before = structuredClone(sandbox.state);
  const size = JSON.stringify((await world.run('apply plan.json --format json')).json, null, 2).length;
  Object.assign(sandbox.state, structuredClone(before));
  rmSync(join(dir, '.tenantctl'), { recursive: true, force: true });

  // What is recorded meanwhile has no indentation, and room.
  const limit = `ulimit -f ${Math.floor(size / 512) - 1} && exec "$@"`;
  const child = spawn('sh', ['-c', limit, 'sh', ...commandLine, 'apply', 'plan.json'], {
    cwd: dir,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(3);
  const [name = ''] = resultsOf(world);
  const recorded: Result = JSON.parse(world.read(name));
  expect(recorded).toMatchObject({ outcome: 'done', summary: { notAttempted: 0 } });
  await world.run('rollback', name, '--out', 'back.json');
  expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
  // See above.
  const desk = sandbox.state.simIntegrations.find((each) => each.name === 'Old desk');
  Object.assign(desk ?? {}, { attributes: { url: 'u2' } });
  expect(visible(sandbox.state)).toEqual(visible(before));
});

describe('a run that is told to end', () => {
  // CI systems send several, one after the other.
  it.each([['SIGINT', 'SIGTERM'] as const, ['SIGTERM', 'SIGINT'] as const, ['SIGHUP', 'SIGTERM'] as const])(
    'by %s and %s finishes the request in flight and lists every change',
    async (...signals) => {
      let onWork = () => {};
      const world = await createStage(() => onWork());
      const { log } = world.sandbox;
      const from = log.length;
      const { child, ended } = startProgram(world, 'apply', 'plan.json', '--format', 'json');
      onWork = () => {
        const arrived = log.slice(from);
        if (writesIn(arrived).length < 3) return;
        onWork = () => {};
        for (const signal of signals) child.kill(signal);
      };
      const { code, stdout } = await ended;
      expect(code).toBe(130);
      const result: Result = JSON.parse(stdout);
      expect(result.outcome).toBe('interrupted');
      expect(result.changes).toHaveLength(documents.length);
      const answered = writesIn(log.slice(from));
      expect(answered.every(({ status }) => status !== null)).toBe(true);
      expect(result.changes.flatMap(({ requests }) => requests)).toHaveLength(answered.length);
      expect(result.summary.notAttempted).toBeGreaterThan(0);
      expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
    },
  );

  it('by Ctrl-C again does not wait for the request in flight', async () => {
    const world = await createStage();
    const { faults, log } = world.sandbox;
    faults.add({ kind: 'hang', method: 'POST', path: '/v2025' });
    const from = log.length;
    const { child, ended } = startProgram(world, 'apply', 'plan.json');
    const isStuck = () => log.slice(from).some(({ fault }) => fault === 'hang');
    await expect.poll(isStuck, { interval: 25, timeout: 20_000 }).toBe(true);
    let said = '';
    child.stderr?.on('data', (text) => {
      said += text;
      if (String(text).includes('Another Ctrl-C ends the program at once')) child.kill('SIGINT');
    });
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(said).toContain('Ended at once. Requests in flight may have been carried out.');
  });
});
