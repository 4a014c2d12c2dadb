import { isArray, isObject, type Json } from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { looksSecret, namesSecret } from '../model/sensitive.ts';
import { readJsonText } from './jsontext.ts';
import type { Kind } from './kind.ts';

/**
 * Whether the value at `at` goes by a credential's name though nobody marked it: only among the settings of another
 * system, since in other fields `key` and `token` are words like any other.
 */
export function looksSecretPlace(kind: Kind, at: Pointer): boolean {
  const [, ...members] = segmentsOf(at);
  return holdsSettings(kind, at) && members.some(looksSecret);
}

/**
 * The same for what a text says: a credential in a URL's query, or in settings written as text. Settings that cannot be
 * read at all may hold anything.
 */
export function looksSecretText(kind: Kind, at: Pointer, value: Json): boolean {
  return holdsSettings(kind, at) && isSecretText(at, value);
}

function isSecretText(at: Pointer, value: Json): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return !at.includes('/', 1) || namesSecret(value);
}

function holdsSettings(kind: Kind, at: Pointer): boolean {
  const [name = ''] = segmentsOf(at);
  const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
  return field?.is === 'json' && field.pairs === true;
}

/**
 * The texts, numbers and truth values below `value` that a plan conceals though nobody marked them. A marker stands for
 * a value, and is none.
 */
export function unmarkedSecrets(kind: Kind, value: Json): Pointer[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, settings]) => {
    const at = pointer(name);
    return holdsSettings(kind, at) ? unmarkedBelow(settings, at, false) : [];
  });
}

/** @param isSecret whether a name on the way to the value is that of a credential */
function unmarkedBelow(value: Json, at: Pointer, isSecret: boolean): Pointer[] {
  if (value === null || secretName(value) !== null || lookupOf(value) !== null) return [];
  if (isArray(value)) {
    return value.flatMap((item, index) => unmarkedBelow(item, `${at}${pointer(index)}`, isSecret));
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, item]) =>
      unmarkedBelow(item, `${at}${pointer(name)}`, isSecret || looksSecret(name)),
    );
  }
  if (isSecret || isSecretText(at, value)) return [at];
  const inner = readJsonText(value);
  return inner !== value && unmarkedBelow(inner, at, false).length > 0 ? [at] : [];
}
