import { findKind } from '../kinds/index.ts';
import { unmarkedSecrets } from '../kinds/secret-place.ts';
import { failure } from '../model/failure.ts';
import { digestOf } from '../model/hash.ts';
import { isObject, type Json, textOf } from '../model/json.ts';
import type { CachedDocument, CachedFile, ManifestCache } from './cache.ts';
import type { YamlDocument } from './document.ts';
import { SourceFile } from './file.ts';
import type { Outline } from './outline.ts';
import { parseDocuments, schema, tokensOf } from './parse.ts';
import { plainDocuments } from './plain.ts';
import { Problems } from './problems.ts';
import type { FileSource, Stamp } from './source.ts';
import { openFile, readText } from './text.ts';
import { deferTag, readTree, type Tree, withoutTags } from './tree.ts';

/** One document of a manifest file, as far as its text alone tells what it holds. */
export interface Content {
  readonly document: YamlDocument;
  /** What it says besides its fields, where an earlier run found it sound and without tags. */
  readonly outline: Outline | null;
  /** Its value, tags still to be read: see `readDeferred`. */
  tree(): Tree;
  /** Equal for equal texts; `null` where no cache is used. */
  readonly digest: string | null;
}

/** The documents of a manifest file. */
export interface Contents {
  readonly documents: readonly Content[];
  /**
   * Keeps the file in the cache; for a file without problems only.
   *
   * @param outlines of the documents whose text alone makes a sound manifest, `null` for the others
   */
  keep(outlines: readonly (Outline | null)[]): void;
}

/**
 * The documents of a file: from the cache where an earlier run has read the same text, else parsed. `null` where it
 * cannot be read; problems are told.
 */
export function openContents(
  source: FileSource,
  path: string,
  cache: ManifestCache | null,
  problems: Problems,
): Contents | null {
  if (!cache) return parsed(openFile(source, path, problems), problems, null);
  const stamp = source.stamp(path);
  const known = cache.find(path);
  // What has not been touched need not be opened to know what it holds.
  if (known && isSameStamp(known.stamp, stamp)) {
    return found(untouched(source, path, known), known, () => cache.keepKnown(path));
  }
  const file = openFile(source, path, problems);
  if (!file) return null;
  const digest = digestOf(file.text);
  if (known?.digest === digest) {
    const isStamped = stamp !== null;
    return found(file, known, () =>
      isStamped ? cache.keep(path, { ...known, stamp }) : cache.keepKnown(path),
    );
  }
  return parsed(file, problems, {
    digest,
    keep: (documents) => cache.keep(path, { stamp, digest, documents }),
  });
}

function isSameStamp(one: Stamp | null, other: Stamp | null): boolean {
  return one !== null && other !== null && one.every((part, at) => part === other[at]);
}

/** Its text is read when somebody asks for it, and has to be the one that is known. */
function untouched(source: FileSource, path: string, { digest }: CachedFile): SourceFile {
  return new SourceFile(path, () => {
    const text = readText(source, path);
    if (digestOf(text) === digest) return text;
    throw failure('file-changed', `${path} has changed while it was read.`, {
      hint: 'Run the command again.',
    });
  });
}

function found(file: SourceFile, { digest, documents }: CachedFile, keep: () => void): Contents {
  const nodes = new Nodes(file);
  let read: readonly ReadDocument[] | null = null;
  const treeAt = (at: number): Tree => {
    read ??= readDocuments(file, new Problems());
    return read[at]?.tree ?? { value: null, tagged: false };
  };
  const contents = documents.map((known, at): Content => {
    return {
      document: new LazyDocument(file, known.offset, at, nodes),
      outline: known.outline,
      tree: () => (known.outline ? treeAt(at) : known.tree),
      digest: `${digest} ${at}`,
    };
  });
  return { documents: contents, keep };
}

interface Keeper {
  readonly digest: string;
  keep(documents: readonly CachedDocument[]): void;
}

function parsed(file: SourceFile | null, problems: Problems, keeper: Keeper | null): Contents | null {
  if (!file) return null;
  const nodes = new Nodes(file);
  const read = readDocuments(file, problems).map(({ offset, tree }, at) => ({
    document: new LazyDocument(file, offset, at, nodes),
    tree,
  }));
  return {
    documents: read.map(({ document, tree }, at): Content => {
      return { document, outline: null, tree: () => tree, digest: keeper && `${keeper.digest} ${at}` };
    }),
    keep(outlines) {
      const documents = read.map(({ document: { offset }, tree }, at): CachedDocument => {
        const outline = outlines[at] ?? null;
        return outline ? { offset, outline } : { offset, outline, tree };
      });
      const values = documents.flatMap((document) => (document.outline ? [] : [document.tree.value]));
      // A credential that somebody wrote into a manifest is in one place too many already.
      if (!values.some(holdsCredential)) keeper?.keep(documents);
    },
  };
}

/** Whether a plan would conceal a value of the manifest, as far as its text tells. In doubt it does. */
function holdsCredential(manifest: Json): boolean {
  const value = withoutTags(manifest);
  if (!isObject(value)) return value !== null;
  const kind = findKind(textOf(value, 'kind') ?? '');
  return !kind || unmarkedSecrets(kind, value).length > 0;
}

interface ReadDocument {
  readonly offset: number;
  readonly tree: Tree;
}

function readDocuments(file: SourceFile, problems: Problems): ReadDocument[] {
  const tokens = tokensOf(file, problems);
  const plain = tokens && plainDocuments(tokens, schema);
  if (plain) return plain.map(({ offset, value }) => ({ offset, tree: { value, tagged: false } }));
  return parseDocuments(file, problems, tokens).map((document) => {
    return { offset: document.offset, tree: readTree(document, deferTag, problems) };
  });
}

/**
 * The nodes of a file's documents. Only who asks where something stands makes the file be parsed, though it be again:
 * kept for that, the nodes of thousands of files would cost more than all the rest.
 */
class Nodes {
  readonly #file: SourceFile;
  #documents: readonly YamlDocument[] | null = null;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  at(index: number): YamlDocument['root'] {
    this.#documents ??= parseDocuments(this.#file, new Problems());
    return this.#documents[index]?.root ?? null;
  }
}

class LazyDocument implements YamlDocument {
  readonly file: SourceFile;
  readonly offset: number;
  readonly #index: number;
  readonly #nodes: Nodes;

  constructor(file: SourceFile, offset: number, index: number, nodes: Nodes) {
    this.file = file;
    this.offset = offset;
    this.#index = index;
    this.#nodes = nodes;
  }

  get root(): YamlDocument['root'] {
    return this.#nodes.at(this.#index);
  }
}
