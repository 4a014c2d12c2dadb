import { kindNamed } from '../kinds/index.ts';
import type { Change, Request } from '../model/plan.ts';

/** Objects that one delete request names at most. */
const largestBatch = 100;

/**
 * Deletes of a kind that can travel together share one request: each of them carries it, and the applier sends equal
 * requests once.
 */
export function batchDeletes(deletes: readonly Change[]): Change[] {
  const names = new Set(deletes.map(({ kind }) => kind));
  const merged = new Map([...names].flatMap((name) => mergedRequests(name, deletes)));
  return deletes.map((change) => {
    const request = merged.get(change);
    return request ? { ...change, requests: [request] } : change;
  });
}

function mergedRequests(name: string, deletes: readonly Change[]): [Change, Request][] {
  const { mergeRemovals } = kindNamed(name);
  if (!mergeRemovals) return [];
  const together = deletes.filter(({ kind, action }) => kind === name && action === 'delete');
  return chunks(together, largestBatch).flatMap((batch) => {
    const request = mergeRemovals(batch.flatMap(({ requests }) => requests));
    return batch.map((change): [Change, Request] => [change, request]);
  });
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}
