import type { Change, Plan, Request } from '../generated/schemas/plan.ts';
import { hasErrors } from './diagnostic.ts';
import { get, isArray, isObject, type Json } from './json.ts';
import { markersIn } from './marker.ts';

export type { Change, Difference, Moved, Plan, Request } from '../generated/schemas/plan.ts';

export const planFormat = 2;

export type Action = Change['action'];
export const actions = ['create', 'update', 'delete', 'manual'] as const satisfies readonly Action[];

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

export function secretsSentBy({ requests }: Pick<Change, 'requests'>): string[] {
  return [...new Set(requests.flatMap(({ body }) => markersIn(body, '$secret')))];
}

/**
 * True when carrying it out twice has the same effect: never a POST, and a PATCH only when it sets values: `replace` or `add` to
 * members in a JSON Patch (seed 000, JsonPatch), or nested records that have their ids (seed 002, condition rules).
 */
export function isRepeatable({ method, body }: Pick<Request, 'method' | 'body'>): boolean {
  if (method !== 'PATCH') return method !== 'POST';
  const operations = isObject(body) ? get(body, 'operations') : body;
  if (operations === undefined) return hasOnlyIds(body);
  if (!isArray(operations)) return false;
  return operations.every((operation) => {
    const { op = null, path = null } = isObject(operation) ? operation : {};
    // `add` at an index moves the rest of an array; a numeric name could be one.
    return typeof path === 'string' && (op === 'replace' || (op === 'add' && !/\/(-|\d+)$/.test(path)));
  });
}

/** Without an id, a record in a list would be created. */
function hasOnlyIds(value: Json): boolean {
  if (!isArray(value)) return !isObject(value) || Object.values(value).every(hasOnlyIds);
  return value.every((item) => {
    if (!isObject(item)) return true;
    const hasId = (get(item, 'id') ?? null) !== null && get(item, '_destroy') !== true;
    return hasId && hasOnlyIds(item);
  });
}
