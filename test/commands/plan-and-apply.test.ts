/** The main job as its user sees it: the program in this process, a tenant behind real HTTP. */
import { describe, expect, it } from 'vitest';
import { addObjects } from '../support/tenant-objects.ts';
import {
  createTestWorld,
  expectEnd,
  filesBelow,
  seedFile,
  succeed,
  type World,
  writesIn,
} from '../support/world.ts';

const texts = {
  ...{ name: 'Welcome', description: 'First day', subject: 'Hello', body: '<p>Hello</p>' },
  from: 'it@acme.example',
};
const byDefault = (key: string) => ({ ...texts, key, medium: 'EMAIL', locale: 'en' });
const customised = (key: string, fields: object = {}) => ({ ...byDefault(key), ...fields });
const templateOf = (world: World, key: string) =>
  world.sandbox.state.templates.find((one) => one.key === key);
const writes = ({ sandbox }: World) => writesIn(sandbox.log);

describe('plan and apply', () => {
  it('misses and doubles nothing of 400 templates in pages of 250', async () => {
    const world = await createTestWorld();
    const keys = Array.from({ length: 400 }, (_, at) => `notice_${String(at).padStart(3, '0')}`);
    addObjects(world.sandbox.state, {
      templateDefaults: keys.map(byDefault),
      templates: keys.map((key) => customised(key)),
    });
    await succeed(world, 'export --kinds NotificationTemplate');
    expect(
      [...filesBelow(`${world.dir}/config`).keys()].filter((path) => path.endsWith('.yaml')),
    ).toHaveLength(400);
    expect(await world.plan()).toMatchObject({ changes: [], summary: { unchanged: 400 } });
    const pages = world.sandbox.log.filter(({ operation }) => operation === 'list-notification-templates');
    expect(pages.every(({ query }) => Number(query.limit) <= 250)).toBe(true);
  });

  it('carries a text up and down byte for byte', async () => {
    const world = await createTestWorld();
    const body =
      'Grüße ${name},\r\n\r\n$x owes $5 \r\n#if($a)\r\n\ttab  \r\n#end\r\n<b>ÄÖÜ ß 你好</b>   \r\n\r\n';
    addObjects(world.sandbox.state, { templateDefaults: [byDefault('welcome')] });
    world.write('config/body.html', body);
    world.write(
      'config/welcome.yaml',
      'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nbody: !file body.html\n',
    );
    await succeed(world, 'apply --yes');
    expect(templateOf(world, 'welcome')?.body).toBe(body);
    await succeed(world, 'export --out back');
    expect([...filesBelow(`${world.dir}/back`).values()]).toContain(body);
  });

  it('writes the rest of the live template with a declared subject, and changes nothing else', async () => {
    const world = await createTestWorld();
    addObjects(world.sandbox.state, {
      templateDefaults: ['welcome', 'goodbye'].map(byDefault),
      templates: [customised('welcome', { body: 'Mine', replyTo: 'me@acme.example' })],
    });
    world.declare([
      { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', subject: 'New' },
      { kind: 'NotificationTemplate', key: 'goodbye', medium: 'EMAIL', locale: 'en', subject: 'Bye' },
    ]);
    const before = templateOf(world, 'welcome');
    await succeed(world, 'apply --yes');
    const { modified: _, ...rest } = { ...templateOf(world, 'welcome') };
    expect(before).toMatchObject({ ...rest, subject: 'Hello' });
    expect(rest.subject).toBe('New');
    expect(templateOf(world, 'goodbye')).toMatchObject({ ...byDefault('goodbye'), subject: 'Bye' });
  });

  it('keeps the id of a kept rule, changes one in place, and destroys the one that is gone', async () => {
    const world = await createTestWorld();
    const ofAttribute = { type: 'ProfileAttributeRule', comparison_operator: '==' };
    const rule = (id: string, value: string) => ({
      ...ofAttribute,
      id,
      condition_object_id: `a${id}`,
      value,
    });
    addObjects(world.sandbox.state, {
      neAttributes: ['1', '2', '3'].map((id) => ({ id: `a${id}`, uid: `u${id}`, label: id })),
      profileSearches: [{ id: 'q', label: 'Mine', rules: [rule('1', 'a'), rule('2', 'b'), rule('3', 'c')] }],
    });
    const declared = (id: string, value: string) => {
      return { ...ofAttribute, object_type: 'NeAttribute', condition_object_id: `a${id}`, value };
    };
    world.declare([
      { kind: 'ProfileSearch', label: 'Mine', rules: [declared('3', 'changed'), declared('1', 'a')] },
    ]);
    await succeed(world, 'apply --yes');
    const rules = world.sandbox.state.profileSearches[0]?.rules.map(({ id, value }) => [id, value]);
    expect(rules?.sort()).toEqual([
      ['1', 'a'],
      ['3', 'changed'],
    ]);
    expect(writes(world)).toMatchObject([
      {
        method: 'PATCH',
        body: {
          advanced_search: {
            condition_rules_attributes: [
              { id: '3', value: 'changed' },
              { id: '2', _destroy: true },
            ],
          },
        },
      },
    ]);
  });

  it('prints every request on a dry run, and sends none', async () => {
    const world = await createTestWorld({ sandbox: { seed: seedFile } });
    world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
    const { stdout } = await succeed(world, 'apply --dry-run');
    expect(stdout).toContain('POST /v2025/verified-from-addresses');
    expect(stdout).toContain('"email": "new@acme.example"');
    expect(writes(world)).toEqual([]);
  });

  it('refuses a saved plan on a dry run as the apply would', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
    await succeed(world, 'plan --out plan.json');
    addObjects(world.sandbox.state, { senders: [{ email: 'new@acme.example' }] });
    const { stdout } = await expectEnd(world.run('apply plan.json --dry-run'), 4, '[plan-stale]');
    expect(stdout).toBe('');
  });

  it('reads only the kinds that are declared', async () => {
    const world = await createTestWorld({ sandbox: { seed: seedFile } });
    world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
    await world.plan();
    const operations = new Set(world.sandbox.log.map(({ operation }) => operation));
    expect([...operations].filter((name) => name !== 'issue-token')).toEqual(['list-from-addresses']);
  });

  it.each([
    ['applies what independent changes it can', 'apply --yes', { done: 1, failed: 1 }],
    ['starts nothing new', 'apply --yes --fail-fast', { done: 0, failed: 1, notAttempted: 1 }],
  ])('%s after a failure, and ends with 3: %s', async (_, command, summary) => {
    const world = await createTestWorld({ environment: { limits: { concurrency: 1 } } });
    world.declare([
      { kind: 'SenderAddress', email: 'one@acme.example' },
      { kind: 'SenderAddress', email: 'two@acme.example' },
    ]);
    world.sandbox.faults.add({
      method: 'POST',
      path: '/v2025/verified-from-addresses',
      times: 1,
      kind: 'status',
      status: 400,
    });
    const { stdout } = await expectEnd(world.run(`${command} --format json`), 3);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'partial', summary });
    expect(world.sandbox.state.senders).toHaveLength(summary.done);
  });

  it('shows what a saved plan holds', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'one@acme.example' }]);
    await world.run('plan --out plan.json');
    const shown = await world.run('show plan.json --format json');
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(world.read('plan.json')));
  });
});

