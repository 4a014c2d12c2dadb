import { beforeEach, describe, expect, it } from 'vitest';
import { type Plan, planDigest } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { createTestWorld, editProject, expectEnd, type World, writesIn } from '../support/world.ts';
import { fillTenant } from './every-kind.ts';

let world: World;
async function open(environment: Readonly<Record<string, Json>> = {}): Promise<void> {
  world = await createTestWorld({ environment });
  fillTenant(world.sandbox.state);
}
beforeEach(() => open());

const welcome = { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en' };
const reminder = { ...welcome, key: 'reminder' };
const gone = (document: object) => ({ ...document, ensure: 'absent' });
const wrote = () => writesIn(world.sandbox.log);
const refuses = async (command: string, why: string) =>
  expect(await world.run(command)).toMatchObject({ code: 4, stdout: expect.stringContaining(why) });

/** The plan is shown, marked, saved, and not to be applied. */
async function isRefused(code: string, lift: string, ...argv: string[]): Promise<void> {
  const { code: exit, stdout } = await world.run('plan --format json --out plan.json', ...argv);
  expect(exit).toBe(4);
  const plan: Plan = JSON.parse(stdout);
  const errors = plan.diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors).toContainEqual(expect.objectContaining({ code, hint: expect.stringContaining(lift) }));
  expect(plan.changes.length).toBeGreaterThan(0);
  expect((await world.run('plan', ...argv)).stdout).toMatch(/refused/i);
  for (const apply of [['plan.json'], ['--yes', ...argv], ['--expect', plan.digest, ...argv]])
    await expectEnd(world.run('apply', ...apply), 4, `[${code}]`, lift);
  expect(wrote()).toEqual([]);
}

describe('a delete is refused', () => {
  it('of what a manifest or the environment protects', async () => {
    world.declare([{ ...gone(reminder), lifecycle: { protect: true } }]);
    await isRefused('protected', 'lifecycle.protect');
    await open({ protect: ['NotificationTemplate/**'] });
    world.declare([gone(reminder)]);
    await isRefused('protected', 'protect');
  });

  it('of more than maxDeletes, unless the option raises it', async () => {
    await open({ limits: { maxDeletes: 1 } });
    world.declare([gone(reminder), gone({ kind: 'SenderAddress', email: 'gone@acme.example' })]);
    await isRefused('max-deletes', '--max-deletes 2');
    await isRefused('max-deletes', '--max-deletes 2', '--max-deletes', '0');
    expect(await world.run('apply --yes --max-deletes 2')).toMatchObject({ code: 0 });
  });

  it('of all of a kind, unless the option names it', async () => {
    world.declare([gone(reminder), gone(welcome)]);
    await isRefused('deletes-all', '--allow-delete-all NotificationTemplate');
    expect(await world.run('apply --yes --allow-delete-all NotificationTemplate')).toMatchObject({ code: 0 });
  });

  it('even of a plan that was made before the environment protected it, or by somebody else', async () => {
    world.declare([gone(reminder)]);
    const plan = await world.plan('--out', 'plan.json');
    editProject(world, 'profiles: {', "protect: ['NotificationTemplate/*/EMAIL/*'],\n    profiles: {");
    await expectEnd(world.run('apply plan.json'), 4, '[protected]');
    const edited = { ...plan, diagnostics: [] };
    world.write('plan.json', JSON.stringify({ ...edited, digest: planDigest(edited) }));
    await expectEnd(world.run('apply plan.json'), 4, '[protected]');
    expect(wrote()).toEqual([]);
  });
});

it('a delete is of all of the object, what its manifest ignores too', async () => {
  world.declare([{ ...gone(reminder), lifecycle: { ignore: ['/body'] } }]);
  await world.run('plan --out plan.json');
  const template = world.sandbox.state.templates.find(({ key }) => key === 'reminder');
  const { body } = template ?? {};
  Object.assign(template ?? {}, { body: 'By hand' });
  await refuses('apply plan.json', '[plan-stale]');
  Object.assign(template ?? {}, { body });
  expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
  expect(world.sandbox.state.templates.map(({ key }) => key)).not.toContain('reminder');
});

it('what is ignored stays as it is, however an object is written and whenever somebody sets or clears it', async () => {
  const footerOf = (footer: string | null) => {
    Object.assign(world.sandbox.state.templates.find(({ key }) => key === 'welcome') ?? {}, { footer });
  };
  world.declare([{ ...welcome, subject: 'New', lifecycle: { ignore: ['/footer'] } }]);
  const shown = () => world.sandbox.state.templates.find(({ key }) => key === 'welcome');
  footerOf(null);
  await world.run('plan --out plan.json');
  footerOf('By hand');
  // The tenant refuses it, so another run of the plan sends it.
  world.sandbox.faults.add({ kind: 'status', status: 400, method: 'POST', path: '/v2025', times: 1 });
  await expectEnd(world.run('apply plan.json'), 3);
  footerOf('Again');
  expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
  expect(shown()).toMatchObject({ subject: 'New', footer: 'Again' });
  world.declare([{ ...welcome, subject: 'Other', lifecycle: { ignore: ['/footer'] } }]);
  await world.run('plan --out plan.json');
  footerOf(null);
  expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
  expect(shown()).toMatchObject({ subject: 'Other', footer: null });
});

