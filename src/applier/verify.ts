import { differencesBetween, type FieldDifference } from '../kinds/compare.ts';
import {
  comparable,
  isDeclaredByMember,
  isUnordered,
  listWithoutOrder,
  readableFields,
  sameValue,
} from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { isIgnored, touches } from '../kinds/places.ts';
import type { Kinds, Secrets } from '../kinds/project.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import { noLifecycle, nowhere, type Resource, undeclared } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Change, Difference, Request } from '../model/documents.ts';
import {
  canonicalJson,
  get,
  getText,
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  mapJson,
  mapMembers,
  sameJson,
} from '../model/json.ts';
import {
  besideIn,
  foreignMarkers,
  isFilledInLater,
  jsonTextOf,
  literalOf,
  livePlace,
  markersIn,
} from '../model/marker.ts';
import {
  isWithin,
  type Pointer,
  placesIn,
  placesOf,
  pointer,
  segmentsOf,
  setMember,
  setPart,
  topName,
  valueAt,
} from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { quote } from '../model/words.ts';
import { changeFor, compare, lostWith } from '../planner/change.ts';
import { batchDeletes } from '../planner/index.ts';
import type { UnseenPolicy } from '../planner/unseen.ts';
import type { FoundObjects, KindChange } from './find.ts';
import type { Journal } from './journal.ts';
import { fillFrom, type Run } from './run.ts';

function resourceOf({ kind, change }: KindChange): Resource {
  const { key, declared, ignored = [], secrets = [], source } = change;
  return {
    ...undeclared(kind, key, source ? { ...source, column: 1 } : nowhere),
    fields: declared ?? {},
    lifecycle: { ...noLifecycle, ignore: ignored },
    secrets: () => secrets,
    shown: valuesShown(change),
  };
}

/** The live values that the plan shows: they were in clear when it was made. */
export function valuesShown({ diff }: Change): JsonObject {
  return diff.reduce<JsonObject>((shown, { path, before }) => {
    const clear = mapJson(before, (part) => (part === redacted ? null : part));
    return clear === null ? shown : setMember(shown, path, clear);
  }, {});
}

/**
 * A change as the planner computes it again, or why it is refused (design, section 6.8): a plan file is untrusted. Its requests
 * are those for the object as it is now, in which what stays the tenant's may have changed. `base` is the vendor's default.
 */
export function madeAgain(
  entry: KindChange,
  live: LiveObject | null,
  base: LiveObject | null,
  settings: ApiSettings,
): Change | string {
  const { kind, change } = entry;
  if (change.action === 'delete') {
    const lost = live === null ? [] : differingLosses(change, live);
    return lost.length === 0 ? change : `it would delete other values of ${lost.join(', ')}`;
  }
  // Secrets and hidden values stay where the plan says so.
  const unseen: UnseenPolicy = { secrets: null, left: change.left ?? [] };
  const { change: made } = changeFor({ kind, resource: resourceOf(entry), live }, base, { settings, unseen });
  if (made === null) return 'nothing would change';
  const misplaced = misplacedMarkers(change.declared ?? {}, '');
  if (misplaced.length > 0) return `it declares no such value for ${misplaced.join(', ')}`;
  const names = differingFields(kind, change.diff, made.diff);
  if (names.length > 0) return `it would change ${names.join(', ')} in another way`;
  const hidden = made.risk.filter((risk) => !change.risk.includes(risk));
  if (hidden.length > 0) return `it does not show its risk ${hidden.join(', ')}`;
  if (made.action !== change.action || made.id !== change.id) return 'it would be a different change';
  if (!sameRequests(entry, made.requests)) return 'its requests would be different';
  return { ...change, requests: made.requests };
}

/** A body without what is unset in it, or stays as it is because the change ignores it: either may have become the other. */
function withoutIgnored(body: Json, ignored: readonly Pointer[]): Json {
  const isLeft = (value: Json) => value === null || isIgnored(ignored, livePlace(value) ?? '');
  return mapJson(body, (part) =>
    isObject(part) ? mapMembers(part, (value) => (isLeft(value) ? undefined : value)) : part,
  );
}

