/** Links in a revision's tree lead where they lead on the disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitSource } from '../../src/loader/git-source.ts';
import { diskSource } from '../../src/loader/source.ts';
import { type Files, project, thrown } from './fixture.ts';

/** A committed project with these files and links, from a path to what the link says. */
function committed(files: Files, links: (root: string) => Readonly<Record<string, string>>): string {
  const root = project(files);
  for (const [path, target] of Object.entries(links(root))) symlinkSync(target, join(root, path));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@acme.example', ...args], { cwd: root });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'before');
  return root;
}

const everything = ['config/**/*.yaml'];

/** What a source tells of all manifests, or why it does not. */
function tale(source: ReturnType<typeof diskSource>) {
  return source.glob(everything).map((path) => {
    try {
      return [path, source.text(path)];
    } catch (error) {
      return [path, String(error)];
    }
  });
}

test('links to files and folders, chains, ways through other folders and out are followed as on the disk', () => {
  const root = committed(
    {
      'config/own.yaml': 'own',
      'config/node_modules/x.yaml': 'x',
      'store/file.yaml': 'file',
      'real/deep/a.yaml': 'a',
      'real/deep/b.html': 'b',
    },
    (dir) => ({
      'config/file.yaml': '../store/file.yaml',
      'config/chain.yaml': './file.yaml',
      'config/folder': '../real/',
      'config/absolute': join(dir, 'store'),
      'config/through.yaml': 'folder/deep/a.yaml',
      'config/out.yaml': process.execPath,
      'config/.#own.yaml': 'somebody@host',
      'real/deep/more': '../../store',
      'real/deep/round': '..',
      dangling: 'nowhere',
    }),
  );
  const disk = tale(diskSource(root));
  expect(tale(gitSource(root, 'HEAD'))).toEqual(disk);
  const paths = disk.map(([path]) => path);
  expect(paths).toContain('config/folder/deep/more/file.yaml');
  expect(paths).toContain('config/out.yaml');
  expect(gitSource(root, 'HEAD').text('config/folder/deep/b.html')).toBe('b');
  expect(() => gitSource(root, 'HEAD').text('config/none/b.html')).toThrow('There is no file');
});

test.each([
  ['that leads nowhere', { 'config/a.yaml': '../none.yaml' }],
  ['to no folder', { 'config/a': '../none' }],
  ['round in a circle', { 'config/a.yaml': 'b.yaml', 'config/b.yaml': 'a.yaml' }],
])('a link %s is refused, as on the disk', (_what, links) => {
  const root = committed({}, (dir) => {
    mkdirSync(join(dir, 'config'));
    return links;
  });
  expect(() => diskSource(root).glob(everything)).toThrow();
  const { diagnostics } = thrown(() => gitSource(root, 'HEAD').glob(everything));
  expect(diagnostics[0]?.message).toMatch(/^config.a\S* is a link that leads nowhere at HEAD/);
  expect(gitSource(root, 'HEAD').glob(['other/*.yaml', '*.yaml', '!config/**'])).toEqual(['tenantctl.yaml']);
});
