import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { mayHaveFailed, type Result } from '../model/result.ts';
import { inRepository, type ReportOptions } from './options.ts';
import { changeOutcomeWords, outcomeWords, runWords, sentWords } from './result-words.ts';
import { printable } from './safe.ts';
import { actionWords, planCounts, pluralize, riskWords } from './words.ts';

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** What GitHub needs to find a file of the project in its repository. */
type Place = Pick<ReportOptions, 'folder'>;

/** Problems as GitHub workflow commands, which become annotations of the files. */
export function diagnosticsGithub(diagnostics: readonly Diagnostic[], place: Place): string {
  return lines(diagnostics.map((diagnostic) => diagnosticCommand(diagnostic, place)));
}

/** A plan's problems, risks and warnings as annotations, and its counts as a notice. */
export function planGithub(plan: Plan, options: Place): string {
  const risks = plan.changes.flatMap(({ address, action, source, risk, warnings }) => {
    const warn = (label: string, text: string) => {
      const place = source && { file: inRepository(source.file, options), line: source.line };
      return command('warning', { ...place, title: `${label}: ${address}` }, text);
    };
    return [
      ...risk.map((name) => warn(riskWords[name].label, riskWords[name].meaning)),
      ...warnings.map((warning) => warn(actionWords[action], warning)),
    ];
  });
  const title = `tenantctl plan: ${plan.environment}`;
  const counts = command('notice', { title }, `${planCounts(plan.summary)}.`);
  const remarks = plan.diagnostics.map((diagnostic) => diagnosticCommand(diagnostic, options));
  return lines([...remarks, ...risks, counts]);
}

/** The failures and warnings of an apply as annotations, and its outcome as a notice. */
export function resultGithub(result: Result, options: Place): string {
  const failures = result.changes.filter(mayHaveFailed).map(({ address, outcome, error, requests }) => {
    const words = outcomeWords[outcome];
    const text = [error ?? words, ...requests.map(sentWords)].join('\n');
    return command('error', { title: `${words}: ${address}` }, text);
  });
  const warnings = result.changes.flatMap((change) =>
    change.warnings.map((warning) =>
      command('warning', { title: `${changeOutcomeWords(change)}: ${change.address}` }, warning),
    ),
  );
  const { done } = result.summary;
  const title = `tenantctl apply: ${result.environment}`;
  return lines([
    ...(result.diagnostics ?? []).map((diagnostic) => diagnosticCommand(diagnostic, options)),
    ...failures,
    ...warnings,
    command('notice', { title }, `${runWords[result.outcome]}, ${pluralize(done, 'change')} done.`),
  ]);
}

function diagnosticCommand(
  { severity, code, message, source, hint, address }: Diagnostic,
  options: Place,
): string {
  const place = source && { file: inRepository(source.file, options), line: source.line, col: source.column };
  const title = address === undefined ? code : `${code}: ${address}`;
  const text = hint === undefined ? message : `${message}\nhint: ${hint}`;
  return command(commands[severity], { ...place, title }, text);
}

/** `::error file=a.yaml,line=3,title=…::message`. Whatever would end one of its parts is escaped. */
function command(name: string, properties: Readonly<Record<string, string | number>>, text: string): string {
  const listed = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${name} ${listed.join(',')}::${escapeText(text)}`;
}

const escapeText = (text: string): string =>
  printable(text.replaceAll('\r\n', '\n')).replaceAll('%', '%25').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string =>
  escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

const lines = (commands: readonly string[]): string => commands.map((line) => `${line}\n`).join('');
