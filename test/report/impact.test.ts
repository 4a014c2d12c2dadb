import { describe, expect, it } from 'vitest';
import type { Impact } from '../../src/model/plan.ts';
import type { Format } from '../../src/report/index.ts';
import { change, difference, fleet, plan, render, update } from './fixtures.ts';

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

it('the impact of a search is data in JSON', () => {
  expect(JSON.parse(renderSearch('json', moving))).toMatchObject({ changes: [{ impact: moving }] });
});

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
