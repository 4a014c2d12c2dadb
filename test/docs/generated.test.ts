import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from './documents.ts';

test.each([
  'docs/adding-a-kind.md',
  'docs/ci.md',
  'docs/commands.md',
  'docs/environments.md',
  'docs/exit-codes.md',
  'docs/manifests.md',
])('%s says what the program says', (path) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check', path], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
