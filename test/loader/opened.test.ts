import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  beginProject,
  loadEnvironment,
  loadNames,
  openPastProjects,
  openProjects,
} from '../../src/loader/index.ts';
import { manifestFolder } from '../../src/loader/source.ts';
import { liveFrom } from '../support/plan.ts';
import { brief, config, errors, type Files, failureOf, load, project, thrown } from './fixture.ts';

/** A project that is opened for something else than one plan: several environments, the past, names, other manifests. */

const desk = 'kind: SimIntegration\nname: a\ndescription: !var company\ntype: t\n';
const overlays = '    overlays:\n      - { target: "**", merge: { type: overlaid } }\n';
const companies = `version: 1
environments:
  eu: { sandbox: {}, variables: { company: Acme EU } }
  us:
    sandbox: {}
    variables: { company: Acme US }
${overlays}`;

const open = (files: Files, env: NodeJS.ProcessEnv = {}) => {
  const root = project(files);
  return { root, options: { configFile: join(root, 'tenantctl.yaml'), env } };
};

describe('a project for several environments', () => {
  const openSeveral = (files: Files = {}) => {
    const { root, options } = open({ 'tenantctl.yaml': companies, 'config/a.yaml': desk, ...files });
    return { root, projects: openProjects(options) };
  };

  it('has its names, and each environment has its variables and overlays', () => {
    const { root, projects } = openSeveral();
    expect(projects).toMatchObject({
      root,
      configFile: join(root, 'tenantctl.yaml'),
      environments: ['eu', 'us'],
    });
    expect(projects.groups).toEqual({});
    const fieldsIn = (name: string) => projects.load(name).resources.map(({ fields }) => fields);
    expect(fieldsIn('us')).toEqual([{ description: 'Acme US', type: 'overlaid' }]);
    expect(fieldsIn('eu')).toEqual([{ description: 'Acme EU', type: 't' }]);
    expect(projects.load('us').environment.name).toBe('us');
  });

  it('reads its manifests once, however they change', () => {
    const { root, projects } = openSeveral();
    projects.load('eu');
    writeFileSync(join(root, 'config/a.yaml'), desk.replace('type: t', 'type: changed'));
    expect(projects.load('eu').resources[0]?.fields.type).toBe('t');
  });

  it('refuses what cannot be ignored in each environment, although nothing in the manifest depends on one', () => {
    const { projects } = openSeveral({
      'tenantctl.yaml': companies.replace(overlays, ''),
      'config/a.yaml': 'kind: SimIntegration\nname: b\ntype: t\nlifecycle: { ignore: [/sources/0] }\n',
    });
    for (const name of ['eu', 'us']) {
      const { diagnostics } = thrown(() => projects.load(name));
      expect(diagnostics.map(({ code }) => code)).toContain('not-ignorable');
    }
  });

  it('reports a mistake in a manifest to each environment', () => {
    const { projects } = openSeveral({ 'config/b.yaml': 'kind: SimIntegration\nname: [' });
    for (const name of ['eu', 'us'])
      expect(errors(thrown(() => projects.load(name)).diagnostics)).toEqual([
        'yaml-syntax config/b.yaml:2:7',
      ]);
  });

  it('reports a mistake in one environment for that one only', () => {
    const { projects } = openSeveral({ 'tenantctl.yaml': companies.replace('company: Acme US', 'other: x') });
    expect(errors(thrown(() => projects.load('us')).diagnostics)).toEqual([
      'variable-unset config/a.yaml:3:14',
    ]);
    expect(projects.load('eu').resources).toHaveLength(1);
  });

  it('tells mistakes in manifests with those of an environment that is read before them', () => {
    const variables = '    variables: { a: !env GONE }\n';
    const { options } = open({ 'tenantctl.yaml': config(variables), 'config/a.yaml': 'kind: Nonsense\n' });
    expect(errors(thrown(() => beginProject(options)).diagnostics)).toEqual([
      'unknown-kind config/a.yaml:1:7',
      'env-unset tenantctl.yaml:5:21',
    ]);
  });

  it('gives an environment without reading manifests', () => {
    const { projects } = openSeveral({ 'config/b.yaml': 'kind: Nonsense' });
    expect(projects.environment('us').environment).toMatchObject({
      name: 'us',
      variables: { company: 'Acme US' },
    });
    expect(errors(thrown(() => projects.environment('nowhere')).diagnostics)).toEqual([
      'unknown-environment',
    ]);
  });

  it('refuses an environment that shows a credential, without manifests too', () => {
    const text = companies.replace('company: Acme US', 'company: !env A_PASSWORD');
    const { options } = open({ 'tenantctl.yaml': text }, { A_PASSWORD: 'x' });
    const refused = thrown(() => openProjects(options).environment('us'));
    expect(errors(refused.diagnostics)).toEqual(['env-secret tenantctl.yaml:6:27']);
  });

  it('finds what the manifests declare, in an environment', () => {
    const found = openSeveral().projects.declarations('us');
    expect(found.covers('config/b.yaml')).toBe(true);
    expect(found.globs.patterns).toEqual(['config/**/*.yaml']);
    const live = liveFrom({ kind: 'SimIntegration', raw: { name: 'a' }, id: 'x' });
    expect(found.find(live)).toEqual({ file: 'config/a.yaml', line: 1, column: 1 });
    expect(found.declared(live).fields).toEqual({ description: 'Acme US', type: 'overlaid' });
  });

  it('reads a folder instead of its manifests, with the variables of an environment and no overlays', () => {
    const { root, projects } = openSeveral({ 'out/b.yaml': desk.replace('name: a', 'name: b') });
    const { resources, diagnostics } = projects.loadFolder(manifestFolder('out', root), 'us');
    expect(diagnostics.map(({ code }) => code)).not.toContain('unused-overlay');
    expect(resources.map(({ address, fields }) => [address, fields])).toEqual([
      ['SimIntegration/b', { description: 'Acme US', type: 't' }],
    ]);
    expect(resources[0]?.source().file).toBe('out/b.yaml');
  });
});

