import { sha256 } from './hash.ts';
import type { Plan } from './plan.ts';

/**
 * The digest of everything in a plan that matters to whoever approves it: tenant, scope, every before and after,
 * every request. Who made the plan and when does not count, and neither does the digest that it carries. Nor does the
 * `impact` of a search: it changes as people come and go, and a plan approved with it is applied without.
 */
export function planDigest(plan: Omit<Plan, 'digest'> & { readonly digest?: string }): string {
  const { tool: _tool, createdAt: _createdAt, digest: _digest, ...rest } = plan;
  return sha256({ ...rest, changes: plan.changes.map(({ impact: _impact, ...change }) => change) });
}
