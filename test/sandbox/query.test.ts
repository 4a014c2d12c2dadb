import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { parseFilters, readFlag, readRange, sortRecords } from '../../src/sandbox/query.ts';

const query = (entries: Record<string, string>) => new Map(Object.entries(entries));
const fields = new Map([
  ['name', ['eq', 'in', 'sw', 'ge', 'le']],
  ['key', ['eq']],
] as const);
const rows = ['a', 'b', 'ba', 'c'].map((name) => ({ name, key: name === 'c' ? 'x"\\y' : 'k' }));
const matching = (filters: string) => {
  const isMatch = parseFilters(query({ filters }), fields);
  return rows
    .filter((row) => isMatch((field) => (field === 'key' ? row.key : row.name)))
    .map(({ name }) => name);
};

describe('a filter', () => {
  it.each([
    ['name eq "b"', ['b']],
    ['name in ("a","c")', ['a', 'c']],
    ['name in ( "a" )', ['a']],
    ['name sw "b"', ['b', 'ba']],
    ['name ge "b"', ['b', 'ba', 'c']],
    ['name le "b"', ['a', 'b']],
    ['name ge "b" and name le "ba"', ['b', 'ba']],
    ['name eq "a" or name eq "c"', ['a', 'c']],
    ['name eq "a" or name eq "b" and key eq "no"', ['a']],
    ['(name eq "a" or name eq "b") and key eq "no"', []],
    ['not name eq "a"', ['b', 'ba', 'c']],
    ['not (name eq "a" or name eq "b")', ['ba', 'c']],
    ['not not name eq "a"', ['a']],
    ['key eq "x\\"\\\\y"', ['c']],
    ['  name  eq  "a"  ', ['a']],
  ])('%s', (text, expected) => {
    expect(matching(text)).toEqual(expected);
  });

  it.each([
    '',
    'name',
    'name eq',
    'name eq b',
    'name eq "b',
    'name eq "b" "c"',
    'name eq "b" and',
    'name in "a"',
    'name in ()',
    'name in ("a"',
    'name in ("a",)',
    '(name eq "a"',
    'name gt "a"',
    'key sw "a"',
    'other eq "a"',
    'NAME eq "a"',
    'name EQ "a"',
    'name eq "a\\n"',
    `${'('.repeat(40)}name eq "a"${')'.repeat(40)}`,
  ])('refuses %j', (text) => {
    expect(() => matching(text)).toThrow();
  });

  it('matches everything where there is none', () => {
    expect(parseFilters(query({}), fields)(() => '')).toBe(true);
  });
});

describe('a page', () => {
  it('is what limit and offset name, within their bounds', () => {
    expect(readRange(query({}), 250, 100)).toEqual({ limit: 100, offset: 0 });
    expect(readRange(query({ limit: '250', offset: '7' }), 250, 100)).toEqual({ limit: 250, offset: 7 });
    expect(readRange(query({ limit: '1', offset: '0' }), 250, 100)).toEqual({ limit: 1, offset: 0 });
  });

  it.each([
    { limit: '0' },
    { limit: '251' },
    { limit: '1.5' },
    { limit: '-1' },
    { limit: '' },
    { limit: 'x' },
    { offset: '-1' },
    { offset: '2147483648' },
    { offset: '1e3' },
  ])('refuses %j', (entries) => {
    expect(() => readRange(query(entries), 250, 250)).toThrow();
  });

  it('has flags that are true or false and nothing else', () => {
    expect(readFlag(query({}), 'count')).toBe(false);
    expect(readFlag(query({ count: 'true' }), 'count')).toBe(true);
    expect(readFlag(query({ count: 'false' }), 'count')).toBe(false);
    for (const count of ['', 'TRUE', '1', 'yes']) expect(() => readFlag(query({ count }), 'count')).toThrow();
  });
});

describe('sorting', () => {
  const list: JsonObject[] = [
    { a: 'y', b: '1' },
    { a: 'x', b: '2' },
    { a: 'x', b: '1' },
  ];
  const sorted = (sorters?: string) =>
    sortRecords(list, sorters, ['a', 'b']).map(({ a, b }) => `${String(a)}${String(b)}`);

  it('goes by one field', () => {
    expect(sorted('a')).toEqual(['x2', 'x1', 'y1']);
    expect(sorted('b')).toEqual(['y1', 'x1', 'x2']);
    expect(sorted()).toEqual(['y1', 'x2', 'x1']);
  });

  it('refuses other fields', () => {
    for (const sorters of ['c', '', '-a', 'a,b']) expect(() => sorted(sorters)).toThrow();
  });

  it('compares texts by code unit', () => {
    const names = ['b', 'a', 'B', 'ä', 'a'].map((name) => ({ name }));
    const inOrder = sortRecords(names, 'name', ['name']).map(({ name }) => name);
    expect(inOrder).toEqual(['B', 'a', 'a', 'b', 'ä']);
  });
});
