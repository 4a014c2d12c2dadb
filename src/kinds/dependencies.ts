import type { Address } from '../model/address.ts';
import { refsIn } from '../model/marker.ts';
import type { Change } from '../model/plan.ts';
import type { Kinds } from './catalog.ts';
import { refsInPath } from './http.ts';
import { ownId } from './parents.ts';
import { idsOnSide } from './references.ts';

/**
 * The order of an apply, from the plan's data alone: objects before those that refer to them, then by kind as listed, then as
 * given; deletes last, in reverse order. Changes of a rank may be made at the same time. `cycle`: creates that refer to each other.
 */
export function arrangeChanges(changes: readonly Change[], kinds: Kinds) {
  const ranks = new Map(kinds.all.map(({ name }, at) => [name, at]));
  const rankOf = ({ kind }: Change) => ranks.get(kind) ?? 0;
  const deletes = changes.filter(({ action }) => action === 'delete');
  const writes = changes.filter(({ action }) => action !== 'delete');
  const created = new Map(
    writes.flatMap((change) => (change.action === 'create' ? [[change.address, change]] : [])),
  );
  const createsNeeded = new Map(
    writes.map((change) => [change, listNeeds(change).flatMap((address) => created.get(address) ?? [])]),
  );
  const written = stack(writes, createsNeeded, rankOf);
  const deleted = stack(deletes, deletesNeededBy(deletes, kinds), rankOf);
  return {
    ranks: [
      ...written.levels.map((level) => ({ deletes: false, changes: level })),
      ...deleted.levels.toReversed().map((level) => ({ deletes: true, changes: level })),
    ],
    cycle: written.cycle?.map(({ address }) => address) ?? null,
  };
}

export function cycleText(cycle: readonly Address[]): string {
  return [...cycle, ...cycle.slice(0, 1)].join(' -> ');
}

/** The addresses whose ids the requests of a change need. The path of one that follows the create of its own object does not. */
export function listNeeds({ address, requests }: Pick<Change, 'address' | 'requests'>): Address[] {
  const needs = requests.flatMap(({ path, body }) => [
    ...refsInPath(path).filter((to) => to !== address),
    ...refsIn(body),
  ]);
  return [...new Set(needs)];
}

type Needs = ReadonlyMap<Change, readonly Change[]>;

function deletesNeededBy(deletes: readonly Change[], kinds: Kinds): Needs {
  const byId = new Map(
    deletes.map((change) => {
      const id = ownId(kinds.find(change.kind) ?? {}, change.id ?? '');
      return [`${change.kind}/${id}`, change];
    }),
  );
  return new Map(
    deletes.map((change) => {
      const kind = kinds.find(change.kind);
      const found = change.diff.flatMap((entry) => {
        const ids = kind ? idsOnSide(kind, entry, 'before') : [];
        return ids.flatMap(({ id, to }) => to.flatMap((target) => byId.get(`${target}/${id}`) ?? []));
      });
      return [change, [...new Set(found)].filter((other) => other !== change)];
    }),
  );
}

/** Levels, from the last one on: each change comes after all that it needs. In a cycle, the needs do not count. */
function stack(changes: readonly Change[], allNeeds: Needs, rankOf: (change: Change) => number) {
  const needs = new Map(allNeeds);
  const users = new Map<Change, number>();
  const count = (needed: readonly Change[], by: 1 | -1) => {
    for (const each of needed) users.set(each, (users.get(each) ?? 0) + by);
  };
  for (const needed of needs.values()) count(needed, 1);
  const left = new Set(changes);
  const levels: Change[][] = [];
  let cycle: readonly Change[] | null = null;
  while (left.size > 0) {
    const free = [...left].filter((change) => !users.get(change));
    const last = free.reduce((most, change) => Math.max(most, rankOf(change)), 0);
    const level = free.filter((change) => rankOf(change) === last);
    if (level.length === 0) {
      const found = cycleIn(left, needs);
      cycle ??= found;
      const isFound = (change: Change) => found.includes(change);
      for (const change of found) {
        const needed = needs.get(change) ?? [];
        count(needed.filter(isFound), -1);
        needs.set(
          change,
          needed.filter((each) => !isFound(each)),
        );
      }
    } else levels.unshift(level);
    for (const change of level) {
      left.delete(change);
      count(needs.get(change) ?? [], -1);
    }
  }
  return { levels, cycle };
}

/** Changes that each need the next, and the last the first. In `left`, each is needed by another one of them. */
function cycleIn(left: ReadonlySet<Change>, needs: Needs): Change[] {
  const neededFor = new Map<Change, Change>();
  for (const change of left) {
    for (const needed of needs.get(change) ?? []) neededFor.set(needed, change);
  }
  const way = new Set<Change>();
  let [at] = left;
  while (at && !way.has(at)) {
    way.add(at);
    at = neededFor.get(at);
  }
  const steps = [...way];
  return at ? steps.slice(steps.indexOf(at)).reverse() : [];
}
