import { badRequest } from './api-error.ts';

export type FilterOperator = 'eq' | 'in' | 'sw' | 'ge' | 'le';

/** The operators that a list supports, by field (seed 001, filter support). */
export type FilterFields = ReadonlyMap<string, readonly FilterOperator[]>;

type Predicate = (read: (field: string) => string) => boolean;
type Token = { readonly kind: 'text' | 'word' | 'mark'; readonly value: string };

const tokenPattern = /\s*(?:"((?:[^"\\]|\\["\\])*)"|([A-Za-z][\w.]*)|([(),]))/y;
const deepest = 32;

/**
 * A `filters` expression as a predicate: `field op "value"`, `and`, `or`, `not`, parentheses (api-notes, "filter
 * grammar"). Throws a 400 for a syntax error, and for a field or operator that `fields` does not allow.
 */
export function parseFilter(text: string, fields: FilterFields): Predicate {
  const parser = new FilterParser(tokenize(text), fields);
  return parser.parse();
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
    if (this.#depth > deepest) throw badRequest(`filters: nested deeper than ${deepest}`);
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
    return comparison(operator, field, this.#take('text', 'a value in double quotes'));
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

function comparison(operator: Exclude<FilterOperator, 'in'>, field: string, value: string): Predicate {
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
