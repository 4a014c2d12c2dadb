import { isArray, isObject, type Json, parseJson } from '../../model/json.ts';
import { ApiError, badRequest } from '../api-error.ts';
import { type FilterFields, parseFilter } from '../filter.ts';
import { pageOf } from '../query.ts';
import { readTexts, templateKey } from '../read-state.ts';
import { Fields } from '../shape.ts';
import { mediums, newId, type Template, type TemplateDefault } from '../state.ts';
import { type Call, type Handler, ok, param, type Tenant, written } from '../tenant.ts';
import type { Variations } from '../variations.ts';

/** Seed 001, filter support of both lists. */
const filterFields: FilterFields = new Map([
  ['key', ['eq', 'in', 'sw']],
  ['medium', ['eq', 'sw']],
  ['locale', ['eq', 'sw']],
] as const);

export const listTemplates: Handler = (call, tenant) => ok(page(tenant.state.templates, call, tenant));

export const listTemplateDefaults: Handler = (call, tenant) =>
  ok(page(tenant.state.templateDefaults, call, tenant));

/** Seed 001, get-notification-template: an unknown id is a 400, since no 404 is documented for it. */
export const getTemplate: Handler = (call, tenant) => {
  const id = param(call, 'id');
  const template = tenant.state.templates.find((candidate) => candidate.id === id);
  if (template === undefined) throw badRequest(`There is no customised template ${id}`);
  return ok(answer(template, tenant.variations));
};

/** Seed 001, operation rule 1: creates or replaces the whole template of a key, medium and locale. */
export const writeTemplate: Handler = (call, tenant) => {
  const { state, variations } = tenant;
  const sent = readBody(call.body, variations);
  if (!state.templateDefaults.some(({ key }) => key === sent.key)) {
    throw badRequest(`There is no notification with the key "${sent.key}"`);
  }
  if (variations.refuseHeaderFooter && (sent.header !== null || sent.footer !== null)) {
    throw badRequest('header and footer are no longer supported and must be null');
  }
  const index = state.templates.findIndex((candidate) => templateKey(candidate) === templateKey(sent));
  const live = state.templates[index];
  if (sent.id !== null && sent.id !== live?.id)
    throw badRequest('id is not that of this key, medium and locale');
  const modified = tenant.timestamp();
  const template: Template = {
    ...sent,
    id: live?.id ?? newId(state, 'NotificationTemplate', templateKey(sent), state.templates),
    created: live?.created ?? modified,
    modified,
  };
  if (live === undefined) state.templates.push(template);
  else state.templates[index] = template;
  return written(answer(template, variations));
};

/** Seed 001, delete-notification-templates-in-bulk: 204, and nothing is said of what was there. */
export const deleteTemplates: Handler = (call, tenant) => {
  const { state, variations } = tenant;
  if (variations.bulkDelete === 'forbidden') throw new ApiError(403, betaText);
  if (variations.bulkDelete === 'refused') throw badRequest(betaText);
  if (!isArray(call.body) || call.body.length === 0) throw badRequest('The body must be a non-empty array');
  const wanted = call.body.map(readBulkDelete);
  state.templates = state.templates.filter((template) => !wanted.some((fits) => fits(template)));
  state.generation += 1;
  return { status: 204, changed: true };
};

const betaText = 'Bulk deletion of templates is a beta feature: contact support to enable it';

function page(records: readonly (Template | TemplateDefault)[], call: Call, tenant: Tenant): Json {
  const filters = call.query.get('filters');
  const fits = filters === undefined ? () => true : parseFilter(filters, filterFields);
  const found = records.filter((record) =>
    fits((field) => {
      if (field === 'key') return record.key;
      return field === 'medium' ? record.medium : record.locale;
    }),
  );
  const { pageLimit, variations } = tenant;
  return pageOf(found, call.query, pageLimit, variations.repeatPages).map((item) => answer(item, variations));
}

type Sent = TemplateDefault & { readonly id: string | null };

function readBody(body: Json, variations: Variations): Sent {
  const fields = new Fields(asText(body, variations), 'body');
  const locale = fields.text('locale');
  if (!/^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(locale))
    throw badRequest('body.locale must be a language code');
  const sent = {
    id: fields.textOrNull('id'),
    key: fields.text('key'),
    medium: fields.choice('medium', mediums),
    locale,
    ...readTexts(fields, null),
  };
  fields.textOrNull('created');
  fields.textOrNull('modified');
  fields.done();
  return sent;
}

/** The body with its chat templates as text, on tenants that take objects. */
function asText(body: Json, { slackTeams }: Variations): Json {
  if (slackTeams === 'text' || !isObject(body)) return body;
  const { slackTemplate = null, teamsTemplate = null } = body;
  return {
    ...body,
    slackTemplate: isObject(slackTemplate) ? JSON.stringify(slackTemplate) : slackTemplate,
    teamsTemplate: isObject(teamsTemplate) ? JSON.stringify(teamsTemplate) : teamsTemplate,
  };
}

function answer(template: Template | TemplateDefault, { slackTeams }: Variations): Json {
  if (slackTeams === 'text') return { ...template };
  const { slackTemplate, teamsTemplate } = template;
  return { ...template, slackTemplate: asObject(slackTemplate), teamsTemplate: asObject(teamsTemplate) };
}

function asObject(text: string | null): Json {
  if (text === null) return null;
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { text };
}

function readBulkDelete(item: Json, index: number): (template: TemplateDefault) => boolean {
  const fields = new Fields(item, `body[${index}]`);
  const key = fields.text('key');
  const medium = fields.has('medium') ? fields.choice('medium', mediums) : null;
  const locale = fields.textOrNull('locale');
  fields.done();
  return (template) =>
    template.key === key &&
    (medium === null || template.medium === medium) &&
    (locale === null || template.locale === locale);
}
