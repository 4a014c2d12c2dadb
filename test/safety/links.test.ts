/** Links and paths that a commit can contain lead neither a read nor a write out of the project. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { saveState } from '../../src/sandbox/state.ts';
import { startSandbox } from '../support/sandbox.ts';
import {
  createTestWorld,
  editProject,
  expectEnd,
  runProgram,
  succeed,
  type World,
  writesIn,
} from '../support/world.ts';

/** A folder that is removed after the test. */
function folder(path = mkdtempSync(join(tmpdir(), 'tenantctl-outside-'))): string {
  mkdirSync(path, { recursive: true });
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const manifest = (body: string) =>
  `kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\nbody: !file ${body}\n`;

/** Where a validation found errors: `code file:line:column`. */
async function errorsOf(world: World): Promise<string[]> {
  const { stdout } = await world.run('validate --format json');
  const { diagnostics }: { diagnostics: { code: string; source: Record<string, unknown> }[] } =
    JSON.parse(stdout);
  return diagnostics.map(({ code, source: { file, line, column } }) => `${code} ${file}:${line}:${column}`);
}

describe('what a project reads', () => {
  const reserved = ['.git/config', '.GIT/config', '.tenantctl/test/results/a.json', 'inner/.git/config'];
  it.each([...reserved.map((path) => `../${path}`), 'link.txt'])(
    'is no file of git or of tenantctl itself: !file %s',
    async (path) => {
      const world = await createTestWorld();
      for (const each of reserved) world.write(each, 'token');
      world.write('config/a.yaml', manifest(path));
      symlinkSync('../.git/config', join(world.dir, 'config/link.txt'));
      expect(await errorsOf(world)).toEqual(['reserved-folder config/a.yaml:5:7']);
    },
  );

  it.each(['../.env', '.ENV', 'link.txt', 'linked/.env'])('is no `.env`: !file %s', async (path) => {
    const world = await createTestWorld();
    for (const each of ['.env', 'config/.ENV']) world.write(each, 'CLIENT_SECRET=of-the-tenant\n');
    world.write('config/a.yaml', manifest(path));
    symlinkSync('../.env', join(world.dir, 'config/link.txt'));
    world.write('config/linked/values.txt', 'CLIENT_SECRET=of-the-tenant\n');
    symlinkSync('values.txt', join(world.dir, 'config/linked/.env'));
    expect(await errorsOf(world)).toEqual(['reserved-file config/a.yaml:5:7']);
  });

  it.each([
    ...['.env.local', '.env.production.local', '.env.staging', '.npmrc', '.yarnrc.yml', '.netrc'],
    ...['.git-credentials', 'gha-creds-0a1b2c.json'],
  ])('is no file that steps of a job leave with credentials: %s', async (name) => {
    const world = await createTestWorld();
    world.write(name, '{ "token": "of-the-job" }\n');
    world.write('config/a.yaml', manifest(`../${name}`));
    expect(await errorsOf(world)).toEqual(['reserved-file config/a.yaml:5:7']);
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    editProject(world, 'manifests: ["{.*,*.json,config/*.yaml}"]\n');
    expect(await errorsOf(world)).toEqual([]);
  });

  it.each(['.env.example', '.env.yaml', 'npmrc'])('is a file with another name: %s', async (name) => {
    const world = await createTestWorld();
    world.write(name, 'text');
    world.write('config/a.yaml', manifest(`../${name}`));
    expect(await errorsOf(world)).toEqual([]);
  });

  it('is no `.env` as a manifest, by its name or by way of a wide glob', async () => {
    const world = await createTestWorld();
    const project = world.read('tenantctl.yaml');
    world.write('.env', 'CLIENT_SECRET=of-the-tenant\n');
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    world.write('tenantctl.yaml', `${project}manifests: [".env"]\n`);
    expect(await errorsOf(world)).toEqual([expect.stringMatching(/^reserved-file tenantctl\.yaml:/)]);
    for (const globs of ['"{.*,config/*.yaml}", "!**/.env"', '"{.*,config/*.yaml}"']) {
      world.write('tenantctl.yaml', `${project}manifests: [${globs}]\n`);
      expect(await errorsOf(world), globs).toEqual([]);
    }
  });

  it.each(['{ seed: .env }', '{ seed: linked.yaml }', '{ data: config/../.ENV }'])(
    'is no `.env` in the place of a file of an embedded tenant: %s',
    async (sandbox) => {
      const world = await createTestWorld();
      world.write('.env', 'A=1\n# Lines after a comment are no YAML.\nB=Sommerwind7\n');
      symlinkSync('.env', join(world.dir, 'linked.yaml'));
      world.write('tenantctl.yaml', `version: 1\nenvironments:\n  test:\n    sandbox: ${sandbox}\n`);
      const { code, stdout, stderr } = await world.run('plan');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^tenantctl\.yaml:4:22 {2}error .*\[reserved-file\]/ms),
      });
      expect(stdout + stderr).not.toContain('Sommerwind7');
    },
  );

  it.each(['.git/*.yaml', 'config/.tenantctl/**/*.yaml', '**/.Git/a.yaml'])(
    'is no manifest in a folder of git or of tenantctl itself: %s',
    async (glob) => {
      const world = await createTestWorld();
      editProject(world, `manifests:\n  - config/*.yaml\n  - "${glob}"\n`);
      const lines = world.read('tenantctl.yaml').split('\n').length;
      expect(await errorsOf(world)).toEqual([`reserved-folder tenantctl.yaml:${lines - 1}:5`]);
    },
  );

  it('is no manifest there by way of a wide glob, and by way of a link it is an error', async () => {
    const world = await createTestWorld();
    editProject(world, 'manifests: ["{.*,config}/**/*.yaml"]\n');
    for (const path of ['.git/a.yaml', '.tenantctl/a.yaml', 'config/.git/a.yaml'])
      world.write(path, 'kind: X\n');
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    expect(await errorsOf(world)).toEqual([]);
    symlinkSync('../.git', join(world.dir, 'config/folder'));
    expect(await errorsOf(world)).toEqual(['reserved-folder config/folder/a.yaml:1:1']);
  });

  it.each([
    ...['seed: .git/config', 'seed: link.yaml', 'seed: config/.GIT/config'],
    ...['data: .git/new.json', 'data: link/a'],
  ])('is no file of git that an embedded tenant names: %s', async (setting) => {
    const dir = folder();
    folder(join(dir, '.git'));
    writeFileSync(join(dir, '.git/config'), '[http]\n\textraheader = AUTHORIZATION: basic token-of-git\n');
    symlinkSync('.git/config', join(dir, 'link.yaml'));
    symlinkSync('.git', join(dir, 'link'));
    const project = `version: 1\nenvironments:\n  test:\n    sandbox: { ${setting} }\n`;
    writeFileSync(join(dir, 'tenantctl.yaml'), project);
    const run = runProgram(['plan'], { cwd: dir });
    const { stderr } = await expectEnd(run, 1, 'tenantctl.yaml:4:22', 'reserved-folder');
    expect(stderr).not.toContain('token-of-git');
    expect(readdirSync(join(dir, '.git'))).toEqual(['config']);
  });

  it('is no file of a folder beside it whose name begins alike', async () => {
    const world = await createTestWorld();
    const beside = folder(`${world.dir}-x`);
    writeFileSync(join(beside, 'secret.txt'), 'token');
    writeFileSync(join(beside, 'b.yaml'), 'kind: SenderAddress\nemail: b@acme.example\n');
    world.write('config/a.yaml', manifest('secret.txt'));
    symlinkSync(join(beside, 'secret.txt'), join(world.dir, 'config/secret.txt'));
    expect(await errorsOf(world)).toEqual(['outside-project config/a.yaml:5:7']);
    symlinkSync(`../../${beside.split('/').at(-1)}`, join(world.dir, 'config/beside'));
    expect(await errorsOf(world)).toEqual(['outside-project tenantctl.yaml:1:1']);
  });
});

