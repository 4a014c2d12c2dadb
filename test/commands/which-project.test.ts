import { chownSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createTestFolder,
  createTestWorld,
  expectEnd,
  runProgram,
  succeed,
  type World,
} from '../support/world.ts';

const sender = { kind: 'SenderAddress', email: 'new@acme.example' };

/** Runs a command in a folder of the project, with further variables. */
const runIn = ({ dir, env }: World, folder: string, line: string, more: NodeJS.ProcessEnv = {}) =>
  runProgram([line], { cwd: join(dir, folder), env: { ...env, ...more } });

describe('the project file', () => {
  it('is found from a folder below', async () => {
    const world = await createTestWorld();
    world.declare([sender]);
    mkdirSync(join(world.dir, 'config/a/b'), { recursive: true });
    const { json } = await runIn(world, 'config/a/b', 'plan --format json');
    expect(json).toMatchObject({ summary: { create: 1 } });
  });

  it('of the nearest folder counts', async () => {
    const world = await createTestWorld({ files: { 'inner/tenantctl.yaml': 'version: 2\n' } });
    const { stdout } = await expectEnd(runIn(world, 'inner', 'validate'), 1);
    expect(stdout).toContain('version');
  });

  it('is the one that --config names, else TENANTCTL_CONFIG', async () => {
    const world = await createTestWorld();
    world.declare([sender]);
    const { dir: cwd } = createTestFolder();
    const env = { ...world.env, TENANTCTL_CONFIG: join(world.dir, 'tenantctl.yaml') };
    await expectEnd(runProgram(['validate'], { cwd, env }), 0);
    const missing = await runProgram(['validate', '--config', 'no.yaml'], { cwd, env });
    expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining('no.yaml') });
    expect(missing.stdout).not.toContain('TENANTCTL_CONFIG');
    const wrong = runProgram(['plan'], { cwd, env: { ...env, TENANTCTL_CONFIG: 'no.yaml' } });
    await expectEnd(wrong, 1, /There is no project file\s+\S+no\.yaml\./);
  });

  it('is missed by every command if it is named', async () => {
    const { run } = await createTestWorld();
    for (const line of ['plan', 'schema', 'explain Desk', 'sandbox', 'kind add Role'])
      await expectEnd(run(`${line} --config no.yaml`), 1, 'config-not-found');
  });

  it('is asked for where there is none, with what to do', async () => {
    const { dir: cwd } = createTestFolder();
    const { stdout } = await expectEnd(runProgram(['validate'], { cwd, env: {} }), 1);
    expect(stdout).toContain('config-not-found');
    expect(stdout).toContain('tenantctl init');
  });

  it.skipIf(process.geteuid?.() !== 0)('of another user is not taken by chance', async () => {
    const { dir: folder } = createTestFolder({ 'tenantctl.yaml': 'version: 1\n', 'mine/here': '' });
    chownSync(join(folder, 'tenantctl.yaml'), 12345, 12345);
    const validate = (cwd: string) => expectEnd(runProgram(['validate'], { cwd, env: {} }), 1);
    expect((await validate(join(folder, 'mine'))).stdout).toContain('[foreign-project]');
    // In its own folder, it is the one that is meant.
    expect((await validate(folder)).stdout).toContain('[no-environment]');
  });
});

