/** What a rollback says of later applies. */
import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { ChangeResult, Result } from '../../src/model/result.ts';
import { laterRemarks, undosOf } from '../../src/planner/rollback.ts';
import { record } from './rolling-back.ts';

const resultOf = (changes: readonly ChangeResult[], more: Partial<Result> = {}): Result => ({
  formatVersion: 1,
  planDigest: 'sha256:0',
  environment: 'test',
  tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
  startedAt: '2026-01-01T00:00:00Z',
  endedAt: '2026-01-01T00:00:00Z',
  outcome: 'done',
  summary: { done: changes.length, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 },
  changes,
  ...more,
});
const first = resultOf([
  record('SenderAddress/a', { action: 'create' }),
  record('SimIntegration/New', { renamedFrom: ['Old'] }),
]);
const file = '.tenantctl/test/results/later.json';

const remarks = (...later: Parameters<typeof laterRemarks>[1]) =>
  laterRemarks(undosOf(first, builtInKinds), later, first, builtInKinds);
const later = (changes: readonly ChangeResult[], more: Partial<Result> = {}) => ({
  file,
  result: resultOf(changes, { startedAt: '2026-02-01T00:00:00Z', ...more }),
});

it.each([
  ['its name after a rename', record('SimIntegration/New')],
  ['its name before it', record('SimIntegration/Old')],
  ['a name that it has got since', record('SimIntegration/Newest', { renamedFrom: ['New'] })],
])('an object is known by %s, and named once', (_what, change) => {
  expect(remarks(later([change])).map(({ address }) => address)).toEqual(['SimIntegration/New']);
});

it.each<[string, Parameters<typeof later>]>([
  ['other objects', [[record('SenderAddress/b'), record('ProfileSearch/a')]]],
  ['no object', [[record('SenderAddress/a', { outcome: 'skipped' })]]],
  ['another environment', [[record('SenderAddress/a')], { environment: 'other' }]],
  [
    'another tenant',
    [[record('SenderAddress/a')], { tenant: { identity: 'x', profiles: first.tenant.profiles } }],
  ],
  [
    'another second service',
    [[record('SenderAddress/a')], { tenant: { identity: first.tenant.identity, profiles: 'x' } }],
  ],
])('nothing is said of an apply that changed %s', (_what, given) => {
  expect(remarks(later(...given))).toEqual([]);
});
