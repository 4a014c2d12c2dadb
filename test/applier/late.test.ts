import { appendFile, mkdir, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openJournal, readRecentWrites } from '../../src/applier/journal.ts';
import type { ApplyEvent } from '../../src/applier/run.ts';
import { apiRequest } from '../../src/kinds/http.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { ReadRequest } from '../../src/kinds/live-objects.ts';
import { catalogOf } from '../../src/kinds/project.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { apply, inTime, killedRun, newFolder, outcomes, refusing, steppingClock, watched } from './run.ts';
import { answered, type Fault, first, lost, startTenant, type World } from './tenant.ts';
import {
  createThing,
  deleteNotes,
  deleteThing,
  kinds,
  plannedUpdate,
  planOf,
  request,
  thing,
  thingsPath,
  updateThing,
} from './things.ts';

const settle = 60_000;
/** A tenant that would make a second thing of the same name. */
const doubling = catalogOf(
  kinds.all.map((kind) =>
    kind.name === thing.name ? { ...kind, can: { ...kind.can, create: 'duplicates' } } : kind,
  ),
);
const old = { id: 't1', name: 'old', text: 'before' };
const gone = { id: 't2', name: 'gone', text: 'x' };

/** A tenant and the time it lives in. */
async function lateWorld(world: Partial<World> = {}, lag = 0) {
  const clock = steppingClock();
  const start = clock.now();
  const tenant = await startTenant(world, undefined, { ms: lag, now: clock.now });
  return { tenant, clock, elapsed: () => clock.now() - start };
}

const answers: readonly Fault[] = [lost, ...[500, 503, 504].map((status) => answered(status))];

describe('a create that the tenant would make twice', () => {
  it.each(answers)('without an answer (%j) is sent once, and found when it shows', async (fault) => {
    const { tenant, clock, elapsed } = await lateWorld();
    tenant.fault = () => fault;
    tenant.onRead = () => {
      if (elapsed() >= 1500) tenant.things.set('a', { id: 'late', name: 'a', text: 'new' });
    };
    const result = await apply([createThing('a')], tenant, { kinds: doubling, clock, settle });
    expect(outcomes(result)).toBe('Thing/a done');
    expect(result.changes[0]?.warnings).toEqual([expect.stringContaining('was not confirmed.')]);
    expect(tenant.sent).toHaveLength(1);
    expect(elapsed()).toBeLessThan(4000);
  });

  it.each(answers)('without an answer (%j) is unknown once the time is over', async (fault) => {
    const { tenant, clock, elapsed } = await lateWorld();
    tenant.fault = () => fault;
    const result = await apply([createThing('a')], tenant, { kinds: doubling, clock, settle });
    expect(outcomes(result)).toBe('Thing/a unknown');
    expect(result.changes[0]?.error).toContain('not sent again');
    expect(tenant.sent).toHaveLength(1);
    expect(elapsed()).toBe(settle);
  });

  it('is looked up with the others, so that many wait no longer than one', async () => {
    const { tenant, clock, elapsed } = await lateWorld();
    tenant.fault = lost;
    const names = Array.from({ length: 20 }, (_, at) => `thing-${at}`);
    const plan = planOf(names.map((name) => createThing(name)));
    const result = await apply(plan, tenant, { kinds: doubling, clock, settle, concurrency: 1 });
    expect(result.summary.unknown).toBe(20);
    expect(elapsed()).toBe(settle);
    expect(tenant.reads).toBeLessThan(20 + 1 + 25);
  });

  it('is not sent where somebody made it after the plan was checked', async () => {
    const { tenant, clock } = await lateWorld();
    tenant.onRead = (count) => {
      if (count === 2) tenant.things.set('a', { id: 'by-hand', name: 'a', text: 'by hand' });
    };
    const result = await apply([createThing('a')], tenant, { kinds: doubling, clock, settle });
    expect(result.changes[0]).toMatchObject({ outcome: 'failed', requests: [] });
    expect(result.changes[0]?.error).toContain('Changed since the plan: it exists now');
    expect(tenant.sent).toEqual([]);
  });

  it('is checked together with the others of its kind', async () => {
    const { tenant, clock } = await lateWorld();
    const names = Array.from({ length: 20 }, (_, at) => `thing-${at}`);
    await apply(
      names.map((name) => createThing(name)),
      tenant,
      { kinds: doubling, clock, settle },
    );
    expect(tenant.sent).toHaveLength(20);
    expect(tenant.reads).toBe(2);
  });
});

