import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import {
  type Checkout,
  commitsWith,
  findUncommitted,
  isInRepository,
  withRevision,
} from '../../src/loader/git.ts';
import { diskSource, type FileSource } from '../../src/loader/source.ts';
import { Failure } from '../../src/model/failure.ts';
import { commitAll, git } from '../support/repository.ts';
import { type Files, project, thrown } from './fixture.ts';

/** The files of a revision are those of the disk at that time, links included. */

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A committed project with these files and links, from a path to what the link says. */
function createCommitted(files: Files, links: (root: string) => Readonly<Record<string, string>>): string {
  const root = project(files);
  for (const [path, target] of Object.entries(links(root))) symlinkSync(target, join(root, path));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@acme.example', ...args], { cwd: root });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'before');
  return root;
}

const projectIn = (root: string) => ({ root, configFile: join(root, 'tenantctl.yaml') });
const everything = ['config/**/*.yaml'];
const atHead = <T>(root: string, use: (source: FileSource) => T) =>
  withRevision(projectIn(root), 'HEAD', ({ folder }) => use(diskSource(folder)));

/** Every manifest with its text, or why it cannot be read. */
const contentsOf = (source: FileSource) =>
  source.glob(everything).map((path) => {
    try {
      return [path, source.text(path)];
    } catch (error) {
      return [path, String(error)];
    }
  });

test('links to files and folders, chains, ways through other folders and out are followed as on the disk', async () => {
  const root = createCommitted(
    {
      'config/own.yaml': 'own',
      'config/node_modules/x.yaml': 'x',
      'store/file.yaml': 'file',
      'real/deep/a.yaml': 'a',
      'real/deep/b.html': 'b',
    },
    () => ({
      'config/file.yaml': '../store/file.yaml',
      'config/chain.yaml': './file.yaml',
      'config/folder': '../real/',
      'config/through.yaml': 'folder/deep/a.yaml',
      'config/out.yaml': process.execPath,
      'config/.#own.yaml': 'somebody@host',
      'real/deep/more': '../../store',
      'real/deep/round': '..',
      dangling: 'nowhere',
    }),
  );
  const disk = contentsOf(diskSource(root));
  // What happens on the disk afterwards makes no difference.
  writeFileSync(join(root, 'store/file.yaml'), 'changed');
  expect(await atHead(root, contentsOf)).toEqual(disk);
  const paths = disk.map(([path]) => path);
  expect(paths).toContain('config/folder/deep/more/file.yaml');
  expect(paths).toContain('config/out.yaml');
  expect(await atHead(root, (source) => source.text('config/folder/deep/b.html'))).toBe('b');
  await expect(atHead(root, (source) => source.text('config/none/b.html'))).rejects.toThrow(
    'There is no file',
  );
});

test('files that have the same text today are not written, unless a link may lead to them', async () => {
  const files = { 'config/a.yaml': 'a', 'config/b.yaml': 'b', 'config/c.yaml': 'c' };
  const today = new Map([...Object.entries(files), ['config/b.yaml', 'edited'], ['config/new.yaml', 'c']]);
  const written = (root: string) => {
    const use = ({ folder, same }: Checkout) => ({ written: readdirSync(join(folder, 'config')), same });
    return withRevision(projectIn(root), 'HEAD', use, today);
  };
  expect(await written(createCommitted(files, () => ({})))).toEqual({
    written: ['b.yaml'],
    same: new Map([
      ['config/a.yaml', 'a'],
      ['config/c.yaml', 'c'],
    ]),
  });
  const linked = await written(createCommitted(files, () => ({ 'config/d.yaml': 'c.yaml' })));
  expect(linked).toEqual({ written: ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml'], same: new Map() });
});

test.each([
  ['that leads nowhere', { 'config/a.yaml': '../none.yaml' }],
  ['to no folder', { 'config/a': '../none' }],
  ['round in a cycle', { 'config/a.yaml': 'b.yaml', 'config/b.yaml': 'a.yaml' }],
])('a link %s is refused, as on the disk', async (_what, links) => {
  const root = createCommitted({}, (dir) => {
    mkdirSync(join(dir, 'config'));
    return links;
  });
  const onDisk = thrown(() => diskSource(root).glob(everything));
  const { diagnostics } = await atHead(root, (source) => thrown(() => source.glob(everything)));
  expect(diagnostics).toEqual(onDisk.diagnostics);
  expect(diagnostics[0]?.message).toMatch(/^config.a\S* (is a broken link|cannot be read \(ELOOP\))/);
  const others = ['other/*.yaml', '*.yaml', '!config/**'];
  expect(await atHead(root, (source) => source.glob(others))).toEqual(['tenantctl.yaml']);
});

test('a project below the root of its repository sees its own files only', async () => {
  const root = createCommitted(
    { 'inner/tenantctl.yaml': '', 'inner/config/a.yaml': 'a', 'config/b.yaml': 'b' },
    () => ({}),
  );
  expect(await atHead(join(root, 'inner'), contentsOf)).toEqual([['config/a.yaml', 'a']]);
});

test('the folder is removed, whatever happens in it', async () => {
  const root = createCommitted({ 'config/a.yaml': 'a' }, () => ({}));
  let used = '';
  const fail = ({ folder }: { folder: string }): never => {
    used = folder;
    expect(existsSync(join(folder, 'config/a.yaml'))).toBe(true);
    throw new Error('on purpose');
  };
  await expect(withRevision(projectIn(root), 'HEAD', fail)).rejects.toThrow('on purpose');
  expect(existsSync(used)).toBe(false);
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })).toBe('');
});

