/** Objects that no manifest names, in the plan that reviews the removal of a manifest. */
import { describe, expect, test } from 'vitest';
import { createTestWorld, succeed, type World, type WorldOptions } from '../support/world.ts';

const seed = `
templateDefaults:
  - { key: welcome, medium: EMAIL, locale: en, subject: Welcome, body: Hi }
  - { key: farewell, medium: EMAIL, locale: en, subject: Bye, body: Bye }
templates:
  - { key: welcome, medium: EMAIL, locale: en, subject: Hello }
profileSearches: [{ label: a }, { label: b }, { label: c }]
`;
const search = (label: string) => ({ kind: 'ProfileSearch', label });

async function open(options: WorldOptions, ...declared: object[]): Promise<World> {
  const world = await createTestWorld({
    seed,
    profiles: { profileSearchDelete: true },
    sandbox: { variations: { profileSearchDelete: true } },
    ...options,
  });
  world.declare(declared);
  return world;
}

const undeclared = ['ProfileSearch/b', 'ProfileSearch/c'];

describe('objects of declared kinds that no manifest names', () => {
  test('are counted and listed, and cost no request', async () => {
    const world = await open({}, search('a'));
    const plan = await world.plan();
    expect(plan).toMatchObject({ changes: [], undeclared, summary: { unchanged: 1, undeclared: 2 } });
    const asked = world.sandbox.log.filter(({ method }) => method === 'GET');
    expect(asked.map(({ path }) => path)).toEqual(['/api/advanced_search']);
  });

  test('are not those that no manifest could declare: none was removed', async () => {
    const world = await open({}, search('a'));
    const odd = world.sandbox.state.profileSearches.find(({ label }) => label === 'b');
    const rule = { id: 'r1', comparison_operator: '==', value: 'x' };
    Object.assign(odd ?? {}, { rules: [{ ...rule, type: 'OtherRule' }] });
    const plan = await world.plan();
    expect(plan).toMatchObject({ undeclared: ['ProfileSearch/c'], summary: { undeclared: 1 } });
  });

  test('are no changes, and not part of what is approved', async () => {
    const world = await open({}, search('a'), search('new'));
    const before = await world.plan();
    world.sandbox.state.profileSearches.pop();
    const after = await world.plan();
    expect([before.summary.undeclared, after.summary.undeclared]).toEqual([2, 1]);
    expect(after.digest).toBe(before.digest);
    world.declare([search('a')]);
    await succeed(world, 'plan --detailed-exitcode');
  });

  test('are named in every report', async () => {
    const world = await open({}, search('a'));
    const words = '2 objects in the tenant that no manifest declares';
    const brief = await world.run('plan');
    expect(brief.stdout).toContain(`${words}; --verbose names them`);
    expect(brief.stdout).not.toContain(undeclared[0]);
    for (const options of [['--verbose'], ['--format', 'markdown']]) {
      const { stdout } = await world.run('plan', ...options);
      expect(stdout).toContain(words);
      for (const address of undeclared) expect(stdout).toContain(address);
    }
    const page = await world.run('plan --format html');
    expect(page.stdout).toMatch(/2<\/[^>]+>[\s\S]{0,80}undeclared/);
    // Folded, an item for each: a tenant may have hundreds.
    const list =
      /<details class="others"><summary>.*?<\/summary>(.*?)<\/details>/s.exec(page.stdout)?.[1] ?? '';
    const items = [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) =>
      item.replaceAll(/<[^>]+>/g, ''),
    );
    expect(items).toEqual(undeclared);
    expect(page.stdout.match(/<footer>.*<\/footer>/s)?.[0]).not.toContain(undeclared[0]);
  });

  test('are none of kinds that no manifest declares, and none where only the default exists', async () => {
    const key = { key: 'welcome', medium: 'EMAIL', locale: 'en' };
    const world = await open({}, { kind: 'NotificationTemplate', ...key, subject: 'Hello' });
    const plan = await world.plan();
    expect(plan.summary.undeclared).toBe(0);
    expect(plan).not.toHaveProperty('undeclared');
  });

  test('are the same whatever the plan deletes of them, and not those that prune.keep names', async () => {
    const prune = { kinds: ['ProfileSearch'], keep: [undeclared[0] ?? ''] };
    const world = await open({ environment: { prune } }, search('a'));
    expect((await world.plan()).undeclared).toEqual([undeclared[1]]);
    expect((await world.plan('--prune')).summary).toMatchObject({ delete: 1, undeclared: 1 });
    expect((await world.run('plan --prune')).stdout).toContain('declares; 1 to delete');
    world.declare([search('a'), { ...search('c'), ensure: 'absent' }]);
    expect((await world.plan()).summary).toMatchObject({ delete: 1, undeclared: 0 });
  });

  test('are none of a rollback', async () => {
    const world = await open({}, search('a'), search('new'));
    await succeed(world, 'apply --yes --result result.json');
    const { json } = await world.run('rollback result.json --format json');
    expect(json).toMatchObject({ summary: { delete: 1 } });
    expect(json).not.toHaveProperty('undeclared');
  });
});
