import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  own,
  parseJson,
  textOf,
} from '../../model/json.ts';
import {
  mediums,
  newId,
  type Template,
  type TemplateDefault,
  templateKey,
  templateTexts,
} from '../objects.ts';
import { type FilterFields, parseFilters, selectPage } from '../query.ts';
import {
  ApiError,
  badRequest,
  type Call,
  type Handlers,
  noContent,
  notFound,
  okRead,
  okWrite,
  param,
  type Tenant,
} from '../requests.ts';
import { choice, ignoredTime, object, orNull, type Read, text, textOrNull, texts } from '../shape.ts';
import { readJsonText, type Variations } from '../variations.ts';

/** Filter support of the lists of templates and defaults. */
const filterFields: FilterFields = new Map([
  ['key', ['eq', 'in', 'sw']],
  ['medium', ['eq', 'sw']],
  ['locale', ['eq', 'sw']],
] as const);

/** Notification templates and what belongs to them (seed 001). */
export const notifications = {
  'list-notification-templates': (call, tenant) =>
    okRead(selectTemplates(tenant.state.templates, call, tenant)),

  'list-notification-template-defaults': (call, tenant) =>
    okRead(selectTemplates(tenant.state.templateDefaults, call, tenant)),

  /** An unknown id is a 400, since the document has no 404 for it. */
  'get-notification-template': (call, tenant) => {
    const id = param(call, 'id');
    const template = tenant.state.templates.find((candidate) => candidate.id === id);
    if (template === undefined) throw badRequest(`There is no customised template ${id}`);
    return okRead(showTemplate(template, tenant.variations));
  },

  /** Operation rule 1: creates or replaces the whole template of a key, medium and locale. */
  'create-notification-template': (call, tenant) => {
    const { state, variations } = tenant;
    const sent = readTemplateBody(call.body, variations);
    if (!state.templateDefaults.some(({ key }) => key === sent.key)) {
      throw badRequest(`There is no notification with the key "${sent.key}"`);
    }
    if (variations.refuseHeaderFooter && (sent.header !== null || sent.footer !== null)) {
      throw badRequest('header and footer are no longer supported and must be null');
    }
    const index = state.templates.findIndex((candidate) => templateKey(candidate) === templateKey(sent));
    const live = state.templates[index];
    if (sent.id !== null && sent.id !== live?.id)
      throw badRequest('id is not the id of the template with this key, medium and locale');
    const modified = tenant.timestamp();
    const template: Template = {
      ...sent,
      id: live?.id ?? newId(state, 'NotificationTemplate', templateKey(sent), state.templates),
      created: live?.created ?? modified,
      modified,
    };
    if (live === undefined) state.templates.push(template);
    else state.templates[index] = template;
    return okWrite(showTemplate(template, variations));
  },

  /** 204 whether or not the templates exist; some tenants refuse all where one does not. */
  'delete-notification-templates-in-bulk': (call, tenant) => {
    const { state, variations } = tenant;
    if (variations.bulkDelete === 'forbidden') throw new ApiError(403, betaText);
    if (variations.bulkDelete === 'refused') throw badRequest(betaText);
    if (!isArray(call.body) || call.body.length === 0) throw badRequest('The body must be a non-empty array');
    const selectors = call.body.map(readBulkDelete);
    if (
      variations.bulkDeleteGone === 'refused' &&
      selectors.some((selects) => !state.templates.some(selects))
    )
      throw badRequest('A template of this request does not exist');
    state.templates = state.templates.filter((template) => !selectors.some((selects) => selects(template)));
    state.generation += 1;
    return noContent;
  },

  'get-notifications-template-context': (_call, { state }) => okRead(state.templateContext),

  /** One preference, by its key. */
  'list-notification-preferences': (call, { state, variations }) => {
    const key = param(call, 'key');
    const preference = state.preferences.find((candidate) => candidate.key === key);
    const message = `There is no notification preference for "${key}"`;
    if (preference === undefined)
      throw variations.preferenceMissing === 'notFound' ? notFound(message) : badRequest(message);
    return okRead(preference);
  },

  /** Operation rule 5: the test notification goes to the tenant's `sentNotifications`. */
  'send-test-notification': (call, tenant) => {
    const { state, variations } = tenant;
    const documented = {
      key: text,
      medium: choice(mediums),
      context: (value: Json | undefined, at: string) => readJsonText(value ?? null, at, variations),
    };
    const readExtended = object({ ...documented, locale: textOrNull, recipientEmailList: orNull(texts) });
    const { recipientEmailList: recipients, ...sent } =
      variations.sendTest === 'extended'
        ? readExtended(call.body, 'body')
        : { ...object(documented)(call.body, 'body'), locale: null, recipientEmailList: null };
    const { key, medium, context } = sent;
    if (context === null) throw badRequest('body.context is required');
    if (!state.templateDefaults.some((item) => item.key === key && item.medium === medium)) {
      throw notFound(`There is no notification "${key}" for ${medium}`);
    }
    state.sentNotifications.push({ ...sent, context, sent: tenant.timestamp(), recipients });
    return noContent;
  },
} satisfies Handlers;

