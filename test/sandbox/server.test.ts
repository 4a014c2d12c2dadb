import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../src/model/json.ts';
import { type Fault, operations, parseFaults, type Sandbox } from '../../src/sandbox/index.ts';
import { variationsFrom } from '../support/sandbox.ts';
import { createTestFolder } from '../support/world.ts';
import { call, start } from './caller.ts';

const sender = { email: 'new@acme.example' };
const create = 'POST /v2025/verified-from-addresses';
const knows = (sandbox: Sandbox) => sandbox.state.senders.some(({ email }) => email === sender.email);

/** A clock that stands still until it is stepped. */
function steppedClock() {
  let time = Date.UTC(2026, 0, 1);
  let sleepers: { readonly at: number; wake(): void }[] = [];
  return {
    now: () => time,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve());
        sleepers.push({ at: time + ms, wake: resolve });
      }),
    async step(ms: number) {
      time += ms;
      for (const sleeper of sleepers.filter(({ at }) => at <= time)) sleeper.wake();
      sleepers = sleepers.filter(({ at }) => at > time);
      await new Promise(setImmediate);
    },
  };
}

const token = (sandbox: Sandbox, form: Record<string, string>) =>
  call(sandbox, 'POST /oauth/token', {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: null },
  });

const credentials = (sandbox: Sandbox) => ({
  grant_type: 'client_credentials',
  client_id: sandbox.clientId,
  client_secret: sandbox.clientSecret,
});

describe('tokens', () => {
  test('are issued to the client, and expire', async () => {
    let now = Date.UTC(2026, 0, 1);
    const sandbox = await start({ tokenLifetime: 60, clock: { now: () => now } });
    const issued = (await token(sandbox, credentials(sandbox))).body;
    expect(issued).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 60 });
    const headers = { authorization: `Bearer ${isObject(issued) ? issued.access_token : ''}` };
    expect((await call(sandbox, 'GET /v2024/auth-profiles', { headers })).status).toBe(200);
    now += 60_000;
    const late = await call(sandbox, 'GET /v2024/auth-profiles', { headers });
    expect([late.status, late.text]).toEqual([401, expect.stringContaining('expired')]);
  });

  test('are refused to others, and the secret is not logged', async () => {
    const sandbox = await start();
    const wrong = { ...credentials(sandbox), client_secret: 'guess' };
    expect((await token(sandbox, wrong)).status).toBe(401);
    expect((await token(sandbox, { ...credentials(sandbox), client_id: 'other' })).status).toBe(401);
    expect((await token(sandbox, { ...credentials(sandbox), grant_type: 'password' })).status).toBe(400);
    await call(sandbox, 'GET /v2024/auth-profiles');
    const log = JSON.stringify(sandbox.log);
    for (const secret of ['guess', sandbox.clientSecret, 'Bearer']) expect(log).not.toContain(secret);
  });
});

describe('rate limit', () => {
  test('counts each API version in a sliding window', async () => {
    let now = Date.UTC(2026, 0, 1);
    const sandbox = await start({ rateLimit: { requests: 2, per: 10_000 }, clock: { now: () => now } });
    const read = (path: string) => call(sandbox, `GET ${path}`);
    expect((await read('/v2024/auth-profiles')).status).toBe(200);
    now += 6_000;
    expect((await read('/v2024/auth-profiles')).status).toBe(200);
    const refused = await read('/v2024/auth-profiles');
    const body = { message: expect.any(String) };
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '4' }, body });
    expect((await read('/v2025/verified-domains')).status).toBe(200);
    now += 4_000;
    expect((await read('/v2024/auth-profiles')).status).toBe(200);
    expect((await read('/v2024/auth-profiles')).status).toBe(429);
    expect(sandbox.metrics.requests).toBe(6);
  });

  test('Retry-After may be a date', async () => {
    const now = () => Date.UTC(2026, 0, 1);
    const variations = { retryAfter: 'date' } as const;
    const sandbox = await start({ rateLimit: { requests: 0, per: 3_000 }, clock: { now }, variations });
    const refused = await call(sandbox, 'GET /v2024/auth-profiles');
    expect(refused.headers['retry-after']).toBe('Thu, 01 Jan 2026 00:00:04 GMT');
  });
});

