import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogOf } from '../../src/kinds/catalog.ts';
import { arrangeChanges, cycleText, listNeeds } from '../../src/kinds/dependencies.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import type { Address } from '../../src/model/address.ts';
import type { Change } from '../../src/model/plan.ts';
import { added, change, difference } from '../report/fixtures.ts';
import { descriptorFrom } from '../support/descriptor.ts';

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
  it('creates what is referred to before what refers to it, and everything once', () => {
    fc.assert(
      fc.property(shuffled(9, false), ({ nodes, seed }) => {
        const changes = changesOf(nodes, 'create');
        const place = placesOf(seed.flatMap((at) => changes[at] ?? []));
        expect(place.size).toBe(changes.length);
        for (const [from, to] of edgesOf(nodes, changes))
          expect(place.get(to)).toBeLessThan(place.get(from) ?? 0);
      }),
    );
  });

  it('deletes the other way round, by what the differences show', () => {
    fc.assert(
      fc.property(shuffled(9, false), ({ nodes, seed }) => {
        const changes = changesOf(nodes, 'delete');
        const place = placesOf(seed.flatMap((at) => changes[at] ?? []));
        expect(place.size).toBe(changes.length);
        for (const [from, to] of edgesOf(nodes, changes))
          expect(place.get(from)).toBeLessThan(place.get(to) ?? 0);
      }),
    );
  });

  it('names a cycle of creates, in which each refers to the next, and places every change all the same', () => {
    fc.assert(
      fc.property(graph(7, true), (nodes) => {
        for (const action of ['create', 'delete'] as const) {
          const changes = changesOf(nodes, action);
          const { cycle, ranks } = arrangeChanges(changes, kinds);
          expect(ranks.flatMap((rank) => rank.changes)).toHaveLength(changes.length);
          const edges = new Set(edgesOf(nodes, changes).map((edge) => edge.join(' ')));
          const hasCycle = action === 'create' && isCyclic(nodes);
          expect(cycle !== null).toBe(hasCycle);
          for (const [at, address] of (cycle ?? []).entries()) {
            expect(edges).toContain(`${address} ${cycle?.[(at + 1) % cycle.length]}`);
          }
        }
      }),
    );
  });
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
  const changes = changesOf(
    [
      { kind: 0, to: [0] },
      { kind: 0, to: [9] },
    ],
    'delete',
  );
  const { ranks, cycle } = arrangeChanges(changes, kinds);
  expect(cycle).toBeNull();
  expect(ranks).toEqual([{ deletes: true, changes }]);
});
