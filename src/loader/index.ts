import type { Diagnostic } from '../model/diagnostic.ts';
import type { Environment, Project, Secrets } from '../model/project.ts';
import { type LoadOptions, type ProjectFile, type Reading, readProjectFile } from './config.ts';
import {
  type Declarations,
  declarationsOf,
  type ProjectContext,
  readManifests,
  readResources,
} from './declarations.ts';
import type { Manifest } from './manifest.ts';
import { prepareOverlays } from './overlay.ts';
import { Problems } from './problems.ts';
import { secretsFrom } from './secrets.ts';
import { diskSource, type FileSource, limitSize } from './source.ts';
import { tagReader } from './tags.ts';

export type { LoadOptions } from './config.ts';
export type { Declarations } from './declarations.ts';
export { readDuration } from './environment.ts';
export { diskSource, type FileSource, largestFile } from './source.ts';

/** A project without its manifests, for commands that only need the tenant. */
export interface ProjectEnvironment {
  readonly root: string;
  readonly configFile: string;
  readonly environment: Environment;
  readonly secrets: Secrets;
  readonly diagnostics: readonly Diagnostic[];
}

export interface LoadProjectOptions extends LoadOptions {
  /** The source of manifests and side files. Default: the disk, from which the project file always comes. */
  readonly manifests?: FileSource;
  /** Whether the secrets in manifests must be set. Default: `true`; `false` if none is compared or sent. */
  readonly needsSecrets?: boolean;
}

/**
 * Loads the project file and every manifest for one environment. Throws one Failure with all problems of all files.
 * Works offline: the credentials of the environment are not read.
 */
export function loadProject(options: LoadProjectOptions): Project {
  const opened = openProject(options);
  const context = prepareManifests(opened, options);
  const resources = readResources(context);
  context.overlays.reportUnused();
  return { ...requireEnvironment(opened), lint: opened.project.lint, resources };
}

/**
 * What the manifests of a project declare, as far as they can be read: problems in them are ignored. Throws a Failure
 * if the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  return declarationsOf(prepareManifests(openProject(options), { needsSecrets: false }));
}

/** The names in a project, for shell completion. */
export interface ProjectNames {
  readonly environments: readonly string[];
  /** The objects that manifests declare. */
  readonly objects: readonly Pick<Manifest, 'kind' | 'key' | 'address'>[];
}

/**
 * Loads the names in a project as far as they can be read: manifests with errors are included, and problems in them are
 * ignored. Throws a Failure if the project file itself cannot be read.
 */
export function loadNames(options: LoadOptions): ProjectNames {
  const opened = openProject(options);
  const context = prepareManifests(opened, { needsSecrets: false });
  return { environments: opened.project.environments, objects: readManifests(context, true) };
}

function prepareManifests(
  { problems, secrets, env, project }: OpenProject,
  options: Omit<LoadProjectOptions, keyof LoadOptions>,
): ProjectContext {
  const source = limitSize(options.manifests ?? diskSource(project.root), project.sizeLimit);
  const needed = options.needsSecrets === false ? { ...secrets, isSet: () => true } : secrets;
  return {
    project,
    source,
    readTag: tagReader({ env, secrets: needed, variables: project.variables, source, problems }),
    overlays: prepareOverlays(project.overlays, problems),
    problems,
  };
}

/** Loads the project file for one environment, and no manifest. Throws one Failure with all its problems. */
export function loadEnvironment(options: LoadOptions): ProjectEnvironment {
  return requireEnvironment(openProject(options));
}

interface OpenProject extends Reading {
  readonly project: ProjectFile;
}

function openProject(options: LoadOptions): OpenProject {
  const env = options.env ?? process.env;
  const reading = { options, env, secrets: secretsFrom(env), problems: new Problems() };
  return { ...reading, project: readProjectFile(reading) };
}

/** Throws a Failure if the project has errors. */
function requireEnvironment({ project, secrets, problems }: OpenProject): ProjectEnvironment {
  problems.throwIfAny();
  const { root, configFile, environment } = project;
  if (!environment) throw problems.asFailure();
  return { root, configFile, environment, secrets, diagnostics: problems.diagnostics };
}
