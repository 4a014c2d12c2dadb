import type { Change as ChangeResult, Result } from '../generated/schemas/result.ts';
import { ExitCode } from './failure.ts';

export type { Change as ChangeResult, Request as SentRequest, Result } from '../generated/schemas/result.ts';

export const resultFormat = 1;

/** `unknown` was sent, but no answer shows its effect; `skipped` depends on a failed change; `notAttempted` was not started. */
export type ChangeOutcome = ChangeResult['outcome'];
export const changeOutcomes = [
  'done',
  'failed',
  'skipped',
  'notAttempted',
  'unknown',
] as const satisfies readonly ChangeOutcome[];

export function mayHaveFailed({ outcome }: Pick<ChangeResult, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'unknown';
}

export function countOutcomes(
  changes: readonly Pick<ChangeResult, 'outcome'>[],
): Readonly<Record<ChangeOutcome, number>> {
  const counts = { done: 0, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 };
  for (const { outcome } of changes) counts[outcome] += 1;
  return counts;
}

const exitCodes: Readonly<Record<Result['outcome'], ExitCode>> = {
  done: ExitCode.done,
  partial: ExitCode.incomplete,
  interrupted: ExitCode.interrupted,
  refused: ExitCode.refused,
};

/** The exit code of a run: from the same value as the printed summary. */
export function exitCodeOf({ outcome }: Pick<Result, 'outcome'>): ExitCode {
  return exitCodes[outcome];
}
