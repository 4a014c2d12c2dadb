import { expect, it, onTestFinished } from 'vitest';
import type { Diff } from '../../src/model/documents.ts';
import { caseFiles, caseId, caseRole, caseSeed } from '../support/tenant-of-cases.ts';
import { createTwoTenants } from '../support/two-tenants.ts';
import { createTestWorld, filesBelow, succeed } from '../support/world.ts';

const role = `kind: Role
summary: Access for people with something in common.
path: /v2025/roles
key: name
list: { pageSize: 50 }
update: json-patch
create: true
delete: true
fields:
  owner: { is: reference, to: Identity, type: IDENTITY }
  sources: { is: set, to: Source }
  cluster: { is: value, to: Cluster }
serverOwned: [id, created, modified]
`;
const readOnly = (kind: string, path: string) =>
  `kind: ${kind}\nsummary: Only read.\npath: ${path}\nkey: name\n`;
const files = {
  'kinds/Role.kind.yaml': role,
  'kinds/Identity.kind.yaml': readOnly('Identity', '/v2025/identities'),
  'kinds/Source.kind.yaml': readOnly('Source', '/v2025/sources'),
  'kinds/Cluster.kind.yaml': readOnly('Cluster', '/v2025/managed-clusters'),
};

/** A tenant whose ids begin with its name, with one role and what that refers to. */
interface Names {
  readonly cluster: string;
  readonly sources: readonly string[];
  /** `null`: the tenant has no object with the owner's id. */
  readonly owner: string | null;
}

function seedOf(tenant: string, { cluster, sources, owner }: Names): string {
  const objects = {
    Identity: owner === null ? [] : [{ id: `${tenant}-owner`, name: owner }],
    Source: sources.map((name, at) => ({ id: `${tenant}-${at}`, name })),
    Cluster: [{ id: `${tenant}-va`, name: cluster }],
    Role: [
      {
        id: `${tenant}-role`,
        name: 'Reader',
        owner: { type: 'IDENTITY', id: `${tenant}-owner` },
        sources: sources.map((_, at) => `${tenant}-${at}`),
        cluster: `${tenant}-va`,
      },
    ],
  };
  return `kinds:\n  - ${role.trimEnd().replaceAll('\n', '\n    ')}\nobjects: ${JSON.stringify(objects)}\n`;
}

async function diffRoles(first: Names, second: Names) {
  const two = await createTwoTenants({
    test: { seed: seedOf('test', first), files },
    production: { seed: seedOf('production', second) },
  });
  onTestFinished(() => two.close());
  const { stdout } = await succeed(two, 'diff test production --kinds Role --format json');
  const diff: Diff = JSON.parse(stdout);
  return diff;
}

const ours: Names = { cluster: 'va', sources: ['HR', 'Directory'], owner: 'Ann' };

it('ids of objects with the same names are no difference', async () => {
  const { objects, diagnostics } = await diffRoles(ours, { ...ours, sources: ['Directory', 'HR'] });
  expect({ objects, diagnostics }).toEqual({ objects: [], diagnostics: [] });
});

it('other names are, as references, and an id that no object has stays an id on both sides', async () => {
  const { objects: named, diagnostics } = await diffRoles(ours, {
    cluster: 'va-2',
    sources: ['HR', 'Payroll'],
    owner: 'Ben',
  });
  expect(named).toMatchObject([{ address: 'Role/Reader', in: 'both' }]);
  expect(named[0]?.diff.map(({ path, before, after }) => [path, before, after])).toEqual([
    ['/owner', { id: '!ref Identity/Ann' }, { id: '!ref Identity/Ben' }],
    ['/sources/0', '!ref Source/Directory', null],
    ['/sources/1', null, '!ref Source/Payroll'],
    ['/cluster', '!ref Cluster/va', '!ref Cluster/va-2'],
  ]);
  expect(diagnostics).toEqual([]);
  const {
    objects: [unknown],
    diagnostics: remarks,
  } = await diffRoles(ours, { ...ours, owner: null });
  expect(unknown?.diff).toMatchObject([
    { path: '/owner', before: { id: 'test-owner', name: 'Ann' }, after: { id: 'production-owner' } },
  ]);
  expect(remarks).toMatchObject([{ code: 'ids-kept', severity: 'info', address: 'Role/Reader' }]);
  expect(remarks[0]?.message).toBe(
    'The id in `owner` of Role/Reader stays as it is: the tenant of production has no Identity with this id and a unique key.',
  );
  const { diagnostics: mirrored } = await diffRoles({ ...ours, owner: null }, ours);
  expect(mirrored).toMatchObject([
    { message: expect.stringContaining('the tenant of test has no Identity') },
  ]);
});

