import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { noticesOf } from '../../src/kinds/resource.ts';
import { openProjects } from '../../src/loader/index.ts';
import { liveFrom } from '../support/plan.ts';
import { brief, config, errors, type Files, failureOf, load, project, refusalOf } from './fixture.ts';

/** What the manifests of a project declare of live objects, as far as they can be read. */

const declarationsIn = (files: Files) =>
  openProjects({ configFile: join(project(files), 'tenantctl.yaml'), env: {} }).declarations(undefined);
const desk = (name: string, id: string) => liveFrom({ kind: 'SimIntegration', raw: { id, name }, id });
const sender = (email: string) => liveFrom({ kind: 'SenderAddress', raw: { id: 's', email }, id: 's' });

describe('a live object', () => {
  const files = {
    'config/a.yaml':
      'kind: SimIntegration\nname: Desk\nattributes: { a: x, p: !secret P, in: [!secret Q] }\n',
    'config/b.yaml':
      '# first\nkind: SimIntegration\nid: x1\ntype: t\n---\nkind: SenderAddress\nemail: A@b.example\n',
    'config/c.yaml': 'kind: SimIntegration\nname: Broken\nnonsense: 1\ntype: [t]\n',
  };

  it('is found by its key, by its id, in the case of its kind, and in a manifest with mistakes', () => {
    const { find } = declarationsIn(files);
    const placeOf = (object: Parameters<typeof find>[0]) => {
      const source = find(object);
      return source && `${source.file}:${source.line}:${source.column}`;
    };
    expect(placeOf(desk('Desk', 'y'))).toBe('config/a.yaml:1:1');
    expect(placeOf(desk('Other', 'x1'))).toBe('config/b.yaml:2:1');
    expect(placeOf(sender('a@B.example'))).toBe('config/b.yaml:6:1');
    expect(placeOf(desk('Broken', 'y'))).toBe('config/c.yaml:1:1');
    expect(placeOf(desk('desk', 'y'))).toBeNull();
    expect(placeOf(sender('other@b.example'))).toBeNull();
  });

  it('has what its manifest declares, and the places of its secrets', () => {
    const { declared } = declarationsIn(files);
    expect(declared(desk('Desk', 'y')).fields).toEqual({
      attributes: { a: 'x', p: { $secret: 'P' }, in: [{ $secret: 'Q' }] },
    });
    expect(declared(desk('Desk', 'y')).secrets()).toEqual(['/attributes/p', '/attributes/in/0']);
    expect(declared(desk('None', 'y')).fields).toEqual({});
    expect(declared(desk('None', 'y')).secrets()).toEqual([]);
  });

  it('is that of the first manifest, where two declare it', () => {
    const twice =
      'kind: SimIntegration\nname: Desk\ntype: one\n---\nkind: SimIntegration\nname: Desk\ntype: two\n';
    expect(declarationsIn({ 'config/a.yaml': twice }).declared(desk('Desk', 'y')).fields).toEqual({
      type: 'one',
    });
  });

  it('may be declared under its former name', () => {
    const renamed = 'kind: SimIntegration\nname: New\nlifecycle: { renamedFrom: Old }\n';
    expect(declarationsIn({ 'config/a.yaml': renamed }).find(desk('Old', 'y'))).toMatchObject({ line: 1 });
  });
});

it('a new file would be a manifest where the globs say so, and it is nothing else', () => {
  const { covers, globs } = declarationsIn({
    'tenantctl.yaml': `${config()}manifests: ["**/*.yaml", "!drafts/**"]\n`,
    'kinds/Role.kind.yaml': 'kind: Role\nsummary: s\nservice: identity\npath: /r\nkey: name\n',
  });
  const paths = ['a.yaml', 'x/b.yaml', 'a.yml', 'drafts/a.yaml', 'tenantctl.yaml', 'environments/new.yaml'];
  expect(paths.filter(covers)).toEqual(['a.yaml', 'x/b.yaml']);
  expect(covers('kinds/Role.kind.yaml')).toBe(false);
  expect(globs).toEqual({
    patterns: ['**/*.yaml', '!drafts/**'],
    source: { file: 'tenantctl.yaml', line: 5, column: 12 },
  });
});

it('the second of two manifests for one object is refused, with where the first one is', () => {
  const one = (name: string, former = 'z') =>
    `kind: SimIntegration\nname: ${name}\nlifecycle: { renamedFrom: ${former} }\n`;
  const found = failureOf({
    'config/a.yaml': one('a', 'y'),
    'config/b.yaml': `\n${one('b/c')}---\n${one('a', 'x')}---\n${one('d')}`,
  }).filter(({ severity }) => severity === 'error');
  const hint = 'Keep one of the two manifests.';
  expect(found.map((each) => [brief(each), each.message, each.address, each.hint])).toEqual([
    [
      'duplicate-object config/b.yaml:6:1',
      'SimIntegration/a is declared twice; first in config/a.yaml, line 1.',
      'SimIntegration/a',
      hint,
    ],
    [
      'duplicate-object config/b.yaml:10:1',
      'SimIntegration/z is declared twice; first in config/b.yaml, line 2.',
      'SimIntegration/d',
      hint,
    ],
  ]);
});

