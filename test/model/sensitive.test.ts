/** What looks like a credential, and what only speaks of one. */
import { expect, it } from 'vitest';
import { isConcealed, isMasked, looksLikeCredential, namesCredential } from '../../src/model/sensitive.ts';

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
])('the names %s are those of credentials', (names) => {
  expect(names.split(' ').filter((name) => !namesCredential(name))).toEqual([]);
});

it.each([
  'url user type format path patch jwtType keyboard monkey bypass compass author authority authType passenger signature cookieless',
  'tokenUrl token_endpoint tokenType passwordPolicy passwordPolicies passwordExpiry secretTtl passwordLength keyId',
])('the names %s are not', (names) => {
  expect(names.split(' ').filter(namesCredential)).toEqual([]);
});

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
])('%s is a credential', (text) => {
  expect(looksLikeCredential(text)).toBe(true);
});

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
])('%s is none', (text) => {
  expect(looksLikeCredential(text)).toBe(false);
});

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
  for (const part of parts) {
    expect(typeof looksLikeCredential(part.repeat(200_000 / part.length))).toBe('boolean');
  }
});

it('masks and ciphertexts are concealed, and only masks are masks', () => {
  const masks = '*** **** ******** ••• ●●●●●'.split(' ');
  const ciphertexts = '1:ACP:c2VjcmV0 12:ACX:abc {AES}abc {AES256}abc {RSA-OAEP}abc {ENC}'.split(' ');
  const inClear = '* ** ***a a*** x ACP:abc x1:ACP:abc 1:acp:abc -{AES}abc {DES}abc {AES plain'.split(' ');
  const all = ['', '* * *', 'see {AES}abc', ...inClear, ...masks, ...ciphertexts];
  expect(all.filter(isMasked)).toEqual(masks);
  expect(all.filter(isConcealed)).toEqual([...masks, ...ciphertexts]);
});
