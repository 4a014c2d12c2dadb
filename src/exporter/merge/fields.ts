import { compareField } from '../../kinds/compare.ts';
import type { Field } from '../../kinds/kind.ts';
import { pairRecords, recordAgrees } from '../../kinds/records.ts';
import type { Printable } from '../../loader/print.ts';
import { unresolved } from '../../loader/tree.ts';
import { isArray, isObject, type Json, type JsonObject, own, sameJson } from '../../model/json.ts';
import { secretName } from '../../model/marker.ts';
import { pointer } from '../../model/pointer.ts';
import { plainField } from '../draft.ts';
import {
  addSet,
  type Found,
  fileOf,
  isIgnored,
  isOverlaid,
  isWrittenList,
  isWrittenMap,
  noteSecret,
  type Pairing,
  writtenItem,
  writtenMember,
} from './found.ts';
import { mergeJson } from './json.ts';

/**
 * Collects the edits of all fields that a manifest declares; what it omits stays omitted.
 *
 * @param refused fields whose live value the kind's schema does not accept
 */
export function mergeFields(pairing: Pairing, refused: ReadonlySet<string>): Found {
  const found: Found = { edits: [], notes: [], sideTexts: [], secrets: [] };
  const { kind, resource, live } = pairing;
  mergeKey(pairing, found);
  for (const [name, field] of Object.entries(kind.fields)) {
    const declared = own(resource.fields, name);
    const at = pointer(name);
    if (declared === undefined || isIgnored(resource, at) || live.hidden.includes(at)) continue;
    const current = own(live.fields, name) ?? null;
    const secret = secretName(declared);
    if (secret !== null) noteSecret(pairing, found, at, secret, current);
    else if (refused.has(name)) found.notes.push({ at, reason: 'unwritable' });
    else if (field.is === 'json') mergeJson(name, field, declared, current, pairing, found);
    else if (compareField(name, field, declared, current).length > 0)
      mergeField(name, field, declared, current, pairing, found);
  }
  return found;
}

/** A pinned object may have another name in the tenant. */
function mergeKey({ kind, resource, live, written }: Pairing, found: Found): void {
  const [field] = kind.keyFields;
  const [name] = live.key;
  if (resource.id === null || !field || name === undefined || name === live.id) return;
  const declared = writtenMember(written, field.name);
  if (declared === undefined || resource.key[0] === name) return;
  if (name === unresolved) found.notes.push({ at: pointer(field.name), reason: 'unwritable' });
  else found.edits.push({ op: 'set', path: [field.name], value: name });
}

function mergeField(
  name: string,
  field: Exclude<Field, { is: 'json' }>,
  declared: Json,
  live: Json,
  pairing: Pairing,
  found: Found,
): void {
  const at = pointer(name);
  const written = writtenMember(pairing.written, name);
  const value = plainField(name, field, pairing.live, pairing.context);
  const isOpen = !isOverlaid(pairing.resource, at);
  const file = fileOf(written);
  if (value === undefined) addSet(pairing, found, at, declared, written, value);
  else if (field.is === 'set' && isOpen && isWrittenList(written) && isArray(declared) && isArray(live)) {
    mergeSet(name, declared, live, written, pairing, found);
  } else if (field.is === 'records' && isOpen && isWrittenList(written) && isWrittenList(value)) {
    mergeRecords(name, field.alike, declared, live, value, pairing, found);
  } else if (field.is === 'reference' && isOpen && isWrittenMap(written) && isObject(declared)) {
    mergeReference(name, declared, live, value, pairing, found);
  } else if (file !== null && typeof value === 'string' && isOpen) {
    found.sideTexts.push({ at, text: value, inline: value });
  } else addSet(pairing, found, at, declared, written, value);
}

