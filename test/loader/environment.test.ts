import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Environment, presetNames, presets } from '../../src/kinds/project.ts';
import { loadEnvironment, loadEnvironmentNames } from '../../src/loader/index.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { config, errors, failureOf, load, project, refusalOf, resource, thrown } from './fixture.ts';

const remote = (more = '') => `version: 1
environments:
  prod:
    identity:
      baseUrl: https://acme.api.example.com/
      auth: { clientId: !env ID, clientSecret: !env SECRET }
    profiles:
      baseUrl: https://profiles.example.com
${more}`;

function environment(text: string, env: NodeJS.ProcessEnv = {}, name?: string): Environment {
  return load({ 'tenantctl.yaml': text }, { env, ...(name !== undefined && { environment: name }) })
    .environment;
}

function tenantOf(...from: Parameters<typeof environment>) {
  const { connection } = environment(...from);
  return connection.to === 'tenant' ? connection : expect.fail();
}

/** How an environment signs in to the identity service. */
function clientOf(...from: Parameters<typeof environment>) {
  const { identity } = tenantOf(...from);
  return identity?.auth.by === 'client-credentials' ? identity.auth : expect.fail();
}

function tokenOf(...from: Parameters<typeof environment>) {
  const { profiles } = tenantOf(...from);
  return profiles?.auth.by === 'token' ? profiles.auth.token : expect.fail();
}

