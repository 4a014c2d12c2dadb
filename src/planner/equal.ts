import type { LiveObject } from '../model/live.ts';
import type { Plan } from '../model/plan.ts';
import type { Matched } from './index.ts';

/**
 * Tells the declaration, by its digest, that the plan has found an object to be equal to. `null` where it was not
 * compared, differs, or could not be compared whole.
 */
export function equalTo(
  { matches }: Pick<Matched, 'matches'>,
  { changes }: Pick<Plan, 'changes'>,
): (live: LiveObject) => string | null {
  const changed = new Set(changes.map(({ address }) => address));
  const equal = new Map<LiveObject, string | null>();
  for (const { resource, live } of matches) {
    const { ensure, address, digest } = resource;
    if (live?.address === address && ensure === 'present' && !changed.has(address)) equal.set(live, digest);
  }
  return (live) => {
    const digest = equal.get(live) ?? null;
    return digest !== null && (live.equalTo === digest || live.hidden.length === 0) ? digest : null;
  };
}
