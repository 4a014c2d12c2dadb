import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../src/applier/run.ts';
import { exitCodeOf } from '../../src/model/documents.ts';
import { isObject, type Json } from '../../src/model/json.ts';
import { secretsOf } from '../support/plan.ts';
import { apply, newFolder, outcomes, steppingClock } from './run.ts';
import { answered, lostAnswer, startTenant } from './tenant.ts';
import {
  change,
  createThing,
  deleteNotes,
  deleteThing,
  diff,
  plannedUpdate,
  planOf,
  thing,
  updateThing,
  writeNote,
} from './things.ts';

const old = { id: 't1', name: 'old', text: 'before' };
const gone = { id: 't2', name: 'gone', text: 'x' };
const stored = { id: 'n1', key: 'stored', text: 'x' };

describe('order', () => {
  it('writes kind by kind, then deletes the other way round', async () => {
    const tenant = await startTenant({ things: { old, gone }, notes: { stored } });
    const plan = planOf([
      ...deleteNotes([stored]),
      deleteThing(gone),
      writeNote('fresh', 'hello'),
      updateThing(old, 'after'),
      createThing('new'),
    ]);
    const result = await apply(plan, tenant, { concurrency: 1 });
    expect(tenant.carriedOut).toEqual([
      'PATCH /v2024/things/t1',
      'POST /v2024/things',
      'POST /v2025/notification-templates',
      'POST /v2025/notification-templates/bulk-delete',
      'DELETE /v2024/things/t2',
    ]);
    expect(result.outcome).toBe('done');
    expect(exitCodeOf(result)).toBe(0);
    expect(result.summary).toEqual({ done: 5, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 });
    expect(result.changes.map(({ address }) => address)).toEqual(plan.changes.map(({ address }) => address));
  });

  it('has as many changes in flight as allowed, and no more', async () => {
    const tenant = await startTenant();
    const names = Array.from({ length: 20 }, (_, at) => `thing-${at}`);
    let open: (reached: null) => void = () => {};
    const threeAtOnce = new Promise<null>((resolve) => {
      open = resolve;
    });
    tenant.fault = () => {
      if (tenant.inFlight === 3) open(null);
      return threeAtOnce;
    };
    await apply(
      names.map((name) => createThing(name)),
      tenant,
      { concurrency: 3 },
    );
    expect(tenant.mostInFlight).toBe(3);
    expect(tenant.things.size).toBe(20);
  });

  it('does not begin a level before the one above has ended', async () => {
    const tenant = await startTenant();
    tenant.fault = async ({ path }) => {
      if (path.endsWith('/notes')) expect(tenant.things.size).toBe(3);
      return null;
    };
    const plan = planOf([writeNote('n', 'x'), ...['a', 'b', 'c'].map((name) => createThing(name))]);
    expect((await apply(plan, tenant)).outcome).toBe('done');
  });
});

