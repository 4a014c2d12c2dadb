import { isObject, type Json, objectFrom, own } from '../../model/json.ts';
import { badRequest, notFound } from '../api-error.ts';
import { applyPatch, replaceOnlyPatch, standardPatch } from '../json-patch.ts';
import { answerOf, patchedDocument, readDetails, readRule, type SimDetails } from '../sim-details.ts';
import { newId, type ProvisioningRule, type SimIntegration } from '../state.ts';
import { type Call, type Handler, ok, param, type Reply, type Tenant, written } from '../tenant.ts';

export const listSimIntegrations: Handler = (_call, tenant) =>
  ok(tenant.state.simIntegrations.map((integration) => answerOf(integration, tenant)));

export const getSimIntegration: Handler = (call, tenant) => ok(answerOf(find(call, tenant), tenant));

/** Seed 000, create-sim-integration; names are unique (api-notes). */
export const createSimIntegration: Handler = (call, tenant) => {
  const details = readDetails(call.body, null, tenant.variations);
  requireFreeName(details.name, null, tenant);
  const { state } = tenant;
  const created = tenant.timestamp();
  const integration: SimIntegration = {
    id: newId(state, 'SimIntegration', details.name, state.simIntegrations),
    ...resolved(details, tenant),
    created,
    modified: created,
  };
  state.simIntegrations.push(integration);
  return written(answerOf(integration, tenant));
};

/** Seed 000, put-sim-integration: the full model; what is left out is cleared. */
export const putSimIntegration: Handler = (call, tenant) => {
  const integration = find(call, tenant);
  return update(integration, readDetails(call.body, integration.id, tenant.variations), tenant);
};

/** Seed 000, patch-sim-attributes: fields of the request's shape, except the rule, which has its own path. */
export const patchSimIntegration: Handler = (call, tenant) => {
  const integration = find(call, tenant);
  const document = patchedDocument(integration, tenant.variations);
  const patched = applyPatch(document, operationsIn(call.body, tenant), patchRules(tenant));
  if (Object.hasOwn(patched, 'beforeProvisioningRule')) {
    throw badRequest('beforeProvisioningRule is patched under its own path');
  }
  for (const name of ['id', 'created', 'modified']) {
    if (Object.hasOwn(patched, name)) throw badRequest(`${name} cannot be patched`);
  }
  const details = readDetails(patched, integration.id, tenant.variations);
  return update(
    integration,
    { ...details, beforeProvisioningRule: integration.beforeProvisioningRule },
    tenant,
  );
};

/** Seed 000, patch-before-provisioning-rule: pointers are relative to the rule (api-notes). */
export const patchProvisioningRule: Handler = (call, tenant) => {
  const integration = find(call, tenant);
  const members = Object.entries(integration.beforeProvisioningRule ?? {}).filter(
    ([, value]) => value !== null,
  );
  const patched = applyPatch(objectFrom(members), operationsIn(call.body, tenant), patchRules(tenant));
  const { id: _id, created: _created, modified: _modified, ...details } = integration;
  return update(integration, { ...details, beforeProvisioningRule: readRule(patched) }, tenant);
};

export const deleteSimIntegration: Handler = (call, { state }) => {
  const id = param(call, 'id');
  const index = state.simIntegrations.findIndex((candidate) => candidate.id === id);
  if (index < 0) throw notFound(`There is no integration ${id}`);
  state.simIntegrations.splice(index, 1);
  state.generation += 1;
  return { status: 200, changed: true };
};

function find(call: Call, { state }: Tenant): SimIntegration {
  const id = param(call, 'id');
  const integration = state.simIntegrations.find((candidate) => candidate.id === id);
  if (integration === undefined) throw notFound(`There is no integration ${id}`);
  return integration;
}

function update(integration: SimIntegration, details: SimDetails, tenant: Tenant): Reply {
  requireFreeName(details.name, integration.id, tenant);
  Object.assign(integration, resolved(details, tenant), { modified: tenant.timestamp() });
  return written(answerOf(integration, tenant));
}

function requireFreeName(name: string, id: string | null, { state }: Tenant): void {
  if (state.simIntegrations.some((other) => other.name === name && other.id !== id)) {
    throw badRequest(`An integration named "${name}" already exists`);
  }
}

function resolved(details: SimDetails, { state, variations }: Tenant): SimDetails {
  const rule = details.beforeProvisioningRule;
  const known = state.references.find(({ id }) => variations.resolveNames && id === rule?.id);
  if (rule === null || known === undefined) return details;
  const named: ProvisioningRule = { ...rule, name: known.name };
  return { ...details, beforeProvisioningRule: named };
}

const patchRules = ({ variations }: Tenant) =>
  variations.simPatchOps === 'all' ? standardPatch : replaceOnlyPatch;

function operationsIn(body: Json, { variations }: Tenant): Json {
  if (variations.simPatchBody === 'array') return body;
  if (!isObject(body) || Object.keys(body).join() !== 'operations') {
    throw badRequest('The body must be an object with the field operations and no other');
  }
  return own(body, 'operations') ?? null;
}