it('a tenant and its own manifests differ in ids, which are shown with their names', async () => {
  const world = await createTestWorld({ seed: seedOf('test', ours), files });
  world.write(
    'config/role.yaml',
    'kind: Role\nname: Reader\nowner: { type: IDENTITY, id: nobody }\nsources: [!ref Source/HR]\n',
  );
  const { stdout } = await world.run('diff --declared test --kinds Role');
  expect(stdout).toContain('"!ref Identity/Ann (test-owner)"');
  expect(stdout).toContain('"!ref Source/Directory (test-1)"');
  expect(stdout).toContain('{"type": "IDENTITY", "id": "nobody"}');
  const json = await world.run('diff --declared test --kinds Role --format json');
  const diff: Diff = JSON.parse(json.stdout);
  expect(diff.objects[0]?.diff).toMatchObject([
    { path: '/owner', before: { id: 'test-owner' }, named: { 'test-owner': 'Identity/Ann' } },
    { path: '/sources/1', op: 'remove', before: 'test-1', named: { 'test-1': 'Source/Directory' } },
  ]);
});

it('a reference of a manifest to what its tenant does not have is shown as it is written', async () => {
  const world = await createTestWorld({ seed: seedOf('test', ours), files });
  world.write('config/role.yaml', 'kind: Role\nname: Reader\ncluster: !ref Cluster/new\n');
  const { stdout } = await world.run('diff --declared test --kinds Role');
  expect(stdout).toMatch(/^ +~ cluster +"!ref Cluster\/va \(test-va\)" → "!ref Cluster\/new"$/m);
});

it('an id in a manifest is the object that a tenant names, wherever it stands; that of another tenant is not', async () => {
  const two = await createTwoTenants({
    test: { seed: caseSeed('A', [caseRole('A')]), files: caseFiles() },
    production: { seed: caseSeed('B', [caseRole('B')]) },
  });
  onTestFinished(() => two.close());
  const { dir, write } = two.test;
  await two.run('export', '-e', 'test', '--kinds', 'Role', '--out', 'named');
  const [named = ''] = filesBelow(`${dir}/named`).values();
  const bare = named.replaceAll(
    /(?:!ref )?\b(?:Source|Identity|GovernanceGroup)\/(\w+)/g,
    (_, name: string) => caseId('A', name),
  );
  expect(bare).toContain(`owner: ${caseId('A', 'Ann')}\n`);
  expect(bare).toContain(`    ${caseId('A', 'HR')}:\n      most: 3\n`);
  write('bare/role.yaml', bare);
  const pathsIn = async (first: string, second: string) => {
    const { stdout } = await two.run('diff', first, second, '--format', 'json');
    const diff: Diff = JSON.parse(stdout);
    return diff.objects.flatMap((object) => object.diff.map(({ path }) => path));
  };
  expect(await pathsIn('test', 'bare')).toEqual([]);
  expect(await pathsIn('bare', 'test')).toEqual([]);
  expect(await pathsIn('production', 'named')).toEqual([]);
  const foreign = await pathsIn('production', 'bare');
  expect(foreign).toHaveLength(12);
  expect(foreign).toEqual(
    expect.arrayContaining([
      '/owner',
      '/membership/sourceIds/0',
      '/accessRequestConfig/approvalSchemes/1/approverId',
      '/additionalOwners',
      '/membership/limits/!ref Source~1HR',
      `/membership/limits/${caseId('A', 'HR')}`,
    ]),
  );
  expect((await pathsIn('bare', 'production')).toSorted()).toEqual(foreign.toSorted());
});

it('ids and references of lists and single values are one object, whatever form they have', async () => {
  const described = role.replace(
    'owner:',
    'owners: { is: references, to: Identity, type: IDENTITY }\n  owner:',
  );
  const world = await createTestWorld({
    seed: seedOf('test', ours)
      .replace(role.trimEnd().replaceAll('\n', '\n    '), described.trimEnd().replaceAll('\n', '\n    '))
      .replace('"cluster"', '"owners":[{"type":"IDENTITY","id":"test-owner","name":"Ann"}],"cluster"'),
    files: { ...files, 'kinds/Role.kind.yaml': described },
  });
  const forms = [
    'owner: test-owner\nowners: [test-owner]\nsources: [test-0, !ref Source/Directory]\ncluster: test-va',
    'owner: { id: test-owner }\nowners: [!ref Identity/Ann]\nsources: [!ref Source/HR, test-1]\ncluster: !ref Cluster/va',
    'owner: { id: !ref Identity/Ann }\nowners: [{ id: test-owner }]\nsources: [test-1, test-0]',
  ];
  for (const [at, form] of forms.entries()) {
    world.write(`folder-${at}/role.yaml`, `kind: Role\nname: Reader\n${form}\n`);
    const { stdout } = await world.run('diff', 'test', `folder-${at}`);
    expect(stdout).toContain('No differences: 1 object is equal');
  }
});
