import { describe, expect, it } from 'vitest';
import type { TenantPort } from '../../src/applier/run.ts';
import type { Change, Request } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { apply, killedRun, outcomes, steppingClock, watched } from './run.ts';
import { answered, type Fault, first, lostAnswer, startTenant, type Tenant } from './tenant.ts';
import {
  change,
  createThing,
  deleteThing,
  diff,
  plannedUpdate,
  planOf,
  request,
  thing,
  updateThing,
} from './things.ts';

const ref = (name: string) => ({ $ref: `Thing/${name}` });
const idOf = (tenant: Tenant, name: string) => tenant.things.get(name)?.id;
const upper = createThing('upper');
const lower = createThing('lower', { above: ref('upper') });

describe('an object and what refers to it, in one plan', () => {
  it('is created first, and its id is filled in', async () => {
    const tenant = await startTenant();
    const least = createThing('least', { others: [{ id: ref('lower') }, { id: ref('upper') }] });
    const result = await apply([least, lower, upper], tenant);
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
    const result = await apply([upper, lower], tenant);
    expect(tenant.sent[1]?.body).toEqual({ name: 'lower', above: idOf(tenant, 'upper') });
    expect(outcomes(result)).toBe('Thing/upper done, Thing/lower done');
  });

  const withoutId = (request: Request): Fault | null =>
    request.method === 'POST' ? answered(201, { done: true, body: request.body }) : null;

  it('is looked up where the answer to the create has no id', async () => {
    const tenant = await startTenant({}, withoutId);
    expect(outcomes(await apply([upper, lower], tenant))).toBe('Thing/upper done, Thing/lower done');
    expect(tenant.sent[1]?.body).toEqual({ name: 'lower', above: idOf(tenant, 'upper') });
  });

  it('is not looked up for an id that nothing needs', async () => {
    const [withIds, withoutIds] = [await startTenant(), await startTenant()];
    withoutIds.fault = withoutId;
    await apply([upper], withIds);
    expect(outcomes(await apply([upper], withoutIds))).toBe('Thing/upper done');
    expect(withoutIds.reads).toBe(withIds.reads);
  });

  it('is looked up where the answer is lost, also by a tenant that shows it late', async () => {
    const clock = steppingClock();
    const tenant = await startTenant({}, undefined, { ms: 3_000, now: clock.now });
    tenant.fault = first(lostAnswer);
    const result = await apply([upper, lower], tenant, { clock, settle: 10_000 });
    expect(outcomes(result)).toBe('Thing/upper done, Thing/lower done');
    expect(tenant.sent.at(-1)?.body).toEqual({ name: 'lower', above: idOf(tenant, 'upper') });
  });

  it('is skipped with the reason where the tenant shows no id of that', async () => {
    const tenant = await startTenant({}, withoutId);
    const port: TenantPort = {
      tenant: tenant.tenant,
      send: tenant.send.bind(tenant),
      lookUp: tenant.lookUp.bind(tenant),
      async read(requests) {
        const state = await tenant.read(requests);
        return { ...state, objects: state.objects.map((live) => ({ ...live, id: null })) };
      },
    };
    const result = await apply([upper, lower], port);
    expect(outcomes(result)).toBe('Thing/upper done, Thing/lower skipped');
    expect(result.changes[1]?.error).toBe(
      'It refers to Thing/upper, which was not created, or whose id the tenant does not show.',
    );
  });

  it('is skipped with the reason where that was not created', async () => {
    const tenant = await startTenant({}, first(answered(400)));
    const result = await apply([upper, lower], tenant);
    expect(outcomes(result)).toBe('Thing/upper failed, Thing/lower skipped');
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
    const result = await apply([{ ...deleted(a), diff: [] }], tenant);
    expect(result.outcome).toBe('refused');
    expect(result.diagnostics?.[0]?.message).toContain('it would delete other values of above.');
    expect(tenant.sent).toEqual([]);
  });

  it('begin with what refers to others', async () => {
    const tenant = await startTenant({ things: { a, b, c } });
    expect((await apply([c, a, b].map(deleted), tenant)).outcome).toBe('done');
    expect(tenant.carriedOut).toEqual([
      'DELETE /v2024/things/ia',
      'DELETE /v2024/things/ib',
      'DELETE /v2024/things/ic',
    ]);
  });

  it('are tried in a cycle too, which the tenant may refuse', async () => {
    const ring = { ...c, above: 'ia' };
    const tenant = await startTenant({ things: { a, b, c: ring } });
    const result = await apply([ring, a, b].map(deleted), tenant);
    expect(outcomes(result)).toBe('Thing/c failed, Thing/a failed, Thing/b failed');
    expect(tenant.sent).toHaveLength(3);
  });
});

