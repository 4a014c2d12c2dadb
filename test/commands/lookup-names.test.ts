import { expect, test } from 'vitest';
import { withDigest } from '../../src/model/documents.ts';
import { createTestWorld, expectEnd, succeed, type World, writesIn } from '../support/world.ts';

const seed = `
neAttributes: [{ id: a1, uid: city, label: City, data_type: text }]
profileTypes: [{ id: t1, uid: contractor, name: Contractor }]
`;

const search = `kind: ProfileSearch
label: In Rome
rules:
  - { type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: !lookup { from: ne_attributes, where: { uid: city }, take: id }, comparison_operator: '==', value: Rome }
`;

/** A lookup may find the id in a field that refers to a kind. */
const desk = `kind: SimIntegration
name: Desk
description: Tickets
type: ServiceNow Service Desk
cluster: !lookup { from: ne_attributes, where: { uid: city }, take: id }
attributes: { url: u }
`;

test('a plan and its reports show what a lookup found by what was looked up', async () => {
  const files = { 'config/search.yaml': search, 'config/desk.yaml': desk };
  const world = await createTestWorld({ seed, files });
  const reports = ['plan.md', 'plan.html', 'plan.json'];
  const { stdout } = await succeed(world, 'plan --report', ...reports);
  for (const text of [stdout, world.read('plan.md'), world.read('plan.html')])
    expect(text).toContain('!lookup ne_attributes uid: city (a1)');
  const { changes } = JSON.parse(world.read('plan.json'));
  const [, { diff }] = changes;
  const [rules] = diff.filter(({ path }: { path: string }) => path.startsWith('/rules'));
  expect(rules.named).toEqual({ a1: '!lookup ne_attributes uid: city' });
  await succeed(world, 'plan --out saved.json');
  await succeed(world, 'apply saved.json');
});

const ofType = `kind: ProfileSearch
label: Contractors
rules: [{ type: ProfileTypeRule, comparison_operator: '==', value: !lookup { from: profile_types, where: { uid: contractor }, take: id } }]
`;

async function withSavedPlan() {
  const world = await createTestWorld({ seed, files: { 'config/search.yaml': ofType } });
  await succeed(world, 'plan --out saved.json');
  return world;
}

async function expectRefused(world: World, file: string): Promise<void> {
  const { stdout } = await expectEnd(world.run('apply', file), 4);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'The plan shows the id "t1" as !lookup profile_types uid: contractor in /rules/0 of ProfileSearch/Contractors, but in the tenant this lookup finds another value, or none.',
  );
}

test('a saved plan is refused if its lookup finds another record by now, or none', async () => {
  const world = await withSavedPlan();
  const [found] = world.sandbox.state.profileTypes;
  for (const records of [found ? [{ ...found, id: 't2' }] : [], []]) {
    world.sandbox.state.profileTypes = records;
    await expectRefused(world, 'saved.json');
  }
  expect(writesIn(world.sandbox.log)).toEqual([]);
});

test('a plan file is refused if it shows a lookup that it does not have', async () => {
  const world = await withSavedPlan();
  const { lookups, ...rest } = JSON.parse(world.read('saved.json'));
  expect(lookups).toEqual([{ from: 'profile_types', where: { uid: 'contractor' }, take: 'id' }]);
  world.write('forged.json', JSON.stringify(withDigest(rest)));
  await expectRefused(world, 'forged.json');
  await succeed(world, 'apply saved.json');
});

test('a number that a lookup finds is text where the API takes text', async () => {
  const profile = `profiles: [{ id: p1, uid: ann, name: Ann, profile_type_id: t1, status: Active, attributes: { hours: 38 } }]\n`;
  const hours =
    'rules: [{ type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: a1, comparison_operator: "==", value: !lookup { from: profiles, where: { uid: ann }, take: hours } }]';
  const files = { 'config/search.yaml': `kind: ProfileSearch\nlabel: Hours\n${hours}\n` };
  const world = await createTestWorld({ seed: seed + profile, files });
  await succeed(world, 'apply --yes');
  await succeed(world, 'plan --detailed-exitcode');
});
