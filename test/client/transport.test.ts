import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Call, defaultTransportLimits } from '../../src/client/transport.ts';
import { type Handler, openTransport, serve } from './support.ts';

const open: ReturnType<typeof openTransport>[] = [];
afterEach(() => {
  for (const transport of open.splice(0)) transport.close();
});

function transportWith(limits: Partial<typeof defaultTransportLimits> = {}) {
  const transport = openTransport(4, limits);
  open.push(transport);
  return transport;
}

async function ask(
  handler: Handler,
  limits: Partial<typeof defaultTransportLimits> = {},
  call: Partial<Call> = {},
) {
  await using server = await serve(handler);
  const { url: origin } = server;
  return await transportWith(limits).exchange({ ...getFrom(origin), ...call });
}

const getFrom = (origin: string) => ({ origin, method: 'GET', path: '/', headers: {}, body: null }) as const;
const putTo = (origin: string, path: string, more: Partial<Call> = {}): Call => ({
  origin,
  method: 'PUT',
  path,
  headers: {},
  body: '{}',
  ...more,
});

const json = { a: 'ü' };
const text = JSON.stringify(json);

describe('an answer is read by what it is', () => {
  test.each<[string, Record<string, string>, string | Buffer, unknown, string | null]>([
    ['JSON', { 'content-type': 'application/json' }, text, json, null],
    ['JSON that calls itself a text', { 'content-type': 'text/plain' }, text, json, null],
    ['nothing', {}, '', null, null],
    ['HTML', { 'content-type': 'text/html' }, '<html>no</html>', null, '<html>no</html>'],
    ['HTML that calls itself JSON', { 'content-type': 'application/json' }, '<html>', null, '<html>'],
    ['gzip', { 'content-encoding': 'gzip' }, gzipSync(text), json, null],
    ['gzip that nobody announced', {}, gzipSync(text), json, null],
    ['plain JSON announced as gzip', { 'content-encoding': 'gzip' }, text, json, null],
    ['plain JSON announced as brotli', { 'content-encoding': 'br' }, text, json, null],
    ['an encoding that does not exist', { 'content-encoding': 'squeezed' }, text, json, null],
    ['JSON behind a byte order mark', {}, `\ufeff${text}`, json, null],
  ])('%s', async (_name, headers, body, expected, expectedText) => {
    const answer = await ask((_arrival, response) => response.writeHead(200, headers).end(body));
    expect(answer).toMatchObject({ outcome: 'answered', status: 200, body: expected, text: expectedText });
  });

  test('JSON nested without end is taken for text', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const answer = await ask((_arrival, response) => response.writeHead(400).end(deep));
    expect(answer).toMatchObject({ outcome: 'answered', body: null, text: deep });
  });
});

test('JSON in another encoding than UTF-8 is not read: what it says would be written back wrong', async () => {
  const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
  const answer = await ask((_arrival, response) => response.writeHead(200, headers).end(text, 'latin1'));
  expect(answer).toMatchObject({ outcome: 'lost', reason: 'cut' });
});

