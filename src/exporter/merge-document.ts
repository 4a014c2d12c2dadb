import { compareField, pairRecords, recordAgrees, restrict } from '../kinds/compare.ts';
import { isSameInPlace, itemTextAt } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { isIgnored } from '../kinds/places.ts';
import type { Secrets } from '../kinds/project.ts';
import { idsIn } from '../kinds/references.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Member, Printable } from '../loader/print.ts';
import { isRefusedKey } from '../loader/tree.ts';
import { parseAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/failure.ts';
import {
  canonicalJson,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapJson,
  mapMembers,
  objectsIn,
  sameJson,
} from '../model/json.ts';
import { markersIn, secretName } from '../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, topName, valueAt } from '../model/pointer.ts';
import { runsOf } from '../model/runs.ts';
import { type Draft, type DraftInput, draftObject, printPlace } from './draft.ts';
import { type Edit, eolOf } from './edit/document.ts';
import {
  isList,
  isMapping,
  isTagged,
  itemIn,
  jsonOf,
  membersIn,
  type Place,
  partOf,
  placeOf,
  printableValue,
  printLive,
  sideFileOf,
} from './print-live.ts';

interface SideText {
  readonly at: Pointer;
  /** In the line endings of the file, if those do not count. */
  readonly text: string;
  /** What the manifest gets if the side file cannot have the text. */
  readonly inline: Printable;
}

/** A `!secret` in the value of an edit holds its pointer until it is named. */
interface DocumentChanges {
  readonly edits: Edit[];
  readonly notes: Note[];
  readonly sideTexts: SideText[];
  readonly secrets: Pointer[];
}

const noChanges = (): DocumentChanges => ({ edits: [], notes: [], sideTexts: [], secrets: [] });

interface MergeContext extends Pick<DraftInput, 'records' | 'nameOf' | 'standardOf'> {
  readonly secrets: Pick<Secrets, 'matches'>;
}

/** With the labels of ids by their places in the live object. */
interface DocumentMerge extends Pick<Draft, 'tags' | 'names' | 'isSecret'>, Pick<MergeContext, 'secrets'> {
  readonly resource: Resource;
  readonly live: LiveObject;
  readonly changes: DocumentChanges;
}

/** A declared value, the live value in its place, and how the declared one is written; `undefined` if it is not. */
interface ValueSlot<T extends Json = Json> {
  readonly at: Pointer;
  /** Where the live value is: in a list, it may have another index. */
  readonly place: Place;
  readonly declared: T;
  readonly live: T;
  readonly written: Printable | undefined;
}

/** The changes that give the declared fields of a document their live values, if it has an object. Others stay omitted. */
export function mergeDocument(
  resource: Resource,
  object: LiveObject | null,
  written: Printable,
  context: MergeContext,
): DocumentChanges {
  const changes = noChanges();
  if (!object) return changes;
  const draft = draftObject(object, context, resource);
  const { object: live, tags, names, isSecret } = draft;
  const omissions = 'refused' in draft ? [] : draft.omissions;
  const invalid = new Set(omissions.flatMap(({ at, reason }) => (reason === 'notValid' ? [at] : [])));
  const merge: DocumentMerge = { resource, live, secrets: context.secrets, changes, tags, names, isSecret };
  mergeKey(merge);
  for (const [name, field] of Object.entries(live.kind.fields)) {
    const declared = get(resource.fields, name);
    const current = get(live.fields, name) ?? null;
    if (declared === undefined || isLeftAlone(merge, pointer(name), pointer(name), declared)) continue;
    const slot: ValueSlot = {
      at: pointer(name),
      place: placeOf(name, field),
      declared: field.is === 'json' ? readJsonText(declared) : declared,
      live: printableValue(field, current, declared),
      written: partOf(written, name),
    };
    const isInvalid = 'refused' in draft || invalid.has(slot.at);
    if (isInvalid && secretName(declared) === null) changes.notes.push({ at: slot.at, reason: 'unwritable' });
    else if (compareField(name, field, declared, current).length > 0) mergeValue(slot, merge);
  }
  if (!('refused' in draft)) mergeLifecycle(merge, written, draft.lifecycle);
  return changes;
}

/** Adds what an export writes below `lifecycle`. What is there stays: plans report a default that moved. */
function mergeLifecycle(
  { resource, changes }: DocumentMerge,
  written: Printable,
  members: readonly Member[],
) {
  if (members.length === 0 || resource.isOverlaid('/lifecycle')) return;
  const there = partOf(written, 'lifecycle');
  if (there === undefined) changes.edits.push({ op: 'insert', path: ['lifecycle'], value: { members } });
  else if (isMapping(there))
    for (const [name, value] of members)
      if (partOf(there, name) === undefined)
        changes.edits.push({ op: 'insert', path: ['lifecycle', name], value });
}

/** The name that a merge gives to an object that is pinned by its id: the tenant's. `null` if it keeps its own. */
export function newNameOf({ ensure, id, key: [own] }: Resource, live: LiveObject | null): string | null {
  const name = live?.key[0];
  const isNamed =
    ensure === 'present' && id !== null && own !== id && name !== undefined && name !== live?.id;
  return isNamed && name !== own ? name : null;
}

/** The tenant may have another name for an object that is pinned by its id, or about to be renamed. */
function mergeKey({ resource, live, changes }: DocumentMerge): void {
  const isFormer = live.identity !== identityOf(live.kind, resource.key);
  if (resource.id === null && isFormer)
    changes.notes.push({ at: pointer('lifecycle', 'renamedFrom'), reason: 'rename' });
  const [field] = live.kind.keyFields;
  const name = newNameOf(resource, live);
  if (field && name !== null) changes.edits.push({ op: 'set', path: [field.name], value: name });
}

/** True for a `!ref` with the right id where the tenant's value beside it names another kind, or none: a plan would refuse it. */
function isLeftBehind(
  { place: { field, at }, written, live }: ValueSlot,
  { live: { fields } }: DocumentMerge,
) {
  if (!isTagged(written) || written.tag !== '!ref' || valueAt(fields, at) !== live) return false;
  const below = pointer(...segmentsOf(at).slice(1));
  if (!field.places?.idsAt(below).length) return false;
  const use = idsIn(field, get(fields, topName(at)) ?? null).find(
    (each) => each.at === below && !each.isName,
  );
  return use?.to[0] !== parseAddress(String(written.value))?.kind;
}

function mergeValue(slot: ValueSlot, merge: DocumentMerge): void {
  const { at, place, declared, live } = slot;
  if (isLeftAlone(merge, at, place.at, declared)) return;
  const isSame = sameJson(comparableAt(place, declared), comparableAt(place, live));
  if (isSame && !isLeftBehind(slot, merge)) return;
  const secret = secretName(declared);
  if (secret !== null) {
    const { kind, fields } = merge.live;
    // A hidden value may be any text.
    const isEqual =
      live === null || merge.secrets.matches(secret, (text) => isSameInPlace(kind, fields, place.at, text));
    if (!isEqual) merge.changes.notes.push({ at, reason: 'secret' });
  } else if (isSame || merge.tags.has(place.at)) write('set', slot, merge);
  // Settings with secrets may exist although the tenant shows nothing of them.
  // What is ignored needs an object around it.
  else if (
    isObject(declared) &&
    (isObject(live) ||
      (live === null && markersIn(declared, '$secret').length > 0) ||
      ((live === null || isArray(live)) &&
        merge.resource.lifecycle.ignore.some((each) => isWithin(each, at))))
  )
    mergeInside(slot, merge);
  else if (isArray(declared) && isArray(live)) mergeInside(slot, merge);
  else write('set', slot, merge);
}

/** True if each declared item, of which some hold secrets, may be the live one: at its place, or anywhere without order. */
function mayBeSame({ at, place, declared, live, written }: ValueSlot<readonly Json[]>, merge: DocumentMerge) {
  const mayBe = (item: Json, index: number, from: number) => {
    const changes = noChanges();
    const slot = { at: at + pointer(index), place: itemIn(place, from), written: partOf(written, index) };
    mergeValue({ ...slot, declared: item, live: live[from] ?? null }, { ...merge, changes });
    return changes.edits.length === 0 && changes.notes.length === 0;
  };
  if (place.is !== 'records' && itemTextIn(place) === null)
    return declared.length === live.length && declared.every((item, index) => mayBe(item, index, index));
  return (
    declared.every((item, index) => live.some((_, from) => mayBe(item, index, from))) &&
    live.every((_, from) => declared.some((item, index) => mayBe(item, index, from)))
  );
}

/** Merges the inside of a collection; a collection from a tag or text is only compared. */
function mergeInside(slot: ValueSlot, merge: DocumentMerge): void {
  const { declared, live, place, written } = slot;
  const isOpen = isMapping(written) || isList(written);
  const changes = isOpen ? merge.changes : noChanges();
  const inner = { ...merge, changes };
  if (isObject(declared)) mergeMembers({ ...slot, declared, live: isObject(live) ? live : {} }, inner);
  else if (isArray(declared) && isArray(live)) mergeItems({ ...slot, declared, live }, inner);
  if (isOpen) return;
  const isByMember = isObject(declared) && isObject(live) && !isWhole(place);
  const merged = isByMember ? restrict(live, declared) : live;
  if (changes.edits.length > 0) write('set', { ...slot, live: merged }, merge);
  else merge.changes.notes.push(...changes.notes);
}

/** True if a live member that the manifest does not declare is a difference. */
const isWhole = ({ exact, is }: Place): boolean => exact && is !== 'record';

function mergeMembers(
  { at, place, declared, written, ...slot }: ValueSlot<JsonObject>,
  merge: DocumentMerge,
): void {
  const live = respell(place, declared, slot.live);
  const [openDeclared, openLive] = [membersIn(declared, place), membersIn(live, place)];
  const { edits } = merge.changes;
  const first = edits.length;
  for (const key of new Set([...Object.keys(declared), ...(isWhole(place) ? Object.keys(live) : [])])) {
    const value = get(declared, key);
    const { value: current = null, place: below } = openLive(key);
    const member = { at: at + pointer(key), place: below, written: partOf(written, key) };
    const slot: ValueSlot = { ...member, declared: openDeclared(key).value ?? null, live: current };
    if (value === undefined) {
      if (live[key] !== null) write('insert', slot, merge);
    } else if (isWhole(place) ? Object.hasOwn(live, key) : current !== null) mergeValue(slot, merge);
    else if (value !== null) remove(slot, merge);
  }
  if (isWhole(place)) return;
  const removed = edits.slice(first).filter(({ op, path }) => op === 'remove' && path.length === 2);
  // An empty mapping would say nothing.
  if (removed.length > 0 && removed.length === Object.keys(declared).length)
    edits.splice(first, edits.length, { op: 'remove', path: segmentsOf(at) });
}

/** Edits a declared list from its last item on, so that the indexes of those before stay. */
function mergeItems(slot: ValueSlot<readonly Json[]>, merge: DocumentMerge): void {
  const { at, place, declared, live, written } = slot;
  // If a secret is set elsewhere, it may be any live item, whose text must not be written.
  const hasSecrets = markersIn(declared, '$secret').length > 0;
  if (hasSecrets || merge.resource.isOverlaid(at)) {
    if (!hasSecrets || !mayBeSame(slot, merge)) write('set', slot, merge);
    return;
  }
  let next = declared.length;
  for (const [index, from] of pairItems(place, declared, live).toReversed()) {
    const item: ValueSlot = {
      at: at + pointer(index ?? next),
      // Items move while they are merged, so a new secret cannot be named after its place.
      place: { ...itemIn(place, from ?? 0), comparable: false },
      declared: declared[index ?? next] ?? null,
      live: live[from ?? live.length] ?? null,
      written: partOf(written, index ?? next),
    };
    if (index === null) write('insert', { ...item, declared: null, written: undefined }, merge);
    else if (from === null) remove(item, merge);
    else mergeValue(item, merge);
    next = index ?? next;
  }
}

/** Writes the live value: over the declared one, or as a new one. */
function write(op: 'set' | 'insert', slot: ValueSlot, merge: DocumentMerge): void {
  const { at, place, live, declared, written } = slot;
  const { edits, notes, sideTexts, secrets } = merge.changes;
  const path = segmentsOf(at);
  if (isIgnored(merge.resource.lifecycle.ignore, at)) return;
  const printed = printLive(live, place, { hidden: merge.live.hidden, ...merge });
  const value = isRefusedKey(path.at(-1) ?? '') ? undefined : printed.value;
  if (merge.resource.isOverlaid(at)) notes.push({ at, reason: 'overlay' });
  else if (markersIn(declared, '$secret').length > 0) notes.push({ at, reason: 'besideSecret' });
  else if (value === undefined) notes.push({ at, reason: 'unwritable' });
  else {
    const text = place.depth === 0 && sideFileOf(written) !== null ? sideTextFor(slot, printed) : null;
    if (text !== null) {
      sideTexts.push({ at, text, inline: value });
      return;
    }
    secrets.push(...printed.secrets);
    const tag = isTagged(value) ? value.tag : null;
    if (isTagged(written) && written.tag !== tag) notes.push({ at, reason: 'tag' });
    const inside = [...merge.names].filter(([each]) => isWithin(each, place.at));
    const names = new Map(inside.map(([each, name]) => [each.slice(place.at.length), name]));
    // A reference already is a name.
    edits.push({ op, path, value, ...(tag !== '!ref' && { names }) });
  }
}

/** The text of a side file for a live value; `null` if it can only stand in the manifest. */
function sideTextFor({ declared, live }: ValueSlot, { value, secrets }: ReturnType<typeof printLive>) {
  if (typeof value === 'string') {
    const isCrlf = typeof declared === 'string' && eolOf(declared) !== '\n';
    return isCrlf ? value.replaceAll(/\r?\n/g, '\r\n') : value;
  }
  if (!isObject(live) || value === undefined || secrets.length > 0) return null;
  return `${JSON.stringify(jsonOf(value), null, 2)}\n`;
}

/** Removes a declared value that the tenant does not have, unless an overlay gives it. */
function remove({ at, declared }: Pick<ValueSlot, 'at' | 'declared'>, { resource, changes }: DocumentMerge) {
  // A value that the tenant does not show may still exist.
  if (secretName(declared) !== null || isIgnored(resource.lifecycle.ignore, at)) return;
  if (resource.isOverlaid(at)) changes.notes.push({ at, reason: 'overlay' });
  else changes.edits.push({ op: 'remove', path: segmentsOf(at) });
}

/** True for values that are ignored or hidden, which cannot be compared. As in a plan, null is compared: it clears the value. */
function isLeftAlone({ resource, live }: DocumentMerge, at: Pointer, liveAt: Pointer, declared: Json) {
  return isIgnored(resource.lifecycle.ignore, at) || (declared !== null && live.hidden.includes(liveAt));
}

/** If hosts answer with either, 60 and "60" are the same. */
function comparableAt({ field }: Place, value: Json): Json {
  const isLoose = field.is === 'json' ? field.pairs === true : field.is === 'records';
  if (!isLoose) return value;
  return mapJson(value, (item) => (item === null || typeof item === 'object' ? item : String(item)));
}

/** The members of a live object in the spelling of the declared one, and without those that it may leave out. */
function respell({ is, field }: Place, declared: JsonObject, live: JsonObject): JsonObject {
  // With an id, the name is not needed.
  if (is === 'reference' && Object.hasOwn(live, 'id') && !Object.hasOwn(declared, 'name'))
    return mapMembers(live, (value, name) => (name === 'name' ? undefined : value));
  if (is !== 'record' || field.is !== 'records') return live;
  const agreeing = mapMembers(declared, (value, name) =>
    recordAgrees({ [name]: value }, live, field) ? value : undefined,
  );
  return { ...live, ...agreeing };
}

/** A declared item and the live one in its place, by their indexes; `null` if one of them is missing. */
type ItemPair = readonly [declared: number | null, live: number | null];

const mostDifferences = 4000;

/**
 * Pairs the items of a declared list with live ones, in the declared order: as many equal ones as possible, then those that
 * changed. Of a list without order, equal items are left out.
 */
function pairItems(place: Place, declared: readonly Json[], live: readonly Json[]): ItemPair[] {
  const { is, field } = place;
  if (is === 'records' && field.is === 'records') {
    return pairRecords(objectsIn(declared), objectsIn(live), field).map((pair) => [
      pair.declared && declared.indexOf(pair.declared),
      pair.live && live.indexOf(pair.live),
    ]);
  }
  const textOf = itemTextIn(place);
  const textsOf = (items: readonly Json[]) =>
    items.map((item) => (textOf ?? canonicalJson)(comparableAt(place, item)));
  const [wanted, shown] = [textsOf(declared), textsOf(live)];
  const [isWanted, isShown] = [new Set(wanted), new Set(shown)];
  const isGone = (at: number) => !isShown.has(wanted[at] ?? '');
  const isAdded = (at: number) => !isWanted.has(shown[at] ?? '');
  const likenessOf = (at: number, from: number) =>
    isGone(at) && isAdded(from) ? countShared(declared[at], live[from]) : -1;
  if (textOf)
    return pairAlike([...wanted.keys()].filter(isGone), [...shown.keys()].filter(isAdded), likenessOf);
  let [at, liveAt] = [0, 0];
  return runsOf(wanted, shown, mostDifferences).flatMap(({ isEqual, before, after }) => {
    const [own, others] = [before.map(() => at++), after.map(() => liveAt++)];
    return isEqual ? pairInOrder(own, others) : pairAlike(own, others, likenessOf);
  });
}

/** Identifies items of a list without order; `null` if order counts. */
function itemTextIn({ field, at }: Place): ((item: Json) => string) | null {
  return itemTextAt(field, pointer(...segmentsOf(at).slice(1)));
}

function pairInOrder(own: readonly number[], others: readonly number[]): ItemPair[] {
  const length = Math.max(own.length, others.length);
  return Array.from({ length }, (_, turn) => [own[turn] ?? null, others[turn] ?? null]);
}

const mostCompared = 250_000;

/** Pairs items that are more like each other than like others, so that none gets the place and the comment of another. */
function pairAlike(
  own: readonly number[],
  others: readonly number[],
  likenessOf: (at: number, from: number) => number,
): ItemPair[] {
  if (own.length * others.length > mostCompared) return pairInOrder(own, others);
  const rows = own.map((at) => others.map((from) => likenessOf(at, from)));
  const best = others.map((_, column) => Math.max(0, ...rows.map((row) => row[column] ?? 0)));
  let next = 0;
  const pairs = rows.flatMap((likes, row) => {
    const most = Math.max(0, ...likes);
    const found = likes.findIndex((like, at) => at >= next && like === most && like === best[at]);
    const skipped = pairInOrder([], others.slice(next, Math.max(next, found)));
    next = Math.max(next, found + 1);
    return [...skipped, [own[row] ?? 0, others[found] ?? null] as const];
  });
  return [...pairs, ...pairInOrder([], others.slice(next))];
}

function countShared(one: Json = null, other: Json = null): number {
  if (!isObject(one) || !isObject(other)) return 0;
  return Object.entries(one).filter(([name, value]) => sameJson(value, get(other, name) ?? null)).length;
}

/** Why a difference was not merged, or what was lost in merging it: if a plan after the merge is not empty, people have to know. */
interface Note {
  /** Left out: the whole manifest. */
  readonly at?: Pointer;
  readonly reason: keyof typeof noteWords;
}

export function noteDiagnostic(resource: Resource, { at, reason }: Note): Diagnostic {
  const { words, ...rest } = noteWords[reason];
  const { address } = resource;
  const source = at === undefined ? resource.source() : resource.point(at).source;
  const message = words.replace('{}', () => (at === undefined ? address : printPlace(at)));
  return { ...rest, message, source, address };
}

const byHand = 'Make the changes by hand: `tenantctl plan` shows them.';

/** What notes say. `{}` stands for the place, or for the address of the whole object. */
const noteWords = {
  overlay: {
    code: 'set-by-overlay',
    severity: 'warning',
    words: '{} differs from the tenant, but an overlay sets it; it was not changed.',
    hint: "To keep the tenant's value, change the overlay. Otherwise the next apply writes the overlay's.",
  },
  secret: {
    code: 'secret-kept',
    severity: 'warning',
    words: '{} holds a secret and may differ from the tenant; it was not changed.',
    hint: "To keep the tenant's value, set the secret to it. Otherwise the next apply writes yours.",
  },
  besideSecret: {
    code: 'secret-kept',
    severity: 'error',
    words:
      '{} differs from the tenant and holds a secret, which could be any of the values there; it was not changed.',
    hint: byHand,
  },
  tag: {
    code: 'tag-replaced',
    severity: 'info',
    words: "The tag of {} no longer fits what the tenant has; it was replaced with the tenant's value.",
    hint: 'Every environment that reads the manifest gets that value. If only one should, take the tag back and change what it gives there, such as a variable.',
  },
  rename: {
    code: 'rename-kept',
    severity: 'warning',
    words: '{} is the name that the tenant still has; it was not changed, so a plan renames the object.',
    hint: 'Apply to rename it. To keep the former name, declare that one and remove `renamedFrom`.',
  },
  unwritable: {
    code: 'not-declarable',
    severity: 'warning',
    words: "{} differs from the tenant, but a manifest cannot express the tenant's value.",
    hint: "To keep the tenant's value, remove the field from the manifest. Otherwise the next apply writes the manifest's.",
  },
  gone: {
    code: 'object-gone',
    severity: 'warning',
    words: 'The tenant no longer has {}.',
    hint: 'Remove the document, or use `export --merge --delete`.',
  },
  removed: {
    code: 'object-gone',
    severity: 'warning',
    words: 'The tenant no longer has {}; its document was removed.',
    hint: 'To create the object again, take the document back from git, and apply.',
  },
  absent: {
    code: 'object-still-there',
    severity: 'info',
    words: '{} is declared absent, but the tenant has it; the manifest was not changed.',
    hint: 'Apply to delete it. To keep it, remove `ensure: absent`.',
  },
  refused: {
    code: 'cannot-edit',
    severity: 'error',
    words: 'The manifest of {} could not be edited without losing content; it was not changed.',
    hint: byHand,
  },
} as const;