describe('files that git does not compare with the disk', () => {
  const hiddenIn = (root: string) => withRevision(projectIn(root), 'HEAD', ({ hidden }) => hidden);

  test('are named from the project on, and those of other projects are not', async () => {
    const root = createCommitted(
      { 'inner/tenantctl.yaml': '', 'inner/config/a.yaml': 'a', 'inner/b.yaml': 'b', 'config/c.yaml': 'c' },
      () => ({}),
    );
    git(root, 'update-index', '--skip-worktree', 'inner/config/a.yaml', 'config/c.yaml');
    git(root, 'update-index', '--assume-unchanged', 'inner/b.yaml');
    expect(await hiddenIn(join(root, 'inner'))).toEqual(['b.yaml', 'config/a.yaml']);
    expect(await hiddenIn(root)).toEqual(['config/c.yaml', 'inner/b.yaml', 'inner/config/a.yaml']);
  });

  test('are a submodule that is not checked out', async () => {
    const root = createCommitted({ 'other/a.yaml': 'a' }, () => ({}));
    commitAll(join(root, 'other'));
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', './other', 'config');
    git(root, 'commit', '-qm', 'submodule');
    expect(await hiddenIn(root)).toEqual([]);
    rmSync(join(root, 'config'), { recursive: true });
    expect(await hiddenIn(root)).toEqual(['config/']);
  });

  test('cannot be known where git cannot read its index, which is told', async () => {
    const root = createCommitted({ 'config/a.yaml': 'a' }, () => ({}));
    writeFileSync(join(root, '.git/index'), 'no index');
    await expect(hiddenIn(root)).rejects.toMatchObject({
      diagnostics: [{ code: 'no-repository', message: expect.stringContaining('cannot read its index: ') }],
    });
  });
});

