import type { Key } from '../model/address.ts';
import type { Kind } from './kind.ts';

/** What has to be read of one kind. */
export interface Wanted {
  readonly kind: Kind;
  readonly keys: readonly Key[];
  /** Ids that manifests pin. */
  readonly ids: readonly string[];
  /** Whether every object of the kind is needed, declared or not. */
  readonly complete: boolean;
  /**
   * Whether the objects were just written. One alone may then be read by its own call, as the answer to the write would
   * have shown it; what fingerprints are compared of is always read the same way.
   */
  readonly written?: boolean;
}
