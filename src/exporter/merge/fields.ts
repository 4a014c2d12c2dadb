import { compareField } from '../../kinds/compare.ts';
import { textOfItem } from '../../kinds/field.ts';
import type { Field, LiveObject, RecordsField } from '../../kinds/kind.ts';
import { identityOf } from '../../kinds/live-objects.ts';
import { pairRecords, recordAgrees } from '../../kinds/records.ts';
import type { Mapping, Member, Printable } from '../../loader/print.ts';
import { unresolved } from '../../loader/tree.ts';
import { isArray, isObject, itemsOf, own, sameJson } from '../../model/json.ts';
import { secretName } from '../../model/marker.ts';
import { pointer, segmentsOf, valueAt } from '../../model/pointer.ts';
import { draftObject, lifecycleMembers } from '../draft.ts';
import { eolOf } from '../edit/lines.ts';
import { namesOf } from '../names.ts';
import { draftPlainField } from '../plain-field.ts';
import { isList, isMapping, partOf, sideFileOf } from '../printable.ts';
import { editItems, type ItemPair } from './align.ts';
import {
  addInsert,
  addRemove,
  addSet,
  type DocumentChanges,
  type DocumentMerge,
  emptyChanges,
  isIgnored,
  isOverlaid,
  isUnshown,
  type MergeContext,
  noteSecret,
  partIn,
  type Slot,
} from './document-merge.ts';
import { mergeJson } from './json-field.ts';
import type { DeclaredDocument } from './manifest-file.ts';

/** What has to change in a document so that the fields it declares have their live values. Others stay omitted. */
export function mergeDocument(
  { resource, written }: DeclaredDocument,
  live: LiveObject,
  context: MergeContext,
): DocumentChanges {
  const changes = emptyChanges();
  const names = namesOf(live, context);
  const merge: DocumentMerge = { resource, live, secrets: context.secrets, names, changes };
  const invalid = findInvalidFields(live, context);
  mergeKey(merge, written);
  for (const [name, field] of Object.entries(live.kind.fields)) {
    const declared = own(resource.fields, name);
    const at = pointer(name);
    if (declared === undefined || isIgnored(resource, at) || isUnshown(merge, at, declared)) continue;
    const current = own(live.fields, name) ?? null;
    const secret = secretName(declared);
    const slot = { at, liveAt: at, declared, live: current, written: partOf(written, name) };
    if (secret !== null) noteSecret(merge, at, secret, current);
    else if (invalid.has(name)) changes.notes.push({ at, reason: 'unwritable' });
    else if (field.is === 'json') mergeJson(merge, field, name, slot);
    else if (compareField(name, field, declared, current).length > 0) {
      mergeField(merge, field, slot, draftPlainField(name, field, live, context));
    }
  }
  mergeLifecycle(merge, written, lifecycleMembers(live, context));
  return changes;
}

/**
 * Adds what an export writes below `lifecycle`, and keeps what is there: plans report a default that moved until somebody
 * writes down the new one.
 */
function mergeLifecycle(
  { resource, changes }: DocumentMerge,
  written: Printable,
  members: readonly Member[],
) {
  if (members.length === 0 || isOverlaid(resource, '/lifecycle')) return;
  const there = partOf(written, 'lifecycle');
  if (there === undefined) changes.edits.push({ op: 'insert', path: ['lifecycle'], value: { members } });
  if (there === undefined || !isMapping(there)) return;
  for (const [name, value] of members) {
    if (partOf(there, name) === undefined)
      changes.edits.push({ op: 'insert', path: ['lifecycle', name], value });
  }
}

/** The fields whose live values the schema of the kind does not accept. */
function findInvalidFields(live: LiveObject, context: MergeContext): ReadonlySet<string> {
  const draft = draftObject(live, context);
  if ('refused' in draft) return new Set(Object.keys(live.fields));
  const invalid = draft.omissions.filter(({ reason }) => reason === 'notValid');
  return new Set(invalid.map(({ at }) => segmentsOf(at)[0] ?? ''));
}

/** The tenant may have another name for an object that is pinned by its id, or that is to be renamed. */
function mergeKey({ resource, live, changes }: DocumentMerge, written: Printable): void {
  const [field] = live.kind.keyFields;
  const [name] = live.key;
  const isFormer = live.identity !== identityOf(live.kind, resource.key);
  if (resource.id === null && isFormer)
    changes.notes.push({ at: pointer('lifecycle', 'renamedFrom'), reason: 'rename' });
  if (resource.id === null || !field || name === undefined || name === live.id) return;
  if (partOf(written, field.name) === undefined || resource.key[0] === name) return;
  if (name === unresolved) changes.notes.push({ at: pointer(field.name), reason: 'unwritable' });
  else changes.edits.push({ op: 'set', path: [field.name], value: name });
}

