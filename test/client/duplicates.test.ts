/** How objects of a tenant that share a key are known, and what is said of them. */
import { describe, expect, test } from 'vitest';
import { nameById, refuseDuplicates } from '../../src/client/read.ts';
import { allOf, type ReadRequest } from '../../src/kinds/read-request.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { Failure } from '../../src/model/failure.ts';
import { type Answer, answers, liveFrom } from '../support/plan.ts';

function problemsOf(...given: readonly Answer[]): readonly Diagnostic[] {
  const objects = given.map((each) => liveFrom(each));
  try {
    refuseDuplicates(objects);
  } catch (error) {
    if (error instanceof Failure) return error.diagnostics;
    throw error;
  }
  return [];
}

/** What a manifest means: by name, by the id alone, or in a reference. */
interface Meant {
  readonly keys?: readonly string[];
  readonly ids?: readonly string[];
  readonly referred?: readonly string[];
}

const profile = (id: string) => ({ kind: 'AuthProfile', id, raw: { name: 'All', type: 'MFA' } });

test('each key that several objects have is named, with their ids and what to do', () => {
  const given = [
    answers.template('a', {}, '1'),
    answers.template('b', {}, '2'),
    answers.template('a', {}, null),
    answers.template('c', {}, '3'),
    answers.template('b', {}, '4'),
  ];
  expect(problemsOf(...given)).toEqual([
    {
      code: 'duplicate-live-key',
      severity: 'error',
      message:
        'The tenant has 2 objects of kind NotificationTemplate with the key "a/EMAIL/en": ids 1, no id.',
      hint: 'Rename or delete all but one of them in the tenant.',
      address: 'NotificationTemplate/a/EMAIL/en',
    },
    expect.objectContaining({ message: expect.stringContaining('ids 2, 4') }),
  ]);
});

test('where a manifest can pin an id, that is a way out', () => {
  expect(problemsOf(profile('p1'), profile('p2'))).toMatchObject([
    {
      hint: 'Rename or delete all but one of them in the tenant. Or declare each by its `id` alone, without the name.',
    },
  ]);
});

test('objects with keys of their own are no problem', () => {
  expect(problemsOf(answers.template('a'), answers.template('b'))).toEqual([]);
});

describe('objects that share a name', () => {
  const kind = () => liveFrom(profile('p1')).kind;
  const request = (meant: Meant): ReadRequest => {
    const { keys = [], ids = [], referred = [] } = meant;
    const all = [...keys, ...ids, ...referred].map((key) => [key]);
    const allowsDuplicates = referred.map((key) => [key]);
    return { kind: kind(), keys: all, ids, idsAsNames: ids, complete: false, allowsDuplicates };
  };
  const keysOf = (objects: readonly Answer[], meant: Meant = {}) =>
    nameById(
      request(meant),
      objects.map((each) => liveFrom(each)),
    ).map(({ key, address, identity }) => {
      expect(identity).toBe(address);
      expect(address).toBe(`AuthProfile/${key}`);
      return key[0];
    });
  const twins = [profile('p1'), profile('p2')];
  const alone = { kind: 'AuthProfile', id: 'p3', raw: { name: 'Alone', type: 'MFA' } };

  test('are known by their ids, and others by their names', () => {
    expect(keysOf([...twins, alone])).toEqual(['p1', 'p2', 'Alone']);
    expect(keysOf([...twins, alone], { keys: ['Alone', 'other'] })).toEqual(['p1', 'p2', 'Alone']);
  });

  test('keep it where a manifest means it, so that this is refused', () => {
    expect(keysOf([...twins, alone], { keys: ['All'] })).toEqual(['All', 'All', 'Alone']);
  });

  test('are known by the id that a manifest means, also where nobody shares the name', () => {
    expect(keysOf([...twins, alone], { ids: ['p3'] })).toEqual(['p1', 'p2', 'p3']);
    expect(keysOf([...twins, alone], { keys: ['All'], ids: ['p2'] })).toEqual(['All', 'p2', 'Alone']);
  });

  test('are known by the id that a reference has, unless an object has it as its name', () => {
    expect(keysOf([alone], { referred: ['p3'] })).toEqual(['p3']);
    const named = { kind: 'AuthProfile', id: 'p9', raw: { name: 'p3', type: 'MFA' } };
    expect(keysOf([alone, named], { referred: ['p3'] })).toEqual(['Alone', 'p3']);
    // A manifest declares it by its name: known by its id, it would look absent, and be created again.
    expect(keysOf([alone], { keys: ['Alone'], referred: ['p3'] })).toEqual(['Alone']);
  });

  test('keep it where a manifest has their id as a name', () => {
    expect(keysOf([alone], { keys: ['p3'] })).toEqual(['Alone']);
  });

  test('keep it where they have no id', () => {
    const nameless = [answers.template('a', {}, null), answers.template('a', {}, null)].map((each) =>
      liveFrom(each),
    );
    for (const object of nameless.slice(0, 1))
      expect(nameById(allOf(object.kind), nameless).map(({ key }) => key[0])).toEqual(['a', 'a']);
  });
});
