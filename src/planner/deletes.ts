import { kindNamed } from '../kinds/index.ts';
import type { LiveIndex } from '../kinds/live-objects.ts';
import { secretPlaces } from '../kinds/redact.ts';
import { type Address, matchAddresses } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { LiveObject } from '../model/live.ts';
import type { Change } from '../model/plan.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Policy } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import type { Match } from './match.ts';

/** A live object to be deleted, and why. */
export interface Deletion {
  readonly live: LiveObject;
  readonly source: Change['source'];
  /** The manifest itself protects the object. */
  readonly protect: boolean;
  /** Places that its manifest marks as secret. */
  readonly secrets: readonly Pointer[];
}

export interface DeleteRequest {
  /** All resources of the project, in scope or not: declared objects are never pruned. */
  readonly resources: readonly Resource[];
  /** Those with `ensure: absent`, in scope. */
  readonly absent: readonly Match[];
  readonly objects: readonly LiveObject[];
  readonly index: LiveIndex;
  isInScope(address: Address): boolean;
  /** The resources as a git revision declared them; `null` without `--since`. */
  readonly previous: readonly Resource[] | null;
  /** Kinds whose undeclared objects are deleted; `null` without `--prune`. */
  readonly prune: Policy['prune'] | null;
}

/**
 * Finds the objects to delete. Deletes come from exactly three places (design, section 5): `ensure: absent`, `--since`
 * and `--prune`. An object that several of them name is deleted once.
 */
export function findDeletions(request: DeleteRequest): {
  deletions: Deletion[];
  remarks: Diagnostic[];
} {
  const declared = declaredObjects(request);
  const isUndeclared = (live: LiveObject) => !declared.has(live.address) && request.isInScope(live.address);
  const { prunable, excluded } = prunableObjects(request, isUndeclared);
  const all = [
    ...absentObjects(request.absent),
    ...undeclaredSince(request).filter(({ live }) => isUndeclared(live)),
    ...prunable.map((live): Deletion => ({ live, source: null, protect: false, secrets: [] })),
  ];
  const once = new Map<Address, Deletion>();
  for (const each of all) if (!once.has(each.live.address)) once.set(each.live.address, each);
  const remarks = excluded.map(
    ({ address }): Diagnostic => ({
      code: 'kept',
      severity: 'info',
      message: `${address} is not declared, but it stays: prune.keep names it.`,
      address,
    }),
  );
  return { deletions: [...once.values()], remarks };
}

function absentObjects(absent: readonly Match[]): Deletion[] {
  return absent.flatMap(({ resource, live }): Deletion[] => {
    if (!live) return [];
    const { file, line } = resource.source;
    const { protect } = resource.lifecycle;
    const secrets = secretPlaces(resource.fields);
    return [{ live, source: { file, line }, protect, secrets }];
  });
}

/** The objects that the revision declared. */
function undeclaredSince({ previous, index }: DeleteRequest): Deletion[] {
  return (previous ?? []).flatMap((resource): Deletion[] => {
    if (resource.ensure === 'absent') return [];
    const kind = kindNamed(resource.kind);
    const live = resource.id === null ? index.byKey(kind, resource.key) : index.byId(kind, resource.id);
    const { protect } = resource.lifecycle;
    const secrets = secretPlaces(resource.fields);
    return live ? [{ live, source: null, protect, secrets }] : [];
  });
}

function prunableObjects({ prune, objects }: DeleteRequest, isUndeclared: (live: LiveObject) => boolean) {
  if (!prune) return { prunable: [], excluded: [] };
  const isExcluded = matchAddresses(prune.keep);
  const candidates = objects.filter((live) => prune.kinds.includes(live.kind) && isUndeclared(live));
  return {
    prunable: candidates.filter(({ address }) => !isExcluded(address)),
    excluded: candidates.filter(({ address }) => isExcluded(address)),
  };
}

/** The addresses of the live objects that resources declare, present or absent. */
function declaredObjects({ resources, index }: DeleteRequest): Set<Address> {
  const objects = resources.flatMap(({ kind: name, key, id, lifecycle: { renamedFrom } }) => {
    const kind = kindNamed(name);
    return [
      id === null ? index.byKey(kind, key) : index.byId(kind, id),
      renamedFrom ? index.byKey(kind, renamedFrom) : null,
    ];
  });
  return new Set(objects.flatMap((live) => (live ? [live.address] : [])));
}
