import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { Lifecycle } from '../kinds/resource.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';

/** A key or an id of an object, as a text that is equal for the same object. */
export interface Identity {
  readonly identity: string;
  readonly label: string;
  /** A key that the manifest takes from its object. */
  readonly isFormer: boolean;
}

interface NamedManifest {
  readonly kind: Kind;
  readonly key: Key;
  readonly address: Address;
  readonly id: string | null;
}

/** The identities that only one manifest may have: its key, its id, and the key that it renames. */
export function identitiesOf({ kind, key, address, id }: NamedManifest, lifecycle?: Lifecycle): Identity[] {
  const { name } = kind;
  const identities = [{ identity: identityOf(kind, key), label: address, isFormer: false }];
  if (id !== null) {
    const label = `the ${name} with the id ${id}`;
    identities.push({ identity: identityOfId(name, id), label, isFormer: false });
  }
  const former = lifecycle?.renamedFrom;
  if (former) {
    const label = formatAddress(name, former);
    identities.push({ identity: identityOf(kind, former), label, isFormer: true });
  }
  return identities;
}

export function declarerOf<T>(
  byIdentity: ReadonlyMap<string, T>,
  { kind, key, id }: Pick<LiveObject, 'kind' | 'key' | 'id'>,
): T | undefined {
  const byKey = byIdentity.get(identityOf(kind, key));
  return byKey ?? (id === null ? undefined : byIdentity.get(identityOfId(kind.name, id)));
}

function identityOfId(kind: string, id: string): string {
  return `id ${kind} ${id}`;
}
