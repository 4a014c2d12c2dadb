import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/model/documents.ts';
import type { Variations } from '../support/sandbox.ts';
import { createTestWorld, expectEnd, succeed } from '../support/world.ts';

const search = (attribute: string) => `kind: ProfileSearch
label: In Oslo
rules:
  - { type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: ${attribute}, comparison_operator: '==', value: Oslo }
`;
const lookup = '!lookup { from: ne_attributes, where: { uid: city }, take: id }';
const seed = 'neAttributes: [{ id: a1, uid: city, label: City, data_type: text }]';

const waysToSayNothing: readonly Partial<Variations>[] = [
  { nothingFound: 'refused' },
  { nothingFound: 'message' },
  { nothingFound: 'refused', collections: 'bare', offsetZero: 'refused' },
];

describe.each(waysToSayNothing)('on a host that says %o for an empty list', (variations) => {
  const open = (manifest: string, tenant = seed) =>
    createTestWorld({ seed: tenant, sandbox: { variations }, files: { 'config/search.yaml': manifest } });

  test('the first search is created, and then nothing is left to do', async () => {
    const world = await open(search(lookup));
    expect((await world.plan()).summary).toMatchObject({ create: 1 });
    await succeed(world, 'apply --yes');
    expect(world.sandbox.state.profileSearches).toMatchObject([{ label: 'In Oslo' }]);
    expect((await world.plan()).changes).toEqual([]);
  });

  test('a lookup finds no record, and says so', async () => {
    const world = await open(search(lookup), 'neAttributes: []');
    await expectEnd(world.run('plan'), 1, 'matches no record');
  });

  test('a search without profiles prints an empty table, and its impact is 0', async () => {
    const world = await open(search(lookup));
    await succeed(world, 'search', 'In Oslo');
    const { json } = await world.run('search', 'In Oslo', '--format', 'json');
    expect(json).toMatchObject({ count: 0, profiles: [] });
    const { changes }: Plan = await world.plan('--impact');
    expect(changes[0]?.impact).toMatchObject({ before: 0, after: 0 });
  });

  test('an export leaves out what is not there', async () => {
    const world = await open(search(lookup), 'neAttributes: []');
    await succeed(world, 'export --kinds ProfileSearch --out exported');
  });
});
