import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { lazy } from '../model/basics.ts';
import { disarm, oneLine } from './safe.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan' | 'inverse';

interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** One line of output before wrapping. What does not fit continues at `hang` columns. */
export interface Row {
  readonly indent: number;
  readonly hang: number;
  readonly spans: readonly Span[];
}

export const blank: Row = { indent: 0, hang: 0, spans: [] };

export function span(text: string, ...styles: readonly Style[]): Span {
  return { text, styles };
}

export function row(indent: number, ...spans: readonly Span[]): Row {
  return { indent, hang: indent + 2, spans };
}

export function paragraph(indent: number, text: string, ...styles: readonly Style[]): Row[] {
  return text.split('\n').map((line) => ({ indent, hang: indent, spans: [span(line, ...styles)] }));
}

/**
 * Rows as text. Control characters and commands to CI systems become visible signs. Lines are wrapped to the width of the
 * terminal: wide characters take two columns, combining characters none.
 */
export function layout(rows: readonly Row[], { colour, width }: { colour: boolean; width: number }): string {
  const columns = Math.max(20, width);
  const lines = rows.flatMap(({ indent, hang, spans }) => {
    const safe = spans.map((part) => ({ ...part, text: oneLine(part.text.replaceAll('\t', '    ')) }));
    const start = Math.min(indent, Math.floor(columns / 2));
    const rest = Math.min(hang, Math.floor(columns / 2));
    return wrap(safe, columns - start, columns - rest).map((line, index) => {
      const shown = line.map(({ text, styles }) =>
        // Whether the terminal has colours was asked before.
        colour && text !== '' ? styleText([...styles], text, { validateStream: false }) : text,
      );
      const text = shown.join('').trimEnd();
      return text === '' ? '' : `${' '.repeat(index === 0 ? start : rest)}${text}`;
    });
  });
  // Wrapping moves text to the beginning of a line, and spans are joined.
  return disarm(`${lines.join('\n')}\n`);
}

function wrap(spans: readonly Span[], first: number, rest: number): Span[][] {
  const lines: Span[][] = [];
  let line: Span[] = [];
  let room = first;
  for (const { text, styles } of spans) {
    let left = text;
    // The rest is not measured again for each line: a long text has many.
    let width = widthOf(left);
    while (width > room) {
      const head = takeLine(left, room, rest, line.length === 0);
      if (head !== '') line.push({ text: head.trimEnd(), styles });
      const next = head === '' ? left.trimStart() : left.slice(head.length);
      width -= widthOf(left.slice(0, left.length - next.length));
      left = next;
      lines.push(line);
      line = [];
      room = rest;
    }
    if (left !== '') line.push({ text: left, styles });
    room -= width;
  }
  return [...lines, line];
}

/**
 * The longest beginning of `text` that fits, cut after a blank if there is one. Empty if the first word fits only on a line of
 * its own; on an empty line at least one character.
 */
function takeLine(text: string, room: number, rest: number, isEmpty: boolean): string {
  const end = endOfLine(text, room, isEmpty);
  const blankAt = text.lastIndexOf(' ', end);
  if (text.slice(0, Math.max(0, blankAt)).trim() !== '') return text.slice(0, blankAt + 1);
  if (isEmpty) return text.slice(0, end);
  const next = endOfLine(text, rest, false);
  const firstWord = /^\s*\S*/.exec(text.slice(0, next + 1))?.[0] ?? '';
  return firstWord.length <= next ? '' : text.slice(0, end);
}

/** It takes 8 ms to make. */
const segmenter = lazy(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** The end of the characters that fit; on an empty line at least one does. */
function endOfLine(text: string, room: number, isEmpty: boolean): number {
  const least = isEmpty ? 1 : 0;
  // One more is seen, since it may be the accent of the last one. Most lines have one column for each.
  if (narrowText.test(text.slice(0, room + 1))) return Math.max(least, Math.min(room, text.length));
  let used = 0;
  let end = 0;
  for (const { segment } of segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > room && end >= least) break;
    end += segment.length;
  }
  return end;
}

export function cut(text: string, columns: number): string {
  if (endOfLine(text, columns, false) >= text.length) return text;
  return `${text.slice(0, endOfLine(text, columns - 1, false))}…`;
}

/** ASCII, Latin letters, punctuation, arrows and the signs of the reports: one column each. */
const narrowText =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u22ef\u2400-\u2426\u25cf\u26a0\u2714\u2716]*$/;

/** Columns that `text` takes in a terminal. Loading string-width takes longer than most reports. */
export function widthOf(text: string): number {
  return narrowText.test(text) ? text.length : stringWidth(text);
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(oneLine(text))));
}

const maxCell = 36;
const gap = '  ';

/** Rows of a table, the header first, with as many columns as fit into `width`; `left` is the number of the others. */
export function table(lines: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY) {
  const cells = lines.map((line) => line.map(oneLine));
  const most = width === Number.POSITIVE_INFINITY ? width : maxCell;
  const widths = (cells[0] ?? []).map((_, at) =>
    cells.reduce((widest, line) => Math.max(widest, Math.min(most, widthOf(line[at] ?? ''))), 0),
  );
  const ends = widths.map((_, at) =>
    widths.slice(0, at + 1).reduce((end, column) => end + column + gap.length, -gap.length),
  );
  const count = Math.max(1, ends.filter((end) => end <= width).length);
  const rows = cells.flatMap((line, index) => {
    const shown = widths.slice(0, count).map((column, at) => padTo(cut(line[at] ?? '', column), column));
    return paragraph(0, shown.join(gap).trimEnd(), ...(index === 0 ? (['bold'] as const) : []));
  });
  return { rows, left: widths.length - count };
}
