/** Where a tenant has drifted, `export --merge` follows it, and `apply --prune` leads it back. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Change } from '../../src/model/documents.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import { type Content, fill, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { worlds } from '../support/tenant-variants.ts';
import { createWorld, setSecrets, succeed, type World, type WorldOptions } from '../support/world.ts';

/** Everything in the tenant is replaced, as by people who do not know the manifests. */
function replaceContent(state: TenantState, content: Content): void {
  for (const list of Object.values(state)) if (Array.isArray(list)) list.length = 0;
  fill(state, content);
}

const deletable = ['SimIntegration', 'NotificationTemplate', 'SenderAddress', 'ProfileSearch'];
const kinds = builtInKinds.all.map(({ name }) => name);

async function exportOf(options: WorldOptions, content: Content): Promise<World> {
  const environment = { prune: { kinds: deletable } };
  const world = await createWorld({ ...options, environment });
  fill(world.sandbox.state, content);
  await succeed(world, 'export --kinds', ...kinds);
  setSecrets(world);
  expect((await world.plan()).changes).toEqual([]);
  return world;
}

/** Tries it with random tenants before and after the drift, and the manifests of before. */
function tryDrifts(
  options: WorldOptions,
  follows: (world: World, tenant: { readonly before: Content; readonly after: Content }) => Promise<void>,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(tenantContent, tenantContent, async (before, after) => {
      await using world = await exportOf(options, before);
      await follows(world, { before, after });
    }),
    { numRuns: runs(8) },
  );
}

it.each(worlds)('export --merge follows tenants of kind %#', (options) =>
  tryDrifts(options, async (world, { after }) => {
    replaceContent(world.sandbox.state, after);
    const { stderr } = await succeed(world, 'export --merge --all --delete --kinds', ...kinds);
    setSecrets(world);
    const { changes, summary } = await world.plan('--prune');
    // What holds a secret stays as it is written. The merge warns of it.
    const isKept = ({ source }: Change) =>
      stderr.includes(`${source?.file}:`) && stderr.includes('secret-kept');
    expect(changes.filter((change) => !isKept(change))).toEqual([]);
    expect(summary.undeclared).toBe(0);
  }),
);

const guards = ['--prune', '--max-deletes', '99', ...kinds.flatMap((kind) => ['--allow-delete-all', kind])];

it.each(worlds)('apply --prune leads tenants of kind %# back', (options) =>
  tryDrifts(options, async (world, { before, after }) => {
    // Manifests of profiles that can lock people out need a permission, which no export writes.
    replaceContent(world.sandbox.state, { ...after, authProfiles: before.authProfiles });
    const { changes } = await world.plan(...guards);
    await succeed(world, 'apply --yes', ...guards);
    expect((await world.plan(...guards)).changes).toEqual(
      changes.filter(({ action }) => action === 'manual'),
    );
  }),
);
