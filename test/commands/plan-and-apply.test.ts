/** The main job as its user sees it: the program in this process, a tenant behind real HTTP. */
import { describe, expect, it } from 'vitest';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, filesBelow, seedFile, succeed } from '../support/world.ts';

describe('plan and apply', () => {
  it('carries a text up and down byte for byte', async () => {
    const world = await createTestWorld();
    const body =
      'Grüße ${name},\r\n\r\n$x owes $5 \r\n#if($a)\r\n\ttab  \r\n#end\r\n<b>ÄÖÜ ß 你好</b>   \r\n\r\n';
    addObjects(world.sandbox.state, { templateDefaults: [{ key: 'welcome', body: 'Hello' }] });
    world.write('config/body.html', body);
    world.write(
      'config/welcome.yaml',
      'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\nbody: !file body.html\n',
    );
    await succeed(world, 'apply --yes');
    expect(world.sandbox.state.templates.map((each) => each.body)).toEqual([body]);
    await succeed(world, 'export --out back');
    expect([...filesBelow(`${world.dir}/back`).values()]).toContain(body);
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

  it('asks for secrets only where they are compared or sent', async () => {
    const world = await createTestWorld({ sandbox: { seed: seedFile } });
    world.write(
      'config/sim.yaml',
      'kind: SimIntegration\nname: S\nattributes: { password: !secret NOT_SET }\n',
    );
    world.write('config/sender.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    for (const line of ['validate', 'status --format json', 'plan --only SenderAddress/*'])
      await succeed(world, line);
    for (const value of [undefined, '']) {
      world.env.NOT_SET = value;
      for (const line of ['plan', 'apply --yes'])
        await expectEnd(world.run(line), 1, 'config/sim.yaml:3:25', 'NOT_SET');
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
    const source = { file: 'config/sim.yaml', line: 6 };
    const told = ['secret-unset', 'secret-unreadable'].map((code) => ({ code, source }));
    expect(json).toMatchObject({ diagnostics: told });
  });
});
