/** Where a request goes, which headers it may set, and requests that are not sent at all: no service, a secret that is not set. */
import { expect, test } from 'vitest';
import { createClient, mayBeSent, requestTarget } from '../../src/client/client.ts';
import type { Secrets } from '../../src/kinds/project.ts';
import { fail } from '../../src/model/failure.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { fixedToken, get, post, tenant } from './support.ts';

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
  ['https://a.example', '/v2025/x', {}, 'https://a.example', '/v2025/x'],
  ['http://a.example:8080/', '/v2025/x', {}, 'http://a.example:8080', '/v2025/x'],
  ['https://a.example/tenant//', '/v2025/x', {}, 'https://a.example', '/tenant/v2025/x'],
  ['https://a.example', '/x', { 'a b': 'c&d', e: 'é' }, 'https://a.example', '/x?a%20b=c%26d&e=%C3%A9'],
])('below %s, %s goes where it says', (base, path, query, origin, expected) => {
  expect(requestTarget(base, path, query)).toEqual({ origin, path: expected });
});

test.each(['ftp://a.example', 'file:///etc', 'a.example', ''])('%j is no base URL', (base) => {
  expect(requestTarget(base, '/x', {})).toEqual({
    outcome: 'unsent',
    reason: 'unsafe',
    detail: `"${base}" is not an http(s) base URL`,
  });
});

test.each(['/../x', '/x?y', '/x#y', 'x', '', '/a b'])('the path %j leads out of it', (path) => {
  const detail = `the path "${path}" leads out of the base URL`;
  expect(requestTarget('https://a.example/tenant', path, {})).toMatchObject({ reason: 'unsafe', detail });
});

test('a path that would name another host leads out of a base without a path', () => {
  expect(requestTarget('https://a.example', '//b.example/x', {})).toMatchObject({ reason: 'unsafe' });
});

test.each([{ name: '\ud800' }, { '\udc00': 'x' }])(
  'a query with half a character is not sent: %j',
  (query) => {
    expect(requestTarget('https://a.example', '/x', { a: 'b', ...query })).toMatchObject({
      reason: 'unsafe',
      detail: 'the query of "/x" holds half a character, which no URL can hold',
    });
  },
);

test.each([
  ['accept', true],
  ['Content-Type', true],
  ['x-service-experimental', false],
  ['X-Try', true],
  ['host', false],
  ['Authorization', false],
  ['proxy-authorization', false],
  ['Connection', false],
  ['content-length', false],
  ['transfer-encoding', false],
  ['cookie', false],
  ['x-accept', false],
])('a request may set the header %s: %j', (header, isAllowed) => {
  expect(mayBeSent(header, { ...contractSettings, experimentalHeader: 'x-try' })).toBe(isAllowed);
});

test.each(['host', 'Authorization', 'proxy-authorization'])(
  'the header of experimental operations cannot be %s',
  (name) => {
    expect(mayBeSent(name, { ...contractSettings, experimentalHeader: name })).toBe(false);
  },
);
