import {
  isArray,
  type Json,
  type JsonObject,
  mapMembers,
  own,
  textOf,
  withoutNulls,
} from '../../model/json.ts';
import { answerNothing, type Variations } from '../host.ts';
import {
  attributeClass,
  type ConditionRule,
  type NeAttribute,
  newId,
  type Profile,
  type ProfileSearch,
  profileStates,
  ruleTypes,
  uidOf,
} from '../objects.ts';
import {
  type Call,
  deleteById,
  documented,
  findById,
  get,
  patch,
  post,
  type Query,
  remove,
  type Tenant,
} from '../operations.ts';
import { compareText, readFlag, readRange } from '../query.ts';
import { badRequest, okRead, okWrite, type Reply } from '../reply.ts';
import {
  bool,
  choice,
  json,
  list,
  members,
  object,
  objectOrEmpty,
  orNull,
  type Read,
  type Shape,
  text,
  textOrNull,
} from '../shape.ts';
import type { TenantState } from '../state.ts';

const defaultLimit = 100;

/** A collection, and the attributes that its records can be filtered and ordered by. */
interface Collection {
  /** The plural noun under which a wrapped answer holds the records. */
  readonly plural: string;
  /** Seed 002 sets a maximum for profiles only. For the others it promises no more than the default. */
  readonly maxLimit?: number;
  readonly attributes: readonly string[];
}

const profiles: Collection = {
  plural: 'profiles',
  maxLimit: 500,
  attributes: ['id', 'uid', 'name', 'status', 'profile_type_id'],
};

/** Query parameters that are not filters. */
const parameters = ['limit', 'offset', 'order', 'metadata'];

/** The collections of the profile-management interface. */
export const collections = documented('seed 002', [
  collection(
    { plural: 'users', attributes: ['id', 'uid', 'name', 'login', 'email', 'status'] },
    ({ state }) => state.users,
  ),
  collection(profiles, ({ state }) => state.profiles),
  collection(
    { plural: 'profile_types', attributes: ['id', 'uid', 'name', 'category'] },
    ({ state }) => state.profileTypes,
  ),
  collection(
    { plural: 'ne_attributes', attributes: ['id', 'uid', 'label', 'data_type'] },
    ({ state: { neAttributes }, variations }) =>
      variations.ruleObjectType === 'attribute_class'
        ? neAttributes.map((row) => ({ ...row, type: attributeClass(row) }))
        : neAttributes,
  ),
]);

function collection(of: Collection, recordsOf: (tenant: Tenant) => readonly JsonObject[]) {
  return get(
    `list-${of.plural.replaceAll('_', '-')}`,
    `/api/${of.plural}`,
    (call, tenant) => answerPage(of, recordsOf(tenant), call, tenant),
    [...parameters, '*'],
  );
}

/** Answers a collection request (seed 002): filters, order, one page, and metadata if requested. Throws a 400. */
function answerPage(
  { plural, maxLimit = defaultLimit, attributes }: Collection,
  records: readonly JsonObject[],
  { path, query }: Call,
  { variations }: Tenant,
): Reply {
  const { limit, offset } = readRange(query, maxLimit, defaultLimit);
  const matching = filterRecords(records, attributes, query, variations);
  const found = orderRecords(matching, attributes, query.get('order'));
  if (variations.offsetZero === 'refused' && query.get('offset') === '0')
    throw badRequest('offset must not be 0');
  const metadata = readFlag(query, 'metadata');
  const end = offset + limit;
  const page = found.slice(offset, end);
  const nothing = page.length === 0 ? answerNothing(plural, variations) : null;
  if (nothing) return nothing;
  if (variations.offsetBeyondEnd === 'refused' && offset > 0 && offset >= found.length)
    throw badRequest(`offset must be between 0 and ${Math.max(0, found.length - 1)}`);
  const wrapped = variations.collections === 'metadata' ? metadata : variations.collections === 'wrapped';
  if (!wrapped) return okRead(page);
  const next = end < found.length ? nextPage(path, query, limit, end) : null;
  const about = { limit, offset, total: found.length, next };
  return okRead({ [plural]: page, ...(metadata && { _metadata: about }) });
}

