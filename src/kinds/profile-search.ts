import {
  get,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectsIn,
} from '../model/json.ts';
import { literal } from '../model/marker.ts';
import type { ApiSettings } from '../model/settings.ts';
import { changedRule, manifestRule, newRule, rulesField, withAttributeClass } from './condition-rule.ts';
import { apiRequest, type Call, profilesResource } from './http.ts';
import type { Kind, WriteInput } from './kind.ts';
import { call, idPlace, idText, type Operation } from './operation.ts';
import { pairRecords, recordAgrees } from './records.ts';

const resource = profilesResource('ProfileSearch', (settings) => settings.profileSearchPath);

const post: Operation = { method: 'POST', resource };
const patch: Operation = { method: 'PATCH', resource, below: [idPlace] };
const remove: Operation = { method: 'DELETE', resource, below: [idPlace] };

/** A saved search over profiles (seed 002; api-notes, "ProfileSearch"). */
export const profileSearch: Kind = {
  name: 'ProfileSearch',
  summary: 'A saved search over profiles: a label and the rules a profile must satisfy.',
  keyFields: [{ name: 'label' }],
  fields: { rules: rulesField },
  serverOwned: ['id', 'uid', 'condition_rules_attributes'],
  resource,
  read: {
    how: 'list',
    list: { resource, pageSize: null, member: 'advanced_search' },
  },
  parse(answer) {
    const search = searchIn(answer);
    const label = getText(search, 'label');
    if (label === null) return null;
    const rules = liveRules(answer).map(manifestRule);
    return { key: [label], id: idText(get(search, 'id')), fields: { rules } };
  },
  // Nothing says that labels are unique (api-notes).
  can: { create: 'duplicates', update: true, delete: true, rename: true, pin: false },
  create({ key: [label = ''], fields, settings }) {
    const rules = declaredRules(fields).map((rule) => newRule(rule, settings));
    const search = { label, condition_rules_attributes: rules };
    return { requests: [call(post, settings, { body: { advanced_search: search } })] };
  },
  update({ key: [label = ''], fields, changed, live, settings }) {
    if (live.id === null)
      return { manual: `The tenant shows no id for the search "${label}", so the API cannot change it.` };
    const rules = changed.has('rules') ? ruleChanges(fields, live.raw, settings) : [];
    if (rules === null)
      return {
        manual: `The tenant shows no id for a rule of the search "${label}" that changes, so the API cannot change it.`,
      };
    const search: JsonObject = {
      ...(changed.has('label') ? { label } : {}),
      ...(changed.has('rules') ? { condition_rules_attributes: rules } : {}),
    };
    return { requests: [call(patch, settings, { id: live.id, body: { advanced_search: search } })] };
  },
  remove({ key: [label = ''], id, settings }) {
    if (!settings.profileSearchDelete || id === null) {
      return {
        manual: `The API has no call to delete a saved search; delete "${label}" in the profile-management interface.`,
      };
    }
    return { requests: [call(remove, settings, { id })], risk: ['delete'] };
  },
  quirks: {
    declaredAs: { condition_rules_attributes: 'rules' },
    complete(fields, settings) {
      const complete = (rule: Json): Json => (isObject(rule) ? withAttributeClass(rule, settings) : rule);
      return mapMembers(fields, (value, name) =>
        name === 'rules' && isArray(value) ? value.map(complete) : value,
      );
    },
  },
};

/**
 * Rules are nested records: with `id` a rule is changed, without it one is added, `_destroy` removes one, and a rule that
 * is left out stays. So only differences are sent, and a rule that stays keeps its id. `null` where a rule that changes or
 * goes has none: without it, the same call would add another rule.
 */
function ruleChanges(
  fields: WriteInput['fields'],
  raw: JsonObject,
  settings: ApiSettings,
): JsonObject[] | null {
  const rowOf = new Map(liveRules(raw).map((row) => [manifestRule(row), row]));
  const pairs = pairRecords(get(fields, 'rules'), [...rowOf.keys()], rulesField).filter(
    ({ declared, live }) => declared === null || live === null || !recordAgrees(declared, live, rulesField),
  );
  const rowBeside = (live: JsonObject | null) => (live && rowOf.get(live)) ?? {};
  if (pairs.some(({ live }) => live !== null && idText(get(rowBeside(live), 'id')) === null)) return null;
  return pairs.map(({ declared, live }) => {
    const row = rowBeside(live);
    const id = literal(get(row, 'id') ?? null);
    if (declared === null) return { id, _destroy: true };
    if (live === null) return newRule(declared, settings);
    return { id, ...changedRule(declared, row, settings) };
  });
}

/** The search in an answer: some of them wrap it. */
function searchIn(answer: JsonObject): JsonObject {
  const inner = get(answer, 'advanced_search');
  return isObject(inner) ? inner : answer;
}

export function liveRules(answer: JsonObject): JsonObject[] {
  return objectsIn(get(searchIn(answer), 'condition_rules_attributes'));
}

export function declaredRules(fields: JsonObject): JsonObject[] {
  return objectsIn(get(fields, 'rules'));
}

/** Runs a declared search, lookups filled, without saving it (api-notes, "ProfileSearch"). */
export function runRules(fields: JsonObject, settings: ApiSettings): Call {
  const rules = declaredRules(fields).map((rule) => newRule(rule, settings));
  const body = { advanced_search: { condition_rules_attributes: rules } };
  return apiRequest('POST', resource, settings, { below: ['run'], body });
}

export function runSaved(id: string, settings: ApiSettings): Call {
  return apiRequest('GET', resource, settings, { below: [id, 'run'] });
}
