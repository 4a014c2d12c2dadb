import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { isThorough } from '../support/effort.ts';
import { runProgram } from '../support/world.ts';
import { root, textOf } from './documents.ts';

const { built } = await import(join(root, 'scripts/docs/built.mjs'));
const { documents } = await import(join(root, 'scripts/docs/documents.mjs'));

test.each([
  'docs/adding-a-kind.md',
  'docs/ci.md',
  'docs/commands.md',
  'docs/environments.md',
  'docs/exit-codes.md',
  'docs/fleet.md',
  'docs/manifests.md',
])('%s says what the program says', async (path) => {
  const text = textOf(path);
  const help = async (...words: string[]) =>
    (await runProgram([...words, '--help'], { cwd: root, env: { NO_COLOR: '1' } })).stdout;
  expect(await documents[path](text, isThorough ? built : { help })).toBe(text);
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