/** Changes a field as part of a larger value where that is possible, else as a whole. */
function mergeField(
  merge: DocumentMerge,
  field: Exclude<Field, { is: 'json' }>,
  slot: Slot,
  value: Printable | undefined,
): void {
  const { at, written } = slot;
  if (value === undefined || isOverlaid(merge.resource, at)) addSet(merge, slot, value);
  else if (isSet(field) && isList(written) && isList(value) && isArray(slot.live)) {
    mergeSet(merge, field, slot, value);
  } else if (field.is === 'records' && isList(written) && isList(value)) {
    mergeRecords(merge, field, slot, value);
  } else if (field.is === 'reference' && isMapping(written) && isMapping(value)) {
    mergeReference(merge, slot, value);
  } else if (sideFileOf(written) !== null && typeof value === 'string') {
    const isCrlf = field.is === 'text' && typeof slot.declared === 'string' && eolOf(slot.declared) !== '\n';
    const text = isCrlf ? value.replaceAll(/\r?\n/g, '\r\n') : value;
    merge.changes.sideTexts.push({ at, text, inline: value });
  } else addSet(merge, slot, value);
}

type SetField = Extract<Field, { is: 'set' | 'references' }>;

const isSet = (field: Field): field is SetField => field.is === 'set' || field.is === 'references';

/**
 * Replaces items that are gone with new ones; further new ones are added at the end, further old ones removed.
 *
 * @param printed the live items, in the same order
 */
function mergeSet(merge: DocumentMerge, field: SetField, slot: Slot, printed: readonly Printable[]): void {
  const declared = itemsOf(slot.declared).map((item) => textOfItem(field, item));
  const live = itemsOf(slot.live).map((item) => textOfItem(field, item));
  const [gone, added] = [findMissing(declared, live), findMissing(live, declared)];
  const pairs: ItemPair[] = [
    ...gone.map((index, turn): ItemPair => [index, added[turn] ?? null]),
    ...added.slice(gone.length).map((index): ItemPair => [null, index]),
  ];
  editItems(pairs, declared.length, {
    change: (index, from) => addSet(merge, partIn(slot, index, from), printed[from]),
    insert: (index, from) => addInsert(merge, partIn(slot, index, from), printed[from]),
    remove: (index) => addRemove(merge, partIn(slot, index).at),
  });
}

/** The indexes of the texts that are not among the others. */
function findMissing(texts: readonly string[], others: readonly string[]): number[] {
  const all = new Set(others);
  return [...texts.keys()].filter((at) => !all.has(texts[at] ?? ''));
}

/**
 * Records are matched by content. Of a record that changed, only the members that differ are changed.
 *
 * @param printed the live records, in the same order
 */
function mergeRecords(
  merge: DocumentMerge,
  field: RecordsField,
  slot: Slot,
  printed: readonly Printable[],
): void {
  const [declared, live] = [itemsOf(slot.declared), itemsOf(slot.live)];
  const pairs = pairRecords(declared, live, field).map(
    (pair): ItemPair => [
      pair.declared && declared.indexOf(pair.declared),
      pair.live && live.indexOf(pair.live),
    ],
  );
  editItems(pairs, declared.length, {
    change: (index, from) => mergeRecord(merge, field, partIn(slot, index, from), printed[from]),
    insert: (index, from) => addInsert(merge, partIn(slot, index, from), printed[from]),
    remove: (index) => addRemove(merge, partIn(slot, index).at),
  });
}

function mergeRecord(
  merge: DocumentMerge,
  field: RecordsField,
  slot: Slot,
  printed: Printable | undefined,
): void {
  const { declared, live } = slot;
  if (!isObject(declared) || !isObject(live) || recordAgrees(declared, live, field)) return;
  if (!isMapping(slot.written)) {
    addSet(merge, slot, printed);
    return;
  }
  for (const [name, value] of Object.entries(declared)) {
    if (recordAgrees({ [name]: value }, live, field)) continue;
    const member = partIn(slot, name);
    if (member.live === null) addRemove(merge, member.at);
    else addSet(merge, member, partOf(printed, name));
  }
}

function mergeReference(merge: DocumentMerge, slot: Slot, printed: Mapping): void {
  const hasId = partOf(printed, 'id') !== undefined;
  for (const name of ['type', 'id', 'name']) {
    const member = partIn(slot, name);
    const value = partOf(printed, name);
    if (isIgnored(merge.resource, member.at)) continue;
    if (valueAt(slot.declared, pointer(name)) === undefined) {
      // With an id, the name is not needed.
      if (value !== undefined && (name !== 'name' || !hasId)) addInsert(merge, member, value);
    } else if (value === undefined) addRemove(merge, member.at);
    else if (!sameJson(member.declared, member.live)) addSet(merge, member, value);
  }
}
