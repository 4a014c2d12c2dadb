/** The laws, for random JSON with ids, sets, minted and plain members at every depth, on two tenants with other ids. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { namesCredential } from '../../src/model/sensitive.ts';
import { runs } from '../support/effort.ts';
import { caseId, caseKinds, caseSeed } from '../support/tenant-of-cases.ts';
import { createTwoTenants } from '../support/two-tenants.ts';
import { expectEnd, filesBelow } from '../support/world.ts';

const places: JsonObject = {
  '*/**/sourceId': { is: 'reference', to: 'Source' },
  '*/**/sourceIds': { is: 'reference', to: 'Source' },
  '*/**/ownerId': {
    is: 'reference',
    by: 'ownerType',
    to: { IDENTITY: 'Identity', GOVERNANCE_GROUP: 'GovernanceGroup' },
  },
  '*/**/key': 'plain',
  '*/**/since': 'serverOwned',
  '*/**/tags': 'set',
};
const Role: JsonObject = { ...caseKinds.Role, places, fields: { membership: 'json', extra: 'json' } };
const files = Object.fromEntries(
  Object.entries({ ...caseKinds, Role }).map(([name, kind]) => [
    `kinds/${name}.kind.yaml`,
    JSON.stringify(kind),
  ]),
);

/** Makes JSON for a tenant: with its ids. */
type Grow = (idOf: (name: string) => string) => Json;

/** Where a number has the name of a credential, its field is left out of an export, and the export says so. */
const word = fc
  .stringMatching(/^[a-z][a-zA-Z]{0,6}$/)
  .filter((name) => !/^(since|tags|key|owner|source)/.test(name) && !namesCredential(name));
const plain: fc.Arbitrary<Grow> = fc
  .oneof(fc.stringMatching(/^[a-z ]{0,8}$/), fc.integer(), fc.boolean())
  .map((value) => () => value);
const specials: readonly ((idOf: (name: string) => string) => JsonObject)[] = [
  (idOf) => ({ sourceId: idOf('HR') }),
  (idOf) => ({ sourceId: idOf('Ledger'), key: 'firstName' }),
  () => ({ sourceId: null }),
  (idOf) => ({ ownerType: 'IDENTITY', ownerId: idOf('Ann') }),
  (idOf) => ({ ownerType: 'GOVERNANCE_GROUP', ownerId: idOf('Finance') }),
  () => ({ ownerType: 'MANAGER', ownerId: 'manager' }),
  (idOf) => ({ sourceIds: [idOf('HR'), idOf('Ledger')] }),
  () => ({ tags: ['b', 'a'] }),
  () => ({ since: '2026-11-01' }),
  () => ({}),
];
const special = fc.constantFrom(...specials);
const level = (below: fc.Arbitrary<Grow>): fc.Arbitrary<Grow> =>
  fc
    .tuple(
      special,
      fc.dictionary(word, fc.oneof(below, fc.array(below, { maxLength: 2 }).map(listOf)), { maxKeys: 3 }),
    )
    .map(
      ([more, members]): Grow =>
        (idOf) => ({
          ...Object.fromEntries(Object.entries(members).map(([name, grow]) => [name, grow(idOf)])),
          ...more(idOf),
        }),
    );
const listOf =
  (items: readonly Grow[]): Grow =>
  (idOf) =>
    items.map((grow) => grow(idOf));
const tree = level(fc.oneof(plain, level(fc.oneof(plain, level(plain)))));

it('an export of one tenant, applied to another, is equal there but for the ids, and no plan is left', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(tree, tree), { minLength: 1, maxLength: 3 }), async (trees) => {
      const rolesOf = (tenant: string) =>
        trees.map(([membership, extra], at): JsonObject => {
          const idOf = (name: string) => caseId(tenant, name);
          return {
            id: caseId(tenant, `r${at}`),
            name: `Role ${at}`,
            membership: membership(idOf),
            extra: extra(idOf),
          };
        });
      const seed = (tenant: string, roles: readonly JsonObject[]) =>
        caseSeed(tenant, roles).replace(JSON.stringify(caseKinds.Role), JSON.stringify(Role));
      await using two = await createTwoTenants({
        test: { seed: seed('A', rolesOf('A')), files },
        production: { seed: seed('B', []) },
      });
      const succeed = async (...argv: string[]) => {
        return (await expectEnd(two.run(...argv), 0)).stdout;
      };
      await succeed('export', '-e', 'test', '--kinds', 'Role');
      expect([...filesBelow(`${two.test.dir}/config`).values()].join('')).not.toMatch(/[0-9a-f]{32}|since/);
      expect(await succeed('plan', '-e', 'test')).toContain('No changes');
      await succeed('apply', '-e', 'production', '--yes');
      expect(await succeed('plan', '-e', 'production')).toContain('No changes');
      expect(await succeed('diff', 'test', 'production', '--kinds', 'Role')).toContain('No differences');
      expect(JSON.stringify(two.production.sandbox.state.objects)).not.toContain(caseId('A', '').slice(0, 4));
    }),
    { numRuns: runs(12) },
  ));
