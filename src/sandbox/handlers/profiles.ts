import { getText, isArray, type Json, type JsonObject, mapMembers, withoutNulls } from '../../model/json.ts';
import { type ConditionRule, commonMembers, newId, uidOf } from '../objects.ts';
import {
  badRequest,
  type Call,
  deleteByPath,
  findByPath,
  ok,
  operation,
  type Reply,
  type Tenant,
} from '../operations.ts';
import { checkRule, findProfiles, readFlag, readRange, sortRecords } from '../query.ts';
import { bool, list, members, object, objectOrEmpty, type Read, text, textOrNull } from '../shape.ts';
import type { TenantState } from '../state.ts';
import type { Variations } from '../ways.ts';

type NeAttribute = TenantState['neAttributes'][number];
type ProfileSearch = TenantState['profileSearches'][number];

const defaultLimit = 100;

/** A collection, and the attributes that its records can be filtered and ordered by. */
interface ServedCollection {
  /** The plural noun under which a wrapped answer holds the records. */
  readonly plural: string;
  /** Seed 002 sets a maximum for profiles only. For the others it promises no more than the default. */
  readonly maxLimit?: number;
  readonly attributes: readonly string[];
}

const ofProfiles: ServedCollection = {
  plural: 'profiles',
  maxLimit: 500,
  attributes: ['id', 'uid', 'name', 'status', 'profile_type_id'],
};

const parameters = 'limit&offset&order&metadata';

const searches = '/api/advanced_search';

/** Seed 002, and api-notes. */
export const profiles = [
  collection(
    { plural: 'users', attributes: ['id', 'uid', 'name', 'login', 'email', 'status'] },
    ({ state }) => state.users,
  ),
  collection(ofProfiles, ({ state, variations }) => listProfilesOf(state.profiles, variations)),
  collection(
    { plural: 'profile_types', attributes: ['id', 'uid', 'name', 'category'] },
    ({ state }) => state.profileTypes,
  ),
  collection(
    { plural: 'ne_attributes', attributes: ['id', 'uid', 'label', 'data_type'] },
    ({ state, variations }) => listAttributes(state.neAttributes, variations),
  ),
  operation('list-profile-searches', `GET ${searches}`, (_call, tenant) => {
    const shown = tenant.state.profileSearches.map((search) => showSearch(search, tenant));
    const nothing = shown.length === 0 ? answerNothing('advanced_searches', tenant.variations) : null;
    return nothing ?? ok({ advanced_search: shown });
  }),
  operation('create-profile-search', `POST ${searches}`, createSearch),
  operation('patch-profile-search', `PATCH ${searches}/{id}`, patchSearch, {
    contentType: 'application/json',
  }),
  operation(
    'delete-profile-search',
    `DELETE ${searches}/{id}`,
    (call, { state }) => deleteByPath(state.profileSearches, call, 'profile search', state),
    { onlyWith: { profileSearchDelete: true } },
  ),
  // Runs rules without saving them.
  operation('run-profile-search', `POST ${searches}/run?${parameters}`, (call, tenant) => {
    const sent = readSearch(call, object({ label: textOrNull, ...nestedRules }));
    const draft: ProfileSearch = { id: 'unsaved', uid: 'unsaved', label: 'unsaved', rules: [] };
    return run(updateRules(draft, sent.condition_rules_attributes, tenant), call, tenant);
  }),
  operation('run-saved-profile-search', `GET ${searches}/{id}/run?${parameters}`, (call, tenant) =>
    run(findByPath(tenant.state.profileSearches, call, 'profile search').rules, call, tenant),
  ),
];

