import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { inRepository, type ReportOptions } from './options.ts';
import { printable, safeJson, uriPath } from './safe.ts';
import { countSeverities } from './words.ts';

/** The format of `validate --format json` and of errors in JSON. */
const diagnosticsFormat = 1;

/** Severities as SARIF calls them. */
const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** A plan or a result as the JSON its schema describes. */
export function json(value: unknown): string {
  return `${safeJson(value)}\n`;
}

/** `{formatVersion, diagnostics, summary: {error, warning, info}}` */
export function diagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  return json({ formatVersion: diagnosticsFormat, diagnostics, summary: countSeverities(diagnostics) });
}

/** The counts of a plan, or of several, that GitLab reads as a Terraform report (`artifacts: reports: terraform`). */
export function planGitlab({ summary }: Pick<Plan, 'summary'>): string {
  return `${JSON.stringify({ create: summary.create, update: summary.update, delete: summary.delete })}\n`;
}

/** Problems as SARIF 2.1.0: one run, a rule for each code, and a region where the place is known. */
export function diagnosticsSarif(
  diagnostics: readonly Diagnostic[],
  options: Pick<ReportOptions, 'folder'>,
): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const run = {
    tool: { driver: { name: 'tenantctl', rules: codes.map((code) => ({ id: code, name: ruleName(code) })) } },
    columnKind: 'utf16CodeUnits',
    results: diagnostics.map((diagnostic) =>
      resultOf(inPlace(diagnostic, options), codes.indexOf(diagnostic.code)),
    ),
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return json(log);
}

/** Code scanning looks for files from the top of the repository. */
function inPlace(diagnostic: Diagnostic, options: Pick<ReportOptions, 'folder'>): Diagnostic {
  const { source } = diagnostic;
  return source
    ? { ...diagnostic, source: { ...source, file: inRepository(source.file, options) } }
    : diagnostic;
}

function resultOf({ code, severity, message, source, hint, address }: Diagnostic, ruleIndex: number) {
  const physical = source && {
    artifactLocation: { uri: uriPath(source.file) },
    region: { startLine: Math.max(1, source.line), startColumn: Math.max(1, source.column) },
  };
  const logical = address === undefined ? undefined : [{ fullyQualifiedName: printable(address) }];
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: plainMessage(text) },
    ...((physical || logical) && { locations: [{ physicalLocation: physical, logicalLocations: logical }] }),
  };
}

/**
 * Text as a plain message of SARIF 2.1.0 (3.11.5, 3.11.6): braces are doubled, since `{0}` is a placeholder, and where brackets
 * could be read as a link, as in `[text](target)`, they are escaped.
 */
function plainMessage(text: string): string {
  const message = printable(text).replace(/[{}]/g, '$&$&');
  return message.includes('](') ? message.replace(/[\\[\]]/g, '\\$&') : message;
}

/** The name of a rule in SARIF's style: `UnknownField` for `unknown-field`. */
function ruleName(code: string): string {
  return code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
