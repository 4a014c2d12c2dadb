import type { LiveObject } from '../kinds/kind.ts';
import { addressesOf, identityOf, LiveIndex, type Match } from '../kinds/live-objects.ts';
import type { Policy } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, matchAddresses, parseAddress, scopeFilter } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Change, Plan } from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import { namesAndMore } from '../model/words.ts';
import type { Deletion } from './deletes.ts';
import type { PlanInput } from './input.ts';
import { identitiesAbove } from './references.ts';

interface PlannedWrite {
  readonly change: Change;
  readonly match: Match;
}

/** An object that a change deletes, under the names of its manifest and of the tenant: guards cover all. */
interface Loss extends Pick<Deletion, 'addresses' | 'protect'> {
  readonly change: Change;
  readonly identities: readonly string[];
}

/** Guards are about requests, not about what is deleted by hand. They also cover objects that are deleted and created again. */
export function lossBy(
  change: Change,
  live: LiveObject | null,
  { addresses = [], protect = false }: { addresses?: readonly Address[]; protect?: boolean } = {},
): Loss[] {
  if (change.action !== 'delete' && !change.risk.includes('replace')) return [];
  const names = [change.address, ...addresses, ...(live ? addressesOf(live) : [])];
  // What is below it has its name of the manifest in its own.
  const keys = names.map((name) => parseAddress(name)?.key ?? []);
  const identities = live ? keys.map((key) => identityOf(live.kind, key)) : [];
  return [{ change, protect, addresses: names, identities }];
}

function lossFinder(losses: readonly Loss[]) {
  const lost = new Map(losses.flatMap((loss) => loss.identities.map((each) => [each, loss])));
  return ({ kind, key }: Pick<Resource, 'kind' | 'key'>): Loss | undefined =>
    identitiesAbove(kind, key).flatMap((each) => lost.get(each) ?? [])[0];
}

/** The reasons to refuse a plan, each with what lifts it; empty if there are none. */
export function findRefusals(
  input: PlanInput,
  deletes: readonly { readonly change: Change; readonly deletion: Deletion }[],
  writes: readonly PlannedWrite[],
): Diagnostic[] {
  const { policy } = input.environment;
  const losses = [
    ...deletes.flatMap(({ change, deletion }) => lossBy(change, deletion.live, deletion)),
    ...writes.flatMap(({ change, match: { live, resource } }) => lossBy(change, live, resource.lifecycle)),
  ];
  const lossAbove = lossFinder(losses);
  // Declared objects are kept in scope or not.
  const index = new LiveIndex(input.objects);
  const keepers = input.resources.filter(({ lifecycle }) => lifecycle.protect);
  const kept = new Set(keepers.map((each) => index.find(each)));
  const lockOuts = writes
    .filter(({ change, match }) => change.risk.includes('lockout') && !match.resource.lifecycle.allowLockout)
    .map(({ change: { address }, match: { resource } }): Diagnostic => {
      const message = `${address} would block sign-ins or restrict them by network or geography: it can lock out everyone, including the credentials of this run.`;
      const hint = 'If you want that, set `lifecycle: { allowLockout: true }` in the manifest.';
      return { code: 'lockout', severity: 'error', message, hint, address, source: resource.source() };
    });
  return [
    ...protectedLosses(losses, policy.protect, input.objects, kept),
    ...tooManyDeletes(losses.length, input.choices.maxDeletes ?? policy.maxDeletes),
    ...deletesOfAll(input, losses, writes),
    ...replacedAbove(input, lossAbove),
    ...lockOuts,
  ];
}

/**
 * The reasons to refuse a saved plan: the environment's guards may have been tightened since. The others need the manifests and
 * live objects. `approval` has the digest of this plan, if somebody approved it.
 */
export function findLaterRefusals(
  { changes, allowed }: Plan,
  { protect, maxDeletes: byEnvironment }: Policy,
  { digest, maxDeletes }: { readonly digest?: string | undefined; readonly maxDeletes?: number | undefined },
): Diagnostic[] {
  const losses = changes.flatMap((change) => lossBy(change, null));
  // Anyone who can write a plan file can write a limit into it, so alone it can only lower the environment's.
  // The digest covers the limit, so approving the digest approves the limit.
  const byPlan = allowed?.maxDeletes ?? byEnvironment;
  const limit = digest === undefined ? Math.min(byPlan, byEnvironment) : byPlan;
  return [...protectedLosses(losses, protect), ...tooManyDeletes(losses.length, maxDeletes ?? limit)];
}

