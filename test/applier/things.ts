import type { Task } from '../../src/applier/find.ts';
import { compareField } from '../../src/kinds/compare.ts';
import { identityResource } from '../../src/kinds/http.ts';
import type { Kind, LiveObject, UpdateInput, Write, WriteInput } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import { catalogOf } from '../../src/kinds/project.ts';
import { formatAddress, type Key } from '../../src/model/address.ts';
import {
  type Change,
  type Difference,
  formats,
  type Plan,
  planDigest,
  type Request,
} from '../../src/model/documents.ts';
import {
  get,
  getText,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  objectFrom,
} from '../../src/model/json.ts';
import { segmentsOf } from '../../src/model/pointer.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { changeFor } from '../../src/planner/change.ts';
import { resource, secretsOf } from '../support/plan.ts';

const things = identityResource('Thing', 'v2024', 'things');
const notes = identityResource('Note', 'v2025', 'notification-templates');
const defaults = identityResource('NoteDefault', 'v2025', 'notification-template-defaults');

export const thingsPath = '/v2024/things';
const notesPath = '/v2025/notification-templates';

/** What the embedded tenant serves: a thing, and its rule under a path of its own. */
export const descriptors: readonly JsonObject[] = [
  {
    kind: 'Thing',
    path: thingsPath,
    key: 'name',
    list: { pageSize: null },
    update: 'patch',
    create: true,
    delete: true,
    fields: {
      text: 'text',
      tags: 'set',
      attributes: 'value',
      rule: 'value',
      above: { is: 'value', to: 'Thing' },
      others: 'value',
      rows: 'value',
    },
    serverOwned: [],
  },
  {
    kind: 'ThingRule',
    path: `${thingsPath}/{thing}/rule`,
    parent: { thing: 'Thing' },
    single: true,
    update: 'patch',
    create: true,
    fields: { value: 'value' },
  },
];

function updateOf({ key, fields, changed, live }: UpdateInput): Write {
  const { id } = live;
  const names = [...changed].filter((name) => name !== 'rule' && name !== 'name');
  const body = {
    ...(changed.has('name') ? { name: key[0] ?? null } : {}),
    ...objectFrom(names.map((name) => [name, get(fields, name) ?? null])),
  };
  const rule = changed.has('rule')
    ? [request('PATCH', `${thingsPath}/${id}/rule`, { value: get(fields, 'rule') ?? null })]
    : [];
  const members = Object.keys(body).length > 0 ? [request('PATCH', `${thingsPath}/${id}`, body)] : [];
  return { requests: [...members, ...rule] };
}

/** Written first. Created by POST, changed by PATCH (`rule` by its own call), deleted by DELETE. */
export const thing: Kind = {
  name: 'Thing',
  summary: 'An object with a sub-resource and JSON in text.',
  keyFields: [{ name: 'name', foldCase: true }],
  fields: {
    text: { is: 'text' },
    tags: { is: 'set' },
    attributes: { is: 'json', declares: 'members', settings: true, pairs: true },
    rule: { is: 'value' },
    above: { is: 'value', to: 'Thing' },
    others: { is: 'references', to: 'Thing' },
    rows: { is: 'records', alike: ['name'] },
  },
  serverOwned: [],
  resource: things,
  read: { how: 'list', list: { resource: things, pageSize: null } },
  parse(answer) {
    const name = getText(answer, 'name');
    if (name === null) return null;
    const { id: _id, name: _name, secret: _secret, ...fields } = answer;
    return { key: [name], id: getText(answer, 'id'), fields };
  },
  can: { create: 'refused', update: true, delete: true, rename: true, pin: false },
  write: {
    create: ({ key: [name = ''], fields }) => ({
      requests: [request('POST', thingsPath, { name, ...fields })],
    }),
    update: updateOf,
    remove: ({ id }) => ({ requests: [request('DELETE', `${thingsPath}/${id}`)], risk: ['delete'] }),
  },
};

