import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { isNode, parseDocument } from 'yaml';
import { calledAddresses } from '../../engine/tenant.ts';
import type { Connection } from '../../kinds/project.ts';
import { loadEnvironment, loadEnvironmentNames, valuesIn } from '../../loader/index.ts';
import { findRepository } from '../../loader/repository.ts';
import { isPlainName, selectEnvironments } from '../../loader/selection.ts';
import { Failure, fail } from '../../model/failure.ts';
import { readIfThere } from '../files.ts';
import { example, fill, newFile, type ProjectFile } from './files.ts';
import { type Choices, environmentName, usualNames } from './project-file.ts';

/** Environments that a pipeline applies to in one step. */
interface Stage {
  /** The value of `--env` for them. */
  readonly selection: string;
  readonly environments: readonly string[];
  /** The environment variables that they use: in the project file, in their own, and in manifests. */
  readonly names: readonly string[];
}

export interface PipelineFacts {
  /** True when there are manifests where a new project has them. */
  readonly hasManifests: boolean;
  /** The environment variables of all environments that have no value on this machine, without `unsetSecrets`. */
  readonly unset: readonly string[];
  /** The secrets of manifests that have no value on this machine. A plan needs only those that the tenant shows. */
  readonly unsetSecrets: readonly string[];
  /** The hosts of the tenants, which alone may be called; `null` where the project file does not name them. */
  readonly hosts: readonly string[] | null;
  /** True when a plan without `--env` reads only embedded tenants, which need no credentials. */
  readonly isEmbedded: boolean;
  /** True when the project has several environments and no default. */
  readonly needsEnvironment: boolean;
  /** The environment of the pipeline, or where changes go first and where they go with its proof. */
  readonly stages: readonly [first: Stage, next?: Stage];
}

/** The selections of the environments that get changes first, and of those that get them with its proof. */
export type Promotion = readonly [string, string];

