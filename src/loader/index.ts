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
  const opened = openOne(options);
  return readProject(opened, manifestsOf(opened, options.manifests));
}

/** The same as {@link loadProject} without the overlays of the environment: for manifests that say what the tenant has. */
export function loadWithoutOverlays(options: LoadProjectOptions): Project {
  const opened = withoutOverlays(openOne(options));
  return readProject(opened, manifestsOf(opened, options.manifests));
}

/**
 * What the manifests of a project declare, as far as they can be read: problems in them are ignored. Throws a Failure
 * if the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  return declarationsOf(prepareManifests(openOne(options)));
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
  const opened = openOne(options);
  const { environments, kinds } = opened.project;
  return { environments, kinds, objects: readManifests(prepareManifests(opened), true) };
}

/** Loads the project file for one environment, and no manifest. Throws one Failure with all its problems. */
export function loadEnvironment(options: LoadOptions): ProjectEnvironment {
  return requireSafeEnvironment(openOne(options));
}

/**
 * Loads an environment of a project file that is not written yet, as {@link loadEnvironment} would after that.
 *
 * @param text the content of the file, for which `configFile` names the place that it will have
 */
export function loadUnwritten(text: string, options: LoadOptions): ProjectEnvironment {
  return requireEnvironment(openOne(options, { text }));
}

/** The environments and groups of a project. Throws a Failure if the project file itself cannot be read. */
export function loadEnvironmentNames(options: Omit<LoadOptions, 'environment'>): EnvironmentNames {
  const { problems, project } = openProject(options);
  problems.throwIfAny();
  const { environments, groups, defaultEnvironment } = project;
  return { environments, groups, defaultEnvironment };
}

/** The kinds of a project. Throws a Failure if the project file or the description of a kind cannot be read. */
export function loadKinds(options: Omit<LoadOptions, 'environment'>): Kinds {
  return openProject(options).project.kinds;
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
  const { environments, groups, defaultEnvironment, root, configFile } = opened.project;
  const manifests = keepManifests(manifestsOf(opened, options.manifests));
  return {
    environments,
    groups,
    defaultEnvironment,
    root,
    configFile,
    environment: (name) => requireSafeEnvironment(openEnvironment(opened, name)),
    load: (environment) => readProject(openEnvironment(opened, environment), manifests),
    declarations: (name) => declarationsOf(prepareManifests(openEnvironment(opened, name), manifests)),
    loadFolder({ source, manifests: patterns }, environment) {
      const project = { ...opened.project, manifests: patterns, notManifests: [] };
      const folder = withoutOverlays(openEnvironment({ ...opened, project }, environment));
      return readProject(folder, manifestsOf(folder, source));
    },
  };
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
  const manifests = keepManifests(manifestsOf(opened));
  return { load: (environment) => readProject(openEnvironment(opened, environment), manifests) };
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

function openOne(options: LoadOptions, opening?: Opening): OpenEnvironment {
  return openEnvironment(openProject(options, opening), options.environment);
}

function withoutOverlays(opened: OpenEnvironment): OpenEnvironment {
  return { ...opened, read: { ...opened.read, overlays: [] } };
}

/** The manifests of a project before an environment is chosen. */
interface ManifestReader extends Pick<ProjectContext, 'documents' | 'shared'> {
  readonly source: FileSource;
}

/** @param files default: the disk */
function manifestsOf({ project }: OpenProject, files = diskSource(project.root)): ManifestReader {
  const source = limitSize(files, project.sizeLimit);
  return { source, documents: readDocuments(project, source), shared: new Map() };
}

/** The same for several environments. */
function keepManifests(manifests: ManifestReader): ManifestReader {
  return { ...manifests, documents: keepDocuments(manifests.documents) };
}

function prepareManifests(opened: OpenEnvironment, reader = manifestsOf(opened)): ProjectContext {
  const { problems, values, uses, project, read } = opened;
  const { source, documents, shared } = reader;
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

/** Reads every manifest. Throws one Failure with all problems of the project. */
function readProject(opened: OpenEnvironment, manifests: ManifestReader): Project {
  const context = prepareManifests(opened, manifests);
  const resources = readResources(context);
  context.overlays.reportUnused();
  const project = requireSafeEnvironment(opened);
  return { ...project, lint: readLintLevels(opened.project, project.environment), resources };
}

/** Throws a Failure if the project has errors. */
function requireEnvironment({ project, read, secrets, problems }: OpenEnvironment): ProjectEnvironment {
  problems.throwIfAny();
  const { root, configFile } = project;
  if (!read.environment) throw problems.asFailure();
  return { root, configFile, environment: read.environment, secrets, diagnostics: problems.diagnostics };
}

/** The same, also if a plan would show a credential. */
function requireSafeEnvironment(opened: OpenEnvironment): ProjectEnvironment {
  refuseSecretTexts(opened, opened.project);
  return requireEnvironment(opened);
}
