import { isArray, isObject, type Json, type JsonObject, mapMembers, parseJson } from '../../model/json.ts';
import { commonMembers, newId, readIdentity, templateKeyText, words } from '../objects.ts';
import {
  badRequest,
  type Call,
  deleteByPath,
  findByPath,
  jsonObject,
  notFound,
  ok,
  operation,
  param,
  type Reply,
  type Tenant,
} from '../operations.ts';
import { answerList } from '../query.ts';
import {
  ApiError,
  bool,
  choice,
  ignoredTime,
  object,
  orNull,
  type Read,
  refuse,
  text,
  textOrNull,
  texts,
} from '../shape.ts';
import type { TenantState } from '../state.ts';
import type { Variations } from '../ways.ts';

const templates = '/v2025/notification-templates';
const senders = '/v2025/verified-from-addresses';
const senderFilters = {
  documented: ['eq', 'ge', 'le', 'sw'],
  comparisons: ['eq', 'ge', 'le', 'gt', 'lt'],
} as const;

/** Seed 001. */
export const notifications = [
  operation('list-notification-templates', `GET ${templates}?limit&offset&filters`, (call, tenant) =>
    listTemplates(tenant.state.templates, call, tenant),
  ),
  operation('create-notification-template', `POST ${templates}`, writeTemplate),
  // An unknown id is a 400, since the document has no 404 for it.
  operation('get-notification-template', `GET ${templates}/{id}`, (call, { state, variations }) => {
    const template = findByPath(state.templates, call, 'customised template', { missing: badRequest });
    return ok(showTemplate(template, variations));
  }),
  operation('delete-notification-templates-in-bulk', `POST ${templates}/bulk-delete`, deleteTemplates),
  operation(
    'list-notification-template-defaults',
    'GET /v2025/notification-template-defaults?limit&offset&filters',
    (call, tenant) => listTemplates(tenant.state.templateDefaults, call, tenant),
  ),
  operation(
    'get-notifications-template-context',
    'GET /v2025/notification-template-context',
    (_call, { state }) => ok(state.templateContext),
  ),
  // One preference, by its key.
  operation(
    'list-notification-preferences',
    'GET /v2025/notification-preferences/{key}',
    (call, { state, variations }) => {
      const missing = variations.preferenceMissing === 'notFound' ? notFound : badRequest;
      const preference = findByPath(state.preferences, call, 'preference', { by: 'key', missing });
      const { ccList: _cc, bccList: _bcc, ...shown } = preference;
      return ok(shown);
    },
  ),
  operation('send-test-notification', 'POST /v2025/send-test-notification', sendTest),
  // The only list with `count` and `sorters`.
  operation('list-from-addresses', `GET ${senders}?limit&offset&filters&count&sorters`, (call, tenant) => {
    const { state, pageLimit, variations } = tenant;
    const filters = new Map([['email', senderFilters[variations.senderFilters]]]);
    return answerList(state.senders, call, { filters, sorters: ['email'], pageLimit });
  }),
  operation('create-verified-from-address', `POST ${senders}`, createSender),
  operation('delete-verified-from-address', `DELETE ${senders}/{id}`, (call, { state }) =>
    deleteByPath(state.senders, call, 'sender address', state),
  ),
  operation('get-dkim-attributes', 'GET /v2025/verified-domains?limit&offset', listIdentities),
  operation('create-domain-dkim', 'POST /v2025/verified-domains', createDomain),
  operation('get-mail-from-attributes', 'GET /v2025/mail-from-attributes/{identity}?id', getMailFrom),
  operation('put-mail-from-attributes', 'PUT /v2025/mail-from-attributes', putMailFrom),
];

/** Of newer versions of the API, on hosts that have them (api-notes, "Presets"). */
export const newerNotifications = [
  operation(
    'list-all-preferences',
    'GET /v2026/notification-preferences?limit&offset&filters',
    (call, { state, pageLimit }) =>
      answerList(state.preferences, call, { filters: new Map([['key', ['eq', 'in']]]), pageLimit }),
    { onlyWith: { preferences: 'written' } },
  ),
  operation('put-preference', 'PUT /v2026/notification-preferences/{key}', putPreference, {
    onlyWith: { preferences: 'written' },
  }),
  operation(
    'get-notification-template-variables',
    'GET /v2026/notification-template-variables/{key}/{medium}?sorters',
    (call, { state }) => {
      const [key, medium] = [param(call, 'key'), param(call, 'medium')];
      if (!state.templateDefaults.some((item) => item.key === key && item.medium === medium))
        throw notFound(`There is no notification "${key}" for ${medium}`);
      const globals = Object.entries(state.templateContext.attributes);
      return ok({
        key,
        medium,
        globalVariables: globals.map(([name, value]) => {
          return { key: `__global.${name}`, type: 'string', description: null, example: value };
        }),
        templateVariables: state.templateVariables
          .filter((one) => one.template === key)
          .map(({ template: _, ...one }) => one),
      });
    },
    { onlyWith: { templateVariables: 'listed' } },
  ),
];

