import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { LiveObject } from '../kinds/kind.ts';
import type { Project, ProjectEnvironment, Secrets } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { lazy } from '../model/basics.ts';
import { Failure, hasErrors, type Source } from '../model/failure.ts';
import { get, sameJson } from '../model/json.ts';
import { type LintLevels, lintRules } from '../model/lint.ts';
import { secretPlaces } from '../model/marker.ts';
import { looksLikeCredential, namesCredential } from '../model/sensitive.ts';
import {
  environmentFiles,
  type ProjectFile,
  readEnvironment,
  readProjectFile,
  requireProjectFile,
  variablesIn,
} from './config.ts';
import { readInputs } from './inputs.ts';
import { declarerOf, type Manifest, readManifest } from './manifest.ts';
import { openFile, parseDocuments } from './parse.ts';
import { refuseOutputs, resolveLinks } from './paths.ts';
import { Problems } from './problems.ts';
import type { EnvironmentNames } from './selection.ts';
import {
  diskSource,
  type FileSource,
  limitSize,
  listManifests,
  type ManifestFolder,
  matchGlobs,
  sizeLimit,
} from './source.ts';
import { tagNoter } from './tags.ts';
import { readTree } from './tree.ts';

export { readAmount } from './config.ts';
export { largestFile } from './source.ts';

type InputOptions = Parameters<typeof readInputs>[1];

interface OpenOptions extends InputOptions {
  readonly configFile: string;
  readonly environmentFrom?: string | undefined;
  /** Absolute paths of the files that the caller will write: to read one as part of the project is an error. */
  readonly writes?: readonly string[];
}

export interface LoadOptions extends OpenOptions {
  readonly environment?: string;
}

/**
 * Loads the project file and every manifest for one environment. Throws one Failure with all problems of all files.
 * Works offline: neither the credentials of the environment nor the secrets of manifests are read.
 */
export function loadProject(options: LoadOptions): LoadedProject {
  return openProjects(options).load(options.environment);
}

/** Loads a project in two steps, since its environment is known before its manifests are read. Throws as `loadProject` does. */
export function beginProject(options: LoadOptions) {
  const opened = openEnvironment(openProject(options), options.environment);
  try {
    return {
      ...requireEnvironment(opened),
      /** Reads the manifests, and calls `meanwhile` if that takes a while. Rejects as `loadProject` throws. */
      async load(meanwhile: () => void): Promise<LoadedProject> {
        await opened.documents.readAhead(meanwhile);
        return readProject(opened);
      },
    };
  } catch (error) {
    // Reports problems in the manifests, too.
    readProject(opened);
    throw error;
  }
}

/** The files of a project as they were read, for the same project at another time. */
type ReadFiles = Pick<OpenProject, 'project' | 'documents'>;

export interface LoadedProject extends Project {
  /** Without them, all files of a revision are read. */
  readonly files?: ReadFiles;
}

/** Loads the names in a project, also those in manifests with errors. Throws a Failure if the project file cannot be read. */
export function loadNames(options: LoadOptions) {
  const opened = openEnvironment(openProject(options), options.environment);
  const documents = documentsOf(opened.project, { withErrors: true });
  return { environments: opened.project.environments, objects: manifestsIn({ ...opened, documents }) };
}

/** @param text of a project file that is not written yet: `configFile` names the place that it will have */
export function loadEnvironment(options: LoadOptions, text?: string): ProjectEnvironment {
  return requireEnvironment(openEnvironment(openProject(options, { text }), options.environment));
}

export function loadEnvironmentNames(options: OpenOptions): EnvironmentNames {
  const { problems, project } = openProject(options);
  problems.throwIfAny();
  const { environments, groups, defaultEnvironment } = project;
  return { environments, groups, defaultEnvironment };
}

/** Loads the files of manifests, and the variables that they and environments name in tags, also those with errors. */
export function loadVariableNames(options: OpenOptions) {
  const { project } = openProject(options);
  const documents = documentsOf(project, { withErrors: true });
  const inManifests = documents.read(new Problems()).flatMap(({ value }) => variablesIn(value));
  return { manifests: [...documents.files().keys()], inManifests, inEnvironments: project.named().variables };
}

/** The secrets for a project in a folder that need not exist, from the environment and `.env` there. */
export function valuesIn(folder: string, options: InputOptions): Secrets {
  const problems = new Problems();
  const { secrets } = readInputs(resolve(folder), options, problems);
  problems.throwIfAny();
  return secrets;
}

export type Declarations = ReturnType<typeof declarationsOf>;

export type OpenedProjects = ReturnType<typeof openProjects>;

