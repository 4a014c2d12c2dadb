import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { findSharedChanges, tenantProbe } from '../../src/engine/fleet.ts';
import type { Environment } from '../../src/kinds/project.ts';
import { loadProject } from '../../src/loader/index.ts';
import { answers, inputOf, type PlanCase, planOf, resource } from '../support/plan.ts';
import { createTestWorld, type World } from '../support/world.ts';

/** Plans that would change the same object of one tenant at once. */

type Planned = Parameters<typeof findSharedChanges>[0][number];
type TenantProbe = ReturnType<typeof tenantProbe>;

const search: PlanCase = { declared: [resource('ProfileSearch', ['A'], { condition_rules_attributes: [] })] };
const senderOf = (email: string): PlanCase => ({ declared: [resource('SenderAddress', [email])] });
const sender = senderOf('a@a.example');
const byHand: PlanCase = {
  declared: [resource('ProfileSearch', ['A'], {}, { ensure: 'absent' })],
  live: [answers.search(1, 'A')],
};

/** The plans for two environments that have the same tenant, but for these parts of the second. */
function planned(
  given: PlanCase,
  ofBoth: Partial<Environment>,
  ofSecond: Partial<Environment> = {},
  second: PlanCase = given,
): Planned[] {
  const { environment, secrets } = inputOf(given);
  return [
    { parts: { name: 'one' }, plan: planOf(given) },
    { parts: { name: 'two', ...ofSecond }, plan: planOf(second) },
  ].map(({ parts, plan }) => ({
    project: { environment: { ...environment, ...ofBoth, ...parts }, secrets },
    plan,
  }));
}

const sandbox = (data: string | null): Partial<Environment> => ({
  tenant: { identity: 'sandbox:memory', profiles: 'sandbox:memory' },
  connection: { to: 'sandbox', sandbox: { seed: null, data, kinds: null } },
});
const at = (identity: string): Partial<Environment> => ({
  tenant: { identity, profiles: 'https://profiles.example' },
});
const otherIdentity = at('https://two.example');

/** Nobody has to be asked. */
const silent: TenantProbe = {
  parallel: 1,
  addressesOf: () => Promise.reject(new Error('A name was looked up.')),
  contentOf: () => Promise.reject(new Error('A tenant was asked.')),
};

const namesOf = async (plans: readonly Planned[], probe = silent) => [
  ...(await findSharedChanges(plans, probe)).keys(),
];

