import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Impact, Plan } from '../../src/model/documents.ts';
import { layout, padTo, row, span, widthOf } from '../../src/report/layout.ts';
import type { Format } from '../../src/report/report.ts';
import {
  change,
  difference,
  fleet,
  localesOf,
  lockout,
  outcome,
  plan,
  render,
  result,
  senderDelete,
  update,
} from './fixtures.ts';

const narrow = { colour: false, width: 20 };

describe('the width of a text', () =>
  it('is what string-width says, for each character below U+3000', () => {
    const characters = Array.from({ length: 0x3000 - 0x20 }, (_, at) => String.fromCodePoint(at + 0x20));
    expect(characters.filter((one) => widthOf(one) !== stringWidth(one))).toEqual([]);
    for (const text of ['→ ⚠️ é', 'e\u0301→', '↔\ufe0f', '漢字 → ✔'])
      expect(widthOf(text)).toBe(stringWidth(text));
  }));

describe('layout', () => {
  it('wraps at blanks and goes on further in', () =>
    expect(layout([row(2, span('one two three four five six'))], narrow)).toBe(
      '  one two three four\n    five six\n',
    ));

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

  it('keeps the indentation of lines that are wrapped', () =>
    expect(layout([row(0, span('- '), span('    <p>Hello there, Ada</p>'))], narrow)).toBe(
      '-     <p>Hello\n  there, Ada</p>\n',
    ));

  it('colours only where wanted', () => {
    expect(layout([row(0, span('x', 'red', 'bold'))], { colour: true, width: 80 })).toBe(
      '\u001b[31m\u001b[1mx\u001b[22m\u001b[39m\n',
    );
    expect(layout([row(0, span('x', 'red'))], narrow)).toBe('x\n');
  });

  it('pads by what the terminal shows', () => expect(padTo('漢', 4)).toBe('漢  '));
});

/** How long reports are: what nobody reads hides what somebody has to. */

const body = (at: number, word: string) =>
  Array.from({ length: 30 }, (_, line) => `<p>Paragraph ${line} of mail ${at}</p>`)
    .toSpliced(7, 1, `<p>${word} ${at}, as told</p>`)
    .join('\n');

/** E-mails of which each has another change, with what is grave at the end. */
function planOf(count: number): Plan {
  const mails = Array.from({ length: count - 2 }, (_, at) =>
    change({
      address: `NotificationTemplate/mail%20${at}/EMAIL/en`,
      action: 'update',
      diff: [
        difference('/subject', `Old ${at}`, `New ${at} mail`),
        difference('/body', body(at, 'old'), body(at, `new ${at}`)),
      ],
      requests: [{ method: 'POST', path: '/x', query: {}, headers: {}, body: { body: body(at, 'new') } }],
    }),
  );
  return plan([...mails, senderDelete, lockout]);
}

describe.each([
  [63, 400],
  [2000, 1500],
])('of %i changes, a terminal', (count, most) => {
  const text = (options = {}) => render(planOf(count), 'text', options);

  it(`shows at most ${most} lines, with what is grave whole and the rest counted`, () => {
    const shown = text();
    expect(shown.split('\n').length).toBeLessThanOrEqual(most);
    expect(shown).toContain('\n  ~ AuthProfile/Employees  id p-1  config/all.yaml:12\n      ⚠ LOCK-OUT: ');
    const [, more = '0'] = /^ {2}… and (\d+) more \(--verbose shows all\)$/m.exec(shown) ?? [];
    expect((shown.match(/^ {2}~ NotificationTemplate/gm)?.length ?? 0) + Number(more)).toBe(count - 2);
    expect(shown).toMatch(
      /^ {2}~ NotificationTemplate\/mail 40\/EMAIL\/en {2}subject: Old 40 → New 40 mail · body \+1 −1$/m,
    );
  });

  it('shows all when asked', () => {
    const shown = text({ verbose: true });
    expect(shown.match(/<p>new \d+ \d+, as told<\/p>/g)).toHaveLength(count - 2);
    expect(shown).not.toContain('more (--verbose');
  });
});

it('shows the same replacement once in a terminal, and names the other objects', () => {
  const locales = plan(localesOf(['de', 'en', 'fr', 'it', 'ja']));
  const shown = (verbose: boolean) => render(locales, 'text', { width: 200, verbose });
  const names = ['en', 'fr', 'it', 'ja'].map((locale) => `NotificationTemplate/k/EMAIL/${locale}`);
  expect(shown(false).match(/~ subject/g)).toHaveLength(1);
  expect(shown(false)).toContain(`      the same in 5 objects: also ${names.join(', ')}\n`);
  expect(shown(true).match(/~ subject/g)).toHaveLength(5);
});

