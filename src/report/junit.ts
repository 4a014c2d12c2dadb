import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Diff, differs } from '../model/diff.ts';
import { type Fleet, type FleetError, type FleetMember, isNotRun } from '../model/fleet.ts';
import { type Change, hasChanges, type Plan } from '../model/plan.ts';
import type { ChangeOutcome, ChangeResult, Result } from '../model/result.ts';
import { noDifferences, whereWords } from './diff-view.ts';
import { pathWords } from './difference.ts';
import type { ReportOptions } from './options.ts';
import { outcomeWords, sentWords } from './result-words.ts';
import { escapeHtml } from './safe.ts';
import { objectRows } from './text/diff.ts';
import { layout } from './text/layout.ts';
import { changeRows } from './text/plan.ts';
import { actionWords, diagnosticCounts, kindOf, noChanges, pluralize, refused, whereOf } from './words.ts';

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

/** Viewers of test reports wrap long lines themselves. */
const unlimited = { colour: false, width: Number.POSITIVE_INFINITY };

const passed = { is: 'passed', message: '', type: '', details: '' } as const;

/** A plan as tests: each object that differs from its manifest is a failure, and each guard that refused it. */
export function planJunit(plan: Plan, options: ReportOptions): string {
  return document(`tenantctl plan ${plan.environment}`, planCases(plan, options));
}

function planCases(plan: Plan, options: ReportOptions): TestCase[] {
  const equal: TestCase = {
    suite: 'tenant',
    name: `${pluralize(plan.summary.unchanged, 'object')} unchanged`,
    ...passed,
    details: hasChanges(plan) ? '' : noChanges(plan),
  };
  const changes = plan.changes.map((change) => changeCase(change, options));
  return [...changes, ...plan.diagnostics.map(diagnosticCase), equal];
}

/** An apply as tests: each change that failed, or whose outcome is unknown, is a failure. */
export function resultJunit(result: Result): string {
  return document(`tenantctl apply ${result.environment}`, resultCases(result));
}

function resultCases(result: Result): TestCase[] {
  const { outcome } = result;
  const run: TestCase = { suite: 'run', name: `apply to ${result.environment}`, ...passed };
  const message = outcome === 'refused' ? refused : 'interrupted';
  const isOver = outcome === 'done' || outcome === 'partial';
  return [
    isOver ? run : { ...run, is: 'failure', message, type: outcome },
    ...(result.diagnostics ?? []).map(diagnosticCase),
    ...result.changes.map(outcomeCase),
  ];
}

/** The plans or results of several environments as tests: a suite for each environment. */
export function fleetJunit({ environments }: Fleet, options: ReportOptions): string {
  const cases = environments.flatMap((member) =>
    memberCases(member, options).map((each) => ({
      ...each,
      suite: member.name,
      name: `${each.suite}: ${each.name}`,
    })),
  );
  return document('tenantctl environments', cases);
}

function memberCases({ plan, result, error }: FleetMember, options: ReportOptions): TestCase[] {
  if (error) return errorCases(error);
  if (result) return resultCases(result);
  return plan ? planCases(plan, options) : [];
}

/** An environment that was not run has not failed. */
function errorCases(error: FleetError): TestCase[] {
  const is = isNotRun({ error }) ? 'skipped' : 'failure';
  return error.diagnostics.map((diagnostic) => ({ ...diagnosticCase(diagnostic), is }));
}

/** A diff as tests: each object that differs, or that one side does not have, is a failure. */
export function diffJunit(diff: Diff, { verbose = false }: ReportOptions): string {
  const [first, second] = diff.sides;
  const equal: TestCase = {
    suite: 'sides',
    name: `${pluralize(diff.summary.equal, 'object')} equal`,
    ...passed,
    details: differs(diff) ? '' : noDifferences(diff),
  };
  const { notComparable } = diff;
  const unknown: TestCase = {
    suite: 'sides',
    name: `${pluralize(notComparable.length, 'object')} with values that are not comparable`,
    ...passed,
    details: notComparable
      .map(({ address, paths }) => `${address}: ${paths.map(pathWords).join(', ')}`)
      .join('\n'),
  };
  const cases = diff.objects.map((object): TestCase => {
    const rows = layout(objectRows(object, diff, verbose), unlimited);
    return {
      suite: object.kind,
      name: object.address,
      ...(object.source === null ? {} : { file: object.source.file }),
      is: 'failure',
      message: whereWords(object, diff),
      type: object.in,
      details: object.in === 'both' ? rows : '',
    };
  });
  return document(`tenantctl diff ${first.name} ${second.name}`, [
    ...cases,
    ...diff.diagnostics.map(diagnosticCase),
    ...(notComparable.length === 0 ? [] : [unknown]),
    equal,
  ]);
}

/** Problems as tests: errors fail, the rest passes with its text as output. */
export function diagnosticsJunit(diagnostics: readonly Diagnostic[]): string {
  const details = diagnosticCounts(diagnostics);
  const summary: TestCase = { suite: 'tenantctl', name: 'validate', ...passed, details };
  return document('tenantctl validate', diagnostics.length > 0 ? diagnostics.map(diagnosticCase) : [summary]);
}

function changeCase(change: Change, { verbose = false }: ReportOptions): TestCase {
  return {
    suite: change.kind,
    name: change.address,
    ...(change.source === null ? {} : { file: change.source.file }),
    is: 'failure',
    message: `differs: ${actionWords[change.action]}`,
    type: change.action,
    details: layout(changeRows(change, verbose), unlimited),
  };
}

const fates: Readonly<Record<ChangeOutcome, TestCase['is']>> = {
  done: 'passed',
  failed: 'failure',
  unknown: 'failure',
  skipped: 'skipped',
  notAttempted: 'skipped',
};

function outcomeCase(change: ChangeResult): TestCase {
  const { address, action, outcome, error, warnings, requests } = change;
  return {
    suite: kindOf(change),
    name: address,
    seconds: requests.reduce((sum, request) => sum + request.ms, 0) / 1000,
    is: fates[outcome],
    message: `${actionWords[action]}: ${outcomeWords[outcome]}`,
    type: outcome,
    details: [...(error === null ? [] : [error]), ...warnings, ...requests.map(sentWords)].join('\n'),
  };
}

function diagnosticCase(diagnostic: Diagnostic): TestCase {
  const { code, severity, message, source, excerpt, hint, address } = diagnostic;
  const details = [message, excerpt, hint].filter((part) => part !== undefined).join('\n');
  const where = whereOf(diagnostic);
  const isError = severity === 'error';
  return {
    suite: source?.file ?? address ?? 'tenantctl',
    name: where === undefined ? code : `${code} ${where}`,
    ...(source ? { file: source.file } : {}),
    is: isError ? 'failure' : 'passed',
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
