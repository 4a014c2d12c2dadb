import {
  get,
  getText,
  isArray,
  type Json,
  type JsonObject,
  mapMembers,
  withoutNulls,
} from '../../model/json.ts';
import {
  answerNothing,
  filtersOf,
  listAttributes,
  listProfilesOf,
  objectTypeName,
  objectTypeOf,
  refuseMetadata,
} from '../host.ts';
import {
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
  patch,
  post,
  type Query,
  read,
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
import type { Variations } from '../ways.ts';

const defaultLimit = 100;

/** A collection, and the attributes that its records can be filtered and ordered by. */
interface ServedCollection {
  /** The plural noun under which a wrapped answer holds the records. */
  readonly plural: string;
  /** Seed 002 sets a maximum for profiles only. For the others it promises no more than the default. */
  readonly maxLimit?: number;
  readonly attributes: readonly string[];
}

const profiles: ServedCollection = {
  plural: 'profiles',
  maxLimit: 500,
  attributes: ['id', 'uid', 'name', 'status', 'profile_type_id'],
};

const parameters = ['limit', 'offset', 'order', 'metadata'];

export const collections = documented('seed 002', [
  collection(
    { plural: 'users', attributes: ['id', 'uid', 'name', 'login', 'email', 'status'] },
    ({ state }) => state.users,
  ),
  collection(profiles, ({ state, variations }) => listProfilesOf(state.profiles, variations)),
  collection(
    { plural: 'profile_types', attributes: ['id', 'uid', 'name', 'category'] },
    ({ state }) => state.profileTypes,
  ),
  collection(
    { plural: 'ne_attributes', attributes: ['id', 'uid', 'label', 'data_type'] },
    ({ state, variations }) => listAttributes(state.neAttributes, variations),
  ),
]);

function collection(of: ServedCollection, recordsOf: (tenant: Tenant) => readonly JsonObject[]) {
  return read(
    `list-${of.plural.replaceAll('_', '-')}`,
    `/api/${of.plural}`,
    (call, tenant) => answerPage(of, recordsOf(tenant), call, tenant),
    [...parameters, '*'],
  );
}

/** Answers a collection request (seed 002): filters, order, one page, and metadata if requested. Throws a 400. */
function answerPage(
  { plural, maxLimit = defaultLimit, attributes }: ServedCollection,
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
  host: Variations,
): readonly JsonObject[] {
  const filters = filtersOf(attributes, host);
  return [...query].reduce((left, [name, value]) => {
    if (parameters.includes(name)) return left;
    if (filters.includes(name)) return left.filter((record) => (getText(record, name) ?? '') === value);
    if (host.unknownFilter === 'ignored') return left;
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
  return records.toSorted((a, b) => compareText(getText(a, by) ?? '', getText(b, by) ?? ''));
}

function nextPage(path: string, query: Query, limit: number, offset: number): string {
  const next = new URLSearchParams([...query]);
  next.set('limit', String(limit));
  next.set('offset', String(offset));
  return `${path}?${next}`;
}

const searches = '/api/advanced_search';

export const profileSearches = documented('api-notes', [
  read('list-profile-searches', searches, (_call, tenant) => {
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
      const sent = readSearch(call, { label: textOrNull, ...nestedRules });
      const draft: ProfileSearch = { id: 'unsaved', uid: 'unsaved', label: 'unsaved', rules: [] };
      return run(updateRules(draft, sent.condition_rules_attributes, tenant), call, tenant);
    }),
    query: parameters,
  },
  read(
    'run-saved-profile-search',
    `${searches}/{id}/run`,
    (call, tenant) => run(findSearch(call, tenant).rules, call, tenant),
    parameters,
  ),
]);

const findSearch = (call: Call, { state }: Tenant): ProfileSearch =>
  findById(state.profileSearches, call, 'profile search');

function run(rules: readonly ConditionRule[], call: Call, tenant: Tenant): Reply {
  refuseMetadata(call.query, tenant.variations);
  const found = findProfiles(rules, tenant.state, tenant.now());
  return answerPage(profiles, listProfilesOf(found, tenant.variations), call, tenant);
}

function createSearch(call: Call, tenant: Tenant): Reply {
  const { state } = tenant;
  const sent = readSearch(call, { label: text, uid: textOrNull, ...nestedRules });
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
    ...nestedRules,
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

/** The rules of `search` after the nested records of a body: old ones in their order, then new ones. Throws a 400. */
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
  const typeName = objectTypeName(variations);
  for (const sent of nested) {
    const live = sent.id === null ? null : takeLive(sent.id, sent.at);
    if (live && sent._destroy) {
      rules.delete(live.id);
      continue;
    }
    const { [typeName]: objectType = null, ...more } = sent.more;
    const rule = completeRule({ ...sent, more }, live);
    checkRule(rule, state, variations.searchRules);
    const wanted = objectTypeOf(rule, findAttribute(rule, state), variations);
    if (!live && wanted !== null && objectType === null)
      throw badRequest(`${sent.at}.${typeName} is required`);
    if (objectType !== null && objectType !== wanted)
      throw badRequest(`${sent.at}.${typeName} must be ${wanted}`);
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
type SentRule = ReturnType<typeof readRule>;

function readRule(value: Json | undefined, at: string) {
  const sent = members(ruleShape, value, at);
  if (sent.id === null && sent._destroy) throw badRequest(`${at}: _destroy needs the id of a rule`);
  const more = mapMembers(objectOrEmpty(value, at), (member, name) =>
    Object.hasOwn(ruleShape, name) ? undefined : member,
  );
  return { ...sent, more, at };
}

const nestedRules = { condition_rules_attributes: list(readRule) };

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

function showSearch(search: ProfileSearch, { state, variations }: Tenant): Json {
  const { id, uid, label, rules } = search;
  const shown = rules.map(({ more, condition_object_id, ...rule }) => {
    const attribute = findAttribute({ condition_object_id }, state);
    const objectType = objectTypeOf(rule, attribute, variations);
    const object = objectType !== null && { [objectTypeName(variations)]: objectType, condition_object_id };
    return { ...rule, ...more, ...object };
  });
  return { id, uid, label, condition_rules_attributes: shown };
}

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
        equality ?? notOneOf(value, profileStates, 'value') ?? (({ status }) => (status === value) === isSame)
      );
    case 'ProfileTypeRule':
      if (!state.profileTypes.some(({ id }) => id === value))
        return `value: there is no profile type ${value}`;
      return equality ?? (({ profile_type_id }) => (profile_type_id === value) === isSame);
    case 'ProfileAttributeRule': {
      const attribute = findAttribute(rule, state);
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

function findAttribute(
  rule: Pick<ConditionRule, 'condition_object_id'>,
  { neAttributes }: TenantState,
): NeAttribute | undefined {
  return neAttributes.find(({ id }) => id === rule.condition_object_id);
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
  const test = get(textTests, operator);
  if (!test)
    return `comparison_operator must be one of ${Object.keys(textTests).join(', ')}, not "${operator}"`;
  return unknownRecord(value, attribute, state) ?? ((profile) => test(textsOf(profile), value));
}

function toTexts(value: Json): string[] {
  if (isArray(value)) return value.flatMap(toTexts);
  return value === null || value === '' ? [] : [String(value)];
}

const textTests: Readonly<Record<string, (texts: readonly string[], value: string) => boolean>> = {
  '==': (texts, value) => texts.includes(value),
  '!=': (texts, value) => !texts.includes(value),
  '>': (texts, value) => texts.some((text) => compareValues(text, value) > 0),
  '<': (texts, value) => texts.some((text) => compareValues(text, value) < 0),
  'start_with?': (texts, value) => texts.some((text) => text.startsWith(value)),
  'end_with?': (texts, value) => texts.some((text) => text.endsWith(value)),
  'include?': (texts, value) => texts.some((text) => text.includes(value)),
  'exclude?': (texts, value) => !texts.some((text) => text.includes(value)),
};

function compareValues(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) ? compareText(a, b) : difference;
}

/** An attribute that selects or searches profiles or users is compared with the id of one (seed 002). */
function unknownRecord(
  value: string,
  { data_type }: NeAttribute,
  { profiles, users }: TenantState,
): string | null {
  const noun = /^(profile|user)_/.exec(data_type)?.[1];
  const records = { profile: profiles, user: users }[noun ?? ''];
  return !records || records.some(({ id }) => id === value) ? null : `value: there is no ${noun} ${value}`;
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
  const [, days, side] = /^(\d{1,6}) (before|after)$/.exec(distanceOf(rule)) ?? [];
  if (side === undefined)
    return 'value must be of the form "X before" or "X after", X being a number of days';
  const today = Math.floor(now / day);
  const distance = (date: number) => (side === 'after' ? date - today : today - date);
  if (operator === '>') return (date) => distance(date) > Number(days);
  if (operator === '<') return (date) => distance(date) >= 0 && distance(date) < Number(days);
  return (date) => distance(date) === Number(days);
}

function distanceOf({ value, more }: ConditionRule): string {
  if (value !== 'Today' || !more) return value;
  return `${getText(more, 'tertiary_value') ?? '0'} ${getText(more, 'secondary_value') ?? 'after'}`;
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
