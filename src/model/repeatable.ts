import { get, isArray, isObject, type Json } from './json.ts';
import type { Request } from './plan.ts';

/**
 * True when a request has the same effect when it is carried out twice: never a POST, and a PATCH only when it sets
 * values: `replace` or `add` to members in a JSON Patch (seeds 000, JsonPatch), or changes to nested records that have
 * their ids (seed 002, condition rules).
 */
export function isRepeatable({ method, body }: Pick<Request, 'method' | 'body'>): boolean {
  return ['GET', 'PUT', 'DELETE'].includes(method) || (method === 'PATCH' && setsOnlyValues(body));
}

function setsOnlyValues(body: Json): boolean {
  if (isArray(body)) return body.every(setsOneValue);
  if (!isObject(body)) return false;
  const operations = get(body, 'operations');
  return operations === undefined ? hasOnlyIds(body) : isArray(operations) && setsOnlyValues(operations);
}

function setsOneValue(operation: Json): boolean {
  if (!isObject(operation)) return false;
  const { op, path } = operation;
  if (typeof path !== 'string') return false;
  // `add` at an index moves the rest of an array; a numeric name could be one.
  return op === 'replace' || (op === 'add' && !/\/(-|\d+)$/.test(path));
}

/** Without an id, a record in a list would be created. */
function hasOnlyIds(value: Json): boolean {
  if (isArray(value)) return value.every((item) => !isObject(item) || (hasId(item) && hasOnlyIds(item)));
  return !isObject(value) || Object.values(value).every(hasOnlyIds);
}

function hasId(record: Json): boolean {
  return isObject(record) && (get(record, 'id') ?? null) !== null && get(record, '_destroy') !== true;
}
