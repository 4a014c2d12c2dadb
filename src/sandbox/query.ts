import { get, getText, isArray, type Json, type JsonObject } from '../model/json.ts';
import { type ConditionRule, words } from './objects.ts';
import { badRequest, type Call, type Reply } from './operations.ts';
import { ApiError, choice } from './shape.ts';
import type { TenantState } from './state.ts';
import type { Variations } from './ways.ts';

// Which records are asked for: the pages, orders and filters of lists, and the rules of saved searches.

const maxOffset = 2 ** 31 - 1;

/** Reads the `limit` and `offset` of a page. Throws a 400 if one of them is out of range. */
export function readRange(query: Call['query'], maxLimit: number, defaultLimit: number) {
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

/** Answers a list of the identity interface (seed 001): filters, order and one page. Throws a 400. */
export function answerList<T extends JsonObject>(
  records: readonly T[],
  { query }: Pick<Call, 'query'>,
  { filters, sorters = [], pageLimit }: ListSupport,
  show: (record: T) => Json = (record) => record,
): Reply {
  const matches = parseFilters(query, filters);
  const matching = records.filter((record) => matches((field) => getText(record, field) ?? ''));
  const order = query.get('sorters');
  const ascending = sortRecords(matching, order?.replace(/^-/, ''), sorters);
  const found = order?.startsWith('-') ? ascending.toReversed() : ascending;
  const headers = readFlag(query, 'count') ? { 'x-total-count': String(found.length) } : {};
  const { limit, offset } = readRange(query, pageLimit, pageLimit);
  return { status: 200, body: found.slice(offset, offset + limit).map(show), headers };
}

/** What a list can be asked for. */
interface ListSupport {
  readonly filters: FilterFields;
  readonly sorters?: readonly string[];
  /** The largest and default page. */
  readonly pageLimit: number;
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

function compareText(a: string, b: string): number {
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

// The rules of saved searches: which are allowed, and which profiles they match.

type Profile = TenantState['profiles'][number];
type NeAttribute = TenantState['neAttributes'][number];

/**
 * Throws a 400 if a rule breaks the tables of seed 002, or names a profile type or attribute that does not exist. With
 * `extended`, forms that the tables do not know are allowed (api-notes, "What hosts of this family really answer").
 */
export function checkRule(
  rule: ConditionRule,
  state: TenantState,
  searchRules: Variations['searchRules'] = 'contract',
): void {
  const unknown = Object.keys(rule.more ?? {});
  if (searchRules === 'contract') {
    if (unknown.length > 0) throw badRequest(`A rule has unknown fields: ${unknown.join(', ')}`);
    if (rule.type === 'RiskRule') throw badRequest('type must not be RiskRule');
    if (rule.comparison_operator === 'exclude?') throw badRequest('comparison_operator must not be exclude?');
  }
  compileRule(rule, state, 0);
}

/** The profiles that match every rule on the day of `now` (milliseconds since 1970, UTC). No profile matches a rule that is wrong. */
export function findProfiles(rules: readonly ConditionRule[], state: TenantState, now: number): Profile[] {
  try {
    const tests = rules.map((rule) => compileRule(rule, state, now));
    return state.profiles.filter((profile) => tests.every((test) => test(profile)));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** The test that a rule makes of a profile. Throws a 400 for a rule that the tables of seed 002 do not allow. */
function compileRule(rule: ConditionRule, state: TenantState, now: number): (profile: Profile) => boolean {
  const { type, comparison_operator: operator, value, condition_object_id: attributeId } = rule;
  // The documents say nothing about risks, and the embedded tenant knows none.
  if (type === 'RiskRule') return () => true;
  if (type === 'ProfileAttributeRule') {
    const attribute = state.neAttributes.find(({ id }) => id === attributeId);
    if (attribute) return compileAttributeRule(rule, attribute, state, now);
    throw badRequest(`condition_object_id: there is no attribute ${attributeId}`);
  }
  const isSame = choice(['==', '!='])(operator, 'comparison_operator') === '==';
  if (type === 'ProfileStatusRule') {
    const wanted = choice(words.profileStatus)(value, 'value');
    return ({ status }) => (status === wanted) === isSame;
  }
  if (!state.profileTypes.some(({ id }) => id === value))
    throw badRequest(`value: there is no profile type ${value}`);
  return ({ profile_type_id }) => (profile_type_id === value) === isSame;
}

function compileAttributeRule(rule: ConditionRule, attribute: NeAttribute, state: TenantState, now: number) {
  const { value } = rule;
  const textsOf = ({ attributes }: Profile) => toTexts(get(attributes, attribute.uid) ?? null);
  if (attribute.data_type === 'date') {
    const test = compileDateRule(rule, attribute, state, now);
    return (profile: Profile) =>
      textsOf(profile).some((text) => {
        const date = parseDate(text, attribute.date_format);
        return date !== null && test(date);
      });
  }
  const operator = choice(textOperators)(rule.comparison_operator, 'comparison_operator');
  // An attribute that selects or searches profiles or users is compared with the id of one (seed 002).
  const noun = /^(profile|user)_/.exec(attribute.data_type)?.[1];
  const records = { profile: state.profiles, user: state.users }[noun ?? ''];
  if (records && !records.some(({ id }) => id === value))
    throw badRequest(`value: there is no ${noun} ${value}`);
  const isWanted = operator !== '!=' && operator !== 'exclude?';
  return (profile: Profile) => textsOf(profile).some((text) => textHolds(text, operator, value)) === isWanted;
}

function toTexts(value: Json): string[] {
  if (isArray(value)) return value.flatMap(toTexts);
  return value === null || value === '' ? [] : [String(value)];
}

const textOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?', 'exclude?'] as const;

function textHolds(text: string, operator: (typeof textOperators)[number], value: string): boolean {
  switch (operator) {
    case '>':
      return compareValues(text, value) > 0;
    case '<':
      return compareValues(text, value) < 0;
    case 'start_with?':
      return text.startsWith(value);
    case 'end_with?':
      return text.endsWith(value);
    case 'include?':
    case 'exclude?':
      return text.includes(value);
    case '==':
    case '!=':
      return text === value;
  }
}

function compareValues(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) ? compareText(a, b) : difference;
}

const day = 24 * 60 * 60 * 1000;

/** `before` and `after` compare with a date, the others with a distance from today (seed 002). */
function compileDateRule(
  rule: ConditionRule,
  { date_format }: NeAttribute,
  { neAttributes }: TenantState,
  now: number,
): (date: number) => boolean {
  const { value, more } = rule;
  const dateOperators = choice(['before', 'after', '>', '<', '==']);
  const operator = dateOperators(rule.comparison_operator, 'comparison_operator');
  if (operator === 'before' || operator === 'after') {
    const other = getText(more ?? {}, 'secondary_attribute_id');
    if (neAttributes.some(({ id, uid }) => id === other && uid === value)) return () => false;
    const limit = parseDate(value, date_format);
    if (limit === null) throw badRequest(`value must be a date in the form ${date_format ?? 'YYYY-MM-DD'}`);
    return (date) => (operator === 'before' ? date < limit : date > limit);
  }
  const distanceText =
    value === 'Today' && more
      ? `${getText(more, 'tertiary_value') ?? '0'} ${getText(more, 'secondary_value') ?? 'after'}`
      : value;
  const [, days, side] = /^(\d{1,6}) (before|after)$/.exec(distanceText) ?? [];
  if (side === undefined)
    throw badRequest('value must be of the form "X before" or "X after", X being a number of days');
  const today = Math.floor(now / day);
  const distance = (date: number) => (side === 'after' ? date - today : today - date);
  if (operator === '>') return (date) => distance(date) > Number(days);
  if (operator === '<') return (date) => distance(date) >= 0 && distance(date) < Number(days);
  return (date) => distance(date) === Number(days);
}

/** Days from 1970 to a date in the form `format` (default `YYYY-MM-DD`); null if it is not a date. */
function parseDate(text: string, format: string | null): number | null {
  const order: string[] = [];
  const pattern = (format ?? 'YYYY-MM-DD')
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/YYYY|MM|DD/g, (part) => {
      order.push(part);
      return `(\\d{${part.length}})`;
    });
  const match = new RegExp(`^${pattern}$`).exec(text);
  if (match === null) return null;
  const part = (name: string): number => Number(match[order.indexOf(name) + 1]);
  const [year, month, date] = [part('YYYY'), part('MM'), part('DD')];
  const time = new Date(Date.UTC(year, month - 1, date));
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === date ? time.getTime() / day : null;
}
