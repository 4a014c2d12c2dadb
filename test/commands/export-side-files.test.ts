import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, succeed } from '../support/world.ts';

/** A project whose overlay, if `isUsed`, reads the file `texts/body.html` too. */
async function worldWith(isUsed: boolean) {
  const world = await createTestWorld({ files: { 'texts/body.html': 'Hello' } });
  const overlay = `    overlays: [{ target: NotificationTemplate/*/EMAIL/*, merge: { footer: !file texts/body.html } }],\n`;
  const project = world.read('tenantctl.yaml');
  if (isUsed) world.write('tenantctl.yaml', project.replace(/^ {4}profiles:/m, `${overlay}    profiles:`));
  return world;
}

const manifestOf = (name: string) =>
  `kind: SimIntegration\nname: ${name}\ntype: T\ndescription: !file ../texts/body.html\n`;

it.each([
  ['an overlay', true],
  ['nothing else', false],
])('the side file of a removed manifest stays only where something uses it: %s', async (_what, isUsed) => {
  const world = await worldWith(isUsed);
  world.write('config/gone.yaml', manifestOf('Gone'));
  await succeed(world, 'export --merge --delete');
  expect(existsSync(join(world.dir, 'config/gone.yaml'))).toBe(false);
  expect(existsSync(join(world.dir, 'texts/body.html'))).toBe(isUsed);
});

it.each([
  ['an overlay', true],
  ['nothing else', false],
])('a side file gets a new text only where nothing else uses it: %s', async (_what, isUsed) => {
  const world = await worldWith(isUsed);
  addObjects(world.sandbox.state, { simIntegrations: [{ name: 'Desk', type: 'T', description: 'Other' }] });
  world.write('config/desk.yaml', manifestOf('Desk'));
  await succeed(world, 'export --merge');
  expect(world.read('texts/body.html')).toBe(isUsed ? 'Hello' : 'Other');
  expect(world.read('config/desk.yaml')).toContain(
    isUsed ? 'description: Other' : 'description: !file ../texts/body.html',
  );
});