it('nothing is deleted that nobody asked to delete', async () => {
  world.declare([{ ...welcome, body: 'New' }]);
  expect((await world.plan()).summary).toMatchObject({ update: 1, delete: 0 });
  // The environment does not say what may be pruned, and so nothing may.
  await expectEnd(world.run('plan --only NotificationTemplate/** --prune'), 1, '[prune-kinds]');
  world.declare([{ kind: 'SenderAddress', email: 'kept@acme.example' }]);
  expect((await world.plan()).changes).toEqual([]);
});

it('--prune deletes in prune.kinds only, less keep, and says what it leaves; --only never widens it', async () => {
  await open({ prune: { kinds: ['NotificationTemplate'], keep: ['NotificationTemplate/reminder/**'] } });
  const { state } = world.sandbox;
  const [first] = state.templates;
  if (!first) throw new Error('There is no template.');
  state.templates.push({ ...first, id: 'n7', key: 'escalation' });
  world.declare([welcome]);
  const plan = await world.plan('--prune');
  const addresses = ({ changes }: Plan) => changes.map(({ action, address }) => `${action} ${address}`);
  expect(addresses(plan)).toEqual(['delete NotificationTemplate/escalation/EMAIL/en']);
  expect(plan.diagnostics).toContainEqual(
    expect.objectContaining({ code: 'kept', address: 'NotificationTemplate/reminder/EMAIL/en' }),
  );
  for (const only of ['SenderAddress/**', 'SimIntegration/**', 'NotificationTemplate/w*/**', '**/kept*'])
    expect(addresses(await world.plan('--prune', '--only', only)), only).toEqual([]);
  expect(addresses(await world.plan('--prune', '--except', 'NotificationTemplate/esc*/**'))).toEqual([]);
});

it('a change that can lock people out needs allowLockout', async () => {
  for (const fields of [{ type: 'BLOCK' }, { offNetwork: true }, { untrustedGeography: true }]) {
    const document = { kind: 'AuthProfile', name: 'Employees', ...fields };
    world.declare([document]);
    await isRefused('lockout', 'allowLockout');
    world.declare([{ ...document, lifecycle: { allowLockout: true } }]);
    expect(await world.run('plan')).toMatchObject({ code: 0 });
  }
});

describe('a plan file', () => {
  beforeEach(async () => {
    world.declare([{ ...welcome, body: 'New' }]);
    await world.plan('--out', 'plan.json');
  });

  it.each([
    ['was edited', 'plan-edited', (text: string) => text.replace('"New"', '"Evil"')],
    ['was cut', 'plan-unreadable', (text: string) => text.slice(0, -20)],
    ['has another format', 'plan-format', (text: string) => text.replace('ion": 2', 'ion": 1')],
    ['has no digest', 'plan-invalid', (text: string) => text.replace(/,\s*"digest": "[^"]*"/, '')],
  ])('that %s is refused (%s), and nothing written', async (_, code, edit) => {
    const text = world.read('plan.json');
    expect(edit(text)).not.toBe(text);
    world.write('plan.json', edit(text));
    await expectEnd(world.run('apply plan.json'), 4, `[${code}]`);
    expect(wrote()).toEqual([]);
  });

  it('is for its environment and tenant only', async () => {
    const project = world.read('tenantctl.yaml');
    world.write('tenantctl.yaml', `${project}  other:${project.split('  test:')[1]}`);
    await refuses('apply plan.json --env other', '[plan-environment]');
    world.write('tenantctl.yaml', project.replaceAll('127.0.0.1', 'localhost'));
    await refuses('apply plan.json', '[plan-tenant]');
    expect(wrote()).toEqual([]);
  });

  it('is applied with its approved digest, and with no other', async () => {
    const { digest }: Plan = JSON.parse(world.read('plan.json'));
    for (const wrong of ['', 'sha256:', digest.slice(0, -1), digest.toUpperCase()])
      expect((await world.run('apply plan.json', `--expect=${wrong}`)).code, wrong).not.toBe(0);
    expect(wrote()).toEqual([]);
    expect(await world.run('apply plan.json --expect', digest)).toMatchObject({ code: 0 });
  });

  it('has a digest of what it does, and not of when it was made', async () => {
    const first = await world.plan();
    expect((await world.plan()).digest).toBe(first.digest);
    Object.assign(world.sandbox.state.templates[0] ?? {}, { body: 'Other' });
    expect((await world.plan()).digest).not.toBe(first.digest);
    expect((await world.plan('--only', 'NotificationTemplate/**')).digest).not.toBe(first.digest);
  });
});

it('a folder for results that cannot be written stops an apply before it begins', async () => {
  world.declare([{ ...welcome, body: 'New' }]);
  world.write('.tenantctl/test/results', 'a file');
  await expectEnd(world.run('apply --yes'), 1, '[unwritable-file]');
  expect(wrote()).toEqual([]);
});

it('validate warns of objects that are declared absent and that the protect list of the environment covers', async () => {
  const world = await createTestWorld({ environment: { protect: ['SenderAddress/A@*'] } });
  const absent = (email: string) => ({ kind: 'SenderAddress', email, ensure: 'absent' });
  world.declare([absent('a@acme.example'), absent('b@acme.example')]);
  const { code, json } = await world.run('validate --format json');
  // A plan refuses it only while the tenant has the object.
  expect(code).toBe(0);
  const remark = { code: 'protected', severity: 'warning', address: 'SenderAddress/a%40acme.example' };
  expect(json).toMatchObject({ diagnostics: [{ ...remark, source: { line: 2 } }] });
});
