/** Secrets that a change takes away, moves or adds: no output shows them, and the change can be applied. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { runs } from '../support/effort.ts';
import { commitAll, git } from '../support/repository.ts';
import { createTestWorld, createWorld, filesBelow, succeed, type World } from '../support/world.ts';

const canary = 'canary-4711';

const worldOf = async (open = createTestWorld): Promise<World> =>
  open({
    files: { 'kinds/Flow.kind.yaml': flow },
    seed: JSON.stringify({ kinds: [flowDescriptor] }),
    env: { HOOK: canary, OTHER: `${canary}-2`, PW: `${canary}-3` },
  });

const flowDescriptor = {
  kind: 'Flow',
  path: '/v2025/flows',
  key: 'name',
  list: { pageSize: 50 },
  update: 'put',
  create: true,
  delete: true,
  fields: { definition: 'json', tags: 'set' },
  places: { 'definition/words': 'set' },
};
const flow = JSON.stringify(flowDescriptor);

/** A manifest as YAML, with `{$secret: NAME}` as the tag. */
const manifest = (fields: object, kind = 'SimIntegration', name = 'Desk'): string =>
  JSON.stringify({ kind, name, ...fields }).replaceAll(/\{"\$secret":"(\w+)"\}/g, '!secret $1');

const secret = (name: string) => ({ $secret: name });
const desk = (fields: object) => ({ type: 'ServiceNow', ...fields });

function declare(world: World, ...documents: readonly string[]): void {
  world.write('config/all.yaml', documents.map((each) => `---\n${each}\n`).join(''));
}

/** Plans in all formats, applies the plan file, and looks for the secret in all that was written. */
async function applyUnseen(world: World, ...options: readonly string[]): Promise<void> {
  const shown: string[] = [];
  for (const format of ['text', 'json', 'markdown', 'html']) {
    const { stdout, stderr } = await succeed(world, 'plan --verbose --format', format, ...options);
    shown.push(stdout, stderr);
  }
  // What the revision marked, only a plan since it knows.
  const diff = options.length > 0 ? null : await world.run('diff --declared test --format json');
  if (diff) shown.push(diff.stdout, diff.stderr);
  await succeed(world, 'plan --out plan.json --report r.md r.html r.json r.xml', ...options);
  const applied = await succeed(world, 'apply plan.json --result result.json');
  shown.push(applied.stdout, applied.stderr);
  for (const file of ['plan.json', 'r.md', 'r.html', 'r.json', 'r.xml']) shown.push(world.read(file));
  shown.push(...filesBelow(`${world.dir}/.tenantctl`).values());
  shown.push(world.read('result.json'));
  for (const text of shown) expect(text).not.toContain(canary);
  expect((await world.plan(...options)).changes).toEqual([]);
}

const withHook = { request: { a: 'b', webhook: secret('HOOK') } };
const cases: [what: string, before: object, after: object][] = [
  ['is removed', withHook, { request: { a: 'b' } }],
  ['goes with all that is around it', withHook, { request: null }],
  ['is cleared', withHook, { request: { a: 'b', webhook: null } }],
  ['gets another name', withHook, { request: { a: 'b', hook: secret('HOOK') } }],
  ['is removed by member', { attributes: { on: 'x', hook: secret('HOOK') } }, { attributes: { hook: null } }],
  ['leaves a list', { request: { l: ['a', secret('HOOK'), 'c'] } }, { request: { l: ['a', 'c'] } }],
  [
    'leaves a list of objects',
    { request: { l: [{ v: secret('HOOK') }, { v: 'x' }] } },
    { request: { l: [{ v: 'x' }] } },
  ],
  ['enters a list', { attributes: { l: ['a'] } }, { attributes: { l: ['a', secret('PW')] } }],
  ['enters an empty list', { attributes: { l: [] } }, { attributes: { l: [secret('PW')] } }],
  ['enters a list in a list', { attributes: { l: [['a']] } }, { attributes: { l: [['a', secret('PW')]] } }],
  ['moves in a list', { request: { l: [secret('HOOK'), 'a'] } }, { request: { l: ['a', secret('HOOK')] } }],
];

describe('a secret of an integration', () => {
  it.each(cases)('that %s', async (_what, before, after) => {
    const world = await worldOf();
    declare(world, manifest(desk(before)));
    await succeed(world, 'apply --yes');
    declare(world, manifest(desk(after)));
    await applyUnseen(world);
  });

  it('that goes with its object', async () => {
    const world = await worldOf();
    declare(world, manifest(desk(withHook)));
    await succeed(world, 'apply --yes');
    declare(world, manifest({ ensure: 'absent' }), manifest(desk({}), 'SimIntegration', 'Other'));
    await succeed(world, 'apply --yes --only SimIntegration/Other');
    await applyUnseen(world);
  });

  it.each<[string, JsonObject]>([
    ['removes', { request: { webhook: null } }],
    ['replaces', { request: { webhook: 'https://hook.example' } }],
    ['takes away with its object', { ensure: 'absent' }],
  ])('that an overlay %s', async (_what, merge) => {
    const world = await worldOf();
    declare(world, manifest(desk(withHook)), manifest(desk({}), 'SimIntegration', 'Other'));
    await succeed(world, 'apply --yes');
    const project = world.read('tenantctl.yaml');
    const overlays = JSON.stringify([{ target: 'SimIntegration/Desk', merge }]);
    world.write('tenantctl.yaml', project.replace('"limits":', `"overlays":${overlays},"limits":`));
    const got = await succeed(world, 'get SimIntegration/Desk');
    expect(got.stdout).toContain('webhook: !secret');
    expect(got.stdout).not.toContain(canary);
    await applyUnseen(world);
  });

  it('that the revision marked, where the manifest has a text in clear now', async () => {
    const world = await worldOf();
    git(world.dir, 'init', '-q');
    declare(world, manifest(desk(withHook)));
    world.write('.gitignore', '.tenantctl/\n*.json\nr.*\n');
    await succeed(world, 'apply --yes');
    commitAll(world.dir);
    declare(world, manifest(desk({ request: { a: 'b', webhook: 'https://hook.example' } })));
    commitAll(world.dir);
    await applyUnseen(world, '--since', 'HEAD~1');
  });

  it('that another object has too', async () => {
    const world = await worldOf();
    const other = manifest(desk({ request: { token: secret('HOOK') } }), 'SimIntegration', 'Other');
    declare(world, manifest(desk(withHook)), other);
    await succeed(world, 'apply --yes');
    declare(world, manifest(desk({ request: { a: 'b' } })), other);
    await applyUnseen(world);
  });
});