describe('a revision', () => {
  const filesAt = (root: string, revision: string) =>
    withRevision(projectIn(root), revision, ({ folder, hidden }) => [readdirSync(folder), hidden]);
  const refusalOf = async (root: string, revision: string) => {
    const refused: unknown = await filesAt(root, revision).catch((error: unknown) => error);
    if (!(refused instanceof Failure)) throw new Error('It was not refused.');
    const [{ code, message, hint } = expect.fail()] = refused.diagnostics;
    return { code, message, hint };
  };
  /** A project with two commits: the second adds `b.yaml`. */
  const twice = () => {
    const root = project({ 'a.yaml': 'a' });
    commitAll(root);
    git(root, 'tag', '-a', 'v1', '-m', 'one');
    writeFileSync(join(root, 'b.yaml'), 'b');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'second');
    return root;
  };

  test.each(['HEAD~1', 'v1', 'main^'])('may be named as for git: %s', async (revision) =>
    expect(await filesAt(twice(), revision)).toEqual([['a.yaml', 'tenantctl.yaml'], []]),
  );

  test.runIf(process.platform === 'linux')(
    'may have names that are not UTF-8, beside a file that is still the same',
    async () => {
      const root = project({ 'a.yaml': 'a', 'b.yaml': 'b' });
      writeFileSync(Buffer.from(`${root}/notes-b\xe4r.txt`, 'latin1'), 'text');
      commitAll(root);
      const today = new Map([['a.yaml', 'a']]);
      const read = ({ folder, same }: Checkout) => [[...same.keys()], readdirSync(folder, 'latin1').sort()];
      expect(await withRevision(projectIn(root), 'HEAD', read, today)).toEqual([
        ['a.yaml'],
        ['b.yaml', 'notes-b\xe4r.txt', 'tenantctl.yaml'],
      ]);
    },
  );

  test('is as old as the end of the second of its commit: git keeps no shorter time', async () => {
    const root = twice();
    const end = Number(git(root, 'log', '-1', '--format=%ct')) * 1000 + 999;
    const committed = await withRevision(projectIn(root), 'HEAD', ({ committedAt }) => committedAt);
    expect(committed).toBe(new Date(end).toISOString());
  });

  test('is followed by commits, of which the last one that changed a file is named', async () => {
    const root = twice();
    writeFileSync(join(root, 'b.yaml'), 'c');
    git(root, 'commit', '-qam', 'third');
    const commits = await withRevision(projectIn(root), 'HEAD~2', (checkout) => checkout.commits);
    expect(commits.get('b.yaml')?.id).toBe(git(root, 'rev-parse', 'HEAD').slice(0, 8));
  });

  test('is that of its own work tree where HEAD was elsewhere in another', async () => {
    const root = twice();
    const tree = join(project({}), 'tree');
    git(root, 'worktree', 'add', '-q', '-b', 'other', tree);
    const bisect = ['update-ref', 'refs/bisect/bad', 'HEAD'];
    git(root, ...bisect);
    writeFileSync(join(tree, 'c.yaml'), 'c');
    commitAll(tree, 'third');
    git(tree, 'commit', '-q', '--allow-empty', '-m', 'fourth');
    git(tree, ...bisect);
    for (const revision of ['HEAD@{1}', '@{1}', 'other@{1}', 'refs/bisect/bad'])
      expect(await filesAt(tree, revision)).toEqual([['a.yaml', 'b.yaml', 'c.yaml', 'tenantctl.yaml'], []]);
    expect(await filesAt(root, 'HEAD@{1}')).toEqual([['a.yaml', 'tenantctl.yaml'], []]);
    expect(await filesAt(root, 'refs/bisect/bad')).toEqual([['a.yaml', 'b.yaml', 'tenantctl.yaml'], []]);
  });

  test('of before the folder of the project has no files', async () => {
    const root = project({ 'a.yaml': 'a' });
    commitAll(root);
    mkdirSync(join(root, 'inner'));
    writeFileSync(join(root, 'inner/tenantctl.yaml'), '');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'second');
    expect(await filesAt(join(root, 'inner'), 'HEAD~1')).toEqual([[], []]);
    expect(await filesAt(join(root, 'inner'), 'HEAD')).toEqual([['tenantctl.yaml'], []]);
  });

  test('that git does not know is refused, and so is what is no revision', async () => {
    const root = twice();
    for (const revision of ['nope', '--all', 'HEAD~5', 'HEAD:a.yaml'])
      expect(await refusalOf(root, revision)).toEqual({
        code: 'unknown-revision',
        message: expect.stringContaining(`git does not know the revision "${revision}" here`),
        hint: 'Name a commit, tag or branch of the repository that holds the project. In CI, fetch it first: `git fetch origin BRANCH:refs/remotes/origin/BRANCH`.',
      });
  });

  test('that HEAD was not made from is refused, with what both have', async () => {
    const root = twice();
    git(root, 'checkout', '-q', '-b', 'other', 'HEAD~1');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'theirs');
    expect(await refusalOf(root, 'main')).toEqual({
      code: 'not-an-ancestor',
      message:
        'HEAD does not contain the revision "main": what was added there since would look as if it had been removed here.',
      hint: 'Compare with the commit that both have: --since "$(git merge-base HEAD main)".',
    });
  });

  test('cannot be judged in a clone without history, which says how to fetch it', async () => {
    const root = twice();
    const clone = join(project({}), 'clone');
    git(root, 'clone', '-q', '--depth', '1', `file://${root}`, clone);
    expect(await refusalOf(clone, 'HEAD~1')).toMatchObject({
      code: 'incomplete-clone',
      message: 'This clone is shallow, so git cannot tell whether HEAD contains the revision "HEAD~1".',
      hint: expect.stringContaining('`fetch-depth: 0` for actions/checkout'),
    });
    expect(await filesAt(clone, 'HEAD')).toEqual([['a.yaml', 'b.yaml', 'tenantctl.yaml'], []]);
  });

  test('cannot be read where an object is missing, which says what to try', async () => {
    const root = twice();
    const id = git(root, 'rev-parse', 'HEAD:b.yaml');
    rmSync(join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
    expect(await refusalOf(root, 'HEAD')).toEqual({
      code: 'incomplete-clone',
      message: expect.stringMatching(
        /^The files at the revision "HEAD" cannot be read from this clone: .*[^.]\.$/,
      ),
      hint: 'Check the clone with `git fsck`, or make a new one.',
    });
    expect(await filesAt(root, 'v1')).toEqual([['a.yaml', 'tenantctl.yaml'], []]);
    git(root, 'config', 'remote.origin.promisor', 'true');
    expect((await refusalOf(root, 'HEAD')).hint).toContain('Clone without `--filter`.');
  });

  test('of a repository whose last commit has no project file is not its own', async () => {
    const root = twice();
    git(root, 'rm', '-q', '--cached', 'tenantctl.yaml');
    git(root, 'commit', '-qm', 'third');
    expect(await refusalOf(root, 'HEAD~1')).toMatchObject({
      code: 'no-repository',
      message: `The repository in ${root} does not hold this project: its last commit has no tenantctl.yaml.`,
    });
  });

  test('cannot be read where the settings of the repository cannot', async () => {
    const root = twice();
    writeFileSync(join(root, '.git/config'), '[core\n');
    expect(await refusalOf(root, 'HEAD')).toMatchObject({
      code: 'no-repository',
      message: expect.stringMatching(/^git cannot read .*\.git\/config: [^:]*bad config/),
    });
  });
});

