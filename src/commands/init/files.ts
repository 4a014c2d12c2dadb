import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Kinds } from '../../kinds/catalog.ts';
import { builtInKinds } from '../../kinds/index.ts';
import { dotEnvName } from '../../loader/dot-env.ts';
import { loadKinds } from '../../loader/index.ts';
import { requireInside } from '../../loader/own-folder.ts';
import { version } from '../../model/documents.ts';
import { systemCode, unwritableFile } from '../../model/failure.ts';
import { readIfThere } from '../files.ts';
import { packageFile } from '../package-file.ts';
import { manifestSchema } from '../schemas.ts';
import type { Choices } from './choices.ts';
import { addDependency, addLines, addSettings, type Content, projectFile } from './contents.ts';
import type { PipelineFacts } from './facts.ts';
import { hasJobsFor, pipelineFile, wordOf } from './pipelines.ts';

/** A file of a new project. */
export interface ProjectFile {
  readonly path: string;
  readonly content: Content;
  /** What is left to do where nothing can be added to the file. */
  readonly byHand?: string;
}

/** A pipeline of a new project. */
export interface PipelineFile extends ProjectFile {
  /** The file that has to get its jobs, since it exists and is about something else; `null`: this one is run. */
  readonly addTo: string | null;
}

/** What was done with a file. */
export interface Note {
  readonly path: string;
  readonly what: 'created' | 'updated' | 'kept' | 'cannot be added to';
  readonly byHand?: string;
}

const ownFile = (path: string) => readFileSync(packageFile(path), 'utf8');
const example = (path: string) => ownFile(`examples/${path}`);

/** A file that is only created, never changed. */
const newFile = (path: string, text: string): ProjectFile => ({
  path,
  content: (existing) => existing ?? text,
});

/** The folder of the schemas that editors use. It is in the repository, so that a clone has them. */
const schemaFolder = '.tenantctl/schemas';

const settingsFile = '.vscode/settings.json';

/** The files of a new project without its pipelines. A project file that exists gets no example manifests. */
export function projectFiles(choices: Choices, root: string): ProjectFile[] {
  const isNew = !existsSync(join(root, 'tenantctl.yaml'));
  return [
    newFile('tenantctl.yaml', projectText(choices)),
    ...(isNew ? manifestFiles(choices) : []),
    {
      path: 'package.json',
      content: addDependency,
      byHand: `package.json is not the JSON of a package: correct it, with "tenantctl": "${version}" in devDependencies.`,
    },
    { path: '.gitignore', content: addLines(ignoredPaths) },
    {
      path: settingsFile,
      content: addSettings(example(settingsFile)),
      byHand: `${settingsFile} has comments or is not JSON: add the settings in node_modules/tenantctl/examples/${settingsFile}.`,
    },
    newFile('.vscode/extensions.json', example('.vscode/extensions.json')),
    schemaFile('manifest', `${JSON.stringify(manifestSchema(kindsIn(root)), null, 2)}\n`),
    ...['project', 'environment', 'kind'].map((name) =>
      schemaFile(name, ownFile(`schemas/${name}.schema.json`)),
    ),
  ];
}

/** What belongs to a machine or a run: plans and results hold what the tenant said. */
const ignoredPaths = [
  '.tenantctl/*',
  `!${schemaFolder}/`,
  '.env',
  '/plan.*',
  '/result.*',
  '/drift.*',
  'node_modules/',
];

/** The project file of a new project. */
export function projectText(choices: Choices): string {
  return projectFile(example('tenantctl.yaml'), choices);
}

/** A project in its repository. */
export interface Placed {
  /** The top of the repository. */
  readonly top: string;
  /** The project's folder there, with `/` at its end; `''` where it is the same. */
  readonly folder: string;
}

/**
 * The pipelines, with what they have to know of the project, for the top of its repository. Where that has one already
 * which is about something else, ours is in the project's folder, so that somebody can add its jobs.
 */
