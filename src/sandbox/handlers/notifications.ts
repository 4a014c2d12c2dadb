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
import { ApiError, badRequest, notFound } from '../api-error.ts';
import { Fields } from '../fields.ts';
import { type Call, type Handlers, noContent, okRead, okWrite, param, type Tenant } from '../handler.ts';
import { newId } from '../ids.ts';
import { mediums, readTexts, type Template, type TemplateDefault, templateKey } from '../objects.ts';
import { type FilterFields, parseFilters, selectPage } from '../query.ts';
import type { TenantState } from '../state.ts';
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
    okRead(selectTemplates(({ templates }) => templates, call, tenant)),

  'list-notification-template-defaults': (call, tenant) =>
    okRead(selectTemplates(({ templateDefaults }) => templateDefaults, call, tenant)),

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
    const fields = new Fields(call.body, 'body');
    const key = fields.text('key');
    const medium = fields.choice('medium', mediums);
    const context = readJsonText(fields.json('context'), 'body.context', variations);
    const isExtended = variations.sendTest === 'extended';
    const locale = isExtended ? fields.textOrNull('locale') : null;
    const recipients =
      isExtended && fields.has('recipientEmailList') ? fields.texts('recipientEmailList') : null;
    fields.end();
    if (context === null) throw badRequest('body.context is required');
    if (!state.templateDefaults.some((item) => item.key === key && item.medium === medium)) {
      throw notFound(`There is no notification "${key}" for ${medium}`);
    }
    state.sentNotifications.push({ key, medium, context, sent: tenant.timestamp(), locale, recipients });
    return noContent;
  },
} satisfies Handlers;

const betaText = 'Bulk deletion of templates is a beta feature: contact support to enable it';

function selectTemplates(
  recordsOf: (state: TenantState) => readonly TemplateDefault[],
  call: Call,
  tenant: Tenant,
): Json {
  const matches = parseFilters(call.query, filterFields);
  const all = () => {
    const known = recordsOf(tenant.state);
    return tenant.variations.foreignTemplates
      ? [...known, ...known.slice(0, 1).flatMap(foreignVersions)]
      : known;
  };
  const find = () => all().filter((record) => matches((field) => textOf(record, field) ?? ''));
  return selectPage(find, call.query, tenant).map((item) => showTemplate(item, tenant.variations));
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
  const fields = new Fields(chatAsText(body, variations), 'body');
  const locale = fields.text('locale');
  if (!/^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(locale))
    throw badRequest('body.locale must be a language code');
  const sent = {
    id: fields.textOrNull('id'),
    key: fields.text('key'),
    medium: readMedium(fields, variations),
    locale,
    ...readTexts(fields),
  };
  if (variations.chatNullSubject === 'refused' && sent.medium !== 'EMAIL' && isObject(body)) {
    if (own(body, 'subject') === null) throw badRequest('body.subject must be string');
  }
  for (const name of ['created', 'modified']) fields.ignoreTime(name);
  fields.end();
  return sent;
}

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
function readMedium(fields: Fields, { mediumCase }: Variations): (typeof mediums)[number] {
  if (mediumCase === 'upper') return fields.choice('medium', mediums);
  const given = fields.text('medium').toUpperCase();
  const found = mediums.find((medium) => medium === given);
  if (found === undefined) throw badRequest(`body.medium must be one of ${mediums.join(', ')}`);
  return found;
}

function chatAsObject(text: string): Json {
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { text };
}

/** Reads one item of a bulk deletion: whether a template is to be deleted. */
function readBulkDelete(item: Json, index: number): (template: TemplateDefault) => boolean {
  const fields = new Fields(item, `body[${index}]`);
  const key = fields.text('key');
  const medium = fields.has('medium') ? fields.choice('medium', mediums) : null;
  const locale = fields.textOrNull('locale');
  fields.end();
  return (template) =>
    template.key === key &&
    (medium === null || template.medium === medium) &&
    (locale === null || template.locale === locale);
}