describe('the commits that brought a text into a project', () => {
  const edit = (root: string, path: string, text: string) => {
    writeFileSync(join(root, path), text);
    git(root, 'commit', '-qam', path);
    return git(root, 'rev-parse', 'HEAD');
  };

  test('are found with those before them, the newest first, each once', async () => {
    const root = project({ 'config/a.yaml': 'one\n', 'config/b.yaml': 'b\n' });
    commitAll(root);
    const first = git(root, 'rev-parse', 'HEAD');
    const second = edit(root, 'config/a.yaml', 'needle\n');
    const third = edit(root, 'config/b.yaml', 'other\n');
    const fourth = edit(root, 'config/b.yaml', 'needle\n');
    expect(await commitsWith({ root }, ['needle'])).toEqual([fourth, third, second, first]);
    expect(await commitsWith({ root }, ['other', 'needle'])).toEqual([fourth, third, second, first]);
    expect(await commitsWith({ root }, ['other'])).toEqual([fourth, third, second]);
    expect(await commitsWith({ root }, ['never there'])).toEqual([]);
  });

  test('are those of its own folder', async () => {
    const root = project({ 'inner/tenantctl.yaml': 'needle\n', 'outer.yaml': 'one\n' });
    commitAll(root);
    const first = git(root, 'rev-parse', 'HEAD');
    const second = edit(root, 'outer.yaml', 'needle\n');
    expect(await commitsWith({ root: join(root, 'inner') }, ['needle'])).toEqual([first]);
    expect(await commitsWith({ root }, ['needle'])).toEqual([second, first]);
  });

  test('are none in a repository without a commit', async () => {
    const root = project({});
    git(root, 'init', '-q');
    expect(await commitsWith({ root }, ['needle'])).toEqual([]);
  });
});

test('git of the system is found where PATH has folders of the project only', async () => {
  const root = createCommitted({ 'bin/git': 'no program' }, () => ({}));
  vi.stubEnv('PATH', join(root, 'bin'));
  await expect(withRevision(projectIn(root), 'HEAD', () => 'found')).resolves.toBe('found');
});

test('a temporary folder that cannot be made is named, with what to do', async () => {
  const root = createCommitted({ 'config/a.yaml': 'a' }, () => ({}));
  const folder = join(root, 'config/a.yaml');
  vi.stubEnv('TMPDIR', folder);
  await expect(withRevision(projectIn(root), 'HEAD', () => 'read')).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'unwritable-file',
        message: `A folder for git cannot be made in ${folder} (ENOTDIR).`,
        hint: 'Set TMPDIR, or TEMP on Windows, to a folder that you may write to.',
      },
    ],
  });
});

/** Whether a file came with the repository: then no run of this machine wrote it. */

