import type { Address, Key } from './address.ts';
import type { Diagnostic } from './diagnostic.ts';
import { ExitCode } from './failure.ts';
import type { JsonObject } from './json.ts';
import type { TenantName } from './network.ts';
import type { Action, Request } from './plan.ts';
import type { Pointer } from './pointer.ts';

/** The format of result files; schemas/result.schema.json describes it. */
export const resultFormat = 1;

/**
 * The outcome of a change: `unknown` was sent, but no answer shows whether it had an effect; `skipped` depends on a change
 * that failed; `notAttempted` was not started (manual, interrupted, or after `--fail-fast`).
 */
export const changeOutcomes = ['done', 'failed', 'skipped', 'notAttempted', 'unknown'] as const;
export type ChangeOutcome = (typeof changeOutcomes)[number];

/** One request that was sent, without its body. */
export interface SentRequest {
  readonly method: Request['method'];
  readonly path: string;
  /** `null` where no answer came. */
  readonly status: number | null;
  readonly trackingId: string | null;
  readonly attempts: number;
  readonly ms: number;
}

export interface ChangeResult {
  readonly address: Address;
  /** The object's key before a rename; absent for other changes. */
  readonly renamedFrom?: Key;
  /** The id of a deleted object, which a rollback creates with another one, or one that stands in for the name. Else absent. */
  readonly id?: string;
  readonly action: Action;
  readonly outcome: ChangeOutcome;
  /** The object's fields before and after, without secrets; `null` where there was no object. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** The places that `before` and `after` leave out, where there are any. */
  readonly withheld?: readonly Pointer[];
  readonly requests: readonly SentRequest[];
  /** The places that the tenant ignored, rewrote, added to or removed items from; absent where there are none. */
  readonly unmet?: readonly Pointer[];
  /** The fields that are different although the change is not about them; absent where there are none. */
  readonly beside?: readonly Pointer[];
  /** The tenant's message about a failure. */
  readonly error: string | null;
  /** What the tenant ignored, rewrote, added or removed, and other remarks. */
  readonly warnings: readonly string[];
}

export type RunOutcome = 'done' | 'partial' | 'interrupted' | 'refused';

/** What an apply did, as one JSON value (design, section 6). */
export interface Result {
  readonly formatVersion: typeof resultFormat;
  readonly planDigest: string;
  readonly environment: string;
  readonly tenant: TenantName;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: RunOutcome;
  readonly summary: Readonly<Record<ChangeOutcome, number>>;
  readonly changes: readonly ChangeResult[];
  /**
   * The declared objects that the tenant equals at the end, with what the repository declares of them as a digest; absent
   * where the run did not get that far.
   */
  readonly proven?: Readonly<Record<Address, string>>;
  /** Why a run was refused or stopped early, or what could not be written at its end; absent for other runs. */
  readonly diagnostics?: readonly Diagnostic[];
}

/** Whether a change failed, or no answer shows that it did not. */
export function mayHaveFailed({ outcome }: Pick<ChangeResult, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'unknown';
}

/** Whether a change is a step that only a person can do. */
export function isByHand({ action, outcome }: Pick<ChangeResult, 'action' | 'outcome'>): boolean {
  return action === 'manual' && outcome === 'notAttempted';
}

/** The number of changes with each outcome. */
export function countOutcomes(
  changes: readonly Pick<ChangeResult, 'outcome'>[],
): Readonly<Record<ChangeOutcome, number>> {
  const counts = { done: 0, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 };
  for (const { outcome } of changes) counts[outcome] += 1;
  return counts;
}

const exitCodes: Readonly<Record<RunOutcome, ExitCode>> = {
  done: ExitCode.done,
  partial: ExitCode.incomplete,
  interrupted: ExitCode.interrupted,
  refused: ExitCode.refused,
};

/** The exit code of a run: from the same value as the printed summary. */
export function exitCodeOf({ outcome }: Pick<Result, 'outcome'>): ExitCode {
  return exitCodes[outcome];
}
