import type { Diagnostic } from '../model/diagnostic.ts';
import type { Change, Plan } from '../model/plan.ts';
import type { ChangeResult, Result } from '../model/result.ts';
import { escapeHtml } from './safe.ts';
import { layout } from './text/layout.ts';
import { changeRows } from './text/plan.ts';
import {
  actionWords,
  byKind,
  diagnosticCounts,
  noChanges,
  outcomeWords,
  place,
  pluralize,
  refused,
  sentWords,
} from './words.ts';

interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly file?: string;
  readonly seconds?: number;
  readonly outcome:
    | { readonly is: 'passed'; readonly output: string }
    | {
        readonly is: 'skipped' | 'failure';
        readonly message: string;
        readonly type: string;
        readonly details: string;
      };
}

/** A plan as tests: each object that differs from its manifest is a failure, and each guard that refused it. */
export function planJunit(plan: Plan): string {
  const equal: TestCase = {
    suite: 'tenant',
    name: `${pluralize(plan.summary.unchanged, 'object')} unchanged`,
    outcome: { is: 'passed', output: plan.changes.length === 0 ? noChanges : '' },
  };
  const problems = plan.diagnostics.map(diagnosticCase);
  return document(`tenantctl plan ${plan.environment}`, [
    ...plan.changes.map(changeCase),
    ...problems,
    equal,
  ]);
}

/** An apply as tests: each change that failed, or whose outcome is unknown, is a failure. */
export function resultJunit(result: Result): string {
  const { outcome } = result;
  const run: TestCase = {
    suite: 'run',
    name: `apply to ${result.environment}`,
    outcome:
      outcome === 'refused' || outcome === 'interrupted'
        ? {
            is: 'failure',
            message: outcome === 'refused' ? refused : 'interrupted',
            type: outcome,
            details: '',
          }
        : { is: 'passed', output: '' },
  };
  return document(`tenantctl apply ${result.environment}`, [
    run,
    ...(result.diagnostics ?? []).map(diagnosticCase),
    ...result.changes.map(outcomeCase),
  ]);
}

/** Problems as tests: errors fail, the rest passes with its text as output. */
export function diagnosticsJunit(diagnostics: readonly Diagnostic[]): string {
  const summary: TestCase = {
    suite: 'tenantctl',
    name: 'validate',
    outcome: { is: 'passed', output: diagnosticCounts(diagnostics) },
  };
  return document('tenantctl validate', diagnostics.length > 0 ? diagnostics.map(diagnosticCase) : [summary]);
}

function changeCase(change: Change): TestCase {
  return {
    suite: change.kind,
    name: change.address,
    ...(change.source === null ? {} : { file: change.source.file }),
    outcome: {
      is: 'failure',
      message: `differs: ${actionWords[change.action]}`,
      type: change.action,
      details: layout(changeRows(change, false), { colour: false, width: Number.POSITIVE_INFINITY }),
    },
  };
}

function outcomeCase({ address, action, outcome, error, warnings, requests }: ChangeResult): TestCase {
  const details = [...(error === null ? [] : [error]), ...warnings, ...requests.map(sentWords)].join('\n');
  const message = `${actionWords[action]}: ${outcomeWords[outcome]}`;
  const ms = requests.reduce((sum, request) => sum + request.ms, 0);
  const common = { suite: address.split('/')[0] ?? '', name: address, seconds: ms / 1000 };
  switch (outcome) {
    case 'done':
      return { ...common, outcome: { is: 'passed', output: details } };
    case 'failed':
    case 'unknown':
      return { ...common, outcome: { is: 'failure', message, type: outcome, details } };
    case 'skipped':
    case 'notAttempted':
      return { ...common, outcome: { is: 'skipped', message, type: outcome, details } };
  }
}

function diagnosticCase({ code, severity, message, source, excerpt, hint, address }: Diagnostic): TestCase {
  const details = [message, excerpt, hint].filter((part) => part !== undefined).join('\n');
  const where = source ? place(source) : address;
  return {
    suite: source?.file ?? address ?? 'tenantctl',
    name: where === undefined ? code : `${code} ${where}`,
    ...(source ? { file: source.file } : {}),
    outcome:
      severity === 'error'
        ? { is: 'failure', message, type: code, details }
        : { is: 'passed', output: `${severity}: ${details}` },
  };
}

function document(name: string, cases: readonly TestCase[]): string {
  const suites = [...byKind(cases.map((testCase) => ({ ...testCase, kind: testCase.suite })))];
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
  const count = (is: string): number => cases.filter(({ outcome }) => outcome.is === is).length;
  const seconds = cases.reduce((sum, testCase) => sum + (testCase.seconds ?? 0), 0);
  return `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}" time="${seconds.toFixed(3)}"`;
}

function testCase({ suite, name, file, seconds, outcome }: TestCase): string {
  const at = file === undefined ? '' : ` file="${escapeHtml(file)}"`;
  const open = `    <testcase classname="${escapeHtml(suite)}" name="${escapeHtml(name)}"${at} time="${(seconds ?? 0).toFixed(3)}">`;
  return `${open}${outcomeElement(outcome)}</testcase>`;
}

function outcomeElement(outcome: TestCase['outcome']): string {
  if (outcome.is === 'passed') {
    return outcome.output === '' ? '' : `<system-out>${escapeHtml(outcome.output)}</system-out>`;
  }
  const type = outcome.is === 'failure' ? ` type="${escapeHtml(outcome.type)}"` : '';
  const attributes = `message="${escapeHtml(outcome.message)}"${type}`;
  return `<${outcome.is} ${attributes}>${escapeHtml(outcome.details)}</${outcome.is}>`;
}
