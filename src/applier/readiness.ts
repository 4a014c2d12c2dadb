import type { LiveObject } from '../kinds/kind.ts';

import type { FoundObjects, KindChange } from './find.ts';
import type { Progress } from './journal-records.ts';
import { hasEffect, isInProgress, type KnownSecrets } from './observed.ts';

/** A change before a run: ready to send its requests from number `from` on (all sent: their count), or stale. */
export type Readiness =
  | { readonly is: 'ready'; readonly from: number; readonly resumed: boolean }
  | { readonly is: 'stale'; readonly why: string };

/** What the live object shows about a request without a clear answer. */
export type Evidence = 'taken' | 'notTaken' | 'unclear';

const fresh: Readiness = { is: 'ready', from: 0, resumed: false };

/**
 * Judges by the live object whether a request was carried out.
 *
 * @param seen the object now, and its fingerprint just before the request; `null` where there was none
 */
export function judgeEffect(
  entry: KindChange,
  request: number,
  { before, live }: { readonly before: string | null; readonly live: LiveObject | null },
  secrets: KnownSecrets,
): Evidence {
  if ((live?.fingerprint() ?? null) === before) return 'notTaken';
  if (hasEffect(entry, live, secrets)) return 'taken';
  const { length } = entry.change.requests;
  if (length === 1 || !isInProgress(entry, live, secrets)) return 'unclear';
  // The requests before it may have shown only after `before` was read.
  return request < length - 1 ? 'taken' : 'notTaken';
}

/** The readiness of a change, judged by the live object and the journal of earlier runs of the plan. */
export function readinessOf(
  entry: KindChange,
  found: FoundObjects,
  progress: Progress | null,
  secrets: KnownSecrets,
): Readiness {
  const { live, others } = found;
  if (others.length > 0) return stale(`the tenant has ${others.length + 1} objects with this key`);
  const changedSince = difference(entry, found, secrets);
  if (!progress) return changedSince === null ? fresh : stale(changedSince);

  const { requests } = entry.change;
  const next = requests.findIndex((_, at) => progress.requests.get(at)?.state !== 'done');
  if (next < 0) {
    if (hasEffect(entry, live, secrets, progress.settled?.unmet)) return resume(requests.length);
    return stale('an earlier run of this plan made the change, and the object has changed since');
  }
  const sent = progress.requests.get(next);
  if (!sent || sent.state === 'refused') {
    if (sent && sent.before === (live?.fingerprint() ?? null)) return resume(next);
    if (changedSince === null) return fresh;
    return next > 0 && isInProgress(entry, live, secrets) ? resume(next) : stale(changedSince);
  }
  const evidence = judgeEffect(entry, next, { before: sent.before, live }, secrets);
  if (evidence === 'unclear')
    return stale(changedSince ?? 'an earlier run of this plan left it half changed');
  return resume(evidence === 'taken' ? next + 1 : next);
}

/** Why the object is not the one that the plan was made from, or `null` where it is. */
function difference(
  entry: KindChange,
  { live, standard }: FoundObjects,
  secrets: KnownSecrets,
): string | null {
  const { change } = entry;
  const since = (what: string) =>
    hasEffect(entry, live, secrets) ? 'it already is as the plan would make it' : what;
  switch (change.action) {
    case 'manual':
      return null;
    case 'create':
      if (live) return since('it exists now');
      if ((standard?.fingerprint() ?? null) === change.fingerprint) return null;
      return "the vendor's default that it is based on has changed";
    case 'update':
    case 'delete':
      if (!live) return 'it no longer exists';
      return live.fingerprint() === change.fingerprint ? null : since('its content is different now');
  }
}

const resume = (from: number): Readiness => ({ is: 'ready', from, resumed: true });
const stale = (why: string): Readiness => ({ is: 'stale', why });
