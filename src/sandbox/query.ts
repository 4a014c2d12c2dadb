import { getText, type JsonObject } from '../model/json.ts';
import { badRequest, type Call } from './operations.ts';

const maxOffset = 2 ** 31 - 1;

/** Reads the `limit` and `offset` of a page. Throws a 400 if one of them is out of range. */
export function readRange(
  query: Call['query'],
  maxLimit: number,
  defaultLimit: number,
): { limit: number; offset: number } {
  return {
    limit: readNumber(query, 'limit', 1, maxLimit) ?? defaultLimit,
    offset: readNumber(query, 'offset', 0, maxOffset) ?? 0,
  };
}

function readNumber(query: Call['query'], name: string, min: number, max: number): number | null {
  const text = query.get(name);
  if (text === undefined) return null;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw badRequest(`${name} must be a whole number from ${min} to ${max}`);
  return value;
}

/** Reads `true` or `false`; false if it is not given. Throws a 400 for anything else. */
export function readFlag(query: Call['query'], name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw badRequest(`${name} must be true or false`);
  return text === 'true';
}

/** One page of `records`, as the notification interface pages (seed 001). Throws a 400 for numbers out of range. */
export function selectPage<T>(records: readonly T[], query: Call['query'], pageLimit: number): readonly T[] {
  const { limit, offset } = readRange(query, pageLimit, pageLimit);
  return records.slice(offset, offset + limit);
}

/** Sorts `records` by one of `fields`. Throws a 400 for another one. */
export function sortRecords<T extends JsonObject>(
  records: readonly T[],
  by: string | undefined,
  fields: readonly string[],
): readonly T[] {
  if (by === undefined) return records;
  if (!fields.includes(by)) throw badRequest(`The order "${by}" is not one of ${fields.join(', ')}`);
  return records.toSorted((a, b) => compareText(getText(a, by) ?? '', getText(b, by) ?? ''));
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The results of a comparison for which these operators hold. */
const orders = { ge: [0, 1], le: [-1, 0], gt: [1], lt: [-1] };

/** The filter operators that a list supports, by field (seed 001, filter support). */
type FilterFields = ReadonlyMap<string, readonly ('eq' | 'in' | 'sw' | keyof typeof orders)[]>;

type Predicate = (read: (field: string) => string) => boolean;

const maxDepth = 32;

/**
 * Parses the `filters` expression of a request: `field op "value"`, `and`, `or`, `not`, parentheses (api-notes, "filter
 * grammar"). The result says whether a record matches; it gets a function that reads the record's fields. Without
 * `filters`, every record matches. Throws a 400 for a syntax error, and for a field or operator not in `fields`.
 */
export function parseFilters(query: Call['query'], fields: FilterFields): Predicate {
  const filters = query.get('filters');
  if (filters === undefined) return () => true;
  const tokens = tokenize(filters);
  const take = (pattern: RegExp, what: string): string => {
    const token = tokens.shift() ?? '';
    if (!pattern.test(token)) throw badRequest(`filters: ${what} expected`);
    return token;
  };
  const list = <T>(part: () => T, separator: string): T[] => {
    const parts = [part()];
    while (tokens[0] === separator && tokens.shift()) parts.push(part());
    return parts;
  };
  const any = (depth: number): Predicate => {
    const alternatives = list(() => list(() => operand(depth + 1), 'and'), 'or');
    return (read) => alternatives.some((parts) => parts.every((part) => part(read)));
  };
  const operand = (depth: number): Predicate => {
    if (depth > maxDepth) throw badRequest(`filters: nested deeper than ${maxDepth}`);
    const field = take(/^[(\w]/, 'a field');
    if (field === 'not') {
      const inner = operand(depth + 1);
      return (read) => !inner(read);
    }
    if (field !== '(') return comparison(field);
    const inner = any(depth);
    take(/^[)]$/, '")"');
    return inner;
  };
  const comparison = (field: string): Predicate => {
    const allowed = fields.get(field);
    if (allowed === undefined) throw badRequest(`filters: field "${field}" is not supported`);
    const word = take(/^\w/, 'an operator');
    const operator = allowed.find((candidate) => candidate === word);
    if (operator === undefined)
      throw badRequest(`filters: operator "${word}" is not supported for "${field}"`);
    if (operator === 'in') take(/^[(]$/, '"("');
    const values = list(() => take(/^"/, 'a value in double quotes'), operator === 'in' ? ',' : '').map(
      (token) => token.slice(1, -1).replaceAll(/\\(["\\])/g, '$1'),
    );
    if (operator === 'in') take(/^[)]$/, '")"');
    const [value = ''] = values;
    if (operator === 'sw') return (read) => read(field).startsWith(value);
    if (operator === 'eq' || operator === 'in') return (read) => values.includes(read(field));
    return (read) => orders[operator].includes(compareText(read(field), value));
  };
  const predicate = any(0);
  if (tokens[0]) throw badRequest(`filters: unexpected "${tokens[0]}"`);
  return predicate;
}

/** Texts in quotes, words and marks. */
function tokenize(text: string): string[] {
  const tokens: string[] = [];
  const pattern = /\s*("(?:[^"\\]|\\["\\])*"|[A-Za-z][\w.]*|[(),])/y;
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const [, token] = pattern.exec(text) ?? [];
    if (token === undefined) throw badRequest(`filters: unexpected text at character ${from + 1}`);
    tokens.push(token);
  }
  return tokens;
}
