/** Two saved searches that share a label, and that no manifest names: the API cannot delete them, so nothing may need that. */
import { expect, it } from 'vitest';
import { commitAll } from '../support/repository.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const rule = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };
const joiners = { kind: 'ProfileSearch', label: 'Joiners', rules: [rule] };

async function tenant(...labels: string[]): Promise<World> {
  const world = await createTestWorld();
  const searches = [...labels, 'Leavers', 'Leavers'].map((label, at) => ({ id: `q${at}`, label }));
  addObjects(world.sandbox.state, { profileSearches: searches });
  return world;
}

it('does not keep a plan from being compared with a revision', async () => {
  const world = await tenant();
  world.declare([joiners]);
  commitAll(world.dir);
  const { changes } = await world.plan('--since', 'HEAD');
  expect(changes).toMatchObject([{ action: 'create', address: 'ProfileSearch/Joiners' }]);
});

it('does not keep an apply from being undone', async () => {
  const world = await tenant();
  world.declare([joiners]);
  await succeed(world, 'apply --yes --result result.json');
  expect((await succeed(world, 'rollback result.json')).stdout).toContain('ProfileSearch/Joiners');
});

it('does not hide that a search is unknown', async () => {
  const world = await tenant('Joiners');
  await expectEnd(world.run('search Joinerz'), 1, 'unknown-search', 'Did you mean `Joiners`?');
});
