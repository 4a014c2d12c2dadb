import { realpathSync } from 'node:fs';
import { basename, dirname, posix, resolve } from 'node:path';
import { validators } from '../generated/validators.js';
import type { Kinds } from '../kinds/catalog.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { failure } from '../model/failure.ts';
import { groupBy } from '../model/group.ts';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import { type LintLevels, type LintRule, lintRules } from '../model/lint.ts';
import { numberOf, objectOf, oneOf, textListsOf, textsOf } from '../model/members.ts';
import { once } from '../model/once.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { didYouMean } from '../model/suggest.ts';
import { findNode, placesWithin, type YamlDocument } from './document.ts';
import {
  authPlaces,
  checkEnvironment,
  type EnvironmentText,
  type ReadEnvironment,
  readEnvironment,
} from './environment.ts';
import type { Place } from './file.ts';
import { readKinds } from './kind-files.ts';
import { openSingle } from './parse.ts';
import { Problems } from './problems.ts';
import { checkSchema } from './schema.ts';
import { defaultOf, type EnvironmentNames } from './selection.ts';
import type { FileSource } from './source.ts';
import { openTagReader, type TagUses } from './tags.ts';
import { type ReadTag, readTree, unresolved } from './tree.ts';

/** A project and one of its environments. */
export interface LoadOptions {
  /** The path of the project file, from the working directory. */
  readonly configFile: string;
  /** Default: that of the project file, or its only environment. */
  readonly environment?: string;
  /** Environment variables. Default: those of the process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Called with the text of each secret when it is read first. */
  onSecret?(text: string): void;
}

/** What a project file says of all environments. */
export interface ProjectFile extends EnvironmentNames {
  readonly root: string;
  readonly configFile: string;
  readonly kinds: Kinds;
  /** The source of the project file and of environments. */
  readonly source: FileSource;
  readonly document: YamlDocument;
  readonly value: JsonObject;
  /** The names of the environments in it. */
  readonly inline: readonly string[];
  /** Files that contain one environment each, by its name. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Globs of manifests. */
  readonly manifests: readonly string[];
  /** The position of the globs. */
  readonly place: Place;
  /** YAML files that are not manifests, even where a glob matches them. */
  readonly notManifests: readonly string[];
  /** How large manifests and side files may be together, in MB. */
  readonly sizeLimit: number;
  /** The names of the credentials and secrets of all environments. */
  credentialNames(): ReadonlySet<string>;
}

const defaultSizeLimit = 100;
const emptyHint = '`tenantctl init` makes a project with a file to begin with.';
const defaultManifests = ['config/**/*.yaml'];
/** Files that contain one environment each. */
export const environmentFiles = ['environments/*.yaml', 'environments/*.yml'];

/** What an environment is read with. */
export interface Reading {
  readonly env: NodeJS.ProcessEnv;
  /** What tags are looked up in: `env`, and `.env` where it counts. */
  readonly values: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  readonly uses: TagUses;
  readonly problems: Problems;
}

/**
 * Reads the project file. Problems are reported; throws a Failure if the file is unusable.
 *
 * @param root the folder of the project, absolute, links resolved
 */
export function readProjectFile(
  file: string,
  { root, source, problems }: { root: string; source: FileSource; problems: Problems },
): ProjectFile {
  const configFile = resolve(file);
  const document = openSingle(source, basename(configFile), problems, emptyHint);
  const value = document && readProjectValue(document, problems);
  if (!document || !isObject(value)) throw problems.asFailure();
  const { kinds, paths: kindFiles } = readKinds(source, problems);
  const paths = source.glob(environmentFiles);
  const inline = Object.keys(objectOf(value, 'environments'));
  const files = new Map(groupBy(paths, (path) => posix.parse(path).name));
  const names = [...new Set([...inline, ...files.keys()])];
  return {
    root,
    configFile,
    kinds,
    source,
    document,
    value,
    inline,
    files,
    groups: textListsOf(value, 'groups'),
    defaultEnvironment:
      textOf(value, 'defaultEnvironment') ?? (names.length === 1 ? (names[0] ?? null) : null),
    place: findNode(document, '/manifests').place,
    environments: names,
    manifests: isArray(own(value, 'manifests')) ? textsOf(value, 'manifests') : defaultManifests,
    notManifests: [basename(configFile), ...paths, ...kindFiles],
    sizeLimit: numberOf(value, 'sizeLimit') ?? defaultSizeLimit,
    credentialNames: once(() => {
      const documents = paths.flatMap((path) => openSingle(source, path, new Problems(), emptyHint) ?? []);
      const inFiles = documents.flatMap((each) => credentialsIn(each, ['']));
      const places = inline.map((name) => pointer('environments', name));
      return new Set([...credentialsIn(document, places), ...inFiles]);
    }),
  };
}