function putPreference(call: Call, { state, timestamp }: Tenant): Reply {
  const sent = object(commonMembers.preference)(call.body, 'body');
  const key = param(call, 'key');
  if (sent.key !== key) throw badRequest('body.key is not the key of the path');
  if (![...state.templateDefaults, ...state.preferences].some((known) => known.key === key))
    throw notFound(`There is no notification "${key}"`);
  const at = state.preferences.findIndex((known) => known.key === key);
  const preference = { ...sent, modified: timestamp() };
  state.preferences.splice(at === -1 ? state.preferences.length : at, 1, preference);
  return ok(preference);
}

const templateFilters = new Map([
  ['key', ['eq', 'in', 'sw']],
  ['medium', ['eq', 'sw']],
  ['locale', ['eq', 'sw']],
] as const);

function listTemplates(known: TenantState['templateDefaults'], call: Call, tenant: Tenant): Reply {
  const { variations, pageLimit } = tenant;
  const [first] = known;
  // For an undocumented medium and locale.
  const foreign = [
    { ...first, id: 'foreign-medium', medium: 'WHATSAPP' },
    { ...first, id: 'foreign-locale', locale: 'default_for_all' },
  ];
  const all: readonly JsonObject[] = variations.foreignTemplates && first ? [...known, ...foreign] : known;
  const support = { filters: templateFilters, pageLimit };
  return answerList(all, call, support, (template) => showTemplate(template, variations));
}

const readLocale: Read<string> = (value, at) => {
  const locale = text(value, at);
  if (!/^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(locale)) throw badRequest(`${at} must be a language code`);
  return locale;
};

const readTemplateBody = object({
  locale: readLocale,
  id: textOrNull,
  key: text,
  medium: choice(words.medium),
  ...commonMembers.template,
  created: ignoredTime,
  modified: ignoredTime,
});

/** Operation rule 1: creates or replaces the whole template of a key, medium and locale. */
function writeTemplate({ body }: Call, { state, variations, timestamp }: Tenant): Reply {
  const sent = readTemplateBody(acceptTemplate(body, variations), 'body');
  if (!state.templateDefaults.some(({ key }) => key === sent.key))
    throw badRequest(`There is no notification with the key "${sent.key}"`);
  if (variations.refuseHeaderFooter && (sent.header !== null || sent.footer !== null))
    throw badRequest('header and footer are no longer supported and must be null');
  const index = state.templates.findIndex(
    (candidate) => templateKeyText(candidate) === templateKeyText(sent),
  );
  const live = state.templates[index];
  if (sent.id !== null && sent.id !== live?.id)
    throw badRequest('id is not the id of the template with this key, medium and locale');
  const modified = timestamp();
  const template = {
    ...sent,
    id: live?.id ?? newId(state, 'NotificationTemplate', templateKeyText(sent), state.templates),
    created: live?.created ?? modified,
    modified,
  };
  if (live === undefined) state.templates.push(template);
  else state.templates[index] = template;
  return ok(showTemplate(template, variations));
}

/** The body of a template as the documents want it: the medium in capitals, and chat templates as text. */
function acceptTemplate(body: Json, host: Variations): Json {
  const { mediumCase, slackTeams, jsonText, chatNullSubject } = host;
  if (!isObject(body)) return body;
  const { medium = null, subject } = body;
  const upper = mediumCase === 'lower' && typeof medium === 'string' ? medium.toUpperCase() : medium;
  if (chatNullSubject === 'refused' && upper !== 'EMAIL' && subject === null)
    throw badRequest('body.subject must be string');
  const takesObjects = slackTeams === 'object' || jsonText === 'object';
  const takesText = slackTeams === 'text' || jsonText !== 'object';
  return mapChats({ ...body, medium: upper }, (chat) => {
    if (!takesText && typeof chat === 'string') return refuse('body', 'must have chat templates as objects');
    return takesObjects && isObject(chat) ? JSON.stringify(chat) : chat;
  });
}

