import { describe, expect, it } from 'vitest';
import { type Change, exitCodeOf, type Plan } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { apply } from './run.ts';
import { startTenant, type Tenant } from './tenant.ts';
import {
  change,
  createThing,
  deleteNotes,
  deleteThing,
  noteKey,
  planOf,
  request,
  thing,
  updateThing,
  writeNote,
} from './things.ts';

const old = { id: 't1', name: 'old', text: 'before' };
const gone = { id: 't2', name: 'gone', text: 'x' };
const stored = { id: 'n1', key: 'stored', text: 'x' };
const base = { key: 'vendor', text: 'from the vendor' };

async function refusalOf(plan: Plan, tenant: Tenant): Promise<string[]> {
  const result = await apply(plan, tenant);
  expect(result.outcome).toBe('refused');
  expect(exitCodeOf(result)).toBe(4);
  expect(tenant.sent).toEqual([]);
  expect(result.summary.notAttempted).toBe(plan.changes.length);
  return (result.diagnostics ?? []).map(({ code, message }) => `${code}: ${message}`);
}

describe('a plan is refused without a single request when', () => {
  const world = { things: { old, gone }, notes: { stored }, defaults: { vendor: base } };
  const changes = [
    updateThing(old, 'after'),
    deleteThing(gone),
    createThing('new'),
    writeNote('vendor', 'mine', { base }),
    writeNote('stored', 'mine', { live: stored }),
  ];

  it('(it is not, when nothing was touched, and nothing that is protected is deleted)', async () => {
    const protect = ['Thing/{old,new}', 'Note/*'];
    expect((await apply(changes, await startTenant(world), { protect })).outcome).toBe('done');
  });

  it('(it is not, where a delete shows no value that the default has too)', async () => {
    const tenant = await startTenant({
      notes: { stored },
      defaults: { stored: { key: 'stored', text: 'x' } },
    });
    const unchanged = deleteNotes([stored]).map((planned) => ({ ...planned, diff: [] }));
    expect((await apply(unchanged, tenant)).outcome).toBe('done');
  });

  const touches: [string, (tenant: Tenant) => void, RegExp][] = [
    [
      'an object to update changed',
      (tenant) => tenant.things.set('old', { ...old, text: 'other' }),
      /Thing\/old.*its content is different now/,
    ],
    [
      'an object to update was updated so',
      (tenant) => tenant.things.set('old', { ...old, text: 'after' }),
      /Thing\/old.*already matches the plan/,
    ],
    ['another field changed', (tenant) => tenant.things.set('old', { ...old, rule: 'r' }), /Thing\/old/],
    ['an object to update is gone', (tenant) => tenant.things.delete('old'), /Thing\/old.*no longer exists/],
    ['one to delete changed', ({ things }) => things.set('gone', { ...gone, text: 'other' }), /Thing\/gone/],
    ['one to delete is gone', (tenant) => tenant.things.delete('gone'), /Thing\/gone.*no longer exists/],
    ['one to create exists', ({ things }) => things.set('new', { id: 'x', name: 'new' }), /new.*exists now/],
    [
      'it exists in another case',
      ({ things }) => things.set('NEW', { id: 'x', name: 'NEW' }),
      /Thing\/new.*exists now/,
    ],
    [
      'a default it lays a template over changed',
      (tenant) => tenant.defaults.set('vendor', { ...base, text: '2' }),
      /Note\/vendor.*default/,
    ],
    ['the default is gone', (tenant) => tenant.defaults.delete('vendor'), /Note\/vendor.*default/],
    [
      'a defaulted object was customised',
      (tenant) => tenant.notes.set('vendor', { ...base, id: 'n9' }),
      /Note\/vendor.*exists now/,
    ],
    ['an object was made again', (tenant) => tenant.things.set('old', { ...old, id: 't9' }), /Thing\/old/],
  ];
  it.each(touches)('%s', async (_name, touch, expected) => {
    const tenant = await startTenant(world);
    touch(tenant);
    expect(await refusalOf(planOf(changes), tenant)).toEqual([expect.stringMatching(expected)]);
  });

  it('a key stands for two objects', async () => {
    const tenant = await startTenant(world);
    tenant.things.set('OLD', { id: 't9', name: 'OLD', text: 'before' });
    await expect(apply(changes, tenant)).rejects.toThrow('2 objects of kind Thing with the key "old"');
    expect(tenant.sent).toEqual([]);
  });

  it('several objects changed: all are named', async () => {
    const tenant = await startTenant(world);
    tenant.things.clear();
    expect(await refusalOf(planOf(changes), tenant)).toHaveLength(2);
  });

  it('it was edited', async () => {
    const plan = planOf(changes);
    const [first, ...rest] = plan.changes;
    const edited = { ...plan, changes: [{ ...(first ?? createThing('x')), warnings: ['edited'] }, ...rest] };
    expect(await refusalOf(edited, await startTenant(world))).toEqual([
      expect.stringMatching(/^plan-edited/),
    ]);
  });

  const others: [string, Partial<Omit<Plan, 'digest'>>, RegExp][] = [
    [
      'its second service is another',
      { tenant: { identity: 'https://tenant.example', profiles: 'x' } },
      /^plan-tenant/,
    ],
    [
      'a guard refused it',
      { diagnostics: [{ code: 'too-many-deletes', severity: 'error', message: 'No.' }] },
      /^too-many-deletes/,
    ],
  ];
  it.each(others)('%s', async (_name, parts, expected) => {
    const tenant = await startTenant(world);
    expect(await refusalOf(planOf(changes, parts), tenant)).toEqual([expect.stringMatching(expected)]);
    expect(tenant.reads).toBe(0);
  });

  it('it is for another place, which is named with what to do', async () => {
    const diagnosticOf = async (parts: Partial<Omit<Plan, 'digest'>>) =>
      (await apply(planOf(changes, parts), await startTenant(world))).diagnostics;
    const message = 'The plan was made for the environment "production", not for "test".';
    const hint =
      'Apply it without --env and TENANTCTL_ENV: a plan file names its environment. Or make a new plan.';
    const refusal = { code: 'plan-environment', severity: 'error', message, hint };
    expect(await diagnosticOf({ environment: 'production' })).toEqual([refusal]);
    const tenant = { identity: 'https://a.example', profiles: 'https://b.example' };
    expect(await diagnosticOf({ tenant })).toMatchObject([
      {
        message:
          'The plan was made for the tenant at "https://a.example" and "https://b.example", but the environment "test" is now at "https://tenant.example" and "https://profiles.example".',
        hint: 'Make a new plan and review it.',
      },
    ]);
  });

  it('its format is another, whatever else it holds', async () => {
    const plan = Object.assign(planOf(changes, { environment: 'production' }), { formatVersion: 1 });
    expect(await refusalOf(plan, await startTenant(world))).toEqual([
      'plan-format: The plan has format 1; this version applies 2.',
    ]);
  });

  it('(it is not, for a warning)', async () => {
    const diagnostics = [{ code: 'not-comparable', severity: 'warning', message: 'Look.' }] as const;
    expect((await apply(planOf(changes, { diagnostics }), await startTenant(world))).outcome).toBe('done');
  });

  it('its kind is unknown, which names the kind and the object', async () => {
    const entry = { ...createThing('x'), kind: 'constructor', address: 'constructor/x' };
    expect((await apply([entry], await startTenant(world))).diagnostics).toEqual([
      {
        code: 'plan-inconsistent',
        severity: 'error',
        message: 'The plan changes a "constructor", which is not a kind of this project.',
        address: 'constructor/x',
      },
    ]);
  });

  it('an object changed, which is said of its change only', async () => {
    const plan = planOf([updateThing(old, 'after'), updateThing(gone, 'after')]);
    const result = await apply(plan, await startTenant({ things: { old: { ...old, text: 'else' }, gone } }));
    expect(result.changes).toMatchObject([
      { error: expect.stringContaining('Thing/old has changed since') },
      { error: null },
    ]);
  });
});

