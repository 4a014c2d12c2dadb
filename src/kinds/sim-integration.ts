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
  withoutNulls,
} from '../model/json.ts';
import { literalOf, livePlace, secretName } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { concealedPlaces } from './credentials.ts';
import { comparable, wireValue } from './field.ts';
import { apiRequest, call, identityResource, idText, jsonPatchType } from './http.ts';
import { jsonPatch, replacingPatch } from './json-patch.ts';
import { readJsonText } from './jsontext.ts';
import {
  type Facts,
  type Field,
  type Kind,
  type LiveObject,
  type UpdateInput,
  type Write,
  withoutId,
} from './kind.ts';

const resource = identityResource('SimIntegration', 'v2024', 'sim-integrations');

const ruleField = 'beforeProvisioningRule';
/** The fields of a ticket, which some tenants keep inside `attributes` (api-notes, "SimIntegration"). */
const ticketFields: readonly string[] = ['request', 'statusMap'];

const fields: Readonly<Record<string, Field>> = {
  description: { is: 'text' },
  type: { is: 'value' },
  cluster: { is: 'value', synonyms: true, to: 'Cluster' },
  sources: { is: 'set', to: 'Source' },
  attributes: { is: 'json', declares: 'members', settings: true, pairs: true },
  request: { is: 'json', declares: 'whole', settings: true, pairs: true },
  statusMap: { is: 'json', declares: 'whole', settings: true, vocabulary: true, pairs: true },
  // A kind of that name exists if a project describes it.
  [ruleField]: { is: 'reference', to: 'ConnectorRule', type: 'RULE' },
};

/** A service-desk integration (seed 000; api-notes, "SimIntegration"). */
export const simIntegration: Kind = {
  name: 'SimIntegration',
  summary: 'A service-desk integration that turns provisioning into tickets (deprecated by the vendor).',
  keyFields: [{ name: 'name' }],
  fields,
  serverOwned: ['created', 'modified', 'ownerRef', 'clusterRef', 'managedSources', 'provisioningConfig'],
  resource,
  read: {
    how: 'list',
    list: { resource, pageSize: null },
    one: (id, settings) => apiRequest('GET', resource, settings, { below: [id] }),
  },
  parse: parseIntegration,
  // Names are unique (api-notes).
  can: { create: 'refused', update: true, delete: true, rename: true, pin: true },
  write: {
    create({ key: [name = ''], fields: values, settings }) {
      const body = { name, ...withoutNulls(wireFields(values, Object.keys(fields), settings)) };
      return { requests: [call('POST', resource, settings, { body })] };
    },
    update(input) {
      const advice = sourcesAdvice(input);
      if (advice !== null) return { manual: advice };
      const { id } = input.live;
      if (id === null) return withoutId(input.key[0] ?? '', 'change');
      const [{ id: ruleId, name }, { id: liveId = null }] = [ruleOf(input.fields), ruleOf(input.live.fields)];
      // The API finds a rule by its id: a new name alone would remove the rule, or be refused.
      const lacksId = liveId !== null && ruleId === undefined && name !== undefined;
      if (input.changed.has(ruleField) && lacksId) return { manual: ruleAdvice };
      return input.settings.simUpdate === 'put' ? replaceWhole(input, id) : patch(input, id);
    },
    remove({ key: [name = ''], id, settings }) {
      if (id === null) return withoutId(name, 'delete');
      return { requests: [call('DELETE', resource, settings, { below: [id] })], risk: ['delete'] };
    },
  },
  quirks: {
    notice: {
      code: 'sim-deprecated',
      severity: 'info',
      message:
        'Service-desk integrations (SimIntegration) are deprecated by their vendor and unavailable to new tenants.',
    },
    declaredAs: { clusterRef: 'cluster', managedSources: 'sources' },
    arrange(declared, live) {
      const [rule, shown] = [ruleOf(declared), ruleOf(live.fields)];
      const lifted = liftNested(declared, live);
      // A rule that is declared by its name alone is the live one of that name.
      const isShown =
        typeof rule.name === 'string' && rule.name === shown.name && (shown.id ?? null) !== null;
      return isShown && rule.id === undefined ? { ...lifted, [ruleField]: { ...shown, ...rule } } : lifted;
    },
    // The API takes a rule with its type only, and a manifest may leave that out.
    complete(declared) {
      const rule = ruleOf(declared);
      return rule.id === undefined ? declared : { ...declared, [ruleField]: { type: 'RULE', ...rule } };
    },
  },
};

