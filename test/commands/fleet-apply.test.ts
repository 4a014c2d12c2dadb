/** What holds for an apply to one environment holds for each of several. */
import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Fleet } from '../../src/model/documents.ts';
import { createTestFleet, type TestFleet } from '../support/fleet.ts';
import { expectEnd } from '../support/world.ts';

const names = ['eu-1', 'us-1'];
let fleet: TestFleet;

beforeEach(async () => {
  fleet = await createTestFleet({ names });
});

const sender = (email: string) => ({ kind: 'SenderAddress', email });
const sendersOf = (name: string) => fleet.sandboxOf(name).state.senders.map(({ email }) => email);
const run = (...argv: string[]) => fleet.run(...argv);
const fleetIn = (stdout: string): Fleet => JSON.parse(stdout);

describe('deletes in a saved fleet', () => {
  /** Deletes two objects in each environment, where no more than one may be deleted at once. */
  beforeEach(async () => {
    fleet.declare([sender('a@acme.example'), sender('b@acme.example'), sender('c@acme.example')]);
    await expectEnd(run('apply -e * --yes'), 0);
    const ensure = 'absent';
    const absent = ['b@acme.example', 'c@acme.example'].map((email) => ({ ...sender(email), ensure }));
    fleet.declare([sender('a@acme.example'), ...absent]);
    const limits = { settle: '0s', maxDeletes: 1 };
    fleet.writeProject({ 'eu-1': { limits }, 'us-1': { limits } });
    await expectEnd(run('plan -e * --max-deletes 2 --out fleet.json'), 0);
  });

  it('are refused where only the file allows so many: anybody can write that into it', async () => {
    const { stdout } = await expectEnd(run('apply fleet.json'), 4);
    expect(stdout).toContain('[max-deletes]');
    for (const name of names) expect(sendersOf(name)).toHaveLength(3);
  });

  it('are made where --max-deletes allows them, or the digest was approved', async () => {
    const { digest } = fleetIn(fleet.read('fleet.json'));
    await expectEnd(run('apply fleet.json --dry-run --expect', digest), 0);
    await expectEnd(run('apply fleet.json --max-deletes 2'), 0);
    for (const name of names) expect(sendersOf(name)).toEqual(['a@acme.example']);
  });
});

it.each([[['eu-1']], [['eu-1', 'us-1']]])('says once that checkouts of %s are not locked', async (names) => {
  const fleet = await createTestFleet({ names });
  fleet.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  delete fleet.env.XDG_STATE_HOME;
  const { code, stderr } = await fleet.run('apply', '-e', names.join(), '--yes', '--quiet');
  const warning = 'warning  There is no XDG_STATE_HOME and no HOME';
  expect({ code, warnings: stderr.split(warning).length - 1 }).toEqual({ code: 0, warnings: 1 });
});

it('--fail-fast stops the environment in which something failed, and no other', async () => {
  const tickets = { kind: 'SimIntegration', name: 'Tickets', type: 'ServiceNow Service Desk' };
  fleet.declare([sender('a@acme.example'), tickets]);
  fleet.sandboxOf('us-1').faults.add({ kind: 'status', status: 403, method: 'POST', path: '/v2025' });
  const { stdout } = await expectEnd(run('apply -e * --yes --fail-fast --format json'), 3);
  const results = fleetIn(stdout).environments.map(({ result }) => result?.changes ?? []);
  const outcomes = results.map((changes) => changes.map(({ outcome }) => outcome).join());
  expect(outcomes).toEqual(['done,done', 'failed,notAttempted']);
});

it('a dry run of an apply that failed in part shows what is left', async () => {
  fleet.declare([sender('a@acme.example')]);
  await run('plan -e * --out fleet.json');
  const { faults } = fleet.sandboxOf('us-1');
  faults.add({ kind: 'status', status: 403, method: 'POST', path: '/v2025' });
  await expectEnd(run('apply fleet.json'), 3);
  faults.clear();
  const { code, stdout } = await run('apply fleet.json --dry-run');
  expect([code, stdout.match(/^# \S+$/gm)]).toEqual([0, ['# us-1']]);
});

it('an environment that the project does not have any more stops no other', async () => {
  fleet.declare([sender('a@acme.example')]);
  await run('plan -e * --out fleet.json');
  fleet.write('tenantctl.yaml', fleet.read('tenantctl.yaml').replace('  us-1:', '  us-2:'));
  const { stdout } = await expectEnd(run('apply fleet.json --format json'), 3);
  const [done, gone] = fleetIn(stdout).environments;
  expect(done).toMatchObject({ name: 'eu-1', result: { outcome: 'done' } });
  expect(gone).toMatchObject({
    result: null,
    error: { diagnostics: [{ code: 'unknown-environment', hint: expect.stringContaining('us-2') }] },
  });
});

it('a digest that is not that of plans made just now refuses them, before anything is sent', async () => {
  fleet.declare([sender('a@acme.example')]);
  const { stdout } = await run('plan -e * --format json');
  const { digest } = fleetIn(stdout);
  const other = digest.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  await expectEnd(run('apply -e * --expect', other), 4, '[digest-mismatch]');
  for (const name of names) expect(sendersOf(name)).toEqual([]);
  await expectEnd(run('apply -e * --expect', digest), 0);
});

it.skipIf(!existsSync('/dev/full'))('an apply whose result has no room is incomplete', async () => {
  fleet.declare([sender('a@acme.example')]);
  await expectEnd(run('apply -e * --yes --result /dev/full'), 3, '/dev/full cannot be written');
  for (const name of names) expect(sendersOf(name)).toEqual(['a@acme.example']);
});
