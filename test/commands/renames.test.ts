/** A name that was changed in a manifest: the plan asks whether the new object and the one without a manifest are one. */
import { expect, it } from 'vitest';
import { createTestWorld, succeed, type World } from '../support/world.ts';

const seed = `
simIntegrations:
  - { id: s1, name: Tickets, type: Jira, description: For the helpdesk, sources: [], attributes: { url: https://jira.example.com, password: hidden } }
  - { id: s2, name: Changes, type: ServiceNow, sources: [], attributes: {} }
`;
const integration = (name: string, fields: object = {}) => ({ kind: 'SimIntegration', name, ...fields });
const tickets = { type: 'Jira', description: 'For the helpdesk' };

async function questions(world: World, ...argv: string[]) {
  const { diagnostics } = await world.plan(...argv);
  return diagnostics.filter(({ code }) => code === 'renamed');
}

it('is asked about with the line to write, which makes it a rename', async () => {
  const world = await createTestWorld({ seed });
  world.declare([integration('Helpdesk', tickets)]);
  const message =
    'Renamed? The plan creates SimIntegration/Helpdesk, but SimIntegration/Tickets, which no manifest declares, has the same fields.';
  const hint = 'If they are the same object, write `lifecycle: { renamedFrom: "Tickets" }` in the manifest.';
  expect(await questions(world)).toMatchObject([
    { severity: 'warning', address: 'SimIntegration/Helpdesk', message, hint },
  ]);
  expect((await world.run('plan')).stdout).toContain('lifecycle: { renamedFrom: "Tickets" }');
  world.declare([integration('Helpdesk', { ...tickets, lifecycle: { renamedFrom: 'Tickets' } })]);
  await succeed(world, 'apply', '--yes');
  expect(world.sandbox.state.simIntegrations).toMatchObject([{ id: 's1', name: 'Helpdesk' }, { id: 's2' }]);
});

it('is not asked about where a rollback creates what an apply deleted', async () => {
  const world = await createTestWorld({
    seed: `simIntegrations: [{ id: s1, name: Tickets, type: Jira, sources: [] }, { id: s2, name: Twin, type: Jira, sources: [] }]`,
  });
  world.declare([integration('Tickets', { ensure: 'absent' })]);
  await succeed(world, 'apply', '--yes');
  const { stdout } = await succeed(world, 'rollback', '--last');
  expect(stdout).toContain('+ SimIntegration/Tickets');
  expect(stdout).not.toContain('Renamed?');
});

it('is asked about where --prune deletes the former object', async () => {
  const world = await createTestWorld({ seed, environment: { prune: { kinds: ['SimIntegration'] } } });
  world.declare([integration('Helpdesk', tickets), integration('Changes')]);
  const [question, ...others] = await questions(world, '--prune');
  const words = 'Renamed? SimIntegration/Tickets is deleted and SimIntegration/Helpdesk is created.';
  expect(question?.message).toContain(words);
  expect(others).toEqual([]);
});
