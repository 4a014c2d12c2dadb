import { kindNamed } from '../kinds/index.ts';
import type { Address } from '../model/address.ts';
import { matchAddresses } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { LiveName, LiveObject } from '../model/live.ts';
import type { Change } from '../model/plan.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Policy } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import { secretPlaces } from './conceal.ts';
import { type Kept, wholeObject } from './keep.ts';
import type { LiveIndex, Match } from './match.ts';

/** A live object that somebody asked to delete, and who did. */
export interface Deletion {
  readonly live: LiveObject;
  readonly asked: 'absent' | 'since' | 'prune';
  readonly source: Change['source'];
  /** The manifest itself protects the object. */
  readonly protect: boolean;
  /** Places that its manifest marks as secret. */
  readonly secrets: readonly Pointer[];
}

export interface DeleteRequest {
  /** Every resource of the project, inside the scope or not: what is declared is never pruned. */
  readonly resources: readonly Resource[];
  /** Those with `ensure: absent`, inside the scope. */
  readonly absent: readonly Match[];
  readonly objects: readonly Kept[];
  readonly index: LiveIndex<Kept>;
  readonly inScope: (address: Address) => boolean;
  /** The resources as a git revision declared them; `null` without `--since`. */
  readonly previous: readonly Resource[] | null;
  /** Kinds whose undeclared objects go; `null` without `--prune`. */
  readonly prune: Policy['prune'] | null;
}

/**
 * What is to be deleted. Deletes come from exactly three places (design, section 5): `ensure: absent`, `--since`,
 * and `--prune`; an object that several ask for is deleted once.
 */
export function deletions(request: DeleteRequest): { deletions: Deletion[]; leftAlone: Diagnostic[] } {
  const asksOfUndeclared = request.previous !== null || request.prune !== null;
  const declared = asksOfUndeclared ? declaredObjects(request) : new Set<Address>();
  const undeclared = (live: LiveName) => !declared.has(live.address) && request.inScope(live.address);
  const { prunable, kept } = prunableObjects(request, undeclared);
  const asked: Asked[] = [
    ...absentObjects(request.absent),
    ...formerlyDeclared(request).filter(({ live }) => undeclared(live)),
    ...prunable.map((live): Asked => ({ live, asked: 'prune', source: null, protect: false, secrets: [] })),
  ];
  const once = new Map<Address, Deletion>();
  for (const { live, ...by } of asked)
    if (!once.has(live.address)) once.set(live.address, { ...by, live: wholeObject(live) });
  const leftAlone = kept.map(
    ({ address }): Diagnostic => ({
      code: 'kept',
      severity: 'info',
      message: `${address} is not declared and stays: prune.keep names it.`,
      address,
    }),
  );
  return { deletions: [...once.values()], leftAlone };
}

/** The same before it is sure that the object goes. */
type Asked = Omit<Deletion, 'live'> & { readonly live: Kept };

function absentObjects(absent: readonly Match[]): Asked[] {
  return absent.flatMap(({ resource, live }): Asked[] => {
    if (!live) return [];
    const { file, line } = resource.source;
    const { protect } = resource.lifecycle;
    const secrets = secretPlaces(resource.fields);
    return [{ live, asked: 'absent', source: { file, line }, protect, secrets }];
  });
}

/** Objects that the revision declared and that nothing declares now. */
function formerlyDeclared({ previous, index }: DeleteRequest): Asked[] {
  return (previous ?? []).flatMap((resource): Asked[] => {
    if (resource.ensure === 'absent') return [];
    const kind = kindNamed(resource.kind);
    const live = resource.id === null ? index.byKey(kind, resource.key) : index.byId(kind, resource.id);
    const { protect } = resource.lifecycle;
    const secrets = secretPlaces(resource.fields);
    return live ? [{ live, asked: 'since', source: null, protect, secrets }] : [];
  });
}

function prunableObjects({ prune, objects }: DeleteRequest, undeclared: (live: LiveName) => boolean) {
  if (!prune) return { prunable: [], kept: [] };
  const isKept = matchAddresses(prune.keep);
  const candidates = objects.filter((live) => prune.kinds.includes(live.kind) && undeclared(live));
  return {
    prunable: candidates.filter(({ address }) => !isKept(address)),
    kept: candidates.filter(({ address }) => isKept(address)),
  };
}

/** Addresses of the live objects that a resource stands for, whatever it is to become of them. */
function declaredObjects({ resources, index }: DeleteRequest): Set<Address> {
  const claimed = resources.flatMap((resource) => {
    const kind = kindNamed(resource.kind);
    const { renamedFrom } = resource.lifecycle;
    return [
      resource.id === null ? index.byKey(kind, resource.key) : index.byId(kind, resource.id),
      renamedFrom ? index.byKey(kind, renamedFrom) : null,
    ];
  });
  return new Set(claimed.flatMap((live) => (live ? [live.address] : [])));
}
