import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { lineEnd, lineStart } from '../../loader/file.ts';
import { type Printable, printBlock, printInline } from '../../loader/print.ts';
import { columnOf, indentBelow, isFirstOnLine, splice, withoutLines } from './lines.ts';
import { endOfItem, type Located, type ParsedDocument, printIn, startOfItem } from './parsed-document.ts';

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
