/** Whether a file came with the repository: then no run of this machine wrote it. */
import { chownSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInRepository } from '../../src/loader/git.ts';
import { commitAll, git } from '../support/repository.ts';
import { type Files, project } from './fixture.ts';

const journal = '.tenantctl/fleets/a.jsonl';

function createCommitted(files: Files): string {
  const root = realpathSync(project({ 'tenantctl.yaml': '', ...files }));
  commitAll(root);
  return root;
}

describe('a file of the project came with the repository', () => {
  it('where it was committed, or only added', async () => {
    const root = createCommitted({ [journal]: '' });
    expect(await isInRepository(root, join(root, journal))).toBe(true);
    writeFileSync(join(root, '.tenantctl/fleets/b.jsonl'), '');
    expect(await isInRepository(root, join(root, '.tenantctl/fleets/b.jsonl'))).toBe(false);
    git(root, 'add', '.');
    expect(await isInRepository(root, join(root, '.tenantctl/fleets/b.jsonl'))).toBe(true);
  });

  it('where the project is in a folder of the repository', async () => {
    const root = createCommitted({ [`sub/${journal}`]: '', 'other/a': '' });
    expect(await isInRepository(join(root, 'sub'), join(root, 'sub', journal))).toBe(true);
    expect(await isInRepository(join(root, 'other'), join(root, 'other/a'))).toBe(true);
  });

  it('where a link above it was committed', async () => {
    const root = realpathSync(project({ 'tenantctl.yaml': '', 'store/fleets/a.jsonl': '' }));
    symlinkSync('store', join(root, '.tenantctl'));
    git(root, 'init', '-q');
    git(root, 'add', '.tenantctl');
    expect(await isInRepository(root, join(root, journal))).toBe(true);
    const target = realpathSync(project({ 'store/fleets/a.jsonl': '' }));
    symlinkSync(join(target, 'store'), join(root, 'new'));
    expect(await isInRepository(root, join(root, 'new/fleets/a.jsonl'))).toBe(false);
  });

  it('where what a link leads to was committed', async () => {
    const root = createCommitted({ 'store/fleets/a.jsonl': '' });
    symlinkSync('store', join(root, '.tenantctl'));
    expect(await isInRepository(root, join(root, journal))).toBe(true);
  });

  it('where a submodule above it was added', async () => {
    const root = createCommitted({});
    mkdirSync(join(root, '.tenantctl/fleets'), { recursive: true });
    const head = git(root, 'rev-parse', 'HEAD').trim();
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${head},.tenantctl`);
    writeFileSync(join(root, journal), '');
    expect(await isInRepository(root, join(root, journal))).toBe(true);
  });

  it('where only its case differs', async () => {
    const root = createCommitted({ [journal]: '' });
    renameSync(join(root, '.tenantctl'), join(root, '.Tenantctl'));
    expect(await isInRepository(root, join(root, '.Tenantctl/fleets/a.jsonl'))).toBe(true);
  });

  it('but not where only the beginning or the end of its name is there', async () => {
    const root = createCommitted({ '.tenantctl/fleets/a': '', 'fleets/b.jsonl': '', 'b.jsonl': '' });
    for (const name of ['a.jsonl', 'b.jsonl']) {
      writeFileSync(join(root, '.tenantctl/fleets', name), '');
      expect(await isInRepository(root, join(root, '.tenantctl/fleets', name))).toBe(false);
    }
  });

  it('but not in a project that is in no repository', async () => {
    const root = realpathSync(project({ [journal]: '' }));
    expect(await isInRepository(root, join(root, journal))).toBe(false);
  });

  it('or cannot be told, where the repository cannot be read', async () => {
    const root = createCommitted({ [journal]: '' });
    const cannotTell = () => expect(isInRepository(root, join(root, journal))).rejects;
    if (process.geteuid?.() === 0) {
      chownSync(join(root, '.git'), 12345, 12345);
      await cannotTell().toThrow('belongs to another user');
    }
    renameSync(join(root, '.git'), join(root, 'elsewhere'));
    writeFileSync(join(root, '.git'), 'gitdir: ../none\n');
    await cannotTell().toThrow('is not a repository');
  });
});
