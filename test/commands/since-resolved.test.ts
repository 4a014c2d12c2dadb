/** `--since REV` compares what was declared then with what is declared now, as resolved at each time. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Plan } from '../../src/model/documents.ts';
import { commitAll } from '../support/repository.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { worlds } from '../support/tenant-variants.ts';
import { createTestWorld, createWorld, expectEnd, succeed, type World } from '../support/world.ts';

/** An integration as the tenant has it. */
const integration = (name: string) => ({ name, type: 'ServiceNow', attributes: { url: 'old' } });

const manifest = (name: string, url = 'old', more = '') =>
  `kind: SimIntegration\nname: ${name}\nattributes: { url: ${url} }\n${more}`;

/** A project with an integration that stays, and others that only the tenant has. */
async function project(...others: string[]): Promise<World> {
  const world = await createTestWorld();
  addObjects(world.sandbox.state, { simIntegrations: ['Kept', 'Other', ...others].map(integration) });
  world.write('config/kept.yaml', manifest('Kept'));
  return world;
}

/** Writes the project file: environments of the same tenant, each with these settings. */
function setProject(world: World, environments: Readonly<Record<string, string>>): void {
  const { url } = world.sandbox;
  const texts = Object.entries(environments).map(
    ([name, settings]) => `  ${name}:
    identity: { baseUrl: ${url}, auth: { clientId: !env CLIENT_ID, clientSecret: !secret CLIENT_SECRET } }
    profiles: { baseUrl: ${url} }
    ${settings}
`,
  );
  world.write('tenantctl.yaml', `version: 1\ndefaultEnvironment: test\nenvironments:\n${texts.join('')}`);
}

const origins = ({ changes }: Plan) =>
  changes.flatMap(({ action, diff }) =>
    action === 'update' ? diff.map(({ path, origin }) => [path, origin]) : [],
  );
const actions = ({ changes }: Plan) => changes.map(({ action, key }) => [action, ...key].join(' '));
const since = (world: World, ...options: string[]) => world.plan('--since', 'HEAD', ...options);

it.each([
  ['a variable', 'variables: { url: new }'],
  [
    'an overlay',
    'variables: { url: old }\n    overlays: [{ target: SimIntegration/Kept, merge: { attributes: { url: new } } }]',
  ],
])('says that a change of %s comes from the repository', async (_what, after) => {
  const world = await project();
  world.write('config/kept.yaml', manifest('Kept', '!var url'));
  setProject(world, { test: 'variables: { url: old }' });
  commitAll(world.dir);
  setProject(world, { test: after });
  const plan = await since(world);
  expect(origins(plan)).toEqual([['/attributes/url', 'repo']]);
  expect(plan.changes[0]).toMatchObject({ warnings: [], risk: [] });
});

it('reads the environment that was chosen, not the default one', async () => {
  const world = await project();
  world.write('config/kept.yaml', manifest('Kept', '!var url'));
  setProject(world, { test: 'variables: { url: old }', prod: 'variables: { url: elsewhere }' });
  commitAll(world.dir);
  expect(origins(await since(world, '-e', 'prod'))).toEqual([['/attributes/url', 'tenant']]);
  setProject(world, { test: 'variables: { url: old }', prod: 'variables: { url: new }' });
  expect(origins(await since(world, '-e', 'prod'))).toEqual([['/attributes/url', 'both']]);
  expect(await since(world, '-e', 'test')).toMatchObject({ changes: [] });
});

it('deletes what the globs of that time declared', async () => {
  const world = await project('Gone');
  world.write('tenantctl.yaml', `${world.read('tenantctl.yaml')}manifests: [config/*.yaml, former/*.yaml]\n`);
  world.write('former/gone.yaml', manifest('Gone'));
  commitAll(world.dir);
  rmSync(join(world.dir, 'former'), { recursive: true });
  world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace(', former/*.yaml', ''));
  expect(actions(await since(world))).toEqual(['delete Gone']);
});

it('deletes nothing that was declared absent then, whoever has made it since', async () => {
  const world = await project('Gone', 'Overlaid');
  world.write('config/gone.yaml', 'kind: SimIntegration\nname: Gone\nensure: absent\n');
  world.write('config/overlaid.yaml', manifest('Overlaid'));
  setProject(world, { test: 'overlays: [{ target: SimIntegration/Overlaid, merge: { ensure: absent } }]' });
  commitAll(world.dir);
  rmSync(join(world.dir, 'config/gone.yaml'));
  rmSync(join(world.dir, 'config/overlaid.yaml'));
  setProject(world, { test: '' });
  expect(actions(await since(world))).toEqual([]);
});

