import { join, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { kinds } from '../kinds/index.ts';
import { ExitCode } from '../model/failure.ts';
import { type ArgsOf, defineCommand } from './command.ts';
import { type Choices, chooseFrom, pipelines, starts } from './init/choices.ts';
import { projectFiles } from './init/files.ts';
import { namesFromEnvironment } from './init/names.ts';
import { ask } from './init/questions.ts';
import { type Note, notes, writeFiles } from './init/write.ts';
import { type Io, isInteractive } from './io.ts';

function build(yargs: Argv) {
  return yargs
    .usage(
      '$0 init [DIR] [options]\n\nBegins a project: project file, manifests, editor settings, pipelines. Never changes what is there, but for adding lines to .gitignore and settings to .vscode/settings.json, and for its schemas.',
    )
    .positional('dir', { type: 'string', default: '.', describe: 'The folder of the project' })
    .option('yes', { type: 'boolean', default: false, describe: 'Ask nothing: options and defaults decide' })
    .option('identity', {
      type: 'string',
      describe: "The base URL of the tenant's identity service; else an embedded tenant to try things on",
      requiresArg: true,
    })
    .option('profiles', {
      type: 'string',
      describe: "The base URL of the tenant's profile-management service",
      requiresArg: true,
    })
    .option('from', {
      choices: starts,
      describe: 'Begin with the examples or with an export of the tenant',
      requiresArg: true,
    })
    .option('pipelines', {
      choices: pipelines,
      describe: 'For which system to write a pipeline',
      requiresArg: true,
    })
    .example('$0 init', 'Asks where there is a terminal; else an embedded tenant and the examples')
    .example(
      '$0 init --identity https://acme.api.example.com --from export',
      'Begin with what the tenant has',
    );
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  const given = chooseFrom(args);
  const choices = args.yes || !isInteractive(io) ? given.withDefaults() : await ask(given, io);
  const root = resolve(io.cwd, args.dir);

  const { base, pipeline } = projectFiles(choices, root);
  const written = writeFiles(root, base);
  const begun = isNew(written);
  const exported = choices.from === 'export' && begun ? await exportTenant(choices, root, io) : null;
  const names = namesFromEnvironment(root);
  const all = [...written, ...writeFiles(root, pipeline(names))];

  const unused = begun ? '' : unusedOptions(args);
  const next = nextSteps({ choices, begun, exported, names }, relative(io.cwd, root), io);
  io.stdout.write(`${notes(all)}\n${unused}${next}`);
  return exported ?? ExitCode.done;
}

/** Where a project file is already, its manifests are somebody's work, and nothing is added to them. */
function isNew(written: readonly Note[]): boolean {
  return written.some(({ path, what }) => path === 'tenantctl.yaml' && what === 'created');
}

/** What only a new project file would have held. */
function unusedOptions({ identity, profiles }: Args): string {
  const given = [identity !== undefined && '--identity', profiles !== undefined && '--profiles'];
  const names = given.filter((name) => name !== false);
  if (names.length === 0) return '';
  return `\nNot used, since tenantctl.yaml was kept: ${names.join(', ')}. Change the addresses in the file itself.\n`;
}

/** The exit code of the export, or `null` where nobody has signed in yet. */
async function exportTenant({ tenant }: Choices, root: string, io: Io): Promise<ExitCode | null> {
  if (tenant !== null && !isSignedIn(io)) return null;
  const { exportAfresh } = await import('./export.ts');
  const { reportFailure } = await import('./report-failure.ts');
  const args = { ...exportDefaults, config: join(root, 'tenantctl.yaml'), out: join(root, 'config') };
  try {
    return await exportAfresh(args, { ...io, stdout: io.stderr });
  } catch (error) {
    return reportFailure(error, [], io);
  }
}

/** The export of everything, as `tenantctl export` does it without options. */
const exportDefaults = {
  kinds: kinds.map(({ name }) => name),
  only: [],
  except: [],
  env: undefined,
  quiet: false,
  verbose: false,
  color: true,
  progress: true,
};

function isSignedIn({ env }: Io): boolean {
  return Boolean(env.TENANT_CLIENT_ID && (env.TENANT_CLIENT_SECRET || env.TENANT_CLIENT_SECRET_FILE));
}

/** What `init` has done. */
interface Done {
  readonly choices: Choices;
  /** Whether there was no project yet. */
  readonly begun: boolean;
  /** The exit code of the export; `null` where there was none. */
  readonly exported: ExitCode | null;
  /** Environment variables that the project needs. */
  readonly names: readonly string[];
}

function nextSteps({ choices, begun, exported, names }: Done, folder: string, io: Io): string {
  const { from, tenant } = choices;
  const open = names.filter((name) => !io.env[name] && !io.env[`${name}_FILE`]);
  // The embedded tenant needs no credentials; the examples' secrets are those of another environment.
  const needed =
    tenant !== null
      ? open
      : from === 'examples'
        ? []
        : open.filter((name) => !name.startsWith('TENANT_CLIENT_'));
  const steps = [
    ...(folder === '' ? [] : [`cd ${folder}`]),
    ...needed.map((name) => `export ${name}=…`),
    // Where there are manifests, an export must not declare their objects again.
    ...(from === 'export' && exported !== ExitCode.done
      ? [`tenantctl export${begun ? '' : ' --merge'}`]
      : []),
    'tenantctl plan',
  ];
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

export const command = defineCommand(build, run);