it('two objects that swap their names are refused, with the way to do it', () => {
  const named = (name: string, former: string) =>
    `kind: ProfileSearch\nlabel: ${name}\nlifecycle: { renamedFrom: ${former} }\n`;
  const found = failureOf({ 'config/a.yaml': `${named('a', 'b')}---\n${named('b', 'a')}` });
  expect(found.map(({ code, message }) => [code, message.split(';')[0]])).toEqual([
    [
      'duplicate-object',
      'ProfileSearch/b is the name of one object here and the former name of another there',
    ],
    [
      'duplicate-object',
      'ProfileSearch/a is the name of one object here and the former name of another there',
    ],
  ]);
  for (const { hint } of found) expect(hint).toContain('a third name');
});

it('what is known of a kind is told once, where it is declared first', () => {
  const { resources } = load({
    'config/a.yaml': 'kind: ProfileSearch\nlabel: a\n---\nkind: SimIntegration\nname: a\n',
    'config/b.yaml': 'kind: SimIntegration\nname: b\n',
  });
  expect(noticesOf(resources).map(brief)).toEqual(['sim-deprecated config/a.yaml:4:1']);
});

const integration = (description: string, more = '') =>
  `kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\ndescription: ${description}\n${more}`;

/** The declaration of a manifest in an environment with the variable `company`. */
function declarationOf(manifest: string, company = 'Acme', more: Files = {}, environment = '') {
  const { resources } = load({
    'tenantctl.yaml': config(`    variables: { company: ${company} }\n${environment}`),
    'config/a.yaml': manifest,
    'config/text.txt': 'A text.\n',
    ...more,
  });
  const [{ declaration } = { declaration: null }] = resources;
  if (!declaration) throw new Error('The manifest declares nothing.');
  return declaration;
}

const digestOf = (...args: Parameters<typeof declarationOf>) => declarationOf(...args).digest();
const overlay = (description: string) =>
  `    overlays: [{ target: SimIntegration/*, merge: { description: ${description} } }]\n`;

describe('the digest of what a manifest declares', () => {
  it.each<[string, string, string]>([
    ['comments and layout', integration('A'), integration("'A' # text", '# end\n')],
    [
      'the order of members',
      integration('A'),
      'description: A\ntype: ServiceNow Service Desk\nname: Tickets\nkind: SimIntegration\n',
    ],
    ['where a tag stands', integration('!var company'), `# moved\n\n${integration('!var company')}`],
    [
      'one',
      integration('A', 'attributes: { a: x, b: x }'),
      integration('A', 'attributes: { a: &x x, b: *x }'),
    ],
  ])('does not depend on %s', (_, one, other) => expect(digestOf(other)).toBe(digestOf(one)));

  it('is the same in environments with other variables, secrets and overlays', () => {
    const manifest = integration('!format "For %{company}"', 'attributes: { password: !secret D }');
    expect(digestOf(manifest, 'Other', {}, overlay('B'))).toBe(digestOf(manifest));
  });

  it.each<[string, string, string]>([
    ['a value', integration('A'), integration('B')],
    ['a variable instead of its value', integration('Acme'), integration('!var company')],
    [
      'the name of a secret',
      integration('A', 'attributes: { password: !secret D }'),
      integration('A', 'attributes: { password: !secret P }'),
    ],
    ['lifecycle', integration('A'), integration('A', 'lifecycle: { protect: true }')],
    ['the key', integration('A'), integration('A').replace('Tickets', 'Requests')],
    ['ensure', integration('A'), 'kind: SimIntegration\nname: Tickets\nensure: absent\n'],
  ])('depends on %s', (_, one, other) => expect(digestOf(other)).not.toBe(digestOf(one)));

  it('depends on what a side file says, and not on its path', () => {
    const from = (file: string, text: string) =>
      digestOf(integration(`!file ${file}`), 'Acme', { [`config/${file}`]: text });
    expect(from('a.txt', 'A')).toBe(from('b.txt', 'A'));
    expect(from('a.txt', 'B')).not.toBe(from('a.txt', 'A'));
  });

  it('depends on the descriptors of its kind and of those that it refers to', () => {
    const kind = (name: string, field: string) =>
      `kind: ${name}\npath: /v2025/${name}\nkey: name\nfields: { ${field}: text, to: { is: value, to: Team } }\n`;
    const from = (role: string, team: string) =>
      digestOf('kind: Role\nname: a\nto: !ref Team/b\n', 'Acme', {
        'kinds/Role.kind.yaml': kind('Role', role),
        'kinds/Team.kind.yaml': kind('Team', team),
      });
    expect(new Set([from('a', 'a'), from('b', 'a'), from('a', 'b'), from('a', 'a')]).size).toBe(3);
  });
});

