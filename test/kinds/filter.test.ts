import { expect, it } from 'vitest';
import { eq, isIn } from '../../src/kinds/http.ts';

it.each([
  ['plain', '"plain"'],
  ['a "b"', '"a \\"b\\""'],
  ['a\\', '"a\\\\"'],
  ['\\" or name pr "', '"\\\\\\" or name pr \\""'],
])('no value breaks out of a filter: %j', (value, quoted) => {
  expect(eq('name', value)).toBe(`name eq ${quoted}`);
  expect(isIn('name', [value, 'b'])).toBe(`name in (${quoted},"b")`);
});
