import type { Diagnostic } from '../../model/diagnostic.ts';
import { type ChangeOutcome, type ChangeResult, mayHaveFailed, type Result } from '../../model/result.ts';
import type { ReportOptions } from '../options.ts';
import {
  changeOutcomeWords,
  elapsedWords,
  nextSteps,
  outcomeWords,
  resultCounts,
  runWords,
  sentWords,
} from '../result-words.ts';
import { symbols, tenantWords } from '../words.ts';
import { diagnosticRows } from './diagnostics.ts';
import { blank, layout, padTo, paragraph, type Row, row, type Style, solid, span } from './layout.ts';
import { actionStyles } from './plan.ts';

const outcomeSigns: Readonly<Record<ChangeOutcome, readonly [symbol: string, style: Style]>> = {
  done: ['✔', 'green'],
  failed: ['✖', 'red'],
  skipped: ['↷', 'yellow'],
  notAttempted: ['○', 'yellow'],
  unknown: ['?', 'magenta'],
};

const outcomeColumn = Math.max(...Object.values(outcomeWords).map((words) => words.length));

/** The result of an apply for the terminal: one line for each change, more where it failed. */
export function resultText(result: Result, options: ReportOptions): string {
  const verbose = options.verbose ?? false;
  const diagnostics = result.diagnostics ?? [];
  const rows = [
    row(0, span(`Apply to ${result.environment}`, 'bold'), span(`  ${tenantWords(result.tenant)}`, 'dim')),
    blank,
    ...resultRows(result.changes, diagnostics, verbose),
    ...(result.changes.length > 0 ? [blank] : []),
    ...diagnosticRows(diagnostics, options),
    row(
      0,
      span(`${runWords[result.outcome]}: `, 'bold'),
      span(`${resultCounts(result)}.`, 'bold'),
      solid(`  ${elapsedWords(result)}`.trimEnd(), 'dim'),
    ),
    row(0, span(`Digest: ${result.planDigest}`, 'dim')),
    ...nextSteps([result]).map((step) => row(0, span(step))),
  ];
  return layout(rows, options);
}

/**
 * The changes of a run, one line for each, more where it failed.
 *
 * @param diagnostics of the run: they are shown elsewhere, and not repeated
 */
export function resultRows(
  changes: readonly ChangeResult[],
  diagnostics: readonly Diagnostic[],
  verbose: boolean,
): Row[] {
  const reasons = new Set(diagnostics.map(({ message }) => message));
  return changes.flatMap((change) => changeRows(change, reasons, verbose));
}

/** @param reasons errors that are shown below the changes, and not repeated here */
function changeRows(change: ChangeResult, reasons: ReadonlySet<string>, verbose: boolean): Row[] {
  const { outcome, action, address, error, warnings, requests } = change;
  const [symbol, style] = outcomeSigns[outcome];
  const isFailure = mayHaveFailed(change);
  return [
    row(
      2,
      span(`${symbol} ${padTo(changeOutcomeWords(change), outcomeColumn)}  `, style),
      span(`${symbols[action]} `, actionStyles[action]),
      span(address, 'bold'),
    ),
    ...(error === null || reasons.has(error) ? [] : paragraph(6, error, isFailure ? 'red' : 'yellow')),
    ...warnings.map((warning) => row(6, span('⚠ ', 'yellow'), span(warning, 'yellow'))),
    ...(isFailure || verbose ? requests.map((request) => row(6, span(sentWords(request), 'dim'))) : []),
  ];
}
