import { describe, expect, it } from 'vitest';
import type { Impact } from '../../src/model/plan.ts';
import type { Format } from '../../src/report/index.ts';
import { change, difference, fleet, plan, render } from './fixtures.ts';

function renderSearch(format: Format, impact: Impact): string {
  const search = change({
    address: 'ProfileSearch/Contractors',
    action: 'update',
    diff: [difference('/rules/0/value', 'Active', 'Inactive')],
    impact,
  });
  return render(plan([search]), format);
}

const moving: Impact = {
  before: 10,
  after: 16,
  enter: { count: 8, first: ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'] },
  leave: { count: 2, first: ['Fay', 'Gus'] },
};

describe('the impact of a search', () => {
  it.each(['text', 'markdown', 'html'] as const)('is shown with the first names: %s', (format) => {
    const shown = renderSearch(format, moving);
    expect(shown).toContain('finds 16 profiles, 10 before');
    expect(shown).toContain('8 enter: Ada, Ben, Cleo, Dan, Eve and 3 more');
    expect(shown).toContain('2 leave: Fay, Gus');
  });

  it.each(['text', 'markdown', 'html'] as const)('is shown where nobody moves: %s', (format) => {
    const still = { before: 1, after: 1, enter: { count: 0, first: [] }, leave: { count: 0, first: [] } };
    expect(renderSearch(format, still)).toContain('finds 1 profile, 1 before: nobody enters or leaves');
    // What the change does is then told by its fields.
    expect(renderSearch('html', still)).toContain(
      '<span class="what">rules/0/value: Active → Inactive</span>',
    );
  });

  it.each(['text', 'markdown', 'html'] as const)('says why it is not known: %s', (format) => {
    const shown = renderSearch(format, { notRun: 'The tenant is out.' });
    expect(shown).toMatch(/Who enters and leaves is not known\. The tenant is out/);
  });

  it.each(['text', 'markdown', 'html'] as const)('is that of each environment: %s', (format) => {
    const still = { before: 9, after: 9, enter: { count: 0, first: [] }, leave: { count: 0, first: [] } };
    const many = fleet(['eu-1', 'eu-2'], (name) => [
      change({
        address: 'ProfileSearch/Contractors',
        action: 'update',
        impact: name === 'eu-1' ? still : moving,
      }),
    ]);
    const shown = render(many, format);
    expect(shown).toMatch(/Only in eu-1[\s\S]*finds 9 profiles, 9 before: nobody/);
    expect(shown).toMatch(/Only in eu-2[\s\S]*2 leave: Fay, Gus/);
    // It is what to read first, though nobody leaves in the first environment.
    expect(shown).toContain('2 people leave a search');
  });

  it.each(['text', 'markdown', 'html'] as const)(
    'is shown of each of two that change alike: %s',
    (format) => {
      const [one, other] = ['A', 'B'].map((name, at) =>
        change({
          address: `ProfileSearch/${name}`,
          action: 'update',
          diff: [difference('/rules/0/value', 'Active', 'Inactive')],
          impact: { ...moving, before: 20 + at },
        }),
      );
      const shown = render(plan(one && other ? [one, other] : []), format);
      expect(shown).toContain('finds 16 profiles, 20 before');
      expect(shown).toContain('finds 16 profiles, 21 before');
    },
  );

  it('is data in JSON', () => {
    expect(JSON.parse(renderSearch('json', moving))).toMatchObject({ changes: [{ impact: moving }] });
  });

  it('has bars whose lengths are the shares, which nobody needs to see', () => {
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
});
