import { expect, it } from 'vitest';
import { lookUntil } from '../../src/applier/find.ts';

/** A clock that writes down how long it was asked to wait. */
function waits() {
  const asked: number[] = [];
  const sleep = async (ms: number) => void asked.push(ms);
  return { asked, clock: { now: () => asked.reduce((sum, ms) => sum + ms, 0), sleep } };
}

it('looks again with waits that double, up to five seconds, and no longer than there is time', async () => {
  const { asked, clock } = waits();
  const { signal } = new AbortController();
  let looks = 0;
  const last = await lookUntil(
    async () => ++looks,
    () => 20_000 - clock.now(),
    { clock, signal },
  );
  expect(asked).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 2250]);
  expect(last).toBe(asked.length + 1);
});

it('looks once where that is final', async () => {
  const { asked, clock } = waits();
  const { signal } = new AbortController();
  for (const left of [0, -1]) {
    expect(
      await lookUntil(
        async () => 'seen',
        () => left,
        { clock, signal },
      ),
    ).toBe('seen');
  }
  expect(asked).toEqual([]);
});

it('does not wait after an abort', async () => {
  const { asked, clock } = waits();
  const control = new AbortController();
  const look = async () => {
    if (asked.length === 2) control.abort();
    return asked.length;
  };
  expect(await lookUntil(look, () => 60_000, { clock, signal: control.signal })).toBe(2);
  expect(asked).toEqual([250, 500]);
});
