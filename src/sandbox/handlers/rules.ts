import { get, getText, isArray, type Json } from '../../model/json.ts';
import { type ConditionRule, words } from '../objects.ts';
import { badRequest } from '../operations.ts';
import { compareText } from '../query.ts';
import type { TenantState } from '../state.ts';
import type { Variations } from '../ways.ts';

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
  const test = compileRule(rule, state, 0);
  if (typeof test === 'string') throw badRequest(test);
}

/** The profiles that match every rule on the day of `now` (milliseconds since 1970, UTC). */
export function findProfiles(rules: readonly ConditionRule[], state: TenantState, now: number): Profile[] {
  const tests = rules.map((rule) => compileRule(rule, state, now));
  return state.profiles.filter((profile) => tests.every((test) => typeof test !== 'string' && test(profile)));
}

/** The test that a rule makes of a profile, or why the tables of seed 002 do not allow the rule. */
function compileRule(
  rule: ConditionRule,
  state: TenantState,
  now: number,
): ((profile: Profile) => boolean) | string {
  const { comparison_operator: operator, value } = rule;
  const equality = notOneOf(operator, ['==', '!='], 'comparison_operator');
  const isSame = operator === '==';
  switch (rule.type) {
    case 'ProfileStatusRule':
      return (
        equality ??
        notOneOf(value, words.profileStatus, 'value') ??
        (({ status }) => (status === value) === isSame)
      );
    case 'ProfileTypeRule':
      if (!state.profileTypes.some(({ id }) => id === value))
        return `value: there is no profile type ${value}`;
      return equality ?? (({ profile_type_id }) => (profile_type_id === value) === isSame);
    case 'ProfileAttributeRule': {
      const attribute = state.neAttributes.find(({ id }) => id === rule.condition_object_id);
      if (attribute) return compileAttributeRule(rule, attribute, state, now);
      return `condition_object_id: there is no attribute ${rule.condition_object_id}`;
    }
    case 'RiskRule':
      // The documents say nothing about it, and the embedded tenant knows no risks.
      return () => true;
  }
}

function notOneOf(value: string, values: readonly string[], name: string): string | null {
  return values.includes(value) ? null : `${name} must be one of ${values.join(', ')}, not "${value}"`;
}

function compileAttributeRule(
  rule: ConditionRule,
  attribute: NeAttribute,
  state: TenantState,
  now: number,
): ((profile: Profile) => boolean) | string {
  const { comparison_operator: operator, value } = rule;
  const textsOf = ({ attributes }: Profile) => toTexts(get(attributes, attribute.uid) ?? null);
  if (attribute.data_type === 'date') {
    const test = compileDateRule(rule, attribute, state, now);
    if (typeof test === 'string') return test;
    return (profile) =>
      textsOf(profile).some((text) => {
        const date = parseDate(text, attribute.date_format);
        return date !== null && test(date);
      });
  }
  const refusal = notOneOf(operator, textOperators, 'comparison_operator');
  if (refusal !== null) return refusal;
  // An attribute that selects or searches profiles or users is compared with the id of one (seed 002).
  const noun = /^(profile|user)_/.exec(attribute.data_type)?.[1];
  const records = { profile: state.profiles, user: state.users }[noun ?? ''];
  if (records && !records.some(({ id }) => id === value)) return `value: there is no ${noun} ${value}`;
  const isWanted = operator !== '!=' && operator !== 'exclude?';
  return (profile) => textsOf(profile).some((text) => textHolds(text, operator, value)) === isWanted;
}

function toTexts(value: Json): string[] {
  if (isArray(value)) return value.flatMap(toTexts);
  return value === null || value === '' ? [] : [String(value)];
}

const textOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?', 'exclude?'];

function textHolds(text: string, operator: string, value: string): boolean {
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
    default:
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
): ((date: number) => boolean) | string {
  const { comparison_operator: operator, value, more } = rule;
  const refusal = notOneOf(operator, ['before', 'after', '>', '<', '=='], 'comparison_operator');
  if (refusal !== null) return refusal;
  if (operator === 'before' || operator === 'after') {
    const other = getText(more ?? {}, 'secondary_attribute_id');
    if (neAttributes.some(({ id, uid }) => id === other && uid === value)) return () => false;
    const limit = parseDate(value, date_format);
    if (limit === null) return `value must be a date in the form ${date_format ?? 'YYYY-MM-DD'}`;
    return (date) => (operator === 'before' ? date < limit : date > limit);
  }
  const distanceText =
    value === 'Today' && more
      ? `${getText(more, 'tertiary_value') ?? '0'} ${getText(more, 'secondary_value') ?? 'after'}`
      : value;
  const [, days, side] = /^(\d{1,6}) (before|after)$/.exec(distanceText) ?? [];
  if (side === undefined)
    return 'value must be of the form "X before" or "X after", X being a number of days';
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
