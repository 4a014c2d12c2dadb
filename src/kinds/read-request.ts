import type { Key } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Kind, LiveObject } from './kind.ts';

export interface ReadRequest {
  readonly kind: Kind;
  readonly keys: readonly Key[];
  readonly ids: readonly string[];
  /** The ids that stand in for names, and so are among the keys. */
  readonly idsAsNames?: readonly string[];
  /** Whether all objects of the kind are needed, declared or not. */
  readonly complete: boolean;
  /** The keys that two objects may share: they are only referred to, and their users have to notice. */
  readonly allowsDuplicates?: readonly Key[];
  /** Just written: then the object's own call may be used. Objects whose fingerprints are compared are always read the same way. */
  readonly written?: boolean;
  /** Called if the tenant refuses the key, answers about another object, or has several. Left out: then reading fails. */
  onUnusable?(object: Pick<LiveObject, 'kind' | 'key'>, why: string): void;
}

export function allOf(kind: Kind): ReadRequest {
  return { kind, keys: [], ids: [], complete: true };
}

export function someOf(kind: Kind, keys: readonly Key[]): ReadRequest {
  return { kind, keys, ids: [], complete: false };
}

/** The requests for the vendor's defaults of these objects. Most kinds have none. */
export function defaultsOf(objects: readonly Pick<LiveObject, 'kind' | 'key'>[]): ReadRequest[] {
  const withDefaults = objects.filter(({ kind }) => kind.read.defaults);
  return groupBy(withDefaults, ({ kind }) => kind).map(([kind, same]) =>
    someOf(
      kind,
      same.map(({ key }) => key),
    ),
  );
}