export function pipelineFiles(
  { pipelines }: Choices,
  facts: PipelineFacts,
  { top, folder }: Placed,
): PipelineFile[] {
  const source = facts.stages === null ? '' : 'promotion/';
  return [
    { system: 'github', path: '.github/workflows/tenantctl.yaml', beside: 'tenantctl.github.yaml' },
    { system: 'gitlab', path: '.gitlab-ci.yml', beside: 'tenantctl.gitlab-ci.yml' },
  ]
    .filter(({ system }) => pipelines === 'both' || pipelines === system)
    .map(({ system, path, beside }) => {
      const pipeline = pipelineFile(example(`${source}${path}`), facts, folder);
      const isFree = isOurs(join(top, path), folder, facts);
      // GitHub runs every file there, so each project of a repository can have one.
      const own = `.github/workflows/tenantctl-${wordOf(folder)}.yaml`;
      if (!isFree && system === 'github' && folder !== '' && isOurs(join(top, own), folder, facts))
        return { ...newFile(own, pipeline), addTo: null };
      return { ...newFile(isFree ? path : `${folder}${beside}`, pipeline), addTo: isFree ? null : path };
    });
}

/** Whether there is no pipeline yet, or one with the jobs of the project. */
function isOurs(file: string, folder: string, facts: PipelineFacts): boolean {
  const existing = readIfThere(file);
  return existing === null || hasJobsFor(existing, folder, facts);
}

function manifestFiles({ from, tenants }: Choices): ProjectFile[] {
  const seed = [newFile('sandbox.seed.yaml', example('sandbox.seed.yaml'))];
  if (from === 'export') return tenants.length === 0 ? seed : [];
  const paths = readdirSync(packageFile('examples/config'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packageFile('examples/').length))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  return [...seed, ...paths.map((path) => newFile(path, example(path)))];
}

/** A schema file, always replaced by that of this version. */
function schemaFile(name: string, text: string): ProjectFile {
  return { path: `${schemaFolder}/${name}.schema.json`, content: () => text };
}

/** The kinds of the project in a folder, also where there is none yet. */
function kindsIn(root: string): Kinds {
  const configFile = join(root, 'tenantctl.yaml');
  return existsSync(configFile) ? loadKinds({ configFile }) : builtInKinds;
}

/**
 * Writes the files below `root`, the last one first: the project file makes the folder a project, and where another file
 * cannot be written, the command can be repeated. Throws a Failure for a file that cannot be read or written, or is
 * outside by a link.
 */
export function writeFiles(root: string, files: readonly ProjectFile[]): Note[] {
  const write = (file: ProjectFile) => writeFile(root, file);
  return files.toReversed().map(write).toReversed();
}

function writeFile(root: string, { path, content, byHand = '' }: ProjectFile): Note {
  const file = join(root, path);
  const existing = readIfThere(file);
  const text = content(existing);
  if (text === null) return { path, what: 'cannot be added to', byHand };
  if (text === existing) return { path, what: 'kept' };
  requireInside(root, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    // `wx`: a file that somebody created in the meantime is not overwritten.
    writeFileSync(file, text, { flag: existing === null ? 'wx' : 'w' });
  } catch (error) {
    throw unwritableFile(file, error);
  }
  return { path, what: existing === null ? 'created' : 'updated' };
}

/**
 * Writes values into a new `.env` that only this user can read. Returns why it was not written, where it was not: there
 * is one already, .gitignore does not cover it, or a value cannot be written in its format.
 */
export function writeDotEnv(root: string, values: Readonly<Record<string, string>>): string | null {
  const ignored = (readIfThere(join(root, '.gitignore')) ?? '').split('\n').map((line) => line.trim());
  // What comes later counts more.
  const isTakenBack = ignored
    .slice(ignored.lastIndexOf('.env') + 1)
    .some((line) => line.startsWith('!') && /env|\*/.test(line));
  if (!ignored.includes('.env') || isTakenBack) return '.gitignore does not cover it';
  const lines = Object.entries(values).map(([name, value]) => {
    const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? '';
    return `${name}=${quote}${value}${quote}\n`;
  });
  const text = lines.join('');
  const read = parseEnv(text);
  if (Object.entries(values).some(([name, value]) => read[name] !== value))
    return 'a value does not fit its format';
  requireInside(root, dotEnvName);
  try {
    writeFileSync(join(root, dotEnvName), text, { flag: 'wx', mode: 0o600 });
    return null;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'it exists already';
    throw unwritableFile(join(root, dotEnvName), error);
  }
}
