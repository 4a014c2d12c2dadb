import {
  get,
  getObject,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  withoutNulls,
} from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { maskedAdvice, masksIn, withoutIgnoring } from './credentials.ts';
import { comparable, wireValue } from './field.ts';
import { apiRequest, identityResource, jsonPatchType } from './http.ts';
import { operationsBody, type PatchOperation, patchOperations, replaceOnly } from './json-patch.ts';
import { type Field, type Kind, type UpdateInput, type Write, withoutId } from './kind.ts';
import { call, idPlace, type Operation } from './operation.ts';
import {
  addNested,
  liftNested,
  parseIntegration,
  ruleField,
  ticketFields,
  wantedNested,
} from './sim-answer.ts';

const resource = identityResource('SimIntegration', 'v2024', 'sim-integrations');

const fields: Readonly<Record<string, Field>> = {
  description: { is: 'text' },
  type: { is: 'value' },
  cluster: { is: 'value', synonyms: true, to: 'Cluster' },
  sources: { is: 'set', to: 'Source' },
  attributes: { is: 'json', declares: 'members', settings: true, pairs: true },
  request: { is: 'json', declares: 'whole', settings: true, pairs: true },
  statusMap: { is: 'json', declares: 'whole', settings: true, vocabulary: true, pairs: true },
  // A kind of that name is there where a project describes it.
  [ruleField]: { is: 'reference', to: 'ConnectorRule', type: 'RULE' },
};

const one = { resource, below: [idPlace] };
const post: Operation = { method: 'POST', resource };
const put: Operation = { ...one, method: 'PUT' };
const patchFields: Operation = { ...one, method: 'PATCH', contentType: jsonPatchType };
/** Pointers in the body of this call are relative to the rule (api-notes, "Two small points"). */
const patchRule: Operation = { ...patchFields, below: [idPlace, ruleField] };
const remove: Operation = { ...one, method: 'DELETE' };

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
  create({ key: [name = ''], fields: values, settings }) {
    // A new object has no unset members.
    const body = { name, ...withoutNulls(wireFields(values, Object.keys(fields), settings)) };
    return { requests: [call(post, settings, { body })], warnings: doubtsAbout(values) };
  },
  update(input) {
    const unsafe = undeclaredMasks(input);
    if (unsafe.length > 0) return { manual: maskedAdvice(input, unsafe) };
    if (clearsSources(input)) return { manual: sourcesAdvice(input) };
    const { id } = input.live;
    if (id === null) return withoutId(input.key[0] ?? '', 'change');
    if (lacksRuleId(input)) return { manual: ruleAdvice };
    return input.settings.simUpdate === 'put' ? replaceWhole(input, id) : patch(input, id);
  },
  remove({ key: [name = ''], id, settings }) {
    if (id === null) return withoutId(name, 'delete');
    return { requests: [call(remove, settings, { id })], risk: ['delete'] };
  },
  quirks: {
    notice: {
      code: 'sim-deprecated',
      severity: 'info',
      message:
        'Service-desk integrations (SimIntegration) are deprecated by their vendor and unavailable to new tenants.',
    },
    declaredAs: { clusterRef: 'cluster', managedSources: 'sources' },
    arrange: (declared, live) => withRuleId(liftNested(declared, live), live.fields),
    complete: withRuleType,
  },
};

/** One patch for the fields, one for the rule, which has its own sub-resource. */
function patch({ key, fields: values, changed, live, settings }: UpdateInput, id: string): Write {
  const names = [...changed].filter((name) => name !== ruleField);
  const nested = wantedNested(values, live);
  const wanted = { ...addNested(values, nested, live), name: key[0] ?? null };
  // On both sides: values that are only sent along are not a change.
  const current = { ...withoutEmpty(addNested(live.fields, nested, live)), name: live.key[0] ?? null };
  const operations = stepsBetween(
    wireFields(current, names, settings),
    wireFields(wanted, names, settings),
    settings,
  );
  const ruleOperations = changed.has(ruleField)
    ? stepsBetween(ruleOf(live.fields), ruleOf(values), settings)
    : [];
  const request = (operation: Operation, steps: readonly PatchOperation[]) =>
    steps.length > 0 ? [call(operation, settings, { id, body: patchBody(steps, settings) })] : [];
  return { requests: [...request(patchFields, operations), ...request(patchRule, ruleOperations)] };
}

function stepsBetween(before: JsonObject, after: JsonObject, settings: ApiSettings): PatchOperation[] {
  const steps = patchOperations(before, after);
  return settings.simPatchOps === 'replace' ? replaceOnly(steps, after) : steps;
}

/** An empty object may stand for a field that is not there: `add` sets both. */
function withoutEmpty(values: JsonObject): JsonObject {
  return mapMembers(values, (value, name) => {
    const field = fields[name];
    return field?.is === 'json' && comparable(field, value) === null ? null : value;
  });
}

function patchBody(operations: readonly PatchOperation[], settings: ApiSettings): Json {
  const items = operationsBody(operations);
  return settings.simPatchBody === 'array' ? items : { operations: items };
}

