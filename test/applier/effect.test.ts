import { describe, expect, it } from 'vitest';
import { partsBeside } from '../../src/applier/beside.ts';
import { Comparison, hasEffect, isInProgress, unmetDifferences } from '../../src/applier/effect.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { profileSearch } from '../../src/kinds/profile-search.ts';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Difference } from '../../src/model/plan.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import { redacted } from '../../src/model/sensitive.ts';
import { liveFrom } from '../support/plan.ts';
import { change, diff, note, objectOf, sensitive, thing } from './fake.ts';

const update = (...differences: readonly Difference[]) =>
  change(thing, ['a'], { action: 'update', diff: differences });
const live = (fields: JsonObject) => objectOf(thing, { id: '1', name: 'a', ...fields });
const unmet = (fields: JsonObject, ...differences: readonly Difference[]) =>
  unmetDifferences({ kind: thing, change: update(...differences) }, live(fields)).map(({ path }) => path);

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
    [
      'a member that becomes an object, where the tenant adds members of its own',
      { attributes: { a: { b: { c: 'x', own: 1 } } } },
      { attributes: { a: { b: { own: 1 } } } },
      [diff('/attributes/a/b', 'old', { c: 'x' })],
    ],
    [
      'a member with an object that is replaced by a text',
      { attributes: { a: 'x' } },
      { attributes: { a: { b: 'x' } } },
      [diff('/attributes/a', { b: 'x' }, 'x')],
    ],
    [
      'a member with a slash and a tilde in its name',
      { attributes: { 'a/b~c': '2' } },
      { attributes: { 'a/b~c': '1' } },
      [diff('/attributes/a~1b~0c', '1', '2')],
    ],
    [
      'a list in JSON, whose order counts',
      { attributes: { l: ['1', '2'] } },
      { attributes: { l: ['2', '1'] } },
      [diff('/attributes/l', null, ['1', '2'])],
    ],
    [
      'JSON text with a value that the plan conceals',
      { attributes: '{"url":"u","password":"p"}' },
      { attributes: '{"url":"v","password":"p"}' },
      [diff('/attributes', null, { url: 'u', password: '(sensitive)' })],
    ],
    [
      'a member with a value that the plan conceals',
      { attributes: { login: { user: 'u', password: 'p' } } },
      { attributes: { login: { user: 'v', password: 'p' } } },
      [diff('/attributes/login', null, { user: 'u', password: '(sensitive)' })],
    ],
    [
      'an item of a set with a value that the plan conceals',
      { tags: ['b', { a: 1, token: 't' }] },
      { tags: ['b', { a: 2, token: 't' }] },
      [diff('/tags/1', null, { a: 1, token: '(sensitive)' })],
    ],
    [
      'an item of a set that the tenant answers as null',
      { tags: null },
      { tags: ['a'] },
      [diff('/tags/0', 'a', null)],
    ],
    [
      'a record with a number that the tenant shows as text, and members of its own',
      { rows: [{ name: 'x', value: '7', id: 'r1' }] },
      { rows: [{ name: 'x', value: '8', id: 'r1' }] },
      [diff('/rows/0', null, { name: 'x', value: 7 })],
    ],
    [
      'a record with a value that the plan conceals',
      { rows: [{ name: 'x', value: 'p' }] },
      { rows: [{ name: 'y', value: 'p' }] },
      [diff('/rows/0', null, { name: 'x', value: '(sensitive)' })],
    ],
    [
      'a member of a record that the plan conceals a part of',
      { rows: [{ name: 'x', value: { a: 1, token: 't' } }] },
      { rows: [{ name: 'x', value: { a: 2, token: 't' } }] },
      [diff('/rows/0/value', null, { a: 1, token: '(sensitive)' })],
    ],
    [
      'a record that is no object',
      { rows: ['x', row('y', '2')] },
      { rows: [row('y', '2')] },
      [diff('/rows/0', null, 'x')],
    ],
    [
      'a member taken out of a record',
      { rows: [{ name: 'x' }] },
      { rows: [row('x', '1')] },
      [diff('/rows/0/value', '1', null)],
    ],
    [
      'a change of one record, whatever the others are',
      { rows: [row('x', '3'), row('y', '5'), 'z'] },
      { rows: [row('x', '1'), row('y', '3')] },
      [diff('/rows/0/value', '1', '3'), diff('/rows/0/name', null, 'x'), diff('/rows/1/value', '4', '5')],
    ],
    [
      'a member of a record beside what is no record',
      { rows: [null, row('x', '3')] },
      { rows: [null, row('x', '1')] },
      [diff('/rows/0/value', '1', '3')],
    ],
    [
      'a member of a record in the place of one that goes',
      { rows: [row('x', '3')] },
      { rows: [row('x', '1')] },
      [diff('/rows/0', row('y', '2'), null), diff('/rows/0/value', '1', '3')],
    ],
    [
      'a reference, whatever its name is now',
      { others: [{ type: 'Thing', id: '1', name: 'New' }] },
      { others: [{ type: 'Thing', id: '2', name: 'Old' }] },
      [diff('/others/0', null, { type: 'Thing', id: '1', name: 'Old' })],
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
    expect(unmetDifferences({ kind: thing, change: update(...differences) }, object)).toEqual([]);
  });

  it('by exactly the declared members of an object that a manifest declares whole', () => {
    const map = (statusMap: JsonObject) =>
      liveFrom({ kind: 'SimIntegration', raw: { id: '1', name: 'a', statusMap } });
    const set = (path: Pointer, after: Json) =>
      change(simIntegration, ['a'], { action: 'update', diff: [diff(path, 'x', after)] });
    const isMet = (at: Pointer, after: Json, shown: JsonObject) =>
      hasEffect({ kind: simIntegration, change: set(at, after) }, map(shown));
    expect(isMet('/statusMap', { a: 'Failed' }, { a: 'Failed' })).toBe(true);
    expect(isMet('/statusMap', { a: 'Failed' }, { a: 'Failed', b: 'Committed' })).toBe(false);
    expect(isMet('/statusMap/a', { b: 'Failed' }, { a: { b: 'Failed' } })).toBe(true);
    expect(isMet('/statusMap/a', { b: 'Failed' }, { a: { b: 'Failed', c: 'Committed' } })).toBe(false);
  });

  it('never for a field the kind does not have', () => {
    expect(unmet({}, diff('/constructor', null, 'x'))).toEqual(['/constructor']);
  });
});

