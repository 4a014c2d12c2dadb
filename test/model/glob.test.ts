import { expect, it } from 'vitest';
import { slowGlob } from '../../src/model/glob.ts';

it.each([10, 12, 30])(
  'a glob of %i pairs of empty braces is slow: each doubles the ways to match',
  (pairs) => {
    expect(slowGlob(`config/${'{,}'.repeat(pairs)}*.yaml`)?.code).toBe('slow-glob');
    expect(slowGlob(`config/${'(|)'.repeat(pairs)}*.yaml`)?.code).toBe('slow-glob');
    expect(slowGlob(`config/${'?(a)'.repeat(pairs)}.yaml`)?.code).toBe('slow-glob');
  },
);

it('a glob is slow that is longer than any name', () => {
  expect([4096, 4097].map((length) => slowGlob('a'.repeat(length)) !== null)).toEqual([false, true]);
});

it.each(['config/**/*.{yaml,yml,YAML,YML}', '{eu,us,ap}-{prod,test,dev}-{a,b,c,d}/**', 'x/{,}{,}{,}*'])(
  'a glob that people write is not: %s',
  (glob) => {
    expect(slowGlob(glob)).toBeNull();
  },
);