/** Written second: a template with nothing but a subject. One POST creates and replaces; deleted in bulk, which goes back to a default. */
export const note: Kind = {
  name: 'Note',
  summary: 'An object with a default, deleted in bulk.',
  keyFields: [{ name: 'key' }],
  fields: { text: { is: 'text' } },
  serverOwned: [],
  resource: notes,
  read: {
    how: 'list',
    list: { resource: notes, pageSize: 250 },
    defaults: { resource: defaults, pageSize: 250, isForeign: (row) => get(row, 'locale') !== 'en' },
  },
  parse(answer) {
    const key = getText(answer, 'key');
    if (key === null) return null;
    return { key: [key], id: getText(answer, 'id'), fields: { text: get(answer, 'subject') ?? null } };
  },
  can: { create: 'replaces', update: true, delete: true, rename: false, pin: false },
  quirks: { sharedDelete: {} },
  write: {
    create: postNote,
    update: postNote,
    remove: ({ key: [key = ''] }) => ({
      requests: [request('POST', `${notesPath}/bulk-delete`, [noteKey(key)])],
    }),
  },
};

function postNote({ key: [key = ''], fields }: WriteInput): Write {
  return { requests: [noteRequest(key, get(fields, 'text') ?? null)] };
}

export const noteKey = (key: string) => ({ key, medium: 'EMAIL', locale: 'en' });

const noteRequest = (key: string, text: Json) =>
  request('POST', notesPath, { ...noteKey(key), subject: text });

/** A note as the API shows it. */
export const shownNote = ({ text = null, ...raw }: JsonObject): JsonObject => ({
  ...raw,
  ...noteKey(getText(raw, 'key') ?? ''),
  subject: text,
});

/** The same as tests say it. */
export const storedNote = ({ id = null, key = null, subject = null }: JsonObject): JsonObject => ({
  ...(id === null ? {} : { id }),
  key,
  text: subject,
});

export const kinds = catalogOf([thing, note]);

export function objectOf(kind: Kind, raw: JsonObject): LiveObject {
  const live = liveObject(kind, kind === note ? shownNote(raw) : raw, null);
  if (!live) throw new TypeError('not an object of the kind');
  return live;
}

export function request(method: Request['method'], path: string, body: Json = null): Request {
  const headers = { accept: 'application/json', [contractSettings.experimentalHeader.toLowerCase()]: 'true' };
  const sent = body === null ? headers : { ...headers, 'content-type': 'application/json' };
  return { method, path, query: {}, headers: sent, body };
}

export function diff(path: string, before: Json, after: Json): Difference {
  const op = before === null ? 'add' : after === null ? 'remove' : 'replace';
  return { path, op, before, after, sensitive: false, origin: null };
}

export const sensitive = (path: string): Difference => ({ ...diff(path, null, null), sensitive: true });

export const change = (kind: Kind, key: Key, parts: Partial<Change> & Pick<Change, 'action'>): Change => ({
  address: formatAddress(kind.name, key),
  kind: kind.name,
  key,
  source: null,
  id: null,
  fingerprint: null,
  diff: [],
  declared: parts.action === 'delete' ? null : declaredBy(kind, parts.diff ?? []),
  requests: [],
  warnings: [],
  risk: [],
  ...parts,
});

/** What a manifest declares that asks for these differences. */
function declaredBy(kind: Kind, differences: readonly Difference[]): JsonObject {
  const place = (value: JsonObject, [name = '', ...below]: readonly string[], wanted: Json): JsonObject => {
    const inner = get(value, name);
    if (below.length === 0) return { ...value, [name]: wanted };
    if (below.every((step) => /^\d+$/.test(step)))
      return { ...value, [name]: [...itemsOf(inner ?? null), wanted] };
    return { ...value, [name]: place(isObject(inner) ? inner : {}, below, wanted) };
  };
  return differences
    .filter(({ path }) => get(kind.fields, segmentsOf(path)[0] ?? '') !== undefined)
    .reduce<JsonObject>((fields, { path, after }) => place(fields, segmentsOf(path), after), {});
}

export function createThing(name: string, fields: JsonObject = { text: 'new' }): Change {
  return change(thing, [name], {
    action: 'create',
    diff: Object.entries(fields).flatMap(([name, value]) => {
      const field = get(thing.fields, name);
      const found = field ? compareField(name, field, value, undefined) : [];
      return found.map(({ path, before, after }) => diff(path, before, after));
    }),
    requests: [request('POST', thingsPath, { name, ...fields })],
  });
}

