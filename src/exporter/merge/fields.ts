import { compareField } from '../../kinds/compare.ts';
import { kindNamed } from '../../kinds/index.ts';
import type { Field } from '../../kinds/kind.ts';
import { pairRecords, recordAgrees } from '../../kinds/records.ts';
import type { Printable } from '../../loader/print.ts';
import { unresolved } from '../../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, own, sameJson } from '../../model/json.ts';
import type { LiveObject } from '../../model/live.ts';
import { secretName } from '../../model/marker.ts';
import { pointer, segmentsOf } from '../../model/pointer.ts';
import { draftObject, draftPlainField } from '../draft.ts';
import {
  addSet,
  type DocumentChanges,
  type DocumentMerge,
  emptyChanges,
  isIgnored,
  isOverlaid,
  isWrittenList,
  isWrittenMap,
  type MergeContext,
  noteSecret,
  sideFileOf,
  writtenItem,
  writtenMember,
} from './document-merge.ts';
import { mergeJson } from './json-field.ts';
import type { DeclaredDocument } from './manifest-file.ts';

/** What has to change in a document so that the fields it declares have their live values. Others stay omitted. */
export function mergeDocument(
  { resource, written }: DeclaredDocument,
  live: LiveObject,
  context: MergeContext,
): DocumentChanges {
  const kind = kindNamed(live.kind);
  const changes = emptyChanges();
  const merge: DocumentMerge = { kind, resource, live, written, context, changes };
  const invalid = findInvalidFields(live, context);
  mergeKey(merge);
  for (const [name, field] of Object.entries(kind.fields)) {
    const declared = own(resource.fields, name);
    const at = pointer(name);
    if (declared === undefined || isIgnored(resource, at) || live.hidden.includes(at)) continue;
    const current = own(live.fields, name) ?? null;
    const secret = secretName(declared);
    const pair = { name, at, declared, live: current, written: writtenMember(written, name) };
    if (secret !== null) noteSecret(merge, at, secret, current);
    else if (invalid.has(name)) changes.notes.push({ at, reason: 'unwritable' });
    else if (field.is === 'json') mergeJson(merge, field, pair);
    else if (compareField(name, field, declared, current).length > 0) mergeField(merge, field, pair);
  }
  return changes;
}

/** The fields whose live values the schema of the kind does not accept. */
function findInvalidFields(live: LiveObject, context: MergeContext): ReadonlySet<string> {
  const draft = draftObject(live, context);
  if ('refused' in draft) return new Set(Object.keys(live.fields));
  const invalid = draft.omissions.filter(({ reason }) => reason === 'notValid');
  return new Set(invalid.map(({ at }) => segmentsOf(at)[0] ?? ''));
}

/** The tenant may have another name for an object that is pinned by its id. */
function mergeKey({ kind, resource, live, written, changes }: DocumentMerge): void {
  const [field] = kind.keyFields;
  const [name] = live.key;
  if (resource.id === null || !field || name === undefined || name === live.id) return;
  if (writtenMember(written, field.name) === undefined || resource.key[0] === name) return;
  if (name === unresolved) changes.notes.push({ at: pointer(field.name), reason: 'unwritable' });
  else changes.edits.push({ op: 'set', path: [field.name], value: name });
}

/** A declared field and its live value. */
interface FieldPair {
  readonly name: string;
  readonly at: string;
  readonly declared: Json;
  readonly live: Json;
  readonly written: Printable | undefined;
}

/** Changes a field as part of a larger value where that is possible, else as a whole. */
function mergeField(merge: DocumentMerge, field: Exclude<Field, { is: 'json' }>, pair: FieldPair): void {
  const { name, at, declared, live, written } = pair;
  const value = draftPlainField(name, field, merge.live, merge.context);
  const file = sideFileOf(written);
  if (value === undefined || isOverlaid(merge.resource, at)) addSet(merge, pair, value);
  else if (field.is === 'set' && isWrittenList(written) && isArray(declared) && isArray(live)) {
    mergeSet(merge, { name, declared, live, written });
  } else if (field.is === 'records' && isWrittenList(written) && isWrittenList(value)) {
    mergeRecords(merge, field.alike, pair, value);
  } else if (field.is === 'reference' && isWrittenMap(written) && isObject(declared) && isObject(live)) {
    mergeReference(merge, { name, declared, live, written }, value);
  } else if (file !== null && typeof value === 'string') {
    merge.changes.sideTexts.push({ at, text: value, inline: value });
  } else addSet(merge, pair, value);
}