describe('where an environment departs from what is declared', () =>
  it('names what tags and overlays decide, and nothing else', () => {
    const manifest = integration(
      'A',
      'cluster: !var company\nattributes: { a: 1, url: !format "https://%{company}/", list: [x, !var company] }\n',
    );
    expect(declarationOf(manifest).differsHere()).toEqual([
      '/cluster',
      '/attributes/url',
      '/attributes/list/1',
    ]);
    expect(declarationOf(integration('A'), 'Acme', {}, overlay('B')).differsHere()).toEqual(['/description']);
    expect(declarationOf(integration('A'), 'Acme', {}, overlay('A')).differsHere()).toEqual([]);
    expect(declarationOf(integration('!file text.txt')).differsHere()).toEqual([]);
    const longer = '    overlays: [{ target: "**", merge: { sources: [a, b] } }]\n';
    expect(declarationOf(integration('A', 'sources: [a]\n'), 'Acme', {}, longer).differsHere()).toEqual([
      '/sources',
    ]);
  }));

it('a manifest cannot write a note of a tag itself', () => {
  const manifest = integration('A', 'attributes: { a: { $tag: [!!str "!var", company, 1] } }');
  expect(() => declarationOf(manifest)).toThrow('The key `$tag` is reserved for tenantctl.');
});

const kindFile = (name: string, path: string, more = '') => ({
  [`kinds/${name}.kind.yaml`]: `kind: ${name}\npath: ${path}\nkey: name\n${more}`,
});

const singleFile = (name: string, path: string, more = 'update: put\n') => ({
  [`kinds/${name}.kind.yaml`]: `kind: ${name}\npath: ${path}\nsingle: true\n${more}`,
});

