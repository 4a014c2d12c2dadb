import type { Address, Key } from './address.ts';
import type { JsonObject } from './json.ts';
import type { Pointer } from './pointer.ts';

/** What tells an object of the tenant from the others. */
export interface LiveName {
  readonly kind: string;
  readonly key: Key;
  readonly address: Address;
  readonly id: string | null;
}

/** One object as the tenant has it, in the manifest's shape. */
export interface LiveObject extends LiveName {
  /** The fields a manifest could declare, under the manifest's names, values as the tenant gave them. */
  readonly fields: JsonObject;
  /** Declarable fields the tenant does not show (left out, masked, encrypted): they cannot be compared. */
  readonly hidden: readonly Pointer[];
  /** The tenant's own answer, whole: what a write of the whole object is laid over. */
  readonly raw: JsonObject;
  /** Digest of everything about the object that is not the server's own bookkeeping. */
  readonly fingerprint: string;
  /** The digest of the declaration that an earlier run found this very object to be equal to, if it found one. */
  readonly equalTo: string | null;
}

/** The two base addresses that identify a tenant; an embedded tenant is named by its data file. */
export interface TenantName {
  readonly identity: string;
  readonly profiles: string;
}

/** What was read of a tenant: everything a plan is computed from. `Kept` is what its reader keeps of an object. */
export interface TenantState<Kept extends LiveName = LiveObject> {
  readonly tenant: TenantName;
  readonly objects: readonly Kept[];
  /** The vendor's defaults of declared objects that nobody has customised. */
  readonly defaults: readonly LiveObject[];
}