/** Changes the text, and with `rule` also the sub-resource by a second request. */
export function updateThing(raw: JsonObject, text: string, rule?: string): Change {
  const path = `${thingsPath}/${raw.id}`;
  return change(thing, [getText(raw, 'name') ?? ''], {
    action: 'update',
    id: getText(raw, 'id'),
    fingerprint: objectOf(thing, raw).fingerprint(),
    diff: [
      diff('/text', raw.text ?? null, text),
      ...(rule === undefined ? [] : [diff('/rule', raw.rule ?? null, rule)]),
    ],
    requests: [
      request('PATCH', path, { text }),
      ...(rule === undefined ? [] : [request('PATCH', `${path}/rule`, { value: rule })]),
    ],
  });
}

/** The change of a thing as the planner makes it. */
export function plannedUpdate(
  raw: JsonObject,
  fields: JsonObject,
  secrets: Readonly<Record<string, string>> = {},
): Change {
  const match = {
    kind: thing,
    resource: resource(thing, [getText(raw, 'name') ?? ''], fields),
    live: objectOf(thing, raw),
  };
  const unseen = { secrets: secretsOf(secrets), left: true };
  const { change: made } = changeFor(match, null, { settings: contractSettings, unseen });
  if (!made) throw new Error('Nothing differs.');
  return made;
}

/** A change that is to be made from its first request on, of a thing as it is. */
export function taskOf(made: Change, raw: JsonObject | null, more: Partial<Task> = {}): Task {
  return { kind: thing, change: made, live: raw && objectOf(thing, raw), from: 0, resumed: false, ...more };
}

export const deleteThing = (raw: JsonObject): Change =>
  change(thing, [getText(raw, 'name') ?? ''], {
    action: 'delete',
    id: getText(raw, 'id'),
    fingerprint: objectOf(thing, raw).fingerprint(),
    diff: raw.text === undefined ? [] : [diff('/text', raw.text, null)],
    requests: [request('DELETE', `${thingsPath}/${raw.id}`)],
    risk: ['delete'],
  });

/** Writes a note over the live one, or over its default. */
export function writeNote(
  key: string,
  text: string,
  below: { live?: JsonObject; base?: JsonObject } = {},
): Change {
  const { live, base } = below;
  const raw = live ?? base;
  return change(note, [key], {
    action: live ? 'update' : 'create',
    id: live ? getText(live, 'id') : null,
    fingerprint: raw ? objectOf(note, raw).fingerprint() : null,
    diff: [diff('/text', raw?.text ?? null, text)],
    requests: [noteRequest(key, text)],
  });
}

/** Deletes of notes: one bulk request that all of them carry. */
export function deleteNotes(notes: readonly JsonObject[]): Change[] {
  const bulk = request(
    'POST',
    `${notesPath}/bulk-delete`,
    notes
      .map((raw) => getText(raw, 'key') ?? '')
      .toSorted()
      .map(noteKey),
  );
  return notes.map((raw) =>
    change(note, [getText(raw, 'key') ?? ''], {
      action: 'delete',
      id: getText(raw, 'id'),
      fingerprint: objectOf(note, raw).fingerprint(),
      diff: [diff('/text', raw.text ?? null, null)],
      requests: [bulk],
    }),
  );
}

export function planOf(changes: readonly Change[], parts: Partial<Omit<Plan, 'digest'>> = {}): Plan {
  const count = (action: Change['action']) => changes.filter((entry) => entry.action === action).length;
  const plan: Omit<Plan, 'digest'> = {
    formatVersion: formats.plan,
    tool: { name: 'tenantctl', version: '0.0.0' },
    createdAt: '2026-01-01T00:00:00.000Z',
    environment: 'test',
    tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
    scope: { only: [], except: [], prune: false, since: null },
    desired: {},
    summary: {
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      manual: count('manual'),
      unchanged: 0,
    },
    changes,
    diagnostics: [],
    ...parts,
  };
  return { ...plan, digest: planDigest(plan) };
}
