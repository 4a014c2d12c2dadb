/** A plan has one digest, whatever the order in which the tenant lists its objects: an approved one is applied. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Content, fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { worlds } from '../support/tenant-variants.ts';
import { createWorld, type World } from '../support/world.ts';

function reverseLists({ sandbox: { state } }: World): void {
  for (const list of Object.values(state)) if (Array.isArray(list)) list.reverse();
}

/** Two senders of the tenant are as near as each other to what somebody wrote. */
const misspelt = {
  kind: 'NotificationTemplate',
  key: 'welcome',
  medium: 'EMAIL',
  locale: 'it',
  from: 'ab@x.example',
};
const withSenders = (content: Content): Content => ({
  ...content,
  senders: [...content.senders, 'aa@x.example', 'ac@x.example'],
});

const kinds = ['SimIntegration', 'NotificationTemplate', 'SenderAddress'];
const environment = { prune: { kinds, keep: ['SimIntegration/Desk'] } };
const guards = ['--prune', '--max-deletes', '99', ...kinds.flatMap((kind) => ['--allow-delete-all', kind])];

it.each(worlds)('a plan of a tenant of kind %# has one digest', async (options) => {
  await fc.assert(
    fc.asyncProperty(tenantContent, manifests, async (content, declared) => {
      const world = await createWorld({ ...options, environment });
      try {
        fill(world.sandbox.state, withSenders(content));
        world.declare([...declared, misspelt]);
        const { digest } = await world.plan(...guards);
        reverseLists(world);
        expect((await world.plan(...guards)).digest).toBe(digest);
      } finally {
        await world.close();
      }
    }),
    { numRuns: runs(25) },
  );
});
