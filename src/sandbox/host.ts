import { createHash } from 'node:crypto';
import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  parseJson,
  withoutNulls,
} from '../model/json.ts';
import type {
  AuthProfile,
  ConditionRule,
  DkimIdentity,
  NeAttribute,
  Profile,
  SimIntegration,
  TemplateDefault,
} from './objects.ts';
import type { Operation } from './operations.ts';
import type { FilterOperator } from './query.ts';
import { ApiError, badRequest, noContent, type Reply } from './reply.ts';
import { refuse } from './shape.ts';
import type { Variations } from './ways.ts';

// How the ways of hosts (ways.ts) change what they take and answer. A handler does what the documents say, and passes through here
// what a host may do otherwise.

/**
 * Reads an object that the contract sends as text, and that tenants with `jsonText: object` take as an object.
 * Throws `ShapeError` for the other form, and for text that is not a JSON object. `at` names the place in the message.
 */
export function readJsonText(
  value: Json,
  at: string,
  { jsonText }: Pick<Variations, 'jsonText'>,
): JsonObject | null {
  if (value === null) return null;
  if (jsonText === 'object') return isObject(value) ? value : refuse(at, 'must be an object');
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return isObject(parsed) ? parsed : refuse(at, 'must be text that holds a JSON object');
}

/** An object in the form in which the tenant answers it. Other values are answered as they are. */
export function writeJsonText(value: Json, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  if (!isObject(value) || jsonText === 'object') return value;
  return jsonText === 'text' ? JSON.stringify(value) : writeMap(value);
}

/** An object in the form in which a client sends it: no tenant takes the form of a map. */
export function writeSentJson(value: Json, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  return writeJsonText(value, { jsonText: jsonText === 'map' ? 'text' : jsonText });
}

/** `{a=b, c=d}`, as some servers print a map. */
function writeMap(value: Json): string {
  if (isArray(value)) return `[${value.map(writeMap).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${key}=${writeMap(item)}`);
  return `{${members.join(', ')}}`;
}

const unnamedHeader = 'Experimental Header is missing or invalid.';

/** Throws a 400 or 403 for an experimental operation without the header that the host wants. */
export function checkExperimental(
  { path, isExperimental }: Pick<Operation, 'path' | 'isExperimental'>,
  headerOf: (name: string) => unknown,
  { experimentalHeader, experimentalFor, headerMissing }: Variations,
): void {
  const isWanted = experimentalFor === 'all' ? isExperimental : path.includes('/sim-integrations');
  if (!isWanted || headerOf(experimentalHeader.toLowerCase()) === 'true') return;
  const message = `The header ${experimentalHeader}: true is required for this experimental operation`;
  if (headerMissing === 'forbidden') throw new ApiError(403, message);
  throw badRequest(headerMissing === 'unnamed' ? unnamedHeader : message);
}

/** The body of an error where it is not as documented; else null. */
export function showError(
  path: string,
  status: number,
  message: string,
  { profileErrors }: Variations,
): JsonObject | null {
  if (message === unnamedHeader) return { error: message };
  if (profileErrors === 'documented' || status === 401 || !path.startsWith('/api/')) return null;
  const [, field = 'base', text = message] = /^"?(?:\S*\.)?(\w+)(?:\[\d+\])?"?:? (.+)$/s.exec(message) ?? [];
  return { error: message, errors: { [field]: text } };
}

/** The members of each resource that may be null, where hosts say so. */
const nullable: readonly (readonly [path: string, names: readonly string[]])[] = [
  ['/v2024/auth-profiles', ['applicationId', 'applicationName']],
  ['/v2024/sim-integrations', ['cluster']],
  ['/v2025/notification-templates', ['header', 'footer', 'slackTemplate', 'teamsTemplate']],
  [
    '/v2025/notification-template-defaults',
    ['subject', 'header', 'footer', 'from', 'replyTo', 'description', 'slackTemplate', 'teamsTemplate'],
  ],
  ['/v2025/verified-from-addresses', ['id', 'region']],
  ['/v2025/verified-domains', []],
];

