import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { builtInKinds } from '../kinds/index.ts';
import { isOnlyReferredTo } from '../kinds/kind.ts';
import { findRepository } from '../loader/repository.ts';
import { ExitCode, Failure } from '../model/failure.ts';
import { type ArgsOf, defineCommand } from './command.ts';
import { checkGiven, chooseDefaults, pipelines, starts } from './init/choices.ts';
import { environmentName } from './init/contents.ts';
import { type PipelineFacts, readPipelineFacts } from './init/facts.ts';
import {
  type Note,
  type Placed,
  pipelineFiles,
  projectFiles,
  writeDotEnv,
  writeFiles,
} from './init/files.ts';
import { unknownHost } from './init/pipelines.ts';
import { askForSetup, type Setup } from './init/questions.ts';
import { printMissingSettings, printSurvey, surveyWith, verbosity } from './init/survey.ts';
import { type Io, isInteractive } from './io.ts';
import { flag, text } from './options.ts';
import { printNote } from './output.ts';

function build(yargs: Argv) {
  return yargs
    .usage(
      '$0 init [DIR] [options]\n\nStarts a project: project file, manifests, package.json with this version, editor settings, pipelines. Keeps existing files. It only adds lines to .gitignore, settings to .vscode/settings.json and itself to package.json, and updates its own schemas.',
    )
    .positional('dir', { type: 'string', default: '.', describe: 'The folder of the project' })
    .option('yes', flag('Do not ask. Use options and defaults'))
    .option(
      'identity',
      text("Base URL of the tenant's identity service. Default: an embedded tenant for trials"),
    )
    .option('profiles', text("Base URL of the tenant's profile-management service"))
    .option('from', {
      choices: starts,
      describe:
        'Start with the examples or with an export. Default: an export of the tenant, if there is one',
      requiresArg: true,
    })
    .option('pipelines', {
      choices: pipelines,
      describe: 'CI systems to write a pipeline for',
      requiresArg: true,
    })
    .example('$0 init', 'Ask on a terminal. Without one, use an embedded tenant and the examples')
    .example(
      '$0 init --identity https://acme.api.example.com',
      'Start from a tenant: find out what it needs, and export it',
    );
}

type Args = ArgsOf<typeof build>;

