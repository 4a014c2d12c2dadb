import type { Kind } from '../../kinds/kind.ts';
import type { Printable } from '../../loader/print.ts';
import type { Json } from '../../model/json.ts';
import type { LiveObject } from '../../model/live.ts';
import { isWithin, type Pointer, segmentsOf } from '../../model/pointer.ts';
import type { Secrets } from '../../model/project.ts';
import type { Resource } from '../../model/resource.ts';
import type { DraftContext } from '../draft.ts';
import type { Edit } from '../edit/apply-edits.ts';
import { secretsIn } from './secrets.ts';

/** Why a difference was not written, or what was lost in writing it. */
export type NoteReason = 'overlay' | 'secret' | 'tag' | 'sideFile' | 'unwritable';

export interface Note {
  readonly at: Pointer;
  readonly reason: NoteReason;
}

/** A manifest beside the object it declares. */
export interface Pairing {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly live: LiveObject;
  /** What the document says, tags as written. */
  readonly written: Printable;
  readonly context: MergeContext;
}

export interface MergeContext extends DraftContext {
  /** Tells whether a secret still is what the tenant shows. */
  readonly secrets: Pick<Secrets, 'matches'>;
}

/** A new text for a side file; `inline` is what the manifest says where the file cannot have it. */
interface SideText {
  readonly at: Pointer;
  readonly text: string;
  readonly inline: Printable;
}

/** What merging one object collects. `!secret` in an edit's value holds its pointer until it is named. */
export interface Found {
  readonly edits: Edit[];
  readonly notes: Note[];
  /** New texts of fields that stand in side files. */
  readonly sideTexts: SideText[];
  readonly secrets: Pointer[];
}

/** Adds a `set`, unless an overlay gives the value, or it stands for a secret. */
export function addSet(
  { resource }: Pairing,
  found: Found,
  at: Pointer,
  declared: Json,
  written: Printable | undefined,
  value: Printable | null | undefined,
): void {
  if (isIgnored(resource, at)) return;
  const blocked = blockedBy(resource, at, declared);
  if (blocked) found.notes.push({ at, reason: blocked });
  else if (value === undefined) found.notes.push({ at, reason: 'unwritable' });
  else {
    if (tagOf(written) !== null) found.notes.push({ at, reason: 'tag' });
    found.edits.push({ op: 'set', path: segmentsOf(at), value });
  }
}

/** Adds a note where the tenant shows something else than a declared secret, which stays all the same. */
export function noteSecret({ context }: Pairing, found: Found, at: Pointer, name: string, live: Json): void {
  if (live === null || (typeof live === 'string' && context.secrets.matches(name, live))) return;
  found.notes.push({ at, reason: 'secret' });
}

/** What keeps a value from being replaced. */
export function blockedBy(resource: Resource, at: Pointer, declared: Json): NoteReason | null {
  if (isOverlaid(resource, at)) return 'overlay';
  return containsSecret(declared) ? 'secret' : null;
}

export function isIgnored({ lifecycle }: Resource, at: Pointer): boolean {
  return lifecycle.ignore.some((ignored) => isWithin(at, ignored));
}

/** Whether the environment's overlays give the value, or a part of it. */
export function isOverlaid(resource: Resource, at: Pointer): boolean {
  return resource.locate(at).file !== resource.source.file;
}

export function containsSecret(value: Json): boolean {
  return secretsIn(value).length > 0;
}

function tagOf(written: Printable | undefined): string | null {
  return written !== undefined && written !== null && typeof written === 'object' && 'tag' in written
    ? written.tag
    : null;
}

/** The path that `!file` names; `null` where the value is written otherwise. */
export function fileOf(written: Printable | undefined): string | null {
  if (written === undefined || written === null || typeof written !== 'object' || !('tag' in written))
    return null;
  return written.tag === '!file' && typeof written.value === 'string' ? written.value : null;
}

/** The members of a written mapping; `null` where it is something else. */
export function writtenMember(written: Printable | undefined, name: string): Printable | undefined {
  if (written === undefined || written === null || typeof written !== 'object' || !('members' in written))
    return undefined;
  return written.members.find(([key]) => key === name)?.[1];
}

export function writtenItem(written: Printable | undefined, index: number): Printable | undefined {
  return isWrittenList(written) ? written[index] : undefined;
}

export function isWrittenList(written: Printable | undefined): written is readonly Printable[] {
  return Array.isArray(written);
}

export function isWrittenMap(written: Printable | undefined): boolean {
  return written !== undefined && written !== null && typeof written === 'object' && 'members' in written;
}
