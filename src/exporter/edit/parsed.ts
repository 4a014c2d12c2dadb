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
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { keyText } from '../../loader/tree.ts';
import type { Path } from './tree.ts';

/** One document of a file, as text and as nodes that know their place in it. */
export interface Parsed {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly root: Node;
  /** How lines end in it. */
  readonly eol: string;
}

/** A value of a document, and what it is part of. */
export interface Located {
  readonly node: Node | null;
  readonly parent: YAMLMap | YAMLSeq | null;
  /** The position among the parent's items. */
  readonly index: number;
  readonly pair: Pair | null;
  /** Somewhere inside `{…}` or `[…]`. */
  readonly inFlow: boolean;
}

/** The nodes of a text that holds one document; `null` where it has errors or nothing in it. */
export function parseOne(text: string): Parsed | null {
  const document = parseDocument(text, {
    version: '1.2',
    uniqueKeys: false,
    keepSourceTokens: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const { contents } = document;
  if (document.errors.length > 0 || !isNode(contents)) return null;
  return { text, document, root: contents, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The node at a path; `null` where an alias, a tag or nothing is in the way. */
export function locate({ root }: Parsed, path: Path): Located | null {
  let found: Located = { node: root, parent: null, index: 0, pair: null, inFlow: false };
  for (const step of path) {
    const { node, inFlow } = found;
    if (!isMap(node) && !isSeq(node)) return null;
    const index = isMap(node) ? node.items.findIndex(({ key }) => keyText(key) === step) : Number(step);
    if (node.items[index] === undefined) return null;
    const item = itemOf(node, index);
    found = { ...item, inFlow: inFlow || item.inFlow };
  }
  return found;
}

/** Where the node's text ends: without the comment, line ending and blank lines after it. */
export function endOf(node: Node, text: string): number {
  const [start, end] = node.range ?? [0, 0, 0];
  if (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')) {
    return start + text.slice(start, end).trimEnd().length;
  }
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const last = node.items.at(-1);
    const value = isPair(last) ? (last.value ?? last.key) : last;
    return isNode(value) ? endOf(value, text) : end;
  }
  return end;
}

/** Where the node's text begins, its tag and anchor included. */
export function startOf({ node, parent, index, pair }: Located): number {
  const start = node?.range?.[0] ?? 0;
  const tokens = pair ? separators(pair) : parent ? startTokens(parent, index) : [];
  const property = tokens.find(({ type }) => type === 'tag' || type === 'anchor');
  return property ? Math.min(property.offset, start) : start;
}

/** Where a member's key or an item's dash begins; `null` where that cannot be told. */
export function leadOf({ parent, index, pair }: Located): number | null {
  if (pair) {
    const { key } = pair;
    const token = pair.srcToken;
    const marked = token?.start.some(
      ({ type }) => type !== 'space' && type !== 'newline' && type !== 'comment',
    );
    const plain = parent?.flow === true || marked !== true;
    return isNode(key) && plain ? (key.range?.[0] ?? null) : null;
  }
  if (!parent) return null;
  const tokens = startTokens(parent, index);
  return tokens.find(({ type }) => type === 'seq-item-ind')?.offset ?? null;
}

/** Where the colon before a member's value, or the dash before an item, ends. */
export function indicatorOf({ parent, index, pair }: Located): number | null {
  const tokens = pair ? separators(pair) : parent ? startTokens(parent, index) : [];
  const found = tokens.find(({ type }) => type === 'map-value-ind' || type === 'seq-item-ind');
  return found ? found.offset + found.source.length : null;
}

function separators(pair: Pair): readonly CST.SourceToken[] {
  return pair.srcToken && 'sep' in pair.srcToken ? (pair.srcToken.sep ?? []) : [];
}

function startTokens({ srcToken }: YAMLMap | YAMLSeq, index: number): readonly CST.SourceToken[] {
  return srcToken && 'items' in srcToken ? (srcToken.items[index]?.start ?? []) : [];
}

/** One item of a mapping or list. */
function itemOf(parent: YAMLMap | YAMLSeq, index: number): Located {
  const item = parent.items[index];
  const pair = isPair(item) ? item : null;
  const value = pair ? pair.value : item;
  return { node: isNode(value) ? value : null, parent, index, pair, inFlow: parent.flow === true };
}

/** Where an item begins: its key, its dash, or in `[…]` its value. */
export function startOfItem(parent: YAMLMap | YAMLSeq, index: number): number | null {
  if (parent.items[index] === undefined) return null;
  const item = itemOf(parent, index);
  return item.pair || parent.flow !== true ? leadOf(item) : startOf(item);
}

/** Where an item ends. */
export function endOfItem({ text }: Parsed, parent: YAMLMap | YAMLSeq, index: number): number | null {
  const { node, pair } = itemOf(parent, index);
  if (node) return endOf(node, text);
  return isNode(pair?.key) ? endOf(pair.key, text) : null;
}

/** Every alias of the document with its path. */
export function aliasesIn({ root }: Parsed): { path: Path; name: string }[] {
  const found: { path: Path; name: string }[] = [];
  const walk = (node: unknown, path: Path): void => {
    if (isAlias(node)) found.push({ path, name: node.source });
    else if (isSeq(node)) node.items.forEach((item, index) => void walk(item, [...path, String(index)]));
    else if (isMap(node)) {
      for (const { key, value } of node.items) walk(value, [...path, keyText(key) ?? '']);
    }
  };
  walk(root, []);
  return found;
}

/** The anchors that a change of the value at `path` touches: on the way to it, and inside it. */
export function anchorsAround(parsed: Parsed, path: Path): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (node: unknown) => {
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) names.add(node.anchor);
  };
  const walk = (node: unknown): void => {
    add(node);
    if (isSeq(node)) node.items.forEach(walk);
    if (isMap(node)) for (const { value } of node.items) walk(value);
  };
  for (let length = 0; length < path.length; length += 1) add(locate(parsed, path.slice(0, length))?.node);
  walk(locate(parsed, path)?.node);
  return names;
}
