import { isArray, isObject, type Json, type JsonObject, mapMembers, sameJson } from '../model/json.ts';
import { literalOf, liveMarker, livePlace, lookupOf, secretName } from '../model/marker.ts';
import { isWithin, type Pointer, placesIn, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { looksSecret, namesSecret, redacted } from '../model/sensitive.ts';
import { readJsonText } from './jsontext.ts';
import { fieldNamed, type Kind } from './kind.ts';

/** Whether the value at a place of an object is itself secret; the places below it are checked separately. */
export type IsSensitive = (at: Pointer, value: Json) => boolean;

/**
 * Sensitive are values that a manifest declares with `!secret`, values that the tenant hides, and values that are named
 * like a credential. Settings of another system that cannot be parsed are sensitive too: they may contain anything.
 *
 * @param marked the places that the manifest, the tenant or the plan marks
 */
export function sensitivePlaces(kind: Kind, marked: readonly Pointer[]): IsSensitive {
  const places = marked.map((place) => inAnyItem(kind, place));
  return (at, value) =>
    value !== null &&
    (places.some((place) => isWithin(inAnyItem(kind, at), place)) ||
      isCredentialPlace(kind, at) ||
      (holdsSettings(kind, at) && isCredentialText(at, value)));
}

/** A secret in one item of a list is secret in all items: the live list has another order and other items. */
function inAnyItem(kind: Kind, at: Pointer): Pointer {
  const [name = '', index, ...below] = segmentsOf(at);
  const field = fieldNamed(kind, name);
  const isList = field?.is === 'set' || field?.is === 'records';
  return isList && index !== undefined ? pointer(name, '*', ...below) : at;
}

/** Names of credentials count only among the settings of another system: elsewhere `key` and `token` are ordinary words. */
function isCredentialPlace(kind: Kind, at: Pointer): boolean {
  const [, ...members] = segmentsOf(at);
  return holdsSettings(kind, at) && members.some(looksSecret);
}

/** Whether a text has a credential in a URL's query or among settings, or is settings that cannot be parsed. */
function isCredentialText(at: Pointer, value: Json): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return !at.includes('/', 1) || namesSecret(value);
}

function holdsSettings(kind: Kind, at: Pointer): boolean {
  const field = fieldNamed(kind, segmentsOf(at)[0] ?? '');
  return field?.is === 'json' && field.pairs === true;
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
  if (!isObject(value) || secretName(value) !== null) return value;
  return mapMembers(value, below);
}

/** Whether a text is JSON with a sensitive value in it. */
function holdsSensitive(text: string, at: Pointer, isSensitive: IsSensitive): boolean {
  const inner = readJsonText(text);
  return typeof inner !== 'string' && containsSensitive(inner, at, isSensitive);
}

function containsSensitive(value: Json, at: Pointer, isSensitive: IsSensitive): boolean {
  return !sameJson(redact(value, at, isSensitive) ?? null, value);
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
export function secretPlaces(value: Json, at: Pointer = ''): Pointer[] {
  if (secretName(value) !== null || livePlace(value) !== null) return [at];
  return placesIn(value, at).flatMap(([place, item]) => secretPlaces(item, place));
}

/**
 * The places of texts, numbers and booleans in declared fields that a plan redacts although they are not marked.
 */
export function unmarkedSecrets(kind: Kind, fields: JsonObject): Pointer[] {
  const settings = placesIn(fields, '').filter(([at]) => holdsSettings(kind, at));
  return settings.flatMap(([at, value]) => unmarkedBelow(value, at, false));
}

/** @param isSecret whether a name above the value is that of a credential */
function unmarkedBelow(value: Json, at: Pointer, isSecret: boolean): Pointer[] {
  if (value === null || secretName(value) !== null || lookupOf(value) !== null) return [];
  if (typeof value === 'object') {
    return placesIn(value, at).flatMap(([place, item]) =>
      unmarkedBelow(item, place, isSecret || looksSecret(segmentsOf(place).at(-1) ?? '')),
    );
  }
  if (isSecret || isCredentialText(at, value)) return [at];
  const inner = readJsonText(value);
  return inner !== value && unmarkedBelow(inner, at, false).length > 0 ? [at] : [];
}
