import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject, objectFrom, own, withoutNulls } from '../../model/json.ts';
import { applyPatch, replaceOnlyPatch, standardPatch } from '../json-patch.ts';
import { newId, type ProvisioningRule, readProvisioningRule, type SimIntegration } from '../objects.ts';
import {
  badRequest,
  type Call,
  deleteById,
  findById,
  type Handlers,
  okRead,
  okWrite,
  type Reply,
  type Tenant,
} from '../requests.ts';
import { ignoredTime, object, text, textOrNull, texts } from '../shape.ts';
import { referenceName } from '../state.ts';
import { readJsonText, type Variations, writeJsonText } from '../variations.ts';

type SimDetails = Omit<SimIntegration, 'id' | 'created' | 'modified'>;

const noun = 'integration';

const find = (call: Call, { state }: Tenant): SimIntegration => findById(state.simIntegrations, call, noun);

/** Service desk integrations (seed 000). */
export const simIntegrations = {
  'get-sim-integrations': (_call, tenant) =>
    okRead(tenant.state.simIntegrations.map((integration) => showIntegration(integration, tenant))),

  'get-sim-integration': (call, tenant) => okRead(showIntegration(find(call, tenant), tenant)),

  /** Names are unique (api-notes). */
  'create-sim-integration': (call, tenant) => {
    const details = readDetails(call.body, null, tenant.variations);
    requireFreeName(details.name, null, tenant);
    const { state } = tenant;
    const created = tenant.timestamp();
    const integration: SimIntegration = {
      id: newId(state, 'SimIntegration', details.name, state.simIntegrations),
      ...details,
      created,
      modified: created,
    };
    state.simIntegrations.push(integration);
    return okWrite(showIntegration(integration, tenant));
  },

  /** Replaces the integration; fields that are left out are cleared. */
  'put-sim-integration': (call, tenant) => {
    const integration = find(call, tenant);
    return updateIntegration(integration, readDetails(call.body, integration.id, tenant.variations), tenant);
  },

  /** All fields of a request except the rule, which has its own path. */
  'patch-sim-attributes': (call, tenant) => {
    const integration = find(call, tenant);
    const patched = patchWith(writableFields(integration, tenant.variations), call.body, tenant);
    if (Object.hasOwn(patched, 'beforeProvisioningRule')) {
      throw badRequest('beforeProvisioningRule is patched under its own path');
    }
    for (const name of ['id', 'created', 'modified']) {
      if (Object.hasOwn(patched, name)) throw badRequest(`${name} cannot be patched`);
    }
    const { beforeProvisioningRule } = integration;
    const details = readDetails(patched, integration.id, tenant.variations);
    return updateIntegration(integration, { ...details, beforeProvisioningRule }, tenant);
  },

  /** Pointers are relative to the rule (api-notes). */
  'patch-before-provisioning-rule': (call, tenant) => {
    const integration = find(call, tenant);
    const { id: _id, created: _created, modified: _modified, ...details } = integration;
    const patched = patchWith(withoutNulls(details.beforeProvisioningRule ?? {}), call.body, tenant);
    return updateIntegration(integration, { ...details, beforeProvisioningRule: readRule(patched) }, tenant);
  },

  'delete-sim-integration': (call, { state }) => ({
    ...deleteById(state.simIntegrations, call, noun, state),
    status: 200,
  }),
} satisfies Handlers;

function updateIntegration(integration: SimIntegration, details: SimDetails, tenant: Tenant): Reply {
  requireFreeName(details.name, integration.id, tenant);
  Object.assign(integration, details, { modified: tenant.timestamp() });
  return okWrite(showIntegration(integration, tenant));
}

function requireFreeName(name: string, id: string | null, { state }: Tenant): void {
  if (state.simIntegrations.some((other) => other.name === name && other.id !== id)) {
    throw badRequest(`An integration named "${name}" already exists`);
  }
}

/** A copy of the document with the operations in `body` applied. Throws a 400. */
function patchWith(document: JsonObject, body: Json, { variations }: Tenant): JsonObject {
  const rules = variations.simPatchOps === 'all' ? standardPatch : replaceOnlyPatch;
  if (variations.simPatchBody === 'array') return applyPatch(document, body, rules);
  if (!isObject(body) || Object.keys(body).join() !== 'operations') {
    throw badRequest('The body must be an object with only the field operations');
  }
  return applyPatch(document, own(body, 'operations') ?? null, rules);
}

/**
 * Reads a SimIntegrationDetails (seed 000); fields that are left out become null. `id` is the integration to replace,
 * or null for a new one. Throws `ShapeError` or a 400.
 */
function readDetails(body: Json, id: string | null, variations: Variations): SimDetails {
  const jsonText = (value: Json | undefined, at: string) => readJsonText(value ?? null, at, variations);
  const {
    id: givenId,
    created: _created,
    modified: _modified,
    ...details
  } = object({
    id: textOrNull,
    created: ignoredTime,
    modified: ignoredTime,
    name: text,
    description: textOrNull,
    type: text,
    cluster: textOrNull,
    sources: texts,
    attributes: jsonText,
    request: jsonText,
    statusMap: jsonText,
    beforeProvisioningRule: (rule) => readRule(rule ?? null),
  })(body, 'body');
  if (givenId !== null && givenId !== id) throw badRequest('body.id is not the id of this integration');
  return variations.simStatusMap === 'attributes' ? extractNested(details) : details;
}

