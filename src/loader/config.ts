import { realpathSync } from 'node:fs';
import { basename, dirname, posix, resolve } from 'node:path';
import { validators } from '../generated/validators.js';
import { failure } from '../model/failure.ts';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import type { LintLevels } from '../model/lint.ts';
import { pointer } from '../model/pointer.ts';
import { didYouMean } from '../model/suggest.ts';
import {
  checkEnvironment,
  credentialPlaces,
  type EnvironmentText,
  type ReadEnvironment,
  readEnvironment,
} from './environment.ts';
import { parseDocuments } from './parse.ts';
import { findNode, nodeRange } from './position.ts';
import type { Problems } from './problems.ts';
import { checkSchema } from './schema.ts';
import type { KnownSecrets } from './secrets.ts';
import { readLintLevels } from './settings.ts';
import { diskSource, type FileSource } from './source.ts';
import { openTagReader } from './tags.ts';
import { openFile } from './text.ts';
import { readTree, type YamlDocument } from './tree.ts';

/** Where a project is and which of its environments is wanted. */
export interface LoadOptions {
  /** The project file, from the working directory on. */
  readonly configFile: string;
  /** Left out: the project file's default, or its only environment. */
  readonly environment?: string;
  /** Environment variables; left out: the process's own. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The project file, read for one environment. */
export interface ProjectFile extends ReadEnvironment {
  readonly root: string;
  readonly configFile: string;
  /** The names of all environments. */
  readonly environments: readonly string[];
  /** Globs of manifests. */
  readonly manifests: readonly string[];
  /** Where the globs stand, or the file. */
  readonly document: YamlDocument;
  /** YAML files that are no manifests, whatever the globs say. */
  readonly notManifests: readonly string[];
  readonly lint: LintLevels;
}

const defaultManifests = ['config/**/*.yaml'];
/** Where environments have files of their own. */
export const environmentFiles = ['environments/*.yaml', 'environments/*.yml'];

interface Reading {
  readonly options: LoadOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: KnownSecrets;
  readonly problems: Problems;
}

/** Reads the project file and its environment; problems are told. Throws a Failure where there is nothing to go on with. */
export function readProjectFile(reading: Reading): ProjectFile {
  const { options, problems } = reading;
  const configFile = resolve(options.configFile);
  const root = projectRoot(configFile);
  const source = diskSource(root);
  const document = readSingle(source, basename(configFile), problems);
  const value = document && readShape(document, problems);
  if (!document || !isObject(value)) throw problems.asFailure();
  const files = source.glob(environmentFiles);
  const text = chooseEnvironment(value, document, files, source, reading);
  const context = { ...reading, variables: {}, source };
  const environment = text ? readEnvironment(text, context, root) : nothing;
  return {
    ...environment,
    root,
    configFile,
    document,
    environments: environmentNames(value, files),
    manifests: texts(value, 'manifests') ?? defaultManifests,
    notManifests: [basename(configFile), ...files],
    lint: readLintLevels(value, environment.environment),
  };
}

const nothing: ReadEnvironment = { environment: null, variables: null, overlays: [] };

function projectRoot(configFile: string): string {
  try {
    realpathSync.native(configFile);
    return realpathSync.native(dirname(configFile));
  } catch {
    throw failure('config-not-found', `There is no project file ${configFile}.`, {
      hint: 'Run the command in the folder of tenantctl.yaml, name the file with --config, or make one with `tenantctl init`.',
    });
  }
}

/** A file that holds exactly one document. */
function readSingle(source: FileSource, path: string, problems: Problems): YamlDocument | null {
  const file = openFile(source, path, problems);
  if (!file) return null;
  const [document, second] = parseDocuments(file, problems);
  if (second) {
    const place = findNode(second, '').place;
    problems.add('second-document', 'This file may hold one document only', place, {
      hint: 'Remove the `---`.',
    });
  }
  if (!document && !problems.hasErrors) problems.add('empty-file', `${path} is empty`, { file, offset: 0 });
  return document ?? null;
}

/** The project file's value with tags left open; only environments may have tags. */
function readShape(document: YamlDocument, problems: Problems): Json {
  const environments = nodeRange(document, '/environments');
  const open = openTagReader(problems);
  const tree = readTree(
    document,
    (tag, argument, place) => {
      if (!environments || place.offset < environments[0] || place.offset > environments[1]) {
        problems.add('misplaced-tag', 'Tags are read inside environments only', place);
      }
      return open(tag, argument, place);
    },
    problems,
  );
  const find = (at: string) => findNode(document, at);
  checkSchema(validators.project, tree, { problems, find, unshown: credentialPlaces });
  return tree.value;
}

function chooseEnvironment(
  project: JsonObject,
  document: YamlDocument,
  files: readonly string[],
  source: FileSource,
  { options, problems }: Reading,
): EnvironmentText | null {
  const byName = new Map(files.map((path) => [posix.parse(path).name, path]));
  const names = environmentNames(project, files);
  const name =
    options.environment ??
    textOf(project, 'defaultEnvironment') ??
    (names.length === 1 ? names[0] : undefined);
  if (name === undefined) {
    const hint =
      names.length === 0
        ? 'Add `environments` to the project file.'
        : `Name one with --env: ${names.join(', ')}.`;
    problems.add('no-environment', 'No environment is named', null, { hint });
    return null;
  }
  const path = byName.get(name);
  const at = pointer('environments', name);
  if (inlineNames(project).includes(name)) {
    if (path === undefined) return { name, document, at };
    const place = findNode(document, at).key;
    problems.add('environment-twice', `The environment \`${name}\` stands here and in ${path}`, place);
    return null;
  }
  if (path === undefined) {
    const place = options.environment === undefined ? findNode(document, '/defaultEnvironment').place : null;
    const hint = didYouMean(name, names) ?? `There are: ${names.join(', ') || 'none'}.`;
    problems.add('unknown-environment', `There is no environment \`${name}\``, place, { hint });
    return null;
  }
  return readEnvironmentFile(name, path, source, problems);
}

/** The names of the environments in the project file and in files of their own. */
function environmentNames(project: JsonObject, files: readonly string[]): string[] {
  return [...new Set([...inlineNames(project), ...files.map((path) => posix.parse(path).name)])];
}

function inlineNames(project: JsonObject): string[] {
  const inline = own(project, 'environments');
  return isObject(inline) ? Object.keys(inline) : [];
}

function readEnvironmentFile(
  name: string,
  path: string,
  source: FileSource,
  problems: Problems,
): EnvironmentText | null {
  const document = readSingle(source, path, problems);
  if (!document) return null;
  const text = { name, document, at: '' };
  checkEnvironment(text, readTree(document, openTagReader(problems), problems).value, problems);
  return text;
}

function texts(value: JsonObject, name: string): string[] | null {
  const list = own(value, name);
  return isArray(list) ? list.filter((item) => typeof item === 'string') : null;
}
