/** `-` in the place of a file is stdout; `export --dry-run` writes none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestWorld, expectEnd, filesBelow, succeed } from '../support/world.ts';

const sender = { kind: 'SenderAddress', email: 'a@acme.example' };

async function createProject() {
  const world = await createTestWorld({ seed: 'senders: [{ email: old@acme.example }]\n' });
  world.declare([sender]);
  return world;
}

it('--out - prints the plan file, which can be applied, and shows the plan on stderr', async () => {
  const world = await createProject();
  const { stdout } = await expectEnd(world.run('plan --out -'), 0, 'Plan: 1 to create');
  world.write('plan.json', stdout);
  expect(existsSync(join(world.dir, '-'))).toBe(false);
  await succeed(world, 'apply plan.json');
  expect(world.sandbox.state.senders).toHaveLength(2);
  const back = await succeed(world, 'rollback --last --out - --quiet');
  expect(JSON.parse(back.stdout)).toMatchObject({ summary: { delete: 1 } });
});

it('--report - prints the report once, in the format of --format', async () => {
  const world = await createProject();
  const { stdout } = await succeed(world, 'plan --format markdown --report -');
  expect(stdout).toBe((await succeed(world, 'plan --format markdown')).stdout);
  expect(existsSync(join(world.dir, '-'))).toBe(false);
});

it.each([
  ['plan --out - --format json', 'Two documents would go to stdout'],
  ['plan --out - --report - --format markdown', 'Two documents would go to stdout'],
  ['plan --report=- --report=- --format markdown', 'Two documents would go to stdout'],
  ['apply --yes --result -', '--result - must name a file, not stdout'],
  ['export --out -', 'cannot go to stdout'],
])('%s is refused', async (line, words) => {
  const world = await createProject();
  const { stdout, stderr } = await expectEnd(world.run(line), 1);
  // With --format json, the problem is JSON too.
  if (!line.includes('json')) expect(stdout).toBe('');
  expect(stderr.replaceAll('`', '').replaceAll(/\s+/g, ' ')).toContain(words);
  expect(world.sandbox.log).toEqual([]);
});

it('export --dry-run names the files, and writes none', async () => {
  const world = await createProject();
  const before = filesBelow(world.dir);
  const fresh = await succeed(world, 'export --dry-run --out exported');
  expect(fresh.stdout).toContain('+ exported/sender-addresses.yaml\n');
  expect(fresh.stdout).toContain('Nothing was written.');
  const merged = await succeed(world, 'export --merge --all --delete --dry-run');
  expect(merged.stdout).toMatch(/^[~+-] config\//m);
  expect(merged.stdout).toContain('Nothing was written.');
  expect(filesBelow(world.dir)).toEqual(before);
});