describe('faults', () => {
  test.each([
    ['reset-before', false],
    ['reset-after', true],
    ['cut-body', true],
  ])('%s breaks the connection; the write is done: %s', async (kind, done) => {
    const sandbox = await start({ ...parseFaults([`${kind},method=POST`]) });
    await expect(call(sandbox, create, { body: sender })).rejects.toThrow();
    expect([knows(sandbox), sandbox.log.at(-1)?.fault]).toEqual([done, kind]);
    expect((await call(sandbox, create, { body: sender })).status).toBe(done ? 400 : 201);
  });

  test.each([
    ['before', false],
    ['after', true],
  ] as const)('a status %s the work; the write is done: %s', async (done, known) => {
    const sandbox = await start();
    const operation = 'create-verified-from-address';
    sandbox.faults.add({ kind: 'status', status: 503, done, retryAfter: 7, operation });
    const answer = await call(sandbox, create, { body: sender });
    expect([answer.status, answer.headers['retry-after'], knows(sandbox)]).toEqual([503, '7', known]);
  });

  test('hang is never answered, done or not, and does not keep the server from closing', async () => {
    const sandbox = await start({ ...parseFaults(['hang,done=after']) });
    const pending = call(sandbox, create, { body: sender });
    const failed = expect(pending).rejects.toThrow();
    await expect.poll(() => knows(sandbox)).toBe(true);
    await sandbox.close();
    await failed;
    expect(sandbox.log.at(-1)?.status).toBeNull();
  });

  test('apply to the nth request, a given number of times, and the first of those that match', async () => {
    const path = 'path=~auth-profiles$';
    const both = [`status=500,${path},nth=2,times=2`, `status=502,${path},nth=3,times=2`];
    const sandbox = await start({ ...parseFaults(both) });
    const statuses: number[] = [];
    for (const line of ['', '/x', '', '', '']) {
      statuses.push((await call(sandbox, `GET /v2024/auth-profiles${line}`)).status);
    }
    expect(statuses).toEqual([200, 404, 500, 500, 502]);
  });

  test.each([
    ['late=1500', 504],
    ['late=1500,status=500', 500],
    ['late=1500,reset-before', null],
  ])('%s: the answer comes first, the work later', async (fault, status) => {
    const clock = steppedClock();
    const sandbox = await start({ clock, ...parseFaults([`${fault},method=POST`]) });
    const answer = await call(sandbox, create, { body: sender }).catch(() => null);
    expect(answer?.status ?? null).toBe(status);
    await clock.step(1499);
    expect(knows(sandbox)).toBe(false);
    await clock.step(1);
    expect(knows(sandbox)).toBe(true);
    const stopped = await start({ clock, ...parseFaults([`${fault},method=POST`]) });
    await call(stopped, create, { body: sender }).catch(() => null);
    await stopped.close();
    await clock.step(1500);
    expect(knows(stopped)).toBe(false);
  });

  test('reads that lag show the state before a write, and the write is answered as it is', async () => {
    const clock = steppedClock();
    const sandbox = await start({ clock, lag: 2000 });
    const listed = async () => (await call(sandbox, 'GET /v2025/verified-from-addresses')).text;
    expect((await call(sandbox, create, { body: sender })).body).toMatchObject(sender);
    await clock.step(1000);
    await call(sandbox, create, { body: { email: 'second@acme.example' } });
    expect(await listed()).not.toContain(sender.email);
    expect((await call(sandbox, create, { body: sender })).status).toBe(400);
    await clock.step(1000);
    expect(await listed()).toContain(sender.email);
    expect(await listed()).not.toContain('second@acme.example');
    await sandbox.settle();
    expect(await listed()).toContain('second@acme.example');
  });

  const status503 = { kind: 'status', status: 503 } as const;
  test.each<[string, Fault]>([
    ['late=1500', { kind: 'status', status: 504, late: 1500 }],
    ['late=20,status=500,method=POST', { kind: 'status', status: 500, late: 20, method: 'POST' }],
    ['reset-before,late=20', { kind: 'reset-before', late: 20 }],
    ['status=503,method=post,path=/a,times=2', { ...status503, method: 'POST', path: '/a', times: 2 }],
    ['hang, done=after', { kind: 'hang', done: 'after' }],
    ['kind=reset-before,nth=3', { kind: 'reset-before', nth: 3 }],
    ['status=429,retryAfter=2,body=html', { kind: 'status', status: 429, retryAfter: 2, body: 'html' }],
  ])('%s is a fault', (text, fault) => {
    expect(parseFaults([text]).faults).toEqual([fault]);
  });

  test.each([
    '',
    'explode',
    'method=POST',
    'hang,method=FETCH',
    'status=99',
    'hang,status=503',
    'status',
    'hang,times=0',
    'hang,path=~(',
    'late=0',
    'late=20,done=after',
    'late=20,cut-body',
  ])('%j is not a fault, and the syntax is shown', (text) => {
    expect(() => parseFaults([text])).toThrow(/Example: status=503,method=POST/);
  });
});