/** PUT has the whole object: fields that the manifest leaves out are sent back as the tenant showed them. */
function replaceWhole(input: UpdateInput, id: string): Write {
  const { key, fields: values, live, changed, ignored, settings } = input;
  const [name = ''] = key;
  const lost = ticketFields.filter(
    (field) => live.hidden.includes(pointer(field)) && (get(values, field) ?? null) === null,
  );
  const isSent = (field: string) =>
    changed.has(field) || !(lost.includes(field) || (field === 'sources' && isNone(values)));
  const sent = Object.keys(fields).filter(isSent);
  const whole = addNested(values, wantedNested(values, live), live);
  const body = { id, name, ...wireFields(whole, sent, settings) };
  return {
    requests: [call(put, settings, { id, body })],
    warnings: lost.map(
      (field) =>
        `The tenant does not show ${field}, so this PUT is sent without it: declare it` +
        `${withoutIgnoring([pointer(field)], ignored)} if it is in use.`,
    ),
  };
}

/** Whether the sources are none. A PUT says so only where a manifest clears them. */
function isNone({ sources = null }: JsonObject): boolean {
  return sources === null || (isArray(sources) && sources.length === 0);
}

/** A PUT without the sources clears them. Where the tenant does not show them, they cannot be sent along either. */
function clearsSources({ fields: values, live, changed, settings }: UpdateInput): boolean {
  const isUnknown = live.hidden.includes('/sources') && !changed.has('sources') && isNone(values);
  return settings.simUpdate === 'put' && isUnknown;
}

function sourcesAdvice({ key: [name = ''], fields: values, ignored }: UpdateInput): string {
  const remedy = isArray(get(values, 'sources'))
    ? 'Make this change in the tenant'
    : `Declare the \`sources\` that it has${withoutIgnoring(['/sources'], ignored)}, and plan again`;
  return (
    `The tenant does not show the sources of "${name}", and a PUT without them would clear them. ` +
    `${remedy}; or set \`identity.simUpdate: patch\` if the tenant takes patches.`
  );
}

function wireFields(values: JsonObject, names: readonly string[], settings: ApiSettings): JsonObject {
  return objectFrom(
    names.flatMap((name): [string, Json][] => {
      const value = get(values, name);
      if (value === undefined) return [];
      const field = fields[name];
      return [[name, field ? wireValue(field, value, settings) : value]];
    }),
  );
}

/** The API takes a rule with its type only, and a manifest may leave that out. */
function withRuleType(declared: JsonObject): JsonObject {
  const rule = ruleOf(declared);
  return rule.id === undefined ? declared : { ...declared, [ruleField]: { type: 'RULE', ...rule } };
}

/** A rule that is declared by its name alone is the live one of that name. */
function withRuleId(declared: JsonObject, live: JsonObject): JsonObject {
  const [rule, shown] = [ruleOf(declared), ruleOf(live)];
  const isShown = typeof rule.name === 'string' && rule.name === shown.name && (shown.id ?? null) !== null;
  return isShown && rule.id === undefined ? { ...declared, [ruleField]: { ...shown, ...rule } } : declared;
}

/** The API finds a rule by its id: another name alone would leave the integration without a rule, or be refused. */
function lacksRuleId({ fields: values, changed, live }: UpdateInput): boolean {
  const [{ id, name }, { id: liveId = null }] = [ruleOf(values), ruleOf(live.fields)];
  return changed.has(ruleField) && liveId !== null && id === undefined && name !== undefined;
}

/** What a new integration lacks. The API documents do not say which fields may be left out. */
function doubtsAbout(values: JsonObject): string[] {
  const rule = ruleOf(values);
  const lacksType = (get(values, 'type') || null) === null;
  const lacksId = Object.keys(rule).length > 0 && rule.id === undefined;
  return [
    ...(lacksType ? ['It has no `type`: the tenant may refuse to create it. Declare one.'] : []),
    ...(lacksId
      ? [
          'Its rule has no `id`: the tenant may refuse to create it. Declare the `id` in `beforeProvisioningRule`.',
        ]
      : []),
  ];
}

const ruleAdvice =
  'The API changes the rule by its id, and the manifest has only its name. Declare the `id` in `beforeProvisioningRule`, and plan again.';

const ruleOf = (values: JsonObject): JsonObject => getObject(values, ruleField);

/**
 * Masked members of the live attributes that the manifest does not declare: writing all attributes as one text would
 * replace the credential by its mask. Ciphertext can be sent back as it is.
 */
function undeclaredMasks({ fields: values, live, changed, settings }: UpdateInput): Pointer[] {
  const isWhole = settings.jsonText === 'text' || settings.simPatchOps === 'replace';
  const writesAll = settings.simUpdate === 'put' || (changed.has('attributes') && isWhole);
  const attributes = get(values, 'attributes');
  return writesAll && isObject(attributes) ? masksIn({ attributes }, live) : [];
}
