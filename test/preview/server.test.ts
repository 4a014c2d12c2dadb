import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedFor } from '../../src/kinds/notifications.ts';
import { Preview } from '../../src/preview/server.ts';
import { sidesIn, snapshot, template } from './support.ts';

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const tokenOf = (page: string) => /name="token" content="([^"]+)"/.exec(page)?.[1] ?? '';

describe('the server', () => {
  let preview: Preview;
  let token = '';
  const welcome = template({ after: { subject: 'Hi ${user.name}', body: '<b>$x</b>' } });

  beforeAll(async () => {
    preview = await new Preview(snapshot([welcome]), String).start(0);
    token = tokenOf((await ask({})).text);
  });
  afterAll(() => preview.close());

  function ask({ path = '/', method = 'GET', headers = {}, body }: Asked) {
    const { host, port, hostname } = new URL(preview.url);
    return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
      (done, fail) => {
        const sent = request({ hostname, port, path, method, headers: { host, ...headers } }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () => done({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
        });
        sent.on('error', fail);
        sent.end(body);
      },
    );
  }

  const own = () => ({ origin: new URL(preview.url).origin, 'x-preview-token': token });
  const render = (body: string, headers: Readonly<Record<string, string>> = own()) =>
    ask({ path: '/api/render', method: 'POST', headers, body });
  const wanted = JSON.stringify({ address: welcome.address });

  it('renders with made-up values, and with those of the page', async () => {
    const { status, text } = await render(wanted);
    expect(status).toBe(200);
    const { context, markup } = JSON.parse(text);
    expect(context).toMatchObject({ user: { name: 'Ann Example' } });
    const side = (greeting: string, x: string) => ({
      inbox: expect.stringContaining(greeting),
      document: expect.stringContaining(`&lt;b&gt;${x}&lt;/b&gt;`),
    });
    expect(sidesIn(markup)).toEqual([null, side('Hi Ann Example', 'x')]);
    const mine = JSON.stringify({ address: welcome.address, context: { x: 'mine' } });
    expect(sidesIn(JSON.parse((await render(mine)).text).markup)[1]).toEqual(side('Hi ${user.name}', 'mine'));
  });

  const path = '/api/templates';
  const hosted = (name: string) => () => ({ headers: { host: `${name}:${new URL(preview.url).port}` } });
  const posted = (headers: Asked['headers']) => ({ path: '/api/render', method: 'POST', headers });
  it.each<[string, () => Asked]>([
    ['another host name', () => ({ headers: { host: 'evil.example' } })],
    ['another host name with the right port', hosted('evil.example')],
    ['a host name that begins with the right one', hosted('127.0.0.1.evil.example')],
    ['a page of another origin', () => ({ headers: { origin: 'http://evil.example' } })],
    ['another site', () => ({ headers: { 'sec-fetch-site': 'cross-site' } })],
    ['the list without the token', () => ({ path })],
    ['the list with a wrong token', () => ({ path, headers: { 'x-preview-token': 'x'.repeat(32) } })],
    ['a POST without an origin', () => posted({ 'x-preview-token': token })],
    ['a POST of another origin', () => posted({ ...own(), origin: 'http://127.0.0.1' })],
    ['a POST without the token', () => posted({ origin: own().origin })],
  ])('refuses %s', async (_what, asked) => {
    const { status, text } = await ask(asked());
    expect(status).toBe(403);
    expect(Object.keys(JSON.parse(text))).toEqual(['error']);
  });

  // Other systems have no second address on loopback.
  it.skipIf(process.platform !== 'linux')('listens on one address of loopback only', async () => {
    const sent = request({ host: '127.0.0.2', port: new URL(preview.url).port }).end();
    sent.on('response', () => sent.destroy(new Error('It answers there.')));
    const [error] = await once(sent, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('says that it reads again until it has read', async () => {
    const headers = { 'x-preview-token': token };
    const isReading = async () => JSON.parse((await ask({ path: '/api/templates', headers })).text).isReading;
    preview.show(null);
    expect(await isReading()).toBe(true);
    preview.show(snapshot([welcome]));
    expect(await isReading()).toBe(false);
  });

  it('says of files that do not load only why, and opens them where the project is', async () => {
    const diagnostics = (['warning', 'error'] as const).map((severity) => {
      return { code: 'some', severity, message: `some ${severity}` };
    });
    preview.show(snapshot([welcome], { root: '/a b', isBroken: true, diagnostics }));
    const { text } = await ask({ path: '/api/templates', headers: { 'x-preview-token': token } });
    const { problems, templates } = JSON.parse(text);
    expect(problems).toMatchObject({ count: 1, markup: expect.stringContaining('some error') });
    expect(templates[0].editor).toBe('vscode://file/a%20b/config/all.yaml:3:1');
    preview.show(snapshot([welcome]));
  });

  it('renders a template from nothing that holds a secret, wherever it stands', async () => {
    const fields = { subject: 'hunter2 $x', body: '$__global.name' };
    const secret = template({ before: fields, after: fields, moved: { before: fields, after: fields } });
    const variables = { names: new Set<string>(), globals: new Set<string>(), examples: { x: 'hunter2' } };
    const listed = new Map([[listedFor(['welcome', 'EMAIL']), variables]]);
    const diagnostics = [{ code: 'some', severity: 'warning', message: 'It is hunter2.' }] as const;
    const all = snapshot([secret], { attributes: { name: 'hunter2' }, listed, diagnostics });
    const redact = (text: string) => text.replaceAll('hunter2', '***');
    const own = preview;
    preview = await new Preview(all, redact).start(0);
    const page = (await ask({})).text;
    const headers = { origin: new URL(preview.url).origin, 'x-preview-token': tokenOf(page) };
    const { text } = await render(wanted, headers);
    expect((await ask({ path: '/api/templates', headers })).text).toContain('It is ***.');
    await preview.close();
    preview = own;
    // On each of four sides the subject, its example, and the attribute as first words and as body; two are in the context.
    expect(text.match(/hunter2|\*\*\*/g)).toEqual(Array(18).fill('***'));
  });

  it('shows the name of an environment as text', async () => {
    const odd = { ...snapshot([welcome]), environment: '<img src=x>' };
    const other = await new Preview(odd, String).start(0);
    expect(await (await fetch(other.url)).text()).toContain('&lt;img src=x&gt;');
    await other.close();
  });

  it('takes localhost for its name', async () => {
    expect((await ask(hosted('localhost')())).status).toBe(200);
  });

  const endless = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  it.each([
    ['no JSON', '{', 400],
    ['no object', '[]', 400],
    ['an unknown address', '{"address":"NotificationTemplate/x/EMAIL/en"}', 404],
    ['a context that is no object', JSON.stringify({ address: welcome.address, context: [1] }), 400],
    ['a context that is nested without end', `${wanted.slice(0, -1)},"context":${endless}}`, 400],
    ['too much', JSON.stringify({ address: welcome.address, context: { x: 'x'.repeat(1_100_000) } }), 400],
  ])('answers %s', async (_what, body, status) => {
    expect((await render(body)).status).toBe(status);
    expect((await render(wanted)).status).toBe(200);
  });

  it('says the same policy with every answer', async () => {
    for (const path of ['/', '/style.css', '/script.js', '/nowhere', '/api/templates']) {
      const { headers } = await ask({ path });
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-dns-prefetch-control': 'off',
        'x-frame-options': 'DENY',
      });
    }
  });
});
