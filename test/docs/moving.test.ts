import { expect, it } from 'vitest';
import { createTestWorld, seedFile, succeed } from '../support/world.ts';
import { blocksOf, textOf } from './documents.ts';

const path = 'docs/moving-to-service-desk.md';

it('both forms of the integration are planned, and the commands of the steps run', async () => {
  const world = await createTestWorld({
    sandbox: { seed: seedFile },
    environment: { variables: { expandRule: '2c9180835d2e5168015d32f890ca1581' } },
  });
  world.env.SNOW_PASSWORD = 'only-for-this-test';
  const [{ content = '' } = {}] = blocksOf(path, 'diff');
  const lines = content.split('\n');
  const formOf = (side: '-' | '+', name: string) =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(side))
      .map((line) => line.slice(1))
      .join('\n')
      .replace('name: ServiceNow\n', `name: ${name}\n`);
  world.write('config/old.yaml', formOf('-', 'Old form'));
  world.write('config/new.yaml', formOf('+', 'New form'));
  const { changes } = await world.plan();
  expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
    'create SimIntegration/Old%20form',
    'create ServiceDeskIntegration/New%20form',
  ]);
  await succeed(world, 'apply --yes');
  expect((await world.plan()).changes).toEqual([]);
  const commands = [...textOf(path).matchAll(/`tenantctl ([^`]+)`/g)].map(([, command = '']) => command);
  expect(commands.map((command) => command.split(' ')[0])).toEqual(['kind', 'export']);
  for (const command of commands) {
    const ran = await world.run(...command.replaceAll("'", '').split(' '));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }
  expect(world.read('moved/service-desk-integrations/new-form.yaml')).toContain(
    'clusterRef: !ref Cluster/va-prod',
  );
});
