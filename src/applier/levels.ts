import type { Kind } from '../kinds/kind.ts';
import { canonicalJson, type Json } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import type { Task } from './verify.ts';

/** Changes that may be made at the same time, in units that are sent together. */
export interface Level {
  readonly deletes: boolean;
  readonly units: readonly (readonly Task[])[];
}

/** The order of an apply: creates and updates kind by kind in the order of `kinds`, then deletes the other way. */
export function levelsOf(tasks: readonly Task[], kinds: readonly Kind[]): Level[] {
  const level = (deletes: boolean) => (kind: Kind) => ({
    deletes,
    units: unitsOf(
      tasks.filter((task) => task.kind === kind && (task.change.action === 'delete') === deletes),
    ),
  });
  return [...kinds.map(level(false)), ...kinds.toReversed().map(level(true))].filter(
    ({ units }) => units.length > 0,
  );
}

/** Changes whose only request is the same are one unit: it is sent once, and they share its answer. */
function unitsOf(tasks: readonly Task[]): Task[][] {
  const units = new Map<string, Task[]>();
  for (const task of tasks) {
    const [request, ...more] = task.change.requests;
    const isShared = request !== undefined && more.length === 0 && task.from === 0;
    const name = isShared ? contentOf(request) : task.change.address;
    units.set(name, [...(units.get(name) ?? []), task]);
  }
  return [...units.values()];
}

function contentOf({ method, path, query, body }: Request): string {
  const content: Json = [method, path, { ...query }, body];
  return canonicalJson(content);
}

/** Does `work` for every item, at most `limit` at once, beginning in order. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, worker));
}