function filterRecords(
  records: readonly JsonObject[],
  attributes: readonly string[],
  query: Query,
  { unknownFilter }: Variations,
): readonly JsonObject[] {
  return [...query].reduce((left, [name, value]) => {
    if (parameters.includes(name)) return left;
    if (attributes.includes(name)) return left.filter((record) => (textOf(record, name) ?? '') === value);
    if (unknownFilter === 'ignored') return left;
    throw badRequest(`"${name}" is neither a parameter nor an attribute to filter by`);
  }, records);
}

function orderRecords(
  records: readonly JsonObject[],
  attributes: readonly string[],
  by: string | undefined,
): readonly JsonObject[] {
  if (by === undefined) return records;
  if (!attributes.includes(by)) throw badRequest(`order: "${by}" is not one of ${attributes.join(', ')}`);
  return records.toSorted((a, b) => compareText(textOf(a, by) ?? '', textOf(b, by) ?? ''));
}

function nextPage(path: string, query: Query, limit: number, offset: number): string {
  const next = new URLSearchParams([...query]);
  next.set('limit', String(limit));
  next.set('offset', String(offset));
  return `${path}?${next}`;
}

const searches = '/api/advanced_search';

export const profileSearches = documented('api-notes', [
  get('list-profile-searches', searches, (_call, tenant) => {
    const shown = tenant.state.profileSearches.map((search) => showSearch(search, tenant));
    const nothing = shown.length === 0 ? answerNothing('advanced_searches', tenant.variations) : null;
    return nothing ?? okRead({ advanced_search: shown });
  }),
  post('create-profile-search', searches, createSearch),
  patch('patch-profile-search', `${searches}/{id}`, patchSearch, 'application/json'),
  // Only on hosts that have it.
  remove('delete-profile-search', `${searches}/{id}`, (call, { state }) =>
    deleteById(state.profileSearches, call, 'profile search', state),
  ),
  // Runs rules without saving them.
  {
    ...post('run-profile-search', `${searches}/run`, (call, tenant) => {
      const sent = readSearch(call, { label: textOrNull, ...rulesOf(tenant) });
      const draft: ProfileSearch = { id: 'unsaved', uid: 'unsaved', label: 'unsaved', rules: [] };
      return run(updateRules(draft, sent.condition_rules_attributes, tenant), call, tenant);
    }),
    query: parameters,
  },
  get(
    'run-saved-profile-search',
    `${searches}/{id}/run`,
    (call, tenant) => run(findSearch(call, tenant).rules, call, tenant),
    parameters,
  ),
]);

const findSearch = (call: Call, { state }: Tenant): ProfileSearch =>
  findById(state.profileSearches, call, 'profile search');

function run(rules: readonly ConditionRule[], call: Call, tenant: Tenant): Reply {
  return answerPage(profiles, findProfiles(rules, tenant.state, tenant.now()), call, tenant);
}

/** The tenant makes a uid if none is sent. */
function createSearch(call: Call, tenant: Tenant): Reply {
  const { state } = tenant;
  const sent = readSearch(call, { label: text, uid: textOrNull, ...rulesOf(tenant) });
  const { label } = sent;
  const id = newId(state, 'ProfileSearch', label, state.profileSearches);
  const search: ProfileSearch = { id, label, uid: sent.uid ?? uidOf(label), rules: [] };
  search.rules = updateRules(search, sent.condition_rules_attributes, tenant);
  state.profileSearches.push(search);
  return okWrite({ advanced_search: showSearch(search, tenant) });
}

/** Rules are nested records; those that are not sent stay as they are. */
function patchSearch(call: Call, tenant: Tenant): Reply {
  const search = findSearch(call, tenant);
  const { condition_rules_attributes: nested, ...sent } = readSearch(call, {
    label: textOrKept(search.label),
    uid: textOrKept(search.uid),
    ...rulesOf(tenant),
  });
  const rules = updateRules(search, nested, tenant);
  const remaining = new Set(rules.map((rule) => rule.id));
  if (search.rules.some((rule) => !remaining.has(rule.id))) tenant.state.generation += 1;
  Object.assign(search, { ...sent, rules });
  return okWrite({ advanced_search: showSearch(search, tenant) });
}

