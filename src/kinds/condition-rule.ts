import {
  get,
  getText,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  withoutNulls,
} from '../model/json.ts';
import { type Lookup, literal, lookupMarker, lookupOf } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { RecordReference, RecordsField } from './kind.ts';

// One rule of a saved search (seed 002, "Condition rule"). Hosts know more types, operators and members than the documents
// (api-notes, "What hosts of this family really answer"). All members are read, compared, shown and written, known or not.

const attributeRule = 'ProfileAttributeRule';
/** The documents say this, wherever hosts name the class of the attribute: `TextFieldAttribute`, `DateAttribute`, … */
const usualClass = 'NeAttribute';
/** What hosts call the class of the object that a rule is about. */
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
  // Of hosts that compare a date with another attribute, whose name is the value.
  'secondary_attribute_id',
];

/** The rules of a search as a field. Rules with equal `alike` members are one whose operator or value changed. */
export const rulesField: RecordsField = {
  is: 'records',
  alike: ['type', 'condition_object_id'],
  filled: { object_type: usualClass },
  canonical: withOneClass,
};

/** Any class of an attribute stands for `NeAttribute`, under whichever name a host has it. */
function withOneClass(rule: JsonObject): JsonObject {
  const found = classOf(rule);
  if (found === null) return rule;
  return { ...withoutClass(rule), object_type: isAttributeClass(found) ? usualClass : found };
}

/** The class of a rule's object; `null` where the rule has none, or it is not known yet. */
function classOf(rule: JsonObject): string | null {
  return classNames.map((name) => getText(rule, name)).find((name) => name !== null) ?? null;
}

function isAttributeClass(name: string): boolean {
  return name.endsWith('Attribute');
}

function withoutClass(rule: JsonObject): JsonObject {
  return mapMembers(rule, (value, name) => (classNames.includes(name) ? undefined : value));
}

/** A live rule in the manifest's shape: without unset members, and without what the server sets. */
export function manifestRule(row: JsonObject): JsonObject {
  // The documented class is read under its documented name.
  const rule = classOf(row) === usualClass ? withOneClass(row) : row;
  const names = [...new Set([...documented, ...Object.keys(rule)])].filter((name) => !isServerOwned(name));
  const members = names.flatMap((name): [string, Json][] => {
    const value = get(rule, name) ?? null;
    if (value === null) return [];
    const isKept = typeof value === 'object' || !documented.includes(name);
    return [[name, isKept ? value : String(value)]];
  });
  return objectFrom(members);
}

export function findCleared(record: JsonObject): JsonObject {
  return mapMembers(record, (value) => (value === null ? null : undefined));
}

export function isServerOwned(name: string): boolean {
  return serverOwned.includes(name);
}

export function newRule(rule: JsonObject, settings: ApiSettings): JsonObject {
  const members = withoutNulls(rule);
  // A rule that names the class as its host does is sent as it is.
  if (getText(rule, 'type') !== attributeRule || get(members, 'condition_object_type') !== undefined)
    return members;
  const { object_type = usualClass, ...others } = members;
  return { ...others, [nameOfClass(settings)]: object_type };
}

const nameOfClass = ({ profileSearchObjectType: way }: ApiSettings): string =>
  way === 'object_type' ? way : 'condition_object_type';

/**
 * A live rule with the declared members, as the API accepts it. The live class goes back where it is as good.
 *
 * @param row the rule as the tenant shows it
 */
export function changedRule(declared: JsonObject, row: JsonObject, settings: ApiSettings): JsonObject {
  // As literals, the live values can never pass for markers of a request body.
  const live = mapMembers(row, (value, name) =>
    value === null || isServerOwned(name) ? undefined : literal(value),
  );
  const [wanted, has] = [classOf(declared), classOf(live)];
  if (has !== null && (wanted === null || (isAttributeClass(wanted) && isAttributeClass(has))))
    return { ...live, ...withoutClass(declared) };
  // A member that is declared null is cleared.
  return { ...newRule({ ...withoutClass(live), ...declared }, settings), ...findCleared(declared) };
}

/** The rule with a lookup of its attribute's class, on hosts whose rules of attributes have to name it. */
export function withAttributeClass(rule: JsonObject, settings: ApiSettings): JsonObject {
  if (settings.profileSearchObjectType !== 'attribute_class' || getText(rule, 'type') !== attributeRule)
    return rule;
  const where = whereIsAttribute(get(rule, 'condition_object_id'));
  if (where === null || (classOf(rule) ?? usualClass) !== usualClass) return rule;
  const lookup = lookupMarker({ from: 'ne_attributes', where, take: 'type' });
  return { ...withoutClass(rule), condition_object_type: lookup };
}

function whereIsAttribute(id: Json | undefined): Lookup['where'] | null {
  const lookup = lookupOf(id);
  if (lookup) return lookup.from === 'ne_attributes' ? lookup.where : null;
  return typeof id === 'string' ? { id } : null;
}

/**
 * The types of attributes whose values are ids, and of which records (seed 002, "ProfileAttributeRule"). Hosts also write them
 * with a blank, and call users by what they are to a profile.
 */
const idAttributes = [
  { from: 'profiles', by: ['uid', 'name'], values: typesOf('profile') },
  {
    from: 'users',
    by: ['uid', 'login', 'email'],
    values: ['user', 'contributor', 'owner'].flatMap(typesOf),
  },
];

function typesOf(noun: string): string[] {
  return ['_select', '_search', ' select', ' search'].map((end) => noun + end);
}

/** The documents name the types of attributes, but not the field that has the type. */
const typeFields = ['data_type', 'type'];

/** The ids of other records in the rule at this place of its search. */
export function ruleReferences(rule: JsonObject, at: number): RecordReference[] {
  const reference = (field: string, from: string, by: readonly string[]): RecordReference[] => {
    const id = getText(rule, field);
    return id === null ? [] : [{ at: pointer('rules', at, field), id, from, by }];
  };
  const attribute = getText(rule, 'condition_object_id');
  switch (getText(rule, 'type')) {
    case 'ProfileTypeRule':
      return reference('value', 'profile_types', ['uid', 'name']);
    case attributeRule: {
      const found = ['condition_object_id', 'secondary_attribute_id'].flatMap((field) =>
        reference(field, 'ne_attributes', ['uid', 'label', 'name']),
      );
      if (attribute === null) return found;
      const inValue = idAttributes.flatMap(({ from, by, values }) => {
        const when = { from: 'ne_attributes', id: attribute, fields: typeFields, values };
        return reference('value', from, by).map((each) => ({ ...each, when }));
      });
      return [...found, ...inValue];
    }
    default:
      return [];
  }
}
