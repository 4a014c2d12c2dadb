import { realpathSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { validators } from '../generated/validators.js';
import type { Kinds } from '../kinds/catalog.ts';
import type { Environment } from '../kinds/project.ts';
import { groupBy, once } from '../model/basics.ts';
import { failure } from '../model/failure.ts';
import {
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  numberOf,
  objectOf,
  oneOf,
  own,
  textListsOf,
  textOf,
  textsOf,
} from '../model/json.ts';
import { type LintLevels, type LintRule, lintRules } from '../model/lint.ts';
import { pointer, valueAt } from '../model/pointer.ts';
import { noteIn, notesIn, withoutNotes } from './declaration.ts';
import { findNode, isWithinValue, type YamlDocument } from './document.ts';
import type { Place } from './file.ts';
import { readKinds } from './kind-files.ts';
import { openSingle } from './parse.ts';
import { isForeign, statOf } from './paths.ts';
import { Problems } from './problems.ts';
import { checkSchema } from './schema.ts';
import { type EnvironmentNames, memberProblem, sayFrom } from './selection.ts';
import type { FileSource } from './source.ts';
import { tagNoter } from './tags.ts';
import { type ReadTag, readTree, unresolved } from './tree.ts';

/** What a project file says of all environments. */
export interface ProjectFile extends EnvironmentNames {
  readonly root: string;
  readonly configFile: string;
  readonly kinds: Kinds;
  /** The source of the project file and of environments. */
  readonly source: FileSource;
  readonly document: YamlDocument;
  /** With notes for its tags, which only environments may have. */
  readonly noted: Json;
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
  /** The levels of lint rules that it sets. */
  readonly lint: JsonObject;
  /** The names of the credentials and secrets of all environments. */
  credentialNames(): ReadonlySet<string>;
  /** The seed and data files of all embedded tenants, as they are written. */
  tenantFiles(): readonly string[];
}

const defaultSizeLimit = 100;
export const emptyHint = '`tenantctl init` makes a project with a file to begin with.';
const defaultManifests = ['config/**/*.yaml'];
/** Files that contain one environment each. */
export const environmentFiles = ['environments/*.yaml', 'environments/*.yml'];

/** The places of credentials, whose lines are not shown. */
export const authPlaces = /\/auth(\/|$)/;

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
  const noted = document && noteProject(document, problems);
  const value = noted === null ? null : withoutNotes(noted);
  if (!document || !isObject(value)) throw problems.toFailure();
  const { kinds, paths: kindFiles } = readKinds(source, problems);
  const paths = source.glob(environmentFiles);
  const inline = Object.keys(objectOf(value, 'environments'));
  const files = new Map(groupBy(paths, (path) => posix.parse(path).name));
  const names = [...new Set([...inline, ...files.keys()])];
  const allEnvironments = once(() => {
    const ignored = new Problems();
    const documents = paths.flatMap((path) => openSingle(source, path, ignored, emptyHint) ?? []);
    const inFiles = documents.map((each) => noteDocument(each, ignored));
    return [...inFiles, ...itemsOf(valueAt(noted, '/environments') ?? null)];
  });
  const project: ProjectFile = {
    root,
    configFile,
    kinds,
    source,
    document,
    noted,
    lint: objectOf(value, 'lint'),
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
    credentialNames: once(() => new Set(allEnvironments().flatMap(credentialsIn))),
    tenantFiles: () => allEnvironments().flatMap(tenantFilesIn),
  };
  checkGroups(project, objectOf(value, 'groups'), problems);
  return project;
}

/** Reports names in groups that are not environments: one with a `!` leaves nothing out. */
function checkGroups(project: ProjectFile, groups: JsonObject, problems: Problems): void {
  // Without environments, that is what is wrong, and not their names.
  if (project.environments.length === 0) return;
  for (const [group, members] of Object.entries(groups)) {
    for (const [index, member] of isArray(members) ? members.entries() : []) {
      // Anything else has been reported.
      if (typeof member !== 'string' || member === '' || member === unresolved) continue;
      const problem = memberProblem(group, member, project);
      if (!problem) continue;
      const at = pointer('groups', group, index);
      problems.report(problem, findNode(project.document, at).place);
    }
  }
}

