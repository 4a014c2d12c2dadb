/** Named pipes and devices in the place of files: nothing waits for ever, and Ctrl-C ends every wait. */
import { execFileSync, spawn } from 'node:child_process';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  readlinkSync,
  renameSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProgram } from '../support/program.ts';
import { createWorld, expectEnd, runProgram, succeed, type World } from '../support/world.ts';

let world: World;
let pipe = '';
beforeEach(async () => {
  world = await createWorld();
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  pipe = join(world.dir, 'pipe.json');
  execFileSync('mkfifo', [pipe]);
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

/** True when a process has the pipe open. */
const hasPipeOpen = (pid: number | 'self' | undefined) =>
  readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === pipe;
    } catch {
      return false;
    }
  });

describe.skipIf(!existsSync('/proc/self/fd'))('a pipe of which nobody opens the other end', () => {
  it.each([
    [['show', 'pipe.json'], 'SIGINT'],
    [['plan', '--out', 'pipe.json'], 'SIGTERM'],
  ] as const)('is waited for by the program, %j, until %s', async (argv, signal) => {
    await world.run('plan');
    const requests = world.sandbox.log.length;
    const child = startProgram(argv, { cwd: world.dir, env: { ...process.env, ...world.env } });
    const stderr = text(child.stderr);
    const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve(code ?? by)));
    const isWaiting = () =>
      argv[0] === 'plan' ? world.sandbox.log.length === 2 * requests : hasPipeOpen(child.pid);
    await expect.poll(isWaiting).toBe(true);
    child.kill(signal);
    expect([await ended, await stderr]).toEqual([130, expect.stringContaining('Interrupted')]);
  });

  it.each([
    [['apply', 'pipe.json']],
    [['rollback', 'pipe.json']],
    [['apply', '--yes', '--proven-by', 'pipe.json']],
  ])('ends with Ctrl-C for %j', async (argv) => {
    const interrupt = new AbortController();
    const ran = runProgram(argv, { cwd: world.dir, env: world.env, signal: interrupt.signal });
    await expect.poll(() => hasPipeOpen('self')).toBe(true);
    interrupt.abort();
    expect(await ran).toMatchObject({ code: 130, stdout: '' });
    expect(hasPipeOpen('self')).toBe(false);
  });

  it('ends with Ctrl-C, and shows the plan, where it is for the summary of a step', async () => {
    const requests = (await world.run('plan').then(() => world.sandbox.log)).length;
    const interrupt = new AbortController();
    const env = { ...world.env, GITHUB_STEP_SUMMARY: pipe };
    const ran = runProgram(['plan'], { cwd: world.dir, env, signal: interrupt.signal });
    await expect.poll(() => world.sandbox.log.length).toBe(2 * requests);
    interrupt.abort();
    const { code, stdout, stderr } = await ran;
    expect([code, stdout]).toEqual([130, expect.stringContaining('1 to create')]);
    expect(stderr).toContain('Interrupted');
  });
});

describe('a pipe whose other end is open', () => {
  it('is read, as `<(…)` is', async () => {
    await succeed(world, 'plan --out plan.json');
    const plan = world.read('plan.json');
    createWriteStream(pipe).end(plan);
    expect((await world.run('show pipe.json --format json')).stdout).toBe(
      (await world.run('show plan.json --format json')).stdout,
    );
    createWriteStream(pipe).end(plan);
    await succeed(world, 'apply pipe.json');
    expect(world.sandbox.state.senders).toHaveLength(1);
  });

  it('is written, and a step summary too', async () => {
    const read = text(createReadStream(pipe));
    await succeed(world, 'plan --out pipe.json');
    expect(JSON.parse(await read)).toMatchObject({ summary: { create: 1 } });
    const summary = text(createReadStream(pipe));
    world.env.GITHUB_STEP_SUMMARY = pipe;
    await succeed(world, 'plan');
    expect(await summary).toContain('### tenantctl plan');
  });
});

it.each([
  [['show', 'pipe.json'], 1],
  [['plan', '--out', 'pipe.json'], 1],
])('%j waits a minute at most', async (argv, code) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ran = world.run(...argv);
  let isOver = false;
  void ran.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await ran).toMatchObject({ code, stderr: expect.stringContaining('[pipe-timeout]') });
});

it('the result of an apply is no pipe, since it is written as the run goes', async () => {
  await expectEnd(world.run('apply --yes --result pipe.json'), 1, '--result pipe.json must name a file');
  expect(world.sandbox.state.senders).toEqual([]);
});

it.each(['/dev/zero', '/dev/tty', '/dev/null'])('%s is refused as a plan', async (device) => {
  for (const argv of [
    ['show', device],
    ['apply', device],
    ['rollback', device],
  ]) {
    await expectEnd(
      runProgram(argv, { cwd: world.dir, env: world.env }),
      1,
      `${device} is a device, not a file.`,
    );
  }
});

it('a pipe that never ends is read up to the size of the largest plan', async () => {
  const zeros = createReadStream('/dev/zero');
  zeros.pipe(createWriteStream(pipe)).on('error', () => zeros.destroy());
  await expectEnd(world.run('show pipe.json'), 1, 'pipe.json is larger than 256 MB');
});

describe('a pipe in the place of a file that tenantctl keeps', () => {
  it.each([
    ['test/lock', 'apply --yes'],
    ['test/journal/DIGEST.jsonl', 'apply --yes'],
    ['fleets/DIGEST.jsonl', 'apply --yes', '--shard', '1/1'],
    ['test/results/2026-01-01T00-00-00-000Z-test.json', 'rollback --last'],
  ])('is named: %s', async (place, command, ...options) => {
    const { digest } = await world.plan(...options);
    const name = place.replace('DIGEST', digest.replace('sha256:', ''));
    world.write(`.tenantctl/${name}.txt`, '');
    execFileSync('mkfifo', [join(world.dir, '.tenantctl', name)]);
    await expectEnd(world.run(command, ...options), 1, `${name.slice(-9)} is not a regular file.`);
  });
});

describe('a pipe in the place of a file of the project', () => {
  const host =
    'identity: { baseUrl: "https://127.0.0.1:1", auth: { token: !env CLIENT_SECRET }, tls: { ca: pipe.json } }';
  it.each([
    ['the project file', null, 'init', 'tenantctl.yaml is not a regular file.'],
    ['a certificate', host, 'plan', 'pipe.json cannot be read (not a regular file).'],
    ['a seed', 'sandbox: { seed: pipe.json }', 'plan', 'pipe.json: it is not a regular file.'],
  ])('is named: %s', async (_, environment, command, message) => {
    if (environment)
      world.write('tenantctl.yaml', `version: 1\nenvironments: { test: { ${environment} } }\n`);
    else renameSync(pipe, join(world.dir, 'tenantctl.yaml'));
    // Whoever opens the pipe all the same gets an empty file, and does not wait forever.
    const writer = spawn('sh', ['-c', `: > '${environment ? pipe : join(world.dir, 'tenantctl.yaml')}'`]);
    onTestFinished(() => void writer.kill());
    await expectEnd(world.run(command), 1, message);
  });
});
