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
  if (known) return fromCache(known, file);
  const before = problems.count;
  const contents = parseDocuments(file, problems).map((document) => ({
    document,
    tree: readTree(document, deferTag, problems),
  }));
  if (problems.count === before) cache?.keep(file.text, contents.map(toCache));
  return contents;
}

function toCache({ document, tree }: Content): CachedDocument {
  const { line, column } = document.source;
  return { ...tree, line, column };
}

/** Only who asks where something stands makes the file be parsed. */
function fromCache(known: readonly CachedDocument[], file: SourceFile): Content[] {
  let parsed: readonly YamlDocument[] | null = null;
  return known.map(({ value, tagged, line, column }, at) => ({
    tree: { value, tagged },
    document: {
      file,
      source: { file: file.path, line, column },
      get root() {
        parsed ??= parseDocuments(file, new Problems());
        return parsed[at]?.root ?? null;
      },
    },
  }));
}
