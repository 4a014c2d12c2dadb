/** Notification preferences on hosts that list them and take changes, beside hosts of the contract. */
import { describe, expect, test } from 'vitest';
import { worldOf } from '../support/hosts.ts';
import { createTestWorld, succeed, type World, writesIn } from '../support/world.ts';

const seed = `
templateDefaults: [{ key: welcome }, { key: reminder }, { key: farewell }]
preferences:
  - { key: welcome, mediums: [EMAIL] }
  - { key: reminder, mediums: [EMAIL, SLACK], ccList: [audit@acme.example] }
`;
const preference = (key: string, fields: object) => ({ kind: 'NotificationPreference', key, ...fields });
const written = worldOf({ preferences: 'written' });

const readsIn = ({ sandbox }: World) => sandbox.log.filter(({ path }) => path.includes('preferences'));

describe('a host that takes changes', () => {
  test('gets each changed preference whole, as one PUT, and is then as declared', async () => {
    const world = await createTestWorld({ ...written, seed });
    world.declare([
      preference('welcome', { mediums: ['INBOX', 'EMAIL'] }),
      preference('reminder', { bccList: ['help@acme.example'] }),
      preference('farewell', { mediums: ['TEAMS'] }),
    ]);
    await succeed(world, 'apply --yes');
    expect(writesIn(world.sandbox.log).map(({ method, path, body }) => ({ method, path, body }))).toEqual(
      expect.arrayContaining([
        {
          method: 'PUT',
          path: '/v2026/notification-preferences/reminder',
          body: {
            key: 'reminder',
            mediums: ['EMAIL', 'SLACK'],
            ccList: ['audit@acme.example'],
            bccList: ['help@acme.example'],
          },
        },
      ]),
    );
    expect(world.sandbox.state.preferences).toMatchObject([
      { key: 'welcome', mediums: ['INBOX', 'EMAIL'], ccList: [] },
      { key: 'reminder', mediums: ['EMAIL', 'SLACK'], bccList: ['help@acme.example'] },
      { key: 'farewell', mediums: ['TEAMS'] },
    ]);
    expect((await world.plan()).changes).toEqual([]);
  });

  test('shows addresses in any case', async () => {
    const world = await createTestWorld({ ...written, seed });
    world.declare([preference('reminder', { ccList: ['Audit@Acme.example'] })]);
    expect((await world.plan()).changes).toEqual([]);
  });

  test('is asked for all of them in one request', async () => {
    const world = await createTestWorld({ ...written, seed });
    world.declare(['welcome', 'reminder'].map((key) => preference(key, { mediums: ['EMAIL'] })));
    await world.plan();
    expect(readsIn(world)).toMatchObject([
      { path: '/v2026/notification-preferences', query: { filters: 'key in ("welcome","reminder")' } },
    ]);
  });

  test('is exported, after which a plan is empty, and can be rolled back', async () => {
    const world = await createTestWorld({ ...written, seed });
    await succeed(world, 'export --out config');
    expect(world.read('config/notification-preferences.yaml')).toContain('audit@acme.example');
    expect((await world.plan()).changes).toEqual([]);
    world.declare([preference('reminder', { mediums: [], ccList: null })]);
    await succeed(world, 'apply --yes --result result.json');
    expect(world.sandbox.state.preferences[1]).toMatchObject({ mediums: [], ccList: [] });
    await succeed(world, 'rollback result.json --out back.json');
    await succeed(world, 'apply back.json');
    expect(world.sandbox.state.preferences[1]).toMatchObject({
      mediums: ['EMAIL', 'SLACK'],
      ccList: ['audit@acme.example'],
    });
  });
});

test('on a host of the contract, a difference stays a step by hand, and copies cannot be compared', async () => {
  const world = await createTestWorld({ seed });
  world.declare([preference('welcome', { mediums: ['SLACK'], ccList: ['audit@acme.example'] })]);
  const { changes } = await world.plan();
  expect(changes).toMatchObject([{ action: 'manual', requests: [] }]);
  expect(changes[0]?.diff.map(({ path }) => path)).toEqual(['/mediums/0', '/mediums/0']);
  expect(readsIn(world)).toMatchObject([{ path: '/v2025/notification-preferences/welcome' }]);
});

test('tenants of both sorts in one run: each is read in its own way', async () => {
  const [old, young] = [await createTestWorld({ seed }), await createTestWorld({ ...written, seed })];
  young.write(
    'environments/old.yaml',
    `identity:\n  baseUrl: ${old.sandbox.url}\n  auth: { clientId: !env OLD_ID, clientSecret: !secret OLD_SECRET }\n`,
  );
  Object.assign(young.env, { OLD_ID: old.sandbox.clientId, OLD_SECRET: old.sandbox.clientSecret });
  young.declare([preference('welcome', { mediums: ['SLACK'] })]);
  const { json } = await succeed(young, 'plan --format json -e old,test');
  expect(json).toMatchObject({
    environments: [
      { name: 'old', plan: { changes: [{ action: 'manual' }] } },
      { name: 'test', plan: { changes: [{ action: 'update' }] } },
    ],
  });
});
