import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangeChanges, cycleText } from '../../src/kinds/dependencies.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { listNeeds } from '../../src/kinds/http.ts';
import type { Field } from '../../src/kinds/kind.ts';
import { catalogOf } from '../../src/kinds/project.ts';
import { idsIn, idsOnSide, mapIds, targetKindOf, withReferences } from '../../src/kinds/references.ts';
import type { Address } from '../../src/model/address.ts';
import type { Change, Difference } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { added, change, difference } from '../report/fixtures.ts';
import { descriptorFrom } from '../support/descriptor.ts';

/** Where the fields of an object have ids of others, and how `!ref` is written there. */

const value: Field = { is: 'value', to: 'Cluster' };
const set: Field = { is: 'set', to: 'Source' };
const one: Field = { is: 'reference', to: 'Identity', type: 'IDENTITY' };
const list: Field = { is: 'references', to: 'Role' };
const untyped: Field = { is: 'reference', to: 'Identity' };
const json: Field = { is: 'json', declares: 'whole' };
const ref = { $ref: 'Source/HR' };

it.each<[Field, string | null]>([
  [value, 'Cluster'],
  [set, 'Source'],
  [one, 'Identity'],
  [list, 'Role'],
  [{ is: 'value' }, null],
  [{ is: 'set' }, null],
  [{ is: 'reference' }, null],
  [{ is: 'text' }, null],
  [json, null],
  [{ is: 'records', alike: [] }, null],
])('the ids in a field %j belong to %s', (field, to) => expect(targetKindOf(field)).toBe(to));

describe('the ids in a field', () => {
  it.each<[Field, Json, string]>([
    [value, 'c1', ' c1'],
    [value, ref, ' !ref'],
    [value, null, ''],
    // The tenant shows synonyms of one id.
    [value, ['c1', 'C'], '/0 c1,/1 C'],
    [set, ['s1', null, ref], '/0 s1,/2 !ref'],
    [set, [], ''],
    [one, 'i1', ' i1'],
    [one, { type: 'IDENTITY', id: 'i1', name: 'Ann' }, '/id i1'],
    [one, { id: ref }, '/id !ref'],
    [one, { name: 'Ann' }, ''],
    [one, { id: null, name: 'Ann' }, ''],
    [list, [{ id: 'r1' }, 'r2', { name: 'x' }], '/0/id r1,/1 r2'],
    // Ids that belong to no kind are no references.
    [{ is: 'value' }, 'c1', ''],
    [{ is: 'set' }, ['s1'], ''],
    [json, { id: 'x' }, ''],
  ])('%j of %j are found where they stand', (field, given, expected) => {
    const found = idsIn(field, given).map(({ at, id }) => `${at} ${id === ref ? '!ref' : id}`);
    expect(found.join()).toBe(expected);
  });

  it.each<[Field, Json, Json]>([
    [value, 'c1', 'new c1'],
    [value, null, null],
    [value, ['c1', 'C'], ['new c1', 'new C']],
    [set, ['s1', null], ['new s1', null]],
    [one, { type: 'T', id: 'i1', name: 'Ann' }, { type: 'T', id: 'new i1', name: 'Ann' }],
    [list, [{ id: 'r1', name: 'id' }, 'r2'], [{ id: 'new r1', name: 'id' }, 'new r2']],
    [{ is: 'set' }, ['s1'], ['s1']],
    [json, { id: 'x' }, { id: 'x' }],
  ])('%j of %j are replaced, and nothing else is', (field, given, expected) =>
    expect(mapIds(field, given, '', ({ id }) => `new ${String(id)}`)).toEqual(expected),
  );

  it('are replaced where a marker stands for one', () =>
    expect(mapIds(set, [ref, 's1'], '', ({ id }) => (id === ref ? 'found' : id))).toEqual(['found', 's1']));
});

it.each<[Field, Json, Json]>([
  [value, ref, 'id of Source/HR'],
  [value, 'c1', 'c1'],
  [set, [ref, 's1'], ['id of Source/HR', 's1']],
  [set, null, null],
  [one, ref, { type: 'IDENTITY', id: 'id of Source/HR' }],
  [untyped, ref, { id: 'id of Source/HR' }],
  [one, { id: ref, name: 'Ann' }, { id: 'id of Source/HR', name: 'Ann' }],
  // Only an id may be a reference.
  [one, { id: 'i1', name: ref }, { id: 'i1', name: ref }],
  [one, 'i1', 'i1'],
  [one, null, null],
  [
    { ...list, type: 'ROLE' },
    [ref, { id: ref }, 'r1'],
    [{ type: 'ROLE', id: 'id of Source/HR' }, { id: 'id of Source/HR' }, 'r1'],
  ],
  [list, null, null],
  // At any place inside JSON, but not in what only looks like a marker.
  [json, { id: ref, at: [ref] }, { id: 'id of Source/HR', at: ['id of Source/HR'] }],
  [json, { $literal: { id: ref } }, { $literal: { id: ref } }],
  [{ is: 'text' }, 'a', 'a'],
])('!ref in %j, %j is written as the field writes ids', (field, given, expected) =>
  expect(withReferences(field, given, (to) => `id of ${to}`)).toEqual(expected),
);

