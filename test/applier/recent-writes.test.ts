import { describe, expect, it } from 'vitest';
import { type RecentWrite, readSettled } from '../../src/applier/recent-writes.ts';
import { allOf, someOf } from '../../src/kinds/kind.ts';
import type { LiveObject } from '../../src/model/live.ts';
import { objectOf, thing } from './fake.ts';
import { steppingClock } from './run.ts';

const settle = 60_000;
const named = (name: string, text: string) => objectOf(thing, { id: 't1', name, text });
const [first, second, third] = ['first', 'second', 'third'].map((text) => named('a', text));

/** Reads what the tenant shows, which changes with the seconds that pass, after `writes` of which each took a second. */
async function read(
  writes: readonly (Pick<RecentWrite, 'before' | 'after'> & Partial<RecentWrite>)[],
  shown: (seconds: number) => readonly (LiveObject | undefined)[],
  request = someOf(thing, [['a']]),
) {
  const clock = steppingClock();
  const start = clock.now();
  const waits: string[] = [];
  const recent = writes.map((write, at) => ({
    address: 'Thing/a',
    at: start - 1000 * (writes.length - at),
    ...write,
  }));
  const result = await readSettled(
    [request],
    async () => {
      const objects = shown((clock.now() - start) / 1000).filter((object) => object !== undefined);
      return { objects };
    },
    {
      writes: recent,
      settle,
      clock,
      signal: new AbortController().signal,
      onWait: (addresses) => waits.push(...addresses),
    },
  );
  return { shown: result.objects, elapsed: clock.now() - start, waits };
}

const print = (object: LiveObject | undefined) => object?.fingerprint ?? null;

describe('the objects of recent writes', () => {
  it('are read again until they are as they were written', async () => {
    const lagging = (seconds: number) => [seconds < 3 ? first : second];
    const { shown, elapsed, waits } = await read([{ before: [print(first)], after: print(second) }], lagging);
    expect(shown).toEqual([second]);
    expect(elapsed).toBeLessThan(6000);
    expect(new Set(waits)).toEqual(new Set(['Thing/a']));
  });

  it('are believed once the time since the write is over', async () => {
    const { shown, elapsed } = await read([{ before: [null] }], () => []);
    expect(shown).toEqual([]);
    expect(elapsed).toBe(settle - 1000);
  });

  it('are not waited for where the write changed nothing that shows', async () => {
    const { elapsed } = await read([{ before: [print(first)], after: print(first) }], () => [first]);
    expect(elapsed).toBe(0);
  });

  it('may show the state before any of several writes', async () => {
    const writes = [
      { before: [print(first)], after: print(second) },
      { before: [print(second)], after: print(third) },
    ];
    const { shown } = await read(writes, (seconds) => [seconds < 2 ? first : seconds < 4 ? second : third]);
    expect(shown).toEqual([third]);
  });

  it('may be back as they were: the last write counts', async () => {
    const writes = [
      { before: [print(first)], after: print(second) },
      { before: [print(second)], after: print(first) },
    ];
    expect((await read(writes, () => [first])).elapsed).toBe(0);
  });

  it('have their old key while a rename does not show', async () => {
    const write = { address: 'Thing/b', before: [print(first)], after: print(named('b', 'first')) };
    const both = someOf(thing, [['b'], ['a']]);
    const { elapsed } = await read([write], (seconds) => [seconds < 3 ? first : named('b', 'first')], both);
    expect(elapsed).toBeGreaterThanOrEqual(3000);
  });

  it('are not waited for where they are not asked for', async () => {
    const write = { before: [null] };
    expect((await read([write], () => [], someOf(thing, [['other']]))).elapsed).toBe(0);
    expect((await read([write], () => [], allOf(thing))).elapsed).toBe(settle - 1000);
    expect((await read([write], () => [], someOf(thing, [['A']]))).elapsed).toBe(settle - 1000);
  });

  it('are waited for no longer than a write may take, though the clock was set back', async () => {
    const write = { before: [null], at: Date.parse('2026-01-02T05:00:00Z') };
    expect((await read([write], () => [])).elapsed).toBe(settle);
  });
});

it('an interrupt ends the wait, and what was read so far is not believed', async () => {
  const control = new AbortController();
  const clock = steppingClock();
  const read = async () => {
    if (control.signal.aborted) throw new Error('interrupted');
    return { objects: [] };
  };
  const reading = readSettled([someOf(thing, [['a']])], read, {
    writes: [{ address: 'Thing/a', at: clock.now(), before: [null] }],
    settle,
    clock,
    signal: control.signal,
    onWait: () => control.abort(),
  });
  await expect(reading).rejects.toThrow('interrupted');
});
