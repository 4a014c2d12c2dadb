import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commitAll, git } from '../support/repository.ts';
import { addObjects } from '../support/tenant-objects.ts';
import {
  createTestFolder,
  createTestWorld,
  expectEnd,
  filesBelow,
  seedFile,
  succeed,
  type World,
} from '../support/world.ts';

const some = ['--kinds', 'NotificationTemplate,SenderAddress', 'MailFrom'];

async function exported(): Promise<World> {
  const world = await seeded();
  await succeed(world, 'export --kinds NotificationTemplate SenderAddress MailFrom');
  return world;
}
const seeded = () => createTestWorld({ sandbox: { seed: seedFile } });
const manifests = (world: World) => filesBelow(`${world.dir}/config`);

it('says where the secrets stand that have to be set, and where there are none', async () => {
  const world = await seeded();
  const withSecrets = await world.run('export --kinds SimIntegration --out a');
  expect(withSecrets.stdout).toContain('The secrets are listed in .env.example.');
  expect(world.read('.env.example')).toMatch(/^SIM_INTEGRATION_\w+=$/m);
  expect(world.read('.env.example')).not.toContain('Sommerwind');
  const without = await world.run('export --kinds SenderAddress --out b');
  expect(without.stdout).toBe('Files written to b: 1.\n');
});

