import { readCache, writeCache } from '../model/cache-file.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, own, textOf } from '../model/json.ts';
import { type Outline, outlineFrom, outlineJson } from './outline.ts';
import type { Stamp } from './source.ts';
import type { Tree } from './tree.ts';

/** A file without problems, as its text alone tells it: nothing of the environment is in it. */
export interface CachedFile {
  /** What `FileSource.stamp` said of the file when it was read. */
  readonly stamp: Stamp | null;
  /** Of its text. */
  readonly digest: string;
  readonly documents: readonly CachedDocument[];
}

/** One document: what a manifest without tags says but for its fields, or the whole value, its tags not read. */
export type CachedDocument = { readonly offset: number } & (
  | { readonly outline: Outline }
  | { readonly outline: null; readonly tree: Tree }
);

/** What earlier runs found in files without problems. */
export interface ManifestCache {
  /** What was last found in the file; it may have changed since. */
  find(path: string): CachedFile | null;
  /** What this run found in the file. */
  keep(path: string, found: CachedFile): void;
  /** This run found the file as it is known. */
  keepKnown(path: string): void;
  /** Writes what this run has kept, if that is not what is there already. */
  save(): void;
}

/** The cache in `file`, made by this version of the tool. Whatever is not as it should be counts as not there. */
export function openCache(file: string, version: string): ManifestCache {
  const head = `manifests read by tenantctl ${version}`;
  const content = readCache(file, head);
  const known = isObject(content) ? content : {};
  const kept = new Map<string, Json>();
  let isNew = false;
  return {
    find: (path) => fileFrom(own(known, path)),
    keep(path, file) {
      kept.set(path, fileJson(file));
      isNew = true;
    },
    keepKnown: (path) => kept.set(path, own(known, path) ?? null),
    save() {
      if (isNew || kept.size < Object.keys(known).length) writeCache(file, head, objectFrom(kept));
    },
  };
}

function fileJson({ stamp, digest, documents }: CachedFile): JsonObject {
  return {
    stamp,
    digest,
    documents: documents.map(({ offset, ...holds }) =>
      holds.outline
        ? { offset, outline: outlineJson(holds.outline) }
        : { offset, value: holds.tree.value, tagged: holds.tree.tagged },
    ),
  };
}

function fileFrom(json: Json | undefined): CachedFile | null {
  if (!isObject(json)) return null;
  const [digest, list] = [textOf(json, 'digest'), own(json, 'documents')];
  if (digest === null || !isArray(list)) return null;
  const documents = list.map(documentFrom);
  const isWhole = documents.every((document) => document !== null);
  return isWhole ? { stamp: stampFrom(own(json, 'stamp')), digest, documents } : null;
}

function stampFrom(json: Json | undefined): Stamp | null {
  const [size, changed, inode] = isArray(json) ? json : [];
  const isStamp = typeof size === 'number' && typeof changed === 'number' && typeof inode === 'number';
  return isStamp ? [size, changed, inode] : null;
}

function documentFrom(json: Json): CachedDocument | null {
  if (!isObject(json)) return null;
  const [offset, value, tagged] = ['offset', 'value', 'tagged'].map((name) => own(json, name));
  if (typeof offset !== 'number') return null;
  const outline = outlineFrom(own(json, 'outline') ?? null);
  if (outline) return { offset, outline };
  if (value === undefined || typeof tagged !== 'boolean') return null;
  return { offset, outline: null, tree: { value, tagged } };
}
