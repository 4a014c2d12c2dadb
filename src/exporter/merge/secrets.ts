import { isArray, isObject, type Json } from '../../model/json.ts';
import { secretName } from '../../model/marker.ts';

/** The names of the secrets that declared fields hold. */
export function secretsIn(value: Json): string[] {
  const name = secretName(value);
  if (name !== null) return [name];
  if (isArray(value)) return value.flatMap(secretsIn);
  return isObject(value) ? Object.values(value).flatMap(secretsIn) : [];
}
