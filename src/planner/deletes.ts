import type { LiveObject } from '../kinds/kind.ts';
import { addressesOf, LiveIndex, type Match } from '../kinds/live-objects.ts';
import type { Policy } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, byAddress, matchAddresses, scopeFilter } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import type { Change } from '../model/plan.ts';
import type { Pointer } from '../model/pointer.ts';
import type { PlanInput } from './input.ts';

export interface Deletion {
  readonly live: LiveObject;
  /** Its addresses in the tenant and, if different, in its manifest: scope and guards cover all. */
  readonly addresses: readonly Address[];
  /** Where a manifest declares it absent; `null` if none does. */
  readonly source: Change['source'];
  readonly protect: boolean;
  /** Its declaration; other settings are not shown. */
  readonly declared: JsonObject;
  readonly marked: readonly Pointer[];
}

/**
 * Deletes come from exactly three places (design, section 5). Declared objects, in scope or not, are never pruned, and neither
 * are those that no manifest could declare. `absent`: the objects in scope with `ensure: absent`.
 */
export function findDeletions(
  input: PlanInput,
  index: LiveIndex,
  absent: readonly Match[],
): { deletions: Deletion[]; remarks: Diagnostic[] } {
  const { scope } = input.choices;
  const prune = scope.prune ? input.environment.policy.prune : null;
  const previous = input.previous ?? [];
  const declared = prune || input.previous ? declaredObjects(input.resources, index) : new Set<Address>();
  const isUndeclared = (live: LiveObject | null) => live !== null && !declared.has(live.address);
  const includes = scopeFilter(scope);
  const isInScope = ({ addresses }: Deletion) => includes(...addresses);
  const undeclared = input.objects
    .filter((live) => prune?.kinds.includes(live.kind.name) && isUndeclared(live))
    .map((live): Deletion => {
      return { live, addresses: addressesOf(live), source: null, protect: false, declared: {}, marked: [] };
    })
    .filter(isInScope)
    // Independent of the order in the tenant's lists.
    .toSorted((one, other) => byAddress(one.live, other.live));
  const whyKept = keeper(input, prune);
  const reasons = new Map(undeclared.map(({ live }) => [live.address, whyKept(live)]));
  const all = [
    ...absent.flatMap(({ resource, live }) => {
      const { file, line } = resource.source();
      return deletionBy(resource, live, { file, line });
    }),
    ...previous.flatMap((resource) => {
      const live = resource.ensure === 'present' ? namedObject(resource, index) : null;
      return isUndeclared(live) ? deletionBy(resource, live, null) : [];
    }),
    ...undeclared.filter(({ live }) => !reasons.get(live.address)),
  ];
  const once = new Map<Address, Deletion>();
  for (const each of all.filter(isInScope))
    if (!once.has(each.live.address)) once.set(each.live.address, each);
  const remarks = [...reasons].flatMap(([address, why]): Diagnostic[] => {
    if (why === null) return [];
    const message = `${address} is not declared, but it stays: ${why}.`;
    return [{ code: 'kept', severity: 'info', message, address }];
  });
  return { deletions: [...once.values()], remarks };
}

/**
 * The live objects in scope, of declared kinds, that neither a manifest nor `prune.keep` names, among those of the input and
 * `others`.
 */
export function findUndeclared(
  { resources, objects, environment, choices }: PlanInput,
  others: readonly LiveObject[],
): LiveObject[] {
  const isInScope = scopeFilter(choices.scope);
  const isKept = matchAddresses(environment.policy.prune.keep, { isGuard: true });
  const all = [...objects, ...others];
  const declared = declaredObjects(resources, new LiveIndex(all));
  const kindsDeclared = new Set(resources.map(({ kind }) => kind));
  return all.filter((live) => {
    const addresses = addressesOf(live);
    const isNamed = declared.has(live.address) || addresses.some(isKept);
    return kindsDeclared.has(live.kind) && isInScope(...addresses) && !isNamed;
  });
}

/** Returns a function that says why `--prune` does not delete an undeclared object; `null` if it does. */
function keeper(
  { objects, whyUndeclarable, environment: { settings } }: PlanInput,
  prune: Policy['prune'] | null,
): (live: LiveObject) => string | null {
  const isKept = matchAddresses(prune?.keep ?? [], { isGuard: true });
  const sharing = new Map(groupBy(prune ? objects : [], ({ identity }) => identity));
  return (live) => {
    if (addressesOf(live).some(isKept)) return 'prune.keep names it';
    const duplicates = sharing.get(live.identity)?.length ?? 1;
    if (duplicates > 1)
      return `no manifest could declare it, since the tenant has ${duplicates} objects with this key`;
    const undeclarable = whyUndeclarable(live);
    if (undeclarable !== null) return `no manifest could declare it, since ${undeclarable}`;
    const needsHand = (id: string | null) =>
      'manual' in live.kind.write.remove({ key: live.key, id, settings });
    const lacksOnlyId = live.id === null && needsHand(null) && !needsHand('id');
    return lacksOnlyId ? 'the tenant shows no id for it, so the API cannot delete it' : null;
  };
}

/**
 * What the revision declared and no manifest does, deleted or gone already: so a tenant without it proves its delete in
 * another.
 */
export function findRemoved(
  { resources, previous, objects, choices }: PlanInput,
  deletions: readonly Deletion[],
): readonly (readonly [Address, NonNullable<Resource['declaration']>])[] {
  if (previous === null) return [];
  const isInScope = scopeFilter(choices.scope);
  const index = new LiveIndex(objects);
  const declared = new Set(resources.map(({ address }) => address));
  const deleted = new Set(deletions.map(({ live }) => live.address));
  const gone = previous.filter(
    ({ address, ensure }) => ensure === 'present' && isInScope(address) && !declared.has(address),
  );
  return gone.flatMap((resource) => {
    const { declaration, address } = resource;
    const at = namedObject(resource, index)?.address;
    return declaration && (at === undefined || deleted.has(at))
      ? [[at ?? address, declaration] as const]
      : [];
  });
}

function deletionBy(
  { lifecycle, fields, address, secrets }: Resource,
  live: LiveObject | null,
  source: Change['source'],
): Deletion[] {
  if (!live) return [];
  const addresses = [...addressesOf(live), address];
  return [{ live, addresses, source, protect: lifecycle.protect, declared: fields, marked: secrets() }];
}

function declaredObjects(resources: readonly Resource[], index: LiveIndex): Set<Address> {
  const objects = resources.flatMap((resource) => {
    const { renamedFrom } = resource.lifecycle;
    const former = renamedFrom && index.findByKey(resource.kind, renamedFrom);
    return [namedObject(resource, index), former];
  });
  return new Set(objects.flatMap((live) => (live ? [live.address] : [])));
}

function namedObject({ kind, key, id }: Resource, index: LiveIndex): LiveObject | null {
  return id === null ? index.findByKey(kind, key) : index.findById(kind, id);
}
