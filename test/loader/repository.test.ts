import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitsWith, repositoryOf } from '../../src/loader/git.ts';
import { requireInside, requireOutputFile, requireOwnFolder } from '../../src/loader/paths.ts';
import { type Files, project, thrown } from './fixture.ts';

/** Which repository is a project's own: found without git, since its settings may belong to somebody else. */

const head = { '.git/HEAD': 'ref: refs/heads/main\n' };

const refusalAt = (root: string) => {
  const { code, message, hint } = thrown(() => repositoryOf(root)).diagnostics[0] ?? expect.fail();
  return { code, message, hint };
};
const refused = (message: string) => ({
  code: 'no-repository',
  message,
  hint: 'Run the command in a clone of the repository that holds the project. GIT_DIR and GIT_WORK_TREE are ignored.',
});

describe('the repository', () => {
  it('is that of the folder of the project', () => {
    const root = project(head);
    const folder = join(root, '.git');
    expect(repositoryOf(root)).toEqual({ top: root, prefix: '', gitFolder: folder, commonFolder: folder });
  });

  it('is that of the nearest folder above, from which the project has a prefix', () => {
    const root = project({ ...head, 'a/b/tenantctl.yaml': '', 'a/.git/HEAD': 'x' });
    expect(repositoryOf(join(root, 'a/b'))).toMatchObject({ top: join(root, 'a'), prefix: 'b/' });
    const plain = project({ ...head, 'a/b/tenantctl.yaml': '' });
    expect(repositoryOf(join(plain, 'a/b'))).toMatchObject({ top: plain, prefix: 'a/b/' });
  });

  it.each<[string, Files]>([
    ['a folder without HEAD', { 'a/.git/config': '' }],
    ['a folder whose HEAD is a folder', { 'a/.git/HEAD/x': '' }],
  ])('is not %s, as for git', (_what, files) => {
    const root = project({ ...head, ...files });
    expect(repositoryOf(join(root, 'a'))?.top).toBe(root);
  });

  it('is the folder that `.git` names as a file, wherever that is', () => {
    const root = project({
      'work/.git': 'gitdir: ../real/worktrees/work\n',
      'real/worktrees/work/HEAD': 'x',
      'real/worktrees/work/commondir': '../..\n',
      'real/HEAD': 'x',
    });
    expect(repositoryOf(join(root, 'work'))).toEqual({
      top: join(root, 'work'),
      prefix: '',
      gitFolder: join(root, 'real/worktrees/work'),
      commonFolder: join(root, 'real'),
    });
  });

  it('is the same through a link', () => {
    const root = project({ 'store/HEAD': 'x', 'work/a.yaml': '' });
    symlinkSync('../store', join(root, 'work/.git'));
    expect(repositoryOf(join(root, 'work'))?.gitFolder).toBe(join(root, 'store'));
  });
});

describe('there is none', () => {
  it('where no folder up to the root has one, which --since needs', async () => {
    const root = project({});
    expect(repositoryOf(root)).toBeNull();
    const refusal = refused(`${root} is not in a git repository, and --since needs one.`);
    await expect(commitsWith({ root }, [])).rejects.toMatchObject({ diagnostics: [refusal] });
  });

  it.each(['', 'gitdir:\n', 'gitdir: \n', '# gitdir: ../.git\n'])(
    'where the file `.git` says %j, whatever is above',
    (text) => {
      const root = project({ ...head, 'a/.git': text });
      const file = join(root, 'a/.git');
      expect(refusalAt(join(root, 'a'))).toEqual(
        refused(`${file} names nothing, which is not a repository.`),
      );
    },
  );

  it('where the file `.git` names a folder without HEAD', () => {
    const root = project({ ...head, 'a/.git': 'gitdir: ../none\n' });
    expect(refusalAt(join(root, 'a'))).toEqual(
      refused(`${join(root, 'a/.git')} names ${join(root, 'none')}, which is not a repository.`),
    );
  });

  it.skipIf(process.geteuid?.() !== 0)('where somebody else put it above the project', () => {
    const root = project({ ...head, 'a/tenantctl.yaml': '' });
    const [mine, folder] = [join(root, 'a'), join(root, '.git')];
    chownSync(folder, 12345, 12345);
    expect(refusalAt(mine)).toEqual(
      refused(`${folder} belongs to another user, not to the owner of the project in ${mine}.`),
    );
    // The project is theirs too: a checkout of another user, in a container.
    chownSync(mine, 12345, 12345);
    expect(repositoryOf(mine)?.top).toBe(root);
  });

  it.skipIf(process.geteuid?.() !== 0)('where a file of the project names that of somebody else', () => {
    const root = project({ 'a/.git': 'gitdir: ../theirs\n' });
    mkdirSync(join(root, 'theirs'));
    writeFileSync(join(root, 'theirs/HEAD'), 'x');
    chownSync(join(root, 'theirs'), 12345, 12345);
    expect(refusalAt(join(root, 'a')).message).toContain(`${join(root, 'theirs')} belongs to another user`);
  });
});

/** Nothing that tenantctl writes leaves the project, whatever links the repository holds. */

const codeOf = (run: () => void) => thrown(run).diagnostics.map(({ code }) => code);

/** For somebody who is in another folder. */
const requireOwnFile = (file: string) => requireOutputFile(file, project({}));

/** A project, and a folder outside it. */
function createLink(path: string, target: (outside: string) => string): string {
  const [root, outside] = [project({ '.git/HEAD': '', '.tenantctl/kept/a': '' }), project({})];
  symlinkSync(target(outside), join(root, path));
  return root;
}

describe('a file in `.tenantctl`', () => {
  it('is written inside the project', () => {
    const root = createLink('.tenantctl/inside', () => '../config');
    mkdirSync(join(root, 'config'));
    requireOwnFolder(root);
    for (const path of ['.tenantctl/new/result.json', '.tenantctl/inside/a.json'])
      requireOwnFile(join(root, path));
  });

  it.each([
    ['a folder outside', '.tenantctl/results', (outside: string) => outside],
    ['what does not exist yet', '.tenantctl/kept/results', (outside: string) => join(outside, 'none')],
  ])('is not written through a link to %s', (_what, path, target) => {
    const root = createLink(path, target);
    expect(codeOf(() => requireOwnFile(join(root, path, 'a.json')))).toEqual(['outside-project']);
    expect(codeOf(() => requireOwnFolder(root))).toEqual(['outside-project']);
  });

  it('is judged by the innermost `.tenantctl`, and only there', () => {
    const root = createLink('config', (outside) => outside);
    for (const path of ['config/a.json', '.git/a.json']) requireOwnFile(join(root, path));
    const inner = project({ '.tenantctl/copy/.tenantctl/kept': '' });
    symlinkSync('../..', join(inner, '.tenantctl/copy/.tenantctl/up'));
    const up = join(inner, '.tenantctl/copy/.tenantctl/up/a.json');
    expect(codeOf(() => requireOwnFile(up))).toEqual(['outside-project']);
  });
});

it('a broken link out of the project is refused as one that leads there, and so is one into `.git`', () => {
  const root = createLink('data', (outside) => join(outside, 'none'));
  expect(codeOf(() => requireInside(root, 'data'))).toEqual(['outside-project']);
  const inGit = createLink('data', () => '.git');
  expect(codeOf(() => requireInside(inGit, 'data/a'))).toEqual(['reserved-folder']);
});

it('a file in the place of a folder is left to what makes the folder', () => {
  const root = project({ results: 'a file' });
  requireInside(root, 'results/new/a.json');
  requireOwnFolder(root);
  requireOwnFile(join(root, '.tenantctl/a.json'));
});