describe('the environment', () => {
  /** The project file, in the folder `two`, of embedded tenants. */
  const projectOf = (names: readonly string[], defaultEnvironment?: string) => {
    const environments = Object.fromEntries(names.map((name) => [name, { sandbox: {} }]));
    return { 'two/tenantctl.yaml': JSON.stringify({ version: 1, defaultEnvironment, environments }) };
  };

  it('is the one of --env, else of TENANTCTL_ENV', async () => {
    const world = await createTestWorld();
    world.declare([sender]);
    world.env.TENANTCTL_ENV = 'elsewhere';
    const refused = await world.run('validate');
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('elsewhere') });
    await succeed(world, 'validate -e test');
  });

  it.each([
    ['elsewhere', 'TENANTCTL_ENV: There is no environment `elsewhere`.', 'The environments are: test.'],
    ['tset', 'TENANTCTL_ENV: There is no environment `tset`.', 'Did you mean `test`?'],
    ['eu-*', 'TENANTCTL_ENV: No environment matches `eu-*`.', 'The environments are: test.'],
    ['@eu', 'TENANTCTL_ENV: There is no group `@eu`.', 'The project file has no `groups`.'],
    ['*,!test', 'TENANTCTL_ENV: `*,!test` leaves no environment.', 'The environments are: test.'],
  ])('%s, of TENANTCTL_ENV, is reported as coming from there', async (name, message, hint) => {
    const world = await createTestWorld();
    world.env.TENANTCTL_ENV = name;
    for (const command of ['plan', 'export', 'status']) await expectEnd(world.run(command), 1, message, hint);
    const named = await expectEnd(world.run('plan', '-e', name), 1);
    expect(named.stderr).not.toContain('TENANTCTL_ENV');
  });

  it('is one only for some commands, whichever way several were selected', async () => {
    const world = await createTestWorld({ files: projectOf(['a', 'b']) });
    const message = 'This command works on one environment, and ';
    const [all, one] = [{ TENANTCTL_ENV: '*' }, { TENANTCTL_ENV: 'a' }];
    await expectEnd(runIn(world, 'two', 'export', all), 1, `${message}TENANTCTL_ENV selects 2: a, b.`);
    await expectEnd(runIn(world, 'two', 'export -e *', one), 1, `${message}--env selects 2: a, b.`);
  });

  it('of a wrong defaultEnvironment is no matter of TENANTCTL_ENV', async () => {
    const world = await createTestWorld({ files: projectOf(['test', 'b'], 'tset') });
    const ran = runIn(world, 'two', 'plan', { TENANTCTL_ENV: '' });
    await expectEnd(ran, 1, 'error  There is no environment `tset`.');
  });

  it.each([
    ['the plan of one', '', 4],
    ['the plans of several', ' -e a,b', 1],
  ])('that TENANTCTL_ENV selects refuses %s for another, as --env does', async (_what, options, code) => {
    const world = await createTestWorld({ files: projectOf(['a', 'b', 'c'], 'a') });
    const run = (line: string, TENANTCTL_ENV = '') => runIn(world, 'two', line, { TENANTCTL_ENV });
    await expectEnd(run(`plan --out plan.json${options}`), 0);
    const named = await expectEnd(run('apply plan.json -e c'), code);
    const selected = await expectEnd(run('apply plan.json', 'c'), code);
    const [words, other] = [named, selected].map(({ stderr }) => stderr.replaceAll(/\s+/g, ' '));
    expect(other).toBe(words?.replace('--env selects', 'TENANTCTL_ENV selects'));
    await expectEnd(run('apply plan.json', options === '' ? 'a' : 'a,b'), 0);
  });
});

it('an export from a folder below writes into the project', async () => {
  const world = await createTestWorld({ seed: 'senders: [{ email: a@acme.example }]\n' });
  mkdirSync(join(world.dir, 'docs'));
  const { stdout } = await runIn(world, 'docs', 'export');
  expect(stdout).toContain('../config');
  expect(await world.plan()).toMatchObject({ changes: [], summary: { unchanged: 1 } });
});

it('the program without a command prints its help', async () => {
  const { stdout, stderr } = await expectEnd(runProgram([], { cwd: tmpdir(), env: {} }), 0);
  expect(stderr).toBe('');
  expect(stdout).toContain('tenantctl COMMAND [options]');
  expect(stdout).toContain('apply');
});

