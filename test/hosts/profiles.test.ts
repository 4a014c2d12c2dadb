import { describe, expect, test } from 'vitest';
import { createTestWorld, expectEnd, type World } from '../support/world.ts';

const seed = `
authProfiles:
  - { id: p1, name: Employees, type: PTA }
  - { id: p2, name: Employees, type: MFA }
  - { id: p3, name: Guests, type: MFA }
`;

const open = (): Promise<World> => createTestWorld({ seed });

describe('two authentication profiles with one name', () => {
  test('are exported by id, and a plan of that is empty', async () => {
    const world = await open();
    expect(await world.run('export --out config')).toMatchObject({ code: 0 });
    expect((await world.plan()).changes).toEqual([]);
  });

  test('are changed, and rolled back, where each is declared by its id', async () => {
    const world = await open();
    world.declare([
      { kind: 'AuthProfile', id: 'p1', type: 'NON_PTA' },
      { kind: 'AuthProfile', id: 'p2', type: 'PTA' },
    ]);
    const applied = await world.run('apply --yes --result result.json');
    expect(applied, applied.stdout).toMatchObject({ code: 0 });
    const types = () => world.sandbox.state.authProfiles.map(({ type }) => type);
    expect(types()).toEqual(['NON_PTA', 'PTA', 'MFA']);
    expect((await world.plan()).changes).toEqual([]);
    await world.run('rollback result.json --out back.json');
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    expect(types()).toEqual(['PTA', 'MFA', 'MFA']);
  });

  test('are an error where a manifest means one of them by the name, which says what to do', async () => {
    const world = await open();
    world.declare([{ kind: 'AuthProfile', name: 'Employees', type: 'MFA' }]);
    await expectEnd(world.run('plan'), 1, /ids p1, p2[\s\S]*declare each by its `id` alone/);
  });
});

test('a manifest that pins a profile by its id alone is no rename', async () => {
  const world = await open();
  world.declare([{ kind: 'AuthProfile', id: 'p3', type: 'MFA' }]);
  expect((await world.plan()).changes).toEqual([]);
});
