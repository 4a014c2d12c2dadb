/** Tokens: how they are asked for, shared and kept, and what is said where there is none. */
import { describe, expect, it } from 'vitest';
import { type Answer, lostAnswer, type Sent, unsentAnswer } from '../../src/client/answer.ts';
import { createTokenSources } from '../../src/client/auth.ts';
import { Redactor } from '../../src/client/redactor.ts';
import type { Auth } from '../../src/kinds/project.ts';
import { Failure, fail } from '../../src/model/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { answerWith, sent } from './support.ts';

type Exchange = Parameters<Parameters<typeof createTokenSources>[0]['exchange']>[0];

/** Token sources of a tenant that gives these answers, one after the other, the last one again and again. */
function sourcesOf(...answers: readonly (Answer | Sent)[]) {
  let time = 1_000_000;
  const calls: Exchange[] = [];
  const fetched: string[] = [];
  const redactor = new Redactor();
  const of = createTokenSources({
    clock: { now: () => time, sleep: async () => {} },
    redactor,
    exchange: async (call) => {
      const next = answers[Math.min(calls.length, answers.length - 1)];
      calls.push(call);
      if (!next) throw new Error('No token is to be fetched.');
      return 'attempts' in next ? next : sent(next);
    },
    onEvent: ({ tokenUrl }) => fetched.push(tokenUrl),
  });
  const pass = (ms: number) => {
    time += ms;
  };
  return { of, calls, fetched, redactor, pass };
}

const setting = { name: 'identity.auth.token', source: { file: 'tenantctl.yaml', line: 7, column: 5 } };
const token = (text: string) => ({ by: 'token', token: () => text }) as const;
const client = (more: Partial<Extract<Auth, { by: 'client-credentials' }>> = {}): Auth => ({
  by: 'client-credentials',
  tokenUrl: 'https://acme.example/oauth/token',
  clientId: () => 'ci',
  clientSecret: () => 'walrus-of-the-client',
  ...more,
});
const given = (value: string, more: JsonObject = {}, headers: Record<string, string> = {}) =>
  answerWith(200, { access_token: value, ...more }, headers);

const jwt = (payload: Json): string => `x.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.y`;

describe('credentials that are not set', () => {
  const unset = (name: string) => () => {
    throw fail('secret-unset', `${name} is not set.`);
  };
  const problemsOf = (auth: Auth): unknown => {
    try {
      return sourcesOf().of(auth);
    } catch (error) {
      return error instanceof Failure ? error.diagnostics.map(({ message }) => message) : error;
    }
  };

  it('are told all at once', () => {
    expect(problemsOf(client({ clientId: unset('ID'), clientSecret: unset('SECRET') }))).toEqual([
      'ID is not set.',
      'SECRET is not set.',
    ]);
    expect(problemsOf(client({ clientSecret: unset('SECRET') }))).toEqual(['SECRET is not set.']);
    expect(problemsOf({ by: 'token', token: unset('TOKEN') })).toEqual(['TOKEN is not set.']);
  });

  it('are no excuse for a fault of the program', () => {
    const fault = new TypeError('a fault');
    const auth = client({
      clientId: () => {
        throw fault;
      },
    });
    expect(problemsOf(auth)).toBe(fault);
  });
});

