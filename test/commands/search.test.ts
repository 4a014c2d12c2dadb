import { expect, test } from 'vitest';
import type { SandboxOptions } from '../support/sandbox.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

shortenPauses();

const seed = `
profileTypes: [{ id: t1, uid: contractor, name: Contractor }]
neAttributes: [{ id: a1, uid: city, label: City, data_type: text }]
profileSearches:
  - { id: s1, label: All that is saved, rules: [{ id: r1, type: ProfileStatusRule, comparison_operator: ==, value: Active }] }
`;

const manifests = {
  'config/searches.yaml': `kind: ProfileSearch
label: Contractors in Oslo
rules:
  - { type: ProfileStatusRule, comparison_operator: '==', value: Active }
  - { type: ProfileTypeRule, comparison_operator: '==', value: !lookup { from: profile_types, where: { uid: contractor }, take: id } }
  - { type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: !lookup { from: ne_attributes, where: { uid: city }, take: id }, comparison_operator: '==', value: Oslo }
`,
};

/** A tenant with that many contractors in Oslo, besides one elsewhere and one who left. */
async function tenantWith(count: number, options: SandboxOptions = {}): Promise<World> {
  const world = await createTestWorld({ seed, files: manifests, sandbox: options });
  const profile = (id: string, status: string, city: string) => ({
    ...{ id, uid: `u-${id}`, name: `Name ${id}`, status, profile_type_id: 't1', attributes: { city } },
  });
  const many = Array.from({ length: count }, (_, at) => profile(String(at), 'Active', 'Oslo'));
  const others = [profile('elsewhere', 'Active', 'Rome'), profile('left', 'Terminated', 'Oslo')];
  addObjects(world.sandbox.state, { profiles: [...others, ...many] });
  return world;
}

function runs({ sandbox }: World) {
  return sandbox.log.filter(({ path }) => path.endsWith('/run'));
}

test('a declared search runs the rules of the manifest, lookups filled, without saving them', async () => {
  const world = await tenantWith(2);
  const { code, json, stderr } = await world.run('search', 'Contractors in Oslo', '--format', 'json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(json).toMatchObject({
    formatVersion: 1,
    label: 'Contractors in Oslo',
    rules: 'declared',
    count: 2,
    more: false,
    profiles: [{ id: '0', attributes: { city: 'Oslo' } }, { id: '1' }],
  });
  const equals = (type: string, value: string) => ({ type, comparison_operator: '==', value });
  const rules = [
    equals('ProfileStatusRule', 'Active'),
    equals('ProfileTypeRule', 't1'),
    { ...equals('ProfileAttributeRule', 'Oslo'), object_type: 'NeAttribute', condition_object_id: 'a1' },
  ];
  const body = { advanced_search: { condition_rules_attributes: rules } };
  expect(runs(world)).toMatchObject([{ method: 'POST', path: '/api/advanced_search/run', body }]);
  expect(world.sandbox.state.profileSearches).toHaveLength(1);
});

test('a search that no manifest declares runs as it is saved, ordered as asked', async () => {
  const world = await tenantWith(3);
  const argv = ['search', 'All that is saved', '--format', 'json', '--order', 'name'];
  const { json } = await world.run(...argv);
  expect(json).toMatchObject({ rules: 'saved', count: 4, profiles: { 3: { id: 'elsewhere' } } });
  const query = { order: 'name', metadata: 'true', limit: '500' };
  expect(runs(world)).toMatchObject([{ method: 'GET', query }]);
});

test.each<[string, SandboxOptions]>([
  ['metadata', {}],
  ['bare arrays', { variations: { collections: 'bare' } }],
  ['wrapped arrays', { variations: { collections: 'wrapped' } }],
  ['offsets that must name a record', { variations: { collections: 'bare', offsetBeyondEnd: 'refused' } }],
])('all pages are read, each profile once: %s', async (_what, options) => {
  const world = await tenantWith(1200, options);
  const { json } = await world.run('search', 'Contractors in Oslo', '--format', 'json');
  expect(json).toMatchObject({ count: 1200, more: false });
  expect(runs(world).length).toBeLessThanOrEqual(4);
});

test.each([
  [10, 1],
  [499, 1],
  [700, 2],
])('--limit %i shows as many, says that there are more, and asks for %i pages', async (limit, pages) => {
  const world = await tenantWith(2000);
  const argv = ['search', 'Contractors in Oslo', '--limit', String(limit)];
  const { json } = await world.run(...argv, '--format', 'json');
  expect(json).toMatchObject({ count: limit, more: true });
  expect(runs(world)).toHaveLength(pages);
  expect((await world.run(...argv)).stdout).toContain(`${limit} profiles, and more: raise --limit`);
});

