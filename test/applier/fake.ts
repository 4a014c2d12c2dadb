import type { TenantPort } from '../../src/applier/run.ts';
import type { Answered, Sent } from '../../src/client/answer.ts';
import { catalogOf } from '../../src/kinds/catalog.ts';
import { compareField } from '../../src/kinds/compare.ts';
import { identityResource } from '../../src/kinds/http.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import {
  fieldNamed,
  type Kind,
  type UpdateInput,
  type Write,
  type WriteInput,
} from '../../src/kinds/kind.ts';
import type { TenantState } from '../../src/kinds/live-objects.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import type { ReadRequest } from '../../src/kinds/read-request.ts';
import { formatAddress, type Key } from '../../src/model/address.ts';
import { planDigest } from '../../src/model/digest.ts';
import {
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  objectFrom,
  own,
  textOf,
} from '../../src/model/json.ts';
import { renderBody } from '../../src/model/marker.ts';
import { type Change, type Difference, type Plan, planFormat, type Request } from '../../src/model/plan.ts';
import { segmentsOf } from '../../src/model/pointer.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { changeFor, unseenInPlan } from '../../src/planner/change.ts';
import { resource, secretsOf } from '../support/plan.ts';

const things = identityResource('Thing', 'v2024', 'things');
const notes = identityResource('Note', 'v2025', 'notes');

const path = '/v2024/things';

function updateOf({ key, fields, changed, live, ignored: _ }: UpdateInput): Write {
  const { id } = live;
  const names = [...changed].filter((name) => name !== 'rule' && name !== 'name');
  const body = {
    ...(changed.has('name') ? { name: key[0] ?? null } : {}),
    ...objectFrom(names.map((name) => [name, own(fields, name) ?? null])),
  };
  const rule = changed.has('rule')
    ? [request('PATCH', `${path}/${id}/rule`, { value: own(fields, 'rule') ?? null })]
    : [];
  const members = Object.keys(body).length > 0 ? [request('PATCH', `${path}/${id}`, body)] : [];
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
    const name = textOf(answer, 'name');
    if (name === null) return null;
    const { id: _id, name: _name, secret: _secret, ...fields } = answer;
    return { key: [name], id: textOf(answer, 'id'), fields };
  },
  can: { create: 'refused', update: true, delete: true, rename: true, pin: false },
  create: ({ key: [name = ''], fields }) => ({ requests: [request('POST', path, { name, ...fields })] }),
  update: updateOf,
  remove: ({ id }) => ({ requests: [request('DELETE', `${path}/${id}`)], risk: ['delete'] }),
};

/** Written second. One POST creates and replaces; deleted in bulk, which goes back to a default. */
export const note: Kind = {
  name: 'Note',
  summary: 'An object with a default, deleted in bulk.',
  keyFields: [{ name: 'key' }],
  fields: { text: { is: 'text' } },
  serverOwned: [],
  resource: notes,
  read: { how: 'list', list: { resource: notes, pageSize: null } },
  parse(answer) {
    const key = textOf(answer, 'key');
    return key === null
      ? null
      : { key: [key], id: textOf(answer, 'id'), fields: { text: own(answer, 'text') ?? null } };
  },
  can: { create: 'replaces', update: true, delete: true, rename: false, pin: false },
  quirks: { sharedDelete: {} },
  create: postNote,
  update: postNote,
  remove: ({ key: [key = ''] }) => ({
    requests: [request('POST', '/v2025/notes/bulk-delete', [{ key }])],
  }),
};

function postNote({ key: [key = ''], fields }: WriteInput): Write {
  return { requests: [request('POST', '/v2025/notes', { key, ...fields })] };
}

export const kinds = catalogOf([thing, note]);

export interface World {
  readonly things: Readonly<Record<string, JsonObject>>;
  readonly notes: Readonly<Record<string, JsonObject>>;
  readonly defaults: Readonly<Record<string, JsonObject>>;
}

/** What happens to a request instead of, or after, its being carried out. */
export type Fault =
  | { readonly is: 'lost'; readonly done: boolean }
  | {
      readonly is: 'status';
      readonly status: number;
      readonly done: boolean;
      readonly repeated?: boolean;
      readonly body?: Json;
      readonly text?: string;
    }
  | { readonly is: 'unsent'; readonly repeated?: boolean };

/** An in-memory tenant behind the port. */
export class FakeTenant implements TenantPort {
  readonly tenant = { identity: 'https://tenant.example', profiles: 'https://profiles.example' };
  readonly sent: Request[] = [];
  readonly carriedOut: string[] = [];
  things: Map<string, JsonObject>;
  notes: Map<string, JsonObject>;
  readonly defaults: Map<string, JsonObject>;
  reads = 0;
  inFlight = 0;
  mostInFlight = 0;
  #ids = 0;
  /** Asked before every request; what it returns happens. */
  fault: (request: Request, count: number) => Fault | null | Promise<Fault | null> = () => null;
  /** Called once a request took effect and before its answer. */
  onEffect: () => void | Promise<void> = () => {};
  /** Changes what is stored of a written thing. */
  rewrite: (stored: JsonObject) => JsonObject = (stored) => stored;
  readFault: () => Error | null = () => null;
  /** Called before every read. */
  onRead: (count: number) => void = () => {};
  /** How long reads lag behind the writes. */
  lag: { readonly ms: number; readonly now: () => number } | null = null;
  #past: { readonly until: number; readonly world: World }[] = [];

