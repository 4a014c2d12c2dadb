import { describe, expect, it } from 'vitest';
import { addToEnvExample } from '../../src/exporter/files.ts';
import type { Json } from '../../src/model/json.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import {
  declaringSecrets,
  exportOf,
  integration,
  load,
  manifestOf,
  planFor,
  search,
  statusRule,
  template,
} from './support.ts';

/** What an export takes for a credential: by name, by form, by the name beside it, and by existing manifests. */

/** The attributes of an exported integration, as they are loaded again, and the plan that follows. */
function roundTrip(attributes: Json) {
  const objects = [integration('Desk', { attributes })];
  const { files } = exportOf(objects);
  const project = load(files);
  const text = files.map(({ content }) => content).join('\n');
  return { text, fields: project.resources[0]?.fields, plan: planFor(project, objects) };
}

const named = (name: string) => ({ $secret: `SIM_INTEGRATION_DESK_ATTRIBUTES_${name}` });

it.each<[string, Json, Json]>([
  ['a name', { pwd: 'canary' }, { pwd: named('PWD') }],
  ['a form', { hook: 'https://a:canary@b.example' }, { hook: named('HOOK') }],
  [
    'pairs',
    { auth: { name: 'password', value: 'canary' } },
    { auth: { name: 'password', value: named('AUTH_VALUE') } },
  ],
  [
    'a pair in a list',
    {
      headers: [
        { key: 'Accept', value: 'json' },
        { key: 'Authorization', value: 'canary' },
      ],
    },
    {
      headers: [
        { key: 'Accept', value: 'json' },
        { key: 'Authorization', value: named('HEADERS_1_VALUE') },
      ],
    },
  ],
  ['JSON in text', { text: '[{"name":"token","value":"canary"}]' }, { text: named('TEXT') }],
])('writes as a secret what %s tells to be one, and plans nothing', (_, attributes, declared) => {
  const { text, fields, plan } = roundTrip(attributes);
  expect(text).not.toContain('canary');
  expect(fields).toEqual({ attributes: declared });
  expect(plan.changes).toEqual([]);
});

it('writes as secrets, by their names, what manifests declare so already', () => {
  const objects = [
    template('welcome', {
      subject: 'canary-subject',
      body: `canary\n${'long '.repeat(100)}\n\n\n`,
      from: 'a@b.example',
    }),
    search('Staff', [statusRule('canary-rule')]),
  ];
  const secrets = new Map<string, Record<Pointer, string>>([
    ['NotificationTemplate/welcome/EMAIL/en', { '/subject': 'MINE', '/body': 'OTHER' }],
    ['ProfileSearch/Staff', { '/rules/3/value': 'RULE' }],
  ]);
  const { files, secrets: named } = exportOf(objects, {
    declared: ({ address }) => declaringSecrets(secrets.get(address) ?? {}),
  });
  const text = files.map(({ content }) => content).join('\n');
  expect(text).not.toContain('canary');
  expect(text).toContain('subject: !secret MINE');
  expect(text).toContain('body: !secret OTHER');
  expect(text).toContain('from: a@b.example');
  expect(named.map(({ name }) => name)).toEqual(['MINE', 'OTHER']);
});

const desk = (fields: Record<string, Json>) => integration('I', { request: {}, statusMap: {}, ...fields });

