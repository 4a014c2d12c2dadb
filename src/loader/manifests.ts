import type { Kind } from '../kinds/kind.ts';
import { identityOf, identityOfObject } from '../kinds/live.ts';
import { formatAddress } from '../model/address.ts';
import type { Resource } from '../model/resource.ts';
import type { ManifestCache } from './cache.ts';
import { openContents } from './contents.ts';
import { type Place, sourceOf } from './file.ts';
import { type Manifest, readManifest } from './manifest.ts';
import type { Overlays } from './overlay.ts';
import type { Problems } from './problems.ts';
import type { FileSource } from './source.ts';
import type { ReadTag } from './tree.ts';

export interface ManifestFiles {
  readonly source: FileSource;
  readonly patterns: readonly string[];
  /** Where the patterns stand. */
  readonly place: Place;
  /** Files that are no manifests although a pattern matches them. */
  readonly except: readonly string[];
  /** What earlier runs have read; `null`: everything is parsed. */
  readonly cache: ManifestCache | null;
}

/** Every resource that the manifests declare, in the order of files and documents; problems are told. */
export function readManifests(
  files: ManifestFiles,
  readTag: ReadTag,
  overlays: Overlays,
  problems: Problems,
): Resource[] {
  const manifests = readDeclared(files, readTag, overlays, problems);
  refuseDuplicates(manifests, problems);
  tellNotices(manifests, problems);
  return manifests.flatMap(({ resource }) => resource ?? []);
}

/** Every document that declares an object, sound or not; problems of one alone are told. */
export function readDeclared(
  files: ManifestFiles,
  readTag: ReadTag,
  overlays: Overlays,
  problems: Problems,
): Manifest[] {
  const manifests: Manifest[] = [];
  for (const path of listFiles(files, problems)) {
    const before = problems.count;
    const contents = openContents(files.source, path, files.cache, problems);
    if (!contents) continue;
    const read = contents.documents.map((content) => readManifest(content, readTag, overlays, problems));
    if (problems.count === before) contents.keep(read.map((manifest) => manifest?.outline ?? null));
    manifests.push(...read.filter((manifest) => manifest !== null));
  }
  files.cache?.save();
  return manifests;
}

function listFiles({ source, patterns, place, except }: ManifestFiles, problems: Problems): string[] {
  try {
    const paths = source.glob(patterns).filter((path) => !except.includes(path));
    if (paths.length === 0) {
      problems.add('no-manifests', `No file matches ${patterns.join(', ')}`, place, { severity: 'warning' });
    }
    return paths;
  } catch (error) {
    problems.addFailure(error, place);
    return [];
  }
}

/** Two manifests for one object: the same key as the kind compares keys, the same id, or a rename to take over. */
function refuseDuplicates(manifests: readonly Manifest[], problems: Problems): void {
  const first = new Map<string, Manifest>();
  for (const manifest of manifests) {
    for (const [identity, what] of identities(manifest)) {
      const other = first.get(identity);
      if (!other) first.set(identity, manifest);
      else if (other !== manifest) refuseDuplicate(manifest, other, what, problems);
    }
  }
}

/** What a manifest has to itself, and how to name it. */
export function identities({
  kind,
  key,
  address,
  id,
  resource,
}: Manifest): [identity: string, what: string][] {
  const { name } = kind;
  const found: [string, string][] = [[identityOfObject(kind, { key, address }), address]];
  if (id !== null) found.push([identityOfId(name, id), `the ${name} with the id ${id}`]);
  const renamedFrom = resource?.lifecycle.renamedFrom;
  if (renamedFrom) found.push([identityOf(kind, renamedFrom), formatAddress(name, renamedFrom)]);
  return found;
}

/** What a manifest that pins an id has to itself. */
export function identityOfId(kind: string, id: string): string {
  return `id ${kind} ${id}`;
}

function refuseDuplicate(manifest: Manifest, other: Manifest, what: string, problems: Problems): void {
  const { file, line } = sourceOf(placeOf(other));
  problems.add(
    'duplicate-object',
    `${what} is declared twice; first in ${file}, line ${line}`,
    placeOf(manifest),
    {
      address: manifest.address,
      hint: 'Keep one of the two manifests.',
    },
  );
}

/** What there is to say about a kind is said once, where it is first declared. */
function tellNotices(manifests: readonly Manifest[], problems: Problems): void {
  const told = new Set<Kind>();
  for (const manifest of manifests) {
    const { notice } = manifest.kind;
    if (!notice || told.has(manifest.kind)) continue;
    told.add(manifest.kind);
    problems.add(notice.code, notice.message, placeOf(manifest), { severity: 'info' });
  }
}

function placeOf({ document }: Manifest): Place {
  return document;
}
