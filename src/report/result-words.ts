import {
  type ChangeOutcome,
  type ChangeResult,
  changeOutcomes,
  isByHand,
  type Result,
  type RunOutcome,
  type SentRequest,
} from '../model/result.ts';
import { actionWords, type Count, countWords, joinParts, pluralize } from './words.ts';

/** The words for what became of a change, and of a run. */
export const outcomeWords: Readonly<Record<ChangeOutcome, string>> = {
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  notAttempted: 'not attempted',
  unknown: 'unknown',
};

export const runWords: Readonly<Record<RunOutcome, string>> = {
  done: 'Applied',
  partial: 'Applied in part',
  interrupted: 'Interrupted',
  refused: 'Refused, nothing written',
};

/** What to do about runs that are not complete; nothing where all are, or nothing was written. */
export function nextSteps(results: readonly Pick<Result, 'outcome' | 'summary'>[]): readonly string[] {
  const incomplete = results.filter(({ outcome }) => outcome === 'partial' || outcome === 'interrupted');
  if (incomplete.length === 0) return [];
  return [
    // What the manifests declare now is not what the plan of a rollback does, so a plan file comes first.
    'To finish: apply the plan file again; without one, apply what `tenantctl plan` shows now.',
    ...(incomplete.some(({ summary }) => summary.done > 0)
      ? ['To undo what is done: `tenantctl rollback` with the result file.']
      : []),
  ];
}

/** `3 done, 1 failed, 0 skipped, 2 not attempted, 0 unknown, 1 by hand` */
export function resultCounts(result: Counted): string {
  return countWords(outcomeCounts([result]));
}

type Counted = Pick<Result, 'summary' | 'changes'>;

/** What changes are counted by. */
type OutcomeColumn = ChangeOutcome | 'manual';

/** The outcomes. Steps by hand are counted by themselves, where there are any. */
export function outcomeColumns(results: readonly Counted[]): readonly OutcomeColumn[] {
  const hasManual = results.some(({ changes }) => changes.some(isByHand));
  return hasManual ? [...changeOutcomes, 'manual'] : changeOutcomes;
}

/** How many changes of runs had each outcome. */
export function outcomeCounts(results: readonly Counted[], columns = outcomeColumns(results)): Count[] {
  return columns.map((is) => ({
    is,
    count: results.reduce((sum, result) => sum + countIn(result, is), 0),
    words: is === 'manual' ? actionWords.manual : outcomeWords[is],
  }));
}

function countIn({ summary, changes }: Counted, column: OutcomeColumn): number {
  const manual = changes.filter(isByHand).length;
  if (column === 'manual') return manual;
  return summary[column] - (column === 'notAttempted' ? manual : 0);
}

/** What became of a change. A step that only a person can do is not called "not attempted". */
export function changeOutcomeWords(change: Pick<ChangeResult, 'action' | 'outcome'>): string {
  return isByHand(change) ? actionWords.manual : outcomeWords[change.outcome];
}

/** How long a run took. */
export function elapsedWords({ startedAt, endedAt }: Result): string {
  return duration(Date.parse(endedAt) - Date.parse(startedAt));
}

/** `840 ms`, `12.3 s` or `4 min 5 s`; empty for what is not a duration. */
function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `PATCH /v2025/x → 400, tracking id 7f3c, 2 attempts, 120 ms` */
export function sentWords({ method, path, status, trackingId, attempts, ms }: SentRequest): string {
  const parts = [
    `${method} ${path} → ${status ?? 'no answer'}`,
    trackingId !== null && `tracking id ${trackingId}`,
    attempts > 1 && pluralize(attempts, 'attempt'),
    duration(ms),
  ];
  return joinParts(parts, ', ');
}
