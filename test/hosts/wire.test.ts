import { expect, test } from 'vitest';
import { version } from '../../src/model/failure.ts';
import { worldOf } from '../support/hosts.ts';
import { createTestWorld, expectEnd, succeed } from '../support/world.ts';

const sender = { kind: 'SenderAddress', email: 'a@acme.example' };

test('every request says which program sends it, and takes a compressed answer, the one for a token too', async () => {
  const world = await createTestWorld();
  world.declare([sender]);
  await succeed(world, 'apply --yes');
  const { log } = world.sandbox;
  expect(log.map(({ operation }) => operation)).toContain('issue-token');
  const names = log.map(({ headers }) => `${headers['user-agent']}, ${headers['accept-encoding']}`);
  expect([...new Set(names)]).toEqual([`tenantctl/${version}, gzip`]);
});

test('an id for support is shown with an error, beside the tracking id, and kept in the result', async () => {
  const world = await createTestWorld(worldOf({ supportId: true }));
  world.declare([sender]);
  world.sandbox.faults.add({ kind: 'status', status: 403, operation: 'list-from-addresses', times: 1 });
  const { stderr } = await expectEnd(world.run('plan'), 1);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/\(tracking id [0-9a-f]{32}, Slpt-Request-Id request-\d+\)/);
  await succeed(world, 'apply --yes --result result.json');
  expect(JSON.parse(world.read('result.json'))).toMatchObject({
    changes: [{ requests: [{ trackingId: expect.stringMatching(/^request-\d+$/) }] }],
  });
});

test('a host that wants no `id` for MAIL FROM gets none; one of the contract gets it', async () => {
  const mailFrom = { kind: 'MailFrom', identity: 'a@acme.example', mailFromDomain: 'b.acme.example' };
  for (const [host, query] of [
    [{}, { id: 'a@acme.example' }],
    [{ mailFromQuery: 'path' } as const, {}],
  ] as const) {
    const world = await createTestWorld(worldOf(host));
    world.declare([mailFrom]);
    await succeed(world, 'apply --yes');
    const asked = world.sandbox.log.filter(({ operation }) => operation === 'get-mail-from-attributes');
    expect(asked[0]?.query).toEqual(query);
    expect((await world.plan()).changes).toEqual([]);
  }
});

const attributes = Array.from({ length: 130 }, (_, at) => ({
  id: `a${at}`,
  uid: `u${at}`,
  label: `Attribute ${at}`,
  data_type: 'text',
}));
const searchBy = (where: object) => `kind: ProfileSearch
label: Engineers
rules:
  - type: ProfileAttributeRule
    object_type: NeAttribute
    condition_object_id: !lookup { from: ne_attributes, where: ${JSON.stringify(where)}, take: id }
    comparison_operator: include?
    value: Eng
`;

test.each<[string, object, string, boolean]>([
  ['by label', { label: 'Attribute 117' }, 'label=Attribute 117', false],
  ['by label and uid', { uid: 'u117', label: 'Attribute 117' }, 'label=Attribute 117', false],
  ['by uid alone, which is told', { uid: 'u117' }, '', true],
])('a host that filters attributes by their names alone is asked so: %s', async (_, where, asked, isTold) => {
  const world = await createTestWorld({
    ...worldOf({ collectionQuery: 'named' }),
    seed: JSON.stringify({ neAttributes: attributes }),
    files: { 'config/search.yaml': searchBy(where) },
  });
  const plan = await world.plan('--impact');
  const { log } = world.sandbox;
  // The lint of a changed search reads the whole collection afterwards.
  const [filter] = log
    .filter(({ operation }) => operation === 'list-ne-attributes')
    .map(({ query: { limit: _limit, offset: _offset, metadata: _metadata, ...filters } }) =>
      Object.entries(filters)
        .map((pair) => pair.join('='))
        .join(),
    );
  expect(filter).toBe(asked);
  expect(log.filter(({ status }) => status !== 200)).toEqual([]);
  expect(plan.changes[0]).toMatchObject({ impact: { before: 0, after: 0 } });
  expect(plan.diagnostics.map(({ code }) => code).includes('lookup-read-whole')).toBe(isTold);
});
