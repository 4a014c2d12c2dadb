import type { Diagnostic, Severity } from '../../model/diagnostic.ts';
import type { ReportOptions } from '../options.ts';
import { diagnosticCounts, place } from '../words.ts';
import { excerptRows } from './excerpt.ts';
import { blank, layout, paragraph, type Row, row, type Style, span } from './layout.ts';

const severityStyles = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<
  Severity,
  Style
>;

/** Problems for the terminal, each with its place and excerpt, and the counts at the end. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], options: ReportOptions): string {
  return layout(
    [...diagnosticRows(diagnostics, options), row(0, span(diagnosticCounts(diagnostics), 'bold'))],
    options,
  );
}

export function diagnosticRows(
  diagnostics: readonly Diagnostic[],
  { width }: Pick<ReportOptions, 'width'>,
): Row[] {
  return diagnostics.flatMap((diagnostic) => [...oneDiagnostic(diagnostic, width), blank]);
}

function oneDiagnostic(diagnostic: Diagnostic, width: number): Row[] {
  const { severity, code, message, source, excerpt, hint, address } = diagnostic;
  const [first = '', ...more] = message.split('\n');
  const where = source ? place(source) : address;
  const isSaid = where !== undefined && first.startsWith(`${where} `);
  return [
    row(
      0,
      ...(where === undefined || isSaid ? [] : [span(`${where}  `, 'cyan')]),
      span(severity, severityStyles[severity], 'bold'),
      span(`  ${first}`),
      span(`  [${code}]`, 'dim'),
    ),
    ...paragraph(4, more.join('\n')).filter(() => more.length > 0),
    ...(excerpt === undefined ? [] : excerptRows(excerpt, severityStyles[severity], width)),
    ...(hint === undefined ? [] : [row(4, span('hint: ', 'green', 'bold'), span(hint))]),
  ];
}
