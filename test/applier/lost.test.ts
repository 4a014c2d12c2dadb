import { describe, expect, it } from 'vitest';
import { openJournal } from '../../src/applier/journal.ts';
import type { ApplyEvent } from '../../src/applier/run.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { catalogOf } from '../../src/kinds/project.ts';
import type { Change } from '../../src/model/documents.ts';
import { secretsOf } from '../support/plan.ts';
import { apply, newFolder, outcomes, refusing } from './run.ts';
import { answered, first, lost, lostAnswer, startTenant, type Tenant } from './tenant.ts';
import {
  createThing,
  deleteNotes,
  deleteThing,
  note,
  plannedUpdate,
  planOf,
  request,
  thing,
  updateThing,
  writeNote,
} from './things.ts';

const old = { id: 't1', name: 'old', text: 'before' };

describe('a POST whose answer is lost', () => {
  it('is found by its key and not sent again', async () => {
    const tenant = await startTenant({}, lostAnswer);
    const result = await apply([createThing('a')], tenant);
    expect(outcomes(result)).toBe('Thing/a done');
    const what = 'POST /v2024/things was not confirmed. connection reset';
    expect(result.changes[0]?.warnings).toEqual([`${what} A fresh read shows the object as planned.`]);
    expect(tenant.carriedOut).toEqual(['POST /v2024/things']);
  });

  it('is sent once more when the object is not there', async () => {
    const tenant = await startTenant({}, first(lost));
    const result = await apply([createThing('a')], tenant);
    expect(outcomes(result)).toBe('Thing/a done');
    expect(result.changes[0]?.requests.map((sent) => sent.status)).toEqual([null, 201]);
    expect(tenant.carriedOut).toHaveLength(1);
  });

  it('is looked up each time, and given up after the second', async () => {
    const tenant = await startTenant({}, lost);
    expect(outcomes(await apply([createThing('a')], tenant))).toBe('Thing/a unknown');
    expect(tenant.sent).toHaveLength(2);
    expect(tenant.reads).toBe(3);
  });

  it('is unknown when the object is neither as before nor as planned', async () => {
    const tenant = await startTenant({}, lostAnswer);
    tenant.rewrite = (raw) => ({ ...raw, text: 'another' });
    expect(outcomes(await apply([createThing('a')], tenant))).toBe('Thing/a unknown');
    expect(tenant.sent).toHaveLength(1);
  });

  it('is sent once more where it replaces an object that is as before', async () => {
    const live = { id: 'n1', key: 'a', text: 'before' };
    const tenant = await startTenant({ notes: { a: live } }, first(lost));
    expect(outcomes(await apply([writeNote('a', 'after', { live })], tenant))).toBe('Note/a done');
    expect(tenant.carriedOut).toHaveLength(1);
  });

  it('is not sent again where it is part of an update: it could add something twice', async () => {
    const path = '/v2024/things/t1/rows';
    const adding: Kind = {
      ...thing,
      write: { ...thing.write, update: () => ({ requests: [request('POST', path, { text: 'after' })] }) },
    };
    const entry = { ...updateThing(old, 'after'), requests: [request('POST', path, { text: 'after' })] };
    const tenant = await startTenant({ things: { old } }, lost);
    expect((await apply([entry], tenant, { kinds: catalogOf([adding]) })).changes).toMatchObject([
      { outcome: 'unknown', error: expect.stringContaining('could take effect twice') },
    ]);
    expect(tenant.sent).toHaveLength(1);
  });

  it('is not found by the answer about another object', async () => {
    const tenant = await startTenant();
    tenant.rewrite = (raw) => ({ ...raw, name: 'other' });
    expect((await apply([createThing('a')], tenant)).changes[0]?.outcome).not.toBe('done');
  });

  it('is unknown when it cannot be looked up', async () => {
    const tenant = await startTenant({}, lostAnswer);
    tenant.readFault = () => (tenant.reads > 1 ? new Error('403 Forbidden') : null);
    const result = await apply([createThing('a')], tenant);
    expect(outcomes(result)).toBe('Thing/a unknown');
    expect(result.changes[0]?.error).toContain('403 Forbidden');
    expect(tenant.sent).toHaveLength(1);
  });
});

it('a lost answer is told while its object is looked up', async () => {
  const tenant = await startTenant({}, lostAnswer);
  const events: ApplyEvent[] = [];
  await apply([createThing('a')], tenant, { onEvent: (event) => events.push(event) });
  expect(events.filter(({ type }) => type === 'waiting')).toEqual([
    { type: 'waiting', address: 'Thing/a', why: 'the response was lost' },
  ]);
});

