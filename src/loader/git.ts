import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { failure, systemCode } from '../model/failure.ts';
import { isInside } from './paths.ts';
import { noRepository, type Repository } from './repository.ts';

/** The largest output of git that is accepted, in bytes. */
const maxOutput = 256 * 1024 * 1024;

/** What git printed, and its exit code. */
export interface GitOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Git over the commits of a repository, without its settings. */
export interface Git {
  /** A folder of its own, removed at the end. */
  readonly temporary: string;
  /** Whether the history or the files of the clone are incomplete. */
  readonly isShallow: boolean;
  readonly isPartial: boolean;
  /** Runs git. Throws a Failure `git-unavailable` where it cannot be started. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv): GitOutcome;
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
    const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
      runGit(args, temporary, { ...env, ...more });
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
    throw failure('unwritable-file', `No folder for git can be made in ${tmpdir()} (${why}).`, {
      hint: 'Set TMPDIR, or TEMP on Windows, to a folder that you may write to.',
    });
  }
}

/** What git reads: a folder with what belongs to one work tree, and one with what all of them share. */
interface GitFolders {
  readonly own: string;
  readonly common: string;
}

/**
 * Folders that git takes for the repository's own. They are two in any case, as in a work tree of `git worktree`: git then
 * knows itself which references and logs are of this work tree, such as the log of HEAD.
 */
function makeGitFolders({ gitFolder, commonFolder }: Repository, temporary: string): GitFolders {
  const own = join(temporary, 'git');
  const common = join(temporary, 'common');
  // HEAD and its like: FETCH_HEAD, ORIG_HEAD. An index that is split has parts of its own.
  takeOver(gitFolder, own, /^[A-Z_]*HEAD$|^(shared)?index/);
  takeOver(commonFolder, common, /^(packed-refs|shallow)$/);
  writeFileSync(join(own, 'commondir'), common);
  writeSettings(common, new Map());
  return { own, common };
}

/** Makes a folder with copies of those files of another, and links to its references. */
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
  return {
    PATH: searchPath(process.env.PATH ?? '', top),
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

/** PATH without folders of the repository, such as the `node_modules/.bin` of a project, and without relative ones. */
function searchPath(path: string, top: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => {
    return isAbsolute(folder) && existsSync(folder) && !isInside(top, realpathSync.native(folder));
  });
  // An empty PATH would mean the working directory; without one, the system's own folders are searched.
  return folders.length === 0 ? undefined : folders.join(delimiter);
}

/** Settings that count more than those of any file. */
const overrides = [
  ['safe.bareRepository', 'explicit'],
  ['protocol.allow', 'never'],
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const whyGit =
  'Install git: --since needs it, and so does finishing an apply in a repository, whose journal must not have come with it.';

function runGit(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): GitOutcome {
  const { status, stdout, stderr, error } = spawnSync('git', ['--no-pager', ...overrides, ...args], {
    cwd,
    maxBuffer: maxOutput,
    encoding: 'utf8',
    env,
  });
  if (error) throw failure('git-unavailable', `git cannot be run (${error.message}).`, { hint: whyGit });
  return { status: status ?? 128, stdout, stderr };
}

/** The first line of a message of git, as part of a sentence. */
export function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error|warning): |\.$/g, '');
}
