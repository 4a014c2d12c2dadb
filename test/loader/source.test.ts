import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { isInside, sideFilePath } from '../../src/loader/paths.ts';
import { selectEnvironments } from '../../src/loader/selection.ts';
import { diskSource, matchGlobs, projectPath } from '../../src/loader/source.ts';
import { brief, type Files, project, refusalOf, thrown } from './fixture.ts';

/** The files of a project: which are read, and why others are not. */

const refusal = (run: () => unknown) => {
  const [{ code, message, hint } = expect.fail(), ...more] = thrown(run).diagnostics;
  expect(more).toEqual([]);
  return hint === undefined ? [code, message] : [code, message, hint];
};
const outside = (path: string) => [
  'outside-project',
  `${path} leads out of the project.`,
  'Keep all files, and the targets of all links, in the folder of the project file or below it.',
];
const reserved = (path: string) => [
  'reserved-folder',
  `${path} is inside a reserved folder (.git or .tenantctl).`,
  'Keep the files of the project outside `.git` and `.tenantctl`.',
];

/** A project with these files and links, whose targets may be in the folder beside it. */
function createLinked(files: Files, links: Readonly<Record<string, string>> = {}) {
  const root = join(project({ 'inner/tenantctl.yaml': '', 'secret.yaml': 'secret', ...files }), 'inner');
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  return { root, source: diskSource(root) };
}

describe('a file', () => {
  it('is read as it is, by any way to it inside the project', () => {
    const { source } = createLinked(
      { 'inner/a/b.txt': '\uFEFFone\r\n', 'inner/c/d.txt': 'd' },
      { 'link.txt': 'a/b.txt', folder: 'a' },
    );
    for (const path of ['a/b.txt', './a/b.txt', 'c/../a/b.txt', 'a//b.txt', 'link.txt', 'folder/b.txt'])
      expect(source.text(path)).toBe('one\r\n');
  });

  it.each(['../secret.yaml', 'a/../../secret.yaml', '/etc/hostname', '..'])(
    'is not read outside the project: %j',
    (path) => {
      const { source } = createLinked({});
      expect(refusal(() => source.text(path))).toEqual(outside(path));
    },
  );

  it.each(['link.yaml', 'folder/secret.yaml', 'chain.yaml'])(
    'is not read through a link out of it: %s',
    (path) => {
      const { source } = createLinked(
        {},
        { 'link.yaml': '../secret.yaml', folder: '..', 'chain.yaml': 'link.yaml' },
      );
      expect(refusal(() => source.text(path))).toEqual(outside(path));
    },
  );

  it.each(['.git/config', 'a/.git/config', '.tenantctl/x', 'link', '.GIT/config'])(
    'is not read where git or tenantctl keeps its own: %s',
    (path) => {
      const files = Object.fromEntries(
        ['.git/config', 'a/.git/config', '.tenantctl/x', '.GIT/config'].map((each) => [`inner/${each}`, 'x']),
      );
      const { source } = createLinked(files, { link: '.git/config' });
      expect(refusal(() => source.text(path))).toEqual(reserved(path));
    },
  );

  it.each(['.env', 'a/.npmrc', 'link'])('is not read where it holds credentials: %s', (path) => {
    const { source } = createLinked({ 'inner/.env': 'x', 'inner/a/.npmrc': 'x' }, { link: '.env' });
    expect(refusal(() => source.text(path))).toContain('reserved-file');
  });

  it.each(['.gitignore', '.github/a', 'x.git/a', '.tenantctl.yaml', 'a/.gitattributes'])(
    'is read though it is called like those: %s',
    (path) => expect(createLinked({ [`inner/${path}`]: 'x' }).source.text(path)).toBe('x'),
  );

  it('is refused with its reason', () => {
    const { root } = createLinked({ 'inner/a/b.txt': 'twelve bytes' });
    const source = diskSource(root, 11);
    expect(refusal(() => source.text('a'))).toEqual([
      'file-unreadable',
      'a is not a regular file.',
      'Name a file.',
    ]);
    expect(refusal(() => source.text('a/none'))[0]).toBe('file-not-found');
    expect(refusal(() => source.text('a/b.txt/c'))[0]).toMatch(/^file-/);
    expect(refusal(() => source.text('a/b.txt'))[0]).toBe('file-too-large');
    expect(diskSource(root, 12).text('a/b.txt')).toBe('twelve bytes');
    const pointer = createLinked({
      'inner/a': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n',
    });
    expect(refusal(() => pointer.source.text('a'))).toEqual([
      'file-unreadable',
      'Git LFS has not fetched the content of a.',
      'Run `git lfs pull`. In GitHub Actions, set `lfs: true` for actions/checkout.',
    ]);
    const large = createLinked({ 'inner/a': Buffer.alloc(5 * 1024 * 1024 + 1) }).source;
    expect(refusal(() => large.text('a'))).toEqual(['file-too-large', 'a is larger than 5 MB.']);
  });

  it('has to be UTF-8, and may hold the sign for what is not', () => {
    const { source } = createLinked({
      'inner/sign': 'a\uFFFDb',
      'inner/latin': Buffer.from('a\xffb', 'latin1'),
      'inner/utf16': Buffer.from('\ufeffa', 'utf16le'),
    });
    expect(source.text('sign')).toBe('a\uFFFDb');
    for (const path of ['latin', 'utf16'])
      expect(refusal(() => source.text(path))).toEqual([
        'not-utf8',
        `${path} is not UTF-8 text.`,
        'Save the file as UTF-8. Some Windows programs write UTF-16 unless told otherwise.',
      ]);
  });
});

