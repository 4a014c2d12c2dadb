/** The whole library on the way from one tenant to another, whose ids all differ. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change, Plan } from '../../src/model/documents.ts';
import { getText, type Json, type JsonObject, mapJson, mapMembers } from '../../src/model/json.ts';
import { casesOf } from '../support/effort.ts';
import { libraryFiles, libraryFolder, libraryObjects } from '../support/library.ts';
import { startProgram } from '../support/program.ts';
import { createTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import { filesBelow } from '../support/world.ts';

const idForm = /\b[0-9a-f]{32}\b/g;
type Objects = Readonly<Record<string, readonly JsonObject[]>>;

const idOf = (kind: string): string => getText(libraryObjects[kind]?.[0] ?? {}, 'id') ?? '';
const [identity, hr, group, form] = [
  idOf('Identity'),
  idOf('Source'),
  idOf('GovernanceGroup'),
  idOf('FormDefinition'),
];
const [entitlement, segment] = [idOf('Entitlement'), idOf('Segment')];
const ledger = 'aaaa80835d2e5168015d32f890ca1581';
const access = { type: 'ENTITLEMENT', id: entitlement, name: 'CN=Ledger,OU=Groups' };
const request = {
  approvalSchemes: [
    { approverType: 'WORKFLOW', approverId: idOf('Workflow') },
    { approverType: 'GOVERNANCE_GROUP', approverId: group },
  ],
};
const people = [
  { type: 'GOVERNANCE_GROUP', id: group },
  { type: 'IDENTITY', id: identity },
];

/** More objects, for the places of ids that the first ones leave empty. */
const more: Objects = {
  Source: [
    {
      id: ledger,
      name: 'Ledger',
      description: 'Money',
      owner: { type: 'IDENTITY', id: identity },
      type: 'DelimitedFile',
      connector: 'file',
      connectorAttributes: { url: 'https://ledger.example' },
    },
  ],
  SourceSchema: [
    {
      source: ledger,
      id: 'aaaa80835d191a86015d28455b4a2329',
      name: 'account',
      nativeObjectType: 'User',
      attributes: [],
    },
  ],
  ProvisioningPolicy: [{ source: ledger, usageType: 'CREATE', name: 'Account', fields: [] }],
  AccessProfile: [
    {
      ...{
        id: 'aaaa80837ca6693d017ca8d097500149',
        name: 'Ledger write',
        owner: { type: 'IDENTITY', id: identity },
      },
      ...{ source: { type: 'SOURCE', id: hr }, entitlements: [access], segments: [segment] },
      accessRequestConfig: { ...request, formDefinitionId: form },
      revocationRequestConfig: request,
      provisioningCriteria: {
        operation: 'OR',
        children: [{ operation: 'EQUALS', sourceId: ledger, attribute: 'a', value: 'b', children: null }],
      },
    },
  ],
  Role: [
    {
      ...{ id: 'aaaa86749d78830174a1a40e12151800', name: 'Clerk', owner: { type: 'IDENTITY', id: identity } },
      ...{
        additionalOwners: people,
        entitlements: [access],
        segments: [segment],
        revocationRequestConfig: request,
      },
      ...{
        accessProfiles: [
          { type: 'ACCESS_PROFILE', id: idOf('AccessProfile') },
          { type: 'ACCESS_PROFILE', id: 'aaaa80837ca6693d017ca8d097500149' },
        ],
      },
      membership: {
        type: 'IDENTITY_LIST',
        criteria: null,
        identities: [{ type: 'IDENTITY', id: identity, name: 'Ann Example' }],
      },
    },
  ],
  SodPolicy: [
    {
      ...{
        id: 'aaaaf2a47c944bf3a2bd742580fe3bde',
        name: 'Ledger alone',
        type: 'CONFLICTING_ACCESS_BASED',
        state: 'ENFORCED',
      },
      ownerRef: { type: 'IDENTITY', id: identity },
      violationOwnerAssignmentConfig: {
        assignmentRule: 'STATIC',
        ownerRef: { type: 'GOVERNANCE_GROUP', id: group },
      },
      conflictingAccessCriteria: {
        leftCriteria: { criteriaList: [access] },
        rightCriteria: { criteriaList: [{ type: 'ENTITLEMENT', id: entitlement }] },
      },
    },
  ],
  ServiceDeskIntegration: [
    {
      ...{
        id: 'aaaa808c7a7d1a35017a7d1a35010000',
        name: 'Desk',
        description: 'Tickets',
        type: 'ServiceNowSDIM',
        attributes: {},
      },
      ...{
        ownerRef: { type: 'IDENTITY', id: identity },
        clusterRef: { type: 'CLUSTER', id: idOf('Cluster') },
      },
      beforeProvisioningRule: { type: 'RULE', id: idOf('ConnectorRule') },
      provisioningConfig: { managedResourceRefs: [{ type: 'SOURCE', id: hr, name: 'HR' }] },
    },
  ],
};