it('says that a delete undoes a change of the tenant where the object was to be absent then too', async () => {
  const world = await project('Again', 'Left', 'New');
  const absent = (name: string) => `kind: SimIntegration\nname: ${name}\nensure: absent\n`;
  world.write('config/kept.yaml', manifest('Kept'));
  world.write('config/again.yaml', absent('Again'));
  world.write('config/new.yaml', manifest('New'));
  commitAll(world.dir);
  world.write('config/new.yaml', absent('New'));
  const { changes } = await since(world);
  const deleted = changes.filter(({ action }) => action === 'delete');
  expect(deleted.map(({ key: [name], risk }) => [name, risk])).toEqual([
    ['Again', ['delete', 'undoes-tenant-change']],
    ['New', ['delete']],
  ]);
  const { stdout } = await succeed(world, 'plan', '--since', 'HEAD');
  expect(stdout).toContain('UNDOES A CHANGE: someone created this in the tenant again');
});

it('deletes nothing that is only declared in another place now, committed or not', async () => {
  const world = await project('Moved');
  world.write('config/moved.yaml', manifest('Moved'));
  commitAll(world.dir);
  renameSync(join(world.dir, 'config/moved.yaml'), join(world.dir, 'config/elsewhere.yaml'));
  expect(actions(await since(world))).toEqual([]);
});

