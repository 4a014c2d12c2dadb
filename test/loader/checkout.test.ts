/** The files of a revision are those of the disk at that time, links included. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withRevision } from '../../src/loader/checkout.ts';
import { diskSource, type FileSource } from '../../src/loader/source.ts';
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

const projectIn = (root: string) => ({ root, configFile: join(root, 'tenantctl.yaml') });
const everything = ['config/**/*.yaml'];
const atHead = <T>(root: string, use: (source: FileSource) => T) =>
  withRevision(projectIn(root), 'HEAD', ({ folder }) => use(diskSource(folder)));

/** Every manifest with its text, or why it cannot be read. */
function contentsOf(source: FileSource) {
  return source.glob(everything).map((path) => {
    try {
      return [path, source.text(path)];
    } catch (error) {
      return [path, String(error)];
    }
  });
}

test('links to files and folders, chains, ways through other folders and out are followed as on the disk', async () => {
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
  const disk = contentsOf(diskSource(root));
  // What happens on the disk afterwards makes no difference.
  writeFileSync(join(root, 'store/file.yaml'), 'changed');
  expect(await atHead(root, contentsOf)).toEqual(disk);
  const paths = disk.map(([path]) => path);
  expect(paths).toContain('config/folder/deep/more/file.yaml');
  expect(paths).toContain('config/out.yaml');
  expect(await atHead(root, (source) => source.text('config/folder/deep/b.html'))).toBe('b');
  await expect(atHead(root, (source) => source.text('config/none/b.html'))).rejects.toThrow(
    'There is no file',
  );
});

test.each([
  ['that leads nowhere', { 'config/a.yaml': '../none.yaml' }],
  ['to no folder', { 'config/a': '../none' }],
  ['round in a circle', { 'config/a.yaml': 'b.yaml', 'config/b.yaml': 'a.yaml' }],
])('a link %s is refused, as on the disk', async (_what, links) => {
  const root = committed({}, (dir) => {
    mkdirSync(join(dir, 'config'));
    return links;
  });
  const onDisk = thrown(() => diskSource(root).glob(everything));
  const { diagnostics } = await atHead(root, (source) => thrown(() => source.glob(everything)));
  expect(diagnostics).toEqual(onDisk.diagnostics);
  expect(diagnostics[0]?.message).toMatch(/^config.a\S* (is a broken link|cannot be read \(ELOOP\))/);
  const others = ['other/*.yaml', '*.yaml', '!config/**'];
  expect(await atHead(root, (source) => source.glob(others))).toEqual(['tenantctl.yaml']);
});

test('a project below the root of its repository sees its own files only', async () => {
  const root = committed(
    { 'inner/tenantctl.yaml': '', 'inner/config/a.yaml': 'a', 'config/b.yaml': 'b' },
    () => ({}),
  );
  expect(await atHead(join(root, 'inner'), contentsOf)).toEqual([['config/a.yaml', 'a']]);
});

test('the folder is removed, whatever happens in it', async () => {
  const root = committed({ 'config/a.yaml': 'a' }, () => ({}));
  let used = '';
  const fail = ({ folder }: { folder: string }): never => {
    used = folder;
    expect(existsSync(join(folder, 'config/a.yaml'))).toBe(true);
    throw new Error('on purpose');
  };
  await expect(withRevision(projectIn(root), 'HEAD', fail)).rejects.toThrow('on purpose');
  expect(existsSync(used)).toBe(false);
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })).toBe('');
});
