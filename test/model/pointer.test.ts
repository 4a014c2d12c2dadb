import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import {
  isWithin,
  placeAbove,
  placesAbove,
  placesIn,
  pointer,
  segmentsOf,
  setMember,
  setPart,
  valueAt,
  withValueAt,
} from '../../src/model/pointer.ts';

describe('a pointer', () => {
  it('names its segments exactly, whatever signs they contain', () => {
    const segment = fc.oneof(
      fc.string(),
      fc.constantFrom('~', '/', '~1', '~0', '~01', '~10', '%', '', '~~//'),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => {
        expect(segmentsOf(pointer(...segments))).toEqual(segments);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['~1', '/~01'],
    ['a/b', '/a~1b'],
    ['a~b', '/a~0b'],
    ['100%', '/100%'],
  ])('to the member %j is %s', (name, at) => {
    expect(pointer(name)).toBe(at);
    expect(valueAt({ [name]: 1 }, at)).toBe(1);
    expect(withValueAt({ [name]: 1, other: 2 }, at, undefined)).toEqual({ other: 2 });
  });

  it('to the whole value is empty', () => {
    expect(pointer()).toBe('');
    expect(segmentsOf('')).toEqual([]);
    expect(valueAt([1], '')).toEqual([1]);
  });
});

describe('the value at a pointer', () => {
  const list = ['zero', 'one', 2, 3, 4, 5, 6, 7, 8, 9, 'ten'];
  const root = { list, inner: { '': 'nameless', 'a/b': { c: null } } };

  it.each([
    ['/list/0', 'zero'],
    ['/list/10', 'ten'],
    ['/inner/', 'nameless'],
    ['/inner/a~1b/c', null],
  ])('%s', (at, expected) => {
    expect(valueAt(root, at)).toBe(expected);
  });

  it.each([
    ...['11', '-1', '1x', 'x1', '01x', ' 1', '', 'length', '0/length'].map((at) => `/list/${at}`),
    ...['/inner/a~1b/c/d', '/nothing/below', '/constructor', '/inner/__proto__', '/inner/toString'],
  ])('%s is none', (at) => {
    expect(valueAt(root, at)).toBeUndefined();
  });
});

it('the places in a value are its items or members', () => {
  expect(placesIn({ 'a/b': 1, c: [2] }, '/x')).toEqual([
    ['/x/a~1b', 1],
    ['/x/c', [2]],
  ]);
  expect(placesIn(['a', null], '')).toEqual([
    ['/0', 'a'],
    ['/1', null],
  ]);
  for (const value of ['text', 7, true, null]) expect(placesIn(value, '/x')).toEqual([]);
});

it('a place is within itself and the places above it, not within a place with a longer name', () => {
  expect(isWithin('/a/b', '/a/b')).toBe(true);
  expect(isWithin('/a/b/c', '/a')).toBe(true);
  expect(isWithin('/ab', '/a')).toBe(false);
  expect(isWithin('/a', '/a/b')).toBe(false);
  expect(isWithin('/x/a/', '/a')).toBe(false);
});

it('the list that a pointer leads into is the first one on the way', () => {
  const root = { a: { b: [{ c: [1] }] }, d: [1] };
  expect(placesAbove('/a/x~1y/0')).toEqual(['', '/a', '/a/x~1y']);
  expect(placeAbove(root, '/a/b/0/c/0', Array.isArray)).toBe('/a/b');
  expect(placeAbove(root, '/d/0', Array.isArray)).toBe('/d');
  for (const at of ['', '/d', '/a/b', '/a/x/0']) expect(placeAbove(root, at, Array.isArray)).toBeNull();
});

describe('setting the value at a pointer', () => {
  const root = { a: { b: 1, c: 2 }, d: [1], e: 'text' };

  it('leaves the rest and the original as they are', () => {
    expect(withValueAt(root, '/a/b', 9)).toEqual({ a: { b: 9, c: 2 }, d: [1], e: 'text' });
    expect(withValueAt(root, '/f', null)).toEqual({ ...root, f: null });
    expect(root.a).toEqual({ b: 1, c: 2 });
  });

  it('removes the member where there is no value', () => {
    expect(withValueAt(root, '/a/b', undefined)).toStrictEqual({ ...root, a: { c: 2 } });
    expect(withValueAt(root, '/e', undefined)).toStrictEqual({ a: root.a, d: [1] });
  });

  it('makes no objects on the way, and replaces none of other values', () => {
    for (const at of ['/x/y', '/d/0', '/e/0', '/a/b/c', '']) expect(withValueAt(root, at, 9)).toEqual(root);
  });

  it('takes __proto__ for an ordinary name', () => {
    const set = withValueAt({}, '/__proto__', { polluted: true });
    expect(Object.keys(set)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(set)).toBe(Object.prototype);
  });
});

describe('a value set at a place', () => {
  it.each<[string, Json, string, Json, Json]>([
    ['replaces the whole where no place is given', { x: 1 }, '', 2, 2],
    ['replaces an item', ['a', 'b', 'c'], '/1', 'x', ['a', 'x', 'c']],
    ['removes an item', ['a', 'b', 'c'], '/1', null, ['a', 'c']],
    ['adds an item after the last', ['a'], '/1', 'x', ['a', 'x']],
    ['adds no item further on', ['a'], '/2', 'x', ['a']],
    ['reaches into items', [{ x: 1 }, { x: 1 }], '/1/x', 2, [{ x: 1 }, { x: 2 }]],
    ['keeps an item of which a member goes', [{ x: 1, y: 1 }], '/0/x', null, [{ y: 1 }]],
    ['adds an item with a member', [], '/0/x', 1, [{ x: 1 }]],
    ['takes an object for what has no members', 'text', '/x', 1, { x: 1 }],
  ])('%s', (_name, value, place, wanted, expected) => {
    expect(setPart(value, place, wanted)).toEqual(expected);
  });

  it('keeps an object where a whole is no object', () =>
    expect(setMember({ x: 1 }, '', null)).toEqual({ x: 1 }));

  it('reaches no prototype', () => {
    const value = setMember({}, '/__proto__/x', 1);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
