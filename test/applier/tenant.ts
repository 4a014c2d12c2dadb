import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TenantPort } from '../../src/applier/run.ts';
import type { Answer, Sent } from '../../src/client/answer.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { resolveLookups } from '../../src/client/lookups.ts';
import { readState } from '../../src/client/read.ts';
import type { Call } from '../../src/kinds/http.ts';
import type { ReadRequest, TenantState } from '../../src/kinds/live-objects.ts';
import type { Request } from '../../src/model/documents.ts';
import {
  get,
  getText,
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  parseJson,
} from '../../src/model/json.ts';
import type { Lookup } from '../../src/model/marker.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { storedObjects } from '../../src/sandbox/objects.ts';
import type { Reply } from '../../src/sandbox/operations.ts';
import { descriptors, shownNote, storedNote, thingsPath } from './things.ts';

type Rows = Readonly<Record<string, JsonObject>>;

/** Things by name, notes and their defaults by key. */
export interface World {
  readonly things: Rows;
  readonly notes: Rows;
  readonly defaults: Rows;
}

/** What the applier is told of a request in place of its answer, whether or not the tenant has carried it out. */
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

type Answered = Extract<Fault, { is: 'status' }>;

export const answered = (status: number, more: Partial<Omit<Answered, 'is' | 'status'>> = {}): Answered => ({
  ...{ is: 'status', status, done: false },
  ...more,
});
/** The request is lost, or only its answer: the tenant has carried it out. */
export const lost: Fault = { is: 'lost', done: false };
export const lostAnswer: Fault = { is: 'lost', done: true };

type FaultOf = (request: Request, count: number) => Fault | null | Promise<Fault | null>;
export const first =
  (fault: Fault): FaultOf =>
  (_request, count) =>
    count === 1 ? fault : null;

/** How long reads lag behind the writes. */
interface Lag {
  readonly ms: number;
  readonly now: () => number;
}

const seed = join(mkdtempSync(join(tmpdir(), 'tenantctl-things-')), 'seed.yaml');
writeFileSync(seed, JSON.stringify({ kinds: descriptors }));

/** The embedded tenant with these objects, behind the client; both end with the test. */
export async function startTenant(
  world: Partial<World> = {},
  fault: Tenant['fault'] = null,
  lag?: Lag,
): Promise<Tenant> {
  const hooks: { tenant?: Tenant } = {};
  const sandbox = await startSandbox({
    seed,
    rateLimit: null,
    tokenLifetime: 1_000_000,
    variations: { sameKey: 'refused', unsetMembers: 'omitted' },
    around: (asked, next) => hooks.tenant?.around(asked, next) ?? next(asked),
    ...(lag && { lag: lag.ms, clock: { now: lag.now } }),
  });
  const auth = { by: 'token', token: () => sandbox.token() } as const;
  const endpoint = { baseUrl: sandbox.url, auth };
  const client = createClient(
    {
      tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
      identity: endpoint,
      profiles: endpoint,
      limits: { requests: 1_000_000, per: 1000, concurrency: 100 },
      settings: contractSettings,
    },
    { reveal: (name) => `secret of ${name}`, matches: () => false, problem: () => null },
  );
  onTestFinished(async () => {
    await client.close();
    await sandbox.close();
  });
  const tenant = new Tenant(sandbox, client, world);
  hooks.tenant = tenant;
  tenant.fault = fault;
  return tenant;
}

/** Both what the applier sees of a tenant, and what a test does with it. */
export class Tenant implements TenantPort {
  readonly tenant: Client['tenant'];
  readonly sent: Request[] = [];
  readonly carriedOut: string[] = [];
  reads = 0;
  inFlight = 0;
  mostInFlight = 0;
  readonly #sandbox: Sandbox;
  readonly #client: Client;
  /** What happens to every request, or says so of each. */
  fault: Fault | FaultOf | null = null;
  /** Called once a request took effect and before its answer. */
  onEffect: () => void | Promise<void> = () => {};
  /** Changes what is stored of a written thing. */
  rewrite: (stored: JsonObject) => JsonObject = (stored) => stored;
  readFault: () => Error | null = () => null;
  /** Called before every read. */
  onRead: (count: number) => void = () => {};

  constructor(sandbox: Sandbox, client: Client, world: Partial<World>) {
    this.tenant = client.tenant;
    this.#sandbox = sandbox;
    this.#client = client;
    this.become(world);
  }

