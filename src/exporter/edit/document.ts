import { type Document, isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';
import { yamlOptions } from '../../loader/parse.ts';
import type { Member, Printable } from '../../loader/print.ts';
import { keyText } from '../../loader/tree.ts';
import { parseJson } from '../../model/json.ts';
import type { Pointer } from '../../model/pointer.ts';

/** A change to one value of a document. Items are inserted before the index, members at the end. */
export type Edit = NewValue | (Place & { readonly op: 'remove' });

interface Place {
  /** The steps from the document's root to the value: names of members, indexes of items. */
  readonly path: readonly string[];
}

interface NewValue extends Place {
  readonly op: 'set' | 'insert';
  readonly value: Printable;
  /** The names of the ids in the value, by their places in it, safe in comments. */
  readonly names?: ReadonlyMap<Pointer, string> | undefined;
}

/**
 * Parses a text that holds one document; `null` if it has errors, is empty or is nested too deeply, as by an alias to itself.
 * `tree` is its value, with tags as written and aliases replaced by their values. With `isJson`, other programs may read it too.
 */
export function parseOne(text: string) {
  const document = parseDocument(text, { ...yamlOptions, keepSourceTokens: true });
  const { contents } = document;
  if (document.errors.length > 0 || !isNode(contents)) return null;
  try {
    const tree = readNode(contents, document, 0);
    const isJson = parseJson(text.replace(/^---\s/, '')) !== undefined;
    return { text, root: contents, tree, eol: eolOf(text), isJson };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const maxDepth = 120;

/** Throws a RangeError for what is nested too deeply, or for an alias that refers to itself. */
function readNode(node: unknown, document: Document, depth: number): Printable {
  if (depth > maxDepth) throw new RangeError('The document is nested too deeply to be edited.');
  const read = (inner: unknown) => readNode(inner, document, depth + 1);
  if (isAlias(node)) return read(node.resolve(document));
  let value: Printable = null;
  if (isSeq(node)) value = node.items.map(read);
  else if (isMap(node))
    value = { members: node.items.map((item): Member => [keyText(item.key) ?? '', read(item.value)]) };
  else if (!isScalar(node)) return null;
  else if (
    typeof node.value === 'string' ||
    typeof node.value === 'number' ||
    typeof node.value === 'boolean'
  )
    value = node.value;
  const { tag } = node;
  return tag === undefined || tag.startsWith('tag:') ? value : { tag, value };
}

export const byteOrderMarkOf = (text: string): string => (text.startsWith('\uFEFF') ? '\uFEFF' : '');

export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

export function append(text: string, below: string): string {
  const eol = eolOf(text);
  return text + (text.endsWith('\n') ? '' : eol) + below.replaceAll('\n', eol);
}
