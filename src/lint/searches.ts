import { idText } from '../kinds/operation.ts';
import type { Resource } from '../kinds/resource.ts';
import { isArray, isObject, type JsonObject, own, textOf } from '../model/json.ts';
import type { LintCode } from '../model/lint.ts';
import { pointer } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';
import { isDate, mayBeDate } from './dates.ts';
import { type Finding, shorten } from './finding.ts';

/** Seed 002, "ProfileStatusRule". */
const statuses = ['Active', 'Inactive', 'Leave of absence', 'Terminated'];
/** Seed 002, "ProfileAttributeRule": the basic operators, with one that only hosts know, and those of date attributes. */
const basicOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?', 'exclude?'];
const absoluteOperators = ['before', 'after'];
const distanceOperators = ['>', '<', '=='];
const dateOperators = [...absoluteOperators, ...distanceOperators];
const operators: Readonly<Record<string, readonly string[]>> = {
  ProfileStatusRule: ['==', '!='],
  ProfileTypeRule: ['==', '!='],
  ProfileAttributeRule: [...basicOperators, ...absoluteOperators],
};

/** The members of a rule: those of the documents, and those that hosts are known to have. */
const ruleMembers = [
  ...['type', 'object_type', 'condition_object_type', 'condition_object_id'],
  ...['comparison_operator', 'value', 'secondary_value', 'tertiary_value'],
];

const distanceHint = 'Write for example `30 before` or `30 after`.';
const distance = /^\d+ (?:before|after)$/;
/** How some hosts write a distance from today, its side and its days in further members. */
const today = 'Today';
const sides = ['before', 'after'];
/** Wrong ways to write a number of days: `30 days before`, `before 30`, `-30`. */
const likeDistance =
  /^\s*(?:[-+]?\d+\s*(?:days?)?\s*(?:before|after|ago)|(?:before|after)\s*\d+(?:\s*days?)?)\s*$/i;

/** The rows of `ne_attributes` and `profile_types` (seed 002); absent if the tenant was not asked. */
export interface KnownRecords {
  readonly attributes?: readonly JsonObject[];
  readonly profileTypes?: readonly JsonObject[];
}

/** Picks the records that search rules refer to out of those of all collections. */
export function recordsIn(records: ReadonlyMap<string, readonly JsonObject[]>): KnownRecords {
  const [attributes, profileTypes] = [records.get('ne_attributes'), records.get('profile_types')];
  return { ...(attributes && { attributes }), ...(profileTypes && { profileTypes }) };
}

/** A rule of a saved search. */
interface Rule {
  readonly resource: Resource;
  readonly index: number;
  readonly type: string;
  readonly operator: string | null;
  /** `null` if it is a lookup or a secret. */
  readonly value: string | null;
  readonly attribute: string | null;
  /** The side of a distance from today that is written as `Today` with further members; else `null`. */
  readonly side: string | null;
  /** The members that tenantctl does not know. */
  readonly unknown: readonly string[];
}

/** The rules of a saved search. */
export function rulesOf(resource: Resource): Rule[] {
  const rules = own(resource.fields, 'rules');
  if (!isArray(rules)) return [];
  return rules.flatMap((rule, index) => {
    if (!isObject(rule)) return [];
    return {
      resource,
      index,
      type: textOf(rule, 'type') ?? '',
      operator: textOf(rule, 'comparison_operator'),
      value: textOf(rule, 'value'),
      attribute: textOf(rule, 'condition_object_id'),
      side: textOf(rule, 'value') === today ? textOf(rule, 'secondary_value') : null,
      unknown: Object.keys(rule).filter((name) => !ruleMembers.includes(name)),
    };
  });
}

/** Findings about the rules of a saved search (seed 002, "Condition rule"). */
export function lintSearch(resource: Resource, known: KnownRecords | null): Finding[] {
  return rulesOf(resource).flatMap((rule) => [...lintRule(rule, known), ...lintMembers(rule)]);
}

/** Members that are sent as they are, since hosts know more than the documents; one of them may be a typo. */
function lintMembers(rule: Rule): Finding[] {
  return rule.unknown.map((name) => {
    const message = `\`${shorten(name)}\` is not a member of rules that tenantctl knows; it is sent as it is`;
    const hint = didYouMean(name, ruleMembers);
    return { ...placeOf(rule, name), code: 'rule-member', message, hint };
  });
}

function lintRule(rule: Rule, known: KnownRecords | null): Finding[] {
  const { type, operator, value } = rule;
  const allowed = own(operators, type);
  if (allowed && operator !== null && !allowed.includes(operator)) {
    const message = `A ${type} has no operator \`${shorten(operator)}\``;
    return [operatorFinding('rule-operator', rule, message, `Use one of ${allowed.join(' ')}.`)];
  }
  switch (type) {
    case 'ProfileStatusRule': {
      if (value === null || statuses.includes(value)) return [];
      const hint = didYouMean(value, statuses) ?? `The statuses are ${statuses.join(', ')}.`;
      return [valueFinding('rule-value', rule, `There is no status \`${shorten(value)}\``, hint)];
    }
    case 'ProfileTypeRule':
      return findUnknown(profileTypes, rule, value, known?.profileTypes);
    case 'ProfileAttributeRule':
      return lintAttributeRule(rule, known);
    default:
      return [];
  }
}