  /** Another tenant, which nobody has asked for anything: quicker than to start one. */
  become({ things = {}, notes = {}, defaults = {} }: Partial<World>): void {
    Object.assign(this.#sandbox.state, { templates: [], templateDefaults: [] });
    this.#sandbox.state.objects = { Thing: [], ThingRule: [] };
    this.sent.length = 0;
    this.carriedOut.length = 0;
    this.reads = 0;
    this.onEffect = () => {};
    for (const [name, raw] of Object.entries(things)) this.things.set(name, raw);
    for (const [key, raw] of Object.entries(notes)) this.notes.set(key, raw);
    for (const [key, raw] of Object.entries(defaults)) this.defaults.set(key, raw);
  }

  /** Changes to these are made in the tenant, as somebody does by hand. */
  get things(): Map<string, JsonObject> {
    const { state } = this.#sandbox;
    return new Stored('name', jsonOf(state.objects.Thing), (rows) => {
      state.objects.Thing = rows.map((raw) => ({ ...raw, id: String(raw.id) }));
    });
  }

  get notes(): Map<string, JsonObject> {
    const { state } = this.#sandbox;
    return new Stored('key', jsonOf(state.templates).map(storedNote), (rows) => {
      state.templates = storedObjects.templates(rows.map(shownNote), 'notes');
    });
  }

  get defaults(): Map<string, JsonObject> {
    const { state } = this.#sandbox;
    const inEnglish = state.templateDefaults.filter(({ locale }) => locale === 'en');
    return new Stored('key', jsonOf(inEnglish).map(storedNote), (rows) => {
      state.templateDefaults = storedObjects.templateDefaults(rows.map(shownNote), 'defaults');
    });
  }

  get world(): World {
    const { things, notes, defaults } = this;
    return {
      things: Object.fromEntries(things),
      notes: Object.fromEntries(notes),
      defaults: Object.fromEntries(defaults),
    };
  }

  async read(requests: readonly ReadRequest[]): Promise<TenantState> {
    this.reads++;
    this.onRead(this.reads);
    const error = this.readFault();
    if (error) throw error;
    return readState(this.#client, requests);
  }

  lookUp(lookups: readonly Lookup[]): Promise<(lookup: Lookup) => Json> {
    return resolveLookups(this.#client, lookups, { mayFail: true });
  }

  async send(call: Call): Promise<Sent> {
    const { lane: _, ...request } = call;
    this.sent.push(request);
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      const { fault } = this;
      const happens = typeof fault === 'function' ? await fault(request, this.sent.length) : fault;
      return await this.#answerTo(call, happens);
    } finally {
      this.inFlight--;
    }
  }

  async #answerTo(call: Call, fault: Fault | null): Promise<Sent> {
    if (fault?.is === 'unsent')
      return told({ outcome: 'unsent', reason: 'unreachable', detail: 'no route' }, fault.repeated);
    const effects = this.carriedOut.length;
    const sent = fault === null || fault.done ? await this.#client.send(call) : null;
    if (this.carriedOut.length > effects) await this.onEffect();
    if (fault?.is === 'lost') return told({ outcome: 'lost', reason: 'reset', detail: 'connection reset' });
    if (fault?.is === 'status') {
      const { status, body = { message: 'the tenant says no' }, text = null, repeated } = fault;
      return told({ outcome: 'answered', status, headers: {}, body, text }, repeated);
    }
    return sent ?? told({ outcome: 'unsent', reason: 'unreachable', detail: 'no route' });
  }

  /** Around each request that reaches the tenant. */
  around(...[asked, next]: Parameters<NonNullable<SandboxOptions['around']>>): Reply {
    const { method, path, bytes } = asked;
    if (method === 'POST') this.#nameNote(parseJson(String(bytes)));
    const reply = next(asked);
    if (method === 'GET') return reply;
    this.carriedOut.push(`${method} ${path}`);
    const { body } = reply;
    return path.startsWith(thingsPath) && isObject(body)
      ? { ...reply, body: this.#store(path, body) }
      : reply;
  }

  /** A tenant takes a template only of a notification that it knows: this one, by its text in another language. */
  #nameNote(body: Json | undefined): void {
    const key = isObject(body) ? getText(body, 'key') : null;
    const { templateDefaults } = this.#sandbox.state;
    if (key !== null)
      templateDefaults.push(...storedObjects.templateDefaults([{ key, locale: 'de' }], 'defaults'));
  }

  /** Stores a written thing as the tenant rewrites it. Returns what the tenant answers. */
  #store(path: string, body: JsonObject): JsonObject {
    const [, , , id = getText(body, 'id'), part] = path.split('/');
    const { things } = this;
    const [name = '', stored = {}] = [...things].find(([, raw]) => raw.id === id) ?? [];
    const rule = get(body, 'value') ?? null;
    const written = this.rewrite(part === 'rule' ? { ...stored, rule } : stored);
    things.delete(name);
    things.set(getText(written, 'name') ?? name, written);
    return part === 'rule' ? { name: get(written, 'name') ?? null, rule } : written;
  }
}

function told(answer: Answer, repeated = false): Sent {
  return { ...answer, attempts: 1, ms: 5, trackingId: 'track-1', repeated };
}

const jsonOf = (rows: readonly object[] = []): JsonObject[] => objectsIn(parseJson(JSON.stringify(rows)));

/** What is stored in a tenant, by name: what is set in it is stored there. */
class Stored extends Map<string, JsonObject> {
  readonly #store: (rows: readonly JsonObject[]) => void;

  constructor(name: string, rows: readonly JsonObject[], store: (rows: readonly JsonObject[]) => void) {
    super();
    for (const row of rows) super.set(getText(row, name) ?? '', row);
    this.#store = store;
  }

  override set(name: string, row: JsonObject): this {
    super.set(name, row);
    this.#store([...this.values()]);
    return this;
  }

  override delete(name: string): boolean {
    const isThere = super.delete(name);
    this.#store([...this.values()]);
    return isThere;
  }

  override clear(): void {
    super.clear();
    this.#store([]);
  }
}
