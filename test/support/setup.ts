import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs once, before all tests. Builds the program: tests of the command line run what users run. What tests leave in the
 * temporary folder is removed when they have ended.
 */
export default function setup(): () => void {
  if (!process.env.TENANTCTL_TEST_NO_BUILD)
    execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  const folder = mkdtempSync(join(temporaryFolder(), 'tenantctl-test-'));
  // Workers and the programs that they start inherit it.
  process.env.TMPDIR = folder;
  process.env.GIT_CONFIG_GLOBAL = join(folder, 'gitconfig');
  writeFileSync(process.env.GIT_CONFIG_GLOBAL, gitSettings);
  // No test leaves the machine, and every start of Node would read all of these for a quarter of a second.
  delete process.env.NODE_EXTRA_CA_CERTS;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * In place of those of the person who runs the tests. Repositories are removed in a moment, so nothing tidies them up. There
 * is no author: pipelines have to say who makes their commits.
 */
const gitSettings = `
[gc]
  auto = 0
[maintenance]
  auto = false
[receive]
  autogc = false
`;

/** In memory where it has room: tests write and remove many thousands of files, each of which a disk has to store safely. */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize > 2 ** 30) return memory;
  } catch {
    // This system has no such folder.
  }
  return tmpdir();
}
