import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { TemplateSetting } from '../engine/templates.ts';
import { failure } from '../model/failure.ts';
import { systemCode, unwritableFile } from '../model/system-error.ts';
import { type Document, type Format, formatsOf, type ReportOptions, renderReport } from '../report/index.ts';
import { hasColour, type Io, type Verbosity, widthOf } from './io.ts';

/** The notification templates of a plan as their recipients see them, for the formats that are pages. */
export type Templates = Pick<ReportOptions, 'rendered'>;

/** Prints the document asked for. */
export function printDocument(
  document: Document,
  format: Format,
  args: Verbosity,
  io: Io,
  templates: Templates = {},
): void {
  const colour = format === 'text' && hasColour(io.stdout, io, args);
  const options = { colour, width: widthOf(io.stdout), verbose: args.verbose, ...templates };
  io.stdout.write(withLineEnd(renderReport(document, format, options)));
}

/** Prints remarks where they do not get into a document: on stderr. */
export function printRemarks(document: Document, args: Verbosity, io: Io): void {
  const colour = hasColour(io.stderr, io, args);
  io.stderr.write(
    withLineEnd(renderReport(document, 'text', { colour, width: widthOf(io.stderr), verbose: args.verbose })),
  );
}

/** The first ending that a name has counts. */
const formatByEnding: readonly (readonly [ending: string, format: Format])[] = [
  ['.gitlab.json', 'gitlab'],
  ['.json', 'json'],
  ['.md', 'markdown'],
  ['.html', 'html'],
  ['.xml', 'junit'],
];

/** Checks before any work that every `--report` file has an ending that says a format in which there is such a report. */
export function checkReportFiles(files: readonly string[], is: Document['is']): void {
  for (const file of files) {
    if (!formatsOf(is).includes(reportFormat(file, is))) throw unknownFormat(file, is);
  }
}

/** Writes the document into each file, in the format that its ending names. */
export function writeReports(
  document: Document,
  files: readonly string[],
  io: Io,
  templates: Templates = {},
): void {
  for (const file of files) {
    const options = { colour: false, width: 100, verbose: true, ...templates };
    writeText(file, withLineEnd(renderReport(document, reportFormat(file, document.is), options)), io);
  }
}

/** Whether one of the formats asked for is a page. */
export function wantsPage({ format, report }: { format: Format; report: readonly string[] }): boolean {
  return format === 'html' || report.some((file) => reportFormat(file, 'plan') === 'html');
}

/** Renders the notification templates of a plan with what the tenant has for them, as far as it was asked. */
export async function renderTemplates(document: Document, setting: TemplateSetting = {}): Promise<Templates> {
  if (document.is !== 'plan') return {};
  const { renderPlanTemplates } = await import('../preview/plan.ts');
  return { rendered: await renderPlanTemplates(document.plan, setting) };
}

/**
 * Appends the document to the summary of a GitHub step, where the program runs in one. What the tenant and the files
 * have been told already does not become a failure because the summary cannot be written.
 */
export function appendStepSummary(document: Document, io: Io): void {
  const file = io.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    appendFileSync(file, withLineEnd(renderReport(document, 'markdown', { colour: false, width: 100 })));
  } catch (error) {
    io.stderr.write(`The step summary could not be written (${systemCode(error) ?? String(error)}).\n`);
  }
}

/** Throws a Failure for a file that cannot be written. Leaves no trace of its attempt. */
export function checkWritable(files: readonly string[], io: Io): void {
  for (const file of files) {
    const path = resolve(io.cwd, file);
    const isNew = !existsSync(path);
    try {
      mkdirSync(dirname(path), { recursive: true });
      closeSync(openSync(path, 'a'));
      if (isNew) rmSync(path);
    } catch (error) {
      throw unwritableFile(file, error);
    }
  }
}

/** Writes a file, the text as it is to the byte, and the folders above it. Throws a Failure where it cannot. */
export function writeText(file: string, text: string, io: Io): void {
  const path = resolve(io.cwd, file);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw unwritableFile(file, error);
  }
}

function reportFormat(file: string, is: Document['is']): Format {
  const format = formatByEnding.find(([ending]) => file.toLowerCase().endsWith(ending))?.[1];
  if (format) return format;
  throw unknownFormat(file, is);
}

function unknownFormat(file: string, is: Document['is']) {
  const endings = formatByEnding.filter(([, format]) => formatsOf(is).includes(format));
  return failure(
    'unknown-report-format',
    `The name of the report "${file}" does not say a format in which there is a report of a ${is}.`,
    { hint: `End it with ${endings.map(([ending]) => ending).join(', ')}.` },
  );
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
