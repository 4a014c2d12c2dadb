import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './documents.ts';

const { terminalPicture } = await import(join(root, 'scripts/docs/terminal.mjs'));

test('text stays text, in its column and colour', () => {
  const picture: string = terminalPicture('$ run', 'plain  \u001b[31mred <b> & ü\u001b[39m end');
  expect(picture).toMatch(/<tspan x="22" [^>]*>plain<\/tspan>/);
  // Seven columns of 8.4 units behind the margin.
  expect(picture).toMatch(/<tspan x="80\.8" [^>]*fill="#ff7b72"[^>]*>red &lt;b&gt; &amp; ü<\/tspan>/);
  expect(picture).not.toContain('\u001b');
});

test('a code that nobody has drawn yet is told, not lost', () => {
  expect(() => terminalPicture('$ run', '\u001b[5mblink')).toThrow('code 5');
});

test("the README's picture is a picture of the program's words", () => {
  const picture = readFileSync(join(root, 'docs/images/plan.svg'), 'utf8');
  for (const words of ['$ tenantctl plan', 'Plan for sandbox', 'SENDS E-MAIL', '(sensitive)', 'Digest: ']) {
    expect(picture).toContain(words);
  }
});