describe('a token that is given', () => {
  it('is used as it is, without the blanks around it, and never renewed', async () => {
    const { of, redactor } = sourcesOf();
    const source = of(token(' walrus.token-1\n'));
    expect(await source.current()).toEqual({ value: 'walrus.token-1', failures: 0 });
    expect(source.drop('walrus.token-1')).toBe(false);
    expect(redactor.text('Bearer walrus.token-1!')).toBe('Bearer [secret]!');
  });

  it('is the new one of its file once it was refused, and no more to be seen than that', async () => {
    const { of, redactor } = sourcesOf();
    const source = of({ ...token('walrus.token-1'), renew: () => 'walrus.token-2\n' });
    expect(source.drop('walrus.token-1')).toBe(true);
    expect(await source.current()).toEqual({ value: 'walrus.token-2', failures: 0 });
    expect(redactor.text('Bearer walrus.token-2!')).toBe('Bearer [secret]!');
  });

  it.each(['', '  ', 'two words', 'two\nlines', 'größe', 'bell\u0007'])(
    'is refused with advice where no request can hold it: %j',
    async (text) => {
      const fetched = await sourcesOf()
        .of({ ...token(text), setting })
        .current();
      expect(fetched).toMatchObject({ outcome: 'unsent', reason: 'no-token', failures: 0 });
      expect('value' in fetched ? null : fetched.problems).toEqual([
        {
          code: 'tenant-unauthorized',
          severity: 'error',
          message: expect.stringMatching(/^The token of this environment is empty, or has characters/),
          hint: expect.stringMatching(/^Give the token alone, without `Bearer`, .*`identity\.auth\.token`/),
          source: setting.source,
        },
      ]);
    },
  );

  describe('that is refused', () => {
    const refusal = (headers: Record<string, string> = {}) => {
      const answer = answerWith(401, null, headers);
      return answer.outcome === 'answered' ? answer : null;
    };
    const adviceOn = (text: string, headers?: Record<string, string>) => {
      const answer = refusal(headers);
      return (
        answer &&
        sourcesOf()
          .of({ ...token(text), setting })
          .advise?.(answer)
      );
    };

    it('is told with its place, and that no other is fetched', () => {
      const renewed = /^Check the variable that `identity\.auth\.token` names: .*renews only/;
      for (const text of ['opaque', jwt({ exp: 1001 }), jwt({ exp: -1e20 })])
        expect(adviceOn(text)).toEqual({ hint: expect.stringMatching(renewed), source: setting.source });
    });

    it('is told to have expired, by the time of the host', () => {
      const expired =
        /^The token expired at 1970-01-01T00:16:39\.000Z: put a new one .*`identity\.auth\.token`/;
      expect(adviceOn(jwt({ exp: 999 }))?.hint).toMatch(expired);
      expect(adviceOn(jwt({ exp: 999 }), { date: 'Thu, 01 Jan 1970 00:16:00 GMT' })?.hint).toMatch(/^Check/);
      expect(adviceOn(jwt({ exp: 1001 }), { date: 'Thu, 01 Jan 1970 01:00:00 GMT' })?.hint).toMatch(
        /^The token exp/,
      );
    });

    it('is told to be that of the file, which was read again', () => {
      const answer = refusal();
      const advice = (text: string) =>
        answer &&
        sourcesOf()
          .of({ ...token(text), renew: () => text, setting })
          .advise?.(answer)?.hint;
      expect(advice('opaque')).toMatch(/^Check the file of the variable .* has read the file again\.$/);
      expect(advice(jwt({ exp: 999 }))).toContain('put a new one into the file of the variable');
    });

    it('has no place where none is known', () => {
      const answer = refusal();
      expect(answer && sourcesOf().of(token('opaque')).advise?.(answer)).toEqual({
        hint: expect.stringContaining('`auth.token`'),
      });
    });
  });
});

describe('the two services of a tenant', () => {
  it('share a source where address and client are the same, and no other', () => {
    const { of } = sourcesOf();
    expect(of(client())).toBe(of(client()));
    expect(of(client())).not.toBe(of(client({ clientId: () => 'other' })));
    expect(of(client())).not.toBe(of(client({ tokenUrl: 'https://other.example/oauth/token' })));
    expect(of(token('one'))).toBe(of(token('one')));
    expect(of(token('one'))).not.toBe(of(token('two')));
    expect(of(token('ci'))).not.toBe(of(client()));
  });

  it('wait for one answer, and then have the token that it gave', async () => {
    const { of, calls, fetched } = sourcesOf({ ...sent(given('T1')), attempts: 3 });
    expect(await Promise.all([of(client()).current(), of(client()).current()])).toMatchObject([
      { value: 'T1', failures: 2 },
      { value: 'T1', failures: 2 },
    ]);
    expect(await of(client()).current()).toMatchObject({ value: 'T1', failures: 0 });
    expect(calls).toHaveLength(1);
    expect(fetched).toEqual(['https://acme.example/oauth/token']);
  });
});

it('a token is asked for with a form, at the address alone', async () => {
  const { of, calls } = sourcesOf(given('T1'));
  await of(client({ tokenUrl: 'https://acme.example:8443/oauth/token?tenant=a%20b' })).current();
  expect(calls).toEqual([
    {
      origin: 'https://acme.example:8443',
      method: 'POST',
      path: '/oauth/token?tenant=a%20b',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=ci&client_secret=walrus-of-the-client',
    },
  ]);
});

