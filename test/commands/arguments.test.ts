/** Wrong arguments, of which a person has to be told in words what is wrong. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestWorld, expectEnd, succeed, type World, writesIn } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await createTestWorld({ seed: '{"senders": [{"email": "old@acme.example"}]}' });
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
});

it.each([
  'plan --detailed-exitcode',
  '--quiet plan --detailed-exitcode',
  '-c tenantctl.yaml plan --detailed-exitcode',
  '--detailed-exitcode plan',
  '--only SenderAddress/** --detailed-exitcode plan',
  '--detailed-exitcode -- plan',
  '--detailed-exitcode plan --',
  'plan -detailed-exitcode',
])('a command is found wherever it stands (%s)', async (line) => {
  const { code, stdout } = await world.run(line);
  expect([code, stdout]).toEqual([2, expect.stringContaining('1 to create')]);
});

it.each<[string | string[], string]>([
  ['apply --yes --dry-run=1', '--dry-run does not take the value "1"'],
  ['apply --yes --fail-fast=yes', '--fail-fast does not take the value "yes"'],
  ['apply --yes --dryRun=1', '--dry-run does not take the value "1"'],
  ['apply --yes --constructor', 'There is no option --constructor'],
  ['apply --yes --toString=1', 'There is no option --toString'],
  ['apply --yes --no-constructor', 'There is no option --no-constructor'],
  ['apply --yes --no-only', 'There is no option --no-only'],
  ['apply --yes --no-result', 'There is no option --no-result'],
  ['apply --yes --config.a=b', 'There is no option --config.a'],
  ['apply --yes -esandbox', 'There is no option -esandbox'],
  ['apply --yes --allow-delete-all.x=1', 'There is no option --allow-delete-all.x'],
  ['apply --yes ---dry-run', 'There is no option ---dry-run'],
  ['apply --yes --=x', 'There is no option --.'],
  ['apply --yes -2fast', 'There is no option -2fast'],
  ['apply --yes --expect sha256:0 --expect sha256:1', 'The option --expect is given more than once'],
  ['apply plan.json other.json', 'Unknown argument: other.json.'],
  ['apply --yes -- plan.json', 'plan.json'],
  ['apply --yes -- plan.json', 'Write arguments before `--`'],
  ['show -- plan.json', 'Write arguments before `--`'],
  [[''], 'Unknown argument: "".'],
  ['plan -- --only MailFrom/**', 'Unknown argument: --only.'],
  ['plan -- --report -', 'Unknown argument: --report.'],
  ['apply -', 'standard input: - is not a file'],
  ['show -', 'standard input: - is not a file'],
  ['show plan.json -', 'standard input: - is not a file'],
  ['apply --yes --format', 'The option --format needs a value'],
  ['plan --only', 'The option --only needs a value'],
  ['plan --out', 'The option --out needs a value'],
  ['plan --since', 'The option --since needs a value'],
  ['plan -e', 'The option -e needs a value'],
  ['plan --parallel 0', '--parallel takes a whole number, 1 or more'],
  ['plan --max-deletes many', '--max-deletes takes a whole number'],
  ['plan --max-deletes -1', '--max-deletes takes a whole number'],
  ['plan --max-deletes 1.5', '--max-deletes takes a whole number'],
  ['plan --max-deletes -1.5', '--max-deletes takes a whole number'],
  ['plan --max-deletes -.5', '--max-deletes takes a whole number'],
  ['sandbox --port http', '--port takes a whole number'],
  ['sandbox --port 65536', '--port takes a whole number'],
  ['preview --port 99999', '--port takes a whole number'],
  ['sandbox --latency -5', '--latency takes a whole number'],
  ['plan --out plan.html --report ./plan.html', 'plan.html is named twice'],
  ['apply --yes --result r.json --report r.md r.json', 'r.json is named twice'],
  ['show', '`tenantctl show <file..>`'],
  ['diff --only ** test other', 'After an option with several values, an argument counts as one of them'],
  [['apply', '--yes', '--result', ''], 'The value of --result is empty'],
  [['apply', ''], 'The value of planfile is empty'],
  [['plan', '-e', ''], 'The value of --env is empty'],
  [['plan', '--max-deletes', ''], 'The value of --max-deletes is empty'],
  ['sandbox --port=', 'The value of --port is empty'],
  ['env show', 'The value of action cannot be "show". Choices: "list".'],
  ['frobnicate', 'There is no command `frobnicate`.'],
  ['--yes', 'Name a command'],
])('%j is told as what it is, and nothing is written', async (argv, words) => {
  const { stderr } = await expectEnd(world.run(...[argv].flat()), 1, words, '[usage]');
  expect(stderr).not.toContain('bug in tenantctl');
  expect(writesIn(world.sandbox.log)).toEqual([]);
});

it('a glob that is longer than the name of any file is a glob', async () => {
  await expectEnd(world.run('apply --yes --only', `SenderAddress/${'a'.repeat(300)}*`), 0, 'unmatched-glob');
});

it('suggests no other letter for a short option that does not exist', async () => {
  const { stderr } = await expectEnd(world.run('plan -q'), 1, 'There is no option -q.');
  expect(stderr).not.toContain('Did you mean');
});

it.each(['plan --help x', '--help plan', 'help plan'])('%s gives its help', async (line) => {
  expect((await succeed(world, line)).stdout).toContain('--detailed-exitcode');
});

describe('apply with a plan file', () => {
  beforeEach(async () => {
    await succeed(world, 'plan --out plan.json');
  });

  it.each([
    '--only MailFrom/*',
    '--except SenderAddress/*',
    '--prune',
    '--since HEAD',
    '--rotate SimIntegration/*',
    '--allow-delete-all SenderAddress',
    '--impact',
    '--shard 1/2',
  ])('refuses what would have to change the plan (%s)', async (option) => {
    await expectEnd(world.run(`apply plan.json ${option}`), 1, '[usage]', option.replace(/ .*/, ''));
    expect(writesIn(world.sandbox.log)).toEqual([]);
  });

  it('takes it for no value of an option that stands before the command', async () => {
    await succeed(world, '--report', 'result.md', 'apply', 'plan.json');
    expect(writesIn(world.sandbox.log)).toHaveLength(1);
  });
});

