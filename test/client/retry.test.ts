/** What becomes of a request over all of its attempts: what follows each answer, after which wait, and what it ends with. */
import { describe, expect, it, test } from 'vitest';
import { type Answer, lostAnswer, unsentAnswer } from '../../src/client/answer.ts';
import type { Clock } from '../../src/client/rate-limiter.ts';
import { defaultRetryLimits, sendWithRetry } from '../../src/client/retry.ts';
import { answerWith, jumpingClock } from './support.ts';

type RetryTask = Parameters<typeof sendWithRetry>[0];
type Attempt = Awaited<ReturnType<RetryTask['attempt']>>;

const request = { method: 'GET', path: '/v2025/x', query: {} } as const;
const onRetry = () => {};

const now = Date.parse('2026-03-01T12:00:00Z');
const unreachable = unsentAnswer('unreachable', '');

interface Circumstances {
  readonly repeatable?: boolean;
  readonly attempt?: number;
  /** Milliseconds since the first attempt. */
  readonly elapsed?: number;
  readonly renewable?: boolean;
  readonly random?: number;
}

/** What follows an answer: `finish`, or what is done until another attempt. */
async function step(
  answer: Answer,
  { repeatable = true, attempt = 1, elapsed = 0, renewable = true, random = 1 }: Circumstances = {},
): Promise<string> {
  const done: string[] = [];
  const clock = { now: () => now, sleep: async (ms: number) => void done.push(`wait ${ms}`) };
  const permit = {
    release: (pause?: number) => void (pause !== undefined && done.push(`pause ${pause}`)),
    withdraw() {},
  };
  let isFirst = true;
  const task: RetryTask = {
    request,
    repeatable,
    writes: false,
    signal: new AbortController().signal,
    attempt: async () => {
      if (!isFirst) return { answer: answerWith(200), startedAt: now };
      isFirst = false;
      return { answer, startedAt: now - elapsed, failedFetches: attempt - 1, permit, token: 'T' };
    },
    dropToken: () => renewable && done.push('renew the token') > 0,
  };
  const sent = await sendWithRetry(task, {
    clock,
    retries: defaultRetryLimits,
    random: () => random,
    onRetry,
  });
  return [...done, ...(sent.outcome === 'answered' && sent.status === 200 ? [] : ['finish'])].join(', ');
}

