import type { Argv } from 'yargs';
import { validateProject } from '../engine/validate.ts';
import { ExitCode } from '../model/failure.ts';
import { defineCommand } from './command.ts';
import { commonOptions, format, projectOptions, scopeOptions } from './options.ts';
import { printDocument } from './output.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage(
      '$0 validate [options]\n\nChecks the project file and the manifests without asking the tenant. Reports all problems at once.',
    )
    .option('format', format(['text', 'json', 'markdown', 'junit', 'github', 'sarif']))
    .example('$0 validate', 'Check everything that can be checked offline')
    .example('$0 validate --format github', 'As annotations on a GitHub pull request');
}

export const command = defineCommand(build, async (args, io) => {
  const { diagnostics, exitCode, resources } = validateProject(projectOptions(args, io), args);
  printDocument({ is: 'diagnostics', diagnostics }, args, io);
  if (exitCode === ExitCode.done && args.format === 'text' && !args.quiet) {
    io.stdout.write(resources === 1 ? '1 resource is valid.\n' : `${resources} resources are valid.\n`);
  }
  return exitCode;
});
