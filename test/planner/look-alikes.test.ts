/** New objects whose keys look like those that the tenant has. */
import { describe, expect, it } from 'vitest';
import { answers, planOf, resource } from '../support/plan.ts';

const plan = (name: string, ...live: string[]) =>
  planOf({
    declared: [resource('SimIntegration', [name])],
    live: live.map((each, at) => answers.integration(String(at), each)),
  });

describe('a create whose key has a look-alike', () => {
  it.each([
    ['composed letters', 'Café', 'Cafe\u0301', '"Cafe<U+0301>"', '"Caf<U+00E9>"'],
    ['a character without width', 'Help desk', 'Help\u200b desk', '"Help<U+200B> desk"', '"Help desk"'],
    ['a blank at the end', 'Help ', 'Help', '"Help"', '"Help "'],
    ['a blank at the beginning', 'Help', ' Help', '" Help"', '"Help"'],
    ['another blank', 'Help desk', 'Help\u00a0desk', '"Help<U+00A0>desk"', '"Help desk"'],
  ])('is told, with both keys as they are: %s', (_, name, live, shown, mine) => {
    const { diagnostics, changes } = plan(name, live, 'Other');
    expect(changes).toMatchObject([{ action: 'create' }]);
    expect(diagnostics).toMatchObject([{ code: 'look-alike-key', severity: 'warning' }]);
    expect(diagnostics[0]?.message).toContain(shown);
    expect(diagnostics[0]?.message).toContain(mine);
    expect(diagnostics[0]?.address).toBe(changes[0]?.address);
  });

  it.each([
    ['another name', 'Help desk', 'Helpdesk'],
    ['another letter', 'Cafe', 'Café'],
    ['another case, which counts', 'Help', 'help'],
  ])('is not told of %s', (_, name, live) => {
    expect(plan(name, live).diagnostics).toEqual([]);
  });

  it('is not told of another kind, or of what exists', () => {
    const declared = [resource('ProfileSearch', ['Help '], { rules: [] })];
    expect(planOf({ declared, live: [answers.integration('1', 'Help')] }).diagnostics).toEqual([]);
    expect(plan('Help', 'Help', 'Help ').diagnostics).toEqual([]);
  });
});

it.each([
  ['help@bücher.example', 'Help@xn--bcher-kva.example'],
  ['help@xn--bcher-kva.example', 'help@Bücher.example'],
])('a sender and its punycode twin are one: %s and %s', (declared, live) => {
  const plan = planOf({
    declared: [resource('SenderAddress', [declared])],
    live: [answers.sender('1', live)],
  });
  expect(plan).toMatchObject({ changes: [], diagnostics: [], summary: { unchanged: 1 } });
});
