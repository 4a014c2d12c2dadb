/** Secrets that a tenant does not show, written by a run that ended in part, and then corrected. */
import { expect, it } from 'vitest';
import { createTestWorld, expectEnd, succeed } from '../support/world.ts';

const desk = (name: string, secret: string) =>
  `kind: SimIntegration\nname: ${name}\ntype: Desk\nattributes: { url: u, password: !secret ${secret} }\n`;

async function createStage() {
  const world = await createTestWorld({ sandbox: { variations: { simSecrets: 'masked' } } });
  world.write('config/desks.yaml', [desk('One', 'ONE'), desk('Two', 'TWO')].join('---\n'));
  Object.assign(world.env, { ONE: 'first-of-one', TWO: 'first-of-two' });
  await world.run('apply --yes');
  const { state, faults } = world.sandbox;
  const passwords = () =>
    Object.fromEntries(state.simIntegrations.map(({ name, attributes }) => [name, attributes?.password]));
  const refuseSecond = () => faults.add({ kind: 'status', status: 403, method: 'PATCH', nth: 2 });
  const failed = () =>
    Object.keys(passwords()).filter((name) => passwords()[name]?.toString().startsWith('first'));
  return { ...world, passwords, refuseSecond, failed };
}

it('are written by the next apply, though its plan is equal', async () => {
  const world = await createStage();
  Object.assign(world.env, { ONE: 'mistyped-one', TWO: 'mistyped-two' });
  world.refuseSecond();
  await expectEnd(world.run('apply --yes --rotate SimIntegration/*'), 3);
  expect(world.failed()).toHaveLength(1);
  Object.assign(world.env, { ONE: 'second-of-one', TWO: 'second-of-two' });
  await succeed(world, 'apply --yes --rotate SimIntegration/*');
  expect(world.passwords()).toEqual({ One: 'second-of-one', Two: 'second-of-two' });
});

it('are named by an apply that finishes a saved plan, which writes nothing twice', async () => {
  const world = await createStage();
  Object.assign(world.env, { ONE: 'mistyped-one', TWO: 'mistyped-two' });
  await world.run('plan --rotate SimIntegration/* --out plan.json');
  world.refuseSecond();
  await expectEnd(world.run('apply plan.json'), 3);
  const [left = ''] = world.failed();
  const made = left === 'One' ? 'Two' : 'One';
  Object.assign(world.env, { ONE: 'second-of-one', TWO: 'second-of-two' });
  const again = await succeed(world, 'apply plan.json');
  expect(world.passwords()).toEqual({
    [made]: `mistyped-${made.toLowerCase()}`,
    [left]: `second-of-${left.toLowerCase()}`,
  });
  expect(again.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `wrote it, with the secrets of that time (${made.toUpperCase()}). If they have changed, make a new plan with --rotate SimIntegration/${made}.`,
  );
});