describe('environments with one tenant', () => {
  it.each<[string, readonly Planned[], boolean]>([
    ['must not change one object at once', planned(sender, {}), true],
    ['must not do so where they share only its service', planned(search, {}, otherIdentity), true],
    ['may have the same step made by hand', planned(byHand, {}), false],
    ['may change different objects', planned(sender, {}, {}, senderOf('b@a.example')), false],
    ['must not write one key in two ways', planned(sender, {}, {}, senderOf('A@a.EXAMPLE')), true],
    ['are not those with embedded tenants in memory', planned(sender, sandbox(null)), false],
    ['are those with the embedded tenant of one file', planned(sender, sandbox('/data.json')), true],
  ])('%s', async (_what, plans, isRefused) => {
    const found = await findSharedChanges(plans, silent);
    expect([...found.keys()]).toEqual(isRefused ? ['one', 'two'] : []);
    if (isRefused)
      expect(found.get('one')).toMatchObject({
        code: 'shared-tenant',
        message: expect.stringMatching(/ would also be changed by two in the same tenant\.$/),
      });
  });

  it('must not change one object under two names', async () => {
    const live = [answers.integration('s1', 'Old')];
    const renamed = (name: string): PlanCase => ({
      declared: [
        resource('SimIntegration', [name], { description: 'new' }, { lifecycle: { renamedFrom: ['Old'] } }),
      ],
      live,
    });
    expect(await namesOf(planned(renamed('A'), {}, {}, renamed('B')))).toEqual(['one', 'two']);
  });

  it.each([
    ['http://localhost:8080', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080', 'http://[::1]:8080'],
    ['https://acme.example', 'https://acme.example.'],
    ['https://acme.example:8443/api', 'https://acme.example.:8443/api'],
  ])('are known by any spelling of the host: %s and %s', async (one, other) => {
    expect(await namesOf(planned(sender, at(one), at(other)))).toEqual(['one', 'two']);
    expect(await namesOf(planned(sender, at(other), at(one)))).toEqual(['one', 'two']);
  });

  it.each([
    ['http://localhost:8080', 'http://localhost:8081'],
    ['https://acme.example/one', 'https://acme.example/two'],
  ])('are not those of other ports and paths: %s and %s', async (one, other) => {
    expect(await namesOf(planned(sender, at(one), at(other)))).toEqual([]);
  });
});

describe('two hosts', () => {
  const plans = planned(sender, at('https://one.example'), at('https://two.example'));
  const probe = (addresses: readonly string[][], contents: readonly (string | null)[]) => {
    const contentOf = vi.fn<TenantProbe['contentOf']>(
      async ({ environment }) => contents[environment.name === 'one' ? 0 : 1] ?? null,
    );
    const addressesOf = async (host: string) => addresses[host === 'one.example' ? 0 : 1] ?? [];
    return { parallel: 2, addressesOf, contentOf };
  };
  const [here, there] = ['192.0.2.1', '192.0.2.2'];

  it.each([
    ['with one address that answer the same are one tenant', [[here], [there, here]], ['x', 'x'], true],
    ['with one address that answer otherwise are two', [[here], [here]], ['x', 'y'], false],
    ['that show nothing are two', [[here], [here]], [null, null], false],
    ['whose names are not known here may be one', [[], [there]], ['x', 'x'], true],
  ])('%s', async (_what, addresses, contents, isRefused) => {
    expect(await namesOf(plans, probe(addresses, contents))).toEqual(isRefused ? ['one', 'two'] : []);
  });

  it('with other addresses are not asked, and neither are those that change nothing alike', async () => {
    const apart = probe([[here], [there]], ['x', 'x']);
    expect(await namesOf(plans, apart)).toEqual([]);
    const others = planned(
      sender,
      at('https://one.example'),
      at('https://two.example'),
      senderOf('b@a.example'),
    );
    expect(await namesOf(others, silent)).toEqual([]);
    expect(apart.contentOf).not.toHaveBeenCalled();
  });
});

it('a name that is none has no addresses, and one of this machine has', async () => {
  const { signal } = new AbortController();
  const { addressesOf } = tenantProbe({ parallel: 1, signal });
  expect(await addressesOf('a..b')).toEqual([]);
  expect(await addressesOf('[::1]')).toEqual(['::1']);
  expect(await addressesOf('127.0.0.1')).toEqual(['127.0.0.1']);
});

describe('what a tenant has', () => {
  const contentOf = ({ dir, env }: World) => {
    const project = loadProject({ configFile: join(dir, 'tenantctl.yaml'), env });
    const { contentOf: read } = tenantProbe({ parallel: 1, signal: new AbortController().signal });
    return read(project, 'identity');
  };
  const worldWith = async (...emails: readonly string[]) => {
    const world = await createTestWorld();
    world.declare(emails.map((email) => ({ kind: 'SenderAddress', email })));
    await world.run('apply', '--yes');
    return world;
  };

  it('is the same at each look, and something else in another tenant', async () => {
    const [one, other] = [
      await worldWith('a@acme.example'),
      await worldWith('a@acme.example', 'b@acme.example'),
    ];
    const content = await contentOf(one);
    expect(content).toMatch(/^sha256:/);
    expect(await contentOf(one)).toBe(content);
    expect(await contentOf(other)).not.toBe(content);
  });

  it('is that of the next list where the tenant does not show the first', async () => {
    const world = await worldWith('a@acme.example');
    const before = world.sandbox.log.length;
    const content = await contentOf(world);
    const lists = world.sandbox.log.slice(before).filter(({ method }) => method === 'GET');
    world.sandbox.faults.add({ kind: 'status', status: 403, path: lists[0]?.path ?? '' });
    expect(lists.length).toBeGreaterThan(1);
    expect(await contentOf(world)).toBe(content);
  });

  it.each([403, 404, 401])('is nothing where it is empty, or the tenant answers %i', async (status) => {
    expect(await contentOf(await worldWith())).toBeNull();
    const world = await worldWith('a@acme.example');
    expect(await contentOf(world)).not.toBeNull();
    world.sandbox.faults.add({ kind: 'status', status, method: 'GET', times: 100 });
    expect(await contentOf(world)).toBeNull();
  });
});
