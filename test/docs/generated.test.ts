import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { root, textOf } from './documents.ts';

test.each([
  'docs/adding-a-kind.md',
  'docs/ci.md',
  'docs/commands.md',
  'docs/environments.md',
  'docs/exit-codes.md',
  'docs/fleet.md',
  'docs/manifests.md',
])('%s says what the program says', (path) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check', path], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('the table of what can be done with each kind has every kind and its key', () => {
  const rows = [...textOf('docs/manifests.md').matchAll(/^\| (\w+) \| (`[^|]*`) \|/gm)];
  const listed = rows.map(([, name, keys = '']) => `${name} ${keys.replaceAll('`', '')}`);
  const declared = builtInKinds.all.filter((kind) => !isOnlyReferredTo(kind));
  const known = declared.map(
    ({ name, keyFields }) => `${name} ${keyFields.map((key) => key.name).join(', ')}`,
  );
  expect(listed.sort()).toEqual(known.sort());
});