describe('what may have been carried out is told from what was not', () => {
  test('nobody listens', async () => {
    const server = await serve(() => {});
    await server[Symbol.asyncDispose]();
    const answer = await transportWith().exchange(putTo(server.url, '/'));
    expect(answer).toMatchObject({ outcome: 'unsent', reason: 'unreachable' });
  });

  test('the connection is reset before an answer', async () => {
    const answer = await ask((_arrival, _response, socket) => socket.resetAndDestroy());
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'reset' });
  });

  test.each([
    ['of a stated length', { 'content-length': '100', 'content-type': 'application/json' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('a body %s breaks off', async (_name, headers) => {
    const answer = await ask((_arrival, response, socket) => {
      response.writeHead(200, headers);
      response.write('{"a":');
      setImmediate(() => socket.destroy());
    });
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'cut' });
  });

  test('JSON of a success that ends too early was cut, though the connection says nothing', async () => {
    const answer = await ask((_arrival, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1","na'),
    );
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'cut' });
  });

  test('so was a compressed one that cannot be unpacked; an error stays what its status says', async () => {
    const half = gzipSync(text).subarray(0, -12);
    const cut = (status: number) =>
      ask((_arrival, response) => response.writeHead(status, { 'content-encoding': 'gzip' }).end(half));
    expect(await cut(200)).toMatchObject({ outcome: 'lost', reason: 'cut' });
    expect(await cut(403)).toMatchObject({ outcome: 'answered', status: 403 });
  });

  test('no bytes that cannot be unpacked are taken for a text', async () => {
    const body = gzipSync(gzipSync(text));
    const answer = (status: number) =>
      ask((_arrival, response) => response.writeHead(status, { 'content-encoding': 'gzip, gzip' }).end(body));
    expect(await answer(201)).toMatchObject({ outcome: 'lost', reason: 'cut' });
    expect(await answer(403)).toMatchObject({ outcome: 'answered', status: 403, body: null, text: null });
  });

  test('a 204 was carried out, whatever stands behind its headers', async () => {
    for (const rest of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
      const answer = await ask((_arrival, _response, socket) =>
        socket.write(`HTTP/1.1 204 No Content\r\nX-Request-Id: r1\r\n${rest}`),
      );
      const headers = expect.objectContaining({ 'x-request-id': 'r1' });
      expect(answer).toMatchObject({ outcome: 'answered', status: 204, headers, body: null, text: null });
    }
  });

  test('no answer within the time limit', async () =>
    expect(await ask(() => {}, { headers: 30 })).toMatchObject({ outcome: 'lost', reason: 'timeout' }));

  /** What becomes of an answer without end. Its one connection is there before: the time limit is not for making one. */
  async function askForEndless(limits: Partial<typeof defaultTransportLimits>, longest?: number) {
    await using server = await serve(({ url }, response) => {
      if (url === '/short') {
        response.end('{}');
        return;
      }
      const drip = setInterval(() => response.write(' '), 2);
      response.on('close', () => clearInterval(drip));
    });
    const transport = openTransport(1, limits);
    open.push(transport);
    const exchange = (path: string, most?: number) =>
      transport.exchange({ ...getFrom(server.url), path, longest: most });
    await expect.poll(() => exchange('/short')).toMatchObject({ outcome: 'answered' });
    return await exchange('/endless', longest);
  }

  test('a body that stops, though its connection stays', async () => {
    const answer = await ask((_arrival, response) => response.write('{'), { body: 50, total: 900_000 });
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'timeout' });
  });

  test('(not a body that comes slowly, but never stops)', async () => {
    const chunks = ['{', ...Array.from({ length: 20 }, () => ' '), '}'];
    const answer = await ask(
      (_arrival, response) => {
        const drip = setInterval(() => {
          response.write(chunks.shift() ?? '');
          if (chunks.length > 0) return;
          clearInterval(drip);
          response.end();
        }, 60);
      },
      { body: 1_000 },
    );
    expect(answer).toMatchObject({ outcome: 'answered', status: 200 });
  });

  test('a body that trickles for ever', async () => {
    const answer = await askForEndless({ body: 10_000, total: 60 });
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'timeout' });
  });

  test('an answer that drips is given up when the time of its request is over', async () =>
    expect(await askForEndless({}, 60)).toMatchObject({ outcome: 'lost', reason: 'timeout' }));

  test('an attempt never has longer than any exchange', async () => {
    const answer = await ask(
      (_arrival, response) => setTimeout(() => response.end('{}'), 2_000),
      { total: 200 },
      { longest: 60_000 },
    );
    expect(answer.outcome).not.toBe('answered');
  });

  test('a request that was given up gives its connection back, and does not go out later', async () => {
    let answerFirst = () => {};
    await using server = await serve(({ url }, response) => {
      if (url === '/slow') answerFirst = () => response.end('{}');
      else if (url !== '/hangs') response.end('{}');
    });
    // Longer than the test: only giving a request up can end it.
    const transport = openTransport(1, { headers: 120_000, total: 120_000 });
    open.push(transport);
    const exchange = (path: string, longest?: number) =>
      transport.exchange(putTo(server.url, path, { longest }));
    const slow = exchange('/slow');
    await expect.poll(() => server.arrivals).toHaveLength(1);
    expect(await exchange('/waits', 50)).toMatchObject({ outcome: 'unsent', reason: 'unreachable' });
    answerFirst();
    expect(await slow).toMatchObject({ status: 200 });
    expect(await exchange('/hangs', 1_000)).toMatchObject({ outcome: 'lost', reason: 'timeout' });
    expect(await exchange('/last', 20_000)).toMatchObject({ status: 200 });
    expect(server.arrivals.map(({ url }) => url)).toEqual(['/slow', '/hangs', '/last']);
  });

  test.each([
    ['plain', {}, Buffer.alloc(2_000_000, 'a')],
    ['unpacked', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(2_000_000, 'a'))],
  ])('a body too large: %s', async (_name, headers, body) => {
    const answer = await ask((_arrival, response) => response.writeHead(200, headers).end(body), {
      bodyBytes: 1_000_000,
    });
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'too-large' });
  });

  test('a success whose message is too long', async () => {
    const answer = await ask((_arrival, response) =>
      response.writeHead(200).end(JSON.stringify({ error: 'x'.repeat(2_000_000) })),
    );
    expect(answer).toMatchObject({ outcome: 'lost', reason: 'too-large' });
  });

  test('an interruption before and during a request', async () => {
    const early = await ask(() => {}, {}, { signal: AbortSignal.abort() });
    expect(early).toMatchObject({ outcome: 'unsent', reason: 'interrupted' });
    const abort = new AbortController();
    const late = await ask(() => abort.abort(), {}, { signal: abort.signal });
    expect(late).toMatchObject({ outcome: 'lost', reason: 'interrupted' });
  });

  test('a header that would split the request', async () => {
    const answer = await ask(() => {}, {}, { headers: { accept: 'a\r\nx: y' } });
    expect(answer).toMatchObject({ outcome: 'unsent', reason: 'unsafe' });
  });
});

