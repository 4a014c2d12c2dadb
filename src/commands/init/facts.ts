import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { isNode, parseDocument } from 'yaml';
import { addressesOf } from '../../engine/tenant.ts';
import type { Connection } from '../../kinds/project.ts';
import { loadEnvironment, loadEnvironmentNames, valuesIn } from '../../loader/index.ts';
import { selectEnvironments } from '../../loader/selection.ts';
import { Failure } from '../../model/failure.ts';
import { environmentName } from './choices.ts';

/** Environments that a pipeline applies to in one step. */
export interface Stage {
  /** What `--env` selects them by. */
  readonly selection: string;
  readonly environments: readonly string[];
  /** The environment variables that they use: in the project file, in their own, and in manifests. */
  readonly names: readonly string[];
}

/** What a pipeline has to know of its project. */
export interface PipelineFacts {
  /** Whether there are manifests where a new project has them. */
  readonly hasManifests: boolean;
  /** The environment variables that the environment of a pipeline for one uses, in its settings and in manifests. */
  readonly names: readonly string[];
  /** Those of all environments that have no value on this machine, without `unsetSecrets`. */
  readonly unset: readonly string[];
  /** The secrets of manifests that have no value on this machine. A plan needs only those that the tenant shows. */
  readonly unsetSecrets: readonly string[];
  /** The hosts of the tenants, which alone may be called; `null` where the project file does not name them. */
  readonly hosts: readonly string[] | null;
  /** The environment of a pipeline for one. */
  readonly environment: string;
  /** Whether a plan without `--env` reads only embedded tenants, which need no credentials. */
  readonly isEmbedded: boolean;
  /** Whether `--env` has to say which environment is meant: there are several, and no default. */
  readonly needsEnvironment: boolean;
  /** Where changes go first, and where they go with its proof; `null`: there is only one environment. */
  readonly stages: readonly [Stage, Stage] | null;
}

/** The selections of the environments that get changes first, and of those that get them with its proof. */
export type Promotion = readonly [string, string];

/**
 * What the pipelines of the project in `root` have to know of it. Throws a Failure for a selection that selects no
 * environment.
 */
export function readPipelineFacts(
  root: string,
  env: NodeJS.ProcessEnv,
  promotion: Promotion | null,
): PipelineFacts {
  const project = namesIn(filesOf(root, ['tenantctl.yaml', 'environments/*.{yaml,yml}']), 'env|secret');
  const manifests = filesOf(root, manifestGlobs);
  const secrets = namesIn(manifests, 'secret').filter((name) => !project.includes(name));
  const known = sortUnique([...project, ...namesIn(manifests, 'env|secret')]);
  const values = valuesIn(root, { env });
  const unset = known.filter((name) => values.problem(name) !== null);
  const placeholders = Object.fromEntries(known.map((name) => [name, 'unset']));
  const readable = { root, configFile: join(root, 'tenantctl.yaml'), env: { ...placeholders, ...env } };
  const stages = promotion && readStages(readable, promotion);
  const chosen = chooseEnvironment(readable);
  const promoted = stages?.flatMap(({ environments }) => environments);
  const connections = connectionsOf(readable, promoted ?? [chosen.environment]);
  return {
    hasManifests: manifests.length > 0,
    names: variablesOf([chosen.environment], readable) ?? known,
    unset: unset.filter((name) => !secrets.includes(name)),
    unsetSecrets: unset.filter((name) => secrets.includes(name)),
    hosts: hostsOf(connections),
    ...chosen,
    isEmbedded: promoted ? areEmbedded(connections) : chosen.isEmbedded,
    stages,
  };
}

/** A project with a value for each environment variable, so that it can be read where they are not set. */
interface ReadableProject {
  readonly root: string;
  readonly configFile: string;
  readonly env: NodeJS.ProcessEnv;
}

const manifestGlobs = ['config/**/*.{yaml,yml}'];

const sortUnique = (names: readonly string[]) => [...new Set(names)].sort();

/** The texts of the files that globs name. */
const filesOf = (root: string, patterns: readonly string[]) =>
  globSync(patterns, { cwd: root, expandDirectories: false })
    .sort()
    .map((path) => readFileSync(join(root, path), 'utf8'));

/** The environment variables that texts name with one of the tags, without those in comments. */
function namesIn(texts: readonly string[], tags: 'secret' | 'env|secret'): string[] {
  const used = new RegExp(`!(?:${tags}) +["']?([A-Za-z_]\\w*)`, 'g');
  const lines = texts.flatMap((text) => text.split('\n')).map((line) => line.replace(/#.*$/, ''));
  return lines.flatMap((line) => [...line.matchAll(used)].map(([, name = '']) => name));
}

/** The environment of a pipeline for one: that of a new project, or else the default, or else the last. */
function chooseEnvironment(
  project: ReadableProject,
): Pick<PipelineFacts, 'environment' | 'needsEnvironment' | 'isEmbedded'> {
  const listKnown = (): readonly string[] => loadEnvironmentNames(project).environments;
  const pick = (otherwise: string | undefined) =>
    listKnown().includes(environmentName) ? environmentName : (otherwise ?? environmentName);
  try {
    const { name, connection } = loadEnvironment(project).environment;
    const isEmbedded = connection.to === 'sandbox';
    return { environment: pick(name), needsEnvironment: false, isEmbedded };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isUnnamed = error.diagnostics.some(({ code }) => code === 'no-environment');
    // `validate` and `plan` explain what else is wrong.
    if (!isUnnamed) return { environment: environmentName, needsEnvironment: false, isEmbedded: false };
    const isEmbedded = areEmbedded(connectionsOf(project, listKnown()));
    return { environment: pick(listKnown().at(-1)), needsEnvironment: true, isEmbedded };
  }
}

function readStages(project: ReadableProject, [first, next]: Promotion): [Stage, Stage] {
  const known = loadEnvironmentNames(project);
  const read = (selection: string): Stage => {
    const environments = selectEnvironments([selection], known);
    return { selection, environments, names: variablesOf(environments, project) ?? [] };
  };
  return [read(first), read(next)];
}

/** The environment variables that environments and manifests use; `null` where the settings of the environments are not found. */
function variablesOf(environments: readonly string[], project: ReadableProject): string[] | null {
  const own = environments.flatMap((name) => textsOf(project, name)).filter((text) => text !== '');
  const manifests = filesOf(project.root, manifestGlobs);
  return own.length === 0 ? null : sortUnique(namesIn([...own, ...manifests], 'env|secret'));
}

/** The parts of project files that are about one environment. */
function textsOf({ root, configFile }: ReadableProject, name: string): string[] {
  const text = readFileSync(configFile, 'utf8');
  const node = parseDocument(text, { logLevel: 'silent' }).getIn(['environments', name], true);
  const [start, end] = (isNode(node) && node.range) || [0, 0];
  return [text.slice(start, end), ...filesOf(root, [`environments/${name}.{yaml,yml}`])];
}

/** How these environments are reached; `null` where one cannot be read: `validate` and `plan` explain what is wrong. */
function connectionsOf(project: ReadableProject, environments: readonly string[]): Connection[] | null {
  try {
    return environments.map(
      (environment) => loadEnvironment({ ...project, environment }).environment.connection,
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
  const addresses = (connections ?? []).flatMap(addressesOf);
  const hosts = [...new Set(addresses.map(({ url }) => new URL(url).host))];
  return hosts.length > 0 ? hosts : null;
}
