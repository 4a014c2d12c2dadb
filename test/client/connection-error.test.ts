/** What is said of requests that do not reach a tenant, and what a person can do. */
import { expect, test } from 'vitest';
import { toLostAnswer, toUnsentAnswer } from '../../src/client/transport.ts';

const coded = (code: string) => Object.assign(new Error('no'), { code });
const origin = 'https://acme.example:8443';

test.each([
  ['ECONNREFUSED', 'unreachable', 'the host acme.example:8443 refuses the connection (ECONNREFUSED)'],
  ['ENOTFOUND', 'unreachable', 'the host acme.example:8443 does not exist: its name is unknown (ENOTFOUND)'],
  ['EHOSTDOWN', 'unreachable', 'the host acme.example:8443 cannot be reached (EHOSTDOWN)'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'untrusted',
    'no trusted connection to the host acme.example:8443 (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
])('%s before a request was sent', (code, reason, detail) => {
  const { hint, ...answer } = toUnsentAnswer(coded(code), origin);
  expect(answer).toEqual({ outcome: 'unsent', reason, detail });
  expect(hint).toMatch(reason === 'untrusted' ? /NODE_EXTRA_CA_CERTS/ : /base URL, the network/);
});

test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'check the host in the URL'],
  ['CERT_HAS_EXPIRED', 'check the clock of this machine'],
  ['CERT_NOT_YET_VALID', 'check the clock of this machine'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'check the URL and its port'],
  ['EPROTO', 'check the URL and its port'],
])('%s says what to do about the certificate or the connection', (code, hint) => {
  expect(toUnsentAnswer(coded(code), origin)).toMatchObject({
    reason: 'untrusted',
    hint: expect.stringContaining(hint),
  });
});

test('a request that no HTTP can carry has no hint, and a fault of the program its name', () => {
  expect(toUnsentAnswer(coded('UND_ERR_INVALID_ARG'), origin)).toStrictEqual({
    outcome: 'unsent',
    reason: 'unsafe',
    detail: 'the request cannot be sent over HTTP (header or path)',
  });
  expect(toUnsentAnswer(new RangeError('x'), origin).detail).toContain('(RangeError)');
});

test.each([
  ['HPE_HEADER_OVERFLOW', false, 'too-large'],
  ['UND_ERR_HEADERS_OVERFLOW', false, 'too-large'],
  ['HPE_INVALID_CONSTANT', false, 'cut'],
  ['TOTAL_TIMEOUT', true, 'timeout'],
  ['ETIMEDOUT', false, 'timeout'],
  ['ECONNRESET', true, 'cut'],
  ['ECONNRESET', false, 'reset'],
])('%s after a request was sent, answer begun: %j', (code, answerBegan, reason) => {
  expect(toLostAnswer(coded(code), answerBegan)).toMatchObject({ outcome: 'lost', reason });
});