describe('a create that the tenant accepted, and does not show under its name', () => {
  const plan = planOf([createThing('a')]);

  it('is named as the tenant named it, and never sent again', async () => {
    const { tenant, clock } = await lateWorld();
    tenant.rewrite = (stored) => ({ ...stored, name: 'a&amp;' });
    const options = { kinds: doubling, clock, settle, folder: await newFolder() };
    const { changes, proven } = await apply(plan, tenant, options);
    const id = tenant.things.get('a&amp;')?.id;
    expect(changes).toMatchObject([{ outcome: 'failed', id, after: { text: 'new' } }]);
    expect(changes[0]?.error).toContain(
      `another name, "a&amp;", with the id "${id}". Declare it by that name`,
    );
    expect(proven).toEqual({});
    const again = await apply(plan, tenant, options);
    expect(again.outcome).toBe('refused');
    expect(again.diagnostics).toMatchObject([
      {
        message: expect.stringContaining(`another name, with the id "${id}"`),
        hint: 'Declare it by the name that the tenant gives it, then make a new plan.',
      },
    ]);
    expect(tenant.sent).toHaveLength(1);
  });

  it('is not sent again where the run was killed before it saw that', async () => {
    const { tenant, clock } = await lateWorld();
    const folder = await killedRun(plan, 'Thing/a', { status: 201 });
    const result = await apply(plan, tenant, { kinds: doubling, clock, settle, folder });
    expect(result.diagnostics).toMatchObject([
      {
        code: 'plan-stale',
        message: expect.stringContaining('an earlier run of this plan created it, and the tenant does not'),
      },
    ]);
    expect(tenant.sent).toEqual([]);
  });

  it('is unknown where the answer shows no id, or that the tenant is not done', async () => {
    for (const [status, body] of [
      [201, { name: 'b' }],
      [202, { id: 'job', name: 'Import' }],
    ] as const) {
      const { tenant, clock } = await lateWorld();
      tenant.fault = answered(status, { body });
      expect((await apply(plan, tenant, { kinds: doubling, clock, settle })).changes).toMatchObject([
        { outcome: 'unknown', error: expect.stringContaining('does not exist') },
      ]);
    }
  });
});

it('a change of records without ids is not sent again: it would add them twice', async () => {
  const { tenant, clock } = await lateWorld({ things: { old } });
  tenant.fault = answered(504);
  const plan = planOf([plannedUpdate(old, { rows: [{ name: 'r' }] })]);
  expect(outcomes(await apply(plan, tenant, { clock, settle }))).toBe('Thing/old unknown');
  expect(tenant.sent).toHaveLength(1);
});

it('a change of several requests goes on once the first one shows', async () => {
  const { tenant, clock } = await lateWorld({ things: { old } }, 2000);
  tenant.fault = first(answered(504, { done: true }));
  // The first request adds a record, so that it is not sent again.
  const plan = planOf([plannedUpdate(old, { text: 'after', rows: [{ name: 'r' }], rule: 'r' })]);
  expect(outcomes(await apply(plan, tenant, { clock, settle }))).toBe('Thing/old done');
  expect(tenant.carriedOut).toEqual(['PATCH /v2024/things/t1', 'PATCH /v2024/things/t1/rule']);
});

