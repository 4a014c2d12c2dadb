import type { IdPlace } from '../generated/schemas/kind.ts';
import {
  get,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  objectsIn,
  withoutNulls,
} from '../model/json.ts';
import { literal, lookupMarker, lookupOf } from '../model/marker.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { pairRecords, recordAgrees } from './compare.ts';
import { type ApiResource, apiRequest, type Call, call, idText } from './http.ts';
import { type Field, type Kind, type RecordsField, type WriteInput, withoutId } from './kind.ts';
import { Places } from './places.ts';

// One rule of a saved search (seed 002, "Condition rule"). Hosts know more types, operators and members than the documents
// (api-notes, "What hosts of this family really answer"). All members are read, compared, shown and written, known or not.

const attributeRule = 'ProfileAttributeRule';
/** The documents say this, wherever hosts name the class of the attribute: `TextFieldAttribute`, `DateAttribute`, … */
const usualClass = 'NeAttribute';
const classNames = ['condition_object_type', 'object_type'];
const serverOwned = ['id', 'uid', 'created_at', 'updated_at', '_destroy'];
/** The documented members first, so that all hosts' rules read alike. Their values are compared and written as text. */
const documented = [
  'type',
  'object_type',
  'condition_object_type',
  'condition_object_id',
  'comparison_operator',
  'value',
  // For hosts that compare a date with another attribute, whose name is the value.
  'secondary_attribute_id',
];

/** Types whose values are ids (seed 002, "ProfileAttributeRule"). Hosts also write a blank in them, and name users by role. */
const idAttributes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ profile: 'profiles', user: 'users', contributor: 'users', owner: 'users' }).flatMap(
    ([noun, collection]) =>
      ['_select', '_search', ' select', ' search'].map((end) => [noun + end, collection]),
  ),
);

const idOfAttribute: IdPlace = { is: 'reference', by: 'type', to: { [attributeRule]: 'ne_attributes' } };

/** The ids of other records in rules. The type of an attribute determines the value of its rule. */
const places = new Places([
  { path: '*/condition_object_id', is: idOfAttribute },
  { path: '*/secondary_attribute_id', is: idOfAttribute },
  { path: '*/value', is: { is: 'reference', by: 'type', to: { ProfileTypeRule: 'profile_types' } } },
  { path: '*/value', is: { is: 'reference', by: 'condition_object_id', to: idAttributes } },
]);

const rulesField: Field & RecordsField = {
  is: 'records',
  alike: ['type', 'condition_object_id'],
  filled: { object_type: usualClass },
  canonical: withOneClass,
  places,
};

/** Any class of an attribute counts as `NeAttribute`, whatever the host names it. */
function withOneClass(rule: JsonObject): JsonObject {
  const found = classOf(rule);
  if (found === null) return rule;
  return { ...withoutClass(rule), object_type: found.endsWith('Attribute') ? usualClass : found };
}

function classOf(rule: JsonObject): string | null {
  return classNames.map((name) => getText(rule, name)).find((name) => name !== null) ?? null;
}

function withoutClass(rule: JsonObject): JsonObject {
  return mapMembers(rule, (value, name) => (classNames.includes(name) ? undefined : value));
}

/** A live rule in the manifest's shape: without unset members, and without what the server sets. */
function manifestRule(row: JsonObject): JsonObject {
  const rule = classOf(row) === usualClass ? withOneClass(row) : row;
  const names = [...new Set([...documented, ...Object.keys(rule)])].filter(
    (name) => !serverOwned.includes(name),
  );
  const members = names.flatMap((name): [string, Json][] => {
    const value = get(rule, name) ?? null;
    if (value === null) return [];
    const isKept = typeof value === 'object' || !documented.includes(name);
    return [[name, isKept ? value : String(value)]];
  });
  return objectFrom(members);
}

function newRule(rule: JsonObject, settings: ApiSettings): JsonObject {
  const members = withoutNulls(rule);
  // A rule that names the class as its host does is sent as it is.
  if (getText(rule, 'type') !== attributeRule || get(members, 'condition_object_type') !== undefined)
    return members;
  const { object_type = usualClass, ...others } = members;
  const name = settings.profileSearchObjectType === 'object_type' ? 'object_type' : 'condition_object_type';
  return { ...others, [name]: object_type };
}

/** The live rule `row` with the declared members, as the API accepts it. The live class is sent back if it is equivalent. */
function changedRule(rule: JsonObject, row: JsonObject, settings: ApiSettings): JsonObject {
  // As literals, live values can never be mistaken for markers.
  const live = mapMembers(row, (value, name) =>
    value === null || serverOwned.includes(name) ? undefined : literal(value),
  );
  // A member that the live rule does not have needs no null.
  const declared = mapMembers(rule, (value, name) =>
    value === null && !Object.hasOwn(live, name) ? undefined : value,
  );
  const [wanted, has] = [classOf(declared), classOf(live)];
  if (has !== null && (wanted === null || [wanted, has].every((name) => name.endsWith('Attribute'))))
    return { ...live, ...withoutClass(declared) };
  const cleared = mapMembers(declared, (value) => (value === null ? null : undefined));
  return { ...newRule({ ...withoutClass(live), ...declared }, settings), ...cleared };
}