describe('an error with a status of success', () => {
  const body = { detailCode: '500.0', messages: [{ locale: 'en', text: 'the backend is down' }] };

  it('is a failure with the words of the tenant, and is not sent again', async () => {
    const tenant = await startTenant({ things: { old } }, answered(200, { body }));
    const result = await apply([updateThing(old, 'after'), createThing('a')], tenant);
    expect(outcomes(result)).toBe('Thing/old failed, Thing/a failed');
    expect(result.changes[0]?.error).toContain('the backend is down');
    expect(tenant.sent).toHaveLength(2);
  });

  it('that hid a success is none', async () => {
    const tenant = await startTenant({ things: { old } }, answered(200, { done: true, body }));
    const result = await apply([updateThing(old, 'after'), createThing('a')], tenant);
    expect(outcomes(result)).toBe('Thing/old done, Thing/a done');
    expect(tenant.carriedOut).toHaveLength(2);
  });
});

describe('a server fault', () => {
  it.each([303, 408, 503])('that hid a success is no failure (%d)', async (code) => {
    const tenant = await startTenant({}, answered(code, { done: true }));
    expect(outcomes(await apply([createThing('a')], tenant))).toBe('Thing/a done');
    expect(tenant.carriedOut).toHaveLength(1);
  });

  it('that stays is a failure with the words of the tenant', async () => {
    const tenant = await startTenant({ things: { old } }, answered(500));
    const result = await apply([updateThing(old, 'after')], tenant);
    expect(result.changes[0]?.outcome).toBe('failed');
    expect(result.changes[0]?.after).toEqual({});
    expect(result.changes[0]?.error).toContain('the tenant says no');
    expect(tenant.sent).toHaveLength(2);
  });

  it('on the first of two requests goes on with the second', async () => {
    const tenant = await startTenant({ things: { old } }, first(answered(502, { done: true })));
    expect(outcomes(await apply([updateThing(old, 'after', 'r')], tenant))).toBe('Thing/old done');
    expect(tenant.carriedOut).toEqual(['PATCH /v2024/things/t1', 'PATCH /v2024/things/t1/rule']);
  });

  it('on a change that cannot be seen is sent once more', async () => {
    const tenant = await startTenant({ things: { old } }, first(answered(502, { done: true })));
    // The tenant shows neither the secret nor that it was written.
    tenant.rewrite = (stored) => ({ ...stored, attributes: { password: null } });
    const raw = { ...old, attributes: { password: null } };
    tenant.things.set('old', raw);
    const planned = plannedUpdate(raw, { attributes: { url: 'u', password: { $secret: 'S' } } });
    expect(outcomes(await apply([planned], tenant, { secrets: secretsOf({ S: 'x' }) }))).toBe(
      'Thing/old done',
    );
    expect(tenant.sent).toHaveLength(2);
  });
});

