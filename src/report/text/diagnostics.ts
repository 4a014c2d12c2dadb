import type { Diagnostic, Severity } from '../../model/diagnostic.ts';
import type { ReportOptions } from '../options.ts';
import { diagnosticCounts, place } from '../words.ts';
import { blank, graphemesOf, layout, paragraph, type Row, row, type Style, span, widthOf } from './layout.ts';

const severityStyles = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<
  Severity,
  Style
>;

const excerptIndent = 4;
/** The part of a line that is cut which stays at least on the right of the caret. */
const rightShare = 0.4;

/** Problems for the terminal, each with its place and excerpt, and the counts at the end. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], options: ReportOptions): string {
  return layout(
    [...diagnosticRows(diagnostics, options), row(0, span(diagnosticCounts(diagnostics), 'bold'))],
    options,
  );
}

/** Problems as rows, with an empty row after each. */
export function diagnosticRows(
  diagnostics: readonly Diagnostic[],
  { width }: Pick<ReportOptions, 'width'>,
): Row[] {
  return diagnostics.flatMap((diagnostic) => [...rowsOf(diagnostic, width), blank]);
}

function rowsOf(diagnostic: Diagnostic, width: number): Row[] {
  const { severity, code, message, source, excerpt, hint, address } = diagnostic;
  const [first = '', ...more] = message.split('\n');
  const where = source ? place(source) : address;
  const isRepeated = where !== undefined && first.startsWith(`${where} `);
  return [
    row(
      0,
      ...(where === undefined || isRepeated ? [] : [span(`${where}  `, 'cyan')]),
      span(severity, severityStyles[severity], 'bold'),
      span(`  ${first}`),
      span(`  [${code}]`, 'dim'),
    ),
    ...paragraph(4, more.join('\n')).filter(() => more.length > 0),
    ...(excerpt === undefined ? [] : excerptRows(excerpt, severityStyles[severity], width)),
    ...(hint === undefined ? [] : [row(4, span('hint: ', 'green', 'bold'), span(hint))]),
  ];
}

/**
 * The rows of an excerpt: a source line, and below it a coloured caret. A line that is wider than the terminal is cut
 * around the caret: if it were wrapped, the caret would point at another character.
 */
function excerptRows(excerpt: string, style: Style, width: number): Row[] {
  const [line = '', below = '', ...more] = excerpt.replace(/\n+$/, '').split('\n');
  const marked = /^([^|]*\| )( *)\^$/.exec(below);
  const [, margin = '', blanks = ''] = marked ?? [];
  if (!marked || more.length > 0) return [line, below, ...more].map((text) => excerptRow(text));
  const focus = margin.length + blanks.length;
  const room = Math.max(20, width) - excerptIndent - widthOf(margin);
  const [left, right] = cutAround(line.slice(margin.length, focus), line.slice(focus), room);
  return [
    excerptRow(`${line.slice(0, margin.length)}${left}${right}`),
    excerptRow(`${margin}${' '.repeat(widthOf(left))}^`, style, 'bold'),
  ];
}

function excerptRow(text: string, ...styles: readonly Style[]): Row {
  return { indent: excerptIndent, hang: excerptIndent, spans: [span(text, ...styles)] };
}

/** As much of both sides as fits into `room` columns, with `…` where something is left out. */
function cutAround(left: string, right: string, room: number): [left: string, right: string] {
  const after = cut(charactersOf(right), Math.max(room - widthOf(left), Math.ceil(room * rightShare)));
  const before = cut(charactersOf(left).reverse(), room - widthOf(after.join('')));
  return [before.reverse().join(''), after.join('')];
}

function charactersOf(text: string): string[] {
  return [...graphemesOf(text)].map(({ segment }) => segment);
}

function cut(characters: readonly string[], room: number): string[] {
  return widthOf(characters.join('')) <= room ? [...characters] : [...takeWidth(characters, room - 1), '…'];
}

/** The first characters, as many as fit into `room` columns. */
function takeWidth(characters: readonly string[], room: number): string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += widthOf(character);
    return used > room;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}
