import { resolve } from 'node:path';
import type { Kinds } from '../kinds/catalog.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { secretPlaces } from '../kinds/redact.ts';
import type { Resource } from '../kinds/resource.ts';
import { once } from '../model/basics.ts';
import type { Source } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { type Pointer, pointer, valueAt } from '../model/pointer.ts';
import { environmentFiles, type ProjectFile } from './config.ts';
import { findNode } from './document.ts';
import { type Place, sourceOf } from './file.ts';
import { declarerOf } from './identities.ts';
import {
  type Manifest,
  type ManifestContext,
  readManifest,
  readWritten,
  type WrittenManifest,
} from './manifest.ts';
import { openFile, parseDocuments, readBytes } from './parse.ts';
import { resolveLinks } from './paths.ts';
import { Problems } from './problems.ts';
import { type FileSource, globRefusal, limitSize, matchGlobs } from './source.ts';
import { manifestNoter } from './tags.ts';

/** Every resource that manifests declare, in the order of files and documents. Problems are reported. */
export function resourcesOf(manifests: readonly Manifest[], problems: Problems): Resource[] {
  refuseDuplicates(manifests, problems);
  addNotices(manifests, problems);
  return manifests.flatMap(({ resource }) => resource ?? []);
}

/** What a project's manifests declare, and which further files would be read as manifests. */
export interface Declarations {
  /** The globs of manifests, and their position in the project file. */
  readonly globs: { readonly patterns: readonly string[]; readonly source: Source };
  /** Whether a file of this path, from the project's root, is or would be read as a manifest. */
  covers(path: string): boolean;
  /** Whether an environment of the project reads the file of this path, such as one that a tag in an overlay names. */
  isReadByEnvironment(path: string): boolean;
  /** Where an object is declared, even if its manifest has errors; `null` where it is not. */
  find(object: LiveObject): Source | null;
  /** What an object's manifest declares of it, with markers for secrets and lookups; nothing where it has none. */
  fieldsOf(object: LiveObject): JsonObject;
  /** The names of the secrets that an object's manifest declares, by their places. */
  secretsOf(object: LiveObject): ReadonlyMap<Pointer, string>;
}

/**
 * The declarations of a project. Its manifests are read when the first object is looked up.
 *
 * @param filesRead the files that environments read, from the project's root
 */
export function declarationsOf(
  { manifests: patterns, notManifests, place, root }: ProjectFile,
  read: () => readonly Manifest[],
  filesRead: () => readonly string[],
): Declarations {
  const isMatch = matchGlobs(patterns);
  const isEnvironment = matchGlobs(environmentFiles);
  const byIdentity = once(() => indexManifests(read()));
  const fileAt = (path: string) => resolveLinks(resolve(root, path));
  const environmentReads = once(() => new Set(filesRead().map(fileAt)));
  const manifestOf = (object: LiveObject) => declarerOf(byIdentity(), object);
  return {
    globs: { patterns, source: sourceOf(place) },
    covers: (path) => isMatch(path) && !isEnvironment(path) && !notManifests.includes(path),
    isReadByEnvironment: (path) => environmentReads().has(fileAt(path)),
    find(object) {
      const manifest = manifestOf(object);
      return manifest ? sourceOf(manifest.place) : null;
    },
    fieldsOf: (object) => manifestOf(object)?.fields ?? {},
    secretsOf(object) {
      const { fields = {} } = manifestOf(object) ?? {};
      const named = secretPlaces(fields).map((at) => [at, secretName(valueAt(fields, at)) ?? ''] as const);
      return new Map(named);
    },
  };
}

/** Every document that declares an object in an environment, even one that does not fit its schema. Problems are reported. */
export function readManifests(documents: Documents, context: ManifestContext): Manifest[] {
  return documents(context.problems).flatMap((document) => readManifest(document, context) ?? []);
}

/** The documents of all manifest files, in order. Their problems are reported to each environment. */
export type Documents = (problems: Problems) => readonly WrittenManifest[];

/**
 * The documents of a project, which are read once, when they are asked for first.
 *
 * @param files default: those of the project
 * @param withErrors whether documents with errors of syntax are read too
 */
export function documentsOf(
  project: ProjectFile,
  files: FileSource = project.source,
  withErrors = false,
): Documents {
  const found = new Problems();
  const source = limitSize(files, project.sizeLimit);
  const documents = once(() => {
    const readTag = manifestNoter(source, found);
    return listFiles(project, source, found).flatMap((path) => {
      const file = openFile(source, path, found);
      const parsed = file ? parseDocuments(file, found, withErrors) : [];
      return parsed.map((document) => readWritten(document, readTag, found));
    });
  });
  return (problems) => {
    const all = documents();
    problems.addAll(found);
    return all;
  };
}

