import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Failure, failure } from '../model/failure.ts';
import { isForeign, statOf } from './paths.ts';

/** The git repository of a project, found without git and without reading its settings. */
export interface Repository {
  /** The folder with its work tree. */
  readonly top: string;
  /** The project's folder from there, with `/` at its end; `''` where it is the same. */
  readonly prefix: string;
  /** The folder with HEAD and the index. */
  readonly gitFolder: string;
  /** The folder with objects, references and settings: the same, except in a work tree of `git worktree`. */
  readonly commonFolder: string;
}

/**
 * The repository of the project in `root`: see {@link repositoryOf}. Throws a Failure `no-repository` where there is none,
 * too.
 */
export function findRepository(root: string): Repository {
  const repository = repositoryOf(root);
  if (repository === null) throw noRepository(`${root} is in no git repository, and --since needs one.`);
  return repository;
}

/**
 * Finds the repository of the project in `root`: that of the nearest folder with `.git`, from `root` upwards; `null` where
 * there is none. Git cannot commit a file with that name, so no commit can put another repository in its place. What
 * GIT_DIR and the like say does not count, and a bare repository is none.
 *
 * Throws a Failure `no-repository` where what is there cannot be used: `.git` names a folder that is not here, or belongs to
 * somebody else than the project. Nobody knows then what the repository holds.
 */
export function repositoryOf(root: string): Repository | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const gitFolder = gitFolderOf(entry);
    if (gitFolder !== null) {
      requireSameOwner(root, [entry, gitFolder]);
      const prefix = relative(folder, root).split(sep).join('/');
      const commonFolder = resolve(gitFolder, readLine(join(gitFolder, 'commondir')) ?? '.');
      return { top: folder, prefix: prefix && `${prefix}/`, gitFolder, commonFolder };
    }
    if (folder === dirname(folder)) return null;
  }
}

/** The Failure for a project that is in no repository of its own. */
export function noRepository(message: string): Failure {
  return failure('no-repository', message, {
    hint: 'Run the command in a clone of the repository that holds the project. GIT_DIR and GIT_WORK_TREE are ignored.',
  });
}

/**
 * The folder that `.git` is, or that it names as a file; `null` where there is none. A file that names no repository is
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

/**
 * Takes the place of git's `safe.directory`, which a container would have to be told: a checkout belongs to the user who
 * made it, and the program often runs as another. What counts is that nobody else put a repository above the project.
 */
function requireSameOwner(root: string, paths: readonly string[]): void {
  const foreign = paths.find((path) => isForeign(path, root));
  if (foreign === undefined) return;
  throw noRepository(`${foreign} belongs to another user than the project in ${root}.`);
}

function readLine(file: string): string | null {
  return statOf(file)?.isFile() ? (readFileSync(file, 'utf8').split('\n')[0]?.trim() ?? null) : null;
}
