import { comparable, printedJson, sameValue } from '../../kinds/field.ts';
import { readJsonText } from '../../kinds/jsontext.ts';
import type { JsonField } from '../../kinds/kind.ts';
import { isArray, isObject, type Json, type JsonObject, mapJson, sameJson } from '../../model/json.ts';
import { secretName, secretNamesIn } from '../../model/marker.ts';
import type { Edit } from '../edit/apply-edits.ts';
import {
  isWritableKey,
  itemPlace,
  membersIn,
  type PrintedJson,
  printJson,
  rootOf,
  type Where,
} from '../print-json.ts';
import { isList, isMapping, jsonOf, partOf, sideFileOf } from '../printable.ts';
import { alignItems, editItems } from './align.ts';
import {
  addInsert,
  addRemove,
  addSet,
  type DocumentMerge,
  emptyChanges,
  findBlock,
  isIgnored,
  isOverlaid,
  isUnshown,
  noteSecret,
  type Pair,
} from './document-merge.ts';

interface Walk {
  readonly merge: DocumentMerge;
  readonly field: JsonField;
}

/** Adds the edits that give a declared JSON field its live value. Members that a manifest may omit stay omitted. */
export function mergeJson(merge: DocumentMerge, field: JsonField, name: string, pair: Pair): void {
  const walk = { merge, field };
  const where = rootOf(name, field);
  const declared = readJsonText(pair.declared);
  const live = printedJson(field, pair.live, declared);
  if (field.filled && sameValue(field, declared, live)) return;
  const parsed = { declared, live, written: pair.written };
  const [isCleared, isUnset] = [comparable(field, declared) === null, comparable(field, live) === null];
  if (isCleared && isUnset) return;
  // As in a plan: an object without members leaves all of them alone, and only null clears.
  if (isCleared && field.declares === 'members' && isObject(declared)) return;
  // What counts as empty may be written all the same: `{ name: '' }`. Then its lines stay.
  const isWritten = where.exact && isObject(declared) && Object.keys(declared).length > 0;
  if (isCleared && !isWritten) {
    replace(parsed, where, walk);
    return;
  }
  const { edits } = merge.changes;
  const first = edits.length;
  mergeValue(parsed, where, walk);
  const added = edits.slice(first);
  const isEmptied =
    isObject(declared) && added.length === Object.keys(declared).length && added.every(isMemberRemoval);
  // An empty mapping would say nothing.
  if (field.declares === 'members' && isEmptied && !isUnset)
    edits.splice(first, added.length, { op: 'remove', path: [name] });
}

function isMemberRemoval({ op, path }: Edit): boolean {
  return op === 'remove' && path.length === 2;
}

function mergeValue(pair: Pair, where: Where, walk: Walk): void {
  const { declared, live, written } = pair;
  const { merge } = walk;
  const { at } = where;
  if (isUnshown(merge, at, declared) || isIgnored(merge.resource, at)) return;
  const secret = secretName(declared);
  if (secret !== null) {
    noteSecret(merge, at, secret, live);
    return;
  }
  if (sameJson(comparableValue(declared, walk), comparableValue(live, walk))) return;
  if (isObject(declared) && isObject(live)) {
    mergeInside(pair, where, walk, (inner) => mergeMembers({ declared, live, written }, where, inner));
  } else if (isArray(declared) && isArray(live)) {
    mergeInside(pair, where, walk, (inner) => mergeItems({ declared, live, written }, where, inner));
  } else replace(pair, where, walk);
}

/**
 * Merges the inside of a collection. A tag, a text or an overlay gives the collection as a whole, so changes inside are only
 * collected to find out whether there are any.
 */
function mergeInside(pair: Pair, where: Where, walk: Walk, mergeParts: (inner: Walk) => void): void {
  const { merge } = walk;
  if (isMapping(pair.written) || isList(pair.written)) {
    mergeParts(walk);
    return;
  }
  const changes = emptyChanges();
  mergeParts({ ...walk, merge: { ...merge, changes } });
  const { edits, notes } = changes;
  if (edits.length > 0 || notes.some(({ reason }) => reason === 'unwritable')) replace(pair, where, walk);
  else merge.changes.notes.push(...notes);
}

