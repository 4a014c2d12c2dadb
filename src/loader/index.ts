import { dirname, resolve } from 'node:path';
import type { Kinds } from '../kinds/catalog.ts';
import type { Environment, Project, Secrets } from '../kinds/project.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import {
  type LoadOptions,
  type ProjectFile,
  projectRoot,
  type Reading,
  readLintLevels,
  readProjectEnvironment,
  readProjectFile,
} from './config.ts';
import {
  type Declarations,
  declarationsOf,
  keepDocuments,
  type ProjectContext,
  readDocuments,
  readManifests,
  readResources,
} from './declarations.ts';
import { valuesFor } from './dot-env.ts';
import type { ReadEnvironment } from './environment.ts';
import type { ManifestFolder } from './folder.ts';
import type { Manifest } from './manifest.ts';
import { prepareOverlays } from './overlay.ts';
import { Problems } from './problems.ts';
import { secretsFrom } from './secrets.ts';
import type { EnvironmentNames } from './selection.ts';
import { diskSource, type FileSource, limitSize, singleFile } from './source.ts';
import { refuseSecretTexts, tagReader } from './tags.ts';

export type { LoadOptions } from './config.ts';
export type { Declarations } from './declarations.ts';
export { readDuration } from './environment.ts';
export { type FileSource, largestFile } from './source.ts';

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
}

/**
 * Loads the project file and every manifest for one environment. Throws one Failure with all problems of all files.
 * Works offline: neither the credentials of the environment nor the secrets of manifests are read.
 */
export function loadProject(options: LoadProjectOptions): Project {
  return readProject(openEnvironment(openProject(options), options.environment), options.manifests);
}

/** The same as {@link loadProject} without the overlays of the environment: for manifests that say what the tenant has. */
export function loadWithoutOverlays(options: LoadProjectOptions): Project {
  const opened = openEnvironment(openProject(options), options.environment);
  return readProject({ ...opened, read: { ...opened.read, overlays: [] } }, options.manifests);
}

/** A project whose files are read once, for several of its environments. */
export interface OpenedProjects extends EnvironmentNames {
  readonly root: string;
  readonly configFile: string;
  /** The project for one environment, as {@link loadProject} loads it. */
  load(environment: string): Project;
  /** One environment without the manifests, as {@link loadEnvironment} loads it. */
  environment(name: string): ProjectEnvironment;
  /** What the manifests declare in an environment, as {@link loadDeclarations} finds it. */
  declarations(name: string): Declarations;
  /** The project for one environment, with other manifests than its own. They get its variables, and no overlays. */
  loadFolder(folder: ManifestFolder, environment: string | undefined): Project;
}

/** Opens a project for several environments. Throws a Failure if the project file itself cannot be read. */
export function openProjects(options: LoadProjectOptions): OpenedProjects {
  const opened = openProject(options);
  const { environments, groups } = opened.project;
  const manifests = manifestsOf(opened, options.manifests);
  const kept = { ...manifests, documents: keepDocuments(manifests.documents) };
  return {
    environments,
    groups,
    root: opened.project.root,
    configFile: opened.project.configFile,
    environment: (name) => checkEnvironmentAlone(openEnvironment(opened, name)),
    load: (environment) => readProject(openEnvironment(opened, environment), options.manifests, kept),
    declarations: (name) => declarationsOf(prepareManifests(openEnvironment(opened, name), kept)),
    loadFolder({ source, manifests: patterns }, environment) {
      const project = { ...opened.project, manifests: patterns, notManifests: [] };
      const { read, ...others } = openEnvironment({ ...opened, project }, environment);
      return readProject({ ...others, read: { ...read, overlays: [] } }, source);
    },
  };
}

/** The environments and groups of a project. Throws a Failure if the project file itself cannot be read. */
export function loadEnvironmentNames(options: Omit<LoadOptions, 'environment'>): EnvironmentNames {
  const { problems, project } = openProject(options);
  problems.throwIfAny();
  return { environments: project.environments, groups: project.groups };
}

/** Problems of an earlier project that only the environment of today has. */
const forgotten = ['env-unset', 'env-secret'];

/**
 * Opens a project as it was, from a folder with its files of that time. Nothing of it is sent or shown, so `!env` may
 * read what is a credential today. Environment variables that are not set any more are warnings: the values made of them
 * are left out.
 *
 * @param present the folder of the project as it is today, whose `.env` counts
 */
export function openPastProjects(
  options: Omit<LoadOptions, 'environment'>,
  present: string,
): Pick<OpenedProjects, 'load'> {
  const opened = openProject(options, { tolerated: forgotten, dotEnvIn: present });
  const manifests = manifestsOf(opened);
  const kept = { ...manifests, documents: keepDocuments(manifests.documents) };
  return { load: (environment) => readProject(openEnvironment(opened, environment), undefined, kept) };
}

function readProject(opened: OpenEnvironment, source?: FileSource, manifests?: ManifestFiles): Project {
  const context = prepareManifests(opened, manifests ?? manifestsOf(opened, source));
  const resources = readResources(context);
  context.overlays.reportUnused();
  refuseSecretTexts(opened, opened.project);
  const required = requireEnvironment(opened);
  return { ...required, lint: readLintLevels(opened.project, required.environment), resources };
}

