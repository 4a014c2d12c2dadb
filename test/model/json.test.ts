import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sha256 } from '../../src/model/digest.ts';
import {
  canonicalJson,
  get,
  getText,
  isTooDeep,
  itemsOf,
  type Json,
  mapJson,
  mapMembers,
  parseJson,
  pick,
  sameJson,
  writeJson,
} from '../../src/model/json.ts';
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
import { runs } from '../support/effort.ts';

/** Small values of few names, so that two of them are often equal or nearly so. */
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<Json>(null, true, false, 0, 1, '', 'a', '1', 'null') },
    { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 2 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'length'), tie('json'), { maxKeys: 2 }),
    },
  ),
}));

test('values are the same where their canonical texts are', () => {
  const pair = fc.oneof(
    fc.tuple(json, json),
    json.map((value): [Json, Json] => [value, structuredClone(value)]),
  );
  fc.assert(
    fc.property(pair, ([one, other]) => {
      expect(sameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
    }),
    { numRuns: runs(5000) },
  );
});

test('a value is the same as one with its names in another order', () => {
  expect(sameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({ a: null }, { b: null })).toBe(false);
});

test('the canonical text sorts names at every depth, and leaves out what is undefined', () => {
  expect(canonicalJson({ b: 1, a: [{ d: null, c: undefined }], aa: 'x' })).toBe(
    '{"a":[{"d":null}],"aa":"x","b":1}',
  );
  const names = ['c', 'a', 'd', 'b', 'a2', 'A', '\u00e4', '10', '9'];
  const forwards = Object.fromEntries(names.map((name) => [name, name]));
  const backwards = Object.fromEntries(names.toReversed().map((name) => [name, name]));
  expect(canonicalJson(forwards)).toBe(canonicalJson(backwards));
  expect(sha256(forwards)).toBe(sha256(backwards));
  expect(Object.keys(JSON.parse(canonicalJson({ b: 1, a: 2 })))).toEqual(['a', 'b']);
});

test('only own members are read', () => {
  const object = { a: 'text', n: 1 };
  expect(get(object, 'a')).toBe('text');
  expect(get(object, 'constructor')).toBeUndefined();
  expect(get(object, '__proto__')).toBeUndefined();
  expect(getText(object, 'a')).toBe('text');
  expect(getText(object, 'n')).toBeNull();
  expect(getText(object, 'toString')).toBeNull();
  expect(pick(object, ['a', 'toString'])).toEqual({ a: 'text', toString: null });
});

test('a mapped value keeps its shape, children first', () => {
  const doubled = mapJson({ a: [1, { b: 2 }], c: 'x' }, (value) =>
    typeof value === 'number' ? value * 2 : value,
  );
  expect(doubled).toEqual({ a: [2, { b: 4 }], c: 'x' });
  expect(mapJson([[1, 2], []], (value) => (Array.isArray(value) ? value.length : value))).toBe(2);
  expect(mapMembers({ a: 1, b: 2 }, (value, name) => (name === 'a' ? undefined : value))).toEqual({ b: 2 });
  expect(itemsOf({ a: 1, b: [2] })).toEqual([1, [2]]);
  expect(itemsOf('text')).toEqual([]);
  expect(itemsOf(null)).toEqual([]);
});

test('text that is not JSON is told from JSON null', () => {
  expect(parseJson('null')).toBeNull();
  expect(parseJson('{"a":1}')).toEqual({ a: 1 });
  expect(parseJson('{a}')).toBeUndefined();
});

test('a value may be a hundred levels deep, and no deeper', () => {
  const nested = (levels: number): Json => (levels === 0 ? null : [nested(levels - 1)]);
  expect(isTooDeep(nested(100))).toBe(false);
  expect(isTooDeep(nested(101))).toBe(true);
  expect(isTooDeep('text')).toBe(false);
  expect(isTooDeep(null, 0)).toBe(false);
  expect(isTooDeep({ a: {} }, 1)).toBe(true);
  expect(isTooDeep({ a: 'text', b: 2 }, 1)).toBe(false);
});

test('canonical text keeps the items of a list apart', () => {
  expect(canonicalJson([1, 1, 'a'])).toBe('[1,1,"a"]');
  expect(canonicalJson([1, 1])).not.toBe(canonicalJson([11]));
});

test.each<[string, Json]>([
  ['{"id":1234567890123456789}', { id: '1234567890123456789' }],
  ['[-9007199254740993]', ['-9007199254740993']],
  ['9007199254740993', '9007199254740993'],
  ['[9007199254740991,12345678901234567000,-0,1e21]', [9007199254740991, 12345678901234567000, -0, 1e21]],
  ['[0.5,-1234567890123456.5,1e300]', [0.5, -1234567890123456.5, 1e300]],
  ['[1e400,-0.1E+999,1e-400,1e308]', ['1e400', '-0.1E+999', '1e-400', 1e308]],
  ['[0.1234567890123456789,123456789.123456789]', ['0.1234567890123456789', '123456789.123456789']],
  ['[1.10,1234567.1234567890]', [1.1, 1234567.123456789]],
  [`[${'9'.repeat(400)}.5]`, [`${'9'.repeat(400)}.5`]],
  ['["1e400",{"1e400":1}]', ['1e400', { '1e400': 1 }]],
  [
    '{"1234567890123456789":"a 1234567890123456789 \\" 1234567890123456789"}',
    { '1234567890123456789': 'a 1234567890123456789 " 1234567890123456789' },
  ],
])('no number gets other digits: %s', (text, value) => expect(parseJson(text)).toEqual(value));

test.each([
  '{"a":12345678901234567890,"b":"12345678901234567890","c":[[1,98765432109876543210],2]}',
  '[12345678901234567890,{"a":{"a":-1e400},"d":[]},"x"]',
  '{"a":[[1],12345678901234567890]}',
  '12345678901234567890',
])('what no number holds is written as it was read: %s', (text) => {
  const numbers = new Set<string>();
  const value = parseJson(text, (name, digits) => numbers.add(`${name} ${digits}`)) ?? null;
  expect(writeJson(value, (name, digits) => numbers.has(`${name} ${digits}`))).toBe(text);
  const inText = new Set<string>();
  parseJson(JSON.stringify({ text }), (name, digits) => inText.add(`${name} ${digits}`));
  expect(inText).toEqual(numbers);
});

test.each([
  ...['01e400', '1.e400', '1e400-1', '01234567890123456789'],
  ...['12345678901234567-1', '[1234567890123456789', '1234567890123456789"a"'],
])('what is no JSON stays none: %s', (text) => expect(parseJson(text)).toBeUndefined());

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
  ])('%s', (at, expected) => expect(valueAt(root, at)).toBe(expected));

  it.each([
    ...['11', '-1', '1x', 'x1', '01x', ' 1', '', 'length', '0/length'].map((at) => `/list/${at}`),
    ...['/inner/a~1b/c/d', '/nothing/below', '/constructor', '/inner/__proto__', '/inner/toString'],
  ])('%s is none', (at) => expect(valueAt(root, at)).toBeUndefined());
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
  ])('%s', (_name, value, place, wanted, expected) =>
    expect(setPart(value, place, wanted)).toEqual(expected),
  );

  it('keeps an object where a whole is no object', () =>
    expect(setMember({ x: 1 }, '', null)).toEqual({ x: 1 }));

  it('reaches no prototype', () => {
    const value = setMember({}, '/__proto__/x', 1);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
