/** Named pipes and devices in the place of files: nothing waits for them. */
import { execFileSync, spawn } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createWorld, expectEnd, type World } from '../support/world.ts';

/** Nothing is applied, so that one tenant serves all. */
let world: World;
let pipe = '';
beforeAll(async () => {
  world = await createWorld();
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  pipe = join(world.dir, 'pipe.json');
  execFileSync('mkfifo', [pipe]);
});
afterAll(() => world.close());

it.each([
  ['show pipe.json', 'pipe.json is not a regular file'],
  ['apply pipe.json', 'pipe.json is not a regular file'],
  ['rollback pipe.json', 'pipe.json is not a regular file'],
  ['apply --yes --proven-by pipe.json', 'pipe.json is not a regular file'],
  ['plan --out pipe.json', 'pipe.json is a pipe'],
  ['plan --report pipe.json', 'pipe.json is a pipe'],
  ['apply --yes --result pipe.json', 'pipe.json is a pipe'],
  ['plan --trace pipe.json', 'pipe.json is a pipe'],
  ['sandbox --seed pipe.json', 'pipe.json: it is not a regular file.'],
  ['sandbox --data pipe.json', 'pipe.json: it is not a regular file.'],
])('%s is refused at once', async (line, words) => {
  const { length } = world.sandbox.log;
  await expectEnd(world.run(line), 1, words);
  expect(world.sandbox.log).toHaveLength(length);
});

it('the summary of a step is not written into a pipe, which is said', async () => {
  world.env.GITHUB_STEP_SUMMARY = pipe;
  await expectEnd(world.run('plan'), 0, 'The step summary could not be written.');
  delete world.env.GITHUB_STEP_SUMMARY;
});

it.each(['/dev/zero', '/dev/tty', '/dev/null'])('%s is refused as a plan', async (device) => {
  for (const command of ['show', 'apply', 'rollback'])
    await expectEnd(world.run(command, device), 1, `${device} is not a regular file.`);
});

it.each([
  ['test/lock', 'apply --yes'],
  ['test/journal/DIGEST.jsonl', 'apply --yes'],
  ['fleets/DIGEST.jsonl', 'apply --yes', '--shard', '1/1'],
  ['test/results/2026-01-01T00-00-00-000Z-test.json', 'rollback --last'],
])('a pipe in the place of a file that tenantctl keeps is named: %s', async (file, command, ...options) => {
  const { digest } = await world.plan(...options);
  const name = file.replace('DIGEST', digest.replace('sha256:', ''));
  world.write(`.tenantctl/${name}.txt`, '');
  const place = join(world.dir, '.tenantctl', name);
  execFileSync('mkfifo', [place]);
  await expectEnd(world.run(command, ...options), 1, `${name.slice(-9)} is not a regular file.`);
  rmSync(place);
});

const host =
  'identity: { baseUrl: "https://127.0.0.1:1", auth: { token: !env CLIENT_SECRET }, tls: { ca: pipe.json } }';
it.each([
  ['a certificate', host, 'plan', 'pipe.json cannot be read (not a regular file).'],
  ['a seed', 'sandbox: { seed: pipe.json }', 'plan', 'pipe.json: it is not a regular file.'],
  ['the project file', null, 'init', 'tenantctl.yaml is not a regular file.'],
])('a pipe in the place of a file of the project is named: %s', async (_, environment, command, message) => {
  if (environment) world.write('tenantctl.yaml', `version: 1\nenvironments: { test: { ${environment} } }\n`);
  else renameSync(pipe, join(world.dir, 'tenantctl.yaml'));
  // Whoever opens the pipe all the same gets an empty file, and does not wait forever.
  const writer = spawn('sh', ['-c', `: > '${environment ? pipe : join(world.dir, 'tenantctl.yaml')}'`]);
  onTestFinished(() => void writer.kill());
  await expectEnd(world.run(command), 1, message);
});
