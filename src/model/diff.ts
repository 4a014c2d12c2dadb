import type { Diff } from '../generated/schemas/diff.ts';

export type { Diff } from '../generated/schemas/diff.ts';

export type DiffSide = Diff['sides'][number];

/** An object that differs, or that only one of the sides has. */
export type DiffObject = Diff['objects'][number];

export type SideDifference = DiffObject['diff'][number];

/** Values that could not be compared do not count. */
export function differs({ objects }: Pick<Diff, 'objects'>): boolean {
  return objects.length > 0;
}
