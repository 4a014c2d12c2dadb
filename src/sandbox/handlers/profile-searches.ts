import { type Json, mapMembers, own, withoutNulls } from '../../model/json.ts';
import { badRequest } from '../api-error.ts';
import { checkRule, findAttribute, findProfiles } from '../condition-rules.ts';
import {
  type Call,
  deleteById,
  findById,
  type Handlers,
  okRead,
  okWrite,
  type Reply,
  type Tenant,
} from '../handler.ts';
import { newId, uidOf } from '../ids.ts';
import { attributeClass, type ConditionRule, type ProfileSearch, ruleTypes } from '../objects.ts';
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
import type { Variations } from '../variations.ts';
import { answerNothing, answerPage } from './collections.ts';

const noun = 'profile search';

/** Saved searches (api-notes, ProfileSearch). */
export const profileSearches = {
  'list-profile-searches': (_call, tenant) => {
    const searches = tenant.state.profileSearches.map((search) => showSearch(search, tenant));
    if (searches.length === 0 && tenant.variations.nothingFound !== 'list')
      return answerNothing('advanced_searches', tenant.variations);
    return okRead({ advanced_search: searches });
  },

  /** The tenant makes a uid if none is sent. */
  'create-profile-search': (call, tenant) => {
    const { state } = tenant;
    const sent = readSearch(call, { label: text, uid: textOrNull, ...rulesOf(tenant) });
    const { label } = sent;
    const id = newId(state, 'ProfileSearch', label, state.profileSearches);
    const search: ProfileSearch = { id, label, uid: sent.uid ?? uidOf(label), rules: [] };
    search.rules = updateRules(search, sent.condition_rules_attributes, tenant);
    state.profileSearches.push(search);
    return okWrite({ advanced_search: showSearch(search, tenant) });
  },

  /** Rules are nested records; those that are not sent stay as they are. */
  'patch-profile-search': (call, tenant) => {
    const { state } = tenant;
    const search = findById(state.profileSearches, call, noun);
    const sent = readSearch(call, {
      label: textOrKept(search.label),
      uid: textOrKept(search.uid),
      ...rulesOf(tenant),
    });
    const next = {
      label: sent.label,
      uid: sent.uid,
      rules: updateRules(search, sent.condition_rules_attributes, tenant),
    };
    const remaining = new Set(next.rules.map((rule) => rule.id));
    if (search.rules.some((rule) => !remaining.has(rule.id))) state.generation += 1;
    Object.assign(search, next);
    return okWrite({ advanced_search: showSearch(search, tenant) });
  },

  /** Only on hosts that have it. */
  'delete-profile-search': (call, { state }) => deleteById(state.profileSearches, call, noun, state),

  /** Runs rules without saving them. */
  'run-profile-search': (call, tenant) => {
    const sent = readSearch(call, { label: textOrNull, ...rulesOf(tenant) });
    const draft: ProfileSearch = { id: 'unsaved', uid: 'unsaved', label: 'unsaved', rules: [] };
    return runRules(updateRules(draft, sent.condition_rules_attributes, tenant), '/run', call, tenant);
  },

  'run-saved-profile-search': (call, tenant) => {
    const search = findById(tenant.state.profileSearches, call, noun);
    return runRules(search.rules, `/${search.id}/run`, call, tenant);
  },
} satisfies Handlers;

function runRules(rules: readonly ConditionRule[], path: string, call: Call, tenant: Tenant): Reply {
  const records = findProfiles(rules, tenant.state, tenant.now());
  const { profileSearchPath } = tenant.variations;
  return answerPage({ plural: 'profiles', path: `${profileSearchPath}${path}`, records }, call.query, tenant);
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

/** What the tenant calls the class of the rule's object, and the class; null for a rule without an object. */
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