describe('what a plan would refuse, whatever the tenant has, is found by validate at its place:', () => {
  const gone = 'kind: SenderAddress\nemail: gone@acme.example\nensure: absent\n';
  const preference = (key: string) => `kind: NotificationPreference\nkey: "${key}"\nmediums: [EMAIL]\n`;

  it.each([
    ['protected', 'an object that is to be gone', `${gone}lifecycle:\n  protect: true\n`, [5, 12]],
    ...['..', '.', 'a/../b', 'a\\\\..', 'a\\x07b'].map(
      (key) => ['invalid-value', `the key ${key}`, preference(key), [2, 6]] as const,
    ),
    ['invalid-value', 'the identity ..', 'kind: MailFrom\nidentity: ".."\n', [2, 11]],
  ] as const)('%s, %s', async (code, _, manifest, [line, column]) => {
    const world = await createTestWorld();
    world.write('config/a.yaml', manifest);
    const { json } = await expectEnd(world.run('validate --format json'), 1);
    const source = { line, column };
    expect(json).toMatchObject({ diagnostics: [{ code, severity: 'error', source }] });
  });

  it('not a key with dots or slashes that leads nowhere else', async () => {
    const world = await createTestWorld();
    world.write('config/a.yaml', ['a..b', '...', 'a/b', '.a/b.'].map(preference).join('---\n'));
    await succeed(world, 'validate');
  });
});

describe('a text that a manifest names', () => {
  const manifest =
    'kind: NotificationTemplate\nkey: password_expiring\nmedium: EMAIL\nlocale: en\nbody: !file ../a.md\n';

  it.each([
    [['plan', '--report', 'a.md']],
    [['plan', '--out', './config/../a.md']],
    [['plan', '-e', '*', '--report', 'a.md']],
    [['plan', '--shard', '1/1', '--report', 'a.md']],
    [['apply', '--yes', '--report', 'a.md']],
    [['apply', '--yes', '--result', 'a.md']],
    [['apply', 'plan.json', '--result', 'a.md']],
    [['apply', 'fleet.json', '--report', 'a.md']],
    [['show', 'plan.json', '--report', 'a.md']],
  ])('is not overwritten by what a command writes: %j', async (argv) => {
    const world = await createTestWorld();
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    await world.run('plan --out plan.json');
    await world.run('plan --shard 1/1 --out fleet.json');
    const { length } = world.sandbox.log;
    world.write('config/a.yaml', manifest);
    world.write('a.md', 'Text');
    const { stderr } = await expectEnd(world.run(...argv), 1, 'a.md is read by the project');
    expect(stderr).not.toMatch(/could\s+not\s+be\s+read/);
    expect(world.read('a.md')).toBe('Text');
    expect(world.sandbox.log).toHaveLength(length);
  });

  it('may be one that a variable of the environment names', async () => {
    const world = await createTestWorld({ environment: { variables: { text: 'x' } } });
    const file = world.read('tenantctl.yaml');
    world.write('tenantctl.yaml', file.replace('"text":"x"', '"text":!file a.md'));
    world.write('config/a.yaml', manifest.replace('!file ../a.md', '!var text'));
    world.write('a.md', 'Text');
    await expectEnd(world.run('plan --report a.md'), 1, 'a.md is read by the project');
    expect(world.read('a.md')).toBe('Text');
  });
});

it('the file of a credential is not overwritten by a plan', async () => {
  const world = await createTestWorld();
  const { CLIENT_SECRET = '' } = world.env;
  delete world.env.CLIENT_SECRET;
  world.env.CLIENT_SECRET_FILE = join(world.dir, 'secret.json');
  world.write('secret.json', CLIENT_SECRET);
  world.declare([sender]);
  await expectEnd(world.run('plan --out secret.json'), 1, 'secret.json is read by the project');
  expect(world.read('secret.json')).toBe(CLIENT_SECRET);
  await succeed(world, 'plan --out plan.json');
});

