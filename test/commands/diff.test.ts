import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Diff } from '../../src/model/documents.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import { expectEnd, succeed } from '../support/world.ts';

let two: TwoTenants;
beforeEach(async () => {
  two = await createTwoTenants();
});
afterEach(() => two.close());

const stateOf = (name: 'test' | 'production') => two[name].sandbox.state;

async function diff(...argv: string[]): Promise<Diff> {
  const { stdout } = await succeed(two, 'diff', ...argv, '--format', 'json');
  return JSON.parse(stdout);
}

function addSenders(name: 'test' | 'production', ...emails: string[]): void {
  addObjects(stateOf(name), {
    senders: emails.map((email) => ({ id: `${name}-${email}`, email, verificationStatus: 'SUCCESS' })),
  });
}

const welcome = { key: 'welcome', medium: 'EMAIL', locale: 'en' } as const;

/** @param subject `null`: only the vendor's default */
function addTemplate(name: 'test' | 'production', subject: string | null, body = 'Hello'): void {
  addObjects(stateOf(name), {
    templateDefaults: [{ ...welcome, subject: 'Default', body: 'Hello' }],
    templates: subject === null ? [] : [{ ...welcome, subject, body }],
  });
}

/** Ids of a tenant begin with its name: nothing has the same id in both. */
function addIntegration(
  name: 'test' | 'production',
  attributes: Record<string, string>,
  more: { rule?: string; clusterName?: string } = {},
): void {
  const { rule = 'Expand groups', clusterName = 'va' } = more;
  const sources = [`${name}-hr`, `${name}-ad`];
  addObjects(stateOf(name), {
    references: [
      { id: `${name}-va`, type: 'CLUSTER', name: clusterName },
      { id: `${name}-hr`, type: 'SOURCE', name: 'Workday' },
      { id: `${name}-ad`, type: 'SOURCE', name: 'Directory' },
    ],
    simIntegrations: [
      {
        ...{ id: `${name}-desk`, name: 'Desk', description: 'Tickets', type: 'Jira', attributes },
        ...{ cluster: `${name}-va`, sources: name === 'test' ? sources : sources.reverse() },
        beforeProvisioningRule: { type: 'RULE', id: `${name}-rule`, name: rule },
      },
    ],
  });
}

/** A search for people of a type, whose ids are another tenant's for something else. */
function addSearch(name: 'test' | 'production', types: readonly string[], wanted: string): void {
  const value = `${types.indexOf(wanted) + 1}`;
  const rule = { id: `${name}-r`, type: 'ProfileTypeRule', comparison_operator: '==', value };
  addObjects(stateOf(name), {
    profileTypes: types.map((type, at) => ({ id: `${at + 1}`, uid: type.toLowerCase(), name: type })),
    profileSearches: [{ id: `${name}-search`, label: 'Staff', rules: [rule] }],
  });
}

