/** The plan that undoes a result made by hand. */

import type { Resource } from '../../src/kinds/resource.ts';
import { type ChangeResult, type Plan, type Result, withDigest } from '../../src/model/documents.ts';
import { annotateRollback, rollbackRequests, rollbackState } from '../../src/planner/rollback.ts';
import { type Answer, inputOf, liveObjects, type PlanCase, planOf } from '../support/plan.ts';

type RollbackInput = Parameters<typeof rollbackState>[0];

export interface RollbackCase extends Partial<Pick<RollbackInput, 'later'>> {
  readonly records: readonly ChangeResult[];
  readonly live?: readonly Answer[];
  /** The manifests as they are now. */
  readonly declared?: readonly Resource[];
  readonly scope?: PlanCase['scope'];
  readonly choices?: PlanCase['choices'];
}

/** What an apply recorded about one object. */
export const record = (address: string, more: Partial<ChangeResult> = {}): ChangeResult => ({
  address,
  action: 'update',
  outcome: 'done',
  before: null,
  after: null,
  requests: [],
  error: null,
  warnings: [],
  ...more,
});

export function rollbackInput({
  records,
  declared = [],
  scope,
  choices,
  later = [],
}: RollbackCase): RollbackInput {
  const { environment, choices: chosen } = inputOf({
    declared,
    ...(scope ? { scope } : {}),
    ...(choices ? { choices } : {}),
  });
  return { result: resultOf(records), resources: declared, environment, choices: chosen, later };
}

export const resultOf = (changes: readonly ChangeResult[], more: Partial<Result> = {}): Result => ({
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

/** What a rollback reads: kinds and keys. */
export const readsOf = (given: RollbackCase) =>
  rollbackRequests(rollbackInput(given)).map(({ kind, keys }) => ({ kind: kind.name, keys }));

/** The plan of a rollback, with its remarks. */
export function rollBack(given: RollbackCase): Plan {
  const { live = [], scope, choices } = given;
  const state = rollbackState(rollbackInput(given), liveObjects(live));
  const plan = planOf({
    declared: state.resources,
    live,
    ...(scope ? { scope } : {}),
    ...(choices ? { choices } : {}),
  });
  const told = { ...plan, diagnostics: [...plan.diagnostics, ...state.diagnostics] };
  return withDigest(annotateRollback(told, state, rollbackInput(given)));
}
