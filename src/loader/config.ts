import { realpathSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { isNode } from 'yaml';
import { defaultProject, type Lint } from '../generated/schemas/project.ts';
import { validators } from '../generated/validators.js';
import type { Kinds } from '../kinds/catalog.ts';
import type { Environment } from '../kinds/project.ts';
import { groupBy, lazy } from '../model/basics.ts';
import { fail } from '../model/failure.ts';
import { get, getObject, isObject, itemsOf, type Json, type JsonObject } from '../model/json.ts';
import { type LintLevel, type LintLevels, type LintRule, lintRules } from '../model/lint.ts';
import { pointer, valueAt } from '../model/pointer.ts';
import type { Place } from './file.ts';
import { readKinds } from './kind-files.ts';
import { findNode, openSingle, type YamlDocument } from './parse.ts';
import { isForeign, statOf } from './paths.ts';
import { Problems } from './problems.ts';
import { checkSchema, fittingPart } from './schema.ts';
import { type EnvironmentNames, memberProblem, sayFrom } from './selection.ts';
import { type FileSource, projectFileName } from './source.ts';
import { noteIn, notesIn, tagNoter, withoutNotes } from './tags.ts';
import { type ReadTag, readTree, unresolved } from './tree.ts';

export interface ProjectFile extends EnvironmentNames {
  readonly root: string;
  readonly configFile: string;
  readonly kinds: Kinds;
  readonly kindTexts: ReadonlyMap<string, string>;
  readonly source: FileSource;
  readonly document: YamlDocument;
  /** With notes for its tags, which only environments may have. */
  readonly noted: Json;
  /** The files that define an environment, by its name: the project file, and files of its own. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly manifests: readonly string[];
  readonly place: Place;
  /** YAML files that are not manifests, even where a glob matches them. */
  readonly notManifests: readonly string[];
  readonly sizeLimit: number;
  readonly lint: Lint;
  credentialNames(): ReadonlySet<string>;
  /** The seed and data files of all embedded tenants, as they are written. */
  tenantFiles(): readonly string[];
}

export const emptyHint = '`tenantctl init` makes a project with a file to begin with.';
export const environmentFiles = ['environments/*.yaml', 'environments/*.yml'];

export const authPlaces = /\/(auth|tls)(\/|$)/;

/** Reads the project file. Problems are reported; throws a Failure if the file is unusable. */
export function readProjectFile(
  file: string,
  { root, source, problems }: { root: string; source: FileSource; problems: Problems },
): ProjectFile {
  const configFile = resolve(file);
  const document = openSingle(source, basename(configFile), problems, emptyHint);
  const noted = document && noteProject(document, problems);
  const value = noted === null ? null : withoutNotes(noted);
  // A wrong version has been reported.
  const written = isObject(value) ? fittingPart(validators.project, { ...value, version: 1 }) : null;
  if (!document || !isObject(value) || !written) throw problems.toFailure();
  const { kinds, texts: kindTexts } = readKinds(source, problems);
  const paths = source.glob(environmentFiles);
  const inline = Object.keys(getObject(value, 'environments'));
  const inProject = inline.map((name) => ({ name, path: document.file.path }));
  const alone = paths.map((path) => ({ name: posix.parse(path).name, path }));
  const places = groupBy([...inProject, ...alone], ({ name }) => name);
  const names = places.map(([name]) => name);
  const allEnvironments = lazy(() => {
    const ignored = new Problems();
    const documents = paths.flatMap((path) => openSingle(source, path, ignored, emptyHint) ?? []);
    const inFiles = documents.map((each) => noteDocument(each, ignored));
    return [...inFiles, ...itemsOf(valueAt(noted, '/environments') ?? null)];
  });
  const { manifests, sizeLimit, lint, groups, defaultEnvironment } = {
    ...defaultProject,
    lint: {},
    groups: {},
    defaultEnvironment: names.length === 1 ? (names[0] ?? null) : null,
    ...written,
  };
  const project: ProjectFile = {
    root,
    configFile,
    kinds,
    kindTexts,
    source,
    document,
    noted,
    lint,
    files: new Map(places.map(([name, all]) => [name, all.map(({ path }) => path)])),
    groups,
    defaultEnvironment,
    place: findNode(document, '/manifests').place,
    environments: names,
    manifests,
    notManifests: [basename(configFile), ...paths, ...kindTexts.keys()],
    sizeLimit,
    credentialNames: lazy(() => new Set(allEnvironments().flatMap(credentialsIn))),
    tenantFiles: () => allEnvironments().flatMap(tenantFilesIn),
  };
  checkGroups(project, getObject(value, 'groups'), problems);
  return project;
}

/** Reports names in groups that are not environments: one with a `!` leaves nothing out. */
function checkGroups(project: ProjectFile, groups: JsonObject, problems: Problems): void {
  // Without environments, that is what is wrong, and not their names.
  if (project.environments.length === 0) return;
  for (const [group, members] of Object.entries(groups)) {
    for (const [index, member] of itemsOf(members).entries()) {
      // Anything else has been reported.
      if (typeof member !== 'string' || member === '' || member === unresolved) continue;
      const problem = memberProblem(group, member, project);
      const { place } = findNode(project.document, pointer('groups', group, index));
      if (problem) problems.report(problem, place);
    }
  }
}

export function noteDocument(document: YamlDocument, problems: Problems): Json {
  return readTree(document, tagNoter(problems), problems).value;
}

function credentialsIn(environment: Json): string[] {
  const places = ['identity', 'profiles'].flatMap((service) => [
    pointer(service, 'auth', 'token'),
    pointer(service, 'auth', 'clientSecret'),
    pointer(service, 'tls', 'key'),
  ]);
  const given = places.flatMap((at) => noteIn(valueAt(environment, at)) ?? []);
  const secrets = notesIn(environment).filter(({ tag }) => tag === '!secret');
  const notes = [...given.filter(({ tag }) => tag === '!env'), ...secrets];
  return notes.map(({ argument }) => argument).filter((name) => typeof name === 'string');
}

function tenantFilesIn(environment: Json): string[] {
  const files = ['/sandbox/seed', '/sandbox/data'].map((at) => valueAt(environment, at));
  return files.filter((file) => typeof file === 'string');
}

/**
 * The project file in a folder or the nearest one above; where there is none, the path that it would have in the folder. One
 * above that belongs to somebody else is refused: in a folder such as `/tmp`, anybody could leave a project file that sends
 * credentials to a host of their own.
 */
export function findProjectFile(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    const file = join(current, projectFileName);
    if (statOf(file)) {
      if (current === folder || !isForeign(file, folder)) return file;
      const message = `The nearest project file, ${file}, belongs to another user.`;
      const hint =
        'Run the command in the folder of your project. If this is the right file, name it with --config.';
      throw fail('foreign-project', message, { hint });
    }
    if (current === dirname(current)) return join(folder, projectFileName);
  }
}

