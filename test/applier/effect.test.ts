import { describe, expect, it } from 'vitest';
import { hasEffect, isInProgress, unmetDifferences } from '../../src/applier/effect.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Difference } from '../../src/model/plan.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import { change, diff, note, objectOf, thing } from './fake.ts';

const update = (...differences: readonly Difference[]) =>
  change(thing, ['a'], { action: 'update', diff: differences });
const live = (fields: JsonObject) => objectOf(thing, { id: '1', name: 'a', ...fields });
const unmet = (fields: JsonObject, ...differences: readonly Difference[]) =>
  unmetDifferences(thing, update(...differences), live(fields)).map(({ path }) => path);

describe('a difference is met', () => {
  const row = (name: string, value: string) => ({ name, value });
  const cases: [string, JsonObject, JsonObject, Difference[]][] = [
    ['a text', { text: 'x\r\ny' }, { text: 'z' }, [diff('/text', null, 'x\ny')]],
    ['a text that is cleared', { text: '' }, { text: 'x' }, [diff('/text', 'x', null)]],
    [
      'a member of JSON text',
      { attributes: '{"a":{"b":1}}' },
      { attributes: '{"a":{"b":2}}' },
      [diff('/attributes/a/b', '2', '1')],
    ],
    [
      'a member beside others',
      { attributes: { a: { b: '1', c: '2' } } },
      { attributes: { a: { c: '2' } } },
      [diff('/attributes/a', null, { b: '1' })],
    ],
    ['a member taken away', { attributes: {} }, { attributes: { a: 1 } }, [diff('/attributes/a', 1, null)]],
    [
      'an item of a list in JSON',
      { attributes: { l: ['1', '3'] } },
      { attributes: { l: ['1', '2'] } },
      [diff('/attributes/l/1', '2', '3')],
    ],
    [
      'a whole JSON field',
      { attributes: '{"a":1,"own":2}' },
      { attributes: '{"a":2}' },
      [diff('/attributes', null, { a: 1 })],
    ],
    ['an item of a set, wherever it is', { tags: ['b', 'a'] }, { tags: ['b'] }, [diff('/tags/0', null, 'a')]],
    ['an item taken out of a set', { tags: ['b'] }, { tags: ['a', 'b'] }, [diff('/tags/0', 'a', null)]],
    [
      'a record',
      { rows: [row('x', '1'), row('y', '2')] },
      { rows: [row('x', '1')] },
      [diff('/rows/0', null, row('y', '2'))],
    ],
    [
      'a record taken out',
      { rows: [row('x', '1')] },
      { rows: [row('x', '1'), row('y', '2')] },
      [diff('/rows/1', row('y', '2'), null)],
    ],
    [
      'a member of a record',
      { rows: [row('y', '2'), row('x', '3')] },
      { rows: [row('x', '1')] },
      [diff('/rows/0/value', '1', '3')],
    ],
    [
      'two members of one record',
      { rows: [row('n', '2')] },
      { rows: [row('n', '1'), row('m', '2')] },
      [diff('/rows/0/name', 'o', 'n'), diff('/rows/0/value', '1', '2')],
    ],
  ];
  it.each(cases)('%s', (_name, met, not, differences) => {
    expect(unmet(met, ...differences)).toEqual([]);
    expect(unmet(not, ...differences)).not.toEqual([]);
  });

  it('as far as the plan shows it: what it conceals counts as it is', () => {
    const whole = diff('/attributes', null, {
      url: 'u',
      password: '(sensitive)',
      deep: [{ token: '(sensitive)', a: 1 }],
    });
    const stored = { url: 'u', password: 'p', deep: [{ token: 't', a: 1 }] };
    expect(unmet({ attributes: stored }, whole)).toEqual([]);
    expect(unmet({ attributes: { ...stored, url: 'v' } }, whole)).toEqual(['/attributes']);
  });

  it('as far as the tenant shows it: what it hides never counts', () => {
    const object = { ...live({ attributes: { url: 'u' } }), hidden: ['/attributes/password', '/text'] };
    const differences = [diff('/attributes', null, { url: 'u', password: 'p' }), diff('/text', null, 'x')];
    expect(unmetDifferences(thing, update(...differences), object)).toEqual([]);
  });

  it('never for a field the kind does not have', () => {
    expect(unmet({}, diff('/constructor', null, 'x'))).toEqual(['/constructor']);
  });
});

it('a change is under way while every difference is as before or as after', () => {
  const both = update(diff('/text', 'a', 'b'), diff('/rule', '1', '2'));
  expect(isInProgress(thing, both, live({ text: 'b', rule: '1' }))).toBe(true);
  expect(hasEffect(thing, both, live({ text: 'b', rule: '1' }))).toBe(false);
  expect(hasEffect(thing, both, live({ text: 'b', rule: '2' }))).toBe(true);
  expect(isInProgress(thing, both, live({ text: 'c', rule: '1' }))).toBe(false);
  expect(isInProgress(thing, both, null)).toBe(false);
  expect(isInProgress(thing, change(thing, ['a'], { action: 'delete' }), live({}))).toBe(false);
});

it('a delete is reached when nothing is there', () => {
  const remove = change(thing, ['a'], { action: 'delete' });
  expect(hasEffect(thing, remove, null)).toBe(true);
  expect(hasEffect(thing, remove, live({}))).toBe(false);
});

describe('a value that the tenant does not show', () => {
  const hidden = (...places: readonly Pointer[]) => ({
    ...live({ text: 'before', attributes: { url: 'u', password: '****' } }),
    hidden: places,
  });

  it.each<[string, Difference, readonly Pointer[]]>([
    ['a field', diff('/text', 'before', 'after'), ['/text']],
    ['a member', diff('/attributes/password', 'old', 'new'), ['/attributes/password']],
    ['a member of what is hidden', diff('/attributes/password', 'old', 'new'), ['/attributes']],
    ['a part of a field', diff('/attributes', null, { url: 'u', password: 'new' }), ['/attributes/password']],
  ])('is neither ignored nor rewritten: %s', (_name, difference, places) => {
    expect(unmetDifferences(thing, update(difference), hidden(...places))).toEqual([]);
    expect(unmetDifferences(thing, update(difference), hidden())).toEqual([difference]);
  });
});

it('a new name is reached when the object has it, in any case where the kind folds it', () => {
  const renamed = (wanted: string | null) => update(diff('/name', 'old', wanted));
  expect(hasEffect(thing, renamed('A'), live({}))).toBe(true);
  expect(hasEffect(thing, renamed('b'), live({}))).toBe(false);
  expect(hasEffect(thing, renamed(null), live({}))).toBe(false);
  const exact = change(note, ['a'], { action: 'update', diff: [diff('/key', 'old', 'A')] });
  expect(hasEffect(note, exact, objectOf(note, { key: 'a', text: 'x' }))).toBe(false);
  expect(hasEffect(note, exact, objectOf(note, { key: 'A', text: 'x' }))).toBe(true);
});