export const command = defineCommand(build, async (args, io) => {
  checkGiven(args);
  const root = resolve(io.cwd, args.dir);
  const isNew = !existsSync(join(root, 'tenantctl.yaml'));
  const setup =
    args.yes || !isInteractive(io)
      ? await chooseSetup(args, { root, isNew }, io)
      : await askForSetup(args, { root, isNew }, io);
  const { choices, survey, env } = setup;

  if (!isNew) await printMissingSettings(root, io);
  const written = writeFiles(root, projectFiles(choices, root, survey?.detected ?? []));
  const kept = keepTyped(setup, root, io);
  // The manifests of an existing project are not added to.
  const exported =
    choices.from === 'export' && isNew ? await exportTenant(setup, root, { ...io, env }) : null;
  const facts = readPipelineFacts(root, io.env);
  const placed = repositoryOf(root);
  const files = pipelineFiles(choices, facts, placed);
  const fromRoot = (path: string) => relative(root, join(placed.top, path));
  const pipelineNotes = writeFiles(placed.top, files).map(({ path, what }) => ({
    path: fromRoot(path),
    what,
  }));
  const toAdd = files.flatMap(({ path, addTo }) =>
    addTo === null
      ? []
      : [`# Add the jobs of ${fromRoot(path)} to ${fromRoot(addTo)}, which stays as it is.`],
  );

  const unused = isNew ? '' : unusedOptions(args);
  const hasLock = existsSync(join(root, 'package-lock.json'));
  const hasPipeline = pipelineNotes.some(({ what }) => what === 'created');
  const steps = nextSteps(
    { setup, isNew, exported, facts, hasLock, hasPipeline, toAdd },
    relative(io.cwd, root),
  );
  const next = `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
  io.stdout.write(`${formatNotes([...written, ...kept, ...pipelineNotes])}\n${unused}${next}`);
  return exported ?? ExitCode.done;
});

/** The setup without questions. A tenant whose credentials are set is read. */
async function chooseSetup(
  args: Args,
  { root, isNew }: { root: string; isNew: boolean },
  io: Io,
): Promise<Setup> {
  const choices = chooseDefaults(args);
  const { tenant } = choices;
  const survey = tenant && isNew ? await surveyWith(tenant, { root, env: io.env, io }) : null;
  if (tenant && survey) printSurvey(survey, tenant, io);
  return { choices, survey, env: io.env, keep: [] };
}

/** The repository that the project is in, and the project's folder there. Without one, the project is the top. */
function repositoryOf(root: string): Placed {
  try {
    const { top, prefix } = findRepository(root);
    // A pipeline could not name other folders without quotes.
    if (/^[A-Za-z0-9._/-]*$/.test(prefix)) return { top, folder: prefix };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return { top: root, folder: '' };
}

/** Keeps typed credentials where somebody wants that. */
function keepTyped({ keep, env }: Setup, root: string, io: Io): Note[] {
  if (keep.length === 0) return [];
  const values = Object.fromEntries(keep.map((name) => [name, env[name] ?? '']));
  const problem = writeDotEnv(root, values);
  if (problem === null) return [{ path: '.env', what: 'created' }];
  printNote(`The credentials were not kept in .env: ${problem}.`, io);
  return [];
}

/** One line for each file. */
function formatNotes(notes: readonly Note[]): string {
  return notes.map(({ path, what }) => `${what.padEnd(8)}  ${path}`).join('\n');
}

/** A line about options that were not used, since only a new project file would contain them. */
function unusedOptions({ identity, profiles }: Args): string {
  const given = [identity !== undefined && '--identity', profiles !== undefined && '--profiles'];
  const names = given.filter((name) => name !== false);
  if (names.length === 0) return '';
  return `\nNot used, since tenantctl.yaml was kept: ${names.join(', ')}. Change the base URLs in the file.\n`;
}

/** Exports what could be read, and returns the exit code; `null` where nothing was. */
async function exportTenant({ choices, survey }: Setup, root: string, io: Io): Promise<ExitCode | null> {
  if (choices.tenant !== null && survey === null) return null;
  const left = survey?.left.map(({ kind }) => kind) ?? [];
  const names = builtInKinds.all
    .filter((kind) => !left.includes(kind) && !isOnlyReferredTo(kind))
    .map(({ name }) => name);
  const { exportToNewFiles } = await import('./export.ts');
  const { reportFailure } = await import('./output.ts');
  const environment = choices.tenant === null ? [] : [environmentName];
  const place = { config: join(root, 'tenantctl.yaml'), env: environment, out: join(root, 'config') };
  try {
    const args = { ...verbosity, ...place, kinds: names, only: [], except: [] };
    return await exportToNewFiles(args, { ...io, stdout: io.stderr });
  } catch (error) {
    return reportFailure(error, [], io);
  }
}

/** What `init` has done. */
interface InitResult {
  readonly setup: Setup;
  /** Whether there was no project file before. */
  readonly isNew: boolean;
  /** The exit code of the export. `null`: there was none. */
  readonly exported: ExitCode | null;
  readonly facts: PipelineFacts;
  /** Whether there is a package-lock.json. */
  readonly hasLock: boolean;
  /** Whether a pipeline was written. */
  readonly hasPipeline: boolean;
  /** What to do with pipelines that could not be written where they are run. */
  readonly toAdd: readonly string[];
}

/** The commands that come next, and what else there is to do, as comments. */
function nextSteps(
  { setup: { choices }, isNew, exported, facts, hasLock, hasPipeline, toAdd }: InitResult,
  folder: string,
): string[] {
  const { from, tenant } = choices;
  // The embedded tenant needs no credentials, and the secrets in the examples are for the other environment.
  const needed = tenant === null ? [] : facts.unset;
  const asked = tenant === null && from === 'examples' ? [] : facts.unsetSecrets;
  const lacksManifests = !isNew && !facts.hasManifests && facts.hosts !== null;
  const isToExport = exported !== ExitCode.done && (from === 'export' || lacksManifests);
  return [
    ...(folder === '' ? [] : [`cd ${folder}`]),
    ...(hasLock ? [] : ['npm install   # and commit package-lock.json: pipelines install what it says']),
    ...toAdd,
    ...(hasPipeline && facts.hosts === null
      ? [`# In the pipelines, replace ${unknownHost} by the hosts of your tenant.`]
      : []),
    ...(needed.length > 0 ? ['# Set what is missing, here or as NAME=value lines in .env:'] : []),
    ...needed.map((name) => `export ${name}=…`),
    ...(asked.length > 0
      ? ['# Set those of these secrets that `plan` asks for, here or as NAME=value lines in .env:']
      : []),
    ...asked.map((name) => `export ${name}=…`),
    // Without --merge, the export would declare the objects of existing manifests again.
    ...(isToExport ? [`tenantctl export${facts.hasManifests ? ' --merge' : ''}`] : []),
    'tenantctl plan',
  ];
}
