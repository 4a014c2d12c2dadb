import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Failure, fail } from '../model/failure.ts';
import { isForeign, statOf } from './paths.ts';

/** The git repository of a project, found without git and without reading its settings. */
export interface Repository {
  readonly top: string;
  /** The project's folder from there, with `/` at its end; `''` if it is the same. */
  readonly prefix: string;
  readonly gitFolder: string;
  /** The folder with objects, references and settings: the same, except in a work tree of `git worktree`. */
  readonly commonFolder: string;
}

/** As {@link repositoryOf}, but a project outside a repository is refused, too. */
export function findRepository(root: string): Repository {
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