describe('a refusal', () => {
  it('of a request that was sent before is looked up', async () => {
    const tenant = await startTenant({ things: { old } }, answered(400, { done: true, repeated: true }));
    expect(outcomes(await apply([updateThing(old, 'after')], tenant))).toBe('Thing/old done');
  });

  it('of a request that was sent before, and had no effect, is not tried again', async () => {
    const tenant = await startTenant({ things: { old } }, answered(400, { repeated: true }));
    const events: unknown[] = [];
    const onEvent = (event: ApplyEvent) => event.type === 'waiting' && events.push(event);
    expect(outcomes(await apply([updateThing(old, 'after')], tenant, { onEvent }))).toBe('Thing/old failed');
    expect(tenant.sent).toHaveLength(1);
    expect(events).toEqual([{ type: 'waiting', address: 'Thing/old', why: 'the tenant answered 400' }]);
  });

  it('of a request sent once is final', async () => {
    const tenant = await startTenant({ things: { old } }, answered(400));
    expect(outcomes(await apply([updateThing(old, 'after')], tenant))).toBe('Thing/old failed');
    expect(tenant.reads).toBe(1);
  });

  it.each([404, 410])('of anything but a delete with %i is final, and is not waited for', async (code) => {
    for (const planned of [createThing('a'), updateThing(old, 'after')]) {
      const tenant = await startTenant({ things: { old } }, answered(code));
      expect(outcomes(await apply([planned], tenant, { settle: 60_000 }))).toBe(`${planned.address} failed`);
      expect(tenant.reads).toBe(1);
    }
  });

  it('comes with what the kind advises about a delete', async () => {
    const advised: Kind = { ...note, quirks: { sharedDelete: { ifRefused: 'Ask the support.' } } };
    const stored = { id: 'n1', key: 'stored', text: 'before' };
    const errorOf = async (planned: Change) => {
      const tenant = await startTenant({ notes: { stored } }, answered(403));
      return (await apply([planned], tenant, { kinds: catalogOf([advised]) })).changes[0]?.error;
    };
    const said = '403: {"message":"the tenant says no"}';
    for (const planned of deleteNotes([stored]))
      expect(await errorOf(planned)).toBe(`${said} Ask the support.`);
    expect(await errorOf(writeNote('fresh', 'new'))).toBe(said);
  });

  it.each([404, 410])('of a delete with %i is looked up, and done where nothing is there', async (code) => {
    for (const isThere of [false, true]) {
      const tenant = await startTenant({ things: { old } });
      tenant.fault = () => {
        if (!isThere) tenant.things.clear();
        return answered(code);
      };
      const [change] = (await apply([deleteThing(old)], tenant)).changes;
      expect([change?.outcome, change?.error, change?.warnings]).toEqual(
        isThere
          ? ['failed', `${code}: {"message":"the tenant says no"}`, []]
          : ['done', null, ['It was already gone, so the tenant refused the request.']],
      );
    }
  });

  it('of a delete that was carried out is told as such', async () => {
    const tenant = await startTenant({ things: { old } }, answered(504, { done: true }));
    const [change] = (await apply([deleteThing(old)], tenant)).changes;
    const what = 'DELETE /v2024/things/t1 was not confirmed. 504: {"message":"the tenant says no"}';
    expect(change?.warnings).toEqual([`${what} A fresh read shows that the object is gone.`]);
  });
});

describe('a change of two requests', () => {
  const plan = planOf([updateThing(old, 'after', 'r')]);

  it('ends with the first one that is refused', async () => {
    const tenant = await startTenant({ things: { old } }, first(answered(400)));
    expect((await apply(plan, tenant)).changes).toMatchObject([
      { outcome: 'failed', error: expect.stringContaining('the tenant says no') },
    ]);
    expect(tenant.sent).toHaveLength(1);
  });

  it('goes no further where it is not known what the first one did', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.fault = () => {
      tenant.things.set('old', { ...old, text: 'by hand' });
      return lost;
    };
    expect(outcomes(await apply(plan, tenant))).toBe('Thing/old unknown');
    expect(tenant.sent).toHaveLength(1);
  });

  it('goes no further where its object cannot be read in between, and says how to finish', async () => {
    const tenant = await startTenant({ things: { old } });
    tenant.readFault = () => (tenant.sent.length > 0 ? new Error('the reads are down') : null);
    expect((await apply(plan, tenant)).changes).toMatchObject([
      {
        outcome: 'failed',
        after: null,
        error: expect.stringMatching(
          /^1 of 2 requests were sent; apply the same plan again to finish\. .*the reads are down$/,
        ),
      },
    ]);
    expect(tenant.carriedOut).toEqual(['PATCH /v2024/things/t1']);
  });
});

it('a server fault that stays is a failure also where its effect is waited for', async () => {
  const tenant = await startTenant({ things: { old } }, answered(500));
  expect((await apply([updateThing(old, 'after')], tenant, { settle: 60_000 })).changes).toMatchObject([
    { outcome: 'failed', error: expect.stringContaining('the tenant says no') },
  ]);
  expect(tenant.sent).toHaveLength(2);
});

it('a journal that cannot be written ends the run: what was sent is unknown, and nothing more is sent', async () => {
  const tenant = await startTenant({ things: { old } });
  const plan = planOf([updateThing(old, 'after'), createThing('new')]);
  const journal = await openJournal(await newFolder(), plan);
  const full = refusing(journal, 'result', 'the disk is full');
  const result = await apply(plan, tenant, { journal: full, concurrency: 1 });
  expect(tenant.sent).toHaveLength(1);
  expect(outcomes(result)).toBe('Thing/old unknown, Thing/new notAttempted');
  const unknown = result.changes.find(({ outcome }) => outcome === 'unknown');
  expect(unknown?.error).toBe('The run cannot continue: the disk is full');
});

it('a value that stays as it is comes from the object, and is in no plan', async () => {
  const raw = { ...old, attributes: { url: 'u', password: 'canary' } };
  const tenant = await startTenant({ things: { old: raw } });
  const plan = planOf([plannedUpdate(raw, { attributes: { url: 'v' } })]);
  expect(JSON.stringify(plan)).not.toContain('canary');
  expect(outcomes(await apply(plan, tenant))).toBe('Thing/old done');
  expect(tenant.things.get('old')?.attributes).toEqual({ url: 'v', password: 'canary' });
});

