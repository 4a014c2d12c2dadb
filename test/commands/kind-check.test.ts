import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { serve } from '../support/api-host.ts';
import { createTestWorld, expectEnd, succeed, type World } from '../support/world.ts';

const example = fileURLToPath(new URL('../../examples/kinds/', import.meta.url));

/** The example project, against a tenant that serves its kinds. */
async function exampleWorld({ isProven = false } = {}): Promise<World> {
  const world = await createTestWorld({
    sandbox: { seed: join(example, 'sandbox.seed.yaml'), kinds: join(example, 'kinds') },
  });
  for (const folder of ['kinds', 'config'])
    cpSync(join(example, folder), join(world.dir, folder), { recursive: true });
  if (isProven) return world;
  for (const name of readdirSync(join(world.dir, 'kinds')))
    world.write(`kinds/${name}`, world.read(`kinds/${name}`).replace(/^proven: .*\n/m, ''));
  return world;
}

const roleFile = 'kinds/Role.kind.yaml';

it('the example project has an empty plan without a warning, and proofs of what its descriptors say', async () => {
  const { run } = await exampleWorld({ isProven: true });
  const { stdout } = await expectEnd(run('plan --detailed-exitcode'), 0);
  expect(stdout).toContain('No changes.');
  expect(stdout).not.toContain('warning');
});

describe('a descriptor that holds', () => {
  it('is shown to hold by reading only', async () => {
    const { run, sandbox, read } = await exampleWorld();
    const before = read(roleFile);
    const stdout =
      'Role holds in test: a plan of the export of its only object is empty.\nIt is still unproven. Add --write to mark it as proven.\n';
    expect(await run('kind check Role')).toMatchObject({ code: 0, stdout, stderr: '' });
    const methods = sandbox.log.filter(({ path }) => path !== '/oauth/token').map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(['GET']));
    expect(read(roleFile)).toBe(before);
  });

  it.each(['AccessProfile', 'Transform', 'Source', 'Identity', 'Cluster'])('example: %s', async (kind) => {
    const { run } = await exampleWorld();
    expect(await run('kind check', kind)).toMatchObject({ code: 0, stderr: '' });
  });

  const allUnproven = ['AccessProfile is unproven.', 'Role is unproven.', 'Transform is unproven.'];
  /** What a command says of kinds that are unproven. */
  async function unprovenIn({ run }: World, ...argv: string[]): Promise<string[]> {
    const { stdout } = await run(...argv, '--format', 'json');
    const all: { code: string; message: string }[] = JSON.parse(stdout).diagnostics;
    return all.filter(({ code }) => code === 'kind-unproven').map(({ message }) => message);
  }

  it.each(['validate', 'plan'])('is unproven in %s as far as its objects are selected', async (command) => {
    const world = await exampleWorld();
    // Nothing declares the kinds that are only referred to.
    expect(await unprovenIn(world, command)).toEqual(allUnproven);
    expect(await unprovenIn(world, command, '--only', 'Role/**')).toEqual(['Role is unproven.']);
  });

  it('is unproven in plans until it is marked, and again when it changes', async () => {
    const world = await exampleWorld();
    const { run, write, read } = world;
    const warnings = () => unprovenIn(world, 'plan');
    expect(await warnings()).toEqual(allUnproven);
    const { stdout } = await run('kind check Role --write');
    expect(stdout).toContain('Marked as proven in kinds/Role.kind.yaml. Commit the file.');
    expect(read(roleFile)).toMatch(/^serverOwned: .*\nproven: sha256:[0-9a-f]{64}\n$/m);
    expect(await warnings()).toEqual(['AccessProfile is unproven.', 'Transform is unproven.']);
    expect((await run('kind check Role')).stdout).not.toContain('unproven');

    write(roleFile, `# A comment\n${read(roleFile).replace(/^summary: .*/m, 'summary: Other words.')}`);
    expect(await warnings()).toHaveLength(2);
    write(roleFile, read(roleFile).replace('pageSize: 50', 'pageSize: 49'));
    expect(await warnings()).toContain('Role is unproven: its descriptor has changed since it was checked.');
    await run('kind check Role --write');
    expect(read(roleFile).match(/^proven:/gm)).toHaveLength(1);
    expect(await warnings()).toHaveLength(2);
  });

  it('holds whatever overlays change', async () => {
    const world = await exampleWorld();
    const overlays = "overlays: [{ target: 'Role/*', merge: { enabled: false } }]";
    world.write('tenantctl.yaml', world.read('tenantctl.yaml').replace(/"limits"/, `${overlays}, "limits"`));
    await succeed(world, 'kind check Role');
  });
});

