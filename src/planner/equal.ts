import type { LiveObject } from '../model/live.ts';
import type { Plan } from '../model/plan.ts';
import { type PlanInput, scopeFilter } from './index.ts';

/**
 * Tells the declaration, by its digest, that the plan has found an object to be equal to. `null` where it was not
 * compared, differs, or could not be compared whole.
 */
export function equalTo(
  { resources, choices }: Pick<PlanInput, 'resources' | 'choices'>,
  { changes }: Pick<Plan, 'changes'>,
): (live: LiveObject) => string | null {
  const inScope = scopeFilter(choices.scope);
  const changed = new Set(changes.map(({ address }) => address));
  const equal = new Map(
    resources
      .filter(({ ensure, digest }) => ensure === 'present' && digest !== null)
      .filter(({ address }) => inScope(address) && !changed.has(address))
      .map((resource) => [resource.address, resource]),
  );
  return (live) => {
    const { id = null, digest = null } = equal.get(live.address) ?? {};
    if (digest === null || (id !== null && id !== live.id)) return null;
    return live.equalTo === digest || live.hidden.length === 0 ? digest : null;
  };
}
