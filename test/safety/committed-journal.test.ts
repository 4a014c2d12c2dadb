/** The journal of an apply that somebody put into the repository: it would show what nobody did. */
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTestFleet, type TestFleet } from '../support/fleet.ts';
import { commitAll, git } from '../support/repository.ts';

const journals = '.tenantctl/fleets';
let fleet: TestFleet;

/** An apply that is done in `first`, and was refused in `second`; the journal says so. */
beforeEach(async () => {
  fleet = await createTestFleet({ names: ['first', 'second'] });
  fleet.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  expect(await fleet.run('plan -e * --out fleet.json')).toMatchObject({ code: 0 });
  const { faults } = fleet.sandboxOf('second');
  faults.add({ kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });
  expect(await apply()).toMatchObject({ code: 3 });
  faults.clear();
  expect(readdirSync(join(fleet.dir, journals))).toHaveLength(1);
});

const apply = () => fleet.run('apply fleet.json');
const requests = () => fleet.sandboxes.flatMap(({ log }) => log).length;

async function isRefused(): Promise<void> {
  const before = requests();
  const { code, stdout, stderr } = await apply();
  expect([code, requests()]).toEqual([4, before]);
  expect(stdout + stderr).toMatch(/\[committed-journal\][\s\S]*git rm/);
}

describe('is refused, and nothing is sent', () => {
  it('where it was committed', async () => {
    commitAll(fleet.dir);
    await isRefused();
  });

  it('where it was only added', async () => {
    git(fleet.dir, 'init', '-q');
    git(fleet.dir, 'add', '--force', journals);
    await isRefused();
  });

  it('where a link leads to it', async () => {
    renameSync(join(fleet.dir, journals), join(fleet.dir, 'records'));
    git(fleet.dir, 'init', '-q');
    git(fleet.dir, 'add', 'records');
    symlinkSync('../records', join(fleet.dir, journals));
    await isRefused();
  });

  it('where its folder is a link or a submodule of the repository', async () => {
    git(fleet.dir, 'init', '-q');
    renameSync(join(fleet.dir, journals), join(fleet.dir, 'records'));
    symlinkSync('../records', join(fleet.dir, journals));
    git(fleet.dir, 'add', '--force', journals);
    await isRefused();
    rmSync(join(fleet.dir, '.git'), { recursive: true });
    rmSync(join(fleet.dir, journals));
    cpSync(join(fleet.dir, 'records'), join(fleet.dir, journals), { recursive: true });
    git(fleet.dir, 'init', '-q');
    const commit = '160000,0123456789012345678901234567890123456789,.tenantctl';
    git(fleet.dir, 'update-index', '--add', '--cacheinfo', commit);
    await isRefused();
  });

  it('where its name has another case, which some file systems ignore', async () => {
    git(fleet.dir, 'init', '-q');
    const [name = ''] = readdirSync(join(fleet.dir, journals));
    const blob = git(fleet.dir, 'hash-object', '-w', join(journals, name));
    git(fleet.dir, 'update-index', '--add', '--cacheinfo', `100644,${blob},.Tenantctl/Fleets/${name}`);
    await isRefused();
  });
});

it('of an apply to one environment is refused as well: a secret that was not sent does not show in the tenant', async () => {
  const { faults, log } = fleet.sandboxOf('second');
  await fleet.run('plan -e second --out plan.json');
  faults.add({ kind: 'status', status: 403, method: 'POST', path: '/v2025' });
  expect(await fleet.run('apply plan.json')).toMatchObject({ code: 3 });
  faults.clear();
  git(fleet.dir, 'init', '-q');
  git(fleet.dir, 'add', '--force', '.tenantctl/second/journal');
  const posts = () => log.filter(({ operation }) => operation === 'create-verified-from-address').length;
  const before = posts();
  for (const more of [[], ['--dry-run']]) {
    const { code, stderr } = await fleet.run('apply plan.json', ...more);
    expect([code, stderr]).toEqual([4, expect.stringContaining('[committed-journal]')]);
  }
  expect(posts()).toBe(before);
  rmSync(join(fleet.dir, '.git'), { recursive: true });
  expect(await fleet.run('apply plan.json')).toMatchObject({ code: 0 });
});

it('says why it needs git, where that cannot be run', async () => {
  git(fleet.dir, 'init', '-q');
  const noPrograms = mkdtempSync(join(tmpdir(), 'tenantctl-no-git-'));
  vi.stubEnv('PATH', noPrograms);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(noPrograms, { recursive: true });
  });
  const { code, stderr } = await apply();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\[git-unavailable\][\s\S]*Install git/)]);
});

it('is not believed where the repository is elsewhere, as for a work tree that is mounted into a container', async () => {
  commitAll(fleet.dir);
  renameSync(join(fleet.dir, '.git'), join(fleet.dir, 'elsewhere'));
  writeFileSync(join(fleet.dir, '.git'), 'gitdir: ../nowhere\n');
  const before = requests();
  const { code, stdout, stderr } = await apply();
  expect([code, requests()]).toEqual([1, before]);
  expect(stdout + stderr).toMatch(/\[no-repository\][\s\S]*in a clone of the repository/);
});

it('is believed where git does not know it', async () => {
  writeFileSync(join(fleet.dir, '.gitignore'), '.tenantctl/*\n');
  git(fleet.dir, 'init', '-q', '-b', 'main');
  git(fleet.dir, 'add', '.');
  git(fleet.dir, 'commit', '-qm', 'one');
  const before = fleet.sandboxOf('first').log.length;
  expect(await apply()).toMatchObject({ code: 0 });
  expect(fleet.sandboxOf('first').log).toHaveLength(before);
});
