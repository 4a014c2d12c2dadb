/** Credentials in plain text in a manifest: a plan has to contain them. */
import { afterEach, expect, it } from 'vitest';
import { lint } from '../../src/lint/index.ts';
import type { Json } from '../../src/model/json.ts';
import { brief, config, load } from '../loader/fixture.ts';
import { resource } from '../support/plan.ts';
import { createWorld, expectEnd, type World } from '../support/world.ts';

const found = (attributes: Json) => {
  const resources = [resource('SimIntegration', ['S'], { attributes })];
  return lint({ resources, known: null, levels: { 'json-text': 'off' } }).map(({ code, message }) => [
    code,
    message.split(' ')[0],
  ]);
};

it.each<[string, Json, string]>([
  ['text', { url: 'u', password: 'hunter2' }, '`/attributes/password`'],
  ['a number', { port: 1, password: 4242 }, '`/attributes/password`'],
  ['a list', { passwords: [null, 'hunter2'] }, '`/attributes/passwords/1`'],
  ['a mapping', { credentials: { value: 'hunter2' } }, '`/attributes/credentials/value`'],
  ['an address', { url: 'https://x?token=hunter2' }, '`/attributes/url`'],
  ['JSON text', '{"password":"hunter2"}', '`/attributes/password`'],
  ['JSON text inside', { more: '{"password":"hunter2"}' }, '`/attributes/more`'],
  ['a pair', { headers: [{ name: 'Authorization', value: 'hunter2' }] }, '`/attributes/headers/0/value`'],
  ['a form', { hook: 'https://user:hunter2@x' }, '`/attributes/hook`'],
  ['text that cannot be read', 'user=a;password=hunter2', '`/attributes`'],
])('are found in %s', (_what, attributes, at) => {
  expect(found(attributes)).toEqual([['plain-credential', at]]);
});

it.each<[string, Json]>([
  ['secrets', { password: { $secret: 'NAME' } }],
  ['masks', { password: '********' }],
  ['encrypted text', { password: '1:ACP:abcdef' }],
  ['what is unset', { password: '', secret: null, token: [] }],
  ['switches', { usesToken: true }],
  ['names that say nothing', { url: 'https://x', user: 'a' }],
])('are no %s', (_what, attributes) => {
  expect(found(attributes)).toEqual([]);
});

it('are no words of other kinds', () => {
  const resources = [
    resource('NotificationTemplate', ['password', 'EMAIL', 'en'], { subject: 'password=hunter2' }),
  ];
  expect(lint({ resources, known: null, levels: {} }).map(({ code }) => code)).toEqual([]);
});

it('are no secrets at a place that a policy calls secret', () => {
  const kind = `kind: Hook
path: /v2025/hooks
update: put
fields: { conn: json }
places: { conn/**/box: secret }
`;
  const hook =
    'kind: Hook\nname: H\nconn: { box: !secret BOX, deep: [{ box: !secret BOX }, { box: text }] }\n';
  const { resources } = load({
    'tenantctl.yaml': config(),
    'kinds/Hook.kind.yaml': kind,
    'config/a.yaml': hook,
  });
  const told = lint({ resources, known: null, levels: { 'plain-credential': 'warning' } });
  expect(told.map(({ message }) => message.split(' ')[0])).toEqual(['`/conn/deep/1/box`']);
});

it('are told with their place, but their line is not shown', () => {
  const text = 'kind: SimIntegration\nname: S\ntype: t\nattributes:\n  password: canary-in-clear\n';
  const { resources } = load({ 'tenantctl.yaml': config(), 'config/a.yaml': text });
  const [first, ...others] = lint({ resources, known: null, levels: { 'plain-credential': 'warning' } });
  expect(others).toEqual([]);
  expect(first).toMatchObject({ code: 'plain-credential', source: { file: 'config/a.yaml', line: 5 } });
  expect(first).not.toHaveProperty('excerpt');
  expect(JSON.stringify(first)).not.toContain('canary');
});

const manifest = 'kind: SimIntegration\nname: S\ntype: t\nattributes: { url: u, password: !var password }\n';

it('are ignored for an embedded tenant, unless the project sets a level', () => {
  const variables = '    variables: { password: opens-nothing }\n';
  const codes = (more: string) => {
    const { resources, lint: levels } = load({
      'tenantctl.yaml': `${config(variables)}${more}`,
      'config/a.yaml': manifest,
    });
    return lint({ resources, known: null, levels }).map(brief);
  };
  expect(codes('')).toEqual([]);
  expect(codes('lint: { plain-credential: error }\n')).toEqual(['plain-credential config/a.yaml:4:33']);
});

it('are not seen in a mapping of secrets', () => {
  const { resources, lint: levels } = load({
    'tenantctl.yaml': `${config('')}lint: { plain-credential: error }\n`,
    'kinds/Hook.kind.yaml':
      'kind: Hook\npath: /v2025/hooks\nkey: name\nlist: { pageSize: 50 }\nupdate: put\nfields: { config: json }\nplaces: { config/creds: secret }\n',
    'config/a.yaml': 'kind: Hook\nname: a\nconfig: { creds: { user: !secret U, deep: [[!secret P]] } }\n',
    'config/b.yaml': 'kind: Hook\nname: b\nconfig: { creds: { user: !secret U, deep: [[clear]] } }\n',
  });
  const told = lint({ resources, known: null, levels }).filter(({ code }) => code === 'plain-credential');
  expect(told.map(({ source }) => source?.file)).toEqual(['config/b.yaml']);
});

let world: World | null = null;
afterEach(() => world?.close());

it('are reported with their place by validate and plan, and never shown', async () => {
  world = await createWorld({ environment: { variables: { password: 'hunter2' } } });
  world.write(
    'config/a.yaml',
    `${manifest.replace('!var password', 'hunter2')}---\n${manifest.replace('name: S', 'name: T')}`,
  );
  for (const argv of [['validate'], ['plan'], ['plan']]) {
    const { stdout, stderr } = await expectEnd(world.run(...argv), 0);
    expect(stdout + stderr).toContain('plain-credential');
    expect(stdout + stderr).toContain('config/a.yaml:4:33');
    expect(stdout + stderr).toContain('config/a.yaml:9:33');
    expect(stdout + stderr).not.toContain('hunter2');
  }
  // The name of the credential is not the one beside its value.
  world.write(
    'config/a.yaml',
    'kind: SimIntegration\nname: S\ntype: t\nattributes: { credentials: { value: hunter2 } }\n',
  );
  for (const command of ['validate', 'plan']) {
    const { stdout, stderr } = await world.run(command);
    expect(stdout + stderr).toContain('config/a.yaml:4:37');
    expect(stdout + stderr).not.toContain('hunter2');
  }
  world.write('config/a.yaml', manifest.replace('!var password', '!secret PASSWORD'));
  world.env.PASSWORD = 'hunter2';
  expect((await world.plan()).diagnostics.map(({ code }) => code)).not.toContain('plain-credential');
});
