import { isArray, isObject, type Json, type JsonObject, mapMembers, own, sameJson } from '../model/json.ts';
import { literalOf, liveMarker, livePlace, secretName } from '../model/marker.ts';
import type { Difference } from '../model/plan.ts';
import { type Pointer, placesOf, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { FieldDifference } from './compare.ts';
import { credentialPlaces } from './credentials.ts';
import { overlay, readableFields } from './field.ts';
import { readJsonText } from './jsontext.ts';
import { type Field, fieldNamed, type Kind, type LiveObject } from './kind.ts';

/** Whether the value at a place of an object is itself secret; the places below it are checked separately. */
export type IsSensitive = (at: Pointer, value: Json) => boolean;

/** What decides which values of an object are sensitive. */
export interface Disclosure {
  /** The places that the manifest, the tenant or the plan marks. */
  readonly marked: readonly Pointer[];
  /** What the manifest declares of the object, with JSON in text parsed. */
  readonly declared: JsonObject;
  /** The values that may be shown: a place that holds a credential in one of them is sensitive in all. */
  readonly values: readonly JsonObject[];
}

/**
 * Sensitive are values that a manifest declares with `!secret`, values that the tenant hides, and what looks like a
 * credential. Of a map of settings everything that the manifest does not declare is sensitive too: such settings belong to
 * another system, and no name says what they hold.
 */
export function sensitivePlaces(kind: Kind, { marked, declared, values }: Disclosure): IsSensitive {
  const inItems = new Set(marked.map(generalizeIndexes));
  const places = new Set(values.flatMap((fields) => credentialPlaces(kind, fields)));
  return (at, value) =>
    value !== null &&
    (isBelow(inItems, generalizeIndexes(at)) ||
      isBelow(places, at) ||
      isUndeclared(kind, at, value, declared));
}

/** What must not be shown of an object. A field that is hidden as a whole is not secret, only not shown. */
export function sensitiveIn(kind: Kind, live: LiveObject | null, declared: JsonObject): IsSensitive {
  const hiddenMembers = (live?.hidden ?? []).filter((at) => segmentsOf(at).length > 1);
  const current = readableFields(kind, live?.fields ?? {});
  return sensitivePlaces(kind, {
    marked: [...secretPlaces(declared), ...hiddenMembers],
    declared,
    values: [current, withDeclared(kind, declared, current)],
  });
}

/** The fields with what a manifest declares of them: one may have the name in a pair, and the other its value. */
export function withDeclared(kind: Kind, declared: JsonObject, fields: JsonObject): JsonObject {
  const wanted = mapMembers(declared, (value, name) => {
    const field = fieldNamed(kind, name);
    // Text that was not parsed may hold anything.
    return field && typeof value !== 'string' ? overlay(field, value, own(fields, name)) : value;
  });
  return { ...fields, ...wanted };
}

/** Whether the members of a field are settings that manifests declare one by one. */
export function isMapOfSettings(field: Field | undefined): boolean {
  return field?.is === 'json' && field.declares === 'members' && field.settings === true;
}

/** Whether one of the places is `at` or above it. */
function isBelow(places: ReadonlySet<Pointer>, at: Pointer): boolean {
  for (let end = at.length; end > 0; end = at.lastIndexOf('/', end - 1)) {
    if (places.has(at.slice(0, end))) return true;
  }
  return false;
}

/**
 * The place with `*` for each index. A secret in one item of a list is secret in all items, at every depth: the live list
 * may have another order and other items. A name made of digits counts as an index.
 */
export function generalizeIndexes(at: Pointer): Pointer {
  return at.replaceAll(/\/\d+(?=\/|$)/g, '/*');
}

/** Whether a text, number or boolean is one of the settings that the manifest leaves out. */
function isUndeclared(kind: Kind, at: Pointer, value: Json, declared: JsonObject): boolean {
  if (typeof value === 'object' || !isMapOfSettings(fieldNamed(kind, segmentsOf(at)[0] ?? ''))) return false;
  const wanted = valueInside(declared, at);
  return wanted === undefined || (wanted !== null && typeof wanted === 'object');
}

/** The value at a place, also inside JSON text. */
function valueInside(value: Json, at: Pointer): Json | undefined {
  return segmentsOf(at).reduce<Json | undefined>(
    (outer, name) => (outer === undefined ? undefined : valueAt(readJsonText(outer), pointer(name))),
    value,
  );
}

/**
 * `value` without sensitive values: all plans and results redact secrets with this function.
 *
 * @param replace returns the replacement of a sensitive value; `undefined` leaves the member out
 * @returns `undefined` where the value itself is left out
 */
export function redact(
  value: Json,
  at: Pointer,
  isSensitive: IsSensitive,
  replace: (at: Pointer) => Json | undefined = () => redacted,
): Json | undefined {
  const below = (item: Json, step: string | number) =>
    redact(item, `${at}${pointer(step)}`, isSensitive, replace);
  if (value === redacted || isSensitive(at, value)) return replace(at);
  if (typeof value === 'string') return holdsSensitive(value, at, isSensitive) ? replace(at) : value;
  if (isArray(value)) return value.map((item, index) => below(item, index) ?? null);
  return isObject(value) ? mapMembers(value, below) : value;
}

/** Whether a text is JSON with a sensitive value in it. */
function holdsSensitive(text: string, at: Pointer, isSensitive: IsSensitive): boolean {
  const inner = readJsonText(text);
  return typeof inner !== 'string' && containsSensitive(inner, at, isSensitive);
}

function containsSensitive(value: Json, at: Pointer, isSensitive: IsSensitive): boolean {
  return !sameJson(redact(value, at, isSensitive) ?? null, value);
}

/** A difference as a plan shows it. */
export function redactDifference(entry: FieldDifference, isSensitive: IsSensitive): Difference {
  const { path, before, after } = entry;
  if ([before, after].some((value) => value !== null && isSensitive(path, value))) {
    return { ...entry, before: null, after: null, sensitive: true, origin: null };
  }
  return {
    ...entry,
    before: redact(before, path, isSensitive) ?? null,
    after: redact(after, path, isSensitive) ?? null,
    sensitive: false,
    origin: null,
  };
}

/**
 * The fields of a write, with a marker for each sensitive value that stays as it is. Such a value is read again just
 * before sending, so that a plan never contains it.
 *
 * @param fields declared fields over live ones
 * @param live the object's fields, with JSON in text parsed
 */
export function markUnchanged(fields: JsonObject, live: JsonObject, isSensitive: IsSensitive): JsonObject {
  const mark = (value: Json, at: Pointer): Json => {
    const current = valueAt(live, at) ?? null;
    if (secretName(value) !== null || livePlace(value) !== null || current === null) return value;
    const given = literalOf(value) ?? value;
    const isSame = sameJson(given, current);
    if (isSame && isSensitive(at, current)) return liveMarker(at);
    if (given !== value || typeof value === 'string') {
      return isSame && containsSensitive(current, at, isSensitive) ? liveMarker(at) : value;
    }
    if (isArray(value)) return value.map((item, index) => mark(item, `${at}${pointer(index)}`));
    return isObject(value) ? markMembers(value, at) : value;
  };
  const markMembers = (members: JsonObject, at: Pointer): JsonObject =>
    mapMembers(members, (item, name) => mark(item, `${at}${pointer(name)}`));
  return markMembers(fields, '');
}

/** Pointers to the secret markers in declared fields, and to the values that they leave as they are. */
export function secretPlaces(value: Json): Pointer[] {
  return placesOf(value, (part) => secretName(part) !== null || livePlace(part) !== null);
}
