/** `check`: signs in, reads one page of each kind, and says what would stop a plan. */
import { expect, it } from 'vitest';
import { get, isArray, isObject, type Json } from '../../src/model/json.ts';
import { createTestWorld, expectEnd, seedFile, succeed, type World } from '../support/world.ts';

const sender = { kind: 'SenderAddress', email: 'a@acme.example' };
const refuse = (world: World, path: string) =>
  world.sandbox.faults.add({ kind: 'status', status: 403, path, times: Number.POSITIVE_INFINITY });

function kindIn(json: Json, name: string): Json | undefined {
  const kinds = isObject(json) ? get(json, 'kinds') : null;
  return isArray(kinds) ? kinds.find((each) => isObject(each) && get(each, 'kind') === name) : undefined;
}

it('says what may be read and written, one page of each kind, and writes nothing', async () => {
  const world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.declare([sender]);
  const { stdout, json } = await succeed(world, 'check --format json');
  const { length: count } = world.sandbox.state.senders;
  const sent = { declared: true, read: 'yes', count, write: ['create', 'delete'] };
  expect(kindIn(json, 'SenderAddress')).toMatchObject(sent);
  expect(kindIn(json, 'MailFrom')).toMatchObject({ declared: false, read: 'each', count: null });
  expect(kindIn(json, 'Source')).toMatchObject({ read: 'yes', write: [] });
  // Deletes only where a setting says that the host takes them.
  expect(kindIn(json, 'ProfileSearch')).toMatchObject({ write: ['create', 'change'] });
  expect(kindIn(json, 'SimIntegration')).toMatchObject({ write: ['create', 'change', 'delete'] });
  expect(JSON.parse(stdout)).toMatchObject({ environment: 'test', settings: [], stopsPlan: false });
  const calls = world.sandbox.log.map(({ method, path }) => `${method} ${path}`);
  expect(calls.filter((call) => !/^GET|^POST \/oauth\/token$/.test(call))).toEqual([]);
  expect(calls.filter((call) => call.startsWith('GET /v2025/notification-templates'))).toHaveLength(1);
});

it('promises nothing of manifests, and names the command that checks them', async () => {
  const world = await createTestWorld();
  world.write('config/a.yaml', 'kind: SenderAddress\nemail: !var missing\n');
  const { stdout } = await succeed(world, 'check');
  const promise =
    'Nothing that was read would stop a plan. `tenantctl validate -e test` checks the manifests';
  expect(stdout).toContain(promise);
  expect((await world.run('validate -e test')).stdout).toContain('[variable-unset]');
});

it('ends with 1 where a declared kind may not be read, and says what right is missing', async () => {
  const world = await createTestWorld();
  refuse(world, '/v2025/verified-domains');
  world.declare([sender]);
  await succeed(world, 'check');
  world.declare([{ kind: 'VerifiedDomain', domain: 'acme.example' }]);
  const { stdout } = await expectEnd(world.run('check'), 1);
  expect(stdout).toMatch(/^ {2}VerifiedDomain +NOT READ/m);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('403 Forbidden');
  expect(stdout).toContain('A plan would stop.');
  await expectEnd(world.run('plan'), 1);
});

it('ends with 1 where a kind may not be read that manifests only refer to', async () => {
  const world = await createTestWorld({ seed: 'objects: { Source: [{ id: s1, name: HR }] }\n' });
  refuse(world, '/v2025/sources');
  world.declare([{ kind: 'SimIntegration', name: 'Desk', type: 'Jira', attributes: { url: 'u' } }]);
  await succeed(world, 'check');
  world.declare([{ kind: 'SimIntegration', name: 'Desk', type: 'Jira', sources: ['!ref Source/HR'] }]);
  const { stdout } = await expectEnd(world.run('check'), 1);
  expect(stdout).toContain('A plan would stop.');
  expect(stdout).toMatch(/^ {2}Source +NOT READ; read-only; referred to here/m);
});

it('says which settings the host needs and the environment lacks', async () => {
  const world = await createTestWorld({
    seed: 'simIntegrations: [{ name: Desk, type: Jira, attributes: { url: u } }]\n',
    sandbox: { variations: { jsonText: 'object' } },
  });
  const { json } = await succeed(world, 'check --format json');
  const setting = { service: 'identity', name: 'jsonText', value: 'object', stopsPlan: false };
  expect(json).toMatchObject({ stopsPlan: false, settings: [setting] });
  expect((await succeed(world, 'check')).stdout).toContain('needed for writes: identity.jsonText: object');
});

const nerm = { 'sailpoint-nerm': false };
const experimentalHeader = 'X-SailPoint-Experimental';
it.each([
  ['nothing of a product', {}, { 'sailpoint-isc': true, ...nerm }, 1],
  ['what its reads want', { experimentalHeader, mailFrom: 'path' }, { 'sailpoint-isc': false, ...nerm }, 0],
  ['one preset', { preset: 'sailpoint-isc' }, nerm, 0],
])('names the presets that the file lacks, which has %s', async (_, identity, stops, code) => {
  const presets = ['sailpoint-isc', 'sailpoint-nerm'] as const;
  const world = await createTestWorld({ sandbox: { seed: seedFile, presets }, identity });
  const { json, ...ran } = await world.run('check --format json');
  expect(ran).toMatchObject({ code });
  const lacking = Object.entries(stops).map(([value, stopsPlan]) => ({ name: 'preset', value, stopsPlan }));
  expect(isObject(json) ? get(json, 'settings') : null).toMatchObject(lacking);
});

it('works while manifests have errors, and says that an environment is read-only', async () => {
  const world = await createTestWorld({ environment: { readOnly: true } });
  world.write('config/all.yaml', 'kind: SenderAddress\nemial: a\n');
  expect((await succeed(world, 'check')).stdout).toContain('The environment is read-only');
});

it('stops where the credentials are refused', async () => {
  const world = await createTestWorld();
  world.env.CLIENT_SECRET = 'wrong';
  await expectEnd(world.run('check'), 1, '[tenant-unauthorized]');
});

it('stops a plan where manifests declare what a missing service would have', async () => {
  const world = await createTestWorld();
  world.declare([{ kind: 'ProfileSearch', label: 'All', rules: [] }]);
  const auth = '{ clientId: !env CLIENT_ID, clientSecret: !secret CLIENT_SECRET }';
  const identity = `{ baseUrl: "${world.sandbox.url}", auth: ${auth} }`;
  world.write('tenantctl.yaml', `version: 1\nenvironments: { test: { identity: ${identity} } }\n`);
  const { json } = await expectEnd(world.run('check --format json'), 1);
  expect(kindIn(json, 'ProfileSearch')).toMatchObject({ declared: true, read: 'no-service' });
  expect(json).toMatchObject({ stopsPlan: true });
});
