import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planDigest } from '../../src/model/documents.ts';
import {
  createTestWorld,
  expectEnd,
  filesBelow,
  succeed,
  type World,
  type WorldOptions,
  writesIn,
} from '../support/world.ts';

const descriptor = (kind: string, path: string, fields: string) => `kind: ${kind}
summary: A kind of the tests.
path: ${path}
key: name
list: { pageSize: 50, filter: true }
update: json-patch
create: true
delete: true
fields: ${fields}
serverOwned: [id, created, modified]
`;
const [accessProfile, role] = [
  descriptor(
    'AccessProfile',
    '/v2025/access-profiles',
    '{ description: text, owner: { is: reference, to: Identity, type: IDENTITY }, source: { is: value, to: Source }, above: { is: value, to: AccessProfile } }',
  ),
  descriptor(
    'Role',
    '/v2025/roles',
    '{ description: text, owner: { is: reference, to: Identity, type: IDENTITY }, accessProfiles: { is: references, to: AccessProfile }, sources: { is: set, to: Source }, attributes: { is: json, declares: whole } }',
  ),
];
const readOnly = (kind: string, path: string) => `kind: ${kind}
summary: Only read.
path: ${path}
key: name
`;
const kinds = {
  'kinds/Identity.kind.yaml': readOnly('Identity', '/v2025/identities'),
  'kinds/Source.kind.yaml': readOnly('Source', '/v2025/sources'),
  'kinds/Cluster.kind.yaml': readOnly('Cluster', '/v2025/managed-clusters'),
  'kinds/AccessProfile.kind.yaml': accessProfile,
  'kinds/Role.kind.yaml': role,
};
/** Two tenants with the same things under other ids. */
const seedOf = (prefix: string, more = '') => `kinds:
${[accessProfile, role].map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}`).join('\n')}
objects:
  Identity: [{ id: ${prefix}-ann, name: Ann }, { id: ${prefix}-ben, name: Ben Ng }, { id: ${prefix}-t1, name: Twin }, { id: ${prefix}-t2, name: Twin }]
  Source: [{ id: ${prefix}-hr, name: HR }, { id: ${prefix}-ad, name: Active Directory }]
  Cluster: [{ id: ${prefix}-va, name: va-prod }]
${more}`;

async function worldWith(
  manifests: string,
  { seed = seedOf('dev'), ...more }: WorldOptions = {},
): Promise<World> {
  return createTestWorld({ ...more, seed, files: { ...kinds, 'config/all.yaml': manifests, ...more.files } });
}

const both = `kind: Role
name: Reader
owner: !ref Identity/Ann
accessProfiles: [!ref AccessProfile/Read, !ref AccessProfile/Write]
sources: [!ref Source/Active Directory]
---
kind: AccessProfile
name: Write
owner: !ref Identity/Ben Ng
above: !ref AccessProfile/Read
---
kind: AccessProfile
name: Read
owner: { id: !ref Identity/Ann }
source: !ref Source/HR
`;

describe('a plan', () => {
  it('creates what is referred to first, shows names, and is empty after its apply', async () => {
    const world = await worldWith(both);
    const plan = await world.plan();
    expect(plan.changes.map(({ address }) => address)).toEqual([
      'AccessProfile/Read',
      'AccessProfile/Write',
      'Role/Reader',
    ]);
    expect(plan.changes[2]?.requests[0]?.body).toEqual({
      name: 'Reader',
      owner: { type: 'IDENTITY', id: 'dev-ann' },
      accessProfiles: [{ id: { $ref: 'AccessProfile/Read' } }, { id: { $ref: 'AccessProfile/Write' } }],
      sources: ['dev-ad'],
    });
    const text = (await world.run('plan')).stdout;
    expect(text).toContain('!ref Identity/Ann (dev-ann)');
    expect(text).toContain('!ref AccessProfile/Read (created by this plan)');
    await succeed(world, 'plan --out p.json');
    await succeed(world, 'apply p.json');
    const [read, write] = world.sandbox.state.objects.AccessProfile ?? [];
    expect(write?.above).toBe(read?.id);
    const [role] = world.sandbox.state.objects.Role ?? [];
    expect(role?.accessProfiles).toMatchObject([{ id: read?.id }, { id: write?.id }]);
    expect((await world.plan()).changes).toEqual([]);
  });

  it('sends each object once, in whatever forms a set has it', async () => {
    const fields = `accessProfiles: [!ref AccessProfile/Read, !ref AccessProfile/Write, { id: dev-read, name: Read }, dev-read, !ref AccessProfile/Write]
