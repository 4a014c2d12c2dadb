import type { LiveObject } from '../../kinds/kind.ts';
import type { Secrets } from '../../kinds/project.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { Printable } from '../../loader/print.ts';
import type { Json } from '../../model/json.ts';
import { secretNamesIn } from '../../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../../model/pointer.ts';
import type { Edit } from '../edit/apply-edits.ts';
import type { DraftContext } from '../plain-field.ts';
import { isTagged, partOf } from '../printable.ts';

export interface MergeContext extends DraftContext {
  /** Says whether a secret has the value that the tenant shows. */
  readonly secrets: Pick<Secrets, 'matches'>;
}

/** Why a difference was not written, or what was lost in writing it. */
export type NoteReason = 'overlay' | 'secret' | 'tag' | 'sideFile' | 'unwritable' | 'rename';

export interface Note {
  readonly at: Pointer;
  readonly reason: NoteReason;
}

/** A new text for a side file. */
export interface SideText {
  readonly at: Pointer;
  /** In the line endings of the file, where those do not count. */
  readonly text: string;
  /** What the manifest gets where the side file cannot have the text. */
  readonly inline: Printable;
}

/** What has to change for one document. A `!secret` in the value of an edit holds its pointer until it is named. */
export interface DocumentChanges {
  readonly edits: Edit[];
  readonly notes: Note[];
  readonly sideTexts: SideText[];
  /** The places of new secrets. */
  readonly secrets: Pointer[];
}

export function emptyChanges(): DocumentChanges {
  return { edits: [], notes: [], sideTexts: [], secrets: [] };
}

/** The merge of one live object into the document that declares it. */
export interface DocumentMerge {
  readonly resource: Resource;
  readonly live: LiveObject;
  readonly secrets: MergeContext['secrets'];
  /** The names of live ids, by their places in the live object. */
  readonly names: ReadonlyMap<Pointer, string>;
  /** Collects what has to change. */
  readonly changes: DocumentChanges;
}

/** A declared value, the live value in its place, and how the declared one is written; `undefined` where it is not. */
export interface Pair<T extends Json = Json> {
  readonly declared: T;
  readonly live: T;
  readonly written: Printable | undefined;
}

/** A pair with its places: in a list, the live value may have another one. */
export interface Slot<T extends Json = Json> extends Pair<T> {
  readonly at: Pointer;
  readonly liveAt: Pointer;
}

/** A part of a slot. */
export function partIn(slot: Slot, step: string | number, liveStep = step): Slot {
  const [below, liveBelow] = [pointer(step), pointer(liveStep)];
  return {
    at: slot.at + below,
    liveAt: slot.liveAt + liveBelow,
    declared: valueAt(slot.declared, below) ?? null,
    live: valueAt(slot.live, liveBelow) ?? null,
    written: partOf(slot.written, step),
  };
}

/**
 * Adds an edit that sets a value, or a note where an overlay gives the value or it contains a secret.
 *
 * @param value the new value; `undefined` where no manifest can hold it
 */
export function addSet(merge: DocumentMerge, slot: Slot, value: Printable | undefined): void {
  const { at, declared, written } = slot;
  const { notes, edits } = merge.changes;
  const blocked = findBlock(merge.resource, at, declared);
  if (blocked) notes.push({ at, reason: blocked });
  else if (value === undefined) notes.push({ at, reason: 'unwritable' });
  else {
    const isReference = isTagged(value) && value.tag === '!ref';
    if (isTagged(written) && !(isReference && written.tag === '!ref')) notes.push({ at, reason: 'tag' });
    // A reference is a name by itself.
    const names = isReference ? {} : { names: namesIn(merge, slot) };
    edits.push({ op: 'set', path: segmentsOf(at), value, ...names });
  }
}

/** Adds an edit that inserts a value, or a note where an overlay removes it, or where no manifest can hold it: `undefined`. */
export function addInsert(
  merge: DocumentMerge,
  slot: Pick<Slot, 'at' | 'liveAt'>,
  value: Printable | undefined,
): void {
  const { at } = slot;
  if (isOverlaid(merge.resource, at)) merge.changes.notes.push({ at, reason: 'overlay' });
  else if (value === undefined) merge.changes.notes.push({ at, reason: 'unwritable' });
  else merge.changes.edits.push({ op: 'insert', path: segmentsOf(at), value, names: namesIn(merge, slot) });
}

/** Adds an edit that removes a value, or a note where an overlay gives it. */
export function addRemove({ resource, changes }: DocumentMerge, at: Pointer): void {
  if (isOverlaid(resource, at)) changes.notes.push({ at, reason: 'overlay' });
  else changes.edits.push({ op: 'remove', path: segmentsOf(at) });
}

/** The names of the ids in a live value, by their places in it. */
function namesIn({ names }: DocumentMerge, { liveAt }: Pick<Slot, 'liveAt'>): ReadonlyMap<Pointer, string> {
  const inside = [...names].filter(([place]) => isWithin(place, liveAt));
  return new Map(inside.map(([place, name]) => [place.slice(liveAt.length), name]));
}

/** Adds a note where the tenant shows a value other than the declared secret, which stays in any case. */
export function noteSecret({ secrets, changes }: DocumentMerge, at: Pointer, name: string, live: Json): void {
  if (live === null || (typeof live === 'string' && secrets.matches(name, live))) return;
  changes.notes.push({ at, reason: 'secret' });
}

/** Why a value must not be replaced; `null` where it may be. */
export function findBlock(resource: Resource, at: Pointer, declared: Json): NoteReason | null {
  if (isOverlaid(resource, at)) return 'overlay';
  return secretNamesIn(declared).length > 0 ? 'secret' : null;
}

export function isIgnored({ lifecycle }: Resource, at: Pointer): boolean {
  return lifecycle.ignore.some((ignored) => isWithin(at, ignored));
}

/**
 * Whether the tenant does not show what the manifest declares: nobody can compare the two. As in a plan, null is compared:
 * it clears the value.
 */
export function isUnshown({ live }: Pick<DocumentMerge, 'live'>, at: Pointer, declared: Json): boolean {
  return declared !== null && live.hidden.includes(at);
}

/** Whether an overlay of the environment gives the value. */
export function isOverlaid(resource: Resource, at: Pointer): boolean {
  return resource.overlayAt(at) !== null;
}
