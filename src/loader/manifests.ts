import type { Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live.ts';
import { formatAddress } from '../model/address.ts';
import type { Resource } from '../model/resource.ts';
import { type Place, sourceOf } from './file.ts';
import { type Manifest, type ManifestContext, readManifest } from './manifest.ts';
import { parseDocuments } from './parse.ts';
import type { Problems } from './problems.ts';
import type { FileSource } from './source.ts';
import { openFile } from './text.ts';

export interface ManifestFiles {
  readonly source: FileSource;
  readonly patterns: readonly string[];
  /** Where the patterns stand. */
  readonly place: Place;
  /** Files that are no manifests although a pattern matches them. */
  readonly except: readonly string[];
}

/** Every resource that the manifests declare, in the order of files and documents. Problems are reported. */
export function readManifests(files: ManifestFiles, context: ManifestContext): Resource[] {
  const manifests = readDeclared(files, context);
  refuseDuplicates(manifests, context.problems);
  addNotices(manifests, context.problems);
  return manifests.flatMap(({ resource }) => resource ?? []);
}

/** Every document that declares an object, sound or not. Problems of a single document are reported. */
export function readDeclared(
  files: ManifestFiles,
  context: ManifestContext,
  parse: typeof parseDocuments = parseDocuments,
): Manifest[] {
  const { problems } = context;
  return listFiles(files, problems).flatMap((path) => {
    const file = openFile(files.source, path, problems);
    const documents = file ? parse(file, problems) : [];
    return documents.flatMap((document) => readManifest(document, context) ?? []);
  });
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
  const found: [string, string][] = [[identityOf(kind, key), address]];
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
  const { file, line } = sourceOf(other.document);
  problems.add(
    'duplicate-object',
    `${what} is declared twice; first in ${file}, line ${line}`,
    manifest.document,
    {
      address: manifest.address,
      hint: 'Keep one of the two manifests.',
    },
  );
}

/** The notice of a kind is given once, where the kind is first declared. */
function addNotices(manifests: readonly Manifest[], problems: Problems): void {
  const seen = new Set<Kind>();
  for (const manifest of manifests) {
    const { notice } = manifest.kind;
    if (!notice || seen.has(manifest.kind)) continue;
    seen.add(manifest.kind);
    problems.add(notice.code, notice.message, manifest.document, { severity: 'info' });
  }
}
