import { differencesBetween, type FieldDifference } from '../kinds/compare.ts';
import { isDeclaredByMember, listWithoutOrder, readableFields, sameValue } from '../kinds/field.ts';
import { fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import type { Secrets } from '../kinds/project.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import { get, itemsOf } from '../model/json.ts';
import { isReplacement } from '../model/plan.ts';
import { isWithin, type Pointer, pointer, segmentsOf, topName } from '../model/pointer.ts';
import { compare, lostWith } from '../planner/change.ts';
import type { FoundObjects, KindChange } from './find.ts';
import type { Progress } from './journal.ts';
import { holdsRedacted, resourceOf, textOfDifference } from './verify.ts';

/** The known secrets for requests. An unset one may have any text. */
export type KnownSecrets = Pick<Secrets, 'matches' | 'problem'>;

/** Empty once the change shows. What the tenant hides, and secrets that are not set, cannot be compared: they do not count. */
function openDifferences({ kind, change }: KindChange, live: LiveObject, secrets: KnownSecrets) {
  const match = { kind, resource: resourceOf({ kind, change }), live };
  const unseen = {
    isSame: (secret: string, shown: string) =>
      secrets.problem(secret) !== null || secrets.matches(secret, shown),
    isLeft: () => true,
  };
  return compare(match, live, unseen).differences;
}

export function hasEffect(
  entry: KindChange,
  live: LiveObject | null,
  secrets: KnownSecrets,
  except: readonly Pointer[] = [],
): boolean {
  if (entry.change.action === 'delete') return live === null;
  if (live === null) return false;
  return openDifferences(entry, live, secrets).every(({ path }) => except.includes(placeIn(entry, path)));
}

/** True if each difference is as before or as after: none or some of the change's requests were carried out. */
function isInProgress(entry: KindChange, live: LiveObject | null, secrets: KnownSecrets): boolean {
  const { kind, change } = entry;
  if (live === null) return isReplacement(change);
  const prepared = Object.keys(kind.described?.beforeDelete ?? {});
  const isPreparedToGo = prepared.length > 0 && prepared.every((name) => isPrepared(live, name));
  if (change.action === 'delete' && !isPreparedToGo) return false;
  return foreignDifferences(entry, live, secrets).length === 0;
}

/** Places that match neither the state before the plan nor after it: somebody else changed them. */
export function foreignDifferences(entry: KindChange, live: LiveObject, secrets: KnownSecrets): Pointer[] {
  const { change } = entry;
  const planned = plannedDifferences(entry);
  const isDelete = change.action === 'delete';
  const open = isDelete ? lostWith(live, null) : openDifferences(entry, live, secrets);
  const mayPrepare = isDelete || isReplacement(change);
  return open
    .filter((each) => !planned.isAsBefore(each) && !(mayPrepare && isPrepared(live, topName(each.path))))
    .map(({ path }) => path);
}

function isPrepared({ kind, fields }: LiveObject, name: string): boolean {
  const [field, value] = [fieldNamed(kind, name), get(kind.described?.beforeDelete ?? {}, name)];
  return field !== undefined && value !== undefined && sameValue(field, get(fields, name), value);
}

/** Where the tenant departed from the request (`unmet`), and what else changed (`beside`). */
export function deviationsOf(
  entry: KindChange,
  live: LiveObject,
  before: LiveObject | null,
  secrets: KnownSecrets,
) {
  const planned = plannedDifferences(entry);
  const open = openDifferences(entry, live, secrets);
  const ignored = new Set(open.filter(planned.isAsBefore).map(({ path }) => pointer(topName(path))));
  const warnings = open.flatMap((each) => {
    const place = placeIn(entry, each.path);
    if (planned.isConcealed(each.path)) return `The tenant does not show ${place} as it was written.`;
    if (planned.isAsBefore(each)) return `The tenant ignored ${place}: it is unchanged.`;
    if (!isItem(entry.kind, each.path) && planned.isAbout(each.path))
      return `The tenant rewrote ${place}: it differs from what was sent.`;
    // If a requested item is missing, other items count as other spellings of it.
    const isSpelling = isItem(entry.kind, each.path) && ignored.has(place);
    return isSpelling ? [] : besideWords(entry, each.after === null ? 'added' : 'removed', each.path);
  });
  const changed = before ? changedBeside(entry, planned, before, live) : [];
  const lost = changed.filter(
    ({ path, op, before: was }) =>
      // Hosts show nothing in various forms.
      op === 'remove' &&
      (itemsOf(was).length > 0 || (typeof was !== 'object' && was !== '')) &&
      planned.isInField(path),
  );
  const other = changed
    .filter(({ path }) => !planned.isInField(path))
    .map(({ path }) => pointer(topName(path)));
  const lostWords = lost.map(({ path }) => besideWords(entry, 'removed', path));
  return {
    warnings: [...new Set([...warnings, ...lostWords])],
    unmet: [...new Set(open.map(({ path }) => placeIn(entry, path)))],
    beside: [...new Set(other)],
  };
}

function besideWords(entry: KindChange, did: 'added' | 'removed', path: Pointer): string {
  const place = placeIn(entry, path);
  const items = did === 'added' ? 'items to ' : 'items from ';
  return `The tenant ${did} ${place === path ? '' : items}${place}, although no change asked for that.`;
}

/** True for an item of a list without order: its index says nothing. */
function isItem(kind: Kind, path: Pointer): boolean {
  const list = listWithoutOrder(kind, path);
  return list !== null && segmentsOf(path).length === segmentsOf(list).length + 1;
}

/** The place, or the list around it if order does not count: then an index means nothing. */
const placeIn = ({ kind }: KindChange, path: Pointer): Pointer => listWithoutOrder(kind, path) ?? path;

/** Changes by an update that its plan does not show. Hidden values are left out. */
function changedBeside(
  { kind, change }: KindChange,
  planned: PlannedDifferences,
  before: LiveObject,
  live: LiveObject,
): FieldDifference[] {
  if (change.action !== 'update' || before.fingerprint() !== change.fingerprint) return [];
  const [was, now] = [readableFields(kind, before.fields), readableFields(kind, live.fields)];
  const hidden = [...before.hidden, ...live.hidden];
  return differencesBetween(kind, was, now).filter(({ path }) => {
    const field = fieldNamed(kind, topName(path));
    // In a field that the change is about, only declared members were compared.
    const isCompared = planned.isInField(path) ? isDeclaredByMember(field) : !isMapOfSettings(field);
    return isCompared && !planned.isAbout(path) && !hidden.some((at) => isWithin(path, at));
  });
}

type PlannedDifferences = ReturnType<typeof plannedDifferences>;

function plannedDifferences({ kind, change: { diff } }: KindChange) {
  // The requested value may be a secret, which a plan does not show. A missing item has nothing else to identify it.
  const sideBefore = (each: FieldDifference) => {
    const after = each.before === null && isItem(kind, each.path) ? each.after : null;
    return textOfDifference(kind, { ...each, op: 'replace', after });
  };
  const known = new Set(diff.map(sideBefore));
  const concealed = diff.filter(({ sensitive, before }) => sensitive || holdsRedacted(before));
  const isConcealed = (at: Pointer) => concealed.some(({ path }) => isWithin(at, path) || isWithin(path, at));
  const names = new Set(diff.map(({ path }) => topName(path)));
  return {
    isConcealed,
    // The plan does not show the previous state of concealed values.
    isAsBefore: (each: FieldDifference) => isConcealed(each.path) || known.has(sideBefore(each)),
    isAbout: (at: Pointer) => diff.some(({ path }) => isWithin(at, path) || isWithin(path, at)),
    isInField: (at: Pointer) => names.has(topName(at)),
  };
}

type Readiness =
  | { readonly is: 'ready'; readonly from: number; readonly resumed: boolean }
  | { readonly is: 'stale'; readonly why: string };

export type Evidence = 'taken' | 'notTaken' | 'unclear';

const fresh: Readiness = { is: 'ready', from: 0, resumed: false };

/** `seen` is the object now, and its fingerprint just before the request; `null` if there was none. */
export function judgeEffect(
  entry: KindChange,
  request: number,
  { before, live }: { readonly before: string | null; readonly live: LiveObject | null },
  secrets: KnownSecrets,
): Evidence {
  if ((live?.fingerprint() ?? null) === before) return 'notTaken';
  const { change } = entry;
  const { requests } = change;
  const isReplaced = isReplacement(change);
  if (isReplaced && requests[request]?.method === 'DELETE') {
    if (live === null) return 'taken';
    // An object with another id was made by somebody else: do not create a second one.
    return live.id === change.id && isInProgress(entry, live, secrets) ? 'notTaken' : 'unclear';
  }
  if (hasEffect(entry, live, secrets)) return 'taken';
  if (requests.length === 1 || !isInProgress(entry, live, secrets)) return 'unclear';
  const isMade = isReplaced && before === null;
  // The requests before it may have shown only after `before` was read.
  return request < requests.length - 1 || isMade ? 'taken' : 'notTaken';
}

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
  // A request is only sent after the ones before it, whatever is recorded about them.
  const last = Math.max(0, ...progress.requests.keys());
  const next = progress.requests.get(last)?.state === 'done' ? last + 1 : last;
  if (next === requests.length) {
    if (hasEffect(entry, live, secrets, progress.settled?.unmet)) return resume(requests.length);
    // The tenant accepted the last request, but no read ever showed its effect.
    const isUndone = progress.requests.get(last)?.before === (live?.fingerprint() ?? null);
    if (isUndone && !progress.settled) return resume(last);
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

function difference(entry: KindChange, { live, standard }: FoundObjects, secrets: KnownSecrets) {
  const { action, fingerprint } = entry.change;
  const since = (what: string) => (hasEffect(entry, live, secrets) ? 'it already matches the plan' : what);
  if (action === 'create') {
    if (live) return since('it exists now');
    const isSame = (standard?.fingerprint() ?? null) === fingerprint;
    return isSame ? null : "the vendor's default that it is based on has changed";
  }
  if (!live) return 'it no longer exists';
  return live.fingerprint() === fingerprint ? null : since('its content is different now');
}

const resume = (from: number): Readiness => ({ is: 'ready', from, resumed: true });
const stale = (why: string): Readiness => ({ is: 'stale', why });
