import { hasChanges, isRefused, type Plan } from '../../model/plan.ts';
import type { ReportOptions } from '../options.ts';
import { codeSpan, escapeMarkdown } from '../safe.ts';
import { byKind, changeCounts, noChanges, refused, scopeWords, tenantWords } from '../words.ts';
import { changeSection } from './change.ts';
import { diagnosticItem } from './diagnostics.ts';
import { fitComment, type Section } from './fit.ts';

/** A plan as a comment for a pull request: within GitHub's length, the digest at the very end. */
export function planMarkdown(plan: Plan, options: ReportOptions): string {
  const sections = [...byKind(plan.changes)].flatMap(([kind, group]): Section[] => {
    const heading = `#### ${escapeMarkdown(kind)}: ${changeCounts(group)}\n\n`;
    return [
      { whole: heading, brief: heading },
      ...group.map((change) => changeSection(change, options.sourceUrl)),
    ];
  });
  return fitComment(head(plan), sections, `\nDigest: ${codeSpan(plan.digest)}\n`);
}

function head(plan: Plan): string {
  const limits = scopeWords(plan.scope);
  const where = [codeSpan(tenantWords(plan.tenant)), limits === '' ? '' : `limited by ${codeSpan(limits)}`];
  return [
    `### tenantctl plan: ${escapeMarkdown(plan.environment)}`,
    ...(isRefused(plan) ? [`> [!CAUTION]\n> **${refused}**`] : []),
    where.filter((part) => part !== '').join(' · '),
    hasChanges(plan) ? countTable(plan) : `**${noChanges}**`,
    plan.diagnostics.map(diagnosticItem).join(''),
  ]
    .filter((part) => part !== '')
    .map((part) => `${part.trimEnd()}\n\n`)
    .join('');
}

function countTable({ summary }: Plan): string {
  const cells = [summary.create, summary.update, summary.delete, summary.manual, summary.unchanged];
  return [
    '| to create | to update | to delete | by hand | unchanged |',
    '| :-: | :-: | :-: | :-: | :-: |',
    `| ${cells.map((count) => (count > 0 ? `**${count}**` : '0')).join(' | ')} |`,
  ].join('\n');
}
