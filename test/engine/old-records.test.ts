import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestWorld, type World } from '../support/world.ts';

/** Puts what the environment has recorded where earlier versions kept it. */
function keepTheOldWay({ dir }: World): void {
  for (const what of ['journal', 'results']) {
    renameSync(join(dir, '.tenantctl/test', what), join(dir, '.tenantctl', what));
  }
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

it('finishes a run whose journal is in the place of earlier versions', async () => {
  const world = await createTestWorld();
  world.declare([
    { kind: 'SenderAddress', email: 'a@acme.example' },
    { kind: 'SenderAddress', email: 'b@acme.example' },
  ]);
  await world.run('plan', '--out', 'plan.json');
  world.sandbox.faults.add({
    kind: 'status',
    status: 400,
    operation: 'create-verified-from-address',
    nth: 2,
  });
  expect(await world.run('apply', 'plan.json')).toMatchObject({ code: 3 });
  keepTheOldWay(world);
  const results = namesIn(join(world.dir, '.tenantctl/results'));
  const others = ['2026-01-01T00-00-00-000Z-other.json', '2026-01-01T00-00-00-000Z-other-test.json'];
  for (const name of others) world.write(`.tenantctl/results/${name}`, '{}');
  // Without the journal, the sender that exists would make the plan stale.
  expect(await world.run('apply', 'plan.json')).toMatchObject({ code: 0 });
  expect(world.sandbox.state.senders.map(({ email }) => email).sort()).toEqual([
    'a@acme.example',
    'b@acme.example',
  ]);
  expect(namesIn(join(world.dir, '.tenantctl/journal'))).toEqual([]);
  expect(namesIn(join(world.dir, '.tenantctl/results'))).toEqual(others.toSorted());
  expect(namesIn(join(world.dir, '.tenantctl/test/results'))).toEqual(expect.arrayContaining(results));
});

it('leaves the journals of other tenants where they are', async () => {
  const world = await createTestWorld();
  mkdirSync(join(world.dir, '.tenantctl/journal'), { recursive: true });
  const tenant = { identity: 'https://other.example', profiles: 'https://other.example' };
  const header = { type: 'plan', format: 1, digest: `sha256:${'0'.repeat(64)}`, tenant };
  world.write('.tenantctl/journal/other.jsonl', `${JSON.stringify(header)}\n`);
  world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  expect(await world.run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(namesIn(join(world.dir, '.tenantctl/journal'))).toEqual(['other.jsonl']);
});