it('credentials have no line ending at their end: the output of a command has one', async () => {
  const { of, calls, redactor } = sourcesOf(given('T1'));
  await of(client({ clientId: () => 'ci\n', clientSecret: () => ' walrus of the client \r\n' })).current();
  expect(calls[0]?.body).toBe(
    'grant_type=client_credentials&client_id=ci&client_secret=+walrus+of+the+client+',
  );
  expect(redactor.text('no walrus of the client !')).not.toContain('walrus');
});

describe('how long a token is used', () => {
  /** The milliseconds after which another token is fetched, told by trying. */
  async function countUses(answer: Answer): Promise<number> {
    const usable = async (ms: number) => {
      const { of, calls, pass } = sourcesOf(answer);
      await of(client()).current();
      pass(ms);
      await of(client()).current();
      return calls.length === 1;
    };
    let [low, high] = [-1, 2 ** 40];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await usable(middle)) low = middle;
      else high = middle;
    }
    return high;
  }
  const forever = 2 ** 40;

  it.each<[string, Answer, number]>([
    ['four fifths of seconds', given('T', { expires_in: 100 }), 80_000],
    ['half a minute less than an hour', given('T', { expires_in: 3600 }), 3_570_000],
    ['what a text says', given('T', { expires_in: '100' }), 80_000],
    ['what a JWT says where nothing else is', given(jwt({ exp: 1100 })), 80_000],
    ['the shorter of two, a JWT', given(jwt({ exp: 1100 }), { expires_in: 3600 }), 80_000],
    ['the shorter of two, the stated one', given(jwt({ exp: 4600 }), { expires_in: 100 }), 80_000],
    [
      'that of a JWT by the clock of the host',
      given(jwt({ exp: 7300 }), {}, { date: new Date(7_200_000).toUTCString() }),
      80_000,
    ],
    ['for good where a JWT is over', given(jwt({ exp: 900 })), forever],
    ['for good where nothing is said', given('T'), forever],
    ['for good where nonsense is said', given('T', { expires_in: 'soon' }), forever],
    ['for good where it would be over', given('T', { expires_in: 0 }), forever],
    ['for good where it would never have begun', given('T', { expires_in: -5 }), forever],
  ])('is %s', async (_, answer, ms) => expect(await countUses(answer)).toBe(ms));

  it('ends where the tenant refuses it, unless it was another one', async () => {
    const { of, calls } = sourcesOf(given('T1'), given('T2'));
    const source = of(client());
    await source.current();
    source.drop?.('T0');
    expect(await source.current()).toMatchObject({ value: 'T1' });
    source.drop?.('T1');
    expect(await source.current()).toMatchObject({ value: 'T2' });
    expect(calls).toHaveLength(2);
  });
});

