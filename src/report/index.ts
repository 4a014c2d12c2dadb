import { lazy } from '../model/basics.ts';
import { type Failure, fail } from '../model/failure.ts';
import { writeGithub, writeSarif } from './annotations.ts';
import { diagnosticsPage } from './diagnostics.ts';
import { diffPage } from './diff.ts';
import { fleetPage } from './fleet.ts';
import { writeHtml } from './html/page.ts';
import { writeJunit } from './junit.ts';
import { writeMarkdown } from './markdown.ts';
import type { Document, ReportContext, ReportOptions, ReportView } from './options.ts';
import type { Page } from './page.ts';
import { planPage } from './plan.ts';
import { redactDocument } from './redacted.ts';
import { resultPage } from './result.ts';
import { disarm, json } from './safe.ts';
import { writeText } from './text.ts';
import { countSeverities } from './words.ts';

export type { Document, ReportOptions } from './options.ts';
export { renderRequests } from './text.ts';

/** All formats; not every document has each of them. */
const formatNames = {
  text: 'text',
  json: 'JSON',
  markdown: 'Markdown',
  html: 'HTML',
  junit: 'JUnit',
  github: 'GitHub annotations',
  sarif: 'SARIF',
  gitlab: 'counts for GitLab',
} as const;
export type Format = keyof typeof formatNames;

const known: Readonly<
  Record<Document['is'], { readonly name: string; readonly formats: readonly Format[] }>
> = {
  plan: { name: 'A plan', formats: ['text', 'json', 'markdown', 'html', 'junit', 'github', 'gitlab'] },
  result: { name: 'A result', formats: ['text', 'json', 'markdown', 'html', 'junit', 'github'] },
  fleet: {
    name: 'A report of several environments',
    formats: ['text', 'json', 'markdown', 'html', 'junit', 'gitlab'],
  },
  diff: { name: 'A diff', formats: ['text', 'json', 'markdown', 'html'] },
  diagnostics: { name: 'A diagnostics report', formats: ['text', 'json', 'markdown', 'github', 'sarif'] },
};

export function formatsOf(is: Document['is']): Format[] {
  return [...known[is].formats];
}

export function unsupportedFormat(format: Format, is: Document['is']): Failure {
  return fail('unsupported-format', `${known[is].name} cannot be written as ${formatNames[format]}.`, {
    hint: `Use one of: ${formatsOf(is).join(', ')}.`,
  });
}

/**
 * A document in a format, in whole lines: a pure function of its arguments, safe to print whatever the document holds.
 * Throws a Failure (`unsupported-format`) where the format does not exist for the document.
 */
export function renderReport(
  document: Document,
  format: Format,
  options: ReportOptions = { colour: false, width: 100 },
): string {
  return reportOf(document, options).write(format, options);
}

export interface Report extends Pick<Document, 'is'> {
  /** As {@link renderReport}. */
  write(format: Format, view: ReportView): string;
}

/** A document for several formats: secrets are removed once, and what people read is worked out once. */
export function reportOf(document: Document, { redact, ...context }: ReportContext): Report {
  const clean = <T>(value: T): T => (redact ? redactDocument(value, redact) : value);
  const said = lazy(() => clean(context));
  const shown = lazy(() => clean(document));
  const page = lazy(() => pageOf(shown(), said()));
  const pageIn = (view: ReportView) => {
    const document = shown();
    // What counts depends on the view.
    return document.is === 'diagnostics' ? diagnosticsPage(document.diagnostics, view) : page();
  };
  return {
    is: document.is,
    write(format, view) {
      if (!known[document.is].formats.includes(format)) throw unsupportedFormat(format, document.is);
      const options = { ...view, ...said() };
      switch (format) {
        case 'json':
          // A later command reads plans and results as JSON again: they hold no secrets, and stay as they are.
          return json(jsonOf(document.is === 'diagnostics' ? shown() : document));
        case 'gitlab':
          return gitlabOf(document);
        case 'markdown':
          // Its parts are safe by themselves, but may make a command to a CI system where they are joined.
          return disarm(writeMarkdown(pageIn(view), options));
        default:
          return writers[format](pageIn(view), options);
      }
    },
  };
}

const writers = {
  text: writeText,
  html: writeHtml,
  junit: writeJunit,
  github: writeGithub,
  sarif: writeSarif,
} as const;

function pageOf(document: Document, options: ReportContext): Page {
  switch (document.is) {
    case 'plan':
      return planPage(document.plan, options);
    case 'result':
      return resultPage(document.result, options);
    case 'fleet':
      return fleetPage(document.fleet, options);
    case 'diff':
      return diffPage(document.diff);
    case 'diagnostics':
      return diagnosticsPage(document.diagnostics);
  }
}

/** The format of `validate --format json` and of errors in JSON. */
const diagnosticsFormat = 1;

function jsonOf(document: Document): unknown {
  switch (document.is) {
    case 'plan':
      return document.plan;
    case 'result':
      return document.result;
    case 'fleet':
      return document.fleet;
    case 'diff':
      return document.diff;
    case 'diagnostics': {
      const { diagnostics } = document;
      return { formatVersion: diagnosticsFormat, diagnostics, summary: countSeverities(diagnostics) };
    }
  }
}

/** The counts that GitLab reads as a Terraform report (`artifacts: reports: terraform`). */
function gitlabOf(document: Document): string {
  if (document.is !== 'plan' && document.is !== 'fleet') return '';
  const {
    create,
    update,
    delete: gone,
  } = document.is === 'plan' ? document.plan.summary : document.fleet.summary;
  return `${JSON.stringify({ create, update, delete: gone })}\n`;
}
