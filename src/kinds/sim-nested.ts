import { isObject, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { jsonText, literalOf, liveMarker, livePlace, secretName } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import { readJsonText } from './jsontext.ts';

/** The fields of a ticket, which some tenants keep inside `attributes`. */
export const ticketFields: readonly string[] = ['request', 'statusMap'];

/** The attributes of an answer, and apart from them the ticket fields that the tenant keeps there. */
export interface Attributes {
  readonly attributes: Json;
  readonly nested: JsonObject;
}

/**
 * Nested are the ticket fields that the answer does not name at top level and shows inside `attributes` as an object.
 * Anything else that goes by their names is a setting of the service desk like any other.
 */
export function takeApart(answer: JsonObject): Attributes {
  const all = readJsonText(own(answer, 'attributes') ?? null);
  if (!isObject(all)) return { attributes: all, nested: {} };
  const isNested = ([name, value]: readonly [string, Json]) =>
    ticketFields.includes(name) && !Object.hasOwn(answer, name) && isObject(readJsonText(value));
  const members = Object.entries(all);
  return {
    attributes: objectFrom(members.filter((member) => !isNested(member))),
    nested: objectFrom(members.filter(isNested)),
  };
}

/** What a write of the attributes carries along, so that the tenant does not lose it: ticket fields as they shall be. */
export function nestedAfter(values: JsonObject, live: LiveObject): JsonObject {
  return objectFrom(
    Object.entries(takeApart(live.raw).nested).flatMap(([name, shown]): [string, Json][] => {
      const value = own(values, name) ?? null;
      if (value === null) return [];
      return [[name, typeof shown === 'string' && isObject(value) ? jsonText(value) : value]];
    }),
  );
}

/** The fields with `nested` among the attributes, but for what the manifest declares there itself. */
export function withNested(values: JsonObject, nested: JsonObject, live: LiveObject): JsonObject {
  const members = membersOf(own(values, 'attributes') ?? null, live);
  if (members === null || Object.keys(nested).length === 0) return values;
  const attributes = objectFrom([...Object.entries(nested), ...Object.entries(members)]);
  return objectFrom([...Object.entries(values), ['attributes', attributes]]);
}

/** The members of attributes to write; `null` where they are text that nothing can be added to. */
function membersOf(attributes: Json, live: LiveObject): JsonObject | null {
  if (attributes === null || attributes === '') return {};
  if (!isObject(attributes) || secretName(attributes) !== null) return null;
  if (literalOf(attributes) === undefined && livePlace(attributes) === null) return attributes;
  // A marker for all of them has no room for more: one for each says the same.
  const shown = own(live.fields, 'attributes');
  if (!isObject(shown)) return null;
  return objectFrom(Object.keys(shown).map((name) => [name, liveMarker(pointer('attributes', name))]));
}
