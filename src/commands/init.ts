import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { ExitCode } from '../model/failure.ts';
import { type ArgsOf, defineCommand } from './command.ts';
import {
  askForChoices,
  type Choices,
  checkGiven,
  chooseDefaults,
  pipelines,
  starts,
} from './init/choices.ts';
import { type PipelineFacts, unknownHost } from './init/contents.ts';
import { readPipelineFacts } from './init/facts.ts';
import { type Note, pipelineFiles, projectFiles, writeFiles } from './init/files.ts';
import { type Io, isInteractive } from './io.ts';
import { flag, text } from './options.ts';

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
      describe: 'Start with the examples or with an export of the tenant',
      requiresArg: true,
    })
    .option('pipelines', {
      choices: pipelines,
      describe: 'CI systems to write a pipeline for',
      requiresArg: true,
    })
    .example('$0 init', 'Ask on a terminal. Without one, use an embedded tenant and the examples')
    .example(
      '$0 init --identity https://acme.api.example.com --from export',
      'Start from an existing tenant',
    );
}

type Args = ArgsOf<typeof build>;

export const command = defineCommand(build, async (args, io) => {
  checkGiven(args);
  const choices = args.yes || !isInteractive(io) ? chooseDefaults(args) : await askForChoices(args, io);
  const root = resolve(io.cwd, args.dir);

  const written = writeFiles(root, projectFiles(choices, root));
  const isNew = written.some(({ path, what }) => path === 'tenantctl.yaml' && what === 'created');
  // The manifests of an existing project are not added to.
  const exported = choices.from === 'export' && isNew ? await exportTenant(choices, root, io) : null;
  const facts = readPipelineFacts(root, io.env);
  const pipelineNotes = writeFiles(root, pipelineFiles(choices, facts));

  const unused = isNew ? '' : unusedOptions(args);
  const hasLock = existsSync(join(root, 'package-lock.json'));
  const hasPipeline = pipelineNotes.some(({ what }) => what === 'created');
  const steps = nextSteps(
    { choices, isNew, exported, facts, hasLock, hasPipeline },
    relative(io.cwd, root),
    io,
  );
  const next = `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
  io.stdout.write(`${formatNotes([...written, ...pipelineNotes])}\n${unused}${next}`);
  return exported ?? ExitCode.done;
});

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

/** Exports the tenant, and returns the exit code; `null` where the credentials are not set. */
async function exportTenant({ tenant }: Choices, root: string, io: Io): Promise<ExitCode | null> {
  if (tenant !== null && !hasCredentials(io)) return null;
  const { exportToNewFiles } = await import('./export.ts');
  const { reportFailure } = await import('./output.ts');
  const args = { ...exportDefaults, config: join(root, 'tenantctl.yaml'), out: join(root, 'config') };
  try {
    return await exportToNewFiles(args, { ...io, stdout: io.stderr });
  } catch (error) {
    return reportFailure(error, [], io);
  }
}

/** The arguments of `tenantctl export` without options. */
const exportDefaults = {
  kinds: undefined,
  only: [],
  except: [],
  env: undefined,
  quiet: false,
  verbose: false,
  color: true,
  progress: true,
};

function hasCredentials({ env }: Io): boolean {
  return Boolean(env.TENANT_CLIENT_ID && (env.TENANT_CLIENT_SECRET || env.TENANT_CLIENT_SECRET_FILE));
}

/** What `init` has done. */
interface InitResult {
  readonly choices: Choices;
  /** Whether there was no project file before. */
  readonly isNew: boolean;
  /** The exit code of the export. `null`: there was none. */
  readonly exported: ExitCode | null;
  readonly facts: PipelineFacts;
  /** Whether there is a package-lock.json. */
  readonly hasLock: boolean;
  /** Whether a pipeline was written. */
  readonly hasPipeline: boolean;
}

/** The commands that come next, and what else there is to do, as comments. */
function nextSteps(
  { choices, isNew, exported, facts, hasLock, hasPipeline }: InitResult,
  folder: string,
  io: Io,
): string[] {
  const { from, tenant } = choices;
  const unset = facts.names.filter((name) => !io.env[name] && !io.env[`${name}_FILE`]);
  // The embedded tenant needs no credentials. The secrets in the examples are for the other environment.
  const needed =
    tenant !== null
      ? unset
      : from === 'examples'
        ? []
        : unset.filter((name) => !name.startsWith('TENANT_CLIENT_'));
  return [
    ...(folder === '' ? [] : [`cd ${folder}`]),
    ...(hasLock ? [] : ['npm install   # and commit package-lock.json: pipelines install what it says']),
    ...(hasPipeline && facts.hosts === null
      ? [`# In the pipelines, replace ${unknownHost} by the hosts of your tenant.`]
      : []),
    ...needed.map((name) => `export ${name}=…`),
    // Without --merge, the export would declare the objects of existing manifests again.
    ...(from === 'export' && exported !== ExitCode.done
      ? [`tenantctl export${isNew ? '' : ' --merge'}`]
      : []),
    'tenantctl plan',
  ];
}
