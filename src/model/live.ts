import type { Address, Key } from './address.ts';
import type { JsonObject } from './json.ts';
import type { Pointer } from './pointer.ts';

/** One object as the tenant has it, in the manifest's shape. */
export interface LiveObject {
  readonly kind: string;
  readonly key: Key;
  readonly address: Address;
  /** The address with its key case-folded as the kind says: equal for the same object. */
  readonly identity: string;
  readonly id: string | null;
  /** The fields that a manifest could declare, with the manifest's names and the tenant's values. */
  readonly fields: JsonObject;
  /** Declarable fields that the tenant does not show (missing, masked, encrypted): they cannot be compared. */
  readonly hidden: readonly Pointer[];
  /** The tenant's complete answer: a write of the whole object is based on it. */
  readonly raw: JsonObject;
  /** The digest of the object, without the server's bookkeeping. */
  readonly fingerprint: string;
}

/** The two base URLs that identify a tenant; an embedded tenant is named by its data file. */
export interface TenantName {
  readonly identity: string;
  readonly profiles: string;
}

/** What was read of a tenant. */
export interface TenantState {
  readonly tenant: TenantName;
  readonly objects: readonly LiveObject[];
  /** The vendor's defaults of objects that are not customised. */
  readonly defaults: readonly LiveObject[];
}