describe('two tenants', () => {
  it('differ in what is listed and counted: objects of one side by name, the others field by field', async () => {
    addSenders('test', 'both@acme.example', 'only-test@acme.example');
    addSenders('production', 'BOTH@acme.example', 'p1@acme.example', 'p2@acme.example');
    addTemplate('test', 'Welcome', 'one\ntwo\nthree\n');
    addTemplate('production', 'Welcome!', 'one\n2\nthree\n');
    const { stdout } = await succeed(two, 'diff test production');
    expect(stdout).toContain('Differences between test and production');
    expect(stdout).toMatch(/EMAIL\/en {2}test → production\n +~ subject {2}"Welcome" → "Welcome!"\n/);
    expect(stdout).toContain('- two\n          + 2\n');
    expect(stdout).toContain('- SenderAddress/only-test@acme.example');
    expect(stdout).toContain('+ SenderAddress/p1@acme.example');
    expect(stdout).toContain('Diff: 1 differs, 1 only in test, 2 only in production, 1 equal.');
    const { summary } = await diff('test', 'production');
    expect(summary).toEqual({ differing: 1, onlyFirst: 1, onlySecond: 2, equal: 1, notComparable: 0 });
  });

  it('are shown with the words reversed that differ in a value of one line, beside and below each other', async () => {
    const reversed = async () => {
      const { stdout } = await two.run('diff test production');
      const parts = stdout.split('\u001b[7m').slice(1);
      return parts.map((part) => stripVTControlCharacters(part.split('\u001b[27m')[0] ?? ''));
    };
    addTemplate('test', 'Five days left');
    addTemplate('production', 'Two days left');
    expect(await reversed()).toEqual([]);
    two.env.FORCE_COLOR = '1';
    expect(await reversed()).toEqual(['Five', 'Two']);
    const long = 'days left until the password of your account expires';
    for (const [name, word] of [['test', 'Five'] as const, ['production', 'Two'] as const])
      for (const template of stateOf(name).templates) template.subject = `${word} ${long}`;
    expect(await reversed()).toEqual(['Five', 'Two']);
    delete two.env.FORCE_COLOR;
    const { stdout } = await two.run('diff test production');
    expect(stdout).toMatch(/ {2}test → production\n +~ subject +"Five days [^\n]+\n +→ "Two days/);
  });

  it('end with 2 where they differ and --detailed-exitcode is given, else with 0', async () => {
    await succeed(two, 'diff test production --detailed-exitcode');
    addSenders('test', 'a@acme.example');
    await succeed(two, 'diff test production');
    await expectEnd(two.run('diff test production --detailed-exitcode'), 2);
  });

  it('are only read, both with the fewest requests, and nothing is read twice', async () => {
    addSenders('test', 'a@acme.example');
    const before = [two.test, two.production].map(({ sandbox }) => sandbox.log.length);
    await diff('test', 'production', '--only', 'SenderAddress/*');
    for (const [at, { sandbox }] of [two.test, two.production].entries()) {
      const sent = sandbox.log.slice(before[at]).map(({ method, path }) => `${method} ${path}`);
      expect(sent).toEqual(['POST /oauth/token', 'GET /v2025/verified-from-addresses']);
    }
  });

  it('tell once of a kind whose service neither has', async () => {
    const project = two.test.read('tenantctl.yaml');
    two.test.write('tenantctl.yaml', project.replaceAll(/ profiles: \{[^}]*\},/g, ''));
    const message = 'ProfileSearch is left out: the `profiles` service is missing in test and production.';
    const { diagnostics } = await diff('test', 'production');
    expect(diagnostics).toMatchObject([{ code: 'kind-left-out', message }]);
  });

  it('leave out a kind that one of them does not show, unless somebody names it or asks for the exit code', async () => {
    addSenders('test', 'a@acme.example');
    const fault = { kind: 'status', status: 403, path: '/v2024/sim-integrations', times: 9 } as const;
    two.production.sandbox.faults.add(fault);
    const { objects, diagnostics } = await diff('test', 'production');
    expect(objects.map(({ address }) => address)).toEqual(['SenderAddress/a%40acme.example']);
    expect(diagnostics).toMatchObject([{ code: 'kind-left-out', severity: 'warning' }]);
    const message = /^SimIntegration is left out: the tenant of production does not show it\. .* 403 /;
    expect(diagnostics[0]?.message).toMatch(message);
    for (const option of ['--only SimIntegration/**', '--detailed-exitcode'])
      await expectEnd(two.run(`diff test production ${option}`), 1, '[tenant-forbidden]');
  });

  it('show other names as they are, also where the ids are the same', async () => {
    addIntegration('test', {});
    addIntegration('production', {}, { rule: 'Another rule', clusterName: 'va-prod' });
    addSearch('test', ['Employee', 'Contractor'], 'Employee');
    addSearch('production', ['Contractor', 'Employee'], 'Contractor');
    const { objects } = await diff('test', 'production');
    const typeOf = (uid: string) => `!lookup { from: profile_types, where: { uid: ${uid} }, take: id }`;
    const rule = (name: string) => ({ type: 'RULE', name });
    const found = objects.flatMap((object) => object.diff);
    expect(found.map(({ path, before, after }) => [path, before, after])).toEqual([
      ['/rules/0/value', typeOf('employee'), typeOf('contractor')],
      ['/cluster', 'va', 'va-prod'],
      ['/beforeProvisioningRule', rule('Expand groups'), rule('Another rule')],
    ]);
  });

  it('are equal where a setting is null in one and missing in the other: no manifest can tell them apart', async () => {
    const set = (name: 'test' | 'production', members: object) =>
      Object.assign(stateOf(name).simIntegrations[0] ?? {}, members);
    for (const name of ['test', 'production'] as const) addIntegration(name, {});
    set('test', { attributes: { url: 'u', zone: null, deep: { x: null } } });
    set('production', { attributes: { url: 'u', deep: {} } });
    expect((await diff('test', 'production', '--kinds', 'SimIntegration')).objects).toEqual([]);
    set('production', { request: { a: '1', b: null } });
    set('test', { request: { a: '1' } });
    expect((await diff('test', 'production', '--kinds', 'SimIntegration')).objects).toEqual([]);
  });

  it('compare nothing of a key that two objects of one of them have, and say so', async () => {
    addSenders('test', 'Help@acme.example', 'help@acme.example', 'other@acme.example');
    addSenders('production', 'HELP@acme.example');
    const { objects, diagnostics } = await diff('test', 'production');
    expect(objects).toMatchObject([{ address: 'SenderAddress/other%40acme.example', in: 'first' }]);
    expect(diagnostics).toMatchObject([{ code: 'not-compared' }]);
    expect(diagnostics[0]?.message).toContain('ids test-Help@acme.example, test-help@acme.example');
    expect((await diff('test', 'production', '--only', 'SenderAddress/o*')).diagnostics).toEqual([]);
  });

  it('differ in an object that no manifest could declare', async () => {
    addTemplate('test', 'Hello');
    for (const template of stateOf('test').templates) Object.assign(template, { medium: 'WHATSAPP' });
    const { objects } = await diff('test', 'production', '--kinds', 'NotificationTemplate');
    expect(objects).toMatchObject([{ address: 'NotificationTemplate/welcome/WHATSAPP/en', in: 'first' }]);
  });

  it('that differ only in their settings do not differ', async () => {
    await two.close();
    two = await createTwoTenants({
      production: {
        sandbox: { variations: { jsonText: 'object', identityPaths: 'own' } },
        identity: { jsonText: 'object', paths: { SimIntegration: '/sim-integrations/v1' } },
      },
    });
    addIntegration('test', { url: 'u' });
    addIntegration('production', { url: 'u' });
    const { summary } = await diff('test', 'production', '--kinds', 'SimIntegration');
    expect(summary).toMatchObject({ equal: 1 });
  });

  it('are equal where one has customised a template to what the other one has by default', async () => {
    addTemplate('test', 'Default');
    addTemplate('production', null);
    expect((await diff('test', 'production')).objects).toEqual([]);
    Object.assign(stateOf('test').templates[0] ?? {}, { subject: 'Ours' });
    expect((await diff('test', 'production')).objects).toMatchObject([{ in: 'first' }]);
  });
});

