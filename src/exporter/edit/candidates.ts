import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { lineEnd, lineStart } from '../../loader/file.ts';
import { type Mapping, type Printable, printBlock, printInline, quote } from '../../loader/print.ts';
import { isList, isMapping } from '../printable.ts';
import { columnOf, indentBelow, isFirstOnLine, splice, withoutLines } from './lines.ts';
import {
  endOf,
  endOfIndicator,
  endOfItem,
  type Located,
  type ParsedDocument,
  printIn,
  startOf,
  startOfEntry,
  startOfItem,
} from './parsed-document.ts';

/** Versions of the document with the new value, best first: in the style of the old value, then on one line. */
export function* setCandidates(
  parsed: ParsedDocument,
  located: Located,
  value: Printable,
): Generator<string> {
  const { text, eol } = parsed;
  const { node } = located;
  const span = spanOf(parsed, located);
  if (!span) return;
  const { from, to, gap } = span;
  const replaceWith = (replacement: string) => splice(text, from, to, gap + replacement);
  if (typeof value === 'string') {
    const isSimple = isScalar(node) && node.tag === undefined && node.anchor === undefined;
    const written = isSimple ? writeInStyle(parsed, node, value) : null;
    const [start, end] = node?.range ?? [from, to];
    if (written !== null) yield splice(text, start, end, written);
  } else if (isCollection(value) && !located.inFlow) {
    const isFlow = (isMap(node) || isSeq(node)) && node.flow === true;
    if (isFlow) yield replaceWith(printInline(value));
    const block = replaceWithBlock(parsed, located, value, span);
    if (block !== null) yield block;
  }
  const comment = headerComment(parsed, node);
  if (typeof value === 'string' && !located.inFlow && located.pair) {
    const column = columnOf(text, startOfEntry(located) ?? 0);
    const literal = printLiteral(value, { column, comment, eol });
    if (literal !== null) yield replaceWith(literal);
  }
  const inline = printIn(parsed, value);
  const besideKey = moveBesideKey(parsed, located, inline);
  if (besideKey !== null) yield besideKey;
  if (comment !== '') yield replaceWith(inline + comment);
  yield replaceWith(inline);
}

