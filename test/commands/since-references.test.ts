/** `--since REV` where a manifest now refers to another object than at the revision. */
import { expect, it } from 'vitest';
import { commitAll } from '../support/repository.ts';
import { createTestWorld, type World } from '../support/world.ts';

const seed = `
objects:
  Cluster: [{ id: c-old, name: old }, { id: c-new, name: new }, { id: c-other, name: other }]
simIntegrations: [{ id: s1, name: Tickets, type: Jira, cluster: c-old, sources: [], attributes: {} }]
`;
const manifest = (cluster: string) =>
  `kind: SimIntegration\nname: Tickets\ncluster: !ref Cluster/${cluster}\n`;

/** The manifest named the cluster \`old\` at the revision, and names \`new\` now. */
async function swapped(): Promise<World> {
  const world = await createTestWorld({ seed, files: { 'config/tickets.yaml': manifest('old') } });
  commitAll(world.dir);
  world.write('config/tickets.yaml', manifest('new'));
  return world;
}

const verdict = async (world: World) => {
  const { changes } = await world.plan('--since', 'HEAD');
  return changes.map(({ risk, diff }) => ({ risk, origins: diff.map(({ origin }) => origin) }));
};

it('is a change of the repository alone, though no manifest names the former object any more', async () => {
  expect(await verdict(await swapped())).toEqual([{ risk: [], origins: ['repo'] }]);
});

it('also undoes a change where somebody has set a third object in the tenant', async () => {
  const world = await swapped();
  for (const each of world.sandbox.state.simIntegrations) each.cluster = 'c-other';
  expect(await verdict(world)).toEqual([{ risk: ['undoes-tenant-change'], origins: ['both'] }]);
});

it('is one of the repository where the tenant has not the former object any more', async () => {
  const world = await createTestWorld({ seed, files: { 'config/tickets.yaml': manifest('gone') } });
  commitAll(world.dir);
  world.write('config/tickets.yaml', manifest('new'));
  expect(await verdict(world)).toEqual([{ risk: [], origins: ['repo'] }]);
});

it('reads no kind that only the revision refers to', async () => {
  const world = await createTestWorld({ seed, files: { 'config/tickets.yaml': manifest('old') } });
  commitAll(world.dir);
  world.write('config/tickets.yaml', 'kind: SimIntegration\nname: Tickets\ncluster: c-new\n');
  expect(await verdict(world)).toEqual([{ risk: [], origins: ['repo'] }]);
  const called = world.sandbox.log.map(({ path }) => path);
  expect(called.some((path) => path.includes('sim-integrations'))).toBe(true);
  expect(called.some((path) => path.includes('clusters'))).toBe(false);
});
