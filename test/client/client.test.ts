import { describe, expect, test } from 'vitest';
import { mayHaveHappened } from '../../src/client/answer.ts';
import type { Limiters } from '../../src/client/client.ts';
import { systemClock } from '../../src/client/rate-limiter.ts';
import type { Auth } from '../../src/kinds/project.ts';
import { fail } from '../../src/model/failure.ts';
import type { Json } from '../../src/model/json.ts';
import { clientOf, credentials, fixedToken, get, patch, post, put, reply, serve, settle } from './support.ts';

describe('the token', () => {
  test('is fetched once for all who ask at the same time, with a form', async () => {
    await using server = await serve(({ url }, response) => {
      if (url === '/oauth/token') reply(response, 200, { access_token: 'T1', expires_in: 3600 });
      else reply(response, 200, []);
    });
    await using setup = clientOf(server.url, { auth: credentials(server.url) });
    const paths = [
      '/v2024/auth-profiles',
      '/v2025/notification-templates',
      '/api/users',
      '/v2025/a',
      '/v2024/b',
    ];
    await Promise.all(paths.map((path) => setup.client.send(get(path))));
    const [token, ...others] = server.arrivals;
    expect(token).toMatchObject({ method: 'POST', url: '/oauth/token' });
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'ci',
      client_secret: 'c+li/ent "secret"',
    });
    expect(others.map(({ headers }) => headers.authorization)).toEqual(Array(5).fill('Bearer T1'));
    expect(setup.events.filter(({ type }) => type === 'token-fetched')).toHaveLength(1);
  });

  test('is renewed once on 401, and the request sent again, a POST too', async () => {
    let count = 0;
    const nextToken = () => {
      count += 1;
      return `T${count}`;
    };
    await using server = await serve(({ url, headers }, response) => {
      if (url === '/oauth/token') reply(response, 200, { access_token: nextToken(), expires_in: 3600 });
      else if (headers.authorization === 'Bearer T2') reply(response, 201, { id: '1' });
      else reply(response, 401, { error: 'JWT validation failed: JWT is expired' });
    });
    await using setup = clientOf(server.url, { auth: credentials(server.url) });
    const answers = await Promise.all([1, 2, 3].map((n) => setup.client.send(post('/v2025/x', { n }))));
    expect(answers.map((answer) => answer.outcome === 'answered' && answer.status)).toEqual([201, 201, 201]);
    expect(count).toBe(2);
    expect(answers.map(({ repeated }) => repeated)).toEqual([false, false, false]);
  });

  test('that stays refused ends the request', async () => {
    await using server = await serve(({ url }, response) => {
      if (url === '/oauth/token') reply(response, 200, { access_token: 'T' });
      else reply(response, 401, { error: 'no' });
    });
    await using setup = clientOf(server.url, { auth: credentials(server.url) });
    expect(await setup.client.send(get('/v2025/x'))).toMatchObject({ status: 401, attempts: 2 });
  });

  test('counts as part of the attempts of a request', async () => {
    let fetches = 0;
    await using server = await serve(({ url }, response) => {
      if (url !== '/oauth/token') return reply(response, 503);
      fetches += 1;
      if (fetches < 3) reply(response, 503);
      else reply(response, 200, { access_token: 'T', expires_in: 3600 });
    });
    await using setup = clientOf(server.url, { auth: credentials(server.url) });
    expect(await setup.client.send(get('/v2025/x'))).toMatchObject({ status: 503, attempts: 5 });
    expect(server.arrivals.map(({ url }) => url)).toEqual([
      ...Array(3).fill('/oauth/token'),
      ...Array(3).fill('/v2025/x'),
    ]);
    const started = setup.events.filter(({ type }) => type === 'request-started');
    expect(started).toMatchObject([{ attempt: 3 }, { attempt: 4 }, { attempt: 5 }]);
  });

  test('takes its time from that of the request', async () => {
    let fetches = 0;
    await using server = await serve(({ url }, response) => {
      if (url !== '/oauth/token') return reply(response, 503, null, { 'retry-after': '100' });
      fetches += 1;
      if (fetches === 1) return reply(response, 503, null, { 'retry-after': '250' });
      reply(response, 200, { access_token: 'T', expires_in: 3600 });
    });
    await using setup = clientOf(server.url, { auth: credentials(server.url) });
    expect(await setup.client.send(get('/v2025/x'))).toMatchObject({ status: 503, ms: 250_000 });
    expect(setup.clock.slept).toEqual([250_000]);
  });

  test('leaves a request no more time for its answer than is left', async () => {
    let fetches = 0;
    await using server = await serve(({ url }, response) => {
      if (url !== '/oauth/token') return setTimeout(() => reply(response, 200), 3_000).unref();
      fetches += 1;
      if (fetches === 1) return reply(response, 503, null, { 'retry-after': '250' });
      reply(response, 200, { access_token: 'T', expires_in: 3600 });
    });
    const options = { retries: { total: 250_000, lastAttempt: 500 } };
    await using setup = clientOf(server.url, { auth: credentials(server.url), options });
    expect(await setup.client.send(post('/v2025/x', {}))).toMatchObject({ reason: 'timeout' });
  });

  test('and a host that refuses connections are given up within ten seconds, the host named', async () => {
    const server = await serve(() => {});
    await server[Symbol.asyncDispose]();
    for (const auth of [credentials(server.url), fixedToken]) {
      await using setup = clientOf(server.url, { auth });
      const sent = await setup.client.send(get('/v2025/x'));
      expect(sent.outcome).toBe('unsent');
      expect(JSON.stringify(sent)).toContain(new URL(server.url).host);
      expect(sent.attempts).toBeGreaterThan(1);
      expect(sent.attempts).toBeLessThanOrEqual(5);
      expect(setup.clock.slept).toHaveLength(sent.attempts - 1);
      expect(setup.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(10_000);
    }
  });

  test('never follows a redirect to another host', async () => {
    await using other = await serve((_arrival, response) => reply(response, 200, []));
    await using server = await serve((_arrival, response) =>
      reply(response, 307, null, { location: `${other.url}/v2025/x` }),
    );
    await using setup = clientOf(server.url);
    expect(await setup.client.send(get('/v2025/x'))).toMatchObject({ status: 307, attempts: 1 });
    expect(other.arrivals).toEqual([]);
  });
});

