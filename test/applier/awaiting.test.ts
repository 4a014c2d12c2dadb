import { describe, expect, it } from 'vitest';
import { type Pending, settle } from '../../src/applier/awaiting.ts';
import { lookUntil, type Task } from '../../src/applier/find.ts';
import { type ApplyEvent, type Ending, ending } from '../../src/applier/run.ts';
import type { ReadRequest } from '../../src/kinds/live-objects.ts';
import { steppingClock } from './run.ts';
import { startTenant } from './tenant.ts';
import { createThing, deleteThing, taskOf } from './things.ts';

const created = (name: string) => taskOf(createThing(name), null);
const raw = { id: 't1', name: 'gone', text: 'x' };
const deleted = taskOf(deleteThing(raw), raw);

/** A run that has sent its requests; `showAt` says after how many milliseconds an object shows. */
async function world(showAt: Readonly<Record<string, number>> = {}) {
  const clock = steppingClock();
  const start = clock.now();
  const tenant = await startTenant();
  const control = new AbortController();
  const reads: (readonly ReadRequest[])[] = [];
  const ends: [number, Ending][] = [];
  const events: ApplyEvent[] = [];
  const halts: number[] = [];
  const port = {
    tenant: tenant.tenant,
    send: tenant.send.bind(tenant),
    lookUp: tenant.lookUp.bind(tenant),
    async read(requests: readonly ReadRequest[]) {
      reads.push(requests);
      for (const [name, ms] of Object.entries(showAt)) {
        if (clock.now() - start >= ms) tenant.things.set(name, { id: name, name, text: 'new' });
      }
      return tenant.read(requests);
    },
  };
  const pendingOf = (task: Task, ms: number, more: Partial<Pending> = {}): Pending => ({
    task,
    log: [],
    until: start + ms,
    isUncertain: false,
    isFinal: ({ live }) => live !== null,
    end: async (seen) =>
      'failed' in seen
        ? ending(task, 'unknown', [], { error: seen.failed })
        : ending(task, seen.live ? 'done' : 'failed', [], { live: seen.live }),
    ...more,
  });
  const settleAll = (...pending: Pending[]) =>
    settle(
      pending,
      {
        port,
        clock,
        signal: control.signal,
        onEvent: (event) => events.push(event),
        halt: () => void halts.push(clock.now() - start),
      },
      (end) => ends.push([clock.now() - start, end]),
    );
  const ended = () => ends.map(([ms, { task, outcome }]) => [ms, task.change.address, outcome]);
  return { tenant, control, reads, ends, events, halts, pendingOf, settleAll, ended };
}

describe('changes that do not show yet', () => {
  it('end one by one as they show, and are read together', async () => {
    const { pendingOf, settleAll, ended, reads, events } = await world({ a: 0, b: 700 });
    await settleAll(...['a', 'b', 'c'].map((name) => pendingOf(created(name), 1000)));
    expect(ended()).toEqual([
      [0, 'Thing/a', 'done'],
      [750, 'Thing/b', 'done'],
      [1000, 'Thing/c', 'failed'],
    ]);
    expect(reads.map(([request]) => request?.keys.flat())).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
      ['b', 'c'],
      ['c'],
    ]);
    expect(events).toEqual([
      { type: 'settling', addresses: ['Thing/b', 'Thing/c'], ms: 1000 },
      { type: 'settling', addresses: ['Thing/b', 'Thing/c'], ms: 750 },
      { type: 'settling', addresses: ['Thing/c'], ms: 250 },
    ]);
  });

  it('are waited for as long as each of them may take', async () => {
    const { pendingOf, settleAll, ended, events } = await world();
    await settleAll(pendingOf(created('a'), 250), pendingOf(created('b'), 750));
    expect(ended()).toEqual([
      [250, 'Thing/a', 'failed'],
      [750, 'Thing/b', 'failed'],
    ]);
    expect(events.map((event) => event.type === 'settling' && event.ms)).toEqual([750, 500]);
  });

  it('are not waited for where their time is over, or where there are none', async () => {
    const { pendingOf, settleAll, ended, reads, events } = await world();
    await settleAll();
    expect(reads).toEqual([]);
    await settleAll(pendingOf(created('a'), 0));
    expect(ended()).toEqual([[0, 'Thing/a', 'failed']]);
    expect(events).toEqual([]);
  });

  it('are read as written only where all of them certainly were', async () => {
    for (const [isWritten, ...more] of [
      [true, created('b'), {}],
      [false, created('b'), { isUncertain: true }],
      [false, deleted, {}],
    ] as const) {
      const { pendingOf, settleAll, reads } = await world();
      await settleAll(pendingOf(created('a'), 0), pendingOf(more[0], 0, more[1]));
      expect(reads.map(([request]) => request?.written)).toEqual([isWritten]);
    }
  });
});

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
  for (const left of [0, -1])
    expect(
      await lookUntil(
        async () => 'seen',
        () => left,
        { clock, signal },
      ),
    ).toBe('seen');
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