interface SetPair {
  readonly name: string;
  readonly declared: readonly Json[];
  readonly live: readonly Json[];
  readonly written: Printable;
}

/** Replaces items that are gone with new ones; further new ones are added at the end, further old ones removed. */
function mergeSet(merge: DocumentMerge, { name, declared, live, written }: SetPair): void {
  const { edits } = merge.changes;
  const isIn = (list: readonly Json[]) => (item: Json) => list.some((other) => sameJson(other, item));
  const gone = [...declared.keys()].filter((index) => !isIn(live)(declared[index] ?? null));
  const added = live.filter((item) => !isIn(declared)(item)).filter((item) => typeof item === 'string');
  const replaced = gone.slice(0, added.length);
  for (const [at, index] of replaced.entries()) {
    const item = {
      at: pointer(name, index),
      declared: declared[index] ?? null,
      written: writtenItem(written, index),
    };
    addSet(merge, item, added[at] ?? null);
  }
  for (const [at, item] of added.slice(replaced.length).entries()) {
    edits.push({ op: 'insert', path: [name, String(declared.length + at)], value: item });
  }
  for (const index of gone.slice(replaced.length).reverse()) {
    edits.push({ op: 'remove', path: [name, String(index)] });
  }
}

/**
 * Records are matched by content. Of a record that changed, only the members that differ are changed.
 *
 * @param alike the members that make two records versions of each other
 * @param printed the live records, in the same order
 */
function mergeRecords(
  merge: DocumentMerge,
  alike: readonly string[],
  { name, declared, live, written }: FieldPair,
  printed: readonly Printable[],
): void {
  const { edits } = merge.changes;
  const [declaredItems, liveItems] = [isArray(declared) ? declared : [], isArray(live) ? live : []];
  const removed: number[] = [];
  let end = declaredItems.length;
  for (const { declared: record, live: current } of pairRecords(declared, live, alike)) {
    const index = record ? declaredItems.indexOf(record) : -1;
    const value = current ? printed[liveItems.indexOf(current)] : undefined;
    if (!record && value !== undefined) {
      edits.push({ op: 'insert', path: [name, String(end)], value });
      end += 1;
    } else if (record && !current) removed.push(index);
    else if (record && current && !recordAgrees(record, current)) {
      const path = [name, String(index)];
      const item = writtenItem(written, index);
      if (isWrittenMap(item)) mergeRecord(merge, { path, record, current, written: item }, value);
      else addSet(merge, { at: pointer(...path), declared: record, written: item }, value);
    }
  }
  for (const index of removed.sort((a, b) => b - a)) {
    edits.push({ op: 'remove', path: [name, String(index)] });
  }
}

interface RecordPair {
  readonly path: readonly string[];
  readonly record: JsonObject;
  readonly current: JsonObject;
  readonly written: Printable;
}

function mergeRecord(
  merge: DocumentMerge,
  { path, record, current, written }: RecordPair,
  printed: Printable | undefined,
): void {
  for (const [name, declared] of Object.entries(record)) {
    if (declared === null || recordAgrees({ [name]: declared }, current)) continue;
    const member = { at: pointer(...path, name), declared, written: writtenMember(written, name) };
    if ((own(current, name) ?? null) === null)
      merge.changes.edits.push({ op: 'remove', path: [...path, name] });
    else addSet(merge, member, writtenMember(printed, name));
  }
}

interface ReferencePair {
  readonly name: string;
  readonly declared: JsonObject;
  readonly live: JsonObject;
  readonly written: Printable;
}

function mergeReference(
  merge: DocumentMerge,
  { name, declared, live, written }: ReferencePair,
  printed: Printable,
): void {
  const { edits } = merge.changes;
  if (printed === null) {
    addSet(merge, { at: pointer(name), declared, written }, printed);
    return;
  }
  const hasId = writtenMember(printed, 'id') !== undefined;
  for (const member of ['type', 'id', 'name']) {
    const value = writtenMember(printed, member);
    const path = [name, member];
    const current = own(declared, member);
    if (current === undefined) {
      // With an id, the name is not needed.
      if (value !== undefined && (member !== 'name' || !hasId)) edits.push({ op: 'insert', path, value });
    } else if (value === undefined) edits.push({ op: 'remove', path });
    else if (!sameJson(current, own(live, member) ?? null))
      addSet(
        merge,
        { at: pointer(...path), declared: current, written: writtenMember(written, member) },
        value,
      );
  }
}
