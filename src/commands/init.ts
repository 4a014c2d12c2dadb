import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { builtInKinds } from '../kinds/index.ts';
import { isOnlyReferredTo } from '../kinds/kind.ts';
import { findRepository } from '../loader/git.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import { type ArgsOf, defineCommand, examples } from './command.ts';
import {
  type Choices,
  chooseDefaults,
  givenTenants,
  type NewTenant,
  pipelines,
  starts,
} from './init/choices.ts';
import { laterGroup } from './init/contents.ts';
import { type PipelineFacts, type Promotion, readPipelineFacts } from './init/facts.ts';
import {
  type Note,
  type Placed,
  pipelineFiles,
  projectFiles,
  writeDotEnv,
  writeFiles,
} from './init/files.ts';
import { nextSteps, type WrittenPipelines } from './init/next-steps.ts';
import { askForSetup, type ProjectFolder, type Setup } from './init/questions.ts';
import { printMissingSettings, printSurvey, surveyWith, verbosity } from './init/survey.ts';
import { type Io, isInteractive, printNote } from './io.ts';
import { flag, list } from './options.ts';

function build(yargs: Argv) {
  return yargs
    .usage(
      '$0 init [DIR] [options]\n\nStarts a project: project file, manifests, package.json with this version, editor settings, pipelines. Keeps existing files. It only adds lines to .gitignore, settings to .vscode/settings.json and itself to package.json, and updates its own schemas.',
    )
    .positional('dir', { type: 'string', default: '.', describe: 'The folder of the project' })
    .option('yes', flag('Do not ask. Use options and defaults'))
    .option('identity', {
      ...list(
        "Base URL of the tenant's identity service. For several tenants, once for each, as NAME=URL, in the order in which changes go to them. Default: an embedded tenant for trials",
      ),
      nargs: 1,
    })
    .option('profiles', {
      ...list(
        "Base URL of the tenant's profile-management service. For several tenants, once for each, as NAME=URL",
      ),
      nargs: 1,
    })
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
    .option('promote', {
      ...list(
        'Write pipelines that apply to the first of two selections of environments (NAME or @GROUP), and to the second what the first has proven. Default with several tenants: the first, then the others',
      ),
      nargs: 2,
    })
    .example(
      examples({
        '$0 init': 'Ask on a terminal. Without one, use an embedded tenant and the examples',
        '$0 init --identity https://acme.api.example.com':
          'Start from a tenant: find out what it needs, and export it',
        '$0 init --identity test=https://… --identity production=https://…':
          'Two tenants, and pipelines that apply to production what was tested',
        '$0 init --promote test @production': 'Such pipelines for an existing project',
      }),
    );
}

type Args = ArgsOf<typeof build>;