  constructor(world: Partial<World> = {}) {
    this.things = new Map(Object.entries(world.things ?? {}));
    this.#ids = [...this.things.values()].filter(({ id }) => String(id).startsWith('new-')).length;
    this.notes = new Map(Object.entries(world.notes ?? {}));
    this.defaults = new Map(Object.entries(world.defaults ?? {}));
  }

  get world(): World {
    return {
      things: Object.fromEntries(this.things),
      notes: Object.fromEntries(this.notes),
      defaults: Object.fromEntries(this.defaults),
    };
  }

  async read(_requests: readonly ReadRequest[]): Promise<TenantState> {
    this.reads++;
    this.onRead(this.reads);
    const error = this.readFault();
    if (error) throw error;
    const { things, notes, defaults } = this.#shown();
    return {
      tenant: this.tenant,
      objects: [
        ...Object.values(things).map((raw) => objectOf(thing, raw)),
        ...Object.values(notes).map((raw) => objectOf(note, raw)),
      ],
      defaults: Object.entries(defaults)
        .filter(([key]) => !Object.hasOwn(notes, key))
        .map(([, raw]) => objectOf(note, raw)),
    };
  }

  #shown(): World {
    const { lag } = this;
    return (lag && this.#past.find(({ until }) => until > lag.now() - lag.ms)?.world) ?? this.world;
  }

  async send(request: Request): Promise<Sent> {
    this.sent.push(request);
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      const fault = await this.fault(request, this.sent.length);
      await Promise.resolve();
      return await this.#answerWith(request, fault);
    } finally {
      this.inFlight--;
    }
  }

  async #answerWith(request: Request, fault: Fault | null): Promise<Sent> {
    if (fault?.is === 'unsent') {
      return sent({ outcome: 'unsent', reason: 'unreachable', detail: 'no route' }, fault.repeated ?? false);
    }
    const before = structuredClone(this.world);
    const answer = fault === null || fault.done ? this.#carryOut(request) : null;
    if (answer && this.lag) this.#past.push({ until: this.lag.now(), world: before });
    if (answer) await this.onEffect();
    if (fault?.is === 'lost') return sent({ outcome: 'lost', reason: 'reset', detail: 'connection reset' });
    if (fault?.is === 'status') {
      const { status, body = { message: 'the tenant says no' }, text = null } = fault;
      return sent({ ...answerWith(status, body), text }, fault.repeated ?? false);
    }
    return sent(answer ?? answerWith(500, null));
  }

  #carryOut({ method, path, body: template }: Request) {
    const body = renderBody(template, (name) => `secret of ${name}`);
    this.carriedOut.push(`${method} ${path}`);
    const [, , collection = '', id, sub] = path.split('/');
    if (collection === 'notes') return this.#notes(id, body);
    if (method === 'POST' && isObject(body)) return this.#create(body);
    const [name, stored] = [...this.things].find(([, raw]) => raw.id === id) ?? [];
    if (name === undefined || stored === undefined) return answerWith(404, null);
    if (method === 'DELETE') {
      this.things.delete(name);
      return answerWith(204, null);
    }
    const patch = isObject(body) ? body : {};
    const next = this.rewrite(
      sub === 'rule' ? { ...stored, rule: patch.value ?? null } : { ...stored, ...patch },
    );
    this.things.delete(name);
    this.things.set(textOf(next, 'name') ?? name, next);
    return answerWith(200, sub === 'rule' ? { name: next.name ?? null, rule: patch.value ?? null } : next);
  }

  #create(body: JsonObject) {
    const name = textOf(body, 'name') ?? '';
    if (this.things.has(name)) return answerWith(409, { message: 'the name is taken' });
    const stored = this.rewrite({ ...body, id: `new-${++this.#ids}` });
    this.things.set(name, stored);
    return answerWith(201, stored);
  }

  #notes(id: string | undefined, body: Json) {
    if (id === 'bulk-delete') {
      for (const item of isArray(body) ? body : [])
        if (isObject(item)) this.notes.delete(textOf(item, 'key') ?? '');
      return answerWith(204, null);
    }
    const raw = isObject(body) ? body : {};
    const key = textOf(raw, 'key') ?? '';
    const stored = { ...raw, id: this.notes.get(key)?.id ?? `note-${key}` };
    this.notes.set(key, stored);
    return answerWith(200, stored);
  }
}