function readSearch<T extends object>({ body }: Call, shape: Shape<T>): T {
  const { advanced_search: search } = object({ advanced_search: json })(body, 'body');
  return object(shape)(search, 'advanced_search');
}

const textOrKept =
  (kept: string): Read<string> =>
  (value, at) =>
    value === undefined ? kept : text(value, at);

/**
 * The rules of `search` after the nested records of a body: changed and unchanged ones in their order, without removed
 * ones, then new ones. Throws a 400.
 */
function updateRules(search: ProfileSearch, nested: readonly SentRule[], tenant: Tenant): ConditionRule[] {
  const { state, variations } = tenant;
  const rules = new Map(search.rules.map((rule) => [rule.id, rule]));
  const seen = new Set<string>();
  const takeLive = (id: string, at: string): ConditionRule => {
    const live = search.rules.find((rule) => rule.id === id);
    if (live === undefined) throw badRequest(`${at}.id: the search has no rule ${id}`);
    if (seen.has(id)) throw badRequest(`${at}.id: rule ${id} is given twice`);
    seen.add(id);
    return live;
  };
  for (const sent of nested) {
    const live = sent.id === null ? null : takeLive(sent.id, sent.at);
    if (live && sent._destroy) {
      rules.delete(live.id);
      continue;
    }
    const rule = completeRule(sent, live);
    checkRule(rule, state, variations.searchRules);
    checkObjectType(sent, rule, tenant);
    const id = live?.id ?? newId(state, 'ConditionRule', search.id, [...rules.values(), ...search.rules]);
    rules.set(id, { ...rule, id });
  }
  return [...rules.values()];
}

/** The members of a rule that the documents know. */
const ruleShape = {
  id: textOrNull,
  type: orNull(choice(ruleTypes)),
  comparison_operator: textOrNull,
  value: textOrNull,
  condition_object_id: textOrNull,
  _destroy: bool(false),
};

/** A rule as a client sends it; null for what it leaves out. */
type SentRule = ReturnType<ReturnType<typeof readRule>>;

const rulesOf = ({ variations }: Tenant) => ({ condition_rules_attributes: list(readRule(variations)) });

const readRule =
  ({ ruleObjectType }: Variations) =>
  (value: Json | undefined, at: string) => {
    const typeName = nameOfObjectType(ruleObjectType);
    const sent = members(ruleShape, value, at);
    const more = mapMembers(objectOrEmpty(value, at), (member, name) =>
      Object.hasOwn(ruleShape, name) || name === typeName ? undefined : member,
    );
    if (sent.id === null && sent._destroy) throw badRequest(`${at}: _destroy needs the id of a rule`);
    const objectType = textOrNull(own(objectOrEmpty(value, at), typeName), `${at}.${typeName}`);
    return { ...sent, objectType, more, at };
  };

const nameOfObjectType = (way: Variations['ruleObjectType']): string =>
  way === 'object_type' ? way : 'condition_object_type';

/** Throws a 400 for a class that is not the one of the rule's attribute, or missing in a new rule. */
function checkObjectType({ objectType, at }: SentRule, rule: ConditionRule, tenant: Tenant): void {
  const [name, wanted] = objectTypeOf(rule, tenant);
  if (rule.id === '' && wanted !== null && objectType === null) throw badRequest(`${at}.${name} is required`);
  if (objectType !== null && objectType !== wanted) throw badRequest(`${at}.${name} must be ${wanted}`);
}

/** The member with the class of the rule's object, and the class; null for a rule without an object. */
function objectTypeOf(
  rule: ConditionRule,
  { state, variations: { ruleObjectType } }: Tenant,
): [name: string, value: string | null] {
  const name = nameOfObjectType(ruleObjectType);
  if (rule.type !== 'ProfileAttributeRule') return [name, null];
  const attribute = ruleObjectType === 'attribute_class' ? findAttribute(rule, state) : undefined;
  return [name, attribute ? attributeClass(attribute) : 'NeAttribute'];
}

