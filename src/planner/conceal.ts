import { readJsonText } from '../kinds/jsontext.ts';
import type { Kind } from '../kinds/kind.ts';
import { looksSecretPlace, looksSecretText } from '../kinds/secret-place.ts';
import { isArray, isObject, type Json, type JsonObject, objectFrom, sameJson } from '../model/json.ts';
import { literalOf, liveMarker, livePlace, secretName } from '../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { concealed } from '../model/sensitive.ts';

/** Tells which places of one object hold secrets, as far as this tells without looking into what is below. */
export type IsSensitive = (at: Pointer, value: Json) => boolean;

/**
 * Sensitive is what a manifest declares with `!secret`, what the tenant conceals, and what goes by a
 * credential's name though nobody marked it. Settings of another system that cannot be read may hold anything.
 */
export function sensitivePlaces(kind: Kind, marked: readonly Pointer[]): IsSensitive {
  const places = marked.map((place) => inAnyItem(kind, place));
  return (at, value) =>
    places.some((place) => isWithin(inAnyItem(kind, at), place)) ||
    looksSecretPlace(kind, at) ||
    looksSecretText(kind, at, value);
}

/** What is secret in one item of a list is in all: the live list has another order, and items of its own. */
function inAnyItem(kind: Kind, at: Pointer): Pointer {
  const [name = '', index, ...below] = segmentsOf(at);
  const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
  const isList = field?.is === 'set' || field?.is === 'records';
  return isList && index !== undefined ? pointer(name, '*', ...below) : at;
}

/** `value` with everything sensitive in it replaced by `concealed`. */
export function conceal(value: Json, at: Pointer, isSensitive: IsSensitive): Json {
  if (value !== null && isSensitive(at, value)) return concealed;
  if (isArray(value)) return value.map((item, index) => conceal(item, `${at}${pointer(index)}`, isSensitive));
  if (typeof value === 'string') return holdsSensitive(value, at, isSensitive) ? concealed : value;
  if (!isObject(value) || secretName(value) !== null) return value;
  return objectFrom(
    Object.entries(value).map(([name, item]) => [name, conceal(item, `${at}${pointer(name)}`, isSensitive)]),
  );
}

/**
 * The fields of a write, in which whatever is sensitive and stays as it is stands as a marker: it is read again just
 * before sending, so that a plan never holds it.
 *
 * @param fields declared fields over live ones
 * @param live the object's fields, JSON in text taken apart
 */
export function keepUnshown(fields: JsonObject, live: JsonObject, isSensitive: IsSensitive): JsonObject {
  const keep = (value: Json, at: Pointer): Json => {
    const current = valueAt(live, at) ?? null;
    if (secretName(value) !== null || livePlace(value) !== null || current === null) return value;
    const given = literalOf(value) ?? value;
    if (sameJson(given, current) && isSensitive(at, current)) return liveMarker(at);
    if (given !== value || typeof value === 'string') {
      const isOpen = sameJson(conceal(current, at, isSensitive), current);
      return isOpen || !sameJson(given, current) ? value : liveMarker(at);
    }
    if (isArray(value)) return value.map((item, index) => keep(item, `${at}${pointer(index)}`));
    return isObject(value) ? keepMembers(value, at) : value;
  };
  const keepMembers = (members: JsonObject, at: Pointer): JsonObject =>
    objectFrom(Object.entries(members).map(([name, item]) => [name, keep(item, `${at}${pointer(name)}`)]));
  return keepMembers(fields, '');
}

/** Pointers to every secret marker inside declared fields, and to what they leave as the tenant has it. */
export function secretPlaces(value: Json, at: Pointer = ''): Pointer[] {
  if (secretName(value) !== null || livePlace(value) !== null) return [at];
  if (isArray(value)) return value.flatMap((item, index) => secretPlaces(item, `${at}${pointer(index)}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => secretPlaces(item, `${at}${pointer(name)}`));
}

/** Whether a text is JSON with something sensitive in it. */
function holdsSensitive(text: string, at: Pointer, isSensitive: IsSensitive): boolean {
  const inner = readJsonText(text);
  return typeof inner !== 'string' && !sameJson(conceal(inner, at, isSensitive), inner);
}
