import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { TemplateSetting } from '../engine/templates.ts';
import { requireOutputFile } from '../loader/own-folder.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { type ExitCode, Failure, failure, interruption } from '../model/failure.ts';
import { systemCode, systemFailure, unwritableFile } from '../model/system-error.ts';
import {
  type Document,
  type Format,
  formatsOf,
  type ReportOptions,
  renderReport,
  unsupportedFormat,
} from '../report/index.ts';
import { type Io, printNote, type Verbosity, viewOf } from './io.ts';

/** What reports say besides their document: the rendered templates of a plan, for pages, and how it is applied. */
export type Extras = Pick<ReportOptions, 'rendered' | 'applyWith'>;

/** Prints the requested document on stdout, in the requested format. */
export function printDocument(
  document: Document,
  args: Verbosity & { readonly format: Format },
  io: Io,
  extras: Extras = {},
): void {
  const view = viewOf(io.stdout, args, io);
  const options = {
    ...view,
    colour: view.colour && args.format === 'text',
    redact: redactorOf(io),
    ...reportUrlOf(io),
    ...extras,
  };
  const output = isClean(document, args.format) ? io.data : io.stdout;
  output.write(addLineEnd(renderReport(document, args.format, options)));
}

/**
 * Whether a document holds no secrets any more and must stay as it is: a later command reads plans and results again, and a
 * page has a script.
 */
function isClean({ is }: Document, format: Format): boolean {
  return format === 'html' || (format === 'json' && is !== 'diagnostics');
}

/** Prints a document on stderr that was not requested. With `--quiet`, problems that are no errors are not printed. */
export function printRemarks(document: Document, args: Verbosity, io: Io): void {
  if (args.quiet && document.is === 'diagnostics' && !hasErrors(document.diagnostics)) return;
  io.stderr.write(addLineEnd(renderReport(document, 'text', viewOf(io.stderr, args, io))));
}

/** Prints remarks on stderr, where there are some. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], args: Verbosity, io: Io): void {
  if (diagnostics.length > 0) printRemarks({ is: 'diagnostics', diagnostics }, args, io);
}

/** Prints why a command stopped, on stderr. If JSON was requested, stdout gets it as JSON too. */
export function reportFailure(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const failed = toFailure(error, io);
  // `validate` shows information. Here only the reason for stopping matters.
  const diagnostics = failed.diagnostics.filter(({ severity }) => severity !== 'info');
  const document = { is: 'diagnostics', diagnostics } as const;
  const given = (option: string) => argv.includes(option);
  const verbosity = { color: !given('--no-color'), verbose: given('--verbose'), quiet: given('--quiet') };
  const view = viewOf(io.stderr, verbosity, io);
  io.stderr.write(`${renderReport(document, 'text', view).trimEnd()}\n`);
  if (wantsJson(argv)) io.stdout.write(`${renderReport(document, 'json', view).trimEnd()}\n`);
  return failed.exitCode;
}

/** Looks at the words themselves, since the arguments may be what could not be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) => word === '--format=json' || (word === '--format' && argv[at + 1] === 'json'),
  );
}

function toFailure(error: unknown, io: Io): Failure {
  if (error instanceof Failure) return error;
  if (io.signal.aborted) return interruption();
  const refused = systemFailure(error);
  if (refused) return refused;
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error && error.stack ? `\n${error.stack}` : '';
  return failure('internal', `${message}${stack}`, {
    hint: 'This is a bug in tenantctl. Please report it with the lines above.',
  });
}

/** The first ending that matches counts. */
const formatByEnding: readonly (readonly [ending: string, format: Format])[] = [
  ['.gitlab.json', 'gitlab'],
  ['.json', 'json'],
  ['.md', 'markdown'],
  ['.html', 'html'],
  ['.xml', 'junit'],
];

/** Throws a Failure for a `--format` that the document does not have. To be called before any other work. */
export function checkFormat(format: Format, is: Document['is']): void {
  if (!formatsOf(is).includes(format)) throw unsupportedFormat(format, is);
}

/** Throws a Failure for a `--report` file whose ending names no format, or none that the document has. */
export function checkReportFiles(files: readonly string[], is: Document['is']): void {
  for (const file of files) {
    if (!formatsOf(is).includes(reportFormat(file, is))) throw unknownFormat(file, is);
  }
}

