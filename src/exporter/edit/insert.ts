import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { type Printable, printBlock, printInline } from '../../loader/print.ts';
import { columnOf, indentBelow, isFirstOnLine, lineEnd, lineStart, splice } from './lines.ts';
import { endOfItem, type Parsed, startOfItem } from './parsed.ts';

/**
 * Texts with one more member at the end, or one more item before `index`, written like its neighbours; best first.
 * An empty collection has no neighbours: it is replaced whole instead.
 */
export function* insertCandidates(
  parsed: Parsed,
  parent: YAMLMap | YAMLSeq,
  step: string,
  value: Printable,
): Generator<string> {
  if (parent.items.length === 0) return;
  const index = isSeq(parent) ? Math.min(Number(step), parent.items.length) : parent.items.length;
  if (parent.flow === true) yield* intoFlow(parsed, parent, index, step, value);
  else yield* intoBlock(parsed, parent, index, step, value);
}

function* intoBlock(
  parsed: Parsed,
  parent: YAMLMap | YAMLSeq,
  index: number,
  step: string,
  value: Printable,
): Generator<string> {
  const { text, eol } = parsed;
  const lead = startOfItem(parent, 0);
  if (lead === null) return;
  const column = columnOf(text, lead);
  const lines = indentBelow(blockLines(parent, step, value), column, eol);
  const margin = ' '.repeat(column);
  if (index === 0) {
    yield splice(text, lead, lead, lines + eol + margin);
    return;
  }
  const end = endOfItem(parsed, parent, index - 1);
  if (end === null) return;
  const after = lineEnd(text, end);
  yield splice(text, after, after, eol + margin + lines);
  // Below a block that keeps its blank lines, those belong to it.
  const range = parent.range?.[1] ?? after;
  const start = isFirstOnLine(text, range) ? lineStart(text, range) : range;
  yield splice(text, start, start, `${text[start - 1] === '\n' ? '' : eol}${margin}${lines}${eol}`);
}

function blockLines(parent: YAMLMap | YAMLSeq, step: string, value: Printable): string {
  if (isMap(parent)) return printBlock({ members: [[step, value]] });
  const inline = parent.items.every((item) => !(isMap(item) || isSeq(item)) || item.flow === true);
  return inline ? `- ${printInline(value)}` : printBlock([value]);
}

function* intoFlow(
  parsed: Parsed,
  parent: YAMLMap | YAMLSeq,
  index: number,
  step: string,
  value: Printable,
): Generator<string> {
  const { text, eol } = parsed;
  const written = isMap(parent) ? `${printInline(step)}: ${printInline(value)}` : printInline(value);
  const first = startOfItem(parent, index);
  if (index < parent.items.length) {
    if (first !== null) yield splice(text, first, first, `${written}, `);
    return;
  }
  const end = endOfItem(parsed, parent, index - 1);
  const last = startOfItem(parent, index - 1);
  if (end === null || last === null) return;
  if (isFirstOnLine(text, last)) {
    const comma = /^[ \t]*,/.test(text.slice(end));
    const after = lineEnd(text, end);
    const margin = eol + text.slice(lineStart(text, last), last);
    if (comma) yield splice(text, after, after, `${margin}${written},`);
    else yield splice(splice(text, after, after, margin + written), end, end, ',');
  }
  yield splice(text, end, end, `, ${written}`);
}