describe('failures', () => {
  const failB = ({ body }: { body: unknown }) =>
    JSON.stringify(body).includes('"b"') ? answered(400) : null;

  it('go on with independent changes, keep deletes back, and show what the tenant said', async () => {
    const tenant = await startTenant({ things: { gone } }, failB);
    const plan = planOf([createThing('a'), createThing('b'), createThing('c'), deleteThing(gone)]);
    const result = await apply(plan, tenant);
    expect(outcomes(result)).toBe('Thing/a done, Thing/b failed, Thing/c done, Thing/gone skipped');
    expect(result.changes[1]).toMatchObject({
      error: '400: {"message":"the tenant says no"}',
      after: null,
      requests: [
        { method: 'POST', path: '/v2024/things', status: 400, trackingId: 'track-1', attempts: 1, ms: 5 },
      ],
    });
    expect(result.outcome).toBe('partial');
    expect(exitCodeOf(result)).toBe(3);
    expect(tenant.things.has('gone')).toBe(true);
  });

  it('stop the run with --fail-fast', async () => {
    const tenant = await startTenant({ things: { gone } }, failB);
    const plan = planOf([createThing('a'), createThing('b'), createThing('c'), deleteThing(gone)]);
    const result = await apply(plan, tenant, { failFast: true, concurrency: 1 });
    expect(outcomes(result)).toBe(
      'Thing/a done, Thing/b failed, Thing/c notAttempted, Thing/gone notAttempted',
    );
    expect(tenant.sent).toHaveLength(2);
    expect(exitCodeOf(result)).toBe(3);
  });

  it('of a second request say how far the change got', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.fault = ({ path }) => (path.endsWith('/rule') ? answered(403) : null);
    const result = await apply([updateThing(old, 'after', 'r')], tenant);
    expect(result.changes[0]).toMatchObject({
      outcome: 'failed',
      before: { text: 'before' },
      after: { text: 'after' },
    });
    expect(result.changes[0]?.requests.map(({ status }) => status)).toEqual([200, 403]);
  });

  it('does not call a delete done that the tenant has only accepted (202), until it shows', async () => {
    for (const done of [false, true]) {
      const tenant = await startTenant({ things: { gone } }, answered(202, { done, body: null }));
      expect((await apply([deleteThing(gone)], tenant)).changes[0]?.outcome).toBe(done ? 'done' : 'failed');
    }
  });

  it.each<[string, { readonly body: Json; readonly text?: string }]>([
    ['an error', { body: { error: 'the backend is down' } }],
    ['the object', { body: gone }],
    ['several answers', { body: { results: [{ status: 403 }] } }],
    ['a page of a gateway', { body: null, text: '<h1>Sign in</h1>' }],
    ['words of a gateway', { body: null, text: 'Please sign in.' }],
  ])('does not call a delete done that is answered 200 with %s, until it shows', async (_what, answer) => {
    for (const done of [false, true]) {
      const tenant = await startTenant({ things: { gone } });
      tenant.fault = () => ({ is: 'status', status: 200, done, ...answer });
      expect((await apply([deleteThing(gone)], tenant)).changes[0]?.outcome).toBe(done ? 'done' : 'failed');
    }
  });

  it.each<[string, { readonly body: Json; readonly text?: string }]>([
    ['an error', { body: { error: 'the backend is down' } }],
    ['a page of a gateway', { body: null, text: '<h1>Sign in</h1>' }],
  ])('does not call an update done that is answered 200 with %s, until it shows', async (_what, answer) => {
    for (const done of [false, true]) {
      const tenant = await startTenant({ things: { old } });
      tenant.fault = () => ({ is: 'status', status: 200, done, ...answer });
      const { changes } = await apply([updateThing(old, 'after')], tenant);
      expect(changes[0]?.outcome).toBe(done ? 'done' : 'failed');
    }
  });

  it('of a delete do not keep other deletes back', async () => {
    const tenant = await startTenant({ things: { old, gone } });
    tenant.fault = ({ path }) => (path.endsWith('t1') ? answered(409) : null);
    const result = await apply([deleteThing(old), deleteThing(gone)], tenant);
    expect(outcomes(result)).toBe('Thing/old failed, Thing/gone done');
  });

  it('of the journal stop the run before anything is sent', async () => {
    const tenant = await startTenant();
    const journal = {
      file: 'j',
      progress: () => null,
      append: async () => {
        throw new Error('no space left');
      },
      finish: async () => {},
      close: async () => {},
    };
    const result = await apply([createThing('a'), createThing('b')], tenant, {
      journal,
      concurrency: 1,
    });
    expect(outcomes(result)).toBe('Thing/a failed, Thing/b notAttempted');
    expect(result.changes[0]?.error).toContain('no space left');
    expect(tenant.sent).toEqual([]);
  });
});

describe('manual changes', () => {
  const manual = change(thing, ['by hand'], {
    action: 'manual',
    warnings: ['Do it in the admin interface.'],
  });

  it('are not attempted, are not read, and leave the run whole', async () => {
    const tenant = await startTenant();
    const result = await apply([manual, createThing('a')], tenant);
    expect(outcomes(result)).toBe('Thing/by%20hand notAttempted, Thing/a done');
    expect(result.changes[0]?.warnings).toEqual(['Do it in the admin interface.']);
    expect(result.outcome).toBe('done');
  });

  it('do not keep deletes back', async () => {
    const tenant = await startTenant({ things: { gone } });
    expect(outcomes(await apply([manual, deleteThing(gone)], tenant))).toContain('Thing/gone done');
  });
});

