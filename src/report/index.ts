import { type Document, type Format, prepareReport, type ReportOptions } from './report.ts';
import { writers } from './writers.ts';

export { type Document, type Format, formatsOf, type ReportOptions } from './report.ts';

/**
 * A document in a format, in whole lines: a pure function of its arguments, safe to print whatever the document holds.
 * Throws a Failure (`unsupported-format`) if the format does not exist for the document.
 */
export function renderReport(
  document: Document,
  format: Format,
  options: ReportOptions = { colour: false, width: 100 },
): string {
  const writePage = format === 'json' || format === 'gitlab' ? undefined : writers[format];
  return prepareReport(document, options)(format, options, writePage);
}
