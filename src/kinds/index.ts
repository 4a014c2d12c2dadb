import type { Kind } from './kind.ts';

/** Every kind, in the order in which an apply writes them; deletes go the other way. */
export const kinds: readonly Kind[] = [];

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** The kind of that name, or `undefined`. */
export function findKind(name: string): Kind | undefined {
  return byName.get(name);
}