/** The comment after the `|` or `>` of a block. */
function headerComment({ text }: ParsedDocument, node: Node | null): string {
  if (!isScalar(node) || (node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED')) return '';
  const start = node.range?.[0] ?? 0;
  return /[ \t]+#.*$/.exec(text.slice(start, lineEnd(text, start)))?.[0] ?? '';
}

/** The document with a one-line value after its key or dash, replacing a collection on the lines below it. */
function moveBesideKey({ text }: ParsedDocument, located: Located, inline: string): string | null {
  const { node } = located;
  const from = startOf(located);
  const indicator = endOfIndicator(located);
  if (!node || indicator === null || from <= lineEnd(text, indicator) || !isFirstOnLine(text, from))
    return null;
  const to = endOf(node, text);
  // The comment beside the last item of a block goes with it.
  const comment = isBlock(node) ? '' : text.slice(to, lineEnd(text, to)).trimEnd();
  const isPlace = text.slice(indicator, lineEnd(text, indicator)).trim() === '';
  if (comment !== '' && !isPlace) return null;
  return splice(withoutLines(text, from, to), indicator, indicator, ` ${inline}${comment}`);
}

const isBlock = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow !== true;

function isCollection(value: Printable): value is Mapping | readonly Printable[] {
  return isMapping(value) ? value.members.length > 0 : isList(value) && value.length > 0;
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** What stands before a new value. */
  readonly gap: string;
}

/** The text to replace: the value with its tag and anchor, or the place of a missing value, which is before a comment. */
function spanOf({ text }: ParsedDocument, located: Located): Span | null {
  const { node } = located;
  if (!node) return null;
  const from = startOf(located);
  const to = Math.max(from, endOf(node, text));
  const indicator = isScalar(node) && node.source === '' && from === to ? endOfIndicator(located) : null;
  if (indicator === null) return { from, to, gap: '' };
  // The blanks before a comment belong to it.
  const blanks = /^[ \t]*(?![ \t#])/.exec(text.slice(indicator))?.[0] ?? '';
  return { from: indicator, to: indicator + blanks.length, gap: ' ' };
}

/** The text in the same quotes, or the same kind of block, as the old one; `null` where that is not possible. */
function writeInStyle({ text, eol }: ParsedDocument, node: Scalar, value: string): string | null {
  switch (node.type) {
    case 'BLOCK_LITERAL':
    case 'BLOCK_FOLDED': {
      const [start, end] = node.range ?? [0, 0];
      return rewriteBlock(text.slice(start, end), value, node, eol);
    }
    case 'QUOTE_DOUBLE':
      return quote(value);
    case 'QUOTE_SINGLE':
      return /[\p{C}\p{Zl}\p{Zp}]/u.test(value) ? null : `'${value.replaceAll("'", "''")}'`;
    default:
      return null;
  }
}

/** Characters that nobody can see: a block could hold them, but an escape is better. */
const unseen = /(?![\n\t\u200c\u200d])\p{C}|\p{Zl}|\p{Zp}/u;

/** The block with a new text. Its indentation, its header's comment and the blank lines below it stay. */
function rewriteBlock(block: string, value: string, node: Scalar, eol: string): string | null {
  const headerEnd = block.indexOf('\n');
  const header = /^([|>])([+-]?)(?=\s|$)(.*)$/s.exec(block.slice(0, headerEnd).trimEnd());
  const body = block.slice(headerEnd + 1);
  const margin = /^[ \t\r\n]*\n( +)|^( +)/.exec(body);
  if (headerEnd === -1 || !header || !margin || !/^\S/.test(value) || unseen.test(value)) return null;
  const indent = margin[1] ?? margin[2] ?? '';
  const [, , oldChomp = '', comment = ''] = header;
  const content = value.replace(/\n+$/, '');
  const breaks = value.length - content.length;
  const chomp = ['-', ''][breaks] ?? '+';
  const oldBlankLines = oldChomp === '+' ? '' : blankLinesBelow(body);
  const blankLines = chomp === '+' ? eol.repeat(breaks - 1) : oldBlankLines;
  const lines = doubleBreaks(node, content).split('\n');
  const written = lines.map((line) => (line === '' ? '' : indent + line)).join(eol);
  const ending = body.endsWith('\n') || chomp === '+' ? eol : '';
  return `${header[1]}${chomp}${comment}${eol}${written}${ending}${blankLines}`;
}

/** In a folded block a single line ending means a blank, so each line ending is written twice. */
function doubleBreaks(node: Scalar, content: string): string {
  return node.type === 'BLOCK_FOLDED' ? content.replace(/\n+/g, '$&\n') : content;
}

function blankLinesBelow(body: string): string {
  const trimmed = body.trimEnd();
  const ending = body.indexOf('\n', trimmed.length);
  return ending === -1 ? '' : body.slice(ending + 1);
}

/** The text as a literal block below its key; `null` where it is better written on one line. */
function printLiteral(
  value: string,
  { column, comment, eol }: { column: number; comment: string; eol: string },
): string | null {
  const printed = printBlock({ members: [['x', value]] }).replace(/^x: /, '');
  if (!/^[|>]/.test(printed)) return null;
  return indentBelow(
    printed.replace('\n', () => `${comment}\n`),
    column,
    eol,
  );
}

/** The document with a mapping or list in block style in place of the value. */
function replaceWithBlock(
  parsed: ParsedDocument,
  located: Located,
  value: Mapping | readonly Printable[],
  { from, to }: Span,
): string | null {
  const { text, eol } = parsed;
  const { node, pair } = located;
  const entry = startOfEntry(located);
  if (!node || entry === null) return null;
  const hasProperties = from !== (node.range?.[0] ?? 0);
  if (!pair || (isBlock(node) && !hasProperties)) {
    return splice(text, from, to, indentBelow(printBlock(value), columnOf(text, from), eol));
  }
  const column = columnOf(text, entry) + 2;
  const keyEnd = from === to ? lineEnd(text, from) : text.slice(0, from).trimEnd().length;
  const end = Math.max(keyEnd, to);
  // Behind the last item of a list, a comment would be taken for the name of its id.
  const beside = isList(value) ? (/^[ \t]+#.*/.exec(text.slice(end, lineEnd(text, end)))?.[0] ?? '') : '';
  const lines = eol + ' '.repeat(column) + indentBelow(printBlock(value), column, eol);
  return splice(text, keyEnd, end + beside.length, headerComment(parsed, node) + beside + lines);
}

/** A new member or item of a collection. */
interface NewItem {
  readonly parent: YAMLMap | YAMLSeq;
  /** The key of a new member, or the index of a new list item. */
  readonly step: string;
  readonly value: Printable;
}

/**
 * Versions of the document with a new member at the end of a mapping, or a new item before the given index of a list,
 * written like its neighbors; best first. None for an empty collection: it is replaced as a whole instead.
 */
export function* insertCandidates(parsed: ParsedDocument, item: NewItem): Generator<string> {
  const { parent, step } = item;
  if (parent.items.length === 0) return;
  const index = isSeq(parent) ? Math.min(Number(step), parent.items.length) : parent.items.length;
  if (parent.flow === true) yield* insertIntoFlow(parsed, item, index);
  else yield* insertIntoBlock(parsed, item, index);
}

function* insertIntoBlock(parsed: ParsedDocument, item: NewItem, index: number): Generator<string> {
  const { text, eol } = parsed;
  const { parent } = item;
  const start = startOfItem(parent, 0);
  if (start === null) return;
  const column = columnOf(text, start);
  const lines = indentBelow(printBlockItem(item), column, eol);
  const margin = ' '.repeat(column);
  if (index === 0) {
    yield splice(text, start, start, lines + eol + margin);
    return;
  }
  const end = endOfItem(parsed, parent, index - 1);
  if (end === null) return;
  const after = lineEnd(text, end);
  yield splice(text, after, after, eol + margin + lines);
  // Blank lines below a block scalar with `+` belong to that scalar: the new lines must follow them.
  const range = parent.range?.[1] ?? after;
  const below = isFirstOnLine(text, range) ? lineStart(text, range) : range;
  yield splice(text, below, below, `${text[below - 1] === '\n' ? '' : eol}${margin}${lines}${eol}`);
}

function printBlockItem({ parent, step, value }: NewItem): string {
  if (isMap(parent)) return printBlock({ members: [[step, value]] });
  const isInline = parent.items.every((item) => !(isMap(item) || isSeq(item)) || item.flow === true);
  return isInline ? `- ${printInline(value)}` : printBlock([value]);
}

function* insertIntoFlow(
  parsed: ParsedDocument,
  { parent, step, value }: NewItem,
  index: number,
): Generator<string> {
  const { text, eol } = parsed;
  const inline = printIn(parsed, value);
  const written = isMap(parent) ? `${printIn(parsed, step)}: ${inline}` : inline;
  const next = startOfItem(parent, index);
  if (index < parent.items.length) {
    if (next !== null) yield splice(text, next, next, `${written}, `);
    return;
  }
  const end = endOfItem(parsed, parent, index - 1);
  const last = startOfItem(parent, index - 1);
  if (end === null || last === null) return;
  if (isFirstOnLine(text, last)) {
    const hasComma = /^[ \t]*,/.test(text.slice(end));
    const after = lineEnd(text, end);
    const margin = eol + text.slice(lineStart(text, last), last);
    if (hasComma) yield splice(text, after, after, `${margin}${written},`);
    else yield splice(splice(text, after, after, margin + written), end, end, ',');
  }
  yield splice(text, end, end, `, ${written}`);
}

/**
 * Versions of the document without a member or item, best first: with its lines removed, or only its text. None for
 * the last item of a collection, unless comments are left in it: the collection is replaced as a whole instead.
 */
export function* removeCandidates(parsed: ParsedDocument, { parent, index }: Located): Generator<string> {
  if (!parent) return;
  const from = startOfItem(parent, index);
  const to = endOfItem(parsed, parent, index);
  if (from === null || to === null) return;
  if (parent.flow === true) yield* removeFromFlow(parsed, { parent, index, from, to });
  else if (parent.items.length > 1) yield* removeFromBlock(parsed, { parent, index, from, to });
}

/** An item of a collection, and where its text begins and ends. */
interface OldItem {
  readonly parent: YAMLMap | YAMLSeq;
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

function* removeFromBlock({ text }: ParsedDocument, { parent, index, from, to }: OldItem): Generator<string> {
  if (isFirstOnLine(text, from) && isLastOnLine(text, to)) yield withoutLines(text, from, to);
  const next = startOfItem(parent, index + 1);
  if (next === null) return;
  if (/\n[ \t]*#/.test(text.slice(to, next))) {
    yield splice(text, text.slice(0, from).trimEnd().length, lineEnd(text, to), '');
  }
  yield splice(text, from, next, '');
}

function* removeFromFlow(parsed: ParsedDocument, { parent, index, from, to }: OldItem): Generator<string> {
  const { text } = parsed;
  const hasComments = text.slice(...(parent.range ?? [])).includes('#');
  if (parent.items.length < 2 && !hasComments) return;
  const before = index > 0 ? endOfItem(parsed, parent, index - 1) : null;
  const end = endOfComma(text, to);
  if (isFirstOnLine(text, from) && isLastOnLine(text, end)) {
    const without = withoutLines(text, from, to);
    const isLast = end === to && before !== null;
    yield isLast ? splice(without, before, endOfComma(text, before), '') : without;
  }
  if (end > to) {
    const after = end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);
    const isAtEnd = after === lineEnd(text, after);
    yield splice(text, isAtEnd ? text.slice(0, from).trimEnd().length : from, after, '');
  }
  const next = startOfItem(parent, index + 1);
  if (next !== null) yield splice(text, from, next, '');
  if (before !== null && !text.slice(before, from).includes('#')) yield splice(text, before, to, '');
  yield splice(text, from, to, '');
}

/** Where the comma after an item ends; where the item ends, if there is none on its line. */
function endOfComma(text: string, to: number): number {
  return to + (/^[ \t]*,/.exec(text.slice(to))?.[0].length ?? 0);
}

/** Whether only a comment follows the offset on its line. */
function isLastOnLine(text: string, offset: number): boolean {
  return /^[ \t]*(#.*)?$/.test(text.slice(offset, lineEnd(text, offset)));
}
