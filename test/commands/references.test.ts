import { describe, expect, it } from 'vitest';
import { createTestWorld, type World, type WorldOptions } from '../support/world.ts';

const descriptor = (kind: string, path: string, fields: string) => `kind: ${kind}
summary: A kind of the tests.
path: ${path}
key: name
list: { pageSize: 50, filter: true }
update: json-patch
create: true
delete: true
fields: ${fields}
serverOwned: [id, created, modified]
`;
const [accessProfile, role] = [
  descriptor(
    'AccessProfile',
    '/v2025/access-profiles',
    '{ description: text, owner: { is: reference, to: Identity, type: IDENTITY }, source: { is: value, to: Source }, above: { is: value, to: AccessProfile } }',
  ),
  descriptor(
    'Role',
    '/v2025/roles',
    '{ description: text, owner: { is: reference, to: Identity, type: IDENTITY }, accessProfiles: { is: references, to: AccessProfile }, sources: { is: set, to: Source }, attributes: { is: json, declares: whole } }',
  ),
];
const readOnly = (kind: string, path: string) => `kind: ${kind}
summary: Only read.
path: ${path}
key: name
`;
const kinds = {
  'kinds/Identity.kind.yaml': readOnly('Identity', '/v2025/identities'),
  'kinds/Source.kind.yaml': readOnly('Source', '/v2025/sources'),
  'kinds/Cluster.kind.yaml': readOnly('Cluster', '/v2025/managed-clusters'),
  'kinds/AccessProfile.kind.yaml': accessProfile,
  'kinds/Role.kind.yaml': role,
};
/** Two tenants with the same things under other ids. */
const seedOf = (prefix: string, more = '') => `kinds:
${[accessProfile, role].map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}`).join('\n')}
objects:
  Identity: [{ id: ${prefix}-ann, name: Ann }, { id: ${prefix}-ben, name: Ben Ng }, { id: ${prefix}-t1, name: Twin }, { id: ${prefix}-t2, name: Twin }]
  Source: [{ id: ${prefix}-hr, name: HR }, { id: ${prefix}-ad, name: Active Directory }]
  Cluster: [{ id: ${prefix}-va, name: va-prod }]
${more}`;

async function worldWith(
  manifests: string,
  { seed = seedOf('dev'), ...more }: WorldOptions = {},
): Promise<World> {
  return createTestWorld({ ...more, seed, files: { ...kinds, 'config/all.yaml': manifests, ...more.files } });
}

const both = `kind: Role
name: Reader
owner: !ref Identity/Ann
accessProfiles: [!ref AccessProfile/Read, !ref AccessProfile/Write]
sources: [!ref Source/Active Directory]
---
kind: AccessProfile
name: Write
owner: !ref Identity/Ben Ng
above: !ref AccessProfile/Read
---
kind: AccessProfile
name: Read
owner: { id: !ref Identity/Ann }
source: !ref Source/HR
`;

describe('a plan', () => {
  it('creates what is referred to first, shows names, and is empty after its apply', async () => {
    const world = await worldWith(both);
    const plan = await world.plan();
    expect(plan.changes.map(({ address }) => address)).toEqual([
      'AccessProfile/Read',
      'AccessProfile/Write',
      'Role/Reader',
    ]);
    expect(plan.changes[2]?.requests[0]?.body).toEqual({
      name: 'Reader',
      owner: { type: 'IDENTITY', id: 'dev-ann' },
      accessProfiles: [{ id: { $ref: 'AccessProfile/Read' } }, { id: { $ref: 'AccessProfile/Write' } }],
      sources: ['dev-ad'],
    });
    const text = (await world.run('plan')).stdout;
    expect(text).toContain('!ref Identity/Ann (dev-ann)');
    expect(text).toContain('!ref AccessProfile/Read (created by this plan)');
    expect((await world.run('plan', '--out', 'p.json')).code).toBe(0);
    const applied = await world.run('apply', 'p.json');
    expect(applied).toMatchObject({ code: 0 });
    const [read, write] = world.sandbox.state.objects.AccessProfile ?? [];
    expect(write?.above).toBe(read?.id);
    expect(world.sandbox.state.objects.Role?.[0]?.accessProfiles).toMatchObject([
      { id: read?.id },
      { id: write?.id },
    ]);
    expect((await world.plan()).changes).toEqual([]);
  });
});
