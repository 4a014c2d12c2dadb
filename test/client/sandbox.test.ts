import { afterEach, describe, expect, test } from 'vitest';
import { type ClientEvent, type ClientOptions, createClient } from '../../src/client/client.ts';
import { resolveLookups } from '../../src/client/lookups.ts';
import type { Clock } from '../../src/client/rate-limiter.ts';
import { readState } from '../../src/client/read.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { ReadRequest } from '../../src/kinds/live-objects.ts';
import type { RateLimit } from '../../src/kinds/project.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type SandboxOptions, startSandbox, type Variations } from '../support/sandbox.ts';
import { seedFile } from '../support/seed.ts';
import { get, put, settle, tenant } from './support.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function sandboxOf(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ rateLimit: null, ...options });
  open.push(sandbox);
  return sandbox;
}

function clientFor(sandbox: Sandbox, options: ClientOptions = {}, limits: Partial<RateLimit> = {}) {
  const endpoint = {
    baseUrl: sandbox.url,
    auth: {
      by: 'client-credentials',
      tokenUrl: `${sandbox.url}/oauth/token`,
      clientId: () => sandbox.clientId,
      clientSecret: () => sandbox.clientSecret,
    },
  } as const;
  const client = createClient(
    {
      tenant,
      identity: endpoint,
      profiles: endpoint,
      limits: { requests: 100, per: 10_000, concurrency: 8, ...limits },
      settings: contractSettings,
    },
    { reveal: () => '', matches: () => false, problem: () => null },
    options,
  );
  open.push(client);
  return client;
}

/** A clock that client and sandbox share: it jumps to the next sleeper as soon as no request is on its way. */
function sharedClock() {
  let time = Date.parse('2026-03-01T12:00:00Z');
  let inFlight = 0;
  const sleepers = new Set<number>();
  const clock: Clock = {
    now: () => time,
    async sleep(ms, signal) {
      const at = time + ms;
      sleepers.add(at);
      do await settle();
      while (!signal?.aborted && (inFlight > 0 || Math.min(...sleepers) < at));
      sleepers.delete(at);
      if (!signal?.aborted) time = Math.max(time, at);
    },
  };
  const onEvent = (event: ClientEvent): void => {
    if (event.type === 'request-started') inFlight += 1;
    if (event.type === 'request-finished') inFlight -= 1;
  };
  return { clock, onEvent, now: () => time };
}

