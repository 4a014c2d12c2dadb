import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { groupBy } from '../model/basics.ts';
import { failure } from '../model/failure.ts';
import { firstLine, type Git, withGit } from './git.ts';
import { findRepository, noRepository, type Repository, repositoryOf } from './repository.ts';

/** The files of a project at a revision. */
export interface Checkout {
  /** A temporary folder with the files below the project's root as they were. Submodules are left out. */
  readonly folder: string;
  /**
   * Paths from the root of files in the index that git does not compare with the disk: of a sparse checkout, or marked
   * with skip-worktree or assume-unchanged. Where they are missing on the disk, nobody removed them. Submodules that were
   * not checked out are among them, with `/` at the end.
   */
  readonly hidden: readonly string[];
}

/**
 * Checks out the project in `root` as it was at `revision`, calls `use` with it, and removes it. The repository is only
 * read, and runs nothing: see {@link withGit}.
 *
 * Throws a Failure: `git-unavailable`, `no-repository`, `unknown-revision`, `not-an-ancestor` where HEAD was not made
 * from the revision, or `incomplete-clone` where the clone lacks history or files.
 *
 * @param configFile the project file in `root`, which shows that the repository is the project's own
 */
export async function withRevision<T>(
  { root, configFile }: { readonly root: string; readonly configFile: string },
  revision: string,
  use: (checkout: Checkout) => T | Promise<T>,
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
    checkOut(git, { commit, revision, prefix, folder });
    redirectLinks(folder, root);
    return use({ folder, hidden: listHidden(git, repository) });
  });
}

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
 * Whether git has a file of the project in its index, or a link or submodule above it: then it came with the repository,
 * and no run wrote it. Not where the project is in no repository. Throws `git-unavailable` where git cannot be started, and
 * `no-repository` where that of the project cannot be read.
 *
 * @param file absolute; it exists
 */
export async function isInRepository(root: string, file: string): Promise<boolean> {
  const repository = repositoryOf(root);
  if (!repository) return false;
  const { top } = repository;
  return withGit(repository, (git) => {
    const paths = [relative(top, file), relative(realpathSync.native(top), realpathSync.native(file))];
    const wanted = paths.map((path) => comparable(path.split(sep).join('/')));
    return indexOf(git).some(({ path }) => {
      const entry = comparable(path.replace(/\/$/, ''));
      return wanted.some((name) => name === entry || name.startsWith(`${entry}/`));
    });
  });
}

/**
 * Those of the files whose content the last commit of their repository does not have, staged or not; files in no repository
 * are none of them. Line endings do not count: a checkout may change them. Throws the Failures of {@link isInRepository}.
 *
 * @param files absolute; they exist
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
      return group.filter(({ real }) => !isBlob(readFileSync(real), blobs.get(comparable(real))));
    }),
  );
  return (await Promise.all(uncommitted)).flat().map(({ file }) => file);
}

/** The ids of the files of the last commit, by their absolute paths; none where there is no commit. */
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

function isBlob(content: Buffer, id: string | undefined): boolean {
  const algorithm = id?.length === 64 ? 'sha256' : 'sha1';
  const unix = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  return [content, unix].some(
    (each) => createHash(algorithm).update(`blob ${each.length}\0`).update(each).digest('hex') === id,
  );
}

/** Some file systems ignore case, and spell letters with accents in their own way. */
const comparable = (path: string): string => path.normalize('NFC').toLowerCase();

/** The commit that a revision names, or its tag. It has to be one that HEAD was made from. */
function findAncestor(git: Git, revision: string): string {
  // A time before the first entry of a log gives that entry, with a warning: in a new clone that is HEAD.
  const quiet = revision.includes('@{') ? [] : ['--quiet'];
  const named = git.run(['rev-parse', '--verify', ...quiet, '--end-of-options', revision]);
  if (/^warning: log for /m.test(named.stderr)) throw unknownRevision(revision, named.stderr);
  const id = named.stdout.trim();
  const { status, stderr } =
    named.status === 0 ? git.run(['merge-base', '--is-ancestor', id, 'HEAD']) : named;
  if (status === 0) return id;
  if (git.isShallow) throw shallowClone(revision);
  throw named.status === 0 && status === 1 ? notAnAncestor(revision) : unknownRevision(revision, stderr);
}

