import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Content, fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { createWorld, type World } from '../support/world.ts';

/** Something that happens between two plans. */
const step = fc.oneof(
  fc.record({ do: fc.constant('nothing') }),
  fc.record({ do: fc.constant('apply') }),
  fc.record({ do: fc.constant('declare'), set: fc.nat({ max: 1 }) }),
  fc.record({ do: fc.constant('edit-manifest'), at: fc.nat({ max: 20 }), text: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constant('edit-tenant'), at: fc.nat({ max: 20 }), text: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constant('remove-live'), at: fc.nat({ max: 20 }) }),
  fc.record({ do: fc.constant('set-variable'), text: fc.constantFrom('a', 'b') }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const options = fc.constantFrom(
  [],
  [],
  ['--only', 'NotificationTemplate/**'],
  ['--except', 'SimIntegration/*'],
  ['--rotate', '**'],
  ['--prune', '--max-deletes', '100', '--allow-delete-all', 'NotificationTemplate'],
);

/** A file for each manifest, so that some change and others do not; one has a variable in it. */
function declare(world: World, documents: readonly object[]): void {
  rmSync(join(world.dir, 'config'), { recursive: true, force: true });
  documents.forEach((document, at) => {
    // As people write it, and as programs do: each is read in its own way.
    world.write(`config/${at}.yaml`, at % 2 === 0 ? stringify(document) : JSON.stringify(document));
  });
  world.write('config/variable.yaml', 'kind: SimIntegration\nname: V V\ntype: t\ndescription: !env TEXT\n');
}

async function happen(what: Step, world: World, sets: readonly (readonly object[])[]): Promise<void> {
  const { templates, senders, simIntegrations } = world.sandbox.state;
  switch (what.do) {
    case 'nothing':
      return;
    case 'apply':
      await world.run('apply', '--yes');
      return;
    case 'declare':
      declare(world, sets[what.set] ?? []);
      return;
    case 'edit-manifest': {
      const { at, text } = what;
      const document = sets[0]?.[at];
      if (document) world.write(`config/${at}.yaml`, stringify({ ...document, description: text }));
      return;
    }
    case 'edit-tenant':
      for (const list of [templates, simIntegrations]) {
        const object = list[what.at];
        if (object) object.description = what.text;
      }
      return;
    case 'remove-live':
      for (const list of [templates, senders, simIntegrations]) list.splice(what.at, 1);
      return;
    case 'set-variable':
      world.env.TEXT = what.text;
  }
}

interface Story {
  readonly content: Content;
  readonly sets: readonly (readonly object[])[];
  readonly steps: readonly { readonly what: Step; readonly argv: readonly string[] }[];
}

async function cachedIsUncached({ content, sets, steps }: Story): Promise<void> {
  const prune = { kinds: ['NotificationTemplate', 'SenderAddress'] };
  const world = await createWorld({ environment: { prune }, env: { TEXT: 'a' } });
  const plan = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await world.run('plan', '--format', 'json', ...argv);
    return { code, stderr, stdout: stdout.replace(/"createdAt": "[^"]*"/, '') };
  };
  try {
    fill(world.sandbox.state, content);
    declare(world, sets[0] ?? []);
    await plan();
    for (const { what, argv } of steps) {
      await happen(what, world, sets);
      const cached = await plan(...argv);
      expect(cached).toEqual(await plan('--no-cache', ...argv));
    }
  } finally {
    await world.close();
  }
}

it('a plan with a cache is the plan without one, whatever happened before', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        content: tenantContent,
        sets: fc.tuple(manifests, manifests),
        steps: fc.array(fc.record({ what: step, argv: options }), { minLength: 3, maxLength: 7 }),
      }),
      cachedIsUncached,
    ),
    { numRuns: runs(60) },
  );
});
