import { describe, expect, test } from 'vitest';
import type { Answer, Lost } from '../../src/client/answer.ts';
import type { Clock } from '../../src/client/clock.ts';
import {
  type Attempted,
  defaultRetryLimits,
  nextStep,
  type RetryTask,
  sendWithRetry,
} from '../../src/client/retry.ts';
import type { Json } from '../../src/model/json.ts';
import { isRepeatable } from '../../src/model/plan.ts';
import { answerWith } from './support.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['3', 3000],
  [' 0 ', 0],
  ['1.5', 1500],
  ['Sun, 01 Mar 2026 12:00:07 GMT', 7000],
  ['Sunday, 01-Mar-26 12:00:07 GMT', 7000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['soon', null],
  ['-3', null],
  ['2026', 2_026_000],
  ['99999999999', null],
  ['', null],
  [undefined, null],
])('Retry-After %j asks for %j ms', (header, ms) => {
  const busy = answerWith(503, null, header === undefined ? {} : { 'retry-after': header });
  // The client's own wait is the least.
  expect(step(busy, { attempt: 0, random: 0 })).toEqual(
    ms !== null && ms > 300_000 ? { do: 'finish' } : { do: 'wait', ms: ms || 100 },
  );
});

test.each([
  ['behind', 600_000],
  ['ahead', -600_000],
])('a date in Retry-After is taken from the time of the host, where the local clock is %s', (_name, off) => {
  const at = (ms: number) => new Date(now + off + ms).toUTCString();
  const busy = (status: number, headers = {}) =>
    answerWith(status, null, { 'retry-after': at(7000), ...headers });
  expect(step(busy(429, { date: at(0) }))).toEqual({ do: 'pause', ms: 7000, again: true });
  expect(step(busy(503, { date: at(0) }))).toEqual({ do: 'wait', ms: 7000 });
  // A moment that has passed asks for no wait.
  expect(step(busy(429, { 'retry-after': at(-7000), date: at(0) }))).toMatchObject({ do: 'pause', ms: 400 });
  // A host that does not say what time it is: waiting is guessed, and does not end the run.
  expect(step(busy(429))).toEqual({ do: 'pause', ms: off > 0 ? 60_000 : 400, again: true });
  expect(step(busy(429, { date: 'today' }))).toMatchObject({ again: true });
});

test('a tenant that asks for a day by its own clock is not waited for', () => {
  const headers = {
    'retry-after': new Date(now + 86_400_000).toUTCString(),
    date: new Date(now).toUTCString(),
  };
  expect(step(answerWith(429, null, headers))).toMatchObject({ do: 'pause', again: false });
});

const patchCases: [string, Json, boolean][] = [
  ['replace', [{ op: 'replace', path: '/type', value: 'MFA' }], true],
  ['replace inside a list', [{ op: 'replace', path: '/sources/0', value: 'x' }], true],
  ['add to a member', [{ op: 'add', path: '/description', value: 'x' }], true],
  ['operations', { operations: [{ op: 'replace', path: '/name', value: 'x' }] }, true],
  ['operations with a remove', { operations: [{ op: 'remove', path: '/name' }] }, false],
  ['operations that are no list', { operations: 'all' }, false],
  ['append', [{ op: 'add', path: '/sources/-', value: 'x' }], false],
  ['insert', [{ op: 'add', path: '/sources/0', value: 'x' }], false],
  ['remove', [{ op: 'remove', path: '/description' }], false],
  ['move', [{ op: 'move', from: '/a', path: '/b' }], false],
  ['test', [{ op: 'test', path: '/a', value: 1 }], false],
  ['label of a search', { advanced_search: { label: 'x' } }, true],
  ['rules with ids', { advanced_search: { condition_rules_attributes: [{ id: '1', value: 'x' }] } }, true],
  ['a rule without id', { advanced_search: { condition_rules_attributes: [{ value: 'x' }] } }, false],
  ['a rule with id null', { advanced_search: { condition_rules_attributes: [{ id: null }] } }, false],
  [
    'a rule removed',
    { advanced_search: { condition_rules_attributes: [{ id: '1', _destroy: true }] } },
    false,
  ],
  ['text', 'x', false],
];
test.each(patchCases)('PATCH with %s', (_name, body, repeatable) => {
  expect(isRepeatable({ method: 'PATCH', body })).toBe(repeatable);
});
test.each([
  ['GET', true],
  ['PUT', true],
  ['DELETE', true],
  ['POST', false],
] as const)('%s', (method, repeatable) => {
  expect(isRepeatable({ method, body: {} })).toBe(repeatable);
});

