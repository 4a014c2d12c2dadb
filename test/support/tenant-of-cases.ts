import type { JsonObject } from '../../src/model/json.ts';

/** Kinds with ids of each other inside JSON, as the documents of such tenants have them. */
export const caseKinds: Readonly<Record<string, JsonObject>> = {
  Identity: { kind: 'Identity', path: '/v2025/identities', key: 'name' },
  Source: { kind: 'Source', path: '/v2025/sources', key: 'name' },
  GovernanceGroup: { kind: 'GovernanceGroup', path: '/v2025/workgroups', key: 'name' },
  Role: {
    kind: 'Role',
    path: '/v2025/roles',
    key: 'name',
    update: 'json-patch',
    create: true,
    delete: true,
    fields: {
      description: 'text',
      owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
      membership: 'json',
      accessRequestConfig: 'json',
      additionalOwners: 'json',
    },
  },
};

/** The policies of the ids in a role. */
export const rolePlaces: JsonObject = {
  'membership/**/sourceId': { is: 'reference', to: 'Source' },
  'membership/sourceIds': { is: 'reference', to: 'Source' },
  'membership/limits': { is: 'reference', names: true, to: 'Source' },
  'membership/limits/*': 'plain',
  'accessRequestConfig/approvalSchemes/*/approverId': {
    is: 'reference',
    by: 'approverType',
    to: { GOVERNANCE_GROUP: 'GovernanceGroup', IDENTITY: 'Identity' },
  },
  'additionalOwners/*/id': {
    is: 'reference',
    by: 'type',
    to: { GOVERNANCE_GROUP: 'GovernanceGroup', IDENTITY: 'Identity' },
  },
  additionalOwners: 'set',
};

/** The files of a project that describes the kinds. */
export function caseFiles(places: JsonObject = rolePlaces): Record<string, string> {
  const described = Object.entries({ ...caseKinds, Role: { ...caseKinds.Role, places } });
  return Object.fromEntries(
    described.map(([name, kind]) => [`kinds/${name}.kind.yaml`, `${JSON.stringify(kind)}\n`]),
  );
}

/** An id as tenants of this family have them: 32 hex digits, others for each tenant. */
export const caseId = (tenant: string, name: string): string =>
  Buffer.from(`${tenant}/${name}`.padEnd(16, '.').slice(0, 16)).toString('hex');

/** What a tenant has: the objects that roles refer to, and these roles. */
export function caseSeed(tenant: string, roles: readonly JsonObject[] = []): string {
  const named = (...names: readonly string[]) => names.map((name) => ({ id: caseId(tenant, name), name }));
  return JSON.stringify({
    kinds: Object.values(caseKinds),
    objects: {
      Identity: named('Ann', 'Ben'),
      Source: named('HR', 'Ledger'),
      GovernanceGroup: named('Finance'),
      Role: roles,
    },
  });
}

/** A role with ids of a tenant in all places. */
export function caseRole(tenant: string): JsonObject {
  const idOf = (name: string) => caseId(tenant, name);
  const leaf = (name: string) => ({
    operation: 'EQUALS',
    key: { type: 'ACCOUNT', property: 'attribute.department', sourceId: idOf(name) },
    stringValue: 'Finance',
    children: null,
  });
  return {
    id: idOf('Role'),
    name: 'Accountant',
    description: 'Books',
    owner: { type: 'IDENTITY', id: idOf('Ann'), name: 'Ann' },
    membership: {
      type: 'STANDARD',
      criteria: { operation: 'OR', children: [{ operation: 'AND', children: [leaf('HR'), leaf('Ledger')] }] },
      sourceIds: [idOf('Ledger'), idOf('HR')],
      limits: { [idOf('HR')]: { most: 3 }, [idOf('Ledger')]: { most: 5 } },
    },
    accessRequestConfig: {
      approvalSchemes: [
        { approverType: 'MANAGER', approverId: null },
        { approverType: 'GOVERNANCE_GROUP', approverId: idOf('Finance') },
        { approverType: 'IDENTITY', approverId: idOf('Ben') },
      ],
    },
    additionalOwners: [
      { type: 'IDENTITY', id: idOf('Ben') },
      { type: 'GOVERNANCE_GROUP', id: idOf('Finance') },
    ],
  };
}
