/** Which profiles a rule finds, from the tables of the API documents. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import type { ConditionRule } from '../../src/sandbox/objects.ts';
import { checkRule, findProfiles } from '../../src/sandbox/query.ts';
import { loadState } from '../../src/sandbox/state.ts';

const today = Date.UTC(2026, 0, 15, 23, 59);
const attributes = [
  { id: 'a1', uid: 'city', label: 'City', data_type: 'text', date_format: null },
  { id: 'a2', uid: 'ends', label: 'Ends', data_type: 'date', date_format: 'DD.MM.YYYY' },
  { id: 'a3', uid: 'starts', label: 'Starts', data_type: 'date', date_format: null },
  { id: 'a4', uid: 'team', label: 'Team', data_type: 'profile_search', date_format: null },
  { id: 'a5', uid: 'boss', label: 'Boss', data_type: 'user_select', date_format: null },
] as const;

const { state } = loadState(null, null);
state.neAttributes.push(...attributes);
state.profileTypes.push({ id: 't1', uid: 'employee', name: 'Employee', category: null });
const profile = { uid: 'p', name: 'P', status: 'Active', profile_type_id: 't1', attributes: {} } as const;
state.profiles.push({ ...profile, id: 'p1' });
state.users.push({ id: 'u1', uid: 'u', name: 'U', login: 'u', email: 'u@acme.example', status: 'Active' });

const rule = (more: Partial<ConditionRule>): ConditionRule => ({
  id: 'r',
  type: 'ProfileAttributeRule',
  comparison_operator: '==',
  value: '',
  condition_object_id: null,
  ...more,
});

/** Which of the values a rule on an attribute finds. */
function found(id: string, operator: string, value: string, values: readonly Json[]): Json[] {
  const uid = attributes.find((each) => each.id === id)?.uid ?? '';
  const profiles = values.map((text, at) => ({ ...profile, id: String(at), attributes: { [uid]: text } }));
  const matching = findProfiles(
    [rule({ condition_object_id: id, comparison_operator: operator, value })],
    { ...state, profiles },
    today,
  );
  return matching.map((each) => each.attributes[uid] ?? null);
}

describe('a rule on a text', () => {
  const values = ['Oslo', 'oslo', 'New Oslo', 'Oslo 2', '', null, ['Rome', 'Oslo']];
  it.each<[string, string, Json[]]>([
    ['==', 'Oslo', ['Oslo', ['Rome', 'Oslo']]],
    ['!=', 'Oslo', ['oslo', 'New Oslo', 'Oslo 2', '', null]],
    ['start_with?', 'Oslo', ['Oslo', 'Oslo 2', ['Rome', 'Oslo']]],
    ['end_with?', 'Oslo', ['Oslo', 'New Oslo', ['Rome', 'Oslo']]],
    ['include?', 'sl', ['Oslo', 'oslo', 'New Oslo', 'Oslo 2', ['Rome', 'Oslo']]],
  ])('%s %s', (operator, value, expected) => {
    expect(found('a1', operator, value, values)).toEqual(expected);
  });

  it('compares numbers as numbers, and other texts by code unit', () => {
    expect(found('a1', '>', '9', ['10', 9, '8', 'a'])).toEqual(['10', 'a']);
    expect(found('a1', '<', '10', ['9', 10, '11'])).toEqual(['9']);
    expect(found('a1', '<', 'b', ['a', 'b', 'c'])).toEqual(['a']);
    expect(found('a1', '>', 'b', ['a', 'b', 'c'])).toEqual(['c']);
  });
});