const journal = '.tenantctl/fleets/a.jsonl';

function createRepository(files: Files): string {
  const root = realpathSync(project({ 'tenantctl.yaml': '', ...files }));
  commitAll(root);
  return root;
}

describe('a file of the project came with the repository', () => {
  it('where it was committed, or only added', async () => {
    const root = createRepository({ [journal]: '' });
    expect(await isInRepository(root, join(root, journal))).toBe(true);
    writeFileSync(join(root, '.tenantctl/fleets/b.jsonl'), '');
    expect(await isInRepository(root, join(root, '.tenantctl/fleets/b.jsonl'))).toBe(false);
    git(root, 'add', '.');
    expect(await isInRepository(root, join(root, '.tenantctl/fleets/b.jsonl'))).toBe(true);
  });

  it('where the project is in a folder of the repository', async () => {
    const root = createRepository({ [`sub/${journal}`]: '', 'other/a': '' });
    expect(await isInRepository(join(root, 'sub'), join(root, 'sub', journal))).toBe(true);
    expect(await isInRepository(join(root, 'other'), join(root, 'other/a'))).toBe(true);
  });

  it('where a link above it was committed', async () => {
    const root = realpathSync(project({ 'tenantctl.yaml': '', 'store/fleets/a.jsonl': '' }));
    symlinkSync('store', join(root, '.tenantctl'));
    git(root, 'init', '-q');
    git(root, 'add', '.tenantctl');
    expect(await isInRepository(root, join(root, journal))).toBe(true);
    symlinkSync(join(realpathSync(project({ 'store/fleets/a.jsonl': '' })), 'store'), join(root, 'new'));
    expect(await isInRepository(root, join(root, 'new/fleets/a.jsonl'))).toBe(false);
  });

  it('where what a link leads to was committed', async () => {
    const root = createRepository({ 'store/fleets/a.jsonl': '' });
    symlinkSync('store', join(root, '.tenantctl'));
    expect(await isInRepository(root, join(root, journal))).toBe(true);
  });

  it('where a submodule above it was added', async () => {
    const root = createRepository({});
    mkdirSync(join(root, '.tenantctl/fleets'), { recursive: true });
    const head = git(root, 'rev-parse', 'HEAD').trim();
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${head},.tenantctl`);
    writeFileSync(join(root, journal), '');
    expect(await isInRepository(root, join(root, journal))).toBe(true);
  });

  it('where only its case differs', async () => {
    const root = createRepository({ [journal]: '' });
    renameSync(join(root, '.tenantctl'), join(root, '.Tenantctl'));
    expect(await isInRepository(root, join(root, '.Tenantctl/fleets/a.jsonl'))).toBe(true);
  });

  it('but not where only the beginning or the end of its name is there', async () => {
    const root = createRepository({ '.tenantctl/fleets/a': '', 'fleets/b.jsonl': '', 'b.jsonl': '' });
    for (const name of ['a.jsonl', 'b.jsonl']) {
      writeFileSync(join(root, '.tenantctl/fleets', name), '');
      expect(await isInRepository(root, join(root, '.tenantctl/fleets', name))).toBe(false);
    }
  });

  it('but not in a project that is in no repository', async () => {
    const root = realpathSync(project({ [journal]: '' }));
    expect(await isInRepository(root, join(root, journal))).toBe(false);
  });

  it('or cannot be told, where the repository cannot be read', async () => {
    const root = createRepository({ [journal]: '' });
    const cannotTell = () => expect(isInRepository(root, join(root, journal))).rejects;
    if (process.geteuid?.() === 0) {
      chownSync(join(root, '.git'), 12345, 12345);
      await cannotTell().toThrow('belongs to another user');
    }
    renameSync(join(root, '.git'), join(root, 'elsewhere'));
    writeFileSync(join(root, '.git'), 'gitdir: ../none\n');
    await cannotTell().toThrow('is not a repository');
  });
});

test.runIf(process.platform === 'linux')(
  'a file is not taken for one whose name only has another case',
  async () => {
    const root = project({ 'A.yaml': 'upper', 'a.yaml': 'lower' });
    commitAll(root);
    const files = [join(root, 'A.yaml'), join(root, 'a.yaml')];
    expect(await findUncommitted(files)).toEqual([]);
    writeFileSync(join(root, 'A.yaml'), 'lower');
    expect(await findUncommitted(files)).toEqual([join(root, 'A.yaml')]);
  },
);
