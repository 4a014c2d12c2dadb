import { renameSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Plan, planDigest } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  createTestWorld,
  expectEnd,
  filesBelow,
  type Outcome,
  succeed,
  type World,
} from '../support/world.ts';
import { everything, fillTenant, oneAtATime, visible } from './every-kind.ts';

let world: World;
beforeEach(async () => {
  world = await createTestWorld(oneAtATime);
  fillTenant(world.sandbox.state);
});

async function apply(documents: readonly object[] = everything): Promise<void> {
  world.declare(documents);
  await succeed(world, 'apply --yes --result result.json');
}

async function rollback(...more: string[]): Promise<Outcome & { readonly plan: Plan }> {
  const outcome = await world.run('rollback result.json --format json --out back.json', ...more);
  return { ...outcome, plan: outcome.stdout.startsWith('{') ? JSON.parse(outcome.stdout) : null };
}

/** Plans a rollback and applies it. */
async function undo(): Promise<Plan> {
  const { plan } = await rollback();
  await succeed(world, 'apply back.json');
  return plan;
}

/** The first integration of the tenant, with these settings. */
function desk(fields: JsonObject = {}) {
  const [found] = world.sandbox.state.simIntegrations;
  return Object.assign(found ?? {}, fields);
}

/** A world with one object of a kind of its own. */
function worldOfTask(task: JsonObject, descriptor: JsonObject): Promise<World> {
  const kind = { kind: 'Task', path: '/v2025/tasks', key: 'name', ...descriptor };
  return createTestWorld({
    ...oneAtATime,
    seed: JSON.stringify({ kinds: [kind], objects: { Task: [task] } }),
    files: { 'kinds/Task.kind.yaml': JSON.stringify(kind) },
  });
}

const messagesOf = ({ diagnostics }: Plan) => diagnostics.map(({ message }) => message).join('\n');
const pathsOf = ({ changes: [change] }: Plan) => change?.diff.map(({ path }) => path);
const keptResults = () =>
  [...filesBelow(world.dir).keys()].filter((file) => file.startsWith('.tenantctl/test/results/'));

const refused = { kind: 'status', status: 400, method: 'PATCH', path: '~beforeProvisioningRule$' } as const;

