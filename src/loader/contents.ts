import type { CachedDocument, ManifestCache } from './cache.ts';
import type { SourceFile } from './file.ts';
import { parseDocuments, type YamlDocument } from './parse.ts';
import { Problems } from './problems.ts';
import { deferTag, readTree, type Tree } from './tree.ts';

/** One document of a manifest file, as far as its text alone tells what it holds. */
export interface Content {
  readonly document: YamlDocument;
  /** Its tags are still to be read: see `readDeferred`. */
  readonly tree: Tree;
}

/** The documents of a file: from the cache where an earlier run has read the same text, else parsed; problems are told. */
export function readContents(
  file: SourceFile,
  cache: ManifestCache | null,
  problems: Problems,
): readonly Content[] {
  const known = cache?.find(file.text);
  if (known) return contentsOf(file, known);
  const before = problems.count;
  const read = parseDocuments(file, problems).map((document): CachedDocument => {
    const tree = readTree(document, deferTag, problems);
    return { ...tree, offset: document.offset };
  });
  if (problems.count === before) cache?.keep(file.text, read);
  return contentsOf(file, read);
}

/**
 * Only who asks where something stands makes the file be parsed, though it be again: kept for that, the nodes of
 * thousands of files would cost more than all the rest.
 */
function contentsOf(file: SourceFile, read: readonly CachedDocument[]): Content[] {
  let parsed: readonly YamlDocument[] | null = null;
  return read.map(({ value, tagged, offset }, at) => ({
    tree: { value, tagged },
    document: {
      file,
      offset,
      get root() {
        parsed ??= parseDocuments(file, new Problems());
        return parsed[at]?.root ?? null;
      },
    },
  }));
}