const sending = (after: Json, body: Json, path = '/above'): Change =>
  change(thing, ['a'], {
    action: 'update',
    id: 't1',
    diff: [diff('/text', null, 'x'), diff(path, null, after)],
    requests: [
      request('PATCH', '/v2024/things/t1', { text: 'x' }),
      request('PATCH', '/v2024/things/t1', body),
    ],
  });
const toUpper = sending(ref('upper'), { above: ref('upper') });
const naming = (named: Record<string, string>, path = '/above'): Change => ({
  ...sending('t9', { above: 't9' }),
  diff: [{ ...diff(path, null, 't9'), named }],
});

async function wrongIn(...changes: readonly Change[]) {
  const { diagnostics = [] } = await apply(changes, await startTenant());
  const wrong = diagnostics.filter(({ code }) => code === 'plan-request-refused');
  return wrong.map(({ message }) => message.replace("The plan's requests for ", ''));
}
const notShown = (why: string) => `Thing/a are not what it shows: ${why}.`;

describe('the references of a plan', () => {
  it.each<[string, readonly Change[]]>([
    ['of no object', [upper, updateThing({ id: 't2', name: 'b' }, 'x')]],
    ['to an object that it creates, before or after', [toUpper, upper]],
    ['in a list', [upper, sending({ id: ref('upper') }, { others: [{ id: ref('upper') }] }, '/others/0')]],
    [
      'with the names of what was looked up, and of objects of the kind of the field',
      [naming({ t8: '!lookup things', t9: 'Thing/other' }), naming({ x: '!lookup texts' }, '/text')],
    ],
    [
      'in a delete, which shows what the tenant has',
      [{ ...deleteThing({ id: 't2', name: 'b' }), diff: [diff('/text', 'x', ref('upper'))] }],
    ],
    [
      'of a kind that is not known, which is refused elsewhere',
      [{ ...toUpper, kind: 'Nothing', address: 'Nothing/a' }],
    ],
  ])('are sound: %s', async (_what, changes) => expect(await wrongIn(...changes)).toEqual([]));

  it.each<[string, readonly Change[], string]>([
    [
      'to an object that it only changes',
      [toUpper, { ...upper, action: 'update' }],
      'the plan does not create Thing/upper, whose id they send',
    ],
    [
      'to an object of another kind',
      [sending({ $ref: 'Note/n' }, { above: { $ref: 'Note/n' } }), { ...upper, address: 'Note/n' }],
      '/above cannot hold the id of Note/n',
    ],
    ['in a text', [upper, sending(ref('upper'), {}, '/text')], '/text cannot hold the id of Thing/upper'],
    [
      'beside the id of a reference',
      [upper, sending({ id: 't5', type: ref('upper') }, {}, '/others/0')],
      '/others cannot hold the id of Thing/upper',
    ],
    [
      'that are shown, and to an object that it does not create',
      [sending(ref('upper'), {})],
      'the plan does not create Thing/upper, whose id they send',
    ],
  ])('are refused: %s', async (_what, changes, why) =>
    expect(await wrongIn(...changes)).toEqual([notShown(why)]),
  );

  it('are refused in a cycle, which is named once', async () => {
    const [p, q] = [createThing('p', { above: ref('q') }), createThing('q', { above: ref('p') })];
    expect(await wrongIn(p, q)).toEqual([
      expect.stringMatching(
        /^Thing\/[pq] are not what it shows: they refer to each other in a cycle: Thing\/[pq] -> Thing\/[pq] -> Thing\/[pq]\.$/,
      ),
    ]);
  });
});

/** The names that changes show beside ids: a reviewer reads the name, and the request has the id. */

const boss = { id: 't1', name: 'boss' };

/** A new thing above which another one is. */
function below(id: string, name: string, by = `a${id}`): Change {
  const made = createThing(by, { above: id });
  return { ...made, diff: made.diff.map((each) => ({ ...each, named: { [id]: name } })) };
}

