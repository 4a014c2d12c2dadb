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

const kind = (name: string, fields: string, path = `/v2025/${name.toLowerCase()}s`) => `kind: ${name}
summary: A kind of the tests.
path: ${path}
key: name
list: { pageSize: 50 }
update: json-patch
create: true
delete: true
fields: ${fields}
`;

const seedOf = (kinds: readonly string[], objects: string) => `
kinds:
${kinds.map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}`).join('\n')}
objects:
${objects}
`;

it('is a change in the tenant where only the name of what it refers to has changed, and that was applied already', async () => {
  const [badge, role] = [
    kind('Badge', '{ colour: value }'),
    kind('Role', '{ badge: { is: value, to: Badge } }'),
  ];
  const declared = (name: string, more = '') =>
    `kind: Badge\nname: ${name}\n${more}---\nkind: Role\nname: Guest\nbadge: !ref Badge/${name}\n`;
  const world = await createTestWorld({
    seed: seedOf(
      [badge, role],
      '  Badge: [{ id: b1, name: New }, { id: b2, name: Other }]\n  Role: [{ id: r1, name: Guest, badge: b2 }]',
    ),
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

it.each(['id: b1', 'lifecycle: { renamedFrom: Old }'])(
  'finds what was below an object that has another name since then, by %s',
  async (pin) => {
    const [badge, pinKind] = [
      kind('Badge', '{ colour: value }'),
      `${kind('Pin', '{ colour: value }', '/v2025/badges/{badge}/pins')}parent: { badge: Badge }\n`,
    ];
    const declared = (badgeLines: string, name: string, pins: readonly string[]) =>
      [
        `kind: Badge\nname: ${name}\n${badgeLines}\n`,
        ...pins.map((each) => `kind: Pin\nbadge: !ref Badge/${name}\nname: ${each}\ncolour: red\n`),
      ].join('---\n');
    const world = await createTestWorld({
      seed: seedOf(
        [badge, pinKind],
        '  Badge: [{ id: b1, name: Old }]\n  Pin: [{ id: p1, badge: b1, name: kept, colour: blue }, { id: p2, badge: b1, name: gone, colour: red }]',
      ),
      files: {
        'kinds/Badge.kind.yaml': badge,
        'kinds/Pin.kind.yaml': pinKind,
        'config/all.yaml': declared(pin.startsWith('id') ? pin : '', 'Old', ['kept', 'gone']),
      },
    });
    commitAll(world.dir);
    world.write('config/all.yaml', declared(pin, 'New', ['kept']));
    const { changes } = await world.plan('--since', 'HEAD', '--only', 'Pin/**');
    const shown = changes.map(({ action, id, diff }) => [action, id, diff.map(({ origin }) => origin)]);
    expect(shown).toEqual([
      ['update', 'b1/p1', ['tenant']],
      ['delete', 'b1/p2', expect.anything()],
    ]);
  },
);