it.each([
  'apply --yes --report result.json plan.json',
  'apply --yes --only ** plan.json',
  'apply --yes --except ** plan.json',
  'apply --yes --rotate SimIntegration/* plan.json',
  'apply plan.json --result plan.json',
])('an option of an apply takes no plan for its value (%s)', async (line) => {
  for (const options of ['', ' --shard 1/1']) {
    await succeed(world, `plan --out plan.json${options}`);
    const plan = world.read('plan.json');
    await expectEnd(world.run(line), 1, 'plan.json holds a plan');
    expect(world.read('plan.json')).toBe(plan);
  }
});

it.each([
  'rollback result.json --out ./result.json',
  'rollback result.json --report result.json',
  'show result.json --report back.html result.json',
  'apply --yes --proven-by result.json --result result.json',
])('the result that a command reads is not written over: %s', async (line) => {
  await succeed(world, 'apply --yes --result result.json');
  const result = world.read('result.json');
  await expectEnd(world.run(line), 1, 'result.json is read by this command');
  expect(world.read('result.json')).toBe(result);
});

it.each([
  ['--result', 'result.json'],
  ['--report', 'report.md'],
])('a dry run writes no result, so it is not asked for one (%s)', async (option, file) => {
  await expectEnd(world.run('apply --dry-run', option, file), 1, `cannot be combined with ${option}.`);
  expect(existsSync(join(world.dir, file))).toBe(false);
});

it('prints the requests of a dry run as JSON where that is asked for', async () => {
  const plan = await world.plan();
  const { stdout } = await succeed(world, 'apply --dry-run --format json');
  expect(JSON.parse(stdout)).toMatchObject({ digest: plan.digest, changes: plan.changes });
});

