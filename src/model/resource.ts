import type { Address, Key } from './address.ts';
import type { Source } from './diagnostic.ts';
import type { JsonObject } from './json.ts';
import type { Lookup } from './marker.ts';
import type { Pointer } from './pointer.ts';

/** What a manifest says about the life of its object rather than about its fields. */
export interface Lifecycle {
  /** Never delete the object. */
  readonly protect: boolean;
  /** Fields left as they are once the object exists: pointers into the manifest's fields. */
  readonly ignore: readonly Pointer[];
  /** The key the object has in the tenant until this change renames it. */
  readonly renamedFrom: Key | null;
  /** The author accepts that the change can lock people out. */
  readonly allowLockout: boolean;
}

/** One object as a manifest declares it. */
export interface Resource {
  readonly kind: string;
  readonly key: Key;
  readonly address: Address;
  /** The server's id that the manifest pins, where the kind allows it. */
  readonly id: string | null;
  readonly ensure: 'present' | 'absent';
  /** Declared fields only, in the manifest's shape; secrets and lookups stand as markers (see marker.ts). */
  readonly fields: JsonObject;
  readonly lifecycle: Lifecycle;
  /**
   * Equal digests mean equal declarations. `null` where secrets or lookups have a say, and where nobody keeps what a
   * plan has found.
   */
  readonly digest: string | null;
  readonly source: Source;
  /** Where the value at a pointer stands (in a side file or overlay, the place that refers to it). */
  locate(at: Pointer): Source;
  /**
   * The same with its line shown, and for a text, of which `offset` counts the characters, the place inside it: in its
   * side file or in the manifest, as far as that can be told.
   */
  point(at: Pointer, offset?: number): { readonly source: Source; readonly excerpt: string };
}

/** A lookup, and the places that use it, as far as they are known. */
export interface UsedLookup extends Lookup {
  readonly uses?: readonly { readonly resource: Pick<Resource, 'address' | 'point'>; readonly at: Pointer }[];
}
