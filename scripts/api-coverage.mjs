// Writes docs/api-coverage.md: which command uses which operation of the API, as the tests see it at work.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  'npx',
  ['--no-install', 'vitest', 'run', 'test/commands/coverage.test.ts', '--update'],
  { cwd: new URL('..', import.meta.url), stdio: 'inherit' },
);
process.exitCode = status ?? 1;
