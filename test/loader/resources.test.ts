import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProject } from '../../src/loader/index.ts';
import { config, errors, failureOf, load, project, resource, resources, thrown } from './fixture.ts';

const template = 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n';

describe('a resource', () => {
  test('has kind, key, address, declared fields and source', () => {
    const [, second] = resources(
      `${template}---\n# two\n${template.replace('en', 'de')}subject: Hallo\nbody: null\n`,
    );
    expect(second).toMatchObject({
      kind: { name: 'NotificationTemplate' },
      key: ['k', 'EMAIL', 'de'],
      address: 'NotificationTemplate/k/EMAIL/de',
      id: null,
      ensure: 'present',
      fields: { subject: 'Hallo', body: null },
      lifecycle: { protect: false, ignore: [], renamedFrom: null, allowLockout: false, basedOn: null },
    });
    expect(second?.source()).toEqual({ file: 'config/a.yaml', line: 7, column: 1 });
    expect(Object.keys(second?.fields ?? {})).toEqual(['subject', 'body']);
  });

  test('percent-encodes its key in the address', () =>
    expect(resource('kind: ProfileSearch\nlabel: A/B c').address).toBe('ProfileSearch/A%2FB%20c'));

  test('keeps its lifecycle', () => {
    const manifest =
      'kind: ProfileSearch\nlabel: a\nlifecycle:\n  protect: true\n  ignore: [/rules]\n  renamedFrom: b\n  allowLockout: true\n';
    expect(resource(manifest).lifecycle).toEqual({
      protect: true,
      ignore: ['/rules'],
      renamedFrom: ['b'],
      allowLockout: true,
      basedOn: null,
    });
  });

  test('may declare absence', () => {
    const absent = resource(`${template}ensure: absent\nlifecycle: { protect: true }`);
    expect([absent.ensure, absent.fields]).toEqual(['absent', {}]);
  });

  test('is pinned by an id, which stands in for a missing name', () => {
    expect(resource('kind: AuthProfile\nname: A\nid: x1')).toMatchObject({ key: ['A'], id: 'x1' });
    expect(resource('kind: AuthProfile\nid: x1\ntype: MFA')).toMatchObject({
      key: ['x1'],
      address: 'AuthProfile/x1',
    });
  });

  test('takes YAML 1.2 values as they are written', () => {
    const manifest =
      'kind: SimIntegration\nname: a\nattributes: { a: yes, b: 2024-01-01, c: 16, d: 1000, 200: ~, e: "<<", "<<": f }';
    expect(resource(manifest).fields).toEqual({
      attributes: { a: 'yes', b: '2024-01-01', c: 16, d: 1000, 200: null, e: '<<', '<<': 'f' },
    });
  });
});

const manifest =
  'kind: SimIntegration\nname: a\nattributes:\n  url: &u x\n  list: [a, { b: c }]\nstatusMap: *u\ndescription: !file d.txt\n';
test.each([
  ['/name', 2, 7],
  ['/attributes/url', 4, 11],
  ['/attributes/list/1/b', 5, 18],
  ['/statusMap/x', 6, 12],
  ['/description', 7, 14],
  ['/attributes/gone', 4, 3],
  ['', 1, 1],
])('locate %s', (at, line, column) => {
  const { point } = resource(manifest, { 'config/d.txt': 'text' });
  expect(point(at).source).toEqual({ file: 'config/a.yaml', line, column });
});

