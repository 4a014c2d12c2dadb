/** Saved searches with rules that the API documents do not know, on hosts that have them. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Variations } from '../support/sandbox.ts';
import { createTestWorld, filesBelow, succeed, type World } from '../support/world.ts';

const seed = `
neAttributes:
  - { id: a1, uid: city, label: City, data_type: text }
  - { id: a2, uid: end_date, label: End date, data_type: date }
profileSearches:
  - id: s1
    label: Leaving soon
    rules:
      - { id: r1, type: ProfileStatusRule, comparison_operator: ==, value: Active }
      - { id: r2, type: ProfileAttributeRule, condition_object_id: a2, comparison_operator: <, value: Today, more: { secondary_value: after, tertiary_value: 30 } }
      - { id: r3, type: ProfileAttributeRule, condition_object_id: a2, comparison_operator: <, value: Today, more: { secondary_value: after } }
      - { id: r4, type: ProfileAttributeRule, condition_object_id: a1, comparison_operator: exclude?, value: Oslo }
      - { id: r5, type: RiskRule, comparison_operator: '>', value: '70', more: { risk_kind: overall } }
`;

const status = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };
const notInOslo = {
  type: 'ProfileAttributeRule',
  condition_object_id: 'a1',
  comparison_operator: 'exclude?',
  value: 'Oslo',
};
const leaving = (rules: readonly JsonObject[]) => ({ kind: 'ProfileSearch', label: 'Leaving soon', rules });

/** The hosts, and what their environments say. */
const hosts: readonly [Partial<Variations>, JsonObject][] = [
  [{}, {}],
  [{ ruleObjectType: 'condition_object_type' }, { profileSearchObjectType: 'condition_object_type' }],
  [{ ruleObjectType: 'attribute_class' }, { profileSearchObjectType: 'attribute_class' }],
];

const open = (variations: Partial<Variations>, profiles: JsonObject, tenant = seed) =>
  createTestWorld({ seed: tenant, profiles, sandbox: { variations: { ...extended, ...variations } } });
const extended = { searchRules: 'extended' } as const;

/** The rules of the saved search, without the ids that the tenant makes. */
const rulesIn = ({ sandbox }: World) =>
  sandbox.state.profileSearches[0]?.rules.map(({ id: _, ...rule }) => rule);

const ofTwoDates = `
neAttributes:
  - { id: a1, uid: hired, label: Hired, data_type: date }
  - { id: a2, uid: contract_end_date, label: Contract end, data_type: date }
profileSearches:
  - id: s1
    label: Overdue
    rules:
      - { id: r1, type: ProfileAttributeRule, condition_object_id: a1, comparison_operator: after, value: contract_end_date, more: { secondary_attribute_id: a2 } }
      - { id: r2, type: ProfileAttributeRule, condition_object_id: a2, comparison_operator: before, value: hired, more: { secondary_attribute_id: a1 } }
`;

describe.each(hosts)('on a host with %o', (variations, profiles) => {
  test('a date is compared with another date attribute, which is referred to by its name', async () => {
    const world = await open(variations, profiles, ofTwoDates);
    await succeed(world, 'export --kinds ProfileSearch --out config');
    const [text = ''] = [...filesBelow(`${world.dir}/config`).values()];
    expect(text).toContain('value: contract_end_date');
    expect(text).toMatch(
      /secondary_attribute_id: !lookup *\{ *from: ne_attributes, where: *\{ *uid: contract_end_date/,
    );
    const { stderr } = await succeed(world, 'validate');
    expect(stderr).not.toMatch(/rule-/);
    expect((await world.plan()).changes).toEqual([]);

    const [first, ...others] = world.sandbox.state.profileSearches[0]?.rules ?? [];
    const rules = [first, ...others].map((rule) => ({ ...rule, value: 'Today' }));
    Object.assign(world.sandbox.state.profileSearches[0] ?? {}, { rules });
    expect((await world.plan()).changes).toHaveLength(1);
    await succeed(world, 'apply --yes');
    expect(rulesIn(world)).toMatchObject([{ value: 'contract_end_date' }, { value: 'hired' }]);
  });

  test('an export has every member, and a plan of it is empty', async () => {
    const world = await open(variations, profiles);
    await succeed(world, 'export --kinds ProfileSearch --out config');
    const [text = ''] = [...filesBelow(`${world.dir}/config`).values()];
    expect(text).not.toContain('condition_object_type: NeAttribute');
    for (const part of ['RiskRule', 'risk_kind: overall', 'exclude?']) expect(text).toContain(part);
    for (const part of ['secondary_value: after', 'tertiary_value: 30']) expect(text).toContain(part);
    expect((await world.plan()).changes).toEqual([]);
    world.sandbox.state.profileSearches[0]?.rules.reverse();
    expect((await world.plan()).changes).toEqual([]);
    await succeed(world, 'validate');
  });

  test('a rollback restores each rule member for member', async () => {
    const world = await open(variations, profiles);
    const before = rulesIn(world);
    world.declare([
      leaving([
        { ...notInOslo, object_type: 'NeAttribute', secondary_value: 'x' },
        { ...status, comparison_operator: '!=' },
      ]),
    ]);
    await succeed(world, 'apply --yes --result result.json');
    expect(rulesIn(world)).toHaveLength(2);
    await succeed(world, 'rollback result.json --out back.json');
    await succeed(world, 'apply back.json');
    const order = (rules: typeof before) =>
      rules?.map((rule) => JSON.stringify({ ...rule, more: rule.more ?? {} })).sort();
    expect(order(rulesIn(world))).toEqual(order(before));
  });
});

describe('a rule', () => {
  test('that no manifest can declare is not removed without a warning', async () => {
    const world = await open({}, {}, seed.replace("'>', value: '70'", "level?, value: '70'"));
    world.declare([leaving([status])]);
    const [change] = (await world.plan()).changes;
    expect(change?.warnings).toEqual([
      expect.stringMatching(/^Removes \/rules\/\d, which no manifest can declare: only a rollback/),
    ]);
    await succeed(world, 'apply --yes --result result.json');
    await succeed(world, 'rollback result.json --out back.json');
    await succeed(world, 'apply back.json');
    const removed = { type: 'RiskRule', comparison_operator: 'level?', more: { risk_kind: 'overall' } };
    expect(rulesIn(world)).toContainEqual(expect.objectContaining(removed));
  });

  test('that no manifest can declare leaves the rules out of an export, which then plans nothing', async () => {
    const world = await open({}, {}, seed.replace("'>', value: '70'", "level?, value: '70'"));
    await succeed(world, 'export --kinds ProfileSearch --out config');
    expect((await world.plan()).changes).toEqual([]);
  });

  test('with a mistyped member is told, with what was probably meant', async () => {
    const world = await open({}, {});
    world.declare([leaving([{ ...status, secondary_valeu: 'after' }])]);
    const { stderr, stdout } = await succeed(world, 'validate');
    expect(stdout + stderr).toMatch(
      /`secondary_valeu` is a member of rules that tenantctl does not know[\s\S]*secondary_value/,
    );
  });
});
