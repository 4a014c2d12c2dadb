/** A named pipe that a variable such as CLIENT_SECRET_FILE names: nothing waits for it for ever. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readOutside } from '../../src/loader/inputs.ts';
import { startProgram } from '../support/program.ts';
import { createTestWorld } from '../support/world.ts';

/** A pipe whose other end nobody opens. */
function createPipe(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantctl-pipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

it('is waited for until a time limit', () => {
  expect(readOutside(createPipe(), 100, 300)).toBe('late');
});

it('is read to its end, and no further than a limit of size', () => {
  const pipe = createPipe();
  const write = (bytes: number) =>
    spawn('sh', ['-c', `head -c ${bytes} /dev/zero > '${pipe}'`], { stdio: 'ignore' });
  write(10);
  expect(readOutside(pipe, 100)).toHaveLength(10);
  write(1_000_000);
  expect(readOutside(pipe, 100).length).toBeGreaterThan(100);
});

const filesOf = (pid: number | undefined) => `/proc/${pid}/fd`;

it.skipIf(!existsSync(filesOf(process.pid))).each([
  ['Ctrl-C, which reaches all of a terminal', 'SIGINT', -1, 130],
  ['SIGINT, which reaches the program alone', 'SIGINT', 1, 130],
  ['SIGTERM, which reaches the program alone', 'SIGTERM', 1, 'SIGTERM'],
] as const)('stops with %s', async (_, signal, reach, end) => {
  const world = await createTestWorld();
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  const pipe = createPipe();
  const env = { ...process.env, ...world.env, CLIENT_SECRET: undefined, CLIENT_SECRET_FILE: pipe };
  const child = startProgram(['plan'], { cwd: world.dir, env, detached: true });
  const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve(code ?? by)));
  const files = filesOf(child.pid);
  await expect
    .poll(() => readdirSync(files).some((file) => linkOf(join(files, file)) === pipe), { timeout: 20_000 })
    .toBe(true);
  process.kill(reach * (child.pid ?? 0), signal);
  expect(await ended).toBe(end);
});

/** A file may be closed while the folder is read. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