/** Not comparable: concealed values, and those that a vendor's default, which is not read again, partly restores. */
function differingLosses({ diff }: Change, live: LiveObject): string[] {
  const { kind } = live;
  const left = new Set(concealedIn(diff).map(({ path }) => topName(path)));
  const whole = diff.filter(({ path, before }) => segmentsOf(path).length === 1 && before !== null);
  const compared = kind.read.defaults ? new Set(whole.map(({ path }) => topName(path))) : null;
  const lossesIn = (side: readonly FieldDifference[]) =>
    side.map(({ path, before }): Difference => {
      return { path, op: 'remove', before, after: null, sensitive: false, origin: null };
    });
  const names = differingFields(kind, lossesIn(diff), lossesIn(lostWith(live, null)));
  return names.filter((name) => !left.has(name) && (compared?.has(name) ?? true));
}

const concealedIn = (diff: readonly Difference[]) =>
  diff.filter(
    ({ sensitive, before }) => sensitive || placesOf(before, (part) => part === redacted).length > 0,
  );

/** Deletes share requests, so they are checked together: every object of such a request must be in the plan. */
export function wrongDeletes(
  entries: readonly KindChange[],
  kinds: Kinds,
  settings: ApiSettings,
): KindChange[] {
  const deletes = entries.filter(({ change }) => change.action === 'delete');
  const made = deletes.map(({ kind, change }) => ({ ...change, ...removalOf(kind, change, settings) }));
  const expected = new Map(batchDeletes(made, kinds).map((change) => [change.address, change]));
  return deletes.filter((entry) => {
    const { requests = [], risk = [] } = expected.get(entry.change.address) ?? {};
    const isSame = requests.length > 0 && sameRequests(entry, requests);
    return !isSame || risk.some((each) => !entry.change.risk.includes(each));
  });
}

export function removalOf(kind: Kind, { key, id }: Pick<Change, 'key' | 'id'>, settings: ApiSettings) {
  const write = kind.write.remove({ key, id, settings });
  return 'requests' in write ? { risk: [], ...write } : { requests: [], risk: [] };
}

/** Places of markers that no plan has: an unchanged value may only stand for itself. */
function misplacedMarkers(value: Json, at: Pointer): Pointer[] {
  const place = livePlace(value);
  if (place !== null) return place === at ? [] : [at];
  if (isObject(value) && foreignMarkers.some((name) => Object.hasOwn(value, name))) return [at];
  if (isFilledInLater(value)) return [];
  return placesIn(value, at).flatMap(([below, item]) => misplacedMarkers(item, below));
}

/** The fields with a difference that only one of the sides has, or has more often: items without order may look alike. */
function differingFields(kind: Kind, shown: readonly Difference[], made: readonly Difference[]): string[] {
  const sides = [...shown.map((entry) => ({ entry, by: 1 })), ...made.map((entry) => ({ entry, by: -1 }))];
  const byText = groupBy(sides, ({ entry }) => `${textOfDifference(kind, entry)} ${entry.sensitive}`);
  const unequal = byText.filter(([, same]) => same.reduce((sum, { by }) => sum + by, 0) !== 0);
  return [...new Set(unequal.map(([, [{ entry }]]) => topName(entry.path)))];
}

function textOfDifference(kind: Kind, { path, op, before, after }: FieldDifference): string {
  const [name = '', ...below] = segmentsOf(path);
  const field = get(kind.fields, name);
  const list = listWithoutOrder(kind, path);
  const normal = (value: Json): Json => {
    if (field === undefined || value === null) return value;
    if (isUnordered(field) && below.length === 1) return comparable(field, [value]);
    return below.length === 0 ? comparable(field, value) : value;
  };
  // An index means nothing if order does not count.
  const item = list === null ? null : segmentsOf(list).length - 1;
  const at = below.filter((_, step) => step !== item);
  return canonicalJson([name, at, op, normal(before), normal(after)]);
}