/** A project with a value for each environment variable, so that it can be read where they are not set. */
interface ReadableProject {
  readonly root: string;
  readonly configFile: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Throws a Failure for a selection that selects no environment. */
export function readPipelineFacts(
  root: string,
  env: NodeJS.ProcessEnv,
  promotion: Promotion | null,
): PipelineFacts {
  const ofProject = namesUsed(root);
  const manifests = textsOf(root, [manifestGlob]);
  const secrets = namesIn(manifests, 'secret').filter((name) => !ofProject.includes(name));
  const known = sortUnique([...ofProject, ...namesIn(manifests)]);
  const values = valuesIn(root, { env });
  const unset = known.filter((name) => values.problem(name) !== null);
  const placeholders = Object.fromEntries(known.map((name) => [name, 'unset']));
  const project = { root, configFile: join(root, 'tenantctl.yaml'), env: { ...placeholders, ...env } };
  const stageOf = (selection: string): Stage => {
    const environments = selectEnvironments([selection], loadEnvironmentNames(project));
    return { selection, environments, names: variablesOf(environments, project) ?? [] };
  };
  const chosen = chooseEnvironment(project);
  const { environment, needsEnvironment } = chosen;
  const only = {
    selection: environment,
    environments: [environment],
    names: variablesOf([environment], project) ?? known,
  };
  const stages: PipelineFacts['stages'] = promotion ? [stageOf(promotion[0]), stageOf(promotion[1])] : [only];
  const connections = connectionsOf(
    project,
    stages.flatMap((stage) => stage?.environments ?? []),
  );
  return {
    hasManifests: manifests.length > 0,
    unset: unset.filter((name) => !secrets.includes(name)),
    unsetSecrets: unset.filter((name) => secrets.includes(name)),
    hosts: hostsOf(connections),
    isEmbedded: promotion ? areEmbedded(connections) : chosen.isEmbedded,
    needsEnvironment,
    stages,
  };
}

/** The environment variables that the settings of a project name. */
export const namesUsed = (root: string): string[] =>
  namesIn(textsOf(root, ['tenantctl.yaml', 'environments/*.{yaml,yml}']));

/** The variables of environments that manifests use. */
export function variablesUsed(root: string): string[] {
  const used = /!var +["']?([A-Za-z_][\w.-]*)|%\{\s*([A-Za-z_][\w.-]*)/g;
  const found = textsOf(root, [manifestGlob]).flatMap((text) => [...text.matchAll(used)]);
  return sortUnique(found.map(([, tag, format]) => tag ?? format ?? ''));
}

const manifestGlob = 'config/**/*.{yaml,yml}';

const sortUnique = (names: readonly string[]) => [...new Set(names)].sort();

function textsOf(root: string, globs: readonly string[]): string[] {
  const paths = globSync(globs, { cwd: root, expandDirectories: false });
  return paths.sort().map((path) => readFileSync(join(root, path), 'utf8'));
}

/** Returns the environment variables that texts name with one of the tags, without those in comments. */
function namesIn(texts: readonly string[], tags: 'secret' | 'env|secret' = 'env|secret'): string[] {
  const used = new RegExp(`!(?:${tags}) +["']?([A-Za-z_]\\w*)`, 'g');
  const lines = texts.flatMap((text) => text.split('\n')).map((line) => line.replace(/#.*$/, ''));
  return lines.flatMap((line) => [...line.matchAll(used)].map(([, name = '']) => name));
}

/** Chooses the environment of a pipeline for one: `production`, or else the default, or else the last. */
function chooseEnvironment(project: ReadableProject) {
  const known = () => loadEnvironmentNames(project).environments;
  const pick = (otherwise: string | undefined) =>
    known().includes(environmentName) ? environmentName : (otherwise ?? environmentName);
  try {
    const { name, connection } = loadEnvironment(project).environment;
    return { environment: pick(name), needsEnvironment: false, isEmbedded: connection.to === 'sandbox' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // `validate` and `plan` explain what else is wrong.
    if (!error.diagnostics.some(({ code }) => code === 'no-environment'))
      return { environment: environmentName, needsEnvironment: false, isEmbedded: false };
    const isEmbedded = areEmbedded(connectionsOf(project, known()));
    return { environment: pick(known().at(-1)), needsEnvironment: true, isEmbedded };
  }
}

/** The environment variables that environments and manifests use; `null` where their settings are not found. */
function variablesOf(
  environments: readonly string[],
  { root, configFile }: ReadableProject,
): string[] | null {
  const text = readFileSync(configFile, 'utf8');
  // Every scalar is a text: a name such as `0123` is one too.
  const document = parseDocument(text, { schema: 'failsafe', logLevel: 'silent' });
  const settings = environments.flatMap((name) => {
    const node = document.getIn(['environments', name], true);
    const [start, end] = (isNode(node) && node.range) || [0, 0];
    return [text.slice(start, end), ...textsOf(root, [`environments/${name}.{yaml,yml}`])];
  });
  if (settings.every((each) => each === '')) return null;
  return sortUnique(namesIn([...settings, ...textsOf(root, [manifestGlob])]));
}

/** Returns `null` where an environment cannot be read: `validate` and `plan` explain what is wrong. */
function connectionsOf(project: ReadableProject, environments: readonly string[]): Connection[] | null {
  try {
    return environments.map(
      (name) => loadEnvironment({ ...project, environment: name }).environment.connection,
    );
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

const areEmbedded = (connections: readonly Connection[] | null): boolean =>
  connections?.every(({ to }) => to === 'sandbox') ?? false;

/** The hosts that get requests or credentials; `null` where they are not known, or all are embedded. */
function hostsOf(connections: readonly Connection[] | null): readonly string[] | null {
  const addresses = (connections ?? []).flatMap(calledAddresses);
  const hosts = [...new Set(addresses.map(({ url }) => new URL(url).host))];
  return hosts.length > 0 ? hosts : null;
}

/** `host`, `host:port` or IPv6 in brackets, with nothing that a list, YAML, a shell or a forge would read as its own. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;
/** Names, globs and groups, joined by commas. */
const plainSelection = /^[\w@!*{][\w@!*?{}[\].,-]*$/;

/** Throws a Failure for names that would not reach a job as they are: forges and shells read `$`, spaces and quotes. */
export function requirePlain(selections: readonly string[], hosts: readonly string[]): void {
  const isPlain = selections.length === 1 ? isPlainName : (text: string) => plainSelection.test(text);
  const odd = new Set([
    ...selections.filter((text) => !isPlain(text)).map((text) => `the environment ${JSON.stringify(text)}`),
    ...hosts.filter((host) => !plainHost.test(host)).map((host) => `the host ${JSON.stringify(host)}`),
  ]);
  if (odd.size === 0) return;
  throw fail('usage', `A pipeline cannot pass on ${[...odd].join(' and ')}.`, {
    hint: 'Use a name of letters, digits, dots, dashes and underscores, or do without pipelines: --pipelines none.',
  });
}

/** In the place of hosts that are not known. No request can reach it. */
export const unknownHost = 'name-the-hosts-of-your-tenant.invalid';

/**
 * Fills the template of a pipeline.
 *
 * @param folder the project's folder in its repository, with `/` at its end; `''` where it is the same. What the projects of
 * a repository would share is named by it, since each of them is planned and applied by itself.
 */
export function pipelineFile(template: string, facts: PipelineFacts, folder: string): string {
  const [first, next] = facts.stages;
  const dir = folder.slice(0, -1);
  const secretsOf = (...stages: readonly (Stage | undefined)[]) => {
    const used = sortUnique(stages.flatMap((stage) => stage?.names ?? []));
    return (used.length > 0 ? used : Object.values(usualNames())).map((secret) => ({ secret }));
  };
  return fill(template, {
    hosts: quote((facts.hosts ?? [unknownHost]).join(',')),
    first: quote(first.selection),
    next: quote(next?.selection ?? ''),
    firstName: deploymentName(first, 'test'),
    nextName: deploymentName(next, 'production'),
    firstSecrets: secretsOf(first),
    nextSecrets: secretsOf(next),
    allSecrets: secretsOf(first, next),
    folder,
    dir,
    here: dir === '' ? '.' : quote(dir),
    suffix: dir === '' ? '' : `-${wordOf(folder)}`,
    inFolder: dir === '' ? '' : ` in ${dir}`,
    ofFolder: dir === '' ? '' : ` (${dir})`,
    title: dir === '' ? '### tenantctl plan' : `**${dir}**`,
    comment: dir === '' ? 'plan.md' : 'comment.md',
  });
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The environment of GitHub or GitLab for a selection: the name of the group or environment. */
function deploymentName(stage: Stage | undefined, otherwise: string): string {
  const name = (stage?.selection ?? '').replace(/^@/, '');
  return isPlainName(name) ? name : otherwise;
}

/** A project in a folder of a repository, as a word that tags, groups and files can be called by. */
const wordOf = (folder: string): string => folder.slice(0, -1).replaceAll(/[^A-Za-z0-9_-]/g, '-');

/** A project in its repository. */
export interface ProjectPlace {
  readonly top: string;
  /** The project's folder there, with `/` at its end; `''` where it is the same. */
  readonly folder: string;
}

/** The repository that the project is in, and the project's folder there. Without one, the project is the top. */
export function placeOf(root: string): ProjectPlace {
  try {
    const { top, prefix } = findRepository(root);
    // A pipeline could not name other folders without quotes.
    if (/^[A-Za-z0-9._/-]*$/.test(prefix)) return { top, folder: prefix };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return { top: root, folder: '' };
}

/** The promotion of an existing pipeline; `null` for a pipeline of one environment, and without a pipeline. */
export function writtenPromotion(root: string): Promotion | null {
  const { top } = placeOf(root);
  const texts = systems.map(({ path }) => readIfThere(join(top, path)) ?? '');
  const [first, next] = ['FIRST', 'NEXT'].map((name) =>
    texts.map((text) => new RegExp(`^ *TENANTCTL_${name}: '([^']+)'$`, 'm').exec(text)?.[1]).find(Boolean),
  );
  return first && next ? [first, next] : null;
}

export interface PipelineFile extends ProjectFile {
  /** The existing file, about something else, that somebody must add its jobs to; `null`: this file is run. */
  readonly addTo: string | null;
}

const systems = [
  { system: 'github', path: '.github/workflows/tenantctl.yaml', beside: 'tenantctl.github.yaml' },
  { system: 'gitlab', path: '.gitlab-ci.yml', beside: 'tenantctl.gitlab-ci.yml' },
];

/**
 * The pipelines, for the top of the project's repository. Where that has one already which is about something else, ours is in
 * the project's folder, so that somebody can add its jobs. A pipeline that is as `before` made it is renewed.
 */
export function pipelineFiles(
  wanted: Choices['pipelines'],
  facts: PipelineFacts,
  before: PipelineFacts,
  { top, folder }: ProjectPlace,
): PipelineFile[] {
  const isFree = (path: string) => {
    const existing = readIfThere(join(top, path));
    return existing === null || hasJobsFor(existing, folder, facts);
  };
  return systems
    .filter(({ system }) => wanted === 'both' || wanted === system)
    .map(({ system, path, beside }) => {
      const template = example(`${facts.stages.length > 1 ? 'promotion/' : ''}${path}`);
      const text = pipelineFile(template, facts, folder);
      const renewed = (at: string) => {
        const content = (existing: string | null) => {
          const isOurs = existing === pipelineFile(template, before, folder);
          return existing === null || isOurs ? text : existing;
        };
        return { path: at, content, addTo: null };
      };
      if (isFree(path)) return renewed(path);
      // GitHub runs every file there, so each project of a repository can have one.
      const another = `.github/workflows/tenantctl-${wordOf(folder)}.yaml`;
      if (system === 'github' && folder !== '' && isFree(another)) return renewed(another);
      return { ...newFile(`${folder}${beside}`, text), addTo: path };
    });
}

/** True when an existing pipeline has jobs for the project in this folder, as `pipelineFile` would write them. */
const hasJobsFor = (existing: string, folder: string, { stages }: PipelineFacts): boolean =>
  existing.includes('bin/tenantctl') &&
  existing.includes(folder.slice(0, -1)) &&
  (stages.length === 1 || existing.includes('TENANTCTL_FIRST'));
