import type { Change, Difference, Plan } from '../generated/schemas/plan.ts';
import { hasErrors } from './diagnostic.ts';
import { secretNamesIn } from './marker.ts';

export type { Change, Difference, Moved, Plan, Request } from '../generated/schemas/plan.ts';

export const planFormat = 2;

export type Action = Change['action'];
export const actions = ['create', 'update', 'delete', 'manual'] as const satisfies readonly Action[];

export type Origin = NonNullable<Difference['origin']>;

/** What a reviewer should notice apart from the fields. */
export type Risk = Change['risk'][number];

/** How many profiles a changed search finds before and after, or why it was not run. */
export type Impact = NonNullable<Change['impact']>;
export type Scope = Plan['scope'];

export type Summary = Plan['summary'];

export function isRefused(plan: Pick<Plan, 'diagnostics'>): boolean {
  return hasErrors(plan.diagnostics);
}

export function hasChanges(plan: Pick<Plan, 'changes'>): boolean {
  return plan.changes.length > 0;
}

export function isReplacement({ risk }: Pick<Change, 'risk'>): boolean {
  return risk.includes('replace');
}

export function secretsSentBy({ requests }: Pick<Change, 'requests'>): string[] {
  return [...new Set(requests.flatMap(({ body }) => secretNamesIn(body)))];
}
