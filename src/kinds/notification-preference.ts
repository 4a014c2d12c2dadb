import { isArray, type Json, own, textOf } from '../model/json.ts';
import { apiRequest, identityResource } from './http.ts';
import type { Kind } from './kind.ts';
import { mediumOf, notificationTemplate } from './notification-template.ts';

const resource = identityResource('NotificationPreference', 'v2025', 'notification-preferences');

function mediumsOf(value: Json): Json {
  return isArray(value) ? value.map((item) => (typeof item === 'string' ? mediumOf(item) : item)) : value;
}

/** The media of a notification, read-only in the API (seed 001, list-notification-preferences). */
export const notificationPreference: Kind = {
  name: 'NotificationPreference',
  summary: 'The media of a notification; only observed: a difference is a manual step.',
  keyFields: [{ name: 'key' }],
  fields: { mediums: { is: 'set' } },
  serverOwned: ['modified'],
  resource,
  read: {
    how: 'each-declared',
    each: ([key = ''], settings) => apiRequest('GET', resource, settings, { below: [key] }),
    isAbsent: ({ status }) => status === 404,
    candidatesFrom: [notificationTemplate],
    candidates: (known) => [...new Set(known.map(({ key: [key = ''] }) => key))].map((key) => [key]),
  },
  parse(answer, id) {
    const key = textOf(answer, 'key') ?? id;
    return key === null
      ? null
      : { key: [key], id: null, fields: { mediums: mediumsOf(own(answer, 'mediums') ?? null) } };
  },
  can: { create: false, update: false, delete: false, rename: false, pin: false },
  create: ({ key: [key = ''] }) => ({
    manual: `The tenant has no notification preference "${key}"; preferences belong to their notification type.`,
  }),
  update: ({ key: [key = ''] }) => ({
    manual: `Set the media of "${key}" under Notification Preferences in the admin interface; the API only reads them.`,
  }),
  remove: ({ key: [key = ''] }) => ({
    manual: `The API cannot remove the notification preference "${key}".`,
  }),
};