describe('globs', () => {
  it('find pipes and devices too, which are refused as other files that cannot be read', () => {
    const { root, source } = createLinked({ 'inner/a/b.yaml': 'b' }, { 'a/link.yaml': 'pipe.yaml' });
    for (const path of ['a/pipe.yaml', 'a/pipe.txt']) execFileSync('mkfifo', [join(root, path)]);
    const [file, ...pipes] = source.glob(['a/*.yaml']);
    expect([file, ...pipes]).toEqual(['a/b.yaml', 'a/link.yaml', 'a/pipe.yaml']);
    for (const path of pipes)
      expect(refusal(() => source.text(path))).toEqual([
        'file-unreadable',
        `${path} is not a regular file.`,
        'Name a file.',
      ]);
  });

  it('find each file once, sorted, and none where there is no folder', () => {
    const { source } = createLinked({ 'inner/b/a.yaml': '', 'inner/a/z.yaml': '', 'inner/a/y.yaml': '' });
    expect(source.glob(['b/*.yaml', '**/*.yaml', 'a/y.yaml', '!tenantctl.yaml'])).toEqual([
      'a/y.yaml',
      'a/z.yaml',
      'b/a.yaml',
    ]);
    expect(source.glob(['none/**/*.yaml'])).toEqual([]);
    expect(source.glob(['none/*.yaml', 'b/*.yaml'])).toEqual(['b/a.yaml']);
    expect(source.glob([])).toEqual([]);
  });

  it('find nothing in node_modules, .git and .tenantctl', () => {
    const files = ['node_modules/a.yaml', 'x/node_modules/a.yaml', '.git/a.yaml', '.tenantctl/a.yaml'];
    const { source } = createLinked(Object.fromEntries(files.map((path) => [`inner/${path}`, ''])));
    expect(source.glob(['**/*.yaml', '**/.*/*.yaml'])).toEqual(['tenantctl.yaml']);
  });

  it.each(['../*.yaml', '!../*.yaml', '/etc/*'])('lead nowhere else: %s', (pattern) =>
    expect(refusal(() => createLinked({}).source.glob([pattern]))).toEqual(outside(pattern.replace('!', ''))),
  );

  it.each(['.git/*', '.tenantctl/**', 'a/.Git/*'])('are refused for what is never read: %s', (pattern) =>
    expect(refusal(() => createLinked({}).source.glob([pattern]))).toEqual(reserved(pattern)),
  );

  it('tell of a broken link, whose manifest would be missing, but not of the mark of an editor', () => {
    const { root, source } = createLinked({ 'inner/config/a.yaml': '' }, { 'config/.#a.yaml': 'me@h.1' });
    expect(source.glob(['config/*.yaml', 'config/.*.yaml'])).toEqual(['config/a.yaml']);
    symlinkSync('none.yaml', join(root, 'config/b.yaml'));
    expect(refusal(() => source.glob(['config/*.yaml']))).toEqual([
      'file-not-found',
      'config/b.yaml is a broken link.',
      'Correct or remove the link.',
    ]);
  });

  it('do not search for ever where folders link to each other', () => {
    const names = [...'abcdefghi'];
    const links = names.flatMap((from) => names.map((to) => [`${from}/${to}`, `../${to}`]));
    const files = names.map((name) => [`inner/${name}/x.yaml`, '']);
    const { source } = createLinked(Object.fromEntries(files), Object.fromEntries(links));
    expect(refusal(() => source.glob(['**/*.yaml']))).toEqual([
      'project-too-large',
      'Links lead to more than 1000 folders.',
      'Remove links between folders, or exclude them from `manifests`: `!PATH`.',
    ]);
    expect(source.glob(['?/*.yaml', '!?/?'])).toEqual(names.map((name) => `${name}/x.yaml`));
  });

  it('follow links to folders', () => {
    const { root, source } = createLinked({ 'inner/real/a.yaml': '' });
    mkdirSync(join(root, 'config'));
    symlinkSync('../real', join(root, 'config/link'));
    expect(source.glob(['config/**/*.yaml'])).toEqual(['config/link/a.yaml']);
  });

  it('enter no folder outside the project, and tell only the link', () => {
    const { root, source } = createLinked({ 'inner/config/a.yaml': '', 'other/deep/b.yaml': '' });
    symlinkSync('../../other', join(root, 'config/x'));
    symlinkSync('none', join(root, '../other/broken.yaml'));
    for (const glob of ['config/**/*.yaml', 'config/x/*.yaml', 'config/*/deep/*.yaml'])
      expect(
        refusal(() => source.glob([glob])),
        glob,
      ).toEqual(outside('config/x'));
    expect(source.glob(['config/*.yaml'])).toEqual(['config/a.yaml']);
    expect(source.glob(['config/**/*.yaml', '!config/x/**'])).toEqual(['config/a.yaml']);
    rmSync(join(root, 'config/x'));
    symlinkSync('/', join(root, 'config/x'));
    expect(refusal(() => source.glob(['config/**/*.yaml']))).toEqual(outside('config/x'));
  });
});

