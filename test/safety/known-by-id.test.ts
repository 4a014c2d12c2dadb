/** Objects that are known by their ids alone, since a manifest pins them so or because they share a name, keep their names for guards. */
import { beforeEach, expect, it } from 'vitest';
import { type Plan, planDigest } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { createTestWorld, editProject, expectEnd, type World, writesIn } from '../support/world.ts';

const seed = `
simIntegrations:
  - { id: s1, name: Desk, description: Tickets, type: ServiceNow }
  - { id: s2, name: Other, description: Badges, type: Jira }
`;
const protect = ['SimIntegration/Desk'];
const pinned = { kind: 'SimIntegration', id: 's1' };
const named = { kind: 'SimIntegration', name: 'Desk' };
const gone = (document: object) => ({ ...document, ensure: 'absent' });

let world: World;
async function open(environment: Readonly<Record<string, Json>> = {}): Promise<void> {
  world = await createTestWorld({ seed, environment });
}
beforeEach(() => open());

const wrote = () => writesIn(world.sandbox.log);
const changesOf = ({ changes }: Plan) => changes.map(({ action, address }) => `${action} ${address}`);

async function codesOf(...argv: string[]): Promise<unknown> {
  const { code, stdout } = await world.run('plan --format json', ...argv);
  const { diagnostics }: Plan = JSON.parse(stdout);
  return [code, ...diagnostics.filter(({ severity }) => severity === 'error').map((each) => each.code)];
}

it('protect holds under the name that the tenant shows', async () => {
  await open({ protect });
  world.declare([gone(pinned)]);
  expect(await codesOf()).toEqual([4, 'protected']);
  await expectEnd(world.run('apply --yes'), 4, '[protected]');
  expect(wrote()).toEqual([]);
});

it.each(['Desk', 'DESK'])('a saved plan does not avoid that %s is protected since', async (name) => {
  world.declare([gone(pinned)]);
  const plan = await world.plan('--out', 'plan.json');
  expect(changesOf(plan)).toEqual(['delete SimIntegration/s1']);
  editProject(world, 'profiles: {', `protect: [SimIntegration/${name}],\n    profiles: {`);
  expect((await expectEnd(world.run('apply plan.json --expect', planDigest(plan)), 4)).stdout).toMatch(
    /SimIntegration\/s1 would be deleted, but it is protected as SimIntegration\/Desk\s+by/,
  );
  await expectEnd(world.run('apply plan.json --dry-run'), 4, '[protected]');
  expect(wrote()).toEqual([]);
});

it('--except and prune.keep leave out under the name that the tenant shows', async () => {
  world.declare([gone(pinned)]);
  expect(changesOf(await world.plan('--except', 'SimIntegration/Desk'))).toEqual([]);
  await open({ prune: { kinds: ['SimIntegration'], keep: protect } });
  const [desk] = world.sandbox.state.simIntegrations;
  if (!desk) throw new Error('There is no integration.');
  world.sandbox.state.simIntegrations.push({ ...desk, id: 's3' });
  world.declare([{ kind: 'SimIntegration', name: 'Other' }]);
  const plan = await world.plan('--prune');
  expect(changesOf(plan)).toEqual([]);
  const kept = plan.diagnostics.filter(({ code }) => code === 'kept').map(({ address }) => address);
  expect(kept).toEqual(['SimIntegration/s1', 'SimIntegration/s3']);
  expect((await world.plan()).summary).toMatchObject({ undeclared: 0 });
});

it.each<[string, readonly object[]]>([
  ['is not created again by that name', [pinned, { ...named, description: 'Mine' }]],
  ['is not said to be absent by that name', [pinned, gone(named)]],
  ['is not deleted beside a manifest with that name', [gone(pinned), named]],
  ['is not renamed from that name', [pinned, { ...named, name: 'New', lifecycle: { renamedFrom: 'Desk' } }]],
])('an object that is pinned by its id alone %s', async (_, documents) => {
  world.declare(documents);
  expect(await codesOf()).toEqual([1, 'duplicate-object']);
});

it.each(['patch', 'put'])(
  'a %s leaves the name of an object that is pinned by its id alone',
  async (simUpdate) => {
    world = await createTestWorld({ seed, identity: { simUpdate } });
    world.declare([{ ...pinned, description: 'Mine' }]);
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    expect(world.sandbox.state.simIntegrations[0]).toMatchObject({ name: 'Desk', description: 'Mine' });
  },
);

it('an object whose id is the name of another one keeps its own name', async () => {
  const { state } = world.sandbox;
  for (const each of state.simIntegrations) if (each.id === 's1') each.name = 's2';
  world.declare(['s2', 'Other'].map((name) => ({ kind: 'SimIntegration', name })));
  expect(changesOf(await world.plan())).toEqual([]);
  world.declare([gone({ kind: 'SimIntegration', name: 's2' })]);
  expect((await world.plan()).changes).toMatchObject([{ action: 'delete', id: 's1' }]);
});

it('a manifest whose name is the id of an object does not mean that object', async () => {
  world.declare([{ kind: 'SimIntegration', name: 's1', description: 'Mine', type: 'Jira' }]);
  expect((await world.plan()).changes).toMatchObject([{ action: 'create', id: null }]);
});

it('an apply does not take an object for the new one that has its id as a name', async () => {
  world.declare([
    { ...named, description: 'Mine' },
    { kind: 'SimIntegration', name: 's1', type: 'Jira' },
  ]);
  expect(changesOf(await world.plan())).toEqual(['update SimIntegration/Desk', 'create SimIntegration/s1']);
  expect(await world.run('apply --yes --result result.json')).toMatchObject({ code: 0 });
  expect((await world.plan()).changes).toEqual([]);
  const { state } = world.sandbox;
  state.simIntegrations = state.simIntegrations.filter(({ name }) => name !== 's1');
  await world.run('rollback result.json --out undo.json');
  expect(await world.run('apply undo.json')).toMatchObject({ code: 0 });
  expect(state.simIntegrations).toMatchObject([
    { id: 's1', name: 'Desk', description: 'Tickets' },
    { id: 's2' },
  ]);
});

it('a rollback creates what was deleted by its id with the name that it had', async () => {
  const { state } = world.sandbox;
  const [desk] = state.simIntegrations;
  if (!desk) throw new Error('There is no integration.');
  state.simIntegrations.push({ ...desk, id: 's3' });
  world.declare([gone(pinned)]);
  expect((await world.plan()).changes[0]?.diff).toContainEqual(
    expect.objectContaining({ path: '/name', op: 'remove', before: 'Desk', after: null }),
  );
  expect(await world.run('apply --yes --result result.json')).toMatchObject({ code: 0 });
  const names = () => state.simIntegrations.map(({ name }) => name).toSorted();
  expect(names()).toEqual(['Desk', 'Other']);
  state.simIntegrations = state.simIntegrations.filter(({ id }) => id !== 's3');
  expect(await world.run('rollback result.json --out undo.json')).toMatchObject({ code: 0 });
  expect(await world.run('apply undo.json')).toMatchObject({ code: 0 });
  expect(names()).toEqual(['Desk', 'Other']);
});
