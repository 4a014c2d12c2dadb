import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { presetsOfHosts, type Survey } from '../../engine/survey.ts';
import { append, eolOf } from '../../exporter/edit/document.ts';
import { builtInKinds } from '../../kinds/index.ts';
import { openProjects } from '../../loader/index.ts';
import { requireInside } from '../../loader/paths.ts';
import { unwritableFile, version } from '../../model/failure.ts';
import { makeFolder } from '../../model/files.ts';
import { get, isObject, type Json, objectFrom, parseJson } from '../../model/json.ts';
import { oneLine } from '../../report/safe.ts';
import { readIfThere } from '../files.ts';
import { manifestSchema, packageFile } from '../package-file.ts';

/** A tenant of a new project, and the environment that it becomes. */
export interface NewTenant {
  readonly name: string;
  readonly identity: string;
  readonly profiles: string | null;
  /** The environment variables with the id and the secret of a client. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** `null`: it was not read. */
  readonly survey: Survey | null;
}

export interface Choices {
  /** In the order in which changes go to them; none: only an embedded tenant. */
  readonly tenants: readonly NewTenant[];
  readonly from: 'examples' | 'export';
  readonly pipelines: 'github' | 'gitlab' | 'both' | 'none';
}

/** The environment of the only tenant in a new project, which the pipelines work on. */
export const environmentName = 'production';

/** The default names of the variables with a tenant's credentials. */
export function usualNames(
  prefix = 'TENANT',
  taken: readonly string[] = [],
): Pick<NewTenant, 'clientId' | 'clientSecret'> {
  const words = prefix.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const start = /^[A-Z]/.test(words) ? words : `TENANT_${words}`;
  // `eu-1` and `eu.1` are different tenants, and so are one named `tenant` and one without a name.
  if (taken.includes(`${start}_CLIENT_ID`)) return usualNames(`${start}_2`, taken);
  return { clientId: `${start}_CLIENT_ID`, clientSecret: `${start}_CLIENT_SECRET` };
}

const yaml = (value: Json) => stringify(value, { lineWidth: 0, singleQuote: true }).trimEnd();

export function projectText({ tenants, from }: Omit<Choices, 'pipelines'>): string {
  const isExport = from === 'export';
  const names = tenants.map(({ name }) => name);
  const [first, ...later] = names;
  // A tenant of the same name replaces the embedded one.
  const isReplaced = first !== undefined && (isExport || names.includes('sandbox'));
  const embedded = isReplaced ? '' : 'sandbox';
  const all = first === undefined ? [exampleTenant] : tenants;
  return fill(example('init/tenantctl.yaml'), {
    default: yaml(embedded || (first ?? '')),
    embedded,
    examples: !isExport,
    tenants: all.map((tenant, at) => ({
      ...tenantValues(tenant, all.length > 1),
      isBelow: at > 0 || embedded !== '',
    })),
    later: later.length > 1 ? later.map(yaml).join(', ') : '',
  });
}

/** The file of a new environment: its part of the project file. */
function environmentFile(tenant: NewTenant): ProjectFile {
  const whole = projectText({ tenants: [tenant], from: 'export' });
  const [, settings = ''] = whole.split(`\n  ${yaml(tenant.name)}:\n`);
  const schema = '# yaml-language-server: $schema=../.tenantctl/schemas/environment.schema.json\n';
  return newFile(`environments/${tenant.name}.yaml`, `${schema}${settings.replaceAll(/^ {4}/gm, '')}`);
}

/** A placeholder for a tenant that has no name yet. */
const exampleTenant: NewTenant = {
  name: environmentName,
  identity: 'https://acme.api.example.com',
  profiles: 'https://acme-profiles.example.com',
  ...usualNames(),
  survey: null,
};

function tenantValues({ survey, profiles, ...tenant }: NewTenant, isOneOfMany: boolean): Values {
  const named = presetsOfHosts({ identity: tenant.identity, profiles });
  const detected = [...named, ...(survey?.detected ?? [])].map(({ service, name, value, because }) => ({
    service,
    because: oneLine(because),
    setting: yaml({ [name]: value }).replaceAll(/^/gm, ' '.repeat(6)),
  }));
  return {
    ...tenant,
    name: yaml(tenant.name),
    identity: yaml(tenant.identity),
    profiles: profiles === null ? '' : yaml(profiles),
    identityDetected: detected.filter(({ service }) => service === 'identity'),
    profilesDetected: detected.filter(({ service }) => service === 'profiles'),
    // Each tenant has its own password for the ticket system of the examples.
    snowPassword: isOneOfMany
      ? `${tenant.clientId.replace(/_?CLIENT_ID$/, '')}_SNOW_PASSWORD`
      : 'SNOW_PASSWORD',
  };
}

/** The folder of the schemas that editors use. It is in the repository, so that a clone has them. */
const schemaFolder = '.tenantctl/schemas';
const settingsFile = '.vscode/settings.json';