describe('requests that several changes carry', () => {
  const notes = ['a', 'b', 'c'].map((key) => ({ id: `n-${key}`, key, text: 'x' }));
  const world = { notes: Object.fromEntries(notes.map((raw) => [raw.key, raw])) };

  it('are sent once, and each change is checked by itself', async () => {
    const tenant = await startTenant(world);
    const result = await apply(deleteNotes(notes), tenant);
    expect(tenant.sent).toHaveLength(1);
    expect(outcomes(result)).toBe('Note/a done, Note/b done, Note/c done');
    expect(tenant.reads).toBe(2);
  });

  it('fail for a change whose object is still there', async () => {
    const tenant = await startTenant(world);
    tenant.onEffect = () => void tenant.notes.set('b', { id: 'n-b', key: 'b', text: 'x' });
    const result = await apply(deleteNotes(notes), tenant);
    expect(outcomes(result)).toBe('Note/a done, Note/b failed, Note/c done');
    expect(result.changes[1]?.error).toContain('still exists');
  });
});

describe('Ctrl-C', () => {
  it('lets requests in flight finish and starts nothing new', async () => {
    const tenant = await startTenant({ things: { gone } });
    const control = new AbortController();
    tenant.fault = (_request, count) => {
      if (count === 2) control.abort();
      return null;
    };
    const plan = planOf([...['a', 'b', 'c', 'd'].map((name) => createThing(name)), deleteThing(gone)]);
    const result = await apply(plan, tenant, { concurrency: 2, signal: control.signal });
    expect(outcomes(result)).toBe(
      'Thing/a done, Thing/b done, Thing/c notAttempted, Thing/d notAttempted, Thing/gone notAttempted',
    );
    expect(exitCodeOf(result)).toBe(130);
  });

  it('does not look up what was lost, and says unknown', async () => {
    const tenant = await startTenant();
    const control = new AbortController();
    tenant.fault = () => {
      control.abort();
      return lostAnswer;
    };
    const result = await apply([createThing('a')], tenant, { signal: control.signal });
    expect(outcomes(result)).toBe('Thing/a unknown');
    expect(result.changes[0]?.error).toMatch(/^connection reset .*interrupted before .* could be looked up/);
    expect(tenant.reads).toBe(1);
  });

  it('calls a change whose request never left not attempted', async () => {
    const tenant = await startTenant();
    const control = new AbortController();
    tenant.fault = () => {
      control.abort();
      return { is: 'unsent' };
    };
    const result = await apply([createThing('a')], tenant, { signal: control.signal });
    expect(outcomes(result)).toBe('Thing/a notAttempted');
    expect(result.outcome).toBe('interrupted');
  });

  it('reads nothing more, however old the last read is', async () => {
    const clock = steppingClock();
    const control = new AbortController();
    const tenant = await startTenant({ things: { old, gone } });
    tenant.onEffect = () => {
      clock.pass(60_000);
      control.abort();
    };
    const plan = planOf([createThing('a'), updateThing(old, 'after'), deleteThing(gone)]);
    const result = await apply(plan, tenant, { concurrency: 1, clock, signal: control.signal });
    expect(outcomes(result)).toContain('Thing/old notAttempted, Thing/gone notAttempted');
    expect(tenant.sent).toHaveLength(1);
    expect(tenant.reads).toBe(1);
  });

  it('while objects are read again leaves their changes not attempted: nothing went wrong in them', async () => {
    const clock = steppingClock();
    const control = new AbortController();
    const tenant = await startTenant({ things: { old, gone } });
    tenant.onEffect = () => {
      clock.pass(60_000);
      tenant.readFault = () => {
        control.abort();
        return new Error('interrupted');
      };
    };
    const plan = planOf([createThing('a'), updateThing(old, 'after'), deleteThing(gone)]);
    const result = await apply(plan, tenant, { concurrency: 1, clock, signal: control.signal });
    expect(outcomes(result)).toContain('Thing/old notAttempted, Thing/gone notAttempted');
    expect(result).toMatchObject({ outcome: 'interrupted', summary: { failed: 0 } });
    expect(tenant.reads).toBe(2);
  });

  it('before anything was read writes nothing', async () => {
    const tenant = await startTenant();
    const result = await apply([createThing('a')], tenant, { signal: AbortSignal.abort() });
    expect(result.outcome).toBe('interrupted');
    expect(tenant.sent).toEqual([]);
  });

  it.each([
    ['fails by it', new Error('aborted')],
    ['shows that the plan is stale', null],
  ])('during the first read ends the run, though the read %s', async (_, error) => {
    const tenant = await startTenant({ things: { a: { ...old, name: 'a' } } });
    const control = new AbortController();
    tenant.readFault = () => {
      control.abort();
      return error;
    };
    const result = await apply([createThing('a')], tenant, { signal: control.signal });
    expect(result.outcome).toBe('interrupted');
    expect(outcomes(result)).toBe('Thing/a notAttempted');
    expect(exitCodeOf(result)).toBe(130);
  });

  it('after the last request leaves the run done', async () => {
    const tenant = await startTenant();
    const control = new AbortController();
    tenant.fault = () => {
      control.abort();
      return null;
    };
    expect((await apply([createThing('a')], tenant, { signal: control.signal })).outcome).toBe('done');
  });
});