it('keeps what a person wrote into the list of secrets, and lists none twice', async () => {
  const world = await seeded();
  world.write('.env.example', '# Ask Ada.\nSIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD=\n');
  await world.run('export --kinds SimIntegration');
  const listed = world.read('.env.example');
  expect(listed).toMatch(/^# Ask Ada\.\nSIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD=\n\n# SimInt/);
  expect(listed.match(/SERVICENOW_ATTRIBUTES_PASSWORD/g)).toHaveLength(1);
  await world.run('export --kinds SimIntegration --out again');
  expect(world.read('.env.example')).toBe(listed);
});

it('writes through no link that leads out of the project', async () => {
  const world = await seeded();
  const { dir: outside } = createTestFolder();
  symlinkSync(`${outside}/profile`, `${world.dir}/.env.example`);
  const before = filesBelow(world.dir);
  for (const line of ['export --kinds SimIntegration', 'export --merge --all --kinds SimIntegration']) {
    const { stdout } = await expectEnd(world.run(line), 1, '[outside-project]');
    expect(stdout).toBe('');
  }
  rmSync(`${world.dir}/.env.example`);
  symlinkSync(outside, `${world.dir}/config`);
  expect((await world.run('export')).stderr).toContain('[outside-project]');
  rmSync(`${world.dir}/config`);
  expect(filesBelow(world.dir)).toEqual(before);
  expect(filesBelow(outside)).toEqual(new Map());
});

describe('an object whose key another one has', () => {
  const twins = ['Leavers', 'Leavers', 'Joiners'].map((label, at) => ({ id: `q${at}`, label }));
  const addresses = ['Help@acme.example', 'help@acme.example', 'other@acme.example'];
  const senders = addresses.map((email, at) => ({ id: `e${at}`, email, verificationStatus: 'SUCCESS' }));

  async function tenant(): Promise<World> {
    const world = await createTestWorld();
    addObjects(world.sandbox.state, { profileSearches: twins, senders });
    return world;
  }

  it('is left out with a warning that says the ids, and does not keep the others from being exported', async () => {
    const world = await tenant();
    const { stderr } = await expectEnd(world.run('export'), 0, 'ids q0, q1.', 'ids e0, e1.');
    expect(stderr).not.toContain('declare it by hand');
    expect(manifests(world)).toEqual(
      new Map([
        ['profile-searches/joiners.yaml', 'kind: ProfileSearch\nlabel: Joiners\n'],
        ['sender-addresses.yaml', 'kind: SenderAddress\nemail: other@acme.example\n'],
      ]),
    );
    expect(await world.run('export --merge --all')).toMatchObject({
      code: 0,
      stdout: 'Files: 0 changed, 0 new, 0 removed.\n',
    });
    expect((await world.plan()).changes).toEqual([]);
  });

  it('is not taken as gone in a merge, in whichever case it is declared', async () => {
    const world = await tenant();
    world.declare([
      { kind: 'ProfileSearch', label: 'Leavers' },
      { kind: 'SenderAddress', email: 'HELP@acme.example' },
    ]);
    const before = manifests(world);
    const merge = world.run('export --merge --delete');
    const { stdout } = await expectEnd(merge, 0, 'ids q0, q1.', 'ids e0, e1.');
    expect(stdout).toContain('Files: 0 changed, 0 new, 0 removed.\n');
    expect(manifests(world)).toEqual(before);
    // What no manifest declares is none of a merge without --all.
    world.declare([{ kind: 'ProfileSearch', label: 'Joiners' }]);
    expect((await world.run('export --merge')).stderr).not.toContain('ids q0');
  });

  it('is not taken as gone in a merge either where a manifest could pin it by its id', async () => {
    const world = await tenant();
    const staff = ['a0', 'a1'].map((id) => ({ id, name: 'Staff', type: 'MFA' }));
    addObjects(world.sandbox.state, { authProfiles: staff });
    world.declare([{ kind: 'AuthProfile', name: 'Staff', type: 'MFA' }]);
    const before = manifests(world);
    for (const options of [[], ['--all', '--kinds', 'AuthProfile']]) {
      const merged = await world.run('export --merge --delete', ...options);
      expect(merged.stdout).toContain('Files: 0 changed, 0 new, 0 removed.\n');
      expect(merged.stderr).toContain('ids a0, a1.');
    }
    expect(manifests(world)).toEqual(before);
  });
});

it('does not say that a cluster keeps its id where the tenant shows its name beside it', async () => {
  const seed = `
objects: { Cluster: [{ id: c-1, name: va-prod }] }
simIntegrations: [{ id: s1, name: Tickets, type: Jira, cluster: c-1, sources: [], attributes: {} }]
`;
  for (const simCluster of ['ids', 'nameInCluster', 'nameInReference'] as const) {
    const world = await createTestWorld({ seed, sandbox: { variations: { simCluster } } });
    const { stderr } = await world.run('export');
    expect(manifests(world).get('sim-integrations/tickets.yaml')).toContain(
      'cluster: !ref Cluster/va-prod\n',
    );
    expect(stderr).not.toContain('ids-kept');
  }
});

it('names a list of secrets that it cannot read, and writes nothing', async () => {
  const world = await seeded();
  mkdirSync(`${world.dir}/.env.example`);
  const told = /\.env\.example is not a regular file\. .*\[file-unreadable\]\n *hint: Move it away/s;
  const { stdout } = await expectEnd(world.run('export --kinds SimIntegration'), 1, told);
  expect(stdout).toBe('');
});

it('never writes over a file that is there: one error counts them and names the way on', async () => {
  const world = await exported();
  const before = manifests(world);
  const named = /There already: config\/mail-from\.yaml\s+and\s+\d+\s+more/;
  const { stdout, stderr } = await expectEnd(world.run('export'), 1, named, '--merge');
  expect([stdout, stderr.match(/\[[a-z-]+\]/g)]).toEqual(['', ['[file-exists]']]);
  expect(manifests(world)).toEqual(before);
});

it('leaves out what can only be observed, unless it is named', async () => {
  const world = await seeded();
  await succeed(world, 'export');
  expect(manifests(world).has('notification-preferences.yaml')).toBe(false);
  await succeed(world, 'export --only NotificationPreference/**');
  expect(world.read('config/notification-preferences.yaml')).toContain('mediums: [EMAIL, SLACK, TEAMS]');
  // Once they are declared, a merge keeps them up to date.
  const { preferences } = world.sandbox.state;
  const [preference] = preferences;
  if (preference) preference.mediums = ['TEAMS'];
  expect((await world.run('export --merge')).stdout).toContain('~ config/notification-preferences.yaml');
});

it('does not warn of a secret in a merge where it is not set, as on the machine of a reviewer', async () => {
  const world = await seeded();
  await succeed(world, 'export --kinds SimIntegration');
  const names = [...world.read('.env.example').matchAll(/^(\w+)=$/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(0);
  const merged = await world.run('export --merge');
  expect(merged).toMatchObject({ code: 0, stdout: 'Files: 0 changed, 0 new, 0 removed.\n' });
  expect(merged.stderr).not.toContain('secret-kept');
  // One that is set to something else may be wrong here or there.
  Object.assign(world.env, Object.fromEntries(names.map((name) => [name, 'another-value'])));
  expect((await world.run('export --merge')).stderr).toContain('[secret-kept]');
});

it('takes a change into the line it belongs to, a new object into a file, and reports one that is gone', async () => {
  const world = await exported();
  const path = 'config/notification-templates/password_expiring/email.en.yaml';
  world.write(path, `# ours\n${world.read(path).replace('subject:', 'subject:   ')}`);
  const { templates, senders } = world.sandbox.state;
  const changed = templates.find(({ key, locale }) => key === 'password_expiring' && locale === 'en');
  if (changed) changed.subject = 'By hand';
  const [gone] = templates.splice(0, 1);
  const [sender] = senders;
  if (sender) senders.push({ ...sender, id: 'new', email: 'new@acme.example' });
  const before = manifests(world);

  await expectEnd(world.run('export --merge --all', ...some), 0, gone?.key ?? 'no template');
  const after = manifests(world);
  expect(world.read(path)).toMatch(/^# ours\n/);
  expect(world.read(path)).toMatch(/^subject: {4}By hand$/m);
  expect(after.get('sender-addresses.yaml')).toContain('new@acme.example');
  const touched = [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text);
  expect(touched.map(([name]) => name)).toEqual([
    'notification-templates/password_expiring/email.en.yaml',
    'sender-addresses.yaml',
  ]);

  await succeed(world, 'export --merge --delete', ...some);
  const own = `notification-templates/${gone?.key}/${gone?.medium.toLowerCase()}.${gone?.locale}.`;
  expect([...before.keys()].some((name) => name.startsWith(own))).toBe(true);
  expect([...manifests(world).keys()].some((name) => name.startsWith(own))).toBe(false);
});

it('writes the objects of the scope only, afresh and in a merge', async () => {
  const world = await exported();
  const { templates, senders } = world.sandbox.state;
  for (const template of templates) template.subject = 'By hand';
  const [sender] = senders;
  if (sender) senders.push({ ...sender, id: 'new', email: 'new@acme.example' });
  const before = manifests(world);
  const only = ['--only', 'NotificationTemplate/password_expiring/EMAIL/en'];

  const merged = await world.run('export --merge', ...only);
  expect([merged.code, merged.stdout]).toEqual([0, expect.stringContaining('1 changed, 0 new, 0 removed')]);
  const touched = [...manifests(world)].filter(([name, text]) => before.get(name) !== text);
  expect(touched.map(([name]) => name)).toEqual(['notification-templates/password_expiring/email.en.yaml']);

  await succeed(world, 'export --out elsewhere --only SenderAddress/new*');
  expect(world.read('elsewhere/sender-addresses.yaml')).toBe(
    'kind: SenderAddress\nemail: new@acme.example\n',
  );
  expect((await world.run('export --only Sender/*')).stderr).toContain('[unknown-kind]');
});

it('leaves a side file alone that an environment uses too', async () => {
  const world = await seeded();
  const { templates } = world.sandbox.state;
  const [kept, gone] = templates.splice(0, 2);
  if (!kept || !gone) throw new Error('The seed has templates.');
  templates.push({ ...kept, body: 'By hand' });
  const manifest = ({ key, medium, locale }: typeof kept, file: string) =>
    `kind: NotificationTemplate\nkey: ${key}\nmedium: ${medium}\nlocale: ${locale}\nsubject: Ours\nbody: !file ${file}\n`;
  world.write('config/kept.yaml', manifest(kept, 'texts/kept.html'));
  world.write('config/gone.yaml', manifest(gone, 'texts/gone.html'));
  for (const name of ['kept', 'gone']) world.write(`config/texts/${name}.html`, 'Ours\n');
  const overlays = ['kept', 'gone'].map(
    (name) => `  - { target: SenderAddress/*, merge: { body: !file ../config/texts/${name}.html } }\n`,
  );
  world.write('environments/other.yaml', `sandbox: {}\noverlays:\n${overlays.join('')}`);

  const merged = await world.run('export --merge --delete --env test');
  expect(merged.stdout).toContain('- config/gone.yaml\n');
  expect(merged.stderr).toContain('[tag-replaced]');
  expect(world.read('config/kept.yaml')).toContain('body: By hand\n');
  expect(world.read('config/texts/kept.html')).toBe('Ours\n');
  expect(world.read('config/texts/gone.html')).toBe('Ours\n');
});

it.each(['--delete', '--all', '--allow-dirty'])('asks for --merge with %s', async (option) => {
  const world = await exported();
  await expectEnd(world.run('export', option, '--out', 'x'), 1);
});

it('says how many objects are in no manifest, and adds them when asked for', async () => {
  const world = await seeded();
  const { senders, templates } = world.sandbox.state;
  expect((await world.run('export --merge')).stdout).toContain('No object is declared.');
  world.write('config/own.yaml', `kind: SenderAddress\nemail: ${senders[0]?.email}\n`);
  const merged = await world.run('export --merge');
  expect(merged.stdout).toBe(
    `Files: 0 changed, 0 new, 0 removed.\n${senders.length - 1} objects are undeclared. Add them with --all.\n`,
  );
  const named = await world.run('export --merge --kinds NotificationTemplate');
  expect(named.stdout).toContain(`\n${templates.length} objects are undeclared. Add them with --all.\n`);
  const all = await world.run('export --merge --all');
  expect(all.stdout).toMatch(/\nFiles: 0 changed, \d\d new, 0 removed\.\n$/);
  expect(manifests(world).has('notification-preferences.yaml')).toBe(false);
  const again = await world.run('export --merge --all');
  expect(again.stdout).toBe('Files: 0 changed, 0 new, 0 removed.\n');
});

describe('what a project declares already', () => {
  const sender = (world: World) => world.sandbox.state.senders[0]?.email ?? '';
  const exportSenders = (world: World, ...argv: string[]) =>
    world.run('export --kinds SenderAddress', ...argv);

  it('is not declared again, whether or not its manifest can be loaded', async () => {
    const world = await exported();
    world.write('config/sender-addresses.yaml', '');
    world.write('config/own.yaml', `kind: SenderAddress\nemail: ${sender(world)}\nnonsense: !secret UNSET\n`);
    world.write(
      'config/own.yaml',
      `${world.read('config/own.yaml')}---\nkind: SenderAddress\nemail: audit@acme.example\n`,
    );
    const before = filesBelow(world.dir);
    const again = await expectEnd(exportSenders(world, '--out', 'config/more'), 1, '--merge');
    expect(again.stderr.match(/\[[a-z-]+\]/g)).toEqual(['[already-declared]']);
    expect(again.stderr).toMatch(/2 of \d+\s+objects are already declared, such as/);
    expect(again.stderr).toContain('config/own.yaml');
    expect(filesBelow(world.dir)).toEqual(before);
  });

  it('may be exported where no plan reads it, and objects that nobody declares anywhere', async () => {
    const world = await exported();
    const aside = await exportSenders(world, '--out', 'aside');
    expect(aside.code).toBe(0);
    expect(aside.stderr).toMatch(/info {2}No glob of `manifests` .* matches\s+aside\/sender-addresses\.yaml/);
    const more = await world.run('export --kinds ProfileSearch --out config/more');
    expect(more).toMatchObject({ code: 0, stderr: '' });
    await succeed(world, 'validate');
  });
});

describe('a merge into files that no glob matches', () => {
  it('is refused, since each would write the same objects again', async () => {
    const world = await seeded();
    const before = filesBelow(world.dir);
    for (const out of ['aside', 'environments', '../outside', '.']) {
      const merged = await world.run('export --merge --all --out', out, ...some);
      expect(merged, out).toMatchObject({ code: 1, stdout: '' });
      expect(merged.stderr).toContain('config/**/*.yaml');
    }
    expect(filesBelow(world.dir)).toEqual(before);
  });

  it('is none where the folder is reached by a link', async () => {
    const world = await seeded();
    const link = `${world.dir}-link`;
    onTestFinished(() => rmSync(link));
    symlinkSync(world.dir, link);
    for (const out of ['config', `${link}/config`]) {
      await succeed(world, 'export --merge --all --out', out, ...some);
    }
  });
});

it.each([
  ['id: p1', ''],
  ['id: p1\nname: Old', ''],
  ['id: p1\nname: Old', ' --only SimIntegration/Old'],
])('a merge refuses two manifests of one object at once: %j %s', async (pin, options) => {
  const kind = 'kind: SimIntegration\n';
  const seed =
    'simIntegrations:\n  - { id: p1, name: Desk, type: T, description: live, cluster: va, sources: [s1], attributes: { url: u } }\n';
  const files = {
    'config/a.yaml': `${kind}${pin}\ndescription: one\n`,
    'config/b.yaml': `${kind}name: Desk\ndescription: two\n`,
  };
  const world = await createTestWorld({ seed, files });
  const before = manifests(world);
  await expectEnd(
    world.run(`export --merge${options}`),
    1,
    /config\/b\.yaml:1:1 {2}error {2}SimIntegration\/Desk and .*\sare the same object/s,
    '[duplicate-object]',
  );
  expect(manifests(world)).toEqual(before);
  await succeed(world, 'export --merge --only SenderAddress/**');
});

it('an object that a manifest pins by its id alone is not gone where another one has its name', async () => {
  const integrations = ['i0', 'i1'].map((id) => `{ id: ${id}, name: Tickets, type: T, sources: [s] }`);
  const world = await createTestWorld({ seed: `simIntegrations: [${integrations.join(', ')}]\n` });
  world.write('config/a.yaml', 'kind: SimIntegration\nid: i0\ntype: Old\n');
  world.write('config/b.yaml', 'kind: SimIntegration\nname: Tickets\ntype: Old\n');
  const { stderr } = await expectEnd(world.run('export --merge --delete'), 0);
  expect(stderr).not.toContain('object-gone');
  expect(world.read('config/a.yaml')).toContain('type: T\n');
  expect((await world.plan()).changes).toEqual([]);
});

describe('a merge into side files', () => {
  const integration = (name: string, description: string) =>
    `{ id: ${name}, name: ${name}, type: T, description: ${description}, cluster: va, sources: [s1], attributes: { url: u } }`;
  const manifest = (name: string, file: string) =>
    `kind: SimIntegration\nname: ${name}\ndescription: !file ${file}\n`;
  const a = { 'config/a.yaml': manifest('A', 'a.txt') };

  it('leaves one alone that another manifest reaches by a link', async () => {
    const seed = `simIntegrations: [${integration('A', 'new')}, ${integration('B', 'old')}]\n`;
    const files = { ...a, 'config/b.yaml': manifest('B', 'b.txt'), 'config/b.txt': 'old' };
    const world = await createTestWorld({ seed, files });
    symlinkSync('b.txt', join(world.dir, 'config/a.txt'));
    await expectEnd(world.run('export --merge'), 0, '[tag-replaced]');
    expect(world.read('config/b.txt')).toBe('old');
    expect((await world.plan()).changes).toEqual([]);
    expect((await world.run('export --merge')).stdout).toContain('0 changed, 0 new, 0 removed');
  });

  it.each(['A', 'B'])('removes no file that another manifest reaches by a link: %s', async (gone) => {
    const rest = ['A', 'B'].filter((name) => name !== gone);
    const seed = `simIntegrations: [${rest.map((name) => integration(name, 'old')).join(', ')}]\n`;
    const files = { ...a, 'config/b.yaml': manifest('B', '../texts/b.txt'), 'texts/b.txt': 'old' };
    const world = await createTestWorld({ seed, files });
    symlinkSync('../texts/b.txt', join(world.dir, 'config/a.txt'));
    await succeed(world, 'export --merge --delete');
    expect(existsSync(join(world.dir, `config/${gone.toLowerCase()}.yaml`))).toBe(false);
    expect(world.read('texts/b.txt')).toBe('old');
    expect((await world.plan()).changes).toEqual([]);
  });

  it('removes a link with its document, and not what it leads to', async () => {
    const files = { ...a, 'README.txt': 'old' };
    const world = await createTestWorld({ seed: 'simIntegrations: []\n', files });
    symlinkSync('../README.txt', join(world.dir, 'config/a.txt'));
    expect((await world.run('export --merge --delete')).stdout).toContain('- config/a.txt\n');
    expect(world.read('README.txt')).toBe('old');
  });

  it('leaves one alone that an overlay reaches by a link', async () => {
    const overlays = [{ target: 'SimIntegration/B', merge: { description: '!TAG' } }];
    const world = await createTestWorld({
      seed: `simIntegrations: [${integration('A', 'new')}, ${integration('B', 'old')}]\n`,
      files: { ...a, 'config/b.yaml': 'kind: SimIntegration\nname: B\n', 'config/a.txt': 'old' },
      environment: { overlays },
    });
    world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace(/"?!TAG"?/, '!file linked.txt'));
    symlinkSync('config/a.txt', join(world.dir, 'linked.txt'));
    await succeed(world, 'export --merge');
    expect(world.read('config/a.txt')).toBe('old');
    expect((await world.plan()).changes).toEqual([]);
  });
});

it('an .env.example that is not UTF-8 is not changed', async () => {
  const seed =
    'simIntegrations: [{ id: a, name: A, type: T, cluster: va, sources: [s1], attributes: { url: u, password: pw } }]\n';
  for (const options of ['--merge --all', '--out config']) {
    const world = await createTestWorld({ seed });
    const file = join(world.dir, '.env.example');
    writeFileSync(file, Buffer.from('# caf\xe9\n', 'latin1'));
    await expectEnd(world.run(`export ${options}`), 1, '.env.example is not UTF-8 text.');
    expect(readFileSync(file, 'latin1')).toBe('# caf\xe9\n');
    expect(existsSync(join(world.dir, 'config'))).toBe(false);
  }
});

describe('a merge into files with uncommitted changes', () => {
  const manifest = 'kind: SimIntegration\nname: Desk\ndescription: old\nattributes: !file desk.json\n';

  /** A committed project, and a tenant in which the manifest and its side file have other values. */
  async function drifted(): Promise<World> {
    const world = await createTestWorld({ files: { 'config/desk.yaml': manifest } });
    world.write('config/desk.json', '{ "url": "a" }\n');
    commitAll(world.dir);
    const desk = { name: 'Desk', description: 'new', type: 'ServiceNow', attributes: { url: 'b' } };
    addObjects(world.sandbox.state, { simIntegrations: [desk] });
    return world;
  }
  const edit = (world: World) => world.write('config/desk.yaml', `# mine\n${manifest}`);

  it.each<[string, (world: World) => void, string[]]>([
    ['changed', edit, ['config/desk.yaml']],
    [
      'staged',
      (world) => {
        edit(world);
        git(world.dir, 'add', '.');
      },
      ['config/desk.yaml'],
    ],
    [
      'never committed',
      (world) => {
        git(world.dir, 'rm', '-q', '--cached', 'config/desk.json', 'config/desk.yaml');
        git(world.dir, 'commit', '-qm', 'without them');
      },
      ['config/desk.json', 'config/desk.yaml'],
    ],
    [
      'in no commit at all',
      (world) => git(world.dir, 'update-ref', '-d', 'HEAD'),
      ['config/desk.json', 'config/desk.yaml'],
    ],
  ])('writes nothing where one is %s, and names each', async (_, change, dirty) => {
    const world = await drifted();
    change(world);
    const before = filesBelow(world.dir);
    const merge = 'export --merge --only SimIntegration/*';
    for (const argv of [merge, `${merge} --dry-run`]) {
      const { stderr } = await expectEnd(world.run(argv), 1);
      expect([...stderr.matchAll(/(\S+):1:1\s.*?\[dirty-file\]/gs)].map(([, file]) => file)).toEqual(dirty);
    }
    expect(filesBelow(world.dir)).toEqual(before);
    const allowed = await world.run('export --merge --allow-dirty');
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('2 changed') });
  });

  it('removes none of them either', async () => {
    const world = await drifted();
    world.sandbox.state.simIntegrations = [];
    edit(world);
    await expectEnd(world.run('export --merge --delete'), 1, '[dirty-file]');
    expect(world.read('config/desk.yaml')).toContain('# mine');
  });

  it('needs no care for other files, nor for the line endings of a checkout', async () => {
    const world = await drifted();
    world.write('config/desk.yaml', manifest.replaceAll('\n', '\r\n'));
    world.write('config/other.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    await succeed(world, 'export --merge --only SimIntegration/*');
    expect(world.read('config/desk.yaml')).toContain('description: new\r\n');
  });

  it('writes where the repository is another one than that of the project', async () => {
    const world = await drifted();
    rmSync(`${world.dir}/.git`, { recursive: true });
    edit(world);
    await succeed(world, 'export --merge');
  });
});

it('ends with 3 where a merge leaves drift in a list that holds a secret', async () => {
  const world = await createTestWorld();
  world.write(
    'config/desk.yaml',
    'kind: SimIntegration\nname: Desk\nattributes: { keys: [!secret KEY, old] }\n',
  );
  const shows = (keys: string[]) => {
    const { state } = world.sandbox;
    state.simIntegrations.length = 0;
    addObjects(state, { simIntegrations: [{ name: 'Desk', type: 'ServiceNow', attributes: { keys } }] });
    return world.run('export --merge');
  };
  world.env.KEY = 'Sommerwind7';
  expect(await shows(['Sommerwind7', 'old'])).toMatchObject({ code: 0, stderr: '' });
  const drift = await shows(['old', 'Sommerwind7']);
  expect(drift).toMatchObject({ code: 3, stderr: expect.stringContaining('[secret-kept]') });
  expect(world.read('config/desk.yaml')).not.toContain('Sommerwind7');
});

it.each(['export', 'export --merge --all'])(
  'writes no file where one cannot be written: %s',
  async (argv) => {
    const world = await seeded();
    world.write('config/sim-integrations', 'A file where a folder has to be.\n');
    const before = filesBelow(world.dir);
    const ran = world.run(`${argv} --only {MailFrom,SimIntegration}/**`);
    await expectEnd(ran, 1, '[unwritable-file]', 'A file is in the way');
    expect(filesBelow(world.dir)).toEqual(before);
  },
);

it.each([
  ['of the others', ['Desk', 'Shop'], 'config/Shop.yaml'],
  ['a new one', ['Desk'], 'config/sim-integrations/shop.yaml'],
])('changes no manifest where there is no room for %s, and keeps their rights', async (_, declared, path) => {
  const world = await createTestWorld({
    seed: `simIntegrations: [{ name: Desk, type: A, attributes: {} }, { name: Shop, type: B, attributes: {} }]\n`,
  });
  for (const name of declared)
    world.write(`config/${name}.yaml`, `kind: SimIntegration\nname: ${name}\ntype: Old\n`);
  chmodSync(join(world.dir, 'config/Desk.yaml'), 0o640);
  const before = filesBelow(world.dir);
  const { writeFile } = files;
  const full = vi.spyOn(files, 'writeFile').mockImplementation(async (target, text, options) => {
    const isShop = /shop/i.test(String(target));
    await writeFile(target, isShop ? '' : text, options);
    if (isShop) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  await expectEnd(
    world.run('export --merge --all').finally(() => {
      full.mockRestore();
      syncBuiltinESMExports();
    }),
    1,
    `${path} cannot be written (ENOSPC)`,
    'The disk is full',
  );
  expect(filesBelow(world.dir)).toEqual(before);
  await succeed(world, 'export --merge');
  expect(world.read('config/Desk.yaml')).toContain('type: A\n');
  expect(statSync(join(world.dir, 'config/Desk.yaml')).mode & 0o777).toBe(0o640);
});

describe('a kind that the tenant does not show', () => {
  async function refusing(path: string, status: number): Promise<World> {
    const world = await createTestWorld({ seed: 'senders: [{ email: a@acme.example }]\n' });
    world.sandbox.faults.add({ kind: 'status', status, path, times: Number.POSITIVE_INFINITY });
    return world;
  }

  it.each([403, 404])('with a %i is left out, told, and the rest is written', async (status) => {
    const world = await refusing('/v2024/sim-integrations', status);
    const exported = await succeed(world, 'export');
    const told = [
      'warning +SimIntegration is left out: ',
      '/v2024/sim-integrations',
      status,
      'kind-left-out',
    ];
    expect(exported.stderr).toMatch(new RegExp(told.join('[^]*')));
    expect(world.read('config/sender-addresses.yaml')).toContain('a@acme.example');
  });

  it('is left out of a merge that adds all kinds, unless a manifest declares it', async () => {
    const world = await refusing('/v2024/sim-integrations', 403);
    world.write('config/a.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    await expectEnd(world.run('export --merge --all'), 0, 'SimIntegration is left out');
    world.write('config/b.yaml', 'kind: SimIntegration\nname: Gone\ntype: t\n');
    await expectEnd(world.run('export --merge --all --delete'), 1, '[tenant-forbidden]');
    expect(world.read('config/b.yaml')).toContain('Gone');
  });

  it('is an error where it is named, where no kind is shown, and for another reason', async () => {
    const world = await refusing('/v2024/sim-integrations', 403);
    await expectEnd(world.run('export --kinds SimIntegration,SenderAddress'), 1, '[tenant-forbidden]');
    for (const other of [await refusing('/', 403), await refusing('/v2024/sim-integrations', 400)]) {
      await expectEnd(other.run('export'), 1);
      expect(existsSync(`${other.dir}/config`)).toBe(false);
    }
  });
});

it('says of a merge into a project without manifests how to begin, unless a kind is named', async () => {
  const world = await createTestWorld({ seed: 'senders: [{ email: a@acme.example }]' });
  const told = 'No object is declared. Add those of the tenant with --all.';
  expect((await succeed(world, 'export --merge')).stdout).toContain(told);
  expect((await succeed(world, 'export --merge --only SenderAddress/**')).stdout).not.toContain(told);
});
