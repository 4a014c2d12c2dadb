import { describe, expect, it, test } from 'vitest';
import {
  type Answer,
  holdsMessage,
  isSuccess,
  isWhole,
  lostAnswer,
  mayHaveHappened,
  unsentAnswer,
  unsentWithProblems,
} from '../../src/client/answer.ts';
import {
  describeAnswer,
  isRefusedRead,
  readFailure,
  shortenLine,
  trackingIdOf,
} from '../../src/client/describe.ts';
import { toLostAnswer, toUnsentAnswer } from '../../src/client/transport.ts';
import { type Diagnostic, Failure } from '../../src/model/failure.ts';
import { answerWith, get, sent } from './support.ts';

const page = (status: number, text: string): Answer => ({
  outcome: 'answered',
  status,
  headers: { 'x-request-id': 'from-header' },
  body: null,
  text,
});

describe('an answer in words', () => {
  test.each<[string, Answer, string]>([
    [
      'ErrorResponseDto, in English before the tenant’s language',
      answerWith(400, {
        detailCode: '400.1 Bad request content',
        messages: [
          { locale: 'de', localeOrigin: 'REQUEST', text: 'falsch' },
          { locale: 'en-US', localeOrigin: 'DEFAULT', text: 'The key is unknown' },
        ],
        causes: [{ locale: 'en', text: 'no default' }],
      }),
      '400 Bad Request: 400.1 Bad request content: The key is unknown (no default)',
    ],
    ['German', answerWith(400, { messages: [{ locale: 'de', text: 'nein' }] }), '400 Bad Request: nein'],
    ['the 401', answerWith(401, { error: 'JWT is expired' }), '401 Unauthorized: JWT is expired'],
    ['the 429', answerWith(429, { message: ' slow\ndown ' }), '429 Too Many Requests: slow down'],
    [
      'OAuth',
      answerWith(400, { error: 'invalid_client', error_description: 'who?' }),
      '400 Bad Request: invalid_client: who?',
    ],
    ['HTML', page(502, '<html><head><title> Bad Gateway</title></head><body>Sorry'), '502 Bad Gateway'],
    ['text', page(500, 'it \u001b[31mbroke\u0007\u202e'), '500 Internal Server Error: it [31mbroke'],
    ['nothing', answerWith(404), '404 Not Found'],
    ['an unheard-of status', answerWith(799), '799'],
    ['an unknown shape', answerWith(400, { messages: 'x', causes: [1], detailCode: 5 }), '400 Bad Request'],
    [
      'texts of the first language, where none is English',
      answerWith(400, {
        messages: [
          { locale: 'de', text: 'eins' },
          { locale: 'fr-en', text: 'deux' },
          { locale: 'de', text: 'zwei' },
        ],
      }),
      '400 Bad Request: eins: zwei',
    ],
    [
      'texts without a language, and what is no text',
      answerWith(400, { messages: ['one', { text: 5 }, null, { locale: 'en' }, 'two'] }),
      '400 Bad Request: one: two',
    ],
    [
      'a cause that says the same, once',
      answerWith(400, { messages: ['same'], error: 'same', causes: ['same', 'other', 'more'] }),
      '400 Bad Request: same (other; more)',
    ],
    [
      'a redirect to nowhere',
      answerWith(301),
      '301 Moved Permanently: the tenant redirects to an unnamed address; redirects are not followed, and nothing was sent there',
    ],
    ['a 304, which leads nowhere', answerWith(304, null, { location: '/x' }), '304 Not Modified'],
    ['a text that has markup further on', page(500, 'not <html>'), '500 Internal Server Error: not <html>'],
    [
      'HTML with a title that has attributes',
      page(502, '\n<!doctype html><head lang="en"><title data-x="y">Down</title></head><p>Sorry</p>'),
      '502 Bad Gateway: Down',
    ],
    [
      'HTML without a title',
      page(502, '<html><style>b{}</style><body>\n<h1>Down</h1><p>Sorry</p>'),
      '502 Bad Gateway: Down Sorry',
    ],
    ['no object', answerWith(400, [1]), '400 Bad Request'],
    ['a code that repeats the status', answerWith(404, { detailCode: '404 Not found' }), '404 Not Found'],
    [
      'a code that repeats the status before a message',
      answerWith(403, { detailCode: '403 Forbidden', messages: [{ text: 'No right.' }] }),
      '403 Forbidden: No right.',
    ],
    ['a text that repeats the status', page(401, 'unauthorized'), '401 Unauthorized'],
    ['a text that is the number', page(599, '599'), '599'],
    ['a message that begins as the status does', answerWith(404, { message: 'Not' }), '404 Not Found: Not'],
    ['a lost answer', { outcome: 'lost', reason: 'reset', detail: 'gone' }, 'gone'],
    [
      'a redirect',
      answerWith(302, null, { location: 'https://evil.example/x' }),
      '302 Found: the tenant redirects to https://evil.example/x; redirects are not followed, and nothing was sent there',
    ],
  ])('%s', (_name, answer, text) => expect(describeAnswer(answer).text).toBe(text));

  test.each<[Answer, string | null]>([
    [answerWith(400, { trackingId: 'in-body' }, { 'x-tracking-id': 'x' }), 'in-body'],
    [page(502, '<html>'), 'from-header'],
    [answerWith(404), null],
    [answerWith(404, null, { 'x-correlation-id': 'c', 'x-request-id': 'b', 'x-tracking-id': 'a' }), 'a'],
    [answerWith(404, null, { 'x-tracking-id': '', 'x-correlation-id': 'c' }), 'c'],
    [answerWith(500, { trackingId: '\u0007 \n' }), null],
    [{ outcome: 'lost', reason: 'reset', detail: 'gone' }, null],
  ])('%# comes with the id by which the support finds it', (answer, trackingId) =>
    expect(describeAnswer(answer).trackingId).toBe(trackingId),
  );

  test('is never long', () => {
    const endless = 'x'.repeat(1_000_000);
    const messages = Array.from({ length: 1000 }, () => ({ locale: 'en', text: endless }));
    for (const answer of [page(500, endless), page(500, `<html>${endless}`), answerWith(400, { messages })])
      expect(describeAnswer(answer).text.length).toBeLessThan(1000);
  });

  test.each([
    [answerWith(401), /credentials/],
    [answerWith(403), /right.*support.*experimentalHeader/],
    [answerWith(404), /base URL/],
    [answerWith(429), /limits/],
    [answerWith(302, null, { location: 'https://new.example/' }), /new\.example/],
    [answerWith(300, null, { location: 'https://new.example/' }), /new\.example/],
    [answerWith(302), /^Check the base URL\.$/],
    [answerWith(302, null, { location: 'nowhere' }), /^Check the base URL\.$/],
    [page(200, '<!doctype html>'), /web page/],
    [answerWith(400, { message: 'The header X-Experimental is missing' }), /identity\.experimentalHeader/],
    [answerWith(403, { error: 'experimental API' }), /^The tenant expects the header of experimental/],
  ])('%# says what to do next', (answer, hint) => expect(describeAnswer(answer).hint).toMatch(hint));

  test.each([
    answerWith(400),
    answerWith(409),
    answerWith(499),
    answerWith(418, { message: 'experimental' }),
    // A change may have been made all the same: only a read is known to have failed.
    answerWith(503),
  ])('%# says nothing that is not known', (answer) => expect(describeAnswer(answer).hint).toBeNull());

  test('is cut where a text is longer than it may be, and not before', () => {
    expect(shortenLine('x'.repeat(100), 100)).toBe('x'.repeat(100));
    expect(shortenLine('x'.repeat(101), 100)).toBe(`${'x'.repeat(99)}…`);
  });
});