function answerWith(status: number, body: Json): Answered {
  return { outcome: 'answered', status, headers: {}, body, text: null };
}

function sent(
  answer:
    | Answered
    | { outcome: 'lost'; reason: 'reset'; detail: string }
    | { outcome: 'unsent'; reason: 'unreachable'; detail: string },
  repeated = false,
): Sent {
  return { ...answer, attempts: 1, ms: 5, trackingId: 'track-1', repeated };
}

export function objectOf(kind: Kind, raw: JsonObject): LiveObject {
  const live = liveObject(kind, raw, null);
  if (!live) throw new TypeError('not an object of the kind');
  return live;
}

export function request(method: Request['method'], path: string, body: Json = null): Request {
  return { method, path, query: {}, headers: { accept: 'application/json' }, body };
}

export function diff(path: string, before: Json, after: Json): Difference {
  const op = before === null ? 'add' : after === null ? 'remove' : 'replace';
  return { path, op, before, after, sensitive: false, origin: null };
}

export const sensitive = (path: string): Difference => ({ ...diff(path, null, null), sensitive: true });

export function change(kind: Kind, key: Key, parts: Partial<Change> & Pick<Change, 'action'>): Change {
  return {
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
  };
}

/** What a manifest declares that asks for these differences. */
function declaredBy(kind: Kind, differences: readonly Difference[]): JsonObject {
  const place = (value: JsonObject, [name = '', ...below]: readonly string[], wanted: Json): JsonObject => {
    const inner = own(value, name);
    if (below.length === 0) return { ...value, [name]: wanted };
    if (below.every((step) => /^\d+$/.test(step)))
      return { ...value, [name]: [...itemsOf(inner ?? null), wanted] };
    return { ...value, [name]: place(isObject(inner) ? inner : {}, below, wanted) };
  };
  return differences
    .filter(({ path }) => fieldNamed(kind, segmentsOf(path)[0] ?? '') !== undefined)
    .reduce<JsonObject>((fields, { path, after }) => place(fields, segmentsOf(path), after), {});
}

export function createThing(name: string, fields: JsonObject = { text: 'new' }): Change {
  return change(thing, [name], {
    action: 'create',
    diff: Object.entries(fields).flatMap(([name, value]) => {
      const field = fieldNamed(thing, name);
      const found = field ? compareField(name, field, value, undefined) : [];
      return found.map(({ path, before, after }) => diff(path, before, after));
    }),
    requests: [request('POST', '/v2024/things', { name, ...fields })],
  });
}

/** Changes the text, and with `rule` also the sub-resource by a second request. */
export function updateThing(raw: JsonObject, text: string, rule?: string): Change {
  const path = `/v2024/things/${raw.id}`;
  return change(thing, [textOf(raw, 'name') ?? ''], {
    action: 'update',
    id: textOf(raw, 'id'),
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
    resource: resource(thing, [textOf(raw, 'name') ?? ''], fields),
    live: objectOf(thing, raw),
  };
  const unseen = unseenInPlan(secretsOf(secrets), false);
  const { change: made } = changeFor(match, null, { settings: contractSettings, unseen });
  if (!made) throw new Error('Nothing differs.');
  return made;
}

export function deleteThing(raw: JsonObject): Change {
  return change(thing, [textOf(raw, 'name') ?? ''], {
    action: 'delete',
    id: textOf(raw, 'id'),
    fingerprint: objectOf(thing, raw).fingerprint(),
    diff: [diff('/text', raw.text ?? null, null)],
    requests: [request('DELETE', `/v2024/things/${raw.id}`)],
    risk: ['delete'],
  });
}

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
    id: live ? textOf(live, 'id') : null,
    fingerprint: raw ? objectOf(note, raw).fingerprint() : null,
    diff: [diff('/text', raw?.text ?? null, text)],
    requests: [request('POST', '/v2025/notes', { key, text })],
  });
}

/** Deletes of notes: one bulk request that all of them carry. */
export function deleteNotes(notes: readonly JsonObject[]): Change[] {
  const bulk = request(
    'POST',
    '/v2025/notes/bulk-delete',
    notes
      .map((raw) => textOf(raw, 'key') ?? '')
      .toSorted()
      .map((key) => ({ key })),
  );
  return notes.map((raw) =>
    change(note, [textOf(raw, 'key') ?? ''], {
      action: 'delete',
      id: textOf(raw, 'id'),
      fingerprint: objectOf(note, raw).fingerprint(),
      diff: [diff('/text', raw.text ?? null, null)],
      requests: [bulk],
    }),
  );
}

export function planOf(changes: readonly Change[], parts: Partial<Omit<Plan, 'digest'>> = {}): Plan {
  const count = (action: Change['action']) => changes.filter((entry) => entry.action === action).length;
  const plan: Omit<Plan, 'digest'> = {
    formatVersion: planFormat,
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
