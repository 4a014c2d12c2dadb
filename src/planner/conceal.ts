import type { Kind } from '../kinds/kind.ts';
import { looksSecretPlace } from '../kinds/secret-place.ts';
import { isArray, isObject, type Json, objectFrom } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { isWithin, type Pointer, pointer } from '../model/pointer.ts';
import { concealed } from '../model/sensitive.ts';

/** Tells which places of one object hold secrets. */
export type IsSensitive = (at: Pointer) => boolean;

/**
 * Sensitive is what a manifest declares with `!secret`, what the tenant conceals, and what goes by a
 * credential's name though nobody marked it.
 */
export function sensitivePlaces(kind: Kind, marked: readonly Pointer[]): IsSensitive {
  return (at) => marked.some((place) => isWithin(at, place)) || looksSecretPlace(kind, at);
}

/** `value` with everything sensitive in it replaced by `concealed`. */
export function conceal(value: Json, at: Pointer, isSensitive: IsSensitive): Json {
  if (value !== null && isSensitive(at)) return concealed;
  if (isArray(value)) return value.map((item, index) => conceal(item, `${at}${pointer(index)}`, isSensitive));
  if (!isObject(value) || secretName(value) !== null) return value;
  return objectFrom(
    Object.entries(value).map(([name, item]) => [name, conceal(item, `${at}${pointer(name)}`, isSensitive)]),
  );
}

/** Pointers to every secret marker inside declared fields. */
export function secretPlaces(value: Json, at: Pointer = ''): Pointer[] {
  if (secretName(value) !== null) return [at];
  if (isArray(value)) return value.flatMap((item, index) => secretPlaces(item, `${at}${pointer(index)}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => secretPlaces(item, `${at}${pointer(name)}`));
}