function patch({ key, fields: values, changed, live, settings }: UpdateInput, id: string): Write {
  const names = [...changed].filter((name) => name !== ruleField);
  const nested = wantedNested(values, live);
  const wanted = { ...addNested(values, nested, live), name: key[0] ?? null };
  // On both sides: values that are only carried along are not a change.
  const shown = mapMembers(addNested(live.fields, nested, live), (value, name) => {
    const field = fields[name];
    // An empty object may stand for a field that is not there: `add` sets both.
    return field?.is === 'json' && comparable(field, value) === null ? null : value;
  });
  const current = { ...shown, name: live.key[0] ?? null };
  const patchOf = settings.simPatchOps === 'replace' ? replacingPatch : jsonPatch;
  const request = (below: readonly string[], before: JsonObject, after: JsonObject) => {
    const steps = patchOf(before, after);
    if (steps.length === 0) return [];
    const body = settings.simPatchBody === 'array' ? steps : { operations: steps };
    return [call('PATCH', resource, settings, { below, body, contentType: jsonPatchType })];
  };
  const ofFields = [wireFields(current, names, settings), wireFields(wanted, names, settings)] as const;
  // Pointers in the body of this call are relative to the rule (api-notes, "Two small points").
  const ofRule = changed.has(ruleField) ? request([id, ruleField], ruleOf(live.fields), ruleOf(values)) : [];
  return { requests: [...request([id], ...ofFields), ...ofRule] };
}

function replaceWhole(input: UpdateInput, id: string): Write {
  const { key, fields: values, live, changed, settings } = input;
  const [name = ''] = changed.has('name') ? key : live.shownKey;
  const lost = ticketFields.filter(
    (field) => live.hidden.includes(pointer(field)) && (get(values, field) ?? null) === null,
  );
  const sent = Object.keys(fields).filter(
    (field) => changed.has(field) || !(lost.includes(field) || (field === 'sources' && isNone(values))),
  );
  const whole = addNested(values, wantedNested(values, live), live);
  const body = { id, name, ...wireFields(whole, sent, settings) };
  return {
    requests: [call('PUT', resource, settings, { below: [id], body })],
    warnings: lost.map(
      (field) =>
        `The tenant does not show ${field}, so this PUT is sent without it: declare it, and not under ` +
        '`lifecycle.ignore`, if it is in use.',
    ),
  };
}

/** Whether there are no sources. A PUT clears them only if a manifest does. */
function isNone({ sources = null }: JsonObject): boolean {
  return sources === null || (isArray(sources) && sources.length === 0);
}

/** A PUT without the sources clears them. Hidden sources cannot be carried along either. */
function sourcesAdvice(input: UpdateInput): string | null {
  const { fields: values, live, changed, settings } = input;
  const [name = ''] = input.key;
  const isUnknown = live.hidden.includes('/sources') && !changed.has('sources') && isNone(values);
  if (settings.simUpdate !== 'put' || !isUnknown) return null;
  return (
    `The tenant does not show the sources of "${name}", and a PUT without them would clear them. Declare the \`sources\` ` +
    'that it has, and not under `lifecycle.ignore`, or make this change in the tenant; or set `identity.simUpdate: patch` ' +
    'if the tenant takes patches.'
  );
}

function wireFields(values: JsonObject, names: readonly string[], settings: ApiSettings): JsonObject {
  return mapMembers(values, (value, name) => {
    const field = get(fields, name);
    if (!names.includes(name)) return undefined;
    return field ? wireValue(field, value, settings) : value;
  });
}

