import type { Diagnostic } from '../model/diagnostic.ts';
import type { ReportView } from './options.ts';
import { emptyPage, type Page } from './page.ts';
import { diagnosticCounts } from './words.ts';

/** `quiet` leaves notes out of the counts, as of the list. */
export function diagnosticsPage(
  diagnostics: readonly Diagnostic[],
  { quiet = false }: Pick<ReportView, 'quiet'> = {},
): Page {
  const counted = diagnostics.filter(({ severity }) => !quiet || severity !== 'info');
  return {
    ...emptyPage,
    is: 'diagnostics',
    command: 'validate',
    heading: '',
    name: '',
    verdict: { words: diagnosticCounts(counted), isGood: false },
    problems: [{ names: [], items: diagnostics }],
  };
}
