import { describe, expect, it } from 'vitest';
import { wrongReferences } from '../../src/applier/preflight.ts';
import type { Json } from '../../src/model/json.ts';
import type { Change } from '../../src/model/plan.ts';
import {
  change,
  createThing,
  deleteThing,
  diff,
  kinds,
  planOf,
  request,
  thing,
  updateThing,
} from './things.ts';

const ref = (address: string) => ({ $ref: address });
const upper = createThing('upper');
const sending = (after: Json, body: Json, path = '/above'): Change =>
  change(thing, ['a'], {
    action: 'update',
    id: 't1',
    diff: [diff('/text', null, 'x'), diff(path, null, after)],
    requests: [
      request('PATCH', '/v2024/things/t1', { text: 'x' }),
      request('PATCH', '/v2024/things/t1', body),
    ],
  });
const toUpper = sending(ref('Thing/upper'), { above: ref('Thing/upper') });
const naming = (named: Record<string, string>, path = '/above'): Change =>
  change(thing, ['a'], { action: 'update', id: 't1', diff: [{ ...diff(path, null, 't9'), named }] });
const wrongIn = (...changes: readonly Change[]) =>
  wrongReferences(planOf(changes), kinds).map(({ address, why }) => `${address}: ${why}`);

describe('the references of a plan', () => {
  it.each<[string, readonly Change[]]>([
    ['of no object', [upper, updateThing({ id: 't2', name: 'b' }, 'x')]],
    ['to an object that it creates, before or after', [toUpper, upper]],
    [
      'in a list',
      [upper, sending({ id: ref('Thing/upper') }, { others: [{ id: ref('Thing/upper') }] }, '/others/0')],
    ],
    [
      'with the names of what was looked up, and of objects of the kind of the field',
      [naming({ t8: '!lookup things', t9: 'Thing/other' }), naming({ x: '!lookup texts' }, '/text')],
    ],
    [
      'in a delete, which shows what the tenant has',
      [{ ...deleteThing({ id: 't2', name: 'b' }), diff: [diff('/text', 'x', ref('Thing/upper'))] }],
    ],
    [
      'of a kind that is not known, which is refused elsewhere',
      [{ ...toUpper, kind: 'Nothing', address: 'Nothing/a' }],
    ],
  ])('are sound: %s', (_what, changes) => {
    expect(wrongIn(...changes)).toEqual([]);
  });

  it.each<[string, readonly Change[], readonly string[]]>([
    [
      'to an object that it only changes',
      [toUpper, { ...upper, action: 'update' }],
      ['the plan does not create Thing/upper, whose id they send'],
    ],
    [
      'to an object of another kind',
      [sending(ref('Note/n'), { above: ref('Note/n') }), { ...upper, address: 'Note/n' }],
      ['/above cannot hold the id of Note/n'],
    ],
    [
      'in a text',
      [upper, sending(ref('Thing/upper'), {}, '/text')],
      ['/text cannot hold the id of Thing/upper'],
    ],
    [
      'beside the id of a reference',
      [upper, sending({ id: 't5', type: ref('Thing/upper') }, {}, '/others/0')],
      ['/others cannot hold the id of Thing/upper'],
    ],
    [
      'that are shown, and to an object that it does not create',
      [sending(ref('Thing/upper'), {})],
      ['the plan does not create Thing/upper, whose id they send'],
    ],
  ])('are refused: %s', (_what, changes, why) => {
    expect(wrongIn(...changes)).toEqual(why.map((text) => `Thing/a: ${text}`));
  });

  it('are refused in a cycle, which is named once', () => {
    const [p, q] = [createThing('p', { above: ref('Thing/q') }), createThing('q', { above: ref('Thing/p') })];
    expect(wrongIn(p, q)).toEqual([
      expect.stringMatching(
        /^Thing\/[pq]: they refer to each other in a cycle: Thing\/[pq] -> Thing\/[pq] -> Thing\/[pq]$/,
      ),
    ]);
  });
});
