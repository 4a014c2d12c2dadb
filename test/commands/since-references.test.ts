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
async function createSwapped(): Promise<World> {
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
  expect(await verdict(await createSwapped())).toEqual([{ risk: [], origins: ['repo'] }]);
});

it('also undoes a change where somebody has set a third object in the tenant', async () => {
  const world = await createSwapped();
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

it('is a change in the tenant where only the name of what it refers to has changed, and that was applied already', async () => {
  const kind = (name: string, fields: string) => `kind: ${name}
summary: A kind of the tests.
path: /v2025/${name.toLowerCase()}s
key: name
list: { pageSize: 50 }
update: json-patch
create: true
delete: true
fields: ${fields}
`;
  const [badge, role] = [
    kind('Badge', '{ colour: value }'),
    kind('Role', '{ badge: { is: value, to: Badge } }'),
  ];
  const declared = (name: string, more = '') =>
    `kind: Badge\nname: ${name}\n${more}---\nkind: Role\nname: Guest\nbadge: !ref Badge/${name}\n`;
  const world = await createTestWorld({
    seed: `
kinds:
${[badge, role].map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}`).join('\n')}
objects:
  Badge: [{ id: b1, name: New }, { id: b2, name: Other }]
  Role: [{ id: r1, name: Guest, badge: b2 }]
`,
    files: {
      'kinds/Badge.kind.yaml': badge,
      'kinds/Role.kind.yaml': role,
      'config/all.yaml': declared('Old'),
    },
  });
  commitAll(world.dir);
  world.write('config/all.yaml', declared('New', 'lifecycle: { renamedFrom: Old }\n'));
  expect(await verdict(world)).toEqual([{ risk: ['undoes-tenant-change'], origins: ['tenant'] }]);
});
