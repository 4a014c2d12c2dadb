/** The variables that an export names for secrets: one variable for two would write the wrong password with the next apply. */
import { expect, it } from 'vitest';
import { createTestWorld, type World } from '../support/world.ts';

/** What the export would call the password of `B`. */
const nameOfB = 'SIM_INTEGRATION_B_ATTRIBUTES_PASSWORD';

async function tenantWith(...names: string[]): Promise<World> {
  const world = await createTestWorld();
  const time = '2025-01-01T00:00:00.000Z';
  for (const name of names) {
    world.sandbox.state.simIntegrations.push({
      id: `id-${name}`,
      name,
      description: null,
      type: 'Jira',
      cluster: null,
      sources: [],
      attributes: { password: `pass-${name}` },
      request: null,
      statusMap: null,
      beforeProvisioningRule: null,
      created: time,
      modified: time,
    });
  }
  return world;
}

const declared = (name: string) =>
  `kind: SimIntegration\nname: ${name}\nattributes: { password: !secret ${nameOfB} }\n`;
const secretIn = (text: string) => /!secret (\w+)/.exec(text)?.[1];

it('a fresh export gives a new secret no name that it gives another one, as its manifest does', async () => {
  const world = await tenantWith('A', 'B');
  world.env[nameOfB] = 'pass-A';
  world.write('config/a.yaml', declared('A'));
  expect(await world.run('export', '--out', 'fresh')).toMatchObject({ code: 0 });
  expect(secretIn(world.read('fresh/sim-integrations/a.yaml'))).toBe(nameOfB);
  const other = secretIn(world.read('fresh/sim-integrations/b.yaml'));
  expect(other).toMatch(new RegExp(`^${nameOfB}_\\w+$`));
  expect(world.read('.env.example')).toContain(`${other}=`);
});

it('a merge gives a new secret no name that a manifest uses, also for an object that is not in the tenant', async () => {
  const world = await tenantWith('B');
  world.env[nameOfB] = 'pass-A';
  world.write('config/a.yaml', declared('A'));
  expect(await world.run('export', '--merge', '--all')).toMatchObject({ code: 0 });
  expect(secretIn(world.read('config/sim-integrations/b.yaml'))).toMatch(new RegExp(`^${nameOfB}_\\w+$`));
});
