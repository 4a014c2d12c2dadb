/** Streams that somebody closes, or that have no room left, while the built program is at work. */
import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { program } from '../support/program.ts';
import { createTestWorld, seedFile, type World } from '../support/world.ts';

const declared = [1, 2, 3].map((at) => ({ kind: 'SenderAddress', email: `new${at}@acme.example` }));

let world: World;
beforeEach(async () => {
  world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.declare(declared);
});
function start(argv: readonly string[], stdout: 'pipe' | number = 'pipe') {
  return spawn(process.execPath, [program, ...argv], {
    cwd: world.dir,
    env: { ...process.env, ...world.env },
    stdio: ['ignore', stdout, 'pipe'],
  });
}

const created = () =>
  world.sandbox.state.senders.filter(({ email }) => declared.some((each) => each.email === email)).length;

const exitOf = (child: ReturnType<typeof start>) =>
  new Promise<number | null>((resolve) => child.on('close', resolve));

it('an apply goes on to its end though nobody reads its log any more', async () => {
  const child = start(['apply', '--yes', '--verbose', '--result', 'result.json']);
  child.stderr?.once('data', () => child.stderr?.destroy());
  expect(await exitOf(child)).toBe(0);
  expect(created()).toBe(declared.length);
  expect(JSON.parse(world.read('result.json')).summary.done).toBe(3);
});

it.skipIf(!existsSync('/dev/full')).each([
  { argv: ['apply', '--yes'], made: declared.length },
  { argv: ['plan', '--detailed-exitcode'], made: 0 },
])('a command that cannot print what it did ends incomplete: $argv.0', async ({ argv, made }) => {
  const child = start(argv, openSync('/dev/full', 'w'));
  let complaints = '';
  child.stderr?.on('data', (text) => {
    complaints += text;
  });
  expect(await exitOf(child)).toBe(3);
  expect(complaints.match(/The output cannot be written \(ENOSPC\)/g)).toHaveLength(1);
  expect(complaints).not.toContain(' at ');
  expect(created()).toBe(made);
});
