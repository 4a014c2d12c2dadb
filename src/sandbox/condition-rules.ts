import { isArray, type Json } from '../model/json.ts';
import { badRequest } from './api-error.ts';
import { isDateRule, matchesDate, parseDate, parseDistance } from './date-rules.ts';
import {
  type ConditionRule,
  type NeAttribute,
  type Profile,
  profileStates,
  type TenantState,
} from './state.ts';

const basicOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?'];
const dateOperators = ['before', 'after', '>', '<', '=='];

/** Throws a 400 where a rule breaks the tables of seed 002 or names what the tenant has not. */
export function checkRule(rule: ConditionRule, state: TenantState): void {
  switch (rule.type) {
    case 'ProfileStatusRule':
      requireOneOf(rule.comparison_operator, ['==', '!='], 'comparison_operator');
      requireOneOf(rule.value, profileStates, 'value');
      return;
    case 'ProfileTypeRule':
      requireOneOf(rule.comparison_operator, ['==', '!='], 'comparison_operator');
      if (!state.profileTypes.some(({ id }) => id === rule.value)) {
        throw badRequest(`value: there is no profile type ${rule.value}`);
      }
      return;
    case 'ProfileAttributeRule':
      checkAttributeRule(rule, state);
      return;
  }
}

function checkAttributeRule(rule: ConditionRule, state: TenantState): void {
  const attribute = attributeOf(rule, state);
  if (attribute === undefined) {
    throw badRequest(`condition_object_id: there is no attribute ${rule.condition_object_id}`);
  }
  if (attribute.data_type !== 'date') {
    requireOneOf(rule.comparison_operator, basicOperators, 'comparison_operator');
    return;
  }
  requireOneOf(rule.comparison_operator, dateOperators, 'comparison_operator');
  if (isDateRule(rule.comparison_operator)) {
    if (parseDate(rule.value, attribute.date_format) === null) {
      throw badRequest(`value must be a date in the form ${attribute.date_format ?? 'YYYY-MM-DD'}`);
    }
  } else if (parseDistance(rule.value) === null) {
    throw badRequest('value must be of the form "X before" or "X after", X being a number of days');
  }
}

function requireOneOf(value: string, values: readonly string[], name: string): void {
  if (!values.includes(value))
    throw badRequest(`${name} must be one of ${values.join(', ')}, not "${value}"`);
}

/** The profiles that satisfy every rule, on the day of `now` (milliseconds since 1970, UTC). */
export function matchingProfiles(
  rules: readonly ConditionRule[],
  state: TenantState,
  now: number,
): Profile[] {
  const tests = rules.map((rule) => testOf(rule, state, now));
  return state.profiles.filter((profile) => tests.every((test) => test(profile)));
}

function testOf(rule: ConditionRule, state: TenantState, now: number): (profile: Profile) => boolean {
  const same = rule.comparison_operator === '==';
  switch (rule.type) {
    case 'ProfileStatusRule':
      return ({ status }) => (status === rule.value) === same;
    case 'ProfileTypeRule':
      return ({ profile_type_id }) => (profile_type_id === rule.value) === same;
    case 'ProfileAttributeRule': {
      const attribute = attributeOf(rule, state);
      return (profile) => attribute !== undefined && matchesAttribute(rule, attribute, profile, now);
    }
  }
}

function attributeOf(rule: ConditionRule, { neAttributes }: TenantState): NeAttribute | undefined {
  return neAttributes.find(({ id }) => id === rule.condition_object_id);
}

function matchesAttribute(
  rule: ConditionRule,
  attribute: NeAttribute,
  profile: Profile,
  now: number,
): boolean {
  const value = Object.hasOwn(profile.attributes, attribute.uid) ? profile.attributes[attribute.uid] : null;
  const texts = textsOf(value ?? null);
  if (attribute.data_type === 'date') {
    return texts.some((text) => matchesDate(rule, text, attribute.date_format, now));
  }
  if (rule.comparison_operator === '!=') return !texts.includes(rule.value);
  return texts.some((text) => matchesText(rule, text));
}

/** The values of an attribute as text; none where it is empty. */
function textsOf(value: Json): string[] {
  if (isArray(value)) return value.flatMap(textsOf);
  return value === null || value === '' ? [] : [String(value)];
}

function matchesText({ comparison_operator, value }: ConditionRule, text: string): boolean {
  switch (comparison_operator) {
    case '==':
      return text === value;
    case '>':
      return compared(text, value) > 0;
    case '<':
      return compared(text, value) < 0;
    case 'start_with?':
      return text.startsWith(value);
    case 'end_with?':
      return text.endsWith(value);
    case 'include?':
      return text.includes(value);
    default:
      return false;
  }
}

function compared(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (!Number.isNaN(difference)) return difference;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
