import { createHash } from 'node:crypto';
import {
  get,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  pick,
  withoutNulls,
} from '../../model/json.ts';
import { commonMembers, newId, words } from '../objects.ts';
import {
  applyPatch,
  badRequest,
  type Call,
  deleteByPath,
  findByPath,
  jsonObject,
  ok,
  operation,
  type Reply,
  type Tenant,
  writeJsonText,
  writeSentJson,
} from '../operations.ts';
import { bool, choice, ignoredTime, object, textOrNull } from '../shape.ts';
import { referenceName, type TenantState } from '../state.ts';
import type { Variations } from '../ways.ts';

type AuthProfile = TenantState['authProfiles'][number];
type SimIntegration = TenantState['simIntegrations'][number];

const one = '/v2024/sim-integrations/{id}';

/** Seed 000. */
export const integrations = [
  // Summaries only.
  operation('get-profile-config-list', 'GET /v2024/auth-profiles', (_call, { state, variations }) =>
    ok(listProfiles(state.authProfiles, variations).map(({ id }) => ({ id, tenant: state.tenant }))),
  ),
  operation('get-profile-config', 'GET /v2024/auth-profiles/{id}', (call, { state, variations }) =>
    ok(showProfile(findByPath(listProfiles(state.authProfiles, variations), call, 'authentication profile'))),
  ),
  operation('patch-profile-config', 'PATCH /v2024/auth-profiles/{id}', patchProfile),
  operation('get-sim-integrations', 'GET /v2024/sim-integrations', (_call, tenant) =>
    ok(tenant.state.simIntegrations.map((integration) => show(integration, tenant))),
  ),
  operation('create-sim-integration', 'POST /v2024/sim-integrations', create),
  operation('get-sim-integration', `GET ${one}`, (call, tenant) => ok(show(find(call, tenant), tenant))),
  // Fields that are left out are cleared.
  operation('put-sim-integration', `PUT ${one}`, (call, tenant) => {
    const integration = find(call, tenant);
    return update(integration, readDetails(call.body, integration.id, tenant), tenant);
  }),
  operation('patch-sim-attributes', `PATCH ${one}`, patchDetails),
  operation('delete-sim-integration', `DELETE ${one}`, (call, { state }) => ({
    ...deleteByPath(state.simIntegrations, call, 'integration', state),
    status: 200,
  })),
  // Pointers are relative to the rule (api-notes).
  operation('patch-before-provisioning-rule', `PATCH ${one}/beforeProvisioningRule`, (call, tenant) => {
    const integration = find(call, tenant);
    const rule = applyTo(withoutNulls(integration.beforeProvisioningRule ?? {}), call, tenant);
    return update(integration, { beforeProvisioningRule: readRule(rule) }, tenant);
  }),
];

function listProfiles(profiles: readonly AuthProfile[], { twinProfiles }: Variations) {
  const [first] = profiles;
  return twinProfiles && first ? [...profiles, { ...first, id: `${first.id}-twin` }] : profiles;
}

function showProfile({ id: _id, ...shown }: AuthProfile): Json {
  return shown;
}

const readPatched = object({
  offNetwork: bool(null),
  untrustedGeography: bool(null),
  applicationId: textOrNull,
  applicationName: textOrNull,
  type: choice(words.authType),
});

/** A bare array of operations on the five patchable fields. */
function patchProfile(call: Call, { state }: Tenant): Reply {
  const profile = findByPath(state.authProfiles, call, 'authentication profile');
  const { id: _id, name: _name, strongAuthLogin: _strong, ...document } = profile;
  // `replace` refuses a member that is absent.
  const changes = readPatched(applyPatch(withoutNulls(document), call.body, 'all'), 'profile');
  if (changes.applicationId === '') throw badRequest('applicationId must not be empty');
  Object.assign(profile, changes);
  return ok(showProfile(profile));
}

type SimDetails = Omit<SimIntegration, 'id' | 'created' | 'modified'>;

const find = (call: Call, { state }: Tenant): SimIntegration =>
  findByPath(state.simIntegrations, call, 'integration');

function create({ body }: Call, tenant: Tenant): Reply {
  const { state, timestamp } = tenant;
  const details = readDetails(body, null, tenant);
  requireFreeName(details.name, null, tenant);
  const id = newId(state, 'SimIntegration', details.name, state.simIntegrations);
  const created = timestamp();
  const integration = { id, ...details, created, modified: created };
  state.simIntegrations.push(integration);
  return ok(show(integration, tenant));
}

/** Patches all fields of a request except the rule, which has its own path. */
function patchDetails(call: Call, tenant: Tenant): Reply {
  const integration = find(call, tenant);
  const patched = applyTo(writableFields(integration, tenant.variations), call, tenant);
  if (Object.hasOwn(patched, 'beforeProvisioningRule'))
    throw badRequest('beforeProvisioningRule is patched under its own path');
  for (const name of ['id', 'created', 'modified'])
    if (Object.hasOwn(patched, name)) throw badRequest(`${name} cannot be patched`);
  const { beforeProvisioningRule: _rule, ...details } = readDetails(patched, integration.id, tenant);
  return update(integration, details, tenant);
}

function update(integration: SimIntegration, changes: Partial<SimDetails>, tenant: Tenant): Reply {
  requireFreeName(changes.name ?? integration.name, integration.id, tenant);
  Object.assign(integration, changes, { modified: tenant.timestamp() });
  return ok(show(integration, tenant));
}

