import { idText } from '../kinds/http.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import type { Resource } from '../kinds/resource.ts';
import { get, getText, isArray, isObject, type JsonObject } from '../model/json.ts';
import type { Finding } from '../model/lint.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { cutShort, didYouMean } from '../model/words.ts';

/** Seed 002, "ProfileStatusRule". */
const statuses = ['Active', 'Inactive', 'Leave of absence', 'Terminated'];
/** Seed 002, "ProfileAttributeRule": the basic operators, with one that only hosts know, and those of date attributes. */
const basicOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?', 'exclude?'];
const absoluteOperators = ['before', 'after'];
const distanceOperators = ['>', '<', '=='];
const dateOperators = [...absoluteOperators, ...distanceOperators];

/** The members of a rule: those of the documents, and those that hosts are known to have. */
const ruleMembers = [
  ...['type', 'object_type', 'condition_object_type', 'condition_object_id'],
  ...['comparison_operator', 'value', 'secondary_value', 'tertiary_value', 'secondary_attribute_id'],
];

const distance = /^\d+ (?:before|after)$/;
/** Some hosts write a distance from today as this, with its side and days in further members. */
const today = 'Today';
/** Words such as `tomorrow` are meant as dates. */
const attributeName = /^(?!(?:now|today|tomorrow|yesterday)$)[a-z]\w*$/i;
/** Wrong ways to write a number of days: `30 days before`, `before 30`, `-30`. */
const likeDistance =
  /^\s*(?:[-+]?\d+\s*(?:days?)?\s*(?:before|after|ago)|(?:before|after)\s*\d+(?:\s*days?)?)\s*$/i;

/** The rows of collections (seed 002) by their names; those are absent that the tenant was not asked for. */
type RecordRows = ReadonlyMap<string, readonly JsonObject[]>;

/** A lookup or secret in it is no text. */
interface Rule {
  readonly index: number;
  readonly fields: JsonObject;
}

function rulesOf(search: Resource): Rule[] {
  const rules = get(search.fields, 'rules');
  if (!isArray(rules)) return [];
  return rules.flatMap((fields, index) => (isObject(fields) ? [{ index, fields }] : []));
}

const textIn = ({ fields }: Rule, name: string): string | null => getText(fields, name);

const operatorsOf: Readonly<Record<string, readonly string[]>> = {
  ProfileStatusRule: ['==', '!='],
  ProfileTypeRule: ['==', '!='],
  ProfileAttributeRule: [...basicOperators, ...absoluteOperators],
};

/** Findings about the rules of a saved search (seed 002, "Condition rule"). */
export function lintSearch(resource: Resource, records: RecordRows = new Map()): Finding[] {
  return rulesOf(resource).flatMap((rule) => {
    // Members are sent as they are, since hosts know more than the documents; one of them may be a typo.
    const set = Object.keys(rule.fields).filter((name) => get(rule.fields, name) !== null);
    const unknown = set.filter((name) => !ruleMembers.includes(name));
    const members = unknown.flatMap((name) => {
      const message = `\`${cutShort(name)}\` is a member of rules that tenantctl does not know; it is sent as it is.`;
      return finding('rule-member', at(rule, name), message, didYouMean(name, ruleMembers));
    });
    return [...judgeRule(rule, records), ...members];
  });
}

export function collectionsFor(resources: readonly Resource[]): string[] {
  const rules = resources.filter(({ kind }) => kind === profileSearch).flatMap(rulesOf);
  const needed = rules.flatMap((rule) => {
    const type = textIn(rule, 'type');
    if (type === 'ProfileAttributeRule') return attributes.name;
    // An id that comes from a lookup exists in the tenant.
    return type === 'ProfileTypeRule' && textIn(rule, 'value') !== null ? profileTypes.name : [];
  });
  return [...new Set(needed)];
}

function judgeRule(rule: Rule, records: RecordRows): Finding[] {
  const type = textIn(rule, 'type') ?? '';
  const operator = textIn(rule, 'comparison_operator');
  const operators = get(operatorsOf, type);
  if (!operators) return [];
  if (operator !== null && !operators.includes(operator)) {
    const message = `A ${type} has no operator \`${cutShort(operator)}\`.`;
    return finding('rule-operator', at(rule, 'comparison_operator'), message, useOneOf(operators));
  }
  if (type === 'ProfileAttributeRule') return judgeAttribute(rule, records);
  if (type === 'ProfileTypeRule') return findUnknown(profileTypes, rule, records);
  const value = textIn(rule, 'value');
  if (value === null || statuses.includes(value)) return [];
  const hint = didYouMean(value, statuses) ?? `The statuses are ${statuses.join(', ')}.`;
  return finding('rule-value', at(rule, 'value'), `There is no status \`${cutShort(value)}\`.`, hint);
}

const useOneOf = (operators: readonly string[]) => `Use one of ${operators.join(' ')}.`;