export const command = defineCommand(build, async (args, io) => {
  givenTenants(args);
  refuseUrlAsFolder(args.dir);
  const root = resolve(io.cwd, args.dir);
  const isNew = !existsSync(join(root, 'tenantctl.yaml'));
  const asked = checkPromotion(args, isNew);
  // What is wrong with an existing project is said before a file is written.
  const known = isNew ? null : readPipelineFacts(root, io.env, asked);
  const makeSetup = args.yes || !isInteractive(io) ? chooseSetup : askForSetup;
  const setup = await makeSetup(args, { root, isNew }, io);
  const { choices, env } = setup;

  if (!isNew) await printMissingSettings(root, io);
  const written = writeFiles(root, projectFiles(choices, root));
  const kept = keepTyped(setup, root, io);
  // The manifests of an existing project are not added to.
  const exported =
    choices.from === 'export' && isNew ? await exportTenant(choices, root, { ...io, env }) : null;
  const facts = known ?? readPipelineFacts(root, io.env, promotionOf(choices.tenants));
  const pipelines = writePipelines(choices, facts, root);

  const notes = [...written, ...kept, ...pipelines.notes];
  const unused = isNew ? '' : unusedOptions(args);
  const folder = relative(io.cwd, root);
  const hasLock = existsSync(join(root, 'package-lock.json'));
  const steps = nextSteps({ choices, isNew, exported, facts, folder, hasLock, written, pipelines });
  const next = `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
  io.stdout.write(`${formatNotes(notes)}\n${unused}${next}`);
  return exported ?? ExitCode.done;
});

/** Writes the pipelines at the top of the repository that the project is in. */
function writePipelines(choices: Choices, facts: PipelineFacts, root: string): WrittenPipelines {
  const placed = repositoryOf(root);
  const files = pipelineFiles(choices, facts, placed);
  const fromRoot = (path: string) => relative(root, join(placed.top, path));
  return {
    notes: writeFiles(placed.top, files).map(({ path, what }) => ({ path: fromRoot(path), what })),
    toAdd: files.flatMap(({ path, addTo }) =>
      addTo === null ? [] : [{ path: fromRoot(path), to: fromRoot(addTo) }],
    ),
  };
}

/** `--identity a=https://… b=https://…` names one tenant and a folder: each tenant needs an option of its own. */
function refuseUrlAsFolder(dir: string): void {
  if (!/^([^/]*=)?https?:/i.test(dir)) return;
  throw failure('usage', `"${dir}" is a URL, and stands where the folder of the project is named.`, {
    hint: 'Name a tenant with --identity https://…, and several with the option for each: --identity test=https://… --identity production=https://…',
  });
}

/** The setup without questions. A tenant whose credentials are set is read. */
async function chooseSetup(args: Args, { root, isNew }: ProjectFolder, io: Io): Promise<Setup> {
  const choices = chooseDefaults(args);
  const tenants: NewTenant[] = [];
  for (const tenant of choices.tenants) {
    const survey = isNew ? await surveyWith(tenant, { root, env: io.env, io }) : null;
    if (survey) printSurvey(survey, tenant, io);
    tenants.push({ ...tenant, survey });
  }
  return { choices: { ...choices, tenants }, env: io.env, keep: [] };
}

/** The promotion that `--promote` asks for. Throws a Failure where a new project would have to know it before its tenants. */
function checkPromotion({ promote: [first, next] }: Args, isNew: boolean): Promotion | null {
  if (first === undefined || next === undefined) return null;
  if (!isNew) return [first, next];
  throw failure('usage', '--promote is about the environments of an existing project.', {
    hint: 'For a new project, name its tenants with --identity NAME=URL, in the order in which changes go to them.',
  });
}

/** A project with several tenants promotes from the first to the others. */
function promotionOf([first, next, ...others]: readonly NewTenant[]): Promotion | null {
  if (!first || !next) return null;
  return [first.name, others.length === 0 ? next.name : `@${laterGroup}`];
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
  const given = [identity.length > 0 && '--identity', profiles.length > 0 && '--profiles'];
  const names = given.filter((name) => name !== false);
  if (names.length === 0) return '';
  return `\nNot used, since tenantctl.yaml was kept: ${names.join(', ')}. Change the base URLs in the file.\n`;
}

/** Exports what could be read of the last tenant, and returns the exit code; `null` where nothing was. */
async function exportTenant({ tenants }: Choices, root: string, io: Io): Promise<ExitCode | null> {
  const tenant = tenants.at(-1);
  if (tenant?.survey === null) return null;
  const left = tenant?.survey.left.map(({ kind }) => kind) ?? [];
  const names = builtInKinds.all
    .filter((kind) => !left.includes(kind) && !isOnlyReferredTo(kind))
    .map(({ name }) => name);
  const { exportToNewFiles } = await import('./export.ts');
  const { reportFailure } = await import('./output.ts');
  const environment = tenant ? [tenant.name] : [];
  const place = { config: join(root, 'tenantctl.yaml'), env: environment, out: join(root, 'config') };
  try {
    const args = { ...verbosity, ...place, kinds: names, only: [], except: [] };
    return await exportToNewFiles(args, { ...io, stdout: io.stderr });
  } catch (error) {
    return reportFailure(error, [], io);
  }
}
