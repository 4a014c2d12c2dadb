import { type Json, type JsonObject, withoutNulls } from '../../model/json.ts';
import { badRequest } from '../api-error.ts';
import { checkRule, findAttribute, findProfiles } from '../condition-rules.ts';
import { Fields } from '../fields.ts';
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
import type { TenantState } from '../state.ts';
import type { Variations } from '../variations.ts';
import { answerNothing, answerPage } from './collections.ts';

const noun = 'profile search';

/** Saved searches (api-notes, ProfileSearch). */
export const profileSearches = {
  'list-profile-searches': (_call, { state, variations }) => {
    const searches = state.profileSearches.map((search) => showSearch(search, state, variations));
    if (searches.length === 0 && variations.nothingFound !== 'list')
      return answerNothing('advanced_searches', variations);
    return okRead({ advanced_search: searches });
  },

  /** The tenant makes a uid if none is sent. */
  'create-profile-search': (call, tenant) => {
    const { state, variations } = tenant;
    const fields = readSearch(call);
    const label = fields.text('label');
    const id = newId(state, 'ProfileSearch', label, state.profileSearches);
    const search: ProfileSearch = { id, label, uid: fields.textOr('uid', uidOf(label)), rules: [] };
    search.rules = updateRules(search, fields, tenant);
    fields.end();
    state.profileSearches.push(search);
    return okWrite({ advanced_search: showSearch(search, state, variations) });
  },

  /** Rules are nested records; those that are not sent stay as they are. */
  'patch-profile-search': (call, tenant) => {
    const { state, variations } = tenant;
    const search = findById(state.profileSearches, call, noun);
    const fields = readSearch(call);
    const next: ProfileSearch = {
      id: search.id,
      label: fields.includes('label') ? fields.text('label') : search.label,
      uid: fields.includes('uid') ? fields.text('uid') : search.uid,
      rules: updateRules(search, fields, tenant),
    };
    fields.end();
    const remaining = new Set(next.rules.map((rule) => rule.id));
    if (search.rules.some((rule) => !remaining.has(rule.id))) state.generation += 1;
    Object.assign(search, next);
    return okWrite({ advanced_search: showSearch(search, state, variations) });
  },

  /** Only on hosts that have it. */
  'delete-profile-search': (call, { state }) => deleteById(state.profileSearches, call, noun, state),

  /** Runs rules without saving them. */
  'run-profile-search': (call, tenant) => {
    const fields = readSearch(call);
    fields.textOrNull('label');
    const draft: ProfileSearch = { id: 'unsaved', uid: 'unsaved', label: 'unsaved', rules: [] };
    const rules = updateRules(draft, fields, tenant);
    fields.end();
    return runRules(rules, '/run', call, tenant);
  },

  'run-saved-profile-search': (call, tenant) => {
    const search = findById(tenant.state.profileSearches, call, noun);
    return runRules(search.rules, `/${search.id}/run`, call, tenant);
  },
} satisfies Handlers;

function runRules(rules: readonly ConditionRule[], path: string, call: Call, tenant: Tenant): Reply {
  const find = () => findProfiles(rules, tenant.state, tenant.now());
  const { profileSearchPath } = tenant.variations;
  return answerPage({ plural: 'profiles', path: `${profileSearchPath}${path}`, find }, call.query, tenant);
}

function readSearch(call: Call): Fields {
  const body = new Fields(call.body, 'body');
  const search = body.json('advanced_search');
  body.end();
  return new Fields(search, 'advanced_search');
}

/**
 * The rules of `search` after the nested records of a body: changed and unchanged ones in their order, without removed
 * ones, then new ones. Throws a 400.
 */
function updateRules(search: ProfileSearch, fields: Fields, tenant: Tenant): ConditionRule[] {
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
  fields.list('condition_rules_attributes', (item, at) => {
    const sent = readRule(item, at, variations);
    const live = sent.id === null ? null : takeLive(sent.id, at);
    if (live && sent.destroy) {
      rules.delete(live.id);
      return;
    }
    const rule = completeRule(sent, live, at);
    checkRule(rule, state, variations.searchRules);
    checkObjectType(sent.objectType, rule, at, tenant);
    const id = live?.id ?? newId(state, 'ConditionRule', search.id, [...rules.values(), ...search.rules]);
    rules.set(id, { ...rule, id });
  });
  return [...rules.values()];
}

/** A rule as a client sends it; null for what it leaves out. */
type SentRule = { readonly [K in keyof Omit<ConditionRule, 'more'>]: ConditionRule[K] | null } & {
  readonly destroy: boolean;
  readonly objectType: string | null;
  /** What the documents do not know. */
  readonly more: JsonObject;
};

function readRule(item: Json, at: string, { ruleObjectType }: Variations): SentRule {
  const fields = new Fields(item, at);
  const sent = {
    id: fields.textOrNull('id'),
    type: fields.has('type') ? fields.choice('type', ruleTypes) : null,
    comparison_operator: fields.textOrNull('comparison_operator'),
    value: fields.textOrNull('value'),
    condition_object_id: fields.textOrNull('condition_object_id'),
    destroy: fields.bool('_destroy', false),
    objectType: fields.textOrNull(nameOfObjectType(ruleObjectType)),
    more: fields.rest(),
  };
  if (sent.id === null && sent.destroy) throw badRequest(`${at}: _destroy needs the id of a rule`);
  return sent;
}

const nameOfObjectType = (way: Variations['ruleObjectType']): string =>
  way === 'object_type' ? way : 'condition_object_type';

/** Throws a 400 for a class that is not the one of the rule's attribute, or missing in a new rule. */
function checkObjectType(
  sent: string | null,
  rule: ConditionRule,
  at: string,
  tenant: Pick<Tenant, 'state' | 'variations'>,
): void {
  const [name, wanted] = objectTypeOf(rule, tenant);
  if (rule.id === '' && wanted !== null && sent === null) throw badRequest(`${at}.${name} is required`);
  if (sent !== null && sent !== wanted) throw badRequest(`${at}.${name} must be ${wanted}`);
}

/** What the tenant calls the class of the rule's object, and the class; null for a rule without an object. */
function objectTypeOf(
  rule: ConditionRule,
  { state, variations: { ruleObjectType } }: Pick<Tenant, 'state' | 'variations'>,
): [name: string, value: string | null] {
  const name = nameOfObjectType(ruleObjectType);
  if (rule.type !== 'ProfileAttributeRule') return [name, null];
  const attribute = ruleObjectType === 'attribute_class' ? findAttribute(rule, state) : undefined;
  return [name, attribute ? attributeClass(attribute) : 'NeAttribute'];
}

/** The live rule with the sent fields. Throws a 400 if a required field is in neither of them. */
function completeRule(sent: SentRule, live: ConditionRule | null, at: string): ConditionRule {
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

function showSearch(
  { id, uid, label, rules }: ProfileSearch,
  state: TenantState,
  variations: Variations,
): Json {
  return {
    id,
    uid,
    label,
    condition_rules_attributes: rules.map(({ more, condition_object_id, ...rule }) => {
      const [name, value] = objectTypeOf({ ...rule, condition_object_id }, { state, variations });
      return { ...rule, ...more, ...(value !== null && { [name]: value, condition_object_id }) };
    }),
  };
}