/** Where hosts answer with either, 60 and "60" are the same. */
function comparableValue(value: Json, { field: { pairs } }: Walk): Json {
  if (!pairs) return value;
  return mapJson(value, (item) => (item === null || typeof item === 'object' ? item : String(item)));
}

function mergeMembers({ declared, live, written }: Pair<JsonObject>, where: Where, walk: Walk): void {
  const isExact = where.exact;
  const openDeclared = membersIn(declared, where, walk.field);
  const openLive = membersIn(live, where, walk.field);
  for (const [key, value] of Object.entries(declared)) {
    const current = openLive(key);
    if (current.value !== undefined && (isExact || current.value !== null)) {
      const wanted = openDeclared(key).value ?? null;
      const member = { declared: wanted, live: current.value, written: partOf(written, key) };
      mergeValue(member, current.where, walk);
    } else if (isExact || value !== null) remove(value, current.where, walk);
  }
  if (!isExact) return;
  for (const key of Object.keys(live)) {
    if (Object.hasOwn(declared, key)) continue;
    const member = openLive(key);
    insert(key, member.value ?? null, member.where, walk);
  }
}

function mergeItems(pair: Pair<readonly Json[]>, where: Where, walk: Walk): void {
  const { declared, live, written } = pair;
  // A secret in a list cannot be compared, and must not be replaced by its text.
  if (secretNamesIn(declared).length > 0 || isOverlaid(walk.merge.resource, where.at)) {
    replace(pair, where, walk);
    return;
  }
  const comparableItem = (item: Json) => comparableValue(item, walk);
  editItems(alignItems(declared.map(comparableItem), live.map(comparableItem)), declared.length, {
    change(index, from) {
      const item = { declared: declared[index] ?? null, live: live[from] ?? null };
      mergeValue({ ...item, written: partOf(written, index) }, placeInList(where, index), walk);
    },
    insert: (index, from) => insert(String(index), live[from] ?? null, placeInList(where, index), walk),
    remove: (index) => remove(declared[index] ?? null, placeInList(where, index), walk),
  });
}

/** Items move while they are merged, so a new secret cannot be named after its place. */
function placeInList(where: Where, index: number): Where {
  return { ...itemPlace(where, index), comparable: false };
}

function replace({ declared, live, written }: Pair, where: Where, walk: Walk): void {
  const { resource, changes } = walk.merge;
  const { at } = where;
  const { value, secrets } = printLive(live, where, walk);
  const isBlocked = findBlock(resource, at, declared) !== null;
  const fitsSideFile = sideFileOf(written) !== null && where.depth === 0 && isObject(live);
  if (fitsSideFile && value !== undefined && !isBlocked && secrets.length === 0) {
    changes.sideTexts.push({ at, text: `${JSON.stringify(jsonOf(value), null, 2)}\n`, inline: value });
    return;
  }
  if (!isBlocked) changes.secrets.push(...secrets);
  addSet(walk.merge, { at, liveAt: at, declared, live, written }, value);
}

function insert(key: string, live: Json, where: Where, walk: Walk): void {
  const { at } = where;
  const { resource, changes } = walk.merge;
  if (isIgnored(resource, at)) return;
  const isWritable = isWritableKey(key) && !isOverlaid(resource, at);
  const printed = isWritable ? printLive(live, where, walk) : null;
  changes.secrets.push(...(printed?.secrets ?? []));
  addInsert(walk.merge, { at, liveAt: at }, printed?.value);
}

function remove(declared: Json, { at }: Where, { merge }: Walk): void {
  const { resource, live } = merge;
  // A value that the tenant does not show may still exist.
  if (secretName(declared) !== null || live.hidden.includes(at) || isIgnored(resource, at)) return;
  addRemove(merge, at);
}

/** The live value as a manifest holds it. */
function printLive(live: Json, where: Where, { merge, field }: Walk): PrintedJson {
  // A declared secret stays as it is written.
  return printJson(live, where, field, { hidden: merge.live.hidden, declaredSecrets: new Set() });
}