describe('a tenant at two addresses', () => {
  test('is parsed and filled with defaults, without asking for credentials', () => {
    const { tenant, settings, limits, policy } = environment(remote());
    expect(tenant).toEqual({
      identity: 'https://acme.api.example.com',
      profiles: 'https://profiles.example.com',
    });
    expect(settings).toEqual(contractSettings);
    const times = { timeout: null, settle: 60_000 };
    expect(limits).toEqual({ requests: 100, per: 10_000, concurrency: 16, answers: null, ...times });
    expect(policy).toEqual({ protect: [], prune: { kinds: [], keep: [] }, maxDeletes: 10, readOnly: false });
    const { identity, profiles } = tenantOf(remote());
    expect(profiles?.auth).toBe(identity?.auth);
    const { tokenUrl, clientSecret } = clientOf(remote());
    expect(tokenUrl).toBe('https://acme.api.example.com/oauth/token');
    expect(thrown(clientSecret).diagnostics[0]?.code).toBe('secret-unset');
  });

  test('reads credentials when they are asked for', () => {
    const { clientId, clientSecret } = clientOf(remote(), { ID: 'me', SECRET: 'shh' });
    expect([clientId(), clientSecret()]).toEqual(['me', 'shh']);
  });

  test('may have credentials of its own for each service, and a token, beside the certificate of the other', () => {
    const tls = 'tls: { cert: !env C, key: !env K }\n      auth:';
    const text = remote('      auth: { token: !secret T }\n').replace('auth:', tls);
    expect(tokenOf(text, { T: 'abc' })()).toBe('abc');
    expect(tenantOf(text, { C: 'pem' }).profiles?.tls?.cert?.()).toBe('pem');
  });

  const tenantAt = (address: string) =>
    `version: 1\nenvironments:\n  p:\n    profiles:\n      baseUrl: ${JSON.stringify(address)}\n      auth: { token: !env T }\n`;

  test.each([
    ['https://a.example//', 'https://a.example'],
    ['https://A.example:443/base/', 'https://a.example/base'],
    ['https://a.example/one//two///', 'https://a.example/one//two'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
    ['http://127.0.0.53', 'http://127.0.0.53'],
    ['http://127.10.20.30', 'http://127.10.20.30'],
  ])('is known by its address without the slashes at the end: %s', (written, address) =>
    expect(environment(tenantAt(written)).tenant.profiles).toBe(address),
  );

  test.each([
    ['ftp://localhost/', 'https://'],
    ['ws://127.0.0.1', 'https://'],
    ['http://128.0.0.1', 'https://'],
    ['http://1.127.0.0.1.example', 'https://'],
    ['http://127.0.0.1.example', 'https://'],
    ['http://notlocalhost', 'https://'],
    ['http://localhost.example', 'https://'],
    ['http://evil.example', 'https://'],
    ['https://me@a.example', 'credentials'],
    ['https://:hunter2@a.example', 'credentials'],
    ['https://a.example/?tenant=a', '?'],
    ['https://a.example/#a', '#'],
    ['a.example', 'https://'],
    ['https://\ud800.example', 'https://'],
  ])('is refused with its reason, and no credential is shown: %j', (written, why) => {
    const [found] = refusalOf({ 'tenantctl.yaml': tenantAt(written) });
    expect(found).toMatchObject({ code: 'invalid-url', message: expect.stringContaining(why) });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  test('tells where a credential that is not set is asked for', () => {
    const text = remote('      auth: { token: !env T }\n      tls: { cert: !secret C, key: !env K }\n');
    const { clientId, clientSecret } = clientOf(text);
    const { cert = expect.fail, key = expect.fail } = tenantOf(text).profiles?.tls ?? {};
    const asked = [clientId, clientSecret, tokenOf(text), cert, key];
    expect(asked.flatMap((ask) => errors(thrown(ask).diagnostics))).toEqual([
      'secret-unset tenantctl.yaml:6:25',
      'secret-unset tenantctl.yaml:6:48',
      'secret-unset tenantctl.yaml:9:22',
      'secret-unset tenantctl.yaml:10:20',
      'secret-unset tenantctl.yaml:10:36',
    ]);
  });

  test('may have a client id in the file, which is no secret', () =>
    expect(clientOf(remote().replace('!env ID', 'my-client')).clientId()).toBe('my-client'));

  test('knows the settings of its addresses, for messages about hosts', () => {
    const text = remote().replace('auth:', 'tokenUrl: https://login.example/token\n      auth:');
    const { identity, profiles } = tenantOf(text);
    expect([identity?.setting, clientOf(text).setting, profiles?.setting]).toMatchObject([
      {
        name: 'identity.baseUrl',
        source: { file: 'tenantctl.yaml', line: 5, column: 16 },
        excerpt: expect.stringContaining('5 |       baseUrl: https://acme.api.example.com/\n'),
      },
      { name: 'identity.tokenUrl', source: { line: 6, column: 17 } },
      { name: 'profiles.baseUrl', source: { line: 9, column: 16 } },
    ]);
  });

  test('may have other paths for the kinds of the identity service, and for what belongs to them', () => {
    const at = (paths: string) => remote().replace('auth:', `paths: { ${paths} }\n      auth:`);
    const paths = { MailFrom: '/mail', TestNotification: '/test' };
    expect(environment(at('MailFrom: /mail, TestNotification: /test')).settings.paths).toEqual(paths);
    const unknown = (name: string) => refusalOf({ 'tenantctl.yaml': at(`${name}: /x`) });
    const place = 'unknown-kind tenantctl.yaml:6:16';
    expect(errors(unknown('MailForm'))).toEqual([place]);
    expect(unknown('MailForm')[0]?.hint).toContain('`MailFrom`');
    // That one is of the other service.
    expect(errors(unknown('ProfileSearch'))).toEqual([place]);
    const long = 'x'.repeat(200);
    expect(unknown(long)[0]?.message).not.toContain('x'.repeat(81));
    expect(unknown(long)[0]?.hint).toMatch(/`identity\.paths` takes .*MailFrom, .*TestNotification\./);
  });

  test('may be one service only', () => {
    const { connection, tenant } = environment(
      'version: 1\nenvironments:\n  p:\n    profiles:\n      baseUrl: http://127.0.0.1:8080/\n      auth: { token: !env T }\n',
    );
    expect(connection).toMatchObject({ to: 'tenant', identity: null });
    expect(tenant).toEqual({ identity: '', profiles: 'http://127.0.0.1:8080' });
  });

  test('takes every setting', () => {
    const text = `version: 1
environments:
  p:
    identity:
      baseUrl: https://a.example
      auth: { token: !env T }
      experimentalHeader: X-Other
      jsonText: object
      simUpdate: put
      simPatchBody: array
      simPatchOps: replace
      dkimSuffix: dkim.mail.example
      sendTest: extended
    profiles:
      baseUrl: https://b.example
      profileSearchPath: /api/searches
      profileSearchDelete: true
      profileSearchObjectType: condition_object_type
    protect: [MailFrom/a*]
    prune: { kinds: [MailFrom], keep: [MailFrom/b*] }
    limits: { requests: 5, per: 500ms, concurrency: 2, timeout: 30s, settle: 1.5m, answers: 4GB, maxDeletes: 0 }
`;
    expect(environment(text)).toMatchObject({
      settings: {
        experimentalHeader: 'X-Other',
        jsonText: 'object',
        simUpdate: 'put',
        simPatchBody: 'array',
        simPatchOps: 'replace',
        dkimSuffix: 'dkim.mail.example',
        sendTest: 'extended',
        profileSearchPath: '/api/searches',
        profileSearchDelete: true,
        profileSearchObjectType: 'condition_object_type',
      },
      policy: {
        protect: ['MailFrom/a*'],
        prune: { kinds: ['MailFrom'], keep: ['MailFrom/b*'] },
        maxDeletes: 0,
      },
      limits: {
        ...{ requests: 5, per: 500, concurrency: 2, timeout: 30_000 },
        ...{ settle: 90_000, answers: 4 * 2 ** 30 },
      },
    });
  });
});

describe('a preset', () => {
  const settings = (text: string) => environment(text).settings;

  test.each(presetNames)('%s stands for its settings', (name) => {
    const { service } = presets[name];
    const text = `version: 1
environments: { p: { ${service}: { baseUrl: https://a.example, auth: { token: !env T }, preset: ${name} } } }
`;
    expect(settings(text)).toEqual({ ...contractSettings, ...presets[name].settings });
  });

  test('leaves single settings to the project file, and profiles do not take that of identity', () => {
    const text = remote().replace('auth:', 'jsonText: text\n      preset: sailpoint-isc\n      auth:');
    expect(settings(text)).toEqual({
      ...contractSettings,
      ...presets['sailpoint-isc'].settings,
      jsonText: 'text',
    });
    const { identity, profiles } = tenantOf(text);
    expect([identity?.preset, profiles?.preset]).toEqual(['sailpoint-isc', null]);
  });

  test('of an embedded tenant brings its settings', () => {
    const text = 'version: 1\nenvironments: { s: { sandbox: { presets: [sailpoint-isc, sailpoint-nerm] } } }';
    const all = presetNames.map((name) => presets[name].settings);
    expect(settings(text)).toEqual(Object.assign({}, contractSettings, ...all));
    expect(environment(text).limits.settle).toBe(60_000);
  });

  test('that nobody knows is refused with those that are known', () => {
    const text = remote('      preset: sailpoint-nrm\n');
    const refused = [{ code: 'invalid-value', hint: 'Did you mean `sailpoint-nerm`?' }];
    expect(refusalOf({ 'tenantctl.yaml': text })).toMatchObject(refused);
  });
});

describe('an embedded tenant', () => {
  test('is named by its data file, its paths are absolute', () => {
    const root = project({
      'tenantctl.yaml': 'version: 1\nenvironments: { s: { sandbox: { seed: ./s.yaml, data: .t/d.json } } }',
      's.yaml': '{}',
    });
    const { environment: found } = loadEnvironment({ configFile: join(root, 'tenantctl.yaml'), env: {} });
    expect(found.tenant).toEqual({ identity: 'sandbox:.t/d.json', profiles: 'sandbox:.t/d.json' });
    // It shows a write at once.
    expect(found.limits.settle).toBe(0);
    const late = 'version: 1\nenvironments: { s: { sandbox: {}, limits: { settle: 2s } } }';
    expect(environment(late).limits.settle).toBe(2000);
    expect(found.connection).toEqual({
      to: 'sandbox',
      sandbox: { seed: join(root, 's.yaml'), data: join(root, '.t/d.json'), kinds: null, presets: [] },
    });
  });

  test('is named by its seed, or by nothing', () => {
    const nameOf = (sandbox: string) => {
      const text = `version: 1\nenvironments: { s: { sandbox: ${sandbox} } }`;
      return load({ 'tenantctl.yaml': text, 's.yaml': '{}' }).environment.tenant.identity;
    };
    expect(nameOf('{ seed: s.yaml }')).toBe('sandbox:s.yaml');
    expect(nameOf('{}')).toBe('sandbox:memory');
  });

  test('needs no seed where it has data', () => {
    const text = 'version: 1\nenvironments: { s: { sandbox: { seed: s.yaml, data: d.json } } }';
    expect(errors(failureOf({ 'tenantctl.yaml': text }))).toEqual(['sandbox-file tenantctl.yaml:2:39']);
    expect(load({ 'tenantctl.yaml': text, 'd.json': '{}' }).environment.name).toBe('s');
  });

  test('has no seed that is a link to a file with credentials, whose lines a message could show', () => {
    const text = 'version: 1\nenvironments: { s: { sandbox: { seed: s.yaml } } }';
    const root = project({ 'tenantctl.yaml': text, 'a/.env': 'A=b' });
    symlinkSync('a/.env', join(root, 's.yaml'));
    const { diagnostics } = thrown(() => loadEnvironment({ configFile: join(root, 'tenantctl.yaml') }));
    expect(errors(diagnostics)).toEqual(['reserved-file tenantctl.yaml:2:39']);
  });
});

describe('choosing an environment', () => {
  const two = 'version: 1\nenvironments:\n  a: { sandbox: {} }\n  b: { sandbox: {} }\n';
  test('by name, by default, or because there is only one', () => {
    expect(environment(two, {}, 'b').name).toBe('b');
    expect(environment(`${two}defaultEnvironment: a`).name).toBe('a');
    expect(environment(config()).name).toBe('test');
  });

  test('may live in a file of its own', () => {
    const files = {
      'tenantctl.yaml': 'version: 1\n',
      'environments/x.yaml': 'sandbox: {}\nvariables: { a: !env A }\n',
    };
    expect(load(files, { env: { A: '1' } }).environment).toMatchObject({ name: 'x', variables: { a: '1' } });
    expect(errors(failureOf(files))).toEqual(['env-unset environments/x.yaml:2:17']);
  });

  test('all of them and their groups can be listed', () => {
    const root = project({
      'tenantctl.yaml': `${two}groups: { some: [a, x] }\n`,
      'environments/x.yaml': 'sandbox: {}\n',
    });
    expect(loadEnvironmentNames({ configFile: join(root, 'tenantctl.yaml'), env: {} })).toEqual({
      environments: ['a', 'b', 'x'],
      groups: { some: ['a', 'x'] },
      defaultEnvironment: null,
    });
  });

  test('variables of other environments are not asked for', () => {
    const text = `${two}  c: { sandbox: {}, variables: { x: !env UNSET } }\n`;
    expect(environment(text, {}, 'a').name).toBe('a');
    expect(errors(failureOf({ 'tenantctl.yaml': text }, { environment: 'c' }))).toEqual([
      'env-unset tenantctl.yaml:5:37',
    ]);
  });

  test('an anchor of one environment serves in another', () => {
    const text = `${two}  c: { sandbox: {}, variables: &v { x: 1 } }\n  d: { sandbox: {}, variables: *v }\n`;
    expect(environment(text, {}, 'd').variables).toEqual({ x: 1 });
    expect(environment(text.replace('x: 1', 'x: !env X'), { X: 'y' }, 'd').variables).toEqual({ x: 'y' });
  });

  test('an alias is a tagged value of the same environment again', () => {
    const text = `${two}  c: { variables: { x: &x !env X }, sandbox: { seed: *x } }\n`;
    const files = { 'tenantctl.yaml': text, 'seed.yaml': '{}' };
    const { variables, connection } = load(files, { env: { X: 'seed.yaml' }, environment: 'c' }).environment;
    expect(variables).toEqual({ x: 'seed.yaml' });
    expect(connection).toMatchObject({ sandbox: { seed: expect.stringMatching(/seed\.yaml$/) } });
  });
});

test('no credential is printed, whatever is wrong beside it', () => {
  const text = remote().replace('clientSecret: !env SECRET', 'clientSecret: hunter2, tokn: hunter3');
  expect(JSON.stringify(failureOf({ 'tenantctl.yaml': text }))).not.toContain('hunter');
  const literal = remote().replace('!env SECRET', 'hunter2');
  const misspelt = remote('      tls: { cert: a.pem, kye: hunter2 }\n');
  for (const written of [literal, misspelt])
    expect(JSON.stringify(failureOf({ 'tenantctl.yaml': written }))).not.toContain('hunter');
});

test('a project file that is not there is reported with what to do', () => {
  const { diagnostics, exitCode } = thrown(() => loadEnvironment({ configFile: '/nowhere/tenantctl.yaml' }));
  expect(diagnostics).toMatchObject([{ code: 'config-not-found' }]);
  expect(exitCode).toBe(1);
});

test('an environment loads without looking at manifests', () => {
  const root = project({ 'config/a.yaml': 'kind: Nonsense' });
  expect(loadEnvironment({ configFile: join(root, 'tenantctl.yaml'), env: {} }).environment.name).toBe(
    'test',
  );
});

test('no credential becomes text of an environment that loads without manifests', () => {
  const root = project({
    'tenantctl.yaml': `version: 1
environments:
  a:
    variables: { part: !env ID, other: !env A_PASSWORD, third: !env A_TLS }
    identity:
      baseUrl: !format "https://a.example/%{part}"
      auth: { clientId: !env A_ID, clientSecret: !env ID }
      tls: { cert: client.pem, key: !env A_TLS }
`,
  });
  const env = { ID: 'x', A_ID: 'x', A_PASSWORD: 'x', A_TLS: 'x' };
  const { diagnostics } = thrown(() => loadEnvironment({ configFile: join(root, 'tenantctl.yaml'), env }));
  const columns = [24, 40, 64];
  expect(errors(diagnostics)).toEqual(columns.map((column) => `env-secret tenantctl.yaml:4:${column}`));
});

describe('overlays', () => {
  const manifest =
    'kind: SimIntegration\nname: a\ndescription: d\nattributes: { a: 1, b: { c: 2, d: 3 }, p: !secret P }\nlifecycle: { protect: true }\n';
  const overlaid = (...overlays: string[]) =>
    resource(
      manifest,
      {
        'tenantctl.yaml': config(
          `    variables: { v: 9 }\n    overlays:\n${overlays.map((each) => `      - ${each}\n`).join('')}`,
        ),
      },
      { env: { P: 'x', Q: 'y' } },
    );

  test('are merge patches, in order, with tags', () => {
    const { fields } = overlaid(
      '{ target: SimIntegration/*, merge: { attributes: { b: { c: !var v }, n: [1] }, type: t } }',
      '{ target: SimIntegration/a, merge: { attributes: { n: 5, a: null } } }',
      '{ target: SimIntegration/b*, merge: { type: other } }',
      '{ target: SimIntegration/A, merge: { type: other } }',
    );
    expect(fields).toEqual({
      description: 'd',
      type: 't',
      attributes: { b: { c: 9, d: 3 }, n: 5, p: { $secret: 'P' } },
    });
  });

  test('null clears a field and removes a member inside one', () =>
    expect(
      overlaid('{ target: "**", merge: { description: null, attributes: { b: null } } }').fields,
    ).toEqual({ description: null, attributes: { a: 1, p: { $secret: 'P' } } }));

  test('are merged into JSON that is written as text, too', () => {
    const overlay = '{ attributes: { b: { c: null }, n: 1 } }';
    const text = "{ statusMap: '{}' }";
    const { fields } = resource(
      `kind: SimIntegration\nname: a\nattributes: '{"a":1,"b":{"c":2,"d":3}}'\nstatusMap: '{"a":"b"}'\n`,
      {
        'tenantctl.yaml': config(
          `    overlays: [{ target: "**", merge: ${overlay} }, { target: "**", merge: ${text} }]\n`,
        ),
      },
    );
    expect(fields).toEqual({ attributes: { a: 1, b: { d: 3 }, n: 1 }, statusMap: '{}' });
  });

  test('are merged into text in such text, and declare what is beside their members', () => {
    const text = `'{"type":"m","content":{"a":1}}'`;
    const files = {
      'tenantctl.yaml': config(
        '    overlays: [{ target: "**", merge: { slackTemplate: { messageJSON: { type: n } } } }]\n',
      ),
    };
    const template = 'kind: NotificationTemplate\nkey: k\nmedium: SLACK\nlocale: en\n';
    const { fields } = resource(`${template}slackTemplate: { text: t, messageJSON: ${text} }\n`, files);
    expect(fields.slackTemplate).toEqual({ text: 't', messageJSON: { type: 'n', content: { a: 1 } } });
  });

  test.each([
    [`'{"n": {"$secret": "P"}}'`, 'reserved-key config/a.yaml:3:13'],
    [`'{"n": 12345678901234567890}'`, 'inexact-number config/a.yaml:3:13'],
  ])('do not hide a mistake in the text that they are merged into: %s', (text, error) => {
    const files = {
      'tenantctl.yaml': config('    overlays: [{ target: "**", merge: { attributes: { a: 1 } } }]\n'),
      'config/a.yaml': `kind: SimIntegration\nname: a\nattributes: ${text}\n`,
    };
    expect(errors(failureOf(files))).toEqual([error]);
  });

  test('a secret is replaced, not merged with', () => {
    const overlay = '{ target: "**", merge: { attributes: { p: { x: 1 }, b: !secret Q } } }';
    const { fields, secrets } = overlaid(overlay);
    expect(fields.attributes).toEqual({ a: 1, p: { x: 1 }, b: { $secret: 'Q' } });
    expect(secrets().toSorted()).toEqual(['/attributes/b', '/attributes/p']);
  });

  test('may change the lifecycle, or declare absence', () => {
    expect(overlaid('{ target: "**", merge: { lifecycle: { protect: false } } }').lifecycle.protect).toBe(
      false,
    );
    const absent = overlaid('{ target: "**", merge: { ensure: absent } }');
    expect([absent.ensure, absent.fields]).toEqual(['absent', {}]);
    expect(absent.declaration?.isEnsuredHere).toBe(true);
  });

  test.each([
    ['{ ensure: present, description: x }', 'present', { description: 'x' }, true],
    ['{ description: x, lifecycle: { protect: true } }', 'absent', {}, false],
  ])('over what the manifest declares absent: %s', (merge, ensure, fields, isEnsuredHere) => {
    const files = { 'tenantctl.yaml': config(`    overlays: [{ target: "**", merge: ${merge} }]\n`) };
    const made = resource('kind: SimIntegration\nname: a\nensure: absent', files);
    expect([made.ensure, made.fields, made.lifecycle.protect]).toEqual([ensure, fields, !isEnsuredHere]);
    expect(made.declaration?.isEnsuredHere).toBe(isEnsuredHere);
  });

  test('of several that declare absence, or not, the last decides, and no field is lost', () => {
    const all = '{ target: "**", merge: { ensure: absent } }';
    const [described, present] = ['{ description: x }', '{ ensure: present }'];
    const made = overlaid(
      all,
      `{ target: "**", merge: ${described} }`,
      `{ target: "**", merge: ${present} }`,
    );
    expect([made.ensure, made.declaration?.isEnsuredHere, made.fields]).toMatchObject([
      'present',
      false,
      { description: 'x', attributes: { a: 1, b: { c: 2, d: 3 } } },
    ]);
    for (const earlier of [present, '{ ensure: absent, description: x }']) {
      const gone = overlaid(`{ target: "**", merge: ${earlier} }`, all);
      expect([gone.ensure, gone.fields]).toEqual(['absent', {}]);
    }
  });

  test.each([
    ['an alias', '{ attributes: *desk }'],
    ['a tag', '{ attributes: !var desk }'],
    ['a tag for all of it', '!var fields'],
  ])('set the members that %s gives, and no others', (_name, merge) => {
    const { overlayAt, isOverlaid } = resource(manifest, {
      'tenantctl.yaml': config(
        `    variables: { desk: &desk { a: 2 }, fields: { attributes: *desk } }\n    overlays: [{ target: "**", merge: ${merge} }]\n`,
      ),
    });
    expect(overlayAt('/attributes/a')).toMatchObject({ file: 'tenantctl.yaml' });
    const others = ['/description', '/attributes/b', '/attributes/b/c'];
    expect(others.map((at) => [overlayAt(at), isOverlaid(at)])).toEqual(Array(3).fill([null, false]));
    expect(['/attributes', '/attributes/a', '/attributes/a/x'].map(isOverlaid)).toEqual([true, true, true]);
  });

  test('have the positions of their values', () => {
    const { point } = overlaid('{ target: SimIntegration/*, merge: { attributes: { b: { c: 7 } } } }');
    expect(point('/attributes/b/c').source).toEqual({ file: 'tenantctl.yaml', line: 7, column: 68 });
    expect(point('/attributes/b/d').source).toMatchObject({ file: 'config/a.yaml', line: 4 });
  });

  test('leave the object, and mappings that they add to, where the manifest has them', () => {
    const { point, overlayAt } = overlaid(
      '{ target: SimIntegration/*, merge: { attributes: { b: { c: 7 } }, statusMap: { x: y } } }',
    );
    for (const at of ['', '/attributes', '/attributes/b'])
      expect([at, point(at).source, overlayAt(at)]).toMatchObject([at, { file: 'config/a.yaml' }, null]);
    expect(point('/statusMap').source).toMatchObject({ file: 'tenantctl.yaml' });
  });

  const overlay = (text: string) => ({
    'config/a.yaml': manifest,
    'tenantctl.yaml': config(`    overlays:\n      - ${text}`),
  });

  test.each([
    ['a field misspelt', '{ target: "**", merge: { descripton: x } }', 'unknown-field tenantctl.yaml:6:34'],
    ['a wrong value', '{ target: "**", merge: { sources: x } }', 'wrong-type tenantctl.yaml:6:43'],
    ['no target', '{ merge: {} }', 'missing-field tenantctl.yaml:6:9'],
  ])('are checked: %s', (_name, text, error) => expect(errors(failureOf(overlay(text)))).toEqual([error]));

  test('with a typo in the kind of their target are refused: they would never match', () => {
    const [found] = refusalOf(overlay('{ target: SimIntegratoin/*, merge: {} }'));
    expect(found).toMatchObject({
      code: 'unknown-kind',
      severity: 'error',
      source: { file: 'tenantctl.yaml', line: 6, column: 19 },
      hint: expect.stringContaining('`SimIntegration`'),
    });
  });

  test('that match something are no warning', () => {
    const { diagnostics } = load(overlay('{ target: SimIntegration/a, merge: { type: t } }'));
    expect(diagnostics.map(({ code }) => code)).not.toContain('unused-overlay');
  });
});

describe('the network of a tenant', () => {
  const networkIn = (env: NodeJS.ProcessEnv) => {
    const { allowedHosts, proxies } = tenantOf(remote(), env).network;
    return { hosts: allowedHosts, proxies: proxies?.() ?? null };
  };

  test('has neither proxies nor a list of hosts by default, or where they are blank', () => {
    expect(networkIn({})).toEqual({ hosts: null, proxies: null });
    const blank = { HTTPS_PROXY: ' ', http_proxy: '', NO_PROXY: 'a.example' };
    expect(networkIn(blank)).toEqual({ hosts: null, proxies: null });
  });

  test('has the proxies of the variables, of which the spelling in small letters counts more', () => {
    const env = {
      HTTPS_PROXY: 'http://upper.example:1',
      https_proxy: '  proxy.example:3128 ',
      HTTP_PROXY: 'https://other.example',
      NO_PROXY: 'upper.example',
      no_proxy: ' a.example,.b.example ',
    };
    expect(networkIn(env).proxies).toEqual({
      https: 'http://proxy.example:3128/',
      http: 'https://other.example/',
      except: 'a.example,.b.example',
    });
    expect(networkIn({ HTTP_PROXY: 'p.example' }).proxies).toMatchObject({
      http: 'http://p.example/',
      https: '',
    });
  });

  test.each(['socks5://proxy.example', 'http://:hunter2', 'ftp://me:hunter2@proxy.example'])(
    'is refused with a proxy that is none, which is not shown: %s',
    (proxy) => {
      const found = refusalOf({ 'tenantctl.yaml': remote() }, { env: { HTTPS_PROXY: proxy } });
      expect(found).toMatchObject([
        { code: 'invalid-proxy', message: expect.stringContaining('HTTPS_PROXY') },
      ]);
      expect(JSON.stringify(found)).not.toContain(proxy);
    },
  );

  test('has the hosts that may be called, and names the entry that is none', () => {
    expect(networkIn({ TENANTCTL_ALLOWED_HOSTS: ' a.example , b.example:8443,, ' }).hosts).toEqual([
      { name: 'a.example', port: null },
      { name: 'b.example', port: '8443' },
    ]);
    expect(networkIn({ TENANTCTL_ALLOWED_HOSTS: ',' }).hosts).toEqual([]);
    const env = { TENANTCTL_ALLOWED_HOSTS: 'a.example,https://b.example,*.c.example,me:hunter2@d.example' };
    const found = refusalOf({ 'tenantctl.yaml': remote() }, { env });
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining('https://b.example'),
      expect.stringContaining('*.c.example'),
      expect.stringContaining('d.example'),
    ]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});
