import type { LiveObject } from '../model/live.ts';
import type { Found, KindChange } from './find.ts';
import type { Progress } from './journal-records.ts';
import { isReached, isUnderWay } from './reached.ts';

/** Where a change stands before a run: send its requests from one on (all made: their number), or it is stale. */
export type Standing =
  | { readonly is: 'ready'; readonly from: number; readonly resumed: boolean }
  | { readonly is: 'stale'; readonly why: string };

/** What a look at the object says about a request of which no answer told. */
export type Evidence = 'taken' | 'notTaken' | 'unclear';

const anew: Standing = { is: 'ready', from: 0, resumed: false };

/**
 * Judges a request by the object it should have changed.
 *
 * @param before the object's fingerprint just before the request; `null` where there was none
 */
export function judge(
  { kind, change }: KindChange,
  request: number,
  before: string | null,
  live: LiveObject | null,
): Evidence {
  if ((live?.fingerprint ?? null) === before) return 'notTaken';
  if (isReached(kind, change, live)) return 'taken';
  const isLast = request >= change.requests.length - 1;
  return !isLast && isUnderWay(kind, change, live) ? 'taken' : 'unclear';
}

/** Where a change stands, judged by the tenant and by what earlier runs of the same plan noted. */
export function standingOf(entry: KindChange, found: Found, progress: Progress | null): Standing {
  const { live, others } = found;
  if (others.length > 0) return stale(`the tenant has ${others.length + 1} objects of this key`);
  const changedSince = difference(entry, found);
  if (!progress) return changedSince === null ? anew : stale(changedSince);

  const { kind, change } = entry;
  const count = change.requests.length;
  const next = change.requests.findIndex((_, at) => progress.requests.get(at)?.state !== 'done');
  const now = live?.fingerprint ?? null;
  if (next < 0) {
    if (isReached(kind, change, live, progress.unmet ?? [])) return resume(count);
    return stale('an earlier run of this plan made the change, and the object was changed again since');
  }
  const sent = progress.requests.get(next);
  switch (sent?.state) {
    case undefined:
    case 'refused':
      if (sent && sent.before === now) return resume(next);
      if (changedSince === null) return anew;
      return next > 0 && isUnderWay(kind, change, live) ? resume(next) : stale(changedSince);
    case 'intended':
    case 'unclear':
    case 'done':
      return afterDoubt(judge(entry, next, sent.before, live), next, changedSince);
  }
}

function afterDoubt(evidence: Evidence, request: number, changedSince: string | null): Standing {
  switch (evidence) {
    case 'taken':
      return resume(request + 1);
    case 'notTaken':
      return resume(request);
    case 'unclear':
      return stale(changedSince ?? 'an earlier run of this plan left it in between');
  }
}

/** Why the object is not the one the plan was computed from, or `null` where it is. */
function difference({ kind, change }: KindChange, { live, standard }: Found): string | null {
  const since = (what: string) =>
    isReached(kind, change, live) ? 'it already is as this plan would make it' : what;
  switch (change.action) {
    case 'manual':
      return null;
    case 'create':
      if (live) return since('it exists by now');
      if ((standard?.fingerprint ?? null) === change.fingerprint) return null;
      return "the vendor's default that it would be laid over has changed";
    case 'update':
    case 'delete':
      if (!live) return 'it is no longer there';
      return live.fingerprint === change.fingerprint
        ? null
        : since('someone changed it since the plan was made');
  }
}

const resume = (from: number): Standing => ({ is: 'ready', from, resumed: true });
const stale = (why: string): Standing => ({ is: 'stale', why });
