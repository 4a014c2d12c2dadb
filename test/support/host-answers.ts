import {
  get,
  getObject,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  parseJson,
  withoutNulls,
} from '../../src/model/json.ts';
import { type Around, operations } from '../../src/sandbox/index.ts';
import { ApiError } from '../../src/sandbox/operations.ts';

/** What hosts answer in another form than the documents say; the embedded tenant itself keeps to them. The first is the contract. */
export const waysOfAnswers = {
  /** Whether `attributes`, `request` and `statusMap` are answered as servers print a map: `{a=b, c=d}`. */
  mapText: [false, true],
  /** Where the sources of an integration are answered; `managedResourceRefs`: beside an empty `managedSources`. */
  simSources: ['managedSources', 'managedResourceRefs', 'sources', 'hidden'],
  /** The content of `cluster` and the id in `clusterRef`: both the id, or the name in one of them. */
  simCluster: ['ids', 'nameInCluster', 'nameInReference'],
  /** Whether chat templates are answered with members that nobody set. */
  chatFilled: [false, true],
  bulkDelete: ['enabled', 'forbidden', 'refused'],
  /** The answer for an identity without MAIL FROM: a 400, a 404, or one without a domain. */
  mailFromMissing: ['badRequest', 'notFound', 'empty'],
  preferenceMissing: ['notFound', 'badRequest'],
  /** How a DKIM verification that is pending or failed is answered: as documented, or as the mail provider calls it. */
  dkimStates: ['documented', 'upper', 'camel'],
  twinProfiles: [false, true],
  unsetMembers: ['null', 'omitted'],
  createAnswer: ['object', 'withoutId', 'nothing'],
} as const;

export type WaysOfAnswers = {
  readonly [K in keyof typeof waysOfAnswers]: (typeof waysOfAnswers)[K][number];
};

/** What is done around the requests of a host with these ways. */
export function answering(ways: Partial<WaysOfAnswers>): Around[] {
  const { bulkDelete = 'enabled', dkimStates = 'documented', simSources = 'managedSources' } = ways;
  const inSims = (change: (row: JsonObject) => JsonObject) => rowsOf(/^\/v2024\/sim-integrations/, change);
  return [
    ...(ways.mapText ? [inSims(asMaps)] : []),
    ...(simSources === 'managedSources' ? [] : [inSims((row) => withSources(row, simSources))]),
    ...(ways.simCluster === 'nameInCluster' ? [inSims(namingCluster)] : []),
    ...(ways.simCluster === 'nameInReference' ? [inSims(namingReference)] : []),
    ...(ways.chatFilled ? [rowsOf(/^\/v2025\/notification-template/, filledUp)] : []),
    ...(bulkDelete === 'enabled' ? [] : [refusingDeletes(bulkDelete === 'forbidden' ? 403 : 400)]),
    ...(ways.mailFromMissing ? [withoutMailFrom(ways.mailFromMissing)] : []),
    ...(ways.preferenceMissing === 'badRequest' ? [refusingPreferences] : []),
    ...(dkimStates === 'documented'
      ? []
      : [rowsOf(/^\/v2025\/verified-domains$/, (row) => ofProvider(row, providerStates[dkimStates]))]),
    ...(ways.twinProfiles ? [twinning] : []),
    ...(ways.unsetMembers === 'omitted' ? [omitting] : []),
    ...(ways.createAnswer ? [creating(ways.createAnswer)] : []),
  ];
}

/** Changes each object of the answers at these paths, in lists too. */
const rowsOf =
  (paths: RegExp, change: (row: JsonObject) => JsonObject): Around =>
  (asked, next) => {
    const reply = next(asked);
    const { body } = reply;
    if (!paths.test(asked.route.operation.path) || body === undefined) return reply;
    const show = (row: Json) => (isObject(row) ? change(row) : row);
    return { ...reply, body: isArray(body) ? body.map(show) : show(body) };
  };

function asMaps(row: JsonObject): JsonObject {
  return mapMembers(row, (value, name) => {
    if (!['attributes', 'request', 'statusMap'].includes(name)) return value;
    const parsed = typeof value === 'string' ? parseJson(value) : value;
    return isObject(parsed) ? mapText(parsed) : value;
  });
}

function mapText(value: Json): string {
  if (isArray(value)) return `[${value.map(mapText).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${key}=${mapText(item)}`);
  return `{${members.join(', ')}}`;
}

function withSources(
  { managedSources = [], provisioningConfig = {}, ...row }: JsonObject,
  place: Exclude<WaysOfAnswers['simSources'], 'managedSources'>,
): JsonObject {
  if (place === 'managedResourceRefs') return { ...row, managedSources: [], provisioningConfig };
  const { managedResourceRefs: _, ...config } = isObject(provisioningConfig) ? provisioningConfig : {};
  const bare = { ...row, provisioningConfig: config };
  return place === 'sources' ? { ...bare, sources: managedSources } : bare;
}

