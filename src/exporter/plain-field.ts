import { dropNulls } from '../kinds/compare.ts';
import { chooseSynonym, comparable, isUnordered } from '../kinds/field.ts';
import type { Field, LiveObject } from '../kinds/kind.ts';
import type { Member, Printable } from '../loader/print.ts';
import { unresolved } from '../loader/tree.ts';
import { isArray, isObject, type Json, own, pick } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { isWritableKey } from './print-json.ts';
import { lookupsFor, type NameOf, type NameSources, refsFor } from './reference-lookups.ts';

/** What is known of the tenant whose objects are drafted. */
export interface DraftContext extends NameSources {
  /** Left out: only ids are known. */
  nameOf?: NameOf;
  /** The vendor's default of an object; `null` where there is none. Left out: none is known. */
  standardOf?(object: LiveObject): LiveObject | null;
}

/** Whether the value is that of a new object, so that a manifest need not mention it. */
export function isUnset(field: Field, value: Json | undefined): boolean {
  return comparable(field, value) === null;
}

/** What declares that a field has no value. */
export const clearedValue = (field: Field): Printable => (isUnordered(field) ? [] : null);

/**
 * The live value of a field that does not hold JSON, in full and without a side file: `null` where it is unset,
 * `undefined` where no manifest can hold it.
 */
export function draftPlainField(
  name: string,
  field: Field,
  object: LiveObject,
  context: DraftContext,
): Printable | undefined {
  const shown = own(object.fields, name) ?? null;
  const value = chooseSynonym(field, shown);
  if (isUnset(field, value)) return clearedValue(field);
  const named = new Map([...lookupsFor(object, context), ...refsFor(name, field, shown, context.nameOf)]);
  return draftPlainValue(declarableIn(field, value), pointer(name), named);
}

/** A value without what no manifest may declare, and without what is not compared: null in a reference or record. */
function declarableIn(field: Field, value: Json): Json {
  if (field.is === 'reference') return pickReference(value);
  if (!isArray(value)) return value;
  if (field.is === 'references') return value.map(pickReference);
  return field.is === 'records' ? value.map((item) => (isObject(item) ? dropNulls(item) : item)) : value;
}

function pickReference(value: Json): Json {
  if (!isObject(value)) return value;
  return dropNulls(pick(value, ['type', 'name', 'id']));
}

/** The tenant's value, with a `!lookup` in place of each id that has one; `undefined` where it cannot be written. */
function draftPlainValue(
  value: Json,
  at: Pointer,
  lookups: ReadonlyMap<Pointer, Printable>,
): Printable | undefined {
  const lookup = lookups.get(at);
  if (lookup !== undefined) return lookup;
  if (isArray(value)) {
    const items = value.map((item, index) => draftPlainValue(item, `${at}${pointer(index)}`, lookups));
    const printed = items.filter((item) => item !== undefined);
    return printed.length < items.length ? undefined : printed;
  }
  if (!isObject(value))
    return value === unresolved || (typeof value === 'number' && !Number.isFinite(value)) ? undefined : value;
  const members: Member[] = [];
  for (const [name, item] of Object.entries(value)) {
    const printed = isWritableKey(name) ? draftPlainValue(item, `${at}${pointer(name)}`, lookups) : undefined;
    if (printed === undefined) return undefined;
    members.push([name, printed]);
  }
  return { members };
}
