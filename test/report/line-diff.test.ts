import { describe, expect, it } from 'vitest';
import { diffInline, diffLines, type LineDiff, shorten, signedLines } from '../../src/report/line-diff.ts';

/** A diff as text, without the number of its first line: `[…]` around words that differ. */
const draw = (diff: LineDiff): string[] =>
  signedLines(diff)
    .map(({ sign, parts }) => {
      const texts = parts.map(({ text, changed }) => (changed ? `[${text}]` : text));
      return `${sign}${texts.join('')}`;
    })
    .slice(1);

const gapsOf = ({ blocks }: LineDiff): number[][] =>
  blocks.filter(({ is }) => is === 'gap').map(({ after }) => after.map(({ number }) => number));

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('diffLines', () => {
  it('keeps three equal lines around a change and marks the words', () => {
    const before = numbered(9);
    const after = before.with(4, 'line five');
    const diff = diffLines(before.join('\n'), after.join('\n'));
    expect(gapsOf(diff)).toEqual([[1], [9]]);
    expect(draw(diff)).toEqual([
      ' line 2',
      ' line 3',
      ' line 4',
      '-line [5]',
      '+line [five]',
      ' line 6',
      ' line 7',
      ' line 8',
    ]);
  });

  it('makes hunks of changes that are far apart, with the right line numbers', () => {
    const before = numbered(20);
    const after = ['new', ...before.with(18, 'changed')];
    const diff = diffLines(before.join('\n'), after.join('\n'));
    expect(draw(diff).filter((line) => line.startsWith('@'))).toEqual(['@line 17']);
    const last = diff.blocks.findLast(({ is }) => is === 'changed');
    expect([last?.before[0]?.number, last?.after[0]?.number]).toEqual([19, 20]);
    expect(gapsOf(diff)).toEqual([Array.from({ length: 12 }, (_, at) => at + 5)]);
  });

  it('notes line endings where nothing else differs, instead of showing every line', () => {
    const diff = diffLines('a\r\nb\r\n', 'a\nb\n');
    expect(diff).toMatchObject({ blocks: [], notes: ['only line endings differ'], hidden: 0 });
    expect(draw(diffLines('a\r\nb\r\n', 'a\nc\n'))).toEqual([' a', '-b', '+c']);
    // A return alone is in a line, and does not end it.
    expect(diffLines('a\rb', 'a\nb\n').notes).toEqual([]);
  });

  it('shows trailing blanks and a missing last line break', () => {
    expect(draw(diffLines('same\n', 'same \t\u00a0\n'))).toEqual(['-same', '+same[·⇥<U+00A0>]']);
    expect(draw(diffLines('a\nb\n', 'a\nb'))).toEqual([' a', '-b', '+b[ (no line break at the end)]']);
  });

  it('shows blanks within a line where only blanks differ', () =>
    expect(draw(diffLines('a b\n', 'a  b\n'))).toEqual(['-a[·]b', '+a[··]b']));

  it('cuts to the lines wanted and counts the rest', () => {
    const diff = shorten(diffLines(null, numbered(50).join('\n')), 10);
    expect(draw(diff)).toHaveLength(10);
    expect(diff.hidden).toBe(40);
  });

  it('shows both sides of a change that is cut', () => {
    const changed = numbered(50).map((line) => `${line}!`);
    const diff = shorten(diffLines(numbered(50).join('\n'), changed.join('\n')), 10);
    expect(draw(diff).filter((line) => line.startsWith('-'))).toHaveLength(5);
    expect(draw(diff).filter((line) => line.startsWith('+'))).toHaveLength(5);
    expect(diff.hidden).toBe(90);
  });

  it.each([
    ['👩🏽\u200d💻 Hi all', '👩🏽 Hi all', '-[👩🏽\u200d💻] Hi all', '+[👩🏽] Hi all'],
    [
      'Hi all 👨\u200d👩\u200d👧',
      'Hi all 👨\u200d👩\u200d👦',
      '-Hi all [👨\u200d👩\u200d👧]',
      '+Hi all [👨\u200d👩\u200d👦]',
    ],
    ['Hi all 🇩🇪', 'Hi all 🇩🇰', '-Hi all [🇩🇪]', '+Hi all [🇩🇰]'],
    ['Hi cafe\u0301 x', 'Hi cafe\u0300 x', '-Hi [cafe\u0301] x', '+Hi [cafe\u0300] x'],
  ])('marks %s as a whole beside %s', (old, fresh, ...drawn) =>
    expect(draw(diffLines(old, fresh))).toEqual(drawn),
  );

  it('halves no emoji where it cuts', () => {
    const long = `xy${'😀'.repeat(100)}xy`;
    const [shortened = ''] = draw(diffLines(`old ${long} old`, `new ${long} new`));
    const [endless = ''] = draw(diffLines(null, `x${'😀'.repeat(3000)}`));
    expect(shortened).toMatch(/xy(?:😀)+ … (?:😀)+xy/u);
    expect(endless).toMatch(/x(?:😀)+ … \(\d+ characters more\)$/u);
    // Both begin with the same half, and end with the same half.
    for (const [one, other] of ['😀😁', '😀\u{1f200}'].map((pair) => [...pair])) {
      const word = (emoji = '') => `${'a'.repeat(110_000)}${emoji}${'b'.repeat(110_000)}`;
      expect(
        draw(diffLines(word(one), word(other)))
          .join('')
          .isWellFormed(),
      ).toBe(true);
    }
  });

  it('marks words that are far apart in an e-mail of one line', () => {
    const cells = numbered(9000).map((line) => `<td>${line}</td>`);
    const mail = (second: string, last: string) => cells.with(2, second).with(8990, last).join('');
    const drawn = draw(
      diffLines(mail('<td>old</td>', '<td>late</td>'), mail('<td>new</td>', '<td>later</td>')),
    );
    expect(drawn).toHaveLength(2);
    expect(drawn[0]).toMatch(/^-.*<td>\[old\]<.*<td>\[late\]<.*$/);
    expect(drawn[1]).toMatch(/^\+.*<td>\[new\]<.*<td>\[later\]<.*$/);
    expect(drawn.join('').length).toBeLessThan(1500);
  });

  it('shortens the equal parts of a long line, and lines that are endless', () => {
    const filler = 'x '.repeat(500);
    const [old = ''] = draw(diffLines(`${filler}old ${filler}`, `${filler}new ${filler}`));
    expect(old).toContain('[old]');
    expect(old.length).toBeLessThan(400);
    const [endless = ''] = draw(diffLines(null, 'y'.repeat(1_000_000)));
    expect(endless).toMatch(/\(\d+ characters more\)$/);
    expect(endless.length).toBeLessThan(5000);
  });

  it.each([
    ['is longer than lines that are compared by word', 'x '.repeat(12_000), 1],
    ['has many words that differ', 'x '.repeat(3000), 500],
  ])('shows what differs far behind the beginning of a line that %s', (_, filler, count) => {
    const line = (word: string) => `${filler}${`${word} `.repeat(count)}${filler}`;
    const drawn = draw(diffLines(line('acme.example'), line('bcme.example')));
    expect(drawn).toEqual([expect.stringMatching(/x \[a/), expect.stringMatching(/x \[b/)]);
    expect(drawn.join('').length).toBeLessThan(10_000);
  });

  it('shows what is added at either end of such a line, and splits no character', () => {
    const long = '😀'.repeat(15_000);
    expect(draw(diffLines(`${long}😁`, `${long}😂`))).toEqual([
      expect.stringMatching(/… (?:😀)+\[😁\]$/u),
      expect.stringMatching(/… (?:😀)+\[😂\]$/u),
    ]);
    expect(draw(diffLines(long, `${long} evil`))[1]).toMatch(/\[ evil\]$/);
    expect(draw(diffLines(long, `evil ${long}`))[1]).toMatch(/^\+\[evil \]😀/u);
  });

  it('copes with texts that share nothing', () => {
    const before = Array.from({ length: 5000 }, (_, index) => `a${index}`).join('\n');
    const after = Array.from({ length: 5000 }, (_, index) => `b${index}`).join('\n');
    expect(shorten(diffLines(before, after), 20).hidden).toBe(9980);
  });
});

describe('texts that look the same', () => {
  it.each([
    ['an own accent', 'caf\u00e9 noir\n', 'cafe\u0301 noir\n', '-[caf<U+00E9>] noir', '+[cafe<U+0301>] noir'],
    ['a ligature', 'the \ufb01le\n', 'the file\n', /-the \[<U\+FB01>le\]/, '+the [file]'],
    ['an emoji of another form', 'I \u2764 it\n', 'I \u2764\ufe0f it\n', /<U\+2764>/, /<U\+FE0F>/],
    ['nothing else', '\u00e9\n', 'e\u0301\n', /-\[?<U\+00E9>\]?$/, /\+\[?e\]?\[?<U\+0301>\]?$/],
  ])('are told apart: %s', (_name, before, after, old, fresh) => {
    const matching = (text: string | RegExp) =>
      typeof text === 'string' ? text : expect.stringMatching(text);
    expect(draw(diffLines(before, after))).toEqual([matching(old), matching(fresh)]);
    const [oldParts, freshParts] = diffInline(before.trimEnd(), after.trimEnd());
    const text = (parts: typeof oldParts) => (parts ?? []).map((part) => part.text).join('');
    expect(text(oldParts)).not.toBe(text(freshParts).normalize('NFKC'));
    expect(`${text(oldParts)}${text(freshParts)}`).toMatch(/<U\+/);
  });

  it('are told apart by a sign for blanks at their end', () => {
    const [old, fresh] = diffInline('"Help"', '"Help "');
    expect(old).toEqual([expect.objectContaining({ text: '"Help' }), expect.objectContaining({ text: '"' })]);
    expect(fresh?.map(({ text }) => text).join('')).toBe('"Help·"');
  });

  it('are left as they are where they differ otherwise', () =>
    expect(draw(diffLines('caf\u00e9 noir\n', 'caf\u00e9 blanc\n'))).toEqual([
      '-café [noir]',
      '+café [blanc]',
    ]));
});
