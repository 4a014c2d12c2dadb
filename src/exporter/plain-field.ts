import { comparable, isUnordered, preferred } from '../kinds/field.ts';
import type { Field, LiveObject } from '../kinds/kind.ts';
import type { Member, Printable } from '../loader/print.ts';
import { unresolved } from '../loader/tree.ts';
import { isArray, isObject, type Json, own } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { isWritableKey } from './print-json.ts';
import { lookupsFor, type NameOf, type Records, referencesFor } from './reference-lookups.ts';

/** What is known of the tenant whose objects are drafted. */
export interface DraftContext {
  readonly settings: ApiSettings;
  /** Rows of the collections that lookups may name. */
  readonly records: Records;
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
  const { settings, records } = context;
  const shown = own(object.fields, name) ?? null;
  const value = preferred(field, shown);
  if (isUnset(field, value)) return clearedValue(field);
  const named = new Map([
    ...lookupsFor(object, settings, records),
    ...referencesFor(name, field, shown, context.nameOf),
  ]);
  return draftPlainValue(declarableIn(field, value), pointer(name), named) ?? undefined;
}

/** A value without what no manifest may declare: tenants may show more members of a reference. */
function declarableIn(field: Field, value: Json): Json {
  if (field.is === 'reference') return pickReference(value);
  return field.is === 'references' && isArray(value) ? value.map(pickReference) : value;
}

function pickReference(value: Json): Json {
  if (!isObject(value)) return value;
  const { type = null, name = null, id = null } = value;
  return { type, name, id };
}

/** The tenant's value, with a `!lookup` in place of each id that has one; `null` where it cannot be written. */
function draftPlainValue(
  value: Json,
  at: Pointer,
  lookups: ReadonlyMap<Pointer, Printable>,
): Printable | null {
  const lookup = lookups.get(at);
  if (lookup !== undefined) return lookup;
  if (isArray(value)) {
    const items = value.map((item, index) => draftPlainValue(item, `${at}${pointer(index)}`, lookups));
    return items.includes(null) ? null : items;
  }
  if (!isObject(value))
    return value === unresolved || (typeof value === 'number' && !Number.isFinite(value)) ? null : value;
  const members: Member[] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue;
    const printed = isWritableKey(name) ? draftPlainValue(item, `${at}${pointer(name)}`, lookups) : null;
    if (printed === null) return null;
    members.push([name, printed]);
  }
  return { members };
}
