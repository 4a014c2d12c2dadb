import type { Diagnostic } from '../model/diagnostic.ts';
import type { Environment, Project, Secrets } from '../model/project.ts';
import { type LoadOptions, type ProjectFile, readProjectFile } from './config.ts';
import { type Declarations, declarationsOf } from './declarations.ts';
import type { Manifest, ManifestContext } from './manifest.ts';
import { type ManifestFiles, readDeclared, readManifests } from './manifests.ts';
import { prepareOverlays } from './overlay.ts';
import { parseIncomplete } from './parse.ts';
import { findNode } from './position.ts';
import { Problems } from './problems.ts';
import { type KnownSecrets, secretsFrom } from './secrets.ts';
import { diskSource, type FileSource } from './source.ts';
import { tagReader } from './tags.ts';

export type { LoadOptions } from './config.ts';
export type { Declarations } from './declarations.ts';
export { readDuration } from './settings.ts';
export { diskSource, type FileSource, largestFile } from './source.ts';

/** A project without its manifests: what commands need that only talk to the tenant. */
export interface ProjectEnvironment {
  readonly root: string;
  readonly configFile: string;
  readonly environment: Environment;
  readonly secrets: Secrets;
  readonly diagnostics: readonly Diagnostic[];
}

export interface LoadProjectOptions extends LoadOptions {
  /** Where manifests and their side files are read; left out: the disk. The project file always comes from the disk. */
  readonly manifests?: FileSource;
  /** Whether the secrets that manifests name have to be set (default); not so where none is compared or sent. */
  readonly needsSecrets?: boolean;
}

/**
 * Loads the project file and every manifest for one environment. Throws one Failure with all problems of all files;
 * the credentials of the environment are not asked for, so that this works offline.
 */
export function loadProject(options: LoadProjectOptions): Project {
  const started = start(options);
  const { problems, secrets, file } = started;
  const { files, context } = manifestsOf(started, options);
  const resources = readManifests(files, context);
  context.overlays.finish();
  return { ...finish(file, secrets, problems), lint: file.lint, resources };
}

/**
 * What the manifests of a project declare, as far as they can be read: nothing that is wrong with them is told. Throws
 * a Failure where the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  const started = start(options);
  const { files, context } = manifestsOf(started, { needsSecrets: false });
  return declarationsOf(started.file, () => readDeclared(files, context));
}

/** The names in a project, for shell completion. */
export interface ProjectNames {
  readonly environments: readonly string[];
  /** The objects that manifests declare. */
  readonly objects: readonly Pick<Manifest, 'kind' | 'key' | 'address'>[];
}

/**
 * Loads the names in a project as far as they can be read: manifests with errors are included, and no problem in them
 * is reported. Throws a Failure where the project file cannot be read.
 */
export function loadNames(options: LoadOptions): ProjectNames {
  const started = start(options);
  const { files, context } = manifestsOf(started, { needsSecrets: false });
  return {
    environments: started.file.environments,
    objects: readDeclared(files, context, parseIncomplete),
  };
}

/** The files of the manifests, and what they are read with. */
function manifestsOf(
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
