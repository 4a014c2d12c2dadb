/** What this checkout has applied: `history`, and `rollback --last`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runUnfinished } from '../../src/applier/saved-file.ts';
import { acquireLock } from '../../src/engine/lock.ts';
import { get, isObject, type JsonObject, objectsIn } from '../../src/model/json.ts';
import { createTestFleet } from '../support/fleet.ts';
import { commitAll, git } from '../support/repository.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const sender = (email: string) => ({ kind: 'SenderAddress', email });

/** What `history --format json` lists. */
async function appliesOf(world: Pick<World, 'run'>, ...argv: string[]): Promise<JsonObject[]> {
  const { json } = await succeed(world, 'history --format json', ...argv);
  return objectsIn(isObject(json) ? (get(json, 'applies') ?? null) : null);
}

async function applySenders(world: World, ...emails: string[]) {
  world.declare(emails.map(sender));
  await succeed(world, 'apply --yes');
}

it('lists the applies, the newest first, with the commit that they were made at', async () => {
  const world = await createTestWorld();
  expect((await succeed(world, 'history')).stdout).toBe('No apply was made in this checkout.\n');
  const ofTest = 'No apply to test was made in this checkout.\n';
  expect((await succeed(world, 'history -e test')).stdout).toBe(ofTest);
  world.declare([sender('a@acme.example')]);
  commitAll(world.dir);
  await succeed(world, 'apply --yes');
  await applySenders(world, 'a@acme.example', 'b@acme.example', 'c@acme.example');
  const revision = git(world.dir, 'rev-parse', 'HEAD');
  const both = { environment: 'test', outcome: 'done' };
  expect(await appliesOf(world)).toMatchObject([
    { ...both, summary: { done: 2 }, revision: `${revision}-dirty`, undoes: null },
    { ...both, summary: { done: 1 }, revision },
  ]);
  const { stdout } = await succeed(world, 'history --limit 1');
  expect(stdout.replaceAll(/ {2,}/g, '  ')).toMatch(
    /^when {2}environment {2}outcome {2}changes {2}commit {2}plan {2}result file\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}test {2}done {2}2 done {2}\w{10}-dirty {2}sha256:\w{8} {2}\.tenantctl\/test\/results\/\S+\.json\n$/,
  );
});

it('marks a commit that does not have the files that were applied', async () => {
  const world = await createTestWorld();
  world.declare([sender('a@acme.example')]);
  commitAll(world.dir);
  const head = git(world.dir, 'rev-parse', 'HEAD');
  // Nothing is declared in it.
  world.write('notes.yaml', 'a: 1');
  await succeed(world, 'apply --yes');
  world.write('config/new.yaml', 'kind: SenderAddress\nemail: b@acme.example\n');
  await succeed(world, 'apply --yes');
  rmSync(join(world.dir, 'config/new.yaml'));
  await applySenders(world, 'c@acme.example');
  const revisions = (await appliesOf(world)).map(({ revision }) => revision);
  expect(revisions).toEqual([`${head}-dirty`, `${head}-dirty`, head]);
  expect((await succeed(world, 'history')).stdout).toContain(`  ${head.slice(0, 10)}-dirty  `);
});

it('tells an apply that is running from one that was killed', async () => {
  const world = await createTestWorld();
  await applySenders(world, 'a@acme.example');
  const [past] = await appliesOf(world);
  const file = String(past?.file);
  const leave = (startedAt: string) => {
    const unfinished = { startedAt, outcome: 'interrupted', diagnostics: [runUnfinished] };
    world.write(file, JSON.stringify({ ...JSON.parse(world.read(file)), ...unfinished }));
  };
  const outcomes = async () => (await appliesOf(world)).map(({ outcome }) => outcome);
  leave('2999-01-01T00:00:00Z');
  expect(await outcomes()).toEqual(['interrupted']);
  const lock = await acquireLock(join(world.dir, '.tenantctl/test'));
  expect(await outcomes()).toEqual(['running']);
  expect((await succeed(world, 'history')).stdout).toContain('  running  ');
  // Killed before the run began that has the lock now.
  leave('2000-01-01T00:00:00Z');
  expect(await outcomes()).toEqual(['interrupted']);
  await lock.release();
});

