import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Content, fill, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { createWorld, filesBelow, setSecrets, type WorldOptions } from '../support/world.ts';

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

async function exportThenPlan(options: WorldOptions, content: Content): Promise<void> {
  const world = await createWorld(options);
  try {
    fill(world.sandbox.state, content);
    const exported = await world.run('export', '--out', 'config');
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    setSecrets(world);
    expect((await world.plan()).changes).toEqual([]);

    await world.run('export', '--out', 'again');
    expect(filesBelow(`${world.dir}/again`)).toEqual(filesBelow(`${world.dir}/config`));
  } finally {
    await world.close();
  }
}

it.each(worlds.map((options, at) => [at, options] as const))(
  'export then plan is empty, and a second export is the same, for tenants of kind %i',
  { timeout: 300_000 },
  async (_, options) => {
    await fc.assert(
      fc.asyncProperty(tenantContent, (content) => exportThenPlan(options, content)),
      { numRuns: runs(25) },
    );
  },
);
