import { appendFileSync } from 'node:fs';
import type { TemplateSetting } from '../engine/templates.ts';
import type { Fleet, Plan } from '../model/documents.ts';
import {
  bugHint,
  type Diagnostic,
  type ExitCode,
  Failure,
  fail,
  interruption,
  messageOf,
  systemFailure,
} from '../model/failure.ts';
import type { ReportContext, ReportView } from '../report/page.ts';
import {
  type Document,
  type Format,
  formatsOf,
  prepareReport,
  type ReportOptions,
  redactDocument,
  unsupportedFormat,
} from '../report/report.ts';
import { json } from '../report/safe.ts';
import { checkWritable, writeTextFile } from './files.ts';
import { type Io, printNote, viewOf } from './io.ts';

type Report = ReturnType<typeof reportOf>;

/**
 * What reports add to their document: rendered templates for pages, the command that applies the plan, its commit, and its folder
 * in the repository.
 */
type Extras = Pick<ReportOptions, 'rendered' | 'applyWith' | 'folder' | 'commit' | 'sourceUrl'>;

/** The arguments that say in which formats a document is printed and written. */
interface OutputArgs {
  readonly format: Format;
  readonly report: readonly string[];
}

/** A document that can be written in several formats, in whole lines. Throws a Failure (`unsupported-format`) for those it lacks. */
export function reportOf(document: Document, io: Io, extras: Extras = {}) {
  const write = prepareReport(document, contextOf(io, extras));
  return {
    is: document.is,
    async write(format: Format, view: ReportView): Promise<string> {
      if (format === 'text' || format === 'json' || format === 'gitlab') return write(format, view);
      // The other writers and the script of a page are most of the code: printing text does not load them.
      const { writers } = await import('../report/writers.ts');
      return write(format, view, writers[format]);
    },
  };
}

/** Writes the reports of a document, prints it, and adds it to the summary of a GitHub step. */
export async function outputDocument(
  document: Document,
  args: OutputArgs & { readonly out?: string | undefined },
  io: Io,
  extras: Extras = {},
): Promise<void> {
  const report = reportOf(document, io, extras);
  await writeReports(report, args.report, io);
  // The plan itself is on stdout, for another program.
  if (args.out === stdoutName) printRemarks(document, io);
  else await printReport(report, args.format, io);
  await appendStepSummary(report, io);
}

export async function printReport(report: Report, format: Format, io: Io): Promise<void> {
  const output = isClean(report, format) ? io.data : io.stdout;
  output.write(await report.write(format, viewOf(io.stdout, io)));
}

/** True when a document must stay as it is: a later command reads plans and results again, and a page has a script. */
function isClean({ is }: Report, format: Format): boolean {
  return format === 'html' || (format === 'json' && is !== 'diagnostics');
}

/** A command's own view without secrets: cutting, wrapping or escaping a text could hide one from the redactor. */
export function withoutSecrets<T>(shown: T, { redactor }: Pick<Io, 'redactor'>): T {
  return redactDocument(shown, (text) => redactor.text(text));
}

export function printRemarks(document: Document, io: Io): void {
  io.stderr.write(prepareReport(document, contextOf(io))('text', viewOf(io.stderr, io)));
}

/** Prints remarks on stderr, if there are any. With `--quiet`, information is left out. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], io: Io): void {
  const isShown = diagnostics.some(({ severity }) => !io.quiet || severity !== 'info');
  if (isShown) printRemarks({ is: 'diagnostics', diagnostics }, io);
}

/** Prints why a command stopped, on stderr. If JSON was requested, stdout gets it as JSON too. */
export function reportFailure(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const stopped =
    error instanceof Failure ? error : io.signal.aborted ? interruption() : systemFailure(error);
  const stack = error instanceof Error && error.stack ? `\n${error.stack}` : '';
  const failed = stopped ?? fail('internal', messageOf(error) + stack, { hint: bugHint('the lines above') });
  const { diagnostics } = failed;
  const document = { is: 'diagnostics', diagnostics } as const;
  const verbosity = {
    color: !argv.includes('--no-color'),
    verbose: argv.includes('--verbose'),
    quiet: argv.includes('--quiet'),
  };
  const view = viewOf(io.stderr, { ...io, ...verbosity });
  const write = prepareReport(document, contextOf(io));
  io.stderr.write(write('text', view));
  if (wantsFormat(argv, 'json')) io.stdout.write(write('json', view));
  if (wantsFormat(argv, 'jsonl'))
    io.stdout.write(json({ type: 'error', diagnostics: withoutSecrets(diagnostics, io) }, 0));
  return failed.exitCode;
}

