import type { LiveObject } from '../kinds/kind.ts';
import { addressesOf, LiveIndex, type Match } from '../kinds/live-objects.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, byAddress, matchAddresses, scopeFilter } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Change } from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Pointer } from '../model/pointer.ts';
import type { PlanInput } from './input.ts';
import { identitiesAbove } from './references.ts';

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
export function findDeletions(input: PlanInput, index: LiveIndex, absent: readonly Match[]) {
  const { choices, resources } = input;
  const previous = (input.previous ?? []).filter(({ ensure }) => ensure === 'present');
  const isRead = choices.scope.prune || previous.length > 0;
  const declared = isRead ? declaredObjects(resources, index) : new Set<Address>();
  const { pruned, remarks } = choices.scope.prune ? findPruned(input, declared) : { pruned: [], remarks: [] };
  const all: readonly Deletion[] = [
    ...absent.flatMap(({ resource, live }) => {
      const { file, line } = resource.source();
      return deletionBy(resource, live, { file, line });
    }),
    ...previous.flatMap((resource) => {
      const live = namedObject(resource, index);
      return live && declared.has(live.address) ? [] : deletionBy(resource, live, null);
    }),
    ...pruned,
  ];
  const includes = scopeFilter(choices.scope);
  const once = new Map<Address, Deletion>();
  for (const each of all)
    if (includes(...each.addresses) && !once.has(each.live.address)) once.set(each.live.address, each);
  const deletions = [...once.values()];
  return {
    deletions,
    removed: previous.length > 0 ? findRemoved(input, previous, index, once) : [],
    remarks,
  };
}

/** What no manifest declares any more, deleted or gone already: so a tenant without it proves its delete in another. */
function findRemoved(
  { choices, resources }: PlanInput,
  previous: readonly Resource[],
  index: LiveIndex,
  deleted: ReadonlyMap<Address, Deletion>,
) {
  const isInScope = scopeFilter(choices.scope);
  const named = new Set(resources.map(({ address }) => address));
  return previous.flatMap((resource) => {
    const { declaration, address } = resource;
    if (!declaration || named.has(address) || !isInScope(address)) return [];
    const live = namedObject(resource, index);
    return live && !deleted.has(live.address) ? [] : [{ address: live?.address ?? address, declaration }];
  });
}

/** What `--prune` deletes, and remarks on what it leaves. */
function findPruned({ objects, choices, ...input }: PlanInput, declared: ReadonlySet<Address>) {
  const { prune } = input.environment.policy;
  const includes = scopeFilter(choices.scope);
  const isKept = matchAddresses(prune.keep, { isGuard: true });
  const sharing = new Map(groupBy(objects, ({ identity }) => identity));
  const undeclared = objects
    .filter((live) => prune.kinds.includes(live.kind.name) && !declared.has(live.address))
    .filter((live) => includes(...addressesOf(live)))
    // Independent of the order in the tenant's lists.
    .toSorted(byAddress);
  const keepers = new Map(
    objects
      .filter((live) => addressesOf(live).some(isKept))
      .flatMap((live) =>
        [...identitiesAbove(live.kind, live.key), live.identity].map((each) => [each, live] as const),
      ),
  );
  const kept = new Map<Address, string>();
  const pruned = undeclared.flatMap((live): Deletion[] => {
    const keeper = keepers.get(live.identity);
    const named = keeper?.identity === live.identity ? 'it' : `${keeper?.address}, which is below it`;
    const why = keeper ? `prune.keep names ${named}` : whyKept(live, input, sharing.get(live.identity));
    if (why === null)
      return [{ live, addresses: addressesOf(live), source: null, protect: false, declared: {}, marked: [] }];
    kept.set(live.address, why);
    return [];
  });
  const remarks = [...kept].map(([address, why]): Diagnostic => {
    const message = `${address} is not declared, but it stays: ${why}.`;
    return { code: 'kept', severity: 'info', message, address };
  });
  return { pruned, remarks };
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

/** Why `--prune` does not delete an undeclared object; `null` if it does. The last parameter has the objects of its key. */
function whyKept(
  live: LiveObject,
  { whyUndeclarable, environment: { settings } }: Pick<PlanInput, 'whyUndeclarable' | 'environment'>,
  { length }: readonly LiveObject[] = [live],
): string | null {
  const { kind, key, id } = live;
  if (length > 1) return `no manifest could declare it, since the tenant has ${length} objects with this key`;
  const undeclarable = whyUndeclarable(live);
  if (undeclarable !== null) return `no manifest could declare it, since ${undeclarable}`;
  if (id !== null || !('manual' in kind.write.remove({ key, id, settings }))) return null;
  const lacksOnlyId = !('manual' in kind.write.remove({ key, id: 'id', settings }));
  return lacksOnlyId ? 'the tenant shows no id for it, so the API cannot delete it' : null;
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
    return [index.find(resource), renamedFrom && index.findByKey(resource.kind, renamedFrom)];
  });
  return new Set(objects.flatMap((live) => (live ? [live.address] : [])));
}

function namedObject({ kind, key, id }: Resource, index: LiveIndex): LiveObject | null {
  return id === null ? index.findByKey(kind, key) : index.findById(kind, id);
}
