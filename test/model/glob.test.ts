import { expect, it } from 'vitest';
import { isSlowGlob } from '../../src/model/glob.ts';

it.each([10, 12, 30])(
  'a glob of %i pairs of empty braces is slow: each doubles the ways to match',
  (pairs) => {
    expect(isSlowGlob(`config/${'{,}'.repeat(pairs)}*.yaml`)).toBe(true);
    expect(isSlowGlob(`config/${'(|)'.repeat(pairs)}*.yaml`)).toBe(true);
    expect(isSlowGlob(`config/${'?(a)'.repeat(pairs)}.yaml`)).toBe(true);
  },
);

it('a glob is slow that is longer than any name', () => {
  expect([4096, 4097].map((length) => isSlowGlob('a'.repeat(length)))).toEqual([false, true]);
});

it.each(['config/**/*.{yaml,yml,YAML,YML}', '{eu,us,ap}-{prod,test,dev}-{a,b,c,d}/**', 'x/{,}{,}{,}*'])(
  'a glob that people write is not: %s',
  (glob) => {
    expect(isSlowGlob(glob)).toBe(false);
  },
);