/** What people or sources bring, and no apply makes. */
const onlyRead = ['Identity', 'Cluster', 'Entitlement', 'GovernanceGroupMember'];
const tenantA: Objects = Object.fromEntries(
  [...new Set([...Object.keys(libraryObjects), ...Object.keys(more)])].map((kind) => [
    kind,
    [...(libraryObjects[kind] ?? []), ...(more[kind] ?? [])],
  ]),
);

/** The same objects in another tenant: of each id, the digits in another order. */
const otherId = (id: string): string => [...id].reverse().join('');
const inOther = (value: Json): Json =>
  mapJson(value, (part) => (typeof part === 'string' ? part.replaceAll(idForm, otherId) : part));
const objectsInOther = (kinds: readonly string[]): Objects =>
  Object.fromEntries(
    kinds.map((kind) => [kind, (tenantA[kind] ?? []).map((object) => mapMembers(object, inOther))]),
  );

const idsOfA = new Set(JSON.stringify(tenantA).match(idForm));
/** The only ids that no policy can carry: those inside the text of a query, which an export tells. */
const inText = ['2c9180837ca6693d017ca8d097500149', '2c918086749d78830174a1a40e121518'];

async function createStage(objectsOfB: Objects): Promise<TwoTenants> {
  const two = await createTwoTenants({
    test: {
      seed: JSON.stringify({ objects: tenantA }),
      sandbox: { kinds: libraryFolder },
      files: libraryFiles,
      env: { SOURCE_HR_CONNECTOR_ATTRIBUTES_PASSWORD: 'a-password' },
    },
    production: { seed: JSON.stringify({ objects: objectsOfB }), sandbox: { kinds: libraryFolder } },
  });
  onTestFinished(() => two.close());
  two.writeProject({ production: { limits: { settle: '600ms', concurrency: 1, requests: 100_000 } } });
  return two;
}

async function succeed(two: TwoTenants, ...argv: string[]) {
  const ran = await two.run(...argv);
  expect(ran, `${ran.stderr}${ran.stdout}`).toMatchObject({ code: 0 });
  return ran;
}

const objectsOf = ({ production }: TwoTenants) => production.sandbox.state.objects;

/** The ids of the first tenant that the second one has. */
const foreignIds = (two: TwoTenants): string[] =>
  [...new Set(JSON.stringify(objectsOf(two)).match(idForm))].filter((id) => idsOfA.has(id)).sort();

const changesFor = async (two: TwoTenants): Promise<readonly Change[]> => {
  const plan: Plan = JSON.parse((await succeed(two, 'plan', '-e', 'production', '--format', 'json')).stdout);
  return plan.changes;
};

/** What both are afterwards: equal to the manifests, and to each other but for their ids. */
async function checkEnd(two: TwoTenants): Promise<void> {
  expect(await changesFor(two)).toEqual([]);
  const { stdout } = await succeed(two, 'diff', 'test', 'production', '--format', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ objects: [], summary: { equal: made } });
  expect(foreignIds(two)).toEqual(inText);
  for (const [kind, objects] of Object.entries(tenantA))
    expect([kind, objectsOf(two)[kind]?.length]).toEqual([kind, objects.length]);
}

