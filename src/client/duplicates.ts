import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import { formatAddress, type Key } from '../model/address.ts';
import { type Group, groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { shortenLine } from './describe.ts';

/**
 * Objects that a manifest means by the id alone, or that share a name, are known by their ids, as those without a name. A
 * reference may name an object by its id too, unless one has it as its name, or the object is asked for by its own.
 */
export function nameById(
  { kind, keys, idsAsNames = [], allowsDuplicates: referred = [] }: ReadRequest,
  objects: readonly LiveObject[],
): LiveObject[] {
  const identitiesOf = (all: readonly Key[]) => new Set(all.map((key) => identityOf(kind, key)));
  const [meant, referredTo, alone] = [identitiesOf(keys), identitiesOf(referred), new Set(idsAsNames)];
  const sharing = new Map(groupBy(objects, ({ identity }) => identity));
  return objects.map((object) => {
    const { id, identity } = object;
    if (id === null) return object;
    const own = identityOf(kind, [id]);
    const isReferredTo = referredTo.has(own) && !sharing.has(own) && !meant.has(identity);
    const isDuplicate = (sharing.get(identity)?.length ?? 0) > 1 && !meant.has(identity);
    if (own === identity || !(isDuplicate || isReferredTo || alone.has(id))) return object;
    return { ...object, key: [id], address: formatAddress(kind.name, [id]), identity: own };
  });
}

export function groupDuplicates(objects: readonly LiveObject[]): readonly Group<LiveObject>[] {
  const groups = groupBy(objects, ({ identity }) => identity).map(([, group]) => group);
  return groups.filter(({ length }) => length > 1);
}

export function describeDuplicates([first, ...others]: Group<LiveObject>): string {
  const ids = [first, ...others].map(({ id }) => shortenLine(id ?? 'no id', 100)).join(', ');
  const key = shortenLine(first.key.join('/'), 200);
  return `The tenant has ${others.length + 1} objects of kind ${first.kind.name} with the key "${key}": ids ${ids}.`;
}

export function hintOnDuplicates(kind: Kind): string {
  const pin = kind.can.pin ? ' Or declare each by its `id` alone, without the name.' : '';
  return `Rename or delete all but one of them in the tenant.${pin}`;
}

/** Throws where two live objects share a key: it is unclear which one a manifest means (design, section 5). */
export function refuseDuplicates(kind: Kind, objects: readonly LiveObject[]): void {
  const problems = groupDuplicates(objects).map(
    (same): Diagnostic => ({
      code: 'duplicate-live-key',
      severity: 'error',
      message: describeDuplicates(same),
      hint: hintOnDuplicates(kind),
      address: same[0].address,
    }),
  );
  if (problems.length > 0) throw new Failure(problems);
}
