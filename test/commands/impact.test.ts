import { describe, expect, test } from 'vitest';
import type { Impact, Plan } from '../../src/model/documents.ts';
import type { SandboxOptions } from '../support/sandbox.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const seed = `
neAttributes: [{ id: a1, uid: city, label: City, data_type: text }]
profileTypes: [{ id: t1, uid: contractor, name: Contractor }]
profileSearches:
  - id: s1
    label: Moved
    rules: [{ id: r1, type: ProfileAttributeRule, comparison_operator: ==, value: Rome, condition_object_id: a1 }]
  - { id: s2, label: Renamed before, rules: [{ id: r2, type: ProfileStatusRule, comparison_operator: ==, value: Active }] }
  - { id: s3, label: Gone, rules: [{ id: r3, type: ProfileStatusRule, comparison_operator: ==, value: Terminated }] }
`;

const city = '!lookup { from: ne_attributes, where: { uid: city }, take: id }';
const inCity = (label: string, name: string) => `kind: ProfileSearch
label: ${label}
rules:
  - { type: ProfileAttributeRule, object_type: NeAttribute, condition_object_id: ${city}, comparison_operator: '==', value: ${name} }
`;

/** A tenant with as many profiles in each city, by name. */
async function tenantWith(
  manifests: string,
  cities: Readonly<Record<string, number>>,
  options: SandboxOptions = {},
): Promise<World> {
  const files = { 'config/searches.yaml': manifests };
  const world = await createTestWorld({ seed, files, sandbox: options });
  const profiles = Object.entries(cities).flatMap(([city, count]) =>
    Array.from({ length: count }, (_, at) => {
      const name = `${city} ${at + 1}`;
      return { id: name, uid: name, name, profile_type_id: 't1', attributes: { city } };
    }),
  );
  addObjects(world.sandbox.state, { profiles });
  return world;
}

function runs({ sandbox }: World): number {
  return sandbox.log.filter(({ path }) => path.endsWith('/run')).length;
}

async function plan(world: World, ...options: string[]): Promise<Plan> {
  const ran = await world.run('plan --format json', ...options);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

test('profiles that go while a search runs shift no other out of sight', async () => {
  let left = 1;
  const beforeFurtherPage = () => {
    if (left > 0) world.sandbox.state.profiles.shift();
    left -= 1;
  };
  const options = { variations: { beforeFurtherPage } };
  const world: World = await tenantWith(inCity('Moved', 'Berlin'), { Rome: 700 }, options);
  const { changes } = await plan(world, '--impact');
  expect(left).toBeLessThan(0);
  expect(changes[0]?.impact).toMatchObject({ before: 699, after: 0 });
});

const impacts = ({ changes }: Plan): Record<string, Impact | undefined> =>
  Object.fromEntries(changes.map(({ key, impact }) => [key[0], impact]));

describe('plan --impact', () => {
  test('runs the rules in the tenant and those of the manifest, and tells who enters and leaves', async () => {
    const world = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 2, Oslo: 7 });
    const before = structuredClone(world.sandbox.state.profileSearches);
    expect(impacts(await plan(world, '--impact'))).toEqual({
      Moved: {
        before: 2,
        after: 7,
        enter: { count: 7, first: ['Oslo 1', 'Oslo 2', 'Oslo 3', 'Oslo 4', 'Oslo 5'] },
        leave: { count: 2, first: ['Rome 1', 'Rome 2'] },
      },
    });
    expect(world.sandbox.state.profileSearches).toEqual(before);
    const { stdout } = await world.run('plan --impact');
    expect(stdout).toContain('finds 7 profiles, 2 before');
    expect(stdout).toContain('7 enter: Oslo 1, Oslo 2, Oslo 3, Oslo 4, Oslo 5 and 2 more');
  });

  test('a new search has nobody before, one that goes nobody after', async () => {
    const gone = 'kind: ProfileSearch\nlabel: Moved\nensure: absent\n';
    const world = await tenantWith(`${inCity('New', 'Oslo')}---\n${gone}`, { Rome: 2, Oslo: 1 });
    expect(impacts(await plan(world, '--impact'))).toMatchObject({
      New: { before: 0, after: 1, enter: { count: 1 }, leave: { count: 0, first: [] } },
      Moved: { before: 2, after: 0, enter: { count: 0, first: [] }, leave: { count: 2 } },
    });
  });

  test('a search that keeps its rules is not run, and neither is any without --impact', async () => {
    const renamed = `kind: ProfileSearch
