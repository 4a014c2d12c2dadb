import { isArray, isObject, type JsonObject, own, textOf } from '../model/json.ts';
import type { LintCode } from '../model/lint.ts';
import { pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';
import { isDate, mayBeDate } from './dates.ts';
import { brief, type Finding } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';

/** Seed 002, "ProfileStatusRule". */
const statuses = ['Active', 'Inactive', 'Leave of absence', 'Terminated'];
/** Seed 002, "ProfileAttributeRule": the basic operators, and those of date attributes. */
const basicOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?'];
const absoluteOperators = ['before', 'after'];
const distanceOperators = ['>', '<', '=='];
const operators: Readonly<Record<string, readonly string[]>> = {
  ProfileStatusRule: ['==', '!='],
  ProfileTypeRule: ['==', '!='],
  ProfileAttributeRule: [...basicOperators, ...absoluteOperators],
};

const distance = /^\d+ (?:before|after)$/;
/** What people write who mean a number of days: `30 days before`, `before 30`, `-30`. */
const likeDistance =
  /^\s*(?:[-+]?\d+\s*(?:days?)?\s*(?:before|after|ago)|(?:before|after)\s*\d+(?:\s*days?)?)\s*$/i;

interface Rule {
  readonly resource: Resource;
  readonly index: number;
  readonly type: string;
  readonly operator: string | null;
  /** `null` where a lookup or secret stands. */
  readonly value: string | null;
  readonly attribute: string | null;
}

/** What is wrong with the rules of a saved search (seed 002, "Condition rule"). */
export function searchFindings(resource: Resource, known: LintKnowledge | null): Finding[] {
  const rules = own(resource.fields, 'rules');
  if (!isArray(rules)) return [];
  return rules.flatMap((rule, index) => {
    if (!isObject(rule)) return [];
    return ruleFindings(
      {
        resource,
        index,
        type: textOf(rule, 'type') ?? '',
        operator: textOf(rule, 'comparison_operator'),
        value: textOf(rule, 'value'),
        attribute: textOf(rule, 'condition_object_id'),
      },
      known,
    );
  });
}

function ruleFindings(rule: Rule, known: LintKnowledge | null): Finding[] {
  const { type, operator, value } = rule;
  const allowed = Object.hasOwn(operators, type) ? operators[type] : undefined;
  if (allowed && operator !== null && !allowed.includes(operator)) {
    const message = `A ${type} has no operator \`${brief(operator)}\``;
    return [finding('rule-operator', rule, 'comparison_operator', message, `It has ${allowed.join(' ')}.`)];
  }
  switch (type) {
    case 'ProfileStatusRule': {
      if (value === null || statuses.includes(value)) return [];
      const hint = didYouMean(value, statuses) ?? `The statuses are ${statuses.join(', ')}.`;
      return [finding('rule-value', rule, 'value', `There is no status \`${brief(value)}\``, hint)];
    }
    case 'ProfileTypeRule':
      return unknownRecord('unknown-profile-type', rule, 'value', value, known?.profileTypes);
    case 'ProfileAttributeRule':
      return attributeFindings(rule, known);
    default:
      return [];
  }
}

function attributeFindings(rule: Rule, known: LintKnowledge | null): Finding[] {
  const rows = known?.attributes;
  const unknown = unknownRecord('unknown-attribute', rule, 'condition_object_id', rule.attribute, rows);
  if (unknown.length > 0) return unknown;
  const row = rows?.find((each) => idOf(each) === rule.attribute);
  const kind = row ? kindOf(row) : null;
  if (row && kind === 'date') return dateFindings(rule, row);
  if (kind === 'other') return basicFindings(rule);
  return guessedFindings(rule);
}

/** Whether the tenant describes the attribute as a date; the documents do not show under which name. */
function kindOf(row: JsonObject): 'date' | 'other' | null {
  const type = textOf(row, 'data_type') ?? textOf(row, 'type');
  if (type === null) return null;
  return /date/i.test(type) ? 'date' : 'other';
}

function dateFindings(rule: Rule, row: JsonObject): Finding[] {
  const { operator, value } = rule;
  if (operator !== null && ![...absoluteOperators, ...distanceOperators].includes(operator)) {
    const hint = `Use one of ${[...absoluteOperators, ...distanceOperators].join(' ')}.`;
    return [
      finding('rule-attribute', rule, 'comparison_operator', `A date has no operator \`${operator}\``, hint),
    ];
  }
  if (value === null || operator === null) return [];
  const format = textOf(row, 'date_format');
  if (absoluteOperators.includes(operator)) {
    if (isDate(value, format)) return [];
    // What is no date of any form is refused offline already, and stays as grave.
    if (!mayBeDate(value)) return guessedFindings(rule);
    const wanted = `\`${operator}\` compares with a date${format === null ? '' : ` in the form ${brief(format)}`}`;
    return [finding('rule-attribute', rule, 'value', `${wanted}, not with \`${brief(value)}\``)];
  }
  if (distance.test(value)) return [];
  const message = `With a date, \`${operator}\` compares days from today, not \`${brief(value)}\``;
  return [finding('rule-attribute', rule, 'value', message, 'Write for example `30 before` or `30 after`.')];
}

function basicFindings(rule: Rule): Finding[] {
  const { operator } = rule;
  if (operator === null || basicOperators.includes(operator)) return [];
  const message = `\`${operator}\` is for dates, and the attribute is none`;
  const hint = `Use one of ${basicOperators.join(' ')}.`;
  return [finding('rule-attribute', rule, 'comparison_operator', message, hint)];
}

/** What operator and value tell without the attribute. */
function guessedFindings(rule: Rule): Finding[] {
  const { operator, value } = rule;
  if (operator === null || value === null) return [];
  if (absoluteOperators.includes(operator)) {
    if (mayBeDate(value)) return [];
    const hint = distance.test(value)
      ? `Write \`>\`, \`<\` or \`==\` as the operator, and \`${value}\` stays the value.`
      : null;
    const message = `\`${operator}\` compares with a date, not with \`${brief(value)}\``;
    return [finding('rule-value', rule, 'value', message, hint)];
  }
  if (!distanceOperators.includes(operator) || distance.test(value) || !likeDistance.test(value)) return [];
  const hint = 'Write for example `30 before` or `30 after`.';
  return [finding('rule-distance', rule, 'value', `\`${brief(value)}\` is no number of days`, hint)];
}

function unknownRecord(
  code: 'unknown-attribute' | 'unknown-profile-type',
  rule: Rule,
  field: string,
  id: string | null,
  rows: readonly JsonObject[] | undefined,
): Finding[] {
  if (!rows || id === null || rows.some((row) => idOf(row) === id)) return [];
  const what = code === 'unknown-attribute' ? 'attribute' : 'profile type';
  return [
    finding(
      code,
      rule,
      field,
      `The tenant has no ${what} with the id \`${brief(id)}\``,
      hintFor(id, rows, code),
    ),
  ];
}

/** People write the name where an id belongs. */
function hintFor(word: string, rows: readonly JsonObject[], code: LintCode): string {
  const from = code === 'unknown-attribute' ? 'ne_attributes' : 'profile_types';
  const names = ['uid', 'label', 'name'];
  const by = names.find((name) => rows.some((row) => textOf(row, name) === word));
  if (by === undefined) {
    return (
      didYouMean(word, rows.map(idOf)) ?? `Write it as \`!lookup { from: ${from}, where: …, take: id }\`.`
    );
  }
  return `That is a ${by}. Write \`!lookup { from: ${from}, where: { ${by}: ${brief(word)} }, take: id }\`.`;
}

function idOf(row: JsonObject): string {
  const id = own(row, 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

function finding(
  code: LintCode,
  rule: Rule,
  field: string,
  message: string,
  hint: string | null = null,
): Finding {
  return { code, message, hint, resource: rule.resource, at: pointer('rules', rule.index, field) };
}
