import { execFileSync } from 'node:child_process';

/** Runs git in a folder as anybody would, as a made-up author. Returns what it prints. */
export function git(folder: string, ...args: string[]): string {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@acme.example'];
  return execFileSync('git', [...author, ...args], { cwd: folder, stdio: 'pipe', encoding: 'utf8' }).trim();
}

/** Makes the folder a repository, with all its files in one commit. */
export function commitAll(folder: string, message = 'before'): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '--all', '--force', '.');
  git(folder, 'commit', '-qm', message);
}
