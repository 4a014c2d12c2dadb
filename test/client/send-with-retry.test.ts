/** What becomes of a request over all of its attempts. */
import { describe, expect, it } from 'vitest';
import { type Answer, lostAnswer, unsentAnswer } from '../../src/client/answer.ts';
import { type Attempt, type RetryTask, sendWithRetry } from '../../src/client/retry.ts';
import { answerWith, jumpingClock } from './support.ts';

const limits = {
  attempts: 3,
  total: 60_000,
  lastAttempt: 5_000,
  unreachable: 2_000,
  firstWait: 100,
  longestWait: 1_000,
};
const busy = answerWith(503);
const done = answerWith(200, { id: '1' });
const gone = lostAnswer('reset', 'the connection ended');
const nobody = unsentAnswer('unreachable', 'nobody listens');

/** Sends a request that gets these answers, one after the other, and tells all that happened. */
async function send(answers: readonly (Answer | Partial<Attempt>)[], more: Partial<RetryTask> = {}) {
  const clock = jumpingClock();
  const began = clock.now();
  const log: unknown[] = [];
  const task: RetryTask = {
    repeatable: true,
    writes: true,
    signal: new AbortController().signal,
    attempt: async (count, longest) => {
      log.push(['attempt', count, longest]);
      const next =
        answers[
          Math.min(
            log.filter((entry) => Array.isArray(entry) && entry[0] === 'attempt').length,
            answers.length,
          ) - 1
        ];
      if (!next) throw new Error('There is no such answer.');
      return 'outcome' in next
        ? { answer: next, startedAt: clock.now() }
        : { answer: done, startedAt: clock.now(), ...next };
    },
    dropToken: (token) => log.push(['drop', token]) > 0,
    onRetry: (attempt, ms, answer) =>
      log.push(['retry', attempt, ms, answer.outcome === 'answered' ? answer.status : answer.outcome]),
    ...more,
  };
  const sent = await sendWithRetry(task, { clock, retries: limits, random: () => 1 });
  return { sent, log, slept: clock.slept, took: clock.now() - began };
}
const permit = (log: unknown[]) => ({
  pause: (ms: number) => log.push(['pause', ms]),
  release: () => log.push(['release']),
  withdraw: () => log.push(['withdraw']),
});

describe('a request', () => {
  it('is tried again after longer and longer waits, each told before', async () => {
    const { sent, log, slept } = await send([busy, busy, done]);
    expect(sent).toMatchObject({ status: 200, attempts: 3, ms: 300, repeated: true });
    expect(log).toEqual([
      ['attempt', 1, 60_000],
      ['retry', 1, 100, 503],
      ['attempt', 2, 59_900],
      ['retry', 2, 200, 503],
      ['attempt', 3, 59_700],
    ]);
    expect(slept).toEqual([100, 200]);
  });

  it('always has time for one more answer', async () => {
    const { log } = await send([answerWith(429, null, { 'retry-after': '59' }), done]);
    expect(log.at(-1)).toEqual(['attempt', 2, 5_000]);
  });
});

describe('a write that may have been carried out', () => {
  it('ends with a later answer of the tenant, which may be about the earlier attempt', async () => {
    expect((await send([gone, answerWith(409)])).sent).toMatchObject({ status: 409, repeated: true });
  });

  it('is no read, nor one that was certainly not carried out', async () => {
    expect((await send([gone, nobody, nobody], { writes: false })).sent).toMatchObject({
      ...nobody,
      repeated: false,
    });
    expect((await send([answerWith(429), nobody, done])).sent).toMatchObject({
      status: 200,
      repeated: false,
    });
  });
});

describe('a token', () => {
  it('that was hard to get uses up attempts', async () => {
    const { sent, log } = await send([{ answer: busy, failedFetches: 1 }, busy, done]);
    expect(sent).toMatchObject({ status: 503, attempts: 3 });
    expect(log).toEqual([
      ['attempt', 1, 60_000],
      ['retry', 2, 200, 503],
      ['attempt', 3, 59_800],
    ]);
  });
});

describe('a permit of the rate limit', () => {
  it('is given back after each answer, and paused for as long as the tenant asks', async () => {
    const permits: unknown[] = [];
    const held = (answer: Answer) => ({ answer, permit: permit(permits) });
    const { sent, slept, log } = await send([
      held(answerWith(429, null, { 'retry-after': '7' })),
      held(busy),
      held(done),
    ]);
    expect(sent).toMatchObject({ status: 200, attempts: 3 });
    expect(permits).toEqual([['pause', 7_000], ['release'], ['release']]);
    // The limiter holds back all requests meanwhile: there is nothing to wait for here.
    expect(slept).toEqual([200]);
    expect(log).toContainEqual(['retry', 1, 7_000, 429]);
  });

  it('is not asked for without end where each pause ends with another refusal', async () => {
    const { sent, took } = await send([answerWith(429, null, { 'retry-after': '25' })]);
    expect(sent).toMatchObject({ status: 429, attempts: 3 });
    expect(took).toBe(50_000);
  });
});

it('time in the queue before the first attempt does not count', async () => {
  const clock = jumpingClock();
  const sent = await sendWithRetry(
    {
      repeatable: true,
      writes: false,
      signal: new AbortController().signal,
      attempt: async (count) => {
        if (count === 1) await clock.sleep(500_000);
        return { answer: count === 1 ? busy : done, startedAt: clock.now() };
      },
      dropToken: () => false,
      onRetry: () => {},
    },
    { clock, retries: limits, random: () => 1 },
  );
  expect(sent).toMatchObject({ status: 200, attempts: 2, ms: 100 });
});
