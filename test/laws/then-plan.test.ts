import { existsSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Result } from '../../src/model/documents.ts';
import { type Content, fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { type DescribedCase, describedCase } from '../support/described.ts';
import { runs } from '../support/effort.ts';
import { describedOptions, worlds } from '../support/tenant-variants.ts';
import { createTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import {
  createWorld,
  expectEnd,
  filesBelow,
  setSecrets,
  succeed,
  type World,
  type WorldOptions,
} from '../support/world.ts';

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
  expect((await world.plan()).changes).toEqual(before.changes.filter(({ action }) => action === 'manual'));
}

it.each(worlds)('apply then plan is empty, for tenants of kind %#', (options) =>
  fc.assert(
    fc.asyncProperty(tenantContent, manifests, (content, declared) =>
      applyThenPlan(options, content, declared),
    ),
    { numRuns: runs(25) },
  ),
);

const exporting: readonly WorldOptions[] = [
  {},
  {
    sandbox: {
      variations: {
        jsonText: 'object',
        slackTeams: 'object',
        simStatusMap: 'attributes',
        simSecrets: 'masked',
      },
    },
  },
  {
    sandbox: {
      variations: { emptyAsNull: true, shuffleLists: true, simStatusMap: 'hidden', simSecrets: 'encrypted' },
    },
  },
];

const filesOf = ({ dir }: World) =>
  existsSync(`${dir}/config`) ? filesBelow(`${dir}/config`) : new Map<string, string>();

async function mergeNothing(world: World): Promise<void> {
  const before = filesOf(world);
  const merged = await world.run('export --merge --all');
  expect(merged, merged.stderr).toMatchObject({ code: 0, stdout: 'Files: 0 changed, 0 new, 0 removed.\n' });
  expect(filesOf(world)).toEqual(before);
}

/** Rules of dates that the API documents know, and of dates that hosts compare with another attribute. */
function addDates({ sandbox: { state } }: World): void {
  const attribute = { data_type: 'date', date_format: 'YYYY-MM-DD' } as const;
  state.neAttributes.push(
    { id: 'd1', uid: 'hired', label: 'Hired', ...attribute },
    { id: 'd2', uid: 'contract_end_date', label: 'Contract end', ...attribute },
  );
  const rule = (id: string, operator: string, value: string, more?: { secondary_attribute_id: string }) => ({
    id,
    type: 'ProfileAttributeRule' as const,
    condition_object_id: 'd1',
    comparison_operator: operator,
    value,
    ...(more && { more }),
  });
  const rules = [
    rule('r1', 'before', '2030-01-31'),
    rule('r2', '<', '30 after'),
    rule('r3', 'after', 'contract_end_date'),
    rule('r4', 'before', 'contract_end_date', { secondary_attribute_id: 'd2' }),
  ];
  state.profileSearches.push({ id: 'dates', uid: 'dates', label: 'Search of dates', rules });
}

/** Moves the files in the folders of templates to where exports put them before there were such folders. */
function flattenFolders(world: World): void {
  const folder = `${world.dir}/config/notification-templates`;
  const files = existsSync(folder) ? filesBelow(folder) : [];
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    const [key = '', name = ''] = path.split('/');
    const moved = path.endsWith('.yaml') ? text.replaceAll(/^(\w+: !file )/gm, `$1${key}.`) : text;
    world.write(`config/notification-templates/${key}.${name}`, moved);
  }
}

async function exportThenPlan(options: WorldOptions, content: Content): Promise<void> {
  await using world = await createWorld(options);
  fill(world.sandbox.state, content);
  addDates(world);
  await succeed(world, 'export --kinds', ...builtInKinds.all.map(({ name }) => name));
  setSecrets(world);
  expect((await world.plan()).changes).toEqual([]);
  await succeed(world, 'validate');

  await world.run('export --out again --kinds', ...builtInKinds.all.map(({ name }) => name));
  expect(filesBelow(`${world.dir}/again`)).toEqual(filesBelow(`${world.dir}/config`));

  await mergeNothing(world);
  flattenFolders(world);
  await mergeNothing(world);
}

it.each(exporting)(
  'export then plan is empty, what was exported is valid, a second export is the same, and merging changes nothing, for tenants of kind %#',
  (options) =>
    fc.assert(
      fc.asyncProperty(tenantContent, (content) => exportThenPlan(options, content)),
      { numRuns: runs(25) },
    ),
);

/** The laws, for random kinds of one's own over HTTP. */

const always = (test: (world: World, given: DescribedCase) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(describedCase, async (given) => {
      await using world = await createWorld(describedOptions(given));
      await test(world, given);
    }),
    { numRuns: runs(25) },
  );

it('apply then plan is empty, and a plan is the same twice', async () => {
  await always(async (world, { declared }) => {
    world.declare(declared.map((fields) => ({ kind: 'Told', ...fields })));
    const [before, again] = [await world.plan(), await world.plan()];
    expect({ ...again, createdAt: before.createdAt }).toEqual(before);
    await succeed(world, 'apply --yes --format json');
    // A step by hand stays until somebody takes it.
    const byHand = before.changes.flatMap(({ action, address }) => (action === 'manual' ? [address] : []));
    const left = (await world.plan()).changes.map(({ address }) => address);
    expect(left.filter((address) => !byHand.includes(address))).toEqual([]);
  });
});

it('export then plan is empty, and a second export is the same', async () => {
  await always(async (world, { objects }) => {
    await succeed(world, 'export --kinds Told');
    // A random name may be that of a credential.
    setSecrets(world, 'Told', objects);
    expect((await world.plan()).changes).toEqual([]);
    if (objects.length === 0) return;
    await world.run('export --out again --kinds Told');
    expect(filesBelow(`${world.dir}/again`)).toEqual(filesBelow(`${world.dir}/config`));
    const merged = await world.run('export --merge --all');
    expect(merged, merged.stderr).toMatchObject({ code: 0, stdout: 'Files: 0 changed, 0 new, 0 removed.\n' });
  });
});

/** A tenant in which each template has a default, with the texts of another template. */
const withDefaults = tenantContent.map((content): Content => {
  const { templates } = content;
  const texts = (at: number) => (templates[at + 1] ?? templates[0])?.texts;
  const defaults = templates.map((template, at) => ({ ...template, texts: texts(at) ?? template.texts }));
  return { ...content, defaults };
});

/** What no apply can make: it is in both tenants. */
const given = (content: Content): Content => ({
  ...content,
  templates: [],
  integrations: [],
  senders: [],
  domains: [],
  mailFrom: [],
  searches: [],
});

async function transport({ test, production, env, run }: TwoTenants, content: Content): Promise<void> {
  fill(test.sandbox.state, content);
  fill(production.sandbox.state, given(content));
  await expectEnd(run('export -e test'), 0);
  if (!existsSync(`${test.dir}/config`)) return;
  setSecrets({ ...test, env });
  await expectEnd(run('apply -e production --yes'), 0);
  const { stdout, stderr } = await run('diff test production --format json');
  expect(JSON.parse(stdout).objects, stderr).toEqual([]);
}

it('what is exported from a tenant and applied to an empty one is the same in both', () =>
  fc.assert(
    fc.asyncProperty(withDefaults, async (content) => {
      await using two = await createTwoTenants();
      await transport(two, content);
    }),
    { numRuns: runs(50) },
  ));