describe('secrets', () => {
  const desk = (attributes: string) => `kind: SimIntegration\nname: Desk\nattributes: { ${attributes} }\n`;

  it('differ or are not comparable, and are never shown', async () => {
    addIntegration('test', { password: 'pass-one', apiToken: '********', colour: 'red' });
    addIntegration('production', { password: 'pass-two', apiToken: 'token-two', colour: 'blue' });
    const shown = await two.run('diff test production --verbose');
    expect(shown.stdout).toMatch(/attributes\/password +\(sensitive\)/);
    // No manifest declares it, so nothing tells what it holds.
    expect(shown.stdout).toMatch(/attributes\/colour +\(sensitive\)/);
    expect(shown.stdout).toMatch(/Not comparable.*\n.*SimIntegration\/Desk {2}attributes\/apiToken/);
    expect(`${shown.stdout}${shown.stderr}`).not.toMatch(/pass-|token-|red|blue/);
  });

  it.each([
    ['test', 'production'],
    ['production', 'test'],
  ])('of one side conceal the value of the other: %s, %s', async (...names) => {
    two.test.write('config/desk.yaml', desk('note: plain-note, user: someone'));
    addIntegration('test', { note: 'plain-note', user: 'someone' });
    addIntegration('production', { note: 'Bearer production-1234567890', user: 'else' });
    const shown = await two.run('diff', ...names, '--verbose');
    expect(shown.stdout).toMatch(/attributes\/note +\(sensitive\)/);
    // Declared in clear, and no credential on either side.
    expect(shown.stdout).toContain('someone');
    expect(`${shown.stdout}${shown.stderr}`).not.toMatch(/plain-note|1234567890/);
  });

  it('of a manifest are compared by their text where that is known', async () => {
    addIntegration('test', { password: 'pass-one', colour: 'red' });
    two.test.write('config/desk.yaml', desk('password: !secret DESK, colour: blue'));
    const { notComparable, objects: found } = await diff('--declared', 'test');
    expect(notComparable).toEqual([{ address: 'SimIntegration/Desk', paths: ['/attributes/password'] }]);
    const colour = { path: '/attributes/colour', before: 'red', after: 'blue' };
    expect(found[0]?.diff).toMatchObject([colour]);
    two.env.DESK = 'pass-one';
    expect(await diff('--declared', 'test')).toMatchObject({ notComparable: [] });
    two.env.DESK = 'pass-two';
    const { objects } = await diff('--declared', 'test');
    const concealed = { op: 'replace', before: null, after: null, sensitive: true };
    expect(objects[0]?.diff).toContainEqual({ path: '/attributes/password', ...concealed });
  });

  it('stay secret where overlays put texts in their places', async () => {
    const overlays = (colour: string) => [{ target: 'SimIntegration/*', merge: { attributes: { colour } } }];
    const [test, production] = ['text-one', 'text-two'].map((text) => ({ overlays: overlays(text) }));
    two.writeProject({ test: { ...test }, production: { ...production } });
    two.test.write('config/desk.yaml', desk('colour: !secret DESK'));
    const { objects } = await diff('--declared', 'test', 'production');
    expect(objects[0]?.diff).toMatchObject([{ path: '/attributes/colour', before: null, sensitive: true }]);
  });

  it.each([
    ['have one name are equal', 'DESK', []],
    ['have two names are not comparable', 'OTHER', ['/attributes/password']],
  ])('of two manifests that are not set and %s', async (_, name, unknown) => {
    two.test.write('one.yaml', desk('password: !secret DESK, colour: blue'));
    two.test.write('two.yaml', desk(`password: !secret ${name}, colour: red`));
    const { objects, notComparable } = await diff('./one.yaml', './two.yaml', '-e', 'test');
    expect(objects.flatMap((object) => object.diff.map(({ path }) => path))).toEqual(['/attributes/colour']);
    expect(notComparable.flatMap(({ paths }) => paths)).toEqual(unknown);
  });
});

