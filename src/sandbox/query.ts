import { type JsonObject, textOf } from '../model/json.ts';
import { badRequest, type Query } from './requests.ts';

/** The largest offset that the documents allow. */
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

/**
 * One page of `records`, by `limit` and `offset`, as the notification interface pages (seed 001).
 * Throws a 400 for a limit or offset that is out of range.
 */
export function selectPage<T>(records: readonly T[], query: Query, pageLimit: number): readonly T[] {
  const { limit, offset } = readRange(query, pageLimit, pageLimit);
  return records.slice(offset, offset + limit);
}

/** Sorts `records` by a `sorters` expression over `fields`. Throws a 400 for an unknown field. */
export function sortRecords<T extends JsonObject>(
  records: readonly T[],
  sorters: string | undefined,
  fields: readonly string[],
): readonly T[] {
  if (sorters === undefined) return records;
  const keys = sorters.split(',').map((sorter) => {
    const name = sorter.replace(/^-/, '');
    if (!fields.includes(name)) throw badRequest(`sorters: field "${name}" is not supported`);
    return { name, sign: sorter.startsWith('-') ? -1 : 1 };
  });
  return records.toSorted((a, b) =>
    keys.reduce(
      (result, { name, sign }) => result || sign * compareText(textOf(a, name) ?? '', textOf(b, name) ?? ''),
      0,
    ),
  );
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export type FilterOperator = 'eq' | 'in' | 'sw' | 'ge' | 'le';

/** The filter operators that a list supports, by field (seed 001, filter support). */
export type FilterFields = ReadonlyMap<string, readonly FilterOperator[]>;

type Predicate = (read: (field: string) => string) => boolean;
type Token = { readonly kind: 'text' | 'word' | 'mark'; readonly value: string };

const tokenPattern = /\s*(?:"((?:[^"\\]|\\["\\])*)"|([A-Za-z][\w.]*)|([(),]))/y;
const maxDepth = 32;

/**
 * Parses the `filters` expression of a request: `field op "value"`, `and`, `or`, `not`, parentheses (api-notes, "filter
 * grammar"). The result says whether a record matches; it gets a function that reads the record's fields. Without
 * `filters`, every record matches. Throws a 400 for a syntax error, and for a field or operator not in `fields`.
 */
export function parseFilters(query: Query, fields: FilterFields): Predicate {
  const text = query.get('filters');
  return text === undefined ? () => true : new FilterParser(tokenize(text), fields).parse();
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(tokenPattern);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw badRequest(`filters: unexpected text at character ${from + 1}`);
    const [, quoted, word, mark] = match;
    if (quoted !== undefined) tokens.push({ kind: 'text', value: quoted.replaceAll(/\\(["\\])/g, '$1') });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
    else tokens.push({ kind: 'mark', value: mark ?? '' });
  }
  return tokens;
}

class FilterParser {
  readonly #tokens: readonly Token[];
  readonly #fields: FilterFields;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], fields: FilterFields) {
    this.#tokens = tokens;
    this.#fields = fields;
  }

  parse(): Predicate {
    const predicate = this.#or();
    const rest = this.#tokens[this.#next];
    if (rest !== undefined) throw badRequest(`filters: unexpected "${rest.value}"`);
    return predicate;
  }

  #or(): Predicate {
    const parts = [this.#and()];
    while (this.#takes('word', 'or')) parts.push(this.#and());
    return (read) => parts.some((part) => part(read));
  }

  #and(): Predicate {
    const parts = [this.#not()];
    while (this.#takes('word', 'and')) parts.push(this.#not());
    return (read) => parts.every((part) => part(read));
  }

  #not(): Predicate {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw badRequest(`filters: nested deeper than ${maxDepth}`);
    const predicate = this.#operand();
    this.#depth -= 1;
    return predicate;
  }

  #operand(): Predicate {
    if (this.#takes('word', 'not')) {
      const negated = this.#not();
      return (read) => !negated(read);
    }
    if (!this.#takes('mark', '(')) return this.#comparison();
    const inner = this.#or();
    this.#expect('mark', ')');
    return inner;
  }

  #comparison(): Predicate {
    const field = this.#take('word', 'a field');
    const allowed = this.#fields.get(field);
    if (allowed === undefined) throw badRequest(`filters: field "${field}" is not supported`);
    const word = this.#take('word', 'an operator');
    const operator = allowed.find((candidate) => candidate === word);
    if (operator === undefined)
      throw badRequest(`filters: operator "${word}" is not supported for "${field}"`);
    if (operator === 'in') {
      const values = new Set(this.#values());
      return (read) => values.has(read(field));
    }
    return compareField(operator, field, this.#take('text', 'a value in double quotes'));
  }

  #values(): string[] {
    this.#expect('mark', '(');
    const values = [this.#take('text', 'a value in double quotes')];
    while (this.#takes('mark', ',')) values.push(this.#take('text', 'a value in double quotes'));
    this.#expect('mark', ')');
    return values;
  }

  #takes(kind: Token['kind'], value: string): boolean {
    const token = this.#tokens[this.#next];
    if (token?.kind !== kind || token.value !== value) return false;
    this.#next += 1;
    return true;
  }

  #expect(kind: Token['kind'], value: string): void {
    if (!this.#takes(kind, value)) throw badRequest(`filters: "${value}" expected`);
  }

  #take(kind: Token['kind'], what: string): string {
    const token = this.#tokens[this.#next];
    if (token?.kind !== kind) throw badRequest(`filters: ${what} expected`);
    this.#next += 1;
    return token.value;
  }
}

function compareField(operator: Exclude<FilterOperator, 'in'>, field: string, value: string): Predicate {
  switch (operator) {
    case 'eq':
      return (read) => read(field) === value;
    case 'sw':
      return (read) => read(field).startsWith(value);
    case 'ge':
      return (read) => read(field) >= value;
    case 'le':
      return (read) => read(field) <= value;
  }
}
