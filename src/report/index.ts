import { failure } from '../model/failure.ts';
import { diagnosticsGithub, planGithub, resultGithub } from './github.ts';
import { planHtml } from './html/plan-page.ts';
import { resultHtml } from './html/result-page.ts';
import { diagnosticsJson, json, planGitlab } from './json-output.ts';
import { diagnosticsJunit, planJunit, resultJunit } from './junit.ts';
import { diagnosticsMarkdown, planMarkdown, resultMarkdown } from './markdown.ts';
import { type Document, type Format, formats, type ReportOptions } from './options.ts';
import { diagnosticsSarif } from './sarif.ts';
import { diagnosticsText } from './text/diagnostics.ts';
import { planText } from './text/plan.ts';
import { resultText } from './text/result.ts';

export type { Document, Format, ReportOptions } from './options.ts';
export { renderRequests } from './text/dry-run.ts';

type Renderers<T> = Readonly<Partial<Record<Format, (value: T, options: ReportOptions) => string>>>;
type Plan = Extract<Document, { is: 'plan' }>['plan'];
type Result = Extract<Document, { is: 'result' }>['result'];
type Diagnostics = Extract<Document, { is: 'diagnostics' }>['diagnostics'];

const ofPlan = {
  text: planText,
  json,
  markdown: planMarkdown,
  html: planHtml,
  junit: planJunit,
  github: planGithub,
  sarif: ({ diagnostics }) => diagnosticsSarif(diagnostics),
  gitlab: planGitlab,
} satisfies Renderers<Plan>;

const ofResult = {
  text: resultText,
  json,
  markdown: resultMarkdown,
  html: resultHtml,
  junit: resultJunit,
  github: resultGithub,
} satisfies Renderers<Result>;

const ofDiagnostics = {
  text: diagnosticsText,
  json: diagnosticsJson,
  markdown: diagnosticsMarkdown,
  junit: diagnosticsJunit,
  github: diagnosticsGithub,
  sarif: diagnosticsSarif,
} satisfies Renderers<Diagnostics>;

const renderers = { plan: ofPlan, result: ofResult, diagnostics: ofDiagnostics } satisfies Record<
  Document['is'],
  object
>;

/** The formats that exist for a kind of document. */
export function formatsOf(is: Document['is']): Format[] {
  const known: object = renderers[is];
  return formats.filter((format) => Object.hasOwn(known, format));
}

/**
 * A document in a format: a pure function of its arguments, safe to print whatever the document holds.
 * Throws a Failure (`unsupported-format`) where the format does not exist for the document.
 */
export function renderReport(
  document: Document,
  format: Format,
  options: ReportOptions = { colour: false, width: 100 },
): string {
  switch (document.is) {
    case 'plan':
      return rendererOf<Plan>(ofPlan, format, document.is)(document.plan, options);
    case 'result':
      return rendererOf<Result>(ofResult, format, document.is)(document.result, options);
    case 'diagnostics':
      return rendererOf<Diagnostics>(ofDiagnostics, format, document.is)(document.diagnostics, options);
  }
}

function rendererOf<T>(known: Renderers<T>, format: Format, is: Document['is']) {
  const found = known[format];
  if (found) return found;
  throw failure('unsupported-format', `There is no ${format} report of a ${is}.`, {
    hint: `Use one of: ${formatsOf(is).join(', ')}.`,
  });
}
