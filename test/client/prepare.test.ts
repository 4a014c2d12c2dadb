/** Where a request goes, which headers it may set, and requests that are not sent at all: no service, a secret that is not set. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Call } from '../../src/kinds/http.ts';
import type { Secrets } from '../../src/kinds/project.ts';
import { fail } from '../../src/model/failure.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { clientOf, fixedToken, get, post, reply, serve, tenant } from './support.ts';

const endpoint = { baseUrl: 'https://a.example', auth: fixedToken };
const secrets: Secrets = {
  reveal: (name) => {
    throw fail('secret-unset', `${name} is not set.`, { hint: `Set ${name}.` });
  },
  matches: () => false,
  problem: () => null,
};
const clientWith = (target: object) =>
  createClient(
    {
      tenant,
      identity: endpoint,
      profiles: endpoint,
      limits: { requests: 100, per: 10_000, concurrency: 8 },
      settings: contractSettings,
      ...target,
    },
    secrets,
  );

test.each([
  ['identity', '/v2025/x'],
  ['profiles', '/api/users'],
])('a service that the environment does not have is named, with what to add: %s', async (service, path) => {
  const client = clientWith({ [service]: null });
  expect(await client.send(get(path))).toEqual({
    outcome: 'unsent',
    reason: 'no-endpoint',
    detail: `this environment has no ${service} service`,
    hint: `Add \`${service}: { baseUrl: … }\` to the environment in the project file.`,
    ...{ attempts: 0, ms: 0, trackingId: null, repeated: false },
  });
  await client.close();
});

test('a secret that is not set is named, with what to do', async () => {
  const client = clientWith({});
  expect(await client.send(post('/v2025/x', { password: { $secret: 'PW' } }))).toMatchObject({
    outcome: 'unsent',
    reason: 'no-secret',
    detail: 'PW is not set',
    hint: 'Set PW.',
    problems: [{ code: 'secret-unset' }],
    attempts: 0,
  });
  await client.close();
});

test.each([
  ['', '/v2025/x', {}, '/v2025/x'],
  ['/', '/v2025/x', {}, '/v2025/x'],
  ['/tenant//', '/v2025/x', {}, '/tenant/v2025/x'],
  ['', '/v2025/x', { 'a b': 'c&d', e: 'é', f: '"a+b"' }, '/v2025/x?a%20b=c%26d&e=%C3%A9&f=%22a%2Bb%22'],
])('below the base URL with %j, %s goes where it says', async (base, path, query, expected) => {
  await using server = await serve((_arrival, response) => reply(response, 200, []));
  await using setup = clientOf(server.url + base);
  expect(await setup.client.send(get(path, query))).toMatchObject({ status: 200 });
  expect(server.arrivals.map(({ url }) => url)).toEqual([expected]);
});

/** Why a request is not sent, of which nothing may arrive. */
async function refusalOf(request: Call, target: object = {}): Promise<unknown> {
  const sent = await clientWith(target).send(request);
  expect(sent).toMatchObject({ outcome: 'unsent', reason: 'unsafe' });
  return 'detail' in sent ? sent.detail : null;
}

test.each(['ftp://a.example', 'file:///etc', 'a.example', ''])('%j is no base URL', async (baseUrl) => {
  const identity = { ...endpoint, baseUrl };
  expect(await refusalOf(get('/v2025/x'), { identity })).toBe(`"${baseUrl}" is not an http(s) base URL`);
});

test.each([
  ...['/../x', '/x?y', '/x#y', 'x', '', '/a b', '@b.example/', '/v2025\\x'],
  ...['/v2025/../oauth/token', '/v2025/%2e%2e/oauth'],
])('the path %j leads out of it', async (path) => {
  for (const base of ['https://a.example', 'https://a.example/tenant']) {
    const identity = { ...endpoint, baseUrl: base };
    const detail = `the path "${path}" leads out of the base URL`;
    expect(await refusalOf({ ...get('/v2025/x'), path }, { identity })).toBe(detail);
  }
});

test('a path that would name another host leads out of a base without a path', async () => {
  const detail = 'the path "//b.example/x" leads out of the base URL';
  expect(await refusalOf({ ...get('/v2025/x'), path: '//b.example/x' })).toBe(detail);
});

test.each([{ name: '\ud800' }, { '\udc00': 'x' }])(
  'a query with half a character is not sent: %j',
  async (query) => {
    const detail = 'the query of "/v2025/x" holds half a character, which no URL can hold';
    expect(await refusalOf(get('/v2025/x', { a: 'b', ...query }))).toBe(detail);
  },
);

const setting = (header: string) => ({ ...get('/v2025/x'), headers: { [header]: 'b.example' } });

test.each([
  ...['x-other', 'host', 'Authorization', 'proxy-authorization', 'Connection'],
  ...['content-length', 'transfer-encoding', 'cookie', 'x-accept'],
])('a request may not set the header %s', async (header) =>
  expect(await refusalOf(setting(header))).toBe(`a request may not set the header "${header}"`),
);

test.each(['host', 'Authorization', 'proxy-authorization'])(
  'the header of experimental operations cannot be %s',
  async (header) => {
    const settings = { ...contractSettings, experimentalHeader: header };
    expect(await refusalOf(setting(header), { settings })).toMatch(/may not set the header/);
  },
);

test.each(['accept', 'Content-Type', 'X-Service-Experimental'])(
  'a request may set the header %s',
  async (header) => {
    await using server = await serve((_arrival, response) => reply(response, 200, []));
    await using setup = clientOf(server.url);
    expect(await setup.client.send(setting(header))).toMatchObject({ status: 200 });
  },
);
