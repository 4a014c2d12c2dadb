import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import type { Change } from '../../src/model/plan.ts';
import { apply } from './run.ts';
import { startTenant } from './tenant.ts';
import { change, createThing, deleteThing, diff, planOf, request, thing, updateThing } from './things.ts';

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
const naming = (named: Record<string, string>, path = '/above'): Change => ({
  ...sending('t9', { above: 't9' }),
  diff: [{ ...diff(path, null, 't9'), named }],
});

async function wrongIn(...changes: readonly Change[]) {
  const { diagnostics = [] } = await apply(planOf(changes), await startTenant());
  const wrong = diagnostics.filter(({ code }) => code === 'plan-request-refused');
  return wrong.map(({ message }) => message.replace("The plan's requests for ", ''));
}
const notShown = (why: string) => `Thing/a are not what it shows: ${why}.`;

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
  ])('are sound: %s', async (_what, changes) => {
    expect(await wrongIn(...changes)).toEqual([]);
  });

  it.each<[string, readonly Change[], string]>([
    [
      'to an object that it only changes',
      [toUpper, { ...upper, action: 'update' }],
      'the plan does not create Thing/upper, whose id they send',
    ],
    [
      'to an object of another kind',
      [sending(ref('Note/n'), { above: ref('Note/n') }), { ...upper, address: 'Note/n' }],
      '/above cannot hold the id of Note/n',
    ],
    [
      'in a text',
      [upper, sending(ref('Thing/upper'), {}, '/text')],
      '/text cannot hold the id of Thing/upper',
    ],
    [
      'beside the id of a reference',
      [upper, sending({ id: 't5', type: ref('Thing/upper') }, {}, '/others/0')],
      '/others cannot hold the id of Thing/upper',
    ],
    [
      'that are shown, and to an object that it does not create',
      [sending(ref('Thing/upper'), {})],
      'the plan does not create Thing/upper, whose id they send',
    ],
  ])('are refused: %s', async (_what, changes, why) => {
    expect(await wrongIn(...changes)).toEqual([notShown(why)]);
  });

  it('are refused in a cycle, which is named once', async () => {
    const [p, q] = [createThing('p', { above: ref('Thing/q') }), createThing('q', { above: ref('Thing/p') })];
    expect(await wrongIn(p, q)).toEqual([
      expect.stringMatching(
        /^Thing\/[pq] are not what it shows: they refer to each other in a cycle: Thing\/[pq] -> Thing\/[pq] -> Thing\/[pq]\.$/,
      ),
    ]);
  });
});