describe('a plan that contradicts itself is refused', () => {
  it.each<[string, Change, RegExp]>([
    ['another address', { ...createThing('a'), address: 'Thing/b' }, /does not belong to the key "a"/],
    ['a write without a request', { ...deleteThing(old), requests: [] }, /it has no requests/],
    ['a delete that does not show that it is one', { ...deleteThing(old), risk: [] }, /request-refused/],
    [
      'an id that leaves the path',
      { ...deleteThing(old), id: '..', requests: [request('DELETE', '/v2024/things/..')] },
      /^plan-stale/,
    ],
  ])('%s', async (_name, entry, expected) => {
    const tenant = await startTenant({ things: { old } });
    expect(await refusalOf(planOf([entry]), tenant)).toEqual([expect.stringMatching(expected)]);
  });

  it('two changes of one object', async () => {
    const reasons = await refusalOf(planOf([createThing('a'), createThing('a')]), await startTenant());
    expect(reasons).toEqual([expect.stringMatching(/two changes/)]);
  });

  it('two deletes that each name the other in a request of their own', async () => {
    const other = { id: 'n2', key: 'other', text: 'y' };
    const both = deleteNotes([stored, other]);
    const named: Record<string, readonly JsonObject[]> = {
      'Note/stored': [noteKey('stored')],
      'Note/other': [noteKey('other'), noteKey('stored')],
    };
    const apart = both.map((each) => ({
      ...each,
      requests: [request('POST', '/v2025/notification-templates/bulk-delete', named[each.address])],
    }));
    const tenant = await startTenant({ notes: { stored, other } });
    expect(await refusalOf(planOf(apart), tenant)).toEqual([
      expect.stringMatching(/Note\/stored.*delete something else/),
    ]);
    expect((await apply(both, tenant)).outcome).toBe('done');
  });

  it('a summary that hides a delete', async () => {
    const plan = planOf([deleteThing(old)], {
      summary: { create: 0, update: 1, delete: 0, manual: 0, unchanged: 0 },
    });
    const tenant = await startTenant({ things: { old } });
    expect(await refusalOf(plan, tenant)).toEqual([expect.stringMatching(/does not match.*update, delete/)]);
  });

  it('a delete of one object under the name of another that is gone', async () => {
    const entry = { ...deleteThing(old), ...nameOf(gone) };
    const reasons = await refusalOf(planOf([entry]), await startTenant({ things: { old } }));
    expect(reasons).toEqual([expect.stringMatching(/^plan-stale.*belong to different objects/)]);
  });

  it('(not: an object without a name, which is known by its id, and a step by hand)', async () => {
    const nameless = { id: 't1', name: 't1', text: 'before' };
    const byId = { ...updateThing(nameless, 'after'), ...nameOf({ name: 'Desk' }) };
    const tenant = await startTenant({ things: { t1: nameless } });
    expect((await apply([byId], tenant)).outcome).toBe('done');
    expect(tenant.things.get('t1')).toMatchObject({ text: 'after' });
    const byHand = change(thing, ['old'], { action: 'manual', warnings: ['Do it.'] });
    expect((await apply([byHand], await startTenant({ things: { old } }))).outcome).not.toBe('refused');
  });
});

function nameOf({ name }: { readonly name: string }): Pick<Change, 'address' | 'key'> {
  return { address: `Thing/${name}`, key: [name] };
}

it('a tenant that cannot be read is an error, and nothing is written', async () => {
  const tenant = await startTenant({ notes: { stored } });
  tenant.readFault = () => new Error('403');
  await expect(apply(deleteNotes([stored]), tenant)).rejects.toThrow('403');
  expect(tenant.sent).toEqual([]);
});
