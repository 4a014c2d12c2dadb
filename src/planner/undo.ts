import type { Kinds } from '../kinds/catalog.ts';
import { isDeclaredByMember, readableFields, sameValue } from '../kinds/field.ts';
import { type Field, fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { type Key, parseAddress } from '../model/address.ts';
import { type Failure, fail } from '../model/failure.ts';
import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  objectsIn,
  sameJson,
} from '../model/json.ts';
import { containsMarker, liveMarker } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { ChangeResult, Result } from '../model/result.ts';

/** A recorded change to undo. */
export interface Undo {
  readonly kind: Kind;
  readonly record: ChangeResult;
  /** The object's key after the apply. */
  readonly key: Key;
  /** Its key before; different only after a rename. */
  readonly former: Key;
}

/** The changes that an apply made, or may have made. Result files are untrusted: throws a Failure for impossible objects. */
export function undosOf({ changes }: Result, kinds: Kinds): Undo[] {
  const undos = changes.filter((record) => record.action !== 'manual').map((record) => undoOf(record, kinds));
  const seen = new Set<string>();
  for (const { kind, key, record } of undos) {
    const identity = identityOf(kind, key);
    if (seen.has(identity)) throw invalid(`it has two changes of ${record.address}`);
    seen.add(identity);
  }
  return undos.filter(wasMade);
}

function undoOf(record: ChangeResult, kinds: Kinds): Undo {
  const { address, renamedFrom } = record;
  const parsed = parseAddress(address);
  const kind = parsed && kinds.find(parsed.kind);
  if (!parsed || !kind || parsed.key.length !== kind.keyFields.length) {
    throw invalid(`${JSON.stringify(address.slice(0, 200))} is not an object of any kind`);
  }
  const former = renamedFrom ?? parsed.key;
  if (former.length !== kind.keyFields.length || former.includes('')) {
    throw invalid(`${address} was renamed from a key that its kind cannot have`);
  }
  return { kind, record, key: parsed.key, former };
}

/** Whether a change was made. Of a failed change a part may have been made: then the object is different. */
function wasMade({ record: { outcome, before, after, requests } }: Undo): boolean {
  switch (outcome) {
    case 'done':
    case 'unknown':
      return true;
    case 'failed':
      // A request that was accepted may have changed the name, or what a result does not record.
      if (requests.some(({ status }) => status !== null && status >= 200 && status < 300)) return true;
      return !sameJson(before, after);
    case 'skipped':
    case 'notAttempted':
      return false;
  }
}

/** The fields that undo a change, and the places that its result left out. */
export interface Restored {
  readonly fields: JsonObject;
  readonly lost: readonly Pointer[];
}

/** What the apply changed in an object, as it was before. The rest of it is left alone. */
export function restoreFields({ kind, record }: Undo, live: LiveObject | null): Restored {
  const current = readableFields(kind, live?.fields ?? {});
  const before = Object.entries(readableFields(kind, record.before ?? {}));
  // No run records a marker.
  const forged = before.filter(([, old]) => containsMarker(old)).map(([name]) => pointer(name));
  const fields = before.flatMap(([name, old]): [string, Json][] => {
    const [field, now] = [fieldNamed(kind, name), get(current, name)];
    if (!field || forged.includes(pointer(name))) return [];
    // An id that is as it was would say that the name beside it does not count.
    const isRestored = now !== undefined && sameValue(field, old, now);
    return isRestored ? [] : [[name, restoreValue(name, field, old, now)]];
  });
  return { fields: objectFrom(fields), lost: [...(record.withheld ?? []), ...forged] };
}

function restoreValue(name: string, field: Field, old: Json, now: Json | undefined): Json {
  if (field.is === 'json') return restoreMembers(field, old, now, pointer(name));
  if (field.is !== 'records') return old;
  // A record gets its own members back, and loses others.
  const unset = objectsIn(now).flatMap((record) => Object.keys(record).map((name) => [name, null] as const));
  return isArray(old) ? old.map((item) => (isObject(item) ? { ...objectFrom(unset), ...item } : item)) : old;
}

/** The members that the apply changed. An object in which nothing else is left is unset again. */
function restoreMembers(field: Field, old: Json, now: Json | undefined, at: Pointer): Json {
  if (!isObject(old)) return old;
  const current = isObject(now) ? now : {};
  const restored = mapMembers(old, (item, name) =>
    restoreMembers(field, item, get(current, name), at + pointer(name)),
  );
  const isCleared = ([name]: readonly [string, Json]) => get(restored, name) === null;
  const isEmptied = isObject(now) && [...Object.entries(restored), ...Object.entries(now)].every(isCleared);
  if (isEmptied && Object.keys(old).length > 0) return null;
  if (isDeclaredByMember(field)) return restored;
  const kept = mapMembers(current, (_, name) => liveMarker(at + pointer(name)));
  return mapMembers({ ...kept, ...restored }, (item) => item ?? undefined);
}

function invalid(why: string): Failure {
  return fail('result-invalid', `This result cannot be undone: ${why}.`, {
    hint: 'A result file is what `tenantctl apply --result FILE` writes.',
  });
}
