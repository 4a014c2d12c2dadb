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
  from: 'a@x.example',
};
const withSenders = (content: Content): Content => ({
  ...content,
  senders: [...content.senders, 'aa@x.example', 'ac@x.example'],
});

const kinds = ['SimIntegration', 'NotificationTemplate', 'SenderAddress'];
const environment = { prune: { kinds, keep: ['SimIntegration/Desk'] } };
const guards = ['--prune', '--max-deletes', '99', ...kinds.flatMap((kind) => ['--allow-delete-all', kind])];

it.each(worlds)('a plan of a tenant of kind %# has one digest', (options) =>
  fc.assert(
    fc.asyncProperty(tenantContent, manifests, async (content, declared) => {
      await using world = await createWorld({ ...options, environment });
      fill(world.sandbox.state, withSenders(content));
      world.declare([...declared, misspelt]);
      const { digest } = await world.plan(...guards);
      reverseLists(world);
      expect((await world.plan(...guards)).digest).toBe(digest);
    }),
    { numRuns: runs(25) },
  ),
);

it.each(['put', 'json-patch', 'merge-patch', 'patch'])(
  'so it has where the tenant shows lists without order inside its objects in another one (%s)',
  async (update) => {
    const kind = {
      kind: 'Flow',
      path: '/v2025/flows',
      key: 'name',
      update,
      create: true,
      delete: true,
      fields: {
        title: 'text',
        tags: 'set',
        sources: { is: 'references', to: 'Source' },
        kept: 'set',
        form: 'json',
        rest: 'json',
      },
      places: { '*/**/words': 'set', '*/**/since': 'serverOwned' },
    };
    const words = ['b', { k: 1, none: null }, { k: 0, since: 'Monday' }];
    const flow = (name: string) => ({
      name,
      tags: ['x', 'y', 'z'],
      sources: [{ id: 's2', name: 'HR' }, { id: 's1' }],
      kept: ['q', 'p'],
      form: { step: [{ words }], n: 1 },
      rest: { words },
    });
    const objects = {
      Flow: ['a', 'b', 'gone'].map(flow),
      Source: ['s1', 's2'].map((id) => ({ id, name: id })),
    };
    await using world = await createWorld({
      seed: JSON.stringify({ kinds: [kind], objects }),
      files: { 'kinds/Flow.kind.yaml': JSON.stringify(kind) },
    });
    world.declare([
      {
        kind: 'Flow',
        name: 'a',
        title: 'new',
        tags: ['z', 'x'],
        sources: ['s1', 's2'].map((id) => ({ id })),
      },
      { kind: 'Flow', name: 'b', form: { step: [{ words: [{ k: 0 }, 'b', { k: 1 }] }], n: 2 } },
      { kind: 'Flow', name: 'gone', ensure: 'absent' },
    ]);
    const { digest } = await world.plan('--out', 'plan.json');
    const turn = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turn).reverse();
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, turn(item)]));
    };
    for (const each of world.sandbox.state.objects.Flow ?? []) Object.assign(each, turn(each));
    expect((await world.plan()).digest).toBe(digest);
    expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
    expect((await world.plan()).changes).toEqual([]);
  },
);