/** An answer without the nulls that a host does not have. */
export function showAnswer(
  { path }: Pick<Operation, 'path'>,
  body: Json | undefined,
  { nulls, profileWords }: Variations,
): Json | undefined {
  if (body === undefined) return body;
  if (path.startsWith('/api/')) return profileWords === 'product' ? withoutAnyNull(body) : body;
  const [, names] = nullable.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [];
  if (nulls === 'all' || !names) return body;
  const show = (row: Json) =>
    isObject(row)
      ? mapMembers(row, (value, name) => (value === null && !names.includes(name) ? undefined : value))
      : row;
  return isArray(body) ? body.map(show) : show(body);
}

function withoutAnyNull(value: Json): Json {
  if (isArray(value)) return value.map(withoutAnyNull);
  if (!isObject(value)) return value;
  return mapMembers(value, (member) => (member === null ? undefined : withoutAnyNull(member)));
}

/** The query parameters of an operation. The documents know none for the list of domains. */
export function servedQuery(
  { name, query }: Pick<Operation, 'name' | 'query'>,
  { domainPages }: Variations,
): readonly string[] {
  return name === 'get-dkim-attributes' && domainPages !== 'refused' ? ['limit', 'offset'] : query;
}

export const senderOperators = ({ senderFilters }: Variations): readonly FilterOperator[] =>
  senderFilters === 'documented' ? ['eq', 'ge', 'le', 'sw'] : ['eq', 'ge', 'le', 'gt', 'lt'];

/** The path of an operation on a tenant that serves saved searches, or all resources, elsewhere. */
export function servedPath(path: string, { profileSearchPath, identityPaths }: Variations): string {
  const search = '/api/advanced_search';
  if (path.startsWith(search)) return `${profileSearchPath}${path.slice(search.length)}`;
  return identityPaths === 'own' ? path.replace(/^\/v\d{4}(\/[^/]+)/, '$1/v1') : path;
}

export function listProfiles(
  profiles: readonly AuthProfile[],
  { twinProfiles }: Variations,
): readonly AuthProfile[] {
  const [first] = profiles;
  return twinProfiles && first ? [...profiles, { ...first, id: `${first.id}-twin` }] : profiles;
}

export function patchOperations(body: Json, { simPatchBody }: Variations): Json {
  if (simPatchBody === 'array') return body;
  if (!isObject(body) || Object.keys(body).join() !== 'operations')
    throw badRequest('The body must be an object with only the field operations');
  return get(body, 'operations') ?? null;
}

/** Moves statusMap and request out of attributes, where some tenants keep them. Other values than objects stay. */
export function acceptIntegration<T extends Pick<SimIntegration, 'attributes' | 'statusMap' | 'request'>>(
  sent: T,
  { simStatusMap }: Variations,
): T {
  if (simStatusMap !== 'attributes' || sent.attributes === null) return sent;
  const { statusMap = null, request = null, ...attributes } = sent.attributes;
  return {
    ...sent,
    attributes: {
      ...attributes,
      ...withoutNulls({ statusMap: isObject(statusMap) ? null : statusMap }),
      ...withoutNulls({ request: isObject(request) ? null : request }),
    },
    statusMap: isObject(statusMap) ? statusMap : sent.statusMap,
    request: isObject(request) ? request : sent.request,
  };
}

/** An integration as the documents answer it, before its JSON is written. */
type ShownIntegration = Readonly<Record<string, Json>> &
  Pick<SimIntegration, 'cluster' | 'attributes' | 'statusMap' | 'request'> & {
    readonly clusterRef: JsonObject | null;
    readonly provisioningConfig: JsonObject;
  };

export function showIntegration(shown: ShownIntegration, host: Variations): JsonObject {
  const { statusMap, request, cluster, clusterRef, ...others } = shown;
  const attributes = shown.attributes && hideSecrets(shown.attributes, host.simSecrets);
  const jsons = {
    top: { attributes, statusMap, request },
    attributes: { attributes: { ...attributes, ...withoutNulls({ statusMap, request }) } },
    hidden: { attributes },
  }[host.simStatusMap];
  const name = clusterRef?.name ?? null;
  const clusters = {
    ids: { cluster, clusterRef },
    nameInCluster: { cluster: name, clusterRef },
    nameInReference: { cluster, clusterRef: clusterRef && { ...clusterRef, id: name } },
  }[host.simCluster];
  const written = mapMembers(jsons, (value) => writeJsonText(value, host));
  return { ...showSources(others, host), ...clusters, ...written };
}

