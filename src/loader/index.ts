import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Project, ProjectEnvironment, Secrets } from '../kinds/project.ts';
import { Failure, fail } from '../model/failure.ts';
import { get, sameJson } from '../model/json.ts';
import { type LintLevel, type LintLevels, type LintRule, lintRules } from '../model/lint.ts';
import { looksLikeCredential, namesCredential } from '../model/sensitive.ts';
import { type ProjectFile, readEnvironment, readProjectFile } from './config.ts';
import { type Declarations, declarationsOf, documentsOf, resourcesOf } from './declarations.ts';
import { readInputs } from './inputs.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { isInside, resolveLinks } from './paths.ts';
import { Problems } from './problems.ts';
import type { EnvironmentNames } from './selection.ts';
import { diskSource, type ManifestFolder, withTexts } from './source.ts';

export { readAmount } from './config.ts';
export type { Declarations } from './declarations.ts';
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

/** The secrets for a project in a folder that need not exist, from the environment and `.env` there. */
export function valuesIn(folder: string, options: InputOptions): Secrets {
  const problems = new Problems();
  const { secrets } = readInputs(resolve(folder), options, problems);
  problems.throwIfAny();
  return secrets;
}

export interface OpenedProjects
  extends EnvironmentNames,
    Pick<ProjectFile, 'root' | 'configFile' | 'kinds' | 'sizeLimit'> {
  readonly files: ReadFiles;
  load(environment: string | undefined): LoadedProject;
  environment(name: string | undefined): ProjectEnvironment;
  /** The declarations as far as they can be read: problems in them are ignored. */
  declarations(name: string | undefined): Declarations;
  /** The project for one environment, with other manifests than its own. They get its variables, and no overlays. */
  loadFolder(folder: ManifestFolder, environment: string | undefined): Project;
}

/** Opens a project for several environments. Throws a Failure if the project file itself cannot be read. */
export function openProjects(options: OpenOptions): OpenedProjects {
  const opened = openProject(options);
  const { project: file, documents } = opened;
  return {
    ...file,
    files: { project: file, documents },
    environment: (name) => requireEnvironment(openEnvironment(opened, name)),
    load: (environment) => readProject(openEnvironment(opened, environment)),
    declarations(name) {
      const environment = openEnvironment(opened, name);
      return declarationsOf(file, () => manifestsIn(environment));
    },
    loadFolder({ source, manifests }, environment) {
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
      const found = credentialTexts(first, known).map((each) => each.name);
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
  readonly documents: ReturnType<typeof documentsOf>;
}

function openProject(options: OpenOptions, opening: Opening = {}): OpenProject {
  const { tolerated, today, text } = opening;
  const problems = new Problems(tolerated);
  const configFile = resolve(options.configFile);
  if (text === undefined && !existsSync(configFile)) {
    throw fail('config-not-found', `There is no project file ${configFile}.`, {
      hint: 'Run the command in the folder of tenantctl.yaml or below it, name the file with --config, or create one with `tenantctl init`.',
    });
  }
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
  refuseOutputs(options.writes ?? [], project, documents);
  return { inputs, project, problems, documents, environmentFrom: options.environmentFrom };
}

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
  const levels = Object.entries<LintRule>(lintRules).map(([code, { level, embedded }]) => {
    const byDefault = (isEmbedded ? embedded : undefined) ?? level;
    return [code, get<LintLevel | undefined>(file.lint, code) ?? byDefault] as const;
  });
  const lint: LintLevels = Object.fromEntries(levels);
  return {
    ...project,
    credentials: credentialsOf(opened),
    lint,
    resources,
    files: { project: file, documents },
  };
}

/**
 * Throws a Failure if the project has errors, or a plan would show a credential: plans and reports show the text of `!env NAME`.
 * The name counts too, since a pull request can change what the project uses as a credential, but not the names of a job's
 * variables. So does the value: jobs have URLs with a password, such as those of proxies and of their repository.
 */
function requireEnvironment(opened: OpenEnvironment): ProjectEnvironment {
  const { project, read, inputs } = opened;
  const credentials = credentialsOf(opened);
  const refused = credentialTexts(opened, credentials);
  // These problems are reported alone: other messages may quote the values.
  const problems = refused.length > 0 ? new Problems(opened.problems.tolerated) : opened.problems;
  for (const { name, place, reason } of refused) {
    const otherName = credentials.has(name) ? '' : ', or give a variable with ordinary text another name';
    const message = `${name} ${reason}, and \`!env\` would show it in plans and reports.`;
    problems.add('env-secret', message, place, { hint: `Write \`!secret ${name}\`${otherName}.` });
  }
  if (problems.hasErrors || !read.environment) throw new Failure(problems.diagnostics);
  const { root, configFile } = project;
  const { secrets } = inputs;
  return { root, configFile, environment: read.environment, secrets, diagnostics: problems.diagnostics };
}

function credentialsOf({ uses, project }: OpenEnvironment): Set<string> {
  return new Set([...uses.secrets, ...project.named().credentials]);
}

function credentialTexts({ uses, inputs }: OpenEnvironment, credentials: ReadonlySet<string>) {
  return uses.texts.flatMap(({ name, place }) => {
    if (credentials.has(name)) return { name, place, reason: 'is a credential of this project' };
    if (namesCredential(name)) return { name, place, reason: 'is named like a credential' };
    if (!looksLikeCredential(get(inputs.values, name) ?? '')) return [];
    return { name, place, reason: 'has the value of a credential' };
  });
}

/** Refuses a file of the project that an output of the command would overwrite, even if the command does not read it. */
function refuseOutputs(
  writes: readonly string[],
  { root, notManifests, named: namesOf }: ProjectFile,
  documents: OpenProject['documents'],
): void {
  const links = writes.map(resolveLinks);
  // Else not every environment need be read.
  if (![...writes, ...links].some((path) => isInside(root, path) && existsSync(path))) return;
  // Problems in the files do not concern the output.
  const named = ['.env', ...namesOf().files, ...notManifests, ...documents.texts().keys()].map((file) =>
    resolve(root, file),
  );
  const found = named.find((path) => links.includes(resolveLinks(path)));
  if (found === undefined) return;
  const message = `${relative(root, found)} is read by the project, and would be overwritten.`;
  throw fail('usage', message, { hint: 'Choose another file for the output.' });
}
