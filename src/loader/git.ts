import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { groupBy } from '../model/basics.ts';
import { Failure, fail } from '../model/failure.ts';
import {
  findRepository,
  firstLine,
  type Git,
  noRepository,
  type Repository,
  repositoryOf,
  withGit,
} from './repository.ts';

export interface FileCommit {
  /** The first digits of its id: as many for everybody, whatever else a clone contains. */
  readonly id: string;
  readonly author: string;
  readonly at: string;
}

export interface Checkout {
  /** A temporary folder with the files below the project's root as they were. Those in `same` and submodules are left out. */
  readonly folder: string;
  /** The texts of today that files had at the revision too. None where the revision has links, which may lead to any file. */
  readonly same: ReadonlyMap<string, string>;
  /**
   * Paths from the root of files in the index that git does not compare with the disk: of a sparse checkout, or marked
   * with skip-worktree or assume-unchanged. Where they are missing on the disk, nobody removed them. Submodules that were
   * not checked out are among them, with `/` at the end.
   */
  readonly hidden: readonly string[];
  /** The end of the second in which the revision was committed, in UTC: git keeps no shorter time. */
  readonly committedAt: string;
  /** The last commits after the revision, by the paths of files from the root. */
  readonly commits: ReadonlyMap<string, FileCommit>;
}

/**
 * Checks out the project in `root` as it was at `revision`, calls `use` with it, and removes it. Throws a Failure:
 * `git-unavailable`, `no-repository`, `unknown-revision`, `not-an-ancestor` where HEAD was not made from the revision, or
 * `incomplete-clone` where the clone lacks history or files.
 *
 * @param configFile in `root`, which shows that the repository is the project's own
 * @param today texts of files, by their paths from the root, that need not be checked out where they are the same
 */
export async function withRevision<T>(
  { root, configFile }: { readonly root: string; readonly configFile: string },
  revision: string,
  use: (checkout: Checkout) => T | Promise<T>,
  today: ReadonlyMap<string, string> = new Map(),
): Promise<T> {
  const repository = findRepository(root);
  const { top, prefix } = repository;
  return withGit(repository, (git) => {
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
      hidden: listHidden(git, repository),
      committedAt: utc(git.run(['log', '-1', '--format=%cI', commit]).stdout).replace('.000Z', '.999Z'),
      commits: commitsAfter(git, commit, prefix),
    });
  });
}