it('a plan of nothing but steps by hand reads nothing, and is done', async () => {
  const tenant = await startTenant();
  expect((await apply([change(thing, ['a'], { action: 'manual' })], tenant)).outcome).toBe('done');
  expect([tenant.reads, tenant.sent]).toEqual([0, []]);
});

describe('what the tenant took', () => {
  it('is compared with what was asked: rewritten and ignored fields are warnings', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.rewrite = (raw) => ({ ...raw, text: raw.name === 'old' ? 'before' : 'SHOUTED' });
    const result = await apply([updateThing(old, 'after'), createThing('new')], tenant);
    expect(result.outcome).toBe('done');
    expect(result.changes[0]?.warnings).toEqual([expect.stringMatching(/ignored \/text/)]);
    expect(result.changes[1]?.warnings).toEqual([expect.stringMatching(/rewrote \/text/)]);
    expect(result.changes[1]?.after).toMatchObject({ text: 'SHOUTED' });
  });

  it('is the same where only the form differs', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.rewrite = (raw) => ({ ...raw, text: 'a\r\nb', tags: ['y', 'x'] });
    const plan = planOf([
      { ...updateThing(old, 'a\nb'), diff: [diff('/text', 'before', 'a\nb'), diff('/tags/0', null, 'x')] },
    ]);
    expect((await apply(plan, tenant)).changes[0]?.warnings).toEqual([]);
  });

  it('is read again after several requests, since the last answer may show a part only', async () => {
    const tenant = await startTenant({ things: { old } });
    const fields = { attributes: { password: { $secret: 'PASSWORD' } }, rule: 'r' };
    const plan = planOf([plannedUpdate({ ...old, attributes: { password: 'x' } }, fields)]);
    tenant.things.set('old', { ...old, attributes: { password: 'x' } });
    const result = await apply(plan, tenant, { secrets: secretsOf({ PASSWORD: 'p' }) });
    expect(result.changes[0]?.outcome).toBe('done');
    expect(tenant.reads).toBe(3);
  });

  it('is unknown when an accepted object does not show up', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.onEffect = () => void tenant.things.clear();
    const plan = planOf([updateThing(old, 'after', 'r')]);
    expect(outcomes(await apply(plan, tenant))).not.toContain('done');
  });
});

it('tells what happens while it happens', async () => {
  const tenant = await startTenant();
  const events: ApplyEvent[] = [];
  await apply([createThing('a')], tenant, { onEvent: (event) => events.push(event) });
  expect(events.map(({ type }) => type)).toEqual(['checking', 'checked', 'started', 'finished']);
  expect(events.at(-1)).toMatchObject({ finished: 1, total: 1, result: { outcome: 'done' } });
});

it('says how many changes an earlier run began', async () => {
  const folder = await newFolder();
  const tenant = await startTenant({ things: { gone } });
  const plan = planOf([createThing('a'), createThing('b'), deleteThing(gone)]);
  tenant.fault = ({ body }) => (isObject(body) && body.name === 'b' ? answered(400) : null);
  expect(outcomes(await apply(plan, tenant, { folder }))).toBe(
    'Thing/a done, Thing/b failed, Thing/gone skipped',
  );
  tenant.fault = null;
  const events: ApplyEvent[] = [];
  await apply(plan, tenant, { folder, onEvent: (event) => events.push(event) });
  expect(events).toContainEqual({ type: 'checked', changes: 3, resumed: 2 });
});

it('keeps the journal of a run that is not done, and puts that of another away', async () => {
  const folder = await newFolder();
  const tenant = await startTenant();
  const plan = planOf([createThing('a')]);
  tenant.fault = answered(400);
  await apply(plan, tenant, { folder });
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.jsonl$/)]);
  tenant.fault = null;
  await apply(plan, tenant, { folder });
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.\w+\.done\.jsonl$/)]);
});