describe('a collection of a built-in kind', () => {
  const place = 'collection-taken kinds/Ticket.kind.yaml:2:7';

  test('has no other name, under which its guards and hidden settings would not count', () => {
    expect(errors(refusalOf(kindFile('Ticket', '/v2024/sim-integrations', 'delete: true\n')))).toEqual([
      place,
    ]);
    const [refused] = refusalOf(kindFile('Ticket', '/v2024/sim-integrations'));
    expect(refused?.message).toContain('`SimIntegration`');
    expect(refused?.hint).toContain('SimIntegration');
  });

  test.each([
    ['of another version', '/v2026/sim-integrations'],
    ['without a version', '/sim-integrations'],
    ['of a version that has only a name', '/beta/sim-integrations'],
    ['in another case', '/v2024/Sim-Integrations'],
    ['of the latest version', '/latest/sim-integrations'],
    ['of a minor version', '/v2024.1/sim-integrations'],
    ['of a version before its release', '/v1beta/sim-integrations'],
    ['behind a word that says nothing', '/api/latest/sim-integrations'],
    ['that names a format', '/v2024/sim-integrations.json'],
    ['that newer hosts use', '/sim-integrations/v1'],
    ['of the other service', '/api/advanced_search'],
    ['whose beginning a base URL may have', '/advanced_search'],
  ])('nor by a path %s', (_, path) => expect(errors(refusalOf(kindFile('Ticket', path)))).toEqual([place]));

  test.each([
    ['with its id', '/v2024/auth-profiles/2c91', undefined],
    ['of another version', '/beta/auth-profiles/2c91.json', undefined],
    ['on newer hosts', '/auth-profiles/v1/2c91', undefined],
    ['for each of them', '/v2024/auth-profiles/{of}', 'update: put\nparent: { of: AuthProfile }\n'],
    ['that is only read', '/v2024/auth-profiles/2c91', 'update: none\n'],
  ])('has no object %s that is described as a single one', (_, path, more) => {
    expect(errors(refusalOf(singleFile('Ticket', path, more)))).toEqual([place]);
  });

  test('is not given to another kind by an environment', () => {
    const text = (path: string) => `version: 1
environments:
  test:
    identity:
      baseUrl: https://a.example
      auth: { token: !env T }
      paths: { Ticket: ${path} }
`;
    const project = (path: string) => ({
      'tenantctl.yaml': text(path),
      ...kindFile('Ticket', '/v2025/tickets'),
    });
    expect(load(project('/tickets/v1')).environment.settings.paths).toEqual({ Ticket: '/tickets/v1' });
    expect(errors(refusalOf(project('/v2025/sim-integrations')))).toEqual([
      'collection-taken tenantctl.yaml:7:24',
    ]);
  });

  test.each([
    ['the base URL has all of it', 'identity', 'https://a.example/sim-integrations', '/v1'],
    ['the base URL has it in escapes', 'identity', 'https://a.example/%73im-integrations', '/v1'],
    ['the base URL has it behind a folder', 'identity', 'https://a.example/api/sim-integrations', '/v1'],
  ])('is not reached where %s', (_, service, baseUrl, path) => {
    const text = `version: 1
environments:
  test:
    ${service}: { baseUrl: ${baseUrl}, auth: { token: !env T } }
`;
    const files = {
      'tenantctl.yaml': text,
      ...kindFile('Ticket', path, `service: ${service}\ndelete: true\n`),
    };
    const [refused] = refusalOf(files);
    expect(refused).toMatchObject({ code: 'collection-taken', source: { file: 'tenantctl.yaml', line: 4 } });
  });

  test('is not reached by the path that an environment sets for the built-in kind', () => {
    const text = `version: 1
environments:
  test:
    identity: { baseUrl: https://a.example, auth: { token: !env T }, paths: { SimIntegration: /desk/items } }
    profiles: { baseUrl: https://b.example, profileSearchPath: /searches }
`;
    const project = (path: string) => ({
      'tenantctl.yaml': text,
      ...kindFile('Ticket', path, 'delete: true\n'),
    });
    expect(errors(refusalOf(project('/v2/desk/items')))).toEqual(['collection-taken tenantctl.yaml:4:95']);
    expect(errors(refusalOf(project('/searches')))).toEqual(['collection-taken tenantctl.yaml:5:26']);
    expect(errors(refusalOf({ ...project(''), ...singleFile('Ticket', '/v2/desk/items/1') }))).toEqual([
      'collection-taken tenantctl.yaml:4:95',
    ]);
    expect(load(project('/v2/desk/others')).environment.kinds.find('Ticket')).toBeDefined();
  });

  test.each([
    ['a single object below one of its objects', '/v2024/auth-profiles/2c91/settings', singleFile],
    ['a collection below one of its objects', '/v2024/auth-profiles/2c91/rules', kindFile],
    ['a collection beside its objects', '/v2024/auth-profiles/rules', kindFile],
    ['an object of one that is only read', '/v2025/sources/2c91', singleFile],
  ])('is not %s', (_, path, fileOf) => {
    const { environment } = load({ 'tenantctl.yaml': config(), ...fileOf('Ticket', path, 'update: put\n') });
    expect(environment.kinds.find('Ticket')).toBeDefined();
  });

  test('may be described where the built-in kind is only read', () => {
    const { environment } = load({
      'tenantctl.yaml': config(),
      ...kindFile('Connector', '/v2025/sources', 'update: json-patch\n'),
    });
    expect(environment.kinds.find('Connector')).toBeDefined();
  });
});

describe('a collection of one’s own', () => {
  const role = kindFile('Role', '/v2025/roles', 'delete: true\n');

  test('is written by one kind', () =>
    expect(errors(refusalOf({ ...role, ...kindFile('Rolle', '/v2025/roles', 'create: true\n') }))).toEqual([
      'collection-taken kinds/Role.kind.yaml:2:7',
      'collection-taken kinds/Rolle.kind.yaml:2:7',
    ]));

  test('has no object that another kind writes, below any parent', () => {
    const schema = kindFile(
      'Schema',
      '/v2025/sources/{source}/schemas',
      'update: put\nparent: { source: Source }\n',
    );
    const refused = ['collection-taken kinds/One.kind.yaml:2:7'];
    expect(errors(refusalOf({ ...role, ...singleFile('One', '/v2026/roles/2c91') }))).toEqual(refused);
    expect(errors(refusalOf({ ...schema, ...singleFile('One', '/v2025/sources/2c91/schemas/1') }))).toEqual(
      refused,
    );
    const settings = {
      ...singleFile('Settings', '/v2025/settings'),
      ...singleFile('Colours', '/v2025/settings/colours'),
      ...kindFile('Setting', '/v1', 'update: put\n'),
    };
    const { environment } = load({ 'tenantctl.yaml': config(), ...role, ...schema, ...settings });
    expect(environment.kinds.find('Colours')).toBeDefined();
  });

  test('may have another kind that is only read, to be referred to by another key', () => {
    const { environment } = load({ ...role, ...kindFile('RoleByName', '/v2025/roles') });
    expect(environment.kinds.find('RoleByName')).toBeDefined();
  });
});
