/** The descriptors that `kind add` copies, on objects of the shape that tenants have them in. */
import { rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  libraryDescriptor as descriptor,
  libraryKinds as kinds,
  libraryFiles,
  libraryFolder,
  libraryObjects as objects,
} from '../support/library.ts';
import { createTestWorld, expectEnd, filesBelow, setSecrets, succeed } from '../support/world.ts';

/** What to change in the manifest of an export. */
const changes: Readonly<Record<string, readonly [from: string, to: string]>> = {
  AccessProfile: ['commentsRequired: true', 'commentsRequired: false'],
  ConnectorRule: ['return map;', 'return null;'],
  FormDefinition: ['label: Name', 'label: Given name'],
  GovernanceGroup: ['description: Approvers', 'description: Who approves'],
  IdentityProfile: ['attributeName: mail', 'attributeName: email'],
  LifecycleState: ['notifyManagers: true', 'notifyManagers: false'],
  PasswordPolicy: ['minLength: 12', 'minLength: 14'],
  ProvisioningPolicy: ['name: uid', 'name: login'],
  Role: ['stringValue: Finance', 'stringValue: Treasury'],
  Segment: ['value: Finance', 'value: Treasury'],
  SodPolicy: ['state: ENFORCED', 'state: NOT_ENFORCED'],
  Source: ['healthCheckTimeout: 30', 'healthCheckTimeout: 60'],
  SourceSchema: ['nativeObjectType: User', 'nativeObjectType: Person'],
  Transform: ['attributeName: pwdLastSet', 'attributeName: lastSet'],
  Workflow: ['deadline: 30d', 'deadline: 10d'],
};

/** Ids of this tenant alone that stay in an export: those in a text. */
const idsKept: Readonly<Record<string, number>> = { SodPolicy: 2 };

/** A project with the whole library, and a tenant that serves it. */
const libraryWorld = () =>
  createTestWorld({
    seed: JSON.stringify({ objects }),
    sandbox: { kinds: libraryFolder },
    files: libraryFiles,
  });

it('has a test of each kind that writes', () => {
  const onlyRead = ['Entitlement', 'GovernanceGroupMember'];
  expect(Object.keys(changes)).toEqual(kinds.filter((kind) => !onlyRead.includes(kind)));
});

it('says what a kind is in few lines, with its places', () => {
  const lines = (kind: string) => descriptor(kind).trimEnd().split('\n').length;
  expect(kinds.filter((kind) => lines(kind) > 30)).toEqual([]);
});

it('has kinds that are exported, changed and applied', async () => {
  const world = await libraryWorld();
  const written = Object.keys(changes);
  await succeed(world, 'export', '--kinds', ...written);
  for (const kind of written)
    setSecrets(world, kind, JSON.parse(JSON.stringify(objects[kind]).replaceAll('********', 'a-password')));
  const emptyPlan = () => succeed(world, 'plan', '--detailed-exitcode');
  await emptyPlan();
  const files = [...filesBelow(join(world.dir, 'config'))];
  for (const [kind, [from, to]] of Object.entries(changes)) {
    const [path, text] = files.find(([, each]) => new RegExp(`^kind: ${kind}$`, 'm').test(each)) ?? ['', ''];
    expect(text).toContain(from);
    // Of all objects, only the source has a credential: expressions and paths into a vault are none.
    expect(text.includes('!secret')).toBe(kind === 'Source');
    expect(text.match(/\b[0-9a-f]{32}\b/g) ?? [], text).toHaveLength(idsKept[kind] ?? 0);
    world.write(`config/${path}`, text.replace(from, to));
  }
  const { changes: planned } = await world.plan();
  expect(planned.map(({ kind }) => kind).toSorted()).toEqual(written);
  await succeed(world, 'apply', '--yes');
  await emptyPlan();
});

describe('kind add', () => {
  it('lists what there is', async () => {
    const { stdout } = await succeed(await createTestWorld(), 'kind', 'add');
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([...kinds, '']);
    expect(stdout).toMatch(/^Role +Access profiles and entitlements for people with something in common\.$/m);
  });

  it('copies a descriptor into the project', async () => {
    const world = await createTestWorld({ files: { 'kinds/Segment.kind.yaml': descriptor('Segment') } });
    const { stdout } = await succeed(world, 'kind', 'add', 'Role');
    expect(world.read('kinds/Role.kind.yaml')).toBe(descriptor('Role'));
    expect(stdout).toBe(`\
Written: kinds/Role.kind.yaml. Show that it holds: \`tenantctl kind check Role\`.
`);
    await succeed(world, 'validate');
  });

  it('leaves a file that is there, and one outside of the project', async () => {
    const world = await createTestWorld({ files: { 'kinds/Role.kind.yaml': 'kind: Role' } });
    await expectEnd(
      world.run('kind', 'add', 'Role'),
      1,
      'kinds/Role.kind.yaml already exists. Nothing was written.',
    );
    expect(world.read('kinds/Role.kind.yaml')).toBe('kind: Role');
    rmSync(join(world.dir, 'kinds'), { recursive: true });
    symlinkSync(tmpdir(), join(world.dir, 'kinds'));
    expect((await world.run('kind', 'add', 'Role')).stderr).toContain('[outside-project]');
  });

  it.each([
    [['add', 'Rolle'], 'Did you mean `Role`?'],
    [['add', 'Role', 'x'], 'Unknown argument: x.'],
    [['add', 'Role', '--write'], 'kind add takes no --write.'],
    [['check'], 'kind check needs a kind.'],
    [['draft'], 'kind draft needs an OpenAPI document.'],
  ])('kind %j is a mistake', async (words, told) => {
    await expectEnd((await createTestWorld()).run('kind', ...words), 1, told);
  });
});
