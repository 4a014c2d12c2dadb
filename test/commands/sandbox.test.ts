import { expect, it } from 'vitest';
import { getText, isObject, parseJson } from '../../src/model/json.ts';
import { createTestWorld, expectEnd, type Piece, runProgram, type World } from '../support/world.ts';

const role = (fields: string) =>
  `kind: Role\npath: /v2025/roles\nkey: name\nfields: ${fields}\nserverOwned: [id]\n`;

/** What the served tenant answers to `path`, and the exit code of the command. */
async function serve({ dir, env }: World, path: string, ...argv: string[]) {
  const stop = new AbortController();
  let answer: unknown = null;
  const onPiece = async ({ stream, text }: Piece) => {
    if (stream === 1) answer = await ask(text, path).finally(() => stop.abort());
  };
  const { code } = await runProgram(['sandbox', ...argv], { cwd: dir, env, signal: stop.signal, onPiece });
  return { code, answer };
}

async function ask(line: string, path: string): Promise<unknown> {
  const about = parseJson(line) ?? null;
  const [url, id, secret] = ['url', 'clientId', 'clientSecret'].map((name) =>
    isObject(about) ? (getText(about, name) ?? '') : '',
  );
  const form = { grant_type: 'client_credentials', client_id: id ?? '', client_secret: secret ?? '' };
  const token = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const granted = parseJson(await token.text()) ?? null;
  const headers = {
    authorization: `Bearer ${isObject(granted) && getText(granted, 'access_token')}`,
    accept: 'application/json',
    'X-Service-Experimental': 'true',
  };
  const [target = '', made] = path.split(' after making ');
  if (made) {
    const json = { ...headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ email: made });
    await fetch(`${url}${senders}`, { method: 'POST', headers: json, body });
  }
  return (await fetch(`${url}${target}`, { headers })).json();
}

const senders = '/v2025/verified-from-addresses';

it("serves the kinds of the project's own folder, also from a folder below", async () => {
  const seed = 'objects: { Role: [{ id: r1, name: Auditor, colour: red }] }\n';
  const files = { 'kinds/Role.kind.yaml': role('{ colour: text }'), 'seed.yaml': seed };
  const world = await createTestWorld({ files });
  const row = { id: 'r1', name: 'Auditor', colour: 'red' };
  const served = await serve(world, '/v2025/roles', '--seed', 'seed.yaml');
  expect(served).toEqual({ code: 0, answer: [row] });
  const below = { ...world, dir: `${world.dir}/kinds` };
  expect(await serve(below, '/v2025/roles', '--seed', '../seed.yaml')).toEqual(served);
});

it('serves the kinds of the folder that is named instead', async () => {
  const files = {
    'kinds/Role.kind.yaml': role('{ colour: text }'),
    'other/Role.kind.yaml': role('{ size: text }'),
    'seed.yaml': 'objects: { Role: [{ id: r1, name: Auditor, size: big }] }\n',
  };
  const world = await createTestWorld({ files });
  const { answer } = await serve(world, '/v2025/roles', '--seed', 'seed.yaml', '--kinds', 'other');
  expect(answer).toEqual([{ id: 'r1', name: 'Auditor', size: 'big' }]);
});

it('names a descriptor that cannot be used, and a folder that is not there', async () => {
  const world = await createTestWorld({ files: { 'kinds/Role.kind.yaml': 'kind: Role\n' } });
  await expectEnd(world.run('sandbox'), 1, 'kinds/Role.kind.yaml: descriptor.path is required');
  await expectEnd(world.run('sandbox --kinds nowhere'), 1, 'nowhere');
});

it('refuses a fault of an operation that the tenant does not have, and takes one of a kind of its own', async () => {
  const world = await createTestWorld({ files: { 'kinds/Role.kind.yaml': role('{ colour: text }') } });
  const unknown = await expectEnd(world.run('sandbox --fault status=503,operation=get-roles'), 1);
  expect(unknown.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /The tenant has no operation "get-roles"\. It has create-.*, list-role, .*, send-test-notification\. /,
  );
  const { answer } = await serve(world, '/v2025/roles', '--fault', 'status=503,operation=list-role');
  expect(answer).toMatchObject({ detailCode: '503 Service Unavailable' });
});

const made = [{ email: 'a@acme.example' }];

it('keeps the tenant in the file of --data, which then comes before the seed', async () => {
  const world = await createTestWorld({ seed: 'senders: [{ email: seed@acme.example }]\n' });
  await serve(world, `${senders} after making a@acme.example`, '--data', 'tenant.json');
  const { answer } = await serve(world, senders, '--data', 'tenant.json', '--seed', 'seed.yaml');
  expect(answer).toMatchObject(made);
});

it('shows a write in its reads when --fault lag=MS is over, and at once without it', async () => {
  const world = await createTestWorld();
  const path = `${senders} after making a@acme.example`;
  expect((await serve(world, path)).answer).toMatchObject(made);
  expect((await serve(world, path, '--fault', 'lag=600000')).answer).toEqual([]);
  expect((await serve(world, path, '--lag', '600000')).answer).toEqual([]);
  await expectEnd(world.run('sandbox', '--fault', 'lag=soon'), 1, '[fault-syntax]');
});

it('departs from the contract as --vary says', async () => {
  const world = await createTestWorld({
    seed: 'simIntegrations: [{ name: Desk, type: Jira, attributes: { url: u } }]\n',
  });
  const list = '/v2024/sim-integrations';
  const answerOf = async (...argv: string[]) =>
    (await serve(world, list, '--seed', 'seed.yaml', ...argv)).answer;
  expect(await answerOf()).toMatchObject([{ attributes: '{"url":"u"}' }]);
  expect(await answerOf('--vary', 'jsonText=object')).toMatchObject([{ attributes: { url: 'u' } }]);
});

it('listens at --port, is slow by --latency, and is as strict as the host of a --preset', async () => {
  const world = await createTestWorld();
  const { port } = new URL(world.sandbox.url);
  await expectEnd(world.run('sandbox', '--port', port), 1, `address already in use 127.0.0.1:${port}`);
  const from = performance.now();
  await serve(world, senders, '--latency', '300');
  expect(performance.now() - from).toBeGreaterThan(600);
  const { answer } = await serve(world, '/v2024/sim-integrations', '--preset', 'sailpoint-isc');
  expect(answer).toEqual({ error: 'Experimental Header is missing or invalid.' });
});