/** The live rule with the sent fields. Throws a 400 if a required field is in neither of them. */
function completeRule({ at, ...sent }: SentRule, live: ConditionRule | null): ConditionRule {
  const type = sent.type ?? live?.type;
  const comparisonOperator = sent.comparison_operator ?? live?.comparison_operator;
  const value = sent.value ?? live?.value;
  if (type === undefined || comparisonOperator === undefined || value === undefined || value === '') {
    throw badRequest(`${at}: type, comparison_operator and value are required`);
  }
  const ofAttribute = type === 'ProfileAttributeRule';
  if (!ofAttribute && sent.condition_object_id !== null) {
    throw badRequest(`${at}.condition_object_id belongs to a ProfileAttributeRule only`);
  }
  const more = withoutNulls({ ...live?.more, ...sent.more });
  return {
    id: live?.id ?? '',
    type,
    comparison_operator: comparisonOperator,
    value,
    condition_object_id: ofAttribute ? (sent.condition_object_id ?? live?.condition_object_id ?? null) : null,
    ...(Object.keys(more).length > 0 && { more }),
  };
}

function showSearch({ id, uid, label, rules }: ProfileSearch, tenant: Tenant): Json {
  const shown = rules.map(({ more, condition_object_id, ...rule }) => {
    const [name, value] = objectTypeOf({ ...rule, condition_object_id }, tenant);
    return { ...rule, ...more, ...(value !== null && { [name]: value, condition_object_id }) };
  });
  return { id, uid, label, condition_rules_attributes: shown };
}

const basicOperators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?', 'exclude?'];
const dateOperators = ['before', 'after', '>', '<', '=='];

/** Milliseconds. */
const day = 24 * 60 * 60 * 1000;

/**
 * Throws a 400 if a rule breaks the tables of seed 002, or names a profile type or attribute that does not exist. With
 * `extended`, forms that the tables do not know are allowed (api-notes, "What hosts of this family really answer").
 */
export function checkRule(
  rule: ConditionRule,
  state: TenantState,
  searchRules: Variations['searchRules'] = 'contract',
): void {
  if (searchRules === 'contract') refuseExtended(rule);
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
    case 'RiskRule':
      // The documents say nothing about it.
      return;
  }
}

function refuseExtended({ type, comparison_operator, more }: ConditionRule): void {
  const members = Object.keys(more ?? {});
  if (members.length > 0) throw badRequest(`A rule has unknown fields: ${members.join(', ')}`);
  if (type === 'RiskRule') throw badRequest('type must not be RiskRule');
  if (comparison_operator === 'exclude?') throw badRequest('comparison_operator must not be exclude?');
}

function checkAttributeRule(rule: ConditionRule, state: TenantState): void {
  const attribute = findAttribute(rule, state);
  if (attribute === undefined) {
    throw badRequest(`condition_object_id: there is no attribute ${rule.condition_object_id}`);
  }
  if (attribute.data_type !== 'date') {
    requireOneOf(rule.comparison_operator, basicOperators, 'comparison_operator');
    checkRecordId(rule.value, attribute, state);
    return;
  }
  requireOneOf(rule.comparison_operator, dateOperators, 'comparison_operator');
  if (comparesWithDate(rule.comparison_operator)) {
    const other = textOf(rule.more ?? {}, 'secondary_attribute_id');
    if (state.neAttributes.some(({ id, uid }) => id === other && uid === rule.value)) return;
    if (parseDate(rule.value, attribute.date_format) === null) {
      throw badRequest(`value must be a date in the form ${attribute.date_format ?? 'YYYY-MM-DD'}`);
    }
  } else if (parseDistance(distanceOf(rule)) === null) {
    throw badRequest('value must be of the form "X before" or "X after", X being a number of days');
  }
}

/** An attribute that selects or searches profiles or users is compared with the id of one (seed 002). */
function checkRecordId(value: string, { data_type }: NeAttribute, { profiles, users }: TenantState): void {
  const noun = /^(profile|user)_/.exec(data_type)?.[1];
  if (noun === undefined) return;
  const records = noun === 'user' ? users : profiles;
  if (!records.some(({ id }) => id === value)) throw badRequest(`value: there is no ${noun} ${value}`);
}

function requireOneOf(value: string, values: readonly string[], name: string): void {
  if (!values.includes(value))
    throw badRequest(`${name} must be one of ${values.join(', ')}, not "${value}"`);
}

