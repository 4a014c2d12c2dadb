import { get, getText, isArray, pick } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import { apiRequest, call, identityResource } from './http.ts';
import type { Kind, Write, WriteInput } from './kind.ts';
import { keyFilter, mediumOf, notificationTemplate } from './notification-template.ts';

const resource = identityResource('NotificationPreference', 'v2025', 'notification-preferences');
const written = identityResource('NotificationPreference', 'v2026', 'notification-preferences');

const copies = ['ccList', 'bccList'];

/** The media of a notification, read-only in the API (seed 001, list-notification-preferences). */
export const notificationPreference: Kind = {
  name: 'NotificationPreference',
  summary:
    'The media of a notification; only observed: a difference is a manual step, unless the host takes changes.',
  keyFields: [{ name: 'key' }],
  fields: { mediums: { is: 'set' }, ccList: { is: 'set' }, bccList: { is: 'set' } },
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
    const key = getText(answer, 'key') ?? id;
    if (key === null) return null;
    const shown = get(answer, 'mediums') ?? null;
    const mediums = isArray(shown)
      ? shown.map((item) => (typeof item === 'string' ? mediumOf(item) : item))
      : shown;
    return {
      key: [key],
      id: null,
      fields: { mediums, ...pick(answer, copies) },
      hidden: copies.filter((name) => !Object.hasOwn(answer, name)).map((name) => pointer(name)),
    };
  },
  can: { create: false, update: false, delete: false, rename: false, pin: false },
  write: {
    create: ({ key: [key = ''] }) => ({
      manual: `The tenant has no notification preference "${key}"; preferences belong to their notification type.`,
    }),
    update: ({ key: [key = ''] }) => ({
      manual: `Set the media of "${key}" under Notification Preferences in the admin interface; the API only reads them.`,
    }),
    remove: ({ key: [key = ''] }) => ({
      manual: `The API cannot remove the notification preference "${key}".`,
    }),
  },
  quirks: { on: ({ preferences }) => (preferences === 'write' ? writtenPreference : notificationPreference) },
};

/** The same on hosts of a newer version, which list all preferences and take changes (api-notes, "Presets"). */
const writtenPreference: Kind = {
  ...notificationPreference,
  resource: written,
  read: {
    how: 'list',
    list: {
      resource: written,
      pageSize: 250,
      filter: keyFilter,
    },
  },
  can: { ...notificationPreference.can, create: 'replaces', update: true },
  write: { ...notificationPreference.write, create: replace, update: replace },
};

function replace({ key: [key = ''], fields, settings }: WriteInput): Write {
  const lists = Object.keys(notificationPreference.fields).map((name) => [name, get(fields, name) ?? []]);
  const body = { key, ...Object.fromEntries(lists) };
  return { requests: [call('PUT', written, settings, { below: [key], body })] };
}