test.each([
  ['a web page', 500, '<html>'.padEnd(2_000_000, '<p>x</p>')],
  ['JSON', 400, JSON.stringify({ detailCode: '400', causes: 'x'.repeat(2_000_000) })],
  ['text', 200, 'not JSON'.padEnd(2_000_000, ' x')],
])('of a message that is too long, only the beginning is kept: %s', async (_, status, body) => {
  const answer = await ask((_arrival, response) => response.writeHead(status).end(body));
  expect(answer).toMatchObject({ outcome: 'answered', status, body: null });
  const text = answer.outcome === 'answered' ? (answer.text ?? '') : '';
  expect(body.startsWith(text)).toBe(true);
  expect(text).toHaveLength(256 * 1024);
});

describe('what the host writes', () => {
  const answerTo = (bytes: string) => ask((_arrival, _response, socket) => socket.end(bytes));

  test.each([
    ['an interim answer comes first', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['bytes come behind it', ''],
  ])('is one answer, although %s', async (_name, before) => {
    const answer = await answerTo(`${before}HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\n1234 and more`);
    expect(answer).toMatchObject({ outcome: 'answered', status: 201, body: 1234 });
  });

  test('is told from a lost connection where it is no HTTP, or more than headers may be', async () => {
    expect(await answerTo('SSH-2.0-OpenSSH_9.2\r\n')).toMatchObject({
      outcome: 'lost',
      reason: 'cut',
      detail: expect.stringContaining('not valid HTTP/1.1'),
    });
    const long = `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(17_000)}\r\nContent-Length: 2\r\n\r\n{}`;
    expect(await answerTo(long)).toMatchObject({ outcome: 'lost', reason: 'too-large' });
  });
});

test.each(['DELETE', 'PATCH', 'POST', 'PUT'] as const)('a %s arrives with its body', async (method) => {
  await using server = await serve((_arrival, response) => response.end());
  const call = { origin: server.url, method, path: '/', headers: {}, body: text };
  expect(await transportWith().exchange(call)).toMatchObject({ outcome: 'answered' });
  expect(server.arrivals).toMatchObject([{ method, body: text }]);
});

test('a host is called by its IPv6 address', async ({ skip }) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n')).listen(0, '::1');
  const [error] = await Promise.race([once(server, 'listening'), once(server, 'error')]).catch((e) => [e]);
  if (error) return skip('This machine has no IPv6.');
  const address = server.address();
  const call = getFrom(`http://[::1]:${typeof address === 'object' ? address?.port : 0}`);
  expect(await transportWith().exchange(call)).toMatchObject({ status: 204 });
  server.close();
});

