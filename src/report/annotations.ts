import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { ReportOptions } from './options.ts';
import type { Entry, Notice, Page } from './page.ts';
import { printable, safeJson, uriPath } from './safe.ts';
import { countWords, joinParts } from './words.ts';

type Folder = Pick<ReportOptions, 'folder'>;

/** A file of the project as a path from the top of its repository. */
const inRepository = (file: string, { folder = '' }: Folder): string => `${folder}${file}`;

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };
const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** Problems, and what a reader should notice of each entry, as GitHub workflow commands; the counts as a notice. */
export function writeGithub(page: Page, options: Folder): string {
  const { command, name, label, counts, problems, remarks, groups } = page;
  const title = `tenantctl ${command}: ${name}`;
  const lines = [
    ...[...problems.flatMap(({ items }) => items), ...remarks].map((each) =>
      diagnosticCommand(each, options),
    ),
    ...groups.flatMap(({ entries }) => entries.flatMap((entry) => entryCommands(entry, options))),
    ...(label === null ? [] : [workflowCommand('notice', { title }, `${label}: ${countWords(counts)}.`)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function entryCommands(entry: Entry, options: Folder): string[] {
  const { address, words, source, isFailure, notices, sent } = entry;
  const place = source && { file: inRepository(source.file, options), line: source.line };
  const failures = isFailure ? [[...notices.filter(isErrorNotice).map(({ text }) => text), ...sent]] : [];
  return [
    ...failures.map((lines) =>
      workflowCommand('error', { ...place, title: `${words}: ${address}` }, lines.join('\n') || words),
    ),
    ...notices
      .filter((notice) => !isErrorNotice(notice))
      .map(({ label, text }) =>
        workflowCommand('warning', { ...place, title: `${label ?? words}: ${address}` }, text),
      ),
  ];
}

const isErrorNotice = ({ is }: Notice) => is === 'error';

function diagnosticCommand(
  { severity, code, message, source, hint, address }: Diagnostic,
  options: Folder,
): string {
  const place = source && { file: inRepository(source.file, options), line: source.line, col: source.column };
  const title = joinParts([code, address], ': ');
  const text = joinParts([message, hint && `hint: ${hint}`], '\n');
  return workflowCommand(commands[severity], { ...place, title }, text);
}

/** `::error file=a.yaml,line=3,title=…::message`. Whatever would end one of its parts is escaped. */
function workflowCommand(
  name: string,
  properties: Readonly<Record<string, string | number>>,
  text: string,
): string {
  const listed = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${name} ${listed.join(',')}::${escapeText(text)}`;
}

const escapeText = (text: string): string =>
  printable(text.replaceAll('\r\n', '\n')).replaceAll('%', '%25').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string =>
  escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Problems as SARIF 2.1.0: one run, a rule for each code, and a region where the place is known. */
export function writeSarif({ problems }: Page, options: Folder): string {
  const diagnostics = problems.flatMap(({ items }) => items);
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const run = {
    tool: { driver: { name: 'tenantctl', rules: codes.map((code) => ({ id: code, name: ruleName(code) })) } },
    columnKind: 'utf16CodeUnits',
    results: diagnostics.map((diagnostic) =>
      sarifResult(diagnostic, codes.indexOf(diagnostic.code), options),
    ),
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${safeJson(log)}\n`;
}

function sarifResult(
  { code, severity, message, source, hint, address }: Diagnostic,
  ruleIndex: number,
  options: Folder,
) {
  const physical = source && {
    // Code scanning looks for files from the top of the repository.
    artifactLocation: { uri: uriPath(inRepository(source.file, options)) },
    region: { startLine: Math.max(1, source.line), startColumn: Math.max(1, source.column) },
  };
  const logical = address === undefined ? undefined : [{ fullyQualifiedName: printable(address) }];
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: plainMessage(joinParts([message, hint], '\n')) },
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

function ruleName(code: string): string {
  return code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
