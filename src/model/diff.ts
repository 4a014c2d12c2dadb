import type { Diff } from '../generated/schemas/diff.ts';

export type { Diff } from '../generated/schemas/diff.ts';

/** The format of `diff --format json`; schemas/diff.schema.json describes it. */
export const diffFormat = 1;

/** One of the two sides of a diff. */
export type DiffSide = Diff['sides'][number];

/** An object that differs, or that only one of the sides has. */
export interface DiffObject {
  readonly address: Address;
  readonly kind: string;
  readonly key: Key;
  readonly in: 'both' | 'first' | 'second';
  /** The place in a manifest that declares it, on the second side or else on the first. */
  readonly source: Change['source'];
  /** Empty if only one of the sides has the object. */
  readonly diff: readonly SideDifference[];
}

/** The values of an object that one of the sides does not show, or whose secret is not set. */
export type NotCompared = Diff['notComparable'][number];
export type DiffSummary = Diff['summary'];

/** Values that could not be compared do not count. */
export function differs({ objects }: Pick<Diff, 'objects'>): boolean {
  return objects.length > 0;
}