/** Opens a project for several environments. Throws a Failure if the project file itself cannot be read. */
export function openProjects(options: OpenOptions) {
  const opened = openProject(options);
  const { project: file, documents } = opened;
  return {
    ...file,
    files: { project: file, documents },
    environment: (name: string | undefined) => requireEnvironment(openEnvironment(opened, name)),
    load: (environment: string | undefined) => readProject(openEnvironment(opened, environment)),
    /** The declarations as far as they can be read: problems in them are ignored. */
    declarations(name: string | undefined) {
      const environment = openEnvironment(opened, name);
      return declarationsOf(file, () => manifestsIn(environment));
    },
    /** The project for one environment, with other manifests than its own. They get its variables, and no overlays. */
    loadFolder({ source, manifests }: ManifestFolder, environment: string | undefined): Project {
      const project = { ...file, manifests, notManifests: [] };
      const inFolder = { ...opened, project, documents: documentsOf(project, { files: source }) };
      const folder = openEnvironment(inFolder, environment);
      return readProject({ ...folder, read: { ...folder.read, overlays: null } });
    },
  };
}

/** Problems of an earlier project that hide a part of its declarations: a value, an object or a file. */
export const leftOutThen: readonly string[] = [
  'env-unset',
  'env-secret',
  'reserved-file',
  'reserved-folder',
  'file-not-found',
  'file-unreadable',
  'inexact-number',
  'cut-text',
];

/** The same, and those that only the current environment has, or that do not affect its declarations. */
const forgotten = [...leftOutThen, 'sandbox-file', 'group-member', 'not-ignorable', 'address-glob'];

/** The current project, from which an earlier one reuses equal parts. */
interface Today {
  /** Its folder, whose `.env` counts. */
  readonly root: string;
  readonly files?: ReadFiles;
  /** The texts that its manifests are read from, of those files that had the same then. */
  readonly same: ReadonlyMap<string, string>;
}

/**
 * Opens a project as it was, from a folder with its files of that time, or only those that differ from today's. Inputs that are
 * lost or not read, such as unset environment variables, a `.env` and a file that git does not keep, are warnings ({@link
 * leftOutThen}), and values made of them are left out. So are credentials that `!env` reads, then or today: keys are shown, and
 * messages quote values.
 */
export function openPastProjects(options: OpenOptions, today: Today) {
  const { inputs, ...opened } = openProject(options, { tolerated: forgotten, today });
  const read = (name: string, withheld: ReadonlySet<string>) => {
    const environment = openEnvironment({ ...opened, inputs: { ...inputs, withheld } }, name);
    return { ...environment, manifests: manifestsIn(environment) };
  };
  return {
    load({ environment: { name }, credentials }: Pick<Project, 'environment' | 'credentials'>): Project {
      const first = read(name, new Set());
      const known = new Set([...credentials, ...credentialsOf(first)]);
      const found = credentialTexts(first, () => known).map((each) => each.name);
      const opened = found.length === 0 ? first : read(name, new Set(found));
      return readProject(opened, opened.manifests);
    },
  };
}

interface Opening {
  readonly tolerated?: readonly string[];
  readonly today?: Today;
  /** The only file of the project, which is not written yet. Its folder may not exist. */
  readonly text?: string | undefined;
}

type Reading = Parameters<typeof readEnvironment>[2];

interface OpenProject extends Omit<Reading, 'uses'> {
  readonly project: ProjectFile;
  readonly documents: Documents;
}

function openProject(options: OpenOptions, opening: Opening = {}): OpenProject {
  const { tolerated, today, text } = opening;
  const problems = new Problems(tolerated);
  const configFile = resolve(options.configFile);
  if (text === undefined) requireProjectFile(configFile);
  const folder = dirname(configFile);
  const root = text === undefined ? realpathSync.native(folder) : folder;
  const disk = text === undefined ? diskSource(root) : { glob: () => [], text: () => text };
  const source = today ? withTexts(disk, today.same) : disk;
  const inputs = readInputs(today?.root ?? root, options, problems);
  const read = readProjectFile(configFile, { root, source, problems });
  const { kinds, kindTexts } = today?.files?.project ?? read;
  const project = sameJson([...read.kindTexts], [...kindTexts]) ? { ...read, kinds } : read;
  const before = today?.files && { documents: today.files.documents, same: today.same };
  const documents = documentsOf(project, { before });
  refuseOutputs(root, options.writes ?? [], () => [
    '.env',
    ...[...project.named().credentials].flatMap((name) => {
      const path = get(inputs.env, `${name}_FILE`);
      return path ? [resolve(path)] : [];
    }),
    ...project.named().files,
    ...project.notManifests,
    ...documents.texts().keys(),
  ]);
  return { inputs, project, problems, documents, environmentFrom: options.environmentFrom };
}

/** A source with further files, which have these texts. None of them is refused. */
function withTexts(source: FileSource, texts: ReadonlyMap<string, string>): FileSource {
  return {
    glob(patterns) {
      const isWanted = matchGlobs(patterns);
      return [...source.glob(patterns), ...[...texts.keys()].filter(isWanted)].sort();
    },
    text: (path, isLossy) => texts.get(path) ?? source.text(path, isLossy),
  };
}

