import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { failure } from '../model/failure.ts';
import { type Document, type Format, renderReport } from '../report/index.ts';
import { hasColour, type Io, type Verbosity, widthOf } from './io.ts';

/** Prints the document asked for. */
export function printDocument(document: Document, format: Format, args: Verbosity, io: Io): void {
  const colour = format === 'text' && hasColour(io.stdout, io, args);
  io.stdout.write(
    withLineEnd(renderReport(document, format, { colour, width: widthOf(io.stdout), verbose: args.verbose })),
  );
}

/** Prints remarks where they do not get into a document: on stderr. */
export function printRemarks(document: Document, args: Verbosity, io: Io): void {
  const colour = hasColour(io.stderr, io, args);
  io.stderr.write(
    withLineEnd(renderReport(document, 'text', { colour, width: widthOf(io.stderr), verbose: args.verbose })),
  );
}

const formatByEnding: Readonly<Record<string, Format>> = {
  '.md': 'markdown',
  '.html': 'html',
  '.json': 'json',
  '.xml': 'junit',
};

/** Checks before any work that every `--report` file has an ending that says its format. */
export function checkReportFiles(files: readonly string[]): void {
  for (const file of files) reportFormat(file);
}

/** Writes the document into each file, in the format that its ending names. */
export function writeReports(document: Document, files: readonly string[], io: Io): void {
  for (const file of files) {
    writeText(
      file,
      renderReport(document, reportFormat(file), { colour: false, width: 100, verbose: true }),
      io,
    );
  }
}

export function writeText(file: string, text: string, io: Io): void {
  const path = resolve(io.cwd, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withLineEnd(text));
}

function reportFormat(file: string): Format {
  const format = formatByEnding[extname(file).toLowerCase()];
  if (format) return format;
  throw failure('unknown-report-format', `The name of the report "${file}" does not say its format.`, {
    hint: 'End it with .md, .html, .json or .xml (JUnit).',
  });
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