sources: [7, !ref Source/Counted, dev-hr, dev-hr]`;
    const write = '---\nkind: AccessProfile\nname: Write\n';
    const seed = seedOf('dev', '  AccessProfile: [{ id: dev-read, name: Read }]\n').replace(
      'Source: [',
      'Source: [{ id: "7", name: Counted }, ',
    );
    const world = await worldWith(reader(fields) + write, { seed });
    const plan = await world.plan();
    expect(plan.changes.find(({ kind }) => kind === 'Role')?.requests[0]?.body).toEqual({
      name: 'Reader',
      accessProfiles: [{ id: 'dev-read' }, { id: { $ref: 'AccessProfile/Write' } }],
      sources: ['7', 'dev-hr'],
    });
  });
});

const existing = (
  prefix: string,
) => `  AccessProfile: [{ id: ${prefix}-read, name: Read }, { id: ${prefix}-slash, name: "a/b 100%" }]
  Role:
    - id: ${prefix}-reader
      name: Reader
      owner: { type: IDENTITY, id: ${prefix}-ann }
      accessProfiles: [{ id: ${prefix}-read }, { id: ${prefix}-slash }]
      sources: [${prefix}-hr, ${prefix}-ad]
    - { id: ${prefix}-twins, name: Of a twin, owner: { type: IDENTITY, id: ${prefix}-t1 } }
simIntegrations:
  - { id: ${prefix}-sim, name: Desk, type: Desk, cluster: ${prefix}-va, sources: [${prefix}-hr], attributes: { url: u } }
