import { afterEach, describe, expect, test } from 'vitest';
import { startProgram } from '../support/program.ts';
import { createWorld, runProgram, type WorldOptions } from '../support/world.ts';
import { type OnConnect, startProxy as startTunnels } from './proxies.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function startProxy(onConnect?: OnConnect) {
  const proxy = await startTunnels(onConnect);
  open.push(proxy.close);
  return proxy;
}

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
    world.env.HTTP_PROXY = proxy.url;
    expect(await startProgram(world, 'plan').ended).toMatchObject({ code: 0 });
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

  test.each([
    'socks5://me:pw@proxy.example:1080',
    'http://:pw@',
    'me:pw@proxy example',
    'http://me:pw%zz@proxy.example:1',
    'http://pw%ff@proxy.example:1',
  ])('refuses the proxy %s without showing it', async (value) => {
    const world = await openWorld({ env: { HTTPS_PROXY: value } });
    const planned = await world.run('plan');
    expect(planned).toMatchObject({ code: 1 });
    expect(planned.stderr).toMatch(/HTTPS_PROXY is not the address of an HTTP proxy.*\[invalid-proxy\]/s);
    expect(planned.stderr).not.toContain('pw');
    expect(world.sandbox.log).toEqual([]);
  });
});
