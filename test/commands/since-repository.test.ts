/** `--since REV` refuses repositories in which a missing manifest does not mean that somebody removed it. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitAll, git } from '../support/repository.ts';
import { createTestWorld, expectEnd, type Ran, runProgram, type World } from '../support/world.ts';

const sender = (name: string) => `kind: SenderAddress\nemail: ${name}@acme.example\n`;
const names = ['a', 'b', 'c'];

/** A committed project with a sender in each file, all of which the tenant has. */
async function repository(): Promise<World> {
  const world = await createTestWorld({
    seed: `senders: [${names.map((name) => `{ email: ${name}@acme.example }`).join(', ')}]\n`,
  });
  for (const name of names) world.write(`config/${name}/${name}.yaml`, sender(name));
  commitAll(world.dir);
  return world;
}

/** A clone with these options. Its history is that of a server, not of a folder on the same disk. */
function cloneOf(world: World, ...options: string[]): string {
  const clone = join(world.dir, 'clone');
  git(world.dir, 'clone', '-q', ...options, `file://${world.dir}`, clone);
  return clone;
}

const planIn = ({ env }: World, cwd: string, revision: string) =>
  runProgram(['plan', '--format', 'json', '--since', revision], { cwd, env });

function expectRefused({ code, stderr, json }: Ran, problem: string, ...words: string[]): void {
  expect(code).toBe(1);
  expect(json).toMatchObject({ diagnostics: [{ code: problem, severity: 'error' }] });
  for (const word of words) expect(stderr).toContain(word);
}

describe('a clone without', () => {
  it('the log of that time, as a new clone does, is refused: what was removed since would not show', async () => {
    const world = await repository();
    const clone = cloneOf(world);
    for (const revision of ['HEAD@{1.year.ago}', 'main@{2001-01-01}']) {
      expectRefused(await planIn(world, clone, revision), 'unknown-revision', 'only goes back to');
    }
    expect(await planIn(world, clone, 'HEAD@{0}')).toMatchObject({ code: 0 });
    expect(await planIn(world, clone, 'HEAD@{now}')).toMatchObject({ code: 0 });
  });

  it('the files of the revision is not filled up by git', async () => {
    const world = await repository();
    git(world.dir, 'config', 'uploadpack.allowFilter', 'true');
    world.write('config/a/a.yaml', `# Later.\n${sender('a')}`);
    git(world.dir, 'commit', '-qam', 'second');
    const clone = cloneOf(world, '--filter=blob:none');
    expectRefused(await planIn(world, clone, 'HEAD~1'), 'incomplete-clone', '--filter');
    git(clone, 'cat-file', '-p', 'HEAD~1:config/a/a.yaml');
    expect(await planIn(world, clone, 'HEAD~1')).toMatchObject({ code: 0, json: { changes: [] } });
  });
});

describe('manifests that git leaves out of the work tree', () => {
  it.each([
    ['with full directories', ['--no-sparse-index']],
    ['with a sparse index', ['--sparse-index']],
  ])('by a sparse checkout are refused, %s', async (_name, options) => {
    const world = await repository();
    git(world.dir, 'sparse-checkout', 'set', '--cone', ...options, 'config/a');
    expect(readdirSync(join(world.dir, 'config'))).toEqual(['a']);
    expectRefused(await planIn(world, world.dir, 'HEAD'), 'hidden-manifests', 'config/b', 'sparse-checkout');
  });

  it('are refused too where they are descriptions of kinds, whose manifests were removed', async () => {
    const kind =
      'kind: Role\npath: /v2025/roles\nkey: name\ndelete: true\ncreate: true\nfields: { description: text }\n';
    const world = await createTestWorld({
      seed: `kinds:\n  - ${kind.trim().replaceAll('\n', '\n    ')}\nobjects: { Role: [{ name: A }, { name: B }] }\n`,
      files: { 'kinds/Role.kind.yaml': kind, 'config/a/a.yaml': 'kind: Role\nname: A\n' },
    });
    world.write('config/b/b.yaml', sender('b'));
    commitAll(world.dir);
    git(world.dir, 'rm', '-q', 'config/a/a.yaml');
    git(world.dir, 'commit', '-qm', 'second');
    expect((await planIn(world, world.dir, 'HEAD~1')).json).toMatchObject({ summary: { delete: 1 } });
    git(world.dir, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'config');
    expectRefused(await planIn(world, world.dir, 'HEAD~1'), 'hidden-manifests', 'kinds/', 'sparse-checkout');
  });

  it.each(['--skip-worktree', '--assume-unchanged'])('by %s are refused', async (mark) => {
    const world = await repository();
    git(world.dir, 'update-index', mark, 'config/b/b.yaml');
    rmSync(join(world.dir, 'config/b/b.yaml'));
    expect(git(world.dir, 'status', '--porcelain')).toBe('');
    expectRefused(await planIn(world, world.dir, 'HEAD'), 'hidden-manifests', 'config/b/b.yaml');
  });

  it('because they became a submodule are refused until it is checked out', async () => {
    const world = await repository();
    const other = join(world.dir, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'a.yaml'), sender('a'));
    commitAll(other);
    git(world.dir, 'rm', '-rq', 'config/a');
    const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'config/a'];
    git(world.dir, ...add);
    git(world.dir, 'commit', '-qm', 'submodule');
    expect(await planIn(world, world.dir, 'HEAD~1')).toMatchObject({ code: 0, json: { changes: [] } });
    git(world.dir, 'submodule', '--quiet', 'deinit', '--force', 'config/a');
    expectRefused(await planIn(world, world.dir, 'HEAD~1'), 'hidden-manifests', 'config/a/', 'submodule');
  });

  it('are no concern where they are not of this project, or no manifests', async () => {
    const world = await repository();
    world.write('notes.txt', 'n');
    world.write('inner/tenantctl.yaml', world.read('tenantctl.yaml'));
    world.write('inner/config/a.yaml', sender('a'));
    commitAll(world.dir, 'inner');
    git(world.dir, 'update-index', '--skip-worktree', 'notes.txt', 'config/b/b.yaml');
    const ran = await planIn(world, join(world.dir, 'inner'), 'HEAD');
    expect(ran).toMatchObject({ code: 0, json: { changes: [] } });
    git(world.dir, 'update-index', '--no-skip-worktree', 'config/b/b.yaml');
    expect(await planIn(world, world.dir, 'HEAD')).toMatchObject({ code: 0, json: { changes: [] } });
  });
});