describe('a project as it was', () => {
  const past = (files: Files, present: Files, env: NodeJS.ProcessEnv = {}, credentials: string[] = []) =>
    openPastProjects(open(files, env).options, { root: project(present), same: new Map() }).load({
      ...load(present),
      credentials: new Set(credentials),
    });

  it('may use a variable of that time that is not set any more: only what was made of it is left out', () => {
    const files = {
      'config/a.yaml': `${desk.replace('!var company', '!env GONE')}sources: [a, !env GONE]\n`,
    };
    const { resources, diagnostics } = past(files, {});
    expect(resources[0]?.fields).toEqual({ type: 't' });
    expect(diagnostics.find(({ code }) => code === 'env-unset')?.severity).toBe('warning');
    expect(errors(failureOf(files))).toEqual([
      'env-unset config/a.yaml:3:14',
      'env-unset config/a.yaml:5:14',
    ]);
  });

  it('declares no object of which it is not known whether it was to be there', () => {
    const files = { 'config/a.yaml': `${desk.replace('!var company', 'b')}ensure: !env GONE\n` };
    expect(past(files, {}).resources).toEqual([]);
  });

  it('may have read a credential as text: only what was made of it is left out', () => {
    const files = { 'config/a.yaml': desk.replace('!var company', '!env A_PASSWORD') };
    const { resources, diagnostics } = past(files, {}, { A_PASSWORD: 'x' });
    expect(resources[0]?.fields).toEqual({ type: 't' });
    expect(diagnostics.find(({ code }) => code === 'env-secret')?.severity).toBe('warning');
    expect(errors(failureOf(files, { env: { A_PASSWORD: 'x' } }))).toEqual(['env-secret config/a.yaml:3:14']);
    const renamed = { 'config/a.yaml': desk.replace('!var company', '!env A_LOGIN') };
    expect(past(renamed, {}, { A_LOGIN: 'x' }, ['A_LOGIN']).resources[0]?.fields).toEqual({ type: 't' });
  });

  it('may have names in groups that are no environment', () => {
    const files = {
      'tenantctl.yaml': `${config()}groups: { all: [test, tset] }\n`,
      'config/a.yaml': desk.replace('!var company', 'b'),
    };
    expect(past(files, {}).resources).toHaveLength(1);
    expect(errors(failureOf(files))).toEqual(['group-member tenantctl.yaml:5:23']);
  });

  it('may ignore one item of a list, which no manifest can today', () => {
    const ignoring = `${desk.replace('!var company', 'b')}sources: [a]\nlifecycle: { ignore: [/sources/0] }\n`;
    const files = { 'config/a.yaml': ignoring };
    expect(past(files, {}).resources).toHaveLength(1);
    expect(errors(failureOf(files))).toEqual(['not-ignorable config/a.yaml:6:23']);
  });

  it('may have numbers whose text would change: they are left out', () => {
    const files = {
      'kinds/Role.kind.yaml': 'kind: Role\npath: /v2025/roles\nkey: name\nfields: { owner: reference }\n',
      'config/a.yaml': 'kind: Role\nname: a\nowner: 0123\n',
    };
    expect(past(files, {}).resources.map(({ fields }) => fields)).toEqual([{}]);
    expect(errors(failureOf(files))).toEqual(['inexact-number config/a.yaml:3:8']);
  });

  it('has the kinds of that time, also where it takes over files of today', () => {
    const kindWith = (fields: string) => ({
      'kinds/Role.kind.yaml': `kind: Role\npath: /v2025/roles\nkey: name\nfields: { ${fields} }\n`,
    });
    const today = openProjects(open(kindWith('description: text')).options);
    const then = { ...kindWith('level: text'), 'config/a.yaml': 'kind: Role\nname: a\nlevel: high\n' };
    const opened = openPastProjects(open(then).options, { ...today, same: new Map() });
    const present = { ...today.environment(undefined), credentials: new Set<string>() };
    expect(opened.load(present).resources.map(({ fields }) => fields)).toEqual([{ level: 'high' }]);
  });

  it('has the `.env` of today', () => {
    const files = { 'config/a.yaml': desk.replace('!var company', '!env TOWN'), '.env': 'TOWN=then\n' };
    expect(past(files, { '.env': 'TOWN=now\n' }).resources[0]?.fields.description).toBe('now');
  });

  it('is refused where its manifests have other mistakes', () => {
    const refused = thrown(() => past({ 'config/a.yaml': `${desk}nme: x\n` }, {}));
    expect(errors(refused.diagnostics)).toContain('unknown-field config/a.yaml:5:1');
  });
});

