/** `apply --since` makes the tenant equal the manifests, deletes what they no longer declare, and leaves the rest alone. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatAddress } from '../../src/model/address.ts';
import { fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { commitAll } from '../support/repository.ts';
import { objectsOf, places } from '../support/tenant-objects.ts';
import { worlds } from '../support/tenant-variants.ts';
import { createWorld, succeed } from '../support/world.ts';

/** The addresses of manifests. */
const addressesOf = (declared: readonly object[]) =>
  declared.map((document) => {
    const members = new Map(Object.entries(document));
    const names = places.find(([kind]) => kind === members.get('kind'))?.[2] ?? [];
    return formatAddress(
      String(members.get('kind')),
      names.map((name) => String(members.get(name) ?? members.get('domain'))),
    );
  });

const deletable = ['SimIntegration', 'NotificationTemplate', 'SenderAddress'];
const guards = ['--max-deletes', '99', ...deletable.flatMap((kind) => ['--allow-delete-all', kind])];

it.each(worlds)('--since keeps to it in tenants of kind %#', async (options) => {
  await fc.assert(
    fc.asyncProperty(tenantContent, manifests, manifests, async (content, first, second) => {
      await using world = await createWorld(options);
      fill(world.sandbox.state, content);
      world.declare(first);
      await succeed(world, 'apply --yes');
      commitAll(world.dir);
      world.declare(second);
      const before = objectsOf(world);
      const plan = await world.plan('--since', 'HEAD', ...guards);
      await succeed(world, 'apply --yes --since HEAD', ...guards);
      const after = objectsOf(world);
      const [then, now] = [new Set(addressesOf(first)), new Set(addressesOf(second))];
      for (const address of then)
        if (!now.has(address) && deletable.some((kind) => address.startsWith(kind)))
          expect(after.has(address), address).toBe(false);
      for (const [address, object] of before)
        if (!then.has(address) && !now.has(address)) expect(after.get(address), address).toEqual(object);
      const manual = plan.changes.filter(({ action }) => action === 'manual');
      expect((await world.plan('--since', 'HEAD', ...guards)).changes).toEqual(manual);
    }),
    { numRuns: runs(8) },
  );
});
