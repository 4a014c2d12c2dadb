import type { Diff, DiffObject } from '../model/diff.ts';
import { countIs, joinParts } from './words.ts';

/** The sign of each sort of object, and of the values of the sides. */
export const diffSymbols: Readonly<Record<DiffObject['in'], string>> = { both: '~', first: '-', second: '+' };

/** `2 differ, 1 only in test, 3 only in production` */
export function diffCounts(objects: readonly DiffObject[], { sides: [first, second] }: Diff): string {
  const count = (where: DiffObject['in']) => objects.filter((object) => object.in === where).length;
  const [differing, onlyFirst, onlySecond] = [count('both'), count('first'), count('second')];
  return joinParts(
    [
      differing > 0 && differWords(differing),
      onlyFirst > 0 && `${onlyFirst} only in ${first.name}`,
      onlySecond > 0 && `${onlySecond} only in ${second.name}`,
    ],
    ', ',
  );
}

const differWords = (count: number): string => `${count} ${count === 1 ? 'differs' : 'differ'}`;

/** `2 differ, 1 only in test, 0 only in production, 40 equal` */
export function diffSummaryWords({ summary, sides: [first, second] }: Diff): string {
  const { differing, onlyFirst, onlySecond, equal } = summary;
  return `${differWords(differing)}, ${onlyFirst} only in ${first.name}, ${onlySecond} only in ${second.name}, ${equal} equal`;
}

/** What a diff without differences says. */
export function noDifferences({ summary: { equal }, sides: [first, second] }: Diff): string {
  if (equal === 0) return `No differences: there is nothing to compare in ${first.name} and ${second.name}.`;
  return `No differences: ${countIs(equal, 'object')} equal in ${first.name} and ${second.name}.`;
}

/** What an object is, in words. */
export function whereWords({ in: where }: Pick<DiffObject, 'in'>, { sides: [first, second] }: Diff): string {
  switch (where) {
    case 'both':
      return 'differs';
    case 'first':
      return `only in ${first.name}`;
    case 'second':
      return `only in ${second.name}`;
  }
}

export const notComparedWords = 'a side does not show it, or its secret is not set';
