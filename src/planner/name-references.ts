import type { Kinds } from '../kinds/catalog.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { LiveIndex } from '../kinds/live-objects.ts';
import { idsOnSide } from '../kinds/references.ts';
import type { Address } from '../model/address.ts';
import { planDigest } from '../model/digest.ts';
import type { Difference, Plan } from '../model/plan.ts';

/**
 * The plan with the names of the ids in its differences, where the tenant showed the objects that they belong to: a
 * reviewer reads names.
 */
export function nameReferences(plan: Plan, kinds: Kinds, objects: readonly LiveObject[]): Plan {
  const index = new LiveIndex(objects);
  let isAnyNamed = false;
  const named = (kindName: string, entry: Difference): Difference => {
    const names = namesIn(entry, kindName, kinds, index);
    if (names.length === 0) return entry;
    isAnyNamed = true;
    return { ...entry, named: Object.fromEntries(names) };
  };
  const changes = plan.changes.map((change) => ({
    ...change,
    diff: change.diff.map((entry) => named(change.kind, entry)),
  }));
  if (!isAnyNamed) return plan;
  const { digest: _digest, ...rest } = { ...plan, changes };
  return { ...rest, digest: planDigest(rest) };
}

function namesIn(
  entry: Difference,
  kindName: string,
  kinds: Kinds,
  index: LiveIndex,
): (readonly [id: string, Address])[] {
  if (entry.sensitive) return [];
  return (['before', 'after'] as const).flatMap((side) => {
    const found = idsOnSide(kinds.named(kindName), entry, side);
    const target = found ? kinds.find(found.to) : undefined;
    if (!found || !target) return [];
    return found.ids.flatMap((id) => {
      const live = typeof id === 'string' ? index.byId(target, id) : null;
      return live?.id && live.key[0] !== live.id ? [[live.id, live.address] as const] : [];
    });
  });
}
