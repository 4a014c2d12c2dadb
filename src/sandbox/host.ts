import { createHash } from 'node:crypto';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  own,
  parseJson,
  withoutNulls,
} from '../model/json.ts';
import type {
  AuthProfile,
  ConditionRule,
  DkimIdentity,
  NeAttribute,
  SimIntegration,
  TemplateDefault,
} from './objects.ts';
import { badRequest, type Reply } from './reply.ts';
import { refuse } from './shape.ts';
import type { TenantState } from './state.ts';

// All in which hosts differ from the API documents: the ways, and how each changes what a host takes and answers. A handler
// does what the documents say, and passes through here what a host may do otherwise.

/** The ways of a tenant, by what they are about. The first is the contract (docs/hosts.md). */
export const ways = {
  /** How `attributes`, `request` and `statusMap` are answered. With `object`, they and `context` are also sent as objects, and chat templates may be. */
  jsonText: ['text', 'object', 'map'],
  /** How `slackTemplate` and `teamsTemplate` are answered. With `object`, both forms are accepted. */
  slackTeams: ['text', 'object'],
  chatFilled: [false, true],
  chatNullSubject: ['taken', 'refused'],
  /** In which case `medium` is answered. With `lower`, it is taken in every case. */
  mediumCase: ['upper', 'lower'],
  /** True when templates are listed that the documents do not know: of another medium, and of no locale in particular. */
  foreignTemplates: [false, true],
  simStatusMap: ['top', 'attributes', 'hidden'],
  simSecrets: ['clear', 'encrypted', 'masked', 'absent'],
  /**
   * Where the sources of an integration are answered: in `managedSources`, only in `provisioningConfig` beside an empty
   * `managedSources`, in `sources`, or nowhere.
   */
  simSources: ['managedSources', 'managedResourceRefs', 'sources', 'hidden'],
  /** What `cluster` and the id in `clusterRef` hold: the id both, or the name in one of them. */
  simCluster: ['ids', 'nameInCluster', 'nameInReference'],
  simPatchBody: ['operations', 'array'],
  /** With `replace`, every member that is named has to be there, except the fields of the integration themselves. */
  simPatchOps: ['all', 'replace'],
  /** `metadata`: bare, but wrapped with `metadata=true`. The others: always wrapped, or always bare. */
  collections: ['metadata', 'wrapped', 'bare'],
  unknownFilter: ['refused', 'ignored'],
  /** With `named`, attributes and profile types are filtered by `label` and `name` only, and no run of a search has `metadata`. */
  collectionQuery: ['documented', 'named'],
  offsetZero: ['taken', 'refused'],
  /** What a collection does with an offset after its last record, which seed 002 does not allow. */
  offsetBeyondEnd: ['refused', 'empty'],
  /**
   * How the profile-management interface answers a list or page without records: `refused` with a 400, or a 200 with the
   * `message` alone.
   */
  nothingFound: ['list', 'refused', 'message'],
  /** True when others change the order of lists before a further page is read: never, once, or each time. */
  listsChange: ['never', 'once', 'always'],
  /** With `attribute_class`, `condition_object_type` has the class of the attribute, and a new rule has to name it. */
  ruleObjectType: ['object_type', 'condition_object_type', 'attribute_class'],
  /** `extended`: rules may have types, operators, dates and members that the API documents do not know. */
  searchRules: ['contract', 'extended'],
  profileSearchDelete: [false, true],
  refuseHeaderFooter: [false, true],
  bulkDelete: ['enabled', 'forbidden', 'refused'],
  bulkDeleteGone: ['ignored', 'refused'],
  /** The answer for an identity without MAIL FROM: a 400, a 404, or one without a domain. */
  mailFromMissing: ['badRequest', 'notFound', 'empty'],
  /** What is answered for an address without MAIL FROM whose domain has one: that it is missing, or that of the domain. */
  mailFromIdentity: ['asked', 'domain'],
  /** Whether MAIL FROM is asked for with `id` in the query, which it then needs. */
  mailFromQuery: ['id', 'path'],
  preferenceMissing: ['notFound', 'badRequest'],
  /** With `listed`, a newer version of the API lists the variables of each template. */
  templateVariables: ['none', 'listed'],
  /** With `written`, a newer version of the API lists preferences and takes changes. */
  preferences: ['observed', 'written'],
  /** How a DKIM verification that is pending or failed is answered: as documented, or as the mail provider calls it. */
  dkimStates: ['documented', 'upper', 'camel'],
  twinProfiles: [false, true],
  /** What a kind of a descriptor does with a second object of the same key. */
  sameKey: ['taken', 'refused'],
  unsetMembers: ['null', 'omitted'],
  createAnswer: ['object', 'withoutId', 'nothing'],
  emailLowerCase: [false, true],
  /**
   * What the list of domains, for which no parameters are documented, does with `limit` and `offset`. With `ignored` and
   * `taken` it is not cut after 100 identities.
   */
  domainPages: ['refused', 'ignored', 'taken'],
  headerMissing: ['badRequest', 'forbidden'],
  /** True when each answer, of the token too, has the id under which support finds the request. */
  supportId: [false, true],
  /** What `send-test-notification` takes: with `extended`, also `locale` and `recipientEmailList`. */
  sendTest: ['documented', 'extended'],
  /** True when resources are below `/v2024` and `/v2025`, or each under its own path and version: `/sim-integrations/v1`. */
  identityPaths: ['versions', 'own'],
} as const;

