import type { Key } from '../model/address.ts';
import { get, getText, isArray, type JsonObject, mapMembers, objectFrom, pick } from '../model/json.ts';
import { literal } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import { wireValue } from './field.ts';
import { apiRequest, call, filterBy, identityResource, idText, keyMembers } from './http.ts';
import { byHand, type Field, type Kind, type Write, type WriteInput } from './kind.ts';

const templates = identityResource('NotificationTemplate', 'v2025', 'notification-templates');
const chat: Field = {
  is: 'json',
  declares: 'whole',
  filled: true,
  nested: ['blocks', 'attachments', 'messageJSON'],
};

const fields: Readonly<Record<string, Field>> = {
  name: { is: 'text' },
  description: { is: 'text' },
  subject: { is: 'text' },
  header: { is: 'text', language: 'html' },
  body: { is: 'text', language: 'html' },
  footer: { is: 'text', language: 'html' },
  from: { is: 'email' },
  replyTo: { is: 'email' },
  slackTemplate: chat,
  teamsTemplate: chat,
};

const names = Object.keys(fields);
const keyParts = ['key', 'medium', 'locale'];
const serverOwned = ['id', 'created', 'modified'];
const known: ReadonlySet<string> = new Set([...names, ...keyParts, ...serverOwned]);

/** A medium as manifests name it: hosts may answer in another case. */
function mediumOf(text: string): string {
  const upper = text.toUpperCase();
  return ['EMAIL', 'SLACK', 'TEAMS'].includes(upper) ? upper : text;
}

/** A notification text of one key, medium and locale (seed 001; api-notes, "NotificationTemplate"). */
export const notificationTemplate: Kind = {
  name: 'NotificationTemplate',
  summary: "The text of a notification in one medium and locale, based on the vendor's default.",
  keyFields: keyParts.map((name) => ({ name })),
  fields,
  serverOwned,
  resource: templates,
  read: {
    how: 'list',
    list: { resource: templates, pageSize: 250, filter: keyFilter },
    one: (id, settings) => apiRequest('GET', templates, settings, { below: [id] }),
    defaults: {
      resource: identityResource('NotificationTemplateDefault', 'v2025', 'notification-template-defaults'),
      pageSize: 250,
      filter: keyFilter,
    },
  },
  parse(answer) {
    const shown = keyParts.map((name) => getText(answer, name));
    if (!shown.every((part) => part !== null)) return null;
    const key = shown.map((part, at) => (keyParts[at] === 'medium' ? mediumOf(part) : part));
    const id = idText(get(answer, 'id'));
    return { key, id, fields: pick(answer, names), extraMembers: unknownFields(answer) };
  },
  can: { create: 'replaces', update: true, delete: true, rename: false, pin: false },
  write: {
    create: writeWhole,
    update: writeWhole,
    // A key alone would delete all of its media and locales, so all three are always sent.
    remove: ({ key, settings }) => ({
      requests: [
        call('POST', templates, settings, { below: ['bulk-delete'], body: [keyMembers(keyParts, key)] }),
      ],
      risk: ['delete'],
    }),
  },
  quirks: {
    sharedDelete: {
      ifRefused: "Deleting templates is a beta feature of the tenant: ask the vendor's support to enable it.",
    },
  },
};

function keyFilter(keys: readonly Key[]): string {
  return filterBy(
    'key',
    'in',
    keys.map(([key = '']) => key),
  );
}

/** POST creates or replaces (seed 001). It deletes what it leaves out, so unknown fields are sent back. Null only clears. */
function writeWhole(input: WriteInput): Write {
  const { key, fields: values, changed, live, settings } = input;
  const sent = Object.entries(fields)
    .map(([name, field]) => [name, wireValue(field, get(values, name), settings)] as const)
    .filter(([name, value]) => value !== null || changed.has(name));
  const body = {
    ...(live === null ? {} : { ...unknownFields(live.raw), ...(live.id === null ? {} : { id: live.id }) }),
    ...keyMembers(keyParts, key),
    ...objectFrom(sent),
  };
  const refused = ['header', 'footer'].filter((name) => (get(body, name) ?? null) !== null);
  const warnings = [
    ...(live === null
      ? ["A customised template no longer follows the vendor's changes to the default."]
      : []),
    ...(refused.length > 0
      ? [`Newer tenants refuse a template with a ${refused.join(' and a ')}; set null to leave it out.`]
      : []),
  ];
  return { requests: [call('POST', templates, settings, { body })], warnings };
}

function unknownFields(raw: JsonObject): JsonObject {
  return mapMembers(raw, (value, name) => (known.has(name) ? undefined : literal(value)));
}

const observed = identityResource('NotificationPreference', 'v2025', 'notification-preferences');
const written = identityResource('NotificationPreference', 'v2026', 'notification-preferences');

const copies = ['ccList', 'bccList'];
const addresses: Field = { is: 'set', of: 'email' };

/** The media of a notification, read-only in the API (seed 001, list-notification-preferences). */
export const notificationPreference: Kind = {
  name: 'NotificationPreference',
  summary:
    'The media of a notification; only observed: a difference is a manual step, unless the host takes changes.',
  keyFields: [{ name: 'key' }],
  fields: { mediums: { is: 'set' }, ccList: addresses, bccList: addresses },
  serverOwned: ['modified'],
  resource: observed,
  read: {
    how: 'each-declared',
    each: ([key = ''], settings) => apiRequest('GET', observed, settings, { below: [key] }),
    isAbsent: ({ status }) => status === 404,
    candidatesFrom: [notificationTemplate],
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
    create: byHand(
      'The tenant has no notification preference "NAME"; preferences belong to their notification type.',
    ),
    update: byHand(
      'Set the media of "NAME" under Notification Preferences in the admin interface; the API only reads them.',
    ),
    remove: byHand('The API cannot remove the notification preference "NAME".'),
  },
  quirks: { on: ({ preferences }) => (preferences === 'write' ? writtenPreference : notificationPreference) },
};

/** The same on hosts of a newer version, which list all preferences and take changes (api-notes, "Presets"). */
const writtenPreference: Kind = {
  ...notificationPreference,
  resource: written,
  read: { how: 'list', list: { resource: written, pageSize: 250, filter: keyFilter } },
  can: { ...notificationPreference.can, create: 'replaces', update: true },
  write: { ...notificationPreference.write, create: replace, update: replace },
};

function replace({ key: [key = ''], fields, settings }: WriteInput): Write {
  const lists = Object.keys(notificationPreference.fields).map((name) => [name, get(fields, name) ?? []]);
  const body = { key, ...Object.fromEntries(lists) };
  return { requests: [call('PUT', written, settings, { below: [key], body })] };
}

interface ListedVariables {
  readonly names: ReadonlySet<string>;
  /** The members of `$__global`. */
  readonly globals: ReadonlySet<string>;
  readonly examples: JsonObject;
}

export type VariableLists = ReadonlyMap<string, ListedVariables>;

/** Templates in several locales have the same variables. */
export const listedFor = ([key = '', medium = '']: Key): string => JSON.stringify([key, medium]);
