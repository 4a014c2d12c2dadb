/** `--since REV` where a manifest now refers to another object than at the revision. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
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
async function createSwapped(former = 'old'): Promise<World> {
  const world = await createTestWorld({ seed, files: { 'config/tickets.yaml': manifest(former) } });
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
  expect(await verdict(await createSwapped('gone'))).toEqual([{ risk: [], origins: ['repo'] }]);
});

it('reads no kind that only the revision refers to', async () => {
  const world = await createSwapped();
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

const ownBadge = kind('Badge', '{ colour: value }');
const pinBelow = `${kind('Pin', '{ colour: value }', '/v2025/badges/{badge}/pins')}parent: { badge: Badge }\n`;

/** A committed project that describes these kinds, in a tenant that serves them and has these objects. */
async function createCommitted(
  kinds: Readonly<Record<string, string>>,
  objects: object,
  then: string,
  now: string,
): Promise<World> {
  const described = Object.entries(kinds).map(([name, text]) => [`kinds/${name}.kind.yaml`, text]);
  const world = await createTestWorld({
    seed: JSON.stringify({ kinds: Object.values(kinds).map((text) => parse(text)), objects }),
    files: { ...Object.fromEntries(described), 'config/all.yaml': then },
  });
  commitAll(world.dir);
  world.write('config/all.yaml', now);
  return world;
}

it('is a change in the tenant where only the name of what it refers to has changed, and that was applied already', async () => {
  const kinds = { Badge: ownBadge, Role: kind('Role', '{ badge: { is: value, to: Badge } }') };
  const declared = (name: string, more = '') =>
    `kind: Badge\nname: ${name}\n${more}---\nkind: Role\nname: Guest\nbadge: !ref Badge/${name}\n`;
  const Badge = ['New', 'Other'].map((name, at) => ({ id: `b${at + 1}`, name }));
  const objects = { Badge, Role: [{ id: 'r1', name: 'Guest', badge: 'b2' }] };
  const now = declared('New', 'lifecycle: { renamedFrom: Old }\n');
  const world = await createCommitted(kinds, objects, declared('Old'), now);
  expect(await verdict(world)).toEqual([{ risk: ['undoes-tenant-change'], origins: ['tenant'] }]);
});

const hidden = 'sesame-4711';

/** The manifests of a badge with pins, at the revision and now, and a tenant with the badge \`Old\` and two pins. */
function createPins(then: readonly string[], now: readonly string[]): Promise<World> {
  const Pin = [
    { id: 'p1', badge: 'b1', name: 'kept', colour: hidden },
    { id: 'p2', badge: 'b1', name: 'gone', colour: 'red' },
  ];
  const objects = { Badge: [{ id: 'b1', name: 'Old', colour: hidden }], Pin };
  return createCommitted({ Badge: ownBadge, Pin: pinBelow }, objects, then.join('---\n'), now.join('---\n'));
}

const badge = (text: string) => `kind: Badge\n${text}\n`;
const pin = (of: string, name: string, colour = 'red') =>
  `kind: Pin\nbadge: !ref Badge/${of}\nname: ${name}\ncolour: ${colour}\n`;

describe.each([
  ['id: b1\nname: Old', 'id: b1\nname: New'],
  ['name: Old', 'id: b1\nname: New'],
  ['name: Old', 'name: New\nlifecycle: { renamedFrom: Old }'],
  ['id: b1\nname: Older', 'id: b1\nname: New'],
])('an object that was declared by %j and is by %j', (then, now) => {
  const older = /Old\w*/.exec(then)?.[0] ?? '';
  const secret = '!secret CODE';
  const revision = [badge(`${then}\ncolour: ${secret}`), pin(older, 'kept', secret), pin(older, 'gone')];

  it('is one, as is what is below it: secrets stay concealed, and what was removed is deleted', async () => {
    const world = await createPins(revision, [badge(`${now}\ncolour: blue`), pin('New', 'kept', 'blue')]);
    const plan = await world.plan('--since', 'HEAD');
    expect(JSON.stringify(plan)).not.toContain(hidden);
    expect(plan.changes.map(({ action, id }) => [action, id])).toEqual([
      ['update', 'b1'],
      ['update', 'b1/p1'],
      ['delete', 'b1/p2'],
    ]);
  });

  it('is one, if nothing is declared below it any more', async () => {
    const world = await createPins(revision, [badge(now)]);
    const { changes } = await world.plan('--since', 'HEAD', '--only', 'Pin/**', '--allow-delete-all', 'Pin');
    expect(changes.map(({ action, id }) => [action, id])).toEqual([
      ['delete', 'b1/p2'],
      ['delete', 'b1/p1'],
    ]);
  });

  it('is one, if what was below it was deleted in the tenant', async () => {
    const world = await createPins(revision, [badge(now), pin('New', 'kept')]);
    world.sandbox.state.objects.Pin = [];
    const { changes } = await world.plan('--since', 'HEAD', '--only', 'Pin/**');
    expect(changes.map(({ action, risk }) => [action, risk])).toEqual([['create', ['undoes-tenant-change']]]);
  });
});

it('an object that was declared by its id alone, and is by its name, is one', async () => {
  const now = [badge('name: Old'), pin('Old', 'kept')];
  const world = await createPins([badge('id: b1'), pin('b1', 'kept')], now);
  const { changes, summary } = await world.plan('--since', 'HEAD');
  expect(changes.map(({ action, id, diff }) => [action, id, diff.map(({ origin }) => origin)])).toEqual([
    ['update', 'b1/p1', ['tenant']],
  ]);
  expect(summary).toMatchObject({ create: 0, delete: 0, unchanged: 1 });
});

it('objects that swapped their names since then are told apart by their ids', async () => {
  const world = await createPins(
    [badge('name: Old'), badge('name: Other'), pin('Old', 'kept'), pin('Other', 'kept')],
    [badge('id: b1\nname: Other'), badge('id: b2\nname: Old'), pin('Old', 'kept')],
  );
  const { objects } = world.sandbox.state;
  objects.Badge = [...(objects.Badge ?? []), { id: 'b2', name: 'Other' }];
  objects.Pin = [...(objects.Pin ?? []), { id: 'p3', badge: 'b2', name: 'kept', colour: 'red' }];
  const { changes } = await world.plan('--since', 'HEAD', '--only', 'Pin/**');
  expect(changes.map(({ action, id }) => [action, id])).toEqual([['delete', 'b1/p1']]);
});
