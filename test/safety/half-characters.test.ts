import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../src/model/address.ts';
import { planDigest } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { createTestWorld, expectEnd, succeed, writesIn } from '../support/world.ts';
import { everything, fillTenant, oneAtATime } from './every-kind.ts';

/** JSON and YAML can spell half of a surrogate pair; UTF-8 and URLs cannot. */
const half = '\ud800';

const errorsIn = (json: Json): unknown[] =>
  Object(json).diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');

describe('half of a character', () => {
  const desk = { kind: 'SimIntegration', type: 'x', cluster: 'c', sources: ['s'] };
  const rule = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };

  it.each([
    ['name', { ...desk, name: `Desk ${half}` }],
    ['id', { ...desk, id: `x${half}` }],
    ['email', { kind: 'SenderAddress', email: `x${half}@acme.example` }],
    ['key', { kind: 'NotificationTemplate', key: half, medium: 'EMAIL', locale: 'en', body: 'b' }],
    ['domain', { kind: 'VerifiedDomain', domain: `a${half}.example` }],
    ['identity', { kind: 'MailFrom', identity: `a${half}.example`, mailFromDomain: 'b.a.example' }],
    ['label', { kind: 'ProfileSearch', label: half, rules: [rule] }],
    ['lifecycle.renamedFrom', { ...desk, name: 'Desk', lifecycle: { renamedFrom: half } }],
  ])('in `%s` of a manifest is an error at its place', async (field, document) => {
    const world = await createTestWorld();
    world.declare([document]);
    for (const command of ['validate', 'plan']) {
      expect(errorsIn((await expectEnd(world.run(command, '--format', 'json'), 1)).json)).toMatchObject([
        {
          code: 'invalid-value',
          message: expect.stringContaining(`\`${field}\` cannot be `),
          source: { file: 'config/all.yaml', line: 2, column: expect.any(Number) },
        },
      ]);
    }
    expect(world.sandbox.log).toEqual([]);
  });

  it('that comes from a variable, or stands in a lookup or an address, is an error at its place', async () => {
    const world = await createTestWorld({ environment: { variables: { desk: half } } });
    world.write(
      'config/a.yaml',
      'kind: SimIntegration\nname: !var desk\ntype: x\ncluster: c\nsources: [s]\n',
    );
    world.write(
      'config/b.yaml',
      'kind: ProfileSearch\nlabel: x\nrules:\n  - type: ProfileStatusRule\n    comparison_operator: "=="\n' +
        '    value: !lookup { from: profiles, where: { name: "\\ud800" }, take: id }\n',
    );
    expect(errorsIn((await world.run('validate --format json')).json)).toMatchObject([
      { code: 'invalid-value', source: { file: 'config/a.yaml', line: 2, column: 7 } },
      { code: 'invalid-lookup', source: { file: 'config/b.yaml', line: 6, column: 12 } },
    ]);
    const url = JSON.stringify(world.sandbox.url);
    const text = world.read('tenantctl.yaml');
    world.write('tenantctl.yaml', text.replace(url, `${url.slice(0, -1)}/\\ud800"`));
    expect((await world.run('plan')).stderr).toMatch(/tenantctl\.yaml:6:16 {2}error .*\[invalid-url\]/s);
  });

  it('in names of the tenant stops nothing, and is told by an export', async () => {
    const world = await createTestWorld(oneAtATime);
    const { state } = world.sandbox;
    fillTenant(state);
    world.declare(everything);
    for (const row of state.simIntegrations.slice(1)) Object.assign(row, { name: `Desk ${half}` });
    for (const row of state.templates.slice(1)) Object.assign(row, { key: half, subject: half });
    for (const row of state.senders.slice(1)) row.email = `x${half}@acme.example`;
    for (const row of state.profileSearches.slice(1)) row.label = half;
    for (const row of state.authProfiles) row.name = half;
    for (const row of state.identities) row.address = `a${half}.example`;
    const stderr = (await succeed(world, 'export --out exported')).stderr.replaceAll(/\s+/g, ' ');
    expect(stderr).toContain('its key contains half of a character');
    for (const kind of ['SenderAddress', 'NotificationTemplate', 'ProfileSearch', 'VerifiedDomain'])
      expect(stderr).toContain(`${kind}/`);
    for (const command of ['plan', 'status', 'search Staff', 'apply --yes', 'plan']) {
      expect(await world.run(command), command).toMatchObject({ code: 0 });
    }
  });

  it('in the requests of a plan file is not sent', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
    const plan = await world.plan();
    const before = world.sandbox.log.length;
    const codes: number[] = [];
    for (const more of [{ path: `/v2025/${half}` }, { query: { x: half } }, { query: { [half]: 'x' } }]) {
      const changes = plan.changes.map((change) => ({
        ...change,
        requests: change.requests.map((request) => ({ ...request, ...more })),
      }));
      const edited = { ...plan, changes };
      world.write('plan.json', JSON.stringify({ ...edited, digest: planDigest(edited) }));
      const applied = await world.run('apply plan.json');
      codes.push(applied.code);
      expect(applied.stderr + applied.stdout).not.toContain('[internal]');
    }
    // Refused, and nothing was written.
    expect(codes).toEqual([4, 4, 4]);
    expect(writesIn(world.sandbox.log.slice(before))).toEqual([]);
  });
});

it('texts that differ in half of a character have different addresses, which name no manifest', () => {
  const keys = ['a', `a${half}`, 'a\ud801', 'a\udfff', 'a\ufffd', 'a\u{10000}', `${half}a`];
  const addresses = keys.map((key) => formatAddress('SenderAddress', [key]));
  expect(new Set(addresses).size).toBe(keys.length);
  expect(addresses[1]).toBe('SenderAddress/a%D800');
  expect(addresses[3]).toBe('SenderAddress/a%DFFF');
  expect(parseAddress(addresses[1] ?? '')).toBeNull();
  expect(parseAddress(addresses[5] ?? '')?.key).toEqual(['a\u{10000}']);
});