it('a change is under way while every difference is as before or as after', () => {
  const both = update(diff('/text', 'a', 'b'), diff('/rule', '1', '2'));
  expect(isInProgress({ kind: thing, change: both }, live({ text: 'b', rule: '1' }))).toBe(true);
  expect(hasEffect({ kind: thing, change: both }, live({ text: 'b', rule: '1' }))).toBe(false);
  expect(hasEffect({ kind: thing, change: both }, live({ text: 'b', rule: '2' }))).toBe(true);
  expect(isInProgress({ kind: thing, change: both }, live({ text: 'c', rule: '1' }))).toBe(false);
  expect(isInProgress({ kind: thing, change: both }, null)).toBe(false);
  expect(isInProgress({ kind: thing, change: change(thing, ['a'], { action: 'delete' }) }, live({}))).toBe(
    false,
  );
});

it('what the plan conceals is not waited for, in a field or in one record among others', () => {
  expect(unmet({ text: 'x' }, sensitive('/text'))).toEqual([]);
  const rows = [{ name: 'x', value: '1' }];
  expect(unmet({ rows }, sensitive('/rows/0/value'), diff('/rows/0/name', 'o', 'x'))).toEqual([]);
  expect(unmet({ rows }, sensitive('/rows/0/value'), diff('/rows/0/name', 'o', 'y'))).toEqual([
    '/rows/0/name',
  ]);
});

it('what the plan conceals inside a list is there or not, and both are as asked', () => {
  const headers = [{ name: 'Authorization', value: redacted }];
  const added = diff('/attributes', null, { headers });
  expect(unmet({ attributes: { headers: [{ name: 'Authorization', value: 'x' }] } }, added)).toEqual([]);
  expect(unmet({ attributes: { headers: [{ name: 'Authorization' }] } }, added)).toEqual([]);
  expect(unmet({ attributes: { headers: [{ name: 'Other', value: 'x' }] } }, added)).toEqual(['/attributes']);
});

it('a difference that the tenant is known to ignore is not waited for', () => {
  const both = update(diff('/text', 'a', 'b'), diff('/rule', '1', '2'));
  expect(hasEffect({ kind: thing, change: both }, live({ text: 'a', rule: '2' }), ['/text'])).toBe(true);
  expect(hasEffect({ kind: thing, change: both }, live({ text: 'a', rule: '1' }), ['/text'])).toBe(false);
});

it('a value is unchanged while the object shows the one before', () => {
  const one = diff('/attributes/a', 'x', 'y');
  expect(
    new Comparison({ kind: thing, change: update(one) }, live({ attributes: { a: 'x', b: 'y' } })).shows(
      one,
      'before',
    ),
  ).toBe(true);
  expect(
    new Comparison({ kind: thing, change: update(one) }, live({ attributes: { a: 'z' } })).shows(
      one,
      'before',
    ),
  ).toBe(false);
  const added = diff('/tags/0', null, 'a');
  expect(
    new Comparison({ kind: thing, change: update(added) }, live({ tags: ['b'] })).shows(added, 'before'),
  ).toBe(true);
  expect(
    new Comparison({ kind: thing, change: update(added) }, live({ tags: ['a'] })).shows(added, 'before'),
  ).toBe(false);
});

