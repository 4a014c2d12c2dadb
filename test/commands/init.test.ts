import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { version } from '../../src/model/failure.ts';
import { expectSound } from '../support/workflows.ts';
import { createTestFolder, expectEnd, filesBelow, runProgram, type World } from '../support/world.ts';

let dir: string;
let read: World['read'];
let write: World['write'];
beforeEach(() => {
  ({ dir, read, write } = createTestFolder());
});

const run = (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => runProgram(argv, { cwd: dir, env });

describe('a new project', () => {
  it('can be planned and applied at once, without questions, and keeps what runs leave behind out of git', async () => {
    expect(await run(['init'])).toMatchObject({ code: 0, stderr: '' });
    await expectEnd(run(['validate']), 0);
    await expectEnd(run(['apply --yes --quiet --result result.json']), 0);
    await expectEnd(run(['plan --detailed-exitcode --out plan.json --report plan.html']), 0);
    write('.env', 'SECRET=x');
    execFileSync('git', ['init', '--quiet'], { cwd: dir });
    const files = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: dir,
      encoding: 'utf8',
    });
    expect(files.split('\n').filter((file) => /^(plan|result|\.env)/.test(file))).toEqual([]);
    const schemas = ['environment', 'kind', 'manifest', 'project'];
    expect(files.split('\n').filter((file) => file.startsWith('.tenantctl/'))).toEqual(
      schemas.map((name) => `.tenantctl/schemas/${name}.schema.json`),
    );
  });

  it.each([
    ['--identity', 'test=https://a.example', 'production=https://b.example'],
    ['--identity', 'test=https://a.example', 'HTTPS://b.example'],
    ['https://a.example'],
  ])('makes no folder named after a tenant: %s %s %s', async (...argv) => {
    await expectEnd(
      run(['init', ...argv]),
      1,
      'Name a tenant with --identity https://…, or several by repeating the option: --identity test=https://…',
    );
    expect([...filesBelow(dir).keys()]).toEqual([]);
  });

  it('names only schemas that exist', async () => {
    await run(['init']);
    const settings = JSON.parse(read('.vscode/settings.json'));
    const named = Object.keys(settings['yaml.schemas']);
    expect(named).toHaveLength(4);
    const modeline = /\$schema=(\S+)/.exec(read('tenantctl.yaml'))?.[1] ?? '';
    for (const path of [...named, modeline]) expect(JSON.parse(read(path))).toHaveProperty('$schema');
    expect(settings['yaml.customTags']).toContain('!lookup mapping');
  });

  it.each(['file', 'file/below'])('is not made in %s, where a file stands', async (where) => {
    write('file', 'mine');
    await expectEnd(run(['init', where]), 1, '[unwritable-file]', 'A file is in the way');
    expect(read('file')).toBe('mine');
  });

  it('is made in the folder that is named', async () => {
    expect((await run(['init', 'deep/er'])).stdout).toContain('cd deep/er');
    expect(existsSync(join(dir, 'deep/er/tenantctl.yaml'))).toBe(true);
  });

  it.each([
    ['github', ['.github/workflows/tenantctl.yaml']],
    ['gitlab', ['.gitlab-ci.yml']],
    ['none', []],
  ])('has the pipeline for %s', async (system, expected) => {
    await run(['init', '--pipelines', system]);
    const found = [...filesBelow(dir).keys()].filter((path) => /github|gitlab/.test(path));
    expect(found).toEqual(expected);
  });
});