describe('manifests', () => {
  const template = 'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\n';

  it('of an environment stand beside its tenant, with what no manifest declares', async () => {
    addSenders('test', 'declared@acme.example', 'undeclared@acme.example');
    const senders = ['declared', 'missing', 'absent'].map(
      (name) => `kind: SenderAddress\nemail: ${name}@acme.example\n`,
    );
    two.test.write('config/all.yaml', `${senders.join('---\n')}ensure: absent\n`);
    const { sides, objects, summary } = await diff('--declared', 'test');
    expect(sides.map(({ name }) => name)).toEqual(['test', 'manifests of test']);
    const source = { file: 'config/all.yaml', line: 4 };
    expect(objects).toMatchObject([
      { address: 'SenderAddress/missing%40acme.example', in: 'second', source },
      { address: 'SenderAddress/undeclared%40acme.example', in: 'first', source: null },
    ]);
    expect(summary.equal).toBe(1);
  });

  it('do not differ in objects of the tenant that no manifest could declare', async () => {
    addTemplate('test', 'Hello');
    for (const template of stateOf('test').templates) Object.assign(template, { medium: 'WHATSAPP' });
    const identities = ['known.example', 'unknown.example'].map((address) => ({ address }));
    addObjects(stateOf('test'), { identities });
    for (const [at, dkimVerificationStatus] of ['SUCCESS', 'NOT_STARTED'].entries())
      Object.assign(stateOf('test').identities[at] ?? {}, { dkimVerificationStatus });
    const only = ['--only', 'NotificationTemplate/**', 'VerifiedDomain/*'];
    const { objects } = await diff('--declared', 'test', ...only);
    expect(objects).toMatchObject([{ address: 'VerifiedDomain/known.example', in: 'first' }]);
  });

  it('of two environments differ in variables and overlays, and no tenant is read', async () => {
    two.writeProject({
      test: { variables: { company: 'ACME Test' } },
      production: {
        variables: { company: 'ACME' },
        overlays: [{ target: 'NotificationTemplate/**', merge: { replyTo: 'help@acme.example' } }],
      },
    });
    two.test.write('config/all.yaml', `${template}subject: !format "Welcome to %{company}"\n`);
    const { objects } = await diff('--declared', 'test', 'production');
    expect(objects[0]?.diff).toMatchObject([
      { path: '/subject', op: 'replace', before: 'Welcome to ACME Test', after: 'Welcome to ACME' },
      { path: '/replyTo', op: 'add', before: null, after: 'help@acme.example' },
    ]);
    // A folder has the variables of the other side, or of --env.
    const besideFolder = (...env: string[]) => diff('--declared', 'test', './config', ...env);
    expect((await besideFolder()).summary).toMatchObject({ equal: 1, differing: 0 });
    expect((await besideFolder('-e', 'production')).summary).toMatchObject({ equal: 0, differing: 1 });
    expect([two.test, two.production].map(({ sandbox }) => sandbox.log)).toEqual([[], []]);
  });

  it('of a folder outside every glob can be either side', async () => {
    addSenders('test', 'a@acme.example', 'b@acme.example');
    addTemplate('test', 'Welcome', '<p>Hello</p>');
    addTemplate('production', 'Other', '<p>Hello</p>');
    addSearch('test', ['Employee', 'Contractor'], 'Employee');
    addSearch('production', ['Contractor', 'Employee'], 'Employee');
    await succeed(two, 'export -e test --out kept/test');
    expect((await diff('kept/test', 'test')).objects).toEqual([]);
    const { objects } = await diff('production', './kept/test');
    expect(objects.map(({ address, in: where }) => [address, where])).toEqual([
      ['NotificationTemplate/welcome/EMAIL/en', 'both'],
      ['SenderAddress/a%40acme.example', 'second'],
      ['SenderAddress/b%40acme.example', 'second'],
    ]);
    const source = { file: 'kept/test/notification-templates/welcome/email.en.yaml', line: 1 };
    expect(objects[0]?.source).toEqual(source);
    await succeed(two, 'export -e production --out kept/production');
    const [first] = (await diff('kept/production', 'kept/test', '-e', 'test')).objects;
    expect(first).toMatchObject({ in: 'both', source: { file: source.file } });
  });

  it.each(['one.yaml', 'kept/one.yaml', '.kept', '.kept/one.yaml', 'elsewhere', 'elsewhere/one.yaml'])(
    'of %s are read, wherever it is',
    async (path) => {
      addSenders('test', 'a@acme.example', 'b@acme.example');
      const manifest = 'kind: SenderAddress\nemail: a@acme.example\n';
      for (const folder of ['', 'kept/', '.kept/']) two.test.write(`${folder}one.yaml`, manifest);
      two.production.write('one.yaml', manifest);
      const { summary } = await diff(path.replace('elsewhere', two.production.dir), 'test');
      expect(summary).toMatchObject({ equal: 1, onlySecond: 1 });
    },
  );

  it('leave out what they do not declare: fields, and kinds, which are named', async () => {
    addSenders('test', 'a@acme.example');
    addTemplate('test', 'Welcome');
    two.test.write('one.yaml', `${template}body: Hello\n`);
    const { objects, diagnostics } = await diff('test', './one.yaml');
    expect(objects).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'kinds-not-compared', severity: 'info' }]);
    expect(diagnostics[0]?.message).toContain('SenderAddress');
    expect((await diff('test', './one.yaml', '--kinds', 'SenderAddress')).objects).toHaveLength(1);
  });

  it('that declare nothing are warned about: the path may be a wrong one', async () => {
    mkdirSync(join(two.test.dir, 'empty'));
    const { diagnostics } = await diff('test', './empty');
    expect(diagnostics).toMatchObject([{ code: 'kinds-not-compared', severity: 'warning' }]);
  });

  it('of a kind that has no list are read by what they declare', async () => {
    addObjects(stateOf('test'), { preferences: [{ key: 'digest', mediums: ['EMAIL'] }] });
    two.test.write('one.yaml', 'kind: NotificationPreference\nkey: digest\nmediums: [EMAIL]\n');
    expect((await diff('test', './one.yaml')).summary).toMatchObject({ equal: 1, onlySecond: 0 });
    expect((await diff('./one.yaml', 'test')).summary).toMatchObject({ equal: 1, onlyFirst: 0 });
  });

  it('never lead out of their folder', async () => {
    two.test.write('secret.txt', 'outside');
    two.test.write('kept/one.yaml', `${template}subject: !file ../secret.txt\n`);
    await expectEnd(two.run('diff test ./kept'), 1, '[outside-project]', 'kept/one.yaml:5:');
    two.test.write('kept/one.yaml', `${template}subject: !file link.txt\n`);
    symlinkSync('../secret.txt', `${two.test.dir}/kept/link.txt`);
    expect((await two.run('diff test ./kept')).stderr).toContain('[outside-project]');
    mkdirSync(`${two.test.dir}/.tenantctl`, { recursive: true });
    expect((await two.run('diff test ./.tenantctl')).stderr).toContain('[reserved-folder]');
  });
});