function showTemplate(template: JsonObject, { mediumCase, slackTeams, chatFilled }: Variations): JsonObject {
  const { medium = null } = template;
  const shown = mediumCase === 'lower' && typeof medium === 'string' ? medium.toLowerCase() : medium;
  return mapChats({ ...template, medium: shown }, (chat) => {
    if (slackTeams === 'text' && !chatFilled) return chat;
    const parsed = typeof chat === 'string' ? parseJson(chat) : chat;
    const message = typeof chat === 'string' && !isObject(parsed) ? { text: chat } : (parsed ?? null);
    const filled = chatFilled ? fillUp(message ?? {}) : message;
    return slackTeams === 'text' ? JSON.stringify(filled) : filled;
  });
}

function mapChats(template: JsonObject, change: (chat: Json) => Json): JsonObject {
  const { slackTemplate = null, teamsTemplate = null } = template;
  return { ...template, slackTemplate: change(slackTemplate), teamsTemplate: change(teamsTemplate) };
}

const fillers = { title: '', isSubscription: false, requestId: null, autoApprovalData: {} };

function fillUp(value: Json): Json {
  if (isArray(value)) return value.map(fillUp);
  return isObject(value) ? { ...fillers, ...mapMembers(value, fillUp) } : value;
}

const betaText = 'Bulk deletion of templates is a beta feature: contact support to enable it';

/** 204 whether or not the templates exist; some tenants refuse all if one does not. */
function deleteTemplates({ body }: Call, { state, variations }: Tenant): Reply {
  if (variations.bulkDelete === 'forbidden') throw new ApiError(403, betaText);
  if (variations.bulkDelete === 'refused') throw badRequest(betaText);
  if (!isArray(body) || body.length === 0) throw badRequest('The body must be a non-empty array');
  const read = object({ key: text, medium: orNull(choice(words.medium)), locale: textOrNull });
  const selectors = body.map((item, index) => {
    const { key, medium, locale } = read(item, `body[${index}]`);
    return (template: TenantState['templates'][number]) =>
      template.key === key &&
      (medium === null || template.medium === medium) &&
      (locale === null || template.locale === locale);
  });
  const isGone = selectors.some((selects) => !state.templates.some(selects));
  if (variations.bulkDeleteGone === 'refused' && isGone)
    throw badRequest('A template of this request does not exist');
  state.templates = state.templates.filter((template) => !selectors.some((selects) => selects(template)));
  state.generation += 1;
  return { status: 204 };
}

/** Operation rule 5: the test notification goes to the tenant's `sentNotifications`. */
function sendTest({ body }: Call, { state, variations, timestamp }: Tenant): Reply {
  const { recipientEmailList: recipients, ...sent } = object({
    key: text,
    medium: choice(words.medium),
    context: jsonObject(variations),
    locale: textOrNull,
    recipientEmailList: orNull(texts),
  })(body, 'body');
  const isNewer =
    isObject(body) && ['locale', 'recipientEmailList'].some((name) => Object.hasOwn(body, name));
  if (isNewer && variations.sendTest === 'documented') refuse('body', 'has unknown fields');
  const { key, medium, context } = sent;
  if (context === null) throw badRequest('body.context is required');
  if (!state.templateDefaults.some((item) => item.key === key && item.medium === medium))
    throw notFound(`There is no notification "${key}" for ${medium}`);
  state.sentNotifications.push({ ...sent, context, sent: timestamp(), recipients });
  return { status: 204 };
}

// Senders, domains and MAIL FROM.

/** Operation rule 2: starts the verification of an address, which a verified domain ends at once. Others stay pending. */
function createSender({ body }: Call, { state, variations }: Tenant): Reply {
  const { email: sent } = object({
    email: text,
    id: textOrNull,
    isVerifiedByDomain: bool(false),
    verificationStatus: choice(words.verification, 'PENDING'),
  })(body, 'body');
  if (!isEmail(sent)) throw badRequest(`"${sent}" is not an e-mail address`);
  if (state.senders.some(({ email }) => isSameIdentity(email, sent)))
    throw badRequest(`The address ${sent} already exists`);
  const email = variations.emailLowerCase ? sent.toLowerCase() : sent;
  const isVerifiedByDomain = state.identities.some(
    ({ address, dkimVerificationStatus }) =>
      isSameIdentity(address, domainOf(email)) && dkimVerificationStatus === 'SUCCESS',
  );
  const sender: TenantState['senders'][number] = {
    id: newId(state, 'SenderAddress', email, state.senders),
    email,
    isVerifiedByDomain,
    verificationStatus: isVerifiedByDomain ? 'SUCCESS' : 'PENDING',
    region: null,
  };
  state.senders.push(sender);
  return { status: 201, body: sender };
}