describe('where there is no token', () => {
  const problemOf = async (answer: Answer, auth = client()) => {
    const found = await sourcesOf(answer).of(auth).current();
    return 'value' in found ? null : found;
  };

  it('an interruption stays one, and is not remembered', async () => {
    const { of } = sourcesOf(unsentAnswer('interrupted', 'the run was interrupted'), given('T1'));
    expect(await of(client()).current()).toEqual({
      outcome: 'unsent',
      reason: 'interrupted',
      detail: 'the run was interrupted',
      failures: 0,
    });
    expect(await of(client()).current()).toMatchObject({ value: 'T1' });
    expect(await problemOf(lostAnswer('interrupted', 'the run was interrupted'))).toMatchObject({
      outcome: 'unsent',
      reason: 'interrupted',
    });
  });

  it('refused credentials are not sent again: that could lock the client out', async () => {
    const { of, calls } = sourcesOf({ ...sent(answerWith(401, { error: 'invalid_client' })), attempts: 2 });
    const source = of(client());
    expect(await source.current()).toMatchObject({ reason: 'no-token', failures: 1 });
    expect(await source.current()).toMatchObject({ reason: 'no-token', failures: 0 });
    expect(calls).toHaveLength(1);
  });

  it.each([answerWith(400), answerWith(403), answerWith(200, { error: 'invalid_client' })])(
    'credentials are refused by %j too',
    async (answer) =>
      expect(await problemOf(answer)).toMatchObject({
        reason: 'no-token',
        detail: expect.stringMatching(/refused the credentials/),
      }),
  );

  it('an endpoint in trouble is asked again', async () => {
    const { of } = sourcesOf(answerWith(503), given('T1'));
    expect(await of(client()).current()).toMatchObject({ reason: 'token-endpoint' });
    expect(await of(client()).current()).toMatchObject({ value: 'T1' });
  });

  it.each<[string, Answer, RegExp, RegExp]>([
    [
      '429',
      answerWith(429, { message: 'Slow. Down.' }),
      /did not issue a token: 429 .*Slow\. Down\. The credentials were not checked\.$/,
      /^Lower `limits`/,
    ],
    [
      '500',
      answerWith(500),
      /did not issue a token: 500 Internal Server Error\. The credentials were not checked\.$/,
      /^Run again later/,
    ],
    [
      '404',
      answerWith(404, { message: 'v1.0.x' }),
      /did not issue a token: 404 Not Found: v1\.0\.x\. The credentials were not checked\.$/,
      /^Check `tokenUrl`/,
    ],
    [
      'a web page, whatever its status,',
      { outcome: 'answered', status: 403, headers: {}, body: null, text: '<!doctype html><h1>Sign in</h1>' },
      /did not issue a token: 403 Forbidden: Sign in\. The credentials were not checked\.$/,
      /^Check `tokenUrl`/,
    ],
    [
      'no connection',
      unsentAnswer('unreachable', 'the host a.example does not exist', 'Look.'),
      /: the host a\.example does not exist\. The credentials were not checked\.$/,
      /^Look\.$/,
    ],
    [
      'a lost answer',
      lostAnswer('reset', 'the connection ended'),
      /: the connection ended\. The credentials were not checked\.$/,
      /^Run again later\.$/,
    ],
    [
      'a success without a token',
      answerWith(200, { token: 'x' }),
      /returned no token: 200 OK, with a response that has no usable text in `access_token`\.$/,
      /^Check `tokenUrl`/,
    ],
    [
      'a token that no request can hold',
      given('two words'),
      /returned no token: 200 OK, with a response that has no usable text in `access_token`\.$/,
      /^Check `tokenUrl`/,
    ],
  ])('%s is told, with what to do', async (_, answer, message, hint) => {
    const problem = await problemOf(answer);
    expect(problem).toMatchObject({ outcome: 'unsent', reason: 'token-endpoint' });
    const [diagnostic, ...others] = problem?.problems ?? [];
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({ code: 'token-endpoint', severity: 'error' });
    expect(diagnostic?.message).toMatch(/^The token endpoint https:\/\/acme\.example\/oauth\/token /);
    expect(diagnostic?.message).toMatch(message);
    expect(diagnostic?.hint).toMatch(hint);
    expect(problem?.hint).toBe(diagnostic?.hint);
  });

  it('is told at its place in the project file, with the setting that may be wrong', async () => {
    const source = { file: 'tenantctl.yaml', line: 7, column: 5 };
    const problemAt = async (status: number, name: string) => {
      const found = await problemOf(
        answerWith(status),
        client({ setting: { name, source, excerpt: 'baseUrl: x' } }),
      );
      return found?.problems?.[0];
    };
    expect(await problemAt(401, 'identity.auth')).toMatchObject({
      code: 'tenant-unauthorized',
      hint: expect.stringContaining('Check the client id and the client secret'),
      source,
      excerpt: 'baseUrl: x',
    });
    expect(await problemAt(404, 'identity.baseUrl')).toMatchObject({
      hint: expect.stringContaining('Check `identity.baseUrl`, and set `tokenUrl`'),
      source,
    });
    expect((await problemAt(404, 'identity.auth.tokenUrl'))?.hint).toMatch(/^Check `identity.auth.tokenUrl`/);
    expect((await problemAt(500, 'identity.baseUrl'))?.hint).not.toContain('identity.baseUrl');
  });

  it('neither secret nor token is in what is told', async () => {
    const page = { ...answerWith(401), text: '<p>walrus-of-the-client</p>' };
    const repeated = answerWith(401, { error_description: 'walrus-of-the-client' });
    for (const answer of [page, repeated])
      expect(JSON.stringify(await problemOf(answer))).not.toContain('walrus');
    const { of, redactor } = sourcesOf(given('canary with blanks'));
    expect(JSON.stringify(await of(client()).current())).not.toContain('canary');
    expect(redactor.text('canary with blanks')).toBe('[secret]');
  });
});
