/** What a spreadsheet, a zone file, a browser or GitHub reads in the texts of a tenant. */
import { describe, expect, it } from 'vitest';
import { renderSearch } from '../../src/commands/search.ts';
import { zoneLine } from '../../src/commands/status.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { html } from '../../src/report/html/markup.ts';
import { escapeHtml, escapeMarkdown, quoteHtml, uriPath } from '../../src/report/safe.ts';
import { change, difference, outcome, plain, plan, render, result } from './fixtures.ts';
import { commandsIn } from './hostile.ts';

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
  ])('never makes a formula of %j', (value, cell) => {
    expect(cells(value)).toEqual([cell]);
  });

  it.each([
    ['\t=1', `"'\t=1"`],
    ['\nx', `"'\nx"`],
    ['=1,2', `"'=1,2"`],
    ['="a"', `"'=""a"""`],
  ])('quotes what it has to guard: %j', (value, cell) => {
    expect(cells(value)[0]).toBe(cell);
  });

  it.each(['7', '-7', '3.14', '-0.5', 'plain', 'a=b', 'x-y', '1-2', '#x'])('leaves %j as it is', (value) => {
    expect(cells(value)).toEqual([value]);
  });

  it.each(['a,b', 'a;b', 'a"b', ' a', 'a ', 'a\tb'])('quotes %j', (value) => {
    expect(cells(value)).toEqual([`"${value.replaceAll('"', '""')}"`]);
  });

  it.each(['-1x', '--1', '-', '-1.', '-.5', '-1=2'])('takes %j for no number', (value) => {
    expect(cells(value)).toEqual([`'${value}`]);
  });
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

  it('holds no command to a CI system', () => {
    expect(commandsIn(txt('v=spf1 ##[add-mask]x ##vso[task.complete]'))).toEqual([]);
  });
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
        result([outcome({ address: 'SenderAddress/a', outcome: made, error: 'because' })], {
          outcome: run,
        }),
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
  ])('makes no markup of %j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});

it.each([
  ['a b/c.yaml', 'a%20b/c.yaml'],
  ['a\\b', 'a/b'],
  ['\ud800x', '%EF%BF%BDx'],
  ['a?b#c', 'a%3Fb%23c'],
])('the path %j in a link is %s', (file, expected) => {
  expect(uriPath(file)).toBe(expected);
});
