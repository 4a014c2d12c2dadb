import { describe, expect, it } from 'vitest';
import { changeKeys, finderIn, requestsForChanges } from '../../src/applier/find.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { keyBefore } from '../../src/kinds/live-objects.ts';
import type { Change } from '../../src/model/plan.ts';
import { change, createThing, diff, note, objectOf, thing, updateThing, writeNote } from './things.ts';

const rawOf = (name: string, id = `id-${name}`) => ({ id, name, text: 'x' });
const updateOf = (name: string) => updateThing(rawOf(name), 'y');
const renamed: Change = { ...updateOf('new'), diff: [diff('/text', 'x', 'y'), diff('/name', 'old', 'new')] };
const nothing = { tenant: { identity: '', profiles: '' }, objects: [], defaults: [] };

describe('what is read for changes', () => {
  it('is asked of each kind at once: by keys, by those before a rename too, and by ids', () => {
    const entries = [
      { kind: thing, change: renamed },
      { kind: note, change: writeNote('n', 'text') },
      { kind: thing, change: createThing('made') },
    ];
    const asked = { idsAsNames: [], complete: false, written: false };
    expect(requestsForChanges(entries)).toEqual([
      { ...asked, kind: thing, keys: [['new'], ['old'], ['made']], ids: ['id-new'] },
      { ...asked, kind: note, keys: [['n']], ids: [] },
    ]);
    expect(requestsForChanges(entries, { written: true }).map(({ written }) => written)).toEqual([
      true,
      true,
    ]);
    expect(requestsForChanges([])).toEqual([]);
  });

  it('is asked by id alone where each object has a call of its own, and all of them are known', () => {
    const list = { resource: thing.resource, pageSize: null };
    const each = () => {
      throw new Error('Nothing is called here.');
    };
    const apart: Kind = { ...thing, read: { how: 'list-then-each', list, each } };
    const keysFor = (kind: Kind, ...changes: Change[]) =>
      requestsForChanges(
        changes.map((one) => ({ kind, change: one })),
        { found: true },
      ).map(({ keys, ids }) => [keys.length, ids.length]);
    expect(keysFor(apart, updateOf('a'), updateOf('b'))).toEqual([[0, 2]]);
    expect(keysFor(apart, updateOf('a'), createThing('b'))).toEqual([[2, 1]]);
    expect(keysFor(thing, updateOf('a'), updateOf('b'))).toEqual([[2, 2]]);
  });
});

describe('the key before a rename', () => {
  it('is that of the difference, and of no other change', () => {
    expect(keyBefore(thing, renamed)).toEqual(['old']);
    expect(changeKeys(thing, renamed)).toEqual([['new'], ['old']]);
    expect(keyBefore(thing, updateOf('a'))).toBeNull();
    expect(changeKeys(thing, updateOf('a'))).toEqual([['a']]);
    expect(keyBefore(thing, { ...updateOf('a'), diff: [diff('/name', null, 'a')] })).toBeNull();
    expect(keyBefore(thing, { ...updateOf('a'), diff: [diff('/name/x', 'old', 'a')] })).toBeNull();
  });

  it('has the parts that stay', () => {
    const parts: Kind = { ...thing, keyFields: [{ name: 'name' }, { name: 'locale' }] };
    const moved = change(parts, ['a', 'en'], { action: 'update', diff: [diff('/locale', 'de', 'en')] });
    expect(keyBefore(parts, moved)).toEqual(['a', 'de']);
    expect(keyBefore(thing, moved)).toBeNull();
  });
});

describe('the object of a change', () => {
  it('is found by its key, its key before, and its id, and by nothing else', () => {
    const findIn = (...raws: ReturnType<typeof rawOf>[]) =>
      finderIn({ ...nothing, objects: raws.map((raw) => objectOf(thing, raw)) })({
        kind: thing,
        change: renamed,
      });
    for (const raw of [rawOf('NEW', 'x'), rawOf('old', 'x'), rawOf('other', 'id-new')]) {
      expect(findIn(rawOf('else', 'y'), raw).live?.key).toEqual([raw.name]);
    }
    expect(findIn(rawOf('else', 'y'))).toEqual({ live: null, others: [], standard: null });
    expect(findIn(rawOf('new', 'x'), rawOf('old', 'y')).others).toHaveLength(1);
  });

  it('is told from the default of the vendor', () => {
    const base = objectOf(note, { id: 'd', key: 'n', text: 'theirs' });
    const find = finderIn({ ...nothing, defaults: [base] });
    expect(find({ kind: note, change: writeNote('n', 'text') })).toEqual({
      live: null,
      others: [],
      standard: base,
    });
    expect(find({ kind: note, change: writeNote('other', 'text') }).standard).toBeNull();
  });
});