it('counts every object that a terminal has no room for, also of those that are the same', () => {
  const pairs = Array.from({ length: 2600 }, (_, at) =>
    update(`SenderAddress/${at}`, difference('/name', `old${at >> 1}`, `new${at >> 1}`)),
  );
  const shown = render(plan(pairs), 'text');
  const [, more] = /… and (\d+) more/.exec(shown) ?? [];
  expect(2 * (shown.match(/the same in 2 objects/g)?.length ?? 0) + Number(more)).toBe(2600);
});

it('packs 63 changes into a page of at most 400 KB', () =>
  expect(render(planOf(63), 'html').length).toBeLessThanOrEqual(400_000));

it('tells once why several changes failed, and names all of them', () => {
  const error = '403 Forbidden. The client may not write.';
  const failed = ['A/a', 'A/b', 'B/c'].map((address) => outcome({ address, outcome: 'failed', error }));
  const other = outcome({ address: 'B/d', outcome: 'failed', error: '400 Bad request.' });
  const shown = (verbose: boolean) => render(result([...failed, other]), 'text', { verbose });
  expect(shown(false)).toMatch(
    /✖ failed +~ A\/a\n +403 Forbidden.*\n +the same in 3 objects: also A\/b, B\/c\n/,
  );
  expect(shown(false)).toMatch(/✖ failed +~ B\/d\n +400 Bad request/);
  expect(shown(true).match(/^ {6}403 Forbidden/gm)).toHaveLength(3);
  expect(render(result(failed), 'markdown')).toContain('The same in `A/a`, `A/b`');
});

function renderSearch(format: Format, impact: Impact): string {
  const search = update('ProfileSearch/Contractors', difference('/rules/0/value', 'Active', 'Inactive'));
  return render(plan([{ ...search, impact }]), format);
}

const still = (count: number): Impact => {
  const nobody = { count: 0, first: [] };
  return { before: count, after: count, enter: nobody, leave: nobody };
};

const moving: Impact = {
  before: 10,
  after: 16,
  enter: { count: 8, first: ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'] },
  leave: { count: 2, first: ['Fay', 'Gus'] },
};

describe.each(['text', 'markdown', 'html'] as const)('the impact of a search as %s', (format) => {
  it('is shown with the first names', () => {
    const shown = renderSearch(format, moving);
    expect(shown).toContain('finds 16 profiles, 10 before');
    expect(shown).toContain('8 enter: Ada, Ben, Cleo, Dan, Eve and 3 more');
    expect(shown).toContain('2 leave: Fay, Gus');
  });

  it('is shown where nobody moves', () => {
    expect(renderSearch(format, still(1))).toContain('finds 1 profile, 1 before: nobody enters or leaves');
    // What the change does is then told by its fields.
    expect(renderSearch('html', still(1))).toContain(
      '<span class="what">rules/0/value: Active → Inactive</span>',
    );
  });

  it('says why it is not known', () => {
    const shown = renderSearch(format, { notRun: 'The tenant is out.' });
    expect(shown).toMatch(/Who enters and leaves is not known\. The tenant is out/);
  });

  it('is that of each environment', () => {
    const address = 'ProfileSearch/Contractors';
    const many = fleet(['eu-1', 'eu-2'], (name) => [
      change({ address, action: 'update', impact: name === 'eu-1' ? still(9) : moving }),
    ]);
    const shown = render(many, format);
    expect(shown).toMatch(/Only in eu-1[\s\S]*finds 9 profiles, 9 before: nobody/);
    expect(shown).toMatch(/Only in eu-2[\s\S]*2 leave: Fay, Gus/);
    // It is what to read first, though nobody leaves in the first environment.
    expect(shown).toContain('2 people leave a search');
    const enter = { count: 1, first: ['Ada'] };
    expect(renderSearch(format, { ...moving, enter })).toContain('2 people leave, 1 enters');
  });

  it('is shown of each of two that change alike', () => {
    const searches = ['A', 'B'].map((name, at) => {
      const impact = { ...moving, before: 20 + at };
      return {
        ...update(`ProfileSearch/${name}`, difference('/rules/0/value', 'Active', 'Inactive')),
        impact,
      };
    });
    const shown = render(plan(searches), format);
    expect(shown).toContain('finds 16 profiles, 20 before');
    expect(shown).toContain('finds 16 profiles, 21 before');
  });
});

it('the impact of a search is data in JSON', () =>
  expect(JSON.parse(renderSearch('json', moving))).toMatchObject({ changes: [{ impact: moving }] }));

it('the impact of a search has bars whose lengths are the shares, which nobody needs to see', () => {
  const svg = /<svg aria-hidden="true".*?<\/svg>/s.exec(renderSearch('html', moving))?.[0] ?? '';
  const widths = [...svg.matchAll(/class="(\w+)"[^>]* width="(\d+)"/g)].map(([, name, width]) => [
    name,
    width,
  ]);
  expect(widths).toEqual([
    ['stay', '500'],
    ['leave', '125'],
    ['stay', '500'],
    ['enter', '500'],
  ]);
});
