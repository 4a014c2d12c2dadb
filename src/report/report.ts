import { lazy } from '../model/basics.ts';
import { type Failure, fail } from '../model/failure.ts';
import { pointer, segmentsOf } from '../model/pointer.ts';
import { diffPage } from './diff.ts';
import { fleetPage } from './fleet.ts';
import {
  type Document,
  diagnosticsPage,
  type Page,
  type Redact,
  type ReportContext,
  type ReportView,
} from './page.ts';
import { planPage } from './plan.ts';
import { resultPage } from './result.ts';
import { json } from './safe.ts';
import { writeText } from './text.ts';
import { countSeverities } from './words.ts';

export type { Document, ReportOptions } from './page.ts';

/** Not every document has each of them. Formats that programs read are made of the document itself. */
export type Format = 'text' | 'json' | 'markdown' | 'html' | 'junit' | 'github' | 'gitlab' | 'sarif';

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

/** @param wanted a format, or a file in quotes */
export function unsupportedFormat(wanted: string, is: Document['is'], choices: readonly string[]): Failure {
  return fail('unsupported-format', `${known[is].name} cannot be written as ${wanted}.`, {
    hint: `Use one of: ${choices.join(', ')}.`,
  });
}

/**
 * A document for several formats: secrets are removed once, and its page is computed once.
 *
 * @returns a function that takes the writer of the format, unless it is text or made of the document itself
 */
export function prepareReport(document: Document, { redact, ...context }: ReportContext) {
  const clean = lazy(() => {
    const told = { document, said: context };
    return redact ? redactDocument(told, redact) : told;
  });
  const page = lazy(() => pageOf(clean().document, clean().said));
  return (format: Format, view: ReportView, writePage = writeText): string => {
    const { formats } = known[document.is];
    if (!formats.includes(format)) throw unsupportedFormat(format, document.is, formats);
    if (format === 'gitlab') return gitlabOf(document);
    // A later command reads plans and results as JSON again: they hold no secrets, and stay as they are.
    if (format === 'json') return json(jsonOf(document.is === 'diagnostics' ? clean().document : document));
    const { document: shown, said } = clean();
    // Which diagnostics count depends on the view.
    const shownPage = shown.is === 'diagnostics' ? diagnosticsPage(shown.diagnostics, view) : page();
    return writePage(shownPage, { ...view, ...said });
  };
}

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
      return { formatVersion: 1, diagnostics, summary: countSeverities(diagnostics) };
    }
  }
}

/** The counts that GitLab reads as a Terraform report (`artifacts: reports: terraform`). */
function gitlabOf(document: Document): string {
  if (document.is !== 'plan' && document.is !== 'fleet') return '';
  const { summary } = document.is === 'plan' ? document.plan : document.fleet;
  const { create, update, delete: gone } = summary;
  return `${JSON.stringify({ create, update, delete: gone })}\n`;
}

/** Members whose values are words of this program, or made by it. All others may hold text of a tenant or file. */
const ownWords = new Set(
  'action checkedAt code createdAt digest endedAt fingerprint in is kind kinds method modified op origin outcome planDigest risk rules severity startedAt state template tool type verification'.split(
    ' ',
  ),
);
/** Members that hold values of a tenant or of a manifest: their names and numbers may be secrets too. */
const values = new Set('body context declared headers lookups members named profiles query'.split(' '));
const sides = new Set('after base before'.split(' '));
const byAddress = new Set('desired proven rendered'.split(' '));
const addresses = new Set('address undeclared'.split(' '));
const pointers = new Set('beside path paths secrets unmet withheld'.split(' '));

/**
 * A document, or what a report shows beside it, without secrets: one walk by member name that redacts everything but known words
 * of this program. Reports are made from redacted data: escaping or wrapping a text may change a secret in it, and the script of
 * a page may contain one by chance.
 */
export function redactDocument<T>(document: T, redact: Redact): T;
export function redactDocument(document: unknown, redact: Redact): unknown {
  // Plans hold the same texts many times: before, after and in requests.
  const known = new Map<string, string>();
  return walk(document, '', (text) => {
    const clean = known.get(text) ?? redact(text);
    known.set(text, clean);
    return clean;
  });
}

/** @param name of the member, or of the list, that holds the value */
function walk(value: unknown, name: string, redact: Redact): unknown {
  if (ownWords.has(name)) return value;
  if (typeof value === 'string') {
    if (addresses.has(name)) return redactAddress(value, redact);
    // Part by part, since a pointer has escapes of its own.
    return pointers.has(name) ? pointer(...segmentsOf(value).map(redact)) : redact(value);
  }
  if (Array.isArray(value)) return value.map((item) => walk(item, name, redact));
  if (typeof value !== 'object' || value === null) return value;
  // Elsewhere, before and after are numbers, or the sides of a rendered template.
  const hasValues = 'op' in value || 'outcome' in value;
  const isRequest = 'method' in value;
  const members = Object.entries(value).map(([member, item]) => {
    const isValue = values.has(member) || (hasValues && sides.has(member));
    if (isValue) return [member, redactValue(item, redact)];
    const key = byAddress.has(name) ? redactAddress(member, redact) : member;
    return [key, walk(item, isRequest && member === 'path' ? '' : member, redact)];
  });
  return Object.fromEntries(members);
}

/** The name of the kind is a word of the program. */
function redactAddress(address: string, redact: Redact): string {
  const [kind = '', ...key] = address.split('/');
  return key.length === 0 ? redact(address) : [kind, ...key.map(redact)].join('/');
}

/** A value without secrets in its texts, numbers and names of members. */
export function redactValue<T>(value: T, redact: Redact): T;
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number')
    return redact(String(value)) === String(value) ? value : redact(String(value));
  if (Array.isArray(value)) return value.map((item) => redactValue<unknown>(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, item]) => [
    redact(name),
    redactValue<unknown>(item, redact),
  ]);
  return Object.fromEntries(members);
}