type WrittenManifest = Parameters<typeof readManifest>[0];

interface ManifestFile {
  readonly documents: readonly WrittenManifest[];
  /** The texts that it was read from: its own, and those of side files, by their paths. */
  readonly texts: ReadonlyMap<string, string>;
}

interface Documents {
  /** The manifests that are the same in all environments. */
  readonly shared: Map<WrittenManifest, Manifest>;
  /** Their problems are reported to each environment. */
  read(problems: Problems): readonly WrittenManifest[];
  files(): ReadonlyMap<string, ManifestFile>;
  /** The texts that they were read from, by the paths of their files. */
  texts(): ReadonlyMap<string, string>;
  /** Reads them in slices, so that requests continue meanwhile. Calls `begin` if it takes more than one. */
  readAhead(begin: () => void): Promise<void>;
}

interface DocumentOptions {
  readonly files?: FileSource | undefined;
  readonly withErrors?: boolean;
  /** The project as read at another time. A file is reused if all of its texts are the same. */
  readonly before?: { readonly documents: Documents; readonly same: ReadonlyMap<string, string> } | undefined;
}

/** The documents of a project, read once, when they are asked for first. */
function documentsOf(
  project: ProjectFile,
  { files = project.source, withErrors = false, before }: DocumentOptions = {},
): Documents {
  const found = new Problems();
  const limit = sizeLimit(project.sizeLimit);
  const readFile = (path: string): ManifestFile => {
    const known = before?.documents.files().get(path);
    if (known && [...known.texts.keys()].every((each) => before?.same.has(each))) return known;
    const texts = new Map<string, string>();
    const source = limitSize(files, limit, texts);
    const readTag = tagNoter(found, source);
    const file = openFile(source, path, found);
    const parsed = file ? parseDocuments(file, found, withErrors) : [];
    const documents = parsed.map((document) => {
      const place = { file: document.file, offset: document.offset };
      const tree = readTree(document, readTag, found);
      found.attempt(place, null, () => limit.count(tree.expanded, path));
      return { place, ...tree };
    });
    return { texts, documents };
  };
  const all = new Map<string, ManifestFile>();
  const unread = lazy(() => listManifests(project, files, found).values());
  const readAll = lazy(() => {
    for (const path of unread()) all.set(path, readFile(path));
    return all;
  });
  return {
    shared: before?.documents.shared ?? new Map(),
    files: readAll,
    texts: () => new Map([...readAll().values()].flatMap(({ texts }) => [...texts])),
    read(problems) {
      const documents = [...readAll().values()].flatMap((file) => file.documents);
      problems.addAll(found);
      return documents;
    },
    async readAhead(begin) {
      for (const path of unread()) {
        const { size } = all.set(path, readFile(path));
        if (size === filesPerSlice) begin();
        if (size % filesPerSlice === 0) await setImmediate();
      }
    },
  };
}

/** Few enough that a slice takes a few milliseconds. */
const filesPerSlice = 16;

interface OpenEnvironment extends OpenProject, Reading {
  readonly read: ReturnType<typeof readEnvironment>;
}

function openEnvironment({ problems, ...opened }: OpenProject, name: string | undefined): OpenEnvironment {
  const uses = { secrets: new Set<string>(), texts: [] };
  const own = new Problems(problems.tolerated);
  own.addAll(problems);
  const reading = { ...opened, uses, problems: own };
  return { ...reading, read: readEnvironment(opened.project, name, reading) };
}

/** Every document that declares an object, even one that does not fit its schema. Problems are reported. */
function manifestsIn({ project, documents, read, problems }: OpenEnvironment): Manifest[] {
  const { readTag, overlays } = read;
  const kinds = read.environment?.kinds ?? project.kinds;
  const context = { kinds, readTag, overlays, problems, shared: documents.shared };
  return documents.read(problems).flatMap((document) => readManifest(document, context) ?? []);
}

function readProject(opened: OpenEnvironment, manifests = manifestsIn(opened)): LoadedProject {
  const resources = resourcesOf(manifests, opened.problems);
  opened.read.overlays?.reportUnused();
  const project = requireEnvironment(opened);
  const { project: file, documents } = opened;
  const isEmbedded = project.environment.connection.to === 'sandbox';
  const levels = Object.entries(lintRules).map(([code, rule]) => {
    const byDefault = isEmbedded && 'embedded' in rule ? rule.embedded : rule.level;
    return [code, get(file.lint, code) ?? byDefault] as const;
  });
  const lint: LintLevels = Object.fromEntries(levels);
  return {
    ...project,
    lint,
    resources,
    files: { project: file, documents },
    get credentials() {
      return credentialsOf(opened);
    },
  };
}