describe('tags', () => {
  const variables = config(
    '    variables: { host: h.example, port: 8443, list: [a, b], deep: { a: { b: 1 } }, pw: !secret PW, home: !env HOME_TOWN }',
  );
  const fieldsOf = (fields: string, files = {}) =>
    resource(
      `kind: SimIntegration\nname: a\n${fields}`,
      { 'tenantctl.yaml': variables, ...files },
      { env: { HOME_TOWN: '007', PW: 'x' } },
    ).fields;

  test('!var gives any value, and the schema sees it', () => {
    expect(fieldsOf('sources: !var list\nattributes: !var deep')).toEqual({
      sources: ['a', 'b'],
      attributes: { a: { b: 1 } },
    });
    expect(fieldsOf('sources: [!var host]')).toEqual({ sources: ['h.example'] });
  });

  test('a variable may come from the environment or be a secret', () =>
    expect(fieldsOf('description: !var home\nattributes: { a: !var pw }')).toEqual({
      description: '007',
      attributes: { a: { $secret: 'PW' } },
    }));

  test('!env is text, whatever it looks like', () =>
    expect(fieldsOf('description: !env HOME_TOWN')).toEqual({ description: '007' }));

  test('!format fills in variables, and leaves $name alone', () =>
    expect(fieldsOf('description: !format "https://%{host}:%{ port }/$name/${x}?100%&%%{host}"')).toEqual({
      description: 'https://h.example:8443/$name/${x}?100%&%{host}',
    }));

  test('!lookup becomes a marker; its conditions may have tags', () =>
    expect(
      fieldsOf(
        'cluster: !lookup { from: ne_attributes, where: { uid: !var host, port: !var port }, take: id }',
      ),
    ).toEqual({
      cluster: { $lookup: { from: 'ne_attributes', where: { uid: 'h.example', port: '8443' }, take: 'id' } },
    }));

  test.each(['', '\uFEFF'])('!file gives the exact text, without a byte order mark: %j', (mark) => {
    const text = 'Grüße ${name}, \uFEFF$x\r\n#if($a)  \r\n  \t\n\n';
    expect(fieldsOf('description: !file ../texts/d.txt', { 'texts/d.txt': `${mark}${text}` })).toEqual({
      description: text,
    });
  });

  test('a secret passes where the schema wants a certain text', () => {
    const manifest = 'kind: MailFrom\nidentity: a.example\nmailFromDomain: !secret D';
    expect(resource(manifest).fields).toEqual({ mailFromDomain: { $secret: 'D' } });
  });
});