describe('the last of several requests, lost while the reads show the first one late', () => {
  const change = updateThing(old, 'after', 'r');
  const requests = ['PATCH /v2024/things/t1', 'PATCH /v2024/things/t1/rule'];

  it('is sent again', async () => {
    const { tenant, clock } = await lateWorld({ things: { old } }, 2000);
    tenant.fault = (_request, count) => {
      if (count !== 2) return null;
      clock.pass(3000);
      return lost;
    };
    expect(outcomes(await apply([change], tenant, { clock, settle }))).toBe('Thing/old done');
    expect(tenant.carriedOut).toEqual(requests);
  });

  it('is sent by the next run, if the program was killed', async () => {
    const { tenant, clock } = await lateWorld({ things: { old: { ...old, text: 'after' } } });
    const folder = await newFolder();
    const plan = planOf([change]);
    const journal = await openJournal(folder, plan);
    const before = new Map([['Thing/old', change.fingerprint]]);
    await journal.append({ type: 'intent', at: 't1', request: 0, before: [...before] });
    await journal.append({
      type: 'result',
      at: 't2',
      request: 0,
      changes: ['Thing/old'],
      verdict: 'done',
      status: 200,
    });
    await journal.append({ type: 'intent', at: 't3', request: 1, before: [...before] });
    await journal.close();
    expect(outcomes(await apply(plan, tenant, { clock, settle, folder }))).toBe('Thing/old done');
    expect(tenant.carriedOut).toEqual(requests.slice(1));
  });
});

it('the second request of a create waits until reads show what the first one made', async () => {
  const { tenant, clock } = await lateWorld({}, 2000);
  const requests = [
    request('POST', thingsPath, { name: 'a', text: 'new' }),
    request('PATCH', `${thingsPath}/{Thing/a}/rule`, { value: 'r' }),
  ];
  const inTwo = catalogOf([{ ...thing, write: { ...thing.write, create: () => ({ requests }) } }]);
  const plan = planOf([{ ...createThing('a', { text: 'new', rule: 'r' }), requests }]);
  expect(outcomes(await apply(plan, tenant, { kinds: inTwo, clock, settle }))).toBe('Thing/a done');
  expect(tenant.things.get('a')).toMatchObject({ text: 'new', rule: 'r' });
});

it('with --fail-fast, nothing starts after a request whose outcome is not known yet', async () => {
  const { tenant, clock } = await lateWorld();
  tenant.fault = lost;
  const result = await apply([createThing('a'), createThing('b')], tenant, {
    ...{ kinds: doubling, clock, settle },
    concurrency: 1,
    failFast: true,
  });
  expect(outcomes(result)).toBe('Thing/a unknown, Thing/b notAttempted');
});

