import { compareField } from '../../kinds/compare.ts';
import { sameItem } from '../../kinds/field.ts';
import type { Field, LiveObject, RecordsField } from '../../kinds/kind.ts';
import { identityOf } from '../../kinds/live-objects.ts';
import { pairRecords, recordAgrees } from '../../kinds/records.ts';
import type { Mapping, Member, Printable } from '../../loader/print.ts';
import { unresolved } from '../../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, own, sameJson } from '../../model/json.ts';
import { secretName } from '../../model/marker.ts';
import { type Pointer, pointer, segmentsOf } from '../../model/pointer.ts';
import { draftObject, lifecycleMembers } from '../draft.ts';
import { namesOf } from '../names.ts';
import { draftPlainField } from '../plain-field.ts';
import { isList, isMapping, isTagged, partOf, sideFileOf } from '../printable.ts';
import {
  addSet,
  type DeclaredValue,
  type DocumentChanges,
  type DocumentMerge,
  emptyChanges,
  isIgnored,
  isOverlaid,
  type MergeContext,
  namesBelow,
  noteSecret,
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
    if (declared === undefined || isIgnored(resource, at) || live.hidden.includes(at)) continue;
    const current = own(live.fields, name) ?? null;
    const secret = secretName(declared);
    const pair = {
      at,
      declared,
      live: current,
      written: partOf(written, name),
      names: namesBelow(merge, at),
    };
    if (secret !== null) noteSecret(merge, at, secret, current);
    else if (invalid.has(name)) changes.notes.push({ at, reason: 'unwritable' });
    else if (field.is === 'json') mergeJson(merge, field, name, pair);
    else if (compareField(name, field, declared, current).length > 0) {
      mergeField(merge, field, pair, draftPlainField(name, field, live, context));
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

/** A declared field, or a value inside it, and the live value in its place. */
interface Pair<T extends Json = Json> extends DeclaredValue {
  readonly declared: T;
  readonly live: T;
}

/** Changes a field as part of a larger value where that is possible, else as a whole. */
function mergeField(
  merge: DocumentMerge,
  field: Exclude<Field, { is: 'json' }>,
  pair: Pair,
  value: Printable | undefined,
): void {
  const { at, declared, live, written } = pair;
  if (value === undefined || isOverlaid(merge.resource, at)) addSet(merge, pair, value);
  else if (isSet(field) && isList(written) && isList(value) && isArray(declared) && isArray(live)) {
    mergeSet(merge, field, { at, declared, live, written }, value);
  } else if (field.is === 'records' && isList(written) && isList(value)) {
    mergeRecords(merge, field, pair, value);
  } else if (field.is === 'reference' && isMapping(value) && isObject(declared) && isObject(live)) {
    if (isMapping(written)) mergeReference(merge, { at, declared, live, written }, value);
    else addSet(merge, pair, value);
  } else if (sideFileOf(written) !== null && typeof value === 'string') {
    merge.changes.sideTexts.push({ at, text: value, inline: value });
  } else addSet(merge, pair, value);
}

type SetField = Extract<Field, { is: 'set' | 'references' }>;

const isSet = (field: Field): field is SetField => field.is === 'set' || field.is === 'references';

/**
 * Replaces items that are gone with new ones; further new ones are added at the end, further old ones removed.
 *
 * @param printed the live items, in the same order
 */
function mergeSet(
  merge: DocumentMerge,
  field: SetField,
  pair: Pair<readonly Json[]>,
  printed: readonly Printable[],
): void {
  const { at, declared, live } = pair;
  const { edits } = merge.changes;
  const namesAt = (index: number) => namesBelow(merge, at + pointer(index));
  const isIn = (list: readonly Json[]) => (item: Json) => list.some((other) => sameItem(field, other, item));
  const gone = [...declared.keys()].filter((index) => !isIn(live)(declared[index] ?? null));
  const added = [...live.keys()].filter((index) => !isIn(declared)(live[index] ?? null));
  const replaced = gone.slice(0, added.length);
  for (const [turn, index] of replaced.entries()) {
    const from = added[turn] ?? 0;
    addSet(merge, { ...itemOf(pair, index, declared[index] ?? null), names: namesAt(from) }, printed[from]);
  }
  for (const [turn, from] of added.slice(replaced.length).entries()) {
    const path = pathOf(pair, declared.length + turn);
    const value = printed[from];
    const names = isTagged(value) ? {} : { names: namesAt(from) };
    if (value !== undefined) edits.push({ op: 'insert', path, value, ...names });
  }
  for (const index of gone.slice(replaced.length).reverse()) {
    edits.push({ op: 'remove', path: pathOf(pair, index) });
  }
}

/**
 * Records are matched by content. Of a record that changed, only the members that differ are changed.
 *
 * @param printed the live records, in the same order
 */
function mergeRecords(
  merge: DocumentMerge,
  field: RecordsField,
  pair: Pair,
  printed: readonly Printable[],
): void {
  const { edits } = merge.changes;
  const declared = isArray(pair.declared) ? pair.declared : [];
  const live = isArray(pair.live) ? pair.live : [];
  const removed: number[] = [];
  let end = declared.length;
  for (const { declared: record, live: current } of pairRecords(declared, live, field)) {
    const index = record ? declared.indexOf(record) : -1;
    const liveAt = current ? pair.at + pointer(live.indexOf(current)) : pair.at;
    const value = current ? printed[live.indexOf(current)] : undefined;
    if (!record && value !== undefined) {
      edits.push({ op: 'insert', path: pathOf(pair, end), value, names: namesBelow(merge, liveAt) });
      end += 1;
    } else if (record && !current) removed.push(index);
    else if (record && current && !recordAgrees(record, current, field)) {
      const item = itemOf(pair, index, record);
      if (isMapping(item.written))
        mergeRecord(merge, field, { ...item, declared: record, live: current, liveAt }, value);
      else addSet(merge, { ...item, names: namesBelow(merge, liveAt) }, value);
    }
  }
  for (const index of removed.sort((a, b) => b - a)) {
    edits.push({ op: 'remove', path: pathOf(pair, index) });
  }
}

/** A declared record and the live one, which has another place in its list. */
interface RecordPair extends Pair<JsonObject> {
  readonly liveAt: Pointer;
}

function mergeRecord(
  merge: DocumentMerge,
  field: RecordsField,
  pair: RecordPair,
  printed: Printable | undefined,
): void {
  for (const [name, declared] of Object.entries(pair.declared)) {
    if (declared === null || recordAgrees({ [name]: declared }, pair.live, field)) continue;
    if ((own(pair.live, name) ?? null) === null) {
      merge.changes.edits.push({ op: 'remove', path: pathOf(pair, name) });
    } else {
      const names = namesBelow(merge, pair.liveAt + pointer(name));
      addSet(merge, { ...itemOf(pair, name, declared), names }, partOf(printed, name));
    }
  }
}

function mergeReference(merge: DocumentMerge, pair: Pair<JsonObject>, printed: Mapping): void {
  const { edits } = merge.changes;
  const hasId = partOf(printed, 'id') !== undefined;
  for (const name of ['type', 'id', 'name']) {
    const value = partOf(printed, name);
    const path = pathOf(pair, name);
    const declared = own(pair.declared, name);
    if (isIgnored(merge.resource, pointer(...path))) continue;
    if (declared === undefined) {
      // With an id, the name is not needed.
      if (value !== undefined && (name !== 'name' || !hasId)) edits.push({ op: 'insert', path, value });
    } else if (value === undefined) edits.push({ op: 'remove', path });
    else if (!sameJson(declared, own(pair.live, name) ?? null)) {
      addSet(merge, itemOf(pair, name, declared), value);
    }
  }
}

/** A part of a declared value. */
function itemOf({ at, written }: DeclaredValue, step: string | number, declared: Json): DeclaredValue {
  return { at: `${at}${pointer(step)}`, declared, written: partOf(written, step) };
}

function pathOf({ at }: DeclaredValue, step: string | number): string[] {
  return [...segmentsOf(at), String(step)];
}
