import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { refsIn } from '../model/marker.ts';
import type { Change } from '../model/plan.ts';
import type { Kinds } from './catalog.ts';
import { refsInPath } from './http.ts';
import { ownId } from './parents.ts';
import { idsOnSide } from './references.ts';

/** Changes that may be made at the same time. */
interface Rank {
  readonly deletes: boolean;
  readonly changes: readonly Change[];
}

interface ArrangedChanges {
  readonly ranks: readonly Rank[];
  /** Creates that refer to each other, so that none of them can be the first: the addresses of one cycle. */
  readonly cycle: readonly Address[] | null;
}

/**
 * The order of an apply, from the plan's data alone: objects before those that refer to them, then by kind as listed, then as
 * given; deletes last, in reverse order. Objects without references come as late as their kind does.
 */
export function arrangeChanges(changes: readonly Change[], kinds: Kinds): ArrangedChanges {
  const ranks = new Map(kinds.all.map(({ name }, at) => [name, at]));
  const rankOf = ({ kind }: Change) => ranks.get(kind) ?? 0;
  const deletes = changes.filter(({ action }) => action === 'delete');
  const writes = changes.filter(({ action }) => action !== 'delete');
  const created = new Map(
    writes.flatMap((change) => (change.action === 'create' ? [[change.address, change]] : [])),
  );
  const createsNeeded = needsWhere(writes, (change) =>
    listNeeds(change).flatMap((address) => created.get(address) ?? []),
  );
  const written = stack(writes, createsNeeded, rankOf);
  const deleted = stack(deletes, deletesNeededBy(deletes, kinds), rankOf);
  return {
    ranks: [
      ...written.levels.map((level) => ({ deletes: false, changes: level })),
      ...deleted.levels.toReversed().map((level) => ({ deletes: true, changes: level })),
    ],
    cycle: written.cycle,
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

/** The deleted objects that each other one refers to, as the differences of a delete show them. */
function deletesNeededBy(deletes: readonly Change[], kinds: Kinds): Needs {
  const byId = new Map(
    deletes.map((change) => {
      const id = ownId(kinds.find(change.kind) ?? {}, change.id ?? '');
      return [`${change.kind}/${id}`, change];
    }),
  );
  return needsWhere(deletes, (change) => {
    const kind = kinds.find(change.kind);
    const found = change.diff.flatMap((entry) => {
      const ids = kind ? idsOnSide(kind, entry, 'before') : [];
      return ids.flatMap(({ id, to }) => to.flatMap((target) => byId.get(`${target}/${id}`) ?? []));
    });
    return [...new Set(found)].filter((other) => other !== change);
  });
}

function needsWhere(changes: readonly Change[], needsOf: (change: Change) => readonly Change[]): Needs {
  return new Map(changes.map((change) => [change, needsOf(change)]));
}

interface Stack {
  readonly levels: readonly (readonly Change[])[];
  readonly cycle: readonly Address[] | null;
}

/** Levels in which each change comes after all that it needs; changes of a cycle as if they did not need each other. */
function stack(changes: readonly Change[], needs: Needs, rankOf: (change: Change) => number): Stack {
  const { heights, left } = heightsOf(changes, needs, rankOf);
  const cycle = cycleIn(left, needs);
  if (cycle.length > 0) {
    const isInside = new Set(cycle);
    const others = needsWhere(changes, (change) => {
      const needed = needs.get(change) ?? [];
      return isInside.has(change) ? needed.filter((each) => !isInside.has(each)) : needed;
    });
    return { ...stack(changes, others, rankOf), cycle: cycle.map(({ address }) => address) };
  }
  const sorted = changes
    .map((change) => ({ change, height: heights.get(change) ?? 0, rank: rankOf(change) }))
    .sort((a, b) => b.height - a.height || a.rank - b.rank);
  const levels = groupBy(sorted, ({ height, rank }) => `${height} ${rank}`);
  return { levels: levels.map(([, level]) => level.map(({ change }) => change)), cycle: null };
}

/** How many levels of other changes wait for each one, and the changes that are in a cycle or needed by one. */
function heightsOf(changes: readonly Change[], needs: Needs, rankOf: (change: Change) => number) {
  const waiting = new Map<Change, number>();
  for (const needed of [...needs.values()].flat()) waiting.set(needed, (waiting.get(needed) ?? 0) + 1);
  const heights = new Map<Change, number>();
  const ready = changes.filter((change) => !waiting.has(change));
  // It grows during iteration.
  for (const change of ready) {
    const height = heights.get(change) ?? 0;
    for (const needed of needs.get(change) ?? []) {
      // Kinds that are written earlier come first anyway.
      const least = rankOf(needed) < rankOf(change) ? height : height + 1;
      heights.set(needed, Math.max(heights.get(needed) ?? 0, least));
      const left = (waiting.get(needed) ?? 0) - 1;
      if (left > 0) waiting.set(needed, left);
      else {
        waiting.delete(needed);
        ready.push(needed);
      }
    }
  }
  return { heights, left: [...waiting.keys()] };
}

/** Changes that each need the next, and the last the first. In `left`, each is needed by another, and so is all it needs. */
function cycleIn(left: readonly Change[], needs: Needs): Change[] {
  const neededFor = new Map<Change, Change>();
  for (const change of left) {
    for (const needed of needs.get(change) ?? []) neededFor.set(needed, change);
  }
  const way = new Set<Change>();
  let at = left[0];
  while (at && !way.has(at)) {
    way.add(at);
    at = neededFor.get(at);
  }
  const steps = [...way];
  return at ? steps.slice(steps.indexOf(at)).reverse() : [];
}
