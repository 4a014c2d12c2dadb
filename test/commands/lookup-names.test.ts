import { expect, test } from 'vitest';
import { createTestWorld, succeed } from '../support/world.ts';

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
  const { code, stdout } = await world.run('plan --report', ...reports);
  expect([code, stdout.includes('!lookup ne_attributes uid: city (a1)')]).toEqual([0, true]);
  for (const file of reports.slice(0, 2))
    expect(world.read(file)).toContain('!lookup ne_attributes uid: city (a1)');
  const { changes } = JSON.parse(world.read('plan.json'));
  const [, { diff }] = changes;
  const [rules] = diff.filter(({ path }: { path: string }) => path.startsWith('/rules'));
  expect(rules.named).toEqual({ a1: '!lookup ne_attributes uid: city' });
  await succeed(world, 'plan --out saved.json');
  await succeed(world, 'apply saved.json');
});
