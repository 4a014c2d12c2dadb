import { isArray, isObject, type Json, own } from '../model/json.ts';
import type { Request } from '../model/plan.ts';

/**
 * Whether carrying a request out twice leaves what once would have left. A POST never counts. A PATCH counts when
 * it only sets values: `replace` or `add` to members in a JSON Patch (seeds 000, JsonPatch), or changes to nested
 * records that have their ids (seed 002, condition rules).
 */
export function isRepeatable({ method, body }: Pick<Request, 'method' | 'body'>): boolean {
  switch (method) {
    case 'GET':
    case 'PUT':
    case 'DELETE':
      return true;
    case 'POST':
      return false;
    case 'PATCH':
      return onlySets(body);
  }
}

function onlySets(body: Json): boolean {
  if (isArray(body)) return body.every(setsOneValue);
  if (!isObject(body)) return false;
  const operations = own(body, 'operations');
  return operations === undefined ? hasOnlyKnownRecords(body) : isArray(operations) && onlySets(operations);
}

function setsOneValue(operation: Json): boolean {
  if (!isObject(operation)) return false;
  const { op, path } = operation;
  if (typeof path !== 'string') return false;
  // `add` at an index pushes the rest of an array along; a numeric name could be one.
  return op === 'replace' || (op === 'add' && !/\/(-|\d+)$/.test(path));
}

function hasOnlyKnownRecords(value: Json): boolean {
  if (isArray(value)) {
    return value.every((item) => !isObject(item) || (hasId(item) && hasOnlyKnownRecords(item)));
  }
  return !isObject(value) || Object.values(value).every(hasOnlyKnownRecords);
}

function hasId(record: Json): boolean {
  return isObject(record) && (own(record, 'id') ?? null) !== null && own(record, '_destroy') !== true;
}
