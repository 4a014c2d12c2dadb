import type { Diagnostic } from '../model/diagnostic.ts';
import type { Environment, Project, Secrets } from '../model/project.ts';
import { type LoadOptions, type ProjectFile, readProjectFile } from './config.ts';
import {
  type Declarations,
  declarationsOf,
  type ManifestFiles,
  readManifests,
  readResources,
} from './declarations.ts';
import { findNode } from './document.ts';
import type { Manifest, ManifestContext } from './manifest.ts';
import { prepareOverlays } from './overlay.ts';
import { parseIncomplete } from './parse.ts';
import { Problems } from './problems.ts';
import { type KnownSecrets, secretsFrom } from './secrets.ts';
import { diskSource, type FileSource } from './source.ts';
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
  const { files, context } = prepareManifests(opened, options);
  const resources = readResources(files, context);
  context.overlays.reportUnused();
  return { ...requireEnvironment(opened), lint: opened.file.lint, resources };
}

/**
 * What the manifests of a project declare, as far as they can be read: problems in them are ignored. Throws a Failure
 * if the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  const opened = openProject(options);
  const { files, context } = prepareManifests(opened, { needsSecrets: false });
  return declarationsOf(opened.file, files, context);
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
  const { files, context } = prepareManifests(opened, { needsSecrets: false });
  return {
    environments: opened.file.environments,
    objects: readManifests(files, context, parseIncomplete),
  };
}

/** The files of the manifests, and what they are read with. */
function prepareManifests(
  { problems, secrets, env, file }: OpenProject,
  options: Omit<LoadProjectOptions, keyof LoadOptions>,
): { files: ManifestFiles; context: ManifestContext } {
  const source = options.manifests ?? diskSource(file.root);
  const needed = options.needsSecrets === false ? { ...secrets, isSet: () => true } : secrets;
  const place = findNode(file.document, '/manifests').place;
  return {
    files: { source, patterns: file.manifests, place, except: file.notManifests },
    context: {
      readTag: tagReader({ env, secrets: needed, variables: file.variables, source, problems }),
      overlays: prepareOverlays(file.overlays, problems),
      problems,
    },
  };
}

/** Loads the project file for one environment, and no manifest. Throws one Failure with all its problems. */
export function loadEnvironment(options: LoadOptions): ProjectEnvironment {
  return requireEnvironment(openProject(options));
}

interface OpenProject {
  readonly problems: Problems;
  readonly secrets: KnownSecrets;
  readonly env: NodeJS.ProcessEnv;
  readonly file: ProjectFile;
}

function openProject(options: LoadOptions): OpenProject {
  const env = options.env ?? process.env;
  const [problems, secrets] = [new Problems(), secretsFrom(env)];
  return { problems, secrets, env, file: readProjectFile({ options, env, secrets, problems }) };
}

/** Throws a Failure if the project has errors. */
function requireEnvironment({ file, secrets, problems }: OpenProject): ProjectEnvironment {
  problems.throwIfAny();
  const { root, configFile, environment } = file;
  if (!environment) throw problems.asFailure();
  return { root, configFile, environment, secrets, diagnostics: problems.diagnostics };
}
