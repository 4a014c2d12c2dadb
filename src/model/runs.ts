import { diffArrays } from 'diff';

/** Items that two lists share, or items of one and their replacements in the other. */
export interface Run<T> {
  readonly isEqual: boolean;
  readonly before: readonly T[];
  readonly after: readonly T[];
}

/** Two lists as runs that are equal and runs that differ, in turn. Lists with more than `most` edits are one run. */
export function runsOf<T>(
  before: readonly T[],
  after: readonly T[],
  most: number,
  keyOf: (item: T) => string = String,
): Run<T>[] {
  const parts = diffArrays(before.map(keyOf), after.map(keyOf), { maxEditLength: most });
  if (!parts) return [{ isEqual: false, before, after }];
  const runs: Run<T>[] = [];
  let [oldAt, freshAt] = [0, 0];
  for (const { added, removed, count } of parts) {
    const isEqual = !added && !removed;
    const last = isEqual || runs.at(-1)?.isEqual ? undefined : runs.pop();
    const old = before.slice(oldAt, oldAt + (added ? 0 : count));
    const fresh = after.slice(freshAt, freshAt + (removed ? 0 : count));
    runs.push({
      isEqual,
      before: [...(last?.before ?? []), ...old],
      after: [...(last?.after ?? []), ...fresh],
    });
    oldAt += old.length;
    freshAt += fresh.length;
  }
  return runs;
}
