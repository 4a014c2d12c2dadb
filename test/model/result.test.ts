import { expect, it } from 'vitest';
import { hasChanges } from '../../src/model/plan.ts';
import { countOutcomes } from '../../src/model/result.ts';
import { change } from '../report/fixtures.ts';

it('each outcome is counted by itself', () => {
  const of = (outcome: keyof ReturnType<typeof countOutcomes>, times: number) =>
    Array.from({ length: times }, () => ({ outcome }));
  const changes = [
    ...of('unknown', 5),
    ...of('done', 1),
    ...of('notAttempted', 4),
    ...of('failed', 2),
    ...of('skipped', 3),
  ];
  expect(countOutcomes(changes)).toEqual({ done: 1, failed: 2, skipped: 3, notAttempted: 4, unknown: 5 });
  expect(countOutcomes([])).toEqual({ done: 0, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 });
});

it('a plan with a change has changes', () => {
  expect(hasChanges({ changes: [change({ address: 'SenderAddress/x', action: 'manual' })] })).toBe(true);
});
