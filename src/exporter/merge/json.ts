import { comparable } from '../../kinds/field.ts';
import { readJsonText } from '../../kinds/jsontext.ts';
import type { Field } from '../../kinds/kind.ts';
import type { Printable } from '../../loader/print.ts';
import { isArray, isObject, type Json, type JsonObject, mapJson, own, sameJson } from '../../model/json.ts';
import { secretName } from '../../model/marker.ts';
import { type Pointer, segmentsOf } from '../../model/pointer.ts';
import type { Edit } from '../edit/apply-edits.ts';
import {
  isNested,
  isWritableKey,
  itemPlace,
  memberPlace,
  printableJson,
  printableValue,
  topOf,
  type Where,
} from '../json.ts';
import { plain } from '../valid.ts';
import { gapsBetween } from './align.ts';
import {
  addSet,
  blockedBy,
  containsSecret,
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

interface Walk {
  readonly pairing: Pairing;
  readonly field: Field & { is: 'json' };
  readonly found: Found;
}

/** Collects the edits that make a declared JSON field what is live; members the manifest may omit stay omitted. */
export function mergeJson(
  name: string,
  field: Field & { is: 'json' },
  declared: Json,
  live: Json,
  pairing: Pairing,
  found: Found,
): void {
  const walk = { pairing, field, found };
  const written = writtenMember(pairing.written, name);
  const where = topOf(name, field);
  const [mine, theirs] = [readJsonText(declared), readJsonText(live)];
  const [isCleared, isUnset] = [comparable(field, mine) === null, comparable(field, theirs) === null];
  if (isCleared && isUnset) return;
  if (isCleared) {
    replace(written, mine, theirs, where, walk);
    return;
  }
  const first = found.edits.length;
  mergeValue(written, mine, theirs, where, walk);
  const added = found.edits.slice(first);
  const emptied = isObject(mine) && added.length === Object.keys(mine).length && added.every(isMemberRemoval);
  // An empty mapping would clear what the manifest has never declared.
  if (field.declares === 'members' && emptied && !isUnset)
    found.edits.splice(first, added.length, { op: 'remove', path: [name] });
}

function isMemberRemoval({ op, path }: Edit): boolean {
  return op === 'remove' && path.length === 2;
}

function mergeValue(
  written: Printable | undefined,
  declared: Json,
  live: Json,
  where: Where,
  walk: Walk,
): void {
  const { resource, live: object } = walk.pairing;
  const { at } = where;
  if (object.hidden.includes(at) || isIgnored(resource, at)) return;
  const secret = secretName(declared);
  if (secret !== null) {
    noteSecret(walk.pairing, walk.found, at, secret, live);
    return;
  }
  const bothObjects = isObject(declared) && isObject(live);
  const bothLists = isArray(declared) && isArray(live);
  if (!bothObjects && !bothLists) {
    if (!sameJson(compared(declared, where), compared(live, where)))
      replace(written, declared, live, where, walk);
    return;
  }
  const isOpen = bothObjects ? isWrittenMap(written) : isWrittenList(written);
  // A tag, an overlay or a text gives the value whole: it stays if nothing in it differs.
  const inside = isOpen || isOverlaid(resource, at) ? walk : { ...walk, found: emptyFound() };
  if (bothObjects) mergeMembers(written, declared, live, where, inside);
  else if (bothLists) mergeItems(written, declared, live, where, inside);
  if (inside !== walk && differs(inside.found)) replace(written, declared, live, where, walk);
}

function differs({ edits, notes }: Found): boolean {
  return edits.length > 0 || notes.some(({ reason }) => reason === 'unwritable');
}

/** Among the settings of another system 60 and "60" are the same. */
function compared(value: Json, { settings }: Where): Json {
  if (!settings) return value;
  return mapJson(value, (item) => (item === null || typeof item === 'object' ? item : String(item)));
}

function emptyFound(): Found {
  return { edits: [], notes: [], sideTexts: [], secrets: [] };
}

function mergeMembers(
  written: Printable | undefined,
  declared: JsonObject,
  live: JsonObject,
  where: Where,
  walk: Walk,
): void {
  const isExact = walk.field.declares === 'whole' || !where.settles;
  for (const [key, value] of Object.entries(declared)) {
    const current = own(live, key);
    const nested = isNested(key, where, walk);
    const below = current === undefined ? undefined : nested ? readJsonText(current) : current;
    const next = memberPlace(where, key, nested && below !== current);
    const isThere = below !== undefined && (isExact || below !== null);
    if (isThere) {
      mergeValue(writtenMember(written, key), nested ? readJsonText(value) : value, below, next, walk);
    } else if (isExact || value !== null) remove(value, next, walk);
  }
  if (!isExact) return;
  for (const [key, value] of Object.entries(live)) {
    if (Object.hasOwn(declared, key)) continue;
    const nested = isNested(key, where, walk) ? readJsonText(value) : value;
    insert(key, nested, memberPlace(where, key, nested !== value), walk);
  }
}

function mergeItems(
  written: Printable | undefined,
  declared: readonly Json[],
  live: readonly Json[],
  where: Where,
  walk: Walk,
): void {
  const gaps = gapsBetween(
    declared.map((item) => compared(item, where)),
    live.map((item) => compared(item, where)),
  );
  if (gaps.length === 0) return;
  const { resource } = walk.pairing;
  // A secret in a list cannot be compared, and must not be replaced by its text.
  if (containsSecret(declared) || isOverlaid(resource, where.at)) {
    replace(written, declared, live, where, walk);
    return;
  }
  for (const { from, to, liveFrom, liveTo } of gaps) {
    const common = Math.min(to - from, liveTo - liveFrom);
    for (const item of live.slice(liveFrom + common, liveTo).reverse()) {
      insert(String(from + common), item, itemPlace(where, from + common), walk);
    }
    for (let index = to - 1; index >= from + common; index -= 1)
      remove(declared[index] ?? null, itemPlace(where, index), walk);
    for (let offset = common - 1; offset >= 0; offset -= 1) {
      const [item = null, current = null] = [declared[from + offset], live[liveFrom + offset]];
      mergeValue(writtenItem(written, from + offset), item, current, itemPlace(where, from + offset), walk);
    }
  }
}

function replace(
  written: Printable | undefined,
  declared: Json,
  live: Json,
  where: Where,
  { pairing, field, found }: Walk,
): void {
  const secrets: Pointer[] = [];
  const value = printed(live, where, { pairing, field, found: { ...found, secrets } });
  const file = fileOf(written);
  const blocked = blockedBy(pairing.resource, where.at, declared);
  if (
    file !== null &&
    where.depth === 0 &&
    isObject(live) &&
    value !== undefined &&
    !blocked &&
    secrets.length === 0
  ) {
    const text = `${JSON.stringify(plain(value), null, 2)}\n`;
    found.sideTexts.push({ at: where.at, text, inline: value });
    return;
  }
  if (!blocked) found.secrets.push(...secrets);
  addSet(pairing, found, where.at, declared, written, value);
}

function insert(key: string, value: Json, where: Where, walk: Walk): void {
  const { pairing, found } = walk;
  if (isIgnored(pairing.resource, where.at)) return;
  const written = isWritableKey(key) ? printed(value, where, walk) : undefined;
  if (written === undefined) found.notes.push({ at: where.at, reason: 'unwritable' });
  else found.edits.push({ op: 'insert', path: segmentsOf(where.at), value: written });
}

function remove(declared: Json, { at }: Where, { pairing, found }: Walk): void {
  const { resource, live } = pairing;
  // What is not shown is not known to be gone.
  if (secretName(declared) !== null || live.hidden.includes(at) || isIgnored(resource, at)) return;
  if (isOverlaid(resource, at)) found.notes.push({ at, reason: 'overlay' });
  else found.edits.push({ op: 'remove', path: segmentsOf(at) } satisfies Edit);
}

/** The live value as a manifest says it; `undefined` where none can. */
function printed(live: Json, where: Where, { pairing, field, found }: Walk): Printable | undefined {
  if (live === null) return null;
  const secrets: string[] = [];
  const secret = (at: string) => {
    secrets.push(at);
    return at;
  };
  const print = { field, hidden: pairing.live.hidden, omissions: [], secret };
  const [name = ''] = segmentsOf(where.at);
  const value = where.depth === 0 ? printableJson(name, live, print) : printableValue(live, where, print);
  found.secrets.push(...secrets);
  return value ?? undefined;
}