function addTemplates(sandbox: Sandbox, count: number): void {
  const now = '2026-01-01T00:00:00.000Z';
  for (let at = 0; at < count; at += 1) {
    sandbox.state.templates.push({
      ...{ id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`, created: now, modified: now },
      ...{
        key: `key_${at}`,
        medium: 'EMAIL',
        locale: 'en',
        name: null,
        description: null,
        subject: `S ${at}`,
      },
      ...{
        header: null,
        body: 'b',
        footer: null,
        from: null,
        replyTo: null,
        slackTemplate: null,
        teamsTemplate: null,
      },
    });
  }
}

const everything: ReadRequest[] = builtInKinds.all.map((kind) => ({
  kind,
  keys: [],
  ids: [],
  complete: true,
}));
const templatesWanted = (keys: ReadRequest['keys'], complete = false): ReadRequest[] => [
  { kind: builtInKinds.get('NotificationTemplate'), keys, ids: [], complete },
];

const mailFrom = put('/v2025/mail-from-attributes', {
  identity: 'acme.example',
  mailFromDomain: 'acme.example',
});

describe('the embedded tenant is read whole', () =>
  test.each<Partial<Variations>>([
    {},
    { jsonText: 'object', slackTeams: 'object' },
    { jsonText: 'map' },
    { collections: 'wrapped', offsetZero: 'refused', offsetBeyondEnd: 'refused' },
    { collections: 'bare', shuffleLists: true, emptyAsNull: true },
  ])('with %j', async (variations) => {
    const sandbox = await sandboxOf({ seed: seedFile, variations });
    const { objects } = await readState(clientFor(sandbox), everything);
    const count = (kind: string) => objects.filter((object) => object.kind.name === kind).length;
    const { state } = sandbox;
    expect(count('NotificationTemplate')).toBe(state.templates.length);
    expect(count('SenderAddress')).toBe(state.senders.length);
    expect(count('AuthProfile')).toBe(state.authProfiles.length);
    expect(count('SimIntegration')).toBe(state.simIntegrations.length);
    expect(count('ProfileSearch')).toBe(state.profileSearches.length);
    expect(count('VerifiedDomain')).toBe(
      state.identities.filter(({ address }) => !address.includes('@')).length,
    );
    expect(objects.length).toBeGreaterThan(10);
  }));

describe('the fewest requests', () =>
  test.each(['a\\', 'a\\b', '\\"', '") or key in ("key_1', 'a","b', '(x)', "it's"])(
    'a filter holds the key %s as it is',
    async (key) => {
      const sandbox = await sandboxOf();
      addTemplates(sandbox, 600);
      for (const template of sandbox.state.templates.slice(444, 445)) Object.assign(template, { key });
      const wanted = templatesWanted([[key, 'EMAIL', 'en']]);
      const { objects } = await readState(clientFor(sandbox), wanted);
      expect(objects.map((object) => object.key[0])).toEqual([key]);
      expect(sandbox.log.map(({ status }) => status)).toEqual([200, 200]);
    },
  ));

test.each<Partial<Variations>>([
  {},
  { collections: 'bare', offsetBeyondEnd: 'refused', offsetZero: 'refused' },
  { unknownFilter: 'ignored', collections: 'wrapped', offsetBeyondEnd: 'refused' },
])('lookups find what the tenant has, with %j', async (variations) => {
  const sandbox = await sandboxOf({ seed: seedFile, variations });
  const { neAttributes, profiles } = sandbox.state;
  const attribute = neAttributes[0];
  const profile = profiles.at(-1);
  if (!attribute || !profile) throw new Error('the seed is empty');
  const lookups = [
    { from: 'ne_attributes', where: { uid: attribute.uid }, take: 'id' },
    { from: 'profiles', where: { uid: profile.uid }, take: 'id' },
  ];
  const answer = await resolveLookups(clientFor(sandbox), lookups);
  expect(lookups.map((lookup) => answer(lookup))).toEqual([attribute.id, profile.id]);
});

describe('under a rate limit', () => {
  /** @param ahead how far the tenant's clock is ahead of the client's */
  async function run(requests: number, options: SandboxOptions, limits: Partial<RateLimit> = {}, ahead = 0) {
    const shared = sharedClock();
    const sandbox = await sandboxOf({
      seed: seedFile,
      clock: { now: () => shared.now() + ahead },
      ...options,
    });
    const client = clientFor(sandbox, { clock: shared.clock, onEvent: shared.onEvent }, limits);
    const began = shared.now();
    const sent = await Promise.all(
      Array.from({ length: requests }, (_, at) =>
        client.send(at % 3 === 0 ? get('/v2025/verified-domains') : mailFrom),
      ),
    );
    const statuses = sent.map((answer) => (answer.outcome === 'answered' ? answer.status : answer.outcome));
    return {
      refused: sandbox.log.filter(({ status }) => status === 429).length,
      limited: statuses.filter((status) => status === 429 || status === 'unsent').length,
      unauthorized: sandbox.log.filter(({ status }) => status === 401).length,
      ms: shared.now() - began,
    };
  }
  const limit = { requests: 100, per: 10_000 };

  test('hundreds of requests are never refused and lose less than a tenth of the time', async () => {
    const { refused, ms } = await run(300, { rateLimit: limit });
    expect(refused).toBe(0);
    expect(ms).toBeGreaterThanOrEqual(20_000);
    expect(ms).toBeLessThanOrEqual(22_000);
  });

  test.each(['seconds', 'date'] as const)(
    'a tenant that allows less is obeyed (Retry-After as %s)',
    async (retryAfter) => {
      const { refused, limited, ms } = await run(150, {
        rateLimit: { requests: 30, per: 10_000 },
        variations: { retryAfter },
      });
      expect(limited).toBe(0);
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThan(60);
      expect(ms).toBeLessThan(120_000);
    },
  );

  test.each([
    ['behind', 600_000],
    ['ahead', -600_000],
  ])('a local clock that is ten minutes %s ends no run, and makes none hang', async (_name, off) => {
    const options = { rateLimit: { requests: 30, per: 10_000 }, tokenLifetime: 300 };
    const { refused, limited, unauthorized, ms } = await run(
      100,
      { ...options, variations: { retryAfter: 'date' } },
      {},
      off,
    );
    expect(refused).toBeGreaterThan(0);
    expect(limited + unauthorized).toBe(0);
    expect(ms).toBeLessThan(90_000);
  });

  test('tokens that live for seconds are renewed in time', async () => {
    expect((await run(300, { rateLimit: limit, tokenLifetime: 5 })).unauthorized).toBe(0);
  });
});
