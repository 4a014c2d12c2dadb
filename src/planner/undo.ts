import type { Kinds } from '../kinds/catalog.ts';
import { sameValue } from '../kinds/field.ts';
import { fieldNamed, type Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { isMapOfSettings } from '../kinds/redact.ts';
import { type Key, parseAddress } from '../model/address.ts';
import { type Failure, failure } from '../model/failure.ts';
import { isArray, isObject, type Json, type JsonObject, mapMembers, own } from '../model/json.ts';
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

/**
 * The changes that an apply made, or may have made. Throws a Failure for a result with impossible objects: result files
 * are untrusted.
 */
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
function wasMade({ kind, record: { outcome, before, after, requests } }: Undo): boolean {
  switch (outcome) {
    case 'done':
    case 'unknown':
      return true;
    case 'failed':
      // A request that was accepted may have changed the name, or what a result does not record.
      if (requests.some(({ status }) => status !== null && status >= 200 && status < 300)) return true;
      return before === null || after === null
        ? before !== after
        : changedFields(kind, before, after).length > 0;
    case 'skipped':
    case 'notAttempted':
      return false;
  }
}

/** The names of the fields that differ between two recorded states of an object; fields that one lacks do not count. */
export function changedFields(kind: Kind, before: JsonObject, after: JsonObject): string[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const [old, next] = [own(before, name), own(after, name)];
    if (old === undefined || next === undefined) return [];
    return sameValue(field, old, next) ? [] : [name];
  });
}

/** Fields with only those members of a map of settings that a result records: it leaves out what was not its concern. */
export function keepRecorded(kind: Kind, fields: JsonObject, { before, after }: ChangeResult): JsonObject {
  return mapMembers(fields, (value, name) => {
    const sides = [before, after].map((side) => (side ? own(side, name) : undefined));
    return isMapOfSettings(fieldNamed(kind, name)) ? keepMembers(value, sides) : value;
  });
}

function keepMembers(value: Json, sides: readonly (Json | undefined)[]): Json {
  const recorded = sides.filter(isObject);
  if (!isObject(value) || recorded.length === 0) return value;
  return mapMembers(value, (item, name) => {
    const inner = recorded.map((side) => own(side, name));
    return inner.every((side) => side === undefined) ? undefined : keepMembers(item, inner);
  });
}

/** Fields without the places that a result left out. */
export function omitPlaces(fields: JsonObject, places: readonly Pointer[], at: Pointer = ''): JsonObject {
  return mapMembers(fields, (value, name) => omit(value, `${at}${pointer(name)}`, places));
}

function omit(value: Json, at: Pointer, places: readonly Pointer[]): Json | undefined {
  if (places.includes(at)) return undefined;
  if (isArray(value)) return value.map((item, index) => omit(item, `${at}${pointer(index)}`, places) ?? null);
  return isObject(value) ? omitPlaces(value, places, at) : value;
}

function invalid(why: string): Failure {
  return failure('result-invalid', `This result cannot be undone: ${why}.`, {
    hint: 'A result file is what `tenantctl apply --result FILE` writes.',
  });
}
