import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import {
  containsMarker,
  fillLive,
  fillPointer,
  fillRefs,
  isFilledInLater,
  literal,
  literalTexts,
  livePlace,
  lookupMarker,
  lookupOf,
  markersIn,
  renderBody,
  secretName,
  withLiveValue,
} from '../../src/model/marker.ts';
import { isConcealed, isMasked, looksLikeCredential, namesCredential } from '../../src/model/sensitive.ts';

/** What looks like a credential, and what only speaks of one. */

it('names are those of credentials whatever stands between their words', () => {
  const words = ['pass phrase', 'pass-word', 'basic auth', 'session id', 'connection.string', 'GitHub PAT'];
  expect(words.filter((name) => !namesCredential(name))).toEqual([]);
  expect(['token url', 'pwd last set', 'password.policy', 'bypass'].filter(namesCredential)).toEqual([]);
});

it.each([
  'password pwd dbPwd pass dbpass passwd passphrase kennwort secret clientSecret client_secret token accessToken',
  'apikey api_key x-api-key apiKey privateKey signingKey AccountKey key sig authorization Proxy-Authorization',
  'GH_PAT pat DEPLOY_KEY CI_JOB_JWT jwt',
  'credentials bearer Cookie set-cookie basicAuth session_id connectionString',
])('the names %s are those of credentials', (names) =>
  expect(names.split(' ').filter((name) => !namesCredential(name))).toEqual([]),
);

it.each([
  'url user type format path patch jwtType keyboard monkey bypass compass author authority authType passenger signature cookieless',
  'tokenUrl token_endpoint tokenType passwordPolicy passwordPolicies passwordExpiry secretTtl passwordLength keyId',
])('the names %s are not', (names) => expect(names.split(' ').filter(namesCredential)).toEqual([]));

