/** `--since REV`: manifests of a git revision beside today's. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commitAll } from '../support/repository.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, succeed, type World } from '../support/world.ts';

async function repository(): Promise<World> {
  const world = await createTestWorld();
  const integration = (name: string) => ({ name, type: 'ServiceNow', attributes: { url: 'u' } });
  addObjects(world.sandbox.state, { simIntegrations: ['Gone', 'Kept'].map(integration) });
  const manifest = (name: string, attributes: string) =>
    `kind: SimIntegration\nname: ${name}\nattributes: { ${attributes} }\n`;
  world.write('config/gone.yaml', manifest('Gone', 'password: !secret OLD'));
  world.write('config/kept.yaml', manifest('Kept', 'url: u'));
  commitAll(world.dir);
  return world;
}

it('deletes what is no longer declared, though its secret is not set any more', async () => {
  const world = await repository();
  rmSync(`${world.dir}/config/gone.yaml`);
  expect((await world.plan()).changes).toEqual([]);
  const { changes } = await world.plan('--since', 'HEAD');
  expect(changes).toMatchObject([{ action: 'delete', address: 'SimIntegration/Gone' }]);
});

it('needs no seed of the embedded tenant in the revision', async () => {
  const world = await createTestWorld();
  const sandbox = '{ seed: seed.yaml, data: data.json }';
  world.write('tenantctl.yaml', `version: 1\nenvironments: { test: { sandbox: ${sandbox} } }\n`);
  world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
  commitAll(world.dir);
  world.write('seed.yaml', 'senders: [{ email: a@acme.example }, { email: b@acme.example }]\n');
  rmSync(`${world.dir}/config/a.yaml`);
  const { stdout } = await succeed(world, 'plan --since HEAD');
  expect(stdout).toContain('- SenderAddress/a@acme.example');
  expect(stdout).not.toContain('seed.yaml');
});

it('says in words what would undo a change made in the tenant', async () => {
  const world = await repository();
  rmSync(`${world.dir}/config/gone.yaml`);
  const kept = world.sandbox.state.simIntegrations.find(({ name }) => name === 'Kept');
  if (kept) kept.attributes = { url: 'by hand' };
  const { stdout } = await succeed(world, 'plan --since HEAD --only SimIntegration/Kept');
  expect(stdout).toMatch(/UNDOES A CHANGE: someone changed attributes\/url in the tenant\n/);
  world.sandbox.state.simIntegrations = world.sandbox.state.simIntegrations.filter((each) => each !== kept);
  const gone = await succeed(world, 'plan --since HEAD --only SimIntegration/Kept');
  const words = 'UNDOES A CHANGE: someone deleted this in the tenant, or it was never applied\n';
  expect(gone.stdout).toContain(words);
});

it('reads once what both revisions declare and the tenant tells one by one', async () => {
  const world = await createTestWorld();
  const mailFrom = [{ identity: 'acme.example', mailFromDomain: 'bounce.acme.example' }];
  addObjects(world.sandbox.state, { mailFrom });
  const manifest = (identity: string) =>
    `kind: MailFrom\nidentity: ${identity}\nmailFromDomain: bounce.acme.example\n`;
  world.write('config/mail.yaml', manifest('acme.example'));
  commitAll(world.dir);
  world.write('config/mail.yaml', manifest('Acme.example'));
  expect((await world.plan('--since', 'HEAD')).changes).toEqual([]);
  const asked = world.sandbox.log.filter(({ path }) => path.startsWith('/v2025/mail-from-attributes'));
  expect(asked).toHaveLength(1);
});

it('sees manifests behind links, and the side files that are links', async () => {
  const world = await repository();
  renameSync(`${world.dir}/config/gone.yaml`, `${world.dir}/gone.yaml`);
  symlinkSync('../gone.yaml', `${world.dir}/config/gone.yaml`);
  const text = 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\nbody: !file link.html\n';
  world.write('real/text.yaml', text);
  world.write('real/text.html', '<p>Hello</p>');
  symlinkSync('text.html', `${world.dir}/real/link.html`);
  symlinkSync('../real', `${world.dir}/config/folder`);
  commitAll(world.dir, 'links');
  for (const path of ['gone.yaml', 'folder']) rmSync(`${world.dir}/config/${path}`);
  const { changes } = await world.plan('--since', 'HEAD');
  expect(changes).toMatchObject([{ action: 'delete', address: 'SimIntegration/Gone' }]);
});
