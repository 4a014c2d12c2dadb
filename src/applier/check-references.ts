import type { Kinds } from '../kinds/catalog.ts';
import { arrangeChanges, circleText, neededBy } from '../kinds/dependencies.ts';
import type { Kind } from '../kinds/kind.ts';
import { idsOnSide } from '../kinds/references.ts';
import { type Address, parseAddress } from '../model/address.ts';
import { isLookedUp, refOf, refsIn } from '../model/marker.ts';
import type { Change, Plan } from '../model/plan.ts';
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
  const using = changes.filter(refersToOthers);
  const misnamed = changes.flatMap((change) => misnamedIn(change, kinds));
  if (using.length === 0) return misnamed;
  const created = new Set(changes.filter(({ action }) => action === 'create').map(({ address }) => address));
  const wrong = using.flatMap((change) => {
    const kind = kinds.find(change.kind);
    return kind ? wrongIn(change, kind, created).map((why) => ({ address: change.address, why })) : [];
  });
  const { circle } = arrangeChanges(changes, kinds);
  const [first] = circle ?? [];
  if (!circle || first === undefined) return [...misnamed, ...wrong];
  return [
    ...misnamed,
    ...wrong,
    { address: first, why: `they refer to each other in a circle: ${circleText(circle)}` },
  ];
}

/**
 * Names beside ids are for reviewers; reports show the id with it. Each is the `!lookup` that found the value, or the address
 * of an object of the kind that the field refers to.
 */
function misnamedIn({ address, kind, diff }: Change, kinds: Kinds): WrongReference[] {
  const known = kinds.find(kind);
  if (!known) return [];
  return diff.flatMap((entry) => {
    const to = idsOnSide(known, entry, 'after')?.to;
    const isOfKind = (name: string) => to !== undefined && parseAddress(name)?.kind === to;
    return Object.values(entry.named ?? {})
      .filter((name) => !isLookedUp(name) && !isOfKind(name))
      .map((name) => ({ address, why: `${entry.path} has no id of ${quote(name)}` }));
  });
}

/** A delete fills nothing in: what it shows is the tenant's. */
function refersToOthers({ action, requests, diff }: Change): boolean {
  if (action === 'delete') return requests.some(({ body }) => refsIn(body).length > 0);
  return [...requests.map(({ body }) => body), ...diff.map(({ after }) => after)].some(
    (value) => refsIn(value).length > 0,
  );
}

function wrongIn(change: Change, kind: Kind, created: ReadonlySet<Address>): string[] {
  const shown = new Set<Address>();
  const misplaced: string[] = [];
  for (const entry of change.diff) {
    const side = idsOnSide(kind, entry, 'after');
    const taken = (side?.ids ?? []).flatMap((id) => refOf(id) ?? []);
    for (const to of refsIn(entry.after)) {
      const isTaken = taken.includes(to) && parseAddress(to)?.kind === side?.to;
      if (isTaken) shown.add(to);
      else misplaced.push(`${entry.path} is no place for the id of ${to}`);
    }
  }
  const sent = neededBy(change);
  return [
    ...misplaced,
    ...sent.filter((to) => !shown.has(to)).map((to) => `they send the id of ${to}, which it does not show`),
    ...[...new Set([...sent, ...shown])]
      .filter((to) => !created.has(to))
      .map((to) => `the plan does not create ${to}, whose id they send`),
  ];
}
