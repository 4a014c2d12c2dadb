import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import { badRequest } from './api-error.ts';
import { readJsonText, writeJsonText } from './json-text.ts';
import { Fields } from './shape.ts';
import type { ProvisioningRule, SimIntegration } from './state.ts';
import type { Tenant } from './tenant.ts';
import type { Variations } from './variations.ts';

/** What a client decides about an integration. */
export type SimDetails = Omit<SimIntegration, 'id' | 'created' | 'modified'>;

/**
 * Reads a SimIntegrationDetails (seed 000). `id` is the integration that is replaced, or null for a new one; what is
 * left out is cleared. Throws `ShapeError` or a 400.
 */
export function readDetails(body: Json, id: string | null, variations: Variations): SimDetails {
  const fields = new Fields(body, 'body');
  const givenId = fields.textOrNull('id');
  if (givenId !== null && givenId !== id) throw badRequest('body.id is not the id of this integration');
  fields.textOrNull('created');
  fields.textOrNull('modified');
  const jsonText = (name: string): JsonObject | null =>
    readJsonText(fields.json(name), `body.${name}`, variations);
  const details: SimDetails = {
    name: fields.text('name'),
    description: fields.textOrNull('description'),
    type: fields.text('type'),
    cluster: fields.textOrNull('cluster'),
    sources: fields.texts('sources'),
    attributes: jsonText('attributes'),
    request: jsonText('request'),
    statusMap: jsonText('statusMap'),
    beforeProvisioningRule: readRule(fields.json('beforeProvisioningRule')),
  };
  fields.done();
  return variations.simStatusMap === 'attributes' ? withoutNested(details) : details;
}

/** Reads a beforeProvisioningRule; one without any member is none. */
export function readRule(value: Json): ProvisioningRule | null {
  if (value === null) return null;
  const fields = new Fields(value, 'beforeProvisioningRule');
  const rule = {
    type: fields.textOrNull('type'),
    id: fields.textOrNull('id'),
    name: fields.textOrNull('name'),
  };
  fields.done();
  if (Object.values(rule).every((member) => member === null)) return null;
  if (rule.id === null || rule.type === null) throw badRequest('beforeProvisioningRule needs id and type');
  return rule;
}

/** The details as a patch sees them: the contract's request shape, without what has no value. */
export function patchedDocument(integration: SimIntegration, variations: Variations): JsonObject {
  const jsonText = variations.jsonText === 'map' ? 'text' : variations.jsonText;
  const members: [string, Json][] = [
    ['name', integration.name],
    ['description', integration.description],
    ['type', integration.type],
    ['cluster', integration.cluster],
    ['sources', integration.sources.length === 0 ? null : integration.sources],
    ['attributes', writeJsonText(integration.attributes, { jsonText })],
    ['request', writeJsonText(integration.request, { jsonText })],
    ['statusMap', writeJsonText(integration.statusMap, { jsonText })],
  ];
  return objectFrom(members.filter(([, value]) => value !== null));
}

/** A ServiceDeskIntegrationDto, whose shape is not that of the request (api-notes, SimIntegration). */
export function answerOf(integration: SimIntegration, { state, variations }: Tenant): Json {
  const { id, name, description, type, created, modified, cluster, sources, request, statusMap } =
    integration;
  const named = (kind: string, to: string): JsonObject => ({ type: kind, id: to, name: nameOf(to) });
  const nameOf = (to: string): string => state.references.find((known) => known.id === to)?.name ?? to;
  const nested = objectFrom(Object.entries({ statusMap, request }).filter(([, value]) => value !== null));
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
    clusterRef: cluster === null ? null : named('CLUSTER', cluster),
    cluster,
    managedSources: sources,
    provisioningConfig: {
      universalManager: false,
      managedResourceRefs: sources.map((source) => named('SOURCE', source)),
      planInitializerScript: null,
      noProvisioningRequests: false,
      provisioningRequestExpiration: 0,
    },
    attributes: writeJsonText(attributes, variations),
    beforeProvisioningRule:
      integration.beforeProvisioningRule === null ? null : { ...integration.beforeProvisioningRule },
    ...(variations.simStatusMap === 'top' && {
      statusMap: writeJsonText(statusMap, variations),
      request: writeJsonText(request, variations),
    }),
  };
}

const secretName = /passw|secret|token|credential|api_?key|private_?key/i;

function hideSecrets(value: JsonObject, how: Variations['simSecrets']): JsonObject {
  if (how === 'clear') return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (isObject(item)) return [[key, hideSecrets(item, how)]];
    if (item === null || !secretName.test(key)) return [[key, item]];
    if (how === 'absent') return [];
    return [[key, how === 'masked' ? '********' : ciphertext(JSON.stringify(item))]];
  });
  return objectFrom(entries);
}

function ciphertext(text: string): string {
  return `1:ACP:${createHash('sha256').update(`cipher ${text}`).digest('base64')}`;
}

/** Takes statusMap and request out of attributes on tenants that keep them there; what is no object is none of them. */
function withoutNested(details: SimDetails): SimDetails {
  const { attributes } = details;
  if (attributes === null) return details;
  const nested = (name: string): JsonObject | null => {
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
    statusMap: nested('statusMap') ?? details.statusMap,
    request: nested('request') ?? details.request,
  };
}
