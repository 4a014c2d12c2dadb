import { posix, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { lazy } from '../model/basics.ts';
import type { Source } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import { secretName, secretPlaces } from '../model/marker.ts';
import { type Pointer, pointer, valueAt } from '../model/pointer.ts';
import { environmentFiles, type ProjectFile } from './config.ts';
import { declarerOf, type Manifest, type readManifest } from './manifest.ts';
import { openFile, parseDocuments } from './parse.ts';
import { resolveLinks } from './paths.ts';
import { Problems } from './problems.ts';
import { type FileSource, globRefusal, limitSize, matchGlobs, sizeLimit } from './source.ts';
import { tagNoter } from './tags.ts';
import { findNode, readTree } from './tree.ts';

/** The resources of all manifests together. Objects that two of them declare are reported, and a notice of each kind once. */
export function resourcesOf(manifests: readonly Manifest[], problems: Problems): Resource[] {
  const first = indexManifests(manifests);
  const noticed = new Set<Kind>();
  for (const manifest of manifests) {
    const { kind, place, address } = manifest;
    for (const { identity, label, isFormer } of manifest.identities) {
      const other = first.get(identity);
      if (!other || other === manifest) continue;
      const { file, line } = other.place.file.at(other.place.offset);
      const isReused = other.identities.some(
        (each) => each.identity === identity && each.isFormer !== isFormer,
      );
      const message = isReused
        ? `${label} is the name of one object here and the former name of another there; first in ${file}, line ${line}.`
        : `${label} is declared twice; first in ${file}, line ${line}.`;
      const hint = isReused ? renameFirst : 'Keep one of the two manifests.';
      problems.add('duplicate-object', message, place, { address, hint });
    }
    const notice = kind.quirks?.notice;
    if (!notice || noticed.has(kind)) continue;
    noticed.add(kind);
    const { code, message, ...more } = notice;
    problems.add(code, message, place, more);
  }
  return manifests.flatMap(({ resource }) => resource ?? []);
}

export interface Declarations {
  readonly globs: { readonly patterns: readonly string[]; readonly source: Source };
  /** True when a file of this path, from the project's root, is or would be read as a manifest. */
  covers(path: string): boolean;
  /** True when an environment of the project reads the file of this path, such as one that a tag in an overlay names. */
  isReadByEnvironment(path: string): boolean;
  /** The place where an object is declared, even if its manifest has errors; `null` if it is not. */
  find(object: LiveObject): Source | null;
  fieldsOf(object: LiveObject): JsonObject;
  secretsOf(object: LiveObject): ReadonlyMap<Pointer, string>;
}

/** The declarations of a project. Its manifests are read when the first object is looked up. */
export function declarationsOf(
  { manifests: patterns, notManifests, place, root, named }: ProjectFile,
  read: () => readonly Manifest[],
): Declarations {
  const isMatch = matchGlobs(patterns);
  const isEnvironment = matchGlobs(environmentFiles);
  const byIdentity = lazy(() => indexManifests(read()));
  const environmentReads = lazy(
    () => new Set(named().files.map((path) => resolveLinks(resolve(root, path)))),
  );
  const manifestOf = (object: LiveObject) => declarerOf(byIdentity(), object);
  return {
    globs: { patterns, source: place.file.at(place.offset) },
    covers: (path) => isMatch(path) && !isEnvironment(path) && !notManifests.includes(path),
    isReadByEnvironment: (path) => environmentReads().has(resolveLinks(resolve(root, path))),
    find(object) {
      const { file, offset } = manifestOf(object)?.place ?? {};
      return file?.at(offset ?? 0) ?? null;
    },
    fieldsOf: (object) => manifestOf(object)?.fields ?? {},
    secretsOf(object) {
      const { fields = {} } = manifestOf(object) ?? {};
      const named = secretPlaces(fields).map((at) => [at, secretName(valueAt(fields, at)) ?? ''] as const);
      return new Map(named);
    },
  };
}

type WrittenManifest = Parameters<typeof readManifest>[0];

interface Documents {
  /** The manifests that are the same in all environments. */
  readonly shared: Map<WrittenManifest, Manifest>;
  /** Their problems are reported to each environment. */
  read(problems: Problems): readonly WrittenManifest[];
  files(): ReadonlyMap<string, ManifestFile>;
  /** The texts that they were read from, by the paths of their files. */
  texts(): ReadonlyMap<string, string>;
  /** Reads them in slices, so that requests continue meanwhile. Calls `begin` if it takes more than one. */
  readAhead(begin: () => void): Promise<void>;
}

interface ManifestFile {
  readonly documents: readonly WrittenManifest[];
  /** The texts that it was read from: its own, and those of side files, by their paths. */
  readonly texts: ReadonlyMap<string, string>;
}

interface DocumentOptions {
  readonly files?: FileSource | undefined;
  readonly withErrors?: boolean;
  /** The project as read at another time. A file is reused if all of its texts are the same. */
  readonly before?: { readonly documents: Documents; readonly same: ReadonlyMap<string, string> } | undefined;
}

/** The documents of a project, read once, when they are asked for first. */
export function documentsOf(
  project: ProjectFile,
  { files = project.source, withErrors = false, before }: DocumentOptions = {},
): Documents {
  const found = new Problems();
  const limit = sizeLimit(project.sizeLimit);
  const readFile = (path: string): ManifestFile => {
    const known = before?.documents.files().get(path);
    if (known && [...known.texts.keys()].every((each) => before?.same.has(each))) return known;
    const texts = new Map<string, string>();
    const source = limitSize(files, limit, texts);
    const readTag = tagNoter(found, source);
    const file = openFile(source, path, found);
    const parsed = file ? parseDocuments(file, found, withErrors) : [];
    const documents = parsed.map((document) => {
      const place = { file: document.file, offset: document.offset };
      const tree = readTree(document, readTag, found);
      found.attempt(place, null, () => limit.count(tree.expanded, path));
      return { place, ...tree };
    });
    return { texts, documents };
  };
  const all = new Map<string, ManifestFile>();
  const unread = lazy(() => listFiles(project, files, found).values());
  const readAll = lazy(() => {
    for (const path of unread()) all.set(path, readFile(path));
    return all;
  });
  return {
    shared: before?.documents.shared ?? new Map(),
    files: readAll,
    texts: () => new Map([...readAll().values()].flatMap(({ texts }) => [...texts])),
    read(problems) {
      const documents = [...readAll().values()].flatMap((file) => file.documents);
      problems.addAll(found);
      return documents;
    },
    async readAhead(begin) {
      for (const path of unread()) {
        const { size } = all.set(path, readFile(path));
        if (size === filesPerSlice) begin();
        if (size % filesPerSlice === 0) await setImmediate();
      }
    },
  };
}

/** Few enough that a slice takes a few milliseconds. */
const filesPerSlice = 16;

function listFiles(project: ProjectFile, source: FileSource, problems: Problems): string[] {
  const { manifests, notManifests, place, document } = project;
  const patterns = manifests.filter((glob, at) => {
    const refusal = globRefusal(glob);
    if (refusal) problems.addFailure(refusal, findNode(document, pointer('manifests', at)).place);
    return refusal === null;
  });
  return problems.attempt(place, [], () => {
    const [ending = '', ...otherEndings] = new Set(patterns.map((glob) => posix.extname(glob)));
    const isYaml = otherEndings.length === 0 && /^\.ya?ml$/.test(ending);
    // Both endings are listed at once, since most of the time goes into listing folders.
    const all = patterns.map((glob) => (isYaml ? glob.replace(/\.ya?ml$/, '.{yaml,yml,YAML,YML}') : glob));
    // Only the source can match its paths: those of a folder elsewhere begin with that folder.
    const files = source.glob(all).filter((path) => !notManifests.includes(path));
    const paths = files.filter((path) => !isYaml || path.endsWith(ending));
    for (const path of files)
      if (isYaml && !path.endsWith(ending)) warnOfUnread(path, project, source, problems);
    // A faulty glob may be the reason.
    if (paths.length === 0 && patterns.length > 0 && patterns.length === manifests.length) {
      const message = `No file matches ${patterns.join(', ')}.`;
      const hint =
        'Correct `manifests`, whose globs are relative to the folder of the project file, or write manifests with `tenantctl export`.';
      problems.add('no-manifests', message, place, { severity: 'warning', hint });
    }
    return paths;
  });
}

/**
 * Warns of a file that names a kind of the project, as a manifest would, but has another ending than the globs: with `--since`,
 * the objects of a manifest that is no longer read would be deleted. Its bytes do not count for `sizeLimit`.
 */
function warnOfUnread(
  path: string,
  { kinds, manifests: [glob = ''], place }: ProjectFile,
  source: FileSource,
  problems: Problems,
): void {
  const text = new Problems().attempt(null, '', () => source.text(path, true));
  if (![...text.matchAll(/^kind:[ \t]*(\w+)/gm)].some(([, name = '']) => kinds.find(name))) return;
  const message = `${path} is not read: no glob of \`manifests\` matches its ending.`;
  const renamed = path.replace(/\.ya?ml$/i, posix.extname(glob));
  const hint = `Rename it to ${renamed}, or add a glob for it to \`manifests\`.`;
  problems.add('unread-file', message, place, { severity: 'warning', hint, excerpt: false });
}

const renameFirst =
  'If it is one object, keep one of the two manifests. If another object is to get the name, apply `renamedFrom` first, and declare the other one after that. To swap two names, give one of the objects a third name in between.';

function indexManifests(manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const first = new Map<string, Manifest>();
  for (const manifest of manifests) {
    for (const { identity } of manifest.identities) if (!first.has(identity)) first.set(identity, manifest);
  }
  return first;
}
