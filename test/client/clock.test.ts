import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/client/clock.ts';

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