describe('the names in a project', () =>
  it('are found as far as manifests can be read', () => {
    const { options } = open({
      'config/a.yaml': 'kind: SenderAddress\nemail: a@b.example\nnonsense: [\n',
      'config/b.yaml': 'kind: ProfileSearch\nlabel: All\n',
      'config/c.yaml': 'kind: Nonsense\n',
    });
    const { environments, objects } = loadNames(options);
    expect(environments).toEqual(['test']);
    expect(objects.map(({ address }) => address)).toEqual([
      'SenderAddress/a%40b.example',
      'ProfileSearch/All',
    ]);
  }));

describe('a project file that is not written yet', () => {
  it('gives the environment that it would have', () => {
    const root = project({});
    rmSync(join(root, 'tenantctl.yaml'));
    const options = { configFile: join(root, 'new/tenantctl.yaml'), environment: 'eu', env: {} };
    const { environment, root: folder } = loadEnvironment(options, companies);
    expect([environment.name, environment.variables, folder]).toEqual([
      'eu',
      { company: 'Acme EU' },
      join(root, 'new'),
    ]);
    expect(() => loadEnvironment(options)).toThrow('There is no project file');
  });

  it('is refused with its mistakes, as it would be on the disk', () => {
    const options = { configFile: join(project({}), 'new/tenantctl.yaml'), env: {} };
    const refused = thrown(() => loadEnvironment(options, config('    variable: {}')));
    expect(refused.diagnostics.map(brief)).toEqual(['unknown-field tenantctl.yaml:5:5']);
  });
});

/** A folder of manifests beside a project: nothing outside it is read, and messages name its files as the user does. */

const files = {
  'out/a.yaml': 'a',
  'out/deep/b.yml': 'b',
  'out/environments/c.yaml': 'c',
  'out/kinds/Role.kind.yaml': 'd',
  'out/[odd]*.yaml': 'odd',
  'outside.yaml': 'secret',
};

it('its manifests are named from the working directory on, and read', () => {
  const { source, manifests } = manifestFolder('out', project(files));
  expect(source.glob(manifests)).toEqual(['out/[odd]*.yaml', 'out/a.yaml', 'out/deep/b.yml']);
  expect(source.text('out/deep/b.yml')).toBe('b');
});

it('one file may be named, whatever its name looks like', () => {
  const cwd = project({ ...files, 'out/d1.yaml': 'what it would match as a glob' });
  const { source, manifests } = manifestFolder('out/[odd]*.yaml', cwd);
  expect(source.glob(manifests)).toEqual(['out/[odd]*.yaml']);
});

it('the working directory itself may be the folder', () => {
  const { source, manifests } = manifestFolder('.', join(project(files), 'out'));
  expect(source.glob(manifests)).toContain('deep/b.yml');
  expect(source.text('deep/b.yml')).toBe('b');
});

it.each(['outside.yaml', 'outer/a.yaml', 'out/../outside.yaml', 'x/out/a.yaml'])(
  'nothing outside it is read, such as %s',
  (path) => {
    const cwd = project({ ...files, 'outer/a.yaml': 'x', 'x/out/a.yaml': 'x' });
    const { source } = manifestFolder('out', cwd);
    const [found] = thrown(() => source.text(path)).diagnostics;
    expect(found).toMatchObject({ code: 'outside-project' });
  },
);

it('a refusal says what to do', () => {
  const { source } = manifestFolder('out', project(files));
  const [found] = thrown(() => source.text('outside.yaml')).diagnostics;
  expect(found?.message).toContain('out of out.');
  expect(found?.hint).toContain('inside it');
});

it('a link out of it is not followed', () => {
  const cwd = project(files);
  symlinkSync('../outside.yaml', join(cwd, 'out/link.yaml'));
  const { source } = manifestFolder('out', cwd);
  expect(thrown(() => source.text('out/link.yaml')).diagnostics).toMatchObject([{ code: 'outside-project' }]);
});