/**
 * What the manifests of a project declare, as far as they can be read: problems in them are ignored. Throws a Failure
 * if the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  const opened = openEnvironment(openProject(options), options.environment);
  return declarationsOf(prepareManifests(opened, manifestsOf(opened)));
}

/** The names in a project, for shell completion. */
export interface ProjectNames {
  readonly environments: readonly string[];
  readonly kinds: Kinds;
  /** The objects that manifests declare. */
  readonly objects: readonly Pick<Manifest, 'kind' | 'key' | 'address'>[];
}

/**
 * Loads the names in a project as far as they can be read: manifests with errors are included, and problems in them are
 * ignored. Throws a Failure if the project file itself cannot be read.
 */
export function loadNames(options: LoadOptions): ProjectNames {
  const opened = openEnvironment(openProject(options), options.environment);
  const context = prepareManifests(opened, manifestsOf(opened));
  const { environments, kinds } = opened.project;
  return { environments, kinds, objects: readManifests(context, true) };
}

/** The kinds of a project. Throws a Failure if the project file or the description of a kind cannot be read. */
export function loadKinds(options: Omit<LoadOptions, 'environment'>): Kinds {
  return openProject(options).project.kinds;
}

/** The manifests of a project before an environment is chosen. */
interface ManifestFiles extends Pick<ProjectContext, 'documents' | 'shared'> {
  readonly source: FileSource;
}

function manifestsOf({ project }: OpenProject, files: FileSource = diskSource(project.root)): ManifestFiles {
  const source = limitSize(files, project.sizeLimit);
  return { source, documents: readDocuments(project, source), shared: new Map() };
}

function prepareManifests(
  { problems, values, uses, project, read }: OpenEnvironment,
  { source, documents, shared }: ManifestFiles,
): ProjectContext {
  return {
    project,
    kinds: project.kinds,
    documents,
    shared,
    readTag: tagReader({ values, uses, variables: read.variables, source, problems }),
    overlays: prepareOverlays(read.overlays, { kinds: project.kinds, problems }),
    problems,
  };
}

/** Loads the project file for one environment, and no manifest. Throws one Failure with all its problems. */
export function loadEnvironment(options: LoadOptions): ProjectEnvironment {
  return checkEnvironmentAlone(openEnvironment(openProject(options), options.environment));
}

function checkEnvironmentAlone(opened: OpenEnvironment): ProjectEnvironment {
  refuseSecretTexts(opened, opened.project);
  return requireEnvironment(opened);
}

/**
 * Loads an environment of a project file that is not written yet, as {@link loadEnvironment} would after that.
 *
 * @param text the content of the file, for which `configFile` names the place that it will have
 */
export function loadUnwritten(text: string, options: LoadOptions): ProjectEnvironment {
  return requireEnvironment(openEnvironment(openProject(options, { text }), options.environment));
}

/**
 * What a project in a folder is given: the environment, and `.env` there. The folder need not exist. Throws a Failure for
 * a `.env` that cannot be used.
 */
export function valuesIn(
  folder: string,
  { env = process.env, onSecret }: Omit<LoadOptions, 'configFile'>,
): Secrets {
  const problems = new Problems();
  const values = valuesFor(resolve(folder), env, problems);
  problems.throwIfAny();
  return secretsFrom(values, onSecret);
}

/** How a project is opened that is not simply that of today. */
interface Opening {
  /** Codes of problems that are warnings at most. */
  readonly tolerated?: readonly string[];
  /** The folder with the `.env` to use. Default: that of the project. */
  readonly dotEnvIn?: string;
  /** The only file of the project, which is not written yet. Its folder may not exist. */
  readonly text?: string;
}

/** A project file that was read, and what its environments are read with. */
interface OpenProject extends Pick<Reading, 'env' | 'values' | 'secrets'> {
  readonly project: ProjectFile;
  readonly tolerated: readonly string[];
  /** What is wrong with the project file in all environments. */
  readonly problems: Problems;
}

function openProject(options: Omit<LoadOptions, 'environment'>, opening: Opening = {}): OpenProject {
  const { tolerated = [], dotEnvIn, text } = opening;
  const problems = new Problems(tolerated);
  const env = options.env ?? process.env;
  const configFile = resolve(options.configFile);
  const root = text === undefined ? projectRoot(configFile) : dirname(configFile);
  const source = text === undefined ? diskSource(root) : singleFile(text);
  const values = valuesFor(dotEnvIn ?? root, env, problems);
  const secrets = secretsFrom(values, options.onSecret);
  const project = readProjectFile(configFile, { root, source, problems });
  return { env, values, secrets, project, tolerated, problems };
}

/** A project with one of its environments, whose problems are its own. */
interface OpenEnvironment extends OpenProject, Reading {
  readonly problems: Problems;
  readonly read: ReadEnvironment;
}

/** @param name left out: the default of the project */
function openEnvironment(opened: OpenProject, name: string | undefined): OpenEnvironment {
  const problems = new Problems(opened.tolerated);
  problems.addAll(opened.problems);
  const uses = { secrets: new Set<string>(), texts: [] };
  const reading = { ...opened, uses, problems };
  return { ...reading, read: readProjectEnvironment(opened.project, name, reading) };
}

/** Throws a Failure if the project has errors. */
function requireEnvironment({ project, read, secrets, problems }: OpenEnvironment): ProjectEnvironment {
  problems.throwIfAny();
  const { root, configFile } = project;
  if (!read.environment) throw problems.asFailure();
  return { root, configFile, environment: read.environment, secrets, diagnostics: problems.diagnostics };
}