describe('what is there already', () => {
  it('stays, and is said to', async () => {
    write('.gitlab-ci.yml', 'mine: true\n');
    write('tenantctl.yaml', 'version: 1\n');
    const { stdout } = await expectEnd(run(['init']), 0);
    expect(stdout).toMatch(/^kept +tenantctl\.yaml$/m);
    expect(stdout).toMatch(/^created +tenantctl\.gitlab-ci\.yml$/m);
    expect(stdout).toContain(
      '# .gitlab-ci.yml stays as it is: take over the jobs of tenantctl.gitlab-ci.yml, then delete that file.',
    );
    expect(read('tenantctl.gitlab-ci.yml')).toContain('bin/tenantctl plan');
    expect(read('.gitlab-ci.yml')).toBe('mine: true\n');
    expect(read('tenantctl.yaml')).toBe('version: 1\n');
    // No examples come among the manifests of a project.
    for (const path of ['config', 'sandbox.seed.yaml']) expect(existsSync(join(dir, path))).toBe(false);
  });

  it('is not changed by a second run, nor by an address, which is said, nor exported into', async () => {
    await run(['init']);
    const before = filesBelow(dir);
    const again = await expectEnd(run(['init', '--identity', 'https://one.example', '--from', 'export']), 0);
    expect(again.stdout).toContain('The project has the environment production. Change its base URLs');
    expect(again.stdout).toMatch(/^ {2}npx --no-install tenantctl export --merge --all$/m);
    expect((await run(['init'])).stdout).not.toMatch(/has the environment|^(created|updated)/m);
    expect(filesBelow(dir)).toEqual(before);
  });

  it.each([
    ['group-member', 'groups: { all: [sandbxo] }\n', []],
    ['unknown-field', 'manifets: []\n', []],
    ['unknown-environment', '', ['--promote', 'tset', 'eu']],
  ])('is left as it is where its pipelines cannot be made: %s', async (code, more, options) => {
    write(
      'tenantctl.yaml',
      `version: 1\n${more}environments: { test: { sandbox: {} }, eu: { sandbox: {} } }\n`,
    );
    const before = filesBelow(dir);
    await expectEnd(run(['init', ...options]), 1, `[${code}]`);
    expect(filesBelow(dir)).toEqual(before);
  });

  const ignored =
    'mine\nnode_modules/\n.tenantctl/*\n!.tenantctl/schemas/\n.env\n/plan.*\n/result.*\n/drift.*\n';

  it.each([
    ['\n', ''],
    ['\r\n', '\r\n'],
  ])('gets once the lines that .gitignore lacks, with its line ends: %j %j', async (end, last) => {
    write('.gitignore', `mine${end}node_modules/${last}`);
    for (const what of ['updated', 'kept'])
      expect((await run(['init'])).stdout).toMatch(new RegExp(`^${what} +\\.gitignore$`, 'm'));
    expect(read('.gitignore')).toBe(ignored.replaceAll('\n', end));
  });

  it('keeps its own editor settings, and the next steps say what to add', async () => {
    write('.vscode/settings.json', '{ // mine\n}');
    const { stdout } = await run(['init']);
    expect(read('.vscode/settings.json')).toBe('{ // mine\n}');
    expect(stdout).toContain('cannot be added to  .vscode/settings.json');
    expect(stdout).toMatch(/^Next:\n {2}# Add the settings of node_modules\/tenantctl\/examples\/.vscode/m);
    write(
      '.vscode/settings.json',
      `{ // mine\n "yaml.schemas": { ".tenantctl/schemas/manifest.schema.json": [] }\n}`,
    );
    expect((await run(['init'])).stdout).not.toContain('Add the settings');
  });
});

it('can be repeated after a file that could not be written', async () => {
  write('config', 'in the place of a folder');
  await expectEnd(run(['init']), 1, '[unwritable-file]');
  rmSync(join(dir, 'config'));
  const { stdout } = await run(['init']);
  expect(stdout).toMatch(/^created +tenantctl.yaml$/m);
  expect(stdout).toMatch(/^created +config\/mail\/senders.yaml$/m);
});

it('writes nothing through a link out of its folder', async () => {
  const { dir: elsewhere } = createTestFolder();
  symlinkSync(elsewhere, join(dir, '.vscode'));
  await expectEnd(run(['init']), 1, '[outside-project]');
  expect(filesBelow(elsewhere).size).toBe(0);
});

it('gives a tenant no variables of another environment', async () => {
  const auth = '{ clientId: !env US_CLIENT_ID, clientSecret: !secret US_CLIENT_SECRET }';
  write(
    'tenantctl.yaml',
    `version: 1\nenvironments: { eu: { identity: { baseUrl: "https://eu.example", auth: ${auth} } } }\n`,
  );
  await expectEnd(run(['init', '--identity', 'us=https://us.example']), 0);
  expect(read('environments/us.yaml')).toMatch(/!env US_2_CLIENT_ID\n.*!secret US_2_CLIENT_SECRET\n/);
});

describe('package.json', () => {
  const pinned = { devDependencies: { tenantctl: version } };

  it('pins this version, and the lock file comes next', async () => {
    const { stdout } = await run(['init']);
    expect(JSON.parse(read('package.json'))).toEqual({ private: true, ...pinned });
    expect(stdout).toMatch(/^ {2}npm install .*commit package-lock\.json/m);
    write('package-lock.json', '{}');
    expect((await run(['init'])).stdout).not.toContain('npm install');
  });

  it.each(['', '\uFEFF'])('keeps its indentation, line ends and other content, after %j', async (mark) => {
    const text = '{\r\n\t"name": "iga",\r\n\t"devDependencies": {\r\n\t\t"zod": "4.0.0"\r\n\t}\r\n}';
    write('package.json', mark + text);
    expect((await run(['init'])).stdout).toMatch(/^updated +package\.json$/m);
    expect(read('package.json')).toBe(
      `{\r\n\t"name": "iga",\r\n\t"devDependencies": {\r\n\t\t"tenantctl": "${version}",\r\n\t\t"zod": "4.0.0"\r\n\t}\r\n}`,
    );
  });

  it.each([
    '{"dependencies":{"tenantctl":"0.0.9"}}',
    '{"devDependencies":{"tenantctl":"file:tenantctl-0.1.0.tgz"}}',
  ])('stays as it is with a version of its own: %s', async (text) => {
    write('package.json', text);
    expect((await run(['init'])).stdout).toMatch(/^kept +package\.json$/m);
    expect(read('package.json')).toBe(text);
  });

  it.each(['{ "name": ', '[]', '{"devDependencies": []}'])('stays where it is broken: %s', async (text) => {
    write('package.json', text);
    const { stdout } = await run(['init']);
    expect(stdout).toContain('cannot be added to  package.json');
    expect(stdout).toMatch(/^Next:\n {2}# package.json .*"tenantctl": ".*\n {2}npm install/m);
    expect(read('package.json')).toBe(text);
  });
});

it('gives the pipelines of one environment no credentials of another', async () => {
  const environment = (name: string) =>
    `  ${name}: { identity: { baseUrl: https://${name}.example, auth: { token: !secret ${name.toUpperCase()}_TOKEN } } }\n`;
  write('tenantctl.yaml', `version: 1\nenvironments:\n${environment('test')}${environment('production')}`);
  write(
    'config/desk.yaml',
    'kind: SimIntegration\nname: Desk\nattributes: { password: !secret DESK_PASSWORD }\n',
  );
  const { stdout } = await run(['init']);
  const used = read('.github/workflows/tenantctl.yaml').match(/secrets\.\w+/g);
  expect(new Set(used)).toEqual(new Set(['secrets.DESK_PASSWORD', 'secrets.PRODUCTION_TOKEN']));
  // A plan of all of them needs both here.
  expect(stdout).toContain('export TEST_TOKEN=…');
});

it('gives pipelines every variable that a tag names, wherever the project reads it', async () => {
  write(
    'tenantctl.yaml',
    `version: 1
manifests: [objects/**/*.yaml]
environments:
  test: { sandbox: {}, variables: &shared { url: 'https://a.example/#top', password: !secret QUOTED } }
  production:
    identity: { baseUrl: https://a.example, auth: { token: !<!secret> VERBATIM } } # !secret COMMENT
    variables: *shared
`,
  );
  write(
    'objects/desk.yaml',
    `kind: SimIntegration
name: Desk
description: "Not a !secret TEXT"
attributes:
  password: !secret
    BELOW
  key: !secret "QUOTED }} NAME"
`,
  );
  write('config/notes.yaml', 'kind: SimIntegration\nname: !secret ELSEWHERE\n');
  const { stdout } = await run(['init']);
  expect(stdout).not.toContain('tenantctl export');
  for (const name of ['BELOW', 'QUOTED', 'VERBATIM']) expect(stdout).toContain(`export ${name}=…`);
  const used = read('.github/workflows/tenantctl.yaml').match(/secrets\.\w+/g);
  expect(new Set(used)).toEqual(new Set(['BELOW', 'QUOTED', 'VERBATIM'].map((name) => `secrets.${name}`)));
});

it('adds the secrets that manifests name by now to pipelines, or says them where somebody has edited these', async () => {
  await run(['init', '--identity', 'https://one.example', '--from', 'export']);
  const workflow = '.github/workflows/tenantctl.yaml';
  const declare = (name: string) =>
    write(
      `config/${name}.yaml`,
      `kind: SimIntegration\nname: ${name}\ntype: Other\nattributes: { password: !secret ${name} }\n`,
    );
  declare('FIRST');
  // As Git for Windows checks it out.
  write(workflow, read(workflow).replaceAll('\n', '\r\n'));
  expect((await run(['init'])).stdout).toContain(`updated   ${workflow}`);
  expect(read(workflow).split('FIRST: ${{ secrets.FIRST }}')).toHaveLength(4);
  write(workflow, `${read(workflow)}# mine\n`);
  declare('SECOND');
  const { stdout } = await run(['init']);
  expect(stdout).toContain(
    `# ${workflow} was edited, so it stays as it is. Change or add these lines in it:\n  #   SECOND: \${{ secrets.SECOND }}\n`,
  );
  expect(stdout).toContain('# The credentials belong wherever those of production stand.');
});

describe('the hosts that pipelines may call', () => {
  const allowed = (path: string) => /^ +TENANTCTL_ALLOWED_HOSTS: '(.*)'$/m.exec(read(path))?.[1];

  it('are those of the production environment, in both pipelines', async () => {
    write('tenantctl.yaml', 'version: 1\n');
    write(
      'environments/production.yaml',
      [
        'identity:',
        '  baseUrl: https://acme.api.example.com:8443/base',
        '  tokenUrl: https://login.example.com/oauth/token',
        '  auth: { clientId: !env ID, clientSecret: !secret SECRET }',
        'profiles: { baseUrl: https://acme-profiles.example.com }',
      ].join('\n'),
    );
    expect((await run(['init'])).stdout).not.toContain('replace');
    for (const path of ['.github/workflows/tenantctl.yaml', '.gitlab-ci.yml']) {
      expect(allowed(path)).toBe('acme.api.example.com:8443,login.example.com,acme-profiles.example.com');
    }
  });

  it.each([
    ['no such environment', 'version: 1\n'],
    ['an embedded tenant', 'version: 1\nenvironments: { production: { sandbox: {} } }\n'],
  ])('are none where the project has %s, and the next step says so', async (_what, text) => {
    write('tenantctl.yaml', text);
    const { stdout } = await run(['init']);
    expect(allowed('.gitlab-ci.yml')).toMatch(/\.invalid$/);
    expect(stdout).toContain(`replace ${allowed('.gitlab-ci.yml')} by the hosts of your tenant`);
  });
});

it.each([
  ['nonsense'],
  ['ftp://x.example'],
  ['http://acme.example'],
  ['https://user:hunter2@acme.example'],
  ['https://acme.example?x'],
])('an address of a tenant is refused as the project would refuse it: %s', async (url) => {
  for (const given of [
    ['--identity', url],
    ['--identity', 'https://one.example', '--profiles', url],
  ]) {
    const { code, stdout, stderr } = await run(['init', ...given]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${given.at(-2)} cannot be used`);
    expect(stderr).not.toContain('hunter2');
  }
  expect(filesBelow(dir).size).toBe(0);
});

describe('in a folder of a repository', () => {
  const workflow = '.github/workflows/tenantctl.yaml';
  beforeEach(() => write('.git/HEAD', ''));

  it('the pipelines are at its top, and work in the folder', async () => {
    expect((await run(['init', 'apps/iga'])).stdout).toContain(`created   ../../${workflow}\n`);
    expect(existsSync(join(dir, 'apps/iga/.github'))).toBe(false);
    expect(existsSync(join(dir, 'apps/iga/.gitignore'))).toBe(true);
    const { defaults, jobs } = parse(read(workflow));
    expect(defaults.run).toEqual({ 'working-directory': 'apps/iga', shell: 'bash' });
    const { plan, drift } = parse(read('.gitlab-ci.yml'));
    expect(parse(read('.gitlab-ci.yml')).default.before_script[0]).toBe("cd './apps/iga'");
    expect(plan.after_script[0]).toBe("cd './apps/iga'");
    // No path that counts from the top of the repository is left without the folder.
    const steps = Object.values<{ steps: { uses?: string; with: { path: string } }[] }>(jobs).flatMap(
      (job) => job.steps,
    );
    const uploads = steps.filter(({ uses = '' }) => uses.includes('upload-artifact'));
    expect(uploads.length).toBeGreaterThan(1);
    const paths = [
      ...uploads.map((step) => step.with.path),
      ...plan.artifacts.paths,
      plan.artifacts.reports.terraform,
      ...drift.artifacts.paths,
      ...[...read(workflow).matchAll(/hashFiles\('([^']*)/g)].map(([, path]) => path),
    ];
    for (const path of paths) expect(path).toMatch(/^apps\/iga\/./);
    await expectSound(read(workflow));
  });

  it('that is not the only project there, they have a tag of their own, and none runs for another', async () => {
    await run(['init', 'apps/iga']);
    const first = read(workflow);
    expect(first).toContain('--since tenantctl-applied-apps-iga');
    expect(first).not.toMatch(/tenantctl-applied(?!-apps-iga)/);
    expect(read('.gitlab-ci.yml')).not.toMatch(/tenantctl-applied(?!-apps-iga)/);
    expect((await run(['init', 'apps/iga'])).stdout).not.toContain('take over the jobs');
    const { stdout } = await run(['init', 'apps/other']);
    const second = '.github/workflows/tenantctl-apps-other.yaml';
    expect(stdout).toContain(`created   ../../${second}\n`);
    expect(stdout).toContain(
      '# ../../.gitlab-ci.yml stays as it is: take over the jobs of tenantctl.gitlab-ci.yml',
    );
    expect(read(second)).toContain('--since tenantctl-applied-apps-other');
    expect(read(workflow)).toBe(first);
    await expectSound(read(second));
  });

  it('a pipeline of a project with a longer name, or in a folder, is not theirs', async () => {
    await run(['init', 'apps/iga-2', '--identity', 'far=https://far.example']);
    for (const [folder, at] of [
      ['apps/iga', '.github/workflows/tenantctl-apps-iga.yaml'],
      ['.', 'tenantctl.github.yaml'],
    ] as const) {
      await run(['init', folder]);
      expect(read(at)).toContain("TENANTCTL_ENV: 'production'");
      await expectEnd(run(['init', folder]), 0);
    }
    expect(read(workflow)).toContain("TENANTCTL_ENV: 'far'");
  });

  it.each([
    ['staging', 'production', 'https://staging.api.example.com'],
    ['apps/iga', 'iga', 'https://acme.example'],
    ['.', 'main', 'test=https://acme.example'],
    ['a', 'plan', 'https://plan.example'],
  ])(
    'whose name is a word in the pipeline of another project there gets its own: %s, %s',
    async (first, then, tenant) => {
      await run(['init', first, '--identity', tenant]);
      const before = read(workflow);
      const { stdout } = await expectEnd(run(['init', then, '--identity', 'live=https://live.example']), 0);
      expect(stdout).not.toContain('was edited');
      expect(read(`.github/workflows/tenantctl-${then}.yaml`)).toContain("TENANTCTL_ENV: 'live'");
      expect(read(`${then}/tenantctl.gitlab-ci.yml`)).toContain("TENANTCTL_ALLOWED_HOSTS: 'live.example'");
      expect(read(workflow)).toBe(before);
      // It knows them again, and so does the first project its own.
      await run(['init', then, '--identity', 'far=https://far.example']);
      expect(read(`.github/workflows/tenantctl-${then}.yaml`)).toContain("TENANTCTL_ENV: 'live,far'");
      await run(['init', first, '--identity', 'far=https://far.example']);
      expect(read(workflow)).toContain(',far');
    },
  );

  it.each([
    ['one tenant', []],
    ['several', ['--identity', 'test=https://a.example', '--identity', 'live=https://b.example']],
  ])('they share no status, group, comment or name with another project: %s', async (_what, tenants) => {
    await run(['init', 'apps/iga', ...tenants]);
    for (const path of [workflow, '.gitlab-ci.yml']) {
      const lines = read(path)
        .split('\n')
        .filter((line) => !line.startsWith('#'));
      const shared = /context=|group: |startswith|startsWith|^name: |^ +(?:branch|title)=|body=?@plan/;
      const named = lines.filter((line) => shared.test(line));
      expect(named.length).toBeGreaterThan(2);
      for (const line of named) expect(line).toMatch(/apps[-/]iga|comment\.md/);
      expect(read(path)).toContain("{ printf '%s\\n\\n' '**apps/iga**'; cat plan.md; } > comment.md");
    }
    await expectSound(read(workflow));
  });
});

it('the workflow for GitHub passes actionlint, and the project file is that of the examples', async () => {
  await run(['init']);
  await expectSound(read('.github/workflows/tenantctl.yaml'));
  await expect(expectSound('on: push\njobs: {}\n')).rejects.toThrow();
  const example = readFileSync('examples/tenantctl.yaml', 'utf8');
  expect(read('tenantctl.yaml')).toBe(example.replace('../schemas/', '.tenantctl/schemas/'));
});