it('a delete is reached when nothing is there', () => {
  const remove = change(thing, ['a'], { action: 'delete' });
  expect(hasEffect({ kind: thing, change: remove }, null)).toBe(true);
  expect(hasEffect({ kind: thing, change: remove }, live({}))).toBe(false);
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
    expect(unmetDifferences({ kind: thing, change: update(difference) }, hidden(...places))).toEqual([]);
    expect(unmetDifferences({ kind: thing, change: update(difference) }, hidden())).toEqual([difference]);
  });
});

it('a new name is reached when the object has it, in any case where the kind folds it', () => {
  const renamed = (wanted: string | null) => update(diff('/name', 'old', wanted));
  expect(hasEffect({ kind: thing, change: renamed('A') }, live({}))).toBe(true);
  expect(hasEffect({ kind: thing, change: renamed('b') }, live({}))).toBe(false);
  expect(hasEffect({ kind: thing, change: renamed(null) }, live({}))).toBe(false);
  const exact = change(note, ['a'], { action: 'update', diff: [diff('/key', 'old', 'A')] });
  expect(hasEffect({ kind: note, change: exact }, objectOf(note, { key: 'a', text: 'x' }))).toBe(false);
  expect(hasEffect({ kind: note, change: exact }, objectOf(note, { key: 'A', text: 'x' }))).toBe(true);
});

describe('a member that no change is about', () => {
  const made = update(diff('/attributes/on', 'a', 'b'), diff('/attributes/off', { own: 1 }, null));
  const lost = (before: JsonObject, hidden: readonly Pointer[] = [], now: JsonObject = {}) =>
    partsBeside({ kind: thing, change: made }, live({ attributes: { on: 'b', ...now } }), {
      ...live({ attributes: { on: 'a', off: { own: 1 }, ...before } }),
      hidden,
    }).map(({ path }) => path);

  it('is lost where the object does not have it any more', () => {
    const before = { own: 1, none: false, list: ['x'], group: { x: 1 } };
    const names = ['own', 'none', 'list', 'group'];
    expect(lost(before)).toEqual(names.map((name) => `/attributes/${name}`));
  });

  it('is not lost where the change takes it away, or the tenant gives it another value', () => {
    expect(lost({})).toEqual([]);
    expect(lost({ count: 1, group: { x: 1 } }, [], { count: 2, group: { x: 2 } })).toEqual([]);
  });

  it('is not lost where it had nothing, since hosts leave out or answer null for what is empty', () => {
    expect(lost({ a: null, b: '', c: [], d: {} })).toEqual([]);
  });

  it('is not lost where the tenant hides its value, since some answers leave it out', () => {
    expect(lost({ password: '1:ACP:eA==' }, ['/attributes/password'])).toEqual([]);
  });
});

describe('a record that no change is about', () => {
  const rule = (operator: string, value: string) => ({
    type: 'ProfileTypeRule',
    comparison_operator: operator,
    value,
  });
  const search = (...rules: JsonObject[]) =>
    objectOf(profileSearch, { id: 's', label: 'Staff', condition_rules_attributes: rules });
  const made = change(profileSearch, ['Staff'], {
    action: 'update',
    diff: [diff('/rules/0/value', 't2', 't1'), diff('/rules/1', null, rule('!=', 't1'))],
  });
  const beside = (live: LiveObject, before: LiveObject) =>
    partsBeside({ kind: profileSearch, change: made }, live, before).map(({ did, what }) => `${did} ${what}`);
  const before = search(rule('==', 't2'));

  it('is none of those that the change adds or alters, in whatever order the tenant has them', () => {
    expect(beside(search(rule('==', 't1'), rule('!=', 't1')), before)).toEqual([]);
    expect(beside(search(rule('!=', 't1'), rule('==', 't1')), before)).toEqual([]);
  });

  it('is added or lost', () => {
    const after = [rule('!=', 't1'), rule('==', 't1')];
    expect(beside(search(...after, rule('==', 't9')), before)).toEqual(['added items to /rules']);
    expect(beside(search(...after), search(rule('==', 't2'), rule('==', 't9')))).toEqual([
      'removed items from /rules',
    ]);
  });

  it('is not told where the list does not show the change, or hides something', () => {
    expect(beside(search(rule('!=', 't7'), rule('==', 't9')), before)).toEqual([]);
    const hiding = {
      ...search(rule('!=', 't1'), rule('==', 't1'), rule('==', 't9')),
      hidden: ['/rules/2/value'],
    };
    expect(beside(hiding, before)).toEqual([]);
  });
});

it('items are not told where the change is of the whole list, which was no list before', () => {
  const whole = { kind: thing, change: update(diff('/tags', 'a, b', ['a', 'b'])) };
  expect(partsBeside(whole, live({ tags: ['a', 'b'] }), live({ tags: 'a, b' }))).toEqual([]);
});