type Ways = { readonly [K in keyof typeof ways]: (typeof ways)[K][number] };

/** Departures from the contract (api-notes, docs/hosts.md). */
export interface Variations extends Ways {
  readonly profileSearchPath: string;
  readonly experimentalHeader: string;
  /** Reads after which a new verification succeeds; null: it stays pending until the state is changed by hand. */
  readonly verifyAfterReads: number | null;
}

export class VariationSyntaxError extends Error {
  override readonly name = 'VariationSyntaxError';
}

export function parseVariations(texts: readonly string[]): Partial<Variations> {
  let all: Partial<Variations> = {};
  for (const text of texts) all = { ...all, ...parseVariation(text) };
  return all;
}

function parseVariation(text: string): Partial<Variations> {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (isWay(name)) return choose(name, value);
  if ((name === 'profileSearchPath' || name === 'experimentalHeader') && value !== '')
    return { [name]: value };
  if (name === 'verifyAfterReads' && /^\d{1,6}$/.test(value)) return { verifyAfterReads: Number(value) };
  const names = [...Object.keys(ways), 'profileSearchPath', 'experimentalHeader', 'verifyAfterReads'];
  throw new VariationSyntaxError(
    `"${text}" is not a variation. A variation is NAME=VALUE. Names: ${names.join(', ')}`,
  );
}

const isWay = (name: string): name is keyof Ways => Object.hasOwn(ways, name);

function choose<K extends keyof Ways>(name: K, text: string): Partial<Variations> {
  const each: { readonly [P in keyof Ways]: readonly Ways[P][] } = ways;
  const value = each[name].find((choice) => String(choice) === text);
  if (value === undefined) throw new VariationSyntaxError(`"${name}" is one of ${each[name].join(', ')}`);
  const chosen: { -readonly [P in keyof Ways]?: Ways[P] } = {};
  chosen[name] = value;
  return chosen;
}

export const contract: Variations = {
  ...firstWays(),
  profileSearchPath: '/api/advanced_search',
  experimentalHeader: 'X-Service-Experimental',
  verifyAfterReads: null,
};

function firstWays(): Ways {
  const first = parseVariations(Object.entries(ways).map(([name, [way]]) => `${name}=${way}`));
  if (!hasAllWays(first)) throw new Error('A variation has no first way.');
  return first;
}

function hasAllWays(chosen: Partial<Variations>): chosen is Partial<Variations> & Ways {
  return Object.keys(ways).every((name) => Object.hasOwn(chosen, name));
}

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
  return own(body, 'operations') ?? null;
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
  const asText = (chat: Json) => (takesObjects && isObject(chat) ? JSON.stringify(chat) : chat);
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

/** The attributes of profiles, with their classes where rules name these. */
export function listAttributes(
  attributes: readonly NeAttribute[],
  { ruleObjectType }: Variations,
): readonly JsonObject[] {
  if (ruleObjectType !== 'attribute_class') return attributes;
  return attributes.map((attribute) => ({ ...attribute, type: attributeClass(attribute) }));
}

/** The class of an attribute, as hosts name it that know more than `NeAttribute`: `TextFieldAttribute`. */
function attributeClass({ data_type }: NeAttribute): string {
  if (data_type === 'text') return 'TextFieldAttribute';
  const words = data_type.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Attribute`;
}

/** The member of a rule that has the class of its object. */
export const objectTypeName = ({ ruleObjectType }: Variations): string =>
  ruleObjectType === 'object_type' ? ruleObjectType : 'condition_object_type';

/** The class of a rule's object; null for a rule without one. */
export function objectTypeOf(
  { type }: Pick<ConditionRule, 'type'>,
  attribute: NeAttribute | undefined,
  { ruleObjectType }: Variations,
): string | null {
  if (type !== 'ProfileAttributeRule') return null;
  return attribute && ruleObjectType === 'attribute_class' ? attributeClass(attribute) : 'NeAttribute';
}

/** The answer where there is nothing, on hosts that do not answer an empty list (api-notes, "What hosts of this family really answer"). */
export function answerNothing(plural: string, { nothingFound }: Variations): Reply | null {
  if (nothingFound === 'list') return null;
  const status = nothingFound === 'refused' ? 400 : 200;
  return { status, body: { error: `no ${plural.replaceAll('_', ' ')} found` } };
}

/** Somebody else changes lists while their pages are read: called with the query of each request, before it is answered. */
export function changingLists({ listsChange }: Variations, state: TenantState): (search: string) => void {
  let left = { never: 0, once: 1, always: Number.POSITIVE_INFINITY }[listsChange];
  return (search) => {
    if (left === 0 || !isFurtherPage(search)) return;
    left -= 1;
    moveFirstRecords(state);
  };
}

export function isFurtherPage(search: string): boolean {
  return Number(new URLSearchParams(search).get('offset') ?? 0) > 0;
}

/** Moves the first record of each list to its end: another order, which means nothing, shifts the rows of all pages. */
function moveFirstRecords(state: TenantState): void {
  const lists: readonly unknown[] = [...Object.values(state), ...Object.values(state.objects)];
  for (const records of lists) if (Array.isArray(records)) records.push(...records.splice(0, 1));
}
