/** Where a request goes, and which headers it may set. */
import { expect, test } from 'vitest';
import { mayBeSent, targetOf } from '../../src/client/prepare.ts';
import { contractSettings } from '../../src/model/settings.ts';

test.each([
  ['https://a.example', '/v2025/x', {}, 'https://a.example', '/v2025/x'],
  ['http://a.example:8080/', '/v2025/x', {}, 'http://a.example:8080', '/v2025/x'],
  ['https://a.example/tenant//', '/v2025/x', {}, 'https://a.example', '/tenant/v2025/x'],
  ['https://a.example', '/x', { 'a b': 'c&d', e: 'é' }, 'https://a.example', '/x?a%20b=c%26d&e=%C3%A9'],
])('below %s, %s goes where it says', (base, path, query, origin, expected) => {
  expect(targetOf(base, path, query)).toEqual({ origin, path: expected });
});

test.each(['ftp://a.example', 'file:///etc', 'a.example', ''])('%j is no base URL', (base) => {
  expect(targetOf(base, '/x', {})).toEqual({
    outcome: 'unsent',
    reason: 'unsafe',
    detail: `"${base}" is not an http(s) base URL`,
  });
});

test.each(['/../x', '/x?y', '/x#y', 'x', '', '/a b'])('the path %j leads out of it', (path) => {
  const detail = `the path "${path}" leads out of the base URL`;
  expect(targetOf('https://a.example/tenant', path, {})).toMatchObject({ reason: 'unsafe', detail });
});

test('a path that would name another host leads out of a base without a path', () => {
  expect(targetOf('https://a.example', '//b.example/x', {})).toMatchObject({ reason: 'unsafe' });
});

test.each([{ name: '\ud800' }, { '\udc00': 'x' }])(
  'a query with half a character is not sent: %j',
  (query) => {
    expect(targetOf('https://a.example', '/x', { a: 'b', ...query })).toMatchObject({
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
