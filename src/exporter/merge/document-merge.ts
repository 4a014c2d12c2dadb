import type { LiveObject } from '../../kinds/kind.ts';
import type { Secrets } from '../../kinds/project.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { Printable } from '../../loader/print.ts';
import type { Json } from '../../model/json.ts';
import { secretNamesIn } from '../../model/marker.ts';
import { isWithin, type Pointer, segmentsOf } from '../../model/pointer.ts';
import type { Edit } from '../edit/apply-edits.ts';
import type { DraftContext } from '../plain-field.ts';
import { isTagged } from '../printable.ts';

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

/** A declared value, and how it is written in the document; `undefined` where it is not written there. */
export interface DeclaredValue {
  readonly at: Pointer;
  readonly declared: Json;
  readonly written: Printable | undefined;
  /** The names of the ids in the live value that takes its place, by their places in it. */
  readonly names?: ReadonlyMap<Pointer, string> | undefined;
}

/**
 * Adds an edit that sets a value, or a note where an overlay gives the value or it contains a secret.
 *
 * @param value the new value; `undefined` where no manifest can hold it
 */
export function addSet(
  { resource, changes }: DocumentMerge,
  { at, declared, written, names }: DeclaredValue,
  value: Printable | undefined,
): void {
  const blocked = findBlock(resource, at, declared);
  if (blocked) changes.notes.push({ at, reason: blocked });
  else if (value === undefined) changes.notes.push({ at, reason: 'unwritable' });
  else {
    const isReference = isTagged(value) && value.tag === '!ref';
    if (isTagged(written) && !(isReference && written.tag === '!ref'))
      changes.notes.push({ at, reason: 'tag' });
    // A reference is a name by itself.
    const comments = isReference ? {} : { names };
    changes.edits.push({ op: 'set', path: segmentsOf(at), value, ...comments });
  }
}

/** The names of the ids in the live value at a place, by their places in it. */
export function namesBelow(
  { names }: Pick<DocumentMerge, 'names'>,
  at: Pointer,
): ReadonlyMap<Pointer, string> {
  return new Map(
    [...names].flatMap(([place, name]) => (isWithin(place, at) ? [[place.slice(at.length), name]] : [])),
  );
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

/** Whether an overlay of the environment gives the value. */
export function isOverlaid(resource: Resource, at: Pointer): boolean {
  return resource.overlayAt(at) !== null;
}