it('counts the whole list, so that one of several is not all of them', async () => {
  const world = await createTestWorld();
  addObjects(world.sandbox.state, { simIntegrations: ['Gone', 'Undeclared'].map(integration) });
  world.write('config/gone.yaml', manifest('Gone'));
  world.write('config/sender.yaml', 'kind: VerifiedDomain\ndomain: acme.example\n');
  commitAll(world.dir);
  rmSync(join(world.dir, 'config/gone.yaml'));
  const plan = await since(world);
  expect(actions(plan)).toContain('delete Gone');
  expect(plan.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

it('needs no environment variable of that time', async () => {
  const world = await project('Gone', 'Named', 'Listed');
  world.write(
    'config/gone.yaml',
    manifest('Gone', '!env OLD_URL', 'description: !var d\ncluster: !var s\nsources: [!env OLD_SOURCE]\n'),
  );
  world.write('config/named.yaml', manifest('!env OLD_NAME'));
  world.write('config/absent.yaml', manifest('Listed', 'old', 'lifecycle: { protect: !env OLD_FLAG }\n'));
  world.write('config/kept.yaml', manifest('Kept', '!env OLD_URL'));
  setProject(world, { test: 'variables: { d: !env OLD_DESCRIPTION, s: !secret OLD_SECRET }' });
  commitAll(world.dir);
  for (const name of ['gone', 'named', 'absent']) rmSync(join(world.dir, `config/${name}.yaml`));
  world.write('config/kept.yaml', manifest('Kept', 'new'));
  setProject(world, { test: '' });
  const plan = await since(world);
  // Of the others it is not known which objects they named, or whether they were protected.
  expect(actions(plan)).toEqual(['update Kept', 'delete Gone']);
  expect(origins(plan)).toEqual([['/attributes/url', 'repo']]);
  const unset = plan.diagnostics.filter(({ code }) => code === 'env-unset');
  expect(unset.map(({ severity, source }) => [severity, source?.file])).toContainEqual([
    'warning',
    'HEAD:config/named.yaml',
  ]);
});

it('is not stopped by what the manifests of that time may not have today, and reads no `.env`', async () => {
  const world = await project('Gone', 'Listed');
  const side = 'description: !file ../.env\n';
  world.write('.env', 'TOKEN="canary-in-env"\n');
  world.write('config/gone.yaml', manifest('Gone', 'old', side));
  world.write('config/kept.yaml', manifest('Kept', 'old', side));
  const lost = 'cluster: !file ../built.txt\ndescription: !file ../large.txt\n';
  world.write('large.txt', 'version https://git-lfs.github.com/spec/v1\n');
  world.write('config/listed.yaml', manifest('Listed', 'old', lost));
  setProject(world, { test: 'protect: ["SimIntegration/Kept,SimIntegration/x"]' });
  commitAll(world.dir);
  for (const name of ['gone', 'listed']) rmSync(join(world.dir, `config/${name}.yaml`));
  world.write('config/kept.yaml', manifest('Kept', 'new', 'description: New\n'));
  setProject(world, { test: '' });
  const plan = await since(world);
  expect(actions(plan)).toEqual(['update Kept', 'delete Gone', 'delete Listed']);
  expect(JSON.stringify(plan)).not.toContain('canary');
  const warned = plan.diagnostics.filter(({ severity }) => severity === 'warning');
  expect(warned.map(({ code, source }) => [code, source?.file])).toEqual([
    ['reserved-file', 'HEAD:config/gone.yaml'],
    ['reserved-file', 'HEAD:config/kept.yaml'],
    ['file-not-found', 'HEAD:config/listed.yaml'],
    ['file-unreadable', 'HEAD:config/listed.yaml'],
  ]);
});

it('needs no base URL of that time', async () => {
  const world = await project('Gone');
  world.write('config/gone.yaml', manifest('Gone'));
  const now = world.read('tenantctl.yaml');
  world.write('tenantctl.yaml', now.replaceAll(`"${world.sandbox.url}"`, '!env OLD_TENANT'));
  commitAll(world.dir);
  world.write('tenantctl.yaml', now);
  rmSync(join(world.dir, 'config/gone.yaml'));
  expect(actions(await since(world))).toEqual(['delete Gone']);
});

it('asks the tenant for no record that only the revision looks up', async () => {
  const world = await project('Gone');
  const lookup = '!lookup { from: profiles, where: { name: Gone }, take: id }';
  world.write('config/gone.yaml', manifest('Gone', 'old', `cluster: ${lookup}\n`));
  world.write('config/kept.yaml', manifest('Kept', lookup));
  commitAll(world.dir);
  rmSync(join(world.dir, 'config/gone.yaml'));
  world.write('config/kept.yaml', manifest('Kept', 'new'));
  const plan = await since(world);
  expect(actions(plan)).toContain('delete Gone');
  expect(origins(plan)).toEqual([['/attributes/url', 'repo']]);
  expect(world.sandbox.log.filter(({ path }) => path.startsWith('/api/profiles'))).toEqual([]);
});

it.each([
  ['there was no environment `test`', null],
  ['there was no environment `test`', (text: string) => text.replace(/\btest\b/g, 'trial')],
  ['the environment `test` was another tenant', (text: string) => text.replaceAll('127.0.0.1', 'localhost')],
  // Its two services may belong to different tenants.
  ['the environment `test` was another tenant', (text: string) => text.replace('127.0.0.1', 'localhost')],
])('deletes nothing where %s, and says so', async (words, before) => {
  const world = await project('Gone');
  world.write('config/gone.yaml', manifest('Gone'));
  const now = world.read('tenantctl.yaml');
  if (before) world.write('tenantctl.yaml', before(now));
  else rmSync(join(world.dir, 'tenantctl.yaml'));
  commitAll(world.dir);
  world.write('tenantctl.yaml', now);
  rmSync(join(world.dir, 'config/gone.yaml'));
  commitAll(world.dir, 'now');
  const plan = await world.plan('--since', 'HEAD~1');
  expect(actions(plan)).toEqual([]);
  const said = plan.diagnostics.filter(({ code }) => code === 'nothing-declared-then');
  expect(said).toMatchObject([{ severity: 'warning', message: expect.stringContaining(words) }]);
});

it('names the revision where its manifests have errors', async () => {
  const world = await project();
  world.write('config/wrong.yaml', 'kind: SimIntegration\nname: [x]\n');
  commitAll(world.dir);
  rmSync(join(world.dir, 'config/wrong.yaml'));
  await expectEnd(world.run('plan --since HEAD'), 1, 'HEAD:config/wrong.yaml:2:7');
});

it.each([
  ['the environment gives as a credential', 'CLIENT_SECRET', ''],
  ['is named like a credential', 'BUILD_TOKEN', ''],
  ['has the form of a credential', 'HOME_PAGE', ''],
  ['a manifest of today has as a secret', 'SNOW', 'password: !secret SNOW'],
])('shows no value that %s, whatever was made of it then', async (_what, name, secret) => {
  const world = await project();
  const canary = 'https://user:canary0815@host.example';
  Object.assign(world.env, { SNOW: canary, BUILD_TOKEN: canary, HOME_PAGE: canary });
  const value = world.env[name] ?? '';
  const kept = `kind: SimIntegration\nname: Kept\nattributes: { url: old, ${secret} }\n`;
  world.write('config/gone.yaml', manifest(`!env ${name}`));
  commitAll(world.dir);
  rmSync(join(world.dir, 'config/gone.yaml'));
  world.write('config/kept.yaml', kept);
  const gone = await succeed(world, 'plan --format json --since HEAD');
  expect(gone.stdout + gone.stderr).not.toContain(encodeURIComponent(value));
  expect(gone.stdout).toContain(`${name} `);
  world.write(
    'config/wrong.yaml',
    `kind: NotificationTemplate\nkey: k\nmedium: !env ${name}\nlocale: en\nsubject: s\nbody: b\n`,
  );
  world.write('config/unknown.yaml', `kind: !env ${name}\nname: x\n`);
  commitAll(world.dir, 'wrong');
  for (const file of ['wrong', 'unknown']) rmSync(join(world.dir, `config/${file}.yaml`));
  const wrong = await world.run('plan --format json --since HEAD');
  expect(wrong.stdout + wrong.stderr).not.toContain(value);
});

it('applies what it shows, though it looks like a credential only in the form that the tenant shows', async () => {
  const world = await createWorld(worlds[2]);
  onTestFinished(() => world.close());
  const declare = (attributes: object | null) =>
    world.declare([{ kind: 'SimIntegration', name: 'Staff', type: 'ServiceNow Service Desk', attributes }]);
  declare({ password: false });
  await succeed(world, 'apply --yes');
  commitAll(world.dir);
  declare(null);
  await succeed(world, 'apply --yes --since HEAD');
});