describe('what an apply writes', () => {
  const below = [
    '',
    '/test/journal',
    '/test/results',
    '/test',
    '/lock',
    `/test/journal/${'0'.repeat(64)}.jsonl`,
  ];

  it.each(below.map((path) => `.tenantctl${path}`))('goes nowhere by the link %s', async (link) => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
    const outside = folder(`${world.dir}-x`);
    mkdirSync(dirname(join(world.dir, link)), { recursive: true });
    for (const target of [outside, join(outside, 'new')]) {
      rmSync(join(world.dir, link), { force: true });
      symlinkSync(target, join(world.dir, link));
      await expectEnd(world.run('apply --yes'), 1, 'outside-project', link);
    }
    expect(readdirSync(outside)).toEqual([]);
    expect(writesIn(world.sandbox.log)).toEqual([]);
    // A link that stays inside is fine.
    rmSync(join(world.dir, link));
    mkdirSync(join(world.dir, 'work'));
    if (!link.endsWith('jsonl') && !link.endsWith('lock'))
      symlinkSync(join(world.dir, 'work'), join(world.dir, link));
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
  });

  it.each([
    ['plan', '--out', '.tenantctl/plan.json'],
    ['plan', '--report', '.tenantctl/new/plan.md'],
    ['apply', '--yes', '--result', '.tenantctl/result.json'],
  ])('goes nowhere through .tenantctl in a file that %s %s names', async (...argv) => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
    const outside = folder();
    symlinkSync(outside, join(world.dir, '.tenantctl'));
    await expectEnd(world.run(...argv), 1, 'outside-project');
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each([
    ['plan', '--out', 'plan.json'],
    ['plan', '--report', 'plan.md'],
    ['plan', '--report', 'reports/plan.html'],
    ['apply', '--yes', '--result', 'result.json'],
  ])('goes nowhere through a link in the place of a file that %s %s names', async (...argv) => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
    const outside = folder();
    const git = folder(join(world.dir, '.git'));
    writeFileSync(join(git, 'config'), 'as it was');
    const [link = ''] = (argv.at(-1) ?? '').split('/');
    for (const target of [join(outside, 'new'), outside, join(git, 'config')]) {
      symlinkSync(target, join(world.dir, link));
      await expectEnd(world.run(...argv), 1, target.startsWith(git) ? 'reserved-folder' : 'outside-project');
      rmSync(join(world.dir, link));
    }
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(git, 'config'), 'utf8')).toBe('as it was');
    expect(world.sandbox.log.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('follows a link to a file that is named where it is, outside or in a folder of git', async () => {
    const world = await createTestWorld();
    const outside = folder();
    symlinkSync(outside, join(folder(join(world.dir, '.git')), 'reports'));
    for (const file of [join(outside, 'plan.json'), '.git/plan.json', '.git/reports/plan.md'])
      await succeed(world, 'plan', file.endsWith('.md') ? '--report' : '--out', file);
    expect(readdirSync(outside)).toEqual(['plan.json', 'plan.md']);
  });

  it.each(['.tenantctl', '.tenantctl/test/journal'])('goes into no folder of git by %s', async (link) => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
    const git = folder(join(world.dir, '.git'));
    mkdirSync(dirname(join(world.dir, link)), { recursive: true });
    symlinkSync(git, join(world.dir, link));
    await expectEnd(world.run('apply --yes'), 1, 'reserved-folder');
    expect(readdirSync(git)).toEqual([]);
  });

  it('goes nowhere through the data file of an embedded tenant', async () => {
    const dir = folder();
    const outside = folder();
    writeFileSync(
      join(dir, 'tenantctl.yaml'),
      'version: 1\nenvironments:\n  test:\n    sandbox: { data: state/sandbox.json }\n',
    );
    symlinkSync(outside, join(dir, 'state'));
    await expectEnd(runProgram(['plan'], { cwd: dir }), 1, 'tenantctl.yaml:4:22', 'outside-project');
    expect(readdirSync(outside)).toEqual([]);
  });

  test('replaces a link in the place of the file that it writes first', async () => {
    const dir = folder();
    const victim = join(dir, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(dir, `data.json.${process.pid}.tmp`));
    const { state, close } = await startSandbox({});
    saveState(state, join(dir, 'data.json'));
    await close();
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});

test('init writes nothing through a link', async () => {
  const dir = folder();
  const outside = folder();
  symlinkSync(outside, join(dir, '.tenantctl'));
  await expectEnd(runProgram(['init'], { cwd: dir }), 1, 'outside-project');
  expect(readdirSync(outside)).toEqual([]);
});