/** Reads a beforeProvisioningRule; null if it has no values. Throws `ShapeError` or a 400. */
function readRule(value: Json): ProvisioningRule | null {
  if (value === null) return null;
  const rule = readProvisioningRule(value, 'beforeProvisioningRule');
  if (Object.values(rule).every((member) => member === null)) return null;
  if (rule.id === null || rule.type === null) throw badRequest('beforeProvisioningRule needs id and type');
  return rule;
}

/** The document that a patch is applied to: the fields of a request that have a value. */
function writableFields(integration: SimIntegration, variations: Variations): JsonObject {
  const { name, description, type, cluster, sources } = integration;
  const jsonText = variations.jsonText === 'map' ? 'text' : variations.jsonText;
  // Shown as an object that can be added to, so a patch may do that.
  const none = variations.simStatusMap === 'attributes' ? {} : null;
  return withoutNulls({
    name,
    description,
    type,
    cluster,
    sources: sources.length === 0 ? null : sources,
    attributes: writeJsonText(integration.attributes ?? none, { jsonText }),
    request: writeJsonText(integration.request, { jsonText }),
    statusMap: writeJsonText(integration.statusMap, { jsonText }),
  });
}

/** A ServiceDeskIntegrationDto, which differs from the request (api-notes, SimIntegration). */
function showIntegration(integration: SimIntegration, { state, variations }: Tenant): Json {
  const { id, name, description, type, created, modified, cluster, sources, request, statusMap } =
    integration;
  const reference = (kind: string, to: string): JsonObject => ({
    type: kind,
    id: to,
    name: referenceName(state, to) ?? to,
  });
  const nested = withoutNulls({ statusMap, request });
  const shown =
    integration.attributes === null ? null : hideSecrets(integration.attributes, variations.simSecrets);
  const attributes = variations.simStatusMap === 'attributes' ? { ...shown, ...nested } : shown;
  return {
    id,
    name,
    description,
    type,
    created,
    modified,
    ownerRef: null,
    ...showCluster(cluster === null ? null : reference('CLUSTER', cluster), variations),
    ...showSources(sources, variations),
    provisioningConfig: {
      universalManager: false,
      ...(showsReferences(variations) && {
        managedResourceRefs: sources.map((source) => reference('SOURCE', source)),
      }),
      planInitializerScript: null,
      noProvisioningRequests: false,
      provisioningRequestExpiration: 0,
    },
    attributes: writeJsonText(attributes, variations),
    beforeProvisioningRule: integration.beforeProvisioningRule,
    ...(variations.simStatusMap === 'top' && {
      statusMap: writeJsonText(statusMap, variations),
      request: writeJsonText(request, variations),
    }),
  };
}

function showCluster(reference: JsonObject | null, { simCluster }: Variations): JsonObject {
  if (reference === null) return { clusterRef: null, cluster: null };
  const { id = null, name = null } = reference;
  switch (simCluster) {
    case 'ids':
      return { clusterRef: reference, cluster: id };
    case 'nameInCluster':
      return { clusterRef: reference, cluster: name };
    case 'nameInReference':
      return { clusterRef: { ...reference, id: name }, cluster: id };
  }
}

function showSources(sources: readonly string[], { simSources }: Variations): JsonObject {
  switch (simSources) {
    case 'managedSources':
      return { managedSources: sources };
    case 'managedResourceRefs':
      return { managedSources: [] };
    case 'sources':
      return { sources };
    case 'hidden':
      return {};
  }
}

const showsReferences = ({ simSources }: Variations): boolean =>
  simSources === 'managedSources' || simSources === 'managedResourceRefs';

const secretName = /passw|secret|token|credential|api_?key|private_?key/i;

function hideSecrets(value: JsonObject, how: Variations['simSecrets']): JsonObject {
  if (how === 'clear') return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (isObject(item)) return [[key, hideSecrets(item, how)]];
    if (item === null || !secretName.test(key)) return [[key, item]];
    if (how === 'absent') return [];
    return [[key, how === 'masked' ? '********' : encrypt(JSON.stringify(item))]];
  });
  return objectFrom(entries);
}

function encrypt(text: string): string {
  return `1:ACP:${createHash('sha256').update(`cipher ${text}`).digest('base64')}`;
}

/** Moves statusMap and request out of attributes, where some tenants keep them. Other values than objects stay. */
function extractNested(details: SimDetails): SimDetails {
  const { attributes } = details;
  if (attributes === null) return details;
  const detailOf = (name: string): JsonObject | null => {
    const value = own(attributes, name);
    return isObject(value) ? value : null;
  };
  return {
    ...details,
    attributes: objectFrom(
      Object.entries(attributes).filter(
        ([key, value]) => !isObject(value) || (key !== 'statusMap' && key !== 'request'),
      ),
    ),
    statusMap: detailOf('statusMap') ?? details.statusMap,
    request: detailOf('request') ?? details.request,
  };
}
