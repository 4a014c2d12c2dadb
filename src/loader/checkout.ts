import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { failure } from '../model/failure.ts';

/** The largest output of git that is accepted, in bytes. */
const maxOutput = 256 * 1024 * 1024;

/**
 * Checks out the files below `root`, as they are at `revision` of its git repository, into a temporary folder, calls
 * `use` with it, and removes it. The repository's index and work tree are not touched. Submodules are left out.
 *
 * Throws a Failure if git cannot be run, `root` is not in a repository, or there is no such revision.
 */
export function withRevision<T>(root: string, revision: string, use: (folder: string) => T): T {
  const [gitDir = '', prefix = '', commit = ''] = runGit(revision, root, [
    'rev-parse',
    '--absolute-git-dir',
    '--show-prefix',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${revision}^{commit}`,
  ]).split('\n');
  const temporary = realpathSync.native(mkdtempSync(join(tmpdir(), 'tenantctl-revision-')));
  try {
    const folder = join(temporary, 'files');
    mkdirSync(folder);
    const env = { GIT_DIR: gitDir, GIT_INDEX_FILE: join(temporary, 'index'), GIT_WORK_TREE: folder };
    runGit(revision, folder, ['read-tree', `${commit}:${prefix}`], env);
    runGit(revision, folder, ['checkout-index', '--all'], env);
    redirectLinks(runGit(revision, folder, ['ls-files', '--stage', '-z'], env), folder, root);
    return use(folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Redirects links with absolute paths into the project, which would lead to the current files. */
function redirectLinks(listing: string, folder: string, root: string): void {
  for (const line of listing.split('\0')) {
    const [, path] = /^120000 [0-9a-f]+ 0\t(.*)$/s.exec(line) ?? [];
    if (path === undefined) continue;
    const link = join(folder, path);
    const target = readlinkSync(link);
    const inProject = relative(root, target);
    if (!isAbsolute(target) || inProject.startsWith('..') || isAbsolute(inProject)) continue;
    rmSync(link);
    symlinkSync(join(folder, inProject), link);
  }
}

function runGit(revision: string, cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd,
    maxBuffer: maxOutput,
    encoding: 'utf8',
    env: { ...process.env, ...env, LC_ALL: 'C' },
  });
  if (error) throw failure('git-unavailable', `git cannot be run (${error.message}); --since needs it.`);
  if (status === 0) return stdout;
  const why = stderr.trim().split('\n')[0];
  throw failure(
    'unknown-revision',
    `git does not know the revision "${revision}" here${why ? `: ${why}` : ''}.`,
    {
      hint: 'Name a commit, tag or branch of the repository that holds the project; in CI fetch enough history.',
    },
  );
}