label: Renamed
lifecycle: { renamedFrom: Renamed before }
`;
    const world = await tenantWith(`${inCity('Moved', 'Rome')}---\n${renamed}`, { Rome: 2 });
    expect(impacts(await plan(world, '--impact'))).toEqual({ Renamed: undefined });
    expect(runs(world)).toBe(0);
    const other = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 2 });
    expect(impacts(await plan(other))).toEqual({ Moved: undefined });
    expect(runs(other)).toBe(0);
  });

  test('what needs more requests than are left is not run, which is said', async () => {
    const manifests = [inCity('Large', 'Rome'), inCity('Moved', 'Oslo')].join('---\n');
    const world = await tenantWith(manifests, { Rome: 5000, Oslo: 1 });
    const notRun = 'It takes more requests than are left of 5. Raise the number with --impact=N.';
    expect(impacts(await plan(world, '--impact=5'))).toEqual({ Large: { notRun }, Moved: { notRun } });
    expect(runs(world)).toBeLessThanOrEqual(5);
  });

  test.each([1, 2, 3, 7])('sends never more than %i requests, whoever tells no totals', async (most) => {
    const manifests = [inCity('A', 'Rome'), inCity('B', 'Rome'), inCity('Moved', 'Oslo')].join('---\n');
    const options: SandboxOptions = { variations: { collections: 'bare' } };
    const world = await tenantWith(manifests, { Rome: 1100, Oslo: 2 }, options);
    await plan(world, `--impact=${most}`);
    expect(runs(world)).toBeLessThanOrEqual(most);
  });

  test('a run that fails is said and fails nothing', async () => {
    const world = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 1 });
    world.sandbox.faults.add({ kind: 'status', status: 403, operation: 'run-profile-search', times: 9 });
    const { changes } = await plan(world, '--impact');
    expect(changes).toMatchObject([{ action: 'update', impact: { notRun: expect.stringContaining('403') } }]);
    expect((await world.run('plan --impact')).stdout).toContain('Who enters and leaves is not known');
  });

  test('a number of requests that is none is refused before anything is asked', async () => {
    const world = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 1 });
    await expectEnd(world.run('plan --impact=0'), 1, '--impact=N takes a whole number');
    expect(world.sandbox.log).toEqual([]);
  });

  test('rules in the tenant that look like a secret of ours send none', async () => {
    const world = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 1 });
    const [rule] = world.sandbox.state.profileSearches[0]?.rules ?? [];
    Object.assign(rule ?? {}, { value: { $secret: 'TOKEN' } });
    await world.run('plan --impact');
    const sent = JSON.stringify(world.sandbox.log.filter(({ path }) => path.endsWith('/run')));
    expect(sent).toContain(JSON.stringify({ $secret: 'TOKEN' }));
  });
});

describe('the digest', () => {
  test('is the same with and without --impact, however many come and go, so that what was approved is applied', async () => {
    const world = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 1 });
    const { digest } = await plan(world, '--impact');
    world.sandbox.state.profiles.pop();
    expect((await plan(world, '--impact')).digest).toBe(digest);
    expect((await plan(world)).digest).toBe(digest);
    await succeed(world, 'apply --expect', digest);
  });

  test('a plan file with an impact is shown and applied', async () => {
    const world = await tenantWith(inCity('Moved', 'Oslo'), { Rome: 1 });
    await succeed(world, 'plan --impact --out plan.json');
    expect(world.read('plan.json')).toContain('"impact"');
    expect((await world.run('show plan.json')).stdout).toContain('1 leaves: Rome 1');
    await succeed(world, 'apply plan.json');
  });
});

test('a lookup that finds nothing is said where the manifest has it', async () => {
  const world = await tenantWith(inCity('Moved', 'Oslo').replace('uid: city', 'uid: town'), {});
  const { json } = await expectEnd(world.run('plan --format json'), 1);
  const source = { file: 'config/searches.yaml', line: 4, column: 82 };
  const excerpt = expect.stringContaining('^');
  const lookup = { code: 'lookup-none', address: 'ProfileSearch/Moved', source, excerpt };
  expect(json).toMatchObject({ diagnostics: [lookup] });
});
