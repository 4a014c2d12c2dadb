import { describe, expect, it } from 'vitest';
import { revertAll } from '../../src/applier/change-result.ts';
import type { Field } from '../../src/kinds/kind.ts';
import type { Json } from '../../src/model/json.ts';
import { pointer } from '../../src/model/pointer.ts';
import { diff } from './things.ts';

const set: Field = { is: 'set' };
const rows: Field = { is: 'records', alike: ['name'] };
const map: Field = { is: 'json', declares: 'members' };
const row = (name: string) => ({ name, size: 1 });
const [a, b, c] = [row('a'), row('b'), row('c')];

describe('a difference undone', () => {
  it.each<[string, Field, Json, readonly string[], Json, Json, Json]>([
    ['of a whole field', { is: 'text' }, 'new', [], 'old', 'new', 'old'],
    ['of a field that was added', { is: 'text' }, 'new', [], null, 'new', null],
    ['adds what was removed from a list', set, ['a'], ['0'], 'b', null, ['a', 'b']],
    ['removes what was added to a list', set, ['a', 'b'], ['1'], null, 'b', ['a']],
    ['removes it wherever the tenant has put it', set, ['b', 'a'], ['1'], null, 'b', ['a']],
    ['begins a list that is not there', set, null, ['0'], 'b', null, ['b']],
    ['leaves a null item of a list alone', set, [null, 'a'], ['0'], 'b', null, [null, 'a', 'b']],
    ['adds a record', rows, [a], ['1'], b, null, [a, b]],
    ['removes a record', rows, [a, b], ['1'], null, b, [a]],
    [
      'changes a member of the record that shows it',
      rows,
      [b, { name: 'a', size: 2 }, c],
      ['0', 'size'],
      1,
      2,
      [b, a, c],
    ],
    [
      'changes one record only',
      rows,
      [{ size: 2 }, { size: 2 }],
      ['0', 'size'],
      1,
      2,
      [{ size: 1 }, { size: 2 }],
    ],
    ['gives a record the member that it lost', rows, [{ name: 'a' }], ['0', 'size'], 1, null, [a]],
    ['leaves records alone of which none shows it', rows, [a, 'x'], ['0', 'size'], 3, 4, [a, 'x']],
    ['leaves a field alone that has no records', rows, 'x', ['0', 'size'], 3, 4, []],
    ['changes a member', map, { x: { y: 2 }, z: 1 }, ['x', 'y'], 1, 2, { x: { y: 1 }, z: 1 }],
    ['removes a member', map, { x: 2, z: 1 }, ['x'], null, 2, { z: 1 }],
    ['adds a member', map, { z: 1 }, ['x', 'y'], 1, null, { z: 1, x: { y: 1 } }],
    ['begins an object that is not there', map, null, ['x'], 1, null, { x: 1 }],
  ])('%s', (_name, field, value, below, before, after, expected) => {
    expect(revertAll(field, value, [diff(pointer('any', ...below), before, after)])).toEqual(expected);
  });
});

it('all differences of a list are undone at once, whatever their order', () => {
  const differences = [
    diff('/tags/0', null, 'new'),
    diff('/tags/2', 'old', null),
    diff('/tags/1', 'a', null),
  ];
  expect(revertAll(set, ['b', 'new'], differences)).toEqual(['b', 'old', 'a']);
  expect(revertAll(set, ['new'], [diff('/tags', ['x'], ['new'])])).toEqual(['x']);
});
