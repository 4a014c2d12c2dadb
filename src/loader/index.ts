import { join } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Environment, Project } from '../model/project.ts';
import type { Secrets } from '../model/secrets.ts';
import { openCache } from './cache.ts';
import { type ProjectFile, readProjectFile } from './config.ts';
import { declarationsOf } from './declarations.ts';
import type { Declarations } from './declared.ts';
import { readDeclared, readManifests } from './manifests.ts';
import type { LoadOptions } from './options.ts';
import { prepareOverlays } from './overlay.ts';
import { findNode } from './position.ts';
import { Problems } from './problems.ts';
import { type KnownSecrets, secretsFrom } from './secrets.ts';
import { diskSource, type FileSource } from './source.ts';
import { tagReader } from './tags.ts';

export type { Declarations } from './declared.ts';
export type { LoadOptions } from './options.ts';
export { type FileSource, largestFile } from './source.ts';

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
  /**
   * The version of the tool whose cache of manifests is used; left out: none. A cache is no better protected than the
   * folder it lies in, so that nothing which writes should read manifests from it.
   */
  readonly cacheOf?: string;
}

const cacheFile = '.tenantctl/cache/manifests';

/**
 * Loads the project file and every manifest for one environment. Throws one Failure with all problems of all files;
 * the credentials of the environment are not asked for, so that this works offline.
 */
export function loadProject(options: LoadProjectOptions): Project {
  const started = start(options);
  const { problems, secrets, file } = started;
  const { files, readTag, overlays } = reading(started, options);
  const resources = readManifests(files, readTag, overlays, problems);
  overlays.finish();
  return { ...finish(file, secrets, problems), lint: file.lint, resources };
}

/**
 * What the manifests of a project declare, as far as they can be read: nothing that is wrong with them is told. Throws
 * a Failure where the project file itself cannot be read.
 */
export function loadDeclarations(options: LoadOptions): Declarations {
  const started = start(options);
  const { files, readTag, overlays } = reading(started, { needsSecrets: false });
  return declarationsOf(started.file, () => readDeclared(files, readTag, overlays, started.problems));
}

/** What it takes to read the manifests. */
function reading(
  { problems, secrets, env, file }: Started,
  options: Omit<LoadProjectOptions, keyof LoadOptions>,
) {
  const source = options.manifests ?? diskSource(file.root);
  const needed = options.needsSecrets === false ? { ...secrets, isSet: () => true } : secrets;
  const place = findNode(file.document, '/manifests').place;
  const cache = options.cacheOf === undefined ? null : openCache(join(file.root, cacheFile), options.cacheOf);
  return {
    files: { source, patterns: file.manifests, place, except: file.notManifests, cache },
    readTag: tagReader({ env, secrets: needed, variables: file.variables, source, problems }),
    overlays: prepareOverlays(file.overlays, problems),
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
