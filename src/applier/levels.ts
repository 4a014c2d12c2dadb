import type { Kinds } from '../kinds/catalog.ts';
import { arrangeChanges } from '../kinds/dependencies.ts';
import { groupBy } from '../model/group.ts';
import { canonicalJson } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import type { Task } from './preflight.ts';

/** Changes that may be made at the same time, in units that are sent together. */
export interface Level {
  readonly deletes: boolean;
  readonly units: readonly (readonly Task[])[];
}

/** The order of an apply: see {@link arrangeChanges}. */
export function levelsOf(tasks: readonly Task[], kinds: Kinds): Level[] {
  const byChange = new Map(tasks.map((task) => [task.change, task]));
  const { ranks } = arrangeChanges([...byChange.keys()], kinds);
  return ranks.map(({ deletes, changes }) => ({
    deletes,
    units: unitsOf(changes.flatMap((change) => byChange.get(change) ?? [])),
  }));
}

/** Changes with the same single request are one unit: it is sent once, and they share its answer. */
function unitsOf(tasks: readonly Task[]): Task[][] {
  const units = groupBy(tasks, ({ change, from }) => {
    const [request, ...more] = change.requests;
    const isShared = request !== undefined && more.length === 0 && from === 0;
    return isShared ? contentOf(request) : change.address;
  });
  return units.map(([, unit]) => unit);
}

function contentOf({ method, path, query, body }: Request): string {
  return canonicalJson([method, path, query, body]);
}
