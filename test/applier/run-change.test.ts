import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../src/applier/run.ts';
import type { Call } from '../../src/kinds/http.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { catalogOf } from '../../src/kinds/project.ts';
import type { ChangeResult } from '../../src/model/documents.ts';
import { apply, killedRun, newFolder, outcomes, steppingClock, watched } from './run.ts';
import { answered, first, lost, startTenant, type Tenant } from './tenant.ts';
import { createThing, deleteNotes, deleteThing, kinds, planOf, thing, updateThing } from './things.ts';

const old = { id: 't1', name: 'old', text: 'before' };
const gone = { id: 't2', name: 'gone', text: 'x' };

/** What is written down of a run. */
function recorder() {
  const steps: string[] = [];
  const note = ({ address, outcome }: ChangeResult) => `${address} ${outcome}`;
  return {
    steps,
    record: {
      start: async (changes: readonly ChangeResult[]) =>
        void steps.push(`begin ${changes.map(note).join(', ')}`),
      finish: (change: ChangeResult) => void steps.push(`end ${note(change)}`),
    },
  };
}

describe('the record of a run', () => {
  it('has each change before its first request, and how it ended', async () => {
    const tenant = await startTenant({ things: { old } });
    const { steps, record } = recorder();
    tenant.fault = () => {
      steps.push('send');
      return null;
    };
    await apply([createThing('a'), updateThing(old, 'after', 'r')], tenant, {
      record,
      concurrency: 1,
    });
    expect(steps).toEqual([
      'begin Thing/a unknown',
      'send',
      'end Thing/a done',
      'begin Thing/old unknown',
      'send',
      'send',
      'end Thing/old done',
    ]);
  });

  it('does not begin what an earlier run has made', async () => {
    const plan = planOf([updateThing(old, 'after')]);
    const folder = await killedRun(plan, 'Thing/old', { status: 200 });
    const { steps, record } = recorder();
    const events: ApplyEvent[] = [];
    const tenant = await startTenant({ things: { old: { ...old, text: 'after' } } });
    await apply(plan, tenant, { folder, record, onEvent: (event) => events.push(event) });
    expect(steps).toEqual(['end Thing/old done']);
    expect(events.map(({ type }) => type)).not.toContain('started');
    expect(tenant.sent).toEqual([]);
  });

  it('has what an earlier run has made, once something else is begun, and how that ended', async () => {
    const plan = planOf([updateThing(old, 'after'), createThing('new')]);
    const folder = await killedRun(plan, 'Thing/old', { status: 200 });
    const { steps, record } = recorder();
    const tenant = await startTenant({ things: { old: { ...old, text: 'after' } } });
    await apply(plan, tenant, { folder, record, concurrency: 1 });
    const [ofBoth, ...ends] = steps.slice(steps.findIndex((step) => step.startsWith('begin')));
    expect(ofBoth).toBe('begin Thing/old unknown, Thing/new unknown');
    expect(ends).toEqual(['end Thing/old done', 'end Thing/new done']);
  });

  it('does not begin what Ctrl-C came before', async () => {
    const { steps, record } = recorder();
    const tenant = await startTenant();
    const control = new AbortController();
    tenant.onEffect = () => control.abort();
    await apply([createThing('a'), createThing('b')], tenant, {
      record,
      signal: control.signal,
      concurrency: 1,
    });
    expect(steps).toEqual(['begin Thing/a unknown', 'end Thing/a done', 'end Thing/b notAttempted']);
  });

  it('that cannot be written keeps a change from being sent, and stops the run', async () => {
    const tenant = await startTenant({ things: { gone } });
    const record = { start: () => Promise.reject(new Error('the disk is full')), finish() {} };
    const plan = planOf([createThing('a'), createThing('b'), deleteThing(gone)]);
    const result = await apply(plan, tenant, { record, concurrency: 1 });
    expect(tenant.sent).toEqual([]);
    expect(result.changes.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['failed', 'The run cannot continue: the disk is full'],
      ['notAttempted', null],
      ['notAttempted', null],
    ]);
  });
});