function showSources(
  shown: Pick<ShownIntegration, 'provisioningConfig'> & JsonObject,
  { simSources }: Variations,
): JsonObject {
  const { managedSources = null, ...others } = shown;
  const { managedResourceRefs: _refs, ...provisioningConfig } = shown.provisioningConfig;
  switch (simSources) {
    case 'managedSources':
      return shown;
    case 'managedResourceRefs':
      return { ...shown, managedSources: [] };
    case 'sources':
      return { ...others, provisioningConfig, sources: managedSources };
    case 'hidden':
      return { ...others, provisioningConfig };
  }
}

const secretName = /passw|secret|token|credential|api_?key|private_?key/i;

function hideSecrets(value: JsonObject, how: Variations['simSecrets']): JsonObject {
  return mapMembers(value, (item, key) => {
    if (isObject(item)) return hideSecrets(item, how);
    if (item === null || !secretName.test(key)) return item;
    return { clear: item, absent: undefined, masked: '********', encrypted: encrypt(JSON.stringify(item)) }[
      how
    ];
  });
}

function encrypt(text: string): string {
  return `1:ACP:${createHash('sha256').update(`cipher ${text}`).digest('base64')}`;
}

/** Lists templates, on some hosts with one in a medium and one in a locale that the documents do not know. */
export function listTemplates(
  known: readonly TemplateDefault[],
  { foreignTemplates }: Variations,
): readonly JsonObject[] {
  const [first] = known;
  if (!foreignTemplates || !first) return known;
  return [
    ...known,
    { ...first, id: 'foreign-medium', medium: 'WHATSAPP' },
    { ...first, id: 'foreign-locale', locale: 'default_for_all' },
  ];
}

/** The body of a template as the documents want it: the medium in capitals, and chat templates as text. */
export function acceptTemplate(body: Json, host: Variations): Json {
  const { mediumCase, slackTeams, jsonText, chatNullSubject } = host;
  if (!isObject(body)) return body;
  const { medium = null, subject } = body;
  const upper = mediumCase === 'lower' && typeof medium === 'string' ? medium.toUpperCase() : medium;
  if (chatNullSubject === 'refused' && upper !== 'EMAIL' && subject === null)
    throw badRequest('body.subject must be string');
  const takesObjects = slackTeams === 'object' || jsonText === 'object';
  const takesText = slackTeams === 'text' || jsonText !== 'object';
  const asText = (chat: Json) => {
    if (!takesText && typeof chat === 'string') return refuse('body', 'must have chat templates as objects');
    return takesObjects && isObject(chat) ? JSON.stringify(chat) : chat;
  };
  return mapChats({ ...body, medium: upper }, asText);
}

export function showTemplate(
  template: JsonObject,
  { mediumCase, slackTeams, chatFilled }: Variations,
): JsonObject {
  const { medium = null } = template;
  const shown = mediumCase === 'lower' && typeof medium === 'string' ? medium.toLowerCase() : medium;
  return mapChats({ ...template, medium: shown }, (chat) => {
    if (slackTeams === 'text' && !chatFilled) return chat;
    const message = typeof chat === 'string' ? readChat(chat) : chat;
    const filled = chatFilled ? fillUp(message ?? {}) : message;
    return slackTeams === 'text' ? JSON.stringify(filled) : filled;
  });
}

function mapChats(template: JsonObject, change: (chat: Json) => Json): JsonObject {
  const { slackTemplate = null, teamsTemplate = null } = template;
  return { ...template, slackTemplate: change(slackTemplate), teamsTemplate: change(teamsTemplate) };
}

function readChat(text: string): Json {
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { text };
}

const fillers = { title: '', isSubscription: false, requestId: null, autoApprovalData: {} };

function fillUp(value: Json): Json {
  if (isArray(value)) return value.map(fillUp);
  return isObject(value) ? { ...fillers, ...mapMembers(value, fillUp) } : value;
}

const providerStates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  documented: {},
  upper: { PENDING: 'NOT_STARTED', FAILED: 'TEMPORARY_FAILURE' },
  camel: { PENDING: 'NotStarted', FAILED: 'TemporaryFailure' },
};

export function dkimState(
  { dkimVerificationStatus: state }: DkimIdentity,
  { dkimStates }: Variations,
): string {
  return providerStates[dkimStates]?.[state] ?? state;
}

