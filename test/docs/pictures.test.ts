import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './documents.ts';

const { terminalPicture } = await import(join(root, 'scripts/docs/terminal.mjs'));
const { recording } = await import(join(root, 'scripts/docs/recording.mjs'));
const { commentPage } = await import(join(root, 'scripts/docs/comment.mjs'));

test('text stays text, in its column and colour', () => {
  const picture: string = terminalPicture('$ run', 'plain  \u001b[31mred <b> & ü\u001b[39m end');
  expect(picture).toMatch(/<tspan x="22" [^>]*>plain<\/tspan>/);
  // Seven columns of 8.4 units behind the margin.
  expect(picture).toMatch(/<tspan x="80\.8" [^>]*fill="#ff7b72"[^>]*>red &lt;b&gt; &amp; ü<\/tspan>/);
  expect(picture).not.toContain('\u001b');
});

test('a code that nobody has drawn yet is told, not lost', () =>
  expect(() => terminalPicture('$ run', '\u001b[5mblink')).toThrow('code 5'));

test('a recording has every line once, types commands, and stands still with reduced motion', () => {
  const steps = [
    {
      command: 'tenantctl plan',
      output: `${Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')}\n`,
    },
    { command: 'tenantctl apply <file>', output: '\u001b[32mdone\u001b[39m\n' },
  ];
  const picture: string = recording(steps, 'A session');
  for (const words of [
    '>line 0<',
    '>line 29<',
    '>$ tenantctl plan<',
    '>$ tenantctl apply &lt;file&gt;<',
    '>done<',
  ])
    expect(picture.split(words), words).toHaveLength(2);
  const [, still = ''] = picture.split('@media (prefers-reduced-motion: reduce)');
  expect(still).toContain('animation: none');
  expect(picture).not.toMatch(/infinite|https?:(?!\/\/www\.w3\.org)/);
});

test('a comment is shown with its colours, and what looks like markup in a difference as text', () => {
  const page: string = commentPage('### tenantctl plan\n\n```diff\n- <b>old</b>\n+ new\n```\n');
  expect(page).toContain('<h3>tenantctl plan</h3>');
  expect(page).toContain('<span class="del">- &lt;b>old&lt;/b></span><span class="add">+ new</span>');
});

test("the README's picture is a picture of the program's words", () => {
  const picture = readFileSync(join(root, 'docs/images/plan.svg'), 'utf8');
  for (const words of ['$ tenantctl plan', 'Plan for sandbox', 'SENDS E-MAIL', '(sensitive)', 'Digest: '])
    expect(picture).toContain(words);
  const session = readFileSync(join(root, 'docs/images/session.svg'), 'utf8');
  for (const words of ['$ tenantctl validate', '$ tenantctl apply --yes', 'No changes. The tenant matches'])
    expect(session).toContain(words);
});