/**
 * Throws a Failure if the project has errors, or a plan would show a credential: plans and reports show the text of `!env NAME`.
 * The name counts too, since a pull request can change what the project uses as a credential, but not the names of a job's
 * variables. So does the value: jobs have URLs with a password, such as those of proxies and of their repository.
 */
function requireEnvironment(opened: OpenEnvironment): ProjectEnvironment {
  const { project, read, inputs } = opened;
  const credentials = lazy(() => credentialsOf(opened));
  const refused = credentialTexts(opened, credentials);
  // These problems are reported alone: other messages may quote the values.
  const problems = refused.length > 0 ? new Problems(opened.problems.tolerated) : opened.problems;
  for (const { name, place, reason } of refused) {
    const otherName = credentials().has(name) ? '' : ', or give a variable with ordinary text another name';
    const message = `${name} ${reason}, and \`!env\` would show it in plans and reports.`;
    problems.add('env-secret', message, place, { hint: `Write \`!secret ${name}\`${otherName}.` });
  }
  const { diagnostics } = problems;
  if (hasErrors(diagnostics) || !read.environment) throw new Failure(diagnostics);
  const { root, configFile } = project;
  return { root, configFile, environment: read.environment, secrets: inputs.secrets, diagnostics };
}

function credentialsOf({ uses, project }: OpenEnvironment): Set<string> {
  return new Set([...uses.secrets, ...project.named().credentials]);
}

function credentialTexts({ uses, inputs }: OpenEnvironment, credentials: () => ReadonlySet<string>) {
  return uses.texts.flatMap(({ name, place }) => {
    if (credentials().has(name)) return { name, place, reason: 'is a credential of this project' };
    if (namesCredential(name)) return { name, place, reason: 'is named like a credential' };
    if (!looksLikeCredential(get(inputs.values, name) ?? '')) return [];
    return { name, place, reason: 'has the value of a credential' };
  });
}

/** The resources of all manifests together. Objects that two of them declare are reported. */
function resourcesOf(manifests: readonly Manifest[], problems: Problems): Resource[] {
  const first = indexManifests(manifests);
  for (const manifest of manifests) {
    const { place, address } = manifest;
    for (const { identity, label, isFormer } of manifest.identities) {
      const other = first.get(identity);
      if (!other || other === manifest) continue;
      const { file, line } = other.place.file.at(other.place.offset);
      const isReused = other.identities.some(
        (each) => each.identity === identity && each.isFormer !== isFormer,
      );
      const message = isReused
        ? `${label} is the name of one object here and the former name of another there; first in ${file}, line ${line}.`
        : `${label} is declared twice; first in ${file}, line ${line}.`;
      const hint = isReused ? renameFirst : 'Keep one of the two manifests.';
      problems.add('duplicate-object', message, place, { address, hint });
    }
  }
  return manifests.flatMap(({ resource }) => resource ?? []);
}

const renameFirst =
  'If it is one object, keep one of the two manifests. If another object is to get the name, apply `renamedFrom` first, and declare the other one after that. To swap two names, give one of the objects a third name in between.';

function indexManifests(manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const first = new Map<string, Manifest>();
  for (const manifest of manifests) {
    for (const { identity } of manifest.identities) if (!first.has(identity)) first.set(identity, manifest);
  }
  return first;
}

/** The declarations of a project, even of manifests with errors. They are read when the first object is looked up. */
function declarationsOf(
  { manifests: patterns, notManifests, place, root, named }: ProjectFile,
  read: () => readonly Manifest[],
) {
  const isMatch = matchGlobs(patterns);
  const isEnvironment = matchGlobs(environmentFiles);
  const byIdentity = lazy(() => indexManifests(read()));
  const environmentReads = lazy(
    () => new Set(named().files.map((path) => resolveLinks(resolve(root, path)))),
  );
  const manifestOf = (object: LiveObject) => declarerOf(byIdentity(), object);
  return {
    globs: { patterns, source: place.file.at(place.offset) },
    /** True when a file of this path, from the project's root, is or would be read as a manifest. */
    covers: (path: string) => isMatch(path) && !isEnvironment(path) && !notManifests.includes(path),
    /** True when an environment of the project reads the file of this path, such as one that a tag in an overlay names. */
    isReadByEnvironment: (path: string) => environmentReads().has(resolveLinks(resolve(root, path))),
    /** The place where an object is declared; `null` if it is not. */
    find(object: LiveObject): Source | null {
      const place = manifestOf(object)?.place;
      return place ? place.file.at(place.offset) : null;
    },
    declared(object: LiveObject): Pick<Resource, 'fields' | 'secrets'> {
      const { resource = null, fields = {} } = manifestOf(object) ?? {};
      return resource ?? { fields, secrets: () => secretPlaces(fields) };
    },
  };
}
