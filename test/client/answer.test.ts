/** What an answer says: carried out, complete, perhaps carried out, and why a request was not sent. */
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  holdsMessage,
  isSuccess,
  isWhole,
  lostAnswer,
  mayHaveHappened,
  unsentAnswer,
  unsentWithProblems,
} from '../../src/client/answer.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { answerWith } from './support.ts';

it.each<[string, Answer, boolean, boolean, boolean]>([
  ['199', answerWith(199), false, false, false],
  ['200', answerWith(200), true, true, true],
  ['204', answerWith(204), true, true, true],
  ['206, which holds a part', answerWith(206), true, false, true],
  ['226, which holds differences', answerWith(226), true, false, true],
  ['299', answerWith(299), true, true, true],
  ['300', answerWith(300), false, false, false],
  ['404', answerWith(404), false, false, false],
  ['499', answerWith(499), false, false, false],
  ['500', answerWith(500), false, false, true],
  ['503', answerWith(503), false, false, true],
  ['a lost answer', lostAnswer('reset', 'it ended'), false, false, true],
  ['a request that was not sent', unsentAnswer('unreachable', 'no host'), false, false, false],
])('%s: is it a success, is it whole, may it have happened', (_, answer, success, whole, happened) => {
  expect([isSuccess(answer), isWhole(answer), mayHaveHappened(answer)]).toEqual([success, whole, happened]);
});

it.each([
  [200, false],
  [302, true],
  [400, true],
])('the body of a %i is a message, from which secrets are removed: %s', (status, isMessage) => {
  const answered = {
    outcome: 'answered',
    status,
    headers: {},
    body: { name: 'x' },
    text: '',
  } as const;
  expect(holdsMessage(answered)).toBe(isMessage);
});

describe('a request that was not sent', () => {
  const problem = (message: string, hint?: string): Diagnostic => ({
    code: 'secret-unset',
    severity: 'error',
    message,
    ...(hint === undefined ? {} : { hint }),
  });

  it('names all problems in one line, with all advice', () => {
    const problems = [problem('A. B is not set.', 'Set B.'), problem('C is not set.', 'Set C.')];
    expect(unsentWithProblems('no-secret', problems)).toEqual({
      outcome: 'unsent',
      reason: 'no-secret',
      detail: 'A. B is not set; C is not set',
      hint: 'Set B. Set C.',
      problems,
    });
  });

  it('has no advice where there is none', () => {
    const sent = unsentWithProblems('no-secret', [problem('A is not set.')]);
    expect(sent).not.toHaveProperty('hint');
    expect(unsentWithProblems('no-secret', [problem('A.'), problem('B.', 'Set B.')]).hint).toBe('Set B.');
    expect(unsentAnswer('unsafe', 'why')).toEqual({ outcome: 'unsent', reason: 'unsafe', detail: 'why' });
  });
});