/** The profiles that match every rule on the day of `now` (milliseconds since 1970, UTC). */
export function findProfiles(rules: readonly ConditionRule[], state: TenantState, now: number): Profile[] {
  const tests = rules.map((rule) => compileRule(rule, state, now));
  return state.profiles.filter((profile) => tests.every((test) => test(profile)));
}

function compileRule(rule: ConditionRule, state: TenantState, now: number): (profile: Profile) => boolean {
  const same = rule.comparison_operator === '==';
  switch (rule.type) {
    case 'ProfileStatusRule':
      return ({ status }) => (status === rule.value) === same;
    case 'ProfileTypeRule':
      return ({ profile_type_id }) => (profile_type_id === rule.value) === same;
    case 'ProfileAttributeRule': {
      const attribute = findAttribute(rule, state);
      return (profile) => attribute !== undefined && matchesAttribute(rule, attribute, profile, now);
    }
    case 'RiskRule':
      // The embedded tenant knows no risks.
      return () => true;
  }
}

/** The attribute that a rule is about. */
function findAttribute(
  rule: Pick<ConditionRule, 'condition_object_id'>,
  { neAttributes }: TenantState,
): NeAttribute | undefined {
  return neAttributes.find(({ id }) => id === rule.condition_object_id);
}

function matchesAttribute(
  rule: ConditionRule,
  attribute: NeAttribute,
  profile: Profile,
  now: number,
): boolean {
  const value = Object.hasOwn(profile.attributes, attribute.uid) ? profile.attributes[attribute.uid] : null;
  const texts = toTexts(value ?? null);
  if (attribute.data_type === 'date') {
    return texts.some((text) => matchesDate(rule, text, attribute.date_format, now));
  }
  if (rule.comparison_operator === '!=') return !texts.includes(rule.value);
  if (rule.comparison_operator === 'exclude?') return !texts.some((text) => text.includes(rule.value));
  return texts.some((text) => matchesText(rule, text));
}

/** The values of an attribute as text; none if it is empty. */
function toTexts(value: Json): string[] {
  if (isArray(value)) return value.flatMap(toTexts);
  return value === null || value === '' ? [] : [String(value)];
}

function matchesText({ comparison_operator, value }: ConditionRule, text: string): boolean {
  switch (comparison_operator) {
    case '==':
      return text === value;
    case '>':
      return compareValues(text, value) > 0;
    case '<':
      return compareValues(text, value) < 0;
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

/** Compares as numbers if both are numbers, else by code unit. */
function compareValues(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (!Number.isNaN(difference)) return difference;
  return compareText(a, b);
}

/** True when the operator compares with a date instead of a distance from today (seed 002). */
function comparesWithDate(operator: string): boolean {
  return operator === 'before' || operator === 'after';
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

/** The distance from today that a rule names, also as `Today` with further members. */
function distanceOf({ value, more }: ConditionRule): string {
  if (value !== 'Today' || !more) return value;
  return `${textOf(more, 'tertiary_value') ?? '0'} ${textOf(more, 'secondary_value') ?? 'after'}`;
}

/** Parses `X before` or `X after`, X being a number of days; null if it is neither. */
function parseDistance(text: string): { readonly days: number; readonly side: 'before' | 'after' } | null {
  const match = /^(\d{1,6}) (before|after)$/.exec(text);
  if (match === null) return null;
  return { days: Number(match[1]), side: match[2] === 'before' ? 'before' : 'after' };
}

/** True when the date `text` matches a rule on a date attribute; false if it is not a date. */
function matchesDate(rule: ConditionRule, text: string, format: string | null, now: number): boolean {
  const date = parseDate(text, format);
  if (date === null) return false;
  if (comparesWithDate(rule.comparison_operator)) {
    const limit = parseDate(rule.value, format);
    if (limit === null) return false;
    return rule.comparison_operator === 'before' ? date < limit : date > limit;
  }
  const wanted = parseDistance(distanceOf(rule));
  if (wanted === null) return false;
  const today = Math.floor(now / day);
  const distance = wanted.side === 'after' ? date - today : today - date;
  switch (rule.comparison_operator) {
    case '>':
      return distance > wanted.days;
    case '<':
      return distance >= 0 && distance < wanted.days;
    default:
      return distance === wanted.days;
  }
}