function listFiles(project: ProjectFile, source: FileSource, problems: Problems): string[] {
  const { notManifests, place, kinds } = project;
  const patterns = usableGlobs(project, problems);
  try {
    // Listed together, since most of the time goes into listing folders.
    const ending = endingOf(patterns);
    const all = ending === null ? patterns : [...patterns, ...otherEndings(patterns)];
    const listed = source.glob(all).filter((path) => !notManifests.includes(path));
    const paths = listed.filter((path) => ending === null || path.endsWith(ending));
    for (const path of listed) {
      const isLeftOut = ending !== null && !path.endsWith(ending) && holdsManifest(path, kinds, source);
      if (isLeftOut) warnOfEnding(path, ending, place, problems);
    }
    // What is wrong with a glob may be why.
    const isComplete = patterns.length === project.manifests.length;
    if (paths.length === 0 && patterns.length > 0 && isComplete) {
      const message = `No file matches ${patterns.join(', ')}`;
      const hint =
        'Correct `manifests`, whose globs begin at the folder of the project file, or write manifests with `tenantctl export`.';
      problems.add('no-manifests', message, place, { severity: 'warning', hint });
    }
    return paths;
  } catch (error) {
    problems.addFailure(error, place);
    return [];
  }
}

/** The globs of manifests without those that are not used, which are reported. */
function usableGlobs({ manifests, document }: ProjectFile, problems: Problems): string[] {
  return manifests.filter((glob, at) => {
    const refusal = globRefusal(glob);
    if (refusal) problems.addFailure(refusal, findNode(document, pointer('manifests', at)).place);
    return refusal === null;
  });
}

/** The one ending of all globs; `null` where they have several or others, which a project then chose on purpose. */
function endingOf(patterns: readonly string[]): '.yaml' | '.yml' | null {
  const wanted = patterns.filter((glob) => !glob.startsWith('!'));
  return (['.yaml', '.yml'] as const).find((ending) => wanted.every((glob) => glob.endsWith(ending))) ?? null;
}

/** Globs of the files beside the manifests, whatever their ending. */
function otherEndings(patterns: readonly string[]): string[] {
  const wanted = patterns.filter((glob) => !glob.startsWith('!'));
  return wanted.map((glob) => glob.replace(/\.ya?ml$/, '.{yaml,yml,YAML,YML}'));
}

/**
 * Whether a file names a kind of the project, as a manifest would. Other files may lie beside manifests: only their bytes are
 * read, which do not count for `sizeLimit`.
 */
function holdsManifest(path: string, kinds: Kinds, source: FileSource): boolean {
  const text = Buffer.from(readBytes(source, path)).toString();
  return [...text.matchAll(/^kind:[ \t]*(\w+)/gm)].some(([, name = '']) => kinds.find(name) !== undefined);
}

/** With `--since`, the objects of a manifest that is not read any more would be deleted. */
function warnOfEnding(path: string, ending: string, place: Place, problems: Problems): void {
  const message = `${path} is not read: no glob of \`manifests\` matches its ending`;
  const renamed = path.replace(/\.ya?ml$/i, ending);
  const hint = `Rename it to ${renamed}, or add a glob for it to \`manifests\`.`;
  problems.add('unread-file', message, place, { severity: 'warning', hint, excerpt: false });
}

/** Refuses two manifests for one object: with the same key or id, or with a key that the other one renames. */
function refuseDuplicates(manifests: readonly Manifest[], problems: Problems): void {
  const first = indexManifests(manifests);
  for (const manifest of manifests) {
    for (const { identity, label, isFormer } of manifest.identities) {
      const other = first.get(identity);
      if (!other || other === manifest) continue;
      const { file, line } = sourceOf(other.place);
      const isReused = other.identities.some(
        (each) => each.identity === identity && each.isFormer !== isFormer,
      );
      const message = isReused
        ? `${label} is declared and renamed at once; first in ${file}, line ${line}`
        : `${label} is declared twice; first in ${file}, line ${line}`;
      const hint = isReused ? renameFirst : 'Keep one of the two manifests.';
      problems.add('duplicate-object', message, manifest.place, { address: manifest.address, hint });
    }
  }
}

const renameFirst =
  'If it is one object, keep one of the two manifests. If another object is to get the name, apply `renamedFrom` first, and declare the other one after that. To swap two names, give one of the objects a third name in between.';

/** The first manifest with each identity. */
function indexManifests(manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const first = new Map<string, Manifest>();
  for (const manifest of manifests) {
    for (const { identity } of manifest.identities) if (!first.has(identity)) first.set(identity, manifest);
  }
  return first;
}

/** Adds the notice of each kind once, where the kind is first declared. */
function addNotices(manifests: readonly Manifest[], problems: Problems): void {
  const seen = new Set<Kind>();
  for (const manifest of manifests) {
    const { notice } = manifest.kind;
    if (!notice || seen.has(manifest.kind)) continue;
    seen.add(manifest.kind);
    const { code, message, ...more } = notice;
    problems.add(code, message, manifest.place, more);
  }
}