describe('the arguments', () => {
  it.each([
    [['test', 'prodution'], 'Did you mean `production`?'],
    [['test'], 'A diff needs two sides.'],
    [['--declared', './config'], 'A diff needs two sides.'],
    [['test', './nowhere'], '[file-not-found]'],
    [['test', 'production', '-e', 'test'], 'Name the environments to compare as arguments'],
    [['test', 'production', '--only', 'SenderAdress/*'], '[unknown-kind]'],
    [['test', 'production', '--kinds', 'SenderAdress'], '[unknown-kind]'],
    [['test', 'production', '--format', 'sarif'], '[usage]'],
    [['test', 'production', '--report', 'x.gitlab.json'], '[unsupported-format]'],
  ])('%j are refused', async (argv, words) => {
    two.test.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    await expectEnd(two.run('diff', ...argv), 1, words);
  });

  it('limit what is compared', async () => {
    addSenders('test', 'a@acme.example', 'b@acme.example');
    addTemplate('test', 'Welcome');
    const addresses = async (...argv: string[]) =>
      (await diff('test', 'production', ...argv)).objects.map(({ address }) => address);
    expect(await addresses('--only', 'SenderAddress/a@*')).toEqual(['SenderAddress/a%40acme.example']);
    expect(await addresses('--except', 'SenderAddress/*')).toEqual(['NotificationTemplate/welcome/EMAIL/en']);
    expect(await addresses('--only', '{SenderAddress/a@*,NotificationTemplate/**}')).toEqual([
      'NotificationTemplate/welcome/EMAIL/en',
      'SenderAddress/a%40acme.example',
    ]);
    expect(await addresses('--kinds', 'SenderAddress')).toHaveLength(2);
    expect((await diff('test', 'production', '--only', 'SenderAddress/zzz*')).diagnostics).toMatchObject([
      { code: 'unmatched-glob' },
    ]);
  });
});

