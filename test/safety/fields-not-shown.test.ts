/** Fields of an integration that its tenant shows only where they are set: the plan cannot compare them with unset ones. */
import { describe, expect, it } from 'vitest';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const desk = (fields: object) => ({ kind: 'SimIntegration', name: 'Desk', ...fields });
const set = { request: { x: { y: '1' } }, statusMap: { closed: 'Committed' } };
const cleared = { request: null, statusMap: null };

async function worldOf(identity = {}): Promise<World> {
  const world = await createTestWorld({
    identity,
    seed: `simIntegrations: [{ id: i1, name: Desk, type: T, attributes: { url: u }, request: ${JSON.stringify(set.request)}, statusMap: ${JSON.stringify(set.statusMap)} }]\n`,
  });
  return world;
}

const shown = ({ sandbox }: World) => {
  const [{ request, statusMap } = cleared] = sandbox.state.simIntegrations;
  return { request, statusMap };
};

async function apply(world: World, fields: object, ...options: string[]): Promise<void> {
  world.declare([desk(fields)]);
  await succeed(world, 'apply --yes --result result.json', ...options);
}

describe.each([{}, { simUpdate: 'put' }])('with %j', (identity) => {
  it('are written by --rotate', async () => {
    const world = await worldOf(identity);
    await apply(world, cleared);
    expect(shown(world)).toEqual(cleared);
    await apply(world, set);
    expect(shown(world)).toEqual(cleared);
    await apply(world, set, '--rotate', 'SimIntegration/Desk');
    expect(shown(world)).toEqual(set);
  });

  it('come back with the rollback of an apply that cleared them', async () => {
    const world = await worldOf(identity);
    await apply(world, cleared);
    const { json } = await expectEnd(world.run('rollback result.json --format json --out back.json'), 0);
    // No manifest declares what the request held, so no result shows it.
    expect(json).toMatchObject({
      changes: [{ action: 'update' }],
      diagnostics: [{ code: 'rollback-incomplete', message: expect.stringContaining('/request') }],
    });
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    expect(shown(world)).toMatchObject({ statusMap: set.statusMap });
  });
});