function judgeAttribute(rule: Rule, records: RecordRows): Finding[] {
  const [operator, value] = [textIn(rule, 'comparison_operator'), textIn(rule, 'value')];
  const attribute = textIn(rule, attributes.field);
  const unknown = findUnknown(attributes, rule, records);
  if (unknown.length > 0) return unknown;
  const row = records.get(attributes.name)?.find((each) => idOf(each) === attribute) ?? {};
  const type = getText(row, 'data_type') ?? getText(row, 'type');
  const isOfDate = type === null ? null : /date/i.test(type);
  const operators = isOfDate ? dateOperators : basicOperators;
  if (isOfDate !== null && operator !== null && !operators.includes(operator)) {
    const message = isOfDate
      ? `A date has no operator \`${operator}\`.`
      : `\`${operator}\` is for dates, and the attribute is not a date.`;
    return finding('rule-attribute', at(rule, 'comparison_operator'), message, useOneOf(operators));
  }
  if (isOfDate === false || operator === null || value === null || value === today) return [];
  if (absoluteOperators.includes(operator))
    return judgeDate(rule, value, getText(row, 'date_format'), records);
  // Without the type of the attribute, only what looks like a number of days is one.
  const isDistance = isOfDate || (distanceOperators.includes(operator) && likeDistance.test(value));
  if (!isDistance || distance.test(value)) return [];
  const message = `\`${operator}\` compares a date with a number of days from today, not with \`${cutShort(value)}\`.`;
  return finding('rule-distance', at(rule, 'value'), message, 'Write for example `30 before` or `30 after`.');
}

const names = ['uid', 'label', 'name'];

/** Judges the date, or the name of another date attribute, that a date is compared with. */
function judgeDate(rule: Rule, value: string, format: string | null, records: RecordRows): Finding[] {
  const other = { ...attributes, field: 'secondary_attribute_id' };
  if ((get(rule.fields, other.field) ?? null) !== null) return findUnknown(other, rule, records);
  const rows = records.get(attributes.name);
  const isName = rows
    ? rows.some((row) => names.some((name) => getText(row, name) === value))
    : attributeName.test(value);
  if (isName || isDate(value, format)) return [];
  const isOtherForm = mayBeDate(value);
  const form = isOtherForm ? ` in the form ${cutShort(format ?? '')}` : '';
  const message = `\`${textIn(rule, 'comparison_operator')}\` needs a date${form}, not \`${cutShort(value)}\`.`;
  const hint = distance.test(value)
    ? `Keep the value \`${value}\`, and use the operator \`>\`, \`<\` or \`==\`.`
    : null;
  return finding(isOtherForm ? 'rule-attribute' : 'rule-value', at(rule, 'value'), message, hint);
}

type RecordCollection = Pick<Finding, 'code'> & Readonly<Record<'noun' | 'name' | 'field', string>>;

const attributes: RecordCollection = {
  code: 'unknown-attribute',
  noun: 'attribute',
  name: 'ne_attributes',
  field: 'condition_object_id',
};
const profileTypes: RecordCollection = {
  code: 'unknown-profile-type',
  noun: 'profile type',
  name: 'profile_types',
  field: 'value',
};

/** A finding if the collection has no record with the id; none if the id or its rows are not known. */
function findUnknown({ code, noun, name: from, field }: RecordCollection, rule: Rule, records: RecordRows) {
  const rows = records.get(from);
  const id = textIn(rule, field);
  if (!rows || id === null || rows.some((row) => idOf(row) === id)) return [];
  const by = names.find((member) => rows.some((row) => getText(row, member) === id));
  const hint =
    by === undefined
      ? (didYouMean(id, rows.map(idOf)) ?? `Write it as \`!lookup { from: ${from}, where: …, take: id }\`.`)
      : `That is a ${by}. Write \`!lookup { from: ${from}, where: { ${by}: ${cutShort(id)} }, take: id }\`.`;
  const message = `The tenant has no ${noun} with the id \`${cutShort(id)}\`.`;
  return finding(code, at(rule, field), message, hint);
}

const idOf = (row: JsonObject): string => idText(get(row, 'id')) ?? '';

const at = ({ index }: Rule, field: string): Pointer => pointer('rules', index, field);

function finding(code: Finding['code'], place: Pointer, message: string, hint: string | null = null) {
  return [{ code, at: place, message, hint }];
}

/** True for a date in the form `format`: `YYYY`, `MM`, `DD` or `%Y`, `%m`, `%d` in any order. A form that cannot be read accepts any date. */
function isDate(text: string, format: string | null): boolean {
  const order: string[] = [];
  const digits: Readonly<Record<string, string>> = { y: '(\\d{4})', m: '(\\d{1,2})', d: '(\\d{1,2})' };
  const pattern = (format ?? '')
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/YYYY|MM|DD|%Y|%m|%d/gi, (token) => {
      const name = token.replace('%', '').charAt(0).toLowerCase();
      order.push(name);
      return digits[name] ?? '';
    });
  if (order.toSorted().join('') !== 'dmy' || pattern.length > 100) return mayBeDate(text);
  const parts = new RegExp(`^${pattern}$`).exec(text);
  if (!parts) return false;
  const [year = 0, month = 0, day = 0] = ['y', 'm', 'd'].map((name) =>
    Number(parts[order.indexOf(name) + 1]),
  );
  return isCalendarDay(year, month, day);
}

/** False for a day that does not exist, and for numbers of days. */
function mayBeDate(text: string): boolean {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(text);
  if (iso) return isCalendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const mixed = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text);
  if (mixed) {
    const [a, b, year] = [Number(mixed[1]), Number(mixed[2]), Number(mixed[3])];
    return isCalendarDay(year, a, b) || isCalendarDay(year, b, a);
  }
  return /\d{2}/.test(text) && !/\b(?:before|after|days?|ago)\b/i.test(text);
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  // A day that the month does not have is one of another month.
  return new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1;
}