it('a side that cannot be read is named, and both where neither can', async () => {
  const refuse = (name: 'test' | 'production') =>
    two[name].sandbox.faults.add({ kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });
  refuse('production');
  const one = await two.run('diff test production');
  expect(one).toMatchObject({ code: 1, stdout: '' });
  expect(one.stderr).toMatch(/error {2}production: /);
  expect(one.stderr).not.toMatch(/error {2}test: /);
  refuse('test');
  const both = await two.run('diff test production --format json');
  expect(both.stderr).toMatch(/error {2}test: [\s\S]*error {2}production: /);
  expect(both.json).toMatchObject({ diagnostics: [{ severity: 'error' }, { severity: 'error' }] });
});

describe('reports', () => {
  const schema = (name: string) =>
    JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
  const isDiff = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false })
    .addSchema(schema('plan'), 'plan.schema.json')
    .compile(schema('diff'));

  beforeEach(() => {
    addSenders('test', 'a@acme.example');
    addSenders('production', 'b@acme.example');
    addTemplate('test', 'Welcome | <b>`one`</b>', 'one\ntwo\n');
    addTemplate('production', 'Welcome', 'one\n2\n');
    addIntegration('test', { password: 'pass-one', apiToken: '********' });
    addIntegration('production', { password: 'pass-two', apiToken: 'x' });
  });

  it('name both sides in every format', async () => {
    const files = ['md', 'html', 'json'].map((ending) => `--report out/diff.${ending}`);
    const { stdout } = await succeed(two, `diff test production ${files.join(' ')}`);
    const read = (ending: string) => two.test.read(`out/diff.${ending}`);
    const [markdown, page, json] = [read('md'), read('html'), read('json')];
    expect(stdout).toContain('only in production');
    expect(markdown).toContain('### tenantctl diff: test and production');
    expect(markdown).toContain('| differ | only in test | only in production | equal |');
    expect(markdown).toMatch(/^- `-` \*\*test\*\* .*\n- `\+` \*\*production\*\* /m);
    expect(markdown).toContain('| field | test | production |\n');
    expect(markdown).toContain('| `subject` | ``"Welcome \\| <b>`one`</b>"`` | `"Welcome"` |\n');
    expect(markdown).toContain('- two\n+ 2');
    expect(page).toContain('<th scope="col">test</th><th scope="col">production</th>');
    expect(page).not.toContain('<b>`one`');
    expect(isDiff(JSON.parse(json)), JSON.stringify(isDiff.errors)).toBe(true);
    for (const text of [markdown, page, json, stdout]) expect(text).not.toMatch(/pass-(one|two)/);
  });

  it('of Markdown are cut to the length of a comment, and count what is cut', async () => {
    addSenders('test', ...Array.from({ length: 50 }, (_, at) => `s${at}@acme.example`));
    const keys = Array.from({ length: 40 }, (_, at) => ({ key: `k${at}`, subject: 'S' }));
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at} of KEY with more words`).join('\n');
    const templates = (end: string) =>
      keys.map((one) => ({
        ...one,
        body: lines.replaceAll('KEY', one.key).replaceAll('words', `words${end}`),
      }));
    addObjects(stateOf('test'), { templateDefaults: keys, templates: templates('') });
    addObjects(stateOf('production'), { templates: templates('!') });
    const { stdout } = await two.run('diff test production --format markdown');
    expect(stdout.length).toBeLessThanOrEqual(65_536);
    expect(stdout).toContain('**Cut to the length of a comment.**');
    expect(stdout).toMatch(/Without details: \d+ NotificationTemplate, differs/);
    expect(stdout).toContain('51 objects only in test');
  });
});