describe('the body of a success', () => {
  // It is data: secrets are removed from it only where it is printed, when a message may have cut one in two.
  const secret = 'sec'.repeat(200);
  const partial = answerWith(206, { error: secret, message: secret, trackingId: secret });

  test('is not quoted by the message about a read that cannot use it', () => {
    const { message } = readFailure('SenderAddress', get('/v2025/verified-from-addresses'), sent(partial));
    expect(message).toContain('answered 206 Partial Content, which is not a response of the API');
    expect(message).not.toContain('secsec');
  });

  test('is not quoted where it is no JSON, unless it is a web page', () => {
    const data = { ...answerWith(200), text: '[{"password":"hunter2", "port": NaN}]' };
    const { message } = readFailure('SimIntegration', get('/v2024/sim-integrations'), sent(data));
    expect(message).toContain('answered 200 OK, which is not a response of the API');
    const page = { ...answerWith(200), text: '<html><h1>Log in</h1></html>' };
    expect(describeAnswer(page).text).toBe('200 OK: Log in');
  });

  test('names no tracking id', () => expect(trackingIdOf(partial)).toBeNull());
});

describe('a read that failed', () => {
  const request = get('/v2025/x');
  const failed = (answer: Answer, more = {}) => readFailure('Role', request, { ...sent(answer), ...more });

  test('says what was read, how often, and why, in one sentence', () => {
    const { diagnostics } = failed(answerWith(404, { error: 'v1.0 is gone.' }, { 'x-tracking-id': 't' }), {
      attempts: 3,
      trackingId: 't',
    });
    expect(diagnostics).toMatchObject([
      {
        code: 'tenant-not-found',
        message:
          'Reading Role: GET /v2025/x failed after 3 attempts: 404 Not Found: v1.0 is gone (tracking id t).',
        hint: 'Check the base URL of the environment, and whether the tenant has this feature.',
      },
    ]);
    expect(failed(answerWith(409)).diagnostics[0]).not.toHaveProperty('hint');
    expect(failed(answerWith(503)).diagnostics[0]?.hint).toMatch(/run again later/);
    // What nginx answers to a client without one.
    const page = { ...answerWith(400), text: '<html>400 No required SSL certificate was sent</html>' };
    expect(failed(page).diagnostics[0]?.hint).toMatch(/^Set `tls: \{ cert/);
  });

  test.each<[Answer, string]>([
    [answerWith(200), 'bad-answer'],
    [answerWith(299), 'bad-answer'],
    [answerWith(300), 'tenant-redirect'],
    [answerWith(399), 'tenant-redirect'],
    [answerWith(400), 'tenant-bad-request'],
    [answerWith(401), 'tenant-unauthorized'],
    [answerWith(403), 'tenant-forbidden'],
    [answerWith(429), 'tenant-rate-limit'],
    [answerWith(418), 'tenant-error'],
    [answerWith(500), 'tenant-error'],
    [{ outcome: 'lost', reason: 'reset', detail: 'x' }, 'answer-lost'],
    [{ outcome: 'unsent', reason: 'unreachable', detail: 'x' }, 'tenant-unreachable'],
  ])('%# has a code of its own', (answer, code) => expect(failed(answer).diagnostics[0]?.code).toBe(code));

  test('is a refusal to show objects only where nothing else went wrong', () => {
    const [refused, other] = [failed(answerWith(403)), failed(answerWith(500))];
    const both = new Failure([...refused.diagnostics, ...other.diagnostics]);
    expect([refused, both].map(isRefusedRead)).toEqual([true, false]);
  });

  test('that was interrupted is no failure of the tenant', () => {
    for (const outcome of ['lost', 'unsent'] as const) {
      const failure = failed({ outcome, reason: 'interrupted', detail: 'x' });
      expect(failure.diagnostics).toMatchObject([
        { code: 'interrupted', message: 'Reading Role was interrupted; nothing was written.' },
      ]);
      expect(failure.exitCode).toBe(130);
    }
  });

  test('for a reason that every other has too says only that reason', () => {
    const problems = [{ code: 'token-endpoint', severity: 'error', message: 'No token.' } as const];
    const failure = failed({ outcome: 'unsent', reason: 'token-endpoint', detail: 'x', problems });
    expect(failure.diagnostics).toEqual(problems);
  });
});

/** What is said of requests that do not reach a tenant, and what a person can do. */

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
])('%s says what to do about the certificate or the connection', (code, hint) =>
  expect(toUnsentAnswer(coded(code), origin)).toMatchObject({
    reason: 'untrusted',
    hint: expect.stringContaining(hint),
  }),
);

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
])('%s after a request was sent, answer begun: %j', (code, answerBegan, reason) =>
  expect(toLostAnswer(coded(code), answerBegan)).toMatchObject({ outcome: 'lost', reason }),
);

/** What an answer says: carried out, complete, perhaps carried out, and why a request was not sent. */

it.each<[string, Answer, boolean, boolean, boolean]>([
  ['199', answerWith(199), false, false, false],
  ['200', answerWith(200), true, true, true],
  ['204', answerWith(204), true, true, true],
  ['206, which holds a part', answerWith(206), true, false, true],
  ['226, which holds differences', answerWith(226), true, false, true],
  ['299', answerWith(299), true, true, true],
  ['300', answerWith(300), false, false, false],
  ['404', answerWith(404), false, false, false],
  ['499', answerWith(499), false, false, false],
  ['500', answerWith(500), false, false, true],
  ['503', answerWith(503), false, false, true],
  ['a lost answer', lostAnswer('reset', 'it ended'), false, false, true],
  ['a request that was not sent', unsentAnswer('unreachable', 'no host'), false, false, false],
])('%s: is it a success, is it whole, may it have happened', (_, answer, success, whole, happened) =>
  expect([isSuccess(answer), isWhole(answer), mayHaveHappened(answer)]).toEqual([success, whole, happened]),
);

it.each([
  [200, false],
  [302, true],
  [400, true],
])('the body of a %i is a message, from which secrets are removed: %s', (status, isMessage) => {
  const answered = { outcome: 'answered', status, headers: {}, body: { name: 'x' }, text: '' } as const;
  expect(holdsMessage(answered)).toBe(isMessage);
});

describe('a request that was not sent', () => {
  const problem = (message: string, hint?: string): Diagnostic => ({
    code: 'secret-unset',
    severity: 'error',
    message,
    ...(hint === undefined ? {} : { hint }),
  });

  it('names all problems in one line, with all advice', () => {
    const problems = [problem('A. B is not set.', 'Set B.'), problem('C is not set.', 'Set C.')];
    expect(unsentWithProblems('no-secret', problems)).toEqual({
      outcome: 'unsent',
      reason: 'no-secret',
      detail: 'A. B is not set; C is not set',
      hint: 'Set B. Set C.',
      problems,
    });
  });

  it('has no advice where there is none', () => {
    expect(unsentWithProblems('no-secret', [problem('A is not set.')])).not.toHaveProperty('hint');
    expect(unsentWithProblems('no-secret', [problem('A.'), problem('B.', 'Set B.')]).hint).toBe('Set B.');
    expect(unsentAnswer('unsafe', 'why')).toEqual({ outcome: 'unsent', reason: 'unsafe', detail: 'why' });
  });
});