it('a bulk delete carried out in part is sent again for the rest', async () => {
  const notes = ['a', 'b'].map((key) => ({ id: `n-${key}`, key, text: 'x' }));
  const tenant = await startTenant({ notes: Object.fromEntries(notes.map((raw) => [raw.key, raw])) });
  tenant.fault = (_request, count) => {
    if (count > 1) return null;
    tenant.notes.delete('a');
    return lost;
  };
  expect(outcomes(await apply(deleteNotes(notes), tenant))).toBe('Note/a done, Note/b done');
  expect(tenant.notes.size).toBe(0);
});

it('a request that never left is a failure and is not looked up', async () => {
  const tenant = await startTenant({}, { is: 'unsent' });
  const result = await apply([createThing('a')], tenant);
  expect(result.changes[0]).toMatchObject({ outcome: 'failed', error: 'no route' });
  expect(tenant.reads).toBe(1);
});

it('a request that left once and then no more is looked up, and unknown where it does not show', async () => {
  for (const isThere of [false, true]) {
    const tenant = await startTenant();
    tenant.fault = () => {
      if (isThere) tenant.things.set('a', { id: 't1', name: 'a', text: 'new' });
      return { is: 'unsent', repeated: true };
    };
    const whys: string[] = [];
    const onEvent = (event: ApplyEvent) => void (event.type === 'waiting' && whys.push(event.why));
    const result = await apply([createThing('a')], tenant, { onEvent });
    expect(outcomes(result)).toBe(`Thing/a ${isThere ? 'done' : 'unknown'}`);
    expect(tenant.sent).toHaveLength(1);
    expect(whys).toEqual(['an earlier attempt was not answered']);
  }
});

it('a change whose object cannot be read while it is waited for is unknown, with what the tenant said', async () => {
  const tenant = await startTenant({}, answered(504, { repeated: false }));
  const isLate = () => tenant.sent.length > 1 && tenant.reads > 3;
  tenant.readFault = () => (isLate() ? new Error('the reads are down') : null);
  expect((await apply([createThing('a')], tenant, { settle: 60_000 })).changes).toMatchObject([
    { outcome: 'unknown', error: expect.stringMatching(/504.*could not be looked up: the reads are down/) },
  ]);
});

it.each([
  [true, 'done'],
  [false, 'unknown'],
])(
  'a change whose object cannot be read at once is looked up later: carried out %j, %s',
  async (done, outcome) => {
    const tenant = await startTenant({ things: { old } }, () => ({ is: 'lost', done }));
    tenant.readFault = () => (tenant.reads === 2 ? new Error('the list changed') : null);
    const result = await apply([updateThing(old, 'after')], tenant, { settle: 60_000 });
    expect(outcomes(result)).toBe(`Thing/old ${outcome}`);
    expect(tenant.sent).toHaveLength(1);
  },
);

it('a change that is waited for says so', async () => {
  const tenant = await startTenant({}, lost);
  const waits: unknown[] = [];
  await apply([createThing('a')], tenant, {
    settle: 60_000,
    onEvent: (event) => event.type === 'settling' && waits.push(...event.addresses),
  });
  expect(new Set(waits)).toEqual(new Set(['Thing/a']));
});

describe('what was accepted and cannot be read afterwards', () => {
  const unreadable = (tenant: Tenant) => {
    tenant.readFault = () => (tenant.sent.length > 0 ? new Error('the reads are down') : null);
    return tenant;
  };

  it('is done for a write, with a warning that nothing was compared', async () => {
    const tenant = unreadable(await startTenant());
    tenant.fault = answered(200, { done: true });
    const result = await apply([createThing('a')], tenant);
    const why = /^Could not verify the result\. .*the reads are down$/;
    expect(result.changes).toMatchObject([
      { outcome: 'done', after: null, error: null, warnings: [expect.stringMatching(why)] },
    ]);
  });

  it('is unknown for a delete that no answer confirms', async () => {
    const stored = { id: 'n1', key: 'stored', text: 'x' };
    const tenant = unreadable(await startTenant({ notes: { stored } }));
    expect((await apply(deleteNotes([stored]), tenant)).changes).toMatchObject([
      { outcome: 'unknown', error: expect.stringContaining('the reads are down'), warnings: [] },
    ]);
  });
});