describe('a verdict against the tenant', () => {
  it('is not spoken while the reads lag', async () => {
    const { tenant, clock, elapsed } = await lateWorld({ things: { old } }, 2000);
    const changes = [{ ...updateThing(old, 'after', 'r') }, createThing('new')];
    const result = await apply(changes, tenant, { clock, settle });
    expect(result.changes.map(({ outcome, warnings }) => [outcome, warnings])).toEqual([
      ['done', []],
      ['done', []],
    ]);
    expect(elapsed()).toBeLessThan(6000);
  });

  it('waits for a delete that is answered with a text', async () => {
    const { tenant, clock, elapsed } = await lateWorld({ things: { gone } }, 2000);
    tenant.fault = answered(200, { done: true, body: null, text: 'queued' });
    expect(outcomes(await apply([deleteThing(gone)], tenant, { clock, settle }))).toBe('Thing/gone done');
    expect(elapsed()).toBeGreaterThanOrEqual(2000);
  });

  it('waits for a bulk delete that does not show yet', async () => {
    const note = { id: 'n1', key: 'n1', text: 'x' };
    const { tenant, clock } = await lateWorld({ notes: { n1: note } }, 2000);
    expect(outcomes(await apply(deleteNotes([note]), tenant, { clock, settle }))).toBe('Note/n1 done');
  });

  it.each([
    ['a tenant that needs most of that time', 58_000, 'done'],
    ['a tenant that needs longer', 62_000, 'failed'],
  ])(
    'waits for a delete that the tenant carries out later (202) until settle: %s',
    async (_what, ms, outcome) => {
      const { tenant, clock, elapsed } = await lateWorld({ things: { gone } }, ms);
      tenant.fault = ({ method }) => (method === 'DELETE' ? answered(202, { done: true, body: null }) : null);
      const result = await apply([deleteThing(gone)], tenant, { clock, settle });
      expect(outcomes(result)).toBe(`Thing/gone ${outcome}`);
      expect(elapsed()).toBeGreaterThanOrEqual(Math.min(ms, settle));
      expect(elapsed()).toBeLessThanOrEqual(settle);
    },
  );

  it.each([
    [settle, 15_000],
    [3000, 3000],
  ])('is spoken at last, with a settle of %i ms after %i ms', async (allowed, waited) => {
    const { tenant, clock, elapsed } = await lateWorld({ things: { old } });
    tenant.rewrite = (raw) => ({ ...raw, text: 'before' });
    const result = await apply([updateThing(old, 'after')], tenant, { clock, settle: allowed });
    expect(result.changes[0]?.warnings).toEqual([expect.stringMatching(/ignored \/text/)]);
    expect(elapsed()).toBe(waited);
  });

  it('comes before the deletes, which depend on it', async () => {
    const { tenant, clock, elapsed } = await lateWorld({ things: { gone } });
    tenant.fault = ({ method }) => (method === 'POST' ? lost : null);
    const events: ApplyEvent[] = [];
    const result = await apply([createThing('a'), deleteThing(gone)], tenant, {
      kinds: doubling,
      clock,
      settle,
      onEvent: (event) => events.push(event),
    });
    expect(outcomes(result)).toBe('Thing/a unknown, Thing/gone skipped');
    expect(tenant.things.has('gone')).toBe(true);
    expect(elapsed()).toBe(settle);
    expect(events.find(({ type }) => type === 'settling')).toMatchObject({
      addresses: ['Thing/a'],
      ms: settle,
    });
  });

  it('that the journal cannot record stops the run, and nothing is forgotten', async () => {
    const { tenant, clock } = await lateWorld({ things: { old, gone } });
    const plan = planOf([updateThing(old, 'after', 'r'), deleteThing(gone)]);
    const journal = refusing(await openJournal(await newFolder(), plan), 'settled', 'no space left');
    const result = await apply(plan, tenant, { journal, clock, settle });
    expect(outcomes(result)).toBe('Thing/old unknown, Thing/gone notAttempted');
    expect(result.changes[0]?.error).toContain('no space left');
    expect(result.changes[0]?.requests).toHaveLength(2);
  });

  it('is not waited for after Ctrl-C', async () => {
    const { tenant, clock, elapsed } = await lateWorld();
    const control = new AbortController();
    tenant.fault = lost;
    tenant.onRead = (count) => {
      if (count > 2) control.abort();
    };
    const result = await apply([createThing('a')], tenant, {
      kinds: doubling,
      clock,
      settle,
      signal: control.signal,
    });
    expect(outcomes(result)).toBe('Thing/a unknown');
    expect(result.outcome).toBe('interrupted');
    expect(elapsed()).toBeLessThan(2000);
  });
});

it('a prompt tenant is not waited for', async () => {
  const { tenant, clock, elapsed } = await lateWorld({ things: { old, gone } });
  const plan = planOf([createThing('a'), updateThing(old, 'after', 'r'), deleteThing(gone)]);
  expect((await apply(plan, tenant, { kinds: doubling, clock, settle })).outcome).toBe('done');
  expect(elapsed()).toBe(0);
  // The check, the key of the create, and the object that was changed by two requests: after each of them.
  expect(tenant.reads).toBe(4);
});

