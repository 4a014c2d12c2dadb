import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { looksSecret } from '../model/sensitive.ts';
import type { Kind } from './kind.ts';

/**
 * Whether the value at `at` goes by a credential's name though nobody marked it: only among the settings of another
 * system, since in other fields `key` and `token` are words like any other.
 */
export function looksSecretPlace(kind: Kind, at: Pointer): boolean {
  const [name = '', ...members] = segmentsOf(at);
  const field = kind.fields[name];
  return field?.is === 'json' && field.pairs === true && members.some(looksSecret);
}