/** Where the clone does not tell, nobody is named. */
function commitsAfter(git: Git, commit: string, prefix: string): Checkout['commits'] {
  const show = ['log', '--no-ext-diff', '--no-renames', '--name-only', '--format=%x00%H%x00%an%x00%cI'];
  const { stdout } = git.run(['-c', 'core.quotePath=false', ...show, `${commit}..HEAD`, '--', prefix || '.']);
  const found = new Map<string, FileCommit>();
  let latest: FileCommit | null = null;
  for (const line of stdout.split('\n')) {
    const [, id, author = '', at = ''] = line.split('\0');
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
  const repository = findRepository(root);
  return withGit(repository, (git) => {
    const commits = texts.flatMap((text) => {
      const show = ['log', '--no-ext-diff', '--no-textconv', '--format=%H %P', `-S${text}`, 'HEAD'];
      const { status, stdout } = git.run([...show, '--', repository.prefix || '.']);
      return status === 0 ? stdout.split(/\s+/).filter((id) => /^[0-9a-f]{40,64}$/.test(id)) : [];
    });
    return [...new Set(commits)];
  });
}

/**
 * True when git has a file of the project in its index, or a link or submodule above it: then it came with the repository,
 * and no run wrote it. Not where the project is in no repository.
 */
export async function isInRepository(root: string, file: string): Promise<boolean> {
  const repository = repositoryOf(root);
  if (!repository) return false;
  const { top } = repository;
  return withGit(repository, (git) => {
    const paths = [relative(top, file), relative(realpathSync.native(top), realpathSync.native(file))];
    const wanted = paths.map((path) => comparable(path.split(sep).join('/')));
    return listIndex(git).some(({ path }) => {
      const entry = comparable(path.replace(/\/$/, ''));
      return wanted.some((name) => name === entry || name.startsWith(`${entry}/`));
    });
  });
}

/** A commit as readers name it. `branch` is empty where the checkout is on none. */
interface Head {
  readonly id: string;
  readonly author: string;
  readonly branch: string;
}

/** The last commit of the project's checkout; `null` where it is in no repository, or git cannot tell. */
export async function headCommit(root: string): Promise<Head | null> {
  try {
    const repository = repositoryOf(root);
    if (!repository) return null;
    return await withGit(repository, (git) => {
      const { status, stdout } = git.run(['log', '-1', '--no-show-signature', '--format=%H%n%an', 'HEAD']);
      if (status !== 0) return null;
      const [id = '', author = ''] = stdout.split('\n');
      const named = git.run(['symbolic-ref', '--quiet', '--short', 'HEAD']);
      return { id, author, branch: named.stdout.trim() };
    });
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/**
 * Those of the files whose content the last commit of their repository does not have, staged or not; files in no repository
 * are none of them. Line endings do not count: a checkout may change them.
 */
export async function findUncommitted(files: readonly string[]): Promise<readonly string[]> {
  const found = files.flatMap((file) => {
    const real = realpathSync.native(file);
    const repository = repositoryOf(dirname(real));
    return repository ? [{ file, real, repository }] : [];
  });
  const byFolder = groupBy(found, ({ repository }) => repository.gitFolder);
  const uncommitted = byFolder.map(([, group]) =>
    withGit(group[0].repository, (git) => {
      const blobs = blobsOf(git, group[0].repository.top);
      return group.filter(({ real }) => {
        const content = readFileSync(real);
        const unix = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
        const id = blobs.get(comparable(real));
        return !isContent(content, id) && !isContent(unix, id);
      });
    }),
  );
  return (await Promise.all(uncommitted)).flat().map(({ file }) => file);
}

function blobsOf(git: Git, top: string): ReadonlyMap<string, string> {
  const { stdout } = git.run(['ls-tree', '-r', '-z', '--full-tree', 'HEAD']);
  const entries = stdout.split('\0').map((line) => /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line));
  const folder = realpathSync.native(top);
  return new Map(
    entries.flatMap((entry) => {
      const [, id, path] = entry ?? [];
      return id && path ? [[comparable(join(folder, path)), id]] : [];
    }),
  );
}

function isContent(content: Buffer | string, id: string | undefined): boolean {
  const hash = createHash(id?.length === 64 ? 'sha256' : 'sha1');
  return (
    hash
      .update(`blob ${Buffer.byteLength(content)}\0`)
      .update(content)
      .digest('hex') === id
  );
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
  // With a revision that has gone on since, what others added to it would count as removed here.
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

/**
 * Writes the files with git itself, which refuses names such as `..` and `.git` and writes through no link. Those that have
 * a text of today are left out and returned.
 */
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
  const hasLinks = entries.some(({ mode }) => mode === link);
  const isSame = ({ id, path }: IndexEntry) => {
    const text = today.get(path);
    return text !== undefined && isContent(text, id);
  };
  const same = new Set(hasLinks ? [] : entries.filter(isSame).map(({ path }) => path));
  const others = entries.filter(({ path }) => !same.has(path));
  run(['checkout-index', '-z', '--stdin'], others.map(({ path }) => `${path}\0`).join(''));
  return new Map([...today].filter(([path]) => same.has(path)));
}

/** True when a commit has a file or folder. Where git cannot say, it has: reading it fails with the reason. */
function hasEntry(git: Git, commit: string, path: string): boolean {
  const { status, stdout } = git.run(['ls-tree', '-z', '--full-tree', commit, '--', path]);
  return status !== 0 || stdout !== '';
}

/** The project's files in the index that carry a mark (`S` and small letters), and submodules that are not there. */
function listHidden(git: Git, { top, prefix }: Repository): string[] {
  return listIndex(git).flatMap(({ mark, mode, path }) => {
    if (!path.startsWith(prefix)) return [];
    const inProject = path.slice(prefix.length);
    if (mode === submodule && !existsSync(join(top, path, '.git'))) return [`${inProject}/`];
    return /^[Sa-z]$/.test(mark) ? [inProject] : [];
  });
}

interface IndexEntry {
  readonly mark: string;
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

function listIndex(git: Git, env: NodeJS.ProcessEnv = {}): IndexEntry[] {
  const { status, stdout, stderr } = git.run(['ls-files', '-v', '--stage', '-z'], { env });
  if (status !== 0) throw noRepository(`git cannot read its index: ${firstLine(stderr)}.`);
  return stdout.split('\0').flatMap((line) => {
    const [, mark, mode, id, path] = /^(.) (\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
    return mark && mode && id && path ? [{ mark, mode, id, path }] : [];
  });
}

const submodule = '160000';
const link = '120000';
