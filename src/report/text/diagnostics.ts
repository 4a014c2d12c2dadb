import type { Diagnostic, Severity } from '../../model/diagnostic.ts';
import type { ReportOptions } from '../options.ts';
import { foldRemarks } from '../remarks.ts';
import { takeLast } from '../safe.ts';
import { diagnosticCounts, whereOf } from '../words.ts';
import {
  blank,
  cut,
  layout,
  paragraph,
  type Row,
  reverse,
  row,
  type Style,
  span,
  widthOf,
} from './layout.ts';

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

const excerptIndent = 4;
/** Of a longer line, only so many characters before the caret are looked at. */
const maxNear = 1000;
/** The part of a line that is cut which stays at least on the right of the caret. */
const rightShare = 0.4;

/**
 * Problems for the terminal, each with its place and excerpt, and the counts at the end. `quiet` leaves warnings out and only
 * counts them; notes are no problems.
 */
export function diagnosticsText(diagnostics: readonly Diagnostic[], options: ReportOptions): string {
  const counted = diagnostics.filter(({ severity }) => !options.quiet || severity !== 'info');
  return layout(
    [...diagnosticRows(diagnostics, options), row(0, span(diagnosticCounts(counted), 'bold'))],
    options,
  );
}

/** Problems as rows, with an empty row after each. Remarks that are alike are folded. */
export function diagnosticRows(diagnostics: readonly Diagnostic[], options: ReportOptions): Row[] {
  return foldRemarks(diagnostics, options).flatMap(({ diagnostic, more }) => [
    ...rowsOf(diagnostic, options.width),
    ...(more === null ? [] : [row(4, span(`${more} (--verbose shows all)`, 'dim'))]),
    blank,
  ]);
}

function rowsOf(diagnostic: Diagnostic, width: number): Row[] {
  const { severity, code, message, excerpt, hint } = diagnostic;
  const [first = '', ...more] = message.split('\n');
  const where = whereOf(diagnostic);
  const isRepeated = where !== undefined && first.startsWith(`${where} `);
  return [
    row(
      0,
      ...(where === undefined || isRepeated ? [] : [span(`${where}  `, 'cyan')]),
      span(severity, severityStyles[severity], 'bold'),
      span(`  ${first}`),
      span(`  [${code}]`, 'dim'),
    ),
    ...more.flatMap((line) => paragraph(4, line)),
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
  if (!marked || more.length > 0) return paragraph(excerptIndent, [line, below, ...more].join('\n'));
  const focus = margin.length + blanks.length;
  const room = Math.max(20, width) - excerptIndent - widthOf(margin);
  const [left, right] = cutAround(line.slice(margin.length, focus), line.slice(focus), room);
  return [
    ...paragraph(excerptIndent, `${line.slice(0, margin.length)}${left}${right}`),
    ...paragraph(excerptIndent, `${margin}${' '.repeat(widthOf(left))}^`, style, 'bold'),
  ];
}

/** As much of both sides as fits into `room` columns, with `…` where something is left out. */
function cutAround(left: string, right: string, room: number): [left: string, right: string] {
  const near = takeLast(left, maxNear);
  const after = cut(right, Math.max(room - widthOf(near), Math.ceil(room * rightShare)));
  const before = cut(reverse(near), room - widthOf(after));
  return [reverse(before), after];
}
