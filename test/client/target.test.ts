/** Where a request goes, and which answers count as its success. */
import { expect, test } from 'vitest';
import { isSuccess, isWhole, lost, unsent } from '../../src/client/answer.ts';
import { targetOf } from '../../src/client/target.ts';
import { answered } from './support.ts';

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
  [answered(199), false, false],
  [answered(200), true, true],
  [answered(204), true, true],
  [answered(206), true, false],
  [answered(299), true, true],
  [answered(300), false, false],
  [lost('reset', 'gone'), false, false],
  [unsent('unreachable', 'nobody there'), false, false],
] as const)('%j', (answer, success, whole) => {
  expect([isSuccess(answer), isWhole(answer)]).toEqual([success, whole]);
});
