/** What an answer says: carried out, complete, perhaps carried out, and why a request was not sent. */
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  isSuccess,
  isWhole,
  lost,
  mayHaveHappened,
  unsent,
  unsentFor,
} from '../../src/client/answer.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { answered } from './support.ts';

it.each<[string, Answer, boolean, boolean, boolean]>([
  ['199', answered(199), false, false, false],
  ['200', answered(200), true, true, true],
  ['204', answered(204), true, true, true],
  ['206, which holds a part', answered(206), true, false, true],
  ['299', answered(299), true, true, true],
  ['300', answered(300), false, false, false],
  ['404', answered(404), false, false, false],
  ['499', answered(499), false, false, false],
  ['500', answered(500), false, false, true],
  ['503', answered(503), false, false, true],
  ['a lost answer', lost('reset', 'it ended'), false, false, true],
  ['a request that was not sent', unsent('unreachable', 'no host'), false, false, false],
])('%s: is it a success, is it whole, may it have happened', (_, answer, success, whole, happened) => {
  expect([isSuccess(answer), isWhole(answer), mayHaveHappened(answer)]).toEqual([success, whole, happened]);
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
    expect(unsentFor('no-secret', problems)).toEqual({
      outcome: 'unsent',
      reason: 'no-secret',
      detail: 'A. B is not set; C is not set',
      hint: 'Set B. Set C.',
      problems,
    });
  });

  it('has no advice where there is none', () => {
    const sent = unsentFor('no-secret', [problem('A is not set.')]);
    expect(sent).not.toHaveProperty('hint');
    expect(unsentFor('no-secret', [problem('A.'), problem('B.', 'Set B.')]).hint).toBe('Set B.');
    expect(unsent('unsafe', 'why')).toEqual({ outcome: 'unsent', reason: 'unsafe', detail: 'why' });
  });
});