/** The rule with a lookup of its attribute's class, on hosts whose rules of attributes have to name it. */
function withAttributeClass(rule: JsonObject, settings: ApiSettings): JsonObject {
  if (settings.profileSearchObjectType !== 'attribute_class' || getText(rule, 'type') !== attributeRule)
    return rule;
  if ((classOf(rule) ?? usualClass) !== usualClass) return rule;
  const from = 'ne_attributes';
  const id = get(rule, 'condition_object_id');
  const lookup = lookupOf(id) ?? (typeof id === 'string' ? { from, where: { id } } : null);
  if (lookup?.from !== from) return rule;
  const type = lookupMarker({ from, where: lookup.where, take: 'type' });
  return { ...withoutClass(rule), condition_object_type: type };
}

const resource: ApiResource = {
  name: 'ProfileSearch',
  service: 'profiles',
  ownPath: null,
  path: ({ profileSearchPath }) => profileSearchPath,
  lane: () => ({ service: 'profiles', group: 'api' }),
};

/** A saved search over profiles (seed 002; api-notes, "ProfileSearch"). */
export const profileSearch: Kind = {
  name: 'ProfileSearch',
  summary: 'A saved search over profiles: a label and the rules a profile must satisfy.',
  keyFields: [{ name: 'label' }],
  fields: { rules: rulesField },
  serverOwned: ['id', 'uid', 'condition_rules_attributes'],
  resource,
  read: { how: 'list', list: { resource, pageSize: null, member: 'advanced_search' } },
  parse(answer) {
    const search = searchIn(answer);
    const label = getText(search, 'label');
    if (label === null) return null;
    const rules = liveRules(answer).map(manifestRule);
    return { key: [label], id: idText(get(search, 'id')), fields: { rules } };
  },
  // Nothing says that labels are unique (api-notes).
  can: { create: 'duplicates', update: true, delete: true, rename: true, pin: false },
  write: {
    create({ key: [label = ''], fields, settings }) {
      const rules = objectsIn(get(fields, 'rules')).map((rule) => newRule(rule, settings));
      const search = { label, condition_rules_attributes: rules };
      return { requests: [call('POST', resource, settings, { body: { advanced_search: search } })] };
    },
    update({ key: [label = ''], fields, changed, live, settings }) {
      if (live.id === null) return withoutId(label, 'change');
      const rules = changed.has('rules') ? ruleChanges(fields, live.raw, settings) : [];
      if (rules === null)
        return {
          manual: `The tenant shows no id for a rule of the search "${label}" that changes, so the API cannot change it.`,
        };
      const search: JsonObject = {
        ...(changed.has('label') ? { label } : {}),
        ...(changed.has('rules') ? { condition_rules_attributes: rules } : {}),
      };
      return {
        requests: [
          call('PATCH', resource, settings, { below: [live.id], body: { advanced_search: search } }),
        ],
      };
    },
    remove({ key: [label = ''], id, settings }) {
      if (!settings.profileSearchDelete || id === null) {
        return {
          manual: `The API has no call to delete a saved search; delete "${label}" in the profile-management interface.`,
        };
      }
      return { requests: [call('DELETE', resource, settings, { below: [id] })], risk: ['delete'] };
    },
  },
  quirks: {
    declaredAs: { condition_rules_attributes: 'rules' },
    complete(fields, settings) {
      const rules = get(fields, 'rules');
      if (!isArray(rules)) return fields;
      const complete = rules.map((rule) => (isObject(rule) ? withAttributeClass(rule, settings) : rule));
      return { ...fields, rules: complete };
    },
  },
};

/**
 * Rules are nested records: an `id` changes one, without it one is added, `_destroy` removes one, and one that is left out stays.
 * So only differences are sent. `null` if a changed or removed rule has no id: the call would add another one.
 */
function ruleChanges(fields: WriteInput['fields'], raw: JsonObject, settings: ApiSettings) {
  const rowOf = new Map(liveRules(raw).map((row) => [manifestRule(row), row]));
  const pairs = pairRecords(get(fields, 'rules'), [...rowOf.keys()], rulesField)
    .filter(
      ({ declared, live }) => declared === null || live === null || !recordAgrees(declared, live, rulesField),
    )
    .map((pair) => ({ ...pair, row: (pair.live && rowOf.get(pair.live)) ?? {} }));
  if (pairs.some(({ live, row }) => live !== null && idText(get(row, 'id')) === null)) return null;
  return pairs.map(({ declared, live, row }) => {
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

/** Runs a declared search, lookups filled, without saving it (api-notes, "ProfileSearch"). */
export function runRules(fields: JsonObject, settings: ApiSettings): Call {
  const rules = objectsIn(get(fields, 'rules')).map((rule) => newRule(rule, settings));
  const body = { advanced_search: { condition_rules_attributes: rules } };
  return apiRequest('POST', resource, settings, { below: ['run'], body });
}

export function runSaved(id: string, settings: ApiSettings): Call {
  return apiRequest('GET', resource, settings, { below: [id, 'run'] });
}