/** The folder of a project file, links resolved. `from` is the variable that names the file, if one does. */
export function projectRoot(configFile: string, from?: string): string {
  try {
    realpathSync.native(configFile);
    return realpathSync.native(dirname(configFile));
  } catch {
    throw fail('config-not-found', sayFrom(from, `There is no project file ${configFile}.`), {
      hint: 'Run the command in the folder of tenantctl.yaml or below it, name the file with --config, or create one with `tenantctl init`.',
    });
  }
}

/** The value of the project file with notes for its tags. Only environments may have tags. */
function noteProject(document: YamlDocument, problems: Problems): Json {
  const { node, match } = findNode(document, '/environments');
  const [from, to] = match === 'exact' && isNode(node) && node.range ? node.range : [0, -1];
  const note = tagNoter(problems);
  const readTag: ReadTag = (tag, argument, place) => {
    if (place.offset < from || place.offset > to)
      problems.add('misplaced-tag', 'Only environments may have tags.', place);
    return note(tag, argument, place);
  };
  const { value } = readTree(document, readTag, problems);
  const tree = { value: withoutNotes(value), tagged: true };
  const find = (at: string) => findNode(document, at);
  checkSchema(validators.project, tree, { problems, find, unshown: authPlaces });
  return value;
}

export function readLintLevels({ lint }: ProjectFile, { connection }: Environment): LintLevels {
  const isEmbedded = connection.to === 'sandbox';
  const level = ([code, rule]: [string, LintRule]) => {
    const byDefault = (isEmbedded ? rule.embedded : undefined) ?? rule.level;
    return [code, get<LintLevel | undefined>(lint, code) ?? byDefault] as const;
  };
  return Object.fromEntries(Object.entries(lintRules).map(level));
}