const kind = kindFrom(
  descriptorFrom({
    kind: 'Role',
    path: '/v2025/roles',
    key: 'name',
    fields: {
      cluster: { is: 'value', to: 'Cluster' },
      sources: { is: 'set', to: 'Source' },
      owner: { is: 'reference', to: 'Identity' },
      tags: 'set',
      form: 'json',
    },
    places: { 'form/**/sourceId': { is: 'reference', to: 'Source' } },
  }),
);
it.each<[string, Difference, 'before' | 'after', { to: string; ids: Json[] }]>([
  ['to what was', difference('/cluster', 'c1', 'c2'), 'before', { to: 'Cluster', ids: ['c1'] }],
  ['to what comes', difference('/cluster', 'c1', 'c2'), 'after', { to: 'Cluster', ids: ['c2'] }],
  ['to an item', difference('/sources/1', null, 's1'), 'after', { to: 'Source', ids: ['s1'] }],
  ['to all', difference('/sources', ['s1', 's2'], null), 'before', { to: 'Source', ids: ['s1', 's2'] }],
  ['to nothing any more', difference('/sources/1', 's1', null), 'after', { to: 'Source', ids: [] }],
  ['to an object', difference('/owner', { id: 'i1' }, null), 'before', { to: 'Identity', ids: ['i1'] }],
  ['inside JSON', difference('/form/a/0/sourceId', 's1', null), 'before', { to: 'Source', ids: ['s1'] }],
  ['to nothing by plain items', difference('/tags/0', null, 'a'), 'after', { to: '', ids: [] }],
  ['to nothing by its key', difference('/name', 'a', 'b'), 'after', { to: '', ids: [] }],
])('a difference refers %s', (_what, given, side, expected) => {
  const found = idsOnSide(kind, given, side).map(({ id, to }) => ({ id, to }));
  expect(found).toEqual(expected.ids.map((id) => ({ id, to: [expected.to] })));
});

const names = ['Source', 'Profile', 'Role'] as const;
const kinds = catalogOf(
  names.map((kind) => {
    // Each kind has a field for each other one, and for itself.
    const fields = Object.fromEntries(names.map((to) => [`to${to}`, { is: 'set', to }]));
    return kindFrom(
      descriptorFrom({ kind, path: `/v2025/${kind.toLowerCase()}s`, update: 'json-patch', fields }),
    );
  }),
);

/** A node of a random tenant: its kind, and the numbers of the nodes that it refers to. */
interface Node {
  readonly kind: number;
  readonly to: readonly number[];
}

const graph = (count: number, isBack: boolean): fc.Arbitrary<Node[]> =>
  fc.tuple(
    ...Array.from({ length: count }, (_, at) =>
      fc.record({
        kind: fc.nat(names.length - 1),
        to: fc.subarray(Array.from({ length: isBack ? count : at }, (__, other) => other)),
      }),
    ),
  );

const kindOf = ({ kind }: Node) => names[kind] ?? 'Source';

function changesOf(nodes: readonly Node[], action: 'create' | 'delete'): Change[] {
  const addressOf = (at: number) => `${kindOf(nodes[at] ?? { kind: 0, to: [] })}/n${at}`;
  return nodes.map((node, at) => {
    const fields = Object.fromEntries(
      names.map((name) => [
        `to${name}`,
        node.to
          .filter((other) => kindOf(nodes[other] ?? node) === name)
          .map((other) => (action === 'create' ? { $ref: addressOf(other) } : `id-${other}`)),
      ]),
    );
    const items = Object.entries(fields).flatMap(([name, list]) =>
      list.map((item, index) => ({ path: `/${name}/${index}`, item })),
    );
    return change({
      address: addressOf(at),
      action,
      id: action === 'delete' ? `id-${at}` : null,
      diff: items.map(({ path, item }) =>
        action === 'create' ? added(path, item) : difference(path, item, null),
      ),
      requests: [
        { method: 'POST', path: '/', query: {}, headers: {}, body: action === 'create' ? fields : null },
      ],
    });
  });
}

const placesOf = (changes: readonly Change[]) => {
  const { ranks } = arrangeChanges(changes, kinds);
  const place = new Map<Address, number>();
  for (const [at, rank] of ranks.entries()) for (const change of rank.changes) place.set(change.address, at);
  return place;
};
const shuffled = (count: number, isBack: boolean) =>
  graph(count, isBack).chain((nodes) =>
    fc.record({
      nodes: fc.constant(nodes),
      seed: fc.shuffledSubarray([...nodes.keys()], { minLength: count }),
    }),
  );