describe('exit codes and streams', () => {
  it('tells changes from none with --detailed-exitcode, manual ones included', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'AuthProfile', name: 'Missing', type: 'MFA' }]);
    await expectEnd(world.run('plan --detailed-exitcode'), 2);
    await succeed(world, 'plan');
    const applied = await succeed(world, 'apply --yes --format json');
    expect(JSON.parse(applied.stdout)).toMatchObject({ summary: { notAttempted: 1 } });
    world.declare([]);
    await succeed(world, 'plan --detailed-exitcode');
  });

  it('finds the command behind options whose values are called like commands', async () => {
    const world = await createTestWorld();
    world.write('export', world.read('tenantctl.yaml').replaceAll('test', 'apply'));
    world.declare([{ kind: 'SenderAddress', email: 'one@acme.example' }]);
    const { stdout } = await succeed(world, '--quiet -c export -e apply plan --format json');
    expect(JSON.parse(stdout)).toMatchObject({ environment: 'apply', summary: { create: 1 } });
  });

  it('says what is wrong with the file of an embedded tenant', async () => {
    const world = await createTestWorld();
    world.write('tenantctl.yaml', 'version: 1\nenvironments: { x: { sandbox: { seed: seed.yaml } } }\n');
    world.write('seed.yaml', 'senders: [{ email: 5 }]\n');
    await expectEnd(world.run('plan'), 1, /senders.*\[sandbox-file\]/s);
    await expectEnd(world.run('sandbox --seed nowhere.yaml'), 1);
  });

  it('needs consent without a terminal', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'one@acme.example' }]);
    await expectEnd(world.run('apply'), 1, '--yes');
    expect(world.sandbox.log).toEqual([]);
  });

  it('applies an approved digest, and refuses another with 4', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'one@acme.example' }]);
    const { digest } = await world.plan();
    await expectEnd(world.run('apply --expect', `${digest.slice(0, -1)}x`), 4);
    expect(writes(world)).toEqual([]);
    await succeed(world, 'apply --expect', digest);
  });

  it.each([
    [['plan', '--dryrun'], 'dryrun'],
    [['apply', '--dry-rum', '--yes'], 'dry-rum'],
    [['pln'], 'plan'],
    [['plan', '-e', 'nowhere'], 'nowhere'],
    [['plan', '--report', 'x.pdf'], '.html'],
  ])('ends with 1 for %j, and says why on stderr only', async (argv, word) => {
    const world = await createTestWorld();
    const { code, stdout, stderr } = await world.run(...argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(word);
    expect(world.sandbox.log).toEqual([]);
  });

  it('asks for secrets only where they are compared or sent', async () => {
    const world = await createTestWorld({ sandbox: { seed: seedFile } });
    world.write(
      'config/sim.yaml',
      'kind: SimIntegration\nname: S\nattributes: { password: !secret NOT_SET }\n',
    );
    world.write('config/sender.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    for (const argv of [
      ['validate'],
      ['status', '--format', 'json'],
      ['plan', '--only', 'SenderAddress/*'],
    ]) {
      expect(await world.run(...argv), argv.join(' ')).toMatchObject({ code: 0 });
    }
    for (const value of [undefined, '']) {
      world.env.NOT_SET = value;
      for (const argv of [['plan'], ['apply', '--yes']]) {
        await expectEnd(world.run(...argv), 1, 'config/sim.yaml:3:25', 'NOT_SET');
      }
    }
    world.env.NOT_SET = 'set';
    await succeed(world, 'plan --out plan.json');
    world.env.NOT_SET = '';
    await expectEnd(world.run('apply plan.json'), 1);
    expect(world.sandbox.state.simIntegrations.map(({ name }) => name)).not.toContain('S');
  });

  it('names all secrets that it cannot compare, with their line, also where one cannot be read', async () => {
    const world = await createTestWorld();
    const integration = (members: string) =>
      `kind: SimIntegration\nname: S\ntype: T\ncluster: c\nsources: [s]\nattributes: { ${members} }\n`;
    world.write('config/sim.yaml', integration('a: x, b: y'));
    await succeed(world, 'apply --yes');
    world.write('config/sim.yaml', integration('a: !secret FIRST, b: !secret SECOND'));
    Object.assign(world.env, { FIRST: '', SECOND_FILE: '/nowhere/at/all' });
    const { json } = await expectEnd(world.run('plan --format json'), 1);
    expect(json).toMatchObject({
      diagnostics: [
        { code: 'secret-unset', source: { file: 'config/sim.yaml', line: 6 } },
        { code: 'secret-unreadable', source: { file: 'config/sim.yaml', line: 6 } },
      ],
    });
  });

  it('names all credentials of the environment that are not set, with their line, and sends nothing', async () => {
    const world = await createTestWorld();
    world.declare([{ kind: 'SenderAddress', email: 'one@acme.example' }]);
    world.env.CLIENT_ID = '';
    delete world.env.CLIENT_SECRET;
    const { stdout } = await expectEnd(world.run('plan --format json'), 1);
    const { diagnostics } = JSON.parse(stdout);
    expect(diagnostics).toMatchObject([
      { code: 'secret-unset', message: expect.stringMatching(/CLIENT_ID.*empty/) },
      { code: 'secret-unset', message: expect.stringContaining('CLIENT_SECRET') },
    ]);
    for (const { source } of diagnostics) expect(source).toMatchObject({ file: 'tenantctl.yaml' });
    expect(world.sandbox.log).toEqual([]);
  });
});
