import { kindNamed } from '../kinds/index.ts';
import { identityOfObject } from '../kinds/live.ts';
import { environmentFiles, type ProjectFile } from './config.ts';
import type { Declarations } from './declared.ts';
import { sourceOf } from './file.ts';
import { matchGlobs } from './glob.ts';
import type { Manifest } from './manifest.ts';
import { identities, identityOfId } from './manifests.ts';
import { findNode } from './position.ts';

/** @param read gives every document that declares an object; called when somebody asks for one */
export function declarationsOf(file: ProjectFile, read: () => readonly Manifest[]): Declarations {
  const isMatch = matchGlobs(file.manifests);
  const isOther = matchGlobs(environmentFiles);
  let known: ReadonlyMap<string, Manifest> | null = null;
  return {
    globs: { patterns: file.manifests, source: sourceOf(findNode(file.document, '/manifests').place) },
    covers: (path) => isMatch(path) && !isOther(path) && !file.notManifests.includes(path),
    find({ kind, key, address, id }) {
      known ??= byIdentity(read());
      const manifest =
        known.get(identityOfObject(kindNamed(kind), { key, address })) ??
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