/** Writes the document into each file, in the format that the ending names. Throws a Failure where it cannot. */
export function writeReports(
  document: Document,
  files: readonly string[],
  io: Io,
  extras: Extras = {},
): void {
  for (const file of files) {
    const options = {
      colour: false,
      width: 100,
      verbose: true,
      redact: redactorOf(io),
      ...reportUrlOf(io),
      ...extras,
    };
    const format = reportFormat(file, document.is);
    const text = addLineEnd(renderReport(document, format, options));
    writeText(file, isClean(document, format) ? text : io.redactor.text(text), io);
  }
}

/**
 * Writes what an apply leaves behind, and returns whether it could be written. If not, the apply is incomplete: exit 1
 * would mean that nothing was done.
 */
export function isWritten(write: () => void, io: Io): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    printNote(`A report is not written. ${error.message}`, io);
    return false;
  }
}

/** Where a pipeline publishes the HTML report, for the links of the Markdown report. */
function reportUrlOf({ env }: Io): Pick<ReportOptions, 'reportUrl'> {
  const { TENANTCTL_REPORT_URL: reportUrl } = env;
  return reportUrl ? { reportUrl } : {};
}

const redactorOf =
  ({ redactor }: Io) =>
  (text: string): string =>
    redactor.text(text);

/** Whether one of the requested formats is a page. */
export function wantsPage({ format, report }: { format: Format; report: readonly string[] }): boolean {
  return format === 'html' || report.some((file) => reportFormat(file, 'plan') === 'html');
}

/** Renders the notification templates of a plan. Without a setting, only with what the plan itself holds. */
export async function renderTemplates(
  document: Document,
  setting: TemplateSetting = {},
): Promise<Pick<Extras, 'rendered'>> {
  if (document.is !== 'plan') return {};
  const { renderPlanTemplates } = await import('../preview/plan-templates.ts');
  return { rendered: await renderPlanTemplates(document.plan, setting) };
}

/**
 * Appends the document to the summary of a GitHub step, where the program runs in one. A summary that cannot be written
 * is only reported: the command has already done its work.
 */
export function appendStepSummary(document: Document, io: Io, extras: Extras = {}): void {
  const file = io.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    const text = renderReport(document, 'markdown', {
      colour: false,
      width: 100,
      ...reportUrlOf(io),
      ...extras,
    });
    appendFileSync(file, io.redactor.text(addLineEnd(text)));
  } catch (error) {
    printNote(`The step summary could not be written (${systemCode(error) ?? String(error)}).`, io);
  }
}

/**
 * Throws a Failure for a file that cannot be written, for one that the command reads, such as the result that a rollback
 * needs again, and for one that is named twice: one document would take the place of the other. Leaves no new file behind.
 */
export function checkWritable(files: readonly string[], io: Io, reads: readonly string[] = []): void {
  const paths = files.map((file) => resolve(io.cwd, file));
  const kept = reads.map((file) => resolve(io.cwd, file));
  for (const [at, path] of paths.entries()) {
    const file = files[at] ?? '';
    if (kept.includes(path)) {
      throw failure('usage', `${file} is what the command reads, and would be overwritten.`, {
        hint: 'Choose another file.',
      });
    }
    if (paths.indexOf(path) < at) {
      throw failure('usage', `${file} is named twice: the second document would overwrite the first.`, {
        hint: 'Name a file of its own for each.',
      });
    }
    requireOutputFile(path, io.cwd);
    const isNew = !existsSync(path);
    if (!isNew && /\.ya?ml$/i.test(file)) {
      throw failure('usage', `${file} exists and is YAML, as manifests are. Plans and results are JSON.`, {
        hint: 'Choose another file, for example plan.json.',
      });
    }
    try {
      mkdirSync(dirname(path), { recursive: true });
      closeSync(openSync(path, 'a'));
      if (isNew) rmSync(path);
    } catch (error) {
      throw unwritableFile(file, error);
    }
  }
}

/** Writes a file, and makes the folders above it. Throws a Failure where it cannot. */
export function writeText(file: string, text: string, io: Io): void {
  const path = resolve(io.cwd, file);
  requireOutputFile(path, io.cwd);
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

function unknownFormat(file: string, is: Document['is']): Failure {
  const endings = formatByEnding.filter(([, format]) => formatsOf(is).includes(format));
  return failure(
    'unknown-report-format',
    `The ending of the report "${file}" names no format that a ${is} report can have.`,
    { hint: `Use one of these endings: ${endings.map(([ending]) => ending).join(', ')}.` },
  );
}

function addLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
