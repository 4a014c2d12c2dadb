/** The writers of all formats that are made of a page; those for CI systems, GitHub, SARIF and JUnit, are here. */
import { groupBy } from '../model/basics.ts';
import type { Diagnostic, Severity } from '../model/failure.ts';
import { writeHtml } from './html/page.ts';
import { layout } from './layout.ts';
import { writeMarkdown } from './markdown.ts';
import type { Document, Entry, Page, ReportOptions } from './page.ts';
import { type Format, prepareReport } from './report.ts';
import { entryRows } from './rows.ts';
import { escapeHtml, json, printable, uriPath } from './safe.ts';
import { writeText } from './text.ts';
import { actionWords, countWords, joinParts, outcomeWords, pluralize, readable, whereOf } from './words.ts';

export const writers = {
  text: writeText,
  markdown: writeMarkdown,
  html: writeHtml,
  junit: writeJunit,
  github: writeGithub,
  sarif: writeSarif,
} satisfies Record<Exclude<Format, 'json' | 'gitlab'>, typeof writeText>;

/**
 * A document in a format, in whole lines: a pure function of its arguments, safe to print whatever the document holds.
 * Throws a Failure (`unsupported-format`) if the format does not exist for the document.
 */
export function renderReport(
  document: Document,
  format: Format,
  options: ReportOptions = { colour: false, width: 100 },
): string {
  const writePage = format === 'json' || format === 'gitlab' ? undefined : writers[format];
  return prepareReport(document, options)(format, options, writePage);
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };
const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** Problems, and what a reader should notice of each entry, as GitHub workflow commands; the counts as a notice. */
function writeGithub(page: Page, { folder = '' }: ReportOptions): string {
  const { command, name, label, counts, problems, remarks, groups } = page;
  const diagnostics = [...problems.flatMap(({ items }) => items), ...remarks];
  const title = `tenantctl ${command}: ${name}`;
  const lines = [
    ...diagnostics.map(({ severity, code, message, source, hint, address }) => {
      const place = source && { file: folder + source.file, line: source.line, col: source.column };
      const text = joinParts([message, hint && `hint: ${hint}`], '\n');
      const title = joinParts([code, address && readable(address)], ': ');
      return workflowCommand(commands[severity], { ...place, title }, text);
    }),
    ...groups.flatMap(({ entries }) => entries.flatMap((entry) => entryCommands(entry, folder))),
    ...(label === null ? [] : [workflowCommand('notice', { title }, `${label}: ${countWords(counts)}.`)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function entryCommands(entry: Entry, folder: string): string[] {
  const { words, source, isFailure, notices, sent } = entry;
  const address = readable(entry.address);
  const place = source && { file: folder + source.file, line: source.line };
  const errors = notices.filter(({ is }) => is === 'error').map(({ text }) => text);
  const failure = [...errors, ...sent].join('\n') || words;
  return [
    ...(isFailure ? [workflowCommand('error', { ...place, title: `${words}: ${address}` }, failure)] : []),
    ...notices
      .filter(({ is }) => is !== 'error')
      .map(({ label, text }) =>
        workflowCommand('warning', { ...place, title: `${label ?? words}: ${address}` }, text),
      ),
  ];
}

/** `::error file=a.yaml,line=3,title=…::message`. Delimiters inside its parts are escaped. */
function workflowCommand(name: string, properties: Readonly<Record<string, string | number>>, text: string) {
  const escaped = (part: string) =>
    printable(part.replaceAll('\r\n', '\n')).replaceAll('%', '%25').replaceAll('\n', '%0A');
  const listed = Object.entries(properties).map(
    ([key, value]) => `${key}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${name} ${listed.join(',')}::${escaped(text)}`;
}

/** Problems as SARIF 2.1.0: one run, a rule for each code, and a region if the place is known. */
function writeSarif({ problems }: Page, { folder = '' }: ReportOptions): string {
  const diagnostics = problems.flatMap(({ items }) => items);
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const rules = codes.map((code) => {
    const words = code.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    return { id: code, name: words.join('') };
  });
  const run = {
    tool: { driver: { name: 'tenantctl', rules } },
    columnKind: 'utf16CodeUnits',
    results: diagnostics.map((each) => ({
      ruleId: each.code,
      ruleIndex: codes.indexOf(each.code),
      ...sarifResult(each, folder),
    })),
  };
  return json({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] });
}

function sarifResult({ severity, message, source, hint, address }: Diagnostic, folder: string) {
  const physical = source && {
    // Code scanning looks for files from the top of the repository.
    artifactLocation: { uri: uriPath(folder + source.file) },
    region: { startLine: source.line, startColumn: source.column },
  };
  const logical = address === undefined ? undefined : [{ fullyQualifiedName: printable(address) }];
  // A plain message (3.11.5, 3.11.6): braces are doubled, since `{0}` is a placeholder, and if brackets could be read as a
  // link, as in `[text](target)`, they are escaped.
  const said = printable(joinParts([message, hint], '\n')).replace(/[{}]/g, '$&$&');
  return {
    level: levels[severity],
    message: { text: said.includes('](') ? said.replace(/[\\[\]]/g, '\\$&') : said },
    ...((physical || logical) && { locations: [{ physicalLocation: physical, logicalLocations: logical }] }),
  };
}

interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly file: string | undefined;
  readonly seconds: number;
  readonly is: 'passed' | 'skipped' | 'failure';
  readonly details: string;
  /** Not shown if the test passes. */
  readonly message: string;
  readonly type: string;
}

/** A plan or an apply as tests, a suite for each environment: differences, failed changes and problems fail. */
function writeJunit(page: Page, options: ReportOptions): string {
  if (!page.members) return testSuites(`tenantctl ${page.command} ${page.name}`, casesOf(page, options));
  const cases = page.members().flatMap((member) =>
    casesOf(member, options).map((each) => {
      return { ...each, suite: member.name, name: `${each.suite}: ${each.name}` };
    }),
  );
  return testSuites('tenantctl environments', cases);
}

function casesOf(page: Page, { verbose = false }: ReportOptions): TestCase[] {
  const { is, command, name, alarm, verdict, counts, problems, remarks, groups } = page;
  const diagnostics = [...problems.flatMap(({ items }) => items), ...remarks];
  const cases = [
    ...groups.flatMap(({ entries }) => entries.map((each) => entryCase(each, verbose))),
    ...diagnostics.map(diagnosticCase),
  ];
  if (is === 'diagnostics') return cases;
  const equal = counts.find(({ words }) => words === 'unchanged');
  const hasStopped = alarm !== null && cases.every((each) => each.is !== 'failure');
  const run: TestCase = {
    suite: is === 'plan' ? 'tenant' : 'run',
    name: equal ? `${pluralize(equal.count, 'object')} unchanged` : `apply to ${name}`,
    file: undefined,
    seconds: 0,
    is: hasStopped ? 'failure' : 'passed',
    message: alarm ?? '',
    type: command,
    details: verdict?.words ?? '',
  };
  return [...cases, run];
}

/** Viewers of test reports wrap long lines. */
const plainText = { colour: false, width: Number.POSITIVE_INFINITY };

function entryCase(entry: Entry, verbose: boolean): TestCase {
  const { kind, address, source, outcome, isFailure, seconds, words, action, notices, sent } = entry;
  const details = [...notices.map(({ text }) => text), ...sent].join('\n');
  return {
    suite: kind,
    name: readable(address),
    file: source?.file,
    seconds,
    is: outcome === null || isFailure ? 'failure' : outcome === 'done' ? 'passed' : 'skipped',
    message: outcome === null ? `differs: ${words}` : `${actionWords[action]}: ${outcomeWords[outcome]}`,
    type: outcome ?? action,
    details: outcome === null ? layout(entryRows([entry], verbose), plainText) : details,
  };
}

function diagnosticCase(diagnostic: Diagnostic): TestCase {
  const { code, severity, message, source, excerpt, hint, address } = diagnostic;
  const details = joinParts([message, excerpt, hint], '\n');
  const isError = severity === 'error';
  return {
    suite: source?.file ?? address ?? 'tenantctl',
    name: joinParts([code, whereOf(diagnostic)], ' '),
    file: source?.file,
    seconds: 0,
    // Environments that an interrupted run did not begin have not failed.
    is: code === 'not-run' ? 'skipped' : isError ? 'failure' : 'passed',
    message,
    type: code,
    details: isError ? details : `${severity}: ${details}`,
  };
}

function testSuites(name: string, cases: readonly TestCase[]): string {
  const suites = groupBy(cases, ({ suite }) => suite);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeHtml(name)}" ${counts(cases)}>`,
    ...suites.map(
      ([suite, group]) =>
        `  <testsuite name="${escapeHtml(suite)}" ${counts(group)}>\n${group.map(testCase).join('\n')}\n  </testsuite>`,
    ),
    '</testsuites>\n',
  ].join('\n');
}

function counts(cases: readonly TestCase[]): string {
  const count = (is: TestCase['is']) => cases.filter((each) => each.is === is).length;
  const seconds = cases.reduce((sum, each) => sum + each.seconds, 0);
  return `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}" time="${seconds.toFixed(3)}"`;
}

function testCase({ suite, name, file, seconds, is, message, type, details }: TestCase): string {
  const at = file === undefined ? '' : ` file="${escapeHtml(file)}"`;
  const open = `    <testcase classname="${escapeHtml(suite)}" name="${escapeHtml(name)}"${at} time="${seconds.toFixed(3)}">`;
  const said = escapeHtml(details);
  if (is === 'passed') return `${open}${said === '' ? '' : `<system-out>${said}</system-out>`}</testcase>`;
  const failureType = is === 'failure' ? ` type="${escapeHtml(type)}"` : '';
  return `${open}<${is} message="${escapeHtml(message)}"${failureType}>${said}</${is}></testcase>`;
}
