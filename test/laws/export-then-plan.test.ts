import { existsSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { type Content, fill, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import {
  createWorld,
  filesBelow,
  setSecrets,
  succeed,
  type World,
  type WorldOptions,
} from '../support/world.ts';

const worlds: readonly WorldOptions[] = [
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

const manifests = ({ dir }: World) =>
  existsSync(`${dir}/config`) ? filesBelow(`${dir}/config`) : new Map<string, string>();

async function mergeNothing(world: World): Promise<void> {
  const before = manifests(world);
  const merged = await world.run('export --merge --all');
  expect(merged, merged.stderr).toMatchObject({ code: 0, stdout: 'Files: 0 changed, 0 new, 0 removed.\n' });
  expect(manifests(world)).toEqual(before);
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

it.each(worlds)(
  'export then plan is empty, what was exported is valid, a second export is the same, and merging changes nothing, for tenants of kind %#',
  async (options) => {
    await fc.assert(
      fc.asyncProperty(tenantContent, (content) => exportThenPlan(options, content)),
      { numRuns: runs(25) },
    );
  },
);
