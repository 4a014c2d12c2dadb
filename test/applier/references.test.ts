import { describe, expect, it } from 'vitest';
import type { TenantPort } from '../../src/applier/run.ts';
import type { Change, Request } from '../../src/model/plan.ts';
import { apply, outcomes, steppingClock } from './run.ts';
import { type Fault, startTenant, type Tenant } from './tenant.ts';
import { createThing, deleteThing, diff, planOf } from './things.ts';

const ref = (name: string) => ({ $ref: `Thing/${name}` });
const idOf = (tenant: Tenant, name: string) => tenant.things.get(name)?.id;
const upper = createThing('upper');
const lower = createThing('lower', { above: ref('upper') });

describe('an object and what refers to it, in one plan', () => {
  it('is created first, and its id is filled in', async () => {
    const tenant = await startTenant();
    const least = createThing('least', { others: [{ id: ref('lower') }, { id: ref('upper') }] });
    const result = await apply(planOf([least, lower, upper]), tenant);
    expect(result.outcome).toBe('done');
    expect(tenant.sent.map(({ body }) => body)).toEqual([
      { name: 'upper', text: 'new' },
      { name: 'lower', above: idOf(tenant, 'upper') },
      { name: 'least', others: [{ id: idOf(tenant, 'lower') }, { id: idOf(tenant, 'upper') }] },
    ]);
    const [recorded] = result.changes;
    expect(recorded?.after).toMatchObject({
      others: [{ id: idOf(tenant, 'lower') }, { id: idOf(tenant, 'upper') }],
    });
    expect(recorded?.warnings).toEqual([]);
  });

  it('is not read again where the answer to the create has the id, although it does not show all of it', async () => {
    const tenant = await startTenant();
    tenant.rewrite = (stored) => ({ ...stored, text: 'rewritten' });
    const result = await apply(planOf([upper, lower]), tenant);
    expect(tenant.sent[1]?.body).toEqual({ name: 'lower', above: idOf(tenant, 'upper') });
    expect(outcomes(result)).toEqual({ 'Thing/upper': 'done', 'Thing/lower': 'done' });
  });

  const withoutId = (request: Request): Fault | null =>
    request.method === 'POST' ? { is: 'status', status: 201, done: true, body: request.body } : null;

  it('is looked up where the answer to the create has no id', async () => {
    const tenant = await startTenant({}, withoutId);
    const result = await apply(planOf([upper, lower]), tenant);
    expect(outcomes(result)).toEqual({ 'Thing/upper': 'done', 'Thing/lower': 'done' });
    expect(tenant.sent[1]?.body).toEqual({ name: 'lower', above: idOf(tenant, 'upper') });
  });

  it('is not looked up for an id that nothing needs', async () => {
    const [answered, withoutIds] = [await startTenant(), await startTenant()];
    withoutIds.fault = withoutId;
    await apply(planOf([upper]), answered);
    expect(outcomes(await apply(planOf([upper]), withoutIds))).toEqual({ 'Thing/upper': 'done' });
    expect(withoutIds.reads).toBe(answered.reads);
  });

  it('is looked up where the answer is lost, also by a tenant that shows it late', async () => {
    const clock = steppingClock();
    const tenant = await startTenant({}, undefined, { ms: 3_000, now: clock.now });
    tenant.fault = (_request, count) => (count === 1 ? { is: 'lost', done: true } : null);
    const result = await apply(planOf([upper, lower]), tenant, { clock, settle: 10_000 });
    expect(outcomes(result)).toEqual({ 'Thing/upper': 'done', 'Thing/lower': 'done' });
    expect(tenant.sent.at(-1)?.body).toEqual({ name: 'lower', above: idOf(tenant, 'upper') });
  });

  it('is skipped with the reason where the tenant shows no id of that', async () => {
    const tenant = await startTenant({}, withoutId);
    const port: TenantPort = {
      tenant: tenant.tenant,
      send: tenant.send.bind(tenant),
      async read(requests) {
        const state = await tenant.read(requests);
        return { ...state, objects: state.objects.map((live) => ({ ...live, id: null })) };
      },
    };
    const result = await apply(planOf([upper, lower]), port);
    expect(outcomes(result)).toEqual({ 'Thing/upper': 'done', 'Thing/lower': 'skipped' });
    expect(result.changes[1]?.error).toBe(
      'It refers to Thing/upper, which was not created, or whose id the tenant does not show.',
    );
  });

  it('is skipped with the reason where that was not created', async () => {
    const tenant = await startTenant();
    tenant.fault = (_request, count) => (count === 1 ? { is: 'status', status: 400, done: false } : null);
    const result = await apply(planOf([upper, lower]), tenant);
    expect(outcomes(result)).toEqual({ 'Thing/upper': 'failed', 'Thing/lower': 'skipped' });
    expect(result.changes[1]?.error).toBe(
      'It refers to Thing/upper, which was not created, or whose id the tenant does not show.',
    );
    expect(tenant.sent).toHaveLength(1);
  });
});

describe('deletes', () => {
  const a = { id: 'ia', name: 'a', above: 'ib' };
  const b = { id: 'ib', name: 'b', above: 'ic' };
  const c = { id: 'ic', name: 'c' };
  const deleted = (raw: { id: string; name: string; above?: string }): Change => {
    const planned = deleteThing(raw);
    return raw.above === undefined ? planned : { ...planned, diff: [diff('/above', raw.above, null)] };
  };

  it('show all that the object holds', async () => {
    const tenant = await startTenant({ things: { a } });
    const result = await apply(planOf([{ ...deleted(a), diff: [] }]), tenant);
    expect(result.outcome).toBe('refused');
    expect(result.diagnostics?.[0]?.message).toContain('it would delete other values of above.');
    expect(tenant.sent).toEqual([]);
  });

  it('begin with what refers to others', async () => {
    const tenant = await startTenant({ things: { a, b, c } });
    const result = await apply(planOf([c, a, b].map(deleted)), tenant);
    expect(result.outcome).toBe('done');
    expect(tenant.carriedOut).toEqual([
      'DELETE /v2024/things/ia',
      'DELETE /v2024/things/ib',
      'DELETE /v2024/things/ic',
    ]);
  });

  it('are tried in a cycle too, which the tenant may refuse', async () => {
    const ring = { ...c, above: 'ia' };
    const tenant = await startTenant({ things: { a, b, c: ring } });
    const result = await apply(planOf([ring, a, b].map(deleted)), tenant);
    expect(Object.values(outcomes(result))).toEqual(['failed', 'failed', 'failed']);
    expect(tenant.sent).toHaveLength(3);
  });
});
