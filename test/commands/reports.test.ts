import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestWorld, expectEnd, runProgram, succeed, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await createTestWorld();
  world.declare([{ kind: 'SenderAddress', email: 'one@acme.example' }]);
});
it('writes the counts that GitLab reads where the name of the report says so', async () => {
  await succeed(world, 'plan --report a/plan.gitlab.json plan.json');
  expect(JSON.parse(world.read('a/plan.gitlab.json'))).toEqual({ create: 1, update: 0, delete: 0 });
  expect(JSON.parse(world.read('plan.json'))).toHaveProperty('digest');
  await succeed(world, 'plan --report PLAN.MD');
  expect(world.read('PLAN.MD')).toContain('### tenantctl plan');
});

it('refuses a report that does not exist of a result before anything is applied', async () => {
  await expectEnd(world.run('apply --yes --report x.gitlab.json'), 1, 'Use one of: .json, .md, .html, .xml.');
  expect(world.sandbox.log).toEqual([]);
});

it('overwrites no YAML, which may be a manifest of another project', async () => {
  world.write('other/mail.yaml', 'kind: SenderAddress\n');
  await expectEnd(world.run('plan --out other/mail.yaml'), 1, 'other/mail.yaml exists and is YAML');
  expect(world.read('other/mail.yaml')).toBe('kind: SenderAddress\n');
  await succeed(world, 'plan --out new.yaml');
});

it("appends plan and result to the summary of a GitHub step, after others' lines", async () => {
  world.env.GITHUB_STEP_SUMMARY = join(world.dir, 'summary.md');
  world.write('summary.md', 'Before\n');
  const { digest } = await world.plan();
  await succeed(world, 'apply --yes');
  const summary = readFileSync(join(world.dir, 'summary.md'), 'utf8');
  expect(summary).toMatch(/^Before\n### tenantctl plan/);
  expect(summary).toContain(digest);
  expect(summary).toMatch(/### tenantctl apply/);
});

it('does not fail for a summary that cannot be written', async () => {
  world.env.GITHUB_STEP_SUMMARY = join(world.dir, 'folder');
  mkdirSync(join(world.dir, 'folder'));
  await expectEnd(world.run('apply --yes'), 0, /^The step summary could not be written\. .*\(EISDIR\)/m);
  expect(existsSync(join(world.dir, '.tenantctl/test/results'))).toBe(true);
});

it.each([
  ['markdown', '`config/a.yaml:2:1`'],
  ['sarif', '"startLine": 2'],
  ['github', '::error file=config/a.yaml,line=2,col=1,'],
])('tells the problems of manifests as %s, with their place', async (format, expected) => {
  world.write('config/a.yaml', 'kind: SenderAddress\nemial: one@acme.example\n');
  expect((await expectEnd(world.run('validate --format', format), 1)).stdout).toContain(expected);
});

describe('a project in a folder of a repository', () => {
  beforeEach(() => {
    world.write('.git/HEAD', 'ref: refs/heads/main\n');
    world.write('apps/iga/tenantctl.yaml', world.read('tenantctl.yaml'));
  });

  it.each([
    ['github', '::error file=apps/iga/config/a.yaml,line=2,col=1,'],
    ['sarif', '"uri": "apps/iga/config/a.yaml"'],
    ['markdown', '`config/a.yaml:2:1`'],
  ])('tells files from the top of the repository where a system wants that: %s', async (format, expected) => {
    world.write('apps/iga/config/a.yaml', 'kind: SenderAddress\nemial: one@acme.example\n');
    const { stdout } = await world.run('validate -c apps/iga/tenantctl.yaml --format', format);
    expect(stdout).toContain(expected);
  });

  it('is linked to from the top of the repository', async () => {
    world.write('apps/iga/config/a.yaml', 'kind: SenderAddress\nemail: one@acme.example\n');
    Object.assign(world.env, { CI_COMMIT_SHA: 'c0ffee', CI_PROJECT_URL: 'https://gitlab.example/acme/iga' });
    await succeed(world, 'plan -c apps/iga/tenantctl.yaml --report plan.md');
    expect(world.read('plan.md')).toContain('/-/blob/c0ffee/apps/iga/config/a.yaml#L1');
  });

  it('tells the risks of a plan so too', async () => {
    world.write('apps/iga/config/a.yaml', 'kind: SenderAddress\nemail: one@acme.example\n');
    const config = ['-c', 'apps/iga/tenantctl.yaml'];
    await succeed(world, 'plan', ...config, '--out', 'plan.json');
    const { stdout } = await world.run('show plan.json', ...config, '--format', 'github');
    expect(stdout).toContain('::warning file=apps/iga/config/a.yaml,line=1,title=SENDS E-MAIL');
    // Where there is no project, nobody knows which folder the plan is about.
    rmSync(join(world.dir, 'tenantctl.yaml'));
    const cwd = join(world.dir, 'apps');
    const elsewhere = await runProgram(['show', '../plan.json', '--format', 'github'], {
      cwd,
      env: world.env,
    });
    expect(elsewhere.stdout).toContain('::warning file=config/a.yaml,line=1,title=SENDS E-MAIL');
  });
});

it('a file has the whole of a long value that the terminal cuts', async () => {
  const welcome = { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en' };
  const key = 'key: welcome, medium: EMAIL, locale: en';
  world = await createTestWorld({
    seed: `templateDefaults: [{ ${key} }]\ntemplates: [{ id: t1, ${key} }]\n`,
  });
  const body = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n');
  world.declare([{ ...welcome, body }]);
  expect((await succeed(world, 'plan --report plan.xml')).stdout).not.toContain('line 150');
  expect(world.read('plan.xml')).toContain('line 150');
});
