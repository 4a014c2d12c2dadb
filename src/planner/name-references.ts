import type { Kinds } from '../kinds/catalog.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { LiveIndex } from '../kinds/live-objects.ts';
import { idsOnSide } from '../kinds/references.ts';
import type { Address } from '../model/address.ts';
import type { SideDifference } from '../model/diff.ts';
import { withDigest } from '../model/digest.ts';
import { isArray, isObject, type Json } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { LookedUp } from './fill-lookups.ts';

/** What shows the names of ids. */
interface Known {
  readonly kinds: Kinds;
  readonly objects: readonly LiveObject[];
  readonly lookedUp: LookedUp;
}

/**
 * The plan with the names of the ids in its differences, where the tenant showed the objects that they belong to, or a lookup
 * found them: a reviewer reads names.
 */
export function nameReferences(plan: Plan, known: Known): Plan {
  const changes = nameDifferences(plan.changes, known);
  const isAnyNamed = changes.some(({ diff }) => diff.some(({ named }) => named !== undefined));
  return isAnyNamed ? withDigest({ ...plan, changes }) : plan;
}

/** The same for differences outside a plan. */
export function nameDifferences<D extends SideDifference, T extends Differing<D>>(
  differing: readonly T[],
  { kinds, objects, lookedUp }: Known,
): T[] {
  const index = new LiveIndex(objects);
  const nameIn = ({ address, kind }: T, entry: D): D => {
    if (entry.sensitive) return entry;
    const found = findLookedUp(entry, lookedUp.get(address) ?? new Map());
    const names = [...found, ...namesIn(entry, kind, kinds, index)];
    return names.length === 0 ? entry : { ...entry, named: Object.fromEntries(names) };
  };
  return differing.map((each) => ({ ...each, diff: each.diff.map((entry) => nameIn(each, entry)) }));
}

/** An object, and what differs of it. */
interface Differing<D> {
  readonly address: Address;
  readonly kind: string;
  readonly diff: readonly D[];
}

/** What lookups found among the values of a difference. */
function findLookedUp(
  { before, after }: SideDifference,
  found: ReadonlyMap<string, string>,
): (readonly [id: string, words: string])[] {
  if (found.size === 0) return [];
  const values = new Set([...leavesOf(before), ...leavesOf(after)].map(String));
  return [...found].filter(([id]) => values.has(id));
}

function leavesOf(value: Json): Json[] {
  if (isArray(value)) return value.flatMap(leavesOf);
  return isObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
}

function namesIn(
  entry: SideDifference,
  kindName: string,
  kinds: Kinds,
  index: LiveIndex,
): (readonly [id: string, Address])[] {
  return (['before', 'after'] as const).flatMap((side) => {
    const found = idsOnSide(kinds.get(kindName), entry, side);
    const target = found ? kinds.find(found.to) : undefined;
    if (!found || !target) return [];
    return found.ids.flatMap((id) => {
      const live = typeof id === 'string' ? index.findById(target, id) : null;
      return live?.id && live.key[0] !== live.id ? [[live.id, live.address] as const] : [];
    });
  });
}
