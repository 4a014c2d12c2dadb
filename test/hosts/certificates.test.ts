/** Hosts that ask for a client certificate. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { SecureVersion } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTransport, defaultTransportLimits } from '../../src/client/transport.ts';
import { startProxy } from '../client/proxies.ts';
import { ca, client, server, stranger } from '../support/certificates.ts';
import { createTestFolder, runProgram } from '../support/world.ts';

/** A host with one integration that only talks to those whom its authority knows. */
async function guarded(maxVersion: SecureVersion = 'TLSv1.3') {
  const options = { ...server, ca: ca.cert, requestCert: true, rejectUnauthorized: true, maxVersion };
  let connections = 0;
  const host = createServer(options, ({ url }, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(url === '/token' ? '{"access_token":"a-token"}' : '[{"id":"1","name":"Desk","type":"Jira"}]');
  });
  host.on('connection', () => {
    connections += 1;
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  onTestFinished(() => {
    host.close();
  });
  const address = host.address();
  return {
    url: `https://localhost:${typeof address === 'object' ? address?.port : 0}`,
    connections: () => connections,
  };
}

/** Exports what a host has, with `tls` as the project file has it. */
async function exported(
  url: string,
  tls: string,
  { env = {}, auth = '{ token: !env TOKEN }' }: { env?: NodeJS.ProcessEnv; auth?: string } = {},
) {
  const { dir } = createTestFolder({
    'tls/ca.pem': ca.cert,
    'tls/client.pem': client.cert,
    'tls/key.pem': client.key,
    'tls/stranger.pem': stranger.cert,
    'tenantctl.yaml': `version: 1
environments:
  live: { identity: { baseUrl: "${url}", auth: ${auth}, tls: ${tls} } }
`,
  });
  const ran = await runProgram(['export --kinds SimIntegration -e live'], {
    cwd: dir,
    env: { TOKEN: 'a-token-for-tests', ...env },
  });
  return { ...ran, words: ran.stderr.replaceAll(/\s+/g, ' ') };
}

const own = '{ cert: tls/client.pem, key: tls/key.pem, ca: tls/ca.pem }';
const variables = { CERT: client.cert, KEY: client.key, CA: ca.cert };
it.each<[string, string, NodeJS.ProcessEnv]>([
  ['files', own, {}],
  ['a secret', '{ cert: tls/client.pem, key: !secret KEY, ca: tls/ca.pem }', { KEY: client.key }],
  ['a variable', '{ cert: !env CERT, key: !env KEY, ca: !env CA }', variables],
])('are sent the one of %s', async (_, tls, env) => {
  const { url } = await guarded();
  const { code, words } = await exported(url, tls, { env });
  expect({ code, words }).toMatchObject({ code: 0 });
});

it('are trusted by the authorities of the system, too, where the project names one of its own', async () => {
  const { url } = await guarded();
  const tls = process.getBuiltinModule('node:tls');
  const made = vi.spyOn(tls, 'createSecureContext');
  onTestFinished(() => made.mockRestore());
  await exported(url, own);
  expect(made.mock.calls.map(([options]) => options?.ca)).toContainEqual([...tls.rootCertificates, ca.cert]);
});

it('are sent it where they only issue tokens', async () => {
  const [{ url }, issuer] = [await guarded(), await guarded()];
  const auth = `{ clientId: id, clientSecret: !env TOKEN }, tokenUrl: "${issuer.url}/token"`;
  const { code, words } = await exported(url, own, { auth });
  expect({ code, words }).toMatchObject({ code: 0 });
});

it('are sent it through a proxy too, which gets none', async () => {
  const [{ url }, proxy] = [await guarded(), await startProxy()];
  onTestFinished(proxy.close);
  const { code, words } = await exported(url, own, { env: { HTTPS_PROXY: proxy.url } });
  expect({ code, words }).toMatchObject({ code: 0 });
  expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(url).host]));
});

const asks = ['asks for a client certificate', 'Set `tls: { cert: FILE, key: !secret NAME }`'];
it.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
  'are named at once where there is none: %s',
  async (version) => {
    const { url, connections } = await guarded(version);
    const { code, words } = await exported(url, '{ ca: tls/ca.pem }');
    expect(code).toBe(1);
    for (const told of asks) expect(words).toContain(told);
    expect(words).not.toMatch(/UND_ERR|attempts/);
    expect(connections()).toBe(1);
  },
);

it('are named where the token is asked for', async () => {
  const { url, connections } = await guarded();
  const auth = '{ clientId: ci, clientSecret: !env TOKEN }';
  const { code, words } = await exported(url, '{ ca: tls/ca.pem }', { auth });
  expect(code).toBe(1);
  for (const told of asks) expect(words).toContain(told);
  expect(connections()).toBe(1);
});

it('are named where they do not know the certificate', async () => {
  const { url } = await guarded();
  const tls = '{ cert: tls/stranger.pem, key: !secret KEY, ca: tls/ca.pem }';
  const { code, words } = await exported(url, tls, { env: { KEY: stranger.key } });
  expect(code).toBe(1);
  expect(words).toContain('does not take the client certificate');
});

/** A host that asks for a certificate, answers `/well`, and else breaks off. What a transport without one makes of its requests. */
async function broken(...calls: readonly (readonly [method: 'GET' | 'POST', path: string])[]) {
  const host = createServer(
    { ...server, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      if (request.url === '/well') response.end('{}');
      else request.socket.destroy();
    },
  );
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const address = host.address();
  const origin = `https://localhost:${typeof address === 'object' ? address?.port : 0}`;
  const closing = new AbortController();
  onTestFinished(() => {
    closing.abort();
    host.close();
  });
  const certificates = new Map([[origin, { ca: () => ca.cert }]]);
  const send = createTransport(1, defaultTransportLimits, closing.signal, { certificates });
  const outcomes: string[] = [];
  for (const [method, path] of calls)
    outcomes.push((await send({ origin, method, path, headers: {}, body: null })).outcome);
  return outcomes;
}

it('may have carried out a write that they break off, and a read after an answer is lost', async () => {
  expect(await broken(['GET', '/'])).toEqual(['unsent']);
  expect(await broken(['POST', '/'])).toEqual(['lost']);
  expect(await broken(['GET', '/well'], ['GET', '/'])).toEqual(['answered', 'lost']);
});

it.each<[string, string, string]>([
  ['a key of another certificate', '{ cert: tls/stranger.pem, key: tls/key.pem }', 'tls-certificate'],
  ['a certificate without its key', '{ cert: tls/client.pem }', 'missing-field'],
  ['a file that is not there', '{ cert: tls/none.pem, key: tls/key.pem }', 'tls-file'],
  ['a file outside the project', '{ cert: ../client.pem, key: tls/key.pem }', 'outside-project'],
  [
    'a key in the project file',
    `{ cert: tls/client.pem, key: ${JSON.stringify(client.key)} }`,
    'literal-credential',
  ],
])('is an error: %s', async (_, tls, problem) => {
  const { code, words, stdout } = await exported('https://localhost:1', tls);
  expect(code).toBe(1);
  expect(words).toContain(`[${problem}]`);
  expect(words + stdout).not.toContain(client.key.slice(40, 80));
});
