import {
  get,
  getObject,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  pick,
} from '../model/json.ts';
import { jsonText, literalOf, liveMarker, livePlace, secretName } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import { concealedPlaces } from './credentials.ts';
import { readJsonText } from './jsontext.ts';
import type { Facts, LiveObject } from './kind.ts';

export const ruleField = 'beforeProvisioningRule';

/** The fields of a ticket, which some tenants keep inside `attributes` (api-notes, "SimIntegration"). */
export const ticketFields: readonly string[] = ['request', 'statusMap'];

/**
 * The answer has another shape than the request: sources are `managedSources`, the cluster is a reference, and `request`
 * and `statusMap` are at top level, inside `attributes`, or missing (api-notes).
 */
export function parseIntegration(answer: JsonObject): Facts | null {
  const name = getText(answer, 'name');
  if (name === null) return null;
  const { attributes, nested } = splitAttributes(answer);
  const tickets = { ...answer, ...nested };
  const sources = sourcesOf(answer);
  const notShown = [
    ...ticketFields.filter((field) => (get(tickets, field) ?? null) === null),
    ...(sources === undefined ? ['sources'] : []),
  ];
  return {
    key: [name],
    id: getText(answer, 'id'),
    fields: {
      ...pick(answer, ['description', 'type']),
      cluster: clusterOf(answer),
      sources: sources ?? null,
      attributes,
      ...mapMembers(pick(tickets, ticketFields), readJsonText),
      [ruleField]: get(answer, ruleField) ?? null,
    },
    hidden: [...notShown.map((field) => pointer(field)), ...concealedPlaces(attributes, '/attributes')],
  };
}

/** Hosts hold the id in either member, and the name in the other: a list of both where they differ. */
function clusterOf(answer: JsonObject): Json {
  const shown = [get(answer, 'cluster'), get(getObject(answer, 'clusterRef'), 'id')];
  const [first = null, ...others] = [...new Set(shown.map((value) => value ?? null))].filter(
    (value) => value !== null,
  );
  return others.length === 0 ? first : [first, ...others];
}

/**
 * The first of the members that hold the sources which is not empty; `undefined` where the answer has none of them. An empty
 * list may come back as null, but null among the settings of provisioning says nothing about the sources.
 */
function sourcesOf(answer: JsonObject): Json | undefined {
  const members = [
    get(answer, 'managedSources'),
    get(getObject(answer, 'provisioningConfig'), 'managedResourceRefs') ?? undefined,
    get(answer, 'sources'),
  ].filter((member) => member !== undefined);
  const listed = members.find((member) => isArray(member) && member.length > 0) ?? members[0];
  if (!isArray(listed)) return listed;
  return listed.map((source) => (isObject(source) ? (get(source, 'id') ?? null) : source));
}

/**
 * Splits the attributes of an answer. Nested ticket fields are objects inside `attributes` that the answer does not have at
 * top level; other members with their names are ordinary settings of the service desk.
 */
function splitAttributes(answer: JsonObject, names = ticketFields): { attributes: Json; nested: JsonObject } {
  const all = readJsonText(get(answer, 'attributes') ?? null);
  if (!isObject(all)) return { attributes: all, nested: {} };
  const isNested = (value: Json, name: string) =>
    names.includes(name) && !Object.hasOwn(answer, name) && isObject(readJsonText(value));
  return {
    attributes: mapMembers(all, (value, name) => (isNested(value, name) ? undefined : value)),
    nested: mapMembers(all, (value, name) => (isNested(value, name) ? value : undefined)),
  };
}

/** The ticket fields that the tenant keeps inside the attributes of an integration: its answer has them nowhere else. */
function nestedFields({ raw, fields }: Pick<LiveObject, 'raw' | 'fields'>): string[] {
  return ticketFields.filter((name) => !Object.hasOwn(raw, name) && isObject(get(fields, name)));
}

/** Declared ticket fields where the tenant keeps them: inside the attributes, they would differ for ever. */
export function liftNested(declared: JsonObject, live: LiveObject): JsonObject {
  const attributes = get(declared, 'attributes');
  if (!isObject(attributes)) return declared;
  const names = nestedFields(live).filter((name) => isTicket(get(attributes, name)));
  if (names.length === 0) return declared;
  const rest = mapMembers(attributes, (value, name) => (names.includes(name) ? undefined : value));
  return { ...mapMembers(pick(attributes, names), readJsonText), ...declared, attributes: rest };
}

/** Whether a member is a ticket field, or clears it. A text or a secret is an ordinary setting of that name. */
function isTicket(value: Json | undefined): boolean {
  return (
    value === null || (value !== undefined && isObject(readJsonText(value)) && secretName(value) === null)
  );
}

/** The wanted ticket fields among the attributes: a write of the attributes without them would delete them. */
export function wantedNested(values: JsonObject, live: LiveObject): JsonObject {
  return mapMembers(splitAttributes(live.raw).nested, (shown, name) => {
    const value = get(values, name) ?? undefined;
    return typeof shown === 'string' && isObject(value) ? jsonText(value) : value;
  });
}

/** The fields with `nested` among the attributes; what the manifest declares there itself has precedence. */
export function addNested(values: JsonObject, nested: JsonObject, live: LiveObject): JsonObject {
  const members = membersOf(get(values, 'attributes') ?? null, live);
  if (members === null || Object.keys(nested).length === 0) return values;
  const attributes = objectFrom([...Object.entries(nested), ...Object.entries(members)]);
  return objectFrom([...Object.entries(values), ['attributes', attributes]]);
}

/** The attributes' members to write; `null` where they are text, to which nothing can be added. */
function membersOf(attributes: Json, live: LiveObject): JsonObject | null {
  if (attributes === null || attributes === '') return {};
  if (!isObject(attributes)) return null;
  if (literalOf(attributes) === undefined && livePlace(attributes) === null) return attributes;
  // One marker for all of them leaves no room for more members, so each gets its own.
  const shown = get(live.fields, 'attributes');
  if (!isObject(shown)) return null;
  return mapMembers(shown, (_, name) => liveMarker(pointer('attributes', name)));
}
