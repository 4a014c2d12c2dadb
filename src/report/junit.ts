import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ChangeOutcome } from '../model/result.ts';
import type { ReportOptions } from './options.ts';
import type { Entry, Page } from './page.ts';
import { outcomeWords } from './result.ts';
import { escapeHtml } from './safe.ts';
import { entryText } from './text.ts';
import { actionWords, joinParts, pluralize, whereOf } from './words.ts';

interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly file?: string;
  readonly seconds?: number;
  readonly is: 'passed' | 'skipped' | 'failure';
  readonly details: string;
  /** Not shown where the test passes. */
  readonly message: string;
  readonly type: string;
}

const fates: Readonly<Record<ChangeOutcome, TestCase['is']>> = {
  done: 'passed',
  failed: 'failure',
  unknown: 'failure',
  skipped: 'skipped',
  notAttempted: 'skipped',
};

/** A plan or an apply as tests, a suite for each environment: differences, failed changes and problems fail. */
export function writeJunit(page: Page, options: ReportOptions): string {
  if (page.is !== 'fleet') return document(`tenantctl ${page.command} ${page.name}`, casesOf(page, options));
  const cases = page.members().flatMap((member) =>
    casesOf(member, options).map((each) => {
      return { ...each, suite: member.name, name: `${each.suite}: ${each.name}` };
    }),
  );
  return document('tenantctl environments', cases);
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
    is: hasStopped ? 'failure' : 'passed',
    message: alarm ?? '',
    type: command,
    details: verdict?.words ?? '',
  };
  return [...cases, run];
}

function entryCase(entry: Entry, verbose: boolean): TestCase {
  const { kind, address, source, outcome, seconds, words, action, notices, sent } = entry;
  const details = [...notices.map(({ text }) => text), ...sent].join('\n');
  return {
    suite: kind,
    name: address,
    ...(source === null ? {} : { file: source.file }),
    seconds,
    is: outcome === null ? 'failure' : fates[outcome],
    message: outcome === null ? `differs: ${words}` : `${actionWords[action]}: ${outcomeWords[outcome]}`,
    type: outcome ?? action,
    details: outcome === null ? entryText(entry, verbose) : details,
  };
}

function diagnosticCase(diagnostic: Diagnostic): TestCase {
  const { code, severity, message, source, excerpt, hint, address } = diagnostic;
  const details = joinParts([message, excerpt, hint], '\n');
  const isError = severity === 'error';
  return {
    suite: source?.file ?? address ?? 'tenantctl',
    name: joinParts([code, whereOf(diagnostic)], ' '),
    ...(source ? { file: source.file } : {}),
    // What an interrupted run had not begun has not failed.
    is: code === 'not-run' ? 'skipped' : isError ? 'failure' : 'passed',
    message,
    type: code,
    details: isError ? details : `${severity}: ${details}`,
  };
}
function document(name: string, cases: readonly TestCase[]): string {
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
  const count = (is: string): number => cases.filter((testCase) => testCase.is === is).length;
  const seconds = cases.reduce((sum, testCase) => sum + (testCase.seconds ?? 0), 0);
  return `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}" time="${seconds.toFixed(3)}"`;
}

function testCase(testCase: TestCase): string {
  const { suite, name, file, seconds } = testCase;
  const at = file === undefined ? '' : ` file="${escapeHtml(file)}"`;
  const open = `    <testcase classname="${escapeHtml(suite)}" name="${escapeHtml(name)}"${at} time="${(seconds ?? 0).toFixed(3)}">`;
  return `${open}${outcomeElement(testCase)}</testcase>`;
}

function outcomeElement({ is, message, type, details }: TestCase): string {
  if (is === 'passed') return details === '' ? '' : `<system-out>${escapeHtml(details)}</system-out>`;
  const failureType = is === 'failure' ? ` type="${escapeHtml(type)}"` : '';
  return `<${is} message="${escapeHtml(message)}"${failureType}>${escapeHtml(details)}</${is}>`;
}