function collection(of: ServedCollection, recordsOf: (tenant: Tenant) => readonly JsonObject[]) {
  const name = `list-${of.plural.replaceAll('_', '-')}`;
  return operation(name, `GET /api/${of.plural}?${parameters}&*`, (call, tenant) =>
    answerPage(of, recordsOf(tenant), call, tenant),
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
  const found = sortRecords(matching, query.get('order'), attributes);
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
  if (!wrapped) return ok(page);
  const next = new Map([...query, ['limit', String(limit)], ['offset', String(end)]]);
  const nextPage = end < found.length ? `${path}?${new URLSearchParams([...next])}` : null;
  const about = { limit, offset, total: found.length, next: nextPage };
  return ok({ [plural]: page, ...(metadata && { _metadata: about }) });
}

function filterRecords(
  records: readonly JsonObject[],
  attributes: readonly string[],
  query: Call['query'],
  host: Variations,
): readonly JsonObject[] {
  // Without a status, it is a collection of attributes or types.
  const isNamed = host.collectionQuery === 'named' && !attributes.includes('status');
  const filters = isNamed ? ['name', 'label'] : attributes;
  return [...query].reduce((left, [name, value]) => {
    if (parameters.split('&').includes(name)) return left;
    if (filters.includes(name)) return left.filter((record) => (getText(record, name) ?? '') === value);
    if (host.unknownFilter === 'ignored') return left;
    throw badRequest(`"${name}" is neither a parameter nor an attribute to filter by`);
  }, records);
}

/** The answer for no records, on hosts that do not return an empty list (api-notes, "What hosts of this family really answer"). */
function answerNothing(plural: string, { nothingFound }: Variations): Reply | null {
  if (nothingFound === 'list') return null;
  const status = nothingFound === 'refused' ? 400 : 200;
  return { status, body: { error: `no ${plural.replaceAll('_', ' ')} found` } };
}

/** The types of attributes in the words of the product. */
const productTypes: Readonly<Record<NeAttribute['data_type'], string>> = {
  text: 'text field',
  number: 'text field',
  date: 'date',
  profile_select: 'profile select',
  profile_search: 'profile search',
  user_select: 'contributor select',
  user_search: 'contributor search',
};

/** The attributes of profiles, with their classes if rules name these. */
function listAttributes(attributes: readonly NeAttribute[], host: Variations): readonly JsonObject[] {
  return attributes.map((attribute) => ({
    ...attribute,
    ...(host.profileWords === 'product' && {
      data_type: productTypes[attribute.data_type],
      date_format: attribute.date_format?.toLowerCase() ?? null,
    }),
    ...(host.ruleObjectType === 'attribute_class' && { type: attributeClass(attribute, host) }),
  }));
}

/** The class of an attribute, as hosts name it that know more than `NeAttribute`: `TextFieldAttribute`. */
function attributeClass({ data_type }: NeAttribute, { profileWords }: Variations): string {
  const documented = data_type === 'text' ? 'text field' : data_type;
  const words = (profileWords === 'product' ? productTypes[data_type] : documented).split(/[ _]/);
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Attribute`;
}

/** Profiles as they are answered; their rules keep the documented words. */
function listProfilesOf(profiles: TenantState['profiles'], { profileWords }: Variations) {
  if (profileWords === 'documented') return profiles;
  return profiles.map(({ status, attributes, ...profile }) => ({
    ...profile,
    status: status === 'Leave of absence' ? 'On Leave' : status,
    attributes: mapMembers(attributes, (value) =>
      value === null ? undefined : isArray(value) ? value.join(',') : String(value),
    ),
  }));
}

function run(rules: readonly ConditionRule[], call: Call, tenant: Tenant): Reply {
  if (tenant.variations.collectionQuery === 'named' && call.query.has('metadata'))
    throw badRequest('Unknown query parameter "metadata"');
  const found = findProfiles(rules, tenant.state, tenant.now());
  return answerPage(ofProfiles, listProfilesOf(found, tenant.variations), call, tenant);
}

function createSearch(call: Call, tenant: Tenant): Reply {
  const { state } = tenant;
  const sent = readSearch(call, object({ label: text, uid: textOrNull, ...nestedRules }));
  const { label } = sent;
  const id = newId(state, 'ProfileSearch', label, state.profileSearches);
  const search: ProfileSearch = { id, label, uid: sent.uid ?? uidOf(label), rules: [] };
  search.rules = updateRules(search, sent.condition_rules_attributes, tenant);
  state.profileSearches.push(search);
  return ok({ advanced_search: showSearch(search, tenant) });
}

/** Rules are nested records; those that are not sent stay as they are. */
function patchSearch(call: Call, tenant: Tenant): Reply {
  const search = findByPath(tenant.state.profileSearches, call, 'profile search');
  const { condition_rules_attributes: nested, ...sent } = readSearch(
    call,
    object({ label: textOrKept(search.label), uid: textOrKept(search.uid), ...nestedRules }),
  );
  const rules = updateRules(search, nested, tenant);
  const remaining = new Set(rules.map((rule) => rule.id));
  if (search.rules.some((rule) => !remaining.has(rule.id))) tenant.state.generation += 1;
  Object.assign(search, { ...sent, rules });
  return ok({ advanced_search: showSearch(search, tenant) });
}

const readSearch = <T>({ body }: Call, read: Read<T>): T =>
  object({ advanced_search: read })(body, 'body').advanced_search;

const textOrKept =
  (kept: string): Read<string> =>
  (value, at) =>
    value === undefined ? kept : text(value, at);

/** The rules of `search` after the nested records of a body: old ones in their order, then new ones. Throws a 400. */
function updateRules(search: ProfileSearch, nested: readonly SentRule[], tenant: Tenant): ConditionRule[] {
  const { state, variations } = tenant;
  const rules = new Map(search.rules.map((rule) => [rule.id, rule]));
  const seen = new Set<ConditionRule>();
  const typeName = objectTypeName(variations);
  for (const sent of nested) {
    const { id, _destroy: isGone } = sent;
    const live = id === null ? null : search.rules.find((rule) => rule.id === id);
    if (live === undefined) throw badRequest(`${sent.at}.id: the search has no rule ${id}`);
    if (live && seen.has(live)) throw badRequest(`${sent.at}.id: rule ${id} is given twice`);
    if (live) seen.add(live);
    if (live && isGone) {
      rules.delete(live.id);
      continue;
    }
    const { [typeName]: objectType = null, ...given } = sent.given;
    const rule = mergeRule(live, given, sent.at);
    checkRule(rule, state, variations.searchRules);
    const wanted = objectTypeOf(rule, tenant);
    if (!live && wanted !== null && objectType === null)
      throw badRequest(`${sent.at}.${typeName} is required`);
    if (objectType !== null && objectType !== wanted)
      throw badRequest(`${sent.at}.${typeName} must be ${wanted}`);
    rule.id ||= newId(state, 'ConditionRule', search.id, [...rules.values(), ...search.rules]);
    rules.set(rule.id, rule);
  }
  return [...rules.values()];
}

/** A nested record as a client sends it. */
type SentRule = ReturnType<typeof readSentRule>;

function readSentRule(value: Json | undefined, at: string) {
  const { id, _destroy } = members({ id: textOrNull, _destroy: bool(false) })(value, at);
  if (id === null && _destroy) throw badRequest(`${at}: _destroy needs the id of a rule`);
  const { id: _id, _destroy: _isGone, ...given } = objectOrEmpty(value, at);
  return { id, _destroy, given, at };
}

const nestedRules = { condition_rules_attributes: list(readSentRule) };

/** The live rule with the sent members. Throws a 400 if a required one is in neither of them. */
function mergeRule(live: ConditionRule | null, given: JsonObject, at: string): ConditionRule {
  const { more: kept = null, ...known } = live ?? {};
  const isKnown = (name: string) => Object.hasOwn(commonMembers.rule, name);
  const sent = withoutNulls(mapMembers(given, (value, name) => (isKnown(name) ? value : undefined)));
  const others = mapMembers(given, (value, name) => (isKnown(name) ? undefined : value));
  const more = withoutNulls({ ...kept, ...others });
  const rule = {
    ...object(commonMembers.rule)({ ...known, ...sent }, at),
    ...(Object.keys(more).length > 0 && { more }),
  };
  if (rule.type === 'ProfileAttributeRule') return rule;
  if (Object.hasOwn(sent, 'condition_object_id'))
    throw badRequest(`${at}.condition_object_id belongs to a ProfileAttributeRule only`);
  return { ...rule, condition_object_id: null };
}

function showSearch(search: ProfileSearch, tenant: Tenant): Json {
  const { id, uid, label, rules } = search;
  const shown = rules.map((rule) => {
    const { more, condition_object_id, ...others } = rule;
    const objectType = objectTypeOf(rule, tenant);
    const typeName = objectTypeName(tenant.variations);
    return {
      ...others,
      ...more,
      ...(objectType !== null && { [typeName]: objectType, condition_object_id }),
    };
  });
  return { id, uid, label, condition_rules_attributes: shown };
}

const objectTypeName = ({ ruleObjectType }: Variations): string =>
  ruleObjectType === 'object_type' ? ruleObjectType : 'condition_object_type';

/** The class of a rule's object; null for a rule without one. */
function objectTypeOf(rule: ConditionRule, { state, variations }: Tenant): string | null {
  if (rule.type !== 'ProfileAttributeRule') return null;
  if (variations.ruleObjectType !== 'attribute_class') return 'NeAttribute';
  const attribute = state.neAttributes.find(({ id }) => id === rule.condition_object_id);
  return attribute ? attributeClass(attribute, variations) : 'NeAttribute';
}
