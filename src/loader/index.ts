import type { Diagnostic } from '../model/diagnostic.ts';
import type { Environment, Project, Secrets } from '../model/project.ts';
import { type LoadOptions, type ProjectFile, readProjectFile } from './config.ts';
import { type Declarations, declarationsOf, type ManifestFiles, readResources } from './declarations.ts';
import { findNode } from './document.ts';
import type { ManifestContext } from './manifest.ts';
import { prepareOverlays } from './overlay.ts';
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
  const started = start(options);
  const { problems, secrets, file } = started;
  const { files, context } = prepareManifests(started, options);
  const resources = readResources(files, context);
  context.overlays.reportUnused();
  return { ...finish(file, secrets, problems), lint: file.lint, resources };
}

/**
 * What the manifests of a project declare, as far as they can be read: problems in them are ignored. Throws a Failure
 * if the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  const started = start(options);
  const { files, context } = prepareManifests(started, { needsSecrets: false });
  return declarationsOf(started.file, files, context);
}

/** The files of the manifests, and what they are read with. */
function prepareManifests(
  { problems, secrets, env, file }: Started,
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
  const { problems, secrets, file } = start(options);
  return finish(file, secrets, problems);
}

interface Started {
  readonly problems: Problems;
  readonly secrets: KnownSecrets;
  readonly env: NodeJS.ProcessEnv;
  readonly file: ProjectFile;
}

function start(options: LoadOptions): Started {
  const env = options.env ?? process.env;
  const [problems, secrets] = [new Problems(), secretsFrom(env)];
  return { problems, secrets, env, file: readProjectFile({ options, env, secrets, problems }) };
}

function finish(file: ProjectFile, secrets: Secrets, problems: Problems): ProjectEnvironment {
  problems.throwIfAny();
  const { root, configFile, environment } = file;
  if (!environment) throw problems.asFailure();
  return { root, configFile, environment, secrets, diagnostics: problems.diagnostics };
}