const edgesOf = (nodes: readonly Node[], changes: readonly Change[]) =>
  nodes.flatMap((node, from) =>
    node.to.map((to) => [changes[from]?.address ?? '', changes[to]?.address ?? ''] as const),
  );

describe('the order of changes', () => {
  it.each([
    ['creates what is referred to before what refers to it, and everything once', 'create'],
    ['deletes the other way round, by what the differences show', 'delete'],
  ] as const)('%s', (_what, action) =>
    fc.assert(
      fc.property(shuffled(9, false), ({ nodes, seed }) => {
        const changes = changesOf(nodes, action);
        const place = placesOf(seed.flatMap((at) => changes[at] ?? []));
        expect(place.size).toBe(changes.length);
        for (const edge of edgesOf(nodes, changes)) {
          const [later, earlier] = action === 'create' ? edge : edge.toReversed();
          expect(place.get(earlier ?? '')).toBeLessThan(place.get(later ?? '') ?? 0);
        }
      }),
    ),
  );

  it('names a cycle of creates, in which each refers to the next, and places every change all the same', () =>
    fc.assert(
      fc.property(graph(7, true), (nodes) => {
        for (const action of ['create', 'delete'] as const) {
          const changes = changesOf(nodes, action);
          const { cycle, ranks } = arrangeChanges(changes, kinds);
          expect(ranks.flatMap((rank) => rank.changes)).toHaveLength(changes.length);
          const edges = new Set(edgesOf(nodes, changes).map((edge) => edge.join(' ')));
          const hasCycle = action === 'create' && isCyclic(nodes);
          expect(cycle !== null).toBe(hasCycle);
          for (const [at, address] of (cycle ?? []).entries())
            expect(edges).toContain(`${address} ${cycle?.[(at + 1) % cycle.length]}`);
        }
      }),
    ));
});

/** Told in another way than the program does. */
function isCyclic(nodes: readonly Node[]): boolean {
  let left = new Set(nodes.keys());
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    left = new Set([...left].filter((at) => nodes[at]?.to.some((to) => left.has(to))));
  }
  return left.size > 0;
}

describe('the addresses that a change needs', () => {
  const request = { method: 'POST', path: '/', query: {}, headers: {} } as const;

  it('are those that its requests refer to, each once, and none inside of literals', () => {
    const body = { a: { $ref: 'Source/a' }, list: [{ id: { $ref: 'Source/b' } }, { $ref: 'Source/a' }] };
    const requests = [
      { ...request, body },
      { ...request, body: { $literal: { $ref: 'Source/c' } } },
    ];
    expect(listNeeds({ address: 'Role/x', requests })).toEqual(['Source/a', 'Source/b']);
    expect(listNeeds({ address: 'Role/x', requests: [{ ...request, body: null }] })).toEqual([]);
    // A change of what was just created is at its own id.
    const path = '/v2025/roles/{Role/x}/members/{Source/a}';
    expect(listNeeds({ address: 'Role/x', requests: [{ ...request, path, body: null }] })).toEqual([
      'Source/a',
    ]);
  });

  it('make no order where they are not created in the same plan', () => {
    const body = { a: { $ref: 'Source/elsewhere' } };
    const given = [
      change({ address: 'Role/x', action: 'create', requests: [{ ...request, body }] }),
      change({ address: 'Source/elsewhere', kind: 'Role', action: 'update' }),
    ];
    expect(arrangeChanges(given, kinds)).toMatchObject({ cycle: null, ranks: [{ changes: given }] });
  });
});

it('a cycle reads from its first change back to it', () => {
  expect(cycleText(['Role/a', 'Role/b'])).toBe('Role/a -> Role/b -> Role/a');
  expect(cycleText(['Role/a'])).toBe('Role/a -> Role/a');
});

it('changes are in the order of their kinds, and deletes come last, in the opposite order', () => {
  const plain = [2, 0, 1, 0].map((kind) => ({ kind, to: [] }));
  const { ranks } = arrangeChanges([...changesOf(plain, 'delete'), ...changesOf(plain, 'create')], kinds);
  const order = ranks.map(({ deletes, changes }) => [deletes, changes.map(({ address }) => address).join()]);
  const written = ['Source/n1,Source/n3', 'Profile/n2', 'Role/n0'];
  expect(order).toEqual([
    ...written.map((each) => [false, each]),
    ...written.toReversed().map((each) => [true, each]),
  ]);
});

it('a deleted object that refers to itself, or to what stays, waits for nothing', () => {
  const nodes = [0, 9].map((to) => ({ kind: 0, to: [to] }));
  const changes = changesOf(nodes, 'delete');
  const { ranks, cycle } = arrangeChanges(changes, kinds);
  expect(cycle).toBeNull();
  expect(ranks).toEqual([{ deletes: true, changes }]);
});
