import { getText, type JsonObject } from '../model/json.ts';
import { badRequest, type Query } from './operations.ts';

const maxOffset = 2 ** 31 - 1;

/** Reads the `limit` and `offset` of a page. Throws a 400 if one of them is out of range. */
export function readRange(
  query: Query,
  maxLimit: number,
  defaultLimit: number,
): { limit: number; offset: number } {
  return {
    limit: readNumber(query, 'limit', 1, maxLimit) ?? defaultLimit,
    offset: readNumber(query, 'offset', 0, maxOffset) ?? 0,
  };
}

function readNumber(query: Query, name: string, min: number, max: number): number | null {
  const text = query.get(name);
  if (text === undefined) return null;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw badRequest(`${name} must be a whole number from ${min} to ${max}`);
  return value;
}

/** Reads `true` or `false`; false if it is not given. Throws a 400 for anything else. */
export function readFlag(query: Query, name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw badRequest(`${name} must be true or false`);
  return text === 'true';
}

/** One page of `records`, as the notification interface pages (seed 001). Throws a 400 for numbers out of range. */
export function selectPage<T>(records: readonly T[], query: Query, pageLimit: number): readonly T[] {
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

type FilterOperator = 'eq' | 'in' | 'sw' | 'ge' | 'le' | 'gt' | 'lt';

/** The filter operators that a list supports, by field (seed 001, filter support). */
type FilterFields = ReadonlyMap<string, readonly FilterOperator[]>;

type Predicate = (read: (field: string) => string) => boolean;

const operators: Readonly<Record<FilterOperator, (text: string, values: readonly string[]) => boolean>> = {
  eq: (text, [value]) => text === value,
  in: (text, values) => values.includes(text),
  sw: (text, [value = '']) => text.startsWith(value),
  ge: (text, [value = '']) => text >= value,
  le: (text, [value = '']) => text <= value,
  gt: (text, [value = '']) => text > value,
  lt: (text, [value = '']) => text < value,
};

const maxDepth = 32;

/**
 * Parses the `filters` expression of a request: `field op "value"`, `and`, `or`, `not`, parentheses (api-notes, "filter
 * grammar"). The result says whether a record matches; it gets a function that reads the record's fields. Without
 * `filters`, every record matches. Throws a 400 for a syntax error, and for a field or operator not in `fields`.
 */
export function parseFilters(query: Query, fields: FilterFields): Predicate {
  const text = query.get('filters');
  if (text === undefined) return () => true;
  const tokens = tokenize(text);
  let depth = 0;
  const takes = (value: string): boolean => {
    const isNext = tokens[0]?.kind !== 'text' && tokens[0]?.value === value;
    if (isNext) tokens.shift();
    return isNext;
  };
  const take = (kind: Token['kind'], what: string): string => {
    const token = tokens.shift();
    if (token?.kind !== kind) throw badRequest(`filters: ${what} expected`);
    return token.value;
  };
  const expect = (mark: string): void => {
    if (!takes(mark)) throw badRequest(`filters: "${mark}" expected`);
  };
  const list = <T>(part: () => T, separator: string): T[] => {
    const parts = [part()];
    while (takes(separator)) parts.push(part());
    return parts;
  };
  const any = (): Predicate => {
    const alternatives = list(() => list(operand, 'and'), 'or');
    return (read) => alternatives.some((parts) => parts.every((part) => part(read)));
  };
  const operand = (): Predicate => {
    depth += 1;
    if (depth > maxDepth) throw badRequest(`filters: nested deeper than ${maxDepth}`);
    let predicate: Predicate;
    if (takes('not')) {
      const inner = operand();
      predicate = (read) => !inner(read);
    } else if (takes('(')) {
      predicate = any();
      expect(')');
    } else predicate = comparison();
    depth -= 1;
    return predicate;
  };
  const comparison = (): Predicate => {
    const field = take('word', 'a field');
    const allowed = fields.get(field);
    if (allowed === undefined) throw badRequest(`filters: field "${field}" is not supported`);
    const word = take('word', 'an operator');
    const operator = allowed.find((candidate) => candidate === word);
    if (operator === undefined)
      throw badRequest(`filters: operator "${word}" is not supported for "${field}"`);
    if (operator === 'in') expect('(');
    const takeValue = () => take('text', 'a value in double quotes');
    const values = operator === 'in' ? list(takeValue, ',') : [takeValue()];
    if (operator === 'in') expect(')');
    return (read) => operators[operator](read(field), values);
  };
  const predicate = any();
  if (tokens[0]) throw badRequest(`filters: unexpected "${tokens[0].value}"`);
  return predicate;
}

interface Token {
  readonly kind: 'text' | 'word' | 'mark';
  readonly value: string;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\["\\])*)"|([A-Za-z][\w.]*)|([(),]))/y;
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw badRequest(`filters: unexpected text at character ${from + 1}`);
    const [, quoted, word, mark = ''] = match;
    if (quoted !== undefined) tokens.push({ kind: 'text', value: quoted.replaceAll(/\\(["\\])/g, '$1') });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
    else tokens.push({ kind: 'mark', value: mark });
  }
  return tokens;
}
