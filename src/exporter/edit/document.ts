import {
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
import { yamlOptions } from '../../loader/parse.ts';
import type { Member, Printable } from '../../loader/print.ts';
import { keyText } from '../../loader/tree.ts';
import { parseJson } from '../../model/json.ts';
import type { Pointer } from '../../model/pointer.ts';

/** The steps from a document's root to a value: names of members, indexes of items. */
export type Path = readonly string[];

/** A change to one value of a document. Items are inserted before the index, members at the end. */
export type Edit = NewValue | { readonly op: 'remove'; readonly path: Path };

interface NewValue {
  readonly op: 'set' | 'insert';
  readonly path: Path;
  readonly value: Printable;
  /** The names of the ids in the value, by their places in it, safe in comments. */
  readonly names?: ReadonlyMap<Pointer, string> | undefined;
}

export type YamlCollection = YAMLMap | YAMLSeq;

export interface ParsedDocument {
  readonly text: string;
  readonly root: Node;
  /** Its value, with tags as written and aliases replaced by their values. */
  readonly tree: Printable;
  readonly eol: string;
  /** It is written as JSON: then other programs may read it too. */
  readonly isJson: boolean;
}

/** A value of a document, the collection that holds it, and their offsets in the text. */
export interface Located {
  readonly node: Node | null;
  readonly parent: YamlCollection | null;
  readonly index: number;
  readonly pair: Pair | null;
  readonly inFlow: boolean;
  /** Where the member or item begins: at its key, at its dash, or in `[…]` at its value; `null` if that is unclear. */
  readonly start: number | null;
  /** Where the colon or dash before the value ends. */
  readonly indicator: number | null;
  /** Where the value begins, including its tag and anchor. */
  readonly from: number;
  /** Where the value ends, or the key of a member without one: before comments, line endings and blank lines. */
  readonly end: number | null;
}

/** Parses a text that holds one document; `null` if it has errors, is empty or is nested too deeply, as by an alias to itself. */
export function parseOne(text: string): ParsedDocument | null {
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

/** Finds the value at a path. Returns `null` if nothing is there, or if an alias leads to it. */
export function locate(parsed: ParsedDocument, path: Path): Located | null {
  const { root } = parsed;
  const nowhere = { parent: null, index: 0, pair: null, inFlow: false, start: null, indicator: null };
  let found: Located | null = {
    ...nowhere,
    node: root,
    from: root.range?.[0] ?? 0,
    end: endOf(root, parsed.text),
  };
  for (const step of path) {
    const node: Node | null = found?.node ?? null;
    if (!isMap(node) && !isSeq(node)) return null;
    const index = isMap(node) ? node.items.findIndex(({ key }) => keyText(key) === step) : Number(step);
    found = locateItem(parsed, node, index);
  }
  return found;
}

export function locateItem({ text }: ParsedDocument, parent: YamlCollection, index: number): Located | null {
  const item = parent.items[index];
  if (item === undefined) return null;
  const pair = isPair(item) ? item : null;
  const value = pair ? pair.value : item;
  const node = isNode(value) ? value : null;
  const tokens = tokensBefore(parent, index);
  const property = tokens.find(({ type }) => type === 'tag' || type === 'anchor');
  const indicator = tokens.find(({ type }) => type === 'map-value-ind' || type === 'seq-item-ind');
  const valueStart = node?.range?.[0] ?? 0;
  const from = property ? Math.min(property.offset, valueStart) : valueStart;
  const itemStart = parent.flow === true ? from : (indicator?.offset ?? null);
  const last = node ?? pair?.key;
  return {
    node,
    parent,
    index,
    pair,
    inFlow: parent.flow === true,
    start: pair ? startOfPair(pair) : itemStart,
    indicator: indicator ? indicator.offset + indicator.source.length : null,
    from,
    end: isNode(last) ? endOf(last, text) : null,
  };
}

/** A member begins with the `?`, tag or anchor before its key. */
function startOfPair({ key, srcToken }: Pair): number | null {
  const mark = srcToken?.start.find(({ type }) => ['explicit-key-ind', 'tag', 'anchor'].includes(type));
  return isNode(key) ? (mark?.offset ?? key.range?.[0] ?? null) : null;
}

/** The text between a member's key and its value, or before a list item. */
function tokensBefore(parent: YamlCollection, index: number) {
  const item = parent.items[index];
  if (isPair(item)) return (item.srcToken && 'sep' in item.srcToken && item.srcToken.sep) || [];
  const list = parent.srcToken;
  return list && 'items' in list ? (list.items[index]?.start ?? []) : [];
}

function endOf(node: Node, text: string): number {
  const [start, end] = node.range ?? [0, 0, 0];
  if (isBlockScalar(node)) {
    let last = end;
    // Other blanks, such as those that do not break, are text.
    while (last > start && ' \t\r\n'.includes(text.charAt(last - 1))) last -= 1;
    return last;
  }
  if (isBlock(node)) {
    const last = node.items.at(-1);
    const value = isPair(last) ? (last.value ?? last.key) : last;
    return isNode(value) ? endOf(value, text) : end;
  }
  return end;
}

export const isBlock = (node: Node | null): node is YamlCollection =>
  (isMap(node) || isSeq(node)) && node.flow !== true;

export const isBlockScalar = (node: Node | null): node is Scalar =>
  isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');

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
