import { graphemesOf, type Row, type Style, span, widthOf } from './layout.ts';

const indent = 4;
/** How much of a line that is cut stays right of the caret at least. */
const rightShare = 0.4;

/**
 * The rows of an excerpt: a source line, and a caret in colour below the column. A line that is wider than the terminal
 * is cut around the caret, since a wrapped one would have it below another sign.
 */
export function excerptRows(excerpt: string, style: Style, width: number): Row[] {
  const [line = '', below = '', ...more] = excerpt.replace(/\n+$/, '').split('\n');
  const marked = /^([^|]*\| )( *)\^$/.exec(below);
  const [, margin = '', blanks = ''] = marked ?? [];
  if (!marked || more.length > 0) return [line, below, ...more].map((text) => rowOf(text));
  const focus = margin.length + blanks.length;
  const room = Math.max(20, width) - indent - widthOf(margin);
  const [left, right] = around(line.slice(margin.length, focus), line.slice(focus), room);
  return [
    rowOf(`${line.slice(0, margin.length)}${left}${right}`),
    rowOf(`${margin}${' '.repeat(widthOf(left))}^`, style, 'bold'),
  ];
}

function rowOf(text: string, ...styles: readonly Style[]): Row {
  return { indent, hang: indent, spans: [span(text, ...styles)] };
}

/** As much of both sides as fits into `room` columns, with `…` where something is left out. */
function around(left: string, right: string, room: number): [left: string, right: string] {
  const after = fitting(signsOf(right), Math.max(room - widthOf(left), Math.ceil(room * rightShare)));
  const before = fitting(signsOf(left).reverse(), room - widthOf(after.join('')));
  return [before.reverse().join(''), after.join('')];
}

function signsOf(text: string): string[] {
  return [...graphemesOf(text)].map(({ segment }) => segment);
}

function fitting(signs: readonly string[], room: number): string[] {
  return widthOf(signs.join('')) <= room ? [...signs] : [...taken(signs, room - 1), '…'];
}

/** The first signs that fit into `room` columns. */
function taken(signs: readonly string[], room: number): string[] {
  let used = 0;
  const end = signs.findIndex((sign) => {
    used += widthOf(sign);
    return used > room;
  });
  return signs.slice(0, end < 0 ? signs.length : end);
}