test('a kept connection that the host has closed is replaced; what is lost on one is not sent again', async () => {
  const sockets: Socket[] = [];
  await using server = await serve(({ url }, response, socket) => {
    sockets.push(socket);
    if (url === '/lost') socket.resetAndDestroy();
    else response.end('{}');
  });
  const transport = transportWith();
  const exchange = (path: string) => transport.exchange(putTo(server.url, path));
  expect(await exchange('/a')).toMatchObject({ outcome: 'answered' });
  const [kept] = sockets;
  if (kept) await once(kept.end(), 'close');
  expect(await exchange('/b')).toMatchObject({ outcome: 'answered' });
  expect(await exchange('/lost')).toMatchObject({ outcome: 'lost', reason: 'reset' });
  expect(server.arrivals.map(({ url }) => url)).toEqual(['/a', '/b', '/lost']);
  expect(new Set(sockets).size).toBe(2);
});

test('one request after the other goes over one connection', async () => {
  const sockets = new Set<unknown>();
  await using server = await serve((_arrival, response, socket) => {
    sockets.add(socket);
    response.end('{}');
  });
  const transport = transportWith();
  for (const path of ['/a', '/b', '/c']) await transport.exchange({ ...getFrom(server.url), path });
  expect(server.arrivals).toHaveLength(3);
  expect(sockets.size).toBe(1);
});

test('nothing is sent any more once it is closed', async () => {
  await using server = await serve((_arrival, response) => response.end('{}'));
  const transport = openTransport(4);
  const call = getFrom(server.url);
  expect(await transport.exchange(call)).toMatchObject({ outcome: 'answered' });
  transport.close();
  expect(await transport.exchange(call)).toMatchObject({ outcome: 'unsent' });
  expect(server.arrivals).toHaveLength(1);
});

test('a host that makes no TLS is given up when the time for a connection is over: nothing was sent', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const origin = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const answer = await transportWith({ connect: 50, total: 600_000 }).exchange(putTo(origin, '/'));
  expect(answer).toMatchObject({ outcome: 'unsent', reason: 'unreachable' });
  expect(JSON.stringify(answer)).toContain('did not accept the connection in time');
  silent.close();
});

test('requests that wait for a connection are not sent when it is closed', async () => {
  await using server = await serve(() => {});
  const transport = openTransport(1);
  const exchange = (path: string) => transport.exchange(putTo(server.url, path));
  const answers = ['/sent', '/waits', '/too'].map(exchange);
  await expect.poll(() => server.arrivals).toHaveLength(1);
  transport.close();
  expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual(['lost', 'unsent', 'unsent']);
  expect(server.arrivals).toHaveLength(1);
});

test('a connection that is still being made ends when it is closed: a process waits for no other host', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const origin = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const transport = transportWith({ connect: 600_000 });
  const answer = transport.exchange(getFrom(origin));
  const [socket] = await once(silent, 'connection');
  const ended = once(socket.on('error', () => {}).resume(), 'close');
  transport.close();
  await ended;
  expect(await answer).toMatchObject({ outcome: 'unsent' });
  silent.close();
});

test('connections are kept and their number is bounded', async () => {
  const sockets = new Set<unknown>();
  await using server = await serve((_arrival, response, socket) => {
    sockets.add(socket);
    response.end('{}');
  });
  const transport = transportWith();
  const call = getFrom(server.url);
  await Promise.all(Array.from({ length: 40 }, () => transport.exchange(call)));
  expect(server.arrivals).toHaveLength(40);
  expect(sockets.size).toBeLessThanOrEqual(4);
});
