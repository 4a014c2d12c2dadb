import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { layout, padTo, row, span, widthOf } from '../../src/report/layout.ts';

const narrow = { colour: false, width: 20 };

describe('the width of a text', () => {
  it('is what string-width says, for each character below U+3000', () => {
    const characters = Array.from({ length: 0x3000 - 0x20 }, (_, at) => String.fromCodePoint(at + 0x20));
    expect(characters.filter((one) => widthOf(one) !== stringWidth(one))).toEqual([]);
    for (const text of ['→ ⚠️ é', 'e\u0301→', '↔\ufe0f', '漢字 → ✔'])
      expect(widthOf(text)).toBe(stringWidth(text));
  });
});

describe('layout', () => {
  it('wraps at blanks and goes on further in', () => {
    expect(layout([row(2, span('one two three four five six'))], narrow)).toBe(
      '  one two three four\n    five six\n',
    );
  });

  it('counts wide characters as two columns', () => {
    const lines = layout([row(0, span('漢字'.repeat(12)))], narrow)
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(20);
    expect(lines.map((line) => line.trim()).join('')).toBe('漢字'.repeat(12));
  });

  it('breaks words that fit on no line, and loses nothing', () => {
    const part = 'abcdefghijklmnopqr';
    expect(layout([row(0, span('~ '), span(part.repeat(2)), span('s'))], narrow)).toBe(
      `~ ${part}\n  ${part}\n  s\n`,
    );
  });

  it('leaves an accent with its letter at the end of a line', () => {
    const word = `${'a'.repeat(20)}\u0301${'b'.repeat(5)}`;
    expect(layout([row(0, span(word))], narrow)).toBe(`${word.slice(0, 21)}\n  bbbbb\n`);
  });

  it('keeps the indentation of lines that are wrapped', () => {
    expect(layout([row(0, span('- '), span('    <p>Hello there, Ada</p>'))], narrow)).toBe(
      '-     <p>Hello\n  there, Ada</p>\n',
    );
  });

  it('colours only where wanted', () => {
    expect(layout([row(0, span('x', 'red', 'bold'))], { colour: true, width: 80 })).toBe(
      '\u001b[31m\u001b[1mx\u001b[22m\u001b[39m\n',
    );
    expect(layout([row(0, span('x', 'red'))], narrow)).toBe('x\n');
  });

  it('pads by what the terminal shows', () => {
    expect(padTo('漢', 4)).toBe('漢  ');
  });
});