describe('secrets', () => {
  const manifest = 'kind: SimIntegration\nname: a\nattributes: { p: !secret PW }';
  const secretsIn = (env: NodeJS.ProcessEnv) => load({ 'config/a.yaml': manifest }, { env }).secrets;
  const inFile = (content: string | Uint8Array, more: NodeJS.ProcessEnv = {}) =>
    secretsIn({ ...more, PW_FILE: join(project({ secret: content }), 'secret') });

  test('come from a variable', () => {
    const secrets = secretsIn({ PW: 's3cret' });
    expect(secrets.reveal('PW')).toBe('s3cret');
    expect(secrets.matches('PW', (text) => text === 's3cret')).toBe(true);
    expect(secrets.matches('PW', (text) => text === 'other')).toBe(false);
  });

  test.each([
    ['one line\n', 'one line'],
    ['two\nlines\r\n', 'two\nlines'],
    ['\ufeffmark of an editor\r\n', 'mark of an editor'],
    ['two\nlines', 'two\nlines'],
    ['a blank line at the end\n\n', 'a blank line at the end\n'],
    [' blanks ', ' blanks '],
  ])('come from a file as they are in it, without the last line ending: %j', (content, text) =>
    expect(inFile(content).reveal('PW')).toBe(text),
  );

  test('are told once, each with its text, to whoever keeps them out of the output', () => {
    const told: string[] = [];
    const configFile = join(project({ 'config/a.yaml': manifest }), 'tenantctl.yaml');
    const { secrets } = loadProject({ configFile, env: { PW: 'x' }, onSecret: (text) => told.push(text) });
    secrets.reveal('PW');
    expect([secrets.reveal('PW'), secrets.matches('PW', (text) => text === 'x'), told]).toEqual([
      'x',
      true,
      ['x'],
    ]);
  });

  test('that are read again from their file are told where their text is another one', () => {
    const told: string[] = [];
    const root = project({ 'config/a.yaml': manifest, secret: 'one' });
    const env = { PW_FILE: join(root, 'secret') };
    const configFile = join(root, 'tenantctl.yaml');
    const { secrets } = loadProject({ configFile, env, onSecret: (text) => told.push(text) });
    expect([secrets.reveal('PW'), secrets.renew?.('PW')]).toEqual(['one', 'one']);
    writeFileSync(env.PW_FILE, 'two\n');
    expect([secrets.renew?.('PW'), secrets.reveal('PW'), told]).toEqual(['two', 'two', ['one', 'two']]);
  });

  test.each<[string, NodeJS.ProcessEnv, string, string]>([
    ['not set', {}, 'secret-unset', 'PW is not set.'],
    ['empty', { PW: '' }, 'secret-unset', 'its value is empty'],
    ['blank', { PW: ' \n' }, 'secret-unset', 'its value is empty'],
    ['empty, as its file is', { PW: '', PW_FILE: '' }, 'secret-unset', 'its value is empty'],
    ['in a device', { PW_FILE: '/dev/zero' }, 'secret-unreadable', 'is not a regular file.'],
    ['in a folder', { PW_FILE: '/' }, 'secret-unreadable', 'is not a regular file.'],
    ['in no file', { PW_FILE: '/nowhere/at/all' }, 'secret-unreadable', 'cannot be read'],
  ])('that are %s do not stop the loading, and say what is wrong', (_, env, code, message) => {
    const { secrets, resources: found } = load({ 'config/a.yaml': manifest }, { env });
    expect(found[0]?.fields).toEqual({ attributes: { p: { $secret: 'PW' } } });
    expect(secrets.problem('PW')).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(secrets.matches('OTHER', (text) => text === '')).toBe(false);
    expect(secrets.matches('PW', (text) => text === 'shown')).toBe(false);
    expect(thrown(() => secrets.reveal('PW')).diagnostics).toMatchObject([{ code }]);
  });

  test.each([
    ['', 'secret-unset', 'the file that PW_FILE names is empty'],
    ['x'.repeat(64 * 1024 + 1), 'secret-unreadable', 'is larger than 64 KiB'],
  ])('in a file of an unlikely size are refused (%#)', (text, code, message) =>
    expect(inFile(text).problem('PW')).toMatchObject({ code, message: expect.stringContaining(message) }),
  );

  test.each([
    ['UTF-16, as PowerShell writes it', Buffer.from('\ufeffsecret\r\n', 'utf16le')],
    ['no text', Buffer.from([0x61, 0xff])],
  ])('in a file that is %s are refused: their text would be another one', (_, bytes) =>
    expect(inFile(bytes).problem('PW')).toMatchObject({
      code: 'not-utf8',
      message: 'The file that PW_FILE names is not UTF-8 text.',
    }),
  );

  test('that are empty as a variable come from their file', () => {
    const secrets = inFile('from file', { PW: '' });
    expect(secrets.problem('PW')).toBeNull();
    expect(secrets.reveal('PW')).toBe('from file');
  });

  const credentials = `version: 1
defaultEnvironment: a
environments:
  a:
    identity: { baseUrl: 'https://a.example', auth: { clientId: !env A_ID, clientSecret: !env A_SECRET } }
    variables: { shown: !env A_SECRET, id: !env A_ID }
  b: { identity: { baseUrl: 'https://b.example', auth: { token: !env B_TOKEN } } }
`;
  const other = 'identity: { baseUrl: "https://c.example", auth: { token: !secret C_TOKEN } }\n';
  const env = { A_ID: 'i', A_SECRET: 'x', B_TOKEN: 'x', C_TOKEN: 'x', PW: 'x', PLAIN: 'x' };

  test('are no text of `!env`, wherever the project names them as credentials', () => {
    const template = 'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\nsubject: !env';
    const files = {
      'tenantctl.yaml': credentials,
      'environments/c.yaml': other,
      'config/a.yaml': `${template} B_TOKEN\nbody: !env C_TOKEN\nfrom: !env PW\nreplyTo: !env PLAIN\nname: !env A_ID\n`,
      'config/b.yaml': manifest,
    };
    const found = failureOf(files, { env });
    expect(errors(found)).toEqual([
      'env-secret config/a.yaml:5:10',
      'env-secret config/a.yaml:6:7',
      'env-secret config/a.yaml:7:7',
      'env-secret tenantctl.yaml:6:25',
    ]);
    expect(found[0]?.hint).toContain('!secret B_TOKEN');
  });

  test('of environments in files of their own are no text of `!env` either', () => {
    const template = 'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\nsubject: !env';
    const found = failureOf(
      {
        'environments/c.yaml': other.replace('!secret C_TOKEN', '!env C_LOGIN'),
        'config/a.yaml': `${template} C_LOGIN\n`,
      },
      { env: { C_LOGIN: 'x' }, environment: 'test' },
    );
    expect(errors(found)).toEqual(['env-secret config/a.yaml:5:10']);
  });

  test('that are not set are nothing to keep out of the output, and the refusal says how to set them', () => {
    const told: unknown[] = [];
    const configFile = join(project({ 'config/a.yaml': manifest }), 'tenantctl.yaml');
    const { secrets } = loadProject({ configFile, env: {}, onSecret: (text) => told.push(text) });
    const { diagnostics } = thrown(() => secrets.reveal('PW'));
    expect(diagnostics).toMatchObject([{ hint: expect.stringContaining('PW_FILE') }]);
    expect(told).toEqual([]);
  });

  test('are no text of `!env` by their names either, since a change may stop to use them', () => {
    const env = { GITHUB_TOKEN: 'x', DESK_PASSWORD: 'x', TOKEN_URL: 'u', HELP_DESK: 'h' };
    const template = 'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\n';
    const texts =
      'subject: !env GITHUB_TOKEN\nbody: !env DESK_PASSWORD\nfrom: !env HELP_DESK\nname: !env TOKEN_URL\n';
    const found = failureOf({ 'config/a.yaml': template + texts }, { env });
    expect(errors(found)).toEqual(['env-secret config/a.yaml:5:10', 'env-secret config/a.yaml:6:7']);
    expect(found[0]?.hint).toContain('another name');
  });

  test('are no text of `!env` by their values either, which no message repeats', () => {
    const env = {
      CI_REPOSITORY_URL: 'https://gitlab-ci-token:canary-1@gitlab.example/a.git',
      HELP_URL: 'https://help.acme.example',
    };
    const template = 'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\n';
    const texts = 'subject: !env CI_REPOSITORY_URL\nbody: !env DEPLOY\nfrom: !env HELP_URL\n';
    const dotEnv = 'DEPLOY=ghp_canary234567890123456789';
    const found = failureOf({ '.env': dotEnv, 'config/a.yaml': template + texts }, { env });
    expect(errors(found)).toEqual(['env-secret config/a.yaml:5:10', 'env-secret config/a.yaml:6:7']);
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  test.each<[string, string]>([
    ['that does not fit its field', 'kind: SenderAddress\nemail: !env GITHUB_TOKEN\n'],
    ['that is no kind', 'kind: !env GITHUB_TOKEN\nname: a\n'],
    ['that two objects are called', 'kind: ProfileSearch\nlabel: !env GITHUB_TOKEN\n---\n'.repeat(2)],
    [
      'beside many other mistakes',
      `email: !env GITHUB_TOKEN\n${'---\nkind: SenderAddress\nemail: x\n'.repeat(60)}`,
    ],
  ])('are in no other message either: one %s', (_what, manifests) => {
    const text = manifests.startsWith('email') ? `kind: SenderAddress\n${manifests}` : manifests;
    const found = failureOf({ 'config/a.yaml': text }, { env: { GITHUB_TOKEN: 'canary-1' } });
    expect(new Set(found.map(({ code }) => code))).toEqual(new Set(['env-secret']));
    expect(JSON.stringify(found)).not.toContain('canary');
  });
});

describe('files', () => {
  test('are read sorted, by all globs, each once; empty documents are skipped', () => {
    const address = (name: string) => `kind: SenderAddress\nemail: ${name}@a.example\n`;
    const { resources: found } = load({
      'tenantctl.yaml': `${config()}manifests: [c/**/*.yaml, c/b/*.yaml]\n`,
      'c/z.yaml': `\uFEFF---\n# nothing\n---\n${address('z')}`,
      'c/b/a.yaml': address('a'),
      'c/empty.yaml': '',
      'c/b/readme.md': 'no manifest',
    });
    expect(found.map(({ key }) => key[0])).toEqual(['a@a.example', 'z@a.example']);
  });

  test('a manifest that ends otherwise is told, and others of that ending are not', () => {
    const sender = (name: string) => `kind: SenderAddress\nemail: ${name}@b.example\n`;
    const files = {
      'config/a.yaml': sender('a'),
      'config/b.yml': sender('b'),
      'config/c/C.YAML': `# Ours\n---\n${sender('c')}`,
      'config/compose.yml': 'services: {}\n',
      'config/other.yml': 'kind: Deployment\n',
    };
    const found = load(files);
    expect(found.resources).toHaveLength(1);
    expect(found.diagnostics).toMatchObject([
      { code: 'unread-file', severity: 'warning', message: expect.stringMatching(/^config\/b\.yml /) },
      { code: 'unread-file', message: expect.stringMatching(/^config\/c\/C\.YAML /) },
    ]);
    expect(found.diagnostics[0]?.hint).toContain('Rename it to config/b.yaml');
  });

  test('a manifest of another ending is read where a glob names it, and passed over where one excludes it', () => {
    const files = {
      'tenantctl.yaml': `${config()}manifests: [config/**/*.yaml, more/*.yml, "!config/old/**"]\n`,
      'config/a.yaml': 'kind: SenderAddress\nemail: a@b.example\n',
      'config/old/b.yml': 'kind: SenderAddress\nemail: b@b.example\n',
      'more/c.yml': 'kind: SenderAddress\nemail: c@b.example\n',
    };
    expect(load(files)).toMatchObject({ resources: { length: 2 }, diagnostics: [] });
  });

  test.each([
    ['before its dashes', 'a\n\uFEFF---\nb'],
    ['behind its dashes', 'a\n---\n\uFEFFb'],
    ['behind dashes of a checkout with CRLF', 'a\r\n---\r\n\uFEFFb'],
  ])('a byte order mark of a second document counts as little as the first one: %s', (_, text) => {
    const manifest = text.replace(/[ab]/g, (name) => `kind: SenderAddress\nemail: ${name}@b.example`);
    expect(resources(`\uFEFF${manifest}\n`).map(({ key }) => key)).toEqual([
      ['a@b.example'],
      ['b@b.example'],
    ]);
  });

  test('a glob that leaves the project is refused', () => {
    const found = failureOf({ 'tenantctl.yaml': `${config()}manifests:\n  - ../*.yaml\n` });
    expect(errors(found)).toEqual(['outside-project tenantctl.yaml:6:5']);
  });

  test('links out of the project are refused, links inside it are followed', () => {
    const outside = project({ 'x.yaml': 'kind: SenderAddress\nemail: out@b.example\n' });
    const root = project({ 'texts/t.yaml': 'kind: SenderAddress\nemail: in@b.example\n' });
    mkdirSync(join(root, 'config'));
    symlinkSync(join(outside, 'x.yaml'), join(root, 'config/file.yaml'));
    symlinkSync(outside, join(root, 'config/folder'));
    symlinkSync('../texts/t.yaml', join(root, 'config/inside.yaml'));
    const find = () =>
      errors(thrown(() => loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {} })).diagnostics);
    expect(find()).toEqual(['outside-project tenantctl.yaml:1:1']);
    rmSync(join(root, 'config/folder'));
    expect(find()).toEqual(['outside-project config/file.yaml:1:1']);
  });

  test('a side file that is a link out of the project is refused', () => {
    const root = project({ 'config/a.yaml': `${template}body: !file b.html` });
    symlinkSync('/etc/hostname', join(root, 'config/b.html'));
    const found = thrown(() =>
      loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {} }),
    ).diagnostics;
    expect(errors(found)).toEqual(['outside-project config/a.yaml:5:7']);
  });
});

test('nothing but the project is touched while loading', () => {
  const root = project({ 'config/a.yaml': template });
  loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {} });
  expect(readdirSync(root).sort()).toEqual(['config', 'tenantctl.yaml']);
});

test('the example project loads', () => {
  const configFile = 'examples/tenantctl.yaml';
  const { resources: found, diagnostics } = loadProject({ configFile, env: { SNOW_PASSWORD: 'x' } });
  expect(new Set(found.map(({ kind }) => kind)).size).toBe(8);
  expect(diagnostics).toEqual([]);
  expect(() =>
    loadProject({ configFile, environment: 'production', env: { SNOW_PASSWORD: 'x' } }),
  ).not.toThrow();
});

test('a manifest that changes between runs is read again', () => {
  const root = project({ 'config/a.yaml': `${template}subject: one` });
  const options = { configFile: join(root, 'tenantctl.yaml'), env: {} };
  const before = readFileSync(join(root, 'config/a.yaml'), 'utf8');
  loadProject(options);
  writeFileSync(join(root, 'config/a.yaml'), before.replace('one', 'two'));
  expect(loadProject(options).resources[0]?.fields).toEqual({ subject: 'two' });
});
