import { describe, expect, it } from 'vitest';
import { openJournal } from '../../src/applier/journal.ts';
import { shownNames, withKinds, wrongNames } from '../../src/applier/preflight.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Change } from '../../src/model/plan.ts';
import { newFolder } from './run.ts';
import { createThing, deleteThing, diff, kinds, objectOf, planOf, thing, updateThing } from './things.ts';

const naming = (name: string, named: Record<string, string>, path = '/above'): Change => ({
  ...createThing(name),
  diff: [{ ...diff(path, null, 'x'), named }],
});

describe('the names that changes show beside ids', () => {
  const shownIn = async (changes: readonly Change[], begun: readonly string[] = []) => {
    const journal = await openJournal(await newFolder(), planOf(changes));
    const progress = (address: string) =>
      begun.includes(address) ? { requests: new Map(), settled: null } : null;
    return shownNames(withKinds(changes, kinds), kinds, { ...journal, progress });
  };

  it('are told once, with the first place', async () => {
    const first = naming('a', { t1: 'Thing/boss', n1: 'Note/n' });
    const again = naming('b', { t1: 'Thing/boss', t2: 'Thing/boss' }, '/others/0');
    const found = await shownIn([first, again]);
    expect(found.map(({ id, name, key, in: address, at }) => [id, name, key, address, at])).toEqual([
      ['t1', 'Thing/boss', ['boss'], 'Thing/a', '/above'],
      ['n1', 'Note/n', ['n'], 'Thing/a', '/above'],
      ['t2', 'Thing/boss', ['boss'], 'Thing/b', '/others/0'],
    ]);
    expect(found.map(({ kind }) => kind.name)).toEqual(['Thing', 'Note', 'Thing']);
  });

  it('are none of kinds that the project does not have, of what is no address, and of nothing', async () => {
    expect(await shownIn([naming('a', { x: 'Nothing/a', y: 'the boss' }), createThing('b')])).toEqual([]);
  });

  it('are not those of a change that an earlier run began: they were checked then', async () => {
    const changes = [naming('a', { t1: 'Thing/boss' }), naming('b', { t2: 'Thing/boss' })];
    expect((await shownIn(changes, ['Thing/a'])).map(({ id }) => id)).toEqual(['t2']);
  });
});

describe('a name beside an id', () => {
  const wrongIn = (
    id: string,
    name: string,
    objects: readonly JsonObject[],
    changes: readonly Change[] = [],
  ) => {
    const shown = { id, name: `Thing/${name}`, kind: thing, key: [name], in: 'Thing/a', at: '/above' };
    const live = objects.map((raw) => objectOf(thing, raw));
    return wrongNames([shown], withKinds(changes, kinds), live);
  };
  const boss = { id: 't1', name: 'boss' };
  const wrong = 'The plan shows the id "t1" as Thing/boss in /above of Thing/a, but in the tenant';

  it('is that of the object with the id, in any case where the kind folds it', () => {
    expect(wrongIn('t1', 'boss', [boss])).toEqual([]);
    expect(wrongIn('t1', 'BOSS', [boss])).toEqual([]);
  });

  it.each<[string, readonly JsonObject[], string]>([
    ['another object has the id', [{ id: 't1', name: 'other' }], 'that is Thing/other.'],
    ['its object has another id', [{ id: 't2', name: 'boss' }], 'Thing/boss has the id "t2".'],
    ['its object has none', [{ id: null, name: 'boss' }], 'there is no Thing/boss.'],
    ['there is none', [], 'there is no Thing/boss.'],
  ])('is refused where %s', (_what, objects, truth) => {
    expect(wrongIn('t1', 'boss', objects)).toEqual([
      {
        code: 'plan-name-wrong',
        severity: 'error',
        message: `${wrong} ${truth}`,
        hint: 'Make a new plan and review it.',
        address: 'Thing/a',
      },
    ]);
  });

  it('may be the one before or after a rename of the same plan, and one that it deletes', () => {
    const renamed = { ...updateThing(boss, 'x'), key: ['chief'], diff: [diff('/name', 'boss', 'chief')] };
    for (const objects of [[boss], [{ ...boss, name: 'chief' }]]) {
      expect(wrongIn('t1', 'boss', objects, [renamed])).toEqual([]);
      expect(wrongIn('t1', 'chief', objects, [renamed])).toEqual([]);
      expect(wrongIn('t1', 'else', objects, [renamed])).toHaveLength(1);
      expect(wrongIn('t2', 'chief', [], [renamed])).toHaveLength(1);
    }
    expect(wrongIn('t1', 'boss', [], [deleteThing(boss)])).toEqual([]);
    expect(wrongIn('t1', 'boss', [], [createThing('boss')])).toHaveLength(1);
  });
});
