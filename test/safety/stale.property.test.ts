import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change, Plan } from '../../src/model/documents.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import { type Content, fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { createWorld, succeed, type World, writesIn } from '../support/world.ts';
import { addressesIn, changeByHand, createByHand, deleteByHand } from './changes-by-hand.ts';
import { describedGroups, describedWorld, manifestFile } from './described-kinds.ts';

const deletable = ['SimIntegration', 'NotificationTemplate', 'SenderAddress'];

/** Some of what the tenant holds and no manifest declares is to be deleted. */
function withAbsent(declared: readonly object[], content: Content, picks: readonly boolean[]): object[] {
  const absent = [
    ...content.integrations.map(({ name }) => ({ kind: 'SimIntegration', name })),
    ...content.templates.map(({ key, medium, locale }) => ({
      kind: 'NotificationTemplate',
      key,
      medium,
      locale,
    })),
    ...content.senders.map((email) => ({ kind: 'SenderAddress', email })),
  ].filter((one, at) => {
    const names = Object.entries(one);
    const isDeclared = declared.some((other) =>
      names.every(([name, value]) =>
        Object.entries(other).some(([key, has]) => key === name && has === value),
      ),
    );
    return picks[at % picks.length] && !isDeclared;
  });
  return [...declared, ...absent.map((one) => ({ ...one, ensure: 'absent' }))];
}

async function writesOf(world: World, action: () => Promise<unknown>): Promise<number> {
  const { length } = world.sandbox.log;
  await action();
  return writesIn(world.sandbox.log.slice(length)).length;
}

/** Somebody changes, makes or deletes the very object that a change is about. */
function interfere(state: TenantState, change: Change, pick: number): void {
  if (change.action === 'create') createByHand(state, change.address);
  else if (pick % 2 === 0) deleteByHand(state, change.address);
  else if (!changeByHand(state, change.address, Math.floor(pick / 2)))
    throw new Error(`Nothing was changed at ${change.address}.`);
}

/** Somebody changes an object that the plan leaves alone, or makes a new one. */
function changeElsewhere(state: TenantState, plan: Plan, pick: number): void {
  const touched = new Set(plan.changes.map(({ address }) => address.toLowerCase()));
  const others = addressesIn(state).filter((address) => !touched.has(address.toLowerCase()));
  const chosen = others[pick % Math.max(1, others.length)];
  if (chosen !== undefined) changeByHand(state, chosen, pick);
  createByHand(state, 'SimIntegration/Made%20elsewhere');
  createByHand(state, 'SenderAddress/made-elsewhere@acme.example');
  for (const preference of state.preferences) preference.mediums = ['TEAMS'];
}

it('a plan is refused, and nothing written, when the tenant changed at any place it touches, and applied when elsewhere', async () => {
  let tried = 0;
  const property = fc.asyncProperty(
    tenantContent,
    manifests,
    fc.subarray([...describedGroups]),
    fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
    fc.nat(),
    async (content, declared, described, picks, pick) => {
      await using world = await createWorld({
        ...describedWorld,
        environment: { limits: { maxDeletes: 99 } },
      });
      const { state } = world.sandbox;
      fill(state, content);
      world.declare(withAbsent(declared, content, picks));
      if (described.length > 0) world.write('config/described.yaml', manifestFile(described));
      const plan = await world.plan(
        '--out',
        'plan.json',
        ...deletable.flatMap((kind) => ['--allow-delete-all', kind]),
      );
      const changes = plan.changes.filter(({ action }) => action !== 'manual');
      const change = changes[pick % Math.max(1, changes.length)];
      if (change === undefined) return;
      tried += 1;

      const before = structuredClone(state);
      interfere(state, change, pick);
      const changed = structuredClone(state);
      const wrote = await writesOf(world, async () => {
        const refused = await world.run('apply plan.json --format json');
        expect(refused, `${change.address}: ${refused.stderr}`).toMatchObject({ code: 4 });
        expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: 'refused' });
      });
      expect(wrote).toBe(0);
      expect(state).toEqual(changed);

      Object.assign(state, before);
      changeElsewhere(state, plan, pick);
      const applied = await succeed(world, 'apply plan.json --format json');
      expect(JSON.parse(applied.stdout).summary.done).toBe(changes.length);
    },
  );
  await fc.assert(property, { numRuns: runs(60) });
  expect(tried).toBeGreaterThanOrEqual(runs(20));
});