function unknownRevision(revision: string, stderr: string) {
  const why = firstLine(stderr);
  return failure(
    'unknown-revision',
    `git does not know the revision "${revision}" here${why ? `: ${why}` : ''}.`,
    {
      hint: 'Name a commit, tag or branch of the repository that holds the project; in CI fetch enough history.',
    },
  );
}

/** With a revision that has gone on since, what others added to it would count as removed here. */
function notAnAncestor(revision: string) {
  return failure(
    'not-an-ancestor',
    `HEAD does not contain the revision "${revision}": what was added there since would look as if it had been removed here.`,
    { hint: `Compare with the commit that both have: --since "$(git merge-base HEAD ${revision})".` },
  );
}

function shallowClone(revision: string) {
  return failure(
    'incomplete-clone',
    `This clone is shallow, so git cannot tell whether HEAD contains the revision "${revision}".`,
    {
      hint: 'Fetch the whole history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` in GitLab, or `git fetch --unshallow`.',
    },
  );
}

interface Wanted {
  readonly commit: string;
  readonly revision: string;
  readonly prefix: string;
  readonly folder: string;
}

/** Writes the files with git itself, which refuses names such as `..` and `.git` and writes through no link. */
function checkOut(git: Git, { commit, revision, prefix, folder }: Wanted): void {
  // Without the project's folder, there were no files.
  if (prefix !== '' && !hasEntry(git, commit, prefix.slice(0, -1))) return;
  const env = checkoutEnv(git, folder);
  for (const args of [
    ['read-tree', `${commit}:${prefix}`],
    ['checkout-index', '--all'],
  ]) {
    const { status, stderr } = git.run(args, env);
    if (status !== 0) throw unreadableRevision(git, revision, stderr);
  }
}

/** Whether a commit has a file or folder. Where git cannot say, it has: reading it fails with the reason. */
function hasEntry(git: Git, commit: string, path: string): boolean {
  const { status, stdout } = git.run(['ls-tree', '-z', '--full-tree', commit, '--', path]);
  return status !== 0 || stdout !== '';
}

function unreadableRevision({ isPartial }: Git, revision: string, stderr: string) {
  const why = firstLine(stderr);
  return failure(
    'incomplete-clone',
    `The files at the revision "${revision}" cannot be read from this clone: ${why}.`,
    {
      hint: isPartial
        ? 'The clone is partial, and tenantctl does not let git fetch anything. Clone without `--filter`.'
        : 'Check the clone with `git fsck`, or make a new one.',
    },
  );
}

/** The index and work tree of the checkout. */
const checkoutEnv = ({ temporary }: Git, folder: string) => ({
  GIT_INDEX_FILE: join(temporary, 'index'),
  GIT_WORK_TREE: folder,
});

/** Redirects links with absolute paths into the project, which would lead to the current files. */
function redirectLinks(folder: string, root: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const link = join(entry.parentPath, entry.name);
    const target = readlinkSync(link);
    const inProject = relative(root, target);
    if (!isAbsolute(target) || inProject.startsWith('..') || isAbsolute(inProject)) continue;
    rmSync(link);
    symlinkSync(join(folder, inProject), link);
  }
}

/**
 * The files below the project in the repository's own index that carry a mark, which are `S` and small letters, and the
 * submodules that are not there.
 */
function listHidden(git: Git, { top, prefix }: Repository): string[] {
  return indexOf(git).flatMap(({ mark, mode, path }) => {
    if (!path.startsWith(prefix)) return [];
    const inProject = path.slice(prefix.length);
    if (mode === submodule && !existsSync(join(top, path, '.git'))) return [`${inProject}/`];
    return /^[Sa-z]$/.test(mark) ? [inProject] : [];
  });
}

/** The entries of the repository's own index. */
function indexOf(git: Git): { mark: string; mode: string; path: string }[] {
  const { status, stdout, stderr } = git.run(['ls-files', '-v', '--stage', '-z']);
  if (status !== 0) throw noRepository(`git cannot read its index: ${firstLine(stderr)}.`);
  return stdout.split('\0').flatMap((line) => {
    const [, mark, mode, path] = /^(.) (\d+) [0-9a-f]+ \d\t(.*)$/s.exec(line) ?? [];
    return mark && mode && path ? [{ mark, mode, path }] : [];
  });
}

/** The mode of an entry in the index that is another repository. */
const submodule = '160000';
