import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectsIn,
  own,
  textOf,
} from '../model/json.ts';
import { literal } from '../model/marker.ts';
import type { ApiSettings } from '../model/settings.ts';
import {
  changedRule,
  findCleared,
  isServerOwned,
  manifestRule,
  newRule,
  ruleReferences,
  rulesField,
  withAttributeClass,
} from './condition-rule.ts';
import { apiRequest, type Call, profilesResource } from './http.ts';
import type { Kind, WriteInput } from './kind.ts';
import { type Before, call, idPlace, idText, type Operation, type Said } from './operation.ts';
import { pairRecords, recordAgrees } from './records.ts';

const resource = profilesResource('ProfileSearch', (settings) => settings.profileSearchPath);

const post: Operation = { method: 'POST', resource, read: readSearch };
const patch: Operation = { method: 'PATCH', resource, below: [idPlace], read: readSearch };
const remove: Operation = { method: 'DELETE', resource, below: [idPlace], risk: () => ['delete'] };

/** A saved search over profiles (seed 002; api-notes, "ProfileSearch"). */
export const profileSearch: Kind = {
  name: 'ProfileSearch',
  summary: 'A saved search over profiles: a label and the rules a profile must satisfy.',
  keyFields: [{ name: 'label' }],
  fields: { rules: rulesField },
  serverOwned: ['id', 'uid', 'condition_rules_attributes'],
  declaredAs: { condition_rules_attributes: 'rules' },
  pinnable: false,
  renamable: true,
  resource,
  read: {
    how: 'list',
    list: { resource, pageSize: null, member: 'advanced_search' },
  },
  parse(answer) {
    const search = searchIn(answer);
    const label = textOf(search, 'label');
    if (label === null) return null;
    const rules = liveRules(answer).map(manifestRule);
    return { key: [label], id: idText(own(search, 'id')), fields: { rules } };
  },
  operations: { create: [post], update: [patch], delete: [remove] },
  // Nothing says that labels are unique (api-notes).
  secondCreate: 'duplicates',
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
  remove({ key: [label = ''], live, settings }) {
    if (!settings.profileSearchDelete || live.id === null) {
      return {
        manual: `The API has no call to delete a saved search; delete "${label}" in the profile-management interface.`,
      };
    }
    return { requests: [call(remove, settings, { id: live.id })] };
  },
  references: (fields) => declaredRules(fields).flatMap(ruleReferences),
  complete(fields, settings) {
    const complete = (rule: Json): Json => (isObject(rule) ? withAttributeClass(rule, settings) : rule);
    return mapMembers(fields, (value, name) =>
      name === 'rules' && isArray(value) ? value.map(complete) : value,
    );
  },
};

/** The members of a search in a body, with the fields that they are. */
const members: ReadonlyMap<string, string> = new Map([
  ['label', 'label'],
  ['condition_rules_attributes', 'rules'],
]);

function readSearch(body: Json): Said | null {
  const search = isObject(body) && Object.keys(body).length === 1 ? own(body, 'advanced_search') : null;
  if (!isObject(search)) return null;
  const written = Object.keys(search).map((name) => members.get(name));
  const fields = written.filter((name) => name !== undefined);
  if (fields.length < written.length) return null;
  const label = textOf(search, 'label');
  const isNamed = Object.hasOwn(search, 'label');
  return {
    objects: isNamed ? [{ key: label === null ? [] : [label], id: null }] : [],
    fields,
    after(before) {
      const changes = own(search, 'condition_rules_attributes');
      if (changes === undefined) return {};
      const rules = isArray(changes) ? rulesAfter(changes, before) : null;
      return rules && { rules };
    },
  };
}

/** The rules once nested records were written; `null` where that is not known. */
function rulesAfter(changes: readonly Json[], { raw }: Before): JsonObject[] | null {
  const rows = new Map(liveRules(raw).map((row, at) => [idText(own(row, 'id')) ?? `#${at}`, row]));
  for (const [at, change] of changes.entries()) {
    if (!isObject(change)) return null;
    const { id: given, _destroy: end, ...members } = change;
    const id = idText(given);
    const row = id === null ? {} : rows.get(id);
    if (!row || Object.keys(members).some(isServerOwned)) return null;
    if (end === undefined) rows.set(id ?? `+${at}`, { ...row, ...members });
    else if (id === null || end !== true) return null;
    else rows.delete(id);
  }
  return [...rows.values()].map((row) => ({ ...manifestRule(row), ...findCleared(row) }));
}

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
  const pairs = pairRecords(own(fields, 'rules'), [...rowOf.keys()], rulesField).filter(
    ({ declared, live }) => declared === null || live === null || !recordAgrees(declared, live, rulesField),
  );
  const rowBeside = (live: JsonObject | null) => (live && rowOf.get(live)) ?? {};
  if (pairs.some(({ live }) => live !== null && idText(own(rowBeside(live), 'id')) === null)) return null;
  return pairs.map(({ declared, live }) => {
    const row = rowBeside(live);
    const id = literal(own(row, 'id') ?? null);
    if (declared === null) return { id, _destroy: true };
    if (live === null) return newRule(declared, settings);
    return { id, ...changedRule(declared, row, settings) };
  });
}

/** The search in an answer: some of them wrap it. */
function searchIn(answer: JsonObject): JsonObject {
  const inner = own(answer, 'advanced_search');
  return isObject(inner) ? inner : answer;
}

/** The rules of a search as the tenant shows them. */
export function liveRules(answer: JsonObject): JsonObject[] {
  return objectsIn(own(searchIn(answer), 'condition_rules_attributes'));
}

/** The rules among a manifest's fields. */
export function declaredRules(fields: JsonObject): JsonObject[] {
  return objectsIn(own(fields, 'rules'));
}

/** Runs a declared search, lookups filled, without saving it (api-notes, "ProfileSearch"). */
export function runRules(fields: JsonObject, settings: ApiSettings): Call {
  const rules = declaredRules(fields).map((rule) => newRule(rule, settings));
  const body = { advanced_search: { condition_rules_attributes: rules } };
  return apiRequest('POST', resource, settings, { below: ['run'], body });
}

/** Runs a saved search by its id. */
export function runSaved(id: string, settings: ApiSettings): Call {
  return apiRequest('GET', resource, settings, { below: [id, 'run'] });
}
