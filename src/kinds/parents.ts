import type { Key } from '../model/address.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind, Parent } from './kind.ts';

interface Above {
  readonly id: string;
  readonly part: string;
}

export function partFor(key: Key): string {
  return key.length === 1 ? (key[0] ?? '') : key.map(encodeURIComponent).join('/');
}

export function parentKey({ kind }: Parent, [part = '']: Key): Key {
  return kind.keyFields.length === 1 ? [part] : part.split('/').map(decodeURIComponent);
}

/** An answer of the tenant with its parent, which answers do not name. */
export function placeBelow(
  { parent }: Pick<Kind, 'parent'>,
  answer: JsonObject,
  above: Above | null,
): JsonObject {
  return parent && above ? { ...answer, [parent.part]: { ...above } } : answer;
}

/**
 * The ids in the path of an object: its parent's, if the kind has one, and its own, unless it is a single object. They are encoded,
 * with a slash between them.
 */
export function pathIds(
  parent: unknown,
  id: string,
): readonly [above: string | undefined, get: string | undefined] {
  if (!parent) return [undefined, id];
  const [above, own] = id.split('/').map(decodeURIComponent);
  return [above, own];
}

export function ownId({ parent }: Pick<Kind, 'parent'>, id: string): string {
  return pathIds(parent, id)[1] ?? id;
}
