import { groupBy } from '../model/basics.ts';
import { type Diagnostic, isError, type Severity } from '../model/diagnostic.ts';
import { blank, cut, paragraph, type Row, row, type Style, span, widthOf } from './layout.ts';
import type { ReportOptions } from './options.ts';
import { takeLast } from './safe.ts';
import { whereOf } from './words.ts';

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

/** Problems with an empty row after each. Remarks that are alike are folded. */
export function diagnosticRows(diagnostics: readonly Diagnostic[], options: ReportOptions): Row[] {
  return foldRemarks(diagnostics, options).flatMap(({ diagnostic, more }) => {
    const { severity, code, message, excerpt, hint } = diagnostic;
    const style = severityStyles[severity];
    const [first = '', ...lines] = message.split('\n');
    const where = whereOf(diagnostic);
    const isRepeated = where !== undefined && first.startsWith(`${where} `);
    return [
      row(
        0,
        span(where === undefined || isRepeated ? '' : `${where}  `, 'cyan'),
        span(severity, style, 'bold'),
        span(`  ${first}`),
        span(`  [${code}]`, 'dim'),
      ),
      ...lines.flatMap((line) => paragraph(4, line)),
      ...(excerpt === undefined ? [] : excerptRows(excerpt, style, options.width)),
      ...(hint === undefined ? [] : [row(4, span('hint: ', 'green', 'bold'), span(hint))]),
      ...(more === null ? [] : [row(4, span(`${more} (--verbose shows all)`, 'dim'))]),
      blank,
    ];
  });
}

/** As many of one kind are shown one by one. */
const maxAlike = 3;

/**
 * Folds warnings and information with the same code into the first one, unless `verbose`; `quiet` leaves out information. Errors are
 * all shown. `more` names what is folded.
 */
function foldRemarks(
  diagnostics: readonly Diagnostic[],
  { verbose = false, quiet = false }: ReportOptions,
): { readonly diagnostic: Diagnostic; readonly more: string | null }[] {
  const shown = diagnostics.filter(({ severity }) => !quiet || severity !== 'info');
  const groups = groupBy(shown, (each, index) =>
    verbose || isError(each) ? String(index) : `${each.severity} ${each.code}`,
  );
  return groups.flatMap(([, group]): { diagnostic: Diagnostic; more: string | null }[] => {
    const [first, ...others] = group;
    return others.length >= maxAlike
      ? [{ diagnostic: first, more: moreWords(others) }]
      : group.map((diagnostic) => ({ diagnostic, more: null }));
  });
}

function moreWords(others: readonly Diagnostic[]): string {
  const names = [...new Set(others.flatMap((other) => other.address ?? whereOf(other) ?? []))];
  const words = [...names.slice(0, maxAlike), ...(names.length > maxAlike ? ['…'] : [])].join(', ');
  return `and ${others.length} more${words === '' ? '' : `: ${words}`}`;
}

const excerptIndent = 4;
/** Of a line that is cut, so much is shown before the caret at most. */
const leftShare = 0.6;

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
  const columns = Math.max(20, width) - excerptIndent;
  const isWhole = line.length <= columns && widthOf(line) <= columns;
  const room = columns - widthOf(margin);
  const before = line.slice(margin.length, focus);
  const left = isWhole ? before : cutStart(before, Math.floor(room * leftShare));
  const right = cut(line.slice(focus), room - widthOf(left));
  return [
    ...paragraph(excerptIndent, `${line.slice(0, margin.length)}${left}${right}`),
    ...paragraph(excerptIndent, `${margin}${' '.repeat(widthOf(left))}^`, style, 'bold'),
  ];
}

/** As much of the end of `text` as fits into `columns`, with `…` where something is left out. */
function cutStart(text: string, columns: number): string {
  if (text.length <= columns && widthOf(text) <= columns) return text;
  const end = takeLast(text, columns - 1);
  // Wide characters take two columns.
  return `…${widthOf(end) < columns ? end : takeLast(end, Math.floor(end.length / 2))}`;
}
