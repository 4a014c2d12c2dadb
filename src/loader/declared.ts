import type { Source } from '../model/diagnostic.ts';
import type { LiveObject } from '../model/live.ts';

/** What a project's manifests declare already, and where further ones would be read. */
export interface Declarations {
  /** The globs of manifests, and where they stand. */
  readonly globs: { readonly patterns: readonly string[]; readonly source: Source };
  /** Whether a file is read as a manifest, or would be if it were there, by its path from the project's root on. */
  covers(path: string): boolean;
  /** Where an object is declared, soundly or not; `null` where it is not. */
  find(object: LiveObject): Source | null;
}
