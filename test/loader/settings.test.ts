/** Settings of the project file beyond those of every project, and what is said of those that are wrong. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAmount } from '../../src/loader/config.ts';
import { loadProject, openProjects } from '../../src/loader/index.ts';
import { brief, config, errors, type Files, failureOf, load, project, refusalOf } from './fixture.ts';

const remote = (identity: string, more = '') => `version: 1
environments:
  prod:
    identity:
      ${identity}
${more}`;
const token = 'auth: { token: !env T }';
const address = 'baseUrl: https://a.example';

/** The problems of a project file: code and place, message, and hint. */
const saidOf = (text: string, files: Files = {}, env: NodeJS.ProcessEnv = {}) =>
  refusalOf({ 'tenantctl.yaml': text, ...files }, { env }).map((each) => [
    brief(each).replace(' tenantctl.yaml:', ' '),
    each.message,
    ...(each.hint === undefined ? [] : [each.hint]),
  ]);

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.25m', 75_000],
    ['1.5h', 5_400_000],
    ['0s', 0],
    ['12.345s', 12_345],
    ['1000h', 2 ** 31 - 1],
  ])('is %s', (text, milliseconds) => expect(readAmount(text)).toBe(milliseconds));

  it.each(['', '10', 's', 'in 10s', '10s later', '10 s', '1.s', '.5s', '-1s', '10d', '10constructor'])(
    'is not %j',
    (text) => expect(readAmount(text)).toBeNull(),
  );
});

describe('an environment', () => {
  it('takes the defaults where they are written', () => {
    const text = remote(
      `${address}\n      ${token}\n      jsonText: text\n      simUpdate: patch\n      simPatchBody: operations\n      simPatchOps: all\n      sendTest: documented`,
    );
    const plain = load({ 'tenantctl.yaml': remote(`${address}\n      ${token}`) }, { env: {} });
    expect(load({ 'tenantctl.yaml': text }, { env: {} }).environment.settings).toEqual(
      plain.environment.settings,
    );
  });

  it('may have a base path of its own', () => {
    const at = (url: string) => remote(`baseUrl: ${url}\n      ${token}`);
    for (const url of ['https://a.example/v20255', 'https://a.example/v2', 'https://v2025.a.example'])
      expect(load({ 'tenantctl.yaml': at(url) }, { env: {} }).environment.tenant.identity).toBe(url);
  });

  it('may get its tokens anywhere below https', () => {
    const at = (url: string) =>
      remote(`${address}\n      tokenUrl: ${url}\n      auth: { clientId: a, clientSecret: !env S }`);
    const { connection } = load(
      { 'tenantctl.yaml': at('https://a.example/v2025/token') },
      { env: {} },
    ).environment;
    expect(connection).toMatchObject({ identity: { auth: { tokenUrl: 'https://a.example/v2025/token' } } });
  });

  it('shows no line with a credential that does not belong there', () => {
    for (const written of [
      'auth: { token: hunter2 }',
      'auth: { token: 5 }',
      'auth: { clientId: a, clientSecret: hunter2 }',
      `${token}\n      tls: { cert: a.pem, key: "-----BEGIN PRIVATE KEY" }`,
    ]) {
      const found = failureOf({ 'tenantctl.yaml': remote(`${address}\n      ${written}`) });
      expect(found.find(({ code }) => code === 'literal-credential')).toMatchObject({
        hint: 'Write `!env NAME` or `!secret NAME`, and set the variable where the program runs.',
      });
      expect(found.filter(({ severity }) => severity === 'error').map(({ excerpt }) => excerpt)).toEqual([
        undefined,
      ]);
    }
  });

  it.each(['0s', '0.0ms', '00h'])('has no time limit of %s, in which nothing is done', (timeout) => {
    const found = failureOf({ 'tenantctl.yaml': config(`    limits: { timeout: ${timeout} }\n`) });
    expect(errors(found)).toEqual(['invalid-value tenantctl.yaml:5:24']);
    expect(
      load({ 'tenantctl.yaml': config('    limits: { timeout: 0.5s }\n') }).environment.limits,
    ).toMatchObject({
      timeout: 500,
    });
  });

  it.each(['!secret "hunter2!"', '!env "hunter2!"', '!secret'])(
    'takes the name of a variable, and shows nothing that is none: %s',
    (written) => {
      const found = failureOf({ 'tenantctl.yaml': remote(`${address}\n      auth: { token: ${written} }`) });
      expect(errors(found)).toEqual(['invalid-tag tenantctl.yaml:6:22']);
      expect(JSON.stringify(found)).not.toContain('hunter2');
    },
  );

  it('takes a `!ref` in overlays and variables', () => {
    const roles =
      'kind: Role\nsummary: s\nservice: identity\npath: /r\nkey: name\nfields:\n  of: { is: value, to: Role }\n';
    const overlay =
      '    variables: { r: !ref Role/b }\n    overlays:\n      - { target: Role/a, merge: { of: !ref Role/c } }\n';
    const { resources } = load({
      'tenantctl.yaml': config(overlay),
      'kinds/Role.kind.yaml': roles,
      'config/a.yaml': 'kind: Role\nname: a\n---\nkind: Role\nname: b\nof: !var r\n',
    });
    expect(resources.map(({ fields }) => fields)).toEqual([
      { of: { $ref: 'Role/c' } },
      { of: { $ref: 'Role/b' } },
    ]);
  });

  it('in a file of its own may have either ending', () => {
    const files = {
      'tenantctl.yaml': 'version: 1\n',
      'environments/a.yml': 'sandbox: {}\nprotect: [MailFrom/*]\n',
    };
    expect(load(files).environment).toMatchObject({ name: 'a', policy: { protect: ['MailFrom/*'] } });
    const wrong = { ...files, 'environments/a.yml': 'sandbox: {}\nprotec: []\n' };
    expect(refusalOf(wrong).map(brief)).toEqual(['unknown-field environments/a.yml:2:1']);
  });
});

