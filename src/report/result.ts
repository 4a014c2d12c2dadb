import { lazy } from '../model/basics.ts';
import {
  type ChangeOutcome,
  type ChangeResult,
  changeOutcomes,
  mayHaveFailed,
  type Result,
  type SentRequest,
} from '../model/documents.ts';
import { isError } from '../model/failure.ts';
import {
  commitFacts,
  type Entry,
  emptyEntry,
  emptyPage,
  type Notice,
  type Page,
  pointsOf,
  type ReportContext,
} from './page.ts';
import { writtenFields } from './values.ts';
import {
  actionWords,
  type Count,
  countWords,
  joinParts,
  namesInBrief,
  outcomeWords,
  pluralize,
  readable,
  tenantWords,
} from './words.ts';

export const runWords: Readonly<Record<Result['outcome'], string>> = {
  done: 'Applied',
  partial: 'Applied in part',
  interrupted: 'Interrupted',
  refused: 'Refused, nothing written',
};

export function resultPage(result: Result, options: ReportContext): Page {
  const { environment, outcome, diagnostics = [], planDigest, startedAt, endedAt } = result;
  const reasons = new Set(diagnostics.map(({ message }) => message));
  const entries = result.changes.map((change) => outcomeEntry(change, reasons));
  const counts = outcomeCounts([result]);
  const took = duration(Date.parse(endedAt) - Date.parse(startedAt));
  // The reasons would be below hundreds of changes that were not attempted.
  const isRoutine = outcome === 'refused' && entries.every(({ notices }) => notices.length === 0);
  return {
    ...emptyPage,
    is: 'result',
    command: 'apply',
    heading: `Apply to ${environment}`,
    name: environment,
    tenants: tenantWords(result.tenant),
    alarm: outcome === 'done' ? null : `${runWords[outcome]}: ${countWords(counts)}.`,
    points: pointsOf(entries),
    pointsTitle: 'Left to do',
    label: runWords[outcome],
    counts,
    problems: [{ names: [], items: diagnostics.filter(isError) }],
    remarks: diagnostics.filter((each) => !isError(each)),
    groups: [{ title: '', words: '', names: [], isRoutine, entries }],
    steps: nextSteps([result]),
    digest: planDigest,
    key: startedAt + planDigest,
    facts: [
      ...commitFacts(options),
      { name: 'Started', value: startedAt, is: 'time' },
      ...(took === '' ? [] : [{ name: 'Took', value: took, is: 'text' } as const]),
      { name: 'Plan digest', value: planDigest, is: 'copied' },
    ],
  };
}

/** @param reasons errors that the page shows already */
export function outcomeEntry(change: ChangeResult, reasons: ReadonlySet<string>): Entry {
  const { address, action, outcome, error, warnings, requests } = change;
  const category = columnOf(change);
  const isConcern = category === 'manual' || category === 'failed' || category === 'unknown';
  const isShown = error !== null && !reasons.has(error);
  return {
    ...emptyEntry,
    id: address,
    address,
    kind: address.split('/')[0] ?? '',
    action,
    outcome,
    category,
    words: columnWords[category],
    isLine: true,
    isFailure: mayHaveFailed(change),
    concerns: isConcern ? [{ concern: category, amount: 1 }] : [],
    consequence: (error ?? warnings[0] ?? '').split('\n')[0] ?? '',
    notices: [
      ...(isShown ? [{ is: 'error', label: null, text: error } as const] : []),
      ...warnings.map((text): Notice => ({ is: 'warning', label: null, text })),
    ],
    fields: lazy(() => writtenFields(change)),
    sent: requests.map(sentWords),
    seconds: requests.reduce((sum, { ms }) => sum + ms, 0) / 1000,
  };
}

/** Empty if all runs are complete, or nothing was written. */
export function nextSteps(results: readonly Pick<Result, 'outcome' | 'summary' | 'changes'>[]) {
  const incomplete = results.filter(({ outcome }) => outcome === 'partial' || outcome === 'interrupted');
  if (incomplete.length === 0) return [];
  const torn = incomplete.flatMap(({ changes }) => changes.filter(isTorn));
  const names = namesInBrief([...new Set(torn.map(({ address }) => readable(address)))]);
  // No apply repeats the create of an object that was made under another name.
  const again = torn.some(({ action }) => action === 'create')
    ? ''
    : 'apply the plan file again. Without one, ';
  return [
    // The manifests do not contain the plan of a rollback, so a plan file comes first.
    torn.length === 0
      ? 'To finish: apply the plan file again; without one, apply what `tenantctl plan` shows now.'
      : `To finish: ${again}apply what \`tenantctl rollback\` plans from the result file first: ` +
        `a new plan does not know what this one left of ${names}.`,
    ...(incomplete.some(({ summary }) => summary.done > 0)
      ? ['To undo what was done: `tenantctl rollback` with the result file.']
      : []),
  ];
}

/** A replaced object that may be gone or lack fields, of which manifests know only a part; or one that was made under another name. */
function isTorn({ action, replaced = false, outcome, after, id, requests }: ChangeResult): boolean {
  if (outcome !== 'failed' && outcome !== 'unknown') return false;
  if (!replaced) return action === 'create' && id !== undefined;
  return after === null || requests.some(({ method, status }) => method !== 'PATCH' && (status ?? 300) < 300);
}

type OutcomeColumn = ChangeOutcome | 'manual';
type Counted = { readonly changes: readonly Pick<ChangeResult, 'action' | 'outcome'>[] };

const columnWords: Readonly<Record<OutcomeColumn, string>> = { ...outcomeWords, manual: actionWords.manual };

/** A step by hand is not attempted, and no failure. */
function columnOf({ action, outcome }: Counted['changes'][number]): OutcomeColumn {
  return action === 'manual' && outcome === 'notAttempted' ? 'manual' : outcome;
}

/** @param all the results beside which these are counted: a step by hand of any has a column in each */
export function outcomeCounts(results: readonly Counted[], all = results): Count[] {
  const [found = [], known = []] = [results, all].map((each) =>
    each.flatMap(({ changes }) => changes.map(columnOf)),
  );
  const columns = [...changeOutcomes, ...(known.includes('manual') ? (['manual'] as const) : [])];
  return columns.map((is) => {
    return { is, count: found.filter((column) => column === is).length, words: columnWords[is] };
  });
}

/** `840 ms`, `12.3 s` or `4 min 5 s`; empty if it is not a duration. */
function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `PATCH /v2025/x → 400, tracking id 7f3c, 2 attempts, 120 ms` */
function sentWords({ method, path, status, trackingId, attempts, ms }: SentRequest): string {
  const parts = [
    `${method} ${path} → ${status ?? 'no response'}`,
    trackingId !== null && `tracking id ${trackingId}`,
    attempts > 1 && pluralize(attempts, 'attempt'),
    duration(ms),
  ];
  return joinParts(parts, ', ');
}