/** What a collection is filtered by. Without a status, it is one of attributes or types. */
export function filtersOf(attributes: readonly string[], { collectionQuery }: Variations): readonly string[] {
  return collectionQuery === 'named' && !attributes.includes('status') ? ['name', 'label'] : attributes;
}

/** Throws a 400 where the run of a search takes no metadata. */
export function refuseMetadata(query: ReadonlyMap<string, string>, { collectionQuery }: Variations): void {
  if (collectionQuery === 'named' && query.has('metadata'))
    throw badRequest('Unknown query parameter "metadata"');
}

/** Throws a 400 where the query of a read of MAIL FROM is not what the host wants. */
export function checkMailFromQuery(
  identity: string,
  query: ReadonlyMap<string, string>,
  { mailFromQuery }: Variations,
): void {
  const id = query.get('id');
  if (mailFromQuery === 'path' && id !== undefined) throw badRequest('Unknown query parameter "id"');
  if (mailFromQuery === 'path') return;
  if (id === undefined) throw badRequest('The query parameter "id" is required');
  if (id !== identity) throw badRequest('The query parameter "id" is not the identity of the path');
}
/** The types of attributes in the words of the product. */
const productTypes: Readonly<Record<NeAttribute['data_type'], string>> = {
  text: 'text field',
  number: 'text field',
  date: 'date',
  profile_select: 'profile select',
  profile_search: 'profile search',
  user_select: 'contributor select',
  user_search: 'contributor search',
};

/** The attributes of profiles, with their classes where rules name these. */
export function listAttributes(attributes: readonly NeAttribute[], host: Variations): readonly JsonObject[] {
  if (host.ruleObjectType !== 'attribute_class' && host.profileWords === 'documented') return attributes;
  return attributes.map((attribute) => ({
    ...attribute,
    ...(host.profileWords === 'product' && {
      data_type: productTypes[attribute.data_type],
      date_format: attribute.date_format?.toLowerCase() ?? null,
    }),
    ...(host.ruleObjectType === 'attribute_class' && { type: attributeClass(attribute, host) }),
  }));
}

/** The class of an attribute, as hosts name it that know more than `NeAttribute`: `TextFieldAttribute`. */
function attributeClass({ data_type }: NeAttribute, { profileWords }: Variations): string {
  const documented = data_type === 'text' ? 'text field' : data_type;
  const words = (profileWords === 'product' ? productTypes[data_type] : documented).split(/[ _]/);
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Attribute`;
}

/** Profiles as they are answered; their rules keep the documented words. */
export function listProfilesOf(
  profiles: readonly Profile[],
  { profileWords }: Variations,
): readonly JsonObject[] {
  if (profileWords === 'documented') return profiles;
  return profiles.map(({ status, attributes, ...profile }) => ({
    ...profile,
    status: status === 'Leave of absence' ? 'On Leave' : status,
    attributes: mapMembers(attributes, (value) =>
      value === null ? undefined : isArray(value) ? value.join(',') : String(value),
    ),
  }));
}

export const objectTypeName = ({ ruleObjectType }: Variations): string =>
  ruleObjectType === 'object_type' ? ruleObjectType : 'condition_object_type';

/** The class of a rule's object; null for a rule without one. */
export function objectTypeOf(
  { type }: Pick<ConditionRule, 'type'>,
  attribute: NeAttribute | undefined,
  host: Variations,
): string | null {
  if (type !== 'ProfileAttributeRule') return null;
  const isClass = attribute && host.ruleObjectType === 'attribute_class';
  return isClass ? attributeClass(attribute, host) : 'NeAttribute';
}

/** Deletes an object, or promises to. */
export function answerDelete(
  { path }: Pick<Operation, 'path'>,
  id: string,
  takeAway: () => void,
  { slowDeletes }: Variations,
): Reply {
  if (slowDeletes === 'accepted' && /^\/v\d{4}\/(sources|identity-profiles)$/.test(path))
    return { status: 202, body: { type: 'TASK_RESULT', id: `task-${id}` }, later: takeAway };
  takeAway();
  return noContent;
}

/** The answer where there is nothing, on hosts that do not answer an empty list (api-notes, "What hosts of this family really answer"). */
export function answerNothing(plural: string, { nothingFound }: Variations): Reply | null {
  if (nothingFound === 'list') return null;
  const status = nothingFound === 'refused' ? 400 : 200;
  return { status, body: { error: `no ${plural.replaceAll('_', ' ')} found` } };
}
