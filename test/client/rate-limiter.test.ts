import { describe, expect, it, test, vi } from 'vitest';
import { type Permit, RateLimiter, SlidingWindow, systemClock } from '../../src/client/rate-limiter.ts';
import { handClock, settle } from './support.ts';

/** A tenant that refuses what exceeds `requests` arrivals in any `per`. */
function strictTenant(requests: number, per: number) {
  const arrivals: number[] = [];
  return {
    arrivals,
    accepts(at: number): boolean {
      if (arrivals.filter((other) => other > at - per && other <= at).length >= requests) return false;
      arrivals.push(at);
      return true;
    },
  };
}

/** Deterministic numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('the window', () => {
  test.each([1, 2, 3, 4, 5])(
    'never exceeds the limit under a network of uneven speed, and loses little (%i)',
    (seed) => {
      const random = numbers(seed);
      const window = new SlidingWindow({ requests: 100, per: 10_000 });
      const arrivals: number[] = [];
      let now = 0;
      for (let sent = 0; sent < 500; sent += 1) {
        now += window.wait(now);
        const slot = window.start(now);
        const arrival = now + random() * 150;
        arrivals.push(arrival);
        window.finish(slot, arrival + random() * 150);
        now += 1;
      }
      const tenant = strictTenant(100, 10_000);
      expect(arrivals.sort((a, b) => a - b).every((at) => tenant.accepts(at))).toBe(true);
      expect(now).toBeLessThan(40_000 * 1.1);
    },
  );

  test('a slow answer does not hold its place for long', () => {
    const window = new SlidingWindow({ requests: 1, per: 10_000 });
    const slot = window.start(0);
    expect(window.wait(5000)).toBeLessThanOrEqual(10_000 * 1.1 - 5000);
    window.finish(slot, 9000);
    expect(window.wait(9000)).toBeLessThanOrEqual(10_000 * 1.1 - 9000);
  });

  test('a refusal pauses, lowers the limit, and time without one raises it again', () => {
    const window = new SlidingWindow({ requests: 10, per: 1000 });
    const slots = Array.from({ length: 10 }, () => window.start(0));
    const [first] = slots;
    for (const slot of slots) window.finish(slot, 0);
    if (first) window.finish(first, 0, 3000);
    expect(window.wait(0)).toBe(3000);
    const startable = (at: number): number => {
      let count = 0;
      while (window.wait(at) === 0 && count < 100) {
        window.finish(window.start(at), at);
        count += 1;
      }
      return count;
    };
    expect(startable(3000)).toBe(9);
    expect(startable(20_000)).toBe(10);
  });

  test('a limit that was lowered is raised to what is set, and no further', () => {
    const window = new SlidingWindow({ requests: 15, per: 1000 });
    const [first] = Array.from({ length: 15 }, () => window.start(0));
    if (first) window.finish(first, 0, 0);
    let count = 0;
    for (const at of [10_000, 12_000, 14_000]) {
      for (count = 0; window.wait(at) === 0 && count < 100; count += 1) window.finish(window.start(at), at);
    }
    expect(count).toBe(15);
  });

  test('a limit of one request stays one after a refusal', () => {
    const window = new SlidingWindow({ requests: 1, per: 1000 });
    window.finish(window.start(0), 0, 2000);
    expect(window.wait(2000)).toBe(0);
    window.start(2000);
    expect(window.wait(2000)).toBeGreaterThan(0);
  });

  test('a refusal that asks for a shorter pause does not end a longer one', () => {
    const window = new SlidingWindow({ requests: 10, per: 1000 });
    const [first, second] = [window.start(0), window.start(0)];
    window.finish(first, 0, 9000);
    window.finish(second, 10, 1000);
    expect(window.wait(5000)).toBe(4000);
  });

  test('refusals of one burst lower the limit once', () => {
    const window = new SlidingWindow({ requests: 100, per: 1000 });
    const slots = Array.from({ length: 8 }, () => window.start(0));
    for (const slot of slots) window.finish(slot, 10, 1000);
    let count = 0;
    while (window.wait(1500) === 0 && count < 200) {
      window.start(1500);
      count += 1;
    }
    expect(count).toBe(50);
  });
});

function limiterOf(limits = { requests: 2, per: 1000, concurrency: 10 }) {
  const clock = handClock();
  const waits: [string, number][] = [];
  const limiter = new RateLimiter({
    limits,
    clock,
    longestPause: 60_000,
    onEvent: ({ version, ms }) => waits.push([version, ms]),
  });
  const admitted: string[] = [];
  const permits: Permit[] = [];
  const acquire = async (name: string, version = 'v2025', signal?: AbortSignal, ahead = false) => {
    const entry = await limiter.acquire(version, signal, ahead);
    admitted.push('outcome' in entry ? `${name}: ${entry.reason}` : name);
    if (!('outcome' in entry)) permits.push(entry);
  };
  return { limiter, clock, waits, admitted, permits, acquire };
}

describe('the limiter', () => {
  test('admits as many as the window holds, in their order, and the rest later', async () => {
    const { clock, admitted, permits, waits, acquire } = limiterOf();
    for (const name of ['a', 'b', 'c', 'd']) void acquire(name);
    await settle();
    expect(admitted).toEqual(['a', 'b']);
    for (const permit of permits.splice(0)) permit.release();
    await clock.advance(999);
    expect(admitted).toEqual(['a', 'b']);
    await clock.advance(1050);
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
    expect(waits.length).toBeGreaterThan(0);
    expect(waits.length).toBeLessThanOrEqual(2);
  });

  test('each version has a window of its own, concurrency is shared', async () => {
    const { admitted, permits, acquire } = limiterOf({ requests: 2, per: 1000, concurrency: 3 });
    for (const name of ['a', 'b', 'c']) void acquire(name, 'v2024');
    for (const name of ['x', 'y']) void acquire(name, 'v2025');
    await settle();
    expect(admitted.toSorted()).toEqual(['a', 'b', 'x']);
    permits[0]?.release();
    await settle();
    expect(admitted.toSorted()).toEqual(['a', 'b', 'x', 'y']);
  });

  test('a version that pauses holds up no other', async () => {
    const { clock, admitted, permits, acquire } = limiterOf({ requests: 1, per: 1000, concurrency: 10 });
    for (const name of ['a', 'b']) void acquire(name, 'v2024');
    void acquire('x', 'v2025');
    await settle();
    permits[0]?.release();
    permits[1]?.release(60_000);
    void acquire('y', 'v2025');
    await clock.advance(1050);
    expect(admitted).toEqual(['a', 'x', 'b']);
  });

  test('concurrency is shared by versions of which several wait', async () => {
    const { admitted, permits, acquire } = limiterOf({ requests: 9, per: 1000, concurrency: 1 });
    void acquire('a', 'v2023');
    for (const version of ['v2024', 'v2025', 'api']) void acquire(version, version);
    for (const count of [1, 2, 3, 4]) {
      await settle();
      expect(admitted).toHaveLength(count);
      permits[count - 1]?.release();
    }
    expect(admitted).toEqual(['a', 'v2024', 'v2025', 'api']);
  });

  test('a refusal holds back every request of that version and of no other', async () => {
    const { clock, admitted, permits, acquire } = limiterOf({ requests: 10, per: 1000, concurrency: 10 });
    void acquire('a');
    await settle();
    permits[0]?.release(5000);
    void acquire('b');
    void acquire('x', 'v2024');
    void acquire('a again', 'v2025', undefined, true);
    await clock.advance(4999);
    expect(admitted).toEqual(['a', 'x']);
    await clock.advance(5001);
    expect(admitted).toEqual(['a', 'x', 'a again', 'b']);
  });

  test('a pause longer than the client waits ends the wait', async () => {
    const { admitted, permits, acquire } = limiterOf();
    void acquire('a');
    await settle();
    permits[0]?.release(60_001);
    void acquire('b');
    await settle();
    expect(admitted).toEqual(['a', 'b: rate-limited']);
  });

  test('an interrupted wait ends at once and holds nobody up', async () => {
    const { clock, admitted, acquire } = limiterOf({ requests: 1, per: 1000, concurrency: 10 });
    const abort = new AbortController();
    void acquire('a');
    void acquire('b', 'v2025', abort.signal);
    void acquire('c');
    await settle();
    abort.abort();
    await settle();
    expect(admitted).toEqual(['a', 'b: interrupted']);
    await acquire('d', 'v2025', abort.signal);
    await clock.advance(1100);
    expect(admitted).toEqual(['a', 'b: interrupted', 'd: interrupted', 'c']);
  });

  test('nothing is waited for any more when nobody waits: a process could not end', async () => {
    const { clock, permits, acquire } = limiterOf();
    const abort = new AbortController();
    void acquire('a');
    await settle();
    permits[0]?.release(50_000);
    for (const name of ['b', 'c']) void acquire(name, 'v2025', abort.signal);
    expect(clock.sleeping).toBe(1);
    abort.abort();
    expect(clock.sleeping).toBe(0);
  });

  test('an interrupt of a request that was admitted before holds nobody up either', async () => {
    const { clock, admitted, acquire } = limiterOf({ requests: 1, per: 1000, concurrency: 10 });
    const abort = new AbortController();
    void acquire('a', 'v2025', abort.signal);
    void acquire('b');
    await settle();
    abort.abort();
    await clock.advance(1100);
    expect(admitted).toEqual(['a', 'b']);
  });

  test('a request that was not sent after all leaves its place to the next one', async () => {
    const { admitted, permits, acquire } = limiterOf({ requests: 1, per: 1000, concurrency: 10 });
    void acquire('a');
    void acquire('b');
    await settle();
    permits[0]?.withdraw();
    await settle();
    expect(admitted).toEqual(['a', 'b']);
  });
});

it('the clock shows the time of day, and never goes back', () => {
  const before = Date.now();
  const times = [systemClock.now(), systemClock.now(), systemClock.now()];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  // The system may set its own time meanwhile.
  expect(Math.abs((times[0] ?? 0) - before)).toBeLessThan(60_000);
});

it('a sleep ends by itself, however short or negative it is', async () => {
  for (const ms of [-5, 0, 0.4, 2]) expect(await systemClock.sleep(ms)).toBeUndefined();
  await systemClock.sleep(1, new AbortController().signal);
});

it('a sleep ends without an error when it is interrupted, before or meanwhile', async () => {
  const abort = new AbortController();
  const long = systemClock.sleep(3_600_000, abort.signal);
  // Longer than any timer of Node, which would ring at once.
  const longest = systemClock.sleep(2 ** 40, abort.signal);
  let isOver = false;
  void longest.then(() => {
    isOver = true;
  });
  await systemClock.sleep(5);
  expect(isOver).toBe(false);
  abort.abort();
  await Promise.all([long, longest]);
  await systemClock.sleep(3_600_000, abort.signal);
});

it('time does not jump with the clock of the machine', () => {
  const before = systemClock.now();
  const jump = vi.spyOn(Date, 'now').mockReturnValue(0);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  jump.mockRestore();
});
