/**
 * `--since` runs git in a checkout that others wrote. Each attack is tried with a plain git call too, which carries it out:
 * otherwise a test could pass because the attack is wrong.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, onTestFinished, test, vi } from 'vitest';
import { commitAll, git } from '../support/repository.ts';
import { shellWord } from '../support/shell.ts';
import { createTestWorld, expectEnd, type World } from '../support/world.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const missing = '1111111111111111111111111111111111111111';

interface Attack {
  readonly name: string;
  /** Prepares the checkout so that git would run `program`. */
  plant(dir: string, program: string): void;
  /** A git call that runs it. */
  readonly plain: readonly string[];
}

/** Settings of a clone without all objects: git fetches a missing one from `origin`. */
const promisor = (transport: string, core = '') => `[core]
	repositoryformatversion = 1
	${core}
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	${transport}
[protocol]
	allow = always
`;

/** How a fetch runs a program. */
const transports = {
  sshCommand: (program: string) => promisor('url = ssh://host.invalid/x', `sshCommand = ${program}`),
  uploadpack: (program: string) => promisor(`url = /tmp\n\tuploadpack = ${program}`),
  'ext::': (program: string) => promisor(`url = ext::${program}`),
};

function write(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** Four files that make a folder a bare repository. Git commits them like any others. */
function plantBareRepository(dir: string, settings: string): void {
  write(dir, 'HEAD', 'ref: refs/heads/main\n');
  write(dir, 'refs/heads/main', `${missing}\n`);
  write(dir, 'objects/.keep', '');
  write(dir, 'config', settings);
}

const addSettings = (dir: string, settings: string) =>
  writeFileSync(join(dir, '.git/config'), `${readFileSync(join(dir, '.git/config'), 'utf8')}\n${settings}`);

const inSettings = ([name, settings]: [string, (program: string) => string]): Attack => ({
  name: `settings that fetch a missing object by ${name}`,
  plant: (dir, program) => {
    addSettings(dir, settings(program));
    writeFileSync(join(dir, '.git/refs/heads/gone'), `${missing}\n`);
  },
  plain: ['rev-parse', '--verify', 'gone^{commit}'],
});

const attacks: readonly Attack[] = [
  ...Object.entries(transports).map(inSettings),
  {
    name: 'a file system monitor',
    plant: (dir, program) => addSettings(dir, `[core]\n\tfsmonitor = ${program}\n`),
    plain: ['status'],
  },
  {
    name: 'a file system monitor in a committed file that the settings include',
    plant(dir, program) {
      addSettings(dir, '[include]\n\tpath = ../shared.gitconfig\n');
      write(dir, 'shared.gitconfig', `[core]\n\tfsmonitor = ${program}\n`);
      git(dir, 'add', 'shared.gitconfig');
    },
    plain: ['status'],
  },
  {
    name: 'a filter',
    plant(dir, program) {
      write(dir, '.gitattributes', '*.yaml filter=evil\n');
      git(dir, 'add', '.gitattributes');
      git(dir, 'commit', '-qm', 'attributes');
      addSettings(dir, `[filter "evil"]\n\tsmudge = ${program}\n\tprocess = ${program}\n`);
    },
    plain: ['checkout-index', '--all', '--force', '--prefix=other/'],
  },
  {
    name: 'a filter for a file that is not as it was committed',
    plant(dir, program) {
      write(dir, '.gitattributes', '*.txt filter=evil\n');
      write(dir, 'a.txt', 'a');
      git(dir, 'add', '.');
      git(dir, 'commit', '-qm', 'attributes');
      addSettings(dir, `[filter "evil"]\n\tclean = ${program}\n`);
      write(dir, 'a.txt', 'b');
    },
    plain: ['status'],
  },
  {
    name: 'a filter in the settings of a submodule',
    plant(dir, program) {
      const inner = join(dir, 'inner');
      write(inner, '.gitattributes', '*.txt filter=evil\n');
      write(inner, 'a.txt', 'a');
      commitAll(inner);
      git(dir, 'add', 'inner');
      git(dir, 'commit', '-qm', 'submodule');
      addSettings(inner, `[filter "evil"]\n\tclean = ${program}\n`);
      write(inner, 'a.txt', 'b');
    },
    plain: ['status'],
  },
  {
    name: 'a hook in a committed folder',
    plant(dir, program) {
      mkdirSync(join(dir, 'hooks'));
      symlinkSync(program, join(dir, 'hooks/post-index-change'));
      git(dir, 'add', 'hooks');
      addSettings(dir, '[core]\n\thooksPath = hooks\n');
    },
    plain: ['read-tree', 'HEAD'],
  },
];

/** A committed project, and a program that leaves a mark when something runs it. */
async function checkout(): Promise<{ world: World; program: string; hasRun: () => boolean }> {
  const world = await createTestWorld({ seed: 'senders: [{ email: help@acme.example }]\n' });
  world.declare([{ kind: 'SenderAddress', email: 'help@acme.example' }]);
  commitAll(world.dir);
  const mark = join(world.dir, 'mark');
  const program = join(world.dir, '.git/program');
  writeFileSync(program, `#!/bin/sh\ntouch ${shellWord(mark)}\nexit 1\n`);
  chmodSync(program, 0o755);
  return {
    world,
    program,
    hasRun() {
      const ran = existsSync(mark);
      rmSync(mark, { force: true });
      return ran;
    },
  };
}

test.each(attacks)('runs nothing for $name', async ({ plant, plain }) => {
  const { world, program, hasRun } = await checkout();
  plant(world.dir, program);
  hasRun();
  expect(await world.run('plan --since HEAD')).toMatchObject({ code: 0 });
  expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
  await expectEnd(world.run('plan --since gone'), 1, 'unknown-revision');
  expect(hasRun()).toBe(false);
  spawnSync('git', plain, { cwd: world.dir });
  expect(hasRun()).toBe(true);
});

test.each(Object.entries(transports))(
  'takes no bare repository of committed files for the project’s own, with %s',
  async (_name, settings) => {
    const { world, program, hasRun } = await checkout();
    world.write('iga/tenantctl.yaml', `${world.read('tenantctl.yaml')}manifests: [declared/*.yaml]\n`);
    world.write('iga/declared/a.yaml', 'kind: SenderAddress\nemail: help@acme.example\n');
    plantBareRepository(join(world.dir, 'iga'), settings(program));
    git(world.dir, 'add', '--all');
    git(world.dir, 'commit', '-qm', 'planted');
    const plan = () => world.run('plan -c iga/tenantctl.yaml --since HEAD');
    expect(await plan()).toMatchObject({ code: 0 });
    // In an archive of the repository, the planted one is the only one.
    renameSync(join(world.dir, '.git'), join(world.dir, 'away'));
    await expectEnd(plan(), 1, 'no-repository');
    expect(hasRun()).toBe(false);
    renameSync(join(world.dir, 'away'), join(world.dir, '.git'));
    const plain = ['-c', 'safe.bareRepository=all', 'rev-parse', '--verify', 'HEAD^{commit}'];
    spawnSync('git', plain, { cwd: join(world.dir, 'iga') });
    expect(hasRun()).toBe(true);
  },
);

it('starts no git of the repository, though PATH begins with its node_modules/.bin', async () => {
  const { world, program, hasRun } = await checkout();
  mkdirSync(join(world.dir, 'node_modules/.bin'), { recursive: true });
  symlinkSync(program, join(world.dir, 'node_modules/.bin/git'));
  vi.stubEnv('PATH', `${join(world.dir, 'node_modules/.bin')}:node_modules/.bin:${process.env.PATH}`);
  expect(await world.run('plan --since HEAD')).toMatchObject({ code: 0 });
  expect(hasRun()).toBe(false);
  spawnSync('git', ['--version']);
  expect(hasRun()).toBe(true);
});

it('gives git no variable of the environment but PATH, and none of its own', async () => {
  const { world } = await checkout();
  const bin = mkdtempSync(join(tmpdir(), 'tenantctl-git-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\nenv >>${shellWord(join(bin, 'seen'))}\nexec ${shellWord(real)} "$@"\n`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
  vi.stubEnv('TENANT_CLIENT_SECRET', 'canary');
  vi.stubEnv('GIT_SSH_COMMAND', 'canary');
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('SSH_AUTH_SOCK', 'canary');
  vi.stubEnv('GIT_DIR', '/nowhere');
  vi.stubEnv('HOME', '/canary');
  expect(await world.run('plan --since HEAD')).toMatchObject({ code: 0 });
  const seen = readFileSync(join(bin, 'seen'), 'utf8');
  expect(seen).not.toMatch(/canary|nowhere/);
  const names = new Set(seen.split('\n').map((line) => line.split('=')[0]));
  for (const name of ['PATH', 'HOME', 'GIT_DIR', 'GIT_ALLOW_PROTOCOL', 'GIT_NO_LAZY_FETCH'])
    expect(names).toContain(name);
  expect([...names].filter((name) => /SECRET|SSH|TOKEN|COUNT/.test(name ?? ''))).toEqual([]);
});

it('reads the project’s own repository whatever GIT_DIR and the like say', async () => {
  const { world } = await checkout();
  const { world: other } = await checkout();
  rmSync(join(world.dir, 'config/all.yaml'));
  world.write('config/other.yaml', 'kind: SenderAddress\nemail: other@acme.example\n');
  other.declare([]);
  git(other.dir, 'commit', '-qam', 'nothing');
  vi.stubEnv('GIT_DIR', join(other.dir, '.git'));
  vi.stubEnv('GIT_WORK_TREE', other.dir);
  vi.stubEnv('GIT_INDEX_FILE', join(other.dir, '.git/index'));
  const { changes } = await world.plan('--since', 'HEAD', '--allow-delete-all', 'SenderAddress');
  expect(changes).toContainEqual(expect.objectContaining({ action: 'delete', key: ['help@acme.example'] }));
});

it('writes no file of a revision outside its folder', async () => {
  const { world } = await checkout();
  const run = (args: readonly string[], input: Buffer | string) =>
    execFileSync('git', args, { cwd: world.dir, input, encoding: 'utf8' }).trim();
  const file = Buffer.from(git(world.dir, 'rev-parse', 'HEAD:tenantctl.yaml'), 'hex');
  const entries = Buffer.concat([Buffer.from('100644 ../escaped.yaml\0'), file]);
  const folder = run(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], entries);
  const tree = run(['mktree'], `${git(world.dir, 'ls-tree', 'HEAD')}\n040000 tree ${folder}\tfolder\n`);
  git(world.dir, 'update-ref', 'HEAD', git(world.dir, 'commit-tree', tree, '-p', 'HEAD', '-m', 'hostile'));
  await expectEnd(world.run('plan --since HEAD'), 1, "'folder/../escaped.yaml'");
});