describe('a write that was read for too long ago', () => {
  const things = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [name, { id: `id-${name}`, name, text: 'before' }]),
  );
  const plan = planOf(Object.values(things).map((raw) => updateThing(raw, 'after')));
  const ofOne = planOf(plan.changes.slice(0, 1));

  it('is checked again, with all that remain, and leaves alone what somebody changed', async () => {
    const { tenant, clock } = await lateWorld({ things });
    tenant.fault = (_request, count) => {
      if (count === 1) {
        clock.pass(10_001);
        tenant.things.set('c', { ...things.c, text: 'by hand' });
      }
      return null;
    };
    const result = await apply(plan, tenant, { clock, settle, concurrency: 1 });
    expect(outcomes(result)).toBe('Thing/a done, Thing/b done, Thing/c failed');
    expect(result.changes[2]).toMatchObject({
      requests: [],
      error: 'Changed since the plan: its content is different now. Nothing was sent.',
    });
    expect(tenant.things.get('c')).toMatchObject({ text: 'by hand' });
    expect(tenant.reads).toBe(2);
  });

  it('is sent as it is within ten seconds', async () => {
    const { tenant, clock } = await lateWorld({ things });
    tenant.fault = () => {
      clock.pass(3_000);
      return null;
    };
    expect((await apply(plan, tenant, { clock, settle, concurrency: 1 })).outcome).toBe('done');
    expect(tenant.reads).toBe(1);
  });

  it('tells the client until when it may be sent, and is read again where that was over, for three times', async () => {
    const { tenant, clock } = await lateWorld({ things });
    const limits: (number | null | undefined)[] = [];
    const start = clock.now();
    // The client has no room until it was asked three times.
    const port = inTime(tenant, clock, (notAfter) => {
      limits.push(notAfter);
      return limits.length > 3;
    });
    const result = await apply(ofOne, port, { clock, settle });
    expect(result.outcome).toBe('done');
    expect(result.changes[0]?.requests).toHaveLength(1);
    const until = start + 10_000;
    expect(limits).toEqual([until, until, until, null]);
  });

  it('is asked for again where a request was not answered for longer, which is not forgotten', async () => {
    const { tenant, clock } = await lateWorld({ things });
    tenant.fault = (_request, count) => {
      if (count === 1) clock.pass(30_000);
      return count === 1 ? lost : null;
    };
    const result = await apply(ofOne, inTime(tenant, clock), { clock, settle });
    expect(result.outcome).toBe('done');
    expect(result.changes[0]?.requests.map(({ status }) => status)).toEqual([null, 200]);
    expect(tenant.sent).toHaveLength(2);
  });

  it('is asked for as long as a repetition has to wait, for three times', async () => {
    const { tenant, clock } = await lateWorld({ things });
    tenant.fault = first(lost);
    const limits: unknown[] = [];
    const port = inTime(tenant, clock, (notAfter) => {
      limits.push(notAfter);
      // The queue is long.
      if (limits.length > 1) clock.pass(11_000);
    });
    const result = await apply(ofOne, port, { clock, settle });
    expect(result.outcome).toBe('done');
    expect(limits).toHaveLength(5);
    expect(limits.at(-1)).toBeNull();
    expect(result.changes[0]?.requests.map(({ status }) => status)).toEqual([null, 200]);
  });

  it('is not sent again where it shows an effect once a repetition has waited too long', async () => {
    const { tenant, clock, elapsed } = await lateWorld({ things });
    tenant.fault = lost;
    const port = inTime(tenant, clock, () => void (tenant.sent.length === 1 && clock.pass(11_000)));
    tenant.onRead = () => void (elapsed() > 0 && tenant.things.set('a', { ...things.a, text: 'after' }));
    expect(outcomes(await apply(ofOne, port, { clock, settle }))).toBe('Thing/a done');
    expect(tenant.sent).toHaveLength(1);
  });

  it('of a create that was carried out after it was given up, and is refused now, is done', async () => {
    const { tenant, clock } = await lateWorld();
    const made = { id: 'late', name: 'a', text: 'new' };
    tenant.fault = (_request, count) => {
      if (count > 1) return null;
      clock.pass(30_000);
      return lost;
    };
    // The reads that decide on the repetition do not show it yet.
    const port = inTime(tenant, clock, () => void (tenant.sent.length === 1 && tenant.things.set('a', made)));
    const result = await apply([createThing('a')], port, { clock, settle });
    expect(outcomes(result)).toBe('Thing/a done');
    expect(result.changes[0]?.requests.map(({ status }) => status)).toEqual([null, 400]);
  });

  it('may be as old as it takes to read, where that takes long', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `thing-${at}`);
    const many = Object.fromEntries(names.map((name) => [name, { id: `id-${name}`, name, text: 'before' }]));
    const { tenant, clock } = await lateWorld({ things: many });
    tenant.onRead = () => clock.pass(20_000);
    tenant.fault = () => {
      clock.pass(2_000);
      return null;
    };
    const changes = Object.values(many).map((raw) => updateThing(raw, 'after'));
    expect((await apply(changes, tenant, { clock, settle, concurrency: 1 })).outcome).toBe('done');
    expect(tenant.reads).toBe(2);
  });

  it('is read by id, and with few others, where each object has a call of its own', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `thing-${at}`);
    const many = Object.fromEntries(names.map((name) => [name, { id: `id-${name}`, name, text: 'before' }]));
    const { tenant, clock } = await lateWorld({ things: many });
    const asked: ReadRequest[] = [];
    const port = watched(tenant, { read: (requests) => asked.push(...requests) });
    tenant.fault = (_request, count) => {
      if (count === 1) clock.pass(11_000);
      return null;
    };
    const { resource } = thing;
    const list = { resource, pageSize: null };
    const each = (id: string) => apiRequest('GET', resource, contractSettings, { below: [id] });
    const eachByCall: Kind = { ...thing, read: { how: 'list-then-each', list, each } };
    const changes = Object.values(many).map((raw) => updateThing(raw, 'after'));
    await apply(changes, port, { kinds: catalogOf([eachByCall]), clock, settle, concurrency: 1 });
    expect(asked.map(({ keys, ids }) => [keys.length, ids.length])).toEqual([
      [40, 40],
      [0, 16],
      [0, 16],
      [0, 7],
    ]);
  });

  it('of a bulk request fails for all of it', async () => {
    const notes = ['a', 'b'].map((key) => ({ id: `n-${key}`, key, text: 'x' }));
    const { tenant, clock } = await lateWorld({
      things: { old },
      notes: Object.fromEntries(notes.map((raw) => [raw.key, raw])),
    });
    tenant.onEffect = () => {
      clock.pass(11_000);
      tenant.notes.set('b', { id: 'n-b', key: 'b', text: 'by hand' });
    };
    const result = await apply([updateThing(old, 'after'), ...deleteNotes(notes)], tenant, {
      clock,
      settle,
    });
    expect(outcomes(result)).toBe('Thing/old done, Note/a failed, Note/b failed');
    expect(result.changes[1]?.error).toContain('Note/b');
    expect(tenant.notes.size).toBe(2);
  });
});

