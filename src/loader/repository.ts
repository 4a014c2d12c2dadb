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
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Failure, fail, systemCode } from '../model/failure.ts';
import { isForeign, isInside, statOf } from './paths.ts';

/** The git repository of a project, found without git and without reading its settings. */
export interface Repository {
  readonly top: string;
  /** The project's folder from there, with `/` at its end; `''` where it is the same. */
  readonly prefix: string;
  readonly gitFolder: string;
  /** The folder with objects, references and settings: the same, except in a work tree of `git worktree`. */
  readonly commonFolder: string;
}

/** As {@link repositoryOf}, but a project outside a repository is a Failure `no-repository` too. */
export function findRepository(root: string): Repository {
  const repository = repositoryOf(root);
  if (repository === null) throw noRepository(`${root} is not in a git repository, and --since needs one.`);
  return repository;
}

/**
 * Finds the repository of the project in `root`: the nearest folder with `.git`, from `root` upwards; `null` without one. Git cannot commit a file with that name, so no commit can put another repository in its place. Throws a
 * Failure `no-repository` where `.git` names a folder that is not here, or belongs to somebody else than the project.
 */
export function repositoryOf(root: string): Repository | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const gitFolder = gitFolderOf(entry);
    if (gitFolder !== null) {
      // Takes the place of git's `safe.directory`, which a container would have to be told: a checkout belongs to the user
      // who made it, and the program often runs as another. Nobody else may have put a repository above the project.
      const foreign = [entry, gitFolder].find((path) => isForeign(path, root));
      if (foreign !== undefined) {
        throw noRepository(`${foreign} belongs to another user, not to the owner of the project in ${root}.`);
      }
      const prefix = relative(folder, root).split(sep).join('/');
      const commonFolder = resolve(gitFolder, readLine(join(gitFolder, 'commondir')) ?? '.');
      return { top: folder, prefix: prefix && `${prefix}/`, gitFolder, commonFolder };
    }
    if (folder === dirname(folder)) return null;
  }
}

export function noRepository(message: string): Failure {
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

const maxOutput = 256 * 1024 * 1024;

interface GitOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface GitOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
}

/** Git over the commits of a repository, without its settings. */
export interface Git {
  readonly temporary: string;
  /** True when the history or the files of the clone are incomplete. */
  readonly isShallow: boolean;
  readonly isPartial: boolean;
  /** Runs git. Throws a Failure `git-unavailable` where it cannot be started. */
  run(args: readonly string[], more?: GitOptions): GitOutcome;
}

/**
 * Calls `use` with git over a repository. Nothing that the repository names is run: no filter, hook, file system monitor,
 * helper or transport. All of those are settings, so git gets a folder with settings of its own in place of `.git`; its
 * references are linked or copied, and objects are read where they are. Objects that are missing are not fetched.
 *
 * Of the environment, git gets PATH only, without the folders below the work tree: no credential and no `GIT_*`.
 */
export async function withGit<T>(repository: Repository, use: (git: Git) => T | Promise<T>): Promise<T> {
  const temporary = makeTemporaryFolder();
  try {
    const { own, common } = makeGitFolders(repository, temporary);
    const env = environmentFor(repository, temporary, own);
    const run: Git['run'] = (args, { input, env: more } = {}) =>
      runGit(args, { cwd: temporary, input, env: { ...env, ...more } });
    const settings = readSettings(repository, run);
    writeSettings(common, settings);
    return await use({
      temporary,
      isShallow: existsSync(join(common, 'shallow')),
      isPartial: [...settings.keys()].some((name) => /^extensions\.partialclone$|\.promisor$/.test(name)),
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

/**
 * Folders that git takes for the repository's own. They are two in any case, as in a work tree of `git worktree`: git then
 * knows itself which references and logs are of this work tree, such as the log of HEAD.
 */
function makeGitFolders({ gitFolder, commonFolder }: Repository, temporary: string) {
  const own = join(temporary, 'git');
  const common = join(temporary, 'common');
  // HEAD and its like: FETCH_HEAD, ORIG_HEAD. An index that is split has parts of its own.
  takeOver(gitFolder, own, /^[A-Z_]*HEAD$|^(shared)?index/);
  takeOver(commonFolder, common, /^(packed-refs|shallow)$/);
  writeFileSync(join(own, 'commondir'), common);
  writeSettings(common, new Map());
  return { own, common };
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

/** Formats of the repository, which git has to know to read it. */
const formats: Readonly<Record<string, RegExp>> = {
  objectformat: /^sha(1|256)$/,
  refstorage: /^(files|reftable)$/,
};

/** @param settings those of the repository, of which only its formats are taken over */
function writeSettings(folder: string, settings: ReadonlyMap<string, string>): void {
  const lines = Object.entries(formats).flatMap(([name, allowed]) => {
    const value = settings.get(`extensions.${name}`) ?? '';
    return allowed.test(value) ? [`\t${name} = ${value}\n`] : [];
  });
  const version = lines.length === 0 ? 0 : 1;
  const extra = lines.length === 0 ? '' : `[extensions]\n${lines.join('')}`;
  writeFileSync(
    join(folder, 'config'),
    `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n${extra}`,
  );
}

/** The repository's settings that say how it is stored. They are only listed: none has an effect. */
function readSettings({ commonFolder }: Repository, run: Git['run']): ReadonlyMap<string, string> {
  const file = join(commonFolder, 'config');
  if (!existsSync(file)) return new Map();
  const wanted = '^extensions\\.|^remote\\..*\\.promisor$';
  const args = ['config', '--file', file, '--no-includes', '--null', '--get-regexp', wanted];
  const { status, stdout, stderr } = run(args);
  // With 1, there are none.
  if (status > 1) throw noRepository(`git cannot read ${file}: ${firstLine(stderr)}.`);
  const entries = stdout.split('\0').filter((entry) => entry !== '');
  return new Map(entries.map((entry) => entry.split('\n')).map(([name = '', value = '']) => [name, value]));
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
    // The rest is said twice: the settings above name nothing that could run or be fetched.
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

function runGit(args: readonly string[], options: GitOptions & { readonly cwd: string }): GitOutcome {
  // Loaded only where git is asked.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, stdout, stderr, error } = spawnSync('git', ['--no-pager', ...overrides, ...args], {
    ...options,
    maxBuffer: maxOutput,
    encoding: 'utf8',
  });
  if (error) throw fail('git-unavailable', `git cannot be run (${error.message}).`, { hint: whyGit });
  return { status: status ?? 128, stdout, stderr };
}

export function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error|warning): |\.$/g, '');
}