const namingCluster = (row: JsonObject): JsonObject => ({
  ...row,
  cluster: get(getObject(row, 'clusterRef'), 'name') ?? null,
});

function namingReference(row: JsonObject): JsonObject {
  const { clusterRef = null } = row;
  return isObject(clusterRef) ? { ...row, clusterRef: { ...clusterRef, id: clusterRef.name ?? null } } : row;
}

const fillers = { title: '', isSubscription: false, requestId: null, autoApprovalData: {} };

/** Chat templates as text or objects, as the tenant answers them, and filled up. */
function filledUp(row: JsonObject): JsonObject {
  const fill = (value: Json): Json => {
    if (isArray(value)) return value.map(fill);
    return isObject(value) ? { ...fillers, ...mapMembers(value, fill) } : value;
  };
  return mapMembers(row, (chat, name) => {
    if (name !== 'slackTemplate' && name !== 'teamsTemplate') return chat;
    const parsed = typeof chat === 'string' ? parseJson(chat) : chat;
    const message = isObject(parsed) ? parsed : typeof chat === 'string' ? { text: chat } : {};
    return isObject(chat) ? fill(message) : JSON.stringify(fill(message));
  });
}

const refusingDeletes =
  (status: number): Around =>
  (asked, next) => {
    if (!asked.path.endsWith('/bulk-delete')) return next(asked);
    throw new ApiError(status, 'Bulk deletion of templates is a beta feature: contact support to enable it');
  };

const withoutMailFrom =
  (missing: WaysOfAnswers['mailFromMissing']): Around =>
  (asked, next) => {
    try {
      return next(asked);
    } catch (error) {
      const isMissing = error instanceof ApiError && error.message.endsWith('has no MAIL FROM domain');
      if (!isMissing || missing === 'badRequest') throw error;
      if (missing === 'notFound') throw new ApiError(404, error.message);
      const nothing = { mailFromDomain: null, mxRecord: null, txtRecord: null, mailFromDomainStatus: null };
      return { status: 200, body: { identity: asked.route.params.get('identity') ?? '', ...nothing } };
    }
  };

const refusingPreferences: Around = (asked, next) => {
  try {
    return next(asked);
  } catch (error) {
    const isMissing = error instanceof ApiError && error.status === 404;
    if (!isMissing || asked.route.operation.name !== 'list-notification-preferences') throw error;
    throw new ApiError(400, error.message);
  }
};

const providerStates = {
  upper: { PENDING: 'NOT_STARTED', FAILED: 'TEMPORARY_FAILURE' },
  camel: { PENDING: 'NotStarted', FAILED: 'TemporaryFailure' },
} as const;

function ofProvider(row: JsonObject, states: Readonly<Record<string, string>>): JsonObject {
  const documented = getText(row, 'dkimVerificationStatus') ?? '';
  return { ...row, dkimVerificationStatus: states[documented] ?? documented };
}

/** A second profile of the name of the first. */
const twinning: Around = (asked, next) => {
  const { operation, params } = asked.route;
  const ofTwin = params.get('id')?.replace(/-twin$/, '');
  if (operation.name === 'get-profile-config' && ofTwin !== undefined)
    return next({ ...asked, route: { operation, params: new Map([['id', ofTwin]]) } });
  const reply = next(asked);
  const { body = null } = reply;
  const [first = null] = isArray(body) ? body : [];
  if (operation.name !== 'get-profile-config-list' || !isArray(body) || !isObject(first)) return reply;
  return { ...reply, body: [...body, { ...first, id: `${getText(first, 'id')}-twin` }] };
};

/** Operations of kinds that descriptors describe. */
const isDescribed = (name: string) => !operations.some((operation) => operation.name === name);

export const omitting: Around = (asked, next) => {
  const reply = next(asked);
  const { body } = reply;
  if (!isDescribed(asked.route.operation.name) || body === undefined) return reply;
  const show = (value: Json): Json => {
    if (isArray(value)) return value.map((row) => (isObject(row) ? withoutNulls(row) : row));
    return isObject(value) ? withoutNulls(value) : value;
  };
  const isList = asked.route.operation.name.startsWith('list-');
  return { ...reply, body: isList && isObject(body) ? mapMembers(body, show) : show(body) };
};

const creating =
  (answer: WaysOfAnswers['createAnswer']): Around =>
  (asked, next) => {
    const { body, ...reply } = next(asked);
    const isCreate = reply.status === 201 && isDescribed(asked.route.operation.name);
    if (body === undefined || (isCreate && answer === 'nothing')) return reply;
    if (!isCreate || answer === 'object' || !isObject(body)) return { ...reply, body };
    const { id: _id, ...others } = body;
    return { ...reply, body: others };
  };
