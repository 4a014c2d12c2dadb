import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/model/documents.ts';
import { describedGroups, describedWorld, manifestFile } from '../safety/described-kinds.ts';
import { casesOf, isThorough } from '../support/effort.ts';
import { fillHost, findWanted, type Host, hostOf, hosts, worldOf } from '../support/hosts.ts';
import { createTestWorld, setSecrets, succeed, untilItSpeaks, type WorldOptions } from '../support/world.ts';

/** Every kind and every command, in the order in which a project meets them. */
async function useAll(host: Host, identity: WorldOptions['identity'] = {}): Promise<void> {
  const options = worldOf(host);
  const world = await createTestWorld({ ...options, identity: { ...options.identity, ...identity } });
  fillHost(world.sandbox.state);

  await succeed(world, 'export --out config');
  setSecrets(world);
  await succeed(world, 'validate');
  expect(await world.plan('--prune')).toMatchObject({ changes: [], summary: { undeclared: 0 } });
  await succeed(world, 'export --out config --merge');
  expect((await world.plan()).changes).toEqual([]);

  world.declare(findWanted(host));
  const before = await world.plan();
  await succeed(world, 'apply --yes --result result.json');
  expect((await world.plan()).changes).toEqual(before.changes.filter(({ action }) => action === 'manual'));
  expect(unmetIn(world.read('result.json'))).toEqual([]);

  await succeed(world, 'validate');
  await succeed(world, 'status --format json');
  await succeed(world, 'search Engineers --format json');
  await untilItSpeaks(world, 'preview');
  await succeed(world, 'send-test NotificationTemplate/welcome/EMAIL/en --yes');

  await succeed(world, 'rollback result.json --out back.json');
  // Some hosts do not delete templates: a rollback then makes all other changes, and says so.
  const back = await world.run('apply back.json');
  expect(back, back.stderr + back.stdout).toMatchObject({ code: refusesDeletes(host) ? 3 : 0 });
}

/** What an apply says that the tenant did not do as asked. */
function unmetIn(result: string): unknown[] {
  const { changes }: Result = JSON.parse(result);
  return changes.flatMap(({ address, unmet, warnings }) => (unmet ? [{ address, unmet, warnings }] : []));
}

const refusesDeletes = ({ bulkDelete = 'enabled' }: Host) => bulkDelete !== 'enabled';

describe('apply then plan is empty, export then plan is empty, and every command works', () => {
  test('for a host that keeps to the contract', () => useAll({}));

  test.each(casesOf(hosts))('for a host with %s', (_, host) => useAll(host));

  const integrations = hosts.filter(([name]) => /^(sim|jsonText)/.test(name));
  test.each(casesOf(integrations))('for a host with %s that refuses patches of integrations', (_, host) =>
    useAll(host, { simUpdate: 'put' }),
  );

  const together = Array.from({ length: isThorough ? 24 : 1 }, (_, at) => at + 1);
  test.each(casesOf(together))('for a host with many of them at once, number %i', (number) =>
    useAll(hostOf(number)),
  );
});

// Where a list has as many objects as a page, nothing but the next answer tells that it was whole.
test.each([100, ...(isThorough ? casesOf([...Array(61).keys()]) : [25])])(
  'a host that knows no pages has %i objects of each kind: both plans are empty',
  async (count) => {
    const world = await createTestWorld({ ...worldOf({ unpaged: true }), seed: seedOf(count) });
    await succeed(world, 'export --out config --kinds NotificationTemplate SenderAddress VerifiedDomain');
    expect((await world.plan()).summary).toMatchObject({ unchanged: 3 * count, undeclared: 0 });
    world.declare(
      [...new Set([1, count + 1])].map((at) => ({
        ...templateNumber(at),
        kind: 'NotificationTemplate',
        subject: 'New',
      })),
    );
    await succeed(world, 'apply --yes');
    expect((await world.plan()).changes).toEqual([]);
  },
);

const templateNumber = (at: number) => ({ key: `key_${at}`, medium: 'EMAIL', locale: 'en' });

function seedOf(count: number): string {
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  return JSON.stringify({
    templateDefaults: [...numbers, count + 1].map((at) => ({ ...templateNumber(at), subject: 'Old' })),
    templates: numbers.map((at) => ({ ...templateNumber(at), subject: `Number ${at}` })),
    senders: numbers.map((at) => ({ email: `s${at}@acme.example` })),
    identities: numbers.map((at) => ({ address: `d${at}.example` })),
  });
}

describe("for kinds of one's own, both plans are empty, and a rollback leads back", () => {
  const collections = hosts.filter(([name]) => /^(sameKey|unsetMembers|createAnswer|unpaged)=/.test(name));
  // What a host does whatever it serves, all at once.
  const everywhere: Host = {
    jsonText: 'object',
    listsChange: 'once',
    emptyAsNull: true,
    shuffleLists: true,
    resolveNames: true,
    headerMissing: 'forbidden',
  };
  test('there are such hosts', () => expect(collections.length).toBeGreaterThanOrEqual(3));

  test.each([...casesOf(collections), ['ways that are not of a kind', everywhere] as const])(
    'for a host with %s',
    async (_, host) => {
      const world = await createTestWorld({ ...describedWorld, ...worldOf(host) });
      await succeed(world, 'export --kinds Role AccessProfile Transform --out config');
      await succeed(world, 'validate');
      expect((await world.plan()).changes).toEqual([]);
      world.declare([]);
      world.write('config/all.yaml', manifestFile(describedGroups));
      await succeed(world, 'apply --yes --result result.json');
      expect((await world.plan()).changes).toEqual([]);
      expect(unmetIn(world.read('result.json'))).toEqual([]);
      await succeed(world, 'rollback result.json --out back.json');
      await succeed(world, 'apply back.json');
      expect((await world.run('rollback result.json --format json')).json).toMatchObject({ changes: [] });
    },
  );
});