describe('paths', () => {
  it.each([
    ['a/b', 'a/b'],
    ['./a//b/../c', 'a/c'],
    ['a/..b', 'a/..b'],
    ['a/.', 'a'],
    ['...', '...'],
    ['a\0b', null],
  ])('%j of a project is %j', (path, normal) => expect(projectPath(path)).toBe(normal));

  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/', '/a', true],
  ])('in %s, %s is inside: %s', (root, path, inside) => expect(isInside(root, path)).toBe(inside));

  it('of side files begin at the manifest', () => {
    expect(sideFilePath('t/a.html', 'config/x/a.yaml')).toBe('config/x/t/a.html');
    expect(sideFilePath('../a.html', 'config/a.yaml')).toBe('a.html');
    expect(sideFilePath('/etc/a', 'config/a.yaml')).toBe('/etc/a');
  });
});

it('a folder that cannot be listed is an error: its manifests would count as removed', () => {
  const { source } = createLinked({ 'inner/a/b.yaml': '', 'inner/closed/c.yaml': '' });
  const { readdirSync } = fs;
  const listing = vi.spyOn(fs, 'readdirSync').mockImplementation((...args: unknown[]) => {
    if (/\bclosed\b/.test(String(args[0])))
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    return Reflect.apply(readdirSync, fs, args);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    listing.mockRestore();
    syncBuiltinESMExports();
  });
  expect(refusal(() => source.glob(['**/*.yaml']))).toContain('closed cannot be read (EACCES).');
});

/** A glob matches the same files whether the disk is searched or a path is judged alone. */

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

/** Globs of a projectWith that would keep a run busy for hours. A test that compares one of them does not end in time. */

const glob = `${'*a'.repeat(13)}!`;
const long = 'a'.repeat(200);
const manifest = `kind: SenderAddress\nemail: ${long}@acme.example\n`;
const projectWith = (text: string, environment = '') =>
  `version: 1\n${text}environments:\n  test:\n    sandbox: {}\n${environment}`;

it.each([
  ['of manifests', projectWith(`manifests: ["${glob}"]\n`), 'tenantctl.yaml:2:13'],
  [
    'of what is protected',
    projectWith('', `    protect: ["SenderAddress/${glob}"]\n`),
    'tenantctl.yaml:5:15',
  ],
  [
    'of what an overlay changes',
    projectWith('', `    overlays: [{ target: "SenderAddress/${glob}", merge: {} }]\n`),
    'tenantctl.yaml:5:26',
  ],
])('%s are errors', (_of, text, place) => {
  const files = { 'tenantctl.yaml': text, 'config/a.yaml': manifest, [`${long}.yaml`]: manifest };
  expect(refusalOf(files).map(brief)).toContain(`slow-glob ${place}`);
});

it('are reported together with every other glob of manifests that cannot be used', () => {
  const globs = ['../a/*.yaml', 'config/*.yaml', '.env', '.git/*.yaml', glob, '!../b', '!config/.env'];
  const files = {
    'tenantctl.yaml': projectWith(`manifests: ${JSON.stringify(globs)}\n`),
    'config/a.yaml': manifest,
  };
  expect(refusalOf(files).map(({ code, message }) => [code, message.split(/[ `]+/).find(Boolean)])).toEqual([
    ['outside-project', '../a/*.yaml'],
    ['reserved-file', '.env'],
    ['reserved-folder', '.git/*.yaml'],
    ['slow-glob', glob],
    ['outside-project', '../b'],
  ]);
});

it('of groups select nothing', () => {
  const projectWith = { environments: [long], groups: { eu: [glob] }, defaultEnvironment: null };
  const select = () => selectEnvironments(['@eu'], projectWith);
  expect(thrown(select).diagnostics).toMatchObject([{ severity: 'error' }]);
});
