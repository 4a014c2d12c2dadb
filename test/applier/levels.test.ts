import { describe, expect, it } from 'vitest';
import { levelsOf } from '../../src/applier/apply.ts';
import type { Task } from '../../src/applier/find.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { Change } from '../../src/model/plan.ts';
import { change, deleteNotes, kinds, note, request, thing } from './things.ts';

const task = (kind: Kind, made: Change, from = 0): Task => ({
  kind,
  change: made,
  live: null,
  from,
  resumed: from > 0,
});

/** The units in which these are sent, level by level, by the names of their objects. */
const unitsOf = (tasks: readonly Task[]) =>
  levelsOf(tasks, kinds).map(({ units }) => units.map((unit) => unit.map((each) => each.change.key.join())));

describe('changes with the same request', () => {
  const [one, two, three] = deleteNotes(['one', 'two', 'three'].map((key) => ({ id: key, key, text: 'x' })));

  it('are sent together', () => {
    const tasks = [one, two, three].flatMap((made) => (made ? [task(note, made)] : []));
    expect(unitsOf(tasks)).toEqual([[['one', 'two', 'three']]]);
  });

  it('are sent without those for which an earlier run had sent it', () => {
    const tasks = [one, two, three].flatMap((made, at) => (made ? [task(note, made, at === 0 ? 1 : 0)] : []));
    expect(unitsOf(tasks)).toEqual([[['one'], ['two', 'three']]]);
  });

  it('are sent apart where another request follows: it is not the same', () => {
    const first = request('POST', '/v2024/things', { name: 'a' });
    const tasks = ['a', 'b'].map((name) =>
      task(
        thing,
        change(thing, [name], { action: 'update', requests: [first, request('PATCH', `/${name}`)] }),
      ),
    );
    expect(unitsOf(tasks)).toEqual([[['a'], ['b']]]);
  });

  it.each([
    ['method', { method: 'PUT' }],
    ['path', { path: '/v2024/others' }],
    ['query', { query: { name: 'b' } }],
    ['body', { body: ['b'] }],
  ] as const)('are others where the %s differs', (_part, parts) => {
    const sent = { ...request('POST', '/v2024/things', ['a']), query: { name: 'a' } };
    const tasks = [sent, { ...sent, ...parts }].map((each, at) =>
      task(thing, change(thing, [`${at}`], { action: 'update', requests: [each] })),
    );
    expect(unitsOf(tasks)).toEqual([[['0'], ['1']]]);
  });

  it('are no two changes without any', () => {
    const tasks = ['a', 'b'].map((name) => task(thing, change(thing, [name], { action: 'update' })));
    expect(unitsOf(tasks)).toEqual([[['a'], ['b']]]);
  });
});