describe('the levels of the lint', () => {
  const levels = (text: string) => load({ 'tenantctl.yaml': text }, { env: {} }).lint;

  it('are those of the rules, and for an embedded tenant others', () => {
    const tenant = levels(remote(`${address}\n      ${token}`));
    expect(tenant).toMatchObject({ 'velocity-syntax': 'warning', 'unknown-sender': 'warning' });
    const embedded = levels(config());
    expect(embedded['velocity-syntax']).toBe('warning');
    expect(Object.keys(embedded)).toEqual(Object.keys(tenant));
    expect(embedded).not.toEqual(tenant);
  });

  it.each(['error', 'warning', 'info', 'off'])('are those of the project file: %s', (level) => {
    const set = levels(`${config()}lint: { velocity-syntax: ${level} }\n`);
    expect(set).toEqual({ ...levels(config()), 'velocity-syntax': level });
  });
});

describe('an overlay', () => {
  const plain = 'kind: ProfileSearch\nlabel: a\nrules: []\n---\nkind: SimIntegration\nname: a\ntype: t\n';

  it('changes a manifest in its environment, whichever is loaded first', () => {
    const overlay = (type: string) => `overlays: [{ target: SimIntegration/*, merge: { type: ${type} } }]`;
    const text = `version: 1\nenvironments:\n  a: { sandbox: {} }\n  b: { sandbox: {}, ${overlay('x')} }\n  c: { sandbox: {}, ${overlay('y')} }\n`;
    const configFile = join(project({ 'tenantctl.yaml': text, 'config/a.yaml': plain }), 'tenantctl.yaml');
    for (const order of [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ]) {
      const projects = openProjects({ configFile, env: {} });
      const types = order.map((name) => [name, projects.load(name).resources[1]?.fields.type]);
      expect(Object.fromEntries(types)).toEqual({ a: 't', b: 'x', c: 'y' });
    }
  });

  it.each(['kind', 'label'])('cannot change what identifies the object: %s', (name) => {
    const text = config(
      `    overlays:\n      - { target: ProfileSearch/a, merge: { rules: [], ${name}: b } }\n`,
    );
    const [at, message] = saidOf(text, { 'config/a.yaml': plain })[0] ?? [];
    expect([at, message]).toEqual([
      'overlay-key 6:56',
      `An overlay cannot change \`${name}\`, which identifies the object.`,
    ]);
  });

  it('keeps what can be said of an object that it declares absent: its key, id and lifecycle', () => {
    const text = config('    overlays:\n      - { target: "**", merge: { ensure: absent } }\n');
    const manifest = 'kind: SimIntegration\nname: a\nid: x1\ntype: t\nlifecycle: { protect: true }\n';
    const { resources } = load({ 'tenantctl.yaml': text, 'config/a.yaml': manifest });
    expect(resources).toMatchObject([
      { key: ['a'], id: 'x1', ensure: 'absent', lifecycle: { protect: true } },
    ]);
    expect(resources[0]?.fields).toEqual({});
  });

  it('that matches nothing is told with what to do', () => {
    const text = config('    overlays:\n      - { target: MailFrom/*, merge: {} }\n');
    const { diagnostics } = load({ 'tenantctl.yaml': text, 'config/a.yaml': plain });
    expect(diagnostics.find(({ code }) => code === 'unused-overlay')).toMatchObject({
      severity: 'warning',
      source: { file: 'tenantctl.yaml', line: 6, column: 19 },
      message: "The overlay's target `MailFrom/*` matches no declared object.",
      hint: 'Correct the target: it is compared with addresses as `plan` shows them. Or remove the overlay.',
    });
  });
});

describe('the files that are manifests', () => {
  it('are those of at least one glob', () =>
    expect(saidOf(`${config()}manifests: []\n`)).toEqual([['invalid-value 5:12', '`manifests` is empty.']]));

  it('are those of the globs, without the project file, environments and descriptions of kinds', () => {
    const role = 'kind: Role\nsummary: s\nservice: identity\npath: /r\nkey: name\n';
    const found = load({
      'tenantctl.yaml': 'version: 1\nmanifests: ["**/*.yaml", "**/*.yml"]\n',
      'environments/a.yml': 'sandbox: {}\n',
      'kinds/Role.kind.yaml': role,
      'x/b.yml': 'kind: Role\nname: b\n',
      'x/a.yaml': 'kind: Role\nname: a\n',
    });
    expect(found.resources.map(({ address: each }) => each)).toEqual(['Role/a', 'Role/b']);
  });

  it('that no glob matches are missed at the setting, or where it would be', () => {
    const warning = (text: string) => {
      const root = project({ 'tenantctl.yaml': text });
      const { diagnostics } = loadProject({ configFile: join(root, 'tenantctl.yaml'), env: {} });
      return diagnostics.map((each) => [each.severity, brief(each), each.message]);
    };
    expect(warning(`${config()}manifests: [a/*.yaml, b]\n`)).toEqual([
      ['warning', 'no-manifests tenantctl.yaml:5:12', 'No file matches a/*.yaml, b.'],
    ]);
    expect(warning(config())).toEqual([
      ['warning', 'no-manifests tenantctl.yaml:1:1', 'No file matches config/**/*.yaml.'],
    ]);
  });
});