describe('a later run', () => {
  const plan = planOf([createThing('a')]);

  it('waits for what is left of the time since the intent of a killed one', async () => {
    const { tenant, clock, elapsed } = await lateWorld();
    const folder = await killedRun(plan, 'Thing/a', { at: new Date(clock.now()).toISOString() });
    clock.pass(20_000);
    const recent = await readRecentWrites(folder, plan.tenant, clock.now() - settle);
    const result = await apply(plan, tenant, { folder, kinds: doubling, clock, settle, recent });
    expect(outcomes(result)).toBe('Thing/a done');
    expect(tenant.sent).toHaveLength(1);
    expect(elapsed()).toBe(settle);
  });

  it('does not wait for what shows, nor for what somebody changed', async () => {
    const { tenant, clock, elapsed } = await lateWorld();
    const folder = await newFolder();
    expect((await apply(plan, tenant, { folder, kinds: doubling, clock, settle })).outcome).toBe('done');
    const recent = await readRecentWrites(folder, plan.tenant, clock.now() - settle);
    expect(recent).toMatchObject([{ address: 'Thing/a', before: [null], after: expect.any(String) }]);
    for (const text of ['new', 'by hand']) {
      const live = { id: 'new-1', name: 'a', text };
      tenant.things.set('a', live);
      const next = planOf([updateThing(live, `${text}!`)]);
      const result = await apply(next, tenant, { kinds: doubling, clock, settle, recent });
      expect(outcomes(result)).toBe('Thing/a done');
    }
    expect(elapsed()).toBe(0);
  });

  it('refuses a damaged journal, since it may hide a write', async () => {
    const folder = await newFolder();
    await mkdir(folder, { recursive: true });
    await apply(plan, await startTenant(), { folder });
    for (const name of await readdir(folder)) await appendFile(`${folder}/${name}`, 'no record\n');
    await expect(readRecentWrites(folder, plan.tenant, 0)).rejects.toMatchObject({
      diagnostics: [{ code: 'journal-damaged' }],
    });
  });
});
