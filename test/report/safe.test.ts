import { describe, expect, it } from 'vitest';
import { codeBlock, codeSpan, disarm, oneLine, printable, safeJson } from '../../src/report/safe.ts';

describe('printable', () => {
  it('shows terminal escapes, control characters and bidirectional overrides as signs', () => {
    expect(printable('a\u001b[31mb\u009b2Jc\u0000\u007f')).toBe('a␛[31mb<U+009B>2Jc␀␡');
    expect(printable('x\u202egpj.exe\u2066\ufeff\u200b')).toBe('x<U+202E>gpj.exe<U+2066><U+FEFF><U+200B>');
    expect(printable('a\rb\u2028c\ud800d')).toBe('a␍b<U+2028>c<U+D800>d');
  });

  it('shows each control character, also where all other signs are letters', () => {
    const codes = [...Array(0x20).keys(), 0x7f].filter((code) => ![0x09, 0x0a].includes(code));
    for (const char of codes.map((code) => String.fromCharCode(code)))
      expect(printable(`a${char}b`)).toMatch(/^a[\u2400-\u2421]b$/);
  });

  it.each([...'\u3164\uffa0\u115f\u034f\u2800\ufe01\ufe0f\u{e0100}\u{e0041}\ufdd0'])(
    'shows %j, which is no control character but invisible too',
    (char) => {
      const sign = `<U+${char.codePointAt(0)?.toString(16).toUpperCase()}>`.replace('+34F', '+034F');
      expect(printable(`admin${char}`)).toBe(`admin${sign}`);
    },
  );

  it('keeps one selector of an emoji, and none that follow it', () => {
    expect(printable('❤\ufe0f\ufe0f')).toBe('❤\ufe0f<U+FE0F>');
    expect(printable('❤\u{e0100}')).toBe('❤<U+E0100>');
  });

  it('leaves text of all scripts, line feeds, tabs and emoji alone', () => {
    const text = 'Grüße\n\t你好 עברית 👩‍💻 👨🏽‍🚀 ❤\ufe0f ✈\ufe0e 1\ufe0f\u20e3 e\u0301';
    expect(printable(text)).toBe(text);
  });

  it('does not take a joiner between letters for emoji', () => {
    expect(printable('pay\u200dpal')).toBe('pay<U+200D>pal');
  });

  it.each([
    ['help@\u0430cme.example', 'help@<U+0430>cme.example'],
    ['https://p\u0430yp\u0430l.example', 'https://p<U+0430>yp<U+0430>l.example'],
    ['\u03bfkta', '<U+03BF>kta'],
    ['g\u043e\u0308gle', 'g<U+043E>\u0308gle'],
    ['g\u2c9fogle', 'g<U+2C9F>ogle'],
    ['\ua4d0ANK', '<U+A4D0>ANK'],
    ['\u0251cme', '<U+0251>cme'],
  ])('shows the letters of another script in the Latin word %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each(['\u2044', '\u2215', '\u2236', '\u2571', '\u29f8', '\ua789'])(
    'shows that %s after a host is no slash or colon',
    (sign) => {
      const code = sign.codePointAt(0)?.toString(16).toUpperCase();
      const shown = `https://acme.example<U+${code}>login.other.example/`;
      expect(printable(`https://acme.example${sign}login.other.example/`)).toBe(shown);
      expect(printable(`1${sign}2, \u8def${sign}\u5f84`)).toBe(`1${sign}2, \u8def${sign}\u5f84`);
    },
  );

  it('leaves words of one script alone, beside others and after an escape of JSON', () => {
    const text = 'Проект IT-отдел, $name, <b>Имя</b> user@почта.рф "\\nПривет\\tΔ" µm Straße';
    expect(printable(text)).toBe(text);
  });

  it('puts text on one line where asked', () => {
    expect(oneLine('a\nb\tc')).toBe('a␊b⇥c');
  });
});

describe('commands to CI systems', () => {
  it.each([
    ['::add-mask::x', '<U+003A>:add-mask::x'],
    ['a\n \t::error file=x::y', 'a\n \t<U+003A>:error file=x::y'],
    ['a ##[error]b', 'a <U+0023>#[error]b'],
    ['##vso[task.complete]', '<U+0023>#vso[task.complete]'],
    ['####[x]', '##<U+0023>#[x]'],
    ['section_start:1:x', '<U+0073>ection_start:1:x'],
  ])('%j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(disarm(text)).toBe(shown);
  });

  it('leaves what no CI system obeys alone', () => {
    const text = 'std::vector ## [x] #[y] a :: b\nfe80::1\n### Heading\nsection_one: ##';
    expect(printable(text)).toBe(text);
  });
});

describe('safeJson', () => {
  it('holds no command to a CI system, and stays the same value', () => {
    const value = { '##[error]': ['::add-mask::x', '##vso[x]', 'section_end:1:x'] };
    const text = safeJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/##\w*\[|section_end|^\s*::/m);
  });

  it('stays the same value and holds nothing a terminal obeys', () => {
    const value = { a: 'x\u001b[0m\u009b1m\u202e\u2028', b: ['\u{e0041}', '\ud800'] };
    const text = safeJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/[\p{Cf}\p{Zl}]|[^\P{Cc}\n]/u);
  });
});

describe('code in Markdown', () => {
  it('is fenced with more backticks than it holds', () => {
    expect(codeSpan('a``b')).toBe('```a``b```');
    expect(codeSpan('`a`')).toBe('`` `a` ``');
    expect(codeSpan('a`')).toBe('`` a` ``');
    expect(codeSpan(' ')).toBe('`   `');
    expect(codeBlock('x\n````\ny', 'diff')).toBe('`````diff\nx\n````\ny\n`````');
  });
});
