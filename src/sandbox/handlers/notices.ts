import { badRequest, notFound } from '../api-error.ts';
import { readJsonText } from '../json-text.ts';
import { Fields } from '../shape.ts';
import { mediums } from '../state.ts';
import { type Handler, ok, param } from '../tenant.ts';

/** Seed 001, get-notifications-template-context. */
export const getTemplateContext: Handler = (_call, { state }) => ok({ ...state.templateContext });

/** Seed 001, list-notification-preferences: one preference, by its key. */
export const getPreference: Handler = (call, { state }) => {
  const key = param(call, 'key');
  const preference = state.preferences.find((candidate) => candidate.key === key);
  if (preference === undefined) throw notFound(`There is no notification preference for "${key}"`);
  return ok({ ...preference });
};

/** Seed 001, operation rule 5: what would be mailed is kept in the tenant's `sentNotifications`. */
export const sendTestNotification: Handler = (call, tenant) => {
  const { state, variations } = tenant;
  const fields = new Fields(call.body, 'body');
  const key = fields.text('key');
  const medium = fields.choice('medium', mediums);
  const context = readJsonText(fields.json('context'), 'body.context', variations);
  fields.done();
  if (context === null) throw badRequest('body.context is required');
  if (!state.templateDefaults.some((item) => item.key === key && item.medium === medium)) {
    throw notFound(`There is no notification "${key}" for ${medium}`);
  }
  state.sentNotifications.push({ key, medium, context, sent: tenant.timestamp() });
  return { status: 204, changed: true };
};
