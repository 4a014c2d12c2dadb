import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Result } from '../../src/model/result.ts';
import { type Content, fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { worlds } from '../support/tenant-variants.ts';
import { createWorld, expectEnd, type WorldOptions } from '../support/world.ts';

async function applyThenPlan(
  options: WorldOptions,
  content: Content,
  declared: readonly object[],
): Promise<void> {
  await using world = await createWorld(options);
  fill(world.sandbox.state, content);
  world.declare(declared);
  const before = await world.plan();
  const { stdout } = await expectEnd(world.run('apply --yes --format json'), 0);
  const { changes }: Result = JSON.parse(stdout);
  expect(changes.filter(({ unmet }) => unmet)).toEqual([]);
  const after = await world.plan();
  expect(after.changes).toEqual(before.changes.filter(({ action }) => action === 'manual'));
}

it.each(worlds)('apply then plan is empty, for tenants of kind %#', async (options) => {
  await fc.assert(
    fc.asyncProperty(tenantContent, manifests, (content, declared) =>
      applyThenPlan(options, content, declared),
    ),
    { numRuns: runs(25) },
  );
});
