import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Plan, planDigest } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { serve } from '../support/api-host.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createWorld, expectEnd, type Outcome, type World, writesIn } from '../support/world.ts';
import { everything, fillTenant } from './every-kind.ts';

shortenPauses();

let world: World;
const closing: (() => void)[] = [];
beforeEach(async () => {
  world = await createWorld();
  fillTenant(world.sandbox.state);
  world.declare([
    { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', body: 'New' },
  ]);
});
afterEach(async () => {
  await world.close();
  for (const close of closing.splice(0)) close();
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

const wrote = () => writesIn(world.sandbox.log);

function pointTo(url: string): void {
  world.write('tenantctl.yaml', world.read('tenantctl.yaml').replaceAll(world.sandbox.url, url));
}

describe('a plan file', () => {
  type Edit = (plan: Plan) => Plan | Record<string, unknown>;
  // Other paths, hosts, headers and bodies: test/safety/forged-plans.test.ts.
  const edits: readonly (readonly [string, Edit])[] = [
    [
      'another method',
      (plan) => ({
        ...plan,
        changes: plan.changes.map((one) => ({
          ...one,
          requests: one.requests.map((request) => ({ ...request, method: 'CONNECT' })),
        })),
      }),
    ],
    ['a prototype', (plan) => ({ ...plan, ['__proto__']: { polluted: true } })],
    ['a constructor', (plan) => ({ ...plan, constructor: { prototype: { polluted: true } } })],
    [
      'a kind that is a member of every object',
      (plan) => ({ ...plan, changes: plan.changes.map((one) => ({ ...one, kind: 'constructor' })) }),
    ],
    ['changes that are none', (plan) => ({ ...plan, changes: { length: 1 } })],
  ];

  it.each(edits)('with %s is refused, whatever its digest, and nothing is written', async (_, edit) => {
    const text = JSON.stringify(edit(await world.plan()));
    const whole: Plan = JSON.parse(text);
    const withDigest = Array.isArray(whole.changes)
      ? `{"digest":"${planDigest(whole)}",${text.slice(1).replace(/"digest":"[^"]*",/, '')}`
      : text;
    world.write('plan.json', withDigest);
    await expectEnd(world.run('apply plan.json'), 4, '[plan-invalid]');
    expect(wrote()).toEqual([]);
  });

  it('takes a prototype in a body for what it is: a member that no template has', async () => {
    const plan = await world.plan();
    const named = '"key": "welcome", "medium": "EMAIL", "locale": "en"';
    const body: Json = JSON.parse(
      `{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}, ${named}}`,
    );
    const edited = {
      ...plan,
      changes: plan.changes.map((one) => ({
        ...one,
        requests: one.requests.map((request) => ({ ...request, body })),
      })),
    };
    world.write('plan.json', JSON.stringify({ ...edited, digest: planDigest(edited) }));
    for (const options of [['--dry-run'], []]) {
      const refused = await world.run('apply plan.json --format json', ...options);
      expect(refused).toMatchObject({ code: 4, json: { diagnostics: [{ code: 'plan-request-refused' }] } });
    }
    expect(wrote()).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each([
    ['apply', 4],
    ['show', 4],
    ['rollback', 1],
  ] as const)('or result file that is deep, cut, huge or none is refused by %s', async (command, code) => {
    const deep = `{"formatVersion":1,"planDigest":"x","changes":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const text of [deep, deep.slice(0, 1000), '', 'null', '[]', '"plan"', '{"formatVersion":99}']) {
      world.write('file.json', text);
      const outcome = await world.run(command, 'file.json', '--format', 'json');
      expect([code, 1], text.slice(0, 60)).toContain(outcome.code);
      expect(JSON.parse(outcome.stdout).diagnostics).toHaveLength(1);
    }
    const file = join(world.dir, 'file.json');
    writeFileSync(file, '{');
    truncateSync(file, 3_000_000_000);
    const huge = await world.run(command, 'file.json');
    expect([code, 1]).toContain(huge.code);
    expect(huge.stderr).toContain('larger than');
    expect(wrote()).toEqual([]);
  });
});

describe('a tenant', () => {
  const all = (argv: readonly string[]): Promise<Outcome> => world.run(...argv, '--verbose');
  const commands = [
    ['plan'],
    ['plan', '--format', 'markdown'],
    ['plan', '--format', 'html'],
    ['plan', '--format', 'json'],
    ['apply', '--yes'],
    ['status'],
    ['search', 'Staff'],
    ['search', 'Staff', '--format', 'csv'],
    ['export', '--out', 'exported'],
  ];

  it('with ids that walk out of a path gets no request outside the API', async () => {
    world.declare(everything);
    const { simIntegrations, senders, profileSearches, authProfiles } = world.sandbox.state;
    for (const id of [
      '../../oauth/token',
      '..',
      '.',
      '//evil.example/x',
      'x?y=1#z',
      'a\r\nX-Evil: 1',
      'x/../../y',
    ]) {
      for (const row of [...simIntegrations, ...senders, ...profileSearches, ...authProfiles]) row.id = id;
      const { length } = world.sandbox.log;
      expect((await world.run('apply --yes')).code, id).not.toBe(0);
      for (const { path, method, operation } of world.sandbox.log.slice(length)) {
        expect(path).toMatch(/^\/(v2024|v2025|api|oauth)\//);
        expect(decodeURIComponent(path)).not.toMatch(/(^|[\\/])\.{1,2}([\\/]|$)|[\r\n]/);
        expect(path).not.toMatch(/\/(\/|$)|evil\.example\/|[?#]/);
        if (method === 'POST' && path.startsWith('/oauth')) expect(operation).toBe('issue-token');
      }
    }
  });

  it.each([301, 302, 307, 308])('that redirects with %i gets no token elsewhere', async (status) => {
    const reached: (string | undefined)[] = [];
    const elsewhere = await serve(({ headers }, response) => {
      reached.push(headers.authorization);
      response.end('[]');
    });
    const token = JSON.stringify({ access_token: 'x', token_type: 'bearer', expires_in: 600 });
    const text = world.read('tenantctl.yaml');
    for (const what of ['/oauth/token', '/v2025', '/v2024', '/api']) {
      const front = await serve(({ url = '' }, response) => {
        if (url.startsWith(what)) response.writeHead(status, { location: `${elsewhere}${url}` }).end();
        else response.end(url.startsWith('/oauth') ? token : '[]');
      });
      pointTo(front);
      world.declare(everything);
      await expectEnd(world.run('apply --yes'), 1, `${status}`, `redirects to ${elsewhere}${what}`);
      world.write('tenantctl.yaml', text);
    }
    expect(reached).toEqual([]);
  });

  it('that speaks in control characters moves no cursor', async () => {
    const rude = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202eevil\u2066\u0000\b\r\u0085';
    const { state } = world.sandbox;
    for (const row of state.simIntegrations)
      Object.assign(row, { description: rude, name: `${row.name}${rude}` });
    for (const row of state.templates) Object.assign(row, { subject: rude, body: `${rude}\r\nline` });
    for (const row of state.profileSearches)
      row.rules.push({
        id: 'r',
        type: 'ProfileStatusRule',
        comparison_operator: rude,
        value: rude,
        condition_object_id: null,
      });
    world.declare([
      ...everything,
      { kind: 'SimIntegration', name: `Desk${rude.replaceAll('\u0000', '')}`, ensure: 'absent' },
    ]);
    for (const argv of commands) {
      const { stdout, stderr } = await all(argv);
      for (const text of [stdout, stderr]) {
        const shown = argv.includes('csv') ? text.replaceAll('\r\n', '\n') : text;
        expect(
          shown.match(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu)?.filter((one) => one !== '\n') ?? [],
          argv.join(' '),
        ).toEqual([]);
      }
    }
  });

  it('that repeats a credential has nothing of it shown, however texts are cut, wrapped and escaped', async () => {
    const secret = `p4ss##[w0rd]"\\${'long'.repeat(10)}`;
    const own = await createWorld({ sandbox: { clientSecret: secret } });
    closing.push(() => own.close());
    const { state } = own.sandbox;
    fillTenant(state);
    const attributes = { [secret]: [secret] };
    addObjects(state, {
      profiles: [{ id: 'p', uid: 'p', name: secret, status: 'Active', profile_type_id: 't', attributes }],
    });
    for (const row of state.senders) Object.assign(row, { verificationStatus: secret });
    for (const row of state.templates) Object.assign(row, { subject: secret });
    const formats = [
      ['search Staff --format', 'table', 'csv', 'json'],
      ['status --format', 'text', 'json'],
      ['get NotificationTemplate/welcome/EMAIL/en --format', 'yaml', 'json'],
      ['send-test NotificationTemplate/welcome/EMAIL/en --yes --format', 'text', 'json'],
    ];
    for (const [command = '', ...names] of formats) {
      for (const name of names) {
        const { stdout, stderr } = await own.run(`${command} ${name}`);
        expect(stdout + stderr, `${command} ${name}`).toContain('[secret]');
        expect(stdout + stderr, `${command} ${name}`).not.toMatch(/p4ss|w0rd|longlong/);
      }
    }
  });

  it('whose settings name a prototype changes none', async () => {
    const attributes: Json = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"url":"u"}',
    );
    for (const row of world.sandbox.state.simIntegrations)
      Object.assign(row, { attributes, request: attributes });
    world.declare(everything);
    for (const argv of [...commands, ['rollback', 'result.json']])
      await all([...argv, ...(argv[0] === 'apply' ? ['--result', 'result.json'] : [])]);
    const [desk] = world.sandbox.state.simIntegrations;
    expect(JSON.stringify(desk?.attributes)).toContain('"__proto__":{"polluted":true}');
  });
});

// Side by side, each with a world of its own: a read of a broken answer is repeated after real waits.
it.concurrent.for([
  [
    'is deep',
    `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    'JSON that is cut off or invalid. [answer-lost]',
  ],
  ['is cut', '[{"id": "1", "na', 'JSON that is cut off or invalid. [answer-lost]'],
  ['is no JSON', '<html>Please sign in</html>', 'is not a response of the API. [bad-answer]'],
  ['holds no rows', '{"items": 5}', 'did not answer with a list of objects. [bad-answer]'],
  ['holds rows that are none', '[1, null, "x", []]', 'did not answer with a list of objects. [bad-answer]'],
  ['is huge', null, 'the response is larger than tenantctl accepts. [answer-lost]'],
] as const)('an answer of a tenant that %s is an error', async ([_, body, why], { onTestFinished }) => {
  const token = JSON.stringify({ access_token: 'x', token_type: 'bearer', expires_in: 600 });
  const megabyte = Buffer.alloc(1024 * 1024, ' ');
  const own = await createWorld();
  onTestFinished(() => own.close());
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (request.url?.startsWith('/oauth')) response.end(token);
    else if (body !== null) response.end(body);
    else {
      response.on('error', () => {});
      for (let count = 0; count < 70; count += 1) response.write(megabyte);
      response.end('[]');
    }
  }, onTestFinished);
  own.write('tenantctl.yaml', own.read('tenantctl.yaml').replaceAll(own.sandbox.url, url));
  own.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  await expectEnd(own.run('apply --yes'), 1, why);
});
