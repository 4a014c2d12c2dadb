import { isKnownById, keyBefore } from '../kinds/live-objects.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Change, isReplacement, type Plan } from '../model/plan.ts';
import type { Pointer } from '../model/pointer.ts';
import { type ChangeResult, countOutcomes, type Result, resultFormat } from '../model/result.ts';
import type { Task } from './find.ts';
import { recordEffect } from './record-effect.ts';
import { type Ending, ending } from './run.ts';

export function changeResult(end: Ending): ChangeResult {
  const { task, outcome, requests, error, warnings, unmet, beside } = end;
  const { kind, change } = task;
  const { address, action, id } = change;
  const { before, after, withheld } = recordEffect(end);
  const renamedFrom = keyBefore(kind, change);
  return {
    address,
    ...(renamedFrom ? { renamedFrom } : {}),
    ...(id !== null && (action === 'delete' || isKnownById(change)) ? { id } : {}),
    action,
    ...(isReplacement(change) ? { replaced: true } : {}),
    outcome,
    before,
    after,
    ...(withheld.length > 0 ? { withheld } : {}),
    requests,
    ...(unmet.length > 0 ? { unmet } : {}),
    ...(beside.length > 0 ? { beside } : {}),
    error,
    warnings: [...warnings, ...beside.map(warnOfBeside)],
  };
}

const warnOfBeside = (at: Pointer): string =>
  `${at} changed as well, although this plan does not touch it: the tenant set it, or somebody changed it meanwhile.`;

/** The result of a change that is about to be made: unknown until it has ended. */
export function begunResult(task: Task): ChangeResult {
  const error = 'This was written while the run was still going, so the outcome of this change is not known.';
  return changeResult(ending(task, 'unknown', [], { error }));
}

/** The result of a change that was not started: a manual one, or one of a run that stopped before it. */
export function notAttempted(change: Change, error: string | null = null): ChangeResult {
  const { address, action } = change;
  const warnings = action === 'manual' ? change.warnings : [];
  const nothing = { before: null, after: null, requests: [] };
  return { address, action, outcome: 'notAttempted', ...nothing, error, warnings };
}

export function planResult(
  plan: Plan,
  run: Pick<Result, 'startedAt' | 'endedAt' | 'outcome' | 'changes'>,
  reasons: readonly Diagnostic[],
): Result {
  return {
    formatVersion: resultFormat,
    planDigest: plan.digest,
    environment: plan.environment,
    tenant: plan.tenant,
    ...run,
    summary: countOutcomes(run.changes),
    ...(run.outcome === 'refused' ? {} : { proven: collectProof(plan, run.changes) }),
    ...(reasons.length > 0 ? { diagnostics: reasons } : {}),
  };
}

/** What the tenant equals after a run: what the plan found equal, and what the run was seen to make equal. */
function collectProof(
  { desired, ensuredHere = [] }: Plan,
  changes: readonly ChangeResult[],
): NonNullable<Result['proven']> {
  const isMade = ({ action, outcome, after, unmet = [] }: ChangeResult) =>
    outcome === 'done' && unmet.length === 0 && (action === 'delete' || after !== null);
  const notMade = changes.filter((change) => !isMade(change)).map(({ address }) => address);
  const open = new Set([...notMade, ...ensuredHere]);
  return Object.fromEntries(Object.entries(desired).filter(([address]) => !open.has(address)));
}