function lintAttributeRule(rule: Rule, known: KnownRecords | null): Finding[] {
  if (rule.side !== null && !sides.includes(rule.side)) {
    const message = `\`secondary_value\` of a distance from today is \`before\` or \`after\`, not \`${shorten(rule.side)}\``;
    const hint = didYouMean(rule.side, sides);
    return [{ ...placeOf(rule, 'secondary_value'), code: 'rule-distance', message, hint }];
  }
  const rows = known?.attributes;
  const unknown = findUnknown(attributes, rule, rule.attribute, rows);
  if (unknown.length > 0) return unknown;
  const row = rows?.find((each) => idOf(each) === rule.attribute);
  const kind = row ? kindOf(row) : null;
  if (row && kind === 'date') return lintDateRule(rule, row);
  if (kind === 'other') return lintBasicRule(rule);
  return lintUnknownAttributeRule(rule);
}

/** The type of the attribute, or `null` if the tenant does not say. The documents do not name the member. */
function kindOf(row: JsonObject): 'date' | 'other' | null {
  const type = textOf(row, 'data_type') ?? textOf(row, 'type');
  if (type === null) return null;
  return /date/i.test(type) ? 'date' : 'other';
}

function lintDateRule(rule: Rule, row: JsonObject): Finding[] {
  const { operator, value } = rule;
  if (operator !== null && !dateOperators.includes(operator)) {
    const hint = `Use one of ${dateOperators.join(' ')}.`;
    return [operatorFinding('rule-attribute', rule, `A date has no operator \`${operator}\``, hint)];
  }
  if (value === null || operator === null || value === today) return [];
  const format = textOf(row, 'date_format');
  if (absoluteOperators.includes(operator)) {
    if (isDate(value, format)) return [];
    // Without a date in any form, the finding is the same as offline: an error.
    if (!mayBeDate(value)) return lintUnknownAttributeRule(rule);
    const date = format === null ? 'a date' : `a date in the form ${shorten(format)}`;
    return [valueFinding('rule-attribute', rule, `\`${operator}\` needs ${date}, not \`${shorten(value)}\``)];
  }
  if (distance.test(value)) return [];
  const message = `For a date, \`${operator}\` needs a number of days from today, not \`${shorten(value)}\``;
  return [valueFinding('rule-attribute', rule, message, distanceHint)];
}

function lintBasicRule(rule: Rule): Finding[] {
  const { operator } = rule;
  if (operator === null || basicOperators.includes(operator)) return [];
  const message = `\`${operator}\` is for dates, and the attribute is not a date`;
  const hint = `Use one of ${basicOperators.join(' ')}.`;
  return [operatorFinding('rule-attribute', rule, message, hint)];
}

/** Findings about operator and value alone, if the type of the attribute is not known. */
function lintUnknownAttributeRule(rule: Rule): Finding[] {
  const { operator, value } = rule;
  if (operator === null || value === null || value === today) return [];
  if (absoluteOperators.includes(operator)) {
    if (mayBeDate(value)) return [];
    const hint = distance.test(value)
      ? `Keep the value \`${value}\`, and use the operator \`>\`, \`<\` or \`==\`.`
      : null;
    const message = `\`${operator}\` needs a date, not \`${shorten(value)}\``;
    return [valueFinding('rule-value', rule, message, hint)];
  }
  if (!distanceOperators.includes(operator) || distance.test(value) || !likeDistance.test(value)) return [];
  const message = `\`${shorten(value)}\` is not a valid number of days`;
  return [valueFinding('rule-distance', rule, message, distanceHint)];
}

/** A collection of the tenant that rules refer to by id. */
interface Collection {
  readonly code: LintCode;
  /** What one of its records is called in messages. */
  readonly noun: string;
  readonly name: string;
  /** The field of a rule that holds the id. */
  readonly field: string;
}

const attributes: Collection = {
  code: 'unknown-attribute',
  noun: 'attribute',
  name: 'ne_attributes',
  field: 'condition_object_id',
};
const profileTypes: Collection = {
  code: 'unknown-profile-type',
  noun: 'profile type',
  name: 'profile_types',
  field: 'value',
};

/** A finding if the collection has no record with the id; none if id or rows are not known. */
function findUnknown(
  collection: Collection,
  rule: Rule,
  id: string | null,
  rows: readonly JsonObject[] | undefined,
): Finding[] {
  if (!rows || id === null || rows.some((row) => idOf(row) === id)) return [];
  const { code, noun, field } = collection;
  const message = `The tenant has no ${noun} with the id \`${shorten(id)}\``;
  return [{ ...placeOf(rule, field), code, message, hint: suggestLookup(id, rows, collection) }];
}

/** Suggests a lookup if the name was written instead of the id, else a similar id. */
function suggestLookup(word: string, rows: readonly JsonObject[], { name: from }: Collection): string {
  const by = ['uid', 'label', 'name'].find((member) => rows.some((row) => textOf(row, member) === word));
  if (by === undefined) {
    return (
      didYouMean(word, rows.map(idOf)) ?? `Write it as \`!lookup { from: ${from}, where: …, take: id }\`.`
    );
  }
  return `That is a ${by}. Write \`!lookup { from: ${from}, where: { ${by}: ${shorten(word)} }, take: id }\`.`;
}

function idOf(row: JsonObject): string {
  return idText(own(row, 'id')) ?? '';
}

function operatorFinding(code: LintCode, rule: Rule, message: string, hint: string): Finding {
  return { ...placeOf(rule, 'comparison_operator'), code, message, hint };
}

function valueFinding(code: LintCode, rule: Rule, message: string, hint: string | null = null): Finding {
  return { ...placeOf(rule, 'value'), code, message, hint };
}

function placeOf({ resource, index }: Rule, field: string): Pick<Finding, 'resource' | 'at'> {
  return { resource, at: pointer('rules', index, field) };
}
