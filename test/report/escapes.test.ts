import { describe, expect, it } from 'vitest';
import { renderSearch } from '../../src/commands/search.ts';
import { zoneLine } from '../../src/commands/status.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { html } from '../../src/report/html/markup.ts';
import {
  codeBlock,
  codeSpan,
  disarm,
  escapeHtml,
  escapeMarkdown,
  oneLine,
  printable,
  quoteHtml,
  safeJson,
  uriPath,
} from '../../src/report/safe.ts';
import { change, difference, outcome, plain, plan, render, result } from './fixtures.ts';
import { commandsIn } from './hostile.ts';

/** What a spreadsheet, a zone file, a browser or GitHub reads in the texts of a tenant. */

describe('CSV', () => {
  const cells = (...values: readonly string[]) => {
    const profiles = values.map((name): JsonObject => ({ id: '1', name }));
    const text = renderSearch({ label: 'S', rules: 'saved', profiles, more: false }, 'csv', plain);
    const [, ...lines] = text.split('\r\n');
    return lines.slice(0, values.length).map((line) => line.replace(/^1,,/, '').replace(/,,$/, ''));
  };

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-x', "'-x"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['|cmd', "'|cmd"],
    [' =1+1', "' =1+1"],
    ['   @x', "'   @x"],
    ['\u00a0=1', "'\u00a0=1"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠x', "'＠x"],
  ])('never makes a formula of %j', (value, cell) => expect(cells(value)).toEqual([cell]));

  it.each([
    ['\t=1', `"'\t=1"`],
    ['\nx', `"'\nx"`],
    ['=1,2', `"'=1,2"`],
    ['="a"', `"'=""a"""`],
  ])('quotes what it has to guard: %j', (value, cell) => expect(cells(value)[0]).toBe(cell));

  it.each(['7', '-7', '3.14', '-0.5', 'plain', 'a=b', 'x-y', '1-2', '#x'])('leaves %j as it is', (value) =>
    expect(cells(value)).toEqual([value]),
  );

  it.each(['a,b', 'a;b', 'a"b', ' a', 'a ', 'a\tb'])('quotes %j', (value) =>
    expect(cells(value)).toEqual([`"${value.replaceAll('"', '""')}"`]),
  );

  it.each(['-1x', '--1', '-', '-1.', '-.5', '-1=2'])('takes %j for no number', (value) =>
    expect(cells(value)).toEqual([`'${value}`]),
  );
});

describe('a zone file', () => {
  const txt = (value: string) => zoneLine({ type: 'TXT', name: 'a.example', value }).replace(/^.* TXT /, '');

  it('has strings of at most 255 bytes, counted before they are escaped', () => {
    const x = (count: number) => 'x'.repeat(count);
    expect(txt(x(255))).toBe(`"${x(255)}"`);
    expect(txt(x(256))).toBe(`"${x(255)}" "x"`);
    expect(txt(x(510))).toBe(`"${x(255)}" "${x(255)}"`);
    expect(txt(x(511))).toBe(`"${x(255)}" "${x(255)}" "x"`);
    expect(txt('')).toBe('""');
    expect(txt('"'.repeat(255))).toBe(`"${'\\"'.repeat(255)}"`);
    expect(txt('ä'.repeat(128)).split(' ')).toHaveLength(2);
  });

  it('escapes what would end a string', () => {
    expect(txt('a"b\\c')).toBe('"a\\"b\\\\c"');
    expect(txt('a\nb\u007f')).toBe('"a\\010b\\127"');
    expect(txt('ä')).toBe('"\\195\\164"');
    expect(txt('a;b ~')).toBe('"a;b ~"');
  });

  it('holds no command to a CI system', () =>
    expect(commandsIn(txt('v=spf1 ##[add-mask]x ##vso[task.complete]'))).toEqual([]));
});

