import { execFileSync } from 'node:child_process';

/** Runs git in a folder as anybody would, as a made-up author. Returns what it prints. */
export const git = (folder: string, ...args: string[]): string => gitAt(null, folder, ...args);

/** The same, for a commit of another time. */
function gitAt(date: string | null, folder: string, ...args: string[]): string {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@acme.example'];
  const env = date === null ? process.env : { ...process.env, GIT_COMMITTER_DATE: date };
  return execFileSync('git', [...author, ...args], {
    cwd: folder,
    stdio: 'pipe',
    encoding: 'utf8',
    env,
  }).trim();
}

/** Makes the folder a repository, with all its files in one commit, of now or of another time. */
export function commitAll(folder: string, message = 'before', date: string | null = null): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '--all', '--force', '.');
  gitAt(date, folder, 'commit', '-qm', message);
}
