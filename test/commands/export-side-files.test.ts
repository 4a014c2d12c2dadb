import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestWorld } from '../support/world.ts';

it.each([
  ['an overlay', true],
  ['nothing else', false],
])('the side file of a removed manifest stays only where something uses it: %s', async (_what, isUsed) => {
  const world = await createTestWorld({ files: { 'texts/body.html': 'Hello' } });
  const overlay = `    overlays: [{ target: NotificationTemplate/*/EMAIL/*, merge: { footer: !file texts/body.html } }],\n`;
  if (isUsed) {
    const project = world.read('tenantctl.yaml');
    world.write('tenantctl.yaml', project.replace(/^ {4}profiles:/m, `${overlay}    profiles:`));
  }
  world.write(
    'config/gone.yaml',
    'kind: SimIntegration\nname: Gone\ntype: T\ndescription: !file ../texts/body.html\n',
  );
  const merged = await world.run('export --merge --delete');
  expect(merged, merged.stderr).toMatchObject({ code: 0 });
  expect(existsSync(join(world.dir, 'config/gone.yaml'))).toBe(false);
  expect(existsSync(join(world.dir, 'texts/body.html'))).toBe(isUsed);
});
