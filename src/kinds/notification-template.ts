import type { Key } from '../model/address.ts';
import { get, getText, type JsonObject, mapMembers, objectFrom, pick } from '../model/json.ts';
import { literal } from '../model/marker.ts';
import { wireValue } from './field.ts';
import { apiRequest, call, identityResource, isIn, keyMembers } from './http.ts';
import type { Field, Kind, Write, WriteInput } from './kind.ts';

const resource = identityResource('NotificationTemplate', 'v2025', 'notification-templates');
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
export function mediumOf(text: string): string {
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
  resource,
  read: {
    how: 'list',
    list: { resource, pageSize: 250, filter: keyFilter },
    one: (id, settings) => apiRequest('GET', resource, settings, { below: [id] }),
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
    const id = getText(answer, 'id');
    return { key, id, fields: pick(answer, names), extraMembers: () => unknownFields(answer) };
  },
  can: { create: 'replaces', update: true, delete: true, rename: false, pin: false },
  write: {
    create: writeWhole,
    update: writeWhole,
    // A key alone would delete all of its media and locales, so all three are always sent.
    remove: ({ key, settings }) => ({
      requests: [
        call('POST', resource, settings, { below: ['bulk-delete'], body: [keyMembers(keyParts, key)] }),
      ],
      risk: ['delete', 'back-to-default'],
    }),
  },
  quirks: {
    sharedDelete: {
      ifRefused: "Deleting templates is a beta feature of the tenant: ask the vendor's support to enable it.",
    },
  },
};

export function keyFilter(keys: readonly Key[]): string {
  return isIn('key', [...new Set(keys.map(([key = '']) => key))]);
}

/**
 * POST is the only write: it creates a template or replaces it (seed 001, operation rule 1). Unknown live fields are sent back, since
 * leaving them out deletes them. Null only clears: some hosts refuse it elsewhere.
 */
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
  return { requests: [call('POST', resource, settings, { body })], warnings };
}

function unknownFields(raw: JsonObject): JsonObject {
  return mapMembers(raw, (value, name) => (known.has(name) ? undefined : literal(value)));
}
