import type { ChangeOutcome, ChangeResult, Result, SentRequest } from '../../model/result.ts';
import type { ReportOptions } from '../options.ts';
import { duration, outcomeWords, resultCounts, runWords, sentWords, symbols, tenantWords } from '../words.ts';
import { actionStyles } from './change.ts';
import { diagnosticRows } from './diagnostics.ts';
import { blank, layout, padTo, paragraph, type Row, row, type Style, span } from './layout.ts';

const outcomeStyles = {
  done: 'green',
  failed: 'red',
  skipped: 'yellow',
  notAttempted: 'yellow',
  unknown: 'magenta',
} as const satisfies Record<ChangeOutcome, Style>;

const outcomeSymbols = {
  done: '✔',
  failed: '✖',
  skipped: '↷',
  notAttempted: '○',
  unknown: '?',
} as const satisfies Record<ChangeOutcome, string>;

const outcomeColumn = Math.max(...Object.values(outcomeWords).map((words) => words.length));

/** What an apply did, for the terminal: one line a change, more where something went wrong. */
export function resultText(result: Result, options: ReportOptions): string {
  const verbose = options.verbose ?? false;
  const diagnostics = result.diagnostics ?? [];
  const reasons = new Set(diagnostics.map(({ message }) => message));
  const rows = [
    row(0, span(`Apply to ${result.environment}`, 'bold'), span(`  ${tenantWords(result.tenant)}`, 'dim')),
    blank,
    ...result.changes.flatMap((change) => changeRows(change, reasons, verbose)),
    ...(result.changes.length > 0 ? [blank] : []),
    ...diagnosticRows(diagnostics, options),
    row(
      0,
      span(`${runWords[result.outcome]}: `, 'bold'),
      span(`${resultCounts(result.summary)}.`, 'bold'),
      elapsed(result),
    ),
    row(0, span(`Digest: ${result.planDigest}`, 'dim')),
  ];
  return layout(rows, options);
}

function elapsed({ startedAt, endedAt }: Result) {
  return span(`  ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`.trimEnd(), 'dim');
}

/** @param reasons what is told below the changes anyway */
function changeRows(change: ChangeResult, reasons: ReadonlySet<string>, verbose: boolean): Row[] {
  const { outcome, action, address, error, warnings, requests } = change;
  const troubled = outcome === 'failed' || outcome === 'unknown';
  return [
    row(
      2,
      span(
        `${outcomeSymbols[outcome]} ${padTo(outcomeWords[outcome], outcomeColumn)}  `,
        outcomeStyles[outcome],
      ),
      span(`${symbols[action]} `, actionStyles[action]),
      span(address, 'bold'),
    ),
    ...(error === null || reasons.has(error) ? [] : paragraph(6, error, troubled ? 'red' : 'yellow')),
    ...warnings.map((warning) => row(6, span('⚠ ', 'yellow'), span(warning, 'yellow'))),
    ...(troubled || verbose ? requests.map(requestRow) : []),
  ];
}

function requestRow(request: SentRequest): Row {
  return row(6, span(sentWords(request), 'dim'));
}
