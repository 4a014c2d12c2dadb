import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { groupBy } from '../model/basics.ts';
import { attemptOrNull, type Failure, fail, onFailure, systemCode } from '../model/failure.ts';
import { isForeign, isInside, statOf } from './paths.ts';

/** The git repository of a project, found without git and without reading its settings. */
interface Repository {
  readonly top: string;
  /** The project's folder from there, with `/` at its end; `''` if it is the same. */
  readonly prefix: string;
  readonly gitFolder: string;
  /** The folder with objects, references and settings: the same, except in a work tree of `git worktree`. */
  readonly commonFolder: string;
}

function findRepository(root: string): Repository {
  const repository = repositoryOf(root);
  if (repository === null) throw noRepository(`${root} is not in a git repository, and --since needs one.`);
  return repository;
}

/**
 * Finds the repository of the project in `root`: the nearest folder with `.git`, from `root` upwards; `null` without one. Git
 * cannot commit a file with that name, so no commit can put another repository in its place. Throws a Failure `no-repository` if
 * `.git` names a missing folder, or belongs to another user than the project.
 */
export function repositoryOf(root: string): Repository | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const gitFolder = gitFolderOf(entry);
    if (gitFolder !== null) {
      // Replaces git's `safe.directory`, which containers would have to configure: a checkout belongs to the user
      // who made it, and the program often runs as another. Nobody else may have put a repository above the project.
      const foreign = [entry, gitFolder].find((path) => isForeign(path, root));
      if (foreign !== undefined)
        throw noRepository(`${foreign} belongs to another user, not to the owner of the project in ${root}.`);
      const prefix = relative(folder, root).split(sep).join('/');
      const commonFolder = resolve(gitFolder, readLine(join(gitFolder, 'commondir')) ?? '.');
      return { top: folder, prefix: prefix && `${prefix}/`, gitFolder, commonFolder };
    }
    if (folder === dirname(folder)) return null;
  }
}

function noRepository(message: string): Failure {
  return fail('no-repository', message, {
    hint: 'Run the command in a clone of the repository that holds the project. GIT_DIR and GIT_WORK_TREE are ignored.',
  });
}

/**
 * The folder that `.git` is, or that it names as a file, or `null`. A file that names no repository is
 * not passed over, since a repository further above is another one.
 */
function gitFolderOf(entry: string): string | null {
  const stats = statOf(entry);
  if (!stats) return null;
  const named = stats.isFile() ? /^gitdir: (.+)$/.exec(readLine(entry) ?? '')?.[1] : '.git';
  const folder = named === undefined ? null : resolve(dirname(entry), named);
  if (folder !== null && statOf(join(folder, 'HEAD'))?.isFile()) return realpathSync.native(folder);
  if (stats.isFile()) throw noRepository(`${entry} names ${folder ?? 'nothing'}, which is not a repository.`);
  return null;
}

function readLine(file: string): string | null {
  return statOf(file)?.isFile() ? (readFileSync(file, 'utf8').split('\n')[0]?.trim() ?? null) : null;
}

interface Git extends Pick<Repository, 'top' | 'prefix'> {
  readonly temporary: string;
  /** True when the history or the files of the clone are incomplete. */
  readonly isShallow: boolean;
  readonly isPartial: boolean;
  readonly run: ReturnType<typeof gitRunner>;
}

/**
 * Calls `use` with git over a repository. Nothing that the repository names is run: no filter, hook, file system monitor,
 * helper or transport. All of those are settings, so git gets a folder with settings of its own in place of `.git`; its
 * references are linked or copied, and objects are read where they are. Objects that are missing are not fetched.
 *
 * Of the environment, git gets PATH only, without the folders below the work tree: no credential and no `GIT_*`.
 */