/** Reads one environment of a project. Problems are reported. */
export function readProjectEnvironment(
  project: ProjectFile,
  name: string | undefined,
  reading: Reading,
): ReadEnvironment {
  const text = chooseEnvironment(project, name, reading.problems);
  if (!text) return { environment: null, variables: null, overlays: [] };
  const { root, kinds, source } = project;
  return readEnvironment(text, { ...reading, root, kinds, source, variables: {} });
}

/** The names that the environments at these places give to tokens, client secrets and other secrets. */
function credentialsIn(document: YamlDocument, environments: readonly Pointer[]): string[] {
  const places = environments.flatMap((at) =>
    ['identity', 'profiles'].flatMap((service) =>
      ['token', 'clientSecret'].map((name) => `${at}${pointer(service, 'auth', name)}`),
    ),
  );
  const found = places.map((at) => findNode(document, at)).filter(({ match }) => match === 'exact');
  const offsets = new Set(found.map(({ place }) => place.offset));
  const names: string[] = [];
  const readTag: ReadTag = (tag, argument, place) => {
    const isNamed = tag === '!secret' || (tag === '!env' && offsets.has(place.offset));
    if (isNamed && typeof argument === 'string') names.push(argument);
    return unresolved;
  };
  readTree(document, readTag, new Problems());
  return names;
}

/** The folder of a project file, links resolved. Throws a Failure `config-not-found`. */
export function projectRoot(configFile: string): string {
  try {
    realpathSync.native(configFile);
    return realpathSync.native(dirname(configFile));
  } catch {
    throw failure('config-not-found', `There is no project file ${configFile}.`, {
      hint: 'Run the command in the folder of tenantctl.yaml or below it, name the file with --config, or create one with `tenantctl init`.',
    });
  }
}

/** The value of the project file with its tags unresolved. Only environments may have tags. */
function readProjectValue(document: YamlDocument, problems: Problems): Json {
  const isInEnvironment = placesWithin(document, '/environments');
  const open = openTagReader(problems);
  const readTag: ReadTag = (tag, argument, place) => {
    if (!isInEnvironment(place)) problems.add('misplaced-tag', 'Only environments may have tags', place);
    return open(tag, argument, place);
  };
  const tree = readTree(document, readTag, problems);
  const find = (at: string) => findNode(document, at);
  checkSchema(validators.project, tree, { problems, find, unshown: authPlaces });
  return tree.value;
}

/** The environment that the options or the project select; `null`, and a problem, where there is none. */
function chooseEnvironment(
  project: ProjectFile,
  wanted: string | undefined,
  problems: Problems,
): EnvironmentText | null {
  const { document, inline, files, environments: names, source } = project;
  const name = wanted ?? defaultIn(project, problems);
  if (name === null) return null;
  const [path, other] = files.get(name) ?? [];
  const at = pointer('environments', name);
  const refuseTwice = (place: Place, elsewhere: string) => {
    const message = `The environment \`${name}\` is defined here and in ${elsewhere}`;
    problems.add('environment-twice', message, place, { hint: 'Remove one of them.' });
    return null;
  };
  if (inline.includes(name)) {
    return path === undefined ? { name, document, at } : refuseTwice(findNode(document, at).key, path);
  }
  if (path === undefined) {
    const place = wanted === undefined ? findNode(document, '/defaultEnvironment').place : null;
    const hint = didYouMean(name, names) ?? `The environments are: ${names.join(', ') || 'none'}.`;
    problems.add('unknown-environment', `There is no environment \`${name}\``, place, { hint });
    return null;
  }
  const file = openSingle(source, path, problems, emptyHint);
  if (!file) return null;
  if (other !== undefined) return refuseTwice(findNode(file, '').place, other);
  const text = { name, document: file, at: '' };
  checkEnvironment(text, readTree(file, openTagReader(problems), problems).value, problems);
  return text;
}

function defaultIn(project: ProjectFile, problems: Problems): string | null {
  try {
    return defaultOf(project);
  } catch (error) {
    problems.addFailure(error, null);
    return null;
  }
}

/** The level of each lint rule: that of the project file, else that of the rule. */
export function readLintLevels({ value }: ProjectFile, environment: Environment | null): LintLevels {
  const set = objectOf(value, 'lint');
  const isEmbedded = environment?.connection.to === 'sandbox';
  const level = ([code, rule]: [string, LintRule]) => {
    const byDefault = (isEmbedded ? rule.embedded : undefined) ?? rule.level;
    return [code, oneOf(set, code, ['error', 'warning', 'info', 'off'], byDefault)] as const;
  };
  return Object.fromEntries(Object.entries(lintRules).map(level));
}