/** Operation rule 3: the first 100 identities, domains and e-mail addresses; no further pages are documented. */
function listIdentities(call: Call, { state, variations }: Tenant): Reply {
  // The documents know no parameters for the list of domains.
  if (variations.domainPages === 'refused' && call.query.size > 0)
    throw badRequest('The list takes no query parameters');
  const states = providerStates[variations.dkimStates];
  const isWhole = variations.domainPages === 'ignored';
  const asked = isWhole ? { query: new Map() } : call;
  const support = { filters: new Map(), pageLimit: isWhole ? state.identities.length : 100 };
  return answerList(state.identities, asked, support, (identity) => ({
    ...identity,
    dkimVerificationStatus: states?.[identity.dkimVerificationStatus] ?? identity.dkimVerificationStatus,
  }));
}

type MailFrom = TenantState['mailFrom'][number];

const providerStates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  documented: {},
  upper: { PENDING: 'NOT_STARTED', FAILED: 'TEMPORARY_FAILURE' },
  camel: { PENDING: 'NotStarted', FAILED: 'TemporaryFailure' },
};

function createDomain({ body }: Call, { state }: Tenant): Reply {
  const { domain } = object({ domain: text })(body, 'body');
  if (!isDomain(domain)) throw badRequest(`"${domain}" is not a domain name`);
  if (state.identities.some(({ address }) => isSameIdentity(address, domain)))
    throw badRequest(`The domain ${domain} already exists`);
  const id = newId(state, 'VerifiedDomain', domain, state.identities);
  const identity = readIdentity({ id, address: domain, region: 'us-east-1' }, 'identity');
  state.identities.push(identity);
  const { address: _address, ...shown } = identity;
  return ok({ ...shown, domain });
}

/** Operation rule 6: the identity is sent in the path and in the query. */
function getMailFrom(call: Call, { state, variations }: Tenant): Reply {
  const identity = param(call, 'identity');
  const isInPath = variations.mailFromQuery === 'path';
  if (isInPath && call.query.has('id')) throw badRequest('Unknown query parameter "id"');
  if (!isInPath && call.query.get('id') !== identity)
    throw badRequest('The query parameter "id" must be the identity of the path');
  const names = variations.mailFromIdentity === 'domain' ? [identity, domainOf(identity)] : [identity];
  const [found] = names.flatMap((name) => state.mailFrom.filter((one) => isSameIdentity(one.identity, name)));
  if (found) return ok(showMailFrom(found));
  const message = `${identity} has no MAIL FROM domain`;
  if (variations.mailFromMissing === 'badRequest') throw badRequest(message);
  if (variations.mailFromMissing === 'notFound') throw notFound(message);
  const nothing = { mailFromDomain: null, mxRecord: null, txtRecord: null, mailFromDomainStatus: null };
  return ok({ identity, ...nothing });
}

/** Operation rule 4: a change starts the verification of the MAIL FROM domain. */
function putMailFrom({ body }: Call, { state }: Tenant): Reply {
  const { identity, mailFromDomain } = object({ identity: text, mailFromDomain: text })(body, 'body');
  if (!isEmail(identity) && !isDomain(identity)) throw badRequest(`"${identity}" is not an e-mail identity`);
  if (!isDomain(mailFromDomain) || !mailFromDomain.toLowerCase().endsWith(`.${domainOf(identity)}`))
    throw badRequest(`mailFromDomain must be a subdomain of ${domainOf(identity)}`);
  const live = state.mailFrom.find((candidate) => isSameIdentity(candidate.identity, identity));
  if (live?.mailFromDomain === mailFromDomain) return ok(showMailFrom(live));
  const next: MailFrom = {
    identity: live?.identity ?? identity,
    mailFromDomain,
    mailFromDomainStatus: 'PENDING',
  };
  if (live === undefined) state.mailFrom.push(next);
  else Object.assign(live, next);
  return ok(showMailFrom(next));
}

function showMailFrom(mailFrom: MailFrom): Json {
  return {
    ...mailFrom,
    mxRecord: '10 feedback-smtp.us-east-1.amazonses.com',
    txtRecord: 'v=spf1 include:amazonses.com ~all',
  };
}

function isSameIdentity(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isDomain(text: string): boolean {
  return (
    text.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(text)
  );
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return (
    at > 0 && at <= 64 && /^[^\s@"<>(),:;[\]\\]+$/.test(text.slice(0, at)) && isDomain(text.slice(at + 1))
  );
}

/** The domain of an e-mail address, or the domain itself; in lower case. */
function domainOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('@') + 1).toLowerCase();
}