describe('the data file', () => {
  const folder = () => createTestFolder().dir;

  test('keeps every write, and is read instead of the seed', async () => {
    const data = path.join(folder(), 'deep', 'sandbox.json');
    const first = await start({ data });
    await call(first, 'GET /v2024/auth-profiles');
    expect(() => readFileSync(data)).toThrow();
    // A link in the place of what becomes the file is not followed.
    const elsewhere = path.join(folder(), 'elsewhere');
    mkdirSync(path.dirname(data));
    symlinkSync(elsewhere, `${data}.${process.pid}.tmp`);
    await call(first, create, { body: sender });
    expect(existsSync(elsewhere)).toBe(false);
    const second = await start({ data });
    expect(second.state).toEqual(first.state);
    expect(knows(second)).toBe(true);
    second.state.authProfiles = [];
    second.save();
    expect((await start({ data })).state.authProfiles).toEqual([]);
    expect(readdirSync(path.dirname(data))).toEqual(['sandbox.json']);
  });

  test('that cannot be written makes writes and reads fail, until it can be written again', async () => {
    const data = path.join(folder(), 'deep', 'sandbox.json');
    const sandbox = await start({ data });
    const place = path.dirname(data);
    writeFileSync(place, 'in the way');
    expect((await call(sandbox, create, { body: sender })).status).toBe(500);
    expect((await call(sandbox, 'GET /v2024/auth-profiles')).status).toBe(500);
    rmSync(place);
    expect((await call(sandbox, 'GET /v2024/auth-profiles')).status).toBe(200);
    expect(knows(await start({ data }))).toBe(true);
  });

  test('two runs of the same writes make the same file', async () => {
    const now = () => Date.UTC(2026, 0, 1);
    const files = [path.join(folder(), 'a.json'), path.join(folder(), 'b.json')];
    for (const data of files) {
      const sandbox = await start({ data, clock: { now } });
      await call(sandbox, create, { body: sender });
      await call(sandbox, 'POST /v2025/verified-domains', { body: { domain: 'new.example' } });
    }
    const [a, b] = files.map((file) => readFileSync(file, 'utf8'));
    expect(a).toBe(b);
  });
});

