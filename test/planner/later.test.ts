/** What a rollback says of later applies. */
import { expect, it } from 'vitest';
import type { ChangeResult, Result } from '../../src/model/result.ts';
import { rollbackState } from '../../src/planner/rollback.ts';
import { record, resultOf, rollbackInput } from './rolling-back.ts';

const records = [
  record('SenderAddress/a', { action: 'create' }),
  record('SimIntegration/New', { renamedFrom: ['Old'] }),
];
const { tenant } = resultOf([]);
const file = '.tenantctl/test/results/later.json';

const remarks = (later: ReturnType<typeof laterResult>) =>
  rollbackState(rollbackInput({ records, later: [later] }), []).diagnostics.filter(
    ({ code }) => code === 'rollback-later',
  );
const laterResult = (changes: readonly ChangeResult[], more: Partial<Result> = {}) => ({
  file,
  result: resultOf(changes, { startedAt: '2026-02-01T00:00:00Z', ...more }),
});

it.each([
  ['its name after a rename', record('SimIntegration/New')],
  ['its name before it', record('SimIntegration/Old')],
  ['a name that it has got since', record('SimIntegration/Newest', { renamedFrom: ['New'] })],
])('an object is known by %s, and named once', (_what, change) => {
  expect(remarks(laterResult([change])).map(({ address }) => address)).toEqual(['SimIntegration/New']);
});

it.each<[string, Parameters<typeof laterResult>]>([
  ['other objects', [[record('SenderAddress/b'), record('ProfileSearch/a')]]],
  ['no object', [[record('SenderAddress/a', { outcome: 'skipped' })]]],
  ['another tenant', [[record('SenderAddress/a')], { tenant: { identity: 'x', profiles: tenant.profiles } }]],
  [
    'another second service',
    [[record('SenderAddress/a')], { tenant: { identity: tenant.identity, profiles: 'x' } }],
  ],
])('nothing is said of an apply that changed %s', (_what, given) => {
  expect(remarks(laterResult(...given))).toEqual([]);
});
