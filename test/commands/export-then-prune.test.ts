import { expect, test } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { createTestWorld, expectEnd, setSecrets, succeed } from '../support/world.ts';

/** Of most kinds an object that no manifest can declare, beside one that a manifest can. */
const seed = `
templateDefaults:
  - { key: welcome, medium: EMAIL, locale: en, subject: Welcome, body: Hi }
templates:
  - { key: welcome, medium: EMAIL, locale: en, subject: Hello }
  - { key: welcome, medium: EMAIL, locale: not a locale, subject: Hello }
senders: [{ email: a@acme.example }, { email: 'not an address' }]
identities: [{ address: acme.example }, { address: 'not a domain' }]
simIntegrations: [{ name: Tickets, type: Jira, sources: [s1] }]
neAttributes: [{ id: a1, uid: city, label: City, data_type: text }]
profileSearches:
  - { label: Active, rules: [{ type: ProfileStatusRule, comparison_operator: ==, value: Active }] }
  - { label: Risky, rules: [{ type: RiskRule, comparison_operator: unheard of, value: '7' }] }
  - { label: '${'x'.repeat(300)}', rules: [] }
`;

const undeclarable = /not%20a%20locale|not%20an%20address|not%20a%20domain|x{300}/;

test('what an export leaves out is neither pruned nor told as undeclared', async () => {
  const world = await createTestWorld({
    seed,
    sandbox: { variations: { profileSearchDelete: true, searchRules: 'extended' } },
    profiles: { profileSearchDelete: true },
    environment: { prune: { kinds: builtInKinds.all.map(({ name }) => name) } },
  });
  await expectEnd(world.run('export --out config'), 0, /not-declarable/);
  setSecrets(world);
  const { changes, summary, diagnostics } = await world.plan('--prune');
  expect(changes).toEqual([]);
  expect(summary.undeclared).toBe(0);
  const kept = diagnostics.filter(({ code }) => code === 'kept').map(({ address }) => address);
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.filter((address) => !undeclarable.test(address ?? ''))).toEqual([]);
});

test('an environment without a profiles service: its kinds are left out, with a remark', async () => {
  const world = await createTestWorld({ seed });
  world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace(/^ +profiles: .*\n/m, ''));
  await expectEnd(
    world.run('export --out config'),
    0,
    /ProfileSearch is left out: the `profiles` service is missing in test/,
  );
  expect((await world.plan()).changes).toEqual([]);
  await succeed(world, 'export --out config --merge');
  await expectEnd(world.run('export --out other --kinds ProfileSearch'), 1, 'no-endpoint');
});
