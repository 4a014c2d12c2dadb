import { describe, expect, it } from 'vitest';
import { type EnvironmentPlan, findSharedChanges } from '../../src/engine/shared-tenant.ts';
import type { Environment } from '../../src/kinds/project.ts';
import { answers, inputOf, type PlanCase, planOf, resource } from '../support/plan.ts';

/** Plans that would change the same object of one tenant at once. */

const search: PlanCase = { declared: [resource('ProfileSearch', ['A'], { condition_rules_attributes: [] })] };
const sender: PlanCase = { declared: [resource('SenderAddress', ['a@a.example'])] };
const byHand: PlanCase = {
  declared: [resource('ProfileSearch', ['A'], {}, { ensure: 'absent' })],
  live: [answers.search(1, 'A')],
};

/** The plans for two environments that have the same tenant, but for these parts of the second. */
function planned(given: PlanCase, ofBoth: Partial<Environment>, ofSecond: Partial<Environment> = {}) {
  const plan = planOf(given);
  const { environment } = inputOf(given);
  return [{ name: 'one' }, { name: 'two', ...ofSecond }].map(
    (parts): EnvironmentPlan => ({ environment: { ...environment, ...ofBoth, ...parts }, plan }),
  );
}

const sandbox = (data: string | null): Partial<Environment> => ({
  tenant: { identity: 'sandbox:memory', profiles: 'sandbox:memory' },
  connection: { to: 'sandbox', sandbox: { seed: null, data, kinds: null } },
});
const otherIdentity = { tenant: { identity: 'https://two.example', profiles: 'https://profiles.example' } };

describe('environments with one tenant', () => {
  it.each<[string, readonly EnvironmentPlan[], boolean]>([
    ['must not change one object at once', planned(sender, {}), true],
    ['must not do so where they share only its service', planned(search, {}, otherIdentity), true],
    ['may change objects of services that they do not share', planned(sender, {}, otherIdentity), false],
    ['may have the same step made by hand', planned(byHand, {}), false],
    ['are not those with embedded tenants in memory', planned(sender, sandbox(null)), false],
    ['are those with the embedded tenant of one file', planned(sender, sandbox('/data.json')), true],
  ])('%s', (_what, plans, isRefused) => {
    const found = findSharedChanges(plans);
    expect([...found.keys()]).toEqual(isRefused ? ['one', 'two'] : []);
    if (isRefused)
      expect(found.get('one')).toMatchObject({
        code: 'shared-tenant',
        message: expect.stringMatching(/ would also be changed by two in the same tenant\.$/),
      });
  });
});