describe('a glob', () => {
  it.each([
    ['--only', 'SenderAdress/*', 'unknown-kind', 'SenderAddress'],
    ['--except', 'SenderAdress/*', 'unknown-kind', 'SenderAddress'],
    ['--rotate', 'SimIntegratoin/*', 'unknown-kind', 'SimIntegration'],
    ['--allow-delete-all', 'SenderAdress', 'unknown-kind', 'SenderAddress'],
    ['--only', 'SenderAddress', 'address-glob', 'SenderAddress/**'],
    ['--except', 'NotificationTemplate/*', 'address-glob', 'NotificationTemplate/**'],
    ['--except', 'SenderAddress/*,MailFrom/*', 'address-glob', '`SenderAddress/*` and `MailFrom/*`'],
    ['--allow-delete-all', 'MailFrom,SenderAdress', 'unknown-kind', 'SenderAddress'],
  ])('that can match nothing is refused (%s %s)', async (option, glob, code, meant) => {
    await expectEnd(world.run('plan', option, glob), 1, `[${code}]`, option, meant);
  });

  it('of kinds may have blanks after its commas', async () => {
    await expectEnd(world.run('plan', '--allow-delete-all', 'MailFrom, SenderAddress'), 0);
  });

  it('of --except that names an object as the tenant does, not its manifest, is told', async () => {
    const named = await createTestWorld({
      environment: { prune: { kinds: ['SimIntegration'] } },
      files: { 'config/a.yaml': 'kind: SimIntegration\nid: i1\nname: New\n' },
      seed: 'simIntegrations: [{ id: i1, name: Old, type: T, attributes: {} }]\n',
    });
    await expectEnd(named.run('plan --except SimIntegration/Old'), 1, '[unknown-address]');
    const { changes, diagnostics } = await named.plan('--except', 'SimIntegration/O*');
    expect([changes.length, diagnostics]).toMatchObject([1, [{ code: 'unmatched-glob' }]]);
    for (const glob of ['SimIntegration/New', 'SimIntegration/*'])
      expect(await named.plan('--except', glob)).toMatchObject({ changes: [], diagnostics: [] });
    const both = ['--except', 'SimIntegration/Old', '--except', 'SimIntegration/New'];
    expect(await named.plan('--prune', ...both)).toMatchObject({ changes: [], diagnostics: [] });
  });

  it.each(['--only', '--except', '--rotate'])('that finds nothing is told (%s)', async (option) => {
    const address = world.run('plan', option, 'SenderAddress/nobody@acme.example');
    await expectEnd(address, 1, '[unknown-address]', option);
    for (const glob of ['SenderAddress/nobody*', 'SenderAddress/{no,any}body@acme.example'])
      expect((await world.plan(option, glob)).diagnostics).toMatchObject([
        { code: 'unmatched-glob', severity: 'warning', message: expect.stringContaining(option) },
      ]);
  });

  it.each([
    ['SenderAddress/new@acme.example', ['no-secret']],
    ['{SenderAddress,SimIntegration}/**', []],
  ])('of --rotate that finds no secret is told (%s)', async (glob, codes) => {
    const seed = 'simIntegrations: [{ id: i1, name: T, type: J }]';
    const tenant = await createTestWorld({ seed, env: { P: 'p' } });
    const secret = 'kind: SimIntegration\nname: T\nattributes: { password: !secret P }\n';
    tenant.write('config/a.yaml', `${secret}---\nkind: SenderAddress\nemail: new@acme.example\n`);
    const { diagnostics } = await tenant.plan('--rotate', glob);
    expect(diagnostics.flatMap(({ code }) => (code === 'not-comparable' ? [] : [code]))).toEqual(codes);
  });

  it.each([
    ['export --out new', '--only'],
    ['export --out new --kinds SenderAddress', '--except'],
    ['export --merge', '--only'],
    ['status', '--only'],
    ['status', '--except'],
    ['validate', '--only'],
  ])('that matches nothing is told by %s (%s), with those that there are', async (line, option) => {
    const globs = ['SenderAddress/nev@acme.exampl*', 'SenderAddress/new*'];
    const { stdout, stderr } = await succeed(world, line, option, ...globs);
    const told = new RegExp(`${option} .SenderAddress/nev@acme.exampl.. matches no object`);
    expect(stdout + stderr).toMatch(told);
    expect((stdout + stderr).match(/matches\s+no\s+object/g)).toHaveLength(line.includes('new') ? 2 : 1);
    expect(stdout + stderr).toMatch(/did you mean `|This kind\s+has\s+`.*`(?: and \d+ more)?\.\n/is);
  });

  it.each(['**', '*/new@acme.example', '{SenderAddress,MailFrom}/*', 'SenderAddress/new%40acme.example'])(
    'that matches is taken (%s)',
    async (glob) => {
      const plan = await world.plan('--only', glob);
      expect(plan).toMatchObject({ summary: { create: 1 }, diagnostics: [] });
    },
  );
});

describe('a token', () => {
  const plan = (token: string, ...options: string[]) => {
    world.env.TOK = token;
    const identity = `{ baseUrl: "${world.sandbox.url}", auth: { token: !env TOK } }`;
    world.write('tenantctl.yaml', `version: 1\nenvironments: { t: { identity: ${identity} } }\n`);
    return world.run('plan', ...options);
  };

  it.each(['Bearer abc', 'abc\r\nX-Evil: 1'])(
    'that is none is told with how to give it (%j)',
    async (token) => {
      const { stderr } = await expectEnd(plan(token), 1, /^tenantctl\.yaml:2:\d+ /m, 'without `Bearer`');
      expect(stderr).not.toContain('client secret');
    },
  );

  it('that is refused is told with where it is named, and that it has expired', async () => {
    const expired = `x.${Buffer.from('{"exp":1}').toString('base64url')}.y`;
    const { json } = await expectEnd(plan(expired, '--format', 'json'), 1);
    const message = expect.stringMatching(/ failed: 401 Unauthorized: /);
    const hint = expect.stringMatching(/^The token expired at 1970-.*`identity\.auth\.token`/);
    const source = { file: 'tenantctl.yaml', line: 2 };
    expect(json).toMatchObject({ diagnostics: [{ code: 'tenant-unauthorized', message, hint, source }] });
  });
});

it('show takes no environment, since it shows what is in the file', async () => {
  await world.run('plan --out plan.json');
  await expectEnd(world.run('show plan.json -e other'), 1, /show takes no --env: .*\[usage\]/s);
});

it('a name of an environment that no file could have is refused by validate', async () => {
  const write = (name: string) =>
    world.write('tenantctl.yaml', `version: 1\nenvironments:\n  ${name}: { sandbox: {} }\n`);
  write('e'.repeat(101));
  expect((await expectEnd(world.run('validate'), 1)).stdout).toMatch(/up\s+to\s+100\s+letters/);
  write('e'.repeat(100));
  await succeed(world, 'validate');
});

it('counts one resource as one', async () => {
  expect((await world.run('validate')).stdout).toContain('1 object is valid.');
});

it('tells remarks of the scope only, and errors whatever the scope', async () => {
  const template = { kind: 'NotificationTemplate', key: 'password_expiring', medium: 'EMAIL', locale: 'en' };
  world.declare([
    { ...template, subject: '#if($a)' },
    { kind: 'SenderAddress', email: 'new@acme.example' },
    { kind: 'SimIntegration', name: 'Desk' },
  ]);
  const validate = async (...argv: string[]) => {
    const { code, stdout } = await world.run('validate --format json', ...argv);
    const { diagnostics } = JSON.parse(stdout);
    return [code, diagnostics.map((one: { code: string }) => one.code)];
  };
  expect(await validate()).toEqual([0, ['velocity-unclosed', 'sim-deprecated']]);
  expect(await validate('--only', 'SimIntegration/*')).toEqual([0, ['sim-deprecated']]);
  expect(await validate('--only', 'SenderAddress/**')).toEqual([0, []]);
  expect(await validate('--except', 'NotificationTemplate/**')).toEqual([0, ['sim-deprecated']]);
  // A plan leaves out information about manifests.
  const { diagnostics } = await world.plan('--only', 'SimIntegration/*');
  expect(diagnostics).toEqual([]);
  world.write('tenantctl.yaml', `${world.read('tenantctl.yaml')}lint: { velocity-unclosed: error }\n`);
  expect(await validate('--only', 'SenderAddress/**')).toEqual([1, ['velocity-unclosed']]);
});