async function withGit<T>(repository: Repository, use: (git: Git) => T | Promise<T>): Promise<T> {
  const temporary = makeTemporaryFolder();
  // Two folders in any case, as in a work tree of `git worktree`: git then knows itself which references and logs are of
  // this work tree, such as the log of HEAD.
  const [own, common] = [join(temporary, 'git'), join(temporary, 'common')];
  try {
    // HEAD and its like: FETCH_HEAD, ORIG_HEAD. An index that is split has parts of its own.
    takeOver(repository.gitFolder, own, /^[A-Z_]*HEAD$|^(shared)?index/);
    takeOver(repository.commonFolder, common, /^(packed-refs|shallow)$/);
    writeFileSync(join(own, 'commondir'), common);
    const run = gitRunner(temporary, environmentFor(repository, temporary, own));
    const isPartial = takeOverSettings(repository, common, run);
    return await use({
      ...repository,
      temporary,
      isShallow: existsSync(join(common, 'shallow')),
      isPartial,
      run,
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function makeTemporaryFolder(): string {
  try {
    return realpathSync.native(mkdtempSync(join(tmpdir(), 'tenantctl-revision-')));
  } catch (error) {
    const why = systemCode(error) ?? String(error);
    throw fail('unwritable-file', `A folder for git cannot be made in ${tmpdir()} (${why}).`, {
      hint: 'Set TMPDIR, or TEMP on Windows, to a folder that you may write to.',
    });
  }
}

function takeOver(from: string, folder: string, files: RegExp): void {
  mkdirSync(folder);
  for (const name of readdirSync(from).filter((name) => files.test(name))) {
    const file = join(from, name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) copyFileSync(file, join(folder, name));
  }
  for (const name of ['refs', 'reftable', 'logs']) {
    const target = join(from, name);
    if (existsSync(target)) symlinkSync(target, join(folder, name), 'junction');
  }
}

/** Takes over the formats of a repository, which git has to know to read it. Returns whether it is a partial clone. */
function takeOverSettings({ commonFolder }: Repository, folder: string, run: Git['run']): boolean {
  const file = join(commonFolder, 'config');
  const wanted = '^extensions\\.|^remote\\..*\\.promisor$';
  // They are only listed: none has an effect.
  const args = ['config', '--file', file, '--no-includes', '--null', '--get-regexp', wanted];
  const { status, stdout, stderr } = existsSync(file) ? run(args) : { status: 0, stdout: '', stderr: '' };
  // With 1, there are none.
  if (status > 1) throw noRepository(`git cannot read ${file}: ${firstLine(stderr)}.`);
  const entries = stdout.split('\0').map((entry) => entry.split('\n'));
  const settings = new Map(entries.map(([name = '', value = '']) => [name, value]));
  const formats = { objectformat: /^sha(1|256)$/, refstorage: /^(files|reftable)$/ };
  const extensions = Object.entries(formats).flatMap(([name, allowed]) => {
    const value = settings.get(`extensions.${name}`) ?? '';
    return allowed.test(value) ? [`\t${name} = ${value}`] : [];
  });
  const core = ['[core]', '\trepositoryformatversion = 1', '\tbare = false'];
  writeFileSync(join(folder, 'config'), [...core, '[extensions]', ...extensions, ''].join('\n'));
  return [...settings.keys()].some((name) => /^extensions\.partialclone$|\.promisor$/.test(name));
}

function environmentFor({ top, commonFolder }: Repository, home: string, gitFolder: string) {
  // Without folders of the repository, such as the `node_modules/.bin` of a project, and without relative ones.
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => {
    return isAbsolute(folder) && existsSync(folder) && !isInside(top, realpathSync.native(folder));
  });
  return {
    // An empty PATH would mean the working directory; without one, the system's own folders are searched.
    PATH: folders.length === 0 ? undefined : folders.join(delimiter),
    HOME: home,
    LC_ALL: 'C',
    GIT_DIR: gitFolder,
    GIT_OBJECT_DIRECTORY: join(commonFolder, 'objects'),
    // The rest is redundant: the settings above name nothing that could run or be fetched.
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

const overrides = [
  ['safe.bareRepository', 'explicit'],
  ['protocol.allow', 'never'],
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const whyGit =
  'Install git. It is needed for --since, for `export --merge` without --allow-dirty, and to finish an apply in a repository, whose journal must not have come with the repository.';

/** Runs git. Throws a Failure `git-unavailable` if it cannot be started. */
function gitRunner(cwd: string, environment: NodeJS.ProcessEnv) {
  // Loaded only if git is needed.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  return (
    args: readonly string[],
    { env = {}, input }: { env?: NodeJS.ProcessEnv; input?: string | undefined } = {},
  ) => {
    const { status, stdout, stderr, error } = spawnSync('git', ['--no-pager', ...overrides, ...args], {
      cwd,
      input,
      env: { ...environment, ...env },
      maxBuffer: 256 * 1024 * 1024,
      encoding: 'utf8',
    });
    if (error) throw fail('git-unavailable', `git cannot be run (${error.message}).`, { hint: whyGit });
    return { status: status ?? 128, stdout, stderr };
  };
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error|warning): |\.$/g, '');
}

export interface Checkout {
  /** A temporary folder with the files below the project's root as they were. Those in `same` and submodules are left out. */
  readonly folder: string;
  /** The current texts of files that had them at the revision too. None if the revision has links, which may lead to any file. */
  readonly same: ReadonlyMap<string, string>;
  /**
   * Paths from the root of files in the index that git does not compare with the disk: of a sparse checkout, or marked
   * with skip-worktree or assume-unchanged. Where they are missing on the disk, nobody removed them. Submodules that were
   * not checked out are among them, with `/` at the end.
   */
  readonly hidden: readonly string[];
  /** The end of the second in which the revision was committed, in UTC: git keeps no shorter time. */
  readonly committedAt: string;
  readonly commits: ReadonlyMap<string, Commit>;
}

type Commit = Readonly<Record<'id' | 'author' | 'at', string>>;

/**
 * Checks out the project in `root` as it was at `revision`, calls `use` with it, and removes it. Throws a Failure:
 * `git-unavailable`, `no-repository`, `unknown-revision`, `not-an-ancestor` if HEAD does not contain the revision, or
 * `incomplete-clone` if the clone lacks history or files.
 *
 * @param configFile in `root`, which shows that the repository is the project's own
 * @param today texts of files, by their paths from the root, that need not be checked out if they are the same
 */
export async function withRevision<T>(
  { root, configFile }: { readonly root: string; readonly configFile: string },
  revision: string,
  use: (checkout: Checkout) => T | Promise<T>,
  today: ReadonlyMap<string, string> = new Map(),
): Promise<T> {
  return withGit(findRepository(root), (git) => {
    const { top, prefix } = git;
    const commit = findAncestor(git, revision);
    const path = prefix + basename(configFile);
    if (!hasEntry(git, 'HEAD', path)) {
      throw noRepository(
        `The repository in ${top} does not hold this project: its last commit has no ${path}.`,
      );
    }
    const folder = join(git.temporary, 'files');
    mkdirSync(folder);
    // Before there was a folder of the project, it had no files.
    const isThere = prefix === '' || hasEntry(git, commit, prefix.slice(0, -1));
    const same = isThere ? checkOut(git, revision, `${commit}:${prefix}`, { folder, today }) : new Map();
    return use({
      folder,
      same,
      hidden: listHidden(git),
      committedAt: utc(git.run(['log', '-1', '--format=%cI', commit]).stdout).replace('.000Z', '.999Z'),
      commits: commitsAfter(git, commit),
    });
  });
}

/** If the clone does not say, nobody is named. */
function commitsAfter(git: Git, commit: string): Checkout['commits'] {
  const { prefix } = git;
  const show = ['log', '--no-ext-diff', '--no-renames', '--name-only', '--format=%x00%H%x00%an%x00%cI'];
  const { stdout } = git.run(['-c', 'core.quotePath=false', ...show, `${commit}..HEAD`, '--', prefix || '.']);
  const found = new Map<string, Commit>();
  let latest: Commit | null = null;
  for (const line of stdout.split('\n')) {
    const [, id, author = '', at = ''] = line.split('\0');
    // The same number of digits in every clone.
    if (id !== undefined) latest = { id: id.slice(0, 8), author, at: utc(at) };
    const path = line.slice(prefix.length);
    if (id === undefined && latest && !found.has(path)) found.set(path, latest);
  }
  return found;
}

const utc = (text: string): string => new Date(text.trim()).toISOString();

/**
 * The commits that HEAD contains and that added one of these texts to a file of the project, and those before them, the
 * newest first. Throws the Failures of {@link withRevision} for a repository that cannot be read.
 */
export async function commitsWith(
  { root }: { readonly root: string },
  texts: readonly string[],
): Promise<readonly string[]> {
  return withGit(findRepository(root), (git) => {
    const commits = texts.flatMap((text) => {
      const show = ['log', '--no-ext-diff', '--no-textconv', '--format=%H %P', `-S${text}`, 'HEAD'];
      const { status, stdout } = git.run([...show, '--', git.prefix || '.']);
      return status === 0 ? stdout.split(/\s+/).filter((id) => /^[0-9a-f]{40,64}$/.test(id)) : [];
    });
    return [...new Set(commits)];
  });
}

/**
 * True when git has a file of the project in its index, or a link or submodule above it: then it came with the repository, and no
 * run wrote it. False outside of a repository.
 */
export async function isInRepository(root: string, file: string): Promise<boolean> {
  const repository = repositoryOf(root);
  if (!repository) return false;
  return withGit(repository, (git) => {
    const { top } = git;
    const paths = [relative(top, file), relative(realpathSync.native(top), realpathSync.native(file))];
    const wanted = paths.map((path) => comparable(path.split(sep).join('/')));
    return listIndex(git).some(({ path }) => {
      const entry = comparable(path.replace(/\/$/, ''));
      return wanted.some((name) => name === entry || name.startsWith(`${entry}/`));
    });
  });
}

/**
 * The last commit of the project's checkout, whose branch is empty if it is on none; `null` if the project is in no
 * repository, or git cannot tell. If the project's files differ from that commit, its id ends with `-dirty`.
 *
 * @param used files by their paths from the root: other files that git does not have do not count
 */
export async function headCommit(root: string, used: readonly string[] = []) {
  const repository = attemptOrNull(() => repositoryOf(root));
  if (!repository) return null;
  const read = withGit(repository, ({ run, top, prefix }) => {
    const { status, stdout } = run(['log', '-1', '--no-show-signature', '--format=%H%n%an', 'HEAD']);
    if (status !== 0) return null;
    const [id = '', author = ''] = stdout.split('\n');
    const named = run(['symbolic-ref', '--quiet', '--short', 'HEAD']);
    // Submodules are not looked into: git would follow their settings.
    const show = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'];
    const changed = run([...show, '--ignore-submodules=all', '--', prefix || '.'], {
      env: { GIT_WORK_TREE: top },
    });
    const untracked = new Set(used.map((path) => `?? ${prefix}${path}`));
    const isDirty = changed.stdout
      .split('\0')
      .some((line) => (line.startsWith('?? ') ? untracked.has(line) : line !== ''));
    return { id: id + (isDirty ? '-dirty' : ''), author, branch: named.stdout.trim() };
  });
  return read.catch(onFailure(() => null));
}

/** The files whose content differs from the last commit of their repository, staged or not, other than in line endings. */
export async function findUncommitted(files: readonly string[]): Promise<readonly string[]> {
  const found = files.flatMap((file) => {
    const real = realpathSync.native(file);
    const repository = repositoryOf(dirname(real));
    return repository ? [{ file, real, repository }] : [];
  });
  const byFolder = groupBy(found, ({ repository }) => repository.gitFolder);
  const uncommitted = byFolder.map(([, group]) =>
    withGit(group[0].repository, (git) => {
      const { stdout } = git.run(['ls-tree', '-r', '-z', '--full-tree', 'HEAD']);
      const folder = realpathSync.native(git.top);
      const entries = stdout.split('\0').flatMap((line) => {
        const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
        return id && path ? [[join(folder, path), id] as const] : [];
      });
      // A name itself comes before one that is only spelled alike.
      const alike = entries.map(([path, id]) => [comparable(path), id] as const);
      const blobs = new Map([...alike, ...entries]);
      return group.filter(({ real }) => {
        const content = readFileSync(real);
        const unix = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
        const id = blobs.get(real) ?? blobs.get(comparable(real));
        return !isContent(content, id) && !isContent(unix, id);
      });
    }),
  );
  return (await Promise.all(uncommitted)).flat().map(({ file }) => file);
}

function isContent(content: Buffer | string | undefined, id: string | undefined): boolean {
  if (content === undefined) return false;
  const hash = createHash(id?.length === 64 ? 'sha256' : 'sha1').update(
    `blob ${Buffer.byteLength(content)}\0`,
  );
  return hash.update(content).digest('hex') === id;
}

/** Some file systems ignore case, and spell letters with accents in their own way. */
const comparable = (path: string): string => path.normalize('NFC').toLowerCase();

function findAncestor(git: Git, revision: string): string {
  // A time before the first entry of a log gives that entry, with a warning: in a new clone that is HEAD.
  const quiet = revision.includes('@{') ? [] : ['--quiet'];
  const named = git.run(['rev-parse', '--verify', ...quiet, '--end-of-options', revision]);
  if (/^warning: log for /m.test(named.stderr)) throw unknownRevision(revision, named.stderr);
  const id = named.stdout.trim();
  const { status, stderr } =
    named.status === 0 ? git.run(['merge-base', '--is-ancestor', id, 'HEAD']) : named;
  if (status === 0) return id;
  if (git.isShallow) {
    const message = `This clone is shallow, so git cannot tell whether HEAD contains the revision "${revision}".`;
    const hint =
      'Fetch the whole history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` in GitLab, or `git fetch --unshallow`.';
    throw fail('incomplete-clone', message, { hint });
  }
  if (named.status !== 0 || status !== 1) throw unknownRevision(revision, stderr);
  // With a revision that HEAD does not contain, objects that others added there would count as removed here.
  const message = `HEAD does not contain the revision "${revision}": what was added there since would look as if it had been removed here.`;
  const hint = `Compare with the commit that both have: --since "$(git merge-base HEAD ${revision})".`;
  throw fail('not-an-ancestor', message, { hint });
}

function unknownRevision(revision: string, stderr: string) {
  const why = firstLine(stderr);
  const message = `git does not know the revision "${revision}" here${why ? `: ${why}` : ''}.`;
  const hint =
    'Name a commit, tag or branch of the repository that holds the project. In CI, fetch it first: `git fetch origin BRANCH:refs/remotes/origin/BRANCH`.';
  return fail('unknown-revision', message, { hint });
}

/** Writes files with git, which refuses `..` and `.git` and writes through no link. Those with a current text are returned. */
function checkOut(
  git: Git,
  revision: string,
  tree: string,
  { folder, today }: { readonly folder: string; readonly today: ReadonlyMap<string, string> },
): ReadonlyMap<string, string> {
  const env = { GIT_INDEX_FILE: join(git.temporary, 'index'), GIT_WORK_TREE: folder };
  const run = (args: readonly string[], input?: string) => {
    const { status, stderr } = git.run(args, { env, input });
    if (status === 0) return;
    const message = `The files at the revision "${revision}" cannot be read from this clone: ${firstLine(stderr)}.`;
    const hint = git.isPartial
      ? 'The clone is partial, and tenantctl does not let git fetch anything. Clone without `--filter`.'
      : 'Check the clone with `git fsck`, or make a new one.';
    throw fail('incomplete-clone', message, { hint });
  };
  run(['read-tree', tree]);
  const entries = listIndex(git, env);
  const hasLinks = entries.some(({ mode }) => mode === '120000');
  const known = entries.filter(({ id, path }) => !hasLinks && isContent(today.get(path), id));
  const same = new Set(known.map(({ path }) => path));
  // It lists what it writes itself, since names that are not UTF-8 cannot be passed back to it.
  run(['update-index', '--force-remove', '-z', '--stdin'], [...same].join('\0'));
  run(['checkout-index', '--all']);
  return new Map([...today].filter(([path]) => same.has(path)));
}

/** True when a commit has a file or folder. If git cannot say, it does: reading it fails with the reason. */
function hasEntry(git: Git, commit: string, path: string): boolean {
  const { status, stdout } = git.run(['ls-tree', '-z', '--full-tree', commit, '--', path]);
  return status !== 0 || stdout !== '';
}

/** The project's files in the index that carry a mark (`S` and small letters), and submodules (160000) that are not there. */
function listHidden(git: Git): string[] {
  const { top, prefix } = git;
  return listIndex(git).flatMap(({ mark, mode, path }) => {
    if (!path.startsWith(prefix)) return [];
    const inProject = path.slice(prefix.length);
    if (mode === '160000' && !existsSync(join(top, path, '.git'))) return [`${inProject}/`];
    return /^[Sa-z]$/.test(mark) ? [inProject] : [];
  });
}

function listIndex(git: Git, env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = git.run(['ls-files', '-v', '--stage', '-z'], { env });
  if (status !== 0) throw noRepository(`git cannot read its index: ${firstLine(stderr)}.`);
  return stdout.split('\0').flatMap((line) => {
    const [, mark, mode, id, path] = /^(.) (\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
    return mark && mode && id && path ? [{ mark, mode, id, path }] : [];
  });
}
