/** Configuration exports of the vendor's own tooling, as a start and as a side of a diff. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diff } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { libraryFiles, libraryFolder, libraryObjects } from '../support/library.ts';
import { createTestWorld, expectEnd, filesBelow, setSecrets, succeed, type World } from '../support/world.ts';

const typeOf = (kind: string) => kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

const entry = (type: string, { id, name, ...object }: JsonObject): JsonObject => ({
  version: 1,
  self: { type, ...(id !== undefined && { id }), ...(name !== undefined && { name }) },
  object: { id: null, ...object },
});

/** What such an export never has. */
const notInBackups = ['Identity', 'Cluster', 'Entitlement', 'GovernanceGroupMember'];

/** The library's objects: what is below a source stands inside it, and lifecycle states on their own. */
function libraryEntries(): JsonObject[] {
  const { Source = [], SourceSchema = [], ProvisioningPolicy = [], ...rest } = libraryObjects;
  const { LifecycleState = [], ...others } = rest;
  const below = (rows: readonly JsonObject[]) => rows.map(({ source: _, ...row }) => row);
  const sources = Source.map((source) => ({
    ...source,
    schemas: below(SourceSchema),
    provisioningPolicies: below(ProvisioningPolicy),
  }));
  const states = LifecycleState.map(({ profile, ...state }) => ({
    ...state,
    identityProfile: { id: profile ?? '' },
  }));
  const kinds = Object.entries({ ...others, Source: sources, LifecycleState: states });
  return kinds
    .filter(([kind]) => !notInBackups.includes(kind))
    .flatMap(([kind, objects]) => objects.map((object) => entry(typeOf(kind), object)));
}

const backupOf = (objects: readonly JsonObject[]) =>
  JSON.stringify({ version: 1, timestamp: '2026-11-01T00:00:00Z', tenant: 'acme', objects });

/** A tenant with the whole library, and a backup of it. */
async function createStage(): Promise<World> {
  const world = await createTestWorld({
    seed: JSON.stringify({ objects: libraryObjects }),
    sandbox: { kinds: libraryFolder },
    files: libraryFiles,
  });
  world.write('backup.json', backupOf(libraryEntries()));
  return world;
}

const hasRole = (name: string) => entry('ROLE', { id: `id-of-${name}`, name, description: name });

describe('export --from', () => {
  it('writes what an export of the tenant would, and reads no tenant', async () => {
    const world = await createStage();
    await succeed(world, 'export');
    const { length } = world.sandbox.log;
    const { stdout, stderr } = await succeed(world, 'export', '--from', 'backup.json', '--out', 'other');
    expect(world.sandbox.log.length).toBe(length);
    expect(stdout).toContain('Files written to other: 15.\n');
    const [all, others] = [filesBelow(join(world.dir, 'config')), filesBelow(join(world.dir, 'other'))];
    expect([...others.keys()]).toEqual([...all.keys()]);
    // A backup has no identities and clusters: their ids stay, and each is told.
    const named = (text = '') =>
      text.replaceAll(/^(owner|cluster|ownerRef):\n( {2}.*\n)+|^(owner|cluster):.*\n/gm, '');
    for (const [path, text] of others)
      if (!text.includes('additionalOwners')) expect(named(text)).toBe(named(all.get(path)));
    expect(others.get('sources/hr.yaml')).toContain('password: !secret');
    expect(stderr).toContain('the backup has no Identity with this id');
    expect(stderr).not.toContain('kind-left-out');
    expect(stderr).not.toContain('the tenant');
  });

  it('gives manifests of which a plan is empty for the tenant that it is of', async () => {
    const world = await createStage();
    await succeed(world, 'export', '--from', 'backup.json');
    const shown = JSON.parse(JSON.stringify(libraryObjects.Source).replaceAll('********', 'a-password'));
    setSecrets(world, 'Source', shown);
    expect((await world.plan()).changes).toEqual([]);
  });

  it('takes a folder with one file for each object, and entries that are there twice', async () => {
    const world = await createStage();
    world.write('backup/roles/a.json', JSON.stringify(hasRole('a')));
    world.write('backup/roles/b.json', JSON.stringify([hasRole('b'), hasRole('a')]));
    await succeed(world, 'export', '--from', 'backup', '--only', 'Role/a');
    const [[path, text] = ['', '']] = filesBelow(join(world.dir, 'config'));
    expect([path, text]).toEqual(['roles/a.yaml', 'kind: Role\nname: a\ndescription: a\n']);
  });

  it('refuses two objects with one id', async () => {
    const world = await createStage();
    world.write('backup.json', backupOf([hasRole('a'), { ...hasRole('a'), object: { description: 'b' } }]));
    await expectEnd(world.run('export --from backup.json'), 1, 'lists the row with id id-of-a twice');
  });

  it('counts and names what is left out, and why', async () => {
    const described = ['LifecycleState', 'IdentityProfile', 'AccessProfile'];
    const isDescribed = ([path]: [string, string]) => described.some((kind) => path.includes(`/${kind}.`));
    const files = Object.fromEntries(Object.entries(libraryFiles).filter(isDescribed));
    const world = await createTestWorld({ files });
    const tags = ['a', 'b'].map((name) => entry('TAG', { id: name, name }));
    const source = entry('SOURCE', { id: 's', name: 'HR' });
    const state = entry('LIFECYCLE_STATE', { id: 'l', name: 'Active', technicalName: 'active' });
    world.write('backup.json', backupOf([...tags, source, state]));
    const { stderr, stdout } = await succeed(world, 'export', '--from', 'backup.json');
    expect(stdout).toContain('Files written to config: 0.');
    expect(stderr).toContain(`\
The backup has objects that are left out:  [kind-left-out]
    - 1 LIFECYCLE_STATE: the backup does not say which object they belong to
    - 1 SOURCE: the kind Source is read-only
    - 2 TAG: no kind describes them
`);
  });

  it.each([
    ['{', 'is not JSON'],
    ['{"objects": 1}', 'has no list of `objects`'],
    ['{"version": 1}', 'has an entry that cannot be used: object 1'],
    [backupOf([hasRole('a'), { self: {}, object: {} }]), 'has an entry that cannot be used: object 2'],
    [backupOf([entry('../ROLE', { id: 'a' })]), 'has an entry that cannot be used: object 1'],
    [backupOf([entry('ROLE', { id: '../x' })]), 'has an entry that cannot be used: object 1'],
    [`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`, 'is nested too deeply'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'is nested too deeply'],
  ])('refuses what is no backup: %.40s', async (content, told) => {
    const world = await createTestWorld({ files: libraryFiles });
    world.write('backup.json', content);
    await expectEnd(world.run('export --from backup.json'), 1, told, '[bad-backup]');
    expect(existsSync(join(world.dir, 'config'))).toBe(false);
  });

  it('refuses one that is larger than manifests may be', async () => {
    const world = await createTestWorld();
    world.write('tenantctl.yaml', `${world.read('tenantctl.yaml')}sizeLimit: 1\n`);
    world.write('backup.json', `[${' '.repeat(2 ** 20)}]`);
    await expectEnd(world.run('export --from backup.json'), 1, '[project-too-large]');
  });

  it('writes nowhere but into the folder, and reads nothing outside of the backup', async () => {
    const world = await createStage();
    const odd = ['../../x', '/etc/x', 'a/../../b', '__proto__', 'constructor'].map((name, at) => ({
      ...hasRole(name),
      self: { type: 'ROLE', id: `i${at}`, name },
    }));
    world.write('odd.json', backupOf(odd));
    const { stdout } = await succeed(world, 'export', '--from', 'odd.json', '--dry-run');
    const paths = [...stdout.matchAll(/^\+ (.*)$/gm)].map(([, path = '']) => path);
    expect(paths).toHaveLength(5);
    for (const path of paths) expect(path).toMatch(/^config\/roles\/[\w.-]+\.yaml$/);
    world.write('backup/a.json', JSON.stringify(hasRole('a')));
    symlinkSync(join(world.dir, 'odd.json'), join(world.dir, 'backup/b.json'));
    expect((await world.run('export --from backup')).stderr).toContain('[outside-project]');
  });

  it('is refused with --merge, and for manifests', async () => {
    const world = await createStage();
    const merge = world.run('export --merge --from backup.json');
    await expectEnd(merge, 1, '--from cannot be combined with --merge');
    await succeed(world, 'export', '--from', 'backup.json');
    const again = world.run('export --from config --out other');
    await expectEnd(again, 1, 'config has no JSON of a configuration export');
  });
});

