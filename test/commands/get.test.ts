/** `get`: live objects as their manifests, and what the manifests declare. */
import { expect, it } from 'vitest';
import { commandsIn } from '../report/hostile.ts';
import { createTestWorld, expectEnd, seedFile, succeed } from '../support/world.ts';

const desk = { kind: 'SimIntegration', name: 'Desk', type: 'Jira' };
const sender = (email: string) => ({ kind: 'SenderAddress', email });
const seed = `
simIntegrations:
  - { name: Desk, type: Jira, attributes: { url: https://desk.example.com, password: hunter2hunter2 } }
senders: [{ email: a@acme.example }, { email: b@acme.example }]
`;
const createDesk = () => createTestWorld({ seed });

it('prints live objects as an export writes them, secrets as !secret, in one stream that can be a manifest', async () => {
  const world = await createDesk();
  const { stdout } = await succeed(world, 'get SimIntegration/Desk SenderAddress/*');
  expect(stdout).toContain('kind: SimIntegration\nname: Desk\n');
  expect(stdout).toContain('password: !secret SIM_INTEGRATION_DESK_ATTRIBUTES_PASSWORD');
  expect(stdout).not.toContain('hunter2');
  expect(stdout.match(/^---$/gm)).toHaveLength(2);
  world.env.SIM_INTEGRATION_DESK_ATTRIBUTES_PASSWORD = 'hunter2hunter2';
  world.write('config/all.yaml', stdout);
  expect(await world.plan()).toMatchObject({ changes: [], summary: { unchanged: 3 } });
  // A glob may stand for several kinds, beside one that names its own.
  expect((await succeed(world, 'get SenderAddress/b@acme.example Sim*/**')).stdout).toMatch(
    /kind: SenderAddress\n[\s\S]*kind: SimIntegration\n|kind: SimIntegration\n[\s\S]*kind: SenderAddress\n/,
  );
});

it.each([
  ['other scripts', 'نمی\u200cخواهم, Grund\u00adrecht, p\u0430ypal \u{1f468}\u200d\u{1f469}'],
  ['commands to a CI system', 'a\n  ::add-mask::b\nx ##[error]y ##vso[task.complete]\nsection_start:1:z'],
  ['signs of a terminal', 'a\u001b[2J\u009b31m\u202eb\u{e0041}'],
])('prints a manifest of exactly what the tenant has, and no command: %s', async (_what, subject) => {
  const world = await createTestWorld({ sandbox: { seed: seedFile } });
  const address = 'NotificationTemplate/cloud_manual_work_item_summary/EMAIL/en';
  for (const template of world.sandbox.state.templates) Object.assign(template, { subject, name: subject });
  const { stdout } = await succeed(world, `get ${address}`);
  expect(commandsIn(stdout)).toEqual([]);
  for (const sign of ['\u001b', '\u009b', '\u202e']) expect(stdout).not.toContain(sign);
  world.write('config/all.yaml', stdout);
  expect(await world.plan()).toMatchObject({ changes: [], summary: { unchanged: 1 } });
});

it('gives secrets the names that manifests give them, and texts inside', async () => {
  const world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.write(
    'config/all.yaml',
    'kind: SimIntegration\nname: ServiceNow\nattributes: { password: !secret SNOW_PASSWORD }\n',
  );
  const { json } = await succeed(world, 'get SimIntegration/ServiceNow --format json');
  const manifest = { name: 'ServiceNow', attributes: { password: { $secret: 'SNOW_PASSWORD' } } };
  expect(json).toMatchObject({ objects: [{ address: 'SimIntegration/ServiceNow', manifest }] });
  const template = await succeed(world, 'get NotificationTemplate/cloud_manual_work_item_summary/EMAIL/en');
  expect(template.stdout).toContain('body: |\n  <!doctype html>');
  expect(template.stdout).not.toContain('!file');
});

it("prints the vendor's default of what nobody customised, and says so", async () => {
  const world = await createTestWorld({ sandbox: { seed: seedFile } });
  const { templateDefaults, templates } = world.sandbox.state;
  const first = templateDefaults.find(({ key }) => !templates.some((template) => template.key === key));
  const address = `NotificationTemplate/${first?.key}/${first?.medium}/${first?.locale}`;
  const { stdout, stderr } = await succeed(world, `get ${address}`);
  expect(stdout).toContain(`key: ${first?.key}\n`);
  expect(stderr).toContain('[vendor-default]');
});

it('prints what is declared, after variables and overlays', async () => {
  const overlays = [{ target: 'SimIntegration/*', merge: { description: 'from the overlay' } }];
  const world = await createTestWorld({ environment: { variables: { kind: 'Jira' }, overlays } });
  world.write(
    'config/all.yaml',
    'kind: SimIntegration\nname: Desk\ntype: !var kind\nattributes: { password: !secret PASSWORD }\nlifecycle: { protect: true }\n',
  );
  const { stdout } = await succeed(world, 'get SimIntegration/Desk --declared');
  expect(stdout).toBe(
    'kind: SimIntegration\nname: Desk\ntype: Jira\nattributes:\n  password: !secret PASSWORD\ndescription: from the overlay\nlifecycle:\n  protect: true\n',
  );
  expect(world.sandbox.log).toEqual([]);
});

it('prints the former name and the parent of an object as a manifest has them', async () => {
  const world = await createTestWorld();
  const described = (kind: string, path: string, more: string) =>
    world.write(
      `kinds/${kind}.kind.yaml`,
      `kind: ${kind}\npath: /v2025/${path}\n${more}\nfields: { size: value }\n`,
    );
  described('Room', 'rooms', 'update: put');
  described('Desk', 'rooms/{room}/desks', 'parent: { room: Room }');
  const manifests =
    'kind: Room\nname: b\nsize: 1\nlifecycle:\n  renamedFrom: a\n---\nkind: Desk\nroom: !ref Room/b\nname: c\nsize: 2\n';
  world.write('config/all.yaml', manifests);
  expect((await succeed(world, 'get Room/** Desk/** --declared')).stdout).toBe(manifests);
});

it.each([
  ['get SenderAddress/c@acme.example', 'not-in-tenant', 'Did you mean `SenderAddress/a%40acme.example`?'],
  [
    'get SenderAddress/a@acme.example --declared',
    'not-declared',
    'you mean `SenderAddress/b%40acme.example`?',
  ],
  ['get SenderAdress/a@acme.example', 'unknown-kind', 'Did you mean `SenderAddress`?'],
  ['get NotificationTemplate/welcome', 'address-glob', 'NotificationTemplate/KEY/MEDIUM/LOCALE'],
])('%s is an error that helps', async (line, code, words) => {
  const world = await createDesk();
  world.declare([desk, sender('b@acme.example')]);
  await expectEnd(world.run(line), 1, `[${code}]`, words);
});

it('prints what it finds before it says what is missing', async () => {
  const world = await createDesk();
  const get = 'get SenderAddress/a@acme.example SenderAddress/missing@acme.example';
  const { stdout } = await expectEnd(world.run(get), 1);
  expect(stdout).toBe('kind: SenderAddress\nemail: a@acme.example\n');
  // In JSON, both are one value.
  const { json } = await world.run(`${get} --format json`);
  expect(json).toMatchObject({
    objects: [{ address: 'SenderAddress/a%40acme.example' }],
    diagnostics: [{ code: 'not-in-tenant' }],
  });
});