/** The files of a project without its pipelines. An existing one gets new environments, and no manifests. */
export function projectFiles(choices: Choices, root: string): ProjectFile[] {
  const configFile = join(root, 'tenantctl.yaml');
  const isNew = !existsSync(configFile);
  const kinds = isNew ? builtInKinds : openProjects({ configFile }).kinds;
  return [
    newFile('tenantctl.yaml', projectText(choices)),
    ...(isNew ? manifestFiles(choices) : []),
    {
      path: 'package.json',
      content: addDependency,
      byHand: `package.json is not the JSON of a package: correct it, with "tenantctl": "${version}" in devDependencies.`,
    },
    { path: '.gitignore', content: addLines(example('init/gitignore')) },
    {
      path: settingsFile,
      // It may have comments, and an order of its own.
      content: (existing) =>
        existing?.includes(schemaFolder) === false ? null : (existing ?? example(settingsFile)),
      byHand: `Add the settings of node_modules/tenantctl/examples/${settingsFile} to ${settingsFile}.`,
    },
    newFile('.vscode/extensions.json', example('.vscode/extensions.json')),
    // Each version replaces them by its own.
    ...['manifest', 'project', 'environment', 'kind'].map((name) => ({
      path: `${schemaFolder}/${name}.schema.json`,
      content: () =>
        name === 'manifest'
          ? `${JSON.stringify(manifestSchema(kinds), null, 2)}\n`
          : readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8'),
    })),
    ...(isNew ? [] : choices.tenants.map(environmentFile)),
  ];
}

function manifestFiles({ from, tenants }: Choices): ProjectFile[] {
  const seed = 'sandbox.seed.yaml';
  if (from === 'export') return tenants.length === 0 ? [newFile(seed, example(seed))] : [];
  // No tenant without this service could be planned with profile searches.
  const left = tenants.some(({ profiles }) => profiles === null) ? 'config/searches/' : null;
  const paths = readdirSync(packageFile('examples/config'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packageFile('examples/').length))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => left === null || !path.startsWith(left))
    .sort();
  return [seed, ...paths].map((path) => newFile(path, example(path)));
}

/** Adds the lines that are missing, in the line endings that are there. */
function addLines(text: string): ProjectFile['content'] {
  return (existing) => {
    if (existing === null) return text;
    const present = new Set(existing.split('\n').map((line) => line.trim()));
    const missing = text.split('\n').filter((line) => line !== '' && !present.has(line));
    return missing.length === 0 ? existing : append(existing, missing.map((line) => `${line}\n`).join(''));
  };
}

/** Adds this exact version of tenantctl to a package.json, in its own layout, unless the package depends on another. */
function addDependency(existing: string | null): string | null {
  const content = parseJson((existing ?? '{ "private": true }').replace(/^\uFEFF/, ''));
  if (!isObject(content)) return null;
  const isThere = ['dependencies', 'devDependencies', 'optionalDependencies'].some((name) => {
    const group = get(content, name);
    return isObject(group) && get(group, 'tenantctl') !== undefined;
  });
  if (isThere) return existing;
  const others = get(content, 'devDependencies') ?? {};
  if (!isObject(others)) return null;
  const sorted = Object.entries({ ...others, tenantctl: version }).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = existing ?? '{}\n';
  const indent = /^[{\s]*?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const printed = JSON.stringify({ ...content, devDependencies: objectFrom(sorted) }, null, indent);
  return `${printed}${text.endsWith('\n') ? '\n' : ''}`.replaceAll('\n', eolOf(text));
}

interface ProjectFile {
  readonly path: string;
  /** What to write, given the existing text; the same text keeps the file, and `null`: nothing can be added to it. */
  readonly content: (existing: string | null) => string | null;
  readonly byHand?: string;
}

interface Note {
  readonly path: string;
  readonly what: 'created' | 'updated' | 'kept' | 'cannot be added to';
  readonly byHand?: string;
}

export const example = (path: string): string => readFileSync(packageFile(`examples/${path}`), 'utf8');

/** A file that is only created, never changed. */
const newFile = (path: string, text: string): ProjectFile => ({
  path,
  content: (existing) => existing ?? text,
});

interface Values {
  readonly [name: string]: string | boolean | readonly (string | Values)[];
}

const slot = /^#% (if|each) (\w+)\n([\s\S]*?)^#% end \2\n|%\{(\w+)\}/gm;

/**
 * Fills a template: `%{name}` is a text. The lines from `#% if name` to `#% end name` stay if the value is not empty, and those
 * from `#% each name` for each item: a text is called `name` in them, and values have their own names. Values are inserted as
 * they are: the caller quotes them.
 */
export function fill(template: string, values: Values): string {
  return template.replace(slot, (_slot, keyword?: string, ...rest: string[]) => {
    const [block = '', lines = '', text = ''] = rest;
    const name = keyword === undefined ? text : block;
    const value = values[name];
    if (value === undefined) throw new Error(`The template has no value for ${name}.`);
    if (keyword === undefined) return String(value);
    const isList = typeof value === 'object';
    if (!isList || keyword === 'if') return (isList ? value.length > 0 : value) ? fill(lines, values) : '';
    const items = value.map((item) => (typeof item === 'string' ? { [name]: item } : item));
    return items.map((item) => fill(lines, { ...values, ...item })).join('');
  });
}

/**
 * Writes the files below `root`, the last one first: the project file makes the folder a project, and where another file cannot be
 * written, the command can be repeated. Throws a Failure for a file that cannot be read or written, or is outside by a link.
 */
export function writeFiles(root: string, files: readonly ProjectFile[]): Note[] {
  return files
    .toReversed()
    .map(({ path, content, byHand = '' }): Note => {
      const file = join(root, path);
      const existing = readIfThere(file);
      const text = content(existing);
      if (text === null) return { path, what: 'cannot be added to', byHand };
      if (text === existing) return { path, what: 'kept' };
      requireInside(root, path);
      try {
        makeFolder(dirname(file));
        // `wx`: a file that somebody created in the meantime is not overwritten.
        writeFileSync(file, text, { flag: existing === null ? 'wx' : 'w' });
      } catch (error) {
        throw unwritableFile(file, error);
      }
      return { path, what: existing === null ? 'created' : 'updated' };
    })
    .toReversed();
}