type Row = Record<string, unknown>;

/** A host with a list of things, which answers what a test says. */
async function hostWith({ rows, one }: Trial) {
  let calls = 0;
  const methods = new Set<string>();
  const url = await serve((request, response) => {
    methods.add(request.method ?? '');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    const id = pathname.slice('/v1/things/'.length);
    calls += id === '' ? 1 : 0;
    const list = rows(searchParams, calls);
    const found =
      typeof list === 'number' ? 404 : (one ?? ((row) => row))(list.find((row) => row.id === id) ?? {});
    const answer = id === '' ? list : found;
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(typeof answer === 'number' ? { detailCode: 'refused' } : answer));
  });
  return { url, methods };
}

const descriptor = `kind: Thing
path: /v1/things
key: name
list: { pageSize: 10, filter: true }
update: json-patch
create: true
delete: true
fields: { size: value }
`;

interface Trial {
  readonly rows: (query: URLSearchParams, call: number) => readonly Row[] | number;
  readonly kind?: string;
  /** What the host answers for one of its rows by its id. */
  readonly one?: (row: Row) => Row | number;
}

/** What \`kind check Thing\` finds. */
async function checkThing(trial: Trial, ...words: string[]) {
  const { kind = descriptor } = trial;
  const host = await hostWith(trial);
  const files = { 'kinds/Thing.kind.yaml': kind };
  const world = await createTestWorld({ files, env: { TOKEN: 'a-token' } });
  world.write(
    'tenantctl.yaml',
    `version: 1\nenvironments: { test: { identity: { baseUrl: ${host.url}, auth: { token: !secret TOKEN } } } }\n`,
  );
  const ran = await world.run('kind check Thing', ...words);
  expect([...host.methods]).toEqual(['GET']);
  return { ...ran, world };
}

/** Pages and filters like a sound host. */
const sound = (rows: readonly Row[]) => (query: URLSearchParams) => {
  const names = [...(query.get('filters') ?? '').matchAll(/name eq "([^"]*)"/g)].map(([, name]) => name);
  const found = rows.filter(({ name }) => !query.has('filters') || names.includes(String(name)));
  const offset = Number(query.get('offset') ?? 0);
  return found.slice(offset, offset + Number(query.get('limit') ?? found.length));
};

const thing = (id: string, more: Row = {}): Row => ({ id, name: `Thing ${id}`, size: 1, ...more });

it('holds for a host that knows its objects by another member than `id`, with a filter', async () => {
  const rows = sound(['a', 'b'].map((code) => ({ code, name: `Thing ${code}`, size: 1 })));
  await expectEnd(checkThing({ rows, kind: `${descriptor}id: code\n` }), 0);
});

it('holds for a host that answers the same in another order, and with other members that are null', async () => {
  const turned = (query: URLSearchParams, call: number) =>
    sound([
      thing('a', {
        size: call % 2 ? ['x', 'y'] : ['y', 'x'],
        modified: String(call),
        ...(call % 2 ? { more: null } : {}),
      }),
    ])(query);
  const kind = descriptor.replace('size: value', 'size: set, more: json');
  const one = (row: Row) => ({ ...row, size: ['y', 'x'], more: null });
  const { stdout, stderr } = await expectEnd(checkThing({ rows: turned, kind, one }), 0);
  const hint = 'It is still unproven. Add --write to mark it as proven.';
  const said = `Thing holds in test: a plan of the export of its only object is empty.\n${hint}\n`;
  expect({ stdout, stderr }).toEqual({ stdout: said, stderr: '' });
});

it('lists the places that ask for a secret and have no policy yet', async () => {
  const size = { password: 'pa55-word', apiToken: 't0ken-value', key: 'k3y-value' };
  const rows = sound([thing('a', { size })]);
  const kind = descriptor.replace('value', 'json');
  const places = 'places: { size/password: secret, size/key: plain }\n';
  const { stdout } = await expectEnd(checkThing({ rows, kind: `${kind}${places}` }), 0);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'info  A plan of the export of Thing asks for secrets:  [kind-asks-secrets]',
    '    - size/apiToken in Thing/Thing%20a',
  ]);
});