describe('settings', () => {
  it.each<[string, Json]>([
    ['by name', { password: 'canary' }],
    ['below such a name', { credentials: { user: 'canary', list: ['canary'] } }],
    ['in the query of a URL', { url: 'https://desk.example/?token=canary' }],
    ['as a pair in a text', { options: 'user=svc;password=canary' }],
    ['in JSON inside a text', { options: '{"inner":{"apiKey":"canary"}}' }],
    ['in JSON that spells its name otherwise', { options: '{"pass\\u0077ord":"canary"}' }],
    ['in a list of JSON inside a text', { options: ' [{"client_secret":"canary"}]' }],
    ['in a list', { servers: [{ url: 'x', password: 'canary' }] }],
    ['in a text inside a list', { servers: ['https://desk.example/?token=canary'] }],
    ['in settings that cannot be parsed', 'password is canary'],
    ['in settings that are a list', ['https://desk.example/?token=canary']],
  ])('with a credential %s', (_, attributes) => {
    for (const field of ['attributes', 'request', 'statusMap']) {
      expect(JSON.stringify(exportOf([desk({ [field]: attributes })]).files)).not.toContain('canary');
    }
  });

  it('with a number for a credential say what is left out, and why', () => {
    const manifest = manifestOf(desk({ attributes: { url: 'u', port: 1, password: 4711 } }));
    expect(manifest).toContain('url: u');
    expect(manifest).toContain('port: 1');
    expect(manifest).not.toContain('4711');
    expect(manifest).toContain('# attributes.password is left out: it may hold a credential');
  });

  it.each<[Json, string]>([
    [{ options: 'user=svc' }, 'options: user=svc'],
    [{ options: '{"user":"svc"}' }, 'options: "{\\"user\\":\\"svc\\"}"'],
    [{ password: '' }, 'password: ""'],
    // A blank secret counts as not set.
    [{ password: ' ' }, 'password: " "'],
    [{ user: 'svc', keyboard: 'qwerty' }, 'keyboard: qwerty'],
  ])('without a credential are written: %j', (attributes, line) =>
    expect(manifestOf(desk({ attributes }))).toContain(line),
  );
});

it('the text of a template may speak of passwords', () => {
  const slackTemplate = { text: 'token: $token', key: 'k' };
  const manifest = manifestOf(template('a', { body: 'password=$password', slackTemplate }));
  for (const line of ['body: password=$password', 'text: "token: $token"', 'key: k'])
    expect(manifest).toContain(line);
});

describe('the list of secrets to set', () => {
  const secret = { name: 'S_PASSWORD', address: 'SimIntegration/S', at: '/attributes/password' };
  const listed = (existing: string | null) => addToEnvExample(existing, [secret]);
  const entry = '\n# SimIntegration/S, attributes.password\nS_PASSWORD=\n';

  it('begins with what it is', () => {
    const head =
      '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';
    for (const existing of [null, '', ' \n']) expect(listed(existing)).toBe(head + entry);
  });

  it.each([
    ['a line', 'OLD=\n', `OLD=\n${entry}`],
    ['a line without end', 'OLD=', `OLD=\n${entry}`],
    ['lines of Windows', 'OLD=\r\n', `OLD=\r\n${entry.replaceAll('\n', '\r\n')}`],
    ['lines of Windows without end', 'A=\r\nOLD=', `A=\r\nOLD=\r\n${entry.replaceAll('\n', '\r\n')}`],
    [
      'a value that looks like it',
      'A=https://x.example/?S_PASSWORD=1\n',
      `A=https://x.example/?S_PASSWORD=1\n${entry}`,
    ],
    ['a longer name', 'S_PASSWORD_2=\n', `S_PASSWORD_2=\n${entry}`],
  ])('goes on below %s', (_name, existing, expected) => expect(listed(existing)).toBe(expected));

  it.each([
    'S_PASSWORD=\n',
    'export S_PASSWORD=ask Ada\n',
    'export  S_PASSWORD=\n',
    '# S_PASSWORD = from the vault\r\n',
  ])('leaves what a person wrote about a secret: %j', (existing) => expect(listed(existing)).toBe(existing));

  it('says of each secret where it alone is used', () => {
    const other = { name: 'T_TOKEN', address: 'SimIntegration/T', at: '/attributes/token' };
    expect(addToEnvExample('A=\n', [secret, other])).toBe(
      `A=\n${entry}\n# SimIntegration/T, attributes.token\nT_TOKEN=\n`,
    );
  });

  it('lists a secret of several places once, and nothing without secrets', () => {
    expect(addToEnvExample('A=\n', [secret, { ...secret, address: 'SimIntegration/T' }])).toBe(
      'A=\n\n# SimIntegration/S, attributes.password\n# SimIntegration/T, attributes.password\nS_PASSWORD=\n',
    );
    expect(addToEnvExample(null, [])).toBeNull();
    expect(addToEnvExample('A=', [])).toBe('A=');
  });
});
