import { execFileSync } from 'node:child_process';

/** Builds the program once before the tests: those of the command line run what users run. */
export default function setup(): void {
  if (process.env.TENANTCTL_TEST_NO_BUILD) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}