describe('a rule on a date', () => {
  const dates = ['14.01.2026', '15.01.2026', '16.01.2026', '17.01.2026', '31.02.2026', '2026-01-16', ''];

  it.each<[string, string, Json[]]>([
    ['before', '16.01.2026', ['14.01.2026', '15.01.2026']],
    ['after', '15.01.2026', ['16.01.2026', '17.01.2026']],
    ['==', '1 after', ['16.01.2026']],
    ['==', '0 after', ['15.01.2026']],
    ['==', '1 before', ['14.01.2026']],
    ['>', '1 after', ['17.01.2026']],
    ['<', '2 after', ['15.01.2026', '16.01.2026']],
    ['<', '2 before', ['14.01.2026', '15.01.2026']],
    ['>', '0 before', ['14.01.2026']],
  ])('%s %s', (operator, value, expected) => {
    expect(found('a2', operator, value, dates)).toEqual(expected);
  });

  it('reads the form of its attribute', () => {
    expect(
      found('a3', 'before', '2026-01-16', ['2026-01-15', '15.01.2026', '2026-1-5', 'x2026-01-15']),
    ).toEqual(['2026-01-15']);
  });
});

it('rules on status and type hold or do not, and all of them have to', () => {
  const count = (...rules: Partial<ConditionRule>[]) => findProfiles(rules.map(rule), state, today).length;
  const isActive = { type: 'ProfileStatusRule', value: 'Active' } as const;
  const isEmployee = { type: 'ProfileTypeRule', value: 't1' } as const;
  expect(count(isActive)).toBe(1);
  expect(count({ ...isActive, comparison_operator: '!=' })).toBe(0);
  expect(count(isEmployee)).toBe(1);
  expect(count({ ...isEmployee, comparison_operator: '!=' })).toBe(0);
  expect(count({ ...isActive, value: 'Inactive' })).toBe(0);
  expect(count(isActive, isEmployee)).toBe(1);
  expect(count(isActive, { ...isEmployee, value: 't2' })).toBe(0);
  expect(count({ condition_object_id: 'unknown', value: 'x' })).toBe(0);
  expect(count()).toBe(1);
});

describe('a rule that the documents do not allow', () => {
  const text = { condition_object_id: 'a1', value: 'x' };
  const date = { condition_object_id: 'a2', value: '1 after' };
  it.each<[string, Partial<ConditionRule>]>([
    ['a status that does not exist', { type: 'ProfileStatusRule', value: 'Gone' }],
    ['an operator on a status', { type: 'ProfileStatusRule', value: 'Active', comparison_operator: '>' }],
    ['a type that does not exist', { type: 'ProfileTypeRule', value: 't2' }],
    ['an operator on a type', { type: 'ProfileTypeRule', value: 't1', comparison_operator: 'include?' }],
    ['an attribute that does not exist', { condition_object_id: 'a9', value: 'x' }],
    ['an operator of dates on a text', { ...text, comparison_operator: 'before' }],
    ['an operator of texts on a date', { ...date, comparison_operator: 'include?' }],
    ['not equal on a date', { ...date, comparison_operator: '!=' }],
    ['a distance where a date is needed', { ...date, comparison_operator: 'before' }],
    ['a date where a distance is needed', { ...date, value: '01.01.2026' }],
    ['a day that does not exist', { ...date, comparison_operator: 'after', value: '30.02.2026' }],
    ['a distance without a side', { ...date, value: '3' }],
    ['a profile that does not exist', { condition_object_id: 'a4', value: 'P' }],
    ['a user that does not exist', { condition_object_id: 'a5', value: 'p1' }],
    ['a distance of too many days', { ...date, value: '1234567 after' }],
    ['an operator of other hosts', { ...text, comparison_operator: 'exclude?' }],
    ['a type of other hosts', { type: 'RiskRule', value: '70' }],
    ['a field of other hosts', { ...text, more: { risk_kind: 'overall' } }],
  ])('%s', (_, more) => {
    expect(() => checkRule(rule(more), state)).toThrow();
  });

  it.each<[Partial<ConditionRule>]>([
    [{ type: 'ProfileStatusRule', value: 'Active', comparison_operator: '!=' }],
    [{ type: 'ProfileTypeRule', value: 't1' }],
    [{ ...text, comparison_operator: 'end_with?' }],
    [date],
    [{ condition_object_id: 'a4', value: 'p1', comparison_operator: 'include?' }],
    [{ condition_object_id: 'a5', value: 'u1' }],
    [{ ...date, comparison_operator: 'before', value: '28.02.2026' }],
  ])('is none where it is %j', (more) => {
    expect(() => checkRule(rule(more), state)).not.toThrow();
  });
});
