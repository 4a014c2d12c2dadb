import type { Address } from '../model/address.ts';
import type { Change } from '../model/documents.ts';
import { listNeeds } from './http.ts';
import { ownId } from './kind.ts';
import type { Kinds } from './project.ts';
import { idsOnSide } from './references.ts';

/**
 * The order of an apply, from the plan's data alone: objects before those that refer to them, then by kind as listed, then as
 * given; deletes last, in reverse order. Changes of a rank may be made at the same time. `cycle`: creates that refer to each other.
 */
export function arrangeChanges(changes: readonly Change[], kinds: Kinds) {
  const deletes = changes.filter(({ action }) => action === 'delete');
  const writes = changes.filter(({ action }) => action !== 'delete');
  const created = new Map(
    writes.flatMap((change) => (change.action === 'create' ? [[change.address, change]] : [])),
  );
  const createsNeeded = new Map(
    writes.map((change) => {
      const needs = created.size > 0 ? listNeeds(change) : [];
      return [change, needs.flatMap((address) => created.get(address) ?? [])];
    }),
  );
  const written = stack(writes, createsNeeded, kinds);
  const deleted = stack(deletes, deletesNeededBy(deletes, kinds), kinds);
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
function stack(changes: readonly Change[], needs: Needs, kinds: Kinds) {
  const ranks = new Map(kinds.all.map(({ name }, at) => [name, at]));
  const users = new Map(changes.map((change) => [change, new Set<Change>()]));
  for (const [change, needed] of needs) for (const each of needed) users.get(each)?.add(change);
  const left = new Set(changes);
  const levels: Change[][] = [];
  let cycle: readonly Change[] | null = null;
  while (left.size > 0) {
    const free = [...left].filter((change) => !users.get(change)?.size);
    if (free.length === 0) {
      const found = cycleIn(left, users);
      cycle ??= found;
      for (const one of found) for (const other of found) users.get(one)?.delete(other);
      continue;
    }
    const last = free.reduce((most, { kind }) => Math.max(most, ranks.get(kind) ?? 0), 0);
    const level = free.filter(({ kind }) => (ranks.get(kind) ?? 0) === last);
    levels.unshift(level);
    for (const change of level) {
      left.delete(change);
      for (const each of needs.get(change) ?? []) users.get(each)?.delete(change);
    }
  }
  return { levels, cycle };
}

/** Changes that each need the next, and the last the first: each of `left` has a user among them. */
function cycleIn(left: ReadonlySet<Change>, users: ReadonlyMap<Change, ReadonlySet<Change>>): Change[] {
  const way = new Set<Change>();
  let [at] = left;
  while (at && !way.has(at)) {
    way.add(at);
    at = [...(users.get(at) ?? [])].at(-1);
  }
  const steps = [...way];
  return at ? steps.slice(steps.indexOf(at)).reverse() : [];
}