describe('rollback', () => {
  it('undoes an apply that touched every kind, but for what only people can undo', async () => {
    const before = visible(world.sandbox.state);
    await apply();
    const { code, plan, stderr } = await rollback('--detailed-exitcode');
    expect(code, stderr).toBe(2);
    expect(plan.digest).toBe(planDigest(plan));
    const byHand = plan.changes.filter(({ action }) => action === 'manual');
    expect(byHand.map(({ address }) => address).sort()).toEqual([
      'MailFrom/new%40acme.example',
      'VerifiedDomain/mail.acme.example',
    ]);
    expect(plan.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'rollback-by-hand', address: 'NotificationPreference/welcome' }),
    );
    await succeed(world, 'apply back.json');

    const { state } = world.sandbox;
    state.identities = state.identities.filter(({ address }) => address !== 'mail.acme.example');
    state.mailFrom = state.mailFrom.filter(({ identity }) => identity !== 'new@acme.example');
    // The tombstone of the old desk declares none of its settings, so the result does not hold them.
    expect(plan.diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'rollback-incomplete',
        message: expect.stringContaining('SimIntegration/Old%20desk comes back without /attributes/url'),
      }),
    );
    const desk = state.simIntegrations.find(({ name }) => name === 'Old desk');
    expect(desk?.attributes).toBeNull();
    Object.assign(desk ?? {}, { attributes: { url: 'u2' } });
    expect(visible(state)).toEqual(before);
    expect((await rollback()).plan.changes.filter(({ action }) => action !== 'manual')).toEqual([]);
  });

  it('can be rolled back itself', async () => {
    await apply();
    const after = visible(world.sandbox.state);
    await rollback();
    await world.run('apply back.json --result result.json');
    await undo();
    expect(visible(world.sandbox.state)).toEqual(after);
  });

  it('takes back what any run of a plan did, also where the first one was refused', async () => {
    world.declare(everything);
    await world.run('plan --out plan.json');
    const { faults } = world.sandbox;
    for (const method of ['PATCH', 'DELETE']) {
      faults.add({ kind: 'status', status: 400, method, times: 99 });
      expect((await world.run('apply plan.json')).code).toBe(3);
      faults.clear();
    }
    expect((await world.run('apply plan.json --result result.json')).code).toBe(0);
    const updates = (await rollback()).plan.changes.filter(({ action }) => action === 'update');
    expect(updates.map(({ address }) => address)).toContain('SimIntegration/Desk');
  });

  it.each([
    ['the apply wrote, though no manifest names it any more', '!secret TEXT', null],
    ['a later apply wrote, which a manifest names', 'Plain', '!secret TEXT'],
  ])('holds no secret that %s', async (_, body, later) => {
    world.env.TEXT = 'canary-text';
    const declare = (text: string) =>
      world.write(
        'config/all.yaml',
        `kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nsubject: New\nbody: ${text}\n`,
      );
    declare(body);
    expect(await world.run('apply --yes --result result.json')).toMatchObject({ code: 0 });
    if (later === null) world.declare([]);
    else {
      declare(later);
      expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    }
    expect((await rollback()).plan.changes).toHaveLength(1);
    expect(world.read('back.json')).not.toContain('canary-text');
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    const welcome = world.sandbox.state.templates.find(({ key }) => key === 'welcome');
    expect(welcome?.body === 'canary-text').toBe(later === null);
  });

  it('says what it cannot restore, and leaves it as it is', async () => {
    world.write(
      'config/all.yaml',
      'kind: SimIntegration\nname: Desk\nattributes: { url: !secret URL, password: !secret DESK_PASSWORD, user: new }\n',
    );
    world.env.URL = 'https://canary.example';
    await world.run('apply --yes --result result.json');
    const { plan, stdout } = await rollback();
    expect(stdout + world.read('result.json') + world.read('back.json')).not.toMatch(
      /canary|password"?: ?"(old|new)/,
    );
    expect(plan.diagnostics).toMatchObject([{ code: 'rollback-incomplete', address: 'SimIntegration/Desk' }]);
    expect(messagesOf(plan)).toContain('/attributes/url');
    await world.run('apply back.json');
    expect(desk().attributes).toEqual({ url: 'https://canary.example', user: 'x', password: 'new-password' });
  });

  it('keeps the settings beside a credential in a field that the apply did not touch', async () => {
    desk({ request: { api_key: 'canary', plain: 'p' } });
    await apply([{ kind: 'SimIntegration', name: 'Desk', description: 'New' }]);
    const { plan, stdout } = await rollback();
    expect(pathsOf(plan)).toEqual(['/description']);
    expect(stdout + world.read('result.json')).not.toContain('canary');
  });

  it('writes what the tenant does not show any more, and warns of what the result did not record', async () => {
    desk({ request: {}, statusMap: { a: false } });
    await apply([{ kind: 'SimIntegration', name: 'Desk', request: { password: '' }, statusMap: null }]);
    const { plan } = await rollback();
    expect(plan.diagnostics).toMatchObject([
      { code: 'rollback-incomplete', severity: 'warning', address: 'SimIntegration/Desk' },
    ]);
    expect(messagesOf(plan)).toContain('keeps /request');
    await world.run('apply back.json');
    expect(desk()).toMatchObject({ request: { password: '' }, statusMap: { a: false } });
  });

  it('speaks only of settings that the apply wrote', async () => {
    await apply([{ kind: 'SimIntegration', name: 'Desk', attributes: { url: 'u9' } }]);
    expect(JSON.parse(world.read('result.json')).changes[0]).toMatchObject({
      before: { attributes: { url: 'u1' } },
      after: { attributes: { url: 'u9' } },
    });
    const { plan } = await rollback();
    expect(JSON.stringify(plan.diagnostics)).not.toMatch(/attributes/);
    expect(plan.changes[0]?.warnings).toEqual([]);
    expect(plan.changes[0]?.diff).toMatchObject([{ path: '/attributes/url', before: 'u9', after: 'u1' }]);
  });

  it('leaves alone what somebody changed elsewhere, and tells what it would take back', async () => {
    await apply([
      { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', body: 'New' },
      { kind: 'NotificationTemplate', key: 'reminder', medium: 'EMAIL', locale: 'en', body: 'New' },
    ]);
    const [welcome, reminder] = world.sandbox.state.templates;
    Object.assign(welcome ?? {}, { subject: 'By hand' });
    Object.assign(reminder ?? {}, { body: 'By hand' });
    const [ofReminder, ofWelcome] = (await rollback()).plan.changes;
    expect(ofWelcome).toMatchObject({ risk: [], diff: [{ path: '/body', before: 'New', after: 'Old' }] });
    expect(ofReminder?.risk).toEqual(['undoes-tenant-change']);
    expect(ofReminder?.warnings).toEqual([
      expect.stringContaining('/body changed during or after the apply'),
    ]);
    await world.run('apply back.json');
    expect(world.sandbox.state.templates[0]).toMatchObject({ subject: 'By hand', body: 'Old' });
  });

  it('tells what somebody changed beside the apply before it would take that back', async () => {
    let edit = () => {};
    const now = () => {
      edit();
      return Date.now();
    };
    world = await createTestWorld({ ...oneAtATime, sandbox: { ...oneAtATime.sandbox, clock: { now } } });
    fillTenant(world.sandbox.state);
    const { log, state } = world.sandbox;
    edit = () => {
      if (log.at(-1)?.method === 'PATCH')
        Object.assign(state.simIntegrations[0] ?? {}, { description: 'By hand' });
    };
    await apply([{ kind: 'SimIntegration', name: 'Desk', type: 'Jira Service Desk' }]);
    edit = () => {};
    expect(JSON.parse(world.read('result.json')).changes).toMatchObject([
      {
        outcome: 'done',
        beside: ['/description'],
        warnings: [
          '/description changed as well, although this plan does not touch it: the tenant set it, or somebody changed it meanwhile.',
        ],
      },
    ]);
    expect((await rollback()).plan.changes).toMatchObject([
      {
        diff: [{ path: '/description', before: 'By hand' }, { path: '/type' }],
        risk: ['undoes-tenant-change'],
        warnings: [
          '/description changed during or after the apply, but not by its plan: the tenant or somebody changed it.',
        ],
      },
    ]);
  });

  it.each([
    ['settings, first', null, { url: 'u9' }, { url: 'u9', token: 'by hand' }, { token: 'by hand' }],
    [
      'a setting of several parts',
      { a: '1' },
      { a: '1', deep: { x: 'u9' } },
      { a: '1', deep: { x: 'u9', y: 'by hand' } },
      { a: '1', deep: { y: 'by hand' } },
    ],
    ['settings and nobody added others', null, { url: 'u9' }, { url: 'u9' }, null],
  ])(
    'takes back what the apply set, and not what somebody added beside it: %s',
    async (_, before, declared, now, after) => {
      desk({ attributes: before });
      await apply([{ kind: 'SimIntegration', name: 'Desk', attributes: declared }]);
      desk({ attributes: now });
      await undo();
      expect(desk().attributes).toEqual(after);
    },
  );

  it('takes back the settings beside a secret, where there were none', async () => {
    desk({ attributes: null });
    world.write(
      'config/all.yaml',
      'kind: SimIntegration\nname: Desk\nattributes: { url: u9, password: !secret DESK_PASSWORD }\n',
    );
    await world.run('apply --yes --result result.json');
    expect(messagesOf((await rollback()).plan)).toMatch(/keeps .*\/attributes\/password.* as it is now/);
    await world.run('apply back.json');
    expect(desk().attributes).toEqual({ password: 'new-password' });
  });

  it('does not make a part of an object that is gone, and tells of one that was made again', async () => {
    await apply([
      { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', body: 'New' },
      { kind: 'NotificationTemplate', key: 'reminder', medium: 'EMAIL', locale: 'en', ensure: 'absent' },
    ]);
    const [welcome] = world.sandbox.state.templates;
    if (!welcome) throw new Error('There is no template.');
    world.sandbox.state.templates = [{ ...welcome, id: 'n9', key: 'reminder', body: 'By hand' }];
    const { plan } = await rollback();
    expect(plan.diagnostics).toMatchObject([{ code: 'rollback-gone' }]);
    expect(plan.changes).toMatchObject([
      { action: 'update', risk: ['undoes-tenant-change'], address: 'NotificationTemplate/reminder/EMAIL/en' },
    ]);
  });

  it('is refused by the guards, and plans only what was chosen', async () => {
    await apply();
    const limited = await expectEnd(rollback('--max-deletes', '0', '--only', 'SenderAddress/**'), 4);
    expect(limited.plan.diagnostics).toContainEqual(expect.objectContaining({ code: 'max-deletes' }));
    expect(limited.plan.changes.map(({ kind }) => kind)).toEqual(['SenderAddress', 'SenderAddress']);
    await expectEnd(world.run('apply back.json'), 4, '[max-deletes]');

    const mistyped = await rollback('--only', 'SenderAddress/nwe@acme.example');
    expect(mistyped).toMatchObject({ code: 1, plan: { diagnostics: [{ code: 'unknown-address' }] } });
    expect(mistyped.plan.diagnostics[0]?.hint).toContain('SenderAddress/new%40acme.example');
    const noKind = await rollback('--only', 'SenderAdress/new@acme.example');
    expect(noKind).toMatchObject({ code: 1, plan: { diagnostics: [{ code: 'unknown-kind' }] } });
    const nothing = await rollback('--only', 'SenderAddress/nwe*');
    expect(nothing.plan.diagnostics).toMatchObject([{ code: 'unmatched-glob' }]);

    world.declare([{ kind: 'SenderAddress', email: 'new@acme.example', lifecycle: { protect: true } }]);
    const guarded = await expectEnd(rollback(), 4);
    expect(guarded.plan.diagnostics).toContainEqual(expect.objectContaining({ code: 'protected' }));
  });

  it('is not stale where only something changed that a manifest ignores, unless the apply wrote it', async () => {
    const manifest = { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en' };
    const template = () => world.sandbox.state.templates.find(({ key }) => key === 'welcome');
    Object.assign(template() ?? {}, { subject: 'Before' });
    await apply([{ ...manifest, body: 'New', lifecycle: { ignore: ['/subject'] } }]);
    await rollback();
    Object.assign(template() ?? {}, { subject: 'Moves' });
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    expect(template()).toMatchObject({ body: 'Old', subject: 'Moves' });

    await apply([{ ...manifest, body: 'New' }]);
    world.declare([{ ...manifest, body: 'New', lifecycle: { ignore: ['/body'] } }]);
    await undo();
    expect(template()).toMatchObject({ body: 'Old', subject: 'Moves' });
  });

  it('takes a result of an environment that has another name now, and none of another tenant or of what is no object', async () => {
    await apply();
    const { plan } = await rollback();
    const result = JSON.parse(world.read('result.json'));
    const tenant = { identity: 'https://x', profiles: '' };
    world.write('result.json', JSON.stringify({ ...result, tenant }));
    expect(await rollback()).toMatchObject({ code: 4, plan: { diagnostics: [{ code: 'result-tenant' }] } });
    world.write('result.json', JSON.stringify({ ...result, environment: 'other' }));
    const renamed = await rollback('--env', 'test');
    expect(renamed.code).toBe(0);
    expect(renamed.plan.changes).toEqual(plan.changes);
    const changes = [{ ...result.changes[0], address: 'Constructor/x' }];
    world.write('result.json', JSON.stringify({ ...result, changes }));
    expect(await rollback()).toMatchObject({ code: 1 });
  });

  it('goes without what the tenant does not show where the whole object is written', async () => {
    world = await createTestWorld({ ...oneAtATime, identity: { simUpdate: 'put' } });
    fillTenant(world.sandbox.state);
    const before = visible(world.sandbox.state);
    await apply([{ kind: 'SimIntegration', name: 'Desk', description: 'New' }]);
    const plan = await undo();
    expect(plan.changes[0]?.requests[0]?.method).toBe('PUT');
    expect(plan.changes[0]?.requests[0]?.body).not.toHaveProperty('request');
    expect(visible(world.sandbox.state)).toEqual(before);
  });

  it('leaves settings as they are that were a list, where the whole object is written', async () => {
    const task = { name: 'Sync', title: 'a', settings: [{ days: 5 }] };
    world = await worldOfTask(task, {
      update: 'put',
      fields: { title: 'text', settings: { is: 'json', declares: 'members' } },
    });
    await apply([{ kind: 'Task', name: 'Sync', title: 'b', settings: { weeks: 1 } }]);
    const plan = await undo();
    expect(plan.diagnostics.map(({ message }) => message).join()).toContain('keeps /settings as it is now');

    expect(world.sandbox.state.objects.Task).toMatchObject([{ title: 'a', settings: { weeks: 1 } }]);
  });

  it('takes back the items of a list, but not what the tenant makes in them', async () => {
    const settings = { steps: [{ days: 5, refID: 'm1' }], since: 'Monday' };
    world = await worldOfTask(
      { name: 'Sync', settings },
      {
        update: 'put',
        fields: { settings: 'json' },
        places: { 'settings/steps/*/refID': 'minted', 'settings/since': 'serverOwned' },
      },
    );
    await apply([{ kind: 'Task', name: 'Sync', settings: { steps: [{ days: 6 }] } }]);
    expect(world.read('result.json')).not.toMatch(/m1|Monday|withheld/);
    expect((await rollback()).plan.diagnostics).toEqual([]);
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    expect(world.sandbox.state.objects.Task).toMatchObject([{ settings }]);
  });

  it('takes away a mapping that the apply made, with what the tenant put in it', async () => {
    world = await worldOfTask(
      { name: 'Sync', settings: { days: 5 } },
      {
        update: 'merge-patch',
        fields: { settings: { is: 'json', declares: 'members' } },
        places: { 'settings/report/id': 'minted' },
      },
    );
    await apply([{ kind: 'Task', name: 'Sync', settings: { report: { title: 'a' } } }]);
    const [task] = world.sandbox.state.objects.Task ?? [];
    expect(task?.settings).toEqual({ days: 5, report: { title: 'a' } });
    Object.assign(task ?? {}, { settings: { days: 5, report: { title: 'a', id: 'made by the tenant' } } });
    await undo();
    expect(world.sandbox.state.objects.Task?.[0]?.settings).toEqual({ days: 5 });
  });

  it('brings back a mapping that the apply removed, and takes nobody for the one who did', async () => {
    const settings = { days: 5, report: { title: 'a' } };
    world = await worldOfTask(
      { id: 't1', name: 'Sync', settings },
      {
        update: 'json-patch',
        fields: { settings: { is: 'json' } },
        places: { 'settings/report/title': 'plain' },
      },
    );
    await apply([{ kind: 'Task', name: 'Sync', settings: { days: 6 } }]);
    const { changes } = await undo();
    expect(changes).toMatchObject([{ risk: [], warnings: [] }]);
    expect(world.sandbox.state.objects.Task?.[0]?.settings).toEqual(settings);
  });

  it('undoes changes beside mappings of which a manifest ignores a part', async () => {
    const limits = { most: 5, owner: 'ann' };
    const task = (days: number) => ({ name: 'Sync', open: { days, limits }, closed: { days, limits } });
    world = await worldOfTask(task(5), {
      update: 'put',
      fields: { open: 'json', closed: 'json' },
      places: { 'closed/limits': 'secret' },
    });
    const ignore = ['/open/limits/most', '/closed/limits/most'];
    await apply([{ kind: 'Task', ...task(6), lifecycle: { ignore } }]);
    expect(world.sandbox.state.objects.Task).toMatchObject([task(6)]);
    const { plan } = await rollback();
    expect(pathsOf(plan)).toEqual(['/open/days', '/closed/days']);
    const moved = { ...limits, most: 7 };
    Object.assign(world.sandbox.state.objects.Task?.[0] ?? {}, { open: { days: 6, limits: moved } });
    await succeed(world, 'apply back.json');
    const open = { days: 5, limits: moved };
    expect(world.sandbox.state.objects.Task?.[0]).toEqual(expect.objectContaining({ ...task(5), open }));
  });

  it('undoes a change that was half made', async () => {
    const before = visible(world.sandbox.state);
    world.sandbox.faults.add(refused);
    world.declare([
      {
        kind: 'SimIntegration',
        name: 'Front desk',
        description: 'New',
        beforeProvisioningRule: { type: 'RULE', id: 'r2', name: 'Other' },
        lifecycle: { renamedFrom: 'Desk' },
      },
    ]);
    await expectEnd(world.run('apply --yes --result result.json'), 3);
    expect(desk()).toMatchObject({ name: 'Front desk', description: 'New' });
    expect((await rollback()).plan.changes).toMatchObject([
      { action: 'update', address: 'SimIntegration/Desk' },
    ]);
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    expect(visible(world.sandbox.state)).toEqual(before);
  });

  it('undoes what both runs did where a second one finished a change that was half made', async () => {
    // An apply of another plan is no run of this one.
    world.declare([{ kind: 'SimIntegration', name: 'Desk', description: 'Earlier' }]);
    expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    const before = visible(world.sandbox.state);
    world.sandbox.faults.add({ ...refused, times: 1 });
    const rule = { type: 'RULE', id: 'r2', name: 'Other' };
    const fields = { description: 'New', attributes: { url: 'u9' }, beforeProvisioningRule: rule };
    world.declare([{ kind: 'SimIntegration', name: 'Desk', ...fields }]);
    await world.plan('--out', 'plan.json');
    await expectEnd(world.run('apply plan.json'), 3);
    expect(await world.run('apply plan.json --result result.json')).toMatchObject({ code: 0 });
    await undo();
    expect(visible(world.sandbox.state)).toEqual(before);
  });

  it('takes away the settings that a change added, although nobody saw what came of it', async () => {
    const beforeProvisioningRule = { type: 'RULE', id: 'r2', name: 'Other' };
    const attributes = { url: 'u3', port: '443', proxy: { host: 'h' }, apiToken: 'new-token' };
    world.declare([{ kind: 'SimIntegration', name: 'Desk', attributes, beforeProvisioningRule }]);
    await world.plan('--out', 'plan.json');
    const hidden = { kind: 'status', status: 403, method: 'GET', path: '/v2024/sim-integrations' } as const;
    world.sandbox.faults.add({ ...hidden, nth: 2, times: 9 });
    const applied = await world.run('apply plan.json --result result.json --format json');
    expect(applied).toMatchObject({ code: 3, json: { changes: [{ outcome: 'failed', after: null }] } });
    world.sandbox.faults.clear();
    const { plan } = await rollback();
    expect(pathsOf(plan)).toEqual(['/attributes/url', '/attributes/port', '/attributes/proxy']);
    const message = expect.stringMatching(/ keeps .*\/attributes\/apiToken.* as it is now/);
    expect(plan.diagnostics).toMatchObject([{ code: 'rollback-incomplete', message }]);
    expect(await world.run('apply back.json')).toMatchObject({ code: 0 });
    const { simIntegrations } = world.sandbox.state;
    const kept = { url: 'u1', user: 'x', password: 'old-password', apiToken: 'new-token' };
    expect(simIntegrations.find(({ name }) => name === 'Desk')?.attributes).toEqual(kept);
  });

  it('has a result to work from although nothing was done', async () => {
    world.sandbox.faults.add({ kind: 'status', status: 400, method: 'POST', path: '/v2025/notification' });
    world.declare([
      { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', body: 'New' },
    ]);
    await expectEnd(world.run('apply --yes'), 3);
    const kept = keptResults();
    expect(kept).toHaveLength(1);
    expect(JSON.parse(world.read(kept[0] ?? ''))).toMatchObject({
      outcome: 'partial',
      summary: { failed: 1 },
    });
    expect(await world.run('rollback', kept[0] ?? '')).toMatchObject({ code: 0 });
  });

  it('tells of later applies that changed the same objects', async () => {
    const template = { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en' };
    await apply([{ ...template, body: 'New' }]);
    const first = world.read('result.json');
    world.declare([{ ...template, key: 'reminder', body: 'Newer' }]);
    await world.run('apply --yes');
    world.write('result.json', first);
    expect((await rollback()).plan.diagnostics).toEqual([]);
    const tenant = { identity: 'https://x', profiles: '' };
    const elsewhere = { ...JSON.parse(first), tenant, startedAt: '9000-01-01T00:00:00.000Z' };
    world.write('.tenantctl/test/results/9000-01-01T00-00-00-000Z-other.json', JSON.stringify(elsewhere));
    expect((await rollback()).plan.diagnostics).toEqual([]);

    world.declare([{ ...template, body: 'Newer' }]);
    await world.run('apply --yes');
    expect((await rollback()).plan.diagnostics).toMatchObject([
      {
        code: 'rollback-later',
        address: 'NotificationTemplate/welcome/EMAIL/en',
        message: expect.stringContaining('.tenantctl/test/results/'),
      },
    ]);

    world.write('.tenantctl/test/results/9999-01-01T00-00-00-000Z-test.json', '{');
    const remarks = (await rollback()).plan.diagnostics;
    expect(remarks.map(({ code }) => code)).toEqual(['rollback-later', 'rollback-later']);
    expect(remarks[1]?.message).toContain('not known');
    // Then the environment gets another name.
    renameSync(`${world.dir}/.tenantctl/test`, `${world.dir}/.tenantctl/old`);
    world.write('result.json', JSON.stringify({ ...JSON.parse(first), environment: 'old' }));
    expect((await rollback('--env', 'test')).plan.diagnostics).toHaveLength(2);
  });
});
