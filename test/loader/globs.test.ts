/** A glob matches the same files whether the disk is searched or a path is judged alone. */
import { expect, test } from 'vitest';
import { diskSource, matchGlobs } from '../../src/loader/source.ts';
import { project } from './fixture.ts';

const paths = [
  'a.yaml',
  'config/a.yaml',
  'config/B.YAML',
  'config/deep/er/c.yaml',
  'config/.hidden/d.yaml',
  'config/.e.yaml',
  '.github/f.yaml',
  'config/node_modules/x/g.yaml',
  'config/.git/h.yaml',
  '.tenantctl/schemas/i.yaml',
  'config/[odd]/j.yaml',
  'config/k.yml',
  'config/l',
];

test.each([
  [['config/**/*.yaml']],
  [['**/*.yaml']],
  [['**']],
  [['config']],
  [['./config/*.yaml', 'config/../a.yaml']],
  [['{.github,config}/**/*.{yaml,yml}']],
  [['**/.*/*.yaml', '.*/**']],
  [['**/.*/*.yaml']],
  [['**/.github/*.yaml']],
  [['**/*.yaml', './**/.github/*.yaml']],
  [['{**,x}/{.github,.hidden}/*.yaml', '!**/d.yaml']],
  [['**/@(.github|.e.yaml)']],
  [['config/**/.*/*.yaml', '**/.e.yaml']],
  [['config/[a-c]*.yaml', 'config/?.yml', '@(config)/l']],
  [['config/\\[odd\\]/*.yaml', 'config/.hidden/d.yaml']],
  [['**/*.yaml', '!config/**', 'config/a.yaml']],
  [['config/**/*.yaml', '!**/.hidden/**', '!config/deep']],
  [['config/**/*.yaml', 'config/.*/*.yaml', '!config/**']],
  [['config/.*/*.yaml', 'config/*.yaml', '!**/d.yaml', '!**/a.yaml']],
])('%j', (patterns) => {
  const root = project(Object.fromEntries(paths.map((path) => [path, ''])));
  const judged = ['tenantctl.yaml', ...paths].filter(matchGlobs(patterns)).sort();
  expect(diskSource(root).glob(patterns)).toEqual(judged);
});

test('hidden folders at the top are searched where a glob names them, and only there', () => {
  const root = project(Object.fromEntries(paths.map((path) => [path, ''])));
  const hidden = ['.github/f.yaml', 'config/.hidden/d.yaml'];
  expect(diskSource(root).glob(['**/.*/*.yaml'])).toEqual(hidden);
  expect(diskSource(root).glob(['**/.github/*.yaml'])).toEqual(['.github/f.yaml']);
  expect(diskSource(root).glob(['**/*.yaml', '**/.hidden/*'])).not.toContain('.github/f.yaml');
});

test('a ! in brackets stands for all other characters, in names of files and of folders', () => {
  const root = project(Object.fromEntries(paths.map((path) => [path, ''])));
  expect(diskSource(root).glob(['[!x.]*/[!a].{yaml,yml}', '!**/[!k].yaml'])).toEqual(['config/k.yml']);
});

test('a glob with ! excludes hidden files and folders too', () => {
  const root = project(Object.fromEntries(paths.map((path) => [path, ''])));
  expect(diskSource(root).glob(['config/.*/*.yaml', 'config/.*.yaml', '!config/**/d.yaml'])).toEqual([
    'config/.e.yaml',
  ]);
});