it.each([
  ...'https://user:pw@host.example/path jdbc:postgresql://app:hunter2@db.example:5432/x'.split(' '),
  ...['see https://u:p%40w@host', 'x github_pat_11ABCDEFG0 y', 'api_key: abc', 'Server=a;Pwd=hunter2;'],
  ...'PRIVATE KEY-----\nMIIE,OPENSSH PRIVATE KEY-----,PGP MESSAGE-----'
    .split(',')
    .map((rest) => `-----BEGIN ${rest}`),
  ...'ghp_abcdef0123456789 glpat-AbCdEf-123456 AKIAIOSFODNN7EXAMPLE xoxb-1234567890-abc'.split(' '),
  ...['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'Basic dXNlcjpwYXNzd29yZA==', 'Bearer abcdef123456'],
  ...'https://ghp0123456789abcdef@github.example https://host/?a=b&token=abc https://host/?sig=abc%2F'.split(
    ' ',
  ),
  ...['{"password":"x"}', '{"auths":{"registry.example":{"auth":"dXNlcjpwYXNzd29yZA=="}}}'],
  '//registry.example/:_auth=dXNlcjpwYXNzd29yZA==',
  'https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx',
  'https://acme.webhook.office.com/webhookb2/0a1b@2c3d/IncomingWebhook/4e5f/6a7b',
  'https://discord.com/api/webhooks/123456789012345678/abcdef_GHIJ-klmn',
])('%s is a credential', (text) => expect(looksLikeCredential(text)).toBe(true));

it.each([
  'Your password expires in $daysLeft days.',
  'Reset your password at https://acme.example/password/reset',
  'Use Basic authentication or a Bearer token.',
  'https://host.example:8443/path?a=b@c',
  'https://git@host.example/path',
  'user@host.example',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'token=${token}',
  'Authorization: Bearer ${accessToken}',
  'https://${user}:${password}@host',
  'password=********',
  'tokenUrl=https://host/token',
  '{"auth":"Basic"}',
  '{"auth":"ClientCertificate"}',
  'auth=OAuth2ClientCredentials',
  'https://hooks.slack.com/services/',
  'https://api.slack.com/messaging/webhooks',
  'The key is under the mat',
  'skeleton-key-for-the-door',
])('%s is none', (text) => expect(looksLikeCredential(text)).toBe(false));

it('a long text of nearly a credential takes no time', () => {
  const parts = [
    'a://',
    'auth=',
    'auth:a',
    'password ',
    'Basic ',
    'eyJ',
    'a=',
    '-----BEGIN ',
    'a'.repeat(70),
  ];
  for (const part of parts)
    expect(typeof looksLikeCredential(part.repeat(200_000 / part.length))).toBe('boolean');
});

it('masks and ciphertexts are concealed, and only masks are masks', () => {
  const masks = '*** **** ******** ••• ●●●●●'.split(' ');
  const ciphertexts = '1:ACP:c2VjcmV0 12:ACX:abc {AES}abc {AES256}abc {RSA-OAEP}abc {ENC}'.split(' ');
  const inClear = '* ** ***a a*** x ACP:abc x1:ACP:abc 1:acp:abc -{AES}abc {DES}abc {AES plain'.split(' ');
  const all = ['', '* * *', 'see {AES}abc', ...inClear, ...masks, ...ciphertexts];
  expect(all.filter(isMasked)).toEqual(masks);
  expect(all.filter(isConcealed)).toEqual([...masks, ...ciphertexts]);
});

const reveal = (name: string) => `value of ${name}`;
const markers: Json[] = [
  { $secret: 'S' },
  lookupMarker({ from: 'profiles', where: { name: 'A' }, take: 'id' }),
  { $live: '/a' },
  { $jsonText: { a: 1 } },
  { $literal: 1 },
  { '$ref:Source/HR': 1 },
];

it('a live value is set in the objects around it, and with the list that it is in', () => {
  const other = { a: { b: { c: 1, x: 2 } }, d: [1, 2] };
  expect(withLiveValue(other, { e: 3 }, '/a/b/c')).toEqual({ a: { b: { c: 1 } }, e: 3 });
  expect(withLiveValue(other, { a: { b: { c: 9, y: 4 } } }, '/a/b/c')).toEqual({ a: { b: { c: 1, y: 4 } } });
  expect(withLiveValue(other, {}, '/d/0')).toEqual({ d: [1, 2] });
  expect(withLiveValue(other, { e: 3 }, '/a/z/c')).toEqual({ e: 3 });
  expect(withLiveValue(other, { a: { z: 5 } }, '/a/z')).toEqual({ a: {} });
  expect(withLiveValue({ a: [{ $secret: 'S' }] }, {}, '/a/0')).toEqual({ a: { $live: '/a' } });
  expect(withLiveValue(other, { a: { $secret: 'S' } }, '/a/b')).toEqual({ a: { $secret: 'S' } });
});

it('an id that is known fills in the name of a member, and the others stay', () => {
  const body = { '$ref:Source/New': { at: { $ref: 'Source/New' } }, '$ref:Source/Other': 1, kept: 2 };
  const idOf = (to: string) => (to === 'Source/New' ? 7 : undefined);
  expect(markersIn(body, '$ref')).toEqual(['Source/New', 'Source/Other', 'Source/New']);
  expect(fillRefs(body, idOf)).toEqual({ '7': { at: 7 }, '$ref:Source/Other': 1, kept: 2 });
  expect(fillRefs(literal(body), idOf)).toEqual({ $literal: body });
  expect(fillPointer('/limits/$ref:Source~1New/$ref:Source~1Other', idOf)).toBe(
    '/limits/7/$ref:Source~1Other',
  );
});

describe("a tenant's value that looks like a marker", () => {
  it.each(markers)('is sent as it is: %j', (value) => {
    for (const foreign of [value, [value], { deep: [{ er: value }] }]) {
      expect(containsMarker(foreign)).toBe(true);
      const body = literal(foreign);
      expect(renderBody(body, reveal)).toEqual(foreign);
      expect(renderBody({ inside: [body] }, reveal)).toEqual({ inside: [foreign] });
      expect(fillLive(body, () => 'read')).toEqual(body);
      const others = () => ({ kept: foreign, own: 0, gone: 2 });
      const beside = fillLive({ $beside: ['', { own: 1 }, 'gone'] }, reveal, others);
      expect(renderBody(beside, reveal)).toEqual({ kept: foreign, own: 1 });
    }
  });

  it('is recognised beside other members too, so that no later change of it makes it one', () =>
    expect(literal({ $secret: 'S', other: 1 })).toEqual({ $literal: { $secret: 'S', other: 1 } }));

  it('is none where only a text or a longer name has the signs', () => {
    for (const plain of ['$secret', { a: '$secret' }, { $secrets: 'S' }, { secret: 'S' }, [], {}, null, 1]) {
      expect(containsMarker(plain)).toBe(false);
      expect(literal(plain)).toBe(plain);
    }
  });
});

describe('rendering a body', () => {
  it('fills in secrets at every depth, and turns JSON into text last', () => {
    const body = {
      list: [{ $secret: 'A' }, 'plain', null, 3],
      text: { $jsonText: { inner: { $secret: 'B' }, foreign: { $literal: { $secret: 'C' } } } },
    };
    expect(renderBody(body, reveal)).toEqual({
      list: ['value of A', 'plain', null, 3],
      text: '{"inner":"value of B","foreign":{"$secret":"C"}}',
    });
  });

  it('escapes a secret inside JSON text', () =>
    expect(renderBody({ $jsonText: { a: { $secret: 'A' } } }, () => '"\\\n')).toBe('{"a":"\\"\\\\\\n"}'));

  it('sends a text in the place of JSON as it is, since it is the JSON text itself', () => {
    expect(renderBody({ $jsonText: { $secret: 'A' } }, () => '{"a":1}')).toBe('{"a":1}');
    expect(renderBody({ $jsonText: { $literal: '$cards' } }, reveal)).toBe('$cards');
  });

  it('leaves objects alone that only resemble a marker', () => {
    for (const body of [{ $secret: 'A', more: 1 }, { $secret: 7 }, { $live: 7 }]) {
      expect(renderBody(body, reveal)).toEqual(body);
      expect(fillLive(body, () => 'read')).toEqual(body);
    }
  });
});

describe("filling in an object's own values", () =>
  it('reads each place, marks what it read as foreign, and leaves out what is gone', () => {
    const read = (at: string) => (at === '/gone' ? undefined : { $secret: at });
    const gone = { $live: '/gone' };
    const body = { a: { $live: '/x' }, b: [{ $live: '/y/0' }, gone, 'plain', 1], c: null };
    expect(fillLive({ a: gone, b: { $jsonText: gone } }, read)).toEqual({});
    expect(fillLive(body, read)).toEqual({
      a: { $literal: { $secret: '/x' } },
      b: [{ $literal: { $secret: '/y/0' } }, 'plain', 1],
      c: null,
    });
    expect(renderBody(fillLive(body, read), reveal)).toMatchObject({ a: { $secret: '/x' } });
  }));

it('the texts inside literals are found at every depth, and no others', () => {
  const body = { own: 'no', a: [{ $literal: { x: 'one', y: ['two', null] } }], b: { $literal: 'three' } };
  expect(literalTexts(body)).toEqual(['one', 'two', 'three']);
  expect(literalTexts('own')).toEqual([]);
  expect(literalTexts({ a: literal({ $secret: 7, b: [true, null] }) })).toEqual(['7']);
});

describe('reading a marker', () => {
  it('gives what is in it', () => {
    expect(secretName({ $secret: 'S' })).toBe('S');
    expect(livePlace({ $live: '/a' })).toBe('/a');
    const lookup = { from: 'profiles', where: { name: 'A', uid: 'b' }, take: 'id' };
    expect(lookupOf(lookupMarker(lookup))).toEqual(lookup);
    expect(lookupOf({ $lookup: { ...lookup, where: { name: 7 } } })).toEqual({
      ...lookup,
      where: { name: '7' },
    });
  });

  it('gives nothing for other values', () => {
    for (const other of ['$secret', null, [], {}, { $secret: 1 }, { $secret: 'S', b: 1 }, undefined]) {
      expect(secretName(other)).toBeNull();
      expect(livePlace(other)).toBeNull();
      expect(lookupOf(other)).toBeNull();
    }
    const whole = { from: 'a', where: {}, take: 'b' };
    for (const part of [{ from: 1 }, { take: 1 }, { where: 'x' }, { where: null }])
      expect(lookupOf({ $lookup: { ...whole, ...part } })).toBeNull();
    expect(lookupOf({ $lookup: 'text' })).toBeNull();
  });
});

describe('what is filled in later', () => {
  it('is a secret, a lookup or a value of the tenant, and nothing else', () => {
    const lookup = lookupMarker({ from: 'profiles', where: { name: 'A' }, take: 'id' });
    for (const marker of [{ $secret: 'S' }, lookup, { $live: '/a' }]) {
      expect(isFilledInLater(marker)).toBe(true);
      expect(isFilledInLater([marker])).toBe(false);
    }
    for (const value of [undefined, null, 'text', {}, { $jsonText: 1 }, { $literal: { $secret: 'S' } }])
      expect(isFilledInLater(value)).toBe(false);
  });

  it('names its secrets at every depth, but not those in foreign data', () => {
    const body = {
      a: { $secret: 'A' },
      list: [{ b: { $secret: 'B' } }, { $secret: 'A' }],
      text: { $jsonText: { c: { $secret: 'C' } } },
      foreign: { $literal: { $secret: 'D' } },
      plain: 'E',
    };
    expect(markersIn(body, '$secret')).toEqual(['A', 'B', 'A', 'C']);
    expect(markersIn({ $literal: { $secret: 'D' } }, '$secret')).toEqual([]);
    expect(markersIn(null, '$secret')).toEqual([]);
  });
});