/** Items that are gone give way to new ones; what is left over is added at the end, or removed. */
function mergeSet(
  name: string,
  declared: readonly Json[],
  live: readonly Json[],
  written: Printable,
  pairing: Pairing,
  found: Found,
): void {
  const isIn = (list: readonly Json[]) => (item: Json) => list.some((other) => sameJson(other, item));
  const gone = [...declared.keys()].filter((index) => !isIn(live)(declared[index] ?? null));
  const added = live.filter((item) => !isIn(declared)(item)).filter(isText);
  const replaced = gone.slice(0, added.length);
  for (const [at, index] of replaced.entries()) {
    const place = pointer(name, index);
    addSet(pairing, found, place, declared[index] ?? null, writtenItem(written, index), added[at] ?? null);
  }
  for (const [at, item] of added.slice(replaced.length).entries()) {
    found.edits.push({ op: 'insert', path: [name, String(declared.length + at)], value: item });
  }
  for (const index of gone.slice(replaced.length).reverse()) {
    found.edits.push({ op: 'remove', path: [name, String(index)] });
  }
}

function isText(item: Json): item is string {
  return typeof item === 'string';
}

/** Records are found again by content; a changed one keeps the members that still fit. */
function mergeRecords(
  name: string,
  alike: readonly string[],
  declared: Json,
  live: Json,
  printed: readonly Printable[],
  pairing: Pairing,
  found: Found,
): void {
  const written = writtenMember(pairing.written, name);
  const [mine, theirs] = [isArray(declared) ? declared : [], isArray(live) ? live : []];
  const pairs = pairRecords(declared, live, alike);
  const removed: number[] = [];
  let end = mine.length;
  for (const { declared: record, live: current } of pairs) {
    const index = record ? mine.indexOf(record) : -1;
    const value = current ? printed[theirs.indexOf(current)] : undefined;
    if (!record && value !== undefined) {
      found.edits.push({ op: 'insert', path: [name, String(end)], value });
      end += 1;
    } else if (record && !current) removed.push(index);
    else if (record && current && !recordAgrees(record, current)) {
      const item = writtenItem(written, index);
      const at = pointer(name, index);
      if (isWrittenMap(item)) mergeRecord([name, String(index)], record, current, value, pairing, found);
      else addSet(pairing, found, at, record, item, value);
    }
  }
  for (const index of removed.sort((a, b) => b - a)) {
    found.edits.push({ op: 'remove', path: [name, String(index)] });
  }
}

function mergeRecord(
  path: readonly [string, string],
  record: JsonObject,
  current: JsonObject,
  printed: Printable | undefined,
  pairing: Pairing,
  found: Found,
): void {
  const written = writtenItem(writtenMember(pairing.written, path[0]), Number(path[1]));
  for (const [member, value] of Object.entries(record)) {
    if (value === null || recordAgrees({ [member]: value }, current)) continue;
    const at = pointer(...path, member);
    if ((own(current, member) ?? null) === null) found.edits.push({ op: 'remove', path: [...path, member] });
    else {
      const next = writtenMember(printed, member);
      addSet(pairing, found, at, value, writtenMember(written, member), next);
    }
  }
}

function mergeReference(
  name: string,
  declared: JsonObject,
  live: Json,
  printed: Printable | null | undefined,
  pairing: Pairing,
  found: Found,
): void {
  const written = writtenMember(pairing.written, name);
  if (!isObject(live) || printed === null) {
    addSet(pairing, found, pointer(name), declared, written, printed);
    return;
  }
  const hasId = writtenMember(printed, 'id') !== undefined;
  for (const member of ['type', 'id', 'name']) {
    const value = writtenMember(printed ?? undefined, member);
    const path = [name, member];
    const current = own(declared, member);
    if (current === undefined) {
      if (value !== undefined && (member !== 'name' || !hasId))
        found.edits.push({ op: 'insert', path, value });
    } else if (value === undefined) found.edits.push({ op: 'remove', path });
    else if (!sameJson(current, own(live, member) ?? null))
      addSet(pairing, found, pointer(...path), current, writtenMember(written, member), value);
  }
}