async function applyTo(things: readonly (typeof boss)[], changes: Change[]) {
  const tenant = await startTenant({ things: Object.fromEntries(things.map((raw) => [raw.name, raw])) });
  const { diagnostics = [], outcome } = await apply(changes, tenant);
  return { outcome, diagnostics, messages: diagnostics.map(({ message }) => message), tenant };
}

describe('a name beside an id', () => {
  it('is that of the object with the id, in any case where the kind folds it', async () => {
    for (const name of ['Thing/boss', 'Thing/BOSS'])
      expect((await applyTo([boss], [below('t1', name)])).outcome).toBe('done');
  });

  it.each([
    ['its object has another id', [{ id: 't2', name: 'boss' }], 'Thing/boss has the id "t2".'],
    ['there is none', [], 'there is no Thing/boss.'],
  ])('is refused where %s', async (_what, things, truth) => {
    const { diagnostics, tenant } = await applyTo(things, [below('t1', 'Thing/boss', 'a')]);
    const message = `The plan shows the id "t1" as Thing/boss in /above of Thing/a, but in the tenant ${truth}`;
    const hint = 'Make a new plan and review it.';
    expect(diagnostics).toEqual([
      { code: 'plan-name-wrong', severity: 'error', message, hint, address: 'Thing/a' },
    ]);
    expect(tenant.sent).toEqual([]);
  });

  it('is refused once, where it is shown first', async () => {
    const all = [below('t8', 'Thing/boss', 'a'), below('t8', 'Thing/boss', 'b'), below('t9', 'Thing/boss')];
    expect((await applyTo([boss], all)).messages).toEqual([
      expect.stringMatching(/^The plan shows the id "t8" as Thing\/boss in \/above of Thing\/a, /),
      expect.stringMatching(/^The plan shows the id "t9" as Thing\/boss in \/above of Thing\/at9, /),
    ]);
  });

  it('is not looked at in a change that an earlier run began: it was checked then', async () => {
    const plan = planOf([below('t1', 'Thing/boss', 'a'), below('t2', 'Thing/boss', 'b')]);
    const folder = await killedRun(plan, 'Thing/a');
    const { diagnostics } = await apply(plan, await startTenant(), { folder });
    expect(diagnostics).toMatchObject([{ address: 'Thing/b' }]);
  });

  it('may be the one before or after a rename of the same plan, and one that it deletes', async () => {
    const name = { key: ['chief'], address: 'Thing/chief', diff: [diff('/name', 'boss', 'chief')] };
    const renamed = { ...plannedUpdate(boss, { text: 'x' }), ...name };
    const renaming = async (shown: string) =>
      (await applyTo([boss], [renamed, below('t1', shown)])).messages.join();
    expect(await renaming('Thing/boss')).not.toContain('shows the id');
    expect(await renaming('Thing/chief')).not.toContain('shows the id');
    expect(await renaming('Thing/else')).toContain(
      'the id "t1" as Thing/else in /above of Thing/at1, but in the tenant that is Thing/boss.',
    );
    const old = { ...boss, text: 'x' };
    expect((await applyTo([old], [deleteThing(old), below('t1', 'Thing/boss')])).outcome).not.toBe('refused');
  });
});

it('what is read for names are their objects, each once, which may have twins', async () => {
  const asked = async (changes: Change[]) => {
    const tenant = await startTenant({ things: { boss, b: { id: 't2', name: 'b', text: 'x' } } });
    const reads: unknown[] = [];
    const port = watched(tenant, {
      read(requests) {
        reads.push(...requests.map(({ keys, allowsDuplicates = [] }) => ({ keys, twins: allowsDuplicates })));
      },
    });
    await apply(changes, port);
    return reads[0];
  };
  const twice = [below('t1', 'Thing/boss', 'a'), below('t1', 'Thing/BOSS', 'c')];
  expect(await asked(twice)).toEqual({ keys: [['a'], ['c'], ['BOSS']], twins: [['BOSS']] });
  // No objects that the plan reads anyway.
  const own = updateThing({ id: 't2', name: 'b', text: 'x' }, 'y');
  expect(await asked([own, below('t2', 'Thing/b', 'a')])).toEqual({ keys: [['b'], ['a']], twins: [] });
});