function sameRequests({ kind, change }: KindChange, made: readonly Request[]): boolean {
  const { requests, diff } = change;
  const ignored = change.action === 'update' ? (change.ignored ?? []) : [];
  // Only fields that the change is not about go back in the form in which the tenant shows them.
  const changed = new Set(diff.map(({ path }) => topName(path)));
  const normal = (all: readonly Request[]) =>
    all.map(({ body, ...call }) => {
      const compared = ignored.length === 0 ? body : withoutIgnored(body, ignored);
      return { ...call, body: normalBody(compared, kind, changed) };
    });
  return sameJson(normal(requests), normal(made));
}

/** A body in which parts of the live object have one form, whatever form the tenant shows. */
function normalBody(body: Json, kind: Kind, changed: ReadonlySet<string>): Json {
  if (isArray(body)) return body.map((item) => normalBody(item, kind, changed));
  if (!isObject(body)) return body;
  // A step of a patch names its field.
  const [field = '', ...below] = segmentsOf(getText(body, 'path') ?? '');
  return mapMembers(body, (value, member) => {
    const name = member === 'value' && below.length === 0 ? field : member;
    const known = get(kind.fields, name);
    const isFormLeft = known !== undefined && (known.is === 'json' || !changed.has(name));
    return isFormLeft ? comparable(known, plainOf(value)) : normalBody(value, kind, changed);
  });
}

/** A written value without the markers for how it is sent. */
function plainOf(value: Json): Json {
  const beside = besideIn(value);
  // Of the names in it, those that only the tenant sets come and go.
  if (beside) return { ...mapMembers(beside.members, plainOf), $beside: beside.at };
  const inner = literalOf(value) ?? jsonTextOf(value);
  if (inner !== undefined) return literalOf(value) === undefined ? plainOf(inner) : inner;
  if (isArray(value)) return value.map(plainOf);
  return isObject(value) ? mapMembers(value, plainOf) : value;
}

type KnownSecrets = Run['secrets'];

/** No differences once the change shows. What the tenant hides, and secrets that are not set, cannot be compared: they do not count. */
function compareNow({ kind, change }: KindChange, live: LiveObject, secrets: KnownSecrets) {
  const match = { kind, resource: resourceOf({ kind, change }), live };
  const matches: Secrets['matches'] = (name, test) =>
    secrets.problem(name) !== null || secrets.matches(name, test);
  return compare(match, live, { secrets: { matches }, left: true });
}

export function hasEffect(
  entry: KindChange,
  live: LiveObject | null,
  secrets: KnownSecrets,
  except: readonly Pointer[] = [],
): boolean {
  if (entry.change.action === 'delete') return live === null;
  if (live === null) return false;
  const { differences: open } = compareNow(entry, live, secrets);
  return open.every(({ path }) => except.includes(placeIn(entry, path)));
}

/** True if each difference is as before or as after: none or some of the change's requests were carried out. */
function isInProgress(entry: KindChange, live: LiveObject | null, secrets: KnownSecrets): boolean {
  const { kind, change } = entry;
  if (live === null) return change.risk.includes('replace');
  const prepared = Object.keys(kind.described?.beforeDelete ?? {});
  const isPreparedToGo = prepared.length > 0 && prepared.every((name) => isPrepared(live, name));
  if (change.action === 'delete' && !isPreparedToGo) return false;
  return (
    [...foreignDifferences(entry, live, secrets), ...setBackBy(change.requests, entry, live)].length === 0
  );
}

/** Fields beside the change that a PUT of an update would set back: somebody has changed them since the plan. */
export function setBackBy(requests: readonly Request[], { kind, change }: KindChange, live: LiveObject) {
  const request = requests.findLast(({ method }) => method === 'PUT');
  if (!request || change.action !== 'update' || change.risk.includes('replace')) return [];
  const body = plainOf(fillFrom(live, { kind, change }, request).body);
  const planned = new Set([kind.parent?.part, ...change.diff.map(({ path }) => topName(path))]);
  const fields = readableFields(kind, live.fields);
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const [sent, shown = null] = [valueAt(body, pointer(name)) ?? null, get(fields, name)];
    // Ids and secrets are not known here.
    const later = placesOf(sent, isFilledInLater);
    const known = later.reduce((rest, at) => setPart(rest, at, valueAt(shown, at) ?? null), sent);
    return planned.has(name) || sameValue(field, known, shown) ? [] : [pointer(name)];
  });
}

