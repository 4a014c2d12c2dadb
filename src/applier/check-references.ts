import type { Kinds } from '../kinds/catalog.ts';
import { arrangeChanges, cycleText, listNeeds } from '../kinds/dependencies.ts';
import type { Kind } from '../kinds/kind.ts';
import { idsOnSide } from '../kinds/references.ts';
import { type Address, parseAddress } from '../model/address.ts';
import { isLookedUp, refOf, refsIn } from '../model/marker.ts';
import type { Change, Difference, Plan } from '../model/plan.ts';
import { quote } from './check-requests.ts';

interface WrongReference {
  readonly address: Address;
  /** What is wrong with its requests, in words. */
  readonly why: string;
}

/**
 * What is wrong with the references of a plan: an id is only filled in where the plan shows it, in a field that refers to
 * the kind, and only that of an object which the same plan creates before.
 */
export function wrongReferences({ changes }: Plan, kinds: Kinds): WrongReference[] {
  const created = new Set(changes.filter(({ action }) => action === 'create').map(({ address }) => address));
  const wrong = changes.flatMap((change) => {
    const kind = kinds.find(change.kind);
    const reasons = kind ? [...findMisnamed(change, kind), ...wrongIn(change, kind, created)] : [];
    return reasons.map((why) => ({ address: change.address, why }));
  });
  const cycle = arrangeChanges(changes, kinds).cycle ?? [];
  const [address] = cycle;
  if (address === undefined) return wrong;
  return [...wrong, { address, why: `they refer to each other in a cycle: ${cycleText(cycle)}` }];
}

/**
 * Names beside ids are for reviewers; reports show the id with it. Each is the `!lookup` that found the value, or the address
 * of an object of the kind that the field refers to.
 */
function findMisnamed({ diff }: Change, kind: Kind): string[] {
  return diff.flatMap((entry) => {
    const side = idsOnSide(kind, entry, 'after');
    const isOfKind = (name: string) => side !== null && parseAddress(name)?.kind === side.to;
    return Object.values(entry.named ?? {})
      .filter((name) => !isLookedUp(name) && !isOfKind(name))
      .map((name) => `${entry.path} has no id of ${quote(name)}`);
  });
}

function wrongIn(change: Change, kind: Kind, created: ReadonlySet<Address>): string[] {
  // A delete fills nothing in: what it shows is the tenant's.
  const diff = change.action === 'delete' ? [] : change.diff;
  const shown = new Set<Address>();
  const misplaced: string[] = [];
  for (const entry of diff) {
    for (const to of refsIn(entry.after)) {
      if (takesIdOf(kind, entry, to)) shown.add(to);
      else misplaced.push(`${entry.path} is not a place for the id of ${to}`);
    }
  }
  const sent = listNeeds(change);
  return [
    ...misplaced,
    ...sent.filter((to) => !shown.has(to)).map((to) => `they send the id of ${to}, which it does not show`),
    ...[...new Set([...sent, ...shown])]
      .filter((to) => !created.has(to))
      .map((to) => `the plan does not create ${to}, whose id they send`),
  ];
}

/** Whether a difference is in a field that refers to the kind of an object, and shows the object's id there. */
function takesIdOf(kind: Kind, entry: Difference, to: Address): boolean {
  const side = idsOnSide(kind, entry, 'after');
  return side !== null && parseAddress(to)?.kind === side.to && side.ids.some((id) => refOf(id) === to);
}