describe('a repository', () => {
  it('that does not hold the project is not its own', async () => {
    const world = await repository();
    world.write('.gitignore', 'inner/\n');
    git(world.dir, 'add', '.gitignore');
    git(world.dir, 'commit', '-qm', 'ignore');
    world.write('inner/tenantctl.yaml', world.read('tenantctl.yaml'));
    world.write('inner/config/a.yaml', sender('a'));
    const ran = await planIn(world, join(world.dir, 'inner'), 'HEAD');
    expectRefused(ran, 'no-repository', 'inner/tenantctl.yaml');
  });

  it('may be a work tree of another, split its index, or borrow its objects', async () => {
    const world = await repository();
    world.write('config/d.yaml', sender('d'));
    commitAll(world.dir, 'second');
    const tree = join(world.dir, 'tree');
    git(world.dir, 'worktree', 'add', '-q', '--detach', tree);
    git(tree, 'update-index', '--split-index');
    const shared = join(world.dir, 'shared');
    git(world.dir, 'clone', '-q', '--shared', '.', shared);
    git(shared, 'pack-refs', '--all');
    for (const folder of [tree, shared]) {
      rmSync(join(folder, 'config/a'), { recursive: true });
      for (const revision of ['HEAD', 'HEAD~1', git(folder, 'rev-parse', 'HEAD~1')]) {
        const { json } = await expectEnd(planIn(world, folder, revision), 0);
        expect(json).toMatchObject({ summary: { delete: 1, create: 1 } });
      }
    }
  });

  it('may have objects named by SHA-256, tags, and names of git for earlier commits', async () => {
    const world = await repository();
    rmSync(join(world.dir, '.git'), { recursive: true });
    git(world.dir, 'init', '-q', '-b', 'main', '--object-format=sha256');
    commitAll(world.dir);
    git(world.dir, 'tag', '-a', 'v1', '-m', 'one');
    git(world.dir, 'commit', '-q', '--allow-empty', '-m', 'second');
    git(world.dir, 'update-ref', 'ORIG_HEAD', 'HEAD~1');
    rmSync(join(world.dir, 'config/a'), { recursive: true });
    for (const revision of ['v1', 'ORIG_HEAD', '@{1}', ':/before']) {
      const { json } = await expectEnd(planIn(world, world.dir, revision), 0);
      expect(json).toMatchObject({ summary: { delete: 1 } });
    }
  });

  it('is not changed', async () => {
    const world = await repository();
    const contents = () =>
      git(world.dir, 'status', '--porcelain') + readdirSync(join(world.dir, '.git')).join();
    const before = contents();
    mkdirSync(join(world.dir, 'config/empty'));
    appendFileSync(join(world.dir, '.git/info/exclude'), '');
    await planIn(world, world.dir, 'HEAD');
    expect(contents()).toBe(before);
  });
});

it('compares a dot folder by one rule, then and now', async () => {
  const world = await repository();
  world.write('config/.d/d.yaml', sender('d'));
  writeFileSync(join(world.dir, 'config/.e.yaml'), sender('e'));
  commitAll(world.dir, 'dots');
  expect(await planIn(world, world.dir, 'HEAD')).toMatchObject({ code: 0, json: { changes: [] } });
});