/** Looks at the raw words, since parsing may have failed. */
function wantsFormat(argv: readonly string[], format: string): boolean {
  return argv.some(
    (word, at) => word === `--format=${format}` || (word === '--format' && argv[at + 1] === format),
  );
}

/** The first ending that matches counts. */
const formatByEnding: readonly (readonly [ending: string, format: Format])[] = [
  ['.gitlab.json', 'gitlab'],
  ['.json', 'json'],
  ['.md', 'markdown'],
  ['.html', 'html'],
  ['.xml', 'junit'],
];

/**
 * Throws a Failure for a `--format` that the document does not have, for two documents on stdout, or one without a format, and
 * for files that cannot be written, or are used already. To be called before any other work.
 */
export function checkOutput(
  { format, report, out }: OutputArgs & { readonly out?: string | undefined },
  is: Document['is'],
  io: Io,
): void {
  if (!formatsOf(is).includes(format)) throw unsupportedFormat(format, is, formatsOf(is));
  const names = [...report, ...(out === undefined ? [] : [out])];
  const files = names.filter((name) => name !== stdoutName);
  if (names.length - files.length > 1 || (out === stdoutName && format !== 'text'))
    throw fail('usage', 'Two documents would go to stdout.', {
      hint: '`--out -` prints the plan file, `--report -` the report in the format of --format. Use one of them, and files for others.',
    });
  for (const file of report) if (file !== stdoutName) reportFormat(file, is);
  checkWritable(files, io);
}

export const stdoutName = '-';

/** Writes the document into each file, in the format that the ending names. Throws a Failure if it cannot. */
export async function writeReports(report: Report, files: readonly string[], io: Io): Promise<void> {
  for (const file of files) {
    // That is the document that is printed in any case.
    if (file === stdoutName) continue;
    const format = reportFormat(file, report.is);
    const text = await report.write(format, { ...fileView, verbose: true });
    writeTextFile(file, isClean(report, format) ? text : io.redactor.text(text), io);
  }
}

const fileView = { colour: false, width: 100 } as const;

/** The context of reports, with what a command adds to it. `reportUrl` is where a pipeline publishes the HTML report. */
function contextOf({ env, redactor }: Io, extras: Extras = {}): ReportContext {
  const { TENANTCTL_REPORT_URL: reportUrl } = env;
  const redact = redactor.text.bind(redactor);
  return { redact, now: Date.now(), ...(reportUrl ? { reportUrl } : {}), ...extras };
}

export function wantsPage({ format, report }: OutputArgs): boolean {
  return (
    format === 'html' || report.some((file) => file !== stdoutName && reportFormat(file, 'plan') === 'html')
  );
}

/** Renders the notification templates of a plan. Without a setting, only with what the plan itself holds. */
export async function renderTemplates(
  document: Document,
  { signal }: Io,
  setting: TemplateSetting = {},
): Promise<Pick<Extras, 'rendered'>> {
  if (document.is !== 'plan') return {};
  const { renderPlanTemplates } = await import('../preview/templates.ts');
  return { rendered: await renderPlanTemplates(document.plan, { ...setting, signal }) };
}

/** Appends the document to the summary of a GitHub step. Only reports a failure: the command has done its work. */
export async function appendStepSummary(report: Report, io: Io): Promise<void> {
  const file = io.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    const text = await report.write('markdown', fileView);
    writeTextFile(file, io.redactor.text(text), io, appendFileSync);
  } catch (error) {
    printNote(`The step summary could not be written. ${messageOf(error)}`, io);
  }
}

/** Throws a Failure if the ending of a file names no format of the document. */
function reportFormat(file: string, is: Document['is']): Format {
  const known = formatsOf(is);
  const format = formatByEnding.find(([ending]) => file.toLowerCase().endsWith(ending))?.[1];
  if (format && known.includes(format)) return format;
  const endings = formatByEnding.filter(([, each]) => known.includes(each)).map(([ending]) => ending);
  throw unsupportedFormat(`"${file}"`, is, endings);
}

/** Writes a plan, a fleet or a result as a file. Throws a Failure if it cannot be written. */
export function saveFile(value: Plan | Fleet, file: string, io: Io): void {
  if (file === stdoutName) io.data.write(json(value));
  else writeTextFile(file, `${JSON.stringify(value, null, 2)}\n`, io);
}
