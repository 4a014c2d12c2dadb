import type { Json } from '../model/json.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { looksSecret, namesSecret } from '../model/sensitive.ts';
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
  if (typeof value !== 'string' || value === '' || !holdsSettings(kind, at)) return false;
  return segmentsOf(at).length === 1 || namesSecret(value);
}

function holdsSettings(kind: Kind, at: Pointer): boolean {
  const [name = ''] = segmentsOf(at);
  const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
  return field?.is === 'json' && field.pairs === true;
}