test('--limit says nothing of more where it is just reached', async () => {
  const world = await tenantWith(3);
  const { stdout } = await world.run('search', 'Contractors in Oslo', '--limit', '3');
  expect(stdout).toContain('3 profiles\n');
});

test('a page that fails is an error, not a short result', async () => {
  const world = await tenantWith(600);
  world.sandbox.faults.add({ kind: 'status', status: 500, operation: 'run-profile-search', nth: 2 });
  await expectEnd(world.run('search', 'Contractors in Oslo'), 1, '[tenant-error]');
});

test('CSV is as RFC 4180 says, and no cell is a formula to a spreadsheet', async () => {
  const world = await tenantWith(0);
  world.sandbox.state.profiles.push({
    id: '1',
    uid: '=cmd|1!A0',
    name: 'He said "yes",\nand left',
    status: 'Active',
    profile_type_id: 't1',
    attributes: {
      city: 'Oslo',
      phone: '+47 1',
      owes: '-17.5',
      tags: ['a', 'b'],
      uid: '@x',
      '=head': '\u001b[31m',
      nothing: null,
    },
  });
  const { stdout } = await succeed(world, 'search', 'Contractors in Oslo', '--format', 'csv');
  expect(stdout.split('\r\n')).toEqual([
    "id,uid,name,status,profile_type,city,phone,owes,tags,attributes.uid,'=head,nothing",
    `1,'=cmd|1!A0,"He said ""yes"",\nand left",Active,t1,Oslo,'+47 1,-17.5,"a; b",'@x,␛[31m,`,
    '',
  ]);
});

test('a table is cut to the terminal, says what it leaves out, and holds no terminal codes', async () => {
  const world = await tenantWith(1);
  world.sandbox.state.profiles.push({
    id: 'x',
    uid: 'u-x',
    name: `\u001b[2J\u202e${'wide '.repeat(30)}`,
    status: 'Active',
    profile_type_id: 't1',
    attributes: {
      city: 'Oslo',
      ...Object.fromEntries(Array.from({ length: 2 }, (_, at) => [`a${at}`, 'v'.repeat(30)])),
    },
  });
  const { stdout } = await world.run('search', 'Contractors in Oslo');
  expect(stdout).not.toMatch(/[\p{Cf}]|[^\P{Cc}\n]/u);
  expect(stdout).toMatch(/^name +status +city/);
  const { stdout: withIds } = await world.run('search', 'Contractors in Oslo', '--ids');
  expect(withIds).toMatch(/^id +uid +name +status +profile_type +city/);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  expect(stdout).toMatch(/Contractors in Oslo: 2 profiles \(no room for 1 column:/);
});

test('nobody found is no error', async () => {
  const world = await tenantWith(0);
  const { stdout } = await succeed(world, 'search', 'Contractors in Oslo');
  expect(stdout).toBe('Contractors in Oslo: 0 profiles\n');
});

const nothing = 'There are no searches.';
test.each<[string, string]>([
  ['Contractors in Osl', 'Did you mean `Contractors in Oslo`?'],
  ['All that was saved', 'Did you mean `All that is saved`?'],
  ['Nothing like it', 'There are: "Contractors in Oslo", "All that is saved".'],
  ['Joiners', nothing],
])('an unknown label is an error that names the near ones: %s', async (label, hint) => {
  const world = hint === nothing ? await createTestWorld() : await tenantWith(0);
  await expectEnd(world.run('search', label), 1, '[unknown-search]', hint);
});

test('a saved search without an id cannot be run', async () => {
  const world = await tenantWith(0);
  const [saved] = world.sandbox.state.profileSearches;
  Object.assign(saved ?? {}, { id: null });
  await expectEnd(world.run('search', 'All that is saved'), 1, 'search-without-id', 'The tenant shows no id');
});

test.each<[string, readonly string[], string]>([
  ['a limit of nothing', ['--limit', '0'], 'usage'],
  ['half a profile', ['--limit', '1.5'], 'usage'],
  ['an order that the tenant does not know', ['--order', 'shoe size'], 'tenant-bad-request'],
])('%s is refused', async (_what, more, code) => {
  const world = await tenantWith(0);
  await expectEnd(world.run('search', 'Contractors in Oslo', ...more), 1, `[${code}]`);
});
