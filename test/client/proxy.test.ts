import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { createTransport, defaultTransportLimits, type Transport } from '../../src/client/transport.ts';
import type { HttpProxies } from '../../src/model/network.ts';
import { startProgram } from '../support/program.ts';
import { createWorld, runProgram, type WorldOptions } from '../support/world.ts';
import { serve } from './support.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type OnConnect = (socket: Duplex) => void;

/** A proxy that tunnels, and keeps where to and with which credentials. */
async function startProxy(onConnect?: OnConnect) {
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((_request, response) => {
    response.writeHead(400).end('this proxy only tunnels');
  });
  server.on('connect', ({ url = '', headers }, client: Duplex, head: Buffer) => {
    tunnels.push(url);
    credentials.push(headers['proxy-authorization']);
    client.on('error', () => {});
    if (onConnect) return onConnect(client);
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(client);
      client.pipe(target);
    });
    sockets.push(target);
    target.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { host, url: `http://${host}`, tunnels, credentials };
}

function transportThrough(proxies: Partial<HttpProxies>): Transport {
  const transport = createTransport(4, defaultTransportLimits, {
    http: '',
    https: '',
    except: '',
    ...proxies,
  });
  open.push(() => transport.close());
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

  test('reaches the hosts that are excepted directly', async () => {
    await using server = await serve((_arrival, response) => response.end('{}'));
    const proxy = await startProxy();
    for (const except of ['127.0.0.1', '*', `other.example, ${new URL(server.url).host}`]) {
      const transport = transportThrough({ http: proxy.url, except });
      expect(await transport.exchange(call(server.url))).toMatchObject({ status: 200 });
    }
    expect(proxy.tunnels).toEqual([]);
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

  test('that is not there', async () => {
    const proxy = await startProxy();
    for (const close of open.splice(0)) await close();
    const answer = await transportThrough({ https: proxy.url }).exchange(call('https://acme.example'));
    expect(answer).toMatchObject({ outcome: 'unsent', reason: 'unreachable' });
    expect(JSON.stringify(answer)).toMatch(/ECONNREFUSED/);
  });
});

describe('the program', () => {
  async function openWorld(options: WorldOptions = {}) {
    const world = await createWorld(options);
    open.push(() => world.close());
    world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
    return world;
  }

  test.each(['HTTP_PROXY', 'http_proxy'])('goes through the proxy of %s', async (name) => {
    const proxy = await startProxy();
    const world = await openWorld({ env: { [name]: `http://user:proxy-password@${proxy.host}` } });
    const planned = await world.run('plan', '--verbose');
    expect(planned).toMatchObject({ code: 0 });
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(world.sandbox.url).host]));
    expect(planned.stdout + planned.stderr).not.toContain('proxy-password');
  });

  test('goes directly to what NO_PROXY lists', async () => {
    const proxy = await startProxy();
    const world = await openWorld({ env: { HTTP_PROXY: proxy.host, no_proxy: '127.0.0.1' } });
    expect(await world.run('plan')).toMatchObject({ code: 0 });
    expect(proxy.tunnels).toEqual([]);
  });

  test('never sends what is for the embedded tenant through a proxy', async () => {
    const proxy = await startProxy();
    const world = await openWorld();
    world.write('tenantctl.yaml', 'version: 1\nenvironments: { local: { sandbox: {} } }\n');
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, TENANTCTL_ALLOWED_HOSTS: '' };
    expect(await runProgram(['plan'], { cwd: world.dir, env })).toMatchObject({ code: 0 });
    expect(proxy.tunnels).toEqual([]);
  });

  test('goes through it in the bundle too, which holds only parts of the HTTP library', async () => {
    const proxy = await startProxy();
    const world = await openWorld();
    const env = { ...world.env, HTTP_PROXY: proxy.url };
    const child = startProgram(['plan'], { cwd: world.dir, env });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(world.sandbox.url).host]));
  });

  test('gives up a proxy that refuses, names it, and hides its password', async () => {
    const proxy = await startProxy((socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'));
    const world = await openWorld({ env: { HTTP_PROXY: `http://user:proxy-password@${proxy.host}` } });
    const planned = await world.run('plan');
    expect(planned).toMatchObject({ code: 1 });
    expect(planned.stderr.replaceAll(/\s+/g, ' ')).toContain(`the proxy ${proxy.host} asks for a user name`);
    expect(planned.stderr).toContain('HTTPS_PROXY');
    expect(planned.stderr).not.toContain('proxy-password');
    expect(proxy.tunnels).toHaveLength(1);
  });

  test.each(['socks5://me:pw@proxy.example:1080', 'http://:pw@', 'me:pw@proxy example'])(
    'refuses the proxy %s without showing it',
    async (value) => {
      const world = await openWorld({ env: { HTTPS_PROXY: value } });
      const planned = await world.run('plan');
      expect(planned).toMatchObject({ code: 1 });
      expect(planned.stderr).toMatch(/HTTPS_PROXY is not the address of an HTTP proxy.*\[invalid-proxy\]/s);
      expect(planned.stderr).not.toContain('pw');
      expect(world.sandbox.log).toEqual([]);
    },
  );
});