/** Places that match neither the state before the plan nor after it: somebody else changed them. */
export function foreignDifferences(entry: KindChange, live: LiveObject, secrets: KnownSecrets): Pointer[] {
  const { change } = entry;
  const planned = plannedDifferences(entry);
  const isDelete = change.action === 'delete';
  const open = isDelete ? lostWith(live, null) : compareNow(entry, live, secrets).differences;
  const mayPrepare = isDelete || change.risk.includes('replace');
  return open
    .filter((each) => !planned.isAsBefore(each) && !(mayPrepare && isPrepared(live, topName(each.path))))
    .map(({ path }) => path);
}

function isPrepared({ kind, fields }: LiveObject, name: string): boolean {
  const [field, value] = [get(kind.fields, name), get(kind.described?.beforeDelete ?? {}, name)];
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
  const { differences: open } = compareNow(entry, live, secrets);
  const ignored = new Set(open.filter(planned.isAsBefore).map(({ path }) => pointer(topName(path))));
  const warnings = open.flatMap((each) => {
    const place = placeIn(entry, each.path);
    const isOfList = isItem(entry.kind, each.path);
    if (touches(planned.concealed, each.path)) return `The tenant does not show ${place} as it was written.`;
    // It may have taken other items.
    if (planned.isAsBefore(each) && isOfList)
      return `The tenant ignored changes to items of ${place}: the list is not as requested.`;
    if (planned.isAsBefore(each)) return `The tenant ignored ${place}: it is unchanged.`;
    if (!isOfList && touches(planned.places, each.path))
      return `The tenant rewrote ${place}: it differs from what was sent.`;
    // If a requested item is missing, other items count as other spellings of it.
    const isSpelling = isOfList && ignored.has(place);
    return isSpelling ? [] : besideWords(entry, each.after === null ? 'added' : 'removed', each.path);
  });
  const changed = before ? changedBeside(entry, planned, before, live) : [];
  const lost = changed.flatMap(({ path, op, before: was }) => {
    // Hosts show nothing in various forms.
    const wasSet = itemsOf(was).length > 0 || (typeof was !== 'object' && was !== '');
    const isInField = planned.fields.has(topName(path));
    return op === 'remove' && wasSet && isInField ? besideWords(entry, 'removed', path) : [];
  });
  const names = changed.map(({ path }) => topName(path)).filter((name) => !planned.fields.has(name));
  return {
    warnings: [...new Set([...warnings, ...lost])],
    unmet: [...new Set(open.map(({ path }) => placeIn(entry, path)))],
    beside: [...new Set(names)].map((name) => pointer(name)),
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
  planned: ReturnType<typeof plannedDifferences>,
  before: LiveObject,
  live: LiveObject,
): FieldDifference[] {
  if (change.action !== 'update' || before.fingerprint() !== change.fingerprint) return [];
  const [was, now] = [readableFields(kind, before.fields), readableFields(kind, live.fields)];
  const hidden = [...before.hidden, ...live.hidden];
  return differencesBetween(kind, was, now).filter(({ path }) => {
    const name = topName(path);
    const field = get(kind.fields, name);
    // In a field that the change is about, only declared members were compared.
    const isCompared = planned.fields.has(name) ? isDeclaredByMember(field) : !isMapOfSettings(field);
    return isCompared && !touches(planned.places, path) && !hidden.some((at) => isWithin(path, at));
  });
}

function plannedDifferences({ kind, change: { diff } }: KindChange) {
  // The requested value may be a secret, which a plan does not show. A missing item has nothing else to identify it.
  const sideBefore = (each: FieldDifference) => {
    const after = each.before === null && isItem(kind, each.path) ? each.after : null;
    return textOfDifference(kind, { ...each, op: 'replace', after });
  };
  const known = new Set(diff.map(sideBefore));
  const concealed = concealedIn(diff).map(({ path }) => path);
  const places = diff.map(({ path }) => path);
  return {
    concealed,
    places,
    fields: new Set(places.map(topName)),
    // The plan does not show the previous state of concealed values.
    isAsBefore: (each: FieldDifference) => touches(concealed, each.path) || known.has(sideBefore(each)),
  };
}

type Readiness =
  | { readonly is: 'ready'; readonly from: number; readonly resumed: boolean }
  | { readonly is: 'stale'; readonly why: string };

const fresh: Readiness = { is: 'ready', from: 0, resumed: false };

/** What the object shows of a request. `before`: the fingerprints of objects just before it; `null` for one that did not exist. */
export function judgeEffect(
  entry: KindChange,
  { index, before }: { readonly index: number; readonly before: ReadonlyMap<Address, string | null> },
  { live, others }: Pick<FoundObjects, 'live' | 'others'>,
  secrets: KnownSecrets,
): 'taken' | 'notTaken' | 'unclear' {
  if (others.length > 0) return 'unclear';
  const { address, id, requests, risk } = entry.change;
  const was = before.get(address) ?? null;
  if ((live?.fingerprint() ?? null) === was) return 'notTaken';
  const isReplaced = risk.includes('replace');
  if (isReplaced && requests[index]?.method === 'DELETE') {
    if (live === null) return 'taken';
    // An object with another id was made by somebody else: do not create a second one.
    return live.id === id && isInProgress(entry, live, secrets) ? 'notTaken' : 'unclear';
  }
  if (hasEffect(entry, live, secrets)) return 'taken';
  if (requests.length === 1 || !isInProgress(entry, live, secrets)) return 'unclear';
  const isMade = isReplaced && was === null;
  // The requests before it may have shown only after `before` was read.
  return index < requests.length - 1 || isMade ? 'taken' : 'notTaken';
}

/** Where a change begins: at its first request, or where an earlier run of the plan stopped. */
export function readinessOf(
  entry: KindChange,
  found: FoundObjects,
  progress: ReturnType<Journal['progress']>,
  secrets: KnownSecrets,
): Readiness {
  const { live } = found;
  const { left, requests } = entry.change;
  const ready = firstLeft(entry, found, progress, secrets);
  if (ready.is === 'stale' || !left || !live || ready.from === requests.length) return ready;
  const unshown = unshownSecrets(entry, live, secrets);
  return unshown.length === 0 ? ready : stale(unshown.join(', and '));
}

/** Secrets that would overwrite another value of the tenant, although the plan shows no difference there. */
function unshownSecrets(entry: KindChange, live: LiveObject, secrets: KnownSecrets): string[] {
  const { declared, left } = compareNow(entry, live, secrets);
  // An earlier request of the change may have moved the items of a list without order.
  const stay = (places: readonly Pointer[]) => new Map(groupBy(places, (at) => placeIn(entry, at)));
  const now = stay(left);
  return [...stay(entry.change.left ?? [])].flatMap(([at, planned]) => {
    const names = markersIn(valueAt(declared, at) ?? null, '$secret');
    if (names.length === 0 || planned.length <= (now.get(at)?.length ?? 0)) return [];
    return `${at} stays as it is in the plan, but the secret ${names.join(' or ')} has another value`;
  });
}

function firstLeft(
  entry: KindChange,
  found: FoundObjects,
  progress: ReturnType<Journal['progress']>,
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
  const unseen = live === null && entry.kind.can.create === 'duplicates' ? requests.slice(0, next) : [];
  if (unseen.some(({ method }) => method === 'POST')) {
    // No read shows the object under its key. Another request would make another object.
    const id = progress.settled?.id;
    const why = id === undefined ? 'does not show it' : `gave it another name, with the id ${quote(id)}`;
    return stale(`an earlier run of this plan created it, and the tenant ${why}`);
  }
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
  const step = { index: next, before: new Map([[entry.change.address, sent.before]]) };
  const evidence = judgeEffect(entry, step, found, secrets);
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
