import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import type { Variations } from '../../src/sandbox/index.ts';
import { casesOf, isThorough } from '../support/effort.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import {
  createWorld,
  expectEnd,
  filesBelow,
  type Outcome,
  type Piece,
  runProgram,
  type World,
} from '../support/world.ts';
import { describedWorld } from './described-kinds.ts';
import { type Echo, startEcho } from './echoing-tenant.ts';
import { fillTenant } from './every-kind.ts';

shortenPauses();

/** Every secret holds this word, in any case, and nothing else does. */
const word = /canary-/gi;
/** The same word in base64, at each of its three offsets, in hex, and a JSON Web Token. */
const disguised = /Y2FuYXJ5L|NhbmFyeS|jYW5hcnkt|63616e6172792d|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/i;

/** The text with the escapes of URLs, JSON and HTML resolved, for as long as there are any. */
function unfold(text: string): string {
  const character = (code: number) => (code > 0x1f && code < 0x7f ? String.fromCharCode(code) : ' ');
  const next = text
    .replaceAll(/%([0-7][0-9a-f])|\\u00([0-7][0-9a-f])|&#x([0-7]?[0-9a-f]);/gi, (_, ...hex: string[]) =>
      character(Number.parseInt(hex.slice(0, 3).find((digits) => digits) ?? '', 16)),
    )
    .replaceAll(/&#(\d{1,3});/g, (_, digits: string) => character(Number(digits)));
  return next === text ? text : unfold(next);
}

const odd = `"<&>%\\'é\t$`;
const env: NodeJS.ProcessEnv = {
  S_SUBJECT: `canary-subject ${odd}`,
  S_BODY: `canary-body ${odd}\r\nsecond line canary-line`,
  S_FROM: 'canary-from@acme.example',
  S_CHAT: `canary-chat ${odd}`,
  S_URL: `canary-url ${odd}`,
  S_PASSWORD: `canary-password ${odd}`,
  S_DEEP: `canary-deep ${odd}`,
  S_REQUEST: `canary-request ${odd}`,
  S_STATUS: 'canary-status',
  S_DESCRIPTION: `canary-description ${odd}`,
  S_RULE: 'canary-rule',
  S_APPLICATION: `canary-application ${odd}`,
  S_MAIL: 'canary-mail.acme.example',
};

/** A secret in every field that may hold one, of every kind. */
const manifests = `
kind: NotificationTemplate
key: welcome
medium: EMAIL
locale: en
subject: !secret S_SUBJECT
body: !secret S_BODY
from: !secret S_FROM
slackTemplate: { text: !secret S_CHAT }
---
kind: NotificationTemplate
key: escalation
medium: EMAIL
locale: de
subject: !secret S_SUBJECT
---
kind: SimIntegration
name: Desk
description: !secret S_DESCRIPTION
attributes: { url: !secret S_URL, password: !secret S_PASSWORD, deep: { inner: !secret S_DEEP }, user: new }
request: { field: !secret S_REQUEST }
statusMap: { closed: !secret S_STATUS }
---
kind: SimIntegration
name: New desk
type: Jira
attributes: { url: !secret S_URL, password: !secret S_PASSWORD }
---
kind: ProfileSearch
label: Staff
rules: [{ type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: a1, comparison_operator: '==', value: !secret S_RULE }]
---
kind: AuthProfile
name: Employees
applicationName: !secret S_APPLICATION
---
kind: MailFrom
identity: kept@acme.example
mailFromDomain: !secret S_MAIL
---
kind: SenderAddress
email: new@acme.example
---
kind: VerifiedDomain
domain: mail.acme.example
---
kind: NotificationPreference
key: welcome
mediums: [SLACK]
---
kind: Role
name: Writer
description: !secret S_DESCRIPTION
labels: [!secret S_STATUS]
accessProfiles: [!ref AccessProfile/Write]
membership: { password: !secret S_PASSWORD, deep: { inner: !secret S_DEEP } }
---
kind: Role
name: Reader
description: !secret S_DESCRIPTION
---
kind: AccessProfile
name: Read
settings: { password: !secret S_PASSWORD, ttl: 2 }
---
kind: AccessProfile
name: Write
settings: { url: !secret S_URL }
---
kind: Transform
name: Upper
attributes: { password: !secret S_PASSWORD, length: 5 }
`;

let world: World;
let echo: Echo;
let outputs: (Outcome & { argv: string })[];
const called = new Set<string>();

async function open(variations: Partial<Variations> = {}, more: string = manifests): Promise<void> {
  await world?.close();
  await echo?.close();
  world = await createWorld({
    ...describedWorld,
    sandbox: {
      clientSecret: `canary-client-${encodeURIComponent(odd)}`,
      variations: { profileSearchDelete: true, ...variations },
    },
    profiles: { profileSearchDelete: true },
    env: { ...env, GITHUB_STEP_SUMMARY: '' },
  });
  echo = await startEcho(world.sandbox.url);
  world.env.GITHUB_STEP_SUMMARY = `${world.dir}/summary.md`;
  world.write('tenantctl.yaml', world.read('tenantctl.yaml').replaceAll(world.sandbox.url, echo.url));
  world.write('config/all.yaml', more);
  fillTenant(world.sandbox.state);
  plantSecrets();
}

/** Credentials by their names, by their form and by the name beside them. */
const lookalikes = {
  pwd: 'canary-live-pwd',
  authorization: 'canary-live-authorization',
  hook: 'https://user:canary-live-hook@acme.example/path',
  query: 'https://acme.example/?a=b&token=canary-live-query',
  pem: '-----BEGIN RSA PRIVATE KEY-----\ncanary-live-pem\n-----END RSA PRIVATE KEY-----',
  header: 'Bearer canary-live-bearer-1234567890',
  headers: [{ name: 'Authorization', value: 'canary-live-pair' }],
  parameter: { key: 'password', value: 'canary-live-parameter' },
  text: '[{"key":"api_key","value":"canary-live-text"}]',
};

/** Credentials that the tenant shows, and none that a manifest marks. */
function plantSecrets(): void {
  const { simIntegrations, templates, profileSearches } = world.sandbox.state;
  for (const [at, integration] of simIntegrations.entries()) {
    integration.attributes = {
      url: at === 0 ? 'canary-live-url' : 'u',
      user: 'x',
      password: `canary-live-password ${odd}`,
      apiToken: 'canary-live-token',
      nested: { clientSecret: 'canary-live-nested', list: [{ credential: 'canary-live-list' }], plain: 1 },
      json: '{"password":"canary-live-json"}',
      ...lookalikes,
      // Nothing tells that this is one, but no manifest declares it.
      colour: 'canary-live-colour',
      deep: { note: ['canary-live-note'] },
    };
    integration.request = { api_key: 'canary-live-request', plain: 'p' };
  }
  // One of them is the declared rule with its former value, the other is none that anybody declares.
  const rule = {
    type: 'ProfileAttributeRule',
    comparison_operator: '==',
    condition_object_id: 'a1',
  } as const;
  Object.assign(profileSearches[0] ?? {}, {
    rules: ['r1', 'r2'].map((id) => ({ ...rule, id, value: `canary-live-rule-${id}` })),
  });
  Object.assign(templates[0] ?? {}, { subject: 'canary-live-subject', body: 'canary-live-body' });
  const live = (name: string) => ({ plain: 1, password: `canary-live-${name}`, ...lookalikes });
  const { AccessProfile = [], Role = [], Transform = [] } = world.sandbox.state.objects;
  Object.assign(AccessProfile[0] ?? {}, { settings: live('merged') });
  Object.assign(Role[0] ?? {}, { membership: live('patched'), weight: live('not-told') });
  Object.assign(Transform[0] ?? {}, { attributes: live('put'), weight: live('carried') });
}

/** Runs a command that has to end with one of these codes. */
async function must(codes: readonly number[], ...argv: string[]): Promise<Outcome> {
  const outcome = await run(...argv);
  expect(codes, `${argv.join(' ')} ended with ${outcome.code}: ${outcome.stderr}`).toContain(outcome.code);
  return outcome;
}

/** Commands that talk to no tenant. */
const offline = /^(validate|show|history|preview|explain|init|env|kind|sandbox|schema|completion)$/;

/** Each run that talks to the tenant leaves a trace, too. */
async function run(...argv: string[]): Promise<Outcome> {
  const name = argv[0]?.split(' ')[0] ?? '';
  called.add(name);
  const trace = offline.test(name) ? [] : ['--trace', `traces/${outputs.length}.jsonl`];
  const outcome = await world.run(...argv, ...trace);
  outputs.push({ ...outcome, argv: argv.join(' ') });
  return outcome;
}

/** Where a secret stands in what was printed and written. */
function leaks(): string[] {
  const texts = [
    ...outputs.flatMap(({ argv, stdout, stderr }) => [
      [`stdout of ${argv}`, stdout] as const,
      [`stderr of ${argv}`, stderr] as const,
    ]),
    ...filesBelow(world.dir),
  ];
  return texts.flatMap(([name, folded]) => {
    const text = unfold(folded);
    const around = [...text.matchAll(word)].map(({ index }) =>
      text.slice(Math.max(0, index - 60), index + 67),
    );
    const found = [...around, ...(text.match(disguised) ?? [])];
    return [...new Set(found)].slice(0, 3).map((context) => `${name}: ${context}`);
  });
}

beforeEach(() => {
  outputs = [];
});
afterEach(async () => {
  await world.close();
  await echo.close();
});

const reports = ['md', 'html', 'json', 'xml', 'gitlab.json'];
const reportFiles = (name: string, endings: readonly string[]) =>
  endings.flatMap((ending) => ['--report', `out/${name}.${ending}`]);

async function everyCommand(): Promise<void> {
  for (const format of ['text', 'json', 'github', 'sarif'])
    await run('validate --format', format, '--verbose');
  for (const format of ['text', 'markdown', 'html']) await must([0], 'plan --format', format, '--verbose');
  await must([0], 'plan --format json --verbose --out plan.json', ...reportFiles('plan', reports));
  await run('plan --rotate ** --out rotated.json --format html --impact');
  await run('apply plan.json --dry-run');
  await run('apply rotated.json --dry-run --verbose');
  for (const format of ['text', 'json', 'markdown', 'html', 'junit', 'gitlab'])
    await run('show plan.json --format', format, '--verbose');
  await run('status --format text --verbose');
  for (const format of ['json', 'zone']) await run('status --format', format);
  for (const format of ['table', 'json', 'csv']) await run('search Staff --format', format, '--verbose');

  await diffs();

  await run('completion bash');
  await run('completion -- tenantctl plan --only S');
  await previewOf(world);

  // Everything is refused by a tenant that repeats what it was sent.
  echo.isEchoed = (method, path) => method !== 'GET' && !path.startsWith('/oauth');
  for (const status of [400, 500]) {
    echo.status = status;
    expect(
      (await run('apply plan.json --verbose', ...reportFiles('no', ['md', 'html', 'json', 'xml']))).code,
    ).toBe(3);
    await run('send-test NotificationTemplate/welcome/EMAIL/en --yes --verbose');
  }
  echo.isEchoed = (_method, path) => path.startsWith('/oauth');
  expect((await run('plan --verbose')).code).toBe(1);
  echo.isEchoed = () => false;

  await expectEnd(run('apply --yes --result result.json --verbose --format json'), 0);
  for (const format of ['text', 'json', 'markdown', 'html', 'junit'])
    await run('show result.json --format', format, '--verbose');
  await run('send-test NotificationTemplate/welcome/EMAIL/en --yes --format json --verbose');
  await expectEnd(run('rollback result.json --out back.json --verbose', ...reportFiles('back', reports)), 0);
  await run('apply back.json --verbose --result back-result.json --format jsonl');
  await run('show back-result.json --format html');
  await run('rollback back-result.json --verbose --format json');
  await must([0], 'history');
  for (const format of ['text', 'json']) await must([0, 1], 'check --format', format);
  // An export writes undeclared settings that do not look like credentials.
  for (const integration of world.sandbox.state.simIntegrations)
    integration.attributes = { ...integration.attributes, colour: 'red', deep: {} };
  for (const format of ['yaml', 'json']) {
    await must([0], 'get ** --verbose --format', format);
    await must([0], 'get ** --declared --format', format);
  }
  await expectEnd(run('export --merge --verbose'), 0);
}

/** Every way to compare, in every format: with manifests, and with a tenant that holds other secrets at the same places. */
async function diffs(): Promise<void> {
  const other = await createWorld({ ...describedWorld, sandbox: { clientSecret: 'canary-other-client' } });
  const project = world.read('tenantctl.yaml');
  try {
    fillTenant(other.sandbox.state);
    const { simIntegrations, templates, profileSearches, objects } = world.sandbox.state;
    const secrets = JSON.stringify({ simIntegrations, templates, profileSearches, objects });
    Object.assign(other.sandbox.state, JSON.parse(secrets.replaceAll('canary-live', 'canary-other')));
    world.env.OTHER_SECRET = other.sandbox.clientSecret;
    const url = `baseUrl: "${other.sandbox.url}"`;
    const auth = `{ clientId: ${other.sandbox.clientId}, clientSecret: !secret OTHER_SECRET }`;
    world.write(
      'tenantctl.yaml',
      `${project}  other: { identity: { ${url}, auth: ${auth} }, profiles: { ${url} }, limits: { settle: 0s } }\n`,
    );
    const diff = (what: string, file: string) =>
      must([2], `diff ${what} --detailed-exitcode --verbose`, ...reportFiles(file, ['md', 'html', 'json']));
    expect((await diff('test other', 'others')).stdout).toMatch(/attributes\/colour +\(sensitive\)/);
    await diff('other ./config --format json', 'to-files');
    await diff('./config test --format html', 'from-files');
    await diff('--declared test', 'declared');
  } finally {
    await other.close();
    world.write('tenantctl.yaml', project);
  }
}

/** The page of the preview, everything it can ask for, and what the command says. */
async function previewOf(world: World): Promise<void> {
  called.add('preview');
  const stop = new AbortController();
  const { dir: cwd, env } = world;
  const told: string[] = [];
  let ended: Promise<unknown> | null = null;
  const url = await new Promise<string>((started) => {
    const onPiece = ({ stream, text }: Piece) => {
      told.push(text);
      if (stream === 1) started(text.trim());
    };
    ended = runProgram(['preview --verbose'], { cwd, env, signal: stop.signal, onPiece });
  });
  const page = await (await fetch(url)).text();
  const token = /name="token" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const headers = {
    'x-preview-token': token,
    origin: new URL(url).origin,
    'content-type': 'application/json',
  };
  const ask = async (path: string, body?: string) =>
    (
      await fetch(`${url}${path}`, body === undefined ? { headers } : { method: 'POST', headers, body })
    ).text();
  const list = await ask('api/templates');
  const rendered: string[] = [];
  for (const { address } of JSON.parse(list).templates)
    rendered.push(await ask('api/render', JSON.stringify({ address })));
  stop.abort();
  await ended;
  expect(rendered.length).toBeGreaterThan(0);
  const stdout = [page.replace(token, ''), list, ...rendered, ...told].join('\n');
  outputs.push({ argv: 'preview', code: 0, stdout, stderr: '' });
}

interface Tenant {
  readonly variations: Partial<Variations>;
  /** A setting of the environment. */
  readonly setting?: string;
  readonly declared?: string;
}

const tenants: readonly Tenant[] = [
  { variations: { simSecrets: 'clear' } },
  { variations: { simSecrets: 'encrypted', jsonText: 'map' } },
  { variations: { simSecrets: 'masked', simStatusMap: 'attributes' } },
  { variations: { simSecrets: 'absent', simStatusMap: 'hidden' } },
  // Integrations are written whole, or their settings are objects.
  { variations: {}, setting: 'simUpdate: put' },
  { variations: { jsonText: 'object', slackTeams: 'object' }, setting: 'jsonText: object' },
  // The manifests no longer compare them.
  {
    variations: {},
    declared: manifests.replaceAll(
      'attributes: {',
      'lifecycle: { ignore: [/attributes/url, /attributes/password] }\nattributes: {',
    ),
  },
];

it.each(casesOf(tenants))(
  'no command shows a secret, nor writes one, against a tenant with $variations',
  async ({ variations, setting, declared }) => {
    await open(variations, declared);
    if (setting !== undefined) {
      const project = world.read('tenantctl.yaml');
      world.write('tenantctl.yaml', project.replace('identity: {', `identity: { ${setting},`));
    }
    await everyCommand();
    expect(leaks()).toEqual([]);
  },
);

const units = (text: string) =>
  text.replaceAll(/./gs, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const bytes = (text: string, as: BufferEncoding) => Buffer.from(text).toString(as);

type Spelling = readonly [string, (text: string) => string];

const spellings: readonly Spelling[] = [
  ['percent', encodeURIComponent],
  ['slashes', (text) => text.replaceAll('/', '\\/')],
  ['unicode escapes', units],
  [
    'HTML',
    (text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['base64', (text) => bytes(text, 'base64')],
  ['base64url', (text) => bytes(`.${text}`, 'base64url')],
];

let turn = 0;
const inTurn: Spelling = [
  'all of these',
  (text) => {
    const [, spell] = spellings[turn++ % spellings.length] ?? expect.fail();
    return spell(text);
  },
];

it.each(isThorough ? casesOf(spellings) : [inTurn])(
  'nor when a tenant repeats what it got as %s',
  async (_, spell) => {
    await open({ simSecrets: 'clear' });
    echo.spell = spell;
    echo.isEchoed = (method, path) => method !== 'GET' && !path.startsWith('/oauth');
    const reportsTo = ['--result', 'result.json', ...reportFiles('failed', ['md', 'html', 'json', 'xml'])];
    await must([3], 'apply --yes --verbose', ...reportsTo);
    await run('send-test NotificationTemplate/welcome/EMAIL/en --yes --verbose');
    echo.isEchoed = (_method, path) => path.startsWith('/oauth');
    if (!isThorough) expect(turn).toBeGreaterThanOrEqual(spellings.length);
    await must([1], 'plan --verbose --format json');
    expect(leaks()).toEqual([]);
  },
);

const moved = `
kind: SimIntegration
name: Desk
attributes:
  list: [shown, !secret S_URL]
  pairs: [{ name: Accept, value: json }, { name: X-Trace, value: !secret S_URL }]
request: { fields: [{ name: two, value: { is: open } }, { name: one, value: { is: !secret S_URL } }] }
`;

it('nor from lists that the tenant has in another order', async () => {
  const pair = (name: string, value: unknown) => ({ name, value });
  await open({}, moved);
  const [integration] = world.sandbox.state.simIntegrations;
  Object.assign(integration ?? {}, {
    attributes: {
      list: ['canary-first', 'shown'],
      pairs: [pair('X-Trace', 'canary-trace'), pair('Accept', 'json')],
    },
    request: { fields: [pair('one', { is: 'canary-one' }), pair('two', { is: 'open' })] },
  });
  await must([0], 'plan --verbose --out plan.json', ...reportFiles('plan', reports));
  world.sandbox.state.simIntegrations.splice(1);
  await must([0], 'export --out exported --kinds SimIntegration');
  await must([0], 'apply plan.json --result result.json --verbose');
  await must([0], 'rollback result.json --verbose --out back.json');
  expect(leaks()).toEqual([]);
});

function commitProject(): void {
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...argv], {
      cwd: world.dir,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', 'config', 'kinds', 'tenantctl.yaml');
  git('commit', '-qm', 'first');
}

it('nor of what an old commit declared in clear, beside what the tenant made of it', async () => {
  const then = manifests
    .replaceAll(/!secret (?!S_FROM|S_MAIL)/g, 'canary-then-')
    .replace('user: new', 'user: { password: canary-then-user, plain: 1 }');
  await open({}, then);
  commitProject();
  world.write('config/all.yaml', manifests);
  const planned = await must([0], 'plan --since HEAD --out plan.json --verbose --format json');
  // What the revision declared is shown, but nothing secret in it.
  expect(planned.stdout).toMatch(/"base": *\{\s*"password": "\(sensitive\)",\s*"plain": 1\s*\}/);
  await must([0], 'plan --since HEAD --verbose --format html');
  for (const format of ['text', 'markdown']) await must([0], 'show plan.json --verbose --format', format);
  await must([0], 'apply plan.json --result result.json --format json');
  await must([0], 'rollback result.json --out back.json --format json');
  execFileSync('rm', ['-rf', '.git'], { cwd: world.dir });
  expect(leaks()).toEqual([]);
});

it('nor of an object that only git still declares', async () => {
  await open();
  commitProject();
  expect((await world.run('apply --yes')).code).toBe(0);
  world.write('config/all.yaml', 'kind: SenderAddress\nemail: new@acme.example\n');
  const planned = await run('plan --since HEAD --out plan.json --verbose --format json');
  expect(JSON.parse(planned.stdout).summary.delete, planned.stderr).toBe(10);
  await run('plan --since HEAD --verbose');
  await run('apply plan.json --result result.json --format json');
  await run('rollback result.json --out back.json --format json');
  execFileSync('rm', ['-rf', '.git'], { cwd: world.dir });
  expect(leaks()).toEqual([]);
});

it('nor does an export, afresh or over manifests', async () => {
  await open({}, 'kind: SenderAddress\nemail: kept@acme.example\n');
  Object.assign(world.sandbox.state.templates[0] ?? {}, { subject: 'Hi', body: 'Old' });
  Object.assign(world.sandbox.state.profileSearches[0] ?? {}, { rules: [] });
  for (const integration of world.sandbox.state.simIntegrations) {
    // An export writes what does not look like a credential.
    integration.attributes = { ...integration.attributes, url: 'u', colour: 'red', deep: {} };
  }
  expect(await run('export --out fresh --verbose')).toMatchObject({ code: 0 });
  await must([0], 'init new --yes');
  expect(leaks()).toEqual([]);
});

it('nor does an export of what manifests declare as secret', async () => {
  await open();
  world.write('tenantctl.yaml', `${world.read('tenantctl.yaml')}manifests: [config/*.yaml]\n`);
  const { simIntegrations, templates, profileSearches } = world.sandbox.state;
  Object.assign(simIntegrations[0] ?? {}, {
    attributes: { url: 'canary-live-url', password: 'p', deep: { inner: 'canary-live-inner' } },
    description: 'canary-live-description',
    statusMap: { closed: 'canary-live-status' },
    request: { field: 'canary-live-field' },
  });
  simIntegrations.splice(1);
  profileSearches.splice(1);
  templates.splice(1);
  expect(await run('export --out fresh --verbose')).toMatchObject({ code: 0 });
  const fresh = world.read('fresh/sim-integrations/desk.yaml');
  for (const name of ['S_URL', 'S_PASSWORD', 'S_DEEP', 'S_DESCRIPTION', 'S_STATUS', 'S_REQUEST'])
    expect(fresh).toContain(`!secret ${name}`);
  expect(world.read('fresh/notification-templates/welcome/email.en.yaml')).toContain('!secret S_BODY');
  expect(leaks()).toEqual([]);
});

it('covers every command that talks to a tenant or reads its data', () => {
  // Schemas, explanations and names of environments hold no data, and the credentials of an embedded tenant are made up for each start.
  // A check of a kind shows names of fields and no values (test/commands/kind-check.test.ts).
  const without = ['schema', 'explain', 'sandbox', 'env', 'kind'];
  expect(Object.keys(commands).filter((name) => !called.has(name) && !without.includes(name))).toEqual([]);
});