const ruleAdvice =
  'The API changes the rule by its id, and the manifest has only its name. Declare the `id` in `beforeProvisioningRule`, and plan again.';

const ruleOf = (values: JsonObject): JsonObject => getObject(values, ruleField);

/** The answer has another shape than the request (api-notes, "SimIntegration"). */
function parseIntegration(answer: JsonObject): Facts | null {
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
    id: idText(get(answer, 'id')),
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

/** Hosts have the id in one member and the name in the other: a list of both if they differ. */
function clusterOf(answer: JsonObject): Json {
  const shown = [get(answer, 'cluster'), get(getObject(answer, 'clusterRef'), 'id')];
  const [first = null, ...others] = [...new Set(shown.map((value) => value ?? null))].filter(
    (value) => value !== null,
  );
  return others.length === 0 ? first : [first, ...others];
}

/**
 * The first member with sources that is not empty; `undefined` if the answer has none of them. An empty list may come back as
 * null, but null among the settings of provisioning says nothing.
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

/** Nested ticket fields are objects that the answer lacks at top level. Other members of their names are ordinary settings. */
function splitAttributes(answer: JsonObject): { attributes: Json; nested: JsonObject } {
  const all = readJsonText(get(answer, 'attributes') ?? null);
  if (!isObject(all)) return { attributes: all, nested: {} };
  const nested = mapMembers(all, (value, name) => {
    const isNested = ticketFields.includes(name) && !Object.hasOwn(answer, name);
    return isNested && isObject(readJsonText(value)) ? value : undefined;
  });
  const attributes = mapMembers(all, (value, name) => (Object.hasOwn(nested, name) ? undefined : value));
  return { attributes, nested };
}

/** Declared ticket fields at the tenant's place: inside the attributes, they would always differ. */
function liftNested(declared: JsonObject, live: LiveObject): JsonObject {
  const attributes = get(declared, 'attributes');
  if (!isObject(attributes)) return declared;
  const names = ticketFields.filter((name) => {
    const isNested = !Object.hasOwn(live.raw, name) && isObject(get(live.fields, name));
    const value = get(attributes, name);
    // A text or a secret is an ordinary setting of that name.
    const isTicket = value !== undefined && isObject(readJsonText(value)) && secretName(value) === null;
    return isNested && (isTicket || value === null);
  });
  if (names.length === 0) return declared;
  const rest = mapMembers(attributes, (value, name) => (names.includes(name) ? undefined : value));
  return { ...mapMembers(pick(attributes, names), readJsonText), ...declared, attributes: rest };
}

/** The wanted ticket fields among the attributes: a write of the attributes without them would delete them. */
function wantedNested(values: JsonObject, live: LiveObject): JsonObject {
  return mapMembers(splitAttributes(live.raw).nested, (shown, name) => {
    const value = get(values, name) ?? undefined;
    return typeof shown === 'string' && isObject(value) ? { $jsonText: value } : value;
  });
}

/** The fields with `nested` among the attributes; values that the manifest declares there have precedence. */
function addNested(values: JsonObject, nested: JsonObject, live: LiveObject): JsonObject {
  const members = membersOf(get(values, 'attributes') ?? null, live);
  if (members === null || Object.keys(nested).length === 0) return values;
  const attributes = objectFrom([...Object.entries(nested), ...Object.entries(members)]);
  return objectFrom([...Object.entries(values), ['attributes', attributes]]);
}

/** The attributes' members to write; `null` if they are text, to which nothing can be added. */
function membersOf(attributes: Json, live: LiveObject): JsonObject | null {
  if (attributes === null || attributes === '') return {};
  if (!isObject(attributes)) return null;
  if (literalOf(attributes) === undefined && livePlace(attributes) === null) return attributes;
  // One marker for all of them leaves no room for more members, so each gets its own.
  const shown = get(live.fields, 'attributes');
  if (!isObject(shown)) return null;
  return mapMembers(shown, (_, name) => ({ $live: pointer('attributes', name) }));
}
