import { hasChanges, type Plan } from '../../model/plan.ts';
import type { ReportOptions } from '../options.ts';
import { byKind, changeCounts, noChanges, planCounts, refused, scopeWords, tenantWords } from '../words.ts';
import { changeRows } from './change.ts';
import { diagnosticRows } from './diagnostics.ts';
import { blank, layout, type Row, row, span } from './layout.ts';

/** A plan for the terminal: changes by kind, what stands against them, and a summary at the end. */
export function planText(plan: Plan, options: ReportOptions): string {
  const verbose = options.verbose ?? false;
  const guards = plan.diagnostics.filter(({ severity }) => severity === 'error');
  const remarks = plan.diagnostics.filter(({ severity }) => severity !== 'error');
  const rows = [
    ...headRows(plan),
    ...refusalRows(guards, options),
    ...groupRows(plan, verbose),
    ...diagnosticRows(remarks, options),
    ...refusalRows(guards, options),
    ...footRows(plan),
  ];
  return layout(rows, options);
}

function headRows({ environment, tenant, scope }: Plan): Row[] {
  const limits = scopeWords(scope);
  return [
    row(0, span(`Plan for ${environment}`, 'bold'), span(`  ${tenantWords(tenant)}`, 'dim')),
    ...(limits === '' ? [] : [row(0, span(`limited by ${limits}`, 'dim'))]),
    blank,
  ];
}

function refusalRows(guards: Plan['diagnostics'], options: ReportOptions): Row[] {
  if (guards.length === 0) return [];
  return [row(0, span('✖ ', 'red'), span(refused, 'red', 'bold')), blank, ...diagnosticRows(guards, options)];
}

function groupRows({ changes }: Plan, verbose: boolean): Row[] {
  return [...byKind(changes)].flatMap(([kind, group]) => [
    row(0, span(kind, 'bold'), span(`  ${changeCounts(group)}`, 'dim')),
    blank,
    ...group.flatMap((change) => [...changeRows(change, verbose), blank]),
  ]);
}

function footRows(plan: Plan): Row[] {
  const digest = row(0, span(`Digest: ${plan.digest}`, 'dim'));
  if (!hasChanges(plan)) return [row(0, span(noChanges, 'green', 'bold')), digest];
  return [row(0, span('Plan: ', 'bold'), span(`${planCounts(plan.summary)}.`, 'bold')), digest];
}