/** The value of a document with notes for its tags. Problems are reported. */
export function noteDocument(document: YamlDocument, problems: Problems): Json {
  return readTree(document, tagNoter(problems), problems).value;
}

/** The names that an environment gives to tokens, client secrets and other secrets. */
function credentialsIn(environment: Json): string[] {
  const places = ['identity', 'profiles'].flatMap((service) =>
    ['token', 'clientSecret'].map((name) => pointer(service, 'auth', name)),
  );
  const given = places.flatMap((at) => noteIn(valueAt(environment, at)) ?? []);
  const secrets = notesIn(environment).filter(({ tag }) => tag === '!secret');
  const notes = [...given.filter(({ tag }) => tag === '!env'), ...secrets];
  return notes.map(({ argument }) => argument).filter((name) => typeof name === 'string');
}

function tenantFilesIn(environment: Json): string[] {
  const files = ['/sandbox/seed', '/sandbox/data'].map((at) => valueAt(environment, at));
  return files.filter((file) => typeof file === 'string');
}

/** The name of a project file. */
export const projectFileName = 'tenantctl.yaml';

/**
 * The project file for work in a folder: `tenantctl.yaml` there or in the nearest folder above. Where there is none, the
 * path that it would have in the folder itself, for the message that says so.
 *
 * Throws a Failure `foreign-project` for a file above that belongs to somebody else: in a folder that many people can
 * write to, such as `/tmp`, anybody could leave a project file that sends credentials to a host of their own.
 *
 * @param folder absolute
 */
export function findProjectFile(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    const file = join(current, projectFileName);
    if (statOf(file)) {
      if (current !== folder && isForeign(file, folder)) throw foreign(file);
      return file;
    }
    if (current === dirname(current)) return join(folder, projectFileName);
  }
}

function foreign(file: string) {
  return failure('foreign-project', `The nearest project file, ${file}, belongs to another user.`, {
    hint: 'Run the command in the folder of your project. If this is the right file, name it with --config.',
  });
}

/**
 * The folder of a project file, links resolved. Throws a Failure `config-not-found`.
 *
 * @param from the variable that names the file; left out where an option, or nothing, does
 */
export function projectRoot(configFile: string, from?: string): string {
  try {
    realpathSync.native(configFile);
    return realpathSync.native(dirname(configFile));
  } catch {
    throw failure('config-not-found', sayFrom(from, `There is no project file ${configFile}.`), {
      hint:
        findOtherEnding(configFile) ??
        'Run the command in the folder of tenantctl.yaml or below it, name the file with --config, or create one with `tenantctl init`.',
    });
  }
}

/** What to do about a project file that has the other ending of YAML; `null` where there is none. */
function findOtherEnding(configFile: string): string | null {
  const other = configFile.replace(/\.ya?ml$/, (ending) => (ending === '.yml' ? '.yaml' : '.yml'));
  if (other === configFile || !statOf(other)?.isFile()) return null;
  const [there, wanted] = [basename(other), basename(configFile)];
  return `There is ${there}: rename it to ${wanted}, or name it with --config.`;
}

/** The value of the project file with notes for its tags. Only environments may have tags. */
function noteProject(document: YamlDocument, problems: Problems): Json {
  const isInEnvironment = isWithinValue(document, '/environments');
  const note = tagNoter(problems);
  const readTag: ReadTag = (tag, argument, place) => {
    if (!isInEnvironment(place)) problems.add('misplaced-tag', 'Only environments may have tags', place);
    return note(tag, argument, place);
  };
  const { value } = readTree(document, readTag, problems);
  const tree = { value: withoutNotes(value), tagged: true };
  const find = (at: string) => findNode(document, at);
  checkSchema(validators.project, tree, { problems, find, unshown: authPlaces });
  return value;
}

/** The level of each lint rule: that of the project file, else that of the rule. */
export function readLintLevels({ lint }: ProjectFile, { connection }: Environment): LintLevels {
  const isEmbedded = connection.to === 'sandbox';
  const level = ([code, rule]: [string, LintRule]) => {
    const byDefault = (isEmbedded ? rule.embedded : undefined) ?? rule.level;
    return [code, oneOf(lint, code, ['error', 'warning', 'info', 'off'], byDefault)] as const;
  };
  return Object.fromEntries(Object.entries(lintRules).map(level));
}