test.each([
  ['3', 3000],
  [' 0 ', 0],
  ['1.5', 1500],
  ['Sun, 01 Mar 2026 12:00:07 GMT', 7000],
  ['Sunday, 01-Mar-26 12:00:07 GMT', 7000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['soon', 0],
  ['-3', 0],
  ['99999999999', 0],
  ['', 0],
])('Retry-After %j asks for %j ms', async (header, ms) => {
  // The client's own wait is the least.
  expect(await step(answerWith(503, null, { 'retry-after': header }))).toBe(`wait ${ms || 400}`);
});

test.each([
  ['behind', 600_000],
  ['ahead', -600_000],
])(
  'a date in Retry-After is taken from the time of the host, where the local clock is %s',
  async (_name, off) => {
    const at = (ms: number) => new Date(now + off + ms).toUTCString();
    const busy = (status: number, headers = {}) =>
      answerWith(status, null, { 'retry-after': at(7000), ...headers });
    expect(await step(busy(429, { date: at(0) }))).toBe('pause 7000');
    expect(await step(busy(503, { date: at(0) }))).toBe('wait 7000');
    // A moment that has passed asks for no wait.
    expect(await step(busy(429, { 'retry-after': at(-7000), date: at(0) }))).toBe('pause 400');
    // A host that does not say what time it is: waiting is guessed, and does not end the run.
    for (const headers of [{}, { date: 'today' }])
      expect(await step(busy(429, headers))).toBe(off > 0 ? 'pause 60000' : 'pause 400');
  },
);

describe('after an attempt', () => {
  test.each<[string, Answer]>([
    ['502', answerWith(502)],
    ['503', answerWith(503)],
    ['504', answerWith(504)],
    ['reset', lostAnswer('reset', '')],
    ['timeout', lostAnswer('timeout', '')],
    ['cut', lostAnswer('cut', '')],
  ])('%s is tried again only where that is safe', async (_name, answer) => {
    expect(await step(answer)).toBe('wait 400');
    expect(await step(answer, { repeatable: false })).toBe('finish');
  });
  test.each([
    lostAnswer('too-large', ''),
    lostAnswer('too-much', ''),
    lostAnswer('interrupted', ''),
    answerWith(400),
    answerWith(403),
    answerWith(500),
    answerWith(302),
    unsentAnswer('untrusted', ''),
  ])('%j is final', async (answer) => expect(await step(answer)).toBe('finish'));
  test('a success is final', async () => expect(await step(answerWith(200))).toBe(''));
  test('what never left is tried again, whatever it is', async () => {
    expect(await step(unreachable, { repeatable: false })).toBe('wait 400');
    expect(await step(unreachable, { elapsed: 10_000 })).toBe('finish');
  });
  test('429 pauses for as long as the tenant asks, whatever the request is', async () => {
    const asked = (seconds: string) => answerWith(429, null, { 'retry-after': seconds });
    expect(await step(asked('7'), { repeatable: false })).toBe('pause 7000');
    expect(await step(answerWith(429))).toBe('pause 400');
    expect(await step(asked('0'))).toBe('pause 400');
    expect(await step(asked('3600'))).toBe('pause 3600000, finish');
    expect(await step(asked('2026'))).toBe('pause 2026000, finish');
    expect(await step(asked(new Date(now + 86_400_000).toUTCString()))).toBe('pause 60000');
    const dated = {
      'retry-after': new Date(now + 86_400_000).toUTCString(),
      date: new Date(now).toUTCString(),
    };
    expect(await step(answerWith(429, null, dated))).toBe('pause 86400000, finish');
  });
  test('a rate limit does not count as a failed attempt', async () =>
    expect(await step(answerWith(429), { attempt: 9, elapsed: 60_000, random: 0 })).toBe('pause 10000'));
  test('401 renews the token once, for any request', async () => {
    expect(await step(answerWith(401), { repeatable: false })).toBe('renew the token');
    expect(await step(answerWith(401), { renewable: false })).toBe('finish');
  });
  test('waits double, up to a limit, half of them left to chance', async () => {
    const waits = [1, 2, 3, 4].map((attempt) => step(answerWith(503), { attempt }));
    expect(await Promise.all(waits)).toEqual([400, 800, 1600, 3200].map((ms) => `wait ${ms}`));
    expect(await step(answerWith(503), { attempt: 4, random: 0 })).toBe('wait 1600');
  });
  test('attempts and time come to an end', async () => {
    expect(await step(answerWith(503), { attempt: 5 })).toBe('finish');
    expect(await step(answerWith(503), { elapsed: 300_000 })).toBe('finish');
  });
});

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
    request,
    repeatable: true,
    writes: false,
    signal: new AbortController().signal,
    attempt: async (_count, ms) => {
      const startedAt = time;
      left.push(ms);
      time += Math.min(180_000, ms);
      return { answer: lostAnswer('timeout', ''), startedAt };
    },
  };
  const sent = await sendWithRetry(task, { clock, retries: defaultRetryLimits, random: () => 1, onRetry });
  expect(sent).toMatchObject({ reason: 'timeout', attempts: 2, ms: 300_000 });
  expect(left).toEqual([300_000, 119_600]);
});

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
    request,
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
    ...more,
  };
  const sent = await sendWithRetry(task, {
    ...{ clock, retries: limits, random: () => 1 },
    onRetry: (_request, attempt, ms, answer) =>
      log.push(['retry', attempt, ms, answer.outcome === 'answered' ? answer.status : answer.outcome]),
  });
  return { sent, log, slept: clock.slept, took: clock.now() - began };
}
const permit = (log: unknown[]) => ({
  release: (pause?: number) => log.push(pause === undefined ? ['release'] : ['pause', pause]),
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
  it('ends with a later answer of the tenant, which may be about the earlier attempt', async () =>
    expect((await send([gone, answerWith(409)])).sent).toMatchObject({ status: 409, repeated: true }));

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

describe('a token', () =>
  it('that was hard to get uses up attempts', async () => {
    const { sent, log } = await send([{ answer: busy, failedFetches: 1 }, busy, done]);
    expect(sent).toMatchObject({ status: 503, attempts: 3 });
    expect(log).toEqual([
      ['attempt', 1, 60_000],
      ['retry', 2, 200, 503],
      ['attempt', 3, 59_800],
    ]);
  }));

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
      request,
      repeatable: true,
      writes: false,
      signal: new AbortController().signal,
      attempt: async (count) => {
        if (count === 1) await clock.sleep(500_000);
        return { answer: count === 1 ? busy : done, startedAt: clock.now() };
      },
    },
    { clock, retries: limits, random: () => 1, onRetry },
  );
  expect(sent).toMatchObject({ status: 200, attempts: 2, ms: 100 });
});