it('only the first request of a change depends on how old the read is', async () => {
  const clock = steppingClock();
  const tenant = await startTenant({ things: { old } });
  const limits: unknown[] = [];
  const port = watched(tenant, { send: (_request, options) => limits.push(options?.notAfter) });
  const until = clock.now() + 10_000;
  await apply([updateThing(old, 'after', 'r')], port, { clock });
  expect(limits).toEqual([until, null]);
});

const odd: Kind = {
  ...thing,
  parse(answer, ...more) {
    if (answer.text === 'odd') throw new TypeError('not an answer of this kind');
    return thing.parse(answer, ...more);
  },
};
it.each([
  ['has another form', { id: 't1', name: 'old', text: 'odd' }],
  ['is of another object', { id: 't9', name: 'other', text: 'after' }],
  ['is no object', 'ok'],
  ['is nothing', null],
])('an answer that does not show the object has it read again: it %s', async (_what, body) => {
  const tenant = await startTenant({ things: { old } });
  const port = {
    tenant: tenant.tenant,
    read: tenant.read.bind(tenant),
    lookUp: tenant.lookUp.bind(tenant),
    send: async (request: Call) => ({
      ...(await tenant.send(request)),
      ...({ outcome: 'answered', status: 200, headers: {}, body, text: null } as const),
    }),
  };
  const all = catalogOf(kinds.all.map((kind) => (kind === thing ? odd : kind)));
  const result = await apply([updateThing(old, 'after')], port, { kinds: all });
  expect(result.changes).toMatchObject([{ outcome: 'done', warnings: [], after: { text: 'after' } }]);
  expect(tenant.reads).toBe(2);
});

it('a delete that was accepted is not done while its object is there', async () => {
  const tenant = await startTenant({ things: { gone } }, answered(504));
  expect(outcomes(await apply([deleteThing(gone)], tenant))).toBe('Thing/gone failed');
  expect(tenant.things.has('gone')).toBe(true);
});

it('a change that Ctrl-C stopped before its second request is not as if it had never begun', async () => {
  const tenant = await startTenant({ things: { old } });
  const control = new AbortController();
  tenant.fault = (_request, count) => {
    if (count === 1) return null;
    control.abort();
    return { is: 'unsent' };
  };
  const plan = planOf([updateThing(old, 'after', 'r')]);
  const { changes } = await apply(plan, tenant, { signal: control.signal });
  expect(changes).toMatchObject([{ outcome: 'failed', requests: [{ status: 200 }, { status: null }] }]);
});

describe('between the requests of a change', () => {
  const plan = planOf([updateThing(old, 'after', 'r')]);

  /** Applies the plan to a tenant in which somebody does something after the first request. */
  async function meanwhile(act: (things: Tenant['things']) => unknown) {
    const tenant = await startTenant({ things: { old } });
    tenant.onEffect = () => void (tenant.carriedOut.length === 1 && act(tenant.things));
    const folder = await newFolder();
    return { tenant, folder, result: await apply(plan, tenant, { folder }) };
  }

  it('what somebody changed, and the next one would write, stays as it is', async () => {
    const byHand = { ...old, text: 'after', rule: 'by hand' };
    const { tenant, folder, result } = await meanwhile((things) => things.set('old', byHand));
    expect(tenant.carriedOut).toEqual(['PATCH /v2024/things/t1']);
    expect(tenant.things.get('old')).toEqual(byHand);
    expect(result.changes).toMatchObject([
      {
        outcome: 'failed',
        error:
          '1 of 2 requests were sent. Then somebody changed the object: /rule is different now. Make a new plan.',
        after: { text: 'after', rule: 'by hand' },
        unmet: ['/rule'],
      },
    ]);
    expect((await apply(plan, tenant, { folder })).outcome).toBe('refused');
  });

  it('an object that is gone gets no more of them', async () => {
    const { tenant, result } = await meanwhile((things) => things.delete('old'));
    expect(tenant.sent).toHaveLength(1);
    expect(result.changes).toMatchObject([
      { outcome: 'failed', error: expect.stringContaining('it no longer exists') },
    ]);
  });

  it('what the first one wrote may be different: the tenant may have rewritten it', async () => {
    const { tenant, result } = await meanwhile((things) => things.set('old', { ...old, text: 'AFTER' }));
    expect(result.changes).toMatchObject([
      { outcome: 'done', warnings: ['The tenant rewrote /text: it differs from what was sent.'] },
    ]);
    expect(tenant.things.get('old')).toMatchObject({ rule: 'r' });
  });
});

