/** Requests through a proxy, without the program around them. */
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { defaultTransportLimits } from '../../src/client/transport.ts';
import type { HttpProxies } from '../../src/model/tenant.ts';
import { type OnConnect, startProxy as startTunnels } from './proxies.ts';
import { openTransport, serve } from './support.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function startProxy(onConnect?: OnConnect) {
  const proxy = await startTunnels(onConnect);
  open.push(proxy.close);
  return proxy;
}

function transportThrough(
  proxies: Partial<HttpProxies>,
  limits: Partial<typeof defaultTransportLimits> = {},
) {
  const transport = openTransport(4, limits, { http: '', https: '', except: '', ...proxies });
  open.push(transport.close);
  return transport;
}

const call = (origin: string) => ({ origin, method: 'GET', path: '/x', headers: {}, body: null }) as const;

describe('a transport with a proxy', () => {
  test('tunnels through it, and sends it the credentials of its URL alone', async () => {
    await using server = await serve((_arrival, response) => response.end('{}'));
    const proxy = await startProxy();
    const transport = transportThrough({ http: `http://me:pass%20word@${proxy.host}` });
    const sent = { ...call(server.url), headers: { authorization: 'Bearer T' } };
    expect(await transport.exchange(sent)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(proxy.tunnels).toEqual([new URL(server.url).host]);
    expect(proxy.credentials).toEqual([`Basic ${btoa('me:pass word')}`]);
    const [arrival] = server.arrivals;
    expect(arrival?.headers).toMatchObject({ authorization: 'Bearer T' });
    expect(arrival?.headers).not.toHaveProperty('proxy-authorization');
  });

  test.each([
    ['a-token@', 'a-token:'],
    ['a-token:@', 'a-token:'],
    [':only-password@', ':only-password'],
    ['J%C3%BCrgen@', 'Jürgen:'],
  ])('sends it what its URL has of credentials: %s', async (given, pair) => {
    const proxy = await startProxy((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    await transportThrough({ https: `http://${given}${proxy.host}` }).exchange(call('https://acme.example'));
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from(pair).toString('base64')}`]);
  });

  test('sends it no credentials that its URL does not have', async () => {
    const proxy = await startProxy((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    await transportThrough({ https: proxy.url }).exchange(call('https://acme.example'));
    expect(proxy.credentials).toEqual([undefined]);
  });

  test('reaches the hosts that are excepted directly', async () => {
    await using server = await serve((_arrival, response) => response.end('{}'));
    const proxy = await startProxy();
    for (const except of ['127.0.0.1', '*', `other.example, ${new URL(server.url).host}`]) {
      const transport = transportThrough({ http: proxy.url, except });
      expect(await transport.exchange(call(server.url))).toMatchObject({ status: 200 });
    }
    expect(proxy.tunnels).toEqual([]);
  });

  test.each<[except: string, url: string, isDirect: boolean]>([
    ['*, acme.example', 'http://127.0.0.1:1', true],
    ['[::1]', 'http://[::1]:1', true],
    ['[::1]:1', 'http://[::1]:1', true],
    ['[::1]:2', 'http://[::1]:1', false],
    ['.localhost', 'http://a.localhost:1', true],
    ['localhost', 'http://a.LOCALHOST:1', true],
    ['a.localhost', 'http://localhost:1', false],
    ['host', 'http://localhost:1', false],
    ['127.0.0.1:2', 'http://127.0.0.1:1', false],
    ['127.0.0.0/8', 'http://127.0.0.1:1', false],
    ['.', 'http://a.localhost:1', false],
  ])('that does not count for %s calls %s directly: %s', async (except, url, isDirect) => {
    const proxy = await startProxy((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const answer = await transportThrough({ http: proxy.url, except }).exchange(call(url));
    expect(answer).toMatchObject({ reason: isDirect ? 'unreachable' : 'refused-by-proxy' });
    expect(proxy.tunnels).toHaveLength(isDirect ? 0 : 1);
  });

  test('asks the proxy for https too, with host and port', async () => {
    const proxy = await startProxy((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const answer = await transportThrough({ https: proxy.url }).exchange(call('https://acme.example'));
    expect(proxy.tunnels).toEqual(['acme.example:443']);
    expect(answer).toMatchObject({ outcome: 'unsent', reason: 'refused-by-proxy' });
  });

  test.each<[string, OnConnect, string, RegExp]>([
    ['wants a password', (socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'), 'refused-by-proxy', /password/],
    ['cannot reach the host', (socket) => socket.end('HTTP/1.1 502 No\r\n\r\n'), 'unreachable', /502/],
    ['hangs up', (socket) => socket.destroy(), 'unreachable', /cannot be used/],
  ])('that %s: nothing was sent, and the message names both', async (_what, onConnect, reason, words) => {
    const proxy = await startProxy(onConnect);
    const transport = transportThrough({ https: `http://me:secret-pw@${proxy.host}` });
    const answer = await transport.exchange(call('https://acme.example'));
    expect(answer).toMatchObject({ outcome: 'unsent', reason });
    const text = JSON.stringify(answer);
    expect(text).toMatch(words);
    expect(text).toContain('acme.example');
    expect(text).toContain(proxy.host);
    expect(text).not.toContain('secret-pw');
  });

  test('has as long for a tunnel, and the host in it for a connection, as a connection may take', async () => {
    const proxy = await startProxy((socket) => {
      if (proxy.tunnels.at(-1) !== 'late.example:443') socket.write('HTTP/1.1 200 OK\r\n\r\n');
    });
    const transport = transportThrough({ https: proxy.url }, { connect: 50, total: 5_000 });
    const [late, silent] = await Promise.all(
      ['late', 'silent'].map((name) => transport.exchange(call(`https://${name}.example`))),
    );
    expect(JSON.stringify(late)).toContain(
      `the proxy ${proxy.host} cannot be used (UND_ERR_HEADERS_TIMEOUT)`,
    );
    expect(JSON.stringify(silent)).toContain('did not accept the connection in time');
  });

  test('whose host makes no connection in its tunnel ends when the transport is closed', async () => {
    const tunnels: Duplex[] = [];
    const proxy = await startProxy((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => tunnels.push(socket));
    });
    const transport = transportThrough({ https: proxy.url }, { connect: 600_000 });
    const answer = transport.exchange(call('https://acme.example'));
    await expect.poll(() => tunnels.length).toBe(1);
    transport.close();
    await expect.poll(() => tunnels[0]?.readableEnded).toBe(true);
    expect(await answer).toMatchObject({ outcome: 'unsent' });
  });

  test('that is not there', async () => {
    const proxy = await startProxy();
    for (const close of open.splice(0)) await close();
    const answer = await transportThrough({ https: proxy.url }).exchange(call('https://acme.example'));
    expect(answer).toMatchObject({ outcome: 'unsent', reason: 'unreachable' });
    expect(JSON.stringify(answer)).toMatch(/ECONNREFUSED/);
  });
});
