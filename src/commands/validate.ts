import type { Argv } from 'yargs';
import { scopeOf } from '../engine/choices.ts';
import { validateProject } from '../engine/validate.ts';
import { ExitCode } from '../model/failure.ts';
import { type ArgsOf, commonOptions, defineCommand, projectOptions, scopeOptions } from './command.ts';
import type { Io } from './io.ts';
import { printDocument } from './output.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage(
      '$0 validate [options]\n\nChecks the project file and the manifests without asking the tenant. Reports all problems at once.',
    )
    .option('format', {
      choices: ['text', 'json', 'markdown', 'junit', 'github', 'sarif'] as const,
      default: 'text' as const,
      describe: 'Output format',
    })
    .example('$0 validate', 'Check everything that can be checked offline')
    .example('$0 validate --format github', 'As annotations on a GitHub pull request');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  const { diagnostics, exitCode, resources } = validateProject(projectOptions(args, io), scopeOf(args));
  printDocument({ is: 'diagnostics', diagnostics }, args, io);
  if (exitCode === ExitCode.done && args.format === 'text' && !args.quiet) {
    io.stdout.write(resources === 1 ? '1 resource is valid.\n' : `${resources} resources are valid.\n`);
  }
  return exitCode;
}

export const command = defineCommand(build, run);
