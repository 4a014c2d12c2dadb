/** The names that changes show beside ids: a reviewer reads the name, and the request has the id. */
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/model/plan.ts';
import { apply, killedRun, watched } from './run.ts';
import { startTenant } from './tenant.ts';
import { createThing, deleteThing, diff, plannedUpdate, planOf, updateThing } from './things.ts';

const boss = { id: 't1', name: 'boss' };

/** A new thing above which another one is. */
function below(id: string, name: string, by = `a${id}`): Change {
  const made = createThing(by, { above: id });
  return { ...made, diff: made.diff.map((each) => ({ ...each, named: { [id]: name } })) };
}

async function applyTo(things: readonly (typeof boss)[], changes: Change[]) {
  const tenant = await startTenant({ things: Object.fromEntries(things.map((raw) => [raw.name, raw])) });
  const { diagnostics = [], outcome } = await apply(planOf(changes), tenant);
  return { outcome, diagnostics, messages: diagnostics.map(({ message }) => message), tenant };
}

describe('a name beside an id', () => {
  it('is that of the object with the id, in any case where the kind folds it', async () => {
    for (const name of ['Thing/boss', 'Thing/BOSS', '!lookup the boss'])
      expect((await applyTo([boss], [below('t1', name)])).outcome).toBe('done');
  });

  it.each([
    ['its object has another id', [{ id: 't2', name: 'boss' }], 'Thing/boss has the id "t2".'],
    ['there is none', [], 'there is no Thing/boss.'],
  ])('is refused where %s', async (_what, things, truth) => {
    const { diagnostics, tenant } = await applyTo(things, [below('t1', 'Thing/boss', 'a')]);
    expect(diagnostics).toEqual([
      {
        code: 'plan-name-wrong',
        severity: 'error',
        message: `The plan shows the id "t1" as Thing/boss in /above of Thing/a, but in the tenant ${truth}`,
        hint: 'Make a new plan and review it.',
        address: 'Thing/a',
      },
    ]);
    expect(tenant.sent).toEqual([]);
  });

  it('is refused once, where it is shown first', async () => {
    const changes = [
      below('t8', 'Thing/boss', 'a'),
      below('t8', 'Thing/boss', 'b'),
      below('t9', 'Thing/boss'),
    ];
    expect((await applyTo([boss], changes)).messages).toEqual([
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
    const renamed = {
      ...plannedUpdate(boss, { text: 'x' }),
      key: ['chief'],
      address: 'Thing/chief',
      diff: [diff('/name', 'boss', 'chief')],
    };
    const renaming = async (name: string) =>
      (await applyTo([boss], [renamed, below('t1', name)])).messages.join();
    expect(await renaming('Thing/boss')).not.toContain('shows the id');
    expect(await renaming('Thing/chief')).not.toContain('shows the id');
    expect(await renaming('Thing/else')).toContain(
      'the id "t1" as Thing/else in /above of Thing/at1, but in the tenant that is Thing/boss.',
    );
    const old = { ...boss, text: 'x' };
    const deleting = await applyTo([old], [deleteThing(old), below('t1', 'Thing/boss')]);
    expect(deleting.outcome).not.toBe('refused');
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
    await apply(planOf(changes), port);
    return reads[0];
  };
  const twice = [below('t1', 'Thing/boss', 'a'), below('t1', 'Thing/BOSS', 'c')];
  expect(await asked(twice)).toEqual({ keys: [['a'], ['c'], ['BOSS']], twins: [['BOSS']] });
  // No objects that the plan reads anyway.
  const own = updateThing({ id: 't2', name: 'b', text: 'x' }, 'y');
  expect(await asked([own, below('t2', 'Thing/b', 'a')])).toEqual({ keys: [['b'], ['a']], twins: [] });
});
