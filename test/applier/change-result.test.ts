import { describe, expect, it } from 'vitest';
import { begunResult, changeResult, notAttempted, planResult } from '../../src/applier/change-result.ts';
import { ending } from '../../src/applier/run.ts';
import type { Change, ChangeResult, Request } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { redacted } from '../../src/model/sensitive.ts';
import { secretsOf } from '../support/plan.ts';
import { apply } from './run.ts';
import { startTenant } from './tenant.ts';
import {
  createThing,
  diff,
  objectOf,
  plannedUpdate,
  planOf,
  sensitive,
  taskOf,
  thing,
  updateThing,
} from './things.ts';

describe('what a result records', () => {
  it('leaves out what is sensitive, hidden by name, or inside JSON text', async () => {
    const settings = {
      ...{ url: 'u', user: 'canary-marked', password: 'canary-1', apiKey: 'canary-2' },
      deep: { clientSecret: 'canary-3', list: [{ token: 'canary-4', ok: 1 }] },
      inner: '{"password":"canary-5"}',
    };
    const raw = { id: 't1', name: 'old', text: 'before', tags: ['a'], attributes: JSON.stringify(settings) };
    const tenant = await startTenant({ things: { old: raw } });
    const fields = { text: 'after', attributes: { url: 'v', user: { $secret: 'USER' } } };
    const secrets = { USER: 'canary-new' };
    const plan = planOf([plannedUpdate(raw, fields, secrets)]);
    const result = await apply(plan, tenant, { secrets: secretsOf(secrets) });
    expect(JSON.stringify(result)).not.toContain('canary');
    expect(result.changes[0]).toMatchObject({
      before: { text: 'before', attributes: { url: 'u' } },
      after: { text: 'after', attributes: { url: 'v' } },
      withheld: ['/attributes/user'],
    });
    expect(JSON.stringify(result)).not.toContain('"ok"');
  });

  it('withholds a whole list of which the plan does not show each item', async () => {
    const lists = (hosts: string[]) => JSON.stringify({ url: 'u', hosts });
    const raw = { id: 't1', name: 'old', text: 'before', attributes: lists(['canary']) };
    const plan = planOf([
      plannedUpdate(raw, { attributes: { hosts: [{ $secret: 'HOST' }, 'b'] } }, { HOST: 'canary' }),
    ]);
    const result = await apply(plan, await startTenant({ things: { old: raw } }), {
      secrets: secretsOf({ HOST: 'canary' }),
    });
    expect(result.changes[0]).toMatchObject({ outcome: 'done', withheld: ['/attributes/hosts'] });
    expect(JSON.stringify(result)).not.toContain('canary');
  });

  it('has what was there before an accepted request, also where reads lag and the next one was refused', () => {
    const raw = { id: 't1', name: 'old', text: 'before', rule: 'r0' };
    const live = objectOf(thing, raw);
    const task = taskOf(updateThing(raw, 'after', 'r1'), raw);
    const sent = [200, 400].map((status) => ({
      ...{ method: 'PATCH' as const, path: '/v2024/things/t1', status },
      ...{ trackingId: null, attempts: 1, ms: 1 },
    }));
    const result = changeResult(ending(task, 'failed', sent, { live }));
    expect(result).toMatchObject({ before: { text: 'before', rule: 'r0' }, after: null });
    expect(changeResult(ending(task, 'failed', sent.slice(1), { live })).before).toEqual({});
  });

  it('leaves out settings that cannot be read', async () => {
    const raw = { id: 't1', name: 'old', text: 'before', attributes: '{"password":"canary' };
    const result = await apply([updateThing(raw, 'after')], await startTenant({ things: { old: raw } }));
    expect(result.changes[0]?.before).toEqual({ text: 'before' });
  });

  it('leaves out a list in which something is sensitive', async () => {
    const raw = { id: 't1', name: 'old', text: 'before', tags: ['canary'] };
    const plan = planOf([
      plannedUpdate(raw, { text: 'after', tags: [{ $secret: 'TAG' }] }, { TAG: 'canary' }),
    ]);
    const result = await apply(plan, await startTenant({ things: { old: raw } }), {
      secrets: secretsOf({ TAG: 'canary' }),
    });
    expect(result.changes[0]?.outcome).toBe('done');
    expect(result.changes[0]?.before).toEqual({ text: 'before' });
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});

describe('what a result records of a change that an earlier run began', () => {
  const raw = { id: 't1', name: 'old', text: 'before', tags: ['a'], attributes: { url: 'u', port: 1 } };
  const shownNow = { url: 'v', port: 1, user: 'canary' };
  const shows = { ...raw, text: 'after', tags: ['a', 'b'], attributes: shownNow };
  const planned: Change = {
    ...updateThing(raw, 'after'),
    diff: [
      diff('/text', 'before', 'after'),
      diff('/tags/1', null, 'b'),
      diff('/attributes/url', 'u', 'v'),
      sensitive('/attributes/password'),
    ],
  };
  const resumed = (change: Change, before: JsonObject | null) => taskOf(change, before, { resumed: true });
  const begun = (change: Change) => begunResult(taskOf(change, raw));
  const resultOf = (
    change: Change,
    before: JsonObject | null,
    after: JsonObject | null,
    earlier: readonly ChangeResult[] = [begun(change)],
  ) => {
    const live = after && objectOf(thing, after);
    return changeResult(ending({ ...resumed(change, before), earlier }, 'done', [], { live }));
  };

  it('is the object as that recorded it, also what it had not changed yet', () => {
    const { before, after, withheld } = resultOf(planned, shows, shows);
    expect(before).toEqual({ text: 'before', tags: ['a'], attributes: { url: 'u' } });
    expect(after).toEqual({ text: 'after', tags: ['a', 'b'], attributes: { url: 'v' } });
    expect(withheld).toEqual(['/attributes/password']);
    const half = { ...begun(planned), before: { text: 'before' } };
    const rest = resultOf(planned, { ...shows, attributes: raw.attributes }, shows, [half]);
    expect(rest.before).toEqual({ text: 'before', attributes: { url: 'u' } });
  });

  it('is the object as the first run that changed it recorded it', () => {
    const refused = { ...begun(planned), before: {} };
    const second = { ...begun(planned), before: { text: 'before', attributes: { url: 'u' } } };
    const third = { ...begun(planned), before: { text: 'changed', tags: ['a'] } };
    const { before } = resultOf(planned, shows, shows, [third, second, refused]);
    expect(before).toEqual({ text: 'before', tags: ['a'], attributes: { url: 'u' } });
  });

  it('leaves out what that left out, whatever is there now', () => {
    const earlier = { ...begun(planned), before: { text: 'before' }, withheld: ['/attributes/url'] };
    const was = { ...shows, attributes: { ...shows.attributes, url: 'canary' } };
    const { before, after, withheld } = resultOf(planned, was, shows, [earlier]);
    expect(before).toEqual({ text: 'before' });
    expect(after).not.toHaveProperty('attributes');
    expect(withheld).toContain('/attributes/url');
  });

  it('names all that the plan changes where nothing is known of the object before it', () => {
    const task = resumed(planned, shows);
    const { before, withheld } = changeResult(ending(task, 'done', [], { live: objectOf(thing, shows) }));
    expect(before).toEqual({});
    expect(withheld).toEqual(expect.arrayContaining(['/text', '/tags/1', '/attributes/url']));
  });

  it('is what that recorded of an object that is gone', () => {
    const deletion = { ...planned, action: 'delete' } as const;
    for (const live of [null, shows]) {
      const gone = resultOf(deletion, live, null);
      expect(gone.before).toMatchObject({ text: 'before', tags: ['a'], attributes: { url: 'u' } });
      expect(gone.after).toBeNull();
      expect(gone.withheld).toContain('/attributes/password');
    }
  });

  it('is nothing before a create', () => {
    const change = { ...createThing('old'), diff: [diff('/text', null, 'after')] };
    expect(resultOf(change, shows, shows)).toMatchObject({ before: null, after: { text: 'after' } });
  });

  it('has the id of a deleted object, by which others may refer to it, and of no other', () => {
    const deletion = { ...planned, action: 'delete', id: 't1' } as const;
    expect(resultOf(deletion, raw, null)).toMatchObject({ id: 't1' });
    expect(resultOf({ ...deletion, id: null }, raw, null)).not.toHaveProperty('id');
    expect(resultOf({ ...planned, id: 't1' }, shows, shows)).not.toHaveProperty('id');
  });

  it('leaves out what the plan says is secret, and what it shows in part', () => {
    const listed = { ...raw, rows: [{ name: 'r', value: 'canary' }] };
    const deletion = { ...planned, action: 'delete', secrets: ['/text'] } as const;
    const secret = resultOf(deletion, { ...raw, text: 'canary' }, null);
    expect(JSON.stringify(secret)).not.toContain('canary');
    expect(secret.withheld).toContain('/text');
    const parts = { ...planned, diff: [diff('/rows/0', null, { name: 'r', value: redacted })] };
    const partly = resultOf(parts, raw, listed);
    expect(JSON.stringify(partly)).not.toContain('canary');
    expect(partly.withheld).toContain('/rows');
  });

  it('tells the former name of a renamed object, and of no other', () => {
    expect(resultOf(planned, shows, shows)).not.toHaveProperty('renamedFrom');
    const change = { ...planned, diff: [diff('/name', 'former', 'old')] };
    expect(resultOf(change, shows, shows)).toMatchObject({ renamedFrom: ['former'] });
  });

  it('names no place where nothing is left out', () => {
    const plain = { id: 't1', name: 'old', text: 'after' };
    expect(resultOf(updateThing(plain, 'next'), plain, plain)).not.toHaveProperty('withheld');
  });
});

it('a change that has begun has no outcome yet, and nothing after it', () => {
  const raw = { id: 't1', name: 'old', text: 'before' };
  const error = expect.stringContaining('was still going');
  const begun = { outcome: 'unknown', before: { text: 'before' }, after: null, requests: [], error };
  expect(begunResult(taskOf(updateThing(raw, 'after'), raw))).toMatchObject(begun);
});

describe('what a result records of settings that a change adds', () => {
  const settings = { url: 'u', proxy: { host: 'h', port: 1 } };
  const raw = { id: 't1', name: 'old', text: 'before', attributes: settings };
  const planned: Change = {
    ...updateThing(raw, 'after'),
    declared: { text: 'after', attributes: { url: 'v', user: 'x', proxy: { path: '/p' } } },
    diff: [
      diff('/text', null, 'after'),
      diff('/attributes/url', 'u', 'v'),
      diff('/attributes/user', null, 'x'),
      diff('/attributes/proxy/path', null, '/p'),
      sensitive('/attributes/password'),
    ],
  };
  const task = taskOf(planned, raw);
  const attributes = { url: 'u', user: null, proxy: { path: null } };

  it('is that there were none, where nobody saw what came of it', () => {
    const unseen = changeResult(ending(task, 'failed', [], { live: null }));
    expect(unseen.before).toEqual({ text: 'before', attributes });
    expect(unseen.withheld).toContain('/attributes/password');
    expect(changeResult(ending(task, 'unknown', [])).before).toEqual({ text: 'before', attributes });
    const begun = { before: { text: 'before', attributes }, withheld: ['/attributes/password'] };
    expect(begunResult(task)).toMatchObject(begun);
  });

  it('is only what the tenant took, where what came of it was seen', () => {
    const taken = { ...raw, attributes: { ...raw.attributes, user: 'x' } };
    const { before, after } = changeResult(ending(task, 'done', [], { live: objectOf(thing, taken) }));
    expect([before, after]).toEqual([{ attributes: { user: null } }, { attributes: { user: 'x' } }]);
  });
});

describe('what a result proves', () => {
  const names = ['same', 'made', 'gone', 'ignored', 'unseen', 'kept', 'failed', 'later'];
  const desired = Object.fromEntries(names.map((name) => [`Thing/${name}`, `sha256:${name}`]));
  const fields = { text: 'x' };
  const done = (name: string, more: Partial<ChangeResult> = {}): ChangeResult => ({
    ...{ ...notAttempted(createThing(name)), outcome: 'done', after: fields, ...more },
  });
  const changes = [
    done('made'),
    done('gone', { action: 'delete', after: null }),
    done('ignored', { unmet: ['/text'] }),
    done('unseen', { after: null }),
    done('kept', { action: 'delete', outcome: 'failed', after: fields }),
    done('failed', { outcome: 'unknown' }),
    notAttempted(createThing('later')),
  ];
  const plan = planOf([], { desired });
  const times = { startedAt: '2026-01-02T03:04:05.678Z', endedAt: '2026-01-02T03:04:06.678Z' };

  it('is what was equal before, and what was seen to be made', () => {
    const { proven = {} } = planResult(plan, { ...times, outcome: 'partial', changes }, []);
    expect(Object.keys(proven)).toEqual(['Thing/same', 'Thing/made', 'Thing/gone']);
    expect(proven['Thing/made']).toBe('sha256:made');
  });

  it('is nothing where the plan was refused', () =>
    expect(planResult(plan, { ...times, outcome: 'refused', changes: [] }, [])).not.toHaveProperty('proven'));

  it('leaves out what the tenant ignored or rewrote', async () => {
    const tenant = await startTenant({ things: { old: { id: 't1', name: 'old', text: 'before' } } });
    tenant.rewrite = (raw) => ({ ...raw, text: 'before' });
    const change = updateThing({ id: 't1', name: 'old', text: 'before' }, 'after');
    const result = await apply(planOf([change], { desired: { [change.address]: 'sha256:a' } }), tenant);
    expect(result.outcome).toBe('done');
    expect(result.proven).toEqual({});
    expect(result.changes[0]).toMatchObject({ unmet: ['/text'] });
  });
});

describe('what a result says of values that it leaves out', () => {
  const raw = {
    id: 't1',
    name: 'old',
    text: 'before',
    attributes: { url: 'u', in: { user: 'canary', token: 'canary' }, other: { token: 'canary' } },
  };
  const withheldBy = (
    change: Partial<Change>,
    before: JsonObject | null,
    after: JsonObject | null,
    hidden: string[] = [],
    hiddenAfter = hidden,
  ) => {
    const show = (fields: JsonObject | null, places: string[]) =>
      fields && { ...objectOf(thing, fields), hidden: places };
    const live = show(before, hidden);
    const fingerprint = live?.fingerprint() ?? null;
    const task = taskOf({ ...updateThing(raw, 'after'), fingerprint, ...change }, null, { live });
    return changeResult(ending(task, 'done', [], { live: show(after, hiddenAfter) }));
  };

  it('names those that the change may have written, and no other settings', () => {
    const was = { ...raw, attributes: { url: 'v' } };
    const at = (path: string, secrets: string[] = []) =>
      withheldBy({ diff: [diff(path, null, 'u')], declared: { attributes: { url: 'u' } }, secrets }, was, raw)
        .withheld;
    expect(at('/attributes/in')).toEqual(['/attributes/in/user', '/attributes/in/token']);
    expect(at('/attributes/in/token')).toEqual(['/attributes/in/token']);
    expect(at('/attributes/url')).toBeUndefined();
    expect(at('/attributes/url', ['/attributes/other/token'])).toEqual(['/attributes/other/token']);
    expect(at('/attributes/url', ['/attributes/other'])).toEqual(['/attributes/other/token']);
  });

  it('names a field that the tenant hides', () => {
    const { before, after, withheld } = withheldBy({}, raw, raw, ['/text']);
    expect(before).not.toHaveProperty('text');
    expect(after).not.toHaveProperty('text');
    expect(withheld).toEqual(['/text']);
  });

  it('names a field that the tenant hides and the change does not ask for only where requests write all of it', () => {
    const { requests } = updateThing(raw, 'after');
    const withheld = (method: Request['method'], action: 'update' | 'delete' = 'update') => {
      const change = { action, requests: requests.map((request) => ({ ...request, method })) };
      return withheldBy(change, raw, { ...raw, text: 'after' }, ['/rule']).withheld;
    };
    expect(withheld('PATCH')).toBeUndefined();
    expect(withheld('PUT')).toEqual(['/rule']);
    expect(withheld('DELETE', 'delete')).toContain('/rule');
  });

  it('names a field that the tenant shows as unset because it hides it, unless the change cleared it', () => {
    const unset = { ...raw, rule: null };
    const { before, withheld } = withheldBy({ action: 'delete' }, unset, null, ['/rule']);
    expect(before).not.toHaveProperty('rule');
    expect(withheld).toContain('/rule');
    const cleared = { diff: [diff('/rule', 'r1', null)] };
    const shown = (live: JsonObject) => withheldBy(cleared, { ...raw, rule: 'r1' }, live, [], ['/rule']);
    expect(shown(unset).after).toEqual({ rule: null });
    expect(shown({ ...raw, rule: 'canary' }).withheld).toEqual(['/rule']);
    expect(shown({ ...raw, rule: 'canary' }).after).toEqual({});
  });

  it('names all of them where the object was made or is gone', () => {
    const change = { diff: [diff('/attributes/url', null, 'u')], declared: { attributes: { url: 'u' } } };
    const all = ['/attributes/in/user', '/attributes/in/token', '/attributes/other/token'];
    const gone = { ...change, fingerprint: objectOf(thing, raw).fingerprint(), action: 'delete' } as const;
    expect(withheldBy(gone, raw, null).withheld).toEqual(all);
    expect(withheldBy({ ...change, action: 'create', fingerprint: null }, null, raw).withheld).toEqual(all);
  });

  it('leaves out nothing of settings that are not set', () => {
    const unset = { id: 't1', name: 'old', text: 'before', attributes: null };
    const { before, withheld } = withheldBy({ action: 'delete' }, unset, null);
    expect(before).toMatchObject({ text: 'before', attributes: null });
    expect(withheld).toBeUndefined();
  });

  it('leaves out all settings that the change does not show any of', () => {
    const { before, withheld } = withheldBy({ action: 'delete' }, raw, null);
    expect(before).toEqual({ text: 'before' });
    const all = ['url', 'in/user', 'in/token', 'other/token'].map((at) => `/attributes/${at}`);
    expect(withheld).toEqual(all);
  });
});

const manual: Change = { ...createThing('a'), action: 'manual', warnings: ['Do it by hand.'] };
it('the result of a change that was not started has what a person has to do, and the reason where there is one', () => {
  expect(notAttempted(manual)).toEqual({
    ...{ address: 'Thing/a', action: 'manual', outcome: 'notAttempted', before: null, after: null },
    ...{ requests: [], error: null, warnings: ['Do it by hand.'] },
  });
  const stale = { error: 'It is stale.', warnings: [] };
  expect(notAttempted({ ...manual, action: 'create' }, 'It is stale.')).toMatchObject(stale);
});

it('the result of a run has its plan, its summary, and the reasons of a refusal', () => {
  const plan = planOf([createThing('a')]);
  const times = { startedAt: '2026-01-02T03:04:05.678Z', endedAt: '2026-01-02T03:04:06.678Z' };
  const changes = [notAttempted(createThing('a'), 'It is stale.')];
  const reason = { code: 'plan-stale', severity: 'error', message: 'It is stale.' } as const;
  expect(planResult(plan, { ...times, outcome: 'refused', changes }, [reason])).toEqual({
    formatVersion: 1,
    planDigest: plan.digest,
    environment: 'test',
    tenant: plan.tenant,
    ...times,
    outcome: 'refused',
    changes,
    summary: { done: 0, failed: 0, skipped: 0, notAttempted: 1, unknown: 0 },
    diagnostics: [reason],
  });
  expect(planResult(plan, { ...times, outcome: 'partial', changes }, [])).not.toHaveProperty('diagnostics');
});