describe('secrets', () => {
  test('are filled in when sending, and not shown when the tenant repeats them', async () => {
    await using server = await serve(({ body, headers }, response) =>
      reply(response, 400, {
        detailCode: `400 ${body}`,
        trackingId: 'id-1',
        messages: [{ locale: 'en', text: `${headers.authorization} p"w/1` }],
      }),
    );
    await using setup = clientOf(server.url, { secrets: { PASSWORD: 'p"w/1' } });
    const body = { attributes: { $jsonText: { password: { $secret: 'PASSWORD' } } } };
    const answer = await setup.client.send(put('/v2024/sim-integrations/1', body));
    expect(JSON.parse(server.arrivals[0]?.body ?? '')).toEqual({ attributes: '{"password":"p\\"w/1"}' });
    expect(answer).toMatchObject({ status: 400, trackingId: 'id-1' });
    const shown = JSON.stringify([answer, setup.events]);
    expect(shown).not.toMatch(/p\\*"w|token-given-by-hand/);
    expect(shown).toContain('[secret]');
  });

  test.each<[string, string, Json | string]>([
    ['a page that is cut out of its markup', 'w<b>alrus-of-the-client', '<html>w<b>alrus-of-the-client'],
    ['a page that is cut', 'walrus-of-the-client', `<html>${'.'.repeat(190)}walrus-of-the-client`],
    ['JSON that is cut', 'walrus-of-the-client', { error: `${'.'.repeat(390)}walrus-of-the-client` }],
    ['JSON', 'walrus-of-the-client', { error_description: 'not walrus-of-the-client' }],
  ])('are not shown of a success without a token either: %s', async (_name, secret, body) => {
    await using server = await serve((_arrival, response) => {
      if (typeof body === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(body);
      else reply(response, 200, body);
    });
    const auth = { ...credentials(server.url), clientSecret: () => secret };
    await using setup = clientOf(server.url, { auth });
    const answer = await setup.client.send(get('/v2025/x'));
    expect(answer).toMatchObject({ outcome: 'unsent' });
    expect(JSON.stringify([answer, setup.events])).not.toMatch(/w.?alr|lrus/);
  });

  test('that are not set leave the request unsent', async () => {
    await using server = await serve((_arrival, response) => reply(response, 200, []));
    const reveal = (name: string): string => {
      throw new Error(`${name} is not set`);
    };
    await using setup = clientOf(server.url, { reveal });
    expect(await setup.client.send(post('/v2025/x', { $secret: 'SNOW_PASSWORD' }))).toMatchObject({
      outcome: 'unsent',
      reason: 'no-secret',
      detail: 'SNOW_PASSWORD is not set',
    });
  });
});

describe('a failure on the way', () => {
  const requests = { get: get('/v2025/x'), put: put('/v2025/x', {}), post: post('/v2025/x', {}) };
  const setting = patch('/v2024/x', [{ op: 'replace', path: '/a', value: 1 }]);
  const removing = patch('/v2024/x', [{ op: 'remove', path: '/a' }]);

  test.each([
    ['GET', requests.get, 2],
    ['PUT', requests.put, 2],
    ['PATCH that sets', setting, 2],
    ['PATCH that removes', removing, 1],
    ['POST', requests.post, 1],
  ])('%s after a lost answer', async (_name, request, arrivals) => {
    let isFirst = true;
    await using server = await serve((_arrival, response, socket) => {
      const reset = isFirst;
      isFirst = false;
      if (reset) socket.resetAndDestroy();
      else reply(response, 200, {});
    });
    await using setup = clientOf(server.url);
    const answer = await setup.client.send(request);
    expect(server.arrivals).toHaveLength(arrivals);
    expect(mayHaveHappened(answer)).toBe(true);
    expect(answer.outcome).toBe(arrivals === 2 ? 'answered' : 'lost');
    expect(answer.repeated).toBe(arrivals === 2 && request.method !== 'GET');
    expect(answer.attempts).toBe(arrivals);
  });

  test('a write that may have been carried out never ends as unsent', async () => {
    const server = await serve((_arrival, response) => {
      response.once('close', () => void server[Symbol.asyncDispose]());
      reply(response, 503, null, { connection: 'close' });
    });
    await using setup = clientOf(server.url);
    const answer = await setup.client.send(requests.put);
    expect(answer).toMatchObject({ outcome: 'answered', status: 503, repeated: true });
    expect(answer.attempts).toBeGreaterThan(1);
  });

  test('429 pauses all requests of that API version and loses none', async () => {
    let refused = 0;
    await using server = await serve(({ url }, response) => {
      if (url === '/v2025/first' && refused < 1) {
        refused += 1;
        reply(response, 429, { message: 'too many' }, { 'retry-after': '7' });
      } else reply(response, 200, []);
    });
    await using setup = clientOf(server.url, { limits: { concurrency: 1 } });
    const sends = ['first', 'second', 'third'].map((name) => setup.client.send(post(`/v2025/${name}`, {})));
    const answers = await Promise.all(sends);
    expect(answers.map((answer) => answer.outcome === 'answered' && answer.status)).toEqual([200, 200, 200]);
    expect(server.arrivals.map(({ url }) => url)).toEqual([
      '/v2025/first',
      '/v2025/first',
      '/v2025/second',
      '/v2025/third',
    ]);
    expect(setup.clock.slept).toContain(7000);
    expect(answers[0]).toMatchObject({ attempts: 2, repeated: false });
  });

  test('a Retry-After longer than anyone waits ends the request', async () => {
    await using server = await serve((_arrival, response) =>
      reply(response, 429, { message: 'come back tomorrow' }, { 'retry-after': '86400' }),
    );
    await using setup = clientOf(server.url);
    expect(await setup.client.send(requests.get)).toMatchObject({
      status: 429,
      attempts: 1,
      advice: { hint: 'Run again later: the tenant accepts no requests for the next 86400 s.' },
    });
    expect(await setup.client.send(requests.get)).toMatchObject({
      outcome: 'unsent',
      reason: 'rate-limited',
      detail: 'the tenant accepts no requests for the next 86400 s',
    });
  });

  test('a write whose turn comes too late is not sent, and leaves its turn to others', async () => {
    await using server = await serve((_arrival, response) => reply(response, 200, {}));
    await using setup = clientOf(server.url, { limits: { requests: 1 } });
    const { clock, client } = setup;
    const sendWithin = (ms: number) => client.send(put('/v2025/x', {}), { notAfter: clock.now() + ms });
    expect(await sendWithin(0)).toMatchObject({ status: 200 });
    expect(await sendWithin(5_000)).toMatchObject({
      outcome: 'unsent',
      reason: 'outdated',
      detail: 'the request had to wait too long, and may no longer be right',
      attempts: 1,
      repeated: false,
    });
    expect(server.arrivals).toHaveLength(1);
    const waited = clock.slept.length;
    expect(await sendWithin(5_000)).toMatchObject({ status: 200 });
    expect(clock.slept).toHaveLength(waited);
    expect(await sendWithin(60_000)).toMatchObject({ status: 200 });
  });

  test('a write that was held up by the renewal of its token is not sent either', async () => {
    let fetches = 0;
    await using server = await serve(({ url }, response) => {
      if (url !== '/oauth/token') return reply(response, 200, {});
      fetches += 1;
      if (fetches === 2) return reply(response, 503, {}, { 'retry-after': '7' });
      reply(response, 200, { access_token: `t${fetches}`, expires_in: 5 });
    });
    await using setup = clientOf(server.url, { auth: credentials(server.url), limits: { requests: 1 } });
    const { clock, client } = setup;
    const sendWithin = (ms: number) => client.send(put('/v2025/x', {}), { notAfter: clock.now() + ms });
    expect(await sendWithin(0)).toMatchObject({ status: 200 });
    expect(await sendWithin(12_000)).toMatchObject({ outcome: 'unsent', reason: 'outdated' });
    expect(fetches).toBe(3);
  });
});

describe('clients of several environments', () => {
  const limitersOf = (...targets: (readonly [url: string, auth: Auth])[]) => {
    const limiters: Limiters = new Map();
    for (const [url, auth] of targets) clientOf(url, { auth, options: { limiters } });
    return limiters.size;
  };
  const [here, there] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
  const other: Auth = {
    by: 'client-credentials',
    tokenUrl: `${here}/t`,
    clientId: () => 'other',
    clientSecret: () => 's',
  };

  test('share the limit of a tenant that counts them together, and no other', () => {
    expect(limitersOf([here, credentials(here)], [here, credentials(here)])).toBe(1);
    expect(limitersOf([here, credentials(here)], [there, credentials(there)])).toBe(2);
    expect(limitersOf([here, credentials(here)], [here, other])).toBe(2);
    expect(limitersOf([here, fixedToken], [here, { by: 'token', token: () => 'another' }])).toBe(2);
    expect(limitersOf([here, fixedToken], [here, fixedToken])).toBe(1);
  });

  test('have one of their own where the client id is not known, which the first request reports', async () => {
    const unset = (error: Error): Auth => ({
      by: 'token',
      token: () => {
        throw error;
      },
    });
    const missing = unset(fail('secret-unset', 'TOKEN is not set.'));
    expect(limitersOf([here, missing], [there, missing])).toBe(0);
    expect(() => limitersOf([here, unset(new TypeError('a fault of the program'))])).toThrow(TypeError);
  });
});

test.each(['/oauth/token', '/v2025/x'])(
  'an answer of %s that drips is given up in time',
  async (dripping) => {
    await using server = await serve(({ url }, response) => {
      if (url !== dripping) return reply(response, 200, { access_token: 'T' });
      const drip = setInterval(() => response.write(' '), 2);
      response.on('close', () => clearInterval(drip));
    });
    await using setup = clientOf(server.url, {
      auth: credentials(server.url),
      options: { clock: systemClock, retries: { total: 60, lastAttempt: 20, firstWait: 1 } },
    });
    expect(await setup.client.send(get('/v2025/x'))).not.toMatchObject({ outcome: 'answered' });
    expect(server.arrivals.filter(({ url }) => url === dripping).length).toBeLessThan(5);
  },
);

test.each([
  ['after five attempts', {}, 5],
  ['as soon as `limits.timeout` would be over', { timeouts: { total: 1000 } }, 3],
  ['at once where that is shorter than any wait', { timeouts: { total: 100 } }, 1],
])('a host that refuses connections is given up %s', async (_name, options, attempts) => {
  const server = await serve(() => {});
  await server[Symbol.asyncDispose]();
  await using setup = clientOf(server.url, { options });
  expect(await setup.client.send(get('/v2025/x'))).toMatchObject({ reason: 'unreachable', attempts });
});

test('what is still under way when a client is closed ends with it, and is not tried again', async () => {
  await using server = await serve(() => {});
  await using setup = clientOf(server.url, { limits: { concurrency: 1 } });
  const reads = [setup.client.send(get('/v2025/x')), setup.client.send(get('/v2024/y'))];
  await expect.poll(() => server.arrivals).toHaveLength(1);
  await setup.client.close();
  for (const read of reads) expect(await read).toMatchObject({ reason: 'interrupted', attempts: 1 });
  expect(setup.events.map(({ type }) => type)).not.toContain('retrying');
});

describe('an interruption', () => {
  test('waits for a write on its way, starts nothing new, ends waits and reads', async () => {
    const abort = new AbortController();
    await using server = await serve(({ method }, response) => {
      if (method !== 'PUT') return;
      abort.abort();
      setImmediate(() => reply(response, 200, { done: true }));
    });
    await using setup = clientOf(server.url, {
      limits: { concurrency: 2 },
      options: { signal: abort.signal },
    });
    const read = setup.client.send(get('/v2025/slow'));
    const write = setup.client.send(put('/v2025/x', {}));
    const queued = setup.client.send(put('/v2025/y', {}));
    expect(await write).toMatchObject({ outcome: 'answered', status: 200 });
    expect(await read).toMatchObject({ outcome: 'lost', reason: 'interrupted' });
    expect(await queued).toMatchObject({ outcome: 'unsent', reason: 'interrupted' });
    expect(await setup.client.send(get('/v2025/z'))).toMatchObject({
      outcome: 'unsent',
      reason: 'interrupted',
      detail: 'the run was interrupted',
    });
    expect(server.arrivals.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  test('is listened for by hundreds of requests without a warning', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const { signal } = new AbortController();
    await using server = await serve((_arrival, response) => reply(response, 200, []));
    await using setup = clientOf(server.url, { options: { signal } });
    await Promise.all(Array.from({ length: 100 }, () => setup.client.send(get('/v2025/x'))));
    await settle();
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  test('stops waiting before a repetition', async () => {
    const abort = new AbortController();
    await using server = await serve((_arrival, response) => {
      reply(response, 503);
      abort.abort();
    });
    await using setup = clientOf(server.url);
    const answer = await setup.client.send(put('/v2025/x', {}), { signal: abort.signal });
    expect(answer).toMatchObject({ outcome: 'answered', status: 503 });
    expect(server.arrivals).toHaveLength(1);
  });
});

test('what is told of the traffic holds no header and no body', async () => {
  const cookie = { 'set-cookie': 'session=cookie-given' };
  await using server = await serve((_arrival, response) =>
    reply(response, 200, { private: 'answer' }, cookie),
  );
  await using setup = clientOf(server.url);
  await setup.client.send(post('/v2025/x', { private: 'question', key: 'welcome_mail' }));
  const [started, , finished] = setup.events;
  const request = { method: 'POST', path: '/v2025/x', query: {} };
  expect(started).toEqual({ type: 'request-started', request, attempt: 1 });
  expect(finished).toMatchObject({ type: 'request-finished', request, attempt: 1, result: 200 });
  const told = setup.events.map((event) => (event.type === 'exchanged' ? event.describe() : event));
  expect(JSON.stringify(told)).toContain('welcome_mail');
  expect(JSON.stringify(told)).not.toMatch(/question|"answer"\}|token-given|cookie-given/);
});

describe('what is told of the traffic', () => {
  test('names answers by their status, and failures by their kind and reason', async () => {
    let count = 0;
    await using server = await serve((_arrival, response, socket) => {
      count += 1;
      if (count === 1) reply(response, 404, { trackingId: 'id-1' });
      else socket.resetAndDestroy();
    });
    await using setup = clientOf(server.url);
    await setup.client.send(get('/v2025/x', { limit: '1' }));
    await setup.client.send(post('/v2025/y', {}));
    const finished = setup.events.filter(({ type }) => type === 'request-finished');
    expect(finished).toMatchObject([
      {
        request: { method: 'GET', path: '/v2025/x', query: { limit: '1' } },
        result: 404,
        detail: null,
        trackingId: 'id-1',
        // The clock of the test stands still while a request is under way.
        ms: 0,
      },
      {
        result: 'lost',
        detail: expect.stringMatching(/^the connection ended before a response arrived \(/),
        trackingId: null,
      },
    ]);
  });

  test('tells waits for the rate limit and before repetitions, with their reasons', async () => {
    await using server = await serve(({ url }, response) => reply(response, url === '/v2025/x' ? 200 : 503));
    await using setup = clientOf(server.url, { limits: { requests: 1 } });
    await setup.client.send(get('/v2025/x'));
    await setup.client.send(get('/v2025/y'));
    const waits = setup.events.filter(({ type }) => type === 'rate-limit-wait');
    expect(waits[0]).toEqual({ type: 'rate-limit-wait', version: 'v2025', ms: expect.any(Number) });
    expect(setup.events.filter(({ type }) => type === 'retrying')[0]).toMatchObject({
      request: { method: 'GET', path: '/v2025/y' },
      attempt: 1,
      reason: '503 Service Unavailable',
    });
  });

  test('tells a repeated request for a token, without the secret that its answer repeats', async () => {
    await using server = await serve(({ body }, response) =>
      reply(response, 503, { message: `not ${body}` }),
    );
    await using setup = clientOf(server.url, { auth: credentials(server.url) });
    await setup.client.send(get('/v2025/x'));
    expect(setup.events.find(({ type }) => type === 'retrying')).toMatchObject({
      request: { path: '/oauth/token' },
      reason: expect.stringMatching(/client_secret=\[secret\]/),
    });
  });
});

test('an answer that is asked for again takes the place of the one that is kept', async () => {
  await using server = await serve((_arrival, response) => reply(response, 200, { text: 'x'.repeat(60) }));
  await using setup = clientOf(server.url, { options: { answers: 100 } });
  for (const outcome of ['answered', 'answered', 'answered'])
    expect(await setup.client.send(get('/v2025/x'))).toMatchObject({ outcome });
  // Another page does not.
  for (const request of [get('/v2025/y'), { ...get('/v2025/x'), query: { offset: '1' } }])
    expect(await setup.client.send(request)).toMatchObject({ outcome: 'lost', reason: 'too-much' });
});

test('a request that cannot be prepared has taken no attempt and no time', async () => {
  await using setup = clientOf('https://acme.example');
  expect(await setup.client.send(post('/v2025/../x', {}))).toMatchObject({
    ...{ outcome: 'unsent', attempts: 0, ms: 0, trackingId: null, repeated: false },
  });
});

test('values that a plan does not show are not in the answers of their own request, where it failed', async () => {
  await using server = await serve(({ url, body }, response) => {
    if (url === '/v2025/refused') reply(response, 400, { message: `not ${body}` });
    else if (url === '/v2025/denied') reply(response, 200, { error: `not ${body}` });
    else if (url === '/v2025/other') reply(response, 400, { message: 'not canary either' });
    else reply(response, 200, { said: body });
  });
  await using setup = clientOf(server.url);
  const body = { settings: { $literal: { note: 'canary-of-the-tenant' } } };
  expect(JSON.stringify(await setup.client.send(post('/v2025/refused', body)))).not.toContain('canary');
  expect(JSON.stringify(await setup.client.send(post('/v2025/denied', body)))).not.toContain('canary');
  expect(JSON.stringify(await setup.client.send(post('/v2025/x', body)))).toContain('canary');
  expect(JSON.stringify(await setup.client.send(post('/v2025/other', {})))).toContain('canary');
  expect(setup.client.redact('canary-of-the-tenant')).toBe('canary-of-the-tenant');
});

test('a message can be freed of the secrets that were sent', async () => {
  await using server = await serve((_arrival, response) => reply(response, 200, {}));
  await using setup = clientOf(server.url, { secrets: { PW: 'walrus-of-the-desk' } });
  await setup.client.send(post('/v2025/x', { password: { $secret: 'PW' } }));
  expect(setup.client.redact('It was walrus-of-the-desk.')).toBe('It was [secret].');
});
