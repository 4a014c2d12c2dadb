import { actions, isRefused, type Plan } from '../../model/plan.ts';
import type { ReportOptions } from '../options.ts';
import { actionWords, byKind, changeCounts, noChanges, refused, scopeWords, tenantWords } from '../words.ts';
import { changeEntry } from './change.ts';
import { shell } from './shell.ts';

/** Up to this many changes are expanded from the start. */
const maxOpen = 8;

/** A plan as one self-contained page. */
export function planHtml(plan: Plan, options: ReportOptions): string {
  const isOpen = plan.changes.length <= maxOpen;
  const scope = scopeWords(plan.scope);
  return shell({
    eyebrow: 'tenantctl plan',
    title: plan.environment,
    subtitle: tenantWords(plan.tenant),
    alarm: isRefused(plan) ? refused : null,
    empty: noChanges,
    tiles: [
      ...actions.map((action) => ({
        category: action,
        count: plan.summary[action],
        words: actionWords[action],
      })),
      { category: null, count: plan.summary.unchanged, words: 'unchanged' },
    ],
    diagnostics: plan.diagnostics,
    groups: [...byKind(plan.changes)].map(([name, group]) => ({
      name,
      words: changeCounts(group),
      entries: group.map((change) => changeEntry(change, isOpen, options)),
    })),
    facts: [
      ['Digest', plan.digest],
      ['Created', plan.createdAt],
      ...(scope === '' ? [] : [['Limited by', scope] as const]),
      ['Tool', `${plan.tool.name} ${plan.tool.version}`],
    ],
    hasFrames: plan.changes.some(
      ({ address }) => options.rendered && Object.hasOwn(options.rendered, address),
    ),
  });
}
