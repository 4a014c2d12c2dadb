import { kindNamed } from '../kinds/index.ts';
import { identityOf } from '../kinds/live.ts';
import type { Source } from '../model/diagnostic.ts';
import type { LiveObject } from '../model/live.ts';
import { environmentFiles, type ProjectFile } from './config.ts';
import { sourceOf } from './file.ts';
import type { Manifest } from './manifest.ts';
import { identities, identityOfId } from './manifests.ts';
import { findNode } from './position.ts';
import { matchGlobs } from './source.ts';

/** What a project's manifests declare already, and where further ones would be read. */
export interface Declarations {
  /** The globs of manifests, and where they stand. */
  readonly globs: { readonly patterns: readonly string[]; readonly source: Source };
  /** Whether a file of this path, from the project's root, is or would be read as a manifest. */
  covers(path: string): boolean;
  /** Where an object is declared, soundly or not; `null` where it is not. */
  find(object: LiveObject): Source | null;
}

/** @param read gives every document that declares an object; called when somebody asks for one */
export function declarationsOf(file: ProjectFile, read: () => readonly Manifest[]): Declarations {
  const isMatch = matchGlobs(file.manifests);
  const isOther = matchGlobs(environmentFiles);
  let known: ReadonlyMap<string, Manifest> | null = null;
  return {
    globs: { patterns: file.manifests, source: sourceOf(findNode(file.document, '/manifests').place) },
    covers: (path) => isMatch(path) && !isOther(path) && !file.notManifests.includes(path),
    find({ kind, key, id }) {
      known ??= byIdentity(read());
      const manifest =
        known.get(identityOf(kindNamed(kind), key)) ??
        (id === null ? undefined : known.get(identityOfId(kind, id)));
      return manifest ? sourceOf(manifest.document) : null;
    },
  };
}

function byIdentity(manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const pairs = manifests.flatMap((manifest) =>
    identities(manifest).map(([identity]) => [identity, manifest] as const),
  );
  return new Map(pairs.reverse());
}