describe('a file of the project that the command does not read', () => {
  const embedded = 'environments:\n  local: { sandbox: { seed: seed.json, data: data.json } }\n';

  it.each([
    [['plan', '--out', '.env']],
    [['plan', '--out', 'seed.json']],
    [['apply', '--yes', '--result', 'data.json']],
    [['apply', 'plan.json', '--result', 'config/b.json']],
    [['show', 'plan.json', '--report', 'config/b.json']],
    [['diff', '--declared', 'test', '--report', 'seed.json']],
  ])('is not overwritten by what it writes: %j', async (argv) => {
    const world = await createTestWorld();
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    await world.run('plan --out plan.json');
    const file = world.read('tenantctl.yaml').replace('environments:\n', embedded);
    world.write('tenantctl.yaml', `manifests: ['config/**/*.yaml', 'config/**/*.json']\n${file}`);
    const written = argv.at(-1) ?? '';
    world.write(written, written === '.env' ? 'A=b\n' : '{}');
    const before = world.read(written);
    await expectEnd(world.run(...argv), 1, `${written} is read by the project`);
    expect(world.read(written)).toBe(before);
  });

  it.each([
    ['data.json', 'sandbox: { data: data.json }\n'],
    ['a.md', 'sandbox: {}\nvariables: { text: !file ../a.md }\n'],
  ])('is not overwritten where another environment names it: %s', async (written, environment) => {
    const world = await createTestWorld();
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    world.write(written, '{}');
    world.write('environments/other.yaml', environment);
    await expectEnd(world.run('plan -e test --out', written), 1, `${written} is read by the project`);
    expect(world.read(written)).toBe('{}');
  });

  it.each([
    ['.env', ['plan', '--out', 'link.json'], '.env is read by the project'],
    ['seed.json', ['show', 'plan.json', '--report', 'link.json'], 'seed.json is read by the project'],
    ['config/a.json', ['plan', '--out', 'link.json'], 'config/a.json is read by the project'],
    ['plan.json', ['show', 'plan.json', '--report', 'link.json'], 'link.json is read by this command'],
    ['b.json', ['plan', '--out', 'b.json'], 'config/b.json is read by the project'],
  ])('is not overwritten through a link either: %s', async (target, argv, message) => {
    const world = await createTestWorld();
    world.write('config/a.json', '{"kind":"SenderAddress","email":"a@acme.example"}');
    world.write('b.json', '{"kind":"SenderAddress","email":"b@acme.example"}');
    symlinkSync('../b.json', join(world.dir, 'config/b.json'));
    world.write('seed.json', '{}');
    world.write('.env', 'A=b\n');
    const file = world.read('tenantctl.yaml').replace('environments:\n', embedded);
    world.write('tenantctl.yaml', `manifests: ['config/**/*.json']\n${file}`);
    await world.run('plan -e test --out plan.json');
    symlinkSync(target, join(world.dir, 'link.json'));
    const before = world.read(target);
    await expectEnd(world.run(...argv), 1, message);
    const outside = `${world.dir}-link.json`;
    symlinkSync(join(world.dir, target), outside);
    await expectEnd(world.run(...argv.map((word) => word.replace('link.json', outside))), 1, message);
    expect(world.read(target)).toBe(before);
  });
});

it('a report of show in a broken project is not written', async () => {
  const world = await createTestWorld();
  world.declare([sender]);
  await world.run('plan --out plan.json');
  world.write('tenantctl.yaml', 'version: 1\nenvironments: [\n');
  await expectEnd(world.run('show plan.json --report a.md'), 1, 'tenantctl.yaml:2:15');
  expect(existsSync(join(world.dir, 'a.md'))).toBe(false);
});

describe('an environment without a service that manifests need', () => {
  const sender = 'kind: SenderAddress\nemail: new@acme.example\n';
  const found = '{ from: ne_attributes, where: { uid: city }, take: id }';
  const lookup = `kind: SimIntegration\nname: A\ntype: t\nattributes: { n: !lookup ${found} }\n`;
  const searches = ['One', 'Two'].map((label) => `kind: ProfileSearch\nlabel: ${label}\n`);

  it('is found by validate, at the first object of each kind and at a lookup', async () => {
    const world = await createTestWorld();
    world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace(/^ +profiles: .*\n/m, ''));
    world.write('config/a.yaml', [sender, ...searches, lookup].join('---\n'));
    const { stdout } = await expectEnd(world.run('validate --format json'), 1);
    const { diagnostics } = JSON.parse(stdout);
    const errors = diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
    expect(errors).toMatchObject([
      {
        code: 'no-endpoint',
        source: { line: 4 },
        message: expect.stringMatching(/^ProfileSearch .*`profiles`/),
      },
      { code: 'no-endpoint', source: { line: 13, column: 18 }, message: expect.stringMatching(/^`!lookup`/) },
    ]);
    await succeed(world, 'validate --except ProfileSearch/** SimIntegration/**');
  });
});