it.each([
  ['unknown', { kind: 'reset-before' }],
  ['failed', { kind: 'status', status: 400 }],
] as const)('keeps an apply whose only change is %s', async (outcome, fault) => {
  const world = await createTestWorld();
  const byHand = { kind: 'AuthProfile', name: 'Employees', type: 'MFA' };
  world.declare([{ kind: 'ProfileSearch', label: 'A', rules: [] }, byHand]);
  world.sandbox.faults.add({ ...fault, method: 'POST', path: '/api', times: 99 });
  await expectEnd(world.run('apply --yes'), 3);
  const summary = { done: 0, failed: 0, unknown: 0, notAttempted: 1, [outcome]: 1 };
  expect(await appliesOf(world)).toMatchObject([{ summary }]);
  // As the report of the apply counts them.
  expect((await succeed(world, 'history')).stdout).toContain(`  partial  1 ${outcome}, 1 by hand  `);
});

it('names a file that says nothing, and no other file of the folder', async () => {
  const world = await createTestWorld();
  world.write('.tenantctl/test/results/2026-01-01T00-00-00-000Z-test.json', '{');
  world.write('.tenantctl/test/results/2025-01-01T00-00-00-000Z-test.json/a-folder', '');
  world.write('.tenantctl/test/results/notes.json', '{}');
  expect(await appliesOf(world)).toMatchObject([
    { startedAt: '2026-01-01T00:00:00.000Z', unreadable: expect.stringContaining('is not JSON') },
    { startedAt: '2025-01-01T00:00:00.000Z', unreadable: expect.stringContaining('is not a regular file') },
  ]);
  expect((await succeed(world, 'history')).stdout).toContain('unreadable');
});

it('lists all environments, or those of --env', async () => {
  const fleet = await createTestFleet({ names: ['eu-1', 'us-1'] });
  fleet.declare([sender('a@acme.example')]);
  await succeed(fleet, 'apply -e * --yes');
  const namesOf = async (...argv: string[]) =>
    (await appliesOf(fleet, ...argv)).map(({ environment }) => environment);
  expect((await namesOf()).sort()).toEqual(['eu-1', 'us-1']);
  expect(await namesOf('-e', 'us-*')).toEqual(['us-1']);
  await expectEnd(fleet.run('rollback --last -e *'), 1, '[several-environments]');
});

it('rollback --last undoes the latest apply, says which, and says that it brings back what a rollback undid', async () => {
  const world = await createTestWorld();
  await applySenders(world, 'a@acme.example');
  await applySenders(world, 'a@acme.example', 'b@acme.example');
  const [{ file, startedAt } = {}] = await appliesOf(world);
  const back = await succeed(world, 'rollback --last --out back.json');
  expect(back.stderr).toContain(`Undoes the apply of ${startedAt} (done): ${file}`);
  expect(back.stderr).not.toContain('was a rollback itself');
  await succeed(world, 'apply back.json --max-deletes 1');
  expect(world.sandbox.state.senders.map(({ email }) => email)).toEqual(['a@acme.example']);
  expect((await appliesOf(world))[0]).toMatchObject({ undoes: { startedAt } });
  const told = `That apply was a rollback itself: this plan brings back what it undid, the apply of ${startedAt}`;
  const again = await expectEnd(world.run('rollback --last'), 0, told);
  expect(again.stdout).toContain('1 to create');
});

it('rollback is refused without a result, or with two, and --last passes over none that cannot be read', async () => {
  const world = await createTestWorld();
  for (const line of ['rollback', 'rollback result.json --last'])
    await expectEnd(world.run(line), 1, '[usage]');
  await expectEnd(world.run('rollback --last'), 1, '[no-result]');
  await applySenders(world, 'a@acme.example');
  const latest = '.tenantctl/test/results/9999-01-01T00-00-00-000Z-test.json';
  world.write(latest, '{');
  await expectEnd(world.run('rollback --last'), 1, '[no-result]');
  rmSync(join(world.dir, latest));
  // It would delete the only sender, which a guard refuses.
  await expectEnd(world.run('rollback --last'), 4);
});