describe('a descriptor that does not hold', () => {
  const many = Array.from({ length: 9 }, (_, at) => thing(`t${at}`));
  const filter = 'The filter name eq "Thing t0" or name eq "Thing t1" does not find';
  const sized = (type: string) => descriptor.replace('value', type);
  const things = (...sizes: unknown[]) => sound(sizes.map((size, at) => thing('abc'[at] ?? '', { size })));
  it.each<[string, Trial['rows'], says: string]>([
    [
      'a field that changes by itself',
      (query, call) => things(call)(query),
      '`size` of Thing/Thing%20a changed by itself between two reads.',
    ],
    [
      'a key that two objects have',
      sound([thing('a', { name: 'Same' }), thing('b', { name: 'Same' })]),
      '2 objects are Thing/Same (ids a, b): the key does not distinguish them.',
    ],
    [
      'a row without the key',
      sound([thing('a'), { id: 'b', title: 'No name' }]),
      'lists a row without a text in `name` (id b)',
    ],
    [
      'a page that the tenant cuts',
      (query) => {
        const offset = Number(query.get('offset') ?? 0);
        return sound(many)(query).slice(0, query.has('filters') ? 9 : Math.min(4, 9 - offset));
      },
      'The tenant lists 4 objects at once although there are more, but the descriptor says 10.',
    ],
    [
      'a filter that finds nothing',
      (query) => (query.has('filters') ? [] : sound(many)(query)),
      `${filter} Thing/Thing%20t0.`,
    ],
    [
      'a filter that the tenant refuses',
      (query) => (query.has('filters') ? 400 : sound(many)(query)),
      `${filter} Thing/Thing%20t0.`,
    ],
    [
      'a filter that finds the first only',
      (query) => sound(many)(query).slice(0, query.has('filters') ? 1 : 9),
      `${filter} Thing/Thing%20t1.`,
    ],
    [
      'rows without an id',
      sound([{ name: 'A' }, { name: 'B' }]),
      'The tenant shows no `id` of 2 of 2 objects, such as Thing/A: neither a request nor a `!ref` could name it. [kind-row-unreadable]',
    ],
    ['no objects', things(), 'The tenant has no Thing, so the descriptor cannot be proven.'],
    [
      'a plan of the export that is not empty',
      // Two reads, a page, a filter, the export; then the plan.
      (query, call) => things(call > 5 ? 2 : 1)(query),
      'A plan of the export would change `size` of Thing/Thing%20a.',
    ],
  ])('%s', async (_name, rows, says) => {
    const { stdout, stderr, world } = await expectEnd(checkThing({ rows }, '--write'), 1);
    expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(says);
    expect(world.read('kinds/Thing.kind.yaml')).not.toContain('proven');
  });

  const [asText, person, people] = [
    '{ is: json, text: true }',
    '{ is: reference, to: Identity }',
    '{ is: references, to: Identity }',
  ];
  it.each<[string, string, sizes: unknown[], type: string, fits: string]>([
    ['text where the tenant has an object', asText, [null, { cm: 1 }], 'json', 'json'],
    ['text where the tenant has a list', asText, [null, [{ cm: 1 }]], 'json', 'json'],
    ['an object where the tenant has text', 'json', ['{"cm":1}'], 'json', asText],
    ['a reference where the tenant has an id', person, [1], 'reference', '{ is: value, to: Identity }'],
    ['references where the tenant has ids', people, [['i']], 'references', '{ is: set, to: Identity }'],
    ['a set where the tenant has text', 'set', [null, 'canary'], 'set', 'value'],
    ['an object with members where the tenant has text', 'json', ['large'], 'json', ''],
  ])('%s: %s', async (_name, said, sizes, type, fits) => {
    const ran = await expectEnd(checkThing({ rows: things(...sizes), kind: sized(said) }, '--write'), 1);
    const which =
      sizes.length === 1 ? '`size` of Thing/Thing%20a' : '`size` of 1 of 2 objects, such as Thing/Thing%20b';
    const says = `${which} does not have the form of the type \`${type}\`, in which an apply would write it. [kind-field-form]`;
    const words = `${ran.stdout}${ran.stderr}`.replace(/\s+/g, ' ');
    expect(words).toContain(says);
    if (fits) expect(words).toContain(`hint: Say \`${fits}\` in \`fields\``);
    expect(ran.world.read('kinds/Thing.kind.yaml')).not.toContain('proven');
  });

  it('another answer by the id counts for the fields of the descriptor', async () => {
    const rows = sound([thing('a'), thing('b')]);
    const { stdout } = await expectEnd(checkThing({ rows, one: (row) => ({ ...row, size: 7 }) }), 1);
    expect(stdout).toContain('`size` of Thing/Thing%20a differs in a read by id.  [kind-field-unstable]');
    await expectEnd(checkThing({ rows, one: (row) => ({ ...row, more: 7 }) }), 0);
  });

  it('a value that does not fit, beside one that does, is a warning', async () => {
    const kind = descriptor.replace('value', 'set');
    const rows = sound([thing('a', { size: ['x'] }), thing('b', { size: 'y' })]);
    expect((await expectEnd(checkThing({ rows, kind }), 0)).stdout).toContain('[not-declarable]');
  });

  it('objects without an id can be those of a kind that is only created, on a host without pages', async () => {
    const kind = descriptor.replace('json-patch', 'none').replace('delete: true', 'delete: false');
    const rows = () => [{ name: 'A' }, { name: 'B' }];
    const { stdout } = await expectEnd(
      checkThing({ rows, kind: kind.replace('filter: true', 'filter: false') }),
      0,
    );
    expect(stdout).toContain('a plan of the export of its 2 objects is empty');
  });

  it('a field that it does not name is a warning, with a suggestion', async () => {
    const owner = { type: 'IDENTITY', id: 'i1', name: 'Somebody' };
    const rows = sound([
      thing('a', { owner, tags: ['x'], note: 'two\nlines', settings: { a: { b: 1 } }, '@odata.type': 't' }),
      thing('b', { owner, friends: [owner] }),
    ]);
    const { stdout, stderr } = await expectEnd(checkThing({ rows }), 0);
    expect(stderr).toBe('');
    const said = stdout.replace(/\s+/g, ' ');
    expect(said).toContain(
      'The descriptor does not name `owner` of 2 of 2 objects, such as Thing/Thing%20a.',
    );
    for (const suggestion of [
      'owner: { is: reference, to: KIND }',
      'tags: set',
      'note: text',
      'settings: json',
      'friends: { is: references, to: KIND }',
    ])
      expect(said).toContain(`Add \`${suggestion}\``);
    expect(said).not.toContain('@odata');
  });

  it.each([
    [['check', 'Role', '--out', 'x'], 'kind check takes no --out.'],
    [['draft', 'x.yaml', '/v1/x', '--write'], 'kind draft takes no --write.'],
    [['draft', 'x.yaml', '/v1/x', '--format', 'json'], 'kind draft takes no --format.'],
  ])('%j is refused', async (words, says) => {
    const { run } = await exampleWorld();
    await expectEnd(run('kind', ...words), 1, says);
  });

  it('is told as JSON too', async () => {
    const { json } = await expectEnd(checkThing({ rows: sound([]) }, '--format', 'json'), 1);
    expect(json).toMatchObject({ diagnostics: [{ code: 'kind-no-objects', severity: 'error' }] });
    const rows = sound([thing('a')]);
    const holds = await checkThing({ rows }, '--format', 'json');
    expect([holds.code, holds.json]).toMatchObject([0, { diagnostics: [] }]);
    expect(holds.stderr).toContain('Thing holds in test');
  });
});

