import { type Address, formatAddress, type Key } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic, Source } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Lookup } from '../model/marker.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Kind } from './kind.ts';

interface Lifecycle {
  readonly protect: boolean;
  /** Pointers to fields that are left alone once the object exists. */
  readonly ignore: readonly Pointer[];
  readonly renamedFrom: Key | null;
  readonly allowLockout: boolean;
  /** The digest of the vendor's default that the object was customised from; `null` if it is not known. */
  readonly basedOn: string | null;
}

export interface Resource {
  readonly kind: Kind;
  readonly key: Key;
  readonly address: Address;
  /** The server's id that the manifest pins, if the kind allows it. */
  readonly id: string | null;
  readonly ensure: 'present' | 'absent';
  /** The declared fields, in the manifest's shape; secrets and lookups are markers (see marker.ts). */
  readonly fields: JsonObject;
  readonly lifecycle: Lifecycle;
  /** The places that its manifest or an overlay marks `!secret`, even if another overlay sets or removes the value. */
  secrets(): readonly Pointer[];
  /** Fields that were in clear already: in a rollback, those of the result that it undoes. */
  readonly shown?: JsonObject;
  /**
   * The declaration in all environments: before variables, secrets, lookups and overlays. `null` if the resource is not declared
   * by a manifest: in a rollback.
   */
  readonly declaration: {
    digest(): string;
    /** The places in the manifest whose values this environment decides: by a tag or an overlay. */
    differsHere(): readonly Pointer[];
    /** Whether it exists here although the repository declares it absent, or vice versa. */
    readonly isEnsuredHere: boolean;
  } | null;
  source(): Source;
  /**
   * The place of the value at a pointer, with its line as an excerpt. The place of a side file is where the manifest names it. With
   * `offset` (in characters), returns the place inside a text, as far as it is known.
   */
  point(at: Pointer, offset?: number): { readonly source: Source; readonly excerpt: string };
  /** Where an overlay of the environment sets the value; `null` if the manifest does. */
  overlayAt(at: Pointer): Source | null;
  /** True when an overlay of the environment sets the value, or a part of it. */
  isOverlaid(at: Pointer): boolean;
}

export const noLifecycle: Lifecycle = {
  protect: false,
  ignore: [],
  renamedFrom: null,
  allowLockout: false,
  basedOn: null,
};

export const nowhere: Source = { file: '', line: 1, column: 1 };

/** An object as a plan or a result declares it, so far without fields. */
export function undeclared(kind: Kind, key: Key, place: Source = nowhere): Resource {
  return {
    kind,
    key,
    address: formatAddress(kind.name, key),
    id: null,
    ensure: 'present',
    fields: {},
    lifecycle: noLifecycle,
    secrets: () => [],
    declaration: null,
    source: () => place,
    point: () => ({ source: place, excerpt: '' }),
    overlayAt: () => null,
    isOverlaid: () => false,
  };
}

/** The keys that an object may have in the tenant: its own, and the one that it is renamed from. */
export function keysOf({ key, lifecycle: { renamedFrom } }: Pick<Resource, 'key' | 'lifecycle'>): Key[] {
  return renamedFrom ? [key, renamedFrom] : [key];
}

/** What the users of some kinds should know, said at the first of its objects. */
export function noticesOf(resources: readonly Resource[]): Diagnostic[] {
  return groupBy(resources, ({ kind }) => kind).flatMap(([{ quirks }, [first]]) =>
    quirks?.notice ? [{ ...quirks.notice, ...first.point('') }] : [],
  );
}

export interface UsedLookup extends Lookup {
  readonly uses?: readonly { readonly resource: Pick<Resource, 'address' | 'point'>; readonly at: Pointer }[];
}
