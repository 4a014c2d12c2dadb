import { describe, expect, test } from 'vitest';
import { config, errors, load, refusalOf } from './fixture.ts';

const kindFile = (name: string, path: string, more = '') => ({
  [`kinds/${name}.kind.yaml`]: `kind: ${name}\npath: ${path}\nkey: name\n${more}`,
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
  ])('nor by a path %s', (_, path) => {
    expect(errors(refusalOf(kindFile('Ticket', path)))).toEqual([place]);
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
    expect(load(project('/v2/desk/others')).environment.kinds.find('Ticket')).toBeDefined();
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

  test('is written by one kind', () => {
    expect(errors(refusalOf({ ...role, ...kindFile('Rolle', '/v2025/roles', 'create: true\n') }))).toEqual([
      'collection-taken kinds/Role.kind.yaml:2:7',
      'collection-taken kinds/Rolle.kind.yaml:2:7',
    ]);
  });

  test('may have another kind that is only read, to be referred to by another key', () => {
    const { environment } = load({ ...role, ...kindFile('RoleByName', '/v2025/roles') });
    expect(environment.kinds.find('RoleByName')).toBeDefined();
  });
});