const protections = {
  list: ["the environment's `protect` list", "Remove it from the environment's `protect` list first"],
  manifest: ['`lifecycle.protect` in its manifest', 'Remove `lifecycle.protect` from its manifest first'],
  removed: [
    '`lifecycle.protect` in the manifest that was removed',
    'Put the manifest back without `lifecycle.protect`, commit that, remove the manifest again and give --since the commit in between',
  ],
} as const;

/**
 * Refusals of protected losses. With an object, a tenant deletes those of its `objects` that are below it: manifests protect `kept` of
 * them.
 */
export function protectedLosses(
  losses: readonly Loss[],
  list: readonly string[],
  objects: readonly LiveObject[] = [],
  kept: ReadonlySet<LiveObject | null> = new Set(),
): Diagnostic[] {
  const isProtected = matchAddresses(list, { isGuard: true });
  const lossAbove = lossFinder(losses);
  const below = objects.flatMap((live) => {
    const loss = lossAbove(live);
    return loss ? [{ ...loss, protect: kept.has(live), addresses: addressesOf(live) }] : [];
  });
  return [...losses, ...below].flatMap(
    ({ addresses, protect, change: { address, source } }): Diagnostic[] => {
      const name = addresses.find(isProtected);
      if (!protect && name === undefined) return [];
      const [by, remedy] =
        name !== undefined ? protections.list : source ? protections.manifest : protections.removed;
      const [lost = address] = addresses;
      const as = name === undefined || name === lost ? '' : ` as ${name}`;
      const [what, it] = lost === address ? ['deleted', 'it'] : [`deleted with ${address}`, address];
      const message = `${lost} would be ${what}, but it is protected${as} by ${by}.`;
      const hint = `${remedy}, or leave ${it} out with --except '${address}'.`;
      return [{ code: 'protected', severity: 'error', message, hint, address }];
    },
  );
}

function tooManyDeletes(count: number, maxDeletes: number): Diagnostic[] {
  if (count <= maxDeletes) return [];
  const message = `The plan deletes ${count === 1 ? '1 object' : `${count} objects`}; at most ${maxDeletes} may be deleted at once.`;
  const hint = `If you want to delete all of them, raise the limit with --max-deletes ${count}.`;
  return [{ code: 'max-deletes', severity: 'error', message, hint }];
}

/** A tombstone whose replacement is created in the same plan leaves the kind no smaller. */
function deletesOfAll(
  { objects, choices }: PlanInput,
  losses: readonly Loss[],
  writes: readonly PlannedWrite[],
): Diagnostic[] {
  const deletes = losses.filter(({ change }) => change.action === 'delete');
  return [...new Set(deletes.map(({ change }) => change.kind))].flatMap((kind): Diagnostic[] => {
    const live = objects.filter((object) => object.kind.name === kind).length;
    const deleted = deletes.filter(({ change }) => change.kind === kind);
    const tombstones = deleted.filter(({ change }) => change.source !== null).length;
    const created = writes.filter(({ change }) => change.kind === kind && change.action === 'create').length;
    const lost = deleted.length - Math.min(tombstones, created);
    if (lost < live || choices.allowDeleteAll.includes(kind)) return [];
    const which = live === 1 ? `the only ${kind}` : `all ${live} objects of kind ${kind}`;
    const message = `The plan deletes ${which} in the tenant.`;
    const hint = `If you want that, add --allow-delete-all ${kind}.`;
    return [{ code: 'deletes-all', severity: 'error', message, hint }];
  });
}

/** A tenant deletes what is below an object together with it, so no change there would last. */
function replacedAbove({ resources, choices }: PlanInput, lossAbove: (below: Resource) => Loss | undefined) {
  const isInScope = scopeFilter(choices.scope);
  const declared = resources.filter(({ ensure, address }) => ensure === 'present' && isInScope(address));
  return groupBy(declared, lossAbove).flatMap(([loss, below]): Diagnostic[] => {
    if (!loss?.change.risk.includes('replace')) return [];
    const { address } = loss.change;
    const shown = below.slice(0, 3).map((each) => each.address);
    const lost = namesAndMore(shown, below.length - shown.length);
    const message = `${address} would be deleted and created again, and the tenant deletes what is below it: ${lost}.`;
    const hint = `Apply it alone with --only '${address}'. The next plan then creates the others.`;
    return [{ code: 'replaces-parent', severity: 'error', message, hint, address }];
  });
}
