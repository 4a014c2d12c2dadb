/** Which items of a list stay where they are when the tenant has another list. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeFile } from './merging.ts';
import { integration } from './support.ts';

/** The merged items, each with the number of the declared item in whose place it stands; new ones have none. */
function mergedItems(declared: readonly string[], live: readonly string[]): string[] {
  const written = declared.map((item, at) => `    - ${item} # ${at}\n`).join('');
  const manifest = `kind: SimIntegration\nname: I\nstatusMap:\n  list:\n${written}`;
  const merged = mergeFile(manifest, integration('I', { statusMap: { list: live } }));
  return [...merged.matchAll(/- (\w+)(?: # (\d+))?/g)].map(([, item = '', at = '']) => item + at);
}

it.each([
  ['abc', 'abc', 'a0 b1 c2'],
  ['abc', 'ac', 'a0 c2'],
  ['ac', 'abc', 'a0 b c1'],
  ['abc', 'axc', 'a0 x1 c2'],
  ['abc', '', ''],
  ['abcd', 'xbcz', 'x0 b1 c2 z3'],
  ['abcde', 'bxd', 'b1 x2 d3'],
  ['aab', 'ab', 'a0 b2'],
  ['ab', 'aab', 'a0 a b1'],
  ['abcab', 'cab', 'c2 a3 b4'],
  // As many as possible stay.
  ['xaybzc', 'abc', 'a1 b3 c5'],
  // The others go, and come again.
  ['abcbdab', 'bdcaba', 'b1 d4 c a5 b6 a'],
  ['abcdef', 'defabc', 'd3 e4 f5 a b c'],
])('%j becomes %j: %s', (declared, live, expected) => {
  expect(mergedItems([...declared], [...live]).join(' ')).toBe(expected);
});

it('between a common beginning and end, each item takes the place of one', () => {
  const long = (mark: string) => ['first', ...Array.from({ length: 40 }, (_, at) => mark + at), 'last'];
  const [declared, live] = [long('a'), long('b')];
  expect(mergedItems(declared, live)).toEqual(live.map((item, at) => item + at));
});

it('all are those of the tenant, in its order', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(items, items, (declared, live) => {
      expect(mergedItems(declared, live).map((item) => item[0])).toEqual(live);
    }),
  );
});
