import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignItems } from '../../src/exporter/merge-document.ts';

/** A range in which two lists differ. */
interface Gap {
  readonly from: number;
  to: number;
  readonly liveFrom: number;
  liveTo: number;
}

/** The ranges in which the pairs are not of equal items, last range first. */
function findGaps(declared: readonly string[], live: readonly string[]): Gap[] {
  const gaps: Gap[] = [];
  let [at, liveAt, isInGap] = [0, 0, false];
  for (const [one, other] of alignItems(declared, live)) {
    const isEqual = one !== null && other !== null && declared[one] === live[other];
    if (!isEqual && !isInGap) gaps.unshift({ from: at, to: at, liveFrom: liveAt, liveTo: liveAt });
    isInGap = !isEqual;
    if (one !== null) at += 1;
    if (other !== null) liveAt += 1;
    const [gap] = gaps;
    if (gap && isInGap) [gap.to, gap.liveTo] = [at, liveAt];
  }
  expect([at, liveAt]).toEqual([declared.length, live.length]);
  return gaps;
}

describe('the gaps between two lists', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });

  it('hold what differs, and nothing else', () => {
    fc.assert(
      fc.property(items, items, (declared, live) => {
        const gaps = findGaps(declared, live);
        expect(gaps.map(({ from }) => from)).toEqual(gaps.map(({ from }) => from).toSorted((a, b) => b - a));
        for (const { from, to, liveFrom, liveTo } of gaps)
          expect(to - from + liveTo - liveFrom).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, string, number[][]]>([
    ['', '', []],
    ['abc', 'abc', []],
    ['abc', 'ac', [[1, 2, 1, 1]]],
    ['ac', 'abc', [[1, 1, 1, 2]]],
    ['abc', 'axc', [[1, 2, 1, 2]]],
    ['abc', '', [[0, 3, 0, 0]]],
    ['', 'abc', [[0, 0, 0, 3]]],
    [
      'abcd',
      'xbcy',
      [
        [3, 4, 3, 4],
        [0, 1, 0, 1],
      ],
    ],
    [
      'abcde',
      'bxd',
      [
        [4, 5, 3, 3],
        [2, 3, 1, 2],
        [0, 1, 0, 0],
      ],
    ],
    ['aab', 'ab', [[1, 2, 1, 1]]],
    ['ab', 'aab', [[1, 1, 1, 2]]],
    ['abcab', 'cab', [[0, 2, 0, 0]]],
  ])('%j to %j', (declared, live, expected) => {
    const gaps = findGaps([...declared], [...live]);
    expect(gaps.map(({ from, to, liveFrom, liveTo }) => [from, to, liveFrom, liveTo])).toEqual(expected);
  });

  it('leave as many items alone as possible', () => {
    const untouched = (declared: string, live: string) =>
      declared.length - findGaps([...declared], [...live]).reduce((sum, { from, to }) => sum + to - from, 0);
    expect(untouched('xaybzc', 'abc')).toBe(3);
    expect(untouched('abcbdab', 'bdcaba')).toBe(4);
    expect(untouched('abcdef', 'defabc')).toBe(3);
  });

  it('of long lists are one, between a common beginning and end', () => {
    const long = (mark: string) => [
      'first',
      ...Array.from({ length: 1001 }, (_, at) => `${mark}${at}`),
      'last',
    ];
    expect(findGaps(long('a'), long('b'))).toEqual([{ from: 1, to: 1002, liveFrom: 1, liveTo: 1002 }]);
  });
});