describe('--fail-fast', () => {
  it('sends no further request of a change that has several', async () => {
    const tenant = await startTenant({ things: { old } });
    let tellFailed = () => {};
    const failed = new Promise<void>((resolve) => {
      tellFailed = resolve;
    });
    tenant.fault = async ({ method }) => {
      if (method === 'POST') return answered(400);
      await failed;
      return null;
    };
    const result = await apply([updateThing(old, 'after', 'r'), createThing('a')], tenant, {
      failFast: true,
      onEvent: ({ type }) => type === 'finished' && tellFailed(),
    });
    expect(tenant.carriedOut).toEqual(['PATCH /v2024/things/t1']);
    expect(result.changes[0]).toMatchObject({
      outcome: 'failed',
      error: '1 of 2 requests were sent; apply the same plan again to finish. Then the run was stopped.',
    });
  });

  it('starts nothing after a change whose outcome is not known', async () => {
    const tenant = await startTenant({}, lost);
    const plan = planOf([createThing('a'), createThing('b')]);
    const result = await apply(plan, tenant, { failFast: true, concurrency: 1 });
    expect(outcomes(result)).toBe('Thing/a unknown, Thing/b notAttempted');
  });

  it('does not begin what refers to an object that was not created', async () => {
    const tenant = await startTenant({}, answered(400));
    const plan = planOf([createThing('a'), createThing('b', { above: { $ref: 'Thing/a' } })]);
    expect(outcomes(await apply(plan, tenant, { failFast: true }))).toBe(
      'Thing/a failed, Thing/b notAttempted',
    );
    expect(outcomes(await apply(plan, tenant))).toBe('Thing/a failed, Thing/b skipped');
  });
});

it('a delete that an earlier run has made is done, although another change fails now', async () => {
  const plan = planOf([createThing('a'), deleteThing(gone)]);
  const folder = await killedRun(plan, 'Thing/gone', { before: 'sha256:x', status: 204 });
  const tenant = await startTenant({}, answered(400));
  expect(outcomes(await apply(plan, tenant, { folder }))).toBe('Thing/a failed, Thing/gone done');
});

describe('a request without an answer', () => {
  it('is not sent again after Ctrl-C', async () => {
    const tenant = await startTenant({ things: { old } });
    const control = new AbortController();
    tenant.fault = lost;
    tenant.onRead = (count) => void (count === 2 && control.abort());
    await apply([updateThing(old, 'after')], tenant, { signal: control.signal });
    expect(tenant.sent).toHaveLength(1);
  });

  it('is not sent again for several objects of which somebody changed one', async () => {
    const notes = ['a', 'b'].map((key) => ({ id: `n-${key}`, key, text: 'x' }));
    const tenant = await startTenant({ notes: Object.fromEntries(notes.map((raw) => [raw.key, raw])) });
    tenant.fault = () => {
      tenant.notes.set('a', { id: 'n-a', key: 'a', text: 'by hand' });
      return lost;
    };
    expect(outcomes(await apply(deleteNotes(notes), tenant))).toBe('Note/a unknown, Note/b unknown');
    expect(tenant.sent).toHaveLength(1);
  });

  it('is sent again at once where that is safe, also as the first of two', async () => {
    const clock = steppingClock();
    const start = clock.now();
    const tenant = await startTenant({ things: { old } }, first(lost));
    const plan = planOf([updateThing(old, 'after', 'r')]);
    expect((await apply(plan, tenant, { clock, settle: 60_000 })).outcome).toBe('done');
    expect(clock.now()).toBe(start);
    expect(tenant.sent).toHaveLength(3);
  });
});
