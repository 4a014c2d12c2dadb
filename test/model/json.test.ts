import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type Json, sameJson } from '../../src/model/json.ts';
import { runs } from '../support/effort.ts';

/** Small values of few names, so that two of them are often equal or nearly so. */
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<Json>(null, true, false, 0, 1, '', 'a', '1', 'null') },
    { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 2 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'length'), tie('json'), { maxKeys: 2 }),
    },
  ),
}));

test('values are the same where their canonical texts are', () => {
  let equal = 0;
  fc.assert(
    fc.property(json, json, (one, other) => {
      const isEqual = canonicalJson(one) === canonicalJson(other);
      expect(sameJson(one, other)).toBe(isEqual);
      if (isEqual && typeof one === 'object' && one !== null) equal += 1;
    }),
    { numRuns: runs(5000) },
  );
  expect(equal).toBeGreaterThan(0);
});

test('a value is the same as one with its names in another order', () => {
  expect(sameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({ a: null }, { b: null })).toBe(false);
});