`;

const reader = (fields: string) => `kind: Role\nname: Reader\n${fields}\n`;

describe('a reference that cannot be right', () => {
  const ofId = 'stands in the place of an id';
  it.each([
    [
      'owner: !ref Identity/Anm',
      'unknown-ref',
      'The tenant has no Identity with the key "Anm", and no manifest declares it.',
      'Did you mean `Ann`?',
    ],
    [
      'owner: !ref Identity/Twin',
      'ambiguous-ref',
      'The tenant has 2 objects of the kind Identity with the key "Twin": ids dev-t1, dev-t2.',
      'Rename',
    ],
    [
      'owner: !ref Identiy/Ann',
      'ref-kind',
      '`owner` refers to the kind Identity, not to Identiy.',
      'Did you mean `Identity`?',
    ],
    [
      'owner: !ref Source/HR',
      'ref-kind',
      '`owner` refers to the kind Identity, not to Source.',
      'Write `!ref Identity/…`.',
    ],
    ['owner: !ref Identity/a/b', 'invalid-ref', 'A reference to this kind is `!ref Identity/NAME`.', '%2F'],
    ['owner: !ref Identity', 'invalid-ref', 'takes a kind and a key', '!ref Source/HR'],
    ['description: !ref Identity/Ann', 'ref-not-taken', 'not allowed here in `description`.', ofId],
    ['owner: { type: !ref Identity/Ann }', 'ref-not-taken', '`!ref` is not allowed here in `owner`.', ofId],
    ['owner: !format "%{x}"', 'variable-unset', 'no variable `x`', ''],
    [
      'accessProfiles: [!ref AccessProfile/Gone]',
      'ref-deleted',
      'AccessProfile/Gone is declared with `ensure: absent`',
      'Remove',
    ],
  ])('%s', async (line, code, message, hint) => {
    const gone = '---\nkind: AccessProfile\nname: Gone\nensure: absent\n';
    const world = await worldWith(reader(line) + gone);
    await expectEnd(world.run('plan'), 1, `[${code}]`, message, hint, /config\/all\.yaml:3:\d+/);
    // The rest is only known of a tenant.
    const isOffline = !['unknown-ref', 'ambiguous-ref'].includes(code);
    const { stdout } = await world.run('validate');
    expect(stdout.includes(`[${code}]`)).toBe(isOffline);
  });

  it('a cycle of creates is named; one through an object that exists is none', async () => {
    const cycle = `kind: AccessProfile\nname: Read\nabove: !ref AccessProfile/Write\n---\nkind: AccessProfile\nname: Write\nabove: !ref AccessProfile/Read\n`;
    const fresh = await worldWith(cycle);
    const refused = await expectEnd(fresh.run('plan'), 1, '[ref-cycle]');
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /AccessProfile\/\w+ -> AccessProfile\/\w+ -> AccessProfile/,
    );
    const world = await worldWith(cycle, { seed: seedOf('dev', existing('dev')) });
    await succeed(world, 'apply --yes');
    expect((await world.plan()).changes).toEqual([]);
  });

  it.each([
    ['', []],
    [', also where --only or --except leave out what refers to it', ['--only', 'AccessProfile/*']],
  ])('an object that the plan prunes%s', async (_, scope) => {
    const world = await worldWith(reader('accessProfiles: [!ref AccessProfile/Read]'), {
      seed: seedOf('dev', existing('dev')),
      environment: { prune: { kinds: ['AccessProfile'] } },
    });
    const allowed = ['--prune', '--allow-delete-all', 'AccessProfile'];
    await expectEnd(world.run('plan', ...allowed, ...scope), 1, 'This plan deletes AccessProfile/Read');
  });
});

it('--only narrows what is compared, not what is referred to', async () => {
  const world = await worldWith(both, { seed: seedOf('dev', existing('dev')) });
  await expectEnd(world.run('plan --only Role/*'), 1, '--only or --except leave AccessProfile/Write out');
  const plan = await world.plan('--only', 'AccessProfile/Read');
  expect(plan.changes).toMatchObject([{ address: 'AccessProfile/Read', action: 'update' }]);
});

it('a plan that shows an id with the name of another object is refused, and a name is only shown with its id', async () => {
  const world = await worldWith(reader('owner: !ref Identity/Ann'));
  await world.run('plan --out plan.json');
  const { digest: _digest, ...plan } = JSON.parse(world.read('plan.json'));
  const forge = (name: string) => {
    const changes = plan.changes.map((change: { diff: { named?: object }[] }) => ({
      ...change,
      diff: change.diff.map((entry) => (entry.named ? { ...entry, named: { 'dev-ann': name } } : entry)),
    }));
    const forged = { ...plan, changes };
    world.write('forged.json', JSON.stringify({ ...forged, digest: planDigest(forged) }));
  };
  forge('Source/HR');
  const refusal = async () => {
    const { stdout, stderr } = await expectEnd(world.run('apply forged.json'), 4);
    return (stdout + stderr).replaceAll(/\s+/g, ' ');
  };
  expect(await refusal()).toContain('/owner cannot hold an id of "Source/HR"');
  forge('Identity/Ben%20Ng');
  expect((await world.run('show forged.json')).stdout).toContain('!ref Identity/Ben Ng (dev-ann)');
  expect(await refusal()).toContain(
    'The plan shows the id "dev-ann" as Identity/Ben%20Ng in /owner of Role/Reader, but in the tenant Identity/Ben%20Ng has the id "dev-ben".',
  );
  forge('Identity/Nobody');
  const nobody = await expectEnd(world.run('apply forged.json --format json'), 4);
  const diagnostic = { code: 'plan-name-wrong', address: 'Role/Reader' };
  expect(nobody.json).toMatchObject({ diagnostics: [diagnostic] });
  expect(nobody.stdout).toContain('but in the tenant there is no Identity/Nobody.');
  expect(writesIn(world.sandbox.log)).toEqual([]);
  await succeed(world, 'apply plan.json');
});

it('names the place of a reference to twins of a kind that manifests declare too', async () => {
  const twins = '  AccessProfile: [{ id: a1, name: Same }, { id: a2, name: Same }]\n';
  const world = await worldWith(
    `kind: AccessProfile\nname: Other\n---\n${reader('accessProfiles: [!ref AccessProfile/Same]')}`,
    { seed: seedOf('dev', twins) },
  );
  await expectEnd(world.run('plan'), 1, /^config\/all\.yaml:6:18 +error.*ids a1, a2.*\[ambiguous-ref\]/ms);
});

it('an object that was made again under another id is a change where it is referred to', async () => {
  const world = await worldWith(reader('accessProfiles: [!ref AccessProfile/Read]'), {
    seed: seedOf('dev', existing('dev')),
  });
  await world.run('apply --yes');
  expect((await world.plan()).changes).toEqual([]);
  const [profile] = world.sandbox.state.objects.AccessProfile ?? [];
  if (profile) Object.assign(profile, { id: 'again' });
  const plan = await world.plan();
  expect(plan.changes[0]?.diff.map(({ before, after, named }) => ({ before, after, named }))).toMatchObject([
    { before: { id: 'dev-read' }, after: null },
    { before: null, after: { id: 'again' }, named: { again: 'AccessProfile/Read' } },
  ]);
});

it('stands in overlays and variables too, but nowhere else in an environment', async () => {
  const world = await worldWith(reader('owner: !ref Identity/Ann\nsources: [!var source]'));
  const project = world.read('tenantctl.yaml');
  const merge = 'overlays: [{ target: Role/*, merge: { owner: !ref Identity/Ben Ng } }]';
  const more = `${merge}, variables: { source: !ref Source/HR }`;
  world.write('tenantctl.yaml', project.replace('identity: {', `${more}, identity: {`));
  const [change] = (await world.plan()).changes;
  expect(change?.requests[0]?.body).toMatchObject({ owner: { id: 'dev-ben' }, sources: ['dev-hr'] });
  world.write('tenantctl.yaml', project.replace(/baseUrl: "[^"]*"/, 'baseUrl: !ref Source/HR'));
  expect((await world.run('plan')).stderr).toContain('[misplaced-tag]');
});

it('deletes begin with what refers to others, and a rollback makes them too', async () => {
  const world = await worldWith(both);
  await succeed(world, 'apply --yes --result r.json');
  await succeed(world, 'rollback r.json --allow-delete-all Role AccessProfile --out back.json');
  const back = JSON.parse(world.read('back.json'));
  expect(back.changes.map(({ address }: { address: string }) => address)).toEqual([
    'Role/Reader',
    'AccessProfile/Write',
    'AccessProfile/Read',
  ]);
  // The tenant refuses to delete what others refer to.
  await succeed(world, 'apply back.json');
  expect(world.sandbox.state.objects).toMatchObject({ Role: [], AccessProfile: [] });
});

describe('an export', () => {
  const exported = async (prefix: string) => {
    const world = await worldWith('', { seed: seedOf(prefix, existing(prefix)) });
    const run = await succeed(world, 'export --out config/out --kinds Role AccessProfile SimIntegration');
    return { world, run };
  };

  it('writes names, and plans against a tenant with other ids without an edit', async () => {
    const { world, run } = await exported('dev');
    const files = [...filesBelow(`${world.dir}/config/out`).values()].join('\n');
    expect(files).toContain('owner: !ref Identity/Ann');
    expect(files).toContain('accessProfiles: [!ref AccessProfile/Read, !ref AccessProfile/a%2Fb 100%25]');
    expect(files).toContain('!ref Source/Active Directory');
    expect(files).toContain('cluster: !ref Cluster/va-prod');
    expect(files).toContain('dev-t1');
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'The id in `owner` of Role/Of%20a%20twin stays as it is',
    );
    expect((await world.plan()).changes).toEqual([]);

    const other = await worldWith('', { seed: seedOf('prod', existing('prod')) });
    for (const [path, content] of filesBelow(`${world.dir}/config/out`))
      other.write(`config/out/${path}`, content);
    const plan = await other.plan();
    // The only one that could not be named.
    expect(plan.changes.map(({ address }) => address)).toEqual(['Role/Of%20a%20twin']);
  });

  it('asks for the few that are referred to, where the list is long', async () => {
    const people = Array.from({ length: 2600 }, (_, at) => ({ id: `i-${at}`, name: `Person ${at}` }));
    const role = (name: string, id: string) => ({ id: name, name, owner: { type: 'IDENTITY', id } });
    const { 'kinds/Identity.kind.yaml': _, ...own } = kinds;
    const { objects, ...seed } = parse(seedOf('dev'));
    const Identity = [...people, { id: 'i-twin', name: 'Person 7' }];
    // As JSON, which is read in a hundredth of the time.
    const whole = JSON.stringify({ ...seed, objects: { ...objects, Identity } });
    const world = await createTestWorld({ seed: whole, files: own });
    const exported = async (out: string, ...roles: ReturnType<typeof role>[]) => {
      world.sandbox.state.objects.Role = roles;
      const { length } = world.sandbox.log;
      await succeed(world, `export --kinds Role --out ${out}`);
      const sent = world.sandbox.log.slice(length);
      const asked = sent.filter(({ path }) => path.startsWith('/v2025/identities'));
      return { text: [...filesBelow(`${world.dir}/${out}`).values()].join(''), asked: asked.length };
    };
    const one = await exported('one', role('A', 'i-2500'));
    expect([one.asked, one.text]).toEqual([3, expect.stringContaining('owner: !ref Identity/Person 2500')]);
    const shared = await exported('shared', role('A', 'i-7'), role('B', 'i-8'));
    expect(shared.text).toMatch(/id: i-7\n.*owner: !ref Identity\/Person 8/s);
    const gone = await exported('gone', role('A', 'i-gone'));
    expect(gone).toMatchObject({ text: expect.stringContaining('id: i-gone') });
    const all = await exported('all', ...people.slice(0, 40).map((_, at) => role(`R${at}`, `i-${at}`)));
    expect(all).toMatchObject({ asked: 11, text: expect.stringContaining('owner: !ref Identity/Person 39') });
  });

  it('into existing manifests keeps a reference whose object has that id, and names a new one', async () => {
    const written = reader(
      '# kept\nowner: !ref Identity/Ann  # why\naccessProfiles:\n  - !ref AccessProfile/Read  # first\n  - !ref AccessProfile/a%2Fb 100%25\nsources: [!ref Source/HR]',
    );
    const world = await worldWith(written, { seed: seedOf('dev', existing('dev')) });
    const [role] = world.sandbox.state.objects.Role ?? [];
    if (role) Object.assign(role, { owner: { type: 'IDENTITY', id: 'dev-ben' } });
    await succeed(world, 'export --merge');
    expect(world.read('config/all.yaml')).toBe(
      written
        .replace('Identity/Ann', 'Identity/Ben Ng')
        .replace('[!ref Source/HR]', '[!ref Source/HR, !ref Source/Active Directory]'),
    );
    expect((await world.plan()).changes).toEqual([]);
  });

  it('leaves the ids of a kind that the tenant does not list', async () => {
    const world = await worldWith('', { seed: seedOf('dev', existing('dev')) });
    world.sandbox.faults.add({ kind: 'status', status: 403, operation: 'list-identity' });
    const told = 'Ids of the kind Identity stay as they are';
    await expectEnd(world.run('export --out out --kinds Role'), 0, told);
    const files = [...filesBelow(`${world.dir}/out`).values()].join('\n');
    expect(files).toContain('id: dev-ann');
    expect(files).toContain('!ref Source/HR');
  });
});

describe('a rollback', () => {
  const gone = (...names: string[]) =>
    names.map((name) => `kind: ${name.replace('/', '\nname: ')}\nensure: absent\n`).join('---\n');
  const slash = 'accessProfiles: [!ref AccessProfile/a%2Fb 100%25]';
  const worldAfter = async (manifests: string) => {
    const world = await worldWith(manifests, { seed: seedOf('dev', existing('dev')) });
    await succeed(world, 'apply --yes --result result.json');
    return world;
  };
  const objectsOf = ({ sandbox }: World, kind: string) => sandbox.state.objects[kind] ?? [];

  it.each([
    ['deleted', gone('AccessProfile/Read', 'Role/Reader')],
    ['changed', `${gone('AccessProfile/Read')}---\n${reader(slash)}`],
  ])('gives an object that was %s the new ids of what it refers to', async (_what, manifests) => {
    const world = await worldAfter(manifests);
    const back = await succeed(world, 'rollback result.json --out back.json');
    expect(back.stdout).toContain('!ref AccessProfile/Read (created by this plan)');
    await succeed(world, 'apply back.json');
    const read = objectsOf(world, 'AccessProfile').find(({ name }) => name === 'Read');
    expect(read?.id).not.toBe('dev-read');
    const role = objectsOf(world, 'Role').find(({ name }) => name === 'Reader');
    const ids = [read?.id, 'dev-slash'].map((id) => expect.objectContaining({ id }));
    expect(role?.accessProfiles).toEqual(expect.arrayContaining(ids));
    const { json } = await world.run('rollback result.json --format json');
    expect(json).toMatchObject({ changes: [] });
  });
});