const betaText = 'Bulk deletion of templates is a beta feature: contact support to enable it';

function selectTemplates(known: readonly TemplateDefault[], { query }: Call, tenant: Tenant): Json {
  const matches = parseFilters(query, filterFields);
  const foreign = tenant.variations.foreignTemplates ? known.slice(0, 1).flatMap(foreignVersions) : [];
  const found = [...known, ...foreign].filter((record) => matches((field) => textOf(record, field) ?? ''));
  return selectPage(found, query, tenant.pageLimit).map((item) => showTemplate(item, tenant.variations));
}

/** A template in a medium and in a locale that the documents do not know. */
function foreignVersions(template: TemplateDefault): JsonObject[] {
  return [
    { ...template, id: 'foreign-medium', medium: 'WHATSAPP' },
    { ...template, id: 'foreign-locale', locale: 'default_for_all' },
  ];
}

/** A template as a client sends it. */
type TemplateBody = TemplateDefault & { readonly id: string | null };

function readTemplateBody(body: Json, variations: Variations): TemplateBody {
  const {
    created: _created,
    modified: _modified,
    ...sent
  } = object({
    locale: readLocale,
    id: textOrNull,
    key: text,
    medium: readMedium(variations),
    ...templateTexts,
    created: ignoredTime,
    modified: ignoredTime,
  })(chatAsText(body, variations), 'body');
  const hasNullSubject = isObject(body) && own(body, 'subject') === null;
  if (variations.chatNullSubject === 'refused' && sent.medium !== 'EMAIL' && hasNullSubject)
    throw badRequest('body.subject must be string');
  return sent;
}

const readLocale: Read<string> = (value, at) => {
  const locale = text(value, at);
  if (!/^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(locale)) throw badRequest(`${at} must be a language code`);
  return locale;
};

/** The body with its chat templates as text, also on tenants that take objects. */
function chatAsText(body: Json, { slackTeams, jsonText }: Variations): Json {
  if ((slackTeams === 'text' && jsonText !== 'object') || !isObject(body)) return body;
  const { slackTemplate = null, teamsTemplate = null } = body;
  return {
    ...body,
    slackTemplate: isObject(slackTemplate) ? JSON.stringify(slackTemplate) : slackTemplate,
    teamsTemplate: isObject(teamsTemplate) ? JSON.stringify(teamsTemplate) : teamsTemplate,
  };
}

function showTemplate(template: JsonObject, variations: Variations): Json {
  const { mediumCase } = variations;
  const { medium = null, slackTemplate = null, teamsTemplate = null } = template;
  return {
    ...template,
    medium: mediumCase === 'lower' && typeof medium === 'string' ? medium.toLowerCase() : medium,
    slackTemplate: showChat(slackTemplate, variations),
    teamsTemplate: showChat(teamsTemplate, variations),
  };
}

function showChat(text: Json, { slackTeams, chatFilled }: Variations): Json {
  if (slackTeams === 'text' && !chatFilled) return text;
  const shown = typeof text === 'string' ? chatAsObject(text) : text;
  const filled = chatFilled ? fillUp(shown ?? {}) : shown;
  return slackTeams === 'text' && filled !== null ? JSON.stringify(filled) : filled;
}

const fillers = { title: '', isSubscription: false, requestId: null, autoApprovalData: {} };

function fillUp(value: Json): Json {
  if (isArray(value)) return value.map(fillUp);
  return isObject(value) ? { ...fillers, ...mapMembers(value, fillUp) } : value;
}

/** A medium of the documents, on some tenants in every case. */
const readMedium =
  ({ mediumCase }: Variations): Read<(typeof mediums)[number]> =>
  (value, at) =>
    choice(mediums)(mediumCase === 'lower' && typeof value === 'string' ? value.toUpperCase() : value, at);

function chatAsObject(text: string): Json {
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { text };
}

/** Reads one item of a bulk deletion: whether a template is to be deleted. */
function readBulkDelete(item: Json, index: number): (template: TemplateDefault) => boolean {
  const { key, medium, locale } = object({ key: text, medium: orNull(choice(mediums)), locale: textOrNull })(
    item,
    `body[${index}]`,
  );
  return (template) =>
    template.key === key &&
    (medium === null || template.medium === medium) &&
    (locale === null || template.locale === locale);
}