describe('variations', () => {
  test('empty lists as null, other order, lower case, names from ids', async () => {
    const variations = variationsFrom(['emptyAsNull=true', 'shuffleLists=true', 'emailLowerCase=true']);
    const sandbox = await start({ variations: { ...variations, resolveNames: true } });
    const made = await call(sandbox, create, { body: { email: 'New@ACME.example' } });
    expect(made.body).toMatchObject({ email: 'new@acme.example' });
    const [source1 = '', source2 = ''] = sandbox.state.simIntegrations[0]?.sources ?? [];
    const rule = sandbox.state.references.find(({ type }) => type === 'RULE');
    const beforeProvisioningRule = { type: 'RULE', id: rule?.id ?? '', name: 'Else' };
    const body = { name: 'New', type: 'x', beforeProvisioningRule };
    const bare = await call(sandbox, 'POST /v2024/sim-integrations', { body });
    expect(bare.body).toMatchObject({ managedSources: null, beforeProvisioningRule: { name: rule?.name } });
    const listed = await call(sandbox, 'GET /v2024/sim-integrations');
    expect(listed.body).toMatchObject({ 0: { managedSources: [source2, source1] }, length: 5 });
  });

  test.each([
    [{ offsetZero: 'refused' }, 'GET /api/users?offset=0', 400],
    [{ offsetBeyondEnd: 'refused' }, 'GET /api/users?offset=20', 400],
    [{ offsetBeyondEnd: 'refused' }, 'GET /api/users?offset=19', 200],
    [{ offsetBeyondEnd: 'empty' }, 'GET /api/users?offset=20', 200],
    [{ nothingFound: 'message' }, 'GET /api/users?offset=20', 200],
    [{ unknownFilter: 'ignored' }, 'GET /api/users?colour=red', 200],
    [{ experimentalHeader: 'X-Experimental' }, 'GET /v2024/auth-profiles', 400],
    [{ mailFromMissing: 'notFound' }, 'GET /v2025/mail-from-attributes/x?id=x', 404],
    [{ mailFromMissing: 'empty' }, 'GET /v2025/mail-from-attributes/x?id=x', 200],
    [{}, 'GET /v2025/mail-from-attributes/x@acme.example?id=x@acme.example', 400],
    [{ mailFromIdentity: 'domain' }, 'GET /v2025/mail-from-attributes/x@acme.example?id=x@acme.example', 200],
  ] as const)('%o: %s answers %i', async (variations, line, status) => {
    expect((await call(await start({ variations }), line)).status).toBe(status);
  });

  test.each([
    ['ignored', 204, 0],
    ['refused', 400, 1],
  ] as const)('a bulk-delete in which one template is gone is %s', async (bulkDeleteGone, status, left) => {
    const sandbox = await start({ variations: { bulkDeleteGone } });
    const [live] = sandbox.state.templates;
    const all = [live, { key: 'gone', medium: 'EMAIL', locale: 'en' }];
    const body = all.map((each) => ({ key: each?.key ?? '', medium: 'EMAIL', locale: each?.locale ?? '' }));
    const answer = await call(sandbox, 'POST /v2025/notification-templates/bulk-delete', { body });
    expect(answer.status).toBe(status);
    expect(sandbox.state.templates.filter(({ id }) => id === live?.id)).toHaveLength(left);
  });

  test('chat templates as objects, header and footer refused', async () => {
    const sandbox = await start({ variations: { slackTeams: 'object', refuseHeaderFooter: true } });
    const slackTemplate = { text: 'Hi', blocks: '[]' };
    const body = { key: 'invitation', medium: 'SLACK', locale: 'en', slackTemplate };
    const answer = await call(sandbox, 'POST /v2025/notification-templates', { body });
    expect(answer.body).toMatchObject({ slackTemplate, teamsTemplate: null });
    const headed = { ...body, header: 'x' };
    expect((await call(sandbox, 'POST /v2025/notification-templates', { body: headed })).status).toBe(400);
  });

  test('collections are wrapped without metadata, or bare with it', async () => {
    const read = async (collections: 'wrapped' | 'bare', query: string) =>
      (await call(await start({ variations: { collections } }), `GET /api/users?${query}`)).body;
    expect(await read('wrapped', 'limit=1')).toEqual({ users: [expect.anything()] });
    expect(await read('bare', 'metadata=true')).toHaveLength(20);
  });
});

test('every operation is reachable, and known by its name', async () => {
  const sandbox = await start({ variations: { profileSearchDelete: true } });
  for (const { method, path: template } of operations) {
    await call(sandbox, `${method} ${template.replaceAll(/\{\w+\}/g, 'x')}`);
  }
  expect(sandbox.log.map(({ operation }) => operation)).toEqual(operations.map(({ name }) => name));
  expect(sandbox.log.filter(({ status }) => status === null || status >= 500)).toEqual([]);
});