/** Names are unique (api-notes). */
function requireFreeName(name: string, id: string | null, { state }: Tenant): void {
  if (state.simIntegrations.some((other) => other.name === name && other.id !== id))
    throw badRequest(`An integration named "${name}" already exists`);
}

function applyTo(document: JsonObject, { body }: Call, { variations }: Tenant): JsonObject {
  const { simPatchOps } = variations;
  if (variations.simPatchBody === 'array') return applyPatch(document, body, simPatchOps);
  if (!isObject(body) || Object.keys(body).join() !== 'operations')
    throw badRequest('The body must be an object with only the field operations');
  return applyPatch(document, get(body, 'operations') ?? null, simPatchOps);
}

/** Reads a SimIntegrationDetails (seed 000); `id`: the one to replace, or null. Throws a 400. */
function readDetails(body: Json, id: string | null, { variations }: Tenant): SimDetails {
  const jsonText = jsonObject(variations);
  const readBody = object({
    id: textOrNull,
    created: ignoredTime,
    modified: ignoredTime,
    ...commonMembers.integration,
    attributes: jsonText,
    request: jsonText,
    statusMap: jsonText,
    beforeProvisioningRule: readRule,
  });
  const { id: givenId, created: _created, modified: _modified, ...details } = readBody(body, 'body');
  if (givenId !== null && givenId !== id) throw badRequest('body.id is not the id of this integration');
  return acceptIntegration(details, variations);
}

/** Moves statusMap and request out of attributes, where some tenants keep them. Only objects move. */
function acceptIntegration(sent: SimDetails, { simStatusMap }: Variations): SimDetails {
  if (simStatusMap !== 'attributes' || sent.attributes === null) return sent;
  const { statusMap = null, request = null, ...others } = sent.attributes;
  const kept = {
    statusMap: isObject(statusMap) ? null : statusMap,
    request: isObject(request) ? null : request,
  };
  return {
    ...sent,
    attributes: { ...others, ...withoutNulls(kept) },
    statusMap: isObject(statusMap) ? statusMap : sent.statusMap,
    request: isObject(request) ? request : sent.request,
  };
}

/** Reads a beforeProvisioningRule; null if it has no values. Throws a 400. */
function readRule(value: Json = null): SimIntegration['beforeProvisioningRule'] {
  const rule = commonMembers.integration.beforeProvisioningRule(value, 'beforeProvisioningRule');
  if (rule === null || Object.values(rule).every((member) => member === null)) return null;
  if (rule.id === null || rule.type === null) throw badRequest('beforeProvisioningRule needs id and type');
  return rule;
}

/** The document that a patch is applied to: the fields of a request that have a value. */
function writableFields(integration: SimIntegration, variations: Variations): JsonObject {
  const { sources, attributes, request, statusMap } = integration;
  // If it also holds the status map, it appears as an object, to which a patch may add members.
  const none = variations.simStatusMap === 'attributes' ? {} : null;
  return withoutNulls({
    ...pick(integration, ['name', 'description', 'type', 'cluster']),
    sources: sources.length === 0 ? null : sources,
    attributes: writeSentJson(attributes ?? none, variations),
    request: writeSentJson(request, variations),
    statusMap: writeSentJson(statusMap, variations),
  });
}

/** A ServiceDeskIntegrationDto, which differs from the request (api-notes, SimIntegration), as the host shows it. */
function show(integration: SimIntegration, { state, variations: host }: Tenant): Json {
  const { sources, cluster, statusMap, request, ...others } = integration;
  const attributes = integration.attributes && hideSecrets(integration.attributes, host.simSecrets);
  const jsons = {
    top: { attributes, statusMap, request },
    attributes: { attributes: { ...attributes, ...withoutNulls({ statusMap, request }) } },
    hidden: { attributes },
  }[host.simStatusMap];
  const reference = (type: string, id: string) => ({ type, id, name: referenceName(state, id) ?? id });
  const clusterRef = cluster === null ? null : reference('CLUSTER', cluster);
  const name = clusterRef?.name ?? null;
  const clusters = {
    ids: { cluster, clusterRef },
    nameInCluster: { cluster: name, clusterRef },
    nameInReference: { cluster, clusterRef: clusterRef && { ...clusterRef, id: name } },
  }[host.simCluster];
  const provisioningConfig = {
    universalManager: false,
    managedResourceRefs: sources.map((source) => reference('SOURCE', source)),
    planInitializerScript: null,
    noProvisioningRequests: false,
    provisioningRequestExpiration: 0,
  };
  const { managedResourceRefs: _refs, ...bare } = provisioningConfig;
  const managed = {
    managedSources: { managedSources: sources, provisioningConfig },
    managedResourceRefs: { managedSources: [], provisioningConfig },
    sources: { provisioningConfig: bare, sources },
    hidden: { provisioningConfig: bare },
  }[host.simSources];
  const written = mapMembers(jsons, (value) => writeJsonText(value, host));
  return { ...others, ownerRef: null, ...managed, ...clusters, ...written };
}

const secretName = /passw|secret|token|credential|api_?key|private_?key/i;

function hideSecrets(value: JsonObject, how: Variations['simSecrets']): JsonObject {
  return mapMembers(value, (item, key) => {
    if (isObject(item)) return hideSecrets(item, how);
    if (item === null || !secretName.test(key)) return item;
    const cipher = createHash('sha256')
      .update(`cipher ${JSON.stringify(item)}`)
      .digest('base64');
    return { clear: item, absent: undefined, masked: '********', encrypted: `1:ACP:${cipher}` }[how];
  });
}
