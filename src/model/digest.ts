import { sha256 } from './hash.ts';
import type { Json } from './json.ts';
import type { Plan } from './plan.ts';

/**
 * The digest of everything in a plan that matters to whoever approves it: tenant, scope, every before and after,
 * every request. Who made the plan and when does not count, and neither does the digest that it carries.
 */
export function planDigest(plan: Omit<Plan, 'digest'> & { readonly digest?: string }): string {
  const { tool: _tool, createdAt: _createdAt, digest: _digest, ...rest } = plan;
  // Through text and back: a member that is undefined is not in a plan file either.
  const value: Json = JSON.parse(JSON.stringify(rest));
  return sha256(value);
}
