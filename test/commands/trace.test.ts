/** `--trace FILE`: every request and response, for somebody who was not there. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, seedFile, succeed, type World } from '../support/world.ts';

const linesOf = (world: World, file: string): Json[] =>
  JSON.parse(`[${world.read(file).trimEnd().split('\n').join()}]`);

const deep = [{ note: 'blue-note', type: 'green-type' }];
const attributes = { url: 'https://desk.example/secret-path', password: 'hunter-two', deep };
const desk = { name: 'Desk', type: 'Jira', attributes };

it('has each exchange of a run, the one for the token too, and is for its owner only', async () => {
  const world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  await succeed(world, 'apply --yes --trace logs/trace.jsonl');
  const lines = linesOf(world, 'logs/trace.jsonl');
  expect(lines[0]).toMatchObject({
    method: 'POST',
    url: expect.stringMatching(/oauth\/token$/),
    request: { body: expect.stringMatching(/^\[text of \d+ characters\]$/) },
    answer: { status: 200 },
  });
  expect(lines).toContainEqual(
    expect.objectContaining({
      method: 'POST',
      url: `${world.sandbox.url}/v2025/verified-from-addresses`,
      request: expect.objectContaining({ body: { email: 'new@acme.example' } }),
      answer: expect.objectContaining({ outcome: 'answered', status: 201 }),
    }),
  );
  expect(lines).toHaveLength(world.sandbox.log.length);
  expect(statSync(join(world.dir, 'logs/trace.jsonl')).mode & 0o777).toBe(0o600);
});

it.each([
  ['in a text', {}],
  ['as JSON', { jsonText: 'object' }],
] as const)('names what is read, without texts, settings %s, the token and secrets', async (_, vary) => {
  const world = await createTestWorld({ sandbox: { variations: vary } });
  addObjects(world.sandbox.state, { simIntegrations: [desk] });
  await succeed(world, 'get SimIntegration/Desk --quiet --trace trace.jsonl');
  const text = world.read('trace.jsonl');
  expect(text).toContain('"name":"Desk"');
  expect(text).toMatch(/\[text of \d+ characters\]/);
  expect(text).not.toMatch(/hunter-two|secret-path|blue-note|green-type|Bearer/);
  expect(text).not.toContain(world.sandbox.clientSecret);
});

it('keeps the message of a tenant that refuses', async () => {
  const world = await createTestWorld();
  world.env.CLIENT_SECRET = 'wrong-client-secret';
  await expectEnd(world.run('check --trace trace.jsonl'), 1, '[tenant-unauthorized]');
  const answer = { status: 401, body: { error: 'invalid_client' } };
  expect(linesOf(world, 'trace.jsonl')[0]).toMatchObject({ answer });
  expect(world.read('trace.jsonl')).not.toContain('wrong-client-secret');
});

it('is missed where nothing was sent', async () => {
  const world = await createTestWorld();
  const words = 'No request was sent, so no trace was written to trace.jsonl.';
  expect(await succeed(world, 'history --trace trace.jsonl')).toMatchObject({ stderr: `${words}\n` });
  expect(await succeed(world, 'history --quiet --trace trace.jsonl')).toMatchObject({ stderr: '' });
  expect(await succeed(world, 'check --trace trace.jsonl')).toMatchObject({ stderr: '' });
});

it('takes the place of an earlier trace, which others may have been able to read', async () => {
  const world = await createTestWorld();
  writeFileSync(join(world.dir, 'trace.jsonl'), 'earlier', { mode: 0o644 });
  await succeed(world, 'status --trace trace.jsonl');
  expect(world.read('trace.jsonl')).not.toContain('earlier');
  expect(statSync(join(world.dir, 'trace.jsonl')).mode & 0o777).toBe(0o600);
});

it.each([
  ['a file of the project', 'config/body.html', 'config/body.html'],
  ['a folder', 'config', 'config'],
])('is not written over %s', async (_what, file, named) => {
  const world = await createTestWorld({ files: { 'config/body.html': 'Hello' } });
  world.write(
    'config/t.yaml',
    'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nbody: !file body.html\n',
  );
  await expectEnd(world.run('plan', '--trace', file), 1, named);
  expect(world.read('config/body.html')).toBe('Hello');
  expect(world.sandbox.log).toEqual([]);
});
