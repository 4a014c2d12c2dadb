import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { keyText, yamlOptions } from '../../loader/parse.ts';
import { type Member, type Printable, printInline, quote } from '../../loader/print.ts';
import { parseJson } from '../../model/json.ts';
import { hasTags, jsonOf } from '../printable.ts';
import { eolOf } from './lines.ts';

/** The steps from a document's root to a value: names of members, indexes of items. */
export type Path = readonly string[];

/** The text of one document, and its nodes with their offsets in the text. */
export interface ParsedDocument {
  readonly text: string;
  readonly root: Node;
  /** Its value, with tags as written and aliases replaced by their values. */
  readonly tree: Printable;
  /** Its line ending. */
  readonly eol: string;
  /** Whether it is written as JSON: then other programs may read it too. */
  readonly isJson: boolean;
}

/** A value of a document and the collection that holds it. */
export interface Located {
  readonly node: Node | null;
  readonly parent: YAMLMap | YAMLSeq | null;
  /** The index among the parent's items. */
  readonly index: number;
  readonly pair: Pair | null;
  /** Whether it is inside `{…}` or `[…]`, at any depth. */
  readonly inFlow: boolean;
}

/** Parses a text that holds one document; `null` if it has errors, is empty or is nested too deeply. */
export function parseOne(text: string): ParsedDocument | null {
  const document = parseDocument(text, { ...yamlOptions, keepSourceTokens: true });
  const { contents } = document;
  if (document.errors.length > 0 || !isNode(contents)) return null;
  const tree = readTree(contents, document);
  if (tree === undefined) return null;
  const isJson = parseJson(text.replace(/^---\s/, '')) !== undefined;
  return { text, root: contents, tree, eol: eolOf(text), isJson };
}

/** A value on one line, in the style of the document. */
export function printIn({ isJson }: ParsedDocument, value: Printable): string {
  return isJson && !hasTags(value) ? quote(jsonOf(value)) : printInline(value);
}

/** The value at a path; `null` where there is none, or where an alias leads to it. */
export function locate({ root }: ParsedDocument, path: Path): Located | null {
  let found: Located = { node: root, parent: null, index: 0, pair: null, inFlow: false };
  for (const step of path) {
    const { node } = found;
    if (!isMap(node) && !isSeq(node)) return null;
    const index = isMap(node) ? node.items.findIndex(({ key }) => keyText(key) === step) : Number(step);
    if (node.items[index] === undefined) return null;
    found = itemOf(node, index);
  }
  return found;
}

/** Where the node's text ends, not counting the comment, line ending and blank lines after it. */
export function endOf(node: Node, text: string): number {
  const [start, end] = node.range ?? [0, 0, 0];
  if (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')) {
    let last = end;
    // Other blanks, such as those that do not break, are text.
    while (last > start && ' \t\r\n'.includes(text.charAt(last - 1))) last -= 1;
    return last;
  }
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const last = node.items.at(-1);
    const value = isPair(last) ? (last.value ?? last.key) : last;
    return isNode(value) ? endOf(value, text) : end;
  }
  return end;
}

/** Where the node's text begins, including its tag and anchor. */
export function startOf(located: Located): number {
  const start = located.node?.range?.[0] ?? 0;
  const property = tokensBefore(located).find(({ type }) => type === 'tag' || type === 'anchor');
  return property ? Math.min(property.offset, start) : start;
}

/** Where a member's key or an item's dash begins; `null` where that is unclear. */
export function startOfEntry(located: Located): number | null {
  const { parent, pair } = located;
  if (pair) {
    const { key, srcToken } = pair;
    const isMarked = srcToken?.start.some(({ type }) => !['space', 'newline', 'comment'].includes(type));
    const isPlain = parent?.flow === true || isMarked !== true;
    return isNode(key) && isPlain ? (key.range?.[0] ?? null) : null;
  }
  return tokensBefore(located).find(({ type }) => type === 'seq-item-ind')?.offset ?? null;
}

/** Where the colon before a member's value, or the dash before an item, ends. */
export function endOfIndicator(located: Located): number | null {
  const found = tokensBefore(located).find(({ type }) => ['map-value-ind', 'seq-item-ind'].includes(type));
  return found ? found.offset + found.source.length : null;
}

/** What is written between a member's key and its value, or before a list's item. */
function tokensBefore({ parent, index, pair }: Located): readonly CST.SourceToken[] {
  if (pair) return pair.srcToken && 'sep' in pair.srcToken ? (pair.srcToken.sep ?? []) : [];
  const list = parent?.srcToken;
  return list && 'items' in list ? (list.items[index]?.start ?? []) : [];
}

/** One item of a mapping or list. */
function itemOf(parent: YAMLMap | YAMLSeq, index: number): Located {
  const item = parent.items[index];
  const pair = isPair(item) ? item : null;
  const value = pair ? pair.value : item;
  return { node: isNode(value) ? value : null, parent, index, pair, inFlow: parent.flow === true };
}

/** Where an item begins: at its key, at its dash, or in `[…]` at its value. */
export function startOfItem(parent: YAMLMap | YAMLSeq, index: number): number | null {
  if (parent.items[index] === undefined) return null;
  const item = itemOf(parent, index);
  return item.pair || parent.flow !== true ? startOfEntry(item) : startOf(item);
}

/** Where an item ends. */
export function endOfItem({ text }: ParsedDocument, parent: YAMLMap | YAMLSeq, index: number): number | null {
  const { node, pair } = itemOf(parent, index);
  if (node) return endOf(node, text);
  return isNode(pair?.key) ? endOf(pair.key, text) : null;
}

/** Documents nested deeper than this are not edited. */
const maxDepth = 120;

/** The value of a document; `undefined` where it is nested too deeply, or an alias refers to itself. */
function readTree(root: Node, document: Document): Printable | undefined {
  try {
    return readNode(root, document, 0);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readNode(node: unknown, document: Document, depth: number): Printable {
  if (depth > maxDepth) throw new RangeError('The document is nested too deeply to be edited.');
  if (isAlias(node)) return readNode(node.resolve(document), document, depth + 1);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  const value = readValue(node, document, depth);
  const { tag } = node;
  return tag === undefined || tag.startsWith('tag:') ? value : { tag, value };
}

function readValue(node: Scalar | YAMLMap | YAMLSeq, document: Document, depth: number): Printable {
  if (isScalar(node)) {
    const { value } = node;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : null;
  }
  if (isSeq(node)) return node.items.map((item) => readNode(item, document, depth + 1));
  return {
    members: node.items.map(
      (pair): Member => [keyText(pair.key) ?? '', readNode(pair.value, document, depth + 1)],
    ),
  };
}