const lost = (reason: Lost['reason']): Answer => ({
  outcome: 'lost',
  reason,
  detail: '',
});
const unreachable: Answer = { outcome: 'unsent', reason: 'unreachable', detail: '' };

function step(answer: Answer, more: Partial<Attempted> = {}) {
  const attempted: Attempted = {
    answer,
    repeatable: true,
    attempt: 1,
    elapsed: 0,
    renewable: true,
    now,
    random: 1,
    ...more,
  };
  return nextStep(attempted, defaultRetryLimits);
}

test('all attempts and waits together have a time limit, which the last attempt is told', async () => {
  let time = 0;
  const left: number[] = [];
  const clock: Clock = {
    now: () => time,
    sleep: async (ms) => {
      time += ms;
    },
  };
  const task: RetryTask = {
    repeatable: true,
    writes: false,
    signal: new AbortController().signal,
    attempt: async (_count, ms) => {
      const startedAt = time;
      left.push(ms);
      time += Math.min(180_000, ms);
      return { answer: lost('timeout'), startedAt };
    },
    dropToken: () => false,
    onRetry: () => {},
  };
  const sent = await sendWithRetry(task, { clock, retries: defaultRetryLimits, random: () => 1 });
  expect(sent).toMatchObject({ reason: 'timeout', attempts: 2, ms: 300_000 });
  expect(left).toEqual([300_000, 119_600]);
});

describe('after an attempt', () => {
  test.each([502, 503, 504])('%i is tried again only where that is safe', (status) => {
    expect(step(answerWith(status)).do).toBe('wait');
    expect(step(answerWith(status), { repeatable: false }).do).toBe('finish');
  });
  test.each(['reset', 'timeout', 'cut'] as const)('a %s is tried again only where that is safe', (reason) => {
    expect(step(lost(reason)).do).toBe('wait');
    expect(step(lost(reason), { repeatable: false }).do).toBe('finish');
  });
  test.each([
    lost('too-large'),
    lost('too-much'),
    lost('interrupted'),
    answerWith(200),
    answerWith(400),
    answerWith(500),
    answerWith(302),
    { outcome: 'unsent', reason: 'untrusted', detail: '' } as const,
  ])('%j is final', (answer) => {
    expect(step(answer).do).toBe('finish');
  });
  test('what never left is tried again, whatever it is', () => {
    expect(step(unreachable, { repeatable: false }).do).toBe('wait');
    expect(step(unreachable, { elapsed: 10_000 }).do).toBe('finish');
  });
  test('429 pauses for as long as the tenant asks, whatever the request is', () => {
    const asked = answerWith(429, null, { 'retry-after': '7' });
    expect(step(asked, { repeatable: false })).toEqual({ do: 'pause', ms: 7000, again: true });
    expect(step(answerWith(429))).toEqual({ do: 'pause', ms: 400, again: true });
    expect(step(answerWith(429, null, { 'retry-after': '0' }))).toEqual({
      do: 'pause',
      ms: 400,
      again: true,
    });
    expect(step(answerWith(429, null, { 'retry-after': '3600' }))).toMatchObject({
      ms: 3_600_000,
      again: false,
    });
  });
  test('a rate limit does not count as a failed attempt', () => {
    expect(step(answerWith(429), { attempt: 9, elapsed: 60_000 })).toMatchObject({
      do: 'pause',
      again: true,
    });
  });
  test('401 renews the token once, for any request', () => {
    expect(step(answerWith(401), { repeatable: false }).do).toBe('renew-token');
    expect(step(answerWith(401), { renewable: false }).do).toBe('finish');
    expect(step(answerWith(403)).do).toBe('finish');
  });
  test('waits double, up to a limit, half of them left to chance', () => {
    const waits = [1, 2, 3, 4].map((attempt) => step(answerWith(503), { attempt }));
    expect(waits).toEqual([400, 800, 1600, 3200].map((ms) => ({ do: 'wait', ms })));
    expect(step(answerWith(503), { attempt: 4, random: 0 })).toEqual({ do: 'wait', ms: 1600 });
  });
  test('a 503 that asks for a wait gets it', () => {
    expect(step(answerWith(503, null, { 'retry-after': '9' }))).toEqual({ do: 'wait', ms: 9000 });
  });
  test('attempts and time come to an end', () => {
    expect(step(answerWith(503), { attempt: 5 }).do).toBe('finish');
    expect(step(answerWith(503), { elapsed: 300_000 }).do).toBe('finish');
  });
});