/** The objects that manifests declare. */
const made = Object.entries(tenantA)
  .filter(([kind]) => !onlyRead.includes(kind))
  .flatMap(([, objects]) => objects).length;

/** What stays on the way: only what the second tenant has of it counts as a difference. */
it('an export of one tenant is equal in another that has the same objects under other ids', async () => {
  const two = await createStage(objectsInOther(Object.keys(tenantA)));
  const exported = await succeed(two, 'export', '-e', 'test');
  const texts = [...filesBelow(join(two.test.dir, 'config')).values()].join('');
  expect([...new Set(texts.match(idForm))].sort()).toEqual(inText);
  // All others are names.
  expect(texts.match(/!ref /g)).toHaveLength(57);
  // These two are told, by their place.
  expect(exported.stderr).toContain('- policyQuery (AccessProfile, Role) in SodPolicy/Pay%20and%20approve');

  const text = { path: '/policyQuery', address: 'SodPolicy/Pay%20and%20approve' };
  const differing = async () =>
    (await changesFor(two)).flatMap(({ address, diff }) => diff.map(({ path }) => ({ path, address })));
  expect(await differing()).toEqual([text]);
  Object.assign(objectsOf(two).Role?.[0] ?? {}, { description: 'Accounts' });
  Object.assign(objectsOf(two).SourceSchema?.[1] ?? {}, { nativeObjectType: 'Person' });
  const others = [
    { path: '/description', address: 'Role/Accountant' },
    { path: '/nativeObjectType', address: 'SourceSchema/Ledger/account' },
  ];
  expect(await differing()).toEqual(expect.arrayContaining([text, ...others]));
  expect(await differing()).toHaveLength(3);
  await succeed(two, 'apply', '-e', 'production', '--yes');
  await checkEnd(two);
});

describe('in a tenant that lacks the objects', () => {
  it('an apply of the export makes them, with references to its own ids alone', async () => {
    const two = await createStage(objectsInOther([...onlyRead, 'Source']));
    await succeed(two, 'export', '-e', 'test');
    const { stderr } = await succeed(two, 'apply', '-e', 'production', '--yes');
    expect(stderr).toContain('- policyQuery in SodPolicy/Pay%20and%20approve');
    await checkEnd(two);
  });

  it('an apply that is killed at any request is finished by the same command', {
    timeout: 900_000,
  }, async () => {
    const two = await createStage(objectsInOther([...onlyRead, 'Source']));
    const { state, log, faults } = two.production.sandbox;
    await succeed(two, 'export', '-e', 'test');
    await succeed(two, 'plan', '-e', 'production', '--out', 'plan.json');
    const before = structuredClone(state);
    const reset = () => {
      faults.clear();
      Object.assign(state, structuredClone(before));
      rmSync(join(two.test.dir, '.tenantctl'), { recursive: true, force: true });
      return log.length;
    };
    const from = reset();
    await succeed(two, 'apply', 'plan.json');
    const requests = log.length - from;
    expect(requests).toBeGreaterThan(made);
    for (const nth of casesOf(Array.from({ length: requests }, (_, at) => at + 1))) {
      const start = reset();
      faults.add({ kind: 'hang', nth, done: nth % 2 === 0 ? 'before' : 'after' });
      const { child, ended } = startProgram({ dir: two.test.dir, env: two.env }, 'apply', 'plan.json');
      const isStuck = () => log.slice(start).some(({ fault }) => fault === 'hang');
      await expect.poll(isStuck, { interval: 25, timeout: 30_000, message: `request ${nth}` }).toBe(true);
      child.kill('SIGKILL');
      await ended;
      faults.clear();
      await succeed(two, 'apply', 'plan.json');
      await checkEnd(two);
    }
  });
});