describe('diff', () => {
  it('compares a backup with the tenant that it is of, in the kinds that it has', async () => {
    const world = await createStage();
    const equal = await succeed(world, 'diff', 'backup.json', 'test');
    expect(equal.stdout).toContain('No differences: 15 objects are equal in backup.json and test.');
    expect(equal.stdout).toMatch(/no backup has objects of these kinds: .*SenderAddress/s);
    const role = world.sandbox.state.objects.Role?.[0];
    Object.assign(role ?? {}, { description: 'Accounts' });
    const { json } = await succeed(world, 'diff', 'backup.json', 'test', '--format', 'json');
    expect(json).toMatchObject({
      sides: [
        { name: 'backup.json', is: 'backup', tenant: null },
        { name: 'test', is: 'tenant' },
      ],
      objects: [
        { address: 'Role/Accountant', diff: [{ path: '/description', before: 'Books', after: 'Accounts' }] },
      ],
      summary: { equal: 14 },
    });
  });

  it('compares a backup with manifests, and with another backup', async () => {
    const world = await createStage();
    await succeed(world, 'export', '--from', 'backup.json');
    expect((await succeed(world, 'diff', './config', 'backup.json')).stdout).toContain(
      'No differences: 15 objects',
    );
    const text = readFileSync(join(world.dir, 'backup.json'), 'utf8').replace('"Books"', '"Accounts"');
    // Another tenant has other ids. What the backups do not have has no other name, and a text stays a text.
    world.write('later.json', text.replaceAll(/\b2c9(?=[0-9a-f]{28,29}\b)/g, 'abc'));
    world.env.TENANTCTL_ENV = 'test';
    world.write(
      'tenantctl.yaml',
      `${world.read('tenantctl.yaml').replace('defaultEnvironment: test\n', '')}  other: { sandbox: {} }\n`,
    );
    const { stdout } = await succeed(world, 'diff', 'backup.json', 'later.json', '--format', 'json');
    const { objects }: Diff = JSON.parse(stdout);
    const differing = objects.flatMap(({ address, diff: all }) =>
      all.map(({ path }) => `${address} ${path}`),
    );
    expect(differing).toEqual([
      'FormDefinition/Leave /owner',
      'Role/Accountant /description',
      'SodPolicy/Pay%20and%20approve /policyQuery',
    ]);
  });
});