const flows: [string, object, object][] = [
  ['leaves its JSON', { definition: { url: secret('HOOK'), a: 1 } }, { definition: { a: 1 } }],
  ['enters a list', { definition: { l: ['a'] } }, { definition: { l: ['a', secret('PW')] } }],
  ['enters a set', { tags: ['a'] }, { tags: ['a', secret('PW')] }],
  ['stays in a set', { tags: [secret('HOOK'), 'b'] }, { tags: ['a', secret('HOOK')] }],
  [
    'stays in a set inside JSON',
    { definition: { words: ['d', { on: secret('HOOK') }, secret('HOOK'), 'a', secret('PW')] } },
    { definition: { words: ['d', { on: secret('HOOK') }, secret('HOOK'), 'b', secret('PW')] } },
  ],
];
it.each(flows)('a secret of an object of a kind of one’s own that %s', async (_what, before, after) => {
  const world = await worldOf();
  declare(world, manifest(before, 'Flow'));
  await succeed(world, 'apply --yes');
  declare(world, manifest(after, 'Flow'));
  await applyUnseen(world);
});

const [live, declared] = [
  [{ b: 'old' }, { b: 'old', c: 'y' }],
  [{ b: 'new' }, { d: 'x' }],
];
const lists: [string, string, object, object][] = [
  ['attributes', 'SimIntegration', desk({ attributes: { l: live } }), desk({ attributes: { l: declared } })],
  ['a request', 'SimIntegration', desk({ request: { l: live } }), desk({ request: { l: declared } })],
  ['JSON', 'Flow', { definition: { l: live } }, { definition: { l: declared } }],
  ['a set inside JSON', 'Flow', { definition: { words: live } }, { definition: { words: declared } }],
];
it.each(lists)(
  'a text that a plan shows in one item of a list and conceals in another can be applied from a saved plan, in %s',
  async (_what, kind, before, after) => {
    const world = await worldOf();
    declare(world, manifest(before, kind));
    await succeed(world, 'apply --yes');
    declare(world, manifest(after, kind));
    await applyUnseen(world);
  },
);

/** Settings of a manifest: texts, secrets, lists and maps of them. */
const settings = fc.letrec<{ value: unknown; map: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom(secret('HOOK'), secret('OTHER'), secret('PW')),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom('k', 'l', 'm'), tie('value'), { maxKeys: 3 }),
})).map;

/** The places where one side has a secret, or a text in clear. Items of lists have no place of their own. */
function placesWith(isSecret: boolean, value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return isSecret ? [] : [at];
  if ('$secret' in value) return isSecret ? [at] : [];
  return Object.entries(value).flatMap(([key, item]) => {
    const isItem = Array.isArray(value) && (typeof item !== 'object' || '$secret' in item);
    return isItem ? [] : placesWith(isSecret, item, `${at}/${key}`);
  });
}

/** Where a text in clear replaces a secret in its place, only the revision knows that there was one. */
function replacesInPlace(before: object, after: object): boolean {
  const clear = new Set(placesWith(false, after));
  return placesWith(true, before).some((at) => clear.has(at));
}

it('law: after any edit of settings with secrets, the plan shows none, can be applied, and is empty then', () =>
  fc.assert(
    fc.asyncProperty(
      settings,
      settings,
      settings,
      settings,
      async (request, attributes, request2, definition) => {
        await using world = await worldOf(createWorld);
        declare(world, manifest(desk({ request, attributes })), manifest({ definition }, 'Flow'));
        world.write('.gitignore', '.tenantctl/\n*.json\nr.*\n');
        await succeed(world, 'apply --yes');
        const isReplaced = replacesInPlace(request, request2) || replacesInPlace(definition, request);
        if (isReplaced) {
          git(world.dir, 'init', '-q');
          commitAll(world.dir);
        }
        declare(
          world,
          manifest(desk({ request: request2, attributes: { k: null } })),
          manifest({ definition: request }, 'Flow'),
        );
        if (isReplaced) commitAll(world.dir);
        await applyUnseen(world, ...(isReplaced ? ['--since', 'HEAD~1'] : []));
      },
    ),
    { numRuns: runs(8), examples: [[{ k: secret('HOOK') }, {}, { k: 'a' }, {}]] },
  ));
