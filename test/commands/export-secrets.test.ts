/** The variables that an export names for secrets: one variable for two would write the wrong password with the next apply. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestFolder, createTestWorld, succeed, type World } from '../support/world.ts';

/** What the export would call the password of `B`. */
const nameOfB = 'SIM_INTEGRATION_B_ATTRIBUTES_PASSWORD';

async function tenantWith(...names: string[]): Promise<World> {
  const world = await createTestWorld();
  addObjects(world.sandbox.state, {
    simIntegrations: names.map((name) => ({ name, type: 'Jira', attributes: { password: `pass-${name}` } })),
  });
  return world;
}

const declared = (name: string) =>
  `kind: SimIntegration\nname: ${name}\nattributes: { password: !secret ${nameOfB} }\n`;
const secretIn = (text: string) => /!secret (\w+)/.exec(text)?.[1];

it('a fresh export gives a new secret no name that it gives another one, as its manifest does', async () => {
  const world = await tenantWith('A', 'B');
  world.env[nameOfB] = 'pass-A';
  world.write('config/a.yaml', declared('A'));
  await succeed(world, 'export --out fresh');
  expect(secretIn(world.read('fresh/sim-integrations/a.yaml'))).toBe(nameOfB);
  const other = secretIn(world.read('fresh/sim-integrations/b.yaml'));
  expect(other).toMatch(new RegExp(`^${nameOfB}_\\w+$`));
  expect(world.read('.env.example')).toContain(`${other}=`);
});

it('an export out of the project lists its secrets beside its manifests', async () => {
  const world = await tenantWith('A');
  const { dir: out, read } = createTestFolder();
  await succeed(world, 'export --out', out);
  expect(read('.env.example')).toContain('SIM_INTEGRATION_A_ATTRIBUTES_PASSWORD=');
  expect(existsSync(join(world.dir, '.env.example'))).toBe(false);
});

it('a merge gives a new secret no name that a manifest uses, also for an object that is not in the tenant', async () => {
  const world = await tenantWith('B');
  world.env[nameOfB] = 'pass-A';
  world.write('config/a.yaml', declared('A'));
  await succeed(world, 'export --merge --all');
  expect(secretIn(world.read('config/sim-integrations/b.yaml'))).toMatch(new RegExp(`^${nameOfB}_\\w+$`));
});
