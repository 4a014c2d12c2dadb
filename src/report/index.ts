import type { Diagnostic } from '../model/diagnostic.ts';
import type { Diff } from '../model/diff.ts';
import { type Failure, failure } from '../model/failure.ts';
import type { Fleet } from '../model/fleet.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { diffMarkdown } from './diff-markdown.ts';
import { fleetMarkdown } from './fleet-markdown.ts';
import { diagnosticsGithub, planGithub, resultGithub } from './github.ts';
import { diffHtml } from './html/diff-page.ts';
import { fleetHtml } from './html/fleet-page.ts';
import { planHtml } from './html/plan-page.ts';
import { resultHtml } from './html/result-page.ts';
import { diagnosticsJson, diagnosticsSarif, json, planGitlab } from './json-output.ts';
import { diagnosticsJunit, diffJunit, fleetJunit, planJunit, resultJunit } from './junit.ts';
import { diagnosticsMarkdown, resultMarkdown } from './markdown.ts';
import { type Document, type Format, formats, type ReportOptions } from './options.ts';
import { planMarkdown } from './plan-markdown.ts';
import { withoutSecrets } from './redacted.ts';
import { disarm } from './safe.ts';
import { diagnosticsText } from './text/diagnostics.ts';
import { diffText } from './text/diff.ts';
import { fleetText } from './text/fleet.ts';
import { planText } from './text/plan.ts';
import { resultText } from './text/result.ts';

export type { Document, Format, ReportOptions } from './options.ts';
export { renderRequests } from './text/plan.ts';

type Renderer<T> = (document: T, options: ReportOptions) => string;
type Renderers<T> = Readonly<Partial<Record<Format, Renderer<T>>>>;

const renderers: {
  readonly plan: Renderers<Plan>;
  readonly result: Renderers<Result>;
  readonly fleet: Renderers<Fleet>;
  readonly diff: Renderers<Diff>;
  readonly diagnostics: Renderers<readonly Diagnostic[]>;
} = {
  plan: {
    text: planText,
    json,
    markdown: planMarkdown,
    html: planHtml,
    junit: planJunit,
    github: planGithub,
    sarif: ({ diagnostics }, options) => diagnosticsSarif(diagnostics, options),
    gitlab: planGitlab,
  },
  result: {
    text: resultText,
    json,
    markdown: resultMarkdown,
    html: resultHtml,
    junit: resultJunit,
    github: resultGithub,
  },
  fleet: {
    text: fleetText,
    json,
    markdown: fleetMarkdown,
    html: fleetHtml,
    junit: fleetJunit,
    gitlab: planGitlab,
  },
  diff: {
    text: diffText,
    json,
    markdown: diffMarkdown,
    html: diffHtml,
    junit: diffJunit,
  },
  diagnostics: {
    text: diagnosticsText,
    json: diagnosticsJson,
    markdown: diagnosticsMarkdown,
    junit: diagnosticsJunit,
    github: diagnosticsGithub,
    sarif: diagnosticsSarif,
  },
};

/** The formats that exist for a kind of document. */
export function formatsOf(is: Document['is']): Format[] {
  return formats.filter((format) => Object.hasOwn(renderers[is], format));
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
  // A later command reads plans and results as JSON again: they hold no secrets, and stay as they are.
  const isKept = format === 'json' && document.is !== 'diagnostics';
  const [shown, shownOptions] = isKept ? [document, options] : withoutSecrets(document, options);
  const text = render(shown, format, shownOptions);
  // Its parts are safe by themselves, but may make a command to a CI system where they are joined.
  return format === 'markdown' ? disarm(text) : text;
}

function render(document: Document, format: Format, options: ReportOptions): string {
  switch (document.is) {
    case 'plan':
      return rendererOf(renderers.plan, format, document.is)(document.plan, options);
    case 'result':
      return rendererOf(renderers.result, format, document.is)(document.result, options);
    case 'fleet':
      return rendererOf(renderers.fleet, format, document.is)(document.fleet, options);
    case 'diff':
      return rendererOf(renderers.diff, format, document.is)(document.diff, options);
    case 'diagnostics':
      return rendererOf(renderers.diagnostics, format, document.is)(document.diagnostics, options);
  }
}

function rendererOf<T>(known: Renderers<T>, format: Format, is: Document['is']) {
  const found = known[format];
  if (found) return found;
  throw unsupportedFormat(format, is);
}

/** The Failure for a format that a kind of document does not have. */
export function unsupportedFormat(format: Format, is: Document['is']): Failure {
  return failure('unsupported-format', `There is no ${format} report of a ${is}.`, {
    hint: `Use one of: ${formatsOf(is).join(', ')}.`,
  });
}