it('needs no secret that an export would name', async () => {
  const kind = descriptor.replace('size: value', 'config: { is: json, declares: members }');
  const rows = sound([thing('a', { config: { url: 'u', password: 'canary-p' } })]);
  const { stdout, stderr } = await expectEnd(checkThing({ rows, kind }), 0);
  expect(`${stdout}${stderr}`).not.toContain('canary');
  expect(stdout).toContain('Thing holds in test');
});

it('shows no value of the tenant, and no escapes', async () => {
  const rows = (_query: URLSearchParams, call: number) => [
    thing('a', {
      size: `canary-${call}`,
      password: 'canary-p',
      'canary-free\u001b[31m': 1,
      deep: { token: 'canary-t' },
    }),
  ];
  const { stdout, stderr } = await checkThing({ rows }, '--verbose');
  expect(stdout).toContain('`size`');
  // The name of a field is shown, without its escape.
  expect(`${stdout}${stderr}`.replaceAll('canary-free', '')).not.toContain('canary');
  expect(stdout).not.toContain('\u001b');
});

it.each([
  ['Rol', 'unknown-kind', 'Did you mean `Role`?'],
  ['SenderAddress', 'kind-built-in', 'kinds/SenderAddress.kind.yaml'],
])('%s cannot be checked', async (name, code, words) => {
  const { run } = await exampleWorld();
  await expectEnd(run('kind check', name), 1, code, words);
});

describe('objects that no manifest can declare', () => {
  const long = thing('long', { name: 'n'.repeat(1025) });

  it('do not count as exported', async () => {
    const { stdout } = await expectEnd(checkThing({ rows: sound([thing('a'), long]) }), 0);
    expect(stdout).toContain('a plan of the export of 1 of its 2 objects is empty');
  });

  it('prove nothing where there are no others', async () => {
    const { stdout, stderr } = await expectEnd(checkThing({ rows: sound([long]) }, '--write'), 1);
    expect(stdout + stderr).toContain('[kind-no-objects]');
  });
});
