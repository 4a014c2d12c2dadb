/** What is said where two objects of a tenant share a key. */
import { expect, test } from 'vitest';
import { refuseDuplicates } from '../../src/client/twins.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { Failure } from '../../src/model/failure.ts';
import { type Answer, answers, liveFrom } from '../support/plan.ts';

function problemsOf(...given: readonly Answer[]): readonly Diagnostic[] {
  const objects = given.map((each) => liveFrom(each));
  try {
    for (const { kind } of objects.slice(0, 1)) refuseDuplicates(kind, objects);
  } catch (error) {
    if (error instanceof Failure) return error.diagnostics;
    throw error;
  }
  return [];
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