describe('HTML', () => {
  it('escapes every sign that ends a text or an attribute in either quotes', () => {
    expect(escapeHtml(`<a title="x" id='y'>&amp;`)).toBe(
      '&lt;a title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;',
    );
    expect(quoteHtml(`'"<>&`)).toBe('&#39;&quot;&lt;&gt;&amp;');
    expect(String(html`<p title='${"' onclick='x"}'>${['<', html`<b>${1}</b>`]}</p>`)).toBe(
      "<p title='&#39; onclick=&#39;x'>&lt;<b>1</b></p>",
    );
  });

  it('leaves encoded what is another name than it looks like, and decodes the rest', () => {
    const keys = ['Caf%C3%A9 noir', 'Cafe%CC%81', 'Help%20', '%EF%AC%81le'];
    const changes = keys.map((key) => change({ address: `SimIntegration/${key}`, action: 'delete' }));
    const page = render(plan(changes), 'html');
    const shown = [
      ...page.matchAll(/<summary>[^<]*<span class="badge.*?<code class="address">(.*?)<\/code>/gs),
    ];
    expect(shown.map(([, code = '']) => code.replace(/<[^>]*>/g, ''))).toEqual(
      ['Café noir', 'Cafe%CC%81', 'Help%20', '%EF%AC%81le'].map((name) => `SimIntegration/${name}`),
    );
  });

  it('shows the fields of a change only where it was made', () => {
    const fields = { before: { subject: 'apple' }, after: { subject: 'zebra' } };
    const page = (made: 'done' | 'failed' | 'unknown' | 'skipped' | 'notAttempted') =>
      render(
        result([outcome({ address: 'SenderAddress/a', outcome: made, ...fields, error: null })]),
        'html',
      );
    expect(page('done')).toContain('zebra');
    for (const made of ['failed', 'unknown', 'skipped', 'notAttempted'] as const) {
      expect(page(made)).not.toContain('zebra');
      expect(page(made)).toContain(`badge ${made}`);
    }
  });

  it('opens what failed or is unknown, and says so at the top', () => {
    const page = (made: 'done' | 'failed' | 'unknown', run: 'done' | 'partial') =>
      render(
        result([outcome({ address: 'SenderAddress/a', outcome: made, error: 'because' })], { outcome: run }),
        'html',
      );
    const isOpen = /<details[^>]* open/;
    expect(page('failed', 'partial')).toMatch(isOpen);
    expect(page('unknown', 'partial')).toMatch(isOpen);
    expect(page('done', 'done')).not.toMatch(isOpen);
    expect(page('failed', 'partial')).toContain('<li class="danger">because</li>');
    expect(page('done', 'done')).toContain('<li class="warning">because</li>');
  });
});

describe('Markdown', () => {
  const linked = (file: string) =>
    render(
      plan([
        change({
          address: 'SenderAddress/a',
          action: 'update',
          source: { file, line: 3 },
          diff: [difference('/a', 'x', 'y')],
        }),
      ]),
      'markdown',
      { sourceUrl: 'https://host.example/blob/a b<c>d/{file}#L{line}' },
    );

  it('keeps a link together, whatever stands in it', () => {
    const target = 'https://host.example/blob/a%20b%3Cc%3Ed/';
    expect(linked('config/x.yaml')).toContain(`](<${target}config/x.yaml#L3>)`);
    expect(linked('config/x>) [y](https:z.yaml')).toContain(
      `](<${target}config/x%3E)%20%5By%5D(https%3Az.yaml#L3>)`,
    );
    expect(linked('$&/{line}.yaml')).toContain(`](<${target}%24%26/%7Bline%7D.yaml#L3>)`);
  });

  it.each([
    ['a > b < c & d', 'a &gt; b &lt; c &amp; d'],
    ['1. x', '1\\. x'],
    ['- x', '\\- x'],
    ['  + x', '\\+ x'],
    ['[x](y)', '\\[x\\]\\(y\\)'],
    ['*a* _b_ `c` ~d~ |e| $f$ !g #1', '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\|e\\| \\$f\\$ \\!g \\#&#8203;1'],
    ['@team', '@&#8203;team'],
    ['https://x.example', 'https:&#8203;//x.example'],
    ['www.x.example', 'www&#8203;.x.example'],
    ['GH-1', 'GH&#8203;-1'],
    ['1) item', '1\\) item'],
    ['===', '\\==='],
  ])('makes no markup of %j', (text, expected) => expect(escapeMarkdown(text)).toBe(expected));
});

it.each([
  ['a b/c.yaml', 'a%20b/c.yaml'],
  ['a\\b', 'a/b'],
  ['\ud800x', '%EF%BF%BDx'],
  ['a?b#c', 'a%3Fb%23c'],
])('the path %j in a link is %s', (file, expected) => expect(uriPath(file)).toBe(expected));

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

  it('does not take a joiner between letters for emoji', () =>
    expect(printable('pay\u200dpal')).toBe('pay<U+200D>pal'));

  it.each([
    ['help@\u0430cme.example', 'help@<U+0430>cme.example'],
    ['https://p\u0430yp\u0430l.example', 'https://p<U+0430>yp<U+0430>l.example'],
    ['\u03bfkta', '<U+03BF>kta'],
    ['g\u043e\u0308gle', 'g<U+043E>\u0308gle'],
    ['g\u2c9fogle', 'g<U+2C9F>ogle'],
    ['\ua4d0ANK', '<U+A4D0>ANK'],
    ['\u0251cme', '<U+0251>cme'],
  ])('shows the letters of another script in the Latin word %j', (text, shown) =>
    expect(printable(text)).toBe(shown),
  );

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

  it('puts text on one line where asked', () => expect(oneLine('a\nb\tc')).toBe('a␊b⇥c'));
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

describe('code in Markdown', () =>
  it('is fenced with more backticks than it holds', () => {
    expect(codeSpan('a``b')).toBe('```a``b```');
    expect(codeSpan('`a`')).toBe('`` `a` ``');
    expect(codeSpan('a`')).toBe('`` a` ``');
    expect(codeSpan(' ')).toBe('`   `');
    expect(codeBlock('x\n````\ny', 'diff')).toBe('`````diff\nx\n````\ny\n`````');
  }));
